// SPDX-License-Identifier: MIT
#pragma once
// What goes on from number to number, and what picks points by their numbers, by hand.

#include <cmath>
#include <utility>
#include <vector>

#include "loop_tools.hpp"

namespace handwritten {

/// The sum of log h + x² / h over a series x, where h' = w + a x² + b h; its gradient by w, a, b and the first h. The
/// logarithms and quotients are taken apart from the loop, some at a time.
template <class T>
class varying_variance {
public:
    explicit varying_variance(std::int64_t n) : n_(n), h_(static_cast<std::size_t>(n)), q_(h_.size()) {}

    [[gnu::noinline]] T run(T* g, T const* p, T const* x) {
        constexpr int L = simd::lanes<T>;
        using B = simd::batch<T>;
        T const w = p[0], a = p[1], b = p[2];
        T h = p[3];
        for (std::int64_t i = 0; i < n_; ++i) {
            h_[static_cast<std::size_t>(i)] = h;
            h = w + a * x[i] * x[i] + b * h;
        }
        B sum(T(0));
        std::int64_t i = 0;
        for (; i + L <= n_; i += L) {
            B const hi = simd::load(h_.data() + i), xi = simd::load(x + i), q = B(T(1)) / hi, u = xi * xi * q;
            sum = sum + simd::log(hi) + u;
            simd::store(q_.data() + i, simd::fnma(u, q, q));  // 1/h - x²/h²
        }
        T lanes[L], total = 0;
        simd::store(lanes, sum);
        for (T v : lanes) total += v;
        for (; i < n_; ++i) {
            T const hi = h_[static_cast<std::size_t>(i)], q = 1 / hi, u = x[i] * x[i] * q;
            total += std::log(hi) + u;
            q_[static_cast<std::size_t>(i)] = q - u * q;
        }
        T by_w = 0, by_a = 0, by_b = 0, by_h = 0;
        while (i-- > 0) {
            by_w += by_h, by_a += by_h * x[i] * x[i], by_b += by_h * h_[static_cast<std::size_t>(i)];
            by_h = by_h * b + q_[static_cast<std::size_t>(i)];
        }
        g[0] = by_w, g[1] = by_a, g[2] = by_b, g[3] = by_h;
        return total;
    }

private:
    std::int64_t n_;
    std::vector<T> h_, q_;
};

/// m springs between n points in the plane: half the squares of what they are longer than at rest.
template <class T>
[[gnu::noinline]] T springs(T* g, T const* p, std::int64_t n, int const* from, int const* to, T const* rest,
                            std::int64_t m) {
    for (std::int64_t i = 0; i < 2 * n; ++i) g[i] = 0;
    T total = 0;
    for (std::int64_t e = 0; e < m; ++e) {
        int const i = 2 * from[e], j = 2 * to[e];
        T x = p[i] - p[j], y = p[i + 1] - p[j + 1];
        T const r = std::sqrt(x * x + y * y), d = r - rest[e], q = d / r;
        total += T(0.5) * d * d;
        x *= q, y *= q;
        g[i] += x, g[i + 1] += y, g[j] -= x, g[j + 1] -= y;
    }
    return total;
}

/// Steps u + k (left - 2 u + right) of n numbers, whose ends stay, and the sum of squares after them.
template <int Steps, class T>
[[gnu::noinline]] T heat(T* g, T const* u, std::int64_t n, T k, T* a, T* b) {
    for (std::int64_t i = 0; i < n; ++i) a[i] = u[i];
    for (int s = 0; s < Steps; ++s) {
        b[0] = a[0], b[n - 1] = a[n - 1];
        for (std::int64_t i = 1; i + 1 < n; ++i) b[i] = a[i] + k * (a[i - 1] - 2 * a[i] + a[i + 1]);
        std::swap(a, b);
    }
    T total = 0;
    for (std::int64_t i = 0; i < n; ++i) total += a[i] * a[i], a[i] *= 2;
    for (int s = 0; s < Steps; ++s) {
        for (std::int64_t i = 2; i + 2 < n; ++i) b[i] = a[i] + k * (a[i - 1] - 2 * a[i] + a[i + 1]);
        b[0] = a[0] + k * a[1], b[1] = a[1] + k * (a[2] - 2 * a[1]);
        b[n - 1] = a[n - 1] + k * a[n - 2], b[n - 2] = a[n - 2] + k * (a[n - 3] - 2 * a[n - 2]);
        std::swap(a, b);
    }
    for (std::int64_t i = 0; i < n; ++i) g[i] = a[i];
    return total;
}

}  // namespace handwritten
