// SPDX-License-Identifier: MIT
#pragma once
// Modified Bessel functions of the first kind, of order 0 and 1, and the same times e^-|x|.

#include <tapeless/simd/through_double.hpp>

namespace tapeless::simd {

namespace detail {

// For |x| <= 8, I0 = centre[0] + centre[1] x^2/4 + ..., and I1 = x/2 times such a sum; relative error 6e-17. Further
// out I = e^x / sqrt(x) (tail[0] + tail[1] s + ...) with s = 16/x - 1; 6.0e-17.
template <int Order, class T>
struct bessel_constants;
template <class T>
struct bessel_constants<0, T> {
    static constexpr T centre[] = {1.0,
                                   1.0,
                                   0.2500000000000001,
                                   0.027777777777777565,
                                   0.001736111111111378,
                                   6.944444444424266e-05,
                                   1.929012345779623e-06,
                                   3.936759885655969e-08,
                                   6.15118741355768e-10,
                                   7.594056840734793e-12,
                                   7.594080018984369e-14,
                                   6.275862240680015e-16,
                                   4.360039776280282e-18,
                                   2.569859089813576e-20,
                                   1.3510023029551199e-22,
                                   4.939910985617876e-25,
                                   3.646032083242615e-27};
    static constexpr T tail[] = {
        0.4021765094450081,      0.0033605519836678614,  0.00013621607438984735,  1.1143033790932038e-05,
        1.4838476651250266e-06,  2.9735985885673923e-07, 8.872034383314144e-08,   3.932584334552952e-08,
        2.1566251453104354e-08,  7.554691881248808e-09,  -6.8493381882867694e-09, -1.340891754008974e-08,
        -5.0381064879032845e-09, 7.552583062123384e-09,  6.560138746917057e-09,   -3.505966530879332e-09,
        -4.575553424534973e-09,  1.5200816953924232e-09, 2.1968921378829006e-09,  -5.715843864202709e-10,
        -6.633287112547084e-10,  1.5279202694981569e-10, 9.36508689281819e-11,    -2.0260604287413626e-11};
};
template <class T>
struct bessel_constants<1, T> {
    static constexpr T centre[] = {1.0,
                                   0.5,
                                   0.08333333333333334,
                                   0.006944444444444433,
                                   0.0003472222222222367,
                                   1.1574074074063106e-05,
                                   2.755731922453285e-07,
                                   4.920949859531225e-09,
                                   6.834652632505484e-11,
                                   7.59405756463584e-13,
                                   6.903701228383478e-15,
                                   5.2299485202605754e-17,
                                   3.3535061507697163e-19,
                                   1.8371489793294634e-21,
                                   8.964033582246973e-24,
                                   3.158678286327369e-26,
                                   2.090657263147499e-28};
    static constexpr T tail[] = {
        0.38939845902587233,     -0.009749577193235737,   -0.0002192357638317243, -1.5038547200567216e-05,
        -1.8349102358955385e-06, -3.483855761044295e-07,  -1.000109565963654e-07, -4.312917729178349e-08,
        -2.339250374801858e-08,  -8.427766093735185e-09,  6.8401389977069586e-09, 1.4034238782067183e-08,
        5.59337010179061e-09,    -7.64239413436356e-09,   -6.983839624895866e-09, 3.4262341490077958e-09,
        4.810597405089944e-09,   -1.4387250533041013e-09, -2.297004161885201e-09, 5.295625441161261e-10,
        6.917089294193807e-10,   -1.4011625179770627e-10, -9.752397204138195e-11, 1.8515118828852956e-11};
};

template <int Order, bool Scaled>
struct bessel_kernel {
    template <class T>
    [[gnu::always_inline]] static vec<T> of(vec<T> x) {
        using k = bessel_constants<Order, T>;
        vec<T> const a = Scaled ? magnitude<T>(x) : at_most<T>(magnitude<T>(x), T(800)), half = a * T(0.5),
                     q = half * half;
        vec<T> centre = polynomial<T>(k::centre, q, q * q);
        if constexpr (Order == 1) centre *= half;
        if constexpr (Scaled) centre *= exp<T>(-a);
        vec<T> const s = T(16) / a - T(1);
        vec<T> tail = polynomial<T>(k::tail, s, s * s) / root<T>(a);
        if constexpr (!Scaled) {  // e^a overflows before the result does
            vec<T> const most = at_most<T>(a, T(709));
            tail = tail * exp<T>(most) * exp<T>(a - most);
        }
        vec<T> const y = a <= T(8) ? centre : tail;
        return Order == 1 ? signed_as<T>(y, x) : y;
    }
};

// I_n(x), or that times e^-|x|, of a number: the power series, of positive terms only, and for large x the asymptotic
// one.
template <bool Scaled, class T>
T bessel_of_number(int n, T x) {
    T const a = std::abs(x), order = static_cast<T>(n);
    T y = 1, term = 1;
    if (!(a > 30 && a > 2 * order * order)) {
        for (int k = 1; k <= n; ++k) term *= a / 2 / static_cast<T>(k);
        y = term;
        for (int k = 1; k < 2000 && term > y * std::numeric_limits<T>::epsilon() / 8; ++k)
            y += term *= a / 2 * (a / 2) / (static_cast<T>(k) * (order + static_cast<T>(k)));
        if constexpr (Scaled) y *= std::exp(-a);
    } else {
        for (int k = 1; k < 60 && std::abs(term) > std::numeric_limits<T>::epsilon() / 8; ++k) {
            T const odd = static_cast<T>(2 * k - 1);
            y += term *= (odd * odd - 4 * order * order) / (8 * a * static_cast<T>(k));
        }
        y /= std::sqrt(T(6.283185307179586) * a);
        if constexpr (!Scaled) {
            T const e = std::exp(std::fmin(a, T(800)) / 2);
            y = a < T(800) ? y * e * e : e * e;
        }
    }
    return n % 2 ? std::copysign(y, x) : y;
}

}  // namespace detail

inline constexpr detail::through_double<detail::bessel_kernel<0, false>> i0{};
inline constexpr detail::through_double<detail::bessel_kernel<1, false>> i1{};
inline constexpr detail::through_double<detail::bessel_kernel<0, true>> i0e{};
inline constexpr detail::through_double<detail::bessel_kernel<1, true>> i1e{};
/// The same of any order, one number after the other.
template <bool Scaled, real_batch B, class T = value_of<B>>
[[gnu::noinline]] B bessel(int n, B x) {
    detail::vec<T> y = detail::raw(x);
    for (int i = 0; i < lanes<T>; ++i)
        y[i] = static_cast<T>(detail::bessel_of_number<Scaled>(n, static_cast<double>(y[i])));
    return detail::wrap<T>(y);
}

}  // namespace tapeless::simd
