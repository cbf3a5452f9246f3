// SPDX-License-Identifier: MIT
#pragma once
// Losses of scores against classes: nll and cross_entropy, of class indices or of probabilities. Classes are axis 1
// of an input of shape (n, c, ...), or the only axis. One pass over rows in the cache; no array of one-hot targets or
// log-probabilities exists.

#include <tapeless/functional/loss/reduction.hpp>
#include <tapeless/functional/softmax.hpp>
#include <tapeless/ops/one_hot.hpp>
#include <tapeless/ops/stretch.hpp>

namespace tapeless {

/// Named in a message where label_smoothing has no meaning; never called.
inline void label_smoothing_is_from_zero_to_one() {}

/// Refuses targets that are not one class index for each row.
template <fixed_string Loss, class Input, class Target>
struct class_targets_do_not_fit {
    static_assert(never<Input>,
                  "loss: class indices have the shape of the input without its class axis: an input (n, c, ...) "
                  "has targets (n, ...), an input (c) one target");
};
/// Refuses class weights that are not one number for each class.
template <fixed_string Loss, class Input, class Weight>
struct class_weights_do_not_fit {
    static_assert(never<Input>, "loss: class weights are an array of rank 1, one number for each class");
};

/// Refuses a reduction that is another loss's.
template <loss::reduction R>
struct batchmean_is_a_reduction_of_kl_div {
    static_assert(never<std::integral_constant<loss::reduction, R>>, "loss: batchmean is a reduction of kl_div");
};

namespace loss {
/// Rows whose target is ignore_index count for nothing.
struct nll_options {
    std::int64_t ignore_index = -100;
};
/// With label_smoothing s the target is (1 - s) at the class and s / c everywhere.
struct cross_entropy_options {
    std::int64_t ignore_index = -100;
    double label_smoothing = 0;
};
}  // namespace loss

namespace detail::inline functional_part {

template <loss::reduction R>
using batchmean_refused = unless<R != loss::reduction::batchmean, batchmean_is_a_reduction_of_kl_div<R>>;

/// No weights: every class counts 1.
struct no_weight {};

/// The class axis of an input.
template <class X>
inline constexpr int class_axis = X::rank == 1 ? 0 : 1;

/// Why these are no weights of the input's classes.
template <fixed_string Loss, class Input, class Weight>
constexpr auto why_no_weights() {
    if constexpr (requires { typename Weight::shape_type; }) {
        using W = typename Weight::shape_type;
        if constexpr (W::rank != 1) return because<class_weights_do_not_fit<Loss, Input, W>>{};
        else
            return because<unless<broadcast_shape<shape<shape_extent<class_axis<Input>, Input>::value>, W>::ok,
                                  class_weights_do_not_fit<Loss, Input, W>>>{};
    } else {
        return because<no_reason>{};
    }
}
template <class Input>
struct without_classes {
    using rule = dropped_rule<Input, std::int64_t{1} << (Input::rank - 1 - class_axis<Input>)>;
    using type = typename shape_from<rule, Input>::type;
};
/// Why targets and weights are not such as the input's classes.
template <fixed_string Loss, class Input, class Target, class Weight>
constexpr auto why_no_classes() {
    if constexpr (Input::rank == 0) return because<class_targets_do_not_fit<Loss, Input, Target>>{};
    else if constexpr (!same_extents<typename without_classes<Input>::type, Target>())
        return because<class_targets_do_not_fit<Loss, Input, Target>>{};
    else return why_no_weights<Loss, Input, Weight>();
}

/// A mask of the shape of x: whether the position along the class axis is the target. The attribute holds that axis
/// (from the right) and the target that is ignored.
template <fixed_string Loss>
struct is_class_op : composed<Loss> {
    template <class...>
    using result = bool;
    template <class>
    static constexpr int simplify(builder& b, node const& n) {
        bool const wide = b.nodes.items[n.in[0]].type == dtype::f64;
        if (b.nodes.items[n.in[1]].type == dtype::i32)
            return wide ? emit<double, std::int32_t>(b, n) : emit<float, std::int32_t>(b, n);
        return wide ? emit<double, std::int64_t>(b, n) : emit<float, std::int64_t>(b, n);
    }

private:
    template <class T, class I>
    static constexpr int emit(builder& b, node const& n) {
        int const axis = static_cast<int>(n.attr.axes);
        std::int64_t const classes = b.shape_of(n.in[0]).from_right(axis);
        return emit_is_class<T, I, Loss>(b, n.in[1], axis, classes,
                                        n.attr.exempts() ? maybe_index{n.attr.offset} : maybe_index{}).id;
    }
};
constexpr void check_label_smoothing(double s) {
    if (!(s >= 0 && s <= 1)) label_smoothing_is_from_zero_to_one();
}
template <fixed_string Loss, class X, class Target>
constexpr auto is_class(X const& x, Target const& target, maybe_index exempt) {
    using S = typename X::shape_type;
    using op = is_class_op<Loss>;
    refuse(because<check_index_types<op, typename X::value_type, typename Target::value_type>>{});
    attribute const at{.axes = S::rank - 1 - class_axis<S>, .number = exempt.given ? 1.0 : 0.0, .offset = exempt.value};
    return apply_custom_loop<op, S>(at, x, target);
}

/// Weights are one for each class of v, a symbol: what only run time knows is checked there.
template <class V, class W>
constexpr void check_class_weights(V const& v, W const& weight) {
    using S = typename V::shape_type;
    auto const w = let(weight);
    builder& b = *w.graph;
    (void)b.same(b.shape_of(v.id).from_right(S::rank - 1 - class_axis<S>), b.shape_of(w.id).from_right(0));
}
/// Class weights as an array that broadcasts against v.
template <class V, class W>
constexpr auto along_classes(V const& v, W const& weight) {
    check_class_weights(v, weight);
    using S = typename V::shape_type;
    return [&]<int... I>(std::integer_sequence<int, I...>) {
        if constexpr (sizeof...(I) == 0) return weight;
        else return unsqueeze<(I + 1)...>(weight);
    }(std::make_integer_sequence<int, S::rank - 1 - class_axis<S>>{});
}

/// Which rows count, and how much: those whose target is not ignored, each with the weight of its class. It is found
/// out before anything else, so that losses and gradients can be made in one pass that knows what the mean divides
/// by.
template <class T, loss::reduction R, class Target, class W>
struct kept_rows {
    static constexpr auto find_weights(Target const& t, W const& w, std::int64_t ignored) {
        if constexpr (std::same_as<W, no_weight>) return w;
        // ignored rows get that of class 0, which comes to nothing
        else return let(take(w, where(t == ignored, 0, t)));
    }
    static constexpr auto find_total(Target const& t, auto const& of_row, std::int64_t ignored) {
        if constexpr (R != loss::reduction::mean) return no_weight{};
        else if constexpr (std::same_as<W, no_weight>) return let(sum(cast<T>(t != ignored)));
        else return let(sum(where(t != ignored, of_row, 0.0)));
    }
    Target target;
    std::int64_t ignored;
    decltype(find_weights(std::declval<Target const&>(), std::declval<W const&>(), 0)) weight;
    decltype(find_total(std::declval<Target const&>(), weight, 0)) total;

    constexpr kept_rows(Target const& t, W const& w, std::int64_t i)
        : target(t), ignored(i), weight(find_weights(t, w, i)), total(find_total(t, weight, i)) {}

    /// Losses of rows times the weight of their class.
    constexpr auto weighted(auto const& each) const {
        if constexpr (std::same_as<W, no_weight>) return each;
        else return weight * each;
    }
    /// Losses of rows, weights included, reduced.
    constexpr auto reduced(auto const& each) const {
        auto const losses = where(target != ignored, each, 0.0);
        if constexpr (R == loss::reduction::none) return losses;
        else if constexpr (R == loss::reduction::mean) return sum(losses) / total;
        else return sum(losses);
    }
};
template <class T, loss::reduction R, class Target, class W>
constexpr kept_rows<T, R, Target, W> keep_rows(Target const& t, W const& w, std::int64_t ignored) {
    refuse(because<batchmean_refused<R>>{});
    return {t, w, ignored};
}

template <loss::reduction R, class X, class Target, class W>
constexpr auto nll_of_classes(X const& x, Target const& target, W const& weight, loss::nll_options const& o) {
    constexpr int axis = class_axis<typename X::shape_type>;
    auto const t = let(target);
    auto const rows = keep_rows<computed<typename X::value_type>, R>(t, weight, o.ignore_index);
    auto const v = let(widened(x));
    auto const is = is_class<"nll">(v, t, o.ignore_index);
    if constexpr (!std::same_as<W, no_weight>) check_class_weights(v, weight);
    return rows.reduced(rows.weighted(-sum<axis>(where(is, v, 0.0))));
}

template <loss::reduction R, class X, class Target, class W>
constexpr auto nll(X const& x, Target const& target, W const& weight, loss::nll_options const& o) {
    if constexpr (!accepts(why_no_classes<"nll", typename X::shape_type, typename Target::shape_type, W>()))
        return reduced<R>(x);
    else return nll_of_classes<R>(x, target, weight, o);
}

/// With z = x - max(x): log(sum(e^z)) - z at the target, both of which are at least 0, so that no digits are lost.
template <loss::reduction R, class X, class Target, class W>
constexpr auto cross_entropy_of_indices(X const& x, Target const& target, W const& weight,
                                        loss::cross_entropy_options const& o) {
    constexpr int axis = class_axis<typename X::shape_type>;
    auto const t = let(target);
    auto const rows = keep_rows<computed<typename X::value_type>, R>(t, weight, o.ignore_index);
    auto const v = let(widened(x));
    auto const is = is_class<"cross_entropy">(v, t, o.ignore_index);
    if constexpr (!std::same_as<W, no_weight>) check_class_weights(v, weight);
    auto const peak = let(reduce<peak_op, true, axis>(v));
    auto const z = let(v - peak);
    auto const log_sum = let(log(sum<axis>(exp(z))));
    // found in the pass that finds the peak
    auto const at_target = squeeze<axis>(sum<axis>(where(is, v, 0.0), keepdims) - peak);
    auto losses = let(rows.weighted(log_sum - at_target));
    if (double const s = o.label_smoothing; s != 0) {
        if constexpr (std::same_as<W, no_weight>) {
            losses = let((1 - s) * losses + s * (log_sum - mean<axis>(z)));
        } else {
            auto const w = along_classes(v, weight);
            losses = let((1 - s) * losses + s * (log_sum * mean(weight) - mean<axis>(w * z)));
        }
    }
    return rows.reduced(losses);
}

/// The target is an array of probabilities t of the shape of x.
template <loss::reduction R, class X, class Target, class W>
constexpr auto cross_entropy_of_probabilities(X const& x, Target const& target, W const& weight,
                                              loss::cross_entropy_options const& o) {
    constexpr int axis = class_axis<typename X::shape_type>;
    auto const log_p = let(log_softmax<axis>(x));
    auto const t = beside<"cross_entropy">(log_p, target);
    auto all = [&](auto const& factor) {
        auto each = let(sum<axis>(factor(t * log_p)));
        if (o.label_smoothing != 0)
            each = let((1 - o.label_smoothing) * each + o.label_smoothing * mean<axis>(factor(log_p)));
        return reduced<R>(-each);
    };
    if constexpr (std::same_as<W, no_weight>) {
        return all([](auto const& e) { return e; });
    } else {
        return all([w = along_classes(log_p, weight)](auto const& e) { return w * e; });
    }
}

template <loss::reduction R, class X, class Target, class W>
constexpr auto cross_entropy(X const& x, Target const& target, W const& weight, loss::cross_entropy_options const& o) {
    check_label_smoothing(o.label_smoothing);
    if constexpr (std::floating_point<computed<typename Target::value_type>>) {
        if constexpr (!accepts(why_no_weights<"cross_entropy", typename X::shape_type, W>())) return reduced<R>(x);
        else return cross_entropy_of_probabilities<R>(x, target, weight, o);
    } else if constexpr (!accepts(
                             why_no_classes<"cross_entropy", typename X::shape_type, typename Target::shape_type, W>()))
        return reduced<R>(x);
    else {
        refuse(because<batchmean_refused<R>>{});  // here, nearer to the user's line
        return cross_entropy_of_indices<R>(x, target, weight, o);
    }
}
}  // namespace detail::functional_part

namespace loss {

/// -x[t] of log-probabilities x of shape (n, c, ...) and class indices t of shape (n, ...).
template <reduction R = reduction::mean, expression X, expression Target>
constexpr auto nll(X const& x, Target const& target, nll_options const& options = {}) {
    return detail::nll<R>(x, target, detail::no_weight{}, options);
}
/// -w[t] x[t]; the mean divides by the sum of w[t] over the rows that are kept.
template <reduction R = reduction::mean, expression X, expression Target, parameter_array Weight>
constexpr auto nll(X const& x, Target const& target, Weight const& weight, nll_options const& options = {}) {
    return detail::nll<R>(x, target, weight, options);
}

/// -log(softmax(x))[t] of scores (logits) x of shape (n, c, ...). The target is a class index of shape (n, ...), or
/// probabilities of the shape of x: -sum(t log(softmax(x))), which need not sum to 1.
template <reduction R = reduction::mean, expression X, expression Target>
constexpr auto cross_entropy(X const& x, Target const& target, cross_entropy_options const& options = {}) {
    return detail::cross_entropy<R>(x, target, detail::no_weight{}, options);
}
/// The same with a weight for each class. Of class indices the mean divides by the sum of w[t] over the rows that are
/// kept, of probabilities by the number of rows.
template <reduction R = reduction::mean, expression X, expression Target, parameter_array Weight>
constexpr auto cross_entropy(X const& x, Target const& target, Weight const& weight,
                             cross_entropy_options const& options = {}) {
    return detail::cross_entropy<R>(x, target, weight, options);
}

}  // namespace loss
}  // namespace tapeless
