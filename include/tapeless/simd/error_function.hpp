// SPDX-License-Identifier: MIT
#pragma once
// erf and erfc: a polynomial next to 0, e^(-x^2) times a smooth function further out.

#include <tapeless/simd/exponential.hpp>
#include <tapeless/simd/rare_lanes.hpp>

namespace tapeless::simd {

namespace detail {

// erf x = x + x (centre[0] + centre[1] x^2 + ...) for |x| <= 3/4, as double 1, relative error 1e-9 (float), 1e-19
// (double). Beyond, erfc x = e^(-x^2) (tail_0 + tail[0] u + tail[1] u^2 + ...) / (x + 1/2) with u = (x - pole) / (x +
// pole), relative error 2e-9 and 2e-17 until erfc x underflows; the sum varies so little that an error of u counts
// for nothing. For erf an error of the size of 1's last digit is enough, which takes fewer terms and no second
// division: as double erfc x = e^(-x^2) (outer[0] + outer[1] u + ...) / (x + pole), as float log(erfc x) = outer[0] +
// outer[1] x + ...
template <class T>
struct erf_constants;

template <>
struct erf_constants<float> {
    static constexpr float centre[] = {0.128379166f,  -0.3761262f,    0.112833932f,
                                       -0.026835436f, 0.00511598215f, -0.00067610963f};
    static constexpr float tail_0 = 0.638489187f;
    static constexpr float tail[] = {-0.0463818945f, -0.0830150545f,  0.0820246711f,   -0.02711308f,
                                     -0.00400153222f, 0.00438007154f, 0.000537965214f, -0.000741278403f};
    static constexpr float outer[] = {-2.93499015e-05f, -1.12839508f,   -0.635916531f,  -0.105089433f,
                                      0.0228072461f,    -0.0031942171f, 0.000211864142f};
    static constexpr float erf_border = 0.75f, erfc_border = 0.75f, pole = 2.f;
    static constexpr float all_of_it = 3.93f, nothing = 10.1f;  // erf is 1, erfc is 0 from here on
};

template <>
struct erf_constants<double> {
    static constexpr double centre[] = {
        0.1283791670955126,     -0.3761263890318375,     0.11283791670954885,  -0.026866170645077875,
        0.005223977624828431,   -0.0008548326981425542,  0.0001205533113295582, -1.4925595772180906e-05,
        1.64610084778027e-06,   -1.6350396222864617e-07, 1.466032872274226e-08, -1.137495573607015e-09,
        5.960685338520971e-11};
    static constexpr double tail_0 = 0.6265040291348648;
    static constexpr double tail[] = {
        -0.06781055306229086, -0.023781147176723662, 0.06482257935141963, -0.05963683170779195,
        0.034154013670332696, -0.011885257454818504, 0.001264695939269115, 0.0009443451024946009,
        -0.00038991644705961814, -5.257913524709654e-05, 6.255141363982258e-05, 2.470160516450968e-06,
        -1.005563101050225e-05, -3.490958483065961e-07, 1.7438503640390564e-06, 1.4287094001074605e-07,
        -3.0851603782494655e-07, -3.0060837551889404e-08, 4.035981195551138e-08};
    static constexpr double outer[] = {
        1.0740069070883984,   -0.883394453167169,    0.5902283571175637,     -0.31046726277548736,
        0.11952774248613038,  -0.026827416546834706, -0.0012134456274679086, 0.0030304447808223458,
        -0.0005560141787579493, -0.0002849253355878636, 0.0001093815923930387, 4.667831467882378e-05};
    static constexpr double erf_border = 1., erfc_border = 0.84, pole = 3., all_of_it = 5.93, nothing = 27.3;
};

// erf x / x - 1
template <class T>
[[gnu::always_inline]] inline vec<T> erf_centre(vec<T> x) {
    vec<T> const x2 = x * x;
    return polynomial<T>(erf_constants<T>::centre, x2, x2 * x2);
}

template <class T>
[[gnu::always_inline]] inline vec<T> erf(vec<T> x) {
    using k = erf_constants<T>;
    vec<T> const a = at_most<T>(magnitude<T>(x), k::all_of_it);
    vec<T> rest;
    if constexpr (std::same_as<T, float>) {
        rest = exp_to_normal<T>(polynomial<T>(k::outer, a, a * a));
    } else {
        vec<T> const q = T(1) / (a + k::pole);
        vec<T> const u = (a - k::pole) * q;
        rest = exp_to_normal<T>(-a * a) * (polynomial<T>(k::outer, u, u * u) * q);
    }
    return signed_as<T>(a < k::erf_border ? madd<T>(a, erf_centre<T>(a), a) : T(1) - rest, x);
}

// x without the lower half of its digits: its square is exact.
template <class T>
[[gnu::always_inline]] inline vec<T> upper_half(vec<T> x) {
    constexpr int low_digits = (std::numeric_limits<T>::digits + 1) / 2;
    return std::bit_cast<vec<T>>(ibits<T>(x) & -(int_like<T>(1) << low_digits));
}

// erfc(x); as Normal erfc(-x/sqrt(2))/2, the normal distribution function, for which x^2 is taken before it is
// divided by 2.
template <class T, bool Normal = false>
[[gnu::always_inline]] inline vec<T> erfc(vec<T> x0) {
    using k = erf_constants<T>;
    constexpr T scale = Normal ? T(0.70710678118654752440) : T(1), square_scale = Normal ? T(0.5) : T(1);
    constexpr T scale_rest = std::same_as<T, float> ? T(1.21016171e-8) : T(-4.833646656726457e-17);
    vec<T> const x = Normal ? x0 * -scale : x0,
                 lost = Normal ? madd<T>(x0, splat<T>(-scale), -x) - scale_rest * x0 : vec<T>{};
    vec<T> const b = at_most<T>(magnitude<T>(x0), k::nothing / scale), a = Normal ? b * scale : b;
    // 1 - erf x, as 1/2 - (erf x - 1/2) where both are of the same size
    vec<T> const part = x > T(0.25) ? splat<T>(T(0.5)) : vec<T>{};
    vec<T> const centre = (T(1) - part) - madd<T>(x, erf_centre<T>(x), Normal ? (x - part) + lost : x - part);
    // b^2 = h^2 + (b - h)(b + h)
    vec<T> const h = upper_half<T>(b);
    auto const [p, z] = split_exp<T>(-square_scale * h * h, square_scale * (h - b) * (h + b));
    // (1 + p) (c + v) with the small terms added first
    vec<T> const u = (a - k::pole) / (a + k::pole);
    vec<T> const v = polynomial<T>(k::tail, u, u * u) * u;
    vec<T> const product = k::tail_0 + madd<T>(p, v + k::tail_0, v);
    power_of_two<T> const power(z);
    vec<T> const tail = product / (a + T(0.5)) * power.first * power.second;
    return square_scale * (a < k::erfc_border ? centre : (x < T(0) ? T(2) - tail : tail));
}

}  // namespace detail

template <real_batch B, class T = value_of<B>>
[[gnu::always_inline]] inline B erf(B x) {
    return detail::wrap<T>(detail::erf<T>(detail::raw(x)));
}
template <real_batch B, class T = value_of<B>>
[[gnu::always_inline]] inline B erfc(B x) {
    return detail::wrap<T>(detail::erfc<T>(detail::raw(x)));
}
/// The standard normal distribution function
template <real_batch B, class T = value_of<B>>
[[gnu::always_inline]] inline B normal_cdf(B x) {
    return detail::wrap<T>(detail::erfc<T, true>(detail::raw(x)));
}

template <real T>
[[gnu::always_inline]] inline T erf(T x) {
    return detail::erf<T>(detail::splat<T>(x))[0];
}
template <real T>
[[gnu::always_inline]] inline T erfc(T x) {
    return detail::erfc<T>(detail::splat<T>(x))[0];
}
template <real T>
[[gnu::always_inline]] inline T normal_cdf(T x) {
    return detail::erfc<T, true>(detail::splat<T>(x))[0];
}

}  // namespace tapeless::simd
