// SPDX-License-Identifier: MIT
#pragma once
// How a kernel is put together where the compiler optimises, so that values stay in registers. Everything that is
// inlined is optimised again at every level it is inlined into, so g++ inlines what makes up a tile always (INLINE),
// leaves what stands around tiles alone (PIECE), and puts all of it into one function at last (FLAT), which clang
// does only with the functions called there. Where the compiler does not optimise these are plain calls: inlined code
// that nobody cleans up takes gigabytes to compile.

// Macros because an attribute can depend on the compiler's flags in no other way.
#if !defined(__OPTIMIZE__)
#define TAPELESS_CONFIG_INLINE
#define TAPELESS_CONFIG_PIECE
#define TAPELESS_CONFIG_FLAT
#elif defined(__clang__)
#define TAPELESS_CONFIG_INLINE __attribute__((always_inline))
#define TAPELESS_CONFIG_PIECE __attribute__((always_inline))
#define TAPELESS_CONFIG_FLAT
#else
#define TAPELESS_CONFIG_INLINE __attribute__((always_inline))
#define TAPELESS_CONFIG_PIECE
#define TAPELESS_CONFIG_FLAT __attribute__((flatten))
#endif

namespace tapeless::detail::inline base_part {

/// In a kernel. g++ with -O2 takes some of them for pure functions, whose calls it removes: an address that is the
/// difference of others (of two arrays of the workspace one is read in steps of twice the other's) has no base, and
/// what follows a use of nothing (0B + ...) is believed never to be reached.
TAPELESS_CONFIG_INLINE inline void has_effects() {
#if defined(__GNUC__) && !defined(__clang__)
    asm volatile("");
#endif
}

}  // namespace tapeless::detail::base_part
