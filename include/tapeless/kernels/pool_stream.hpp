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

/// What elements under a window come to: two registers, and every two lanes of both.
struct larger_of {
    template <class B>
    TAPELESS_CONFIG_INLINE static B two(B v, B u) {
        return simd::maximum(v, u);
    }
    template <class B>
    TAPELESS_CONFIG_INLINE static B pairs(B v, B u) {
        return simd::larger_of_pairs(v, u);
    }
};
struct sum_of {
    template <class B>
    TAPELESS_CONFIG_INLINE static B two(B v, B u) {
        return simd::add(v, u);
    }
    template <class B>
    TAPELESS_CONFIG_INLINE static B pairs(B v, B u) {
        return simd::add_pairs(v, u);
    }
};

/// A stretch of a row, S registers long: as it is, and a register for each remainder of columns. What is not asked for
/// is not computed.
template <class T, int S>
struct phases {
    simd::batch<T> row[static_cast<std::size_t>(S)], at[static_cast<std::size_t>(S)];
    TAPELESS_CONFIG_INLINE void part() {
        simd::detail::vec<T> part[static_cast<std::size_t>(S)];
#pragma GCC unroll 4
        for (int p = 0; p < S; ++p) part[p] = simd::detail::raw(row[p]);
        simd::detail::part_by_remainder<S>(part, simd::detail::every_lane<T>);
#pragma GCC unroll 4
        for (int p = 0; p < S; ++p) at[p] = simd::detail::wrap<T>(part[p]);
    }
};
/// A stretch of each of G rows.
template <class T, int S, int G>
struct stretch_of_rows {
    phases<T, S> row[static_cast<std::size_t>(G)];
    /// Of S batches of each row that follow each other.
    TAPELESS_CONFIG_INLINE static stretch_of_rows of(
        simd::batch<T> const (&v)[static_cast<std::size_t>(S)][static_cast<std::size_t>(G)]) {
        stretch_of_rows s;
#pragma GCC unroll 4
        for (int g = 0; g < G; ++g) {
#pragma GCC unroll 4
            for (int p = 0; p < S; ++p) s.row[g].row[p] = v[p][g];
            s.row[g].part();
        }
        return s;
    }
    TAPELESS_CONFIG_INLINE static stretch_of_rows splat(T x) {
        simd::batch<T> v[static_cast<std::size_t>(S)][static_cast<std::size_t>(G)];
#pragma GCC unroll 4
        for (int p = 0; p < S; ++p)
#pragma GCC unroll 4
            for (int g = 0; g < G; ++g) v[p][g] = simd::batch<T>(x);
        return of(v);
    }
};
/// Three stretches that follow each other, and what taps read of them for the windows at the middle one.
template <class T, class K>
struct stretches {
    using batch = simd::batch<T>;
    phases<T, K::stride> before, here, after;
    template <int Tap>
    TAPELESS_CONFIG_INLINE batch tap() const {
        constexpr int p = K::phase(Tap);
        return simd::detail::wrap<T>(
            shifted<K::steps(Tap)>(simd::detail::raw(before.at[p]), simd::detail::raw(here.at[p]),
                                   simd::detail::raw(after.at[p]), simd::detail::every_lane<T>));
    }
    struct taps {
        batch at[static_cast<std::size_t>(K::size)];
    };
    TAPELESS_CONFIG_INLINE taps each() const {
        taps t;
        t.at[0] = tap<0>();
        if constexpr (K::size > 1) t.at[1] = tap<1>();
        if constexpr (K::size > 2) t.at[2] = tap<2>();
        return t;
    }
    /// What is under the windows combined. Elements side by side that begin at an even column are, two at a time,
    /// wherever windows have such.
    template <class F>
    TAPELESS_CONFIG_INLINE batch combined(F combine) const {
        constexpr int S = K::stride, size = K::size, left = K::before;
        if constexpr (S == 2 && size == 2 && left == 0) {
            return combine.pairs(here.row[0], here.row[1]);
        } else if constexpr (S == 2 && size == 3) {
            constexpr int third = left == 0 ? 2 : 0;
            return combine.two(combine.pairs(here.row[0], here.row[1]), tap<third>());
        } else if constexpr (S == 3 && size == 3 && left == 0) {
            simd::detail::vec<T> pairs[3] = {simd::detail::raw(here.row[0]), simd::detail::raw(here.row[1]),
                                             simd::detail::raw(here.row[2])};
            simd::detail::pairs_of_triples(pairs, simd::detail::every_lane<T>);
            return combine.two(combine.pairs(simd::detail::wrap<T>(pairs[0]), simd::detail::wrap<T>(pairs[2])),
                               simd::detail::wrap<T>(pairs[1]));
        } else {
            taps const t = each();
            batch v = t.at[0];
#pragma GCC unroll 4
            for (int k = 1; k < size; ++k) v = combine.two(v, t.at[k]);
            return v;
        }
    }
};

/// give(window, stretches[G], lanes) for a row of windows in each of G rows, of what load(column, lanes, batches)
/// leaves in G batches.
template <class K, int G, class T, class Load, class F>
TAPELESS_CONFIG_INLINE inline void stream_taps(pool_axis const& a, T around, Load const& load, F const& give) {
    constexpr int L = simd::lanes<T>, S = K::stride, W = S * L;
    using batch = simd::batch<T>;
    using stretch = stretch_of_rows<T, S, G>;
    std::int64_t const columns = a.in, windows = a.out;
    auto const whole = [&](std::int64_t i) TAPELESS_CONFIG_INLINE {
        batch v[static_cast<std::size_t>(S)][static_cast<std::size_t>(G)];
#pragma GCC unroll 4
        for (int p = 0; p < S; ++p) load(i + p * L, L, v[p]);
        return stretch::of(v);
    };
    auto const last = [&](std::int64_t i) TAPELESS_CONFIG_INLINE {  // `around` behind the columns
        batch v[static_cast<std::size_t>(S)][static_cast<std::size_t>(G)];
#pragma GCC unroll 4
        for (int p = 0; p < S; ++p) {
            std::int64_t const left = columns - (i + p * L);
#pragma GCC unroll 4
            for (int g = 0; g < G; ++g) v[p][g] = batch(around);
            if (left > 0) load(i + p * L, left < L ? static_cast<int>(left) : L, v[p]);
        }
        return stretch::of(v);
    };
    auto const turn = [&](std::int64_t i, stretch const& before, stretch const& here, stretch const& after, int lanes)
                          TAPELESS_CONFIG_INLINE {
                              stretches<T, K> s[static_cast<std::size_t>(G)];
#pragma GCC unroll 4
                              for (int g = 0; g < G; ++g) s[g] = {before.row[g], here.row[g], after.row[g]};
                              give(i, s, lanes);
                          };
    // one stretch is read ahead, also where windows do not reach into it: it is on its way from memory meanwhile
    stretch before = stretch::splat(around), here = columns >= W ? whole(0) : last(0);
    std::int64_t i = 0, c = W;
    for (; c + 2 * W <= columns && i + 2 * L <= windows; i += 2 * L, c += 2 * W) {
        stretch const next = whole(c);
        turn(i, before, here, next, L);
        before = next;
        stretch const second = whole(c + W);
        turn(i + L, here, before, second, L);
        here = second;
    }
    for (; i < windows; i += L, c += W) {
        stretch const next = c + W <= columns ? whole(c) : last(c);
        turn(i, before, here, next, windows - i < L ? static_cast<int>(windows - i) : L);
        before = here;
        here = next;
    }
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

    TAPELESS_CONFIG_INLINE rows_under_windows(T const* top, std::ptrdiff_t step, T beside) : around(beside) {
#pragma GCC unroll 8
        for (int r = 0; r < count; ++r) row[r] = top + r * step;
    }
    TAPELESS_CONFIG_INLINE void operator()(std::int64_t i, int lanes, simd::batch<T>* v) const {
        simd::batch<T> x[static_cast<std::size_t>(count)];
#pragma GCC unroll 8
        for (int r = 0; r < count; ++r) x[r] = load_between(row[r] + i, lanes, around);
        if constexpr (Stride == 1 && G == 2 && Rows > 1) {  // rows under both are combined once
            simd::batch<T> both = x[1];
#pragma GCC unroll 4
            for (int r = 2; r < Rows; ++r) both = F::two(both, x[r]);
            v[0] = F::two(both, x[0]);
            v[1] = F::two(both, x[Rows]);
        } else {
#pragma GCC unroll 4
            for (int g = 0; g < G; ++g) {
                v[g] = x[g * Stride];
#pragma GCC unroll 4
                for (int r = 1; r < Rows; ++r) v[g] = F::two(v[g], x[g * Stride + r]);
            }
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

    TAPELESS_CONFIG_INLINE void operator()(std::int64_t i, int lanes, simd::batch<T>* v) const {
        v[0] = simd::batch<T>(around);
        for (std::int64_t r = 0; r < count; ++r) v[0] = F::two(v[0], load_between(row + r * step + i, lanes, around));
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

/// What becomes of what is under the windows of a row: nothing, or it is a part of it.
struct kept_as_it_is {
    struct row {
        template <class B>
        TAPELESS_CONFIG_INLINE B operator()(B v) const {
            return v;
        }
    };
    TAPELESS_CONFIG_INLINE row operator()(std::int64_t) const { return {}; }
};
template <class T>
struct part_of_rows {
    pool_axis const* axes;
    inverse_count<T>& inverse;
    struct row {
        simd::batch<T> part;
        TAPELESS_CONFIG_INLINE simd::batch<T> operator()(simd::batch<T> v) const { return v * part; }
    };
    TAPELESS_CONFIG_INLINE row operator()(std::int64_t h) const {
        return {simd::batch<T>(inverse(axes[1].count(h) * axes[0].size))};
    }
};
template <class T>
struct one_part {
    typename part_of_rows<T>::row all;
    TAPELESS_CONFIG_INLINE auto operator()(std::int64_t) const { return all; }
};

/// y = what is under windows combined, with `around` beside the images: finish(h)(v) of the values v at windows of row
/// h is stored, one beside the other.
template <class Known, class F, class T, class G, class Build = simd::batch<T>>
[[gnu::noinline]] void stream_windows(images<T const> const& x, images<T> const& y, pool_axis const* a, T around,
                                      G const& finish) {
    using K = typename Known::columns;
    constexpr int together = Known::rows > 1 ? 2 : 1;
    // the rows of windows first ... last - 1 have all their rows
    pool_axis const& rows = a[1];
    std::int64_t const whole = rows.in + rows.before - rows.span(),
                       last = rows.dilation > 1 || whole < 0 ? 0 : whole / rows.stride + 1,
                       first = (rows.before + rows.stride - 1) / rows.stride;
    auto const of_whole = finish(first);  // one for all of them
    for (std::int64_t n = 0; n < x.items; ++n)
        for (std::int64_t c = 0; c < x.channels; ++c) {
            T const* const image = x.data + n * x.item + c * x.channel;
            T* const to = y.data + n * y.item + c * y.channel;
            auto const write = [&]<std::size_t N>(index<N>, std::int64_t h, auto const& done,
                                                  auto const& load) TAPELESS_CONFIG_INLINE {
                T* const at = to + h * y.step[1];
                std::ptrdiff_t const step = y.step[1];
                pool_detail::stream_taps<K, index<N>::i, T>(
                    a[0], around, load,
                    [&](std::int64_t i, pool_detail::stretches<T, K> const* s, int lanes) TAPELESS_CONFIG_INLINE {
#pragma GCC unroll 4
                        for (int g = 0; g < index<N>::i; ++g)
                            pool_detail::store_some(at + g * step + i, 1, done(s[g].combined(F{})), lanes);
                    });
            };
            for (std::int64_t h = 0; h < rows.out;) {
                if (h >= first && h + together <= last && h + together <= rows.out) {
                    write(index<together>{}, h, of_whole,
                          pool_detail::rows_under_windows<Known::rows, Known::stride, together, T, F>(
                              image + (h * Known::stride - rows.before) * x.step[1], x.step[1], around));
                    h += together;
                } else {
                    std::int64_t const from = rows.begin(h), left = rows.end(h) - from;
                    write(index<1>{}, h, finish(h),
                          pool_detail::some_rows<T, F>{image + from * x.step[1], rows.dilation * x.step[1],
                                                       (left + rows.dilation - 1) / rows.dilation, around});
                    ++h;
                }
            }
        }
}

}  // namespace tapeless::detail::kernels_part
