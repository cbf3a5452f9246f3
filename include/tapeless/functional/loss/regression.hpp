// SPDX-License-Identifier: MIT
#pragma once
// Losses of numbers against numbers: mse, l1, smooth_l1, huber.

#include <limits>

#include <tapeless/functional/loss/reduction.hpp>
#include <tapeless/ops/interval.hpp>

namespace tapeless {

// Named in a message where a number given to the loss has no meaning: they are never called.
inline void huber_needs_delta_greater_than_zero() {}
inline void smooth_l1_needs_beta_of_zero_or_more() {}

namespace detail::inline functional_part {

// Both are the largest value of a parabola over an interval: huber of c d - c^2/2 over |c| <= delta, smooth_l1 of
// c d - beta c^2/2 over |c| <= 1. The derivative by d is the c where it is taken, which needs no branch, and neither
// does the value: an infinite d is never squared.

/// d^2/2 where |d| <= delta, delta (|d| - delta/2) elsewhere.
struct huber_op : elementwise<"huber"> {
    static constexpr int cost = 4;
    static auto eval(auto d, auto delta) {
        auto const c = simd::minimum(simd::maximum(d, simd::neg(delta)), delta);
        return simd::mul(c, simd::fnma(decltype(c)(0.5), c, d));
    }
    static constexpr auto pullback(auto g, auto, auto d, auto delta) {
        auto const c = clamp(d, -delta, delta);
        return cotangents(g * c, g * abs(d - c));
    }
};

/// d^2/(2 beta) where |d| < beta, |d| - beta/2 elsewhere. The third operand is d/beta.
struct smooth_l1_op : elementwise<"smooth_l1"> {
    static constexpr int cost = 5;
    static auto eval(auto d, auto beta, auto scaled) {
        using B = decltype(scaled);
        auto const c = simd::minimum(simd::maximum(scaled, B(-1)), B(1));
        return simd::mul(c, simd::fnma(simd::mul(B(0.5), beta), c, d));
    }
    static constexpr auto pullback(auto g, auto, auto, auto, auto scaled) {
        auto const c = clamp(scaled, -1.0, 1.0);
        return cotangents(g * c, -0.5 * (g * square(c)), no_cotangent{});
    }
};
}  // namespace detail::functional_part

namespace loss {

/// (x - t)^2. For errors that are alike and normal; a single large one rules the mean.
template <reduction R = reduction::mean, expression X, class Target>
constexpr auto mse(X const& x, Target const& target) {
    return detail::reduced<R>(square(x - detail::beside<"mse">(x, target)));
}

/// |x - t|; the derivative is 0 at equality. For the median rather than the mean: outliers count as much as others.
template <reduction R = reduction::mean, expression X, class Target>
constexpr auto l1(X const& x, Target const& target) {
    return detail::reduced<R>(abs(x - detail::beside<"l1">(x, target)));
}

/// (x - t)^2/(2 beta) where |x - t| < beta, |x - t| - beta/2 elsewhere: huber(beta)/beta, and l1 for beta = 0. Slopes
/// between -1 and 1 whatever beta is: for boxes and coordinates.
template <reduction R = reduction::mean, expression X, class Target, parameter_like Beta = double>
constexpr auto smooth_l1(X const& x, Target const& target, Beta const& beta = 1.0) {
    auto const d = let(x - detail::beside<"smooth_l1">(x, target));
    if constexpr (number<Beta>) {
        double const b = static_cast<double>(beta);
        if (!(b >= 0)) smooth_l1_needs_beta_of_zero_or_more();
        return detail::reduced<R>(b == 0 ? let(abs(d)) : let(apply<detail::smooth_l1_op>(d, b, d * (1 / b))));
    } else {  // a beta of 0 has no reciprocal, but that of the smallest normal number serves
        auto const smallest = static_cast<double>(std::numeric_limits<typename Beta::value_type>::min());
        return detail::reduced<R>(apply<detail::smooth_l1_op>(d, beta, d * (1.0 / clamp_min(beta, smallest))));
    }
}

/// (x - t)^2/2 where |x - t| <= delta, delta (|x - t| - delta/2) elsewhere, for delta > 0. For regression with
/// outliers: the mean of what is near, the median of what is far.
template <reduction R = reduction::mean, expression X, class Target, parameter_like Delta = double>
constexpr auto huber(X const& x, Target const& target, Delta const& delta = 1.0) {
    if constexpr (number<Delta>)
        if (!(delta > Delta(0))) huber_needs_delta_greater_than_zero();
    return detail::reduced<R>(apply<detail::huber_op>(x - detail::beside<"huber">(x, target), delta));
}

}  // namespace loss
}  // namespace tapeless
