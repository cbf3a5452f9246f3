// SPDX-License-Identifier: MIT
#pragma once
// Pooling: the largest element under every window and where it stands, means over windows, and their transposes.

#include <limits>

#include <tapeless/kernels/windows.hpp>

namespace tapeless::detail {

/// The windows along one axis (from the right).
struct pool_axis {
    std::int64_t in = 1, out = 1, size = 1, stride = 1, dilation = 1, before = 0;
    bool adaptive = false;       ///< window i covers the elements from floor(i in / out) on, before ceil((i + 1) in / out)
    bool counts_padding = true;  ///< of means: zeros around the array count as elements

    /// The first element under window i, the one behind the last, and how many elements it counts as.
    std::int64_t begin(std::int64_t i) const {
        if (adaptive) return i * in / out;
        std::int64_t const b = i * stride - before;
        return b >= 0 ? b : b + (-b + dilation - 1) / dilation * dilation;
    }
    std::int64_t end(std::int64_t i) const {
        if (adaptive) return ((i + 1) * in + out - 1) / out;
        std::int64_t const e = i * stride - before + (size - 1) * dilation + 1;
        return e < in ? e : in;
    }
    std::int64_t count(std::int64_t i) const {
        if (adaptive || !counts_padding) return end(i) - begin(i);
        std::int64_t const b = i * stride - before, e = b + size;
        return (e < in + before ? e : in + before) - b;
    }
};

/// f(plane, row, column) for every window of an output.
template <class F>
void each_window(pool_axis const* a, F const& f) {
    for (std::int64_t d = 0; d < a[2].out; ++d)
        for (std::int64_t h = 0; h < a[1].out; ++h)
            for (std::int64_t w = 0; w < a[0].out; ++w) f(d, h, w);
}

/// y: the largest element under each window, the first of several, NaN above all; index: its place in the image, row-major.
template <class T, class Build = simd::batch<T>>
void max_pool(images<T const> const& x, images<T> const& y, images<std::int64_t> const& index, pool_axis const* a) {
    for (std::int64_t n = 0; n < x.items; ++n)
        for (std::int64_t c = 0; c < x.channels; ++c) {
            T const* const from = x.data + n * x.item + c * x.channel;
            each_window(a, [&](std::int64_t d, std::int64_t h, std::int64_t w) {
                std::int64_t const d0 = a[2].begin(d), h0 = a[1].begin(h), w0 = a[0].begin(w);
                std::int64_t const d1 = a[2].end(d), h1 = a[1].end(h), w1 = a[0].end(w);
                T best = -std::numeric_limits<T>::infinity();
                std::int64_t at = (d0 * a[1].in + h0) * a[0].in + w0;
                for (std::int64_t i = d0; i < d1; i += a[2].dilation)
                    for (std::int64_t j = h0; j < h1; j += a[1].dilation) {
                        T const* const row = from + i * x.step[2] + j * x.step[1];
                        for (std::int64_t k = w0; k < w1; k += a[0].dilation) {
                            T const v = row[k * x.step[0]];
                            if (v > best || v != v) {
                                best = v;
                                at = (i * a[1].in + j) * a[0].in + k;
                                if (v != v) goto found;  // the first of several
                            }
                        }
                    }
            found:
                std::ptrdiff_t const to = d * y.step[2] + h * y.step[1] + w * y.step[0];
                if (y.data) y.data[n * y.item + c * y.channel + to] = best;
                if (index.data) index.data[n * index.item + c * index.channel + d * index.step[2] + h * index.step[1] + w * index.step[0]] = at;
            });
        }
}

/// y[window] = x at index[window], and its transpose: x gets what stands at the windows that name its elements.
template <class T, class Build = simd::batch<T>>
void take_at(images<T const> const& x, images<std::int64_t const> const& index, images<T> const& y) {
    pool_axis a[window_axes];
    for (int k = 0; k < window_axes; ++k) a[k].out = y.extent[k];
    for (std::int64_t n = 0; n < y.items; ++n)
        for (std::int64_t c = 0; c < y.channels; ++c)
            each_window(a, [&](std::int64_t d, std::int64_t h, std::int64_t w) {
                std::int64_t const i = index.data[n * index.item + c * index.channel + d * index.step[2] + h * index.step[1] + w * index.step[0]];
                std::int64_t const column = i % x.extent[0], rest = i / x.extent[0], row = rest % x.extent[1], plane = rest / x.extent[1];
                y.data[n * y.item + c * y.channel + d * y.step[2] + h * y.step[1] + w * y.step[0]] =
                    x.data[n * x.item + c * x.channel + plane * x.step[2] + row * x.step[1] + column * x.step[0]];
            });
}
template <class T, class Build = simd::batch<T>>
void add_at(images<T const> const& y, images<std::int64_t const> const& index, images<T> const& x) {
    pool_axis all[window_axes], a[window_axes];
    for (int k = 0; k < window_axes; ++k) all[k].out = x.extent[k], a[k].out = y.extent[k];
    for (std::int64_t n = 0; n < y.items; ++n)
        for (std::int64_t c = 0; c < y.channels; ++c) {
            T* const to = x.data + n * x.item + c * x.channel;
            each_window(all, [&](std::int64_t d, std::int64_t h, std::int64_t w) { to[d * x.step[2] + h * x.step[1] + w * x.step[0]] = T(0); });
            each_window(a, [&](std::int64_t d, std::int64_t h, std::int64_t w) {
                std::int64_t const i = index.data[n * index.item + c * index.channel + d * index.step[2] + h * index.step[1] + w * index.step[0]];
                std::int64_t const column = i % x.extent[0], rest = i / x.extent[0], row = rest % x.extent[1], plane = rest / x.extent[1];
                to[plane * x.step[2] + row * x.step[1] + column * x.step[0]] +=
                    y.data[n * y.item + c * y.channel + d * y.step[2] + h * y.step[1] + w * y.step[0]];
            });
        }
}

/// y[window] = the mean of x under it.
template <class T, class Build = simd::batch<T>>
void average(images<T const> const& x, images<T> const& y, pool_axis const* a) {
    for (std::int64_t n = 0; n < x.items; ++n)
        for (std::int64_t c = 0; c < x.channels; ++c) {
            T const* const from = x.data + n * x.item + c * x.channel;
            each_window(a, [&](std::int64_t d, std::int64_t h, std::int64_t w) {
                std::int64_t const w0 = a[0].begin(w), w1 = a[0].end(w);
                T sum = 0;
                for (std::int64_t i = a[2].begin(d); i < a[2].end(d); ++i)
                    for (std::int64_t j = a[1].begin(h); j < a[1].end(h); ++j) {
                        T const* const row = from + i * x.step[2] + j * x.step[1];
                        for (std::int64_t k = w0; k < w1; ++k) sum += row[k * x.step[0]];
                    }
                y.data[n * y.item + c * y.channel + d * y.step[2] + h * y.step[1] + w * y.step[0]] =
                    sum / static_cast<T>(a[2].count(d) * a[1].count(h) * a[0].count(w));
            });
        }
}
/// Its transpose.
template <class T, class Build = simd::batch<T>>
void share_out(images<T const> const& y, images<T> const& x, pool_axis const* a) {
    pool_axis all[window_axes];
    for (int k = 0; k < window_axes; ++k) all[k].out = x.extent[k];
    for (std::int64_t n = 0; n < x.items; ++n)
        for (std::int64_t c = 0; c < x.channels; ++c) {
            T* const to = x.data + n * x.item + c * x.channel;
            each_window(all, [&](std::int64_t d, std::int64_t h, std::int64_t w) { to[d * x.step[2] + h * x.step[1] + w * x.step[0]] = T(0); });
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

}  // namespace tapeless::detail
