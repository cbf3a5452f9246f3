// SPDX-License-Identifier: MIT
#pragma once
// tanh, sinh and cosh.

#include <tapeless/simd/exponential.hpp>
#include <tapeless/simd/rare_lanes.hpp>

namespace tapeless::simd {

namespace detail {

// (e^2r - 1) / 2 = r + r^2 (c[0] + c[1] r + ...) for 0 <= r <= ln(2) / 2, relative error 1e-8 (float), 2e-17 (double).
template <class T>
struct tanh_constants;

template <>
struct tanh_constants<float> {
    static constexpr float c[] = {1.00000191f, 0.666588962f, 0.334374189f, 0.127348065f, 0.0595972799f};
};

template <>
struct tanh_constants<double> {
    static constexpr double c[] = {0.99999999999999,      0.666666666668093,     0.3333333332630155,
                                   0.13333333504307562,   0.044444420647572244,  0.012698616740699293,
                                   0.0031734901607745063, 0.0007093296278962751, 0.00013288662693505007,
                                   3.522032378368474e-05};
};

// With u = (e^2a - 1) / 2, tanh a = u / (u + 1). For a = (n/2) ln 2 + r: u = 2^n (e^2r - 1) / 2 + (2^n - 1) / 2.
// n is rounded down, which makes r positive: nothing cancels in that sum.
template <class T>
[[gnu::always_inline]] inline vec<T> tanh(vec<T> x) {
    using k = exp_constants<T>;
    constexpr T shift = k::shift + T(k::bias);
    ivec<T> const sign = ibits<T>(x) & sign_bit<T>();
    vec<T> const a = at_most<T>(std::bit_cast<vec<T>>(ibits<T>(x) ^ sign), k::all_of_it / 2 + T(1));
    constexpr T quarter_ln2 = k::ln2_hi / 4;
    vec<T> const z = madd<T>(a - quarter_ln2, splat<T>(2 * k::log2e), splat<T>(shift));
    vec<T> const n = z - shift;
    // The error of a rounded ln 2 grows with n, but its weight in the result falls with 2^n.
    vec<T> r = nmadd<T>(n, splat<T>(has_fma ? (k::ln2_hi + k::ln2_lo) / 2 : k::ln2_hi / 2), a);
    if constexpr (!has_fma) r = nmadd<T>(n, splat<T>(k::ln2_lo / 2), r);
    vec<T> const r2 = r * r;
    auto const scale = std::bit_cast<vec<T>>(ubits<T>(z) << k::digits);
    vec<T> const c = polynomial<T>(tanh_constants<T>::c, r, r2);
    vec<T> const p = madd<T>(c, r2, r);
    vec<T> const u = madd<T>(p, scale, madd<T>(scale, splat<T>(T(0.5)), splat<T>(T(-0.5))));
    // A rounding less, where the result is below 1/4: u / (u + 1) = u - u q, with q that quotient.
    // Without fused operations more is needed: r + (c r^2 - u r) / (u + 1), since there n = 0 and u = r + c r^2.
    auto const small = std::bit_cast<ivec<T>>(u < T(1) / 3);
    vec<T> y;
    if constexpr (has_fma) {
        vec<T> const q = u / (u + T(1));
        y = small ? nmadd<T>(u, q, u) : q;
    } else {
        y = (small ? r : vec<T>{}) + (small ? c * r2 - u * r : u) / (u + T(1));
    }
    return std::bit_cast<vec<T>>(ibits<T>(y) | sign);
}

// sinh r = r + r^3 (s[0] + s[1] r^2 + ...), cosh r = 1 + r^2 (c[0] + c[1] r^2 + ...) for |r| <= ln(2) / 2, relative
// error 1e-11 and 8e-11 (float), 5e-19 and 1e-21 (double).
template <class T>
struct sinh_constants;

template <>
struct sinh_constants<float> {
    static constexpr float s[] = {0.166666672f, 0.00833328627f, 0.00019907704f};
    static constexpr float c[] = {0.5f, 0.0416662395f, 0.00139486999f};
};

template <>
struct sinh_constants<double> {
    static constexpr double s[] = {0.16666666666666674, 0.008333333333322127, 0.00019841269886836392,
                                   2.7557242059340425e-06, 2.5110154340462048e-08};
    static constexpr double c[] = {0.5, 0.041666666666666706, 0.00138888888888645, 2.4801587364178127e-05,
                                   2.7557240188445836e-07, 2.0925128039107444e-09};
};

template <class T>
struct hyperbolic_parts {
    vec<T> r, sinh_excess, cosh_excess, sinh_n, cosh_n;
};

// a = n ln 2 + r: sinh r - r, cosh r - 1, and a quarter of sinh(n ln 2) = (2^n - 2^-n) / 2 and of cosh(n ln 2).
template <class T>
[[gnu::always_inline]] inline hyperbolic_parts<T> split_hyperbolic(vec<T> a) {
    using k = exp_constants<T>;
    constexpr T shift = k::shift + T(k::bias - 3);
    a = at_most<T>(a, k::highest + T(1));
    vec<T> const z = madd<T>(a, splat<T>(k::log2e), splat<T>(shift));
    vec<T> const n = z - shift;
    vec<T> const r = nmadd<T>(n, splat<T>(k::ln2_lo), nmadd<T>(n, splat<T>(k::ln2_hi), a));
    auto const up = std::bit_cast<vec<T>>(ubits<T>(z) << k::digits);  // 2^(n-3)
    auto const down = std::bit_cast<vec<T>>((uvec<T>{} + (uint_like<T>(2 * k::bias - 6) << k::digits)) - ubits<T>(up));
    vec<T> const other = n > T(k::digits) ? vec<T>{} : down;
    vec<T> const r2 = r * r;
    return {r, polynomial<T>(sinh_constants<T>::s, r2, r2 * r2) * (r2 * r),
            polynomial<T>(sinh_constants<T>::c, r2, r2 * r2) * r2, up - other, up + other};
}

// sinh(m + r) = sinh m cosh r + cosh m sinh r with m = n ln 2, which is sinh r next to 0
template <class T>
[[gnu::always_inline]] inline vec<T> sinh(vec<T> x) {
    vec<T> const a = magnitude<T>(x);
    auto const [r, s, c, sinh_m, cosh_m] = split_hyperbolic<T>(a);
    vec<T> const small_terms = madd<T>(sinh_m, c, cosh_m * s);
    vec<T> const y = (madd<T>(cosh_m, r, sinh_m) + small_terms) * T(4);
    return signed_as<T>(a < std::numeric_limits<T>::epsilon() ? a : y, x);
}

// cosh(m + r) = cosh m cosh r + sinh m sinh r
template <class T>
[[gnu::always_inline]] inline vec<T> cosh(vec<T> x) {
    auto const [r, s, c, sinh_m, cosh_m] = split_hyperbolic<T>(magnitude<T>(x));
    vec<T> const small_terms = madd<T>(cosh_m, c, sinh_m * s);
    return (madd<T>(sinh_m, r, cosh_m) + small_terms) * T(4);
}

}  // namespace detail

template <real_batch B, class T = value_of<B>>
[[gnu::always_inline]] inline B tanh(B x) {
    return detail::wrap<T>(detail::tanh<T>(detail::raw(x)));
}
template <real_batch B, class T = value_of<B>>
[[gnu::always_inline]] inline B sinh(B x) {
    return detail::wrap<T>(detail::sinh<T>(detail::raw(x)));
}
template <real_batch B, class T = value_of<B>>
[[gnu::always_inline]] inline B cosh(B x) {
    return detail::wrap<T>(detail::cosh<T>(detail::raw(x)));
}

template <real T>
[[gnu::always_inline]] inline T tanh(T x) {
    return detail::tanh<T>(detail::splat<T>(x))[0];
}
template <real T>
[[gnu::always_inline]] inline T sinh(T x) {
    return detail::sinh<T>(detail::splat<T>(x))[0];
}
template <real T>
[[gnu::always_inline]] inline T cosh(T x) {
    return detail::cosh<T>(detail::splat<T>(x))[0];
}

}  // namespace tapeless::simd
