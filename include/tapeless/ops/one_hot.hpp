// SPDX-License-Identifier: MIT
#pragma once
// one_hot: rows with a single 1. A comparison with the position along the row, so that what uses it reads no such
// array.

#include <tapeless/ops/indexed.hpp>
#include <tapeless/ops/product.hpp>

namespace tapeless {
namespace detail::inline ops_part {

/// Indices that were computed, in memory: they are looked at before what uses them runs. The attribute holds the
/// limit, and the index that is right though it is out of range.
template <fixed_string Name>
struct checked_index_op : custom_loop<Name> {
    static constexpr bool takes_leading_axes = true;
    static constexpr dims shape(builder& b, node const& n) {
        dims limit;
        limit.rank = 1;
        limit.extent[0] = n.attr.offset;
        b.check_index(n.in[0], limit,
                      {Name.text, "index", n.attr.exempts() ? maybe_index{n.attr.axes} : maybe_index{}});
        return b.shape_of(n.in[0]);
    }
    template <class I>
    TAPELESS_CONFIG_INLINE static void run(strided const* in, strided const& out, attribute const&) {
        copy_array<I>(out, in[0]);
    }
};

/// A mask: whether the position along an axis (from the right, of a shape with one axis more) is the index at the
/// other axes. Masks are as wide as T. Run time checks that indices are less than `classes`, or the one that is
/// exempt.
template <class T, class I, fixed_string Name>
constexpr node_ref<bool> emit_is_class(builder& b, int index, int axis, std::int64_t classes, maybe_index exempt) {
    if (is_handed_in(b, index)) {
        dims limit;
        limit.rank = 1;
        limit.extent[0] = b.resolve(classes);
        b.check_index(index, limit, {Name.text, "index", exempt});
    } else {
        index = emit_custom_loop<checked_index_op<Name>, I>(
                    b, attribute{.axes = exempt.value, .number = exempt.given ? 1.0 : 0.0, .offset = classes}, {index})
                    .id;
    }
    int const rank = b.shape_of(index).rank;
    axis_map beside = axis_map::of_rank(rank + 1), along = axis_map::of_rank(axis + 1);
    for (int k = 0; k < rank; ++k) beside.set(k < axis ? k : k + 1, k);
    along.set(axis, 0);
    using position = position_of<T>;
    auto const shown = cast<position>(node_ref<I>(&b, emit_with<axes_op>(b, index, attribute{.axes = beside.bits})));
    int const position_along = b.coordinate(classes, dtype_of<position>());
    return shown == node_ref<position>(&b, emit_with<axes_op>(b, position_along, attribute{.axes = along.bits}));
}

template <int Classes, class Index>
struct one_hot_rule {
    static constexpr dims compute() {
        dims d = dims_of<Index>();
        d.extent[d.rank++] = Classes;
        return d;
    }
    static constexpr dims value = compute();
    using type = typename shape_from<one_hot_rule, Index>::type;
};

/// In the graph: the cast of a comparison.
template <int Classes, class T>
struct one_hot_op : composed<"one_hot"> {
    template <class...>
    using result = T;
    template <class>
    static constexpr int simplify(builder& b, node const& n) {
        return b.nodes.items[n.in[0]].type == dtype::i32 ? emit<std::int32_t>(b, n.in[0])
                                                         : emit<std::int64_t>(b, n.in[0]);
    }

private:
    template <class I>
    static constexpr int emit(builder& b, int index) {
        dims shape = b.shape_of(index);
        shape.extent[shape.rank++] = Classes;
        return emit_expand(b, cast<T>(emit_is_class<T, I, "one_hot">(b, index, 0, Classes, maybe_index{})).id, shape);
    }
};
}  // namespace detail::ops_part

/// Rows of length Classes with a 1 where the index says and 0 elsewhere: y(i, ..., c) = 1 if index(i, ...) = c.
template <int Classes, element T = float, expression I>
constexpr auto one_hot(I const& index) {
    static_assert(Classes > 0, "one_hot<classes>: at least one class");
    using op = detail::one_hot_op<Classes, detail::type_of<detail::dtype_of<T>()>>;
    refuse(because<detail::check_index_types<op, T, typename I::value_type>>{});
    if constexpr (!detail::is_node_ref<I>)
        static_assert(I::shape_type::rank < max_rank, "one_hot: arrays have at most 8 axes");
    if constexpr (!std::integral<typename I::value_type> || detail::is_flag<typename I::value_type>)
        return one_hot<Classes, T>(apply_with<detail::cast_op<std::int64_t>>(detail::attribute{}, index));
    else if constexpr (detail::is_node_ref<I>)
        return detail::emit_custom_loop<op, typename I::value_type>(*index.graph, {}, {index.id});
    else
        return detail::apply_custom_loop<op, typename detail::one_hot_rule<Classes, typename I::shape_type>::type>(
            {}, index);
}

}  // namespace tapeless
