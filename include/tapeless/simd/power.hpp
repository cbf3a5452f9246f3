// SPDX-License-Identifier: MIT
#pragma once
// pow: e^(y log x), of floats in double precision, of doubles with a logarithm in two parts.

#include <tapeless/simd/convert.hpp>
#include <tapeless/simd/logarithm.hpp>

namespace tapeless::simd {

namespace detail {

// Zero, negative, infinite or NaN; among doubles subnormal as well.
template <class T>
[[gnu::always_inline]] inline ivec<T> no_plain_base(vec<T> x) {
    constexpr T smallest = sizeof(T) == 4 ? std::numeric_limits<T>::denorm_min() : std::numeric_limits<T>::min();
    constexpr auto from = std::bit_cast<uint_like<T>>(smallest);
    constexpr auto infinity = std::bit_cast<uint_like<T>>(std::numeric_limits<T>::infinity());
    return std::bit_cast<ivec<T>>((ubits<T>(x) - from) >= (infinity - from));
}

// From |x|^y to x^y. A negative base: an odd exponent gives a negative power, an even one a positive, all others a NaN.
// The lanes of `unknown` and those without a plain base go through the C library.
template <class T>
[[gnu::noinline, gnu::cold]] vec<T> pow_of_any(batch<T> base, batch<T> exponent, batch<T> power, mask<T> unknown) {
    vec<T> const x = raw(base), y = raw(exponent), half_y = y * T(0.5);
    auto const whole = std::bit_cast<ivec<T>>(rounded<direction::even, T>(y) == y);
    auto const odd = whole & std::bit_cast<ivec<T>>(rounded<direction::even, T>(half_y) != half_y);
    auto const negative = std::bit_cast<ivec<T>>(ibits<T>(x) < 0);
    auto out = std::bit_cast<vec<T>>((ibits<T>(raw(power)) ^ (odd & negative & sign_bit<T>())) | (negative & ~whole));
    ivec<T> const redo = raw(unknown) | no_plain_base<T>(magnitude<T>(x));
    for (int i = 0; i < lanes<T>; ++i)
        if (redo[i] != 0) out[i] = std::pow(x[i], y[i]);
    return out;
}

template <class T>
[[gnu::always_inline]] inline vec<T> checked_pow(vec<T> x, vec<T> y, vec<T> power, ivec<T> unknown) {
    if (any_lane<T>(unknown | no_plain_base<T>(x))) [[unlikely]]
        return pow_of_any<T>(wrap<T>(x), wrap<T>(y), wrap<T>(power), wrap_mask<T>(unknown));
    return power;
}

// 2^(y log2 x) for positive normal x, good to 2^-28 for results in the range of a float.
[[gnu::always_inline]] inline vec<double> rough_pow(vec<double> x, vec<double> y) {
    using e = exp_constants<double>;
    // log2 x = k + s (c[0] + c[1] s^2 + ...) with s = (m - 1) / (m + 1), and 2^r = 1 + r (c[0] + c[1] r + ...)
    constexpr double log_terms[] = {2.8853900817901716, 0.9617966732257986, 0.5770836085813578, 0.4116712230192797,
                                    0.340759117610577};
    constexpr double exp_terms[] = {0.6931472149657627,   0.24022652783851214,   0.05550310552878564,
                                    0.009617692889973418, 0.0013406643426792085, 0.00015594696197392417};
    auto const [k, m] = split_exponent<double>(x);
    vec<double> const s = (m - 1.) / (m + 1.);
    vec<double> const s2 = s * s;
    vec<double> const t = madd<double>(polynomial<double>(log_terms, s2, s2 * s2), s, k) * y;
    // Beyond these bounds the float is 0 or infinite, while the double still is an ordinary number.
    vec<double> const bounded = at_most<double>(at_least<double>(t, -300.), 300.);
    constexpr double shift = e::shift + e::bias;
    vec<double> const z = bounded + shift;
    vec<double> const r = bounded - (z - shift);
    auto const scale = std::bit_cast<vec<double>>(ubits<double>(z) << e::digits);
    return madd<double>(polynomial<double>(exp_terms, r, r * r) * r, scale, scale);
}

[[gnu::always_inline]] inline vec<float> pow(vec<float> x, vec<float> y) {
    auto const base = to_doubles(magnitude<float>(x)), exponent = to_doubles(y);
    vec<float> const power = to_floats({rough_pow(base.low, exponent.low), rough_pow(base.high, exponent.high)});
    return checked_pow<float>(x, y, power, std::bit_cast<ivec<float>>(power != power));
}

// c - a b, where c is close to the product, which is taken without rounding
[[gnu::always_inline]] inline vec<double> difference_of_product(vec<double> a, vec<double> b, vec<double> c) {
    if constexpr (has_fma) {
        return nmadd<double>(a, b, c);
    } else {
        auto const upper = [](vec<double> v) { return std::bit_cast<vec<double>>(ibits<double>(v) & -(1ll << 27)); };
        vec<double> const ah = upper(a), al = a - ah, bh = upper(b), bl = b - bh;
        return (((c - ah * bh) - ah * bl) - al * bh) - al * bl;
    }
}

struct log_sum {
    vec<double> hi, lo;
};

// log x = k ln 2 + log c + 2 atanh(s) with s = (m - c) / (m + c) and x = 2^k m, for positive normal x, with an error
// below 2^-66 of it. c is m rounded to four digits, so that |s| < 0.031; of log c and ln 2 the sum of the upper parts
// is exact.
[[gnu::always_inline]] inline log_sum log_in_two_parts(vec<double> x) {
    using e = exp_constants<double>;
    static constexpr double log_c[][2] = {
        {-0.3746934494413381, -7.260466149925637e-14},   {-0.28768207245184385, 6.292357389008195e-14},
        {-0.20763936477828793, 4.3425422595242564e-14},  {-0.13353139262449076, -3.1859736349078334e-14},
        {-0.0645385211375924, 2.1225608044809997e-14},   {0.0, 0.0},
        {0.11778303565643, -4.654729747598445e-14},      {0.22314355131425145, -4.169796584527195e-14},
        {0.31845373111855224, -1.7625431312172662e-14}};
    // 2 atanh(s) = 2s + s^3 (c[0] + c[1] s^2 + ...)
    constexpr double terms[] = {0.6666666666666666, 0.39999999999996266, 0.28571428591205295, 0.2222217860981068,
                                0.18224536568727295};
    auto const [k, m] = split_exponent<double>(x);
    constexpr std::int64_t unit = std::int64_t(1) << (e::digits - 3);
    ivec<double> const c_bits = (ibits<double>(m) + unit / 2) & -unit;
    ivec<double> const row = (c_bits >> (e::digits - 3)) - (std::bit_cast<std::int64_t>(0.6875) >> (e::digits - 3));
    vec<double> log_hi, log_lo;
    each_lane<double>([&](int i) __attribute__((always_inline)) {
        auto const& entry = log_c[row[i]];
        log_hi[i] = entry[0];
        log_lo[i] = entry[1];
    });
    auto const c = std::bit_cast<vec<double>>(c_bits);
    vec<double> const difference = m - c, sum = m + c, q = 1. / sum;
    vec<double> const s = difference * q;
    vec<double> const s_lo = nmadd<double>(s, m - (sum - c), difference_of_product(s, sum, difference)) * q;
    vec<double> const s2 = s * s, twice = s + s;
    vec<double> const small = madd<double>(polynomial<double>(terms, s2, s2 * s2), s2 * s, s_lo + s_lo);
    vec<double> const base = madd<double>(k, splat<double>(e::ln2_hi), log_hi);
    vec<double> const hi = base + twice;
    return {hi, ((base - hi) + twice) + (small + madd<double>(k, splat<double>(e::ln2_lo), log_lo))};
}

[[gnu::always_inline]] inline vec<double> pow(vec<double> x, vec<double> y) {
    using e = exp_constants<double>;
    auto const [log_hi, log_lo] = log_in_two_parts(magnitude<double>(x));
    vec<double> const t = y * log_hi;
    vec<double> const t_lo = y * log_lo - difference_of_product(y, log_hi, t);
    constexpr double shift = e::shift + e::bias;
    vec<double> const z = madd<double>(t + t_lo, splat<double>(e::log2e), splat<double>(shift));
    vec<double> const n = z - shift;
    // e^r = (1 + r) + (what r and 1 + r lost + r^2 (...)): so close to the right value that whole powers come out exact
    vec<double> const r_hi = nmadd<double>(n, splat<double>(e::ln2_hi), t);
    vec<double> const r_lo = nmadd<double>(n, splat<double>(e::ln2_lo), t_lo);
    vec<double> const r = r_hi + r_lo, r2 = r * r, one_plus = r + 1.;
    vec<double> const lost = ((r_hi - r) + r_lo) + (r - (one_plus - 1.));
    vec<double> const power = one_plus + madd<double>(polynomial<double>(e::c, r, r2), r2, lost);
    auto const scale = std::bit_cast<vec<double>>(ubits<double>(z) << e::digits);
    auto const in_range = std::bit_cast<ivec<double>>(magnitude<double>(t) < 708.);
    return checked_pow<double>(x, y, power * scale, ~in_range);
}

}  // namespace detail

template <real_batch B, class T = value_of<B>>
[[gnu::always_inline]] inline B pow(B x, B y) {
    return detail::wrap<T>(detail::pow(detail::raw(x), detail::raw(y)));
}
template <real T>
[[gnu::always_inline]] inline T pow(T x, T y) {
    return detail::pow(detail::splat<T>(x), detail::splat<T>(y))[0];
}
template <class A, class B>
    requires detail::mixed<A, B>
[[gnu::always_inline]] inline auto pow(A x, B y) {
    using V = detail::batch_among<A, B>;
    return pow(detail::to_batch<V>(x), detail::to_batch<V>(y));
}

}  // namespace tapeless::simd
