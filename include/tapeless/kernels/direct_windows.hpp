// SPDX-License-Identifier: MIT
#pragma once
// Products with windows that are read where they are, nothing being packed: for few rows of results.

#include <tapeless/kernels/window_blocks.hpp>

namespace tapeless::detail::convolution_detail {

/// The taps of all channels, row by row of the window: those of some of its rows follow each other.
struct taps_by_row {
    window_taps const& taps;
    std::int64_t channels;
    std::int64_t of_row() const { return channels * taps.axis[2].count * taps.axis[0].count; }
    /// f(number, channel, d, h, w) for those from `first` on, `some` of them.
    template <class F>
    void each(std::int64_t first, std::int64_t some, F const& f) const {
        if (some == 0) return;  // there may be no channels
        int const planes = taps.axis[2].count, columns = taps.axis[0].count;
        std::int64_t rest = first % of_row();
        int h = static_cast<int>(first / of_row()), w = static_cast<int>(rest % columns);
        rest /= columns;
        int d = static_cast<int>(rest % planes);
        std::int64_t c = rest / planes;
        for (std::int64_t i = 0; i < some; ++i) {
            f(i, c, d, h, w);
            if (++w < columns) continue;
            w = 0;
            if (++d < planes) continue;
            d = 0;
            if (++c < channels) continue;
            c = 0;
            ++h;
        }
    }
};
/// Some taps in that order, and which of them are in the image for a row of windows: the others are 0 there.
struct rows_of_taps {
    axis_taps axis;
    std::int64_t row, extent;      ///< of the first windows, and the image's
    std::int64_t of_row, done, k;  ///< taps of a row; taps before these; these
    void within(std::int64_t r, std::int64_t& from, std::int64_t& to) const {
        std::int64_t const p = (row + r) * axis.step + axis.begin;
        auto const is_in = [&](int h) { return p + h * axis.by >= 0 && p + h * axis.by < extent; };
        int first = 0, last = axis.count;
        while (first < last && !is_in(first)) ++first;
        while (last > first && !is_in(last - 1)) --last;
        from = first * of_row - done;
        to = last * of_row - done;
        from = from < 0 ? 0 : from < k ? from : k;
        to = to < from ? from : to < k ? to : k;
    }
};
/// J rows of a side by side, in that order: to[k][j].
template <int J, class T>
void pack_rows(T const* a, std::ptrdiff_t a_row, taps_by_row const& order, std::int64_t first, std::int64_t k, T* to) {
    window_taps const& taps = order.taps;
    order.each(first, k, [&](std::int64_t, std::int64_t c, int d, int h, int w) {
        T const* const p =
            a + ((c * taps.axis[2].count + d) * taps.axis[1].count + h) * taps.axis[0].count + w;
        for (int j = 0; j < J; ++j) *to++ = p[j * a_row];
    });
}
/// J rows of results by U batches of windows of one row, from where the taps of the first window are; `last` lanes of
/// the last batch are stored. Rows of a are side by side, of results `to_row` apart; `add`: to what is there, and
/// `end`: what becomes of the sums then.
template <int J, int U, class T>
TAPELESS_CONFIG_INLINE inline void multiply_tile(T const* a, std::int64_t k, std::ptrdiff_t const* offset,
                                                 T const* from, T* to, std::ptrdiff_t to_row, int last, bool add,
                                                 write_back<T> const& end) {
    constexpr int L = simd::lanes<T>;
    using vec = simd::detail::vec<T>;
    vec sum[static_cast<std::size_t>(J)][static_cast<std::size_t>(U)];
    detail::repeat<J * U>([&](int i) TAPELESS_CONFIG_INLINE {
        T const* const p = to + i / U * to_row + i % U * L;
        if (!add) sum[i / U][i % U] = vec{};
        else
            sum[i / U][i % U] =
                simd::detail::raw(i % U < U - 1 || last == L ? simd::load(p) : simd::load_partial(p, last));
    });
#pragma GCC unroll 2
    for (std::int64_t t = 0; t < k; ++t, a += J) {
        vec x[static_cast<std::size_t>(U)];
        T const* const p = from + offset[t];
        detail::repeat<U>([&](int u) TAPELESS_CONFIG_INLINE { x[u] = tile_detail::load_vec<T>(p + u * L); });
        if constexpr (machine::by_lane && J % L == 0) {
            unroll<J / L>([&](auto v) TAPELESS_CONFIG_INLINE {
                vec const y = tile_detail::load_vec<T>(a + v.i * L);
                unroll<L>([&](auto l) TAPELESS_CONFIG_INLINE {
                    detail::repeat<U>([&](int u) TAPELESS_CONFIG_INLINE {
                        tile_detail::add_lane<false, l.i, T>(sum[v.i * L + l.i][u], y, x[u]);
                    });
                });
            });
        } else {
            tile_detail::step_numbers<false, T>(sum, a, 1, x);
        }
    }
    if (end.changes())
        detail::repeat<J>([&](int j) TAPELESS_CONFIG_INLINE {
            write_back_row<T> const own(end, j);
            detail::repeat<U>([&](int u) TAPELESS_CONFIG_INLINE {
                sum[j][u] = simd::detail::raw(own.of(simd::detail::wrap<T>(sum[j][u])));
            });
        });
    detail::repeat<J * U>([&](int i) TAPELESS_CONFIG_INLINE {
        T* const p = to + i / U * to_row + i % U * L;
        simd::batch<T> const v = simd::detail::wrap<T>(sum[i / U][i % U]);
        if (i % U < U - 1 || last == L) simd::store(p, v);
        else simd::store_partial(p, v, last);
    });
}
/// J rows of results for all windows of a block, which are not packed.
template <int J, class T, class Build = simd::batch<T>>
[[gnu::noinline]] void multiply_directly(T const* a, rows_of_taps const& taps, std::ptrdiff_t const* offset,
                                         window_strip<T> const& s, window_block const& w, T* to,
                                         std::ptrdiff_t to_channel, std::ptrdiff_t to_row, bool add,
                                         write_back<T> const& end) {
    constexpr int L = simd::lanes<T>, most = J == 1 ? 8 : 4;
    // the batches of a row in tiles of about the same size
    std::int64_t const batches = (w.columns + L - 1) / L, tiles = (batches + most - 1) / most;
    for (std::int64_t r = 0; r < w.rows; ++r) {
        std::int64_t first = 0, last_tap = 0;
        taps.within(r, first, last_tap);
        for (std::int64_t i = 0, c = 0; i < tiles; ++i) {
            std::int64_t const stop = batches * (i + 1) / tiles * L;
            int const last = stop <= w.columns ? L : static_cast<int>(w.columns - stop + L);
            T const* const from = s.data + s.window(r) + c;
            T* const at = to + r * to_row + c;
            unroll<most>([&](auto u) TAPELESS_CONFIG_INLINE {
                if (stop - c == (u.i + 1) * L)
                    multiply_tile<J, u.i + 1>(a + first * J, last_tap - first, offset + first, from, at, to_channel,
                                              last, add, end);
            });
            c = stop;
        }
    }
}

/// to[o] += the sum of the lanes of sum[o][I].
template <int I, class T, int O, int N>
TAPELESS_CONFIG_INLINE inline void add_sums(T* to, simd::batch<T> const (&sum)[O][N]) {
    constexpr int L = simd::lanes<T>;
    if constexpr (O % L == 0) {
        unroll<O / L>([&](auto g) TAPELESS_CONFIG_INLINE {
            simd::detail::vec<T> v[static_cast<std::size_t>(simd::lanes<T>)];
            detail::repeat<L>([&](int l) TAPELESS_CONFIG_INLINE { v[l] = simd::detail::raw(sum[g.i * L + l][I]); });
            pack_detail::transpose<T>(v);
            detail::repeat<L - 1>([&](int l) TAPELESS_CONFIG_INLINE { v[0] += v[l + 1]; });
            T* const p = to + g.i * L;
            simd::store(p, simd::add(simd::load(static_cast<T const*>(p)), simd::detail::wrap<T>(v[0])));
        });
    } else {
        detail::repeat<O>([&](int o) TAPELESS_CONFIG_INLINE { to[o] += simd::reduce_add(sum[o][I]); });
    }
}
/// to[k][o] += sum over windows of g[o](window) strip(tap k), of O rows of numbers; `padded`: g's rows end with zeros,
/// in whole batches.
template <int O, class T, class Build = simd::batch<T>>
[[gnu::noinline]] void gather_directly(T* to, std::int64_t k, std::ptrdiff_t const* offset, window_strip<T> const& s,
                                       window_block const& w, T const* g, std::ptrdiff_t g_channel,
                                       std::ptrdiff_t g_row, bool padded) {
    constexpr int L = simd::lanes<T>, some = O == 1 && machine::vector_registers >= 32 ? 9 : 5;
    using batch = simd::batch<T>;
    int const rest = static_cast<int>(w.columns % L);
    T lane[static_cast<std::size_t>(L)];
    for (int l = 0; l < L; ++l) lane[l] = static_cast<T>(l);
    auto const there = simd::load(static_cast<T const*>(lane)) < batch(static_cast<T>(rest));
    std::int64_t const whole = w.columns - rest;
    for (std::int64_t t = 0; t < k; t += some) {
        int const m = k - t < some ? static_cast<int>(k - t) : some;
        std::ptrdiff_t at[static_cast<std::size_t>(some)];
        for (int i = 0; i < some; ++i) at[i] = offset[t + (i < m ? i : 0)];
        batch sum[static_cast<std::size_t>(O)][static_cast<std::size_t>(some)];
        detail::repeat<O * some>([&](int i) TAPELESS_CONFIG_INLINE { sum[i / some][i % some] = batch(T(0)); });
        auto const add = [&](T const* from, batch const(&y)[O], auto const& within) TAPELESS_CONFIG_INLINE {
            detail::repeat<some>([&](int i) TAPELESS_CONFIG_INLINE {
                batch const x = within(simd::load(from + at[i]));
                detail::repeat<O>([&](int o) TAPELESS_CONFIG_INLINE { sum[o][i] = simd::fma(y[o], x, sum[o][i]); });
            });
        };
        // one loop over all whole batches, and one over what is left of each row: rows may be short
        std::ptrdiff_t const down = s.window(1);
        T const *from = s.data, *row = g;
        for (std::int64_t i = whole / L * w.rows, c = 0; i > 0; --i) {
            batch y[static_cast<std::size_t>(O)];
            detail::repeat<O>([&](int o) TAPELESS_CONFIG_INLINE { y[o] = simd::load(row + o * g_channel); });
            add(from, y, [](batch x) TAPELESS_CONFIG_INLINE { return x; });
            c += L;
            bool const ends = c == whole;
            from += ends ? down - whole + L : L;
            row += ends ? g_row - whole + L : L;
            c = ends ? 0 : c;
        }
        for (std::int64_t r = 0; r < w.rows && rest > 0; ++r) {
            // lanes past the end are zero on one side, so they must be numbers on the other
            batch y[static_cast<std::size_t>(O)];
            detail::repeat<O>([&](int o) TAPELESS_CONFIG_INLINE {
                T const* const p = g + r * g_row + o * g_channel + whole;
                y[o] = padded ? simd::load(p) : simd::load_partial(p, rest);
            });
            add(s.data + r * down + whole, y,
                [&](batch x) TAPELESS_CONFIG_INLINE { return simd::select(there, x, batch(T(0))); });
        }
        // written out, or the sums would be in memory all the time
        unroll<some>([&](auto i) TAPELESS_CONFIG_INLINE {
            if (i.i < m) add_sums<i.i>(to + (t + i.i) * O, sum);
        });
    }
}

}  // namespace tapeless::detail::convolution_detail
