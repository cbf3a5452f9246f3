// SPDX-License-Identifier: MIT
#pragma once
// What the hand-written loops share: unrolling that surely happens, and sums that stay accurate over 10^7 elements.

#include <cstddef>
#include <cstdint>
#include <utility>

#include <tapeless/simd/simd.hpp>

namespace handwritten {

namespace simd = tapeless::simd;

template <int N>
struct constant {
    constexpr operator int() const { return N; }
};

/// f(constant<0>{}), ..., f(constant<N - 1>{}): arrays indexed by these stay in registers at -O2.
template <int N, class F>
[[gnu::always_inline]] inline void unroll(F&& f) {
    [&]<int... i>(std::integer_sequence<int, i...>) __attribute__((always_inline)) { (f(constant<i>{}), ...); }
    (std::make_integer_sequence<int, N>{});
}

/// How many times a register is added to before its content moves on: float sums stay short.
inline constexpr int block = 64;

/// The sum of many short sums: in double for float, with what rounding lost for double.
template <class T>
class long_sum;

template <>
class long_sum<float> {
public:
    [[gnu::always_inline]] void add(simd::batch<float> b) {
        float lane[simd::lanes<float>];
        simd::store(lane, b);
        double s = 0;
        for (float x : lane) s += static_cast<double>(x);
        sum_ += s;
    }
    [[gnu::always_inline]] void add(float x) { sum_ += static_cast<double>(x); }
    double result() const { return sum_; }

private:
    double sum_ = 0;
};

template <>
class long_sum<double> {
public:
    [[gnu::always_inline]] void add(simd::batch<double> b) {
        auto const s = sum_ + b, t = s - sum_;
        lost_ = lost_ + ((sum_ - (s - t)) + (b - t));
        sum_ = s;
    }
    double result() const { return simd::reduce_add(sum_) + simd::reduce_add(lost_); }

private:
    simd::batch<double> sum_ = simd::batch<double>(0.0), lost_ = simd::batch<double>(0.0);
};

/// total[0 .. lanes) += b, in double.
template <class T>
[[gnu::always_inline]] inline void add_lanes(double* total, simd::batch<T> b) {
    T lane[simd::lanes<T>];
    simd::store(lane, b);
    for (int i = 0; i < simd::lanes<T>; ++i) total[i] += static_cast<double>(lane[i]);
}

}  // namespace handwritten
