// SPDX-License-Identifier: MIT
#pragma once
// sin, cos and tan: x = n pi/2 + r, and a polynomial for |r| <= pi/4.

#include <tapeless/simd/exponential.hpp>
#include <tapeless/simd/rare_lanes.hpp>

namespace tapeless::simd {

namespace detail {

// sin r = r + r^3 (s[0] + s[1] r^2 + ...), cos r = 1 - r^2 (1/2 - r^2 (c[0] + c[1] r^2 + ...)).
// x - n pi/2 is taken in parts of pi/2, the first short enough for exact products; a fused multiply-add needs no such
// room and takes three full parts. Up to `limit` no more than one of the subtractions rounds.
template <class T>
struct circle_constants;

template <>
struct circle_constants<float> {
    static constexpr float s[] = {-1.6666654611e-1f, 8.3321608736e-3f, -1.9515295891e-4f};
    static constexpr float c[] = {4.166664568298827e-2f, -1.388731625493765e-3f, 2.443315711809948e-5f};
    static constexpr float parts[] = {1.5703125f, 4.8351287841796875e-4f, 3.1385570764541626e-7f,
                                      6.077100628276710e-11f};
    static constexpr float fused_parts[] = {1.57079637f, -4.37113883e-8f, -1.71512451e-15f};
    static constexpr float two_over_pi = 0.636619772f, limit = has_fma ? 1e4f : 200.f;
};

template <>
struct circle_constants<double> {
    static constexpr double s[] = {-1.66666666666666324348e-01, 8.33333333332248946124e-03,
                                   -1.98412698298579493134e-04, 2.75573137070700676789e-06,
                                   -2.50507602534068634195e-08, 1.58969099521155010221e-10};
    static constexpr double c[] = {4.16666666666666019037e-02, -1.38888888888741095749e-03,
                                   2.48015872894767294178e-05, -2.75573143513906633035e-07,
                                   2.08757232129817482790e-09, -1.13596475577881948265e-11};
    static constexpr double parts[] = {1.57079632673412561417e+00, 6.07710050630396597660e-11,
                                       2.02226624871116645580e-21, 8.47842766036889956997e-32};
    static constexpr double fused_parts[] = {1.5707963267948966, 6.123233995736766e-17, -1.4973849048591698e-33};
    static constexpr double two_over_pi = 0.63661977236758134, limit = has_fma ? 1e6 : 1e4;
};

template <class T>
struct sine_and_cosine {
    vec<T> sine, cosine;
    ivec<T> quadrant;
};

// Of x >= 0: sin r and cos r, and n in the lowest bits.
template <class T>
[[gnu::always_inline]] inline sine_and_cosine<T> split_circle(vec<T> x) {
    using k = circle_constants<T>;
    constexpr T shift = exp_constants<T>::shift;
    vec<T> const z = madd<T>(x, splat<T>(k::two_over_pi), splat<T>(shift));
    vec<T> const n = z - shift;
    vec<T> r = x;
    if constexpr (has_fma) {
        for (T part : k::fused_parts) r = nmadd<T>(n, splat<T>(part), r);
    } else {
        for (T part : k::parts) r = nmadd<T>(n, splat<T>(part), r);
    }
    vec<T> const r2 = r * r, r4 = r2 * r2;
    vec<T> const half = nmadd<T>(r2, polynomial<T>(k::c, r2, r4), splat<T>(T(0.5)));
    return {madd<T>(polynomial<T>(k::s, r2, r4), r2 * r, r), nmadd<T>(r2, half, splat<T>(T(1))), ibits<T>(z)};
}

// sin(x + quarter * pi/2) for x >= 0
template <class T>
[[gnu::always_inline]] inline vec<T> sin_of_positive(vec<T> x, int quarter) {
    auto const [sine, cosine, n] = split_circle<T>(x);
    ivec<T> const quadrant = n + quarter;
    vec<T> const y = (quadrant & 1) != 0 ? cosine : sine;
    return std::bit_cast<vec<T>>(ibits<T>(y) ^ ((quadrant << (8 * sizeof(T) - 2)) & sign_bit<T>()));
}

template <class T>
[[gnu::always_inline]] inline ivec<T> beyond_circle_limit(vec<T> a) {
    return ~std::bit_cast<ivec<T>>(a <= circle_constants<T>::limit);
}

template <class T>
[[gnu::always_inline]] inline vec<T> sin(vec<T> x) {
    vec<T> const a = magnitude<T>(x);
    auto const y = std::bit_cast<vec<T>>(ibits<T>(sin_of_positive<T>(a, 0)) ^ (ibits<T>(x) & sign_bit<T>()));
    return unless_rare<T>(beyond_circle_limit<T>(a), x, y, [](T v) { return std::sin(v); });
}

template <class T>
[[gnu::always_inline]] inline vec<T> cos(vec<T> x) {
    vec<T> const a = magnitude<T>(x);
    return unless_rare<T>(beyond_circle_limit<T>(a), x, sin_of_positive<T>(a, 1), [](T v) { return std::cos(v); });
}

// sin r / cos r for an even n, -cos r / sin r for an odd one
template <class T>
[[gnu::always_inline]] inline vec<T> tan(vec<T> x) {
    vec<T> const a = magnitude<T>(x);
    auto const [sine, cosine, n] = split_circle<T>(a);
    auto const odd = std::bit_cast<ivec<T>>((n & 1) != 0);
    vec<T> const quotient = (odd ? cosine : sine) / (odd ? sine : cosine);
    auto const y = std::bit_cast<vec<T>>(ibits<T>(quotient) ^ ((odd ^ ibits<T>(x)) & sign_bit<T>()));
    return unless_rare<T>(beyond_circle_limit<T>(a), x, y, [](T v) { return std::tan(v); });
}

}  // namespace detail

template <real_batch B, class T = value_of<B>>
[[gnu::always_inline]] inline B sin(B x) {
    return detail::wrap<T>(detail::sin<T>(detail::raw(x)));
}
template <real_batch B, class T = value_of<B>>
[[gnu::always_inline]] inline B cos(B x) {
    return detail::wrap<T>(detail::cos<T>(detail::raw(x)));
}
template <real_batch B, class T = value_of<B>>
[[gnu::always_inline]] inline B tan(B x) {
    return detail::wrap<T>(detail::tan<T>(detail::raw(x)));
}

template <real T>
[[gnu::always_inline]] inline T sin(T x) {
    return detail::sin<T>(detail::splat<T>(x))[0];
}
template <real T>
[[gnu::always_inline]] inline T cos(T x) {
    return detail::cos<T>(detail::splat<T>(x))[0];
}
template <real T>
[[gnu::always_inline]] inline T tan(T x) {
    return detail::tan<T>(detail::splat<T>(x))[0];
}

}  // namespace tapeless::simd
