// SPDX-License-Identifier: MIT
#pragma once
// Reductions of masks: any, all, and how many elements are not zero.

#include <tapeless/ops/reduce.hpp>

namespace tapeless {

/// Refuses any and all of numbers.
template <class Op, class Element>
struct not_a_mask {
    static_assert(never<Op>, "any and all take a mask: write x != 0");
};

namespace detail::inline ops_part {
/// A mask as numbers 0 and 1, their extreme compared with 1/2. Of nothing: any is false, all is true.
template <combination Combine, fixed_string Name>
struct quantifier : reduce_base<Name, Combine, false> {
    struct number_op
        : reduce_base<Combine == combination::max ? fixed_string("max") : fixed_string("min"), Combine, false> {
        static constexpr bool differentiable = false;
    };
    static constexpr bool takes_masks = true;
    template <class T>
    using result = bool;
    template <class Flag>
    static constexpr int simplify(builder& b, node const& n) {
        node_ref<Flag> const x(&b, n.in[0]);
        attribute const at{.axes = n.attr.axes};
        if (b.nodes.items[x.id].type == dtype::mask64) return (apply_with<number_op>(at, cast<double>(x)) > 0.5).id;
        return (apply_with<number_op>(at, cast<float>(x)) > 0.5).id;
    }
};

template <class Op, bool Keep, int... Axis, class A>
constexpr auto quantify(A const& a) {
    if constexpr (std::same_as<typename A::value_type, bool>) return reduce<Op, Keep, Axis...>(a);
    else return refuse(because<not_a_mask<Op, typename A::value_type>>{}), a;
}
}  // namespace detail::ops_part

/// Whether some element is true.
struct any_op : detail::quantifier<detail::combination::max, "any"> {};
/// Whether every element is true.
struct all_op : detail::quantifier<detail::combination::min, "all"> {};

/// Whether some element of a mask is true along the axes named, or at all; of nothing it is false.
template <int... Axis, expression A>
constexpr auto any(A const& mask) {
    return detail::quantify<any_op, false, Axis...>(mask);
}
/// any with the reduced axes kept as extents of 1.
template <int... Axis, expression A>
constexpr auto any(A const& mask, keepdims_t) {
    return detail::quantify<any_op, true, Axis...>(mask);
}
/// Whether every element of a mask is true along the axes named, or at all; of nothing it is true.
template <int... Axis, expression A>
constexpr auto all(A const& mask) {
    return detail::quantify<all_op, false, Axis...>(mask);
}
/// all with the reduced axes kept as extents of 1.
template <int... Axis, expression A>
constexpr auto all(A const& mask, keepdims_t) {
    return detail::quantify<all_op, true, Axis...>(mask);
}
/// How many elements are not zero (or true) along the axes named, or at all: int64.
template <int... Axis, expression A>
constexpr auto count_nonzero(A const& a) {
    if constexpr (std::same_as<typename A::value_type, bool>) return sum<Axis...>(cast<std::int64_t>(a));
    else return sum<Axis...>(cast<std::int64_t>(a != 0));
}
/// count_nonzero with the reduced axes kept as extents of 1.
template <int... Axis, expression A>
constexpr auto count_nonzero(A const& a, keepdims_t) {
    if constexpr (std::same_as<typename A::value_type, bool>) return sum<Axis...>(cast<std::int64_t>(a), keepdims);
    else return sum<Axis...>(cast<std::int64_t>(a != 0), keepdims);
}
template <int... Axis, expression A>
constexpr auto any(A const& a, detail::axes_in_parentheses) {
    return refuse(because<axes_stand_in_angle_brackets<A>>{}), any<Axis...>(a);
}
template <int... Axis, expression A>
constexpr auto all(A const& a, detail::axes_in_parentheses) {
    return refuse(because<axes_stand_in_angle_brackets<A>>{}), all<Axis...>(a);
}
template <int... Axis, expression A>
constexpr auto count_nonzero(A const& a, detail::axes_in_parentheses) {
    return refuse(because<axes_stand_in_angle_brackets<A>>{}), count_nonzero<Axis...>(a);
}

}  // namespace tapeless
