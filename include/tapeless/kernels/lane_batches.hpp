// SPDX-License-Identifier: MIT
#pragma once
// Batches of small matrices: as many at a time as there are lanes.

#include <type_traits>

#include <tapeless/kernels/lanes.hpp>
#include <tapeless/kernels/loop_nest.hpp>

namespace tapeless::detail::inline kernels_part {

/// Whether matrices of n rows, a number that only run time knows, are better done in lanes: if there are many of them,
/// or they are very small.
template <class T, int Arrays, class Build = simd::batch<T>>
bool fits_lanes(std::int64_t n, loop_nest<Arrays> const& nest) {
    return n <= 4 || (n <= 16 && nest.inner() >= simd::lanes<T>);
}
/// f of one matrix: a function of its own where it is long, for all who call it.
template <class T, int N, class F>
[[gnu::noinline]] void of_one_long(std::ptrdiff_t const* offset, std::ptrdiff_t const* step, std::int64_t matrix,
                                   F const& f) {
    f(small_matrices<T, N, 0>{}, offset, step, matrix);
}
template <class T, int N, class F>
TAPELESS_CONFIG_INLINE inline void of_one(std::ptrdiff_t const* offset, std::ptrdiff_t const* step, std::int64_t matrix,
                                          F const& f) {
    if constexpr (N == 0 || N > 4) of_one_long<T, N>(offset, step, matrix, f);
    else f(small_matrices<T, N, 0>{}, offset, step, matrix);
}
/// f(small_matrices<T, N, W>{}, offsets of the first matrices, strides from one to the next, their number in the
/// batch): as many matrices at a time as they have lanes, and those that are left one by one.
template <class T, int N, int W, int Arrays, class F>
[[gnu::noinline]] void each_of_many(loop_nest<Arrays> const& nest, F const& f) {
    std::int64_t matrix = 0;
    nest.each(1, [&](std::ptrdiff_t const* offset) {
        std::ptrdiff_t at[static_cast<std::size_t>(Arrays)], step[static_cast<std::size_t>(Arrays)];
        for (int j = 0; j < Arrays; ++j) at[j] = offset[j], step[j] = nest.inner_stride(j);
        std::int64_t const count = nest.inner();
        auto groups = [&]<class K>(K, std::int64_t i) {
            for (; i + K::L <= count; i += K::L) {
                std::ptrdiff_t const *const here = at, *const apart = step;
                if constexpr (std::is_same_v<K, small_matrices<T, N, 0>>) of_one<T, N>(here, apart, matrix + i, f);
                else f(K{}, here, apart, matrix + i);
                for (int j = 0; j < Arrays; ++j) at[j] += K::L * step[j];
            }
            return i;
        };
        (void)groups(small_matrices<T, N, 0>{}, groups(small_matrices<T, N, W>{}, 0));
        matrix += count;
    });
}
/// The same; that it is one matrix is seen where its axes are known when compiled, and nothing is left of the loops
/// then.
template <class T, int N, int W = (N == 0 || N > 6 ? 1 : 2), int Arrays, class F>
TAPELESS_CONFIG_INLINE inline void each_in_lanes(loop_nest<Arrays> const& nest, F const& f) {
    if (!__builtin_constant_p(nest.axes) || nest.axes > 0 || nest.empty) return each_of_many<T, N, W>(nest, f);
    constexpr std::ptrdiff_t none[static_cast<std::size_t>(Arrays)]{};
    of_one<T, N>(static_cast<std::ptrdiff_t const*>(none), static_cast<std::ptrdiff_t const*>(none), 0, f);
}

}  // namespace tapeless::detail::kernels_part
