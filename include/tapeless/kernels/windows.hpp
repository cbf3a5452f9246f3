// SPDX-License-Identifier: MIT
#pragma once
// Windows that slide over images: where they are, and the part of an image under some of them, with zeros around it.

#include <tapeless/array/strided.hpp>
#include <tapeless/base/inline.hpp>
#include <tapeless/simd/simd.hpp>

namespace tapeless::detail::inline kernels_part {

/// The most axes that windows slide along. Axes count from the right; those that are missing have extent 1.
inline constexpr int window_axes = 3;
/// An array of images, [item][channel][depth][row][column], in somebody's memory. Channels of one group follow each
/// other.
template <class T>
struct images {
    T* data = nullptr;
    std::ptrdiff_t item = 0, channel = 0;
    std::ptrdiff_t step[window_axes]{};
    std::int64_t items = 1, channels = 1;
    std::int64_t extent[window_axes]{1, 1, 1};

    /// An array of rank axes + 2.
    images(strided const& a, int axes)
        : data(a.as<T>()),
          item(a.stride[axes + 1]),
          channel(a.stride[axes]),
          items(a.extent[axes + 1]),
          channels(a.extent[axes]) {
        for (int k = 0; k < axes; ++k) {
            step[k] = a.stride[k];
            extent[k] = a.extent[k];
        }
    }
    /// Whether the elements of one channel from `row` on, some columns of one row or whole rows, are one piece.
    bool is_flat(std::int64_t rows, std::int64_t columns) const {
        return (step[0] == 1 || extent[0] == 1) && (rows == 1 || (columns == extent[0] && step[1] == extent[0]));
    }
};

/// The positions under a window along one axis: tap t of window p is at begin + t by + p step.
struct axis_taps {
    int count = 1, step = 1;
    std::int64_t begin = 0, by = 0;
    std::int64_t at(int t) const { return begin + t * by; }
    std::int64_t lowest() const { return by < 0 ? at(count - 1) : begin; }
    std::int64_t span() const { return (count - 1) * (by < 0 ? -by : by) + 1; }  ///< from the lowest to the highest
};
/// The taps of a window: along columns, rows and planes.
struct window_taps {
    axis_taps axis[window_axes];
    std::int64_t count() const { return static_cast<std::int64_t>(axis[0].count) * axis[1].count * axis[2].count; }
    /// f(d, h, w) for each of them, columns the fastest.
    template <class F>
    void each(F const& f) const {
        for (int d = 0; d < axis[2].count; ++d)
            for (int h = 0; h < axis[1].count; ++h)
                for (int w = 0; w < axis[0].count; ++w) f(d, h, w);
    }
};

/// Some windows: rows by columns of them in one plane of the output.
struct window_block {
    std::int64_t plane = 0, row = 0, column = 0, rows = 0, columns = 0;
    std::int64_t count() const { return rows * columns; }
};

/// The part of an image that lies under a block of windows, some channels of it. What a tap reads for neighbouring
/// windows of a row lies side by side, whatever the windows' step: columns are kept apart by their remainder.
template <class T>
struct window_strip {
    T const* data = nullptr;
    std::ptrdiff_t channel = 0, plane = 0, row = 0;  ///< distances
    std::ptrdiff_t part = 0;                         ///< from the columns of one remainder to those of the next
    std::int64_t lowest[window_axes]{};
    int step[window_axes]{1, 1, 1};

    /// Where the value of a tap for the first window is, of channel 0.
    std::ptrdiff_t tap(window_taps const& t, int d, int h, int w) const {
        std::int64_t const c = t.axis[0].at(w) - lowest[0];
        return d * plane + (t.axis[1].at(h) - lowest[1]) * row + c % step[0] * part + c / step[0];
    }
    std::ptrdiff_t window(std::int64_t r) const { return r * step[1] * row; }  ///< of the first window in row r

    /// Elements of room, at most, of one plane of one channel under so many windows, in whatever rows they are.
    static constexpr std::int64_t room(std::int64_t windows, std::int64_t span_rows, std::int64_t span_columns,
                                       int step_rows, int step_columns) {
        std::int64_t const width = span_columns + step_columns;
        std::int64_t const one_row = span_rows * ((windows - 1) * step_columns + width),
                           one_column = ((windows - 1) * step_rows + span_rows) * width;
        return one_row > one_column ? one_row : one_column;
    }
};

/// Makes the strip of `channels` channels from `first` (of one item) on: a view of the image where nothing is
/// missing, else a copy.
template <class T, class Build = simd::batch<T>>
[[gnu::noinline]] window_strip<T> make_strip(images<T const> const& x, T const* first, std::int64_t channels,
                                             window_taps const& taps, window_block const& w, T* room) {
    constexpr int L = simd::lanes<T>;
    window_strip<T> s;
    for (int k = 0; k < window_axes; ++k) {
        s.lowest[k] = taps.axis[k].lowest();
        s.step[k] = taps.axis[k].step;
    }
    int const planes = taps.axis[2].count;
    std::int64_t const row0 = w.row * s.step[1] + s.lowest[1], column0 = w.column * s.step[0] + s.lowest[0];
    std::int64_t const rows = (w.rows - 1) * s.step[1] + taps.axis[1].span();
    std::int64_t const columns = (w.columns - 1) * s.step[0] + taps.axis[0].span();
    bool const inside = row0 >= 0 && column0 >= 0 && row0 + rows <= x.extent[1] && column0 + columns <= x.extent[0];
    // batches are read past the end of a row, so enough has to follow
    std::int64_t const below = x.extent[1] - row0 - rows;
    bool const follows = column0 + columns + L <= x.extent[0] ||
                         (below > 0 && x.step[1] >= x.extent[0] && (below - 1) * x.step[1] + x.extent[0] >= L);
    if (inside && follows && planes == 1 && x.extent[2] == 1 && s.step[0] == 1 && x.step[0] == 1 &&
        taps.axis[2].begin == 0 && w.plane == 0) {
        s.data = first + row0 * x.step[1] + column0;
        s.channel = x.channel;
        s.row = x.step[1];
        return s;
    }
    std::int64_t const width = (columns + s.step[0] - 1) / s.step[0];
    s.part = width;
    s.row = width * s.step[0];
    s.plane = s.row * rows;
    s.channel = s.plane * planes;
    s.data = room;
    for (int part = 0; part < s.step[0]; ++part) {
        // elements begin ... end - 1 of a row are there
        std::int64_t const at = column0 + part, by_step = s.step[0];
        std::int64_t const before = at >= 0 ? 0 : (-at + by_step - 1) / by_step;
        std::int64_t const begin = before < width ? before : width;
        std::int64_t const left = x.extent[0] - at, all = left <= 0 ? 0 : (left + by_step - 1) / by_step;
        std::int64_t const end = all < begin ? begin : all < width ? all : width;
        std::ptrdiff_t const by = by_step * x.step[0], first_column = (at + begin * by_step) * x.step[0];
        for (std::int64_t c = 0; c < channels; ++c)
            for (int p = 0; p < planes; ++p) {
                std::int64_t const at_plane = w.plane * s.step[2] + taps.axis[2].at(p);
                bool const has_plane = at_plane >= 0 && at_plane < x.extent[2];
                T* q = room + c * s.channel + p * s.plane + part * width;
                for (std::int64_t r = 0; r < rows; ++r, q += s.row) {
                    std::int64_t const at_row = row0 + r;
                    if (!has_plane || at_row < 0 || at_row >= x.extent[1] || begin == end) {
                        for (std::int64_t i = 0; i < width; ++i) q[i] = T(0);
                        continue;
                    }
                    T const* p0 = first + c * x.channel + at_plane * x.step[2] + at_row * x.step[1] + first_column;
                    for (std::int64_t i = 0; i < begin; ++i) q[i] = T(0);
                    if (by == 1) __builtin_memcpy(q + begin, p0, static_cast<std::size_t>(end - begin) * sizeof(T));
                    else
                        for (std::int64_t i = begin; i < end; ++i, p0 += by) q[i] = *p0;
                    for (std::int64_t i = end; i < width; ++i) q[i] = T(0);
                }
            }
    }
    return s;
}

}  // namespace tapeless::detail::kernels_part
