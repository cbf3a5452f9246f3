// SPDX-License-Identifier: MIT
#pragma once
// Hyperbolic functions and their inverses.

#include <tapeless/ops/power.hpp>

namespace tapeless {

/// sinh x
struct sinh_op : elementwise<"sinh"> {
    static constexpr int cost = 24;
    static auto eval(auto x) { return simd::sinh(x); }
    static constexpr auto pullback(auto g, auto, auto x) { return cotangents(g * cosh(x)); }
};

/// cosh x
struct cosh_op : elementwise<"cosh"> {
    static constexpr int cost = 24;
    static auto eval(auto x) { return simd::cosh(x); }
    static constexpr auto pullback(auto g, auto, auto x) { return cotangents(g * sinh(x)); }
};

/// tanh x. The rule needs only the result: 1 - y^2.
struct tanh_op : elementwise<"tanh"> {
    static constexpr int cost = 20;
    static auto eval(auto x) { return simd::tanh(x); }
    static constexpr auto pullback(auto g, auto y, auto) { return cotangents(g * (1.0 - square(y))); }
};

/// inverse of sinh; derivative 1/sqrt(1 + x^2).
struct asinh_op : elementwise<"asinh"> {
    static constexpr int cost = 30;
    static auto eval(auto x) { return simd::asinh(x); }
    static constexpr auto pullback(auto g, auto, auto x) { return cotangents(g / sqrt(1.0 + square(x))); }
};

/// inverse of cosh; derivative 1/sqrt((x - 1)(x + 1)), whose factors keep their digits near 1.
struct acosh_op : elementwise<"acosh"> {
    static constexpr int cost = 30;
    static auto eval(auto x) { return simd::acosh(x); }
    static constexpr auto pullback(auto g, auto, auto x) { return cotangents(g / sqrt((x - 1.0) * (x + 1.0))); }
};

/// inverse of tanh; derivative 1/((1 - x)(1 + x)).
struct atanh_op : elementwise<"atanh"> {
    static constexpr int cost = 30;
    static auto eval(auto x) { return simd::atanh(x); }
    static constexpr auto pullback(auto g, auto, auto x) { return cotangents(g / ((1.0 - x) * (1.0 + x))); }
};

/// sinh x
template <any_expression A>
constexpr detail::applied<sinh_op, A> sinh(A const& a) {
    return apply<sinh_op>(a);
}
/// cosh x
template <any_expression A>
constexpr detail::applied<cosh_op, A> cosh(A const& a) {
    return apply<cosh_op>(a);
}
/// tanh x
template <any_expression A>
constexpr detail::applied<tanh_op, A> tanh(A const& a) {
    return apply<tanh_op>(a);
}
/// inverse of sinh
template <any_expression A>
constexpr detail::applied<asinh_op, A> asinh(A const& a) {
    return apply<asinh_op>(a);
}
/// inverse of cosh
template <any_expression A>
constexpr detail::applied<acosh_op, A> acosh(A const& a) {
    return apply<acosh_op>(a);
}
/// inverse of tanh
template <any_expression A>
constexpr detail::applied<atanh_op, A> atanh(A const& a) {
    return apply<atanh_op>(a);
}

}  // namespace tapeless
