// SPDX-License-Identifier: MIT
#pragma once
// How the pieces of a kernel are put together where the compiler optimises, so that values stay in registers. Pieces of a vector loop
// are inlined always, into the tile they belong to; what stands around tiles is no more than called, and the kernel as a whole is
// flattened, because everything that is inlined is optimised again at every level it is inlined into. Where the compiler does not
// optimise these are plain calls: inlined code that nobody cleans up takes gigabytes to compile.

// Macros because an attribute can depend on the compiler's flags in no other way.
#ifdef __OPTIMIZE__
#define TAPELESS_CONFIG_INLINE __attribute__((always_inline))
#define TAPELESS_CONFIG_FLAT __attribute__((flatten))
#else
#define TAPELESS_CONFIG_INLINE
#define TAPELESS_CONFIG_FLAT
#endif
