// SPDX-License-Identifier: MIT
#pragma once
// What views of arrays have in common: axes checked where they are written, and operations that become views at once.

#include <tapeless/ops/movement.hpp>
#include <tapeless/ops/product.hpp>

namespace tapeless::detail::inline ops_part {

/// Base of what has another shape than its operand: Rule::dims_from(d) gives it of the operand's.
template <fixed_string Name, class Rule>
struct with_other_shape : composed<Name> {
    template <class S>
    struct rule_of {
        static constexpr dims value = Rule::dims_from(dims_of<S>());
    };
    template <class, class S>
    using result_shape = typename shape_from<rule_of<S>, S>::type;
};
/// Of those, what becomes views as soon as it enters the graph.
template <fixed_string Name, class Rule>
struct moved : with_other_shape<Name, Rule> {
    template <class>
    static constexpr int simplify(builder& b, node const& n) {
        return Rule::emit(b, n.in[0]);
    }
};

/// Why x does not have these axes; in a derivative rule only the graph knows.
template <class Op, class A, class Shape, int... Axis>
constexpr auto why_no_axes() {
    if constexpr (is_node_ref<A>) return because<no_reason>{};
    else return because<axes_refused<Op, Shape, Axis...>>{};
}
template <class A>
struct shape_or_none {
    using type = shape<>;
};
template <class A>
    requires requires { typename A::shape_type; }
struct shape_or_none<A> {
    using type = typename A::shape_type;
};

/// The position along an axis (from the right) of an array of that rank.
template <class T>
constexpr int emit_position(builder& b, std::int64_t extent, int rank, int axis) {
    axis_map m = axis_map::of_rank(rank);
    m.set(axis, 0);
    return emit_axes(b, b.coordinate(extent, dtype_of<position_of<T>>()), m);
}

}  // namespace tapeless::detail::ops_part
