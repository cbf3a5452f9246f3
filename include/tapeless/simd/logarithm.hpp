// SPDX-License-Identifier: MIT
#pragma once
// log, log1p, log2 and log10.

#include <tapeless/simd/exponential.hpp>
#include <tapeless/simd/rare_lanes.hpp>

namespace tapeless::simd {

namespace detail {

template <class T>
struct log_constants;

template <>
struct log_constants<float> {
    // log(1+f) = f + f^2 (c[0] + c[1] f + ...), relative error 6e-9
    static constexpr float c[] = {-0.5f,        0.333333313f, -0.250008196f, 0.200012267f,  -0.166233584f,
                                  0.142017603f, -0.13160181f, 0.127615646f,  -0.0763448626f};
    static constexpr std::int32_t root_half = 0x3f3504f3;
    static constexpr float log10e = 0.434294492f, log10_2_hi = 0.301029205f, log10_2_lo = 7.90341517e-7f;
};

template <>
struct log_constants<double> {
    // log(1+f) = 2s + s^3 (c[0] + c[1] s^2 + ...) with s = f / (2 + f), as in fdlibm
    static constexpr double c[] = {6.666666666666735130e-01, 3.999999999940941908e-01, 2.857142874366239149e-01,
                                   2.222219843214978396e-01, 1.818357216161805012e-01, 1.531383769920937332e-01,
                                   1.479819860511658591e-01};
    static constexpr std::int64_t root_half = 0x3fe6a09e667f3bcd;
    static constexpr double log10e = 0.4342944819032518, log10_2_hi = 0.30102999566361177,
                            log10_2_lo = 3.694239077158931e-13;
};

// log(1 + f) + low, where 1 + f lies between sqrt(1/2) and sqrt(2) and low is a small correction.
template <class T>
[[gnu::always_inline]] inline vec<T> log_of_fraction(vec<T> f, vec<T> low) {
    if constexpr (std::same_as<T, float>) {
        vec<T> const f2 = f * f;
        return f + madd<T>(polynomial<T>(log_constants<T>::c, f, f2), f2, low);
    } else {
        vec<T> const s = f / (f + T(2));
        vec<T> const s2 = s * s;
        vec<T> const half_square = f * T(0.5) * f;
        vec<T> const p = madd<T>(polynomial<T>(log_constants<T>::c, s2, s2 * s2), s2, half_square);
        return f - (half_square - madd<T>(s, p, low));
    }
}

template <class T>
struct exponent_and_mantissa {
    vec<T> k, m;
};

// x = 2^k m for normal x, with m between sqrt(1/2) and sqrt(2)
template <class T>
[[gnu::always_inline]] inline exponent_and_mantissa<T> split_exponent(vec<T> x) {
    constexpr auto root_half = log_constants<T>::root_half;
    constexpr int digits = exp_constants<T>::digits, bias = exp_constants<T>::bias;
    constexpr auto one = std::bit_cast<int_like<T>>(T(1));
    // unsigned: the bits of NaN and of negative numbers, whose result is thrown away, may wrap around
    uvec<T> const above = ubits<T>(x) + static_cast<uint_like<T>>(one - root_half);
    uvec<T> const mantissa = (above & ((uint_like<T>(1) << digits) - 1)) + static_cast<uint_like<T>>(root_half);
    // The exponent becomes the low digits of a number whose unit they are: x86 cannot convert 64-bit integers.
    constexpr T unit = sizeof(T) == 4 ? T(0x1p23) : T(0x1p52);
    auto const exponent = (above >> digits) | std::bit_cast<uint_like<T>>(unit);
    return {std::bit_cast<vec<T>>(exponent) - (unit + T(bias)), std::bit_cast<vec<T>>(mantissa)};
}

// log(x) for normal x, plus the correction if there is one.
template <class T, class... Low>
[[gnu::always_inline]] inline vec<T> log_of_normal(vec<T> x, Low... low) {
    auto const [k, m] = split_exponent<T>(x);
    vec<T> const y = log_of_fraction<T>(m - T(1), ((k * exp_constants<T>::ln2_lo) + ... + low));
    return madd<T>(k, splat<T>(exp_constants<T>::ln2_hi), y);
}

// Zero, subnormal, negative, infinite or NaN.
template <class T>
[[gnu::always_inline]] inline ivec<T> not_positive_normal(vec<T> x) {
    constexpr auto smallest = std::bit_cast<uint_like<T>>(std::numeric_limits<T>::min());
    constexpr auto infinity = std::bit_cast<uint_like<T>>(std::numeric_limits<T>::infinity());
    return std::bit_cast<ivec<T>>((ubits<T>(x) - smallest) >= (infinity - smallest));
}

template <class T>
[[gnu::always_inline]] inline vec<T> log(vec<T> x) {
    return unless_rare<T>(not_positive_normal<T>(x), x, log_of_normal<T>(x), [](T a) { return std::log(a); });
}

// k + log(1 + f) / ln 2, and likewise to base 10
template <class T>
[[gnu::always_inline]] inline vec<T> log2(vec<T> x) {
    auto const [k, m] = split_exponent<T>(x);
    vec<T> const y = madd<T>(log_of_fraction<T>(m - T(1), vec<T>{}), splat<T>(exp_constants<T>::log2e), k);
    return unless_rare<T>(not_positive_normal<T>(x), x, y, [](T a) { return std::log2(a); });
}
template <class T>
[[gnu::always_inline]] inline vec<T> log10(vec<T> x) {
    using c = log_constants<T>;
    auto const [k, m] = split_exponent<T>(x);
    vec<T> const low = madd<T>(log_of_fraction<T>(m - T(1), vec<T>{}), splat<T>(c::log10e), k * c::log10_2_lo);
    vec<T> const y = madd<T>(k, splat<T>(c::log10_2_hi), low);
    return unless_rare<T>(not_positive_normal<T>(x), x, y, [](T a) { return std::log10(a); });
}

// log(1 + x) = log(u) + c / u, where u = 1 + x as rounded and c is what the rounding lost.
template <class T>
[[gnu::always_inline]] inline vec<T> log1p(vec<T> x) {
    vec<T> const u = x + T(1);
    vec<T> const x_part = u - T(1);
    vec<T> const c = (T(1) - (u - x_part)) + (x - x_part);
    vec<T> y = log_of_normal<T>(u, c / u);
    y = magnitude<T>(x) < std::numeric_limits<T>::epsilon() / 4 ? x : y;
    return unless_rare<T>(not_positive_normal<T>(u), x, y, [](T a) { return std::log1p(a); });
}

}  // namespace detail

template <real_batch B, class T = value_of<B>>
[[gnu::always_inline]] inline B log(B x) {
    return detail::wrap<T>(detail::log<T>(detail::raw(x)));
}
template <real_batch B, class T = value_of<B>>
[[gnu::always_inline]] inline B log1p(B x) {
    return detail::wrap<T>(detail::log1p<T>(detail::raw(x)));
}
template <real_batch B, class T = value_of<B>>
[[gnu::always_inline]] inline B log2(B x) {
    return detail::wrap<T>(detail::log2<T>(detail::raw(x)));
}
template <real_batch B, class T = value_of<B>>
[[gnu::always_inline]] inline B log10(B x) {
    return detail::wrap<T>(detail::log10<T>(detail::raw(x)));
}

template <real T>
[[gnu::always_inline]] inline T log(T x) {
    return detail::log<T>(detail::splat<T>(x))[0];
}
template <real T>
[[gnu::always_inline]] inline T log1p(T x) {
    return detail::log1p<T>(detail::splat<T>(x))[0];
}
template <real T>
[[gnu::always_inline]] inline T log2(T x) {
    return detail::log2<T>(detail::splat<T>(x))[0];
}
template <real T>
[[gnu::always_inline]] inline T log10(T x) {
    return detail::log10<T>(detail::splat<T>(x))[0];
}

}  // namespace tapeless::simd
