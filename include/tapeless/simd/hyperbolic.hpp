// SPDX-License-Identifier: MIT
#pragma once
// tanh.

#include <tapeless/simd/exponential.hpp>

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

}  // namespace detail

template <real T>
[[gnu::always_inline]] inline batch<T> tanh(xsimd::batch<T> x) {
    return detail::wrap<T>(detail::tanh<T>(detail::raw(x)));
}
template <real T>
[[gnu::always_inline]] inline T tanh(T x) {
    return detail::tanh<T>(detail::splat<T>(x))[0];
}

}  // namespace tapeless::simd
