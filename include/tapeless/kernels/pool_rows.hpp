// SPDX-License-Identifier: MIT
#pragma once
// Pooling some columns of an image at a time: the rows under a row of windows are combined in registers, then the
// columns under each.

#include <tapeless/kernels/pool_columns.hpp>

namespace tapeless::detail {

/// The most rows under a window of which the place of the largest is found in registers: they are numbered in T.
inline constexpr std::int64_t most_numbered_rows = 256;

/// The largest element under each window of these columns, in a row of windows.
template <class T, class Build = simd::batch<T>>
[[gnu::noinline]] void max_of_rows(images<T const> const& x, T const* image, pool_axis const* a,
                                   pool_columns<T> const& w, std::int64_t d, std::int64_t h, T* to,
                                   std::ptrdiff_t step) {
    using namespace pool_detail;
    T best[static_cast<std::size_t>(pool_columns<T>::room)];
    if (!has_rows(a, d, h)) w.fill_inside(best, -std::numeric_limits<T>::infinity());
    auto const larger = [](simd::batch<T> v, simd::batch<T> u) TAPELESS_CONFIG_INLINE { return simd::maximum(v, u); };
    combine_rows(x, image, a, w, d, h, best, larger);
    w.fill_around(best, -std::numeric_limits<T>::infinity());
    combine_any_columns(static_cast<T const*>(best), a[0], w, larger,
                        [&](std::int64_t i, simd::batch<T> v, int n)
                            TAPELESS_CONFIG_INLINE { store_some(to + i * step, step, v, n); });
}

/// The same, and the place of each in the image: the first of several, NaN above all.
template <class T, class Build = simd::batch<T>>
[[gnu::noinline]] void places_of_rows(images<T const> const& x, T const* image, pool_axis const* a,
                                      pool_columns<T> const& w, std::int64_t d, std::int64_t h, T* to,
                                      std::ptrdiff_t step, std::int64_t* index, std::ptrdiff_t index_step) {
    using namespace pool_detail;
    using batch = simd::batch<T>;
    constexpr auto room = static_cast<std::size_t>(pool_columns<T>::room);
    constexpr int L = simd::lanes<T>;
    T best[room], from_row[room];
    std::int64_t place[static_cast<std::size_t>(most_numbered_rows)];  // where each row begins
    place[0] = (a[2].begin(d) * a[1].in + a[1].begin(h)) * a[0].in + w.column;
    {
        int number = 0;
        for (std::int64_t i = a[2].begin(d); i < a[2].end(d); i += a[2].dilation)
            for (std::int64_t j = a[1].begin(h); j < a[1].end(h); j += a[1].dilation)
                place[number++] = (i * a[1].in + j) * a[0].in + w.column;
    }
    if (!has_rows(a, d, h)) {
        w.fill_inside(best, -std::numeric_limits<T>::infinity());
        w.fill_inside(from_row, T(0));
    }
    each_row(x, image, a, d, h, [&](int number, T const* row) {
        row += w.column;
        batch const here(static_cast<T>(number));
        w.each_inside([&](std::int64_t i, int n) TAPELESS_CONFIG_INLINE {
            batch const v = load_some(row + i, n);
            if (number == 0) {
                simd::store(best + i, v);
                simd::store(from_row + i, here);
                return;
            }
            batch const b = simd::load(static_cast<T const*>(best + i)),
                        r = simd::load(static_cast<T const*>(from_row + i));
            auto const better = v > b || (v != v && b == b);
            simd::store(best + i, simd::select(better, v, b));
            simd::store(from_row + i, simd::select(better, here, r));
        });
    });
    w.fill_around(best, -std::numeric_limits<T>::infinity());
    w.fill_around(from_row, static_cast<T>(most_numbered_rows));  // behind all that is there
    w.each_window([&](std::int64_t i, int n) TAPELESS_CONFIG_INLINE {
        std::ptrdiff_t const at = i * a[0].stride;
        batch b = every(best + at, a[0].stride, n), r = every(from_row + at, a[0].stride, n), c(T(0));
        for (std::int64_t k = 1; k < a[0].size; ++k) {
            batch const v = every(best + at + k * a[0].dilation, a[0].stride, n),
                        q = every(from_row + at + k * a[0].dilation, a[0].stride, n);
            auto const better = v > b || (q < r && (v == b || v != v)) || (v != v && b == b);
            auto const not_behind = !(b != b) || v != v;  // a number is never above NaN
            auto const chosen = better && not_behind;
            b = simd::select(chosen, v, b);
            r = simd::select(chosen, q, r);
            c = simd::select(chosen, batch(static_cast<T>(k)), c);
        }
        if (to) store_some(to + i * step, step, b, n);
        T rows[static_cast<std::size_t>(L)], columns[static_cast<std::size_t>(L)];
        simd::store(rows, r);
        simd::store(columns, c);
        for (int l = 0; l < n; ++l)
            index[(i + l) * index_step] =
                place[rows[l] < static_cast<T>(most_numbered_rows) ? static_cast<int>(rows[l]) : 0] +
                (i + l) * a[0].stride + static_cast<std::int64_t>(columns[l]) * a[0].dilation;
    });
}

/// Whether windows are two by two elements, side by side and all in the image.
inline bool are_pairs(pool_axis const* a) {
    bool are = a[2].size == 1 && a[2].out == 1 && !a[2].adaptive;
    for (int k = 0; k < 2; ++k)
        are = are && a[k].size == 2 && a[k].stride == 2 && a[k].dilation == 1 && a[k].before == 0 && !a[k].adaptive &&
              2 * a[k].out <= a[k].in;
    return are && a[0].in < (1 << 20) && a[0].out >= simd::lanes<float>;
}
/// The largest of each two by two elements of two rows, in n windows, and where it stands: element i of `above` is at
/// place + i. Either may be left out.
template <class T, class Build = simd::batch<T>>
[[gnu::noinline]] void max_of_pairs(T const* above, T const* below, std::int64_t n, T* to, std::int64_t* index,
                                    std::int64_t place, std::int64_t row) {
    using namespace pool_detail;
    using batch = simd::batch<T>;
    constexpr int L = simd::lanes<T>;
    constexpr auto each_lane = std::make_index_sequence<static_cast<std::size_t>(L)>{};
    auto const both = [&](T const* p, batch& even, batch& odd) TAPELESS_CONFIG_INLINE {
        auto const a = simd::detail::raw(simd::load(p)), b = simd::detail::raw(simd::load(p + L));
        even = simd::detail::wrap<T>(even_lanes(a, b, each_lane));
        odd = simd::detail::wrap<T>(odd_lanes(a, b, each_lane));
    };
    for (std::int64_t i = 0; i < n; i += L) {
        if (i > n - L) i = n - L;  // the last windows: some of them once more
        batch a, b, c, d;
        both(above + 2 * i, a, b);
        both(below + 2 * i, c, d);
        if (!index) {
            simd::store(to + i, simd::maximum(simd::maximum(a, c), simd::maximum(b, d)));
            continue;
        }
        batch at(T(0));
        auto const take = [&](batch v, std::int64_t from) TAPELESS_CONFIG_INLINE {
            auto const better = (v > a || v != v) && a == a;  // NaN is above all; the first of several
            a = simd::select(better, v, a);
            at = simd::select(better, batch(static_cast<T>(from)), at);
        };
        take(b, 1);
        take(c, row);
        take(d, row + 1);
        if (to) simd::store(to + i, a);
        T lane[static_cast<std::size_t>(L)];
        simd::store(lane, at);
        for (int l = 0; l < L; ++l) index[i + l] = place + 2 * (i + l) + static_cast<std::int64_t>(lane[l]);
    }
}

/// How many elements each window counts as, along the columns.
template <class T>
void count_columns(pool_axis const& a, pool_columns<T> const& w, T* count) {
    for (std::int64_t i = 0; i < w.count; ++i) count[i] = static_cast<T>(a.count(w.first + i));
}
/// The mean under each window of these columns, in a row of windows.
template <class T, class Build = simd::batch<T>>
[[gnu::noinline]] void mean_of_rows(images<T const> const& x, T const* image, pool_axis const* a,
                                    pool_columns<T> const& w, T const* count, std::int64_t d, std::int64_t h, T* to,
                                    std::ptrdiff_t step) {
    using namespace pool_detail;
    T sum[static_cast<std::size_t>(pool_columns<T>::room)];
    if (!has_rows(a, d, h)) w.fill_inside(sum, T(0));
    auto const add = [](simd::batch<T> v, simd::batch<T> u) TAPELESS_CONFIG_INLINE { return simd::add(v, u); };
    combine_rows(x, image, a, w, d, h, sum, add);
    w.fill_around(sum, T(0));
    simd::batch<T> const rows(static_cast<T>(a[2].count(d) * a[1].count(h)));
    combine_any_columns(static_cast<T const*>(sum), a[0], w, add,
                        [&](std::int64_t i, simd::batch<T> v, int n) TAPELESS_CONFIG_INLINE {
                            store_some(to + i * step, step, v / (rows * simd::load(count + i)), n);
                        });
}
/// Its transpose: what is at a row of windows goes to the elements under them, and is added to what is there.
template <class T, class Build = simd::batch<T>>
[[gnu::noinline]] void share_to_rows(T const* from, std::ptrdiff_t step, images<T> const& x, T* image,
                                     pool_axis const* a, pool_columns<T> const& w, T const* count, std::int64_t d,
                                     std::int64_t h) {
    using namespace pool_detail;
    constexpr int L = simd::lanes<T>;
    T sum[static_cast<std::size_t>(pool_columns<T>::room)];
    for (std::int64_t i = 0; i < w.width; ++i) sum[i] = T(0);
    simd::batch<T> const rows(static_cast<T>(a[2].count(d) * a[1].count(h)));
    w.each_window([&](std::int64_t i, int n) TAPELESS_CONFIG_INLINE {
        simd::batch<T> const g = every(from + i * step, step, n) / (rows * simd::load(count + i));
        T part[static_cast<std::size_t>(L)];
        simd::store(part, g);
        for (std::int64_t k = 0; k < a[0].size; ++k)
            for (int l = 0; l < n; ++l) sum[(i + l) * a[0].stride + k] += part[l];
    });
    each_row(x, image, a, d, h, [&](int, T* row) {
        row += w.column;
        w.each_inside([&](std::int64_t i, int n) TAPELESS_CONFIG_INLINE {
            store_some(
                row + i, 1,
                simd::add(load_some(static_cast<T const*>(row + i), n), simd::load(static_cast<T const*>(sum + i))), n);
        });
    });
}

}  // namespace tapeless::detail
