// SPDX-License-Identifier: MIT
#pragma once
// Windows of few columns, known when compiled: the rows under a row of windows are read once, from left to right, and
// combined in registers.

#include <tapeless/kernels/pool_columns.hpp>

namespace tapeless::detail::inline kernels_part {

/// Windows of `Size` columns, `Stride` steps apart, the first of which begins `Before` columns before the image; any
/// others: Size is 0.
template <int Size, int Stride, int Before>
struct known_columns {
    static constexpr bool are_few = Size > 0 && Size <= 3 && Stride >= 1 && Stride <= 3 && Before <= 1;
    static constexpr int size = Size, stride = Stride, before = Before;
    /// Tap k of window i is column i + steps(k) of those whose remainder by the stride is phase(k).
    static constexpr int phase(int k) { return (k - Before + Stride) % Stride; }
    static constexpr int steps(int k) { return (k - Before - phase(k)) / Stride; }
};

namespace pool_detail {

/// Lanes Steps, Steps + 1, ... of a vector between two others.
template <int Steps, class V, std::size_t... I>
TAPELESS_CONFIG_INLINE inline V shifted(V before, V v, V after, std::index_sequence<I...>) {
    constexpr int n = static_cast<int>(sizeof...(I));
    if constexpr (Steps == 0) return v;
    else if constexpr (Steps > 0) return __builtin_shufflevector(v, after, (Steps + static_cast<int>(I))...);
    else return __builtin_shufflevector(before, v, (n + Steps + static_cast<int>(I))...);
}

/// A register for each remainder of columns: those of one stretch of a row, S registers long.
template <class T, int S>
struct phases {
    simd::batch<T> at[static_cast<std::size_t>(S)];
    /// Of S batches that follow each other.
    TAPELESS_CONFIG_INLINE static phases of(simd::batch<T> const* v) {
        simd::detail::vec<T> part[static_cast<std::size_t>(S)];
        repeat<S>([&](int p) TAPELESS_CONFIG_INLINE { part[p] = simd::detail::raw(v[p]); });
        simd::detail::part_by_remainder<S>(part, simd::detail::every_lane<T>);
        phases all;
        repeat<S>([&](int p) TAPELESS_CONFIG_INLINE { all.at[p] = simd::detail::wrap<T>(part[p]); });
        return all;
    }
    TAPELESS_CONFIG_INLINE static phases splat(T v) {
        phases p;
        for (simd::batch<T>& b : p.at) b = simd::batch<T>(v);
        return p;
    }
};
/// Three stretches that follow each other, and what a tap reads of them for the windows at the middle one.
template <class T, class K>
struct stretches {
    phases<T, K::stride> before, here, after;
    template <std::size_t Tap>
    TAPELESS_CONFIG_INLINE simd::batch<T> tap(index<Tap>) const {
        constexpr auto each_lane = std::make_index_sequence<static_cast<std::size_t>(simd::lanes<T>)>{};
        constexpr int p = K::phase(index<Tap>::i);
        return simd::detail::wrap<T>(shifted<K::steps(index<Tap>::i)>(
            simd::detail::raw(before.at[p]), simd::detail::raw(here.at[p]), simd::detail::raw(after.at[p]), each_lane));
    }
    TAPELESS_CONFIG_INLINE void go_on(phases<T, K::stride> const& next) {
        before = here;
        here = after;
        after = next;
    }
};
/// A stretch of each of G rows.
template <class T, int S, int G>
struct stretch_of_rows {
    phases<T, S> row[static_cast<std::size_t>(G)];
};

/// give(window, stretches[G], lanes) for a row of windows in each of G rows: tap k of them in row g is
/// stretches[g].tap(index<k>{}), of what load(column, lanes, batches) leaves in G batches.
template <class K, int G, class T, class Load, class F>
TAPELESS_CONFIG_INLINE inline void stream_taps(pool_axis const& a, T around, Load const& load, F const& give) {
    constexpr int L = simd::lanes<T>, S = K::stride, W = S * L;
    using batch = simd::batch<T>;
    using stretch = stretch_of_rows<T, S, G>;
    std::int64_t const columns = a.in, windows = a.out;
    auto const read = [&](std::int64_t i, auto const& part) TAPELESS_CONFIG_INLINE {
        batch v[static_cast<std::size_t>(S)][static_cast<std::size_t>(G)];
        repeat<S>([&](int p) TAPELESS_CONFIG_INLINE { part(i + p * L, v[p]); });
        stretch s;
        repeat<G>([&](int g) TAPELESS_CONFIG_INLINE {
            batch of_row[static_cast<std::size_t>(S)];
            repeat<S>([&](int p) TAPELESS_CONFIG_INLINE { of_row[p] = v[p][g]; });
            s.row[g] = phases<T, S>::of(of_row);
        });
        return s;
    };
    auto const whole = [&](std::int64_t i) TAPELESS_CONFIG_INLINE {
        return read(i, [&](std::int64_t k, batch* v) TAPELESS_CONFIG_INLINE { load(k, L, v); });
    };
    auto const last = [&](std::int64_t i) TAPELESS_CONFIG_INLINE {  // `around` behind the columns
        return read(i, [&](std::int64_t k, batch* v) TAPELESS_CONFIG_INLINE {
            if (k < columns) return load(k, columns - k < L ? static_cast<int>(columns - k) : L, v);
            repeat<G>([&](int g) TAPELESS_CONFIG_INLINE { v[g] = batch(around); });
        });
    };
    auto const turn = [&](std::int64_t i, stretch const& before, stretch const& here, stretch const& after,
                          int lanes) TAPELESS_CONFIG_INLINE {
        stretches<T, K> s[static_cast<std::size_t>(G)];
        repeat<G>([&](int g) TAPELESS_CONFIG_INLINE { s[g] = {before.row[g], here.row[g], after.row[g]}; });
        give(i, s, lanes);
    };
    stretch here, after = columns >= W ? whole(0) : last(0);
    repeat<G>([&](int g) TAPELESS_CONFIG_INLINE { here.row[g] = phases<T, S>::splat(around); });
    std::int64_t i = 0, c = W;
    for (; c + 2 * W <= columns && i + 2 * L <= windows; i += 2 * L, c += 2 * W) {
        stretch const next = whole(c);
        turn(i, here, after, next, L);
        here = next;
        stretch const second = whole(c + W);
        turn(i + L, after, here, second, L);
        after = second;
    }
    for (; i < windows; i += L, c += W) {
        stretch const next = c + W <= columns ? whole(c) : last(c);
        turn(i, here, after, next, windows - i < L ? static_cast<int>(windows - i) : L);
        here = after;
        after = next;
    }
}
/// What is under the windows at a stretch combined.
template <class K, class T, class F>
TAPELESS_CONFIG_INLINE inline simd::batch<T> combine_taps(stretches<T, K> const& s, F const& combine) {
    simd::batch<T> v = s.tap(index<0>{});
    unroll<K::size - 1>([&](auto k) TAPELESS_CONFIG_INLINE { v = combine(v, s.tap(index<k.i + 1>{})); });
    return v;
}
/// n elements, `around` behind them.
template <class T>
TAPELESS_CONFIG_INLINE inline simd::batch<T> load_between(T const* p, int n, T around) {
    return n == simd::lanes<T> ? simd::load(p) : simd::load_partial(p, n, around);
}

/// Rows of an image under windows of Rows rows, Stride steps apart, G rows of windows at a time: v[g] = what is at
/// columns i, i + 1, ... of the rows under g combined.
template <int Rows, int Stride, int G, class T, class F>
struct rows_under_windows {
    static constexpr int count = (G - 1) * Stride + Rows;
    T const* row[static_cast<std::size_t>(count)];
    T around;
    F const& combine;

    TAPELESS_CONFIG_INLINE void operator()(std::int64_t i, int lanes, simd::batch<T>* v) const {
        simd::batch<T> x[static_cast<std::size_t>(count)];
        repeat<count>([&](int r) TAPELESS_CONFIG_INLINE { x[r] = load_between(row[r] + i, lanes, around); });
        if constexpr (Stride == 1 && G == 2 && Rows > 1) {  // rows under both are combined once
            simd::batch<T> both = x[1];
            repeat<Rows, 2>([&](int r) TAPELESS_CONFIG_INLINE { both = combine(both, x[r]); });
            v[0] = combine(both, x[0]);
            v[1] = combine(both, x[Rows]);
        } else {
            repeat<G>([&](int g) TAPELESS_CONFIG_INLINE {
                v[g] = x[g * Stride];
                repeat<Rows, 1>([&](int r) TAPELESS_CONFIG_INLINE { v[g] = combine(v[g], x[g * Stride + r]); });
            });
        }
    }
};
/// Any number of rows under a row of windows.
template <class T, class F>
struct some_rows {
    T const* row;
    std::ptrdiff_t step;
    std::int64_t count;
    T around;
    F const& combine;

    TAPELESS_CONFIG_INLINE void operator()(std::int64_t i, int lanes, simd::batch<T>* v) const {
        v[0] = simd::batch<T>(around);
        for (std::int64_t r = 0; r < count; ++r) v[0] = combine(v[0], load_between(row + r * step + i, lanes, around));
    }
};
}  // namespace pool_detail

/// Windows of few rows and columns, `Stride` rows apart.
template <class Columns, int Rows, int Stride>
struct known_windows {
    using columns = Columns;
    static constexpr int rows = Rows, stride = Stride;
    static constexpr bool are_few = Columns::are_few && Rows > 0 && Rows <= 3;
};
using any_windows = known_windows<known_columns<0, 1, 0>, 0, 1>;

/// What one divided by a number of elements is, which mostly is the same as before. Times that: quotients by 1, 2, 3,
/// 4, 6 and 9 that are whole numbers are so exactly.
template <class T>
struct inverse_count {
    std::int64_t count = 1;
    T inverse = T(1);
    TAPELESS_CONFIG_INLINE T operator()(std::int64_t n) {
        if (n != count) count = n, inverse = T(1) / static_cast<T>(n);
        return inverse;
    }
};

/// y = what is under windows combined, with `around` beside the images: finish(h)(v) of the values v at windows of row
/// h is stored, one beside the other.
template <class Known, class T, class F, class G, class Build = simd::batch<T>>
[[gnu::noinline]] void stream_windows(images<T const> const& x, images<T> const& y, pool_axis const* a, T around,
                                      F const& combine, G const& finish) {
    using K = typename Known::columns;
    constexpr int together = Known::stride <= 2 && Known::rows > Known::stride ? 2 : 1;
    // the rows of windows first ... last - 1 have all their rows
    pool_axis const& rows = a[1];
    std::int64_t const whole = rows.in + rows.before - rows.span(),
                       last = rows.dilation > 1 || whole < 0 ? 0 : whole / rows.stride + 1,
                       first = (rows.before + rows.stride - 1) / rows.stride;
    for (std::int64_t n = 0; n < x.items; ++n)
        for (std::int64_t c = 0; c < x.channels; ++c) {
            T const* const image = x.data + n * x.item + c * x.channel;
            T* const to = y.data + n * y.item + c * y.channel;
            auto const write = [&]<std::size_t N>(index<N>, std::int64_t h, auto const& load) TAPELESS_CONFIG_INLINE {
                T* const at = to + h * y.step[1];
                std::ptrdiff_t const step = y.step[1];
                auto const last_of = [&](int g) TAPELESS_CONFIG_INLINE { return finish(h + g); };
                using finished = decltype(last_of(0));
                finished const done[2] = {last_of(0), last_of(index<N>::i - 1)};
                pool_detail::stream_taps<K, index<N>::i, T>(
                    a[0], around, load, [&](std::int64_t i, auto const* s, int lanes) TAPELESS_CONFIG_INLINE {
                        repeat<index<N>::i>([&](int g) TAPELESS_CONFIG_INLINE {
                            pool_detail::store_some(at + g * step + i, 1,
                                                    done[g](pool_detail::combine_taps<K, T>(s[g], combine)), lanes);
                        });
                    });
            };
            for (std::int64_t h = 0; h < rows.out;) {
                if (h >= first && h + together <= last && h + together <= rows.out) {
                    pool_detail::rows_under_windows<Known::rows, Known::stride, together, T, F> under{
                        {}, around, combine};
                    T const* const top = image + (h * Known::stride - rows.before) * x.step[1];
                    repeat<under.count>([&](int r) TAPELESS_CONFIG_INLINE { under.row[r] = top + r * x.step[1]; });
                    write(index<together>{}, h, under);
                    h += together;
                } else {
                    std::int64_t const from = rows.begin(h), left = rows.end(h) - from;
                    pool_detail::some_rows<T, F> const some{image + from * x.step[1], rows.dilation * x.step[1],
                                                            (left + rows.dilation - 1) / rows.dilation, around,
                                                            combine};
                    write(index<1>{}, h, some);
                    ++h;
                }
            }
        }
}

}  // namespace tapeless::detail::kernels_part
