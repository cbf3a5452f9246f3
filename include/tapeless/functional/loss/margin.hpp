// SPDX-License-Identifier: MIT
#pragma once
// Losses that want scores to be apart by a margin, and are 0 where they are: of pairs, of classes, of sets of labels.

#include <tapeless/functional/loss/binary.hpp>
#include <tapeless/functional/loss/classes.hpp>
#include <tapeless/functional/loss/labels.hpp>
#include <tapeless/ops/activation.hpp>
#include <tapeless/ops/interval.hpp>
#include <tapeless/ops/power.hpp>
#include <tapeless/ops/rectifier.hpp>

namespace tapeless {

/// Called by no one: multi_margin takes {.p = 1} or {.p = 2}.
inline void multi_margin_needs_p_of_1_or_2() {}

namespace loss {
/// Scores of other classes count from `margin` below that of the target; p is 1 or 2.
struct multi_margin_options {
    int p = 1;
    double margin = 1;
};
}  // namespace loss

namespace detail::inline functional_part {

template <loss::reduction R, class X, class Target, class W>
constexpr auto multi_margin_of_classes(X const& x, Target const& target, W const& weight,
                                       loss::multi_margin_options const& o) {
    if (o.p != 1 && o.p != 2) multi_margin_needs_p_of_1_or_2();
    constexpr int axis = class_axis<typename X::shape_type>;
    auto const v = let(widened(x));
    auto const is = let(is_class<"multi_margin">(v, target, maybe_index{}));
    auto const of_target = sum<axis>(where(is, v, 0.0), keepdims);
    auto const losses = let(mean<axis>(where(is, 0.0, pow(relu(o.margin - of_target + v), o.p))));
    if constexpr (std::same_as<W, no_weight>) return reduced<R>(losses);
    else return reduced<R>(losses * sum<axis>(where(is, along_classes(v, weight), 0.0)));
}
template <loss::reduction R, class X, class Target, class W>
constexpr auto multi_margin(X const& x, Target const& target, W const& weight, loss::multi_margin_options const& o) {
    if constexpr (!accepts(why_no_classes<"multi_margin", typename X::shape_type, typename Target::shape_type, W>()))
        return reduced<R>(x);
    else return multi_margin_of_classes<R>(x, target, weight, o);
}

/// Weights of classes along the last axis of the input.
template <fixed_string Loss, class X, class W>
constexpr auto along_last_axis(X const&, W const& weight) {
    using S = typename X::shape_type;
    using last = shape<shape_extent<S::rank - 1, S>::value>;
    if constexpr (!same_extents<last, typename W::shape_type>())
        return refuse(because<class_weights_do_not_fit<Loss, S, typename W::shape_type>>{}), 1.0;
    else return weight;
}
}  // namespace detail::functional_part

namespace loss {

/// max(0, 1 - t x) of targets t = 1 or -1; the derivative is 0 at t x = 1. Two classes, scored by one number: a linear
/// classifier with this loss is a support vector machine.
template <reduction R = reduction::mean, expression X, class Target>
constexpr auto hinge(X const& x, Target const& target) {
    return detail::reduced<R>(relu(1.0 - detail::beside<"hinge">(x, target) * x));
}

/// x where t = 1, max(0, margin - x) where t = -1; at x = margin the derivative is -1. Distances x of pairs that belong
/// together or do not.
template <reduction R = reduction::mean, expression X, class Target, parameter_like D = double>
constexpr auto hinge_embedding(X const& x, Target const& target, D const& margin = 1.0) {
    auto const v = let(x);
    auto const t = detail::named_beside<"hinge_embedding">(v, target);
    return detail::reduced<R>(where(t != -1.0, v, 0.0) + where(t != 1.0, clamp_min(margin - v, 0.0), 0.0));
}

/// max(0, margin - t (a - b)) of targets t = 1 (a ranks higher) or -1 (b does); at the kink the derivative is that of
/// the linear branch. Ranking by pairs.
template <reduction R = reduction::mean, expression A, expression B, class Target, parameter_like D = double>
constexpr auto margin_ranking(A const& a, B const& b, Target const& target, D const& margin = 0.0) {
    auto const t = detail::beside<"margin_ranking">(a, target);
    return detail::reduced<R>(clamp_min(margin - t * (a - detail::beside<"margin_ranking">(a, b)), 0.0));
}

/// sum over j != t of max(0, margin - x[t] + x[j])^p / c, of scores x of shape (n, c) and class indices t of shape
/// (n), or of one row; the derivative is 0 at the kink. Classes apart by a margin: a support vector machine of
/// several classes.
template <reduction R = reduction::mean, expression X, expression Target>
constexpr auto multi_margin(X const& x, Target const& target, multi_margin_options const& options = {}) {
    return detail::multi_margin<R>(x, target, detail::no_weight{}, options);
}
/// The same times w[t]; the mean divides by the number of rows.
template <reduction R = reduction::mean, expression X, expression Target, parameter_array Weight>
constexpr auto multi_margin(X const& x, Target const& target, Weight const& weight,
                            multi_margin_options const& options = {}) {
    return detail::multi_margin<R>(x, target, weight, options);
}

/// sum over labels y and classes i that are no labels of max(0, 1 - x[y] + x[i]) / c, of scores x of shape (n, c) or
/// (c). A target of the same shape holds, in each row, class indices up to the first -1; what follows does not count.
/// The derivative is 0 at the kink. Several labels a row, each of which is to score higher than all other classes.
template <reduction R = reduction::mean, expression X, expression Target>
constexpr auto multilabel_margin(X const& x, Target const& target) {
    return detail::reduced<R>(detail::margins_of_labels(x, target));
}

/// mean over the last axis of t log(1 + e^-x) + (1 - t) log(1 + e^x), of scores x of shape (n, c) and targets 0 or 1
/// of the same shape; stable for any x. Several labels a row, each of them a yes or no of its own.
template <reduction R = reduction::mean, expression X, class Target>
constexpr auto multilabel_soft_margin(X const& x, Target const& target) {
    auto const t = detail::beside<"multilabel_soft_margin">(x, target);
    return detail::reduced<R>(mean<-1>(bce_with_logits<reduction::none>(x, t)));
}
/// The same with a weight for each class.
template <reduction R = reduction::mean, expression X, class Target, parameter_array Weight>
constexpr auto multilabel_soft_margin(X const& x, Target const& target, Weight const& weight) {
    auto const t = detail::beside<"multilabel_soft_margin">(x, target);
    auto const w = detail::along_last_axis<"multilabel_soft_margin">(x, weight);
    return detail::reduced<R>(mean<-1>(bce_with_logits<reduction::none>(x, t, w)));
}

}  // namespace loss
}  // namespace tapeless
