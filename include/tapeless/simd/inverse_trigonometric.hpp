// SPDX-License-Identifier: MIT
#pragma once
// asin, acos, atan and atan2.

#include <tapeless/simd/exponential.hpp>
#include <tapeless/simd/rare_lanes.hpp>

namespace tapeless::simd {

namespace detail {

template <class T>
struct arc_constants;

template <>
struct arc_constants<float> {
    // asin t = t + t^3 (s[0] + s[1] t^2 + ...) for |t| <= 1/2, relative error 6e-10
    static constexpr float s[] = {0.166666627f,  0.075004302f, 0.0445233844f,
                                  0.0318016745f, 0.014326212f, 0.0378194563f};
    // atan t = t + t^3 (a[0] + a[1] t^2 + ...) for |t| <= tan(pi/8), relative error 2e-9
    static constexpr float a[] = {-0.333333194f, 0.199985281f, -0.142428592f, 0.105805986f, -0.0603090972f};
    static constexpr float half_pi = 1.57079637f, half_pi_lo = -4.37113883e-8f;
};

template <>
struct arc_constants<double> {
    // relative errors 2e-18 and 3e-18
    static constexpr double s[] = {0.16666666666666702,  0.07499999999984425,   0.04464285716374379,
                                   0.030381943138356373, 0.022372205133791824,  0.017351752625038293,
                                   0.013979523139739882, 0.01140669830229254,   0.010750760692931046,
                                   0.0037700243474546157, 0.021656878689564413, -0.021060058041668085,
                                   0.03274148389621834};
    static constexpr double a[] = {-0.3333333333333327,   0.19999999999969026,  -0.14285714281348197,
                                   0.11111110824512722,   -0.09090898547465878, 0.076920685194016,
                                   -0.06663144226692316,  0.05847852366957191,  -0.05037894290370755,
                                   0.03800211805539898,   -0.017814206422237227};
    static constexpr double half_pi = 1.5707963267948966, half_pi_lo = 6.123233995736766e-17;
};

// asin t - t, where t2 = t^2 <= 1/4
template <class T>
[[gnu::always_inline]] inline vec<T> asin_excess(vec<T> t, vec<T> t2) {
    return polynomial<T>(arc_constants<T>::s, t2, t2 * t2) * (t2 * t);
}

// Above 1/2: asin a = pi/2 - 2 asin(sqrt((1 - a) / 2)), where the subtraction is exact. Beyond 1 the root is a NaN.
template <class T>
[[gnu::always_inline]] inline vec<T> asin(vec<T> x) {
    using c = arc_constants<T>;
    vec<T> const a = magnitude<T>(x);
    auto const outer = std::bit_cast<ivec<T>>(a > T(0.5));
    vec<T> const rest = (T(1) - a) * T(0.5);
    vec<T> const t = outer ? root<T>(rest) : a;
    vec<T> const e = asin_excess<T>(t, outer ? rest : a * a);
    vec<T> const below = c::half_pi - T(2) * (t + (e - c::half_pi_lo / 2));
    return signed_as<T>(outer ? below : t + e, x);
}

// acos x = pi/2 - asin x in the middle, 2 asin(sqrt((1 - x) / 2)) above 1/2, and pi less that of -x below -1/2
template <class T>
[[gnu::always_inline]] inline vec<T> acos(vec<T> x) {
    using c = arc_constants<T>;
    vec<T> const a = magnitude<T>(x);
    auto const outer = std::bit_cast<ivec<T>>(a > T(0.5));
    vec<T> const rest = (T(1) - a) * T(0.5);
    vec<T> const t = outer ? root<T>(rest) : x;
    vec<T> const e = asin_excess<T>(t, outer ? rest : a * a);
    vec<T> const middle = c::half_pi - (t + (e - c::half_pi_lo));
    vec<T> const near = T(2) * (t + e);
    vec<T> const far = T(2) * (c::half_pi - (t + (e - c::half_pi_lo)));
    return outer ? (x < T(0) ? far : near) : middle;
}

// atan(y / x) for 0 <= y <= x, not both 0: above tan(pi/8) as pi/4 + atan((y - x) / (y + x))
template <class T>
[[gnu::always_inline]] inline vec<T> atan_of_quotient(vec<T> y, vec<T> x) {
    using c = arc_constants<T>;
    constexpr T tan_eighth = T(0.41421356237309503);
    auto const upper = std::bit_cast<ivec<T>>(y > x * tan_eighth);
    vec<T> const t = (upper ? y - x : y) / (upper ? y + x : x);
    vec<T> const t2 = t * t;
    vec<T> const e = polynomial<T>(c::a, t2, t2 * t2) * (t2 * t);
    return upper ? c::half_pi / 2 + (t + (e + c::half_pi_lo / 2)) : t + e;
}

// atan a = pi/2 - atan(1 / a)
template <class T>
[[gnu::always_inline]] inline vec<T> atan(vec<T> x) {
    using c = arc_constants<T>;
    vec<T> const a = magnitude<T>(x), one = splat<T>(T(1));
    auto const steep = std::bit_cast<ivec<T>>(a > T(1));
    vec<T> const y = atan_of_quotient<T>(steep ? one : a, steep ? a : one);
    return signed_as<T>(steep ? c::half_pi - (y - c::half_pi_lo) : y, x);
}

// The angle of the point (x, y): that of the first octant, turned into the others.
template <class T>
[[gnu::always_inline]] inline vec<T> atan2(vec<T> y, vec<T> x) {
    using c = arc_constants<T>;
    using limits = std::numeric_limits<T>;
    vec<T> const one = splat<T>(T(1)), a = magnitude<T>(x), b = magnitude<T>(y);
    auto const steep = std::bit_cast<ivec<T>>(b > a);
    vec<T> near = steep ? a : b, far = steep ? b : a;
    // A quarter, where the sum could overflow; infinite operands count as equal, all other numbers next to them as 0.
    vec<T> const scale = far > limits::max() / 4 ? splat<T>(T(0.25)) : one;
    auto const infinite = std::bit_cast<ivec<T>>(far == limits::infinity());
    near = infinite ? (near == limits::infinity() ? one : vec<T>{}) : near * scale;
    far = infinite | std::bit_cast<ivec<T>>(far == T(0)) ? one : far * scale;
    // 0 + angle, pi/2 - angle, pi/2 + angle or pi - angle
    auto const left = std::bit_cast<ivec<T>>(ibits<T>(x) < 0);
    vec<T> const octant = atan_of_quotient<T>(near, far);
    auto const turned = std::bit_cast<vec<T>>(ibits<T>(octant) ^ ((steep ^ left) & sign_bit<T>()));
    vec<T> const quarters = steep ? one : (left ? one + one : vec<T>{});
    vec<T> const angle = madd<T>(quarters, splat<T>(c::half_pi), madd<T>(quarters, splat<T>(c::half_pi_lo), turned));
    auto const nan = std::bit_cast<ivec<T>>((x != x) | (y != y));
    return nan ? x + y : signed_as<T>(magnitude<T>(angle), y);
}

}  // namespace detail

template <real_batch B, class T = value_of<B>>
[[gnu::always_inline]] inline B asin(B x) {
    return detail::wrap<T>(detail::asin<T>(detail::raw(x)));
}
template <real_batch B, class T = value_of<B>>
[[gnu::always_inline]] inline B acos(B x) {
    return detail::wrap<T>(detail::acos<T>(detail::raw(x)));
}
template <real_batch B, class T = value_of<B>>
[[gnu::always_inline]] inline B atan(B x) {
    return detail::wrap<T>(detail::atan<T>(detail::raw(x)));
}
template <real_batch B, class T = value_of<B>>
[[gnu::always_inline]] inline B atan2(B y, B x) {
    return detail::wrap<T>(detail::atan2<T>(detail::raw(y), detail::raw(x)));
}

template <real T>
[[gnu::always_inline]] inline T asin(T x) {
    return detail::asin<T>(detail::splat<T>(x))[0];
}
template <real T>
[[gnu::always_inline]] inline T acos(T x) {
    return detail::acos<T>(detail::splat<T>(x))[0];
}
template <real T>
[[gnu::always_inline]] inline T atan(T x) {
    return detail::atan<T>(detail::splat<T>(x))[0];
}
template <real T>
[[gnu::always_inline]] inline T atan2(T y, T x) {
    return detail::atan2<T>(detail::splat<T>(y), detail::splat<T>(x))[0];
}

template <class A, class B>
    requires detail::mixed<A, B>
[[gnu::always_inline]] inline auto atan2(A y, B x) {
    using V = detail::batch_among<A, B>;
    return atan2(detail::to_batch<V>(y), detail::to_batch<V>(x));
}

}  // namespace tapeless::simd
