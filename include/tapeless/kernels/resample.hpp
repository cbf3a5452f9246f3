// SPDX-License-Identifier: MIT
#pragma once
// Images at other sizes: each element is the weighted sum of two neighbours along every axis; and the transpose of
// that.

#include <type_traits>

#include <tapeless/kernels/windows.hpp>

namespace tapeless::detail {

/// Where the elements of an axis of another length come from.
struct resample_axis {
    std::int64_t in = 1, out = 1;
    /// the nearest element, or between two; the first and last elements stay where they are
    bool linear = false, corners = false;

    struct source {
        std::int64_t first, second;
        double weight;  ///< of the second
    };
    source at(std::int64_t i) const {
        if (!linear) return {i * in / out, i * in / out, 0};
        double const n = static_cast<double>(in), m = static_cast<double>(out), k = static_cast<double>(i);
        double s = corners ? (out > 1 ? k * (n - 1) / (m - 1) : 0) : (k + 0.5) * n / m - 0.5;
        if (s < 0) s = 0;
        std::int64_t f = static_cast<std::int64_t>(s);
        if (f > in - 1) f = in - 1;
        return {f, f + 1 < in ? f + 1 : f, s - static_cast<double>(f)};
    }
};

/// The sources of some columns.
template <class T>
struct resampled_columns {
    static constexpr std::int64_t most = 256;
    std::int64_t begin, count;
    std::ptrdiff_t first[static_cast<std::size_t>(most)], second[static_cast<std::size_t>(most)];
    T weight[static_cast<std::size_t>(most)];
    resampled_columns(resample_axis const& a, std::int64_t from, std::ptrdiff_t step)
        : begin(from), count(a.out - from < most ? a.out - from : most) {
        for (std::int64_t i = 0; i < count; ++i) {
            auto const s = a.at(begin + i);
            first[i] = s.first * step;
            second[i] = s.second * step;
            weight[i] = static_cast<T>(s.weight);
        }
    }
};
/// f(columns, item, channel) for all columns of all images, some at a time.
template <class T, class F>
void each_resampled(images<T> const& y, resample_axis const* a, std::ptrdiff_t step, F const& f) {
    for (std::int64_t w = 0; w < a[0].out; w += resampled_columns<std::remove_const_t<T>>::most) {
        resampled_columns<std::remove_const_t<T>> const columns(a[0], w, step);
        for (std::int64_t n = 0; n < y.items; ++n)
            for (std::int64_t c = 0; c < y.channels; ++c) f(columns, n, c);
    }
}
template <class T, class Build = simd::batch<T>>
void resample(images<T const> const& x, images<T> const& y, resample_axis const* a) {
    each_resampled(y, a, x.step[0], [&](resampled_columns<T> const& k, std::int64_t n, std::int64_t c) {
        T const* const from = x.data + n * x.item + c * x.channel;
        for (std::int64_t h = 0; h < a[1].out; ++h) {
            auto const r = a[1].at(h);
            T const u = static_cast<T>(r.weight);
            T const *const top = from + r.first * x.step[1], *const bottom = from + r.second * x.step[1];
            T* const to = y.data + n * y.item + c * y.channel + h * y.step[1] + k.begin * y.step[0];
            if (!a[0].linear && !a[1].linear) {
                for (std::int64_t i = 0; i < k.count; ++i) to[i * y.step[0]] = top[k.first[i]];
                continue;
            }
            for (std::int64_t i = 0; i < k.count; ++i) {
                T const v = k.weight[i];
                to[i * y.step[0]] = (1 - u) * ((1 - v) * top[k.first[i]] + v * top[k.second[i]]) +
                                    u * ((1 - v) * bottom[k.first[i]] + v * bottom[k.second[i]]);
            }
        }
    });
}
template <class T, class Build = simd::batch<T>>
void resample_back(images<T const> const& y, images<T> const& x, resample_axis const* a) {
    for (std::int64_t n = 0; n < y.items; ++n)
        for (std::int64_t c = 0; c < y.channels; ++c) {
            T* const to = x.data + n * x.item + c * x.channel;
            for (std::int64_t i = 0; i < x.extent[1]; ++i)
                for (std::int64_t j = 0; j < x.extent[0]; ++j) to[i * x.step[1] + j * x.step[0]] = T(0);
        }
    each_resampled(y, a, x.step[0], [&](resampled_columns<T> const& k, std::int64_t n, std::int64_t c) {
        T* const to = x.data + n * x.item + c * x.channel;
        for (std::int64_t h = 0; h < a[1].out; ++h) {
            auto const r = a[1].at(h);
            T const u = static_cast<T>(r.weight);
            T *const top = to + r.first * x.step[1], *const bottom = to + r.second * x.step[1];
            T const* const from = y.data + n * y.item + c * y.channel + h * y.step[1] + k.begin * y.step[0];
            for (std::int64_t i = 0; i < k.count; ++i) {
                T const v = k.weight[i], g = from[i * y.step[0]], one = (1 - v) * g, other = v * g;
                top[k.first[i]] += (1 - u) * one;
                if (v != 0) top[k.second[i]] += (1 - u) * other;
                if (u == 0) continue;
                bottom[k.first[i]] += u * one;
                if (v != 0) bottom[k.second[i]] += u * other;
            }
        }
    });
}

}  // namespace tapeless::detail
