// SPDX-License-Identifier: MIT
#pragma once
// Pooling: the largest element under every window and where it stands, means over windows, and their transposes.

#include <type_traits>

#include <tapeless/kernels/pool_back.hpp>
#include <tapeless/kernels/pool_rows.hpp>
#include <tapeless/kernels/pool_share.hpp>

namespace tapeless::detail::inline kernels_part {

/// f(plane, row, column) for every window of an output.
template <class F>
void each_window(pool_axis const* a, F const& f) {
    for (std::int64_t d = 0; d < a[2].out; ++d)
        for (std::int64_t h = 0; h < a[1].out; ++h)
            for (std::int64_t w = 0; w < a[0].out; ++w) f(d, h, w);
}

/// f(columns, item, channel, plane, row) for rows of windows, some columns of them at a time.
template <class T, class F>
void each_row_of_windows(images<T> const& x, pool_axis const* a, F const& f) {
    using columns = pool_columns<std::remove_const_t<T>>;
    columns::each(a[0], [&](columns const& w) {
        for (std::int64_t n = 0; n < x.items; ++n)
            for (std::int64_t c = 0; c < x.channels; ++c)
                for (std::int64_t d = 0; d < a[2].out; ++d)
                    for (std::int64_t h = 0; h < a[1].out; ++h) f(w, n, c, d, h);
    });
}
/// f(element) of one image.
template <class T, class F>
void each_pixel(images<T> const& x, T* image, F const& f) {
    for (std::int64_t d = 0; d < x.extent[2]; ++d)
        for (std::int64_t h = 0; h < x.extent[1]; ++h) {
            T* const row = image + d * x.step[2] + h * x.step[1];
            for (std::int64_t w = 0; w < x.extent[0]; ++w) f(row[w * x.step[0]]);
        }
}
/// Where the element of that number, row-major, is in an image.
template <class T>
struct pixel_places {
    images<T> const& x;
    bool flat;
    explicit pixel_places(images<T> const& of)
        : x(of),
          flat(of.step[0] == 1 && (of.extent[1] == 1 || of.step[1] == of.extent[0]) &&
               (of.extent[2] == 1 || of.step[2] == of.extent[0] * of.extent[1])) {}
    std::ptrdiff_t operator()(std::int64_t i) const {
        if (flat) return i;
        std::int64_t const column = i % x.extent[0], rest = i / x.extent[0], row = rest % x.extent[1],
                           plane = rest / x.extent[1];
        return plane * x.step[2] + row * x.step[1] + column * x.step[0];
    }
};

/// The largest element under one window, the first of several, NaN above all, and where it stands.
template <class T>
struct largest_element {
    T value;
    std::int64_t plane, row, column;
};
template <class T>
largest_element<T> largest_under(images<T const> const& x, T const* image, pool_axis const* a, std::int64_t d,
                                 std::int64_t h, std::int64_t w) {
    std::int64_t const d1 = a[2].end(d), h1 = a[1].end(h), w1 = a[0].end(w);
    largest_element<T> best{-std::numeric_limits<T>::infinity(), a[2].begin(d), a[1].begin(h), a[0].begin(w)};
    for (std::int64_t i = a[2].begin(d); i < d1; i += a[2].dilation)
        for (std::int64_t j = a[1].begin(h); j < h1; j += a[1].dilation)
            for (std::int64_t k = a[0].begin(w); k < w1; k += a[0].dilation) {
                T const v = image[i * x.step[2] + j * x.step[1] + k * x.step[0]];
                if (v > best.value || v != v) best = {v, i, j, k};
                if (v != v) return best;
            }
    return best;
}

/// What becomes of the results of one channel.
template <class T>
void write_back_channel(images<T> const& y, T* channel, write_back<T> const& end) {
    bool const flat = y.is_flat(y.extent[1], y.extent[0]);
    std::int64_t const rows = flat ? 1 : y.extent[1], columns = flat ? y.extent[0] * y.extent[1] : y.extent[0];
    for (std::int64_t d = 0; d < y.extent[2]; ++d)
        for (std::int64_t h = 0; h < rows; ++h) {
            T* const row = channel + d * y.step[2] + h * y.step[1];
            if (y.step[0] == 1) write_back_rows(row, 0, 1, columns, end);
            else
                for (std::int64_t w = 0; w < columns; ++w) row[w * y.step[0]] = end.of(row[w * y.step[0]]);
        }
}

/// y: the largest element under each window, the first of several, NaN above all; index: its place in the image,
/// row-major. `end`: what becomes of y, one number a channel.
template <class T, class Known = any_windows, class Build = simd::batch<T>>
void max_pool(images<T const> const& x, images<T> const& y, images<std::int64_t> const& index, pool_axis const* a,
              write_back<T> const& end = {}) {
    if (are_pairs(a) && x.step[0] == 1 && (!y.data || y.step[0] == 1) && (!index.data || index.step[0] == 1)) {
        for (std::int64_t n = 0; n < x.items; ++n)
            for (std::int64_t c = 0; c < x.channels; ++c) {
                write_back_row<T> const own(end, c);
                for (std::int64_t h = 0; h < a[1].out; ++h) {
                    T const* const row = x.data + n * x.item + c * x.channel + 2 * h * x.step[1];
                    max_of_pairs<T>(
                        row, row + x.step[1], a[0].out,
                        y.data ? y.data + n * y.item + c * y.channel + h * y.step[1] : nullptr,
                        index.data ? index.data + n * index.item + c * index.channel + h * index.step[1] : nullptr,
                        2 * h * a[0].in, a[0].in, own);
                }
            }
        return;
    }
    if (end.changes()) {  // item by item, which is in a cache then
        images<T const> from = x;
        images<T> to = y;
        from.items = to.items = 1;
        for (std::int64_t n = 0; n < x.items; ++n, from.data += x.item, to.data += y.item) {
            max_pool<T, Known, Build>(from, to, index, a);
            for (std::int64_t c = 0; c < y.channels; ++c) write_back_channel(to, to.data + c * y.channel, end.from(c));
        }
        return;
    }
    if constexpr (Known::are_few)
        if (!index.data && x.step[0] == 1 && y.step[0] == 1)
            return stream_windows<Known, pool_detail::larger_of>(x, y, a, -std::numeric_limits<T>::infinity(),
                                                                 kept_as_it_is{});
    if (!index.data && x.step[0] == 1 && pool_columns<T>::fits(a[0]))
        return pool_columns<T>::each(a[0], [&](pool_columns<T> const& w) { max_of_windows<T>(x, y, a, w); });
    if (x.step[0] == 1 && pool_columns<T>::fits(a[0]) && pool_detail::rows_under(a) <= most_numbered_rows)
        return each_row_of_windows(
            x, a, [&](pool_columns<T> const& w, std::int64_t n, std::int64_t c, std::int64_t d, std::int64_t h) {
                T const* const image = x.data + n * x.item + c * x.channel;
                T* const to =
                    y.data ? y.data + n * y.item + c * y.channel + d * y.step[2] + h * y.step[1] + w.first * y.step[0]
                           : nullptr;
                std::int64_t* const at = index.data + n * index.item + c * index.channel + d * index.step[2] +
                                         h * index.step[1] + w.first * index.step[0];
                places_of_rows<T>(x, image, a, w, d, h, to, y.step[0], at, index.step[0]);
            });
    for (std::int64_t n = 0; n < x.items; ++n)
        for (std::int64_t c = 0; c < x.channels; ++c) {
            T const* const from = x.data + n * x.item + c * x.channel;
            each_window(a, [&](std::int64_t d, std::int64_t h, std::int64_t w) {
                largest_element<T> const l = largest_under(x, from, a, d, h, w);
                std::ptrdiff_t const to = d * y.step[2] + h * y.step[1] + w * y.step[0];
                if (y.data) y.data[n * y.item + c * y.channel + to] = l.value;
                if (index.data)
                    index.data[n * index.item + c * index.channel + d * index.step[2] + h * index.step[1] +
                               w * index.step[0]] = (l.plane * a[1].in + l.row) * a[0].in + l.column;
            });
        }
}

/// y[window] = x at index[window], and its transpose: x gets what stands at the windows that name its elements.
template <class T, class Build = simd::batch<T>>
void take_at(images<T const> const& x, images<std::int64_t const> const& index, images<T> const& y) {
    pool_axis a[window_axes];
    pixel_places const place(x);
    for (int k = 0; k < window_axes; ++k) a[k].out = y.extent[k];
    for (std::int64_t n = 0; n < y.items; ++n)
        for (std::int64_t c = 0; c < y.channels; ++c)
            each_window(a, [&](std::int64_t d, std::int64_t h, std::int64_t w) {
                std::int64_t const i = index.data[n * index.item + c * index.channel + d * index.step[2] +
                                                  h * index.step[1] + w * index.step[0]];
                y.data[n * y.item + c * y.channel + d * y.step[2] + h * y.step[1] + w * y.step[0]] =
                    x.data[n * x.item + c * x.channel + place(i)];
            });
}
template <class T, class Build = simd::batch<T>>
void add_at(images<T const> const& y, images<std::int64_t const> const& index, images<T> const& x) {
    pixel_places const place(x);
    for (std::int64_t n = 0; n < y.items; ++n)
        for (std::int64_t c = 0; c < y.channels; ++c) {
            T* const to = x.data + n * x.item + c * x.channel;
            if (place.flat) {  // in one piece
                std::int64_t const pixels = x.extent[0] * x.extent[1] * x.extent[2];
                for (std::int64_t i = 0; i < pixels; ++i) to[i] = T(0);
            } else {
                each_pixel(x, to, [](T& v) { v = T(0); });
            }
            for (std::int64_t d = 0; d < y.extent[2]; ++d)
                for (std::int64_t h = 0; h < y.extent[1]; ++h) {
                    T const* const from = y.data + n * y.item + c * y.channel + d * y.step[2] + h * y.step[1];
                    std::int64_t const* const at =
                        index.data + n * index.item + c * index.channel + d * index.step[2] + h * index.step[1];
                    if (place.flat)
                        for (std::int64_t w = 0; w < y.extent[0]; ++w) to[at[w * index.step[0]]] += from[w * y.step[0]];
                    else
                        for (std::int64_t w = 0; w < y.extent[0]; ++w)
                            to[place(at[w * index.step[0]])] += from[w * y.step[0]];
                }
        }
}

/// y[window] = the mean of x under it.
template <class T, class Known = any_windows, class Build = simd::batch<T>>
void average(images<T const> const& x, images<T> const& y, pool_axis const* a) {
    if (are_pairs(a) && x.step[0] == 1 && y.step[0] == 1) {
        for (std::int64_t n = 0; n < x.items; ++n)
            for (std::int64_t c = 0; c < x.channels; ++c)
                for (std::int64_t h = 0; h < a[1].out; ++h) {
                    T const* const row = x.data + n * x.item + c * x.channel + 2 * h * x.step[1];
                    mean_of_pairs<T>(row, row + x.step[1], a[0].out,
                                     y.data + n * y.item + c * y.channel + h * y.step[1]);
                }
        return;
    }
    auto const mean_under = [&](T const* from, std::int64_t d, std::int64_t h, std::int64_t w) {
        std::int64_t const w0 = a[0].begin(w), w1 = a[0].end(w);
        T sum = 0;
        for (std::int64_t i = a[2].begin(d); i < a[2].end(d); ++i)
            for (std::int64_t j = a[1].begin(h); j < a[1].end(h); ++j) {
                T const* const row = from + i * x.step[2] + j * x.step[1];
                for (std::int64_t k = w0; k < w1; ++k) sum += row[k * x.step[0]];
            }
        return sum / static_cast<T>(a[2].count(d) * a[1].count(h) * a[0].count(w));
    };
    auto const each_mean = [&](std::int64_t first, std::int64_t last) {
        if (first >= last) return;
        for (std::int64_t n = 0; n < x.items; ++n)
            for (std::int64_t c = 0; c < x.channels; ++c)
                for (std::int64_t d = 0; d < a[2].out; ++d)
                    for (std::int64_t h = 0; h < a[1].out; ++h)
                        for (std::int64_t w = first; w < last; ++w)
                            y.data[n * y.item + c * y.channel + d * y.step[2] + h * y.step[1] + w * y.step[0]] =
                                mean_under(x.data + n * x.item + c * x.channel, d, h, w);
    };
    if constexpr (Known::are_few)
        if (x.step[0] == 1 && y.step[0] == 1) {
            inverse_count<T> inverse;
            stream_windows<Known, pool_detail::sum_of>(x, y, a, T(0), part_of_rows<T>{a, inverse});
            each_mean(0, a[0].first_whole());  // the windows that count as fewer elements
            return each_mean(a[0].last_whole(), a[0].out);
        }
    if (x.step[0] == 1 && pool_columns<T>::fits(a[0]))
        return pool_columns<T>::each(a[0], [&](pool_columns<T> const& w) { mean_of_windows<T>(x, y, a, w); });
    each_mean(0, a[0].out);
}
/// Its transpose.
template <class T, class Known = any_windows, class Build = simd::batch<T>>
void share_out(images<T const> const& y, images<T> const& x, pool_axis const* a) {
    if (are_pairs(a) && x.step[0] == 1 && y.step[0] == 1) {
        for (std::int64_t n = 0; n < x.items; ++n)
            for (std::int64_t c = 0; c < x.channels; ++c) {
                T* row = x.data + n * x.item + c * x.channel;
                T const* from = y.data + n * y.item + c * y.channel;
                for (std::int64_t h = 0; h < a[1].out; ++h, row += 2 * x.step[1], from += y.step[1])
                    share_to_pairs<T>(from, a[0].out, row, row + x.step[1], a[0].in);
                for (std::int64_t h = 2 * a[1].out; h < a[1].in; ++h, row += x.step[1])
                    for (std::int64_t i = 0; i < a[0].in; ++i) row[i] = T(0);
            }
        return;
    }
    auto const are_whole = [](pool_axis const& p) { return p.first_whole() == 0 && p.last_whole() == p.out; };
    if constexpr (Known::are_few)
        if (x.step[0] == 1 && y.step[0] == 1 && are_whole(a[0])) {
            using K = typename Known::columns;
            // one step apart: the windows that cover an element are a window of y
            if constexpr (K::stride == 1 && Known::stride == 1)
                if (are_whole(a[1]) && a[1].dilation == 1) {
                    pool_axis back[window_axes] = {a[0], a[1], a[2]};
                    for (pool_axis& p : back) p.in = p.out, p.before = p.size - 1 - p.before;
                    for (int k = 0; k < window_axes; ++k) back[k].out = a[k].in;
                    simd::batch<T> const part(T(1) / static_cast<T>(a[1].size * a[0].size));
                    using turned = known_windows<known_columns<K::size, 1, K::size - 1 - K::before>, Known::rows, 1>;
                    return stream_windows<turned, pool_detail::sum_of>(y, x, back, T(0), one_part<T>{{part}});
                }
            inverse_count<T> inverse;
            return stream_shares<Known, T>(
                y, x, a, [&](std::int64_t h) TAPELESS_CONFIG_INLINE { return inverse(a[1].count(h) * a[0].size); });
        }
    if (x.step[0] == 1 && !a[1].adaptive && !a[2].adaptive && pool_columns<T>::fits(a[0]))
        return covered_columns<T>::each(a[0], [&](covered_columns<T> const& w) {
            pool_detail::with_known_stride(a[0], [&](auto stride) { share_windows<stride.i, T>(y, x, a, w); });
        });
    for (std::int64_t n = 0; n < x.items; ++n)
        for (std::int64_t c = 0; c < x.channels; ++c) {
            T* const to = x.data + n * x.item + c * x.channel;
            each_pixel(x, to, [](T& v) { v = T(0); });
            each_window(a, [&](std::int64_t d, std::int64_t h, std::int64_t w) {
                std::int64_t const w0 = a[0].begin(w), w1 = a[0].end(w);
                T const g = y.data[n * y.item + c * y.channel + d * y.step[2] + h * y.step[1] + w * y.step[0]] /
                            static_cast<T>(a[2].count(d) * a[1].count(h) * a[0].count(w));
                for (std::int64_t i = a[2].begin(d); i < a[2].end(d); ++i)
                    for (std::int64_t j = a[1].begin(h); j < a[1].end(h); ++j) {
                        T* const row = to + i * x.step[2] + j * x.step[1];
                        for (std::int64_t k = w0; k < w1; ++k) row[k * x.step[0]] += g;
                    }
            });
        }
}

}  // namespace tapeless::detail::kernels_part
