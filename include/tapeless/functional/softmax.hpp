// SPDX-License-Identifier: MIT
#pragma once
// softmax and log_softmax along an axis: three levels over a row in cache, and rules that are O(n).

#include <tapeless/ops/statistics.hpp>

namespace tapeless {
namespace detail::inline functional_part {

/// Base of functions of whole rows: Op::value(x, at) is what they compute, Op::rule(g, y, x, at) the cotangent of x.
template <class Op, fixed_string Name>
struct row_function : boundary<Name> {
    static constexpr bool has_axes = true, differentiable = false;  // never stays in the graph
    template <class T>
    static constexpr int simplify(builder& b, node const& n) {
        attribute const at = n.attr;
        node_ref<T> const x(&b, n.in[0]);
        return apply_with<composed_op<Op>>(at, Op::value(x, at), x).id;
    }
};

/// Op along one axis of a.
template <class Op, int Axis, class A>
constexpr auto along(A const& a) {
    if constexpr (is_node_ref<A>) {
        int const rank = a.graph->shape_of(a.id).rank;
        return apply_with<Op>(attribute{.axes = std::int64_t{1} << (Axis < 0 ? -1 - Axis : rank - 1 - Axis)}, a);
    } else {
        if constexpr (!std::floating_point<typename A::value_type>)
            refuse(because<needs_floating_point<Op, typename A::value_type>>{});
        constexpr std::int64_t mask = axis_mask<typename A::shape_type, Axis>();
        refuse(because<axes_refused<Op, typename A::shape_type, Axis>>{});
        return apply_with<Op>(attribute{.axes = mask}, a);
    }
}

/// The sum of a cotangent over axes of a shape, also where it is the same along them.
template <class T>
constexpr node_ref<T> sum_of_cotangent(node_ref<T> g, node_ref<T> y, attribute const& at) {
    if (is_flat(g.graph->shape_of(g.id), at.axes)) return count_of(y, at.axes) * g;
    return over<sum_op>(at, g);
}
}  // namespace detail::functional_part

/// e^(x - m) / sum(e^(x - m)), m the largest; the rule needs only the result: y (g - sum(g y)).
struct softmax_op : detail::row_function<softmax_op, "softmax"> {
    static constexpr auto value(auto x, detail::attribute const& at) {
        auto const e = exp(x - detail::over<detail::peak_op>(at, x));
        return e / detail::over<sum_op>(at, e);
    }
    static constexpr auto rule(auto g, auto y, auto, detail::attribute const& at) {
        return y * (g - detail::over<sum_op>(at, g * y));
    }
};

/// x - m - log(sum(e^(x - m))), m the largest; the rule is g - softmax(x) sum(g).
struct log_softmax_op : detail::row_function<log_softmax_op, "log_softmax"> {
    static constexpr auto value(auto x, detail::attribute const& at) {
        auto const z = x - detail::over<detail::peak_op>(at, x);
        return z - log(detail::over<sum_op>(at, exp(z)));
    }
    static constexpr auto rule(auto g, auto y, auto x, detail::attribute const& at) {
        return g - softmax_op::value(x, at) * detail::sum_of_cotangent(g, y, at);
    }
};

/// The elements as probabilities that sum to 1 along an axis (by default the last): -inf has probability 0.
template <int Axis = -1, expression A>
constexpr auto softmax(A const& a) {
    return detail::along<softmax_op, Axis>(a);
}
/// log(softmax(x)) without its loss of digits.
template <int Axis = -1, expression A>
constexpr auto log_softmax(A const& a) {
    return detail::along<log_softmax_op, Axis>(a);
}

}  // namespace tapeless
