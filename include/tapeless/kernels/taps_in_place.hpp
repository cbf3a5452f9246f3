// SPDX-License-Identifier: MIT
#pragma once
// One channel under windows of few taps that move by one element, read where it is: nothing is copied. At the ends of
// rows lanes of whole registers are moved to where they belong, beyond the first and the last row zeros are read.

#include <tapeless/kernels/few_taps.hpp>
#include <tapeless/kernels/zeros.hpp>
#include <tapeless/simd/move_lanes.hpp>

namespace tapeless::detail::convolution_detail {

/// The columns of an image of `columns` columns that windows have under them: the first window's from `lowest` on.
template <class T>
struct columns_in_place {
    static constexpr int L = simd::lanes<T>;
    std::int64_t lowest, columns, windows;
    std::int64_t from, to;  ///< windows that are in the image with all their taps, but for a batch at either end

    columns_in_place(axis_taps const& taps, std::int64_t image, std::int64_t output)
        : lowest(taps.lowest()), columns(image), windows(output) {
        std::int64_t const first = lowest < 0 ? -lowest : 0, all = image - lowest - taps.span() + 1,
                           last = all < output ? all : output;
        from = first > 0 ? L : 0;
        to = last < output ? output - L : output;
        if (first > from || last < to) from = to;  // too much is missing
    }
    bool fit() const {
        return to - from >= L && columns >= L &&
               columns * static_cast<std::int64_t>(sizeof(T)) <= static_cast<std::int64_t>(sizeof row_of_zeros.at);
    }
};
/// A batch of windows at an end of the rows: for each column of taps, where what it reads is, and how it is moved.
template <int W, class T>
struct taps_at_end {
    std::ptrdiff_t at[static_cast<std::size_t>(W)], how[static_cast<std::size_t>(W)];
    taps_at_end(columns_in_place<T> const& c, std::int64_t window) {
        constexpr int L = simd::lanes<T>;
        for (int w = 0; w < W; ++w) {
            std::int64_t const p = window + c.lowest + w, last = c.columns - L;
            at[w] = p < 0 ? 0 : p > last ? last : p;
            std::int64_t const by = at[w] - p;
            how[w] = simd::movement<T>(static_cast<int>(by > L ? L : by < -L ? -L : by));
        }
    }
};
/// The rows of an image, or of results, in one plane.
template <class T>
struct plane_rows {
    T* data;
    std::ptrdiff_t step;
    std::int64_t count;
};
/// Some batches of windows of R rows, whose rows of the image begin at `row`; load(p, w, l): what column w of the taps
/// reads there, l lanes further on; `end`: what becomes of a result.
template <int R, int U, int H, int W, class T, class Load>
TAPELESS_CONFIG_INLINE inline void multiply_tile_of_taps(simd::detail::vec<T> const (&number)[H * W],
                                                         T const* const (&row)[R + H - 1], T* to,
                                                         std::ptrdiff_t to_row, write_back_row<T> const& end,
                                                         Load const& load) {
    constexpr int L = simd::lanes<T>;
    using vec = simd::detail::vec<T>;
    vec sum[static_cast<std::size_t>(R)][static_cast<std::size_t>(U)];
#pragma GCC unroll 64
    for (int i = 0; i < (R + H - 1) * W; ++i) {
        int const h = i / W, w = i % W;
        vec x[static_cast<std::size_t>(U)];
#pragma GCC unroll 64
        for (int u = 0; u < U; ++u) x[u] = load(row[h], w, u * L);
#pragma GCC unroll 64
        for (int n = 0; n < R * U; ++n) {
            int const r = n / U, u = n % U;
            if (h < r || h - r >= H) continue;
            vec const& a = number[(h - r) * W + w];
            sum[r][u] = h == r && w == 0 ? a * x[u] : simd::detail::madd<T>(a, x[u], sum[r][u]);
        }
        if (w == W - 1 && h >= H - 1)  // the last row under these windows
#pragma GCC unroll 64
            for (int u = 0; u < U; ++u)
                simd::store(to + (h - (H - 1)) * to_row + u * L, end.of(simd::detail::wrap<T>(sum[h - (H - 1)][u])));
    }
}
/// Some rows of an image from row `from` on; those that are not there are zeros.
template <int N, class T>
struct rows_in_place {
    T const* at[static_cast<std::size_t>(N)];
    TAPELESS_CONFIG_INLINE rows_in_place(plane_rows<T const> const& x, std::int64_t from) {
        auto const* const zeros = reinterpret_cast<T const*>(row_of_zeros.at);
        for (int i = 0; i < N; ++i)
            at[i] = from + i >= 0 && from + i < x.count ? x.data + (from + i) * x.step : zeros;
    }
};
/// R rows of windows at a time.
template <int R, int H, int W, class T>
TAPELESS_CONFIG_INLINE inline void multiply_rows_in_place(tap_numbers<H, W, T> const& a,
                                                          T const* const (&row)[R + H - 1],
                                                          columns_in_place<T> const& c,
                                                          taps_at_end<W, T> const (&end)[2], T* to,
                                                          std::ptrdiff_t to_row, write_back_row<T> const& own) {
    constexpr int L = simd::lanes<T>;
    using vec = simd::detail::vec<T>;
    vec number[static_cast<std::size_t>(H * W)];
    detail::repeat<H * W>(
        [&](int i) TAPELESS_CONFIG_INLINE { number[i] = simd::detail::raw(simd::batch<T>(a.at[i])); });
    auto const at_end = [&](int e, std::int64_t window) TAPELESS_CONFIG_INLINE {
        multiply_tile_of_taps<R, 1, H, W, T>(
            number, row, to + window, to_row, own, [&](T const* p, int w, int) TAPELESS_CONFIG_INLINE {
                return simd::detail::raw(simd::move_lanes_so<T>(simd::load(p + end[e].at[w]), end[e].how[w]));
            });
    };
    auto const tile = [&](auto batches, std::int64_t window) TAPELESS_CONFIG_INLINE {
        std::ptrdiff_t const first = window + c.lowest;
        multiply_tile_of_taps<R, batches.i, H, W, T>(
            number, row, to + window, to_row, own, [&](T const* p, int w, int l) TAPELESS_CONFIG_INLINE {
                return tile_detail::load_vec<T>(p + first + w + l);
            });
    };
    if (c.from > 0) at_end(0, 0);
    std::int64_t at = c.from;
    for (; at + 2 * L <= c.to; at += 2 * L) tile(index<2>{}, at);
    for (; at < c.to; at += L) {
        if (c.to - at < L) at = c.to - L;  // some of those before once more
        tile(index<1>{}, at);
    }
    if (c.to < c.windows) at_end(1, c.windows - L);
}
/// All windows of an image in one plane, whose first rows are from row `lowest` of it on.
template <int H, int W, class T, class Build = simd::batch<T>>
[[gnu::noinline]] void multiply_in_place(T const* a, window_taps const& taps, plane_rows<T const> const& x,
                                         std::int64_t lowest, columns_in_place<T> const& c, plane_rows<T> const& y,
                                         write_back<T> const& to_store) {
    write_back_row<T> const own(to_store, 0);
    constexpr int some = machine::vector_registers >= 32 ? 4 : 2;
    tap_numbers<H, W, T> const numbers(a, taps);
    taps_at_end<W, T> const end[2] = {{c, 0}, {c, c.windows - simd::lanes<T>}};
    std::int64_t r = 0;
    auto const take = [&](auto rows) TAPELESS_CONFIG_INLINE {
        constexpr int R = rows.i;
        for (; r + R <= y.count; r += R) {
            rows_in_place<R + H - 1, T> const row(x, r + lowest);
            multiply_rows_in_place<R, H, W, T>(numbers, row.at, c, end, y.data + r * y.step, y.step, own);
        }
    };
    take(index<some>{});
    take(index<1>{});
}
/// sum[tap] += what R rows of numbers at a batch of windows are times what the tap reads; load(p, w) as above.
template <int R, int H, int W, class T, class Load>
TAPELESS_CONFIG_INLINE inline void gather_tile_of_taps(simd::detail::vec<T> (&sum)[H * W],
                                                       T const* const (&row)[R + H - 1],
                                                       simd::detail::vec<T> const (&g)[R], Load const& load) {
#pragma GCC unroll 64
    for (int i = 0; i < (R + H - 1) * W; ++i) {
        int const h = i / W, w = i % W;
        simd::detail::vec<T> const x = load(row[h], w);
#pragma GCC unroll 64
        for (int r = 0; r < R; ++r)
            if (h >= r && h - r < H)
                sum[(h - r) * W + w] = simd::detail::madd<T>(g[r], x, sum[(h - r) * W + w]);
    }
}
/// The same of whole rows.
template <int R, int H, int W, class T>
TAPELESS_CONFIG_INLINE inline void gather_rows_in_place(simd::detail::vec<T> (&sum)[H * W],
                                                        T const* const (&row)[R + H - 1],
                                                        columns_in_place<T> const& c, taps_at_end<W, T> const (&end)[2],
                                                        T const* g, std::ptrdiff_t g_row) {
    constexpr int L = simd::lanes<T>;
    using vec = simd::detail::vec<T>;
    vec y[static_cast<std::size_t>(R)];
    std::int64_t at = c.from;
    for (; at + L <= c.to; at += L) {
        detail::repeat<R>([&](int r) TAPELESS_CONFIG_INLINE { y[r] = tile_detail::load_vec<T>(g + r * g_row + at); });
        gather_tile_of_taps<R, H, W, T>(sum, row, y, [&](T const* p, int w) TAPELESS_CONFIG_INLINE {
            return tile_detail::load_vec<T>(p + at + c.lowest + w);
        });
    }
    if (at < c.to) {  // the last lanes of a batch that ends there: the others are nothing, on either side
        std::int64_t const begin = c.to - L;
        int const others = static_cast<int>(L - (c.to - at));
        std::ptrdiff_t const down = simd::movement<T>(-others), up = simd::movement<T>(others);
        auto const last = [&](T const* p) TAPELESS_CONFIG_INLINE {
            return simd::detail::raw(simd::move_lanes_so<T>(simd::move_lanes_so<T>(simd::load(p), down), up));
        };
        detail::repeat<R>([&](int r) TAPELESS_CONFIG_INLINE { y[r] = last(g + r * g_row + begin); });
        gather_tile_of_taps<R, H, W, T>(sum, row, y, [&](T const* p, int w) TAPELESS_CONFIG_INLINE {
            return last(p + begin + c.lowest + w);
        });
    }
    for (int e = c.from > 0 ? 0 : 1; e < (c.to < c.windows ? 2 : 1); ++e) {
        detail::repeat<R>([&](int r) TAPELESS_CONFIG_INLINE {
            y[r] = tile_detail::load_vec<T>(g + r * g_row + (e == 0 ? 0 : c.windows - L));
        });
        gather_tile_of_taps<R, H, W, T>(sum, row, y, [&](T const* p, int w) TAPELESS_CONFIG_INLINE {
            return simd::detail::raw(simd::move_lanes_so<T>(simd::load(p + end[e].at[w]), end[e].how[w]));
        });
    }
}
/// to[tap] += sum over the windows of an image of g(window) times what the tap reads, some rows at a time.
template <int H, int W, class T, class Build = simd::batch<T>>
[[gnu::noinline]] void gather_in_place(T* to, plane_rows<T const> const& x, std::int64_t lowest,
                                       columns_in_place<T> const& c, plane_rows<T const> const& g) {
    taps_at_end<W, T> const end[2] = {{c, 0}, {c, c.windows - simd::lanes<T>}};
    std::int64_t const most = convolution_blocks<T>::direct / c.windows;
    for (std::int64_t r = 0; r < g.count;) {
        std::int64_t const stop = g.count - r <= most ? g.count : most > 0 ? r + most : r + 1;
        simd::detail::vec<T> sum[static_cast<std::size_t>(H * W)]{};
        auto const take = [&](auto rows) TAPELESS_CONFIG_INLINE {
            constexpr int R = rows.i;
            for (; r + R <= stop; r += R) {
                rows_in_place<R + H - 1, T> const row(x, r + lowest);
                gather_rows_in_place<R, H, W, T>(sum, row.at, c, end, g.data + r * g.step, g.step);
            }
        };
        take(index<2>{});
        take(index<1>{});
        // written out, or the sums would be in memory all the time
        unroll<H * W>([&](auto i) TAPELESS_CONFIG_INLINE {
            to[i.i] += simd::reduce_add(simd::detail::wrap<T>(sum[i.i]));
        });
    }
}
/// Whether one channel of x under windows, of which there is one result each in y, is read in place: three by three
/// taps. Of more, which take longer, copies cost less than they save.
template <class T, class U>
bool are_in_place(window_taps const& taps, images<T const> const& x, images<U> const& y) {
    if (taps.axis[0].count != 3 || !are_neighbours(taps.axis[0])) return false;
    if (taps.axis[1].count != 3 || !are_neighbours(taps.axis[1])) return false;
    if (taps.axis[2].count != 1 || taps.axis[2].begin != 0 || x.extent[2] != 1 || y.extent[2] != 1) return false;
    return x.step[0] == 1 && y.step[0] == 1 && columns_in_place<T>(taps.axis[0], x.extent[0], y.extent[0]).fit();
}
/// One channel of all items under windows, one result each, where it is read in place.
template <class T>
bool multiply_if_in_place(T const* a, window_taps const& taps, images<T const> const& x, std::int64_t channel,
                          images<T> const& y, std::int64_t result, write_back<T> const& end) {
    if (!are_in_place(taps, x, y)) return false;
    columns_in_place<T> const c(taps.axis[0], x.extent[0], y.extent[0]);
    for (std::int64_t n = 0; n < x.items; ++n) {
        plane_rows<T const> const from{x.data + n * x.item + channel * x.channel, x.step[1], x.extent[1]};
        plane_rows<T> const to{y.data + n * y.item + result * y.channel, y.step[1], y.extent[1]};
        multiply_in_place<3, 3, T>(a, taps, from, taps.axis[1].lowest(), c, to, end);
    }
    return true;
}
/// Some rows of windows of one image of `windows` columns of them, where it is read in place.
template <class T>
void multiply_block_in_place(T const* a, window_taps const& taps, images<T const> const& x, T const* image,
                             window_block const& b, std::int64_t windows, T* to, std::ptrdiff_t to_row,
                             write_back<T> const& end) {
    columns_in_place<T> const c(taps.axis[0], x.extent[0], windows);
    multiply_in_place<3, 3, T>(a, taps, {image, x.step[1], x.extent[1]}, taps.axis[1].lowest() + b.row, c,
                               {to, to_row, b.rows}, end);
}
/// to[tap] += sum over items and windows of one channel of y times what the tap reads of one channel of x, likewise.
template <class T>
bool gather_if_in_place(T* to, window_taps const& taps, images<T const> const& x, images<T const> const& y,
                        std::int64_t channel) {
    if (!are_in_place(taps, x, y)) return false;
    columns_in_place<T> const c(taps.axis[0], x.extent[0], y.extent[0]);
    for (std::int64_t n = 0; n < x.items; ++n) {
        plane_rows<T const> const from{x.data + n * x.item + channel * x.channel, x.step[1], x.extent[1]};
        plane_rows<T const> const g{y.data + n * y.item + channel * y.channel, y.step[1], y.extent[1]};
        gather_in_place<3, 3, T>(to, from, taps.axis[1].lowest(), c, g);
    }
    return true;
}

/// One row of results for all windows of a block, where there are loops for windows of so few taps; false where there
/// are none.
template <class T>
bool multiply_if_few_taps(T const* a, window_taps const& taps, window_strip<T> const& s, window_block const& w, T* to,
                          std::ptrdiff_t to_row, write_back<T> const& end) {
    if (w.columns < simd::lanes<T> || taps.axis[2].count != 1) return false;
    if (!are_neighbours(taps.axis[0]) || !are_neighbours(taps.axis[1])) return false;
    int const h = taps.axis[1].count, v = taps.axis[0].count;
    if (h == 3 && v == 3) {
        axis_taps inside = taps.axis[0];
        inside.begin -= inside.lowest();
        columns_in_place<T> const c(inside, w.columns + v - 1, w.columns);
        multiply_in_place<3, 3, T>(a, taps, {s.data, s.row, w.rows + h - 1}, 0, c, {to, to_row, w.rows}, end);
    } else if (h == 5 && v == 5) multiply_few_taps<5, 5>(a, taps, s, w, to, to_row, end);
    else return false;
    return true;
}

}  // namespace tapeless::detail::convolution_detail
