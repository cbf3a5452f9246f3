// SPDX-License-Identifier: MIT
#pragma once
// The gamma function's relatives: lgamma, digamma, trigamma, polygamma, log_beta, beta, gamma_p, gamma_q.

#include <tapeless/ops/exponential.hpp>
#include <tapeless/simd/incomplete_gamma.hpp>

namespace tapeless {

/// Named in a message where an order of polygamma has no meaning; never called.
inline void polygamma_needs_a_whole_order_from_zero_to_thirty() {}
/// Named in a message where it is asked for; never called.
inline void gamma_p_has_no_second_derivative_by_its_shape() {}

template <any_expression A>
constexpr auto trigamma(A const& a);

/// The derivative number n >= 1 of digamma; its own is the next.
struct polygamma_op : elementwise<"polygamma"> {
    static constexpr bool has_number = true;
    static constexpr int cost = 150;
    static auto eval(auto x, double n) {
        return n == 1 ? simd::trigamma(x) : n == 2 ? simd::tetragamma(x) : simd::polygamma(static_cast<int>(n), x);
    }
    static constexpr auto pullback(auto g, auto, auto x, double n) {
        return cotangents(g * apply_with<polygamma_op>(detail::attribute{.number = n + 1}, x));
    }
};

/// The derivative of ln gamma(x).
struct digamma_op : elementwise<"digamma"> {
    static constexpr int cost = 100;
    static auto eval(auto x) { return simd::digamma(x); }
    static constexpr auto pullback(auto g, auto, auto x) { return cotangents(g * trigamma(x)); }
};

/// ln |gamma(x)|; derivative digamma(x).
struct lgamma_op : elementwise<"lgamma"> {
    static constexpr int cost = 100;
    static auto eval(auto x) { return simd::lgamma(x); }
    static constexpr auto pullback(auto g, auto, auto x) { return cotangents(g * apply<digamma_op>(x)); }
};

/// ln(gamma(a) gamma(b)/gamma(a + b)); derivative by a digamma(a) - digamma(a + b).
struct log_beta_op : elementwise<"log_beta"> {
    static constexpr int cost = 300;
    static auto eval(auto a, auto b) { return simd::log_beta(a, b); }
    static constexpr auto pullback(auto g, auto, auto a, auto b) {
        auto const both = apply<digamma_op>(a + b);
        return cotangents(g * (apply<digamma_op>(a) - both), g * (apply<digamma_op>(b) - both));
    }
};

namespace detail::inline ops_part {
/// x^(a-1) e^-x/gamma(a), the derivative of gamma_p by x.
struct gamma_p_by_x_op : elementwise<"gamma_p_by_x"> {
    static constexpr int cost = 300;
    static auto eval(auto a, auto x) { return simd::gamma_p_by_x(a, x); }
    static constexpr auto pullback(auto g, auto y, auto a, auto x) {
        return cotangents(g * (y * (log(x) - apply<digamma_op>(a))), g * (y * ((a - 1.0) / x - 1.0)));
    }
};
/// The derivative of gamma_p by a.
struct gamma_p_by_shape_op : elementwise<"gamma_p_by_shape"> {
    static constexpr int cost = 3000;
    static auto eval(auto a, auto x) { return simd::gamma_p_by_shape(a, x); }
    static constexpr auto pullback(auto g, auto, auto, auto) {
        g.graph->refuse_later(&gamma_p_has_no_second_derivative_by_its_shape);
        return cotangents(no_cotangent{}, no_cotangent{});
    }
};
}  // namespace detail::ops_part

/// P(a, x): the integral of t^(a-1) e^-t from 0 to x, divided by gamma(a).
struct gamma_p_op : elementwise<"gamma_p"> {
    static constexpr int cost = 500;
    static auto eval(auto a, auto x) { return simd::gamma_p(a, x); }
    static constexpr auto pullback(auto g, auto, auto a, auto x) {
        return cotangents(g * apply<detail::gamma_p_by_shape_op>(a, x), g * apply<detail::gamma_p_by_x_op>(a, x));
    }
};
/// 1 - P(a, x), accurate where that is small.
struct gamma_q_op : elementwise<"gamma_q"> {
    static constexpr int cost = 500;
    static auto eval(auto a, auto x) { return simd::gamma_q(a, x); }
    static constexpr auto pullback(auto g, auto, auto a, auto x) {
        return cotangents(-(g * apply<detail::gamma_p_by_shape_op>(a, x)), -(g * apply<detail::gamma_p_by_x_op>(a, x)));
    }
};

/// ln |gamma(x)|; infinite at 0 and at negative whole numbers
template <any_expression A>
constexpr auto lgamma(A const& a) {
    return apply<lgamma_op>(a);
}
/// The derivative of lgamma; -inf at 0, NaN at negative whole numbers
template <any_expression A>
constexpr auto digamma(A const& a) {
    return apply<digamma_op>(a);
}
/// The derivative of digamma
template <any_expression A>
constexpr auto trigamma(A const& a) {
    return apply_with<polygamma_op>(detail::attribute{.number = 1}, a);
}
/// The derivative number N of digamma, N from 0 to 30
template <int N, any_expression A>
constexpr auto polygamma(A const& a) {
    if constexpr (N < 0 || N > 30) polygamma_needs_a_whole_order_from_zero_to_thirty();
    if constexpr (N == 0) return digamma(a);
    else return apply_with<polygamma_op>(detail::attribute{.number = N}, a);
}
/// ln(gamma(a) gamma(b)/gamma(a + b)) for positive a and b
template <operand_like A, operand_like B>
    requires(expression<A> || expression<B>)
constexpr auto log_beta(A const& a, B const& b) {
    return apply<log_beta_op>(a, b);
}
/// gamma(a) gamma(b)/gamma(a + b) for positive a and b
template <operand_like A, operand_like B>
    requires(expression<A> || expression<B>)
constexpr auto beta(A const& a, B const& b) {
    return exp(log_beta(a, b));
}
/// The regularised incomplete gamma function P(a, x): the distribution function of the gamma distribution of shape a
/// and rate 1
template <operand_like A, operand_like X>
    requires(expression<A> || expression<X>)
constexpr auto gamma_p(A const& a, X const& x) {
    return apply<gamma_p_op>(a, x);
}
/// Q(a, x) = 1 - P(a, x)
template <operand_like A, operand_like X>
    requires(expression<A> || expression<X>)
constexpr auto gamma_q(A const& a, X const& x) {
    return apply<gamma_q_op>(a, x);
}

}  // namespace tapeless
