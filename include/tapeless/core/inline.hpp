// SPDX-License-Identifier: MIT
#pragma once
// How the pieces of a kernel are put together: inlined always where the compiler optimises, so that values stay in
// registers; plain calls where it does not, because inlined code that nobody cleans up takes gigabytes to compile.

// A macro because an attribute can depend on the compiler's flags in no other way.
#ifdef __OPTIMIZE__
#define TAPELESS_CONFIG_INLINE __attribute__((always_inline))
#define TAPELESS_CONFIG_FLAT __attribute__((flatten))
#else
#define TAPELESS_CONFIG_INLINE
#define TAPELESS_CONFIG_FLAT
#endif
#define TAPELESS_CONFIG_PIECE
