// SPDX-License-Identifier: MIT
#pragma once
// Pooling some columns of an image at a time: the rows under a row of windows are combined in registers, then the
// columns under each.

#include <tapeless/kernels/pool_phases.hpp>
#include <tapeless/kernels/write_back.hpp>

namespace tapeless::detail::inline kernels_part {

/// The most rows under a window of which the place of the largest is found in registers: they are numbered in T.
inline constexpr std::int64_t most_numbered_rows = 256;

/// y = what is under the windows of these columns combined, with `around` beside the images; finish(d, h, i, v) of the
/// values v at windows i, i + 1, ... of plane d, row h is stored.
template <int Stride, class T, class F, class G, class Build = simd::batch<T>>
[[gnu::noinline]] void combine_windows(images<T const> const& x, images<T> const& y, pool_axis const* a,
                                       pool_columns<T> const& w, T around, F const& combine, G const& finish) {
    using namespace pool_detail;
    phase_row<T, Stride> row;
    for (std::int64_t n = 0; n < x.items; ++n)
        for (std::int64_t c = 0; c < x.channels; ++c)
            for (std::int64_t d = 0; d < a[2].out; ++d)
                for (std::int64_t h = 0; h < a[1].out; ++h) {
                    T* const to =
                        y.data + n * y.item + c * y.channel + d * y.step[2] + h * y.step[1] + w.first * y.step[0];
                    std::ptrdiff_t const step = y.step[0];
                    combine_rows<Stride>(x, x.data + n * x.item + c * x.channel, a, w, d, h, row, around, combine);
                    auto const last = finish(d, h);
                    combine_columns<Stride>(row, a[0], w.count, combine,
                                            [&](std::int64_t i, simd::batch<T> v, int lanes) TAPELESS_CONFIG_INLINE {
                                                store_some(to + i * step, step, last(i, v), lanes);
                                            });
                }
}
/// The largest element under each window of these columns.
template <class T>
void max_of_windows(images<T const> const& x, images<T> const& y, pool_axis const* a, pool_columns<T> const& w) {
    pool_detail::with_known_stride(a[0], [&](auto stride) {
        combine_windows<stride.i, T>(
            x, y, a, w, -std::numeric_limits<T>::infinity(),
            [](simd::batch<T> v, simd::batch<T> u) TAPELESS_CONFIG_INLINE { return simd::maximum(v, u); },
            [](std::int64_t, std::int64_t) TAPELESS_CONFIG_INLINE {
                return [](std::int64_t, simd::batch<T> v) TAPELESS_CONFIG_INLINE { return v; };
            });
    });
}
/// The mean.
template <class T>
void mean_of_windows(images<T const> const& x, images<T> const& y, pool_axis const* a, pool_columns<T> const& w) {
    window_counts<T> const counts(a[0], w);
    pool_detail::with_known_stride(a[0], [&](auto stride) {
        combine_windows<stride.i, T>(
            x, y, a, w, T(0), [](simd::batch<T> v, simd::batch<T> u) TAPELESS_CONFIG_INLINE { return simd::add(v, u); },
            [&](std::int64_t d, std::int64_t h) TAPELESS_CONFIG_INLINE {
                simd::batch<T> const rows(static_cast<T>(a[2].count(d) * a[1].count(h)));
                return [&counts, rows](std::int64_t i, simd::batch<T> v)
                           TAPELESS_CONFIG_INLINE { return counts.divide(v, rows, i); };
            });
    });
}

/// Where v is larger than u, or the first NaN.
template <class T>
TAPELESS_CONFIG_INLINE inline auto is_above(simd::batch<T> v, simd::batch<T> u) {
    return u == u && !(u >= v);
}

/// The same, and the place of each in the image: the first of several, NaN above all.
template <class T, class Build = simd::batch<T>>
[[gnu::noinline]] void places_of_rows(images<T const> const& x, T const* image, pool_axis const* a,
                                      pool_columns<T> const& w, std::int64_t d, std::int64_t h, T* to,
                                      std::ptrdiff_t step, std::int64_t* to_index, std::ptrdiff_t index_step) {
    using namespace pool_detail;
    using batch = simd::batch<T>;
    constexpr auto room = static_cast<std::size_t>(pool_columns<T>::room);
    constexpr int L = simd::lanes<T>;
    T best[room], from_row[room];
    std::int64_t place[static_cast<std::size_t>(most_numbered_rows)];  // where each row begins
    T const* under[static_cast<std::size_t>(most_numbered_rows)];      // and is
    place[0] = (a[2].begin(d) * a[1].in + a[1].begin(h)) * a[0].in + w.column;
    int rows = 0;
    for (std::int64_t i = a[2].begin(d); i < a[2].end(d); i += a[2].dilation)
        for (std::int64_t j = a[1].begin(h); j < a[1].end(h); j += a[1].dilation) {
            place[rows] = (i * a[1].in + j) * a[0].in + w.column;
            under[rows++] = image + i * x.step[2] + j * x.step[1] + w.column;
        }
    if (rows == 0) {
        w.fill_inside(best, -std::numeric_limits<T>::infinity());
        w.fill_inside(from_row, T(0));
    } else {
        auto const find = [&](auto known) TAPELESS_CONFIG_INLINE {
            int const all = known.i > 0 ? known.i : rows;
            w.each_inside([&](std::int64_t i, int n) TAPELESS_CONFIG_INLINE {
                batch b = load_some(under[0] + i, n), r(T(0));
                for (int number = 1; number < all; ++number) {
                    batch const v = load_some(under[number] + i, n);
                    auto const better = is_above(v, b);
                    b = simd::select(better, v, b);
                    r = simd::select(better, batch(static_cast<T>(number)), r);
                }
                simd::store(best + i, b);
                simd::store(from_row + i, r);
            });
        };
        if (rows == 2) find(index<2>{});
        else if (rows == 3) find(index<3>{});
        else find(index<0>{});
    }
    w.fill_around(best, -std::numeric_limits<T>::infinity());
    w.fill_around(from_row, static_cast<T>(most_numbered_rows));  // behind all that is there
    // how far rows of one plane are apart; places are computed in T where it holds them
    std::int64_t const apart = a[1].dilation * a[0].in;
    bool const in_lanes = index_step == 1 && a[2].end(d) - a[2].begin(d) <= 1 &&
                          (rows + 1) * apart + a[0].span() < (std::int64_t{1} << 24);
    auto const leave = [&](std::int64_t i, int n, batch b, batch r, batch c) TAPELESS_CONFIG_INLINE {
        if (to) store_some(to + i * step, step, b, n);
        if (in_lanes && n == L) {
            batch const there = simd::select(r < batch(static_cast<T>(most_numbered_rows)), r, batch(T(0)));
            batch const by_column = c * batch(static_cast<T>(a[0].dilation));
            return store_places(to_index + i, simd::fma(there, batch(static_cast<T>(apart)), by_column),
                                place[0] + i * a[0].stride, a[0].stride);
        }
        T row[static_cast<std::size_t>(L)], columns[static_cast<std::size_t>(L)];
        simd::store(row, r);
        simd::store(columns, c);
        for (int l = 0; l < n; ++l)
            to_index[(i + l) * index_step] =
                place[row[l] < static_cast<T>(most_numbered_rows) ? static_cast<int>(row[l]) : 0] +
                (i + l) * a[0].stride + static_cast<std::int64_t>(columns[l]) * a[0].dilation;
    };
    auto const choose = [&](auto size, auto stride) TAPELESS_CONFIG_INLINE {
        std::int64_t const columns = size.i > 0 ? size.i : a[0].size, by = stride.i > 0 ? stride.i : a[0].stride,
                           dilation = size.i > 0 ? 1 : a[0].dilation;
        w.each_window([&](std::int64_t i, int n) TAPELESS_CONFIG_INLINE {
            std::ptrdiff_t const at = i * by;
            batch b = every(best + at, by, n), r = every(from_row + at, by, n), c(T(0));
            for (std::int64_t k = 1; k < columns; ++k) {
                batch const v = every(best + at + k * dilation, by, n), q = every(from_row + at + k * dilation, by, n);
                auto const chosen = is_above(v, b) || (q < r && !is_above(b, v));  // or in a row before it
                b = simd::select(chosen, v, b);
                r = simd::select(chosen, q, r);
                c = simd::select(chosen, batch(static_cast<T>(k)), c);
            }
            leave(i, n, b, r, c);
        });
    };
    if (a[0].size == 3 && a[0].stride == 2 && a[0].dilation == 1) choose(index<3>{}, index<2>{});
    else if (a[0].size == 2 && a[0].stride == 2 && a[0].dilation == 1) choose(index<2>{}, index<2>{});
    else if (a[0].stride == 1) choose(index<0>{}, index<1>{});
    else choose(index<0>{}, index<0>{});
}

/// Whether windows are two by two elements, side by side and all in the image.
inline bool are_pairs(pool_axis const* a) {
    bool are = a[2].size == 1 && a[2].out == 1 && !a[2].adaptive;
    for (int k = 0; k < 2; ++k)
        are = are && a[k].size == 2 && a[k].stride == 2 && a[k].dilation == 1 && a[k].before == 0 && !a[k].adaptive &&
              2 * a[k].out <= a[k].in;
    return are && a[0].in < (1 << 20) && a[0].out >= simd::lanes<float>;
}
/// f(first) for batches of n numbers, which are at least one batch: of the last, some once more.
template <class T, class F>
TAPELESS_CONFIG_INLINE inline void each_batch_of(std::int64_t n, F const& f) {
    constexpr int L = simd::lanes<T>;
    std::int64_t i = 0;
    for (; i + 2 * L <= n; i += 2 * L) {
        f(i);
        f(i + L);
    }
    if (i + L <= n) f(i), i += L;
    if (i < n) f(n - L);
}
/// The largest of each two by two elements of two rows, in n windows, and where it stands: element i of `above` is at
/// place + i. Either may be left out. `end`: what becomes of the largest where they alone are wanted.
template <class T, class Build = simd::batch<T>>
[[gnu::noinline]] void max_of_pairs(T const* above, T const* below, std::int64_t n, T* to, std::int64_t* index,
                                    std::int64_t place, std::int64_t row, write_back_row<T> const& end) {
    using namespace pool_detail;
    using batch = simd::batch<T>;
    constexpr int L = simd::lanes<T>;
    if (!index)
        return each_batch_of<T>(n, [&](std::int64_t i) TAPELESS_CONFIG_INLINE {
            T const *const p = above + 2 * i, *const q = below + 2 * i;
            simd::store(to + i, end.of(simd::larger_of_pairs(simd::maximum(simd::load(p), simd::load(q)),
                                                             simd::maximum(simd::load(p + L), simd::load(q + L)))));
        });
    for (std::int64_t i = 0; i < n; i += L) {
        if (i > n - L) i = n - L;
        batch a, b, c, d;
        load_in_turn(above + 2 * i, a, b);
        load_in_turn(below + 2 * i, c, d);
        // v takes the place of u where it is larger or the first NaN; what is equal stays
        auto const take = [](batch& u, batch& at, batch v, batch from) TAPELESS_CONFIG_INLINE {
            auto const better = is_above(v, u);
            u = simd::select(better, v, u);
            at = simd::select(better, from, at);
        };
        batch at(T(0)), at_below(static_cast<T>(row));
        take(a, at, b, batch(T(1)));
        take(c, at_below, d, batch(static_cast<T>(row + 1)));
        take(a, at, c, at_below);
        if (to) simd::store(to + i, a);
        store_places(index + i, at, place + 2 * i, 2);
    }
}
/// A fourth of the sum of each two by two elements of two rows, in n windows.
template <class T, class Build = simd::batch<T>>
[[gnu::noinline]] void mean_of_pairs(T const* above, T const* below, std::int64_t n, T* to) {
    using namespace pool_detail;
    constexpr int L = simd::lanes<T>;
    simd::batch<T> const part(T(0.25));
    each_batch_of<T>(n, [&](std::int64_t i) TAPELESS_CONFIG_INLINE {
        T const *const p = above + 2 * i, *const q = below + 2 * i;
        simd::store(to + i, simd::add_pairs(simd::add(simd::load(p), simd::load(q)),
                                            simd::add(simd::load(p + L), simd::load(q + L))) *
                                part);
    });
}
/// Its transpose: a fourth of each of n numbers in two by two elements of two rows of `width`, zeros behind them.
template <class T, class Build = simd::batch<T>>
[[gnu::noinline]] void share_to_pairs(T const* from, std::int64_t n, T* above, T* below, std::int64_t width) {
    constexpr int L = simd::lanes<T>;
    using vec = simd::detail::vec<T>;
    each_batch_of<T>(n, [&](std::int64_t i) TAPELESS_CONFIG_INLINE {
        vec const g = simd::detail::raw(simd::load(from + i)) * T(0.25);
        vec const a = pool_detail::twice<0>(g, std::make_index_sequence<static_cast<std::size_t>(L)>{}),
                  b = pool_detail::twice<L / 2>(g, std::make_index_sequence<static_cast<std::size_t>(L)>{});
        for (T* const p : {above + 2 * i, below + 2 * i}) {
            simd::store(p, simd::detail::wrap<T>(a));
            simd::store(p + L, simd::detail::wrap<T>(b));
        }
    });
    for (std::int64_t i = 2 * n; i < width; ++i) above[i] = below[i] = T(0);
}

}  // namespace tapeless::detail::kernels_part
