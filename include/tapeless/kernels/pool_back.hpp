// SPDX-License-Identifier: MIT
#pragma once
// The transpose of means over windows of few columns, known when compiled: rows of windows are read once, from left to
// right, and what comes to the elements under them is summed in registers.

#include <tapeless/kernels/pool_stream.hpp>

namespace tapeless::detail::inline kernels_part {

namespace pool_detail {

/// v[0], v[1], ... = what comes to a stretch of columns, S registers long: the sum of what is at the windows that cover
/// each, at three batches of windows that follow each other. Tap k of window i is column i + steps(k) of those of its
/// remainder.
template <class K, class T>
struct covered_stretch {
    static constexpr int S = K::stride;
    simd::detail::vec<T> before, here, after, v[static_cast<std::size_t>(S)];

    template <int P, int Tap = 0, bool First = true>
    TAPELESS_CONFIG_INLINE void add_taps() {
        if constexpr (Tap == K::size) {
            if constexpr (First) v[P] = simd::detail::vec<T>{};
        } else if constexpr (K::phase(Tap) == P) {
            auto const u = shifted<-K::steps(Tap)>(before, here, after, simd::detail::every_lane<T>);
            v[P] = First ? u : v[P] + u;
            add_taps<P, Tap + 1, false>();
        } else {
            add_taps<P, Tap + 1, First>();
        }
    }
    template <int P>
    TAPELESS_CONFIG_INLINE void fill() {
        if constexpr (K::size == S && K::before == 0)  // one window each
            v[P] = simd::detail::repeated<S, P>(here, simd::detail::every_lane<T>);
        else add_taps<P>();
    }
    TAPELESS_CONFIG_INLINE covered_stretch(simd::batch<T> b, simd::batch<T> h, simd::batch<T> a)
        : before(simd::detail::raw(b)), here(simd::detail::raw(h)), after(simd::detail::raw(a)) {
        fill<0>();
        if constexpr (S > 1) fill<1>();
        if constexpr (S > 2) fill<2>();
        if constexpr (K::size != S || K::before != 0)
            simd::detail::join_by_remainder<S>(v, simd::detail::every_lane<T>);
    }
};

/// give(column, values, lanes) for a row of elements: the sum of what load(window, lanes) is over the windows that
/// cover each. Nothing is around the windows.
template <class K, class T, class Load, class F>
TAPELESS_CONFIG_INLINE inline void stream_back(pool_axis const& a, Load const& load, F const& give) {
    constexpr int L = simd::lanes<T>, S = K::stride, W = S * L;
    using batch = simd::batch<T>;
    std::int64_t const columns = a.in, windows = a.out;
    auto const last = [&](std::int64_t i) TAPELESS_CONFIG_INLINE {
        if (i >= windows) return batch(T(0));
        return load(i, windows - i < L ? static_cast<int>(windows - i) : L);
    };
    auto const whole = [&](std::int64_t c, batch before, batch here, batch after) TAPELESS_CONFIG_INLINE {
        covered_stretch<K, T> const s(before, here, after);
#pragma GCC unroll 4
        for (int p = 0; p < S; ++p) give(c + p * L, simd::detail::wrap<T>(s.v[p]), L);
    };
    batch here(T(0)), after = last(0);  // `here` is before what comes next
    std::int64_t i = L, c = 0;
    for (; i + 2 * L <= windows && c + 2 * W <= columns; i += 2 * L, c += 2 * W) {
        batch const next = load(i, L);
        whole(c, here, after, next);
        here = next;
        batch const second = load(i + L, L);
        whole(c + W, after, here, second);
        after = second;
    }
    for (; c < columns; i += L, c += W) {
        batch const next = last(i);
        covered_stretch<K, T> const s(here, after, next);
#pragma GCC unroll 4
        for (int p = 0; p < S; ++p) {
            std::int64_t const left = columns - (c + p * L);
            if (left > 0) give(c + p * L, simd::detail::wrap<T>(s.v[p]), left < L ? static_cast<int>(left) : L);
        }
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
#pragma GCC unroll 4
        for (int r = 1; r < N; ++r) v = simd::fma(pool_detail::load_some(row[r] + i, lanes), share[r], v);
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
                auto const write = [&]<std::size_t N, std::size_t Rows = 1>(index<N>, T * row, index<Rows> = {})
                    TAPELESS_CONFIG_INLINE {
                    pool_detail::stream_back<K, T>(
                        a[0],
                        [&](std::int64_t i, int lanes)
                            TAPELESS_CONFIG_INLINE { return over.template sum<index<N>::i>(i, lanes); },
                        [&](std::int64_t i, simd::batch<T> v, int lanes) TAPELESS_CONFIG_INLINE {
#pragma GCC unroll 4
                            for (int r = 0; r < index<Rows>::i; ++r)
                                pool_detail::store_some(row + r * step + i, 1, v, lanes);
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
