// SPDX-License-Identifier: MIT
#pragma once
// Loops over several arrays side by side, whatever their strides.

#include <tapeless/array/strided.hpp>
#include <tapeless/simd/simd.hpp>

namespace tapeless::detail::inline kernels_part {

/// Loops over N arrays side by side. Axes are added from the innermost to the outermost; those of extent 1 are left
/// out, and neighbours that all arrays walk as one become one. (Build, here and below: translation units built for
/// other instruction sets have loops of their own.)
template <int N, class Build = simd::batch<float>>
struct loop_nest {
    static constexpr int most = 2 * max_rank;
    int axes = 0;
    bool empty = false;
    std::int64_t extent[static_cast<std::size_t>(most)];
    std::ptrdiff_t stride[static_cast<std::size_t>(N)][static_cast<std::size_t>(most)];

    /// Without axes there is one position. (g++ warns of what is read before it is written, though it never is.)
    loop_nest() {
        extent[0] = 1;
        for (int j = 0; j < N; ++j) stride[j][0] = 0;
    }

    template <class... S>
    void add(std::int64_t length, S... s) {
        static_assert(sizeof...(S) == N);
        std::ptrdiff_t const own[] = {s...};
        if (length == 0) empty = true;
        if (length == 1) return;
        bool one = axes > 0;
        for (int j = 0; j < N && one; ++j) one = own[j] == stride[j][axes - 1] * extent[axes - 1];
        if (one) {
            extent[axes - 1] *= length;
            return;
        }
        for (int j = 0; j < N; ++j) stride[j][axes] = own[j];
        extent[axes++] = length;
    }
    /// Length and strides of the innermost loop, which is there even where no axis is.
    std::int64_t inner() const { return axes ? extent[0] : 1; }
    std::ptrdiff_t inner_stride(int j) const { return axes ? stride[j][0] : 0; }

    /// f(offsets of the arrays) at every position of the axes from number `from` on.
    template <class F>
    void each(int from, F&& f) const {
        if (empty) return;
        std::ptrdiff_t offset[static_cast<std::size_t>(N)]{};
        if (axes <= from) return f(offset);
        std::int64_t at[static_cast<std::size_t>(most)]{};
        for (;;) {
            f(offset);
            int a = from;
            for (; a < axes; ++a) {
                for (int j = 0; j < N; ++j) offset[j] += stride[j][a];
                if (++at[a] < extent[a]) break;
                for (int j = 0; j < N; ++j) offset[j] -= stride[j][a] * extent[a];
                at[a] = 0;
            }
            if (a >= axes) return;
        }
    }
};

}  // namespace tapeless::detail::kernels_part
