// SPDX-License-Identifier: MIT
#pragma once
// Images at other sizes: each element is the weighted sum of two neighbours along every axis; and the transpose of that.

#include <tapeless/kernels/windows.hpp>

namespace tapeless::detail {

/// Where the elements of an axis of another length come from.
struct resample_axis {
    std::int64_t in = 1, out = 1;
    bool linear = false, corners = false;  ///< the nearest element, or between two; the first and last elements stay where they are

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

/// f(row, column, number, weight): output element `number` of an image has a part of weight `weight` in that element.
template <class F>
void each_source(resample_axis const* a, F const& f) {
    for (std::int64_t h = 0; h < a[1].out; ++h) {
        auto const r = a[1].at(h);
        for (std::int64_t w = 0; w < a[0].out; ++w) {
            auto const c = a[0].at(w);
            f(h, w, r, c);
        }
    }
}
template <class T, class Build = simd::batch<T>>
void resample(images<T const> const& x, images<T> const& y, resample_axis const* a) {
    for (std::int64_t n = 0; n < y.items; ++n)
        for (std::int64_t c = 0; c < y.channels; ++c) {
            T const* const from = x.data + n * x.item + c * x.channel;
            T* const to = y.data + n * y.item + c * y.channel;
            each_source(a, [&](std::int64_t h, std::int64_t w, auto const& r, auto const& k) {
                auto const at = [&](std::int64_t i, std::int64_t j) { return from[i * x.step[1] + j * x.step[0]]; };
                T const u = static_cast<T>(r.weight), v = static_cast<T>(k.weight);
                T value = at(r.first, k.first);
                if (a[0].linear || a[1].linear)
                    value = (1 - u) * ((1 - v) * value + v * at(r.first, k.second)) + u * ((1 - v) * at(r.second, k.first) + v * at(r.second, k.second));
                to[h * y.step[1] + w * y.step[0]] = value;
            });
        }
}
template <class T, class Build = simd::batch<T>>
void resample_back(images<T const> const& y, images<T> const& x, resample_axis const* a) {
    for (std::int64_t n = 0; n < y.items; ++n)
        for (std::int64_t c = 0; c < y.channels; ++c) {
            T const* const from = y.data + n * y.item + c * y.channel;
            T* const to = x.data + n * x.item + c * x.channel;
            for (std::int64_t i = 0; i < x.extent[1]; ++i)
                for (std::int64_t j = 0; j < x.extent[0]; ++j) to[i * x.step[1] + j * x.step[0]] = T(0);
            each_source(a, [&](std::int64_t h, std::int64_t w, auto const& r, auto const& k) {
                auto const at = [&](std::int64_t i, std::int64_t j) -> T& { return to[i * x.step[1] + j * x.step[0]]; };
                T const u = static_cast<T>(r.weight), v = static_cast<T>(k.weight), g = from[h * y.step[1] + w * y.step[0]];
                at(r.first, k.first) += (1 - u) * (1 - v) * g;
                if (v != 0) at(r.first, k.second) += (1 - u) * v * g;
                if (u != 0) at(r.second, k.first) += u * (1 - v) * g;
                if (u != 0 && v != 0) at(r.second, k.second) += u * v * g;
            });
        }
}

}  // namespace tapeless::detail
