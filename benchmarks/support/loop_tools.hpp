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

#if defined(__aarch64__) || defined(__AVX512F__)
inline constexpr int registers = 32;
#else
inline constexpr int registers = 16;
#endif

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

/// How many rows are added up before the sums of columns move on.
inline constexpr std::int64_t rows_a_block = 256;

/// The sums of M columns: over a block of rows where the result is wanted, over the blocks in double.
template <class T, int M>
class column_sums {
public:
    explicit column_sums(T* out) : block_sum(out) {
        for (int c = 0; c < M; ++c) block_sum[c] = T(0);
    }
    T* const block_sum;

    /// After the last row of a block of [0, n).
    void end_block(std::int64_t last, std::int64_t n, T factor) {
        if (n <= rows_a_block) {
            if (factor != T(1))
                for (int c = 0; c < M; ++c) block_sum[c] *= factor;
            return;
        }
        if (last <= rows_a_block)
            for (int c = 0; c < M; ++c) total_[c] = static_cast<double>(block_sum[c]);
        else
            for (int c = 0; c < M; ++c) total_[c] += static_cast<double>(block_sum[c]);
        for (int c = 0; c < M; ++c) block_sum[c] = T(0);
        if (last == n)
            for (int c = 0; c < M; ++c) block_sum[c] = static_cast<T>(static_cast<double>(factor) * total_[c]);
    }

private:
    double total_[static_cast<std::size_t>(M)];
};

/// f(constant<J>{}, i) for J rows at a time of [first, last), then for half as many, and so on.
template <int J, class F>
[[gnu::always_inline]] inline void each_rows(std::int64_t first, std::int64_t last, F const& f) {
    for (; first + J <= last; first += J) f(constant<J>{}, first);
    if constexpr (J > 1)
        if (first < last) each_rows<J / 2>(first, last, f);
}

}  // namespace handwritten
