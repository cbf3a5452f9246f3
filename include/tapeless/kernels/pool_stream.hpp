// SPDX-License-Identifier: MIT
#pragma once
// Windows of few columns, known when compiled: the rows under a row of windows are read once, from left to right, and
// combined in registers.

#include <tapeless/kernels/pool_columns.hpp>

namespace tapeless::detail {

/// Windows of `Size` columns, `Stride` steps apart, the first of which begins `Before` columns before the image; any
/// others: Size is 0.
template <int Size, int Stride, int Before>
struct known_columns {
    static constexpr bool are_few = Size > 0 && Size <= 3 && (Stride == 1 || Stride == 2) && Before <= 1;
    static constexpr int size = Size, stride = Stride, before = Before;
    /// Tap k of window i is column i + steps(k) of those whose remainder by the stride is phase(k).
    static constexpr int phase(int k) { return (k + Before) % Stride; }
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
    TAPELESS_CONFIG_INLINE static phases of(simd::batch<T> v, [[maybe_unused]] simd::batch<T> u) {
        if constexpr (S == 1) {
            return {{v}};
        } else {
            constexpr auto each_lane = std::make_index_sequence<static_cast<std::size_t>(simd::lanes<T>)>{};
            auto const a = simd::detail::raw(v), b = simd::detail::raw(u);
            return {{simd::detail::wrap<T>(even_lanes(a, b, each_lane)),
                     simd::detail::wrap<T>(odd_lanes(a, b, each_lane))}};
        }
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
/// Column n * W ... of a row of `columns`, W being a stretch; `around` behind them. load(column, lanes, around).
template <int S, class T, class Load>
TAPELESS_CONFIG_INLINE inline phases<T, S> last_stretch(std::int64_t first, std::int64_t columns, T around,
                                                        Load const& load) {
    constexpr int L = simd::lanes<T>;
    auto const part = [&](std::int64_t i) TAPELESS_CONFIG_INLINE {
        return i >= columns ? simd::batch<T>(around) : load(i, columns - i < L ? static_cast<int>(columns - i) : L);
    };
    return phases<T, S>::of(part(first), S == 2 ? part(first + L) : simd::batch<T>(around));
}

/// give(window, stretches, lanes) for a row of windows: tap k of them is stretches.tap(index<k>{}), of what
/// load(column, lanes) returns.
template <class K, class T, class Load, class G>
TAPELESS_CONFIG_INLINE inline void stream_taps(pool_axis const& a, T around, Load const& load, G const& give) {
    constexpr int L = simd::lanes<T>, S = K::stride, W = S * L;
    std::int64_t const columns = a.in, windows = a.out;
    auto const whole = [&](std::int64_t i) TAPELESS_CONFIG_INLINE {
        return phases<T, S>::of(load(i, L), S == 2 ? load(i + L, L) : simd::batch<T>(around));
    };
    auto const last = [&](std::int64_t i) TAPELESS_CONFIG_INLINE { return last_stretch<S>(i, columns, around, load); };
    stretches<T, K> s;
    s.here = phases<T, S>::splat(around);
    s.after = columns >= W ? whole(0) : last(0);
    std::int64_t i = 0, c = W;
    for (; c + W <= columns && i + L <= windows; i += L, c += W) {
        s.go_on(whole(c));
        give(i, s, L);
    }
    for (; i < windows; i += L, c += W) {
        s.go_on(last(c));
        give(i, s, windows - i < L ? static_cast<int>(windows - i) : L);
    }
}
/// give(window, value, lanes): what is under each combined.
template <class K, class T, class Load, class F, class G>
TAPELESS_CONFIG_INLINE inline void stream_row(pool_axis const& a, T around, Load const& load, F const& combine,
                                              G const& give) {
    stream_taps<K>(a, around, load, [&](std::int64_t i, stretches<T, K> const& s, int lanes) TAPELESS_CONFIG_INLINE {
        simd::batch<T> v = s.tap(index<0>{});
        unroll<K::size - 1>([&](auto k) TAPELESS_CONFIG_INLINE { v = combine(v, s.tap(index<k.i + 1>{})); });
        give(i, v, lanes);
    });
}

/// give(column, values, lanes) for a row of elements: the sum of what load(window, lanes) returns over the windows that
/// cover each. Nothing is around the windows.
template <class K, class T, class Load, class G>
TAPELESS_CONFIG_INLINE inline void stream_back(pool_axis const& a, Load const& load, G const& give) {
    constexpr int L = simd::lanes<T>, S = K::stride, W = S * L;
    constexpr auto each_lane = std::make_index_sequence<static_cast<std::size_t>(L)>{};
    using vec = simd::detail::vec<T>;
    std::int64_t const columns = a.in, windows = a.out;
    auto const last = [&](std::int64_t i) TAPELESS_CONFIG_INLINE {
        return simd::detail::raw(i >= windows ? simd::batch<T>(T(0))
                                              : load(i, windows - i < L ? static_cast<int>(windows - i) : L));
    };
    vec before{}, here{}, after = last(0);
    /// What comes to the columns of remainder P: tap k of window i is column i + steps(k) of them.
    auto const sum_of = [&](auto p) TAPELESS_CONFIG_INLINE {
        vec v{};
        bool first = true;
        unroll<K::size>([&](auto k) TAPELESS_CONFIG_INLINE {
            if constexpr (K::phase(k.i) == p.i) {
                vec const u = shifted<-K::steps(k.i)>(before, here, after, each_lane);
                v = first ? u : v + u;
                first = false;
            }
        });
        return v;
    };
    auto const leave = [&](std::int64_t c, auto const& to) TAPELESS_CONFIG_INLINE {
        vec const u = sum_of(index<0>{});
        if constexpr (S == 1) {
            to(c, simd::detail::wrap<T>(u));
        } else {
            vec const v = sum_of(index<1>{});
            to(c, simd::detail::wrap<T>(in_turn<0>(u, v, each_lane)));
            to(c + L, simd::detail::wrap<T>(in_turn<L / 2>(u, v, each_lane)));
        }
    };
    std::int64_t i = L, c = 0;
    for (; i + L <= windows && c + W <= columns; i += L, c += W) {
        before = here, here = after, after = simd::detail::raw(load(i, L));
        leave(c, [&](std::int64_t at, simd::batch<T> v) TAPELESS_CONFIG_INLINE { give(at, v, L); });
    }
    for (; c < columns; i += L, c += W) {
        before = here, here = after, after = last(i);
        leave(c, [&](std::int64_t at, simd::batch<T> v) TAPELESS_CONFIG_INLINE {
            if (at < columns) give(at, v, columns - at < L ? static_cast<int>(columns - at) : L);
        });
    }
}

/// f(load) for the rows of an image under the windows of plane d, row h: load(column, lanes) combines them.
template <int Rows, class T, class F, class G>
TAPELESS_CONFIG_INLINE inline void with_rows(images<T const> const& x, T const* image, pool_axis const* a,
                                             std::int64_t d, std::int64_t h, T around, F const& combine, G const& f) {
    constexpr int most = 9;
    T const* row[most];
    std::int64_t const d1 = a[2].end(d), h0 = a[1].begin(h), h1 = a[1].end(h);
    int n = 0;
    for (std::int64_t i = a[2].begin(d); i < d1; i += a[2].dilation)
        for (std::int64_t j = h0; j < h1; j += a[1].dilation) row[n++] = image + i * x.step[2] + j * x.step[1];
    auto const some = [&]<std::size_t I>(index<I>) TAPELESS_CONFIG_INLINE {
        constexpr int N = index<I>::i;
        T const* at[I > 0 ? I : 1];
        repeat<N>([&](int r) TAPELESS_CONFIG_INLINE { at[r] = row[r]; });
        f([&](std::int64_t i, int lanes) TAPELESS_CONFIG_INLINE {
            if constexpr (N > 0) {
                simd::batch<T> v =
                    lanes == simd::lanes<T> ? simd::load(at[0] + i) : simd::load_partial(at[0] + i, lanes, around);
                repeat<N, 1>([&](int r) TAPELESS_CONFIG_INLINE {
                    v = combine(v, lanes == simd::lanes<T> ? simd::load(at[r] + i)
                                                           : simd::load_partial(at[r] + i, lanes, around));
                });
                return v;
            } else {
                simd::batch<T> v(around);
                for (int r = 0; r < n; ++r)
                    v = combine(v, lanes == simd::lanes<T> ? simd::load(row[r] + i)
                                                           : simd::load_partial(row[r] + i, lanes, around));
                return v;
            }
        });
    };
    if (n == Rows) some(index<Rows>{});
    else some(index<0>{});
}
}  // namespace pool_detail

/// Windows of few rows and columns.
template <class Columns, int Rows>
struct known_windows {
    using columns = Columns;
    static constexpr int rows = Rows;
    static constexpr bool are_few = Columns::are_few && Rows > 0 && Rows <= 3;
};
using any_windows = known_windows<known_columns<0, 1, 0>, 0>;

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

/// y = what is under windows combined, with `around` beside the images: finish(d, h)(v) of the values v at windows of
/// plane d, row h is stored, one beside the other.
template <class Known, class T, class F, class G, class Build = simd::batch<T>>
[[gnu::noinline]] void stream_windows(images<T const> const& x, images<T> const& y, pool_axis const* a, T around,
                                      F const& combine, G const& finish) {
    for (std::int64_t n = 0; n < x.items; ++n)
        for (std::int64_t c = 0; c < x.channels; ++c)
            for (std::int64_t d = 0; d < a[2].out; ++d)
                for (std::int64_t h = 0; h < a[1].out; ++h) {
                    T* const to = y.data + n * y.item + c * y.channel + d * y.step[2] + h * y.step[1];
                    auto const last = finish(d, h);
                    pool_detail::with_rows<Known::rows>(
                        x, x.data + n * x.item + c * x.channel, a, d, h, around, combine,
                        [&](auto const& load) TAPELESS_CONFIG_INLINE {
                            pool_detail::stream_row<typename Known::columns>(
                                a[0], around, load, combine,
                                [&](std::int64_t i, simd::batch<T> v, int lanes)
                                    TAPELESS_CONFIG_INLINE { pool_detail::store_some(to + i, 1, last(v), lanes); });
                        });
                }
}

/// x = what is at the windows of y shared out to the elements under them: part(d, h) of it to each. Every row of x is
/// written once.
template <class Known, class T, class F, class Build = simd::batch<T>>
[[gnu::noinline]] void stream_shares(images<T const> const& y, images<T> const& x, pool_axis const* a, F const& part) {
    using K = typename Known::columns;
    constexpr int most = Known::rows;  // rows of windows over a row of elements
    pool_axis const& rows = a[1];
    for (std::int64_t n = 0; n < x.items; ++n)
        for (std::int64_t c = 0; c < x.channels; ++c) {
            std::int64_t first = 0;  // the first row of windows that covers row j, or none before it does
            for (std::int64_t j = 0; j < rows.in; ++j) {
                T* const to = x.data + n * x.item + c * x.channel + j * x.step[1];
                T const* const from = y.data + n * y.item + c * y.channel;
                while (first < rows.out && rows.end(first) <= j) ++first;
                T const* row[static_cast<std::size_t>(most)];
                T share[static_cast<std::size_t>(most)];
                int count = 0;
                for (std::int64_t h = first; h < rows.out && rows.begin(h) <= j; ++h) {
                    row[count] = from + h * y.step[1];
                    share[count++] = part(h);
                }
                auto const write = [&]<std::size_t I>(index<I>) TAPELESS_CONFIG_INLINE {
                    constexpr int N = index<I>::i;
                    T const* at[I];
                    simd::batch<T> by[I];
                    repeat<N>([&](int r) TAPELESS_CONFIG_INLINE { at[r] = row[r], by[r] = simd::batch<T>(share[r]); });
                    pool_detail::stream_back<K, T>(
                        a[0],
                        [&](std::int64_t i, int lanes) TAPELESS_CONFIG_INLINE {
                            simd::batch<T> v = pool_detail::load_some(at[0] + i, lanes) * by[0];
                            repeat<N, 1>([&](int r) TAPELESS_CONFIG_INLINE {
                                v = simd::fma(pool_detail::load_some(at[r] + i, lanes), by[r], v);
                            });
                            return v;
                        },
                        [&](std::int64_t i, simd::batch<T> v, int lanes)
                            TAPELESS_CONFIG_INLINE { pool_detail::store_some(to + i, 1, v, lanes); });
                };
                if (count == 1) write(index<1>{});
                if constexpr (most > 1)
                    if (count == 2) write(index<2>{});
                if constexpr (most > 2)
                    if (count == 3) write(index<3>{});
                if (count == 0)
                    for (std::int64_t i = 0; i < a[0].in; ++i) to[i] = T(0);
            }
        }
}

}  // namespace tapeless::detail
