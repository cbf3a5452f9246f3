// SPDX-License-Identifier: MIT
#pragma once
// Steps of Runge and Kutta for u' = a (l - 2 u + r) - b u (r - l), where l and r are the neighbours of u on a ring, by
// hand: one pass over the numbers a stage, forwards and backwards.

#include <algorithm>
#include <utility>
#include <vector>

#include "loop_tools.hpp"

namespace handwritten {

/// n numbers, a multiple of four registers, between copies of those at the other end.
template <class T>
class ring {
public:
    explicit ring(std::int64_t n) : n_(n), all_(static_cast<std::size_t>(n + 2 * edge)) {}
    T* data() { return all_.data() + edge; }
    void close() {
        data()[-1] = data()[n_ - 1];
        data()[n_] = data()[0];
    }

private:
    static constexpr std::int64_t edge = 16;
    std::int64_t n_;
    std::vector<T> all_;
};

template <int Steps, class T>
class neighbours {
public:
    explicit neighbours(std::int64_t n) : n_(n), x_(4 * Steps + 1, ring<T>(n)), w_(2, ring<T>(n)), sum_(n), next_(n) {}

    [[gnu::noinline]] void value(T* to, T const* from) {
        start(from);
        for (int s = 0; s < Steps; ++s) {
            step(x_[0], x_[1], x_[2], x_[1], s + 1 == Steps ? to : x_[0].data());
            x_[0].close();
        }
    }
    /// The sum of the squares after the steps, and its gradient.
    [[gnu::noinline]] T gradient(T* g, T const* from) {
        start(from);
        for (int s = 0; s < Steps; ++s) {
            step(x_[at(s)], x_[at(s) + 1], x_[at(s) + 2], x_[at(s) + 3], x_[at(s + 1)].data());
            x_[at(s + 1)].close();
        }
        B total(T(0));
        T const* const last = x_[at(Steps)].data();
        T* const q = w_[0].data();
        each(
            n_, [&](std::int64_t i) __attribute__((always_inline)) {
                B const y = simd::load(last + i);
                total = simd::fma(y, y, total);
                simd::store(q + i, y + y);
            });
        w_[0].close();
        for (int s = Steps - 1; s >= 0; --s) {
            pull<4>(x_[at(s) + 3], h, h / 3);
            pull<3>(x_[at(s) + 2], h / 2, h / 3);
            pull<2>(x_[at(s) + 1], h / 2, h / 6);
            pull<1>(x_[at(s)], 0, 0);
        }
        std::copy_n(w_[0].data(), n_, g);
        return simd::reduce_add(total);
    }

private:
    using B = simd::batch<T>;
    static constexpr double h = 0.01, a = 0.3, b = 0.5;
    std::int64_t n_;
    std::vector<ring<T>> x_;  ///< what the slopes of each step are taken at
    std::vector<ring<T>> w_;  ///< cotangents: of a step's end, and of a slope
    ring<T> sum_, next_;

    static constexpr std::size_t at(int s) { return static_cast<std::size_t>(4 * s); }
    template <class F>
    [[gnu::always_inline]] static void each(std::int64_t n, F const& f) {
        constexpr int L = simd::lanes<T>, U = 4;
        for (std::int64_t i = 0; i + U * L <= n; i += U * L)
            unroll<U>([&](auto u) __attribute__((always_inline)) { f(i + u * L); });
    }
    void start(T const* from) {
        std::copy_n(from, n_, x_[0].data());
        x_[0].close();
    }
    /// next = y + c slope(u), and the sum of the step, which is at its last stage the result.
    template <int Stage>
    [[gnu::noinline]] void stage(T* to, ring<T>& u, ring<T>& from, double c, double weight) {
        T const *const x = u.data(), *const y = from.data();
        T* const sum = sum_.data();
        B const diffusion(static_cast<T>(a)), two(T(2)), speed(static_cast<T>(b)), factor(static_cast<T>(c)),
            share(static_cast<T>(weight));
        each(
            n_, [&](std::int64_t i) __attribute__((always_inline)) {
                B const l = simd::load(x + i - 1), m = simd::load(x + i), r = simd::load(x + i + 1);
                B const k = simd::fnma(speed * m, r - l, diffusion * (simd::fnma(two, m, l) + r));
                B const before = Stage == 1 ? m : simd::load(static_cast<T const*>(sum) + i);
                B const all = simd::fma(share, k, before);
                if constexpr (Stage < 4) {
                    simd::store(sum + i, all);
                    simd::store(to + i, simd::fma(factor, k, Stage == 1 ? m : simd::load(y + i)));
                } else simd::store(to + i, all);
            });
    }
    void step(ring<T>& y, ring<T>& x2, ring<T>& x3, ring<T>& x4, T* to) {
        stage<1>(x2.data(), y, y, h / 2, h / 6);
        x2.close();
        stage<2>(x3.data(), x2, y, h / 2, h / 3);
        x3.close();
        stage<3>(x4.data(), x3, y, h, h / 3);
        x4.close();
        stage<4>(to, x4, y, 0, h / 6);
    }
    /// What the slope at u adds to the cotangent, and the cotangent of the slope before it: factor times that and
    /// `share` times the cotangent of the step's end.
    template <int Stage>
    [[gnu::noinline]] void pull(ring<T>& u, double factor, double share) {
        T const* const x = u.data();
        T *const q = w_[0].data(), *const sum = sum_.data(), *const w = w_[Stage == 4 ? 0 : 1].data();
        T* const next = next_.data();
        B const diffusion(static_cast<T>(a)), twice(static_cast<T>(-2 * a)), speed(static_cast<T>(b)),
            c(static_cast<T>(factor)), d(static_cast<T>(share));
        B const first(Stage == 4 ? T(h / 6) : T(1));
        each(
            n_, [&](std::int64_t i) __attribute__((always_inline)) {
                B const l = simd::load(x + i - 1), r = simd::load(x + i + 1), left = simd::load(w + i - 1),
                        m = simd::load(w + i), right = simd::load(w + i + 1);
                B k = simd::fnma(speed, r - l, twice) * m;
                k = simd::fma(simd::fma(speed, r, diffusion), right, k);
                k = simd::fma(simd::fnma(speed, l, diffusion), left, k);
                if constexpr (Stage == 4) k = k * first;
                B const end = simd::load(static_cast<T const*>(q) + i);
                B const all = k + (Stage == 4 ? end : simd::load(static_cast<T const*>(sum) + i));
                simd::store(sum + i, all);
                if constexpr (Stage > 1) simd::store(next + i, simd::fma(c, k, d * end));
            });
        if constexpr (Stage > 1) {
            next_.close();
            std::swap(w_[1], next_);
        } else {
            std::swap(w_[0], sum_);
            w_[0].close();
        }
    }
};

}  // namespace handwritten
