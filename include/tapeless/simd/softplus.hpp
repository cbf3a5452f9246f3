// SPDX-License-Identifier: MIT
#pragma once
// softplus, log_sigmoid and logaddexp: smooth forms of max(x, 0), min(x, 0) and max(a, b).

#include <tapeless/simd/logarithm.hpp>

namespace tapeless::simd {

namespace detail {

// log(1 + e) for 0 <= e <= 1: log(1 + f) for f = e below sqrt(2) - 1, and log 2 + log(1 + f) for f = (e - 1) / 2
// above; both f are exact.
template <class T>
[[gnu::always_inline]] inline vec<T> log1p_of_unit(vec<T> e) {
    using k = exp_constants<T>;
    auto const upper = std::bit_cast<ivec<T>>(e > T(0.41421356237309503));
    vec<T> const f = upper ? (e - T(1)) * T(0.5) : e;
    vec<T> const y = log_of_fraction<T>(f, upper ? splat<T>(k::ln2_lo) : vec<T>{});
    return y + (upper ? splat<T>(k::ln2_hi) : vec<T>{});
}

// log(1 + e^-a) for a >= 0
template <class T>
[[gnu::always_inline]] inline vec<T> log1p_exp_minus(vec<T> a) {
    return log1p_of_unit<T>(exp<T>(-a));
}

// log(1 + e^x) = max(x, 0) + log(1 + e^-|x|)
template <class T>
[[gnu::always_inline]] inline vec<T> softplus(vec<T> x) {
    return at_least<T>(x, T(0)) + log1p_exp_minus<T>(magnitude<T>(x));
}

// log(1 / (1 + e^-x)) = min(x, 0) - log(1 + e^-|x|)
template <class T>
[[gnu::always_inline]] inline vec<T> log_sigmoid(vec<T> x) {
    return -softplus<T>(-x);
}

// log(e^a + e^b) = max(a, b) + log(1 + e^-|a-b|); equal operands may be infinite, which leaves no difference.
template <class T>
[[gnu::always_inline]] inline vec<T> logaddexp(vec<T> a, vec<T> b) {
    vec<T> const distance = a == b ? vec<T>{} : magnitude<T>(a - b);
    return larger<T>(a, b) + log1p_exp_minus<T>(distance);
}

}  // namespace detail

template <real_batch B, class T = value_of<B>>
[[gnu::always_inline]] inline B softplus(B x) {
    return detail::wrap<T>(detail::softplus<T>(detail::raw(x)));
}
// log(1 + e) for 0 <= e <= 1
template <real_batch B, class T = value_of<B>>
[[gnu::always_inline]] inline B log1p_of_unit(B e) {
    return detail::wrap<T>(detail::log1p_of_unit<T>(detail::raw(e)));
}
template <real_batch B, class T = value_of<B>>
[[gnu::always_inline]] inline B log_sigmoid(B x) {
    return detail::wrap<T>(detail::log_sigmoid<T>(detail::raw(x)));
}
template <real_batch B, class T = value_of<B>>
[[gnu::always_inline]] inline B logaddexp(B a, B b) {
    return detail::wrap<T>(detail::logaddexp<T>(detail::raw(a), detail::raw(b)));
}

template <real T>
[[gnu::always_inline]] inline T softplus(T x) {
    return detail::softplus<T>(detail::splat<T>(x))[0];
}
template <real T>
[[gnu::always_inline]] inline T log1p_of_unit(T e) {
    return detail::log1p_of_unit<T>(detail::splat<T>(e))[0];
}
template <real T>
[[gnu::always_inline]] inline T log_sigmoid(T x) {
    return detail::log_sigmoid<T>(detail::splat<T>(x))[0];
}
template <real T>
[[gnu::always_inline]] inline T logaddexp(T a, T b) {
    return detail::logaddexp<T>(detail::splat<T>(a), detail::splat<T>(b))[0];
}

template <class A, class B>
    requires detail::mixed<A, B>
[[gnu::always_inline]] inline auto logaddexp(A a, B b) {
    using V = detail::batch_among<A, B>;
    return logaddexp(detail::to_batch<V>(a), detail::to_batch<V>(b));
}

}  // namespace tapeless::simd
