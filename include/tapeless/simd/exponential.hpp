// SPDX-License-Identifier: MIT
#pragma once
// exp, exp2, expm1 and sigmoid: e^x = 2^n e^r with n = round(x / ln 2) and a minimax polynomial for |r| <= ln(2) / 2.

#include <tapeless/simd/elementary.hpp>

namespace tapeless::simd {

namespace detail {

// e^r = 1 + r + r^2 (c[0] + c[1] r + ...), relative error 3e-9 (float), 4e-18 (double).
// ln2_hi has trailing zeros: n * ln2_hi is exact for |n| < 2^11 even without a fused multiply-add.
// Adding `shift` (1.5 * 2^23 or 1.5 * 2^52) rounds to an integer, which then stands in the lowest bits.
template <class T>
struct exp_constants;

template <>
struct exp_constants<float> {
    static constexpr float c[] = {0.49999994f, 0.166665211f, 0.041668389f, 0.00836874545f, 0.00138145441f};
    static constexpr float log2e = 1.44269504f, ln2_hi = 0.693145752f, ln2_lo = 1.42860677e-6f, shift = 12582912.f;
    static constexpr float lowest = -104.f, highest = 89.f;  // e^x is 0 below, infinite above
    static constexpr float all_of_it = 18.f;                 // 1 + e^-x is 1 from here on
    static constexpr int digits = 23, bias = 127;
};

template <>
struct exp_constants<double> {
    static constexpr double c[] = {0.5000000000000011,    0.1666666666666641,    0.04166666666652973,
                                   0.00833333333349498,   0.001388888894375879,  0.0001984126950576047,
                                   2.480149295080446e-05, 2.755758681881435e-06, 2.7630305859655486e-07,
                                   2.50000138317822e-08};
    static constexpr double log2e = 1.4426950408889634, ln2_hi = 6.93147180369123816490e-01,
                            ln2_lo = 1.90821492927058770002e-10, shift = 6755399441055744.;
    static constexpr double lowest = -746., highest = 710.;
    static constexpr double all_of_it = 38.;
    static constexpr int digits = 52, bias = 1023;
};

// 2^r = 1 + r (c[0] + c[1] r + ...) for |r| <= 1/2, relative error 3e-9 (float), 6e-20 (double)
template <class T>
inline constexpr double exp2_terms[] = {
    0.6931471805599453,    0.24022650695910072,    0.055504108664821736,  0.009618129107628562,
    0.001333355814638173,  0.0001540353039317148,  1.525273386485296e-05, 1.3215487003706635e-06,
    1.0178047527904303e-07, 7.054814724820818e-09, 4.4572397980014586e-10, 2.5855392838031595e-11};
template <>
inline constexpr float exp2_terms<float>[] = {0.693147242f,   0.240226522f,  0.0555031039f,
                                              0.00961769279f, 0.00134066434f, 0.000155946967f};

// c[0] + c[1] x + c[2] x^2 + ... with x2 = x^2. Four terms (five at the top) form a pair of pairs, which keeps the
// chain of dependent operations short, and saves the copies that a long chain of a fused multiply-add needs on NEON.
template <class T, std::size_t count>
[[gnu::always_inline]] inline vec<T> polynomial(T const (&c)[count], vec<T> x, vec<T> x2) {
    constexpr std::size_t top = count < 6 ? 0 : (count - 2) / 4 * 4;
    auto const pair = [&](std::size_t i) { return madd<T>(splat<T>(c[i + 1]), x, splat<T>(c[i])); };
    vec<T> y;
    if constexpr (count - top == 5) y = madd<T>(madd<T>(splat<T>(c[top + 4]), x2, pair(top + 2)), x2, pair(top));
    if constexpr (count - top == 4) y = madd<T>(pair(top + 2), x2, pair(top));
    if constexpr (count - top == 3) y = madd<T>(splat<T>(c[top + 2]), x2, pair(top));
    if constexpr (count - top == 2) y = pair(top);
    vec<T> const x4 = x2 * x2;
    for (std::size_t i = top; i > 0; i -= 4) y = madd<T>(y, x4, madd<T>(pair(i - 2), x2, pair(i - 4)));
    return y;
}

template <class T>
struct power_parts {
    vec<T> p, z;
};

// e^(x + low) = 2^n (1 + p), where low is a small correction that may be left out, and z holds n + 2 bias in its lowest
// bits.
template <class T, class... Low>
[[gnu::always_inline]] inline power_parts<T> split_exp(vec<T> x, Low... low) {
    using k = exp_constants<T>;
    constexpr T shift = k::shift + T(2 * k::bias);
    x = at_most<T>(at_least<T>(x, k::lowest), k::highest);
    vec<T> const z = madd<T>(x, splat<T>(k::log2e), splat<T>(shift));
    vec<T> const n = z - shift;
    vec<T> const r = (nmadd<T>(n, splat<T>(k::ln2_lo), nmadd<T>(n, splat<T>(k::ln2_hi), x)) + ... + low);
    vec<T> const r2 = r * r;
    return {madd<T>(polynomial<T>(k::c, r, r2), r2, r), z};
}

// 2^n as two factors 2^h 2^(n-h) with h = floor(n / 2), so that neither leaves the range: half of n + 2 bias is h +
// bias, and the left shifts drop everything else.
template <class T>
struct power_of_two {
    vec<T> first, second;
    [[gnu::always_inline]] explicit power_of_two(vec<T> z) {
        constexpr int digits = exp_constants<T>::digits;
        uvec<T> const h = ubits<T>(z) >> 1;
        first = std::bit_cast<vec<T>>(h << digits);
        second = std::bit_cast<vec<T>>((ubits<T>(z) - h) << digits);
    }
};

// (1 + p) 2^n, with n + 2 bias in the lowest bits of z. AVX-512 has an instruction for it (with a mask: without one g++
// warns).
template <class T>
[[gnu::always_inline]] inline vec<T> times_power_of_two(vec<T> p, vec<T> z) {
#if defined(__AVX512F__)
    if constexpr (sizeof(z) == 64) {
        vec<T> const n = z - (exp_constants<T>::shift + T(2 * exp_constants<T>::bias));
        if constexpr (std::same_as<T, float>) return _mm512_maskz_scalef_ps(0xffff, p + T(1), n);
        else return _mm512_maskz_scalef_pd(0xff, p + T(1), n);
    }
#endif
    power_of_two<T> const scale(z);
    return madd<T>(p, scale.first, scale.first) * scale.second;
}

template <class T, class... Low>
[[gnu::always_inline]] inline vec<T> exp(vec<T> x, Low... low) {
    auto const [p, z] = split_exp<T>(x, low...);
    return times_power_of_two<T>(p, z);
}

// e^x for results that are normal numbers: there one factor is enough.
template <class T>
[[gnu::always_inline]] inline vec<T> exp_to_normal(vec<T> x) {
    using k = exp_constants<T>;
    constexpr T shift = k::shift + T(k::bias);
    vec<T> const z = madd<T>(x, splat<T>(k::log2e), splat<T>(shift));
    vec<T> const n = z - shift;
    vec<T> const r = nmadd<T>(n, splat<T>(k::ln2_lo), nmadd<T>(n, splat<T>(k::ln2_hi), x));
    vec<T> const r2 = r * r;
    auto const scale = std::bit_cast<vec<T>>(ubits<T>(z) << k::digits);
    return madd<T>(madd<T>(polynomial<T>(k::c, r, r2), r2, r), scale, scale);
}

template <class T>
[[gnu::always_inline]] inline vec<T> exp2(vec<T> x) {
    using k = exp_constants<T>;
    constexpr T shift = k::shift + T(2 * k::bias);
    x = at_most<T>(at_least<T>(x, T(-k::bias - k::digits - 1)), T(k::bias + 1));
    vec<T> const z = x + shift;
    vec<T> const r = x - (z - shift);
    return times_power_of_two<T>(r * polynomial<T>(exp2_terms<T>, r, r * r), z);
}

template <class T>
[[gnu::always_inline]] inline vec<T> expm1(vec<T> x0) {
    using k = exp_constants<T>;
    constexpr T shift = k::shift + T(k::bias - 1);
    vec<T> const x = at_most<T>(at_least<T>(x0, -k::all_of_it - T(1)), k::highest);
    vec<T> const z = madd<T>(x, splat<T>(k::log2e), splat<T>(shift));
    vec<T> const n = z - shift;
    vec<T> const r = nmadd<T>(n, splat<T>(k::ln2_lo), nmadd<T>(n, splat<T>(k::ln2_hi), x));
    // 2^n e^r - 1 = 2 (2^(n-1) (e^r - 1) + 2^(n-1) - 1/2): the factor stays finite for the largest n.
    auto const half_scale = std::bit_cast<vec<T>>(ubits<T>(z) << k::digits);
    vec<T> const r2 = r * r;
    vec<T> const half =
        madd<T>(polynomial<T>(k::c, r, r2) * r2, half_scale, madd<T>(r, half_scale, half_scale - T(0.5)));
    // Next to 0 the result is x itself; this keeps the sign of 0 and the last digit of subnormal numbers.
    vec<T> const magnitude = std::bit_cast<vec<T>>(ibits<T>(x0) & ~sign_bit<T>());
    return magnitude < std::numeric_limits<T>::epsilon() / 4 ? x0 : half + half;
}

// e^x / (1 + e^x); x is cut where the quotient is 1 anyway.
template <class T>
[[gnu::always_inline]] inline vec<T> sigmoid(vec<T> x) {
    vec<T> const e = exp<T>(at_most<T>(x, exp_constants<T>::all_of_it));
    vec<T> const q = e / (e + T(1));
    // A rounding less, where the result is below 1/4: e / (e + 1) = e - e q, with q that quotient.
    return e < T(1) / 3 ? nmadd<T>(e, q, e) : q;
}

}  // namespace detail

template <real_batch B, class T = value_of<B>>
[[gnu::always_inline]] inline B exp(B x) {
    return detail::wrap<T>(detail::exp<T>(detail::raw(x)));
}
template <real_batch B, class T = value_of<B>>
[[gnu::always_inline]] inline B exp2(B x) {
    return detail::wrap<T>(detail::exp2<T>(detail::raw(x)));
}
template <real_batch B, class T = value_of<B>>
[[gnu::always_inline]] inline B expm1(B x) {
    return detail::wrap<T>(detail::expm1<T>(detail::raw(x)));
}
template <real_batch B, class T = value_of<B>>
[[gnu::always_inline]] inline B sigmoid(B x) {
    return detail::wrap<T>(detail::sigmoid<T>(detail::raw(x)));
}

template <real T>
[[gnu::always_inline]] inline T exp(T x) {
    return detail::exp<T>(detail::splat<T>(x))[0];
}
template <real T>
[[gnu::always_inline]] inline T exp2(T x) {
    return detail::exp2<T>(detail::splat<T>(x))[0];
}
template <real T>
[[gnu::always_inline]] inline T expm1(T x) {
    return detail::expm1<T>(detail::splat<T>(x))[0];
}
template <real T>
[[gnu::always_inline]] inline T sigmoid(T x) {
    return detail::sigmoid<T>(detail::splat<T>(x))[0];
}

}  // namespace tapeless::simd
