// SPDX-License-Identifier: MIT
#pragma once
// Losses of yes or no: bce, bce_with_logits, focal, focal_with_logits.

#include <tapeless/functional/loss/reduction.hpp>
#include <tapeless/ops/interval.hpp>
#include <tapeless/ops/power.hpp>

namespace tapeless {

/// Refuses a weight that would stretch the input.
template <fixed_string Loss, class Input, class Weight>
struct weight_shape_differs {
    static_assert(never<Input>, "loss: a weight is a number, has the shape of the input, or stretches to it");
};

namespace detail::inline functional_part {

// e^-|x| serves the logarithm in the value and the quotient in the gradient: both operations are given it as their
// last operand.

/// 1/(1 + e^-x) for given e = e^-|x|. A product, so that the reciprocal serves x and -x; 1 - y is that of -x, without
/// rounding.
struct sigmoid_given_op : elementwise<"sigmoid_given"> {
    static constexpr int cost = 10;
    static auto eval(auto x, auto e) {
        using B = decltype(x);
        return simd::mul(simd::select(simd::less(x, B(0)), e, B(1)), simd::div(B(1), simd::add(e, B(1))));
    }
    static constexpr auto pullback(auto g, auto y, auto x, auto e) {
        return cotangents(g * (y * apply<sigmoid_given_op>(-x, e)), no_cotangent{});
    }
};

/// ln(1 + e^x) for given e = e^-|x|.
struct softplus_given_op : elementwise<"softplus_given"> {
    static constexpr int cost = 15;
    static auto eval(auto x, auto e) { return simd::add(simd::maximum(x, decltype(x)(0)), simd::log1p_of_unit(e)); }
    static constexpr auto pullback(auto g, auto, auto x, auto e) {
        return cotangents(g * apply<sigmoid_given_op>(x, e), no_cotangent{});
    }
};

/// sigmoid(x) - t for given e = e^-|x|: the slope of bce_logits_op, with all its digits also where it is next to 0.
struct bce_slope_op : elementwise<"bce_slope"> {
    static constexpr int cost = 10;
    static auto eval(auto x, auto t, auto e) {
        using B = decltype(x);
        auto const n = simd::select(simd::less(x, B(0)), e, B(1));
        return simd::mul(simd::fnma(t, e, simd::sub(n, t)), simd::div(B(1), simd::add(e, B(1))));
    }
    static constexpr auto pullback(auto g, auto, auto x, auto, auto e) {
        return cotangents(g * (apply<sigmoid_given_op>(x, e) * apply<sigmoid_given_op>(-x, e)), -g, no_cotangent{});
    }
};

/// ln(1 + e^x) - t x for given e = e^-|x|, in the order that keeps small losses: max(x, 0) - t x is exactly 0 there.
struct bce_logits_op : elementwise<"bce_logits"> {
    static constexpr int cost = 16;
    static auto eval(auto x, auto t, auto e) {
        return simd::add(simd::fnma(t, x, simd::maximum(x, decltype(x)(0))), simd::log1p_of_unit(e));
    }
    static constexpr auto pullback(auto g, auto, auto x, auto t, auto e) {
        return cotangents(g * apply<bce_slope_op>(x, t, e), -(g * x), no_cotangent{});
    }
};

/// -ln u for u = 1 - rest, of which one or the other was rounded: what that lost is added. The derivative goes to rest.
struct minus_log_op : elementwise<"minus_log"> {
    static constexpr int cost = 30;
    static auto eval(auto u, auto rest) {
        using B = decltype(u);
        auto const lost = simd::sub(rest, simd::sub(B(1), u));
        auto const shift = simd::mul(lost, simd::div(B(1), u));
        return simd::sub(simd::select(simd::equal(lost, B(0)), B(0), shift), simd::log(u));
    }
    static constexpr auto pullback(auto g, auto, auto u, auto) { return cotangents(no_cotangent{}, g * (1.0 / u)); }
};

/// x^n as a factor of something that is 0 where x = 0, so that no slope is asked for there; elsewhere it is n y/x,
/// without a second power.
struct focus_op : elementwise<"focus"> {
    static constexpr int cost = 60;
    static auto eval(auto x, auto n) { return simd::pow(x, n); }
    static constexpr auto pullback(auto g, auto y, auto x, auto n) {
        return cotangents(where(x != 0.0 && n != 0.0, g * (n * (y / x)), 0.0),
                          where(x != 0.0 && x != 1.0, g * (y * log(x)), 0.0));
    }
};
/// Whether x^n is a product of a few x.
constexpr bool is_small_whole(double n) { return n >= 0 && n <= 8 && n == static_cast<int>(n); }
template <class X, class N>
constexpr auto focus(X const& x, N const& n) {
    if constexpr (number<N>)
        return is_small_whole(static_cast<double>(n)) ? let(pow(x, n)) : let(apply<focus_op>(x, n));
    else return apply<focus_op>(x, n);
}

/// a where the target is 1, b where it is 0.
template <fixed_string Loss, class Target, class A, class B>
constexpr auto by_label(Target const& target, A const& a, B const& b) {
    [[maybe_unused]] auto const t = beside<Loss>(a, target);
    if constexpr (number<Target>) return static_cast<double>(target) > 0.5 ? let(a) : let(b);
    else if constexpr (std::same_as<typename Target::value_type, bool>) return let(where(target, a, b));
    else return let(where(t > 0.5, a, b));
}

/// Whether a weight of shape W stretches to X without stretching it.
template <class X, class W>
constexpr bool stretches_to() {
    if (W::rank > X::rank) return false;
    for (int k = 0; k < W::rank; ++k) {
        std::int64_t const x = dims_of<X>().from_right(k), w = dims_of<W>().from_right(k);
        if (w != 1 && (x == 1 || (x >= 0 && w >= 0 && x != w))) return false;
    }
    return true;
}
/// Why this is no weight of the losses.
template <fixed_string Loss, class X, class W>
constexpr auto why_no_weight() {
    if constexpr (!number<W> && !is_node_ref<X> && !is_node_ref<W>) {
        using A = typename X::shape_type;
        using B = typename W::shape_type;
        return because<unless<stretches_to<A, B>(), weight_shape_differs<Loss, A, B>>>{};
    } else {
        return because<no_reason>{};
    }
}
/// The weight, or 1 in place of one that was refused.
template <fixed_string Loss, class X, class W>
constexpr auto weight_beside(X const& x, W const& weight) {
    if constexpr (!accepts(why_no_weight<Loss, X, W>()) || !accepts(why_no_constant<W>())) return 1.0;
    else return in_graph_beside<computed<typename X::value_type>>(weight, x);
}
}  // namespace detail::functional_part

namespace loss {

/// -(t ln p + (1 - t) ln(1 - p)) for probabilities p; each logarithm is cut at -100, and where it is cut nothing
/// flows through it. For probabilities that are no sigmoid; otherwise bce_with_logits, which is never cut. A weight
/// multiplies the losses.
template <reduction R = reduction::mean, expression P, class Target, operand_like Weight = double>
constexpr auto bce(P const& p, Target const& target, Weight const& weight = 1.0) {
    auto const v = let(p);
    auto const t = detail::named_beside<"bce">(p, target);
    auto const w = detail::weight_beside<"bce">(p, weight);
    return detail::reduced<R>(-w * (t * clamp_min(log(v), -100.0) + (1.0 - t) * clamp_min(log1p(-v), -100.0)));
}

/// The weight of the positive answers of bce_with_logits, by name: a number, or one a column.
template <operand_like W>
struct pos_weight {
    W value;
    constexpr explicit pos_weight(W const& w) : value(w) {}
};

/// weight ((1 - t) ln(1 + e^x) + pos_weight t ln(1 + e^-x)) for logits x: bce of sigmoid(x), exact for any finite x.
/// For answers of yes or no, also several a row. pos_weight > 1 makes up for rare positives:
/// bce_with_logits(x, t, pos_weight(w)), or with a weight for each loss bce_with_logits(x, t, weight, pos_weight(w)).
template <reduction R = reduction::mean, expression X, class Target, operand_like Weight, operand_like PosWeight>
constexpr auto bce_with_logits(X const& x, Target const& target, Weight const& weight,
                               pos_weight<PosWeight> const& positive) {
    auto const v = let(x);
    auto const e = let(exp(-abs(v)));
    auto const t = detail::named_beside<"bce_with_logits">(x, target);
    auto const w = detail::weight_beside<"bce_with_logits">(x, weight);
    auto const p = detail::weight_beside<"bce_with_logits">(x, positive.value);
    return detail::reduced<R>(
        w * ((1.0 - t) * apply<detail::softplus_given_op>(v, e) + p * t * apply<detail::softplus_given_op>(-v, e)));
}
template <reduction R = reduction::mean, expression X, class Target, operand_like Weight = double>
constexpr auto bce_with_logits(X const& x, Target const& target, Weight const& weight = 1.0) {
    auto const v = let(x);
    auto const w = detail::weight_beside<"bce_with_logits">(x, weight);
    return detail::reduced<R>(
        w * apply<detail::bce_logits_op>(v, detail::beside<"bce_with_logits">(x, target), exp(-abs(v))));
}
template <reduction R = reduction::mean, expression X, class Target, operand_like PosWeight>
constexpr auto bce_with_logits(X const& x, Target const& target, pos_weight<PosWeight> const& positive) {
    refuse(detail::why_no_weight<"bce_with_logits", X, PosWeight>());
    return bce_with_logits<R>(x, target, 1.0, positive);
}

/// -alpha (1 - q)^gamma ln q for q = p where the target is 1 (or a mask is set) and q = 1 - p where it is 0; one
/// alpha for both. For detection, where most answers are no and easy: what is sure already hardly counts.
template <reduction R = reduction::mean, expression P, class Target, parameter_like Alpha = double,
          parameter_like Gamma = double>
constexpr auto focal(P const& p, Target const& target, Alpha const& alpha = 0.25, Gamma const& gamma = 2.0) {
    auto const v = let(p);
    auto const q = detail::by_label<"focal">(target, v, 1.0 - v), rest = detail::by_label<"focal">(target, 1.0 - v, v);
    return detail::reduced<R>(alpha * (detail::focus(rest, gamma) * apply<detail::minus_log_op>(q, rest)));
}

/// focal(sigmoid(x), t, alpha, gamma), exact for any finite x: with s = x or -x as the target is 1 or 0, it is
/// alpha (1 + e^s)^-gamma ln(1 + e^-s).
template <reduction R = reduction::mean, expression X, class Target, parameter_like Alpha = double,
          parameter_like Gamma = double>
constexpr auto focal_with_logits(X const& x, Target const& target, Alpha const& alpha = 0.25,
                                 Gamma const& gamma = 2.0) {
    auto const v = let(x);
    auto const e = let(exp(-abs(v)));
    auto const s = detail::by_label<"focal_with_logits">(target, v, -v);
    auto const surprise = apply<detail::softplus_given_op>(-s, e);
    // e^(-gamma softplus(s)) has the slope -gamma y sigmoid(s), where that of a power is 0 * inf for sigmoid(-s) = 0
    auto const smooth = [&] { return let(exp(-gamma * apply<detail::softplus_given_op>(s, e))); };
    if constexpr (number<Gamma>) {
        auto const w = detail::is_small_whole(static_cast<double>(gamma))
                           ? let(pow(apply<detail::sigmoid_given_op>(-s, e), gamma))
                           : smooth();
        return detail::reduced<R>(alpha * (w * surprise));
    } else {
        return detail::reduced<R>(alpha * (smooth() * surprise));
    }
}

}  // namespace loss
}  // namespace tapeless
