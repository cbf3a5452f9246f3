// SPDX-License-Identifier: MIT
#pragma once
// Negative log-likelihoods and divergences: poisson_nll, gaussian_nll, kl_div, kl_divergence.

#include <tapeless/functional/loss/reduction.hpp>
#include <tapeless/ops/exponential.hpp>
#include <tapeless/ops/stretch.hpp>

namespace tapeless {

/// Refuses a variance that is neither of the input's shape, nor has or lacks a last axis of 1.
template <class Input, class Variance>
struct variance_shape_differs {
    static_assert(never<Input>,
                  "gaussian_nll: the variance is a number, or has the shape of the input, with a last axis "
                  "of 1 or without the last axis where it is the same along that");
};

/// Named in a message where the variance is a negative number; never called.
inline void gaussian_nll_needs_a_variance_of_zero_or_more() {}

namespace detail::inline functional_part {

inline constexpr double half_log_two_pi = 0.91893853320467274178;

/// max(v, lo), which the gradient does not see: it is the one of v itself.
struct raised_op : elementwise<"raised"> {
    static constexpr int cost = 1;
    static auto eval(auto v, auto lo) { return simd::maximum(v, lo); }
    static constexpr auto pullback(auto g, auto, auto, auto) { return cotangents(g, no_cotangent{}); }
};

/// p ln(p/q). One logarithm, of a quotient that is accurate where p and q are close; the derivative by q is just -p/q.
struct relative_log_op : elementwise<"relative_log"> {
    static constexpr int cost = 30;
    static auto eval(auto q, auto p) { return simd::mul(p, simd::log(simd::div(p, q))); }
    static constexpr auto pullback(auto g, auto, auto q, auto p) {
        return cotangents(-(g * (p / q)), g * (log(p / q) + 1.0));
    }
};

/// Whether a variance of shape V belongs to an input of shape X, both of the same rank.
template <class X, class V>
constexpr bool is_variance_of() {
    if (X::rank != V::rank) return false;
    for (int k = 0; k < X::rank; ++k) {
        std::int64_t const x = dims_of<X>().from_right(k), v = dims_of<V>().from_right(k);
        if (k == 0 && v == 1) continue;
        if ((x >= 0 && v >= 0 && x != v) || (x == 1) != (v == 1)) return false;
    }
    return true;
}
template <class X, class V>
constexpr auto variance_beside(X const& x, V const& var) {
    if constexpr (number<V>) {
        if (!(var >= V(0))) gaussian_nll_needs_a_variance_of_zero_or_more();
        return literal<typename X::value_type>(static_cast<double>(var));
    } else if constexpr (constant_tensor<V>) {
        if constexpr (!accepts(why_no_constant<V>())) return literal<typename X::value_type>(1.0);
        else return variance_beside(x, in_graph_beside<computed<typename X::value_type>>(var, x));
    } else if constexpr (is_node_ref<X> || is_node_ref<V> || V::rank == 0) {
        return var;
    } else {
        auto const v = [&] {
            if constexpr (V::rank + 1 == X::rank) return unsqueeze<-1>(var);
            else return var;
        }();
        using A = typename X::shape_type;
        using B = typename decltype(v)::shape_type;
        if constexpr (!is_variance_of<A, B>()) return refuse(because<variance_shape_differs<A, B>>{}), x;
        else return v;
    }
}
}  // namespace detail::functional_part

namespace loss {

/// How poisson_nll counts: whether the input is the logarithm of the rate, whether the term that depends on the
/// target alone is added, and what keeps the logarithm of a rate of 0 finite.
struct poisson_options {
    bool log_input = true, full = false;
    double eps = 1e-8;
};
/// e^x - t x, or for log_input = false x - t ln(x + eps). full: + t ln t - t + ln(2 pi t)/2 where t > 1, Stirling's
/// ln t!. For counts.
template <reduction R = reduction::mean, expression X, class Target>
constexpr auto poisson_nll(X const& x, Target const& target, poisson_options options = {}) {
    auto const v = let(x);
    auto const t = detail::named_beside<"poisson_nll">(x, target);
    auto each = options.log_input ? let(exp(v) - t * v) : let(v - xlogy(t, v + options.eps));
    if (options.full) each = let(each + where(t > 1.0, (t + 0.5) * log(t) - t + detail::half_log_two_pi, 0.0));
    return detail::reduced<R>(each);
}

/// Whether gaussian_nll adds the term that depends on nothing, and the smallest variance it divides by.
struct gaussian_options {
    bool full = false;
    double eps = 1e-6;
};
/// (ln v + (x - t)^2/v)/2 for v = max(var, eps); full: + ln(2 pi)/2. var has the shape of x, or a last axis of 1, or
/// lacks that axis, or is a number. The gradient by var is the one by v, also below eps. For regression that predicts
/// its own error.
template <reduction R = reduction::mean, expression X, class Target, class Variance>
constexpr auto gaussian_nll(X const& x, Target const& target, Variance const& var, gaussian_options options = {}) {
    auto const d = let(x - detail::beside<"gaussian_nll">(x, target));
    auto const v = apply<detail::raised_op>(detail::variance_beside(x, var), options.eps);
    double const constant = options.full ? detail::half_log_two_pi : 0.0;
    return detail::reduced<R>(0.5 * (log(v) + square(d) / v) + constant);
}

/// Whether the target of kl_div is logarithms of probabilities, as the input always is.
struct kl_options {
    bool log_target = false;
};
/// t (ln t - x), or for log_target e^t (t - x): 0 where the target's probability is 0, and nothing flows to it there.
/// x is the logarithm of probabilities. batchmean is the mean divergence of the rows of a batch. For distributions as
/// targets: log_softmax beside a teacher's softmax.
template <reduction R = reduction::mean, expression X, class Target>
constexpr auto kl_div(X const& x, Target const& target, kl_options options = {}) {
    auto const v = let(x);
    auto const t = detail::named_beside<"kl_div">(x, target);
    return detail::reduced<R>(options.log_target ? let(where(exp(t) != 0.0, exp(t) * (t - v), 0.0))
                                                 : let(where(t != 0.0, t * (log(t) - v), 0.0)));
}

/// p ln(p/q), 0 where p = 0, for probabilities: q, the input, comes first, and p, the target, second. Summed it is the
/// divergence KL(p || q). For probabilities that are no softmax; of logits kl_div(log_softmax(x), p) is more accurate.
template <reduction R = reduction::mean, expression Q, class P>
constexpr auto kl_divergence(Q const& q, P const& p) {
    auto const t = detail::named_beside<"kl_divergence">(q, p);
    return detail::reduced<R>(where(t != 0.0, apply<detail::relative_log_op>(q, t), 0.0));
}

}  // namespace loss
}  // namespace tapeless
