// SPDX-License-Identifier: MIT
#pragma once
// The transpose of means over windows: what stands at a window is shared out to the elements under it.

#include <tapeless/kernels/pool_phases.hpp>

namespace tapeless::detail::inline kernels_part {

/// Some columns of images, those that windows first ... last - 1 begin at and those around all windows, and the windows
/// that cover them.
template <class T>
struct covered_columns {
    pool_columns<T> windows;
    std::int64_t from, to, width;  ///< in the image; from `to` to `width` there is no window

    covered_columns(pool_axis const& a, std::int64_t first, std::int64_t last)
        : windows(a, first - before(a, first), last - first + before(a, first)) {
        from = first == 0 ? 0 : first * a.stride - a.before;
        std::int64_t const begins = last * a.stride - a.before, ends = windows.column + windows.width;
        width = last == a.out || begins > a.in ? a.in : begins;
        to = ends < width ? ends : width;
    }
    /// How many windows before that one reach as far as it begins.
    static std::int64_t before(pool_axis const& a, std::int64_t first) {
        std::int64_t const n = (a.span() - 1) / a.stride;
        return n < first ? n : first;
    }
    /// f(columns) for all columns, some at a time.
    template <class F>
    static void each(pool_axis const& a, F const& f) {
        std::int64_t const some = (pool_columns<T>::most - a.span()) / a.stride + 1 - (a.span() - 1) / a.stride;
        for (std::int64_t w = 0; w < a.out; w += some) f(covered_columns(a, w, a.out - w < some ? a.out : w + some));
    }
};

/// What comes to the columns of a row of elements from a row of windows.
template <int Stride, class T>
struct shared_row {
    static constexpr int L = simd::lanes<T>, W = Stride * L;
    static constexpr std::int64_t margin = pool_columns<T>::most / 2;  ///< zeros before the first window
    T part[static_cast<std::size_t>(margin + pool_columns<T>::room + 2 * L)]{};
    T sum[static_cast<std::size_t>(pool_columns<T>::room)];
    pool_axis const& a;
    pool_columns<T> const& w;

    shared_row(pool_axis const& axis, pool_columns<T> const& windows) : a(axis), w(windows) {}
    bool is_scattered() const { return Stride == 1 && a.stride != 1; }

    void take(T const* from, std::ptrdiff_t step, window_counts<T> const& counts, simd::batch<T> rows) {
        T* const to = part + margin;
        w.each_window([&](std::int64_t i, int n) TAPELESS_CONFIG_INLINE {
            simd::store(to + i, counts.divide(pool_detail::every(from + i * step, step, n), rows, i));
        });
        if (!is_scattered()) return;
        for (std::int64_t i = 0; i < w.width; ++i) sum[i] = T(0);
        for (std::int64_t i = 0; i < w.count; ++i)
            for (std::int64_t k = 0; k < a.size; ++k) sum[i * a.stride + k] += to[i];
    }
    /// The sum of so many windows, the last of which lane 0 names.
    TAPELESS_CONFIG_INLINE simd::batch<T> sum_of(T const* p, std::int64_t n) const {
        simd::batch<T> v = simd::load(p);
        for (std::int64_t k = 1; k < n; ++k) v = simd::add(v, simd::load(p - k));
        return v;
    }
    /// f(column, values, lanes) for columns from ... to - 1 under the windows, counted from the first.
    template <class F>
    TAPELESS_CONFIG_INLINE void each(std::int64_t from, std::int64_t to, F const& f) const {
        constexpr auto each_lane = std::make_index_sequence<static_cast<std::size_t>(L)>{};
        bool const odd = from % 2 != 0;
        std::int64_t const n[2] = {(a.size + 1) / 2, a.size / 2};
        std::int64_t const first = odd ? n[1] : n[0], other = odd ? n[0] : n[1];
        T const* const at = part + margin;
        auto const some = [&](std::int64_t i, auto give) TAPELESS_CONFIG_INLINE {
            if constexpr (Stride == 2) {
                T const* const p = at + i / 2;
                auto const u = simd::detail::raw(first > 0 ? sum_of(p, first) : simd::batch<T>(T(0)));
                auto const v = simd::detail::raw(other > 0 ? sum_of(p + odd, other) : simd::batch<T>(T(0)));
                give(i, simd::detail::wrap<T>(pool_detail::in_turn<0>(u, v, each_lane)));
                give(i + L, simd::detail::wrap<T>(pool_detail::in_turn<L / 2>(u, v, each_lane)));
            } else {
                give(i, is_scattered() ? simd::load(sum + i) : sum_of(at + i, a.size));
            }
        };
        std::int64_t i = from;
        for (; i + W <= to; i += W)
            some(i, [&](std::int64_t k, simd::batch<T> v) TAPELESS_CONFIG_INLINE { f(k, v, L); });
        if (i < to)
            some(i, [&](std::int64_t k, simd::batch<T> v) TAPELESS_CONFIG_INLINE {
                if (k < to) f(k, v, to - k < L ? static_cast<int>(to - k) : L);
            });
    }
};

/// The rows of an image under a row of windows: those that nothing was written to yet, and those that are added to.
template <class T>
struct rows_to_write {
    static constexpr int most = 4;
    T *fresh[most], *other[most];
    int fresh_count = 0, other_count = 0;
};

/// x = what is at the windows of y shared out, in these columns of x.
template <int Stride, class T, class Build = simd::batch<T>>
[[gnu::noinline]] void share_windows(images<T const> const& y, images<T> const& x, pool_axis const* a,
                                     covered_columns<T> const& columns) {
    using namespace pool_detail;
    pool_columns<T> const& w = columns.windows;
    window_counts<T> const counts(a[0], w);
    shared_row<Stride, T> row(a[0], w);
    std::int64_t const from = columns.from - w.column, to = columns.to - w.column;
    auto const add = [](T* p, simd::batch<T> v, int n) TAPELESS_CONFIG_INLINE {
        store_some(p, 1, simd::add(load_some(static_cast<T const*>(p), n), v), n);
    };
    auto const write_all = [&](rows_to_write<T>& rows) {
        row.each(from, to, [&](std::int64_t i, simd::batch<T> v, int n) TAPELESS_CONFIG_INLINE {
            for (int r = 0; r < rows.fresh_count; ++r) store_some(rows.fresh[r] + i, 1, v, n);
            for (int r = 0; r < rows.other_count; ++r) add(rows.other[r] + i, v, n);
        });
        for (int r = 0; r < rows.fresh_count; ++r)
            for (std::int64_t i = to; i < columns.width - w.column; ++i) rows.fresh[r][i] = T(0);
        rows.fresh_count = rows.other_count = 0;
    };
    for (std::int64_t n = 0; n < x.items; ++n)
        for (std::int64_t c = 0; c < x.channels; ++c) {
            T* const image = x.data + n * x.item + c * x.channel + w.column;
            auto const clear = [&](std::int64_t plane, std::int64_t first, std::int64_t last) {
                for (std::int64_t j = first; j < last; ++j)
                    for (std::int64_t i = from; i < columns.width - w.column; ++i)
                        image[plane * x.step[2] + j * x.step[1] + i] = T(0);
            };
            std::int64_t plane = 0;  // those before it are written
            for (std::int64_t d = 0; d < a[2].out; ++d) {
                std::int64_t const d1 = a[2].end(d);
                for (; plane < a[2].begin(d); ++plane) clear(plane, 0, a[1].in);
                std::int64_t line = 0;  // of the planes that are new: the rows before it are written
                for (std::int64_t h = 0; h < a[1].out; ++h) {
                    std::int64_t const h0 = a[1].begin(h), h1 = a[1].end(h);
                    T const* const from_row =
                        y.data + n * y.item + c * y.channel + d * y.step[2] + h * y.step[1] + w.first * y.step[0];
                    row.take(from_row, y.step[0], counts,
                             simd::batch<T>(static_cast<T>(a[2].count(d) * a[1].count(h))));
                    rows_to_write<T> rows;
                    for (std::int64_t i = a[2].begin(d); i < d1; ++i) {
                        if (i >= plane && line < h0) clear(i, line, h0);
                        for (std::int64_t j = h0; j < h1; ++j) {
                            T* const p = image + i * x.step[2] + j * x.step[1];
                            if (i >= plane && j >= line) rows.fresh[rows.fresh_count++] = p;
                            else rows.other[rows.other_count++] = p;
                            if (rows.fresh_count + rows.other_count == rows.most) write_all(rows);
                        }
                    }
                    write_all(rows);
                    line = h1 > line ? h1 : line;
                }
                for (std::int64_t i = plane; i < d1; ++i) clear(i, line, a[1].in);
                plane = d1 > plane ? d1 : plane;
            }
            for (; plane < a[2].in; ++plane) clear(plane, 0, a[1].in);
        }
}

}  // namespace tapeless::detail::kernels_part
