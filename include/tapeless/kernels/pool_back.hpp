// SPDX-License-Identifier: MIT
#pragma once
// The transpose of means over windows of few columns, known when compiled: rows of windows are read once, from left to
// right, and what comes to the elements under them is summed in registers.

#include <tapeless/kernels/pool_stream.hpp>

namespace tapeless::detail::inline kernels_part {

namespace pool_detail {

/// give(row, column, values, lanes) for G rows of elements: the sum of what load(window, lanes, batches) leaves in G
/// batches over the windows that cover each. Nothing is around the windows.
template <class K, int G, class T, class Load, class F>
TAPELESS_CONFIG_INLINE inline void stream_back(pool_axis const& a, Load const& load, F const& give) {
    constexpr int L = simd::lanes<T>, S = K::stride, W = S * L;
    constexpr auto each_lane = std::make_index_sequence<static_cast<std::size_t>(L)>{};
    using vec = simd::detail::vec<T>;
    struct stretch {
        simd::batch<T> row[static_cast<std::size_t>(G)];
    };
    std::int64_t const columns = a.in, windows = a.out;
    auto const read = [&](std::int64_t i, int lanes) TAPELESS_CONFIG_INLINE {
        stretch s;
        load(i, lanes, s.row);
        return s;
    };
    auto const last = [&](std::int64_t i) TAPELESS_CONFIG_INLINE {
        if (i < windows) return read(i, windows - i < L ? static_cast<int>(windows - i) : L);
        stretch s;
        repeat<G>([&](int g) TAPELESS_CONFIG_INLINE { s.row[g] = simd::batch<T>(T(0)); });
        return s;
    };
    /// What comes to the columns of remainder P: tap k of window i is column i + steps(k) of them.
    auto const sum_of = [&](auto p, int g, stretch const& before, stretch const& here,
                            stretch const& after) TAPELESS_CONFIG_INLINE {
        vec v{};
        bool first = true;
        unroll<K::size>([&](auto k) TAPELESS_CONFIG_INLINE {
            if constexpr (K::phase(k.i) == p.i) {
                vec const u = shifted<-K::steps(k.i)>(simd::detail::raw(before.row[g]), simd::detail::raw(here.row[g]),
                                                      simd::detail::raw(after.row[g]), each_lane);
                v = first ? u : v + u;
                first = false;
            }
        });
        return v;
    };
    auto const leave = [&](std::int64_t c, stretch const& before, stretch const& here, stretch const& after,
                           auto const& to) TAPELESS_CONFIG_INLINE {
        repeat<G>([&](int g) TAPELESS_CONFIG_INLINE {
            vec sum[static_cast<std::size_t>(S)];
            if constexpr (K::size == S && K::before == 0) {  // one window each
                vec const v = simd::detail::raw(here.row[g]);
                unroll<S>([&](auto p) TAPELESS_CONFIG_INLINE {
                    sum[p.i] = simd::detail::repeated<S, p.i>(v, each_lane);
                });
            } else {
                unroll<S>([&](auto p) TAPELESS_CONFIG_INLINE { sum[p.i] = sum_of(p, g, before, here, after); });
                simd::detail::join_by_remainder<S>(sum, each_lane);
            }
            repeat<S>([&](int p) TAPELESS_CONFIG_INLINE { to(g, c + p * L, simd::detail::wrap<T>(sum[p])); });
        });
    };
    auto const whole = [&](int g, std::int64_t at, simd::batch<T> v) TAPELESS_CONFIG_INLINE { give(g, at, v, L); };
    stretch here, after = last(0);  // `here` is before what comes next
    repeat<G>([&](int g) TAPELESS_CONFIG_INLINE { here.row[g] = simd::batch<T>(T(0)); });
    std::int64_t i = L, c = 0;
    for (; i + 2 * L <= windows && c + 2 * W <= columns; i += 2 * L, c += 2 * W) {
        stretch const next = read(i, L);
        leave(c, here, after, next, whole);
        here = next;
        stretch const second = read(i + L, L);
        leave(c + W, after, here, second, whole);
        after = second;
    }
    for (; c < columns; i += L, c += W) {
        stretch const next = last(i);
        leave(c, here, after, next, [&](int g, std::int64_t at, simd::batch<T> v) TAPELESS_CONFIG_INLINE {
            if (at < columns) give(g, at, v, columns - at < L ? static_cast<int>(columns - at) : L);
        });
        here = after, after = next;
    }
}

}  // namespace pool_detail

/// The rows of windows that cover a row of elements, and what part of them comes to each.
template <class T, int Most>
struct covering_rows {
    T const* row[static_cast<std::size_t>(Most)];
    simd::batch<T> share[static_cast<std::size_t>(Most)];

    /// The sum of what the first N give to columns i, i + 1, ...
    template <int N>
    TAPELESS_CONFIG_INLINE simd::batch<T> sum(std::int64_t i, int lanes) const {
        simd::batch<T> v = pool_detail::load_some(row[0] + i, lanes) * share[0];
        repeat<N, 1>([&](int r) TAPELESS_CONFIG_INLINE {
            v = simd::fma(pool_detail::load_some(row[r] + i, lanes), share[r], v);
        });
        return v;
    }
};

/// x = what is at the windows of y shared out to the elements under them: part(h) of it to each. Every row of x is
/// written once.
template <class Known, class T, class F, class Build = simd::batch<T>>
[[gnu::noinline]] void stream_shares(images<T const> const& y, images<T> const& x, pool_axis const* a, F const& part) {
    using K = typename Known::columns;
    constexpr int most = Known::rows;  // rows of windows over a row of elements
    pool_axis const& rows = a[1];
    // several rows at a time, unless they go to memory: lines that are not written as a whole are read first
    bool const at_once = x.items * x.channels * rows.in * a[0].in * static_cast<std::int64_t>(sizeof(T)) <=
                         machine::rows_written_at_once;
    for (std::int64_t n = 0; n < x.items; ++n)
        for (std::int64_t c = 0; c < x.channels; ++c) {
            std::int64_t first = 0;  // the first row of windows that covers row j, or none before it does
            for (std::int64_t j = 0; j < rows.in;) {
                T* const to = x.data + n * x.item + c * x.channel + j * x.step[1];
                std::ptrdiff_t const step = x.step[1];
                T const* const from = y.data + n * y.item + c * y.channel;
                while (first < rows.out && rows.end(first) <= j) ++first;
                covering_rows<T, most + 1> over;
                int count = 0;
                auto const take = [&](std::int64_t h) {
                    over.row[count] = from + h * y.step[1];
                    over.share[count++] = simd::batch<T>(part(h));
                };
                for (std::int64_t h = first; h < rows.out && rows.begin(h) <= j; ++h) take(h);
                /// What comes from N rows of windows to a row of elements, or to Rows of them.
                auto const write = [&]<std::size_t N, std::size_t Rows = 1>(
                                       index<N>, T* row, index<Rows> = {}) TAPELESS_CONFIG_INLINE {
                    pool_detail::stream_back<K, 1, T>(
                        a[0],
                        [&](std::int64_t i, int lanes, simd::batch<T>* v)
                            TAPELESS_CONFIG_INLINE { v[0] = over.template sum<index<N>::i>(i, lanes); },
                        [&](int, std::int64_t i, simd::batch<T> v, int lanes) TAPELESS_CONFIG_INLINE {
                            repeat<index<Rows>::i>([&](int r) TAPELESS_CONFIG_INLINE {
                                pool_detail::store_some(row + r * step + i, 1, v, lanes);
                            });
                        });
                };
                if constexpr (Known::rows == 3 && Known::stride == 2) {
                    // by twos: a row under one row of windows, and one under the next, too
                    T* row = to;
                    auto const begins_next = [&] {
                        return first + 1 < rows.out && rows.begin(first + 1) == j + 1 && rows.end(first) > j + 1;
                    };
                    while (count == 1 && begins_next()) {
                        take(++first);
                        write(index<1>{}, row);
                        write(index<2>{}, row + step);
                        row += 2 * step, j += 2;
                        over.row[0] = over.row[1], over.share[0] = over.share[1];
                        count = 1;
                    }
                    if (row != to) continue;
                }
                if constexpr (Known::rows > 1 && Known::stride >= Known::rows)
                    if (count == 1 && rows.end(first) - j == Known::rows) {  // all rows under it
                        j += Known::rows;
                        if (at_once) write(index<1>{}, to, index<Known::rows>{});
                        else
                            for (int r = 0; r < Known::rows; ++r) write(index<1>{}, to + r * step);
                        continue;
                    }
                ++j;
                if (count == 1) write(index<1>{}, to);
                else if (most > 1 && count == 2) write(index<(most > 1 ? 2 : 1)>{}, to);
                else if (most > 2 && count == 3) write(index<(most > 2 ? 3 : 1)>{}, to);
                else
                    for (std::int64_t i = 0; i < a[0].in; ++i) to[i] = T(0);
            }
        }
}

}  // namespace tapeless::detail::kernels_part
