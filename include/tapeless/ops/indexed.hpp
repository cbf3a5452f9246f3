// SPDX-License-Identifier: MIT
#pragma once
// Indexed operations: gather, index_select, take, embedding, and scatter_add, index_add, segment_sum, which are what
// flows back through them.

#include <tapeless/ops/custom_loop.hpp>
#include <tapeless/ops/index_checks.hpp>
#include <tapeless/ops/indexed_loops.hpp>

namespace tapeless {

namespace detail::inline ops_part {

/// What an index picks: one element along an axis, whole rows across an axis, or an element of the flattened array.
enum class picks { elements, rows, flat };

/// The shape of what is picked.
constexpr dims picked_shape(picks how, dims const& x, dims const& index, int axis) {
    if (how != picks::rows) return index;
    dims d;
    for (int k = x.rank - 1; k > axis; --k) d.extent[d.rank++] = x.from_right(k);
    for (int k = index.rank - 1; k >= 0; --k) d.extent[d.rank++] = index.from_right(k);
    for (int k = axis - 1; k >= 0; --k) d.extent[d.rank++] = x.from_right(k);
    return d;
}
/// Notes what run time has to check of indices into an array of shape x.
constexpr void check_indexed(builder& b, picks how, dims const& x, int index, int axis, char const* op) {
    dims limit = x;
    if (how != picks::flat) {
        limit = dims{};
        limit.extent[limit.rank++] = b.resolve(x.from_right(axis));
    }
    dims const i = b.shape_of(index);
    for (int k = 0; k < i.rank && how == picks::elements; ++k)
        if (k != axis) b.at_most(i.from_right(k), x.from_right(k));
    b.check_index(index, limit, op);
}

/// What flows back through How: gather's is a scatter_add.
template <picks How>
struct add_at_op;
template <picks How>
inline constexpr auto plain_name = [] {
    if constexpr (How == picks::elements) return fixed_string("gather");
    else if constexpr (How == picks::rows) return fixed_string("index_select");
    else return fixed_string("take");
}();
template <picks How>
inline constexpr auto add_name = [] {
    if constexpr (How == picks::elements) return fixed_string("scatter_add");
    else if constexpr (How == picks::rows) return fixed_string("index_add");
    else return fixed_string("take_add");
}();

/// y = x at index. The attribute holds the axis, and 1 + the index that gets no gradient.
template <picks How, fixed_string Name = plain_name<How>>
struct pick_op : custom_loop<Name> {
    static constexpr bool takes_leading_axes = How == picks::elements;
    static constexpr dims shape(builder& b, node const& n) {
        dims const x = b.shape_of(n.in[0]);
        check_indexed(b, How, x, n.in[1], static_cast<int>(n.attr.axes), custom_loop<Name>::name.text);
        return picked_shape(How, x, b.shape_of(n.in[1]), static_cast<int>(n.attr.axes));
    }
    /// Indices of many items into one array are one larger index, and one index into many arrays picks from all of
    /// them.
    static constexpr int of_all(builder& b, node const& n, unsigned leading) {
        if (How == picks::elements || leading == 3 || (How == picks::flat && leading == 1)) return -1;
        int const y = b.emit(*n.op, n), rank = b.shape_of(y).rank;
        if (How == picks::flat || leading == 1) return y;
        int const items = static_cast<int>(n.attr.axes) + b.shape_of(n.in[1]).rank - 1;  // the axis of the result
        axis_map m = axis_map::of_rank(rank);
        for (int k = 0; k < rank - 1; ++k) m.set(k, k < items ? k : k + 1);
        m.set(rank - 1, items);
        return emit_with<axes_op>(b, y, attribute{.axes = m.bits});
    }
    /// Along the first axis of the result, which is that of the index, that of x, or both.
    static constexpr loop_cut cut(attribute const& at, int rank, int operand) {
        int const axis = static_cast<int>(at.axes);
        bool const first = How == picks::flat || axis + 1 == operand;  // x is picked from along its first axis
        loop_cut c;
        if (How == picks::rows ? first && rank <= axis : How == picks::elements && rank != operand) return c;
        if (!first) c.axis[0] = 0;
        if (first || How == picks::elements) c.axis[1] = 0;
        c.least = 1 << 16;
        c.grain = 16;
        return c;
    }
    /// What is picked from a number is that number.
    template <class>
    static constexpr int simplify(builder& b, node const& n) {
        int const x = array_behind(b, n.in[0]);
        return b.is_constant(x) ? emit_expand(b, x, shape(b, n)) : emit_in_memory(b, n);
    }
    template <class T, class I>
    TAPELESS_CONFIG_INLINE static void run(strided const* in, strided const& out, attribute const& at) {
        strided const &x = in[0], &index = in[1];
        int const axis = static_cast<int>(at.axes);
        if constexpr (How == picks::rows) {
            pick_rows<T, I>(out, index, x, axis);
        } else {
            loop_nest<3> nest;
            for (int k = 0; k < index.rank; ++k)
                nest.add(index.extent[k], out.stride[k], index.stride[k],
                         How == picks::flat || k == axis ? 0 : x.stride[k]);
            auto pick = [&](auto where) TAPELESS_CONFIG_INLINE {
                pick_elements(nest, out.as<T>(), index.as<I const>(), x.as<T const>(), where);
            };
            if constexpr (How == picks::flat) with_flat_order(x, pick);
            else pick(along_axis{x.stride[axis]});
        }
    }
    /// dx = g added up at index in zeros of x's shape
    static constexpr auto pullback(auto g, auto y, auto x, auto index, attribute const& at) {
        using T = typename decltype(x)::value_type;
        builder& b = *x.graph;
        int const full = emit_expand(b, g.id, dims(b.shape_of(y.id)));
        attribute const to{.axes = at.axes, .number = at.number, .shape = b.nodes.items[x.id].shape};
        using I = typename decltype(index)::value_type;
        return cotangents(emit_custom_loop<add_at_op<How>, T, I, T>(b, to, {emit_constant<T>(b, 0), index.id, full}),
                          no_cotangent{});
    }
};

/// x, or a number in the shape of the attribute, with src added up at index; in the order of the indices.
template <picks How>
struct add_at_op : custom_loop<add_name<How>> {
    static constexpr bool takes_leading_axes = How == picks::elements;
    static constexpr dims shape(builder& b, node const& n) {
        dims const x = n.attr.shape >= 0 ? b.shapes.items[n.attr.shape] : b.shape_of(n.in[0]);
        int const axis = static_cast<int>(n.attr.axes);
        check_indexed(b, How, x, n.in[1], axis, custom_loop<add_name<How>>::name.text);
        dims const source = b.shape_of(n.in[2]);
        // notes what run time has to check
        (void)broadcast(b, picked_shape(How, x, b.shape_of(n.in[1]), axis), source);
        return x;
    }
    template <class T, class I, class>
    TAPELESS_CONFIG_INLINE static void run(strided const* in, strided const& out, attribute const& at) {
        strided const &index = in[1], &source = in[2];
        int const axis = static_cast<int>(at.axes);
        auto const left_out = at.left_out();
        copy_array<T>(out, in[0]);
        if constexpr (How == picks::rows) {
            add_rows<T, I>(out, index, source, axis, left_out);
        } else {
            loop_nest<3> nest;
            for (int k = 0; k < index.rank; ++k)
                nest.add(index.extent[k], source.stride[k], index.stride[k],
                         How == picks::flat || k == axis ? 0 : out.stride[k]);
            auto add = [&](auto where) TAPELESS_CONFIG_INLINE {
                add_elements(nest, source.as<T const>(), index.as<I const>(), out.as<T>(), where, left_out);
            };
            if constexpr (How == picks::flat) with_flat_order(out, add);
            else add(along_axis{out.stride[axis]});
        }
    }
    /// dx = g; dsrc = g at index, 0 for what was left out
    static constexpr auto pullback(auto g, auto y, auto x, auto index, auto, attribute const& at) {
        using T = typename decltype(x)::value_type;
        using I = typename decltype(index)::value_type;
        builder& b = *x.graph;
        int const full = emit_expand(b, g.id, dims(b.shape_of(y.id)));
        auto picked = emit_custom_loop<pick_op<How>, T, I>(b, attribute{.axes = at.axes}, {full, index.id});
        if (!at.leaves_out()) return cotangents(g, no_cotangent{}, picked);
        axis_map beside = axis_map::of_rank(b.shape_of(picked.id).rank);
        for (int k = 0; k < b.shape_of(index.id).rank; ++k) beside.set(static_cast<int>(at.axes) + k, k);
        auto shown = apply_with<axes_op>(attribute{.axes = beside.bits}, index);
        node_ref<T> kept = where(shown != static_cast<I>(at.left_out()), picked, 0.0);
        return cotangents(g, no_cotangent{}, kept);
    }
};

template <fixed_string Name>
inline constexpr builtin builtin_of<pick_op<picks::rows, Name>> = builtin::picked_rows;
template <>
inline constexpr builtin builtin_of<add_at_op<picks::rows>> = builtin::added_rows;

template <picks How, int Axis, class X, class Index>
struct picked_rule {
    static constexpr dims value = picked_shape(How, dims_of<X>(0), dims_of<Index>(1), axis_from_right(Axis, X::rank));
    using type = typename shape_from<picked_rule, X, Index>::type;
};

/// Op on x and an index along an axis.
template <class Op, picks How, int Axis, class X, class I>
constexpr auto pick(X const& x, I const& index, double number = 0) {
    using T = typename X::value_type;
    using J = typename I::value_type;
    refuse(because<check_index_types<Op, std::conditional_t<is_flag<T>, std::int32_t, T>, J>>{});
    if constexpr (!std::integral<J> || is_flag<J>) {
        return pick<Op, How, Axis>(x, apply_with<cast_op<std::int64_t>>(attribute{}, index), number);
    } else if constexpr (is_flag<T>) {
        return pick<Op, How, Axis>(apply_with<cast_op<std::int32_t>>(attribute{}, x), index, number) != 0;
    } else if constexpr (is_node_ref<X>) {
        int const axis = How == picks::flat ? 0 : axis_from_right(Axis, x.graph->shape_of(x.id).rank);
        return emit_custom_loop<Op, T, J>(*x.graph, attribute{.axes = axis, .number = number},
                                          {x.id, index.walk(*x.graph)});
    } else {
        using S = typename picked_rule<How, Axis, typename X::shape_type, typename I::shape_type>::type;
        constexpr int axis = How == picks::flat ? 0 : axis_from_right(Axis, X::rank);
        return apply_custom_loop<Op, S>(attribute{.axes = axis, .number = number}, x, index);
    }
}
/// x with a source added to it at an index along an axis.
template <picks How, int Axis, class X, class I, class S>
constexpr auto add_at(X const& x, I const& index, S const& source) {
    using op = add_at_op<How>;
    using T = typename X::value_type;
    using J = typename I::value_type;
    refuse(because<check_index_types<op, T, J>>{});
    refuse(because<typename check_element<op, T, typename S::value_type>::reason>{});
    if constexpr (is_node_ref<X>) {
        builder& b = *x.graph;
        int const axis = axis_from_right(Axis, b.shape_of(x.id).rank);
        return emit_custom_loop<op, T, J, T>(b, attribute{.axes = axis}, {x.id, index.walk(b), source.walk(b)});
    } else {
        attribute const at{.axes = axis_from_right(Axis, X::rank)};
        return apply_custom_loop<op, typename X::shape_type>(at, x, index, source);
    }
}
}  // namespace detail::ops_part

/// y(i, j, ...) = x(index(i, j, ...), j, ...) along axis 0, and likewise along another: y has the shape of the index
/// array, which is at most as long as x along the other axes. Gradients of elements that are picked twice add up.
template <int Axis, expression X, expression I>
constexpr auto gather(X const& x, I const& index) {
    using op = detail::pick_op<detail::picks::elements>;
    if constexpr (!detail::is_node_ref<X>)
        refuse(because<detail::check_gather<op, Axis, typename X::shape_type, typename I::shape_type>>{});
    return detail::pick<op, detail::picks::elements, Axis>(x, index);
}

/// Whole slices: y(i, j, ...) = x(index(i), j, ...) along axis 0, and likewise along another; the index array is a
/// vector.
template <int Axis, expression X, expression I>
constexpr auto index_select(X const& x, I const& index) {
    using op = detail::pick_op<detail::picks::rows>;
    if constexpr (!detail::is_node_ref<X>)
        refuse(because<detail::check_index_select<op, Axis, typename X::shape_type, typename I::shape_type>>{});
    return detail::pick<op, detail::picks::rows, Axis>(x, index);
}

/// y(i, ...) = the element number index(i, ...) of x in row-major order; y has the shape of the index array.
template <expression X, expression I>
constexpr auto take(X const& x, I const& index) {
    return detail::pick<detail::pick_op<detail::picks::flat>, detail::picks::flat, 0>(x, index);
}

namespace detail::inline ops_part {
template <expression W, expression I>
constexpr auto embed(W const& weight, I const& index, double number) {
    using op = pick_op<picks::rows, "embedding">;
    if constexpr (!is_node_ref<W>) {
        static_assert(I::shape_type::rank < max_rank, "embedding: arrays have at most 8 axes");
        refuse(because<check_embedding<op, typename W::shape_type, typename I::shape_type>>{});
    }
    return pick<op, picks::rows, 0>(weight, index, number);
}
}  // namespace detail::ops_part

/// y(i, ..., :) = weight(index(i, ...), :), the rows of a weight of shape (entries, width). Rows used twice add up
/// their gradients.
template <expression W, expression I>
constexpr auto embedding(W const& weight, I const& index) {
    return detail::embed(weight, index, 0);
}
/// The same; the row `padding` gets no gradient, though its value is returned like any other.
template <expression W, expression I>
constexpr auto embedding(W const& weight, I const& index, std::int64_t padding) {
    if (padding < 0) detail::raise("embedding: the padding index counts from 0");
    return detail::embed(weight, index, static_cast<double>(padding + 1));
}

/// x with src(i, j, ...) added to its element (index(i, j, ...), j, ...) along axis 0, and likewise along another.
/// Elements that are met several times add up, in the order of the indices; src has the shape of the index array.
template <int Axis, expression X, expression I, expression S>
constexpr auto scatter_add(X const& x, I const& index, S const& source) {
    if constexpr (!detail::is_node_ref<X>) {
        using op = detail::add_at_op<detail::picks::elements>;
        refuse(because<detail::check_gather<op, Axis, typename X::shape_type, typename I::shape_type>>{});
        refuse(because<detail::check_scatter<typename I::shape_type, typename S::shape_type>>{});
    }
    return detail::add_at<detail::picks::elements, Axis>(x, index, source);
}

/// x with the slices of src added to its slices number index(i) along an axis: src is as x, but has as many slices as
/// there are indices. Slices that are met several times add up, in the order of the indices.
template <int Axis, expression X, expression I, expression S>
constexpr auto index_add(X const& x, I const& index, S const& source) {
    if constexpr (!detail::is_node_ref<X>) {
        using op = detail::add_at_op<detail::picks::rows>;
        using picked = typename detail::picked_rule<detail::picks::rows, Axis, typename X::shape_type,
                                                    typename I::shape_type>::type;
        refuse(because<detail::check_index_select<op, Axis, typename X::shape_type, typename I::shape_type>>{});
        refuse(because<detail::check_scatter<picked, typename S::shape_type>>{});
    }
    return detail::add_at<detail::picks::rows, Axis>(x, index, source);
}

namespace detail::inline ops_part {
template <auto N, class Shape>
struct first_extent_replaced;
template <auto N, auto Head, auto... Tail>
struct first_extent_replaced<N, shape<Head, Tail...>> {
    using type = shape<N, Tail...>;
};
}  // namespace detail::ops_part

/// y(s, ...) = the sum of the rows x(k, ...) with index(k) = s: one index a row, Segments rows; those without a row are
/// 0.
template <int Segments, expression X, expression I>
constexpr auto segment_sum(X const& a, I const& index) {
    static_assert(Segments >= 0, "segment_sum<segments>: not a negative number");
    constexpr int segments = Segments >= 0 ? Segments : 0;
    auto const x = let(detail::widened(a));
    using T = typename decltype(x)::value_type;
    detail::builder& b = *x.graph;
    detail::dims d = b.shape_of(x.id);
    d.extent[0] = segments;
    int const zeros = detail::emit_expand(b, b.constant(0, detail::dtype_of<T>()), d);
    if constexpr (detail::is_node_ref<X>) {
        return index_add<0>(node_ref<T>(&b, zeros), index, x);
    } else {
        using S = typename detail::first_extent_replaced<segments, typename X::shape_type>::type;
        return index_add<0>(typename detail::symbol_with<T, S>::type(&b, zeros), index, x);
    }
}

}  // namespace tapeless
