// SPDX-License-Identifier: MIT
#pragma once
// One channel under windows of few taps that move by one element: a row of the image is read once for all rows of
// windows that it is under.

#include <tapeless/kernels/direct_windows.hpp>

namespace tapeless::detail::convolution_detail {

/// Whether the taps along an axis are side by side, and windows move by one.
inline bool are_neighbours(axis_taps const& a) {
    return a.step == 1 && (a.count == 1 || a.by == 1 || a.by == -1);
}
/// The numbers by which H by W taps are multiplied, in the order in which the taps lie in memory.
template <int H, int W, class T>
struct tap_numbers {
    T at[static_cast<std::size_t>(H * W)];
    tap_numbers(T const* a, window_taps const& taps) {
        bool const up = taps.axis[1].by < 0, left = taps.axis[0].by < 0;
        for (int h = 0; h < H; ++h)
            for (int w = 0; w < W; ++w) at[(up ? H - 1 - h : h) * W + (left ? W - 1 - w : w)] = a[h * W + w];
    }
};
/// R rows of windows by U batches at a time; the last batches are some of those before once more. `end`: what becomes
/// of a result.
template <int R, int U, int H, int W, class T>
TAPELESS_CONFIG_INLINE inline void multiply_rows_of_taps(tap_numbers<H, W, T> const& a, T const* from,
                                                         std::ptrdiff_t row, std::int64_t columns, T* to,
                                                         std::ptrdiff_t to_row, write_back_row<T> const& end) {
    constexpr int L = simd::lanes<T>;
    using vec = simd::detail::vec<T>;
    vec number[static_cast<std::size_t>(H * W)];
    detail::repeat<H * W>(
        [&](int i) TAPELESS_CONFIG_INLINE { number[i] = simd::detail::raw(simd::batch<T>(a.at[i])); });
    for (std::int64_t left = columns; left > 0; left -= U * L, from += U * L, to += U * L) {
        std::int64_t const back = left < U * L ? U * L - left : 0;
        T const* p = from -= back;
        T* q = to -= back;
        vec sum[static_cast<std::size_t>(R)][static_cast<std::size_t>(U)];
        unroll<R + H - 1>([&](auto i) TAPELESS_CONFIG_INLINE {
            unroll<W>([&](auto w) TAPELESS_CONFIG_INLINE {
                vec x[static_cast<std::size_t>(U)];
                detail::repeat<U>(
                    [&](int u) TAPELESS_CONFIG_INLINE { x[u] = tile_detail::load_vec<T>(p + w.i + u * L); });
                unroll<R>([&](auto r) TAPELESS_CONFIG_INLINE {
                    if constexpr (i.i >= r.i && i.i - r.i < H) {
                        constexpr int tap = (i.i - r.i) * W + w.i;
                        detail::repeat<U>([&](int u) TAPELESS_CONFIG_INLINE {
                            if constexpr (tap == 0) sum[r.i][u] = number[tap] * x[u];
                            else sum[r.i][u] = simd::detail::madd<T>(number[tap], x[u], sum[r.i][u]);
                        });
                    }
                });
            });
            p += row;
            if constexpr (i.i >= H - 1) {  // the last row under these windows
                detail::repeat<U>([&](int u) TAPELESS_CONFIG_INLINE {
                    simd::store(q + u * L, end.of(simd::detail::wrap<T>(sum[i.i - (H - 1)][u])));
                });
                q += to_row;
            }
        });
    }
}
/// One row of results for all windows of a block of H by W taps each, at least a batch of them in a row.
template <int H, int W, class T, class Build = simd::batch<T>>
[[gnu::noinline]] void multiply_few_taps(T const* a, window_taps const& taps, window_strip<T> const& s,
                                         window_block const& w, T* to, std::ptrdiff_t to_row,
                                         write_back<T> const& end) {
    constexpr int some = machine::vector_registers >= 32 ? 4 : 2;
    write_back_row<T> const own(end, 0);
    tap_numbers<H, W, T> const numbers(a, taps);
    std::int64_t r = 0;
    auto const take = [&](auto rows, auto batches) TAPELESS_CONFIG_INLINE {
        for (; r + rows.i <= w.rows; r += rows.i)
            multiply_rows_of_taps<rows.i, batches.i>(numbers, s.data + r * s.row, s.row, w.columns, to + r * to_row,
                                                     to_row, own);
    };
    if (w.columns >= 2 * simd::lanes<T>) take(index<some>{}, index<2>{});
    take(index<1>{}, index<1>{});
}

}  // namespace tapeless::detail::convolution_detail
