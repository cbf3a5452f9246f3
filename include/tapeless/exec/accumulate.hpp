// SPDX-License-Identifier: MIT
#pragma once
// Accumulators: combining lanes and blocks, so that long float sums stay accurate.

#include <limits>

#include <tapeless/ir/builder.hpp>
#include <tapeless/simd/value.hpp>

namespace tapeless::detail::inline exec_part {

template <combination C, class T>
constexpr T identity() {
    if constexpr (C == combination::sum) return T(0);
    else if constexpr (C == combination::product) return T(1);
    else if constexpr (std::numeric_limits<T>::has_infinity)
        return C == combination::max ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::infinity();
    else return C == combination::max ? std::numeric_limits<T>::lowest() : std::numeric_limits<T>::max();
}

template <combination C, class B>
TAPELESS_CONFIG_INLINE inline B combine(B a, B b) {
    if constexpr (C == combination::sum) return simd::add(a, b);
    else if constexpr (C == combination::product) return simd::mul(a, b);
    else if constexpr (C == combination::max) return simd::maximum(a, b);
    else return simd::minimum(a, b);
}

/// The same of two numbers.
template <class T>
TAPELESS_CONFIG_INLINE constexpr T combine_two(combination how, T a, T b) {
    if (how == combination::sum) return static_cast<T>(a + b);
    if (how == combination::product) return static_cast<T>(a * b);
    return b != b || (how == combination::max ? a < b : b < a) ? b : a;
}

/// The first lanes, where b has fewer.
template <combination C, class T, int W, int Lanes>
TAPELESS_CONFIG_INLINE inline void combine_into(value<T, W>& a, value<T, Lanes> const& b) {
    a.reg[0] = combine<C>(a.reg[0], b.reg[0]);
    if constexpr (value<T, Lanes>::registers > 1) {
#pragma GCC unroll 64
        for (int r = 1; r < value<T, Lanes>::registers; ++r) a.reg[r] = combine<C>(a.reg[r], b.reg[r]);
    }
}

/// The lanes from n on made to leave the result alone.
template <combination C, class T, int W>
TAPELESS_CONFIG_INLINE inline value<T, W> only_first(value<T, W> v, int n) {
    using B = simd::batch<T>;
    constexpr int L = value<T, W>::lanes;
#pragma GCC unroll 64
    for (int r = 0; r < value<T, W>::registers; ++r)
        v.reg[r] = simd::select(simd::first_lanes<T>(share<L>(n, r)), v.reg[r], B(identity<C, T>()));
    return v;
}

/// The lanes combined.
template <combination C, class T>
TAPELESS_CONFIG_INLINE inline T lanes_together(simd::batch<T> b) {
    if constexpr (C == combination::sum) return simd::reduce_add(b);
    else if constexpr (C == combination::product) return simd::reduce_mul(b);
    else if constexpr (C == combination::max) return simd::reduce_max(b);
    else return simd::reduce_min(b);
}

/// Where the sums of blocks are added up: in double for float, with what rounding lost for double.
template <combination C, class T>
struct total {
    simd::batch<T> best;
    TAPELESS_CONFIG_INLINE void clear() { best = simd::batch<T>(identity<C, T>()); }
    TAPELESS_CONFIG_INLINE void add(simd::batch<T> b) { best = combine<C>(best, b); }
    TAPELESS_CONFIG_INLINE T result() const { return lanes_together<C>(best); }
    TAPELESS_CONFIG_INLINE T number() const { return result(); }
};
template <>
struct total<combination::sum, float> {
    double sum;
    TAPELESS_CONFIG_INLINE void clear() { sum = 0; }
    TAPELESS_CONFIG_INLINE void add(simd::batch<float> b) {
        sum += static_cast<double>(simd::reduce_add(b));
    }
    TAPELESS_CONFIG_INLINE float result() const { return static_cast<float>(sum); }
    TAPELESS_CONFIG_INLINE double number() const { return sum; }
};
template <>
struct total<combination::sum, double> {
    simd::batch<double> sum, lost;
    TAPELESS_CONFIG_INLINE void clear() { sum = lost = simd::batch<double>(0.0); }
    TAPELESS_CONFIG_INLINE void add(simd::batch<double> b) {
        // s + error is sum + b, exactly
        simd::batch<double> const s = simd::add(sum, b), t = simd::sub(s, sum);
        simd::batch<double> const error = simd::add(simd::sub(sum, simd::sub(s, t)), simd::sub(b, t));
        lost = simd::add(lost, error);
        sum = s;
    }
    TAPELESS_CONFIG_INLINE double result() const {
        double s = simd::reduce_add(sum), e = simd::reduce_add(lost);
        return e == e ? s + e : s;  // sums that overflow lose nothing but their way
    }
    TAPELESS_CONFIG_INLINE double number() const { return result(); }
};

/// The number a reduction came to: exact for int64 too, and a sum of floats not yet rounded.
struct reduced_number {
    double real;
    std::int64_t whole;
    template <class T>
    TAPELESS_CONFIG_INLINE void set(T x) {
        if constexpr (std::floating_point<T>) real = static_cast<double>(x);
        else whole = static_cast<std::int64_t>(x);
    }
    template <class T>
    TAPELESS_CONFIG_INLINE T get() const {
        if constexpr (std::floating_point<T>) return static_cast<T>(real);
        else return static_cast<T>(whole);
    }
};
/// Some of them. An array and no pointer to its first: of what lies a known distance behind such a pointer, into a
/// structure that a function is given, g++ 12 and 13 take the place of the first for where the function writes and
/// reads (-fipa-modref), and remove calls that they believe to write what nobody reads.
using reduced_numbers = reduced_number[];

}  // namespace tapeless::detail::exec_part
