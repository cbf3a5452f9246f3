// SPDX-License-Identifier: MIT
#pragma once
// asinh, acosh and atanh, each as a logarithm of 1 + w.

#include <tapeless/simd/logarithm.hpp>

namespace tapeless::simd {

namespace detail {

// log(1 + w) for w >= 0; where `doubled`, log(2w) for a large w.
template <class T>
[[gnu::always_inline]] inline vec<T> log_of_one_plus(vec<T> w, ivec<T> doubled) {
    using e = exp_constants<T>;
    vec<T> const one = doubled ? vec<T>{} : splat<T>(T(1));
    vec<T> const u = w + one;
    vec<T> const lost = w > T(1) ? one - (u - w) : w - (u - one);
    auto const [exponent, m] = split_exponent<T>(u);
    vec<T> const k = exponent + (doubled ? splat<T>(T(1)) : vec<T>{});
    vec<T> const y = log_of_fraction<T>(m - T(1), madd<T>(k, splat<T>(e::ln2_lo), lost / u));
    return w < std::numeric_limits<T>::epsilon() / 4 ? w : madd<T>(k, splat<T>(e::ln2_hi), y);
}

// From here on x and sqrt(x^2 +- 1) are the same number.
template <class T>
inline constexpr T large_argument = sizeof(T) == 4 ? T(0x1p13) : T(0x1p28);

// w = a + a^2 / (1 + sqrt(a^2 + 1)) with a = |x|
template <class T>
[[gnu::always_inline]] inline vec<T> asinh(vec<T> x) {
    vec<T> const a = magnitude<T>(x);
    auto const large = std::bit_cast<ivec<T>>(a >= large_argument<T>);
    vec<T> const a2 = a * a;
    vec<T> const w = a + a2 / (root<T>(a2 + T(1)) + T(1));
    vec<T> const y = signed_as<T>(log_of_one_plus<T>(large ? a : w, large), x);
    auto const rare = ~std::bit_cast<ivec<T>>(a < std::numeric_limits<T>::infinity());
    return unless_rare<T>(rare, x, y, [](T v) { return std::asinh(v); });
}

// w = t + sqrt(t^2 + 2t) with t = x - 1
template <class T>
[[gnu::always_inline]] inline vec<T> acosh(vec<T> x) {
    auto const large = std::bit_cast<ivec<T>>(x >= large_argument<T>);
    vec<T> const t = x - T(1);
    vec<T> const w = t + root<T>(t * (t + T(2)));
    vec<T> const y = log_of_one_plus<T>(large ? x : w, large);
    auto const plain = std::bit_cast<ivec<T>>((x >= T(1)) & (x < std::numeric_limits<T>::infinity()));
    return unless_rare<T>(~plain, x, y, [](T v) { return std::acosh(v); });
}

// w = 2a / (1 - a) with a = |x|, and half of the logarithm
template <class T>
[[gnu::always_inline]] inline vec<T> atanh(vec<T> x) {
    vec<T> const a = magnitude<T>(x);
    vec<T> const y = log_of_one_plus<T>((a + a) / (T(1) - a), ivec<T>{}) * T(0.5);
    return unless_rare<T>(~std::bit_cast<ivec<T>>(a < T(1)), x, signed_as<T>(y, x), [](T v) { return std::atanh(v); });
}

}  // namespace detail

template <real_batch B, class T = value_of<B>>
[[gnu::always_inline]] inline B asinh(B x) {
    return detail::wrap<T>(detail::asinh<T>(detail::raw(x)));
}
template <real_batch B, class T = value_of<B>>
[[gnu::always_inline]] inline B acosh(B x) {
    return detail::wrap<T>(detail::acosh<T>(detail::raw(x)));
}
template <real_batch B, class T = value_of<B>>
[[gnu::always_inline]] inline B atanh(B x) {
    return detail::wrap<T>(detail::atanh<T>(detail::raw(x)));
}

template <real T>
[[gnu::always_inline]] inline T asinh(T x) {
    return detail::asinh<T>(detail::splat<T>(x))[0];
}
template <real T>
[[gnu::always_inline]] inline T acosh(T x) {
    return detail::acosh<T>(detail::splat<T>(x))[0];
}
template <real T>
[[gnu::always_inline]] inline T atanh(T x) {
    return detail::atanh<T>(detail::splat<T>(x))[0];
}

}  // namespace tapeless::simd
