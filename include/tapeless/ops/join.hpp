// SPDX-License-Identifier: MIT
#pragma once
// Joining and parting arrays: concat, stack, split, pad, roll. What is joined is computed where it is to stand.

#include <tuple>

#include <tapeless/ops/padded.hpp>
#include <tapeless/ops/stretch.hpp>
#include <tapeless/ops/slice.hpp>

namespace tapeless {

/// Refuses to join arrays that differ along another axis than the one they are joined along.
template <int Axis, class A, class B>
struct concat_extents_differ {
    static_assert(never<A>,
                  "concat<axis>(...): the arrays have different ranks, or different extents along another axis");
};
/// Refuses to stack arrays of different shapes.
template <class A, class B>
struct stack_shapes_differ {
    static_assert(never<A>, "stack<axis>(...): the arrays have one shape; those of two of them differ");
};
/// Refuses to stack along an axis that the result does not have.
template <int Axis, class Shape>
struct stack_axis_out_of_range {
    static_assert(never<Shape>,
                  "stack<axis>(...): the new axis is one of the result's, which has one more than the arrays of rank "
                  "r: -r - 1 ... r");
};
/// Refuses to split an axis into parts that do not add up to it.
template <int Axis, class Shape, int... Sizes>
struct split_sizes_do_not_add_up {
    static_assert(never<Shape>, "split<axis, sizes...>: the sizes do not add up to the extent of the axis");
};
/// Refuses pads that are not two for each axis.
template <class Shape, int Pads>
struct pad_needs_two_numbers_for_each_axis {
    static_assert(never<Shape>,
                  "pad<before, after, ...>: two numbers for each axis of x, from the first axis on");
};

namespace detail::inline ops_part {

/// The shape of arrays one after the other along an axis.
template <int Axis, class... S>
struct concat_rule {
    static constexpr int rank = nth_type<0, S...>::type::rank;
    static constexpr int axis = Axis < 0 ? Axis + rank : Axis;  // from the left
    template <class X>
    static constexpr bool fits(dims const& d) {
        if (X::rank != d.rank) return false;
        for (int i = 0; i < d.rank; ++i) {
            std::int64_t const e = X::extents[static_cast<std::size_t>(i)];
            if (i != axis && e >= 0 && d.extent[i] >= 0 && e != d.extent[i]) return false;
        }
        return true;
    }
    static constexpr dims compute() {
        dims const each[] = {dims_of<S>()...};
        dims d = each[0];
        int operand = 0;
        for (dims const& e : each) {
            for (int i = 0; i < rank && i < e.rank; ++i) {
                if (operand == 0) continue;
                std::int64_t& to = d.extent[i];
                if (i == axis) to = to >= 0 && e.extent[i] >= 0 ? to + e.extent[i] : new_extent;
                else if (to < 0 && e.extent[i] >= 0) to = e.extent[i];
            }
            ++operand;
        }
        return d;
    }
    static constexpr dims value = compute();
    using first = typename nth_type<0, S...>::type;
    using type = typename shape_from<concat_rule, first>::type;
};

/// The parts one after the other along an axis (from the right).
constexpr int emit_concat(builder& b, int const* part, int count, int axis, char const* name = "concat") {
    dims d = b.shape_of(part[0]);
    std::int64_t total = 0;
    for (int i = 0; i < count; ++i) {
        dims const e = b.shape_of(part[i]);
        for (int k = 0; k < d.rank; ++k)
            if (k != axis && e.from_right(k) != d.from_right(k))
                d.extent[d.rank - 1 - k] = b.same(d.from_right(k), e.from_right(k), name);
        total = b.sum(total, e.from_right(axis));
    }
    d.extent[d.rank - 1 - axis] = total;
    int const zeros = b.blank(b.intern(d), b.nodes.items[part[0]].type);
    int y = zeros;
    std::int64_t start = 0;
    for (int i = 0; i < count; ++i) {
        std::int64_t const n = b.shape_of(part[i]).from_right(axis);
        if (n == 0) continue;
        y = emit_put(b, y, part[i], emit_slice(b, zeros, axis, start, n, 1), false);
        start = b.sum(start, n);
    }
    return y;
}

/// Arrays one after the other: an expression of any number of them.
template <int Axis, class T, class Shape, class... A>
struct joined : symbolic<T>, with_elements<joined<Axis, T, Shape, A...>> {
    using value_type = T;
    using shape_type = Shape;
    static constexpr int rank = Shape::rank;
    operands<std::make_integer_sequence<int, static_cast<int>(sizeof...(A))>, A...> args;
    char const* name;  // of what was called: in errors

    constexpr explicit joined(char const* called, A const&... a) : args(a...), name(called) {}
    constexpr builder* where() const {
        return [this]<int... I>(std::integer_sequence<int, I...>) {
            builder* b = nullptr;
            ((b = b ? b : detail::get<I>(args).where()), ...);
            return b;
        }(std::make_integer_sequence<int, static_cast<int>(sizeof...(A))>{});
    }
    constexpr int walk(builder& b) const {
        return [&]<int... I>(std::integer_sequence<int, I...>) {
            int const part[] = {emit_leading_axes(b, detail::get<I>(args).walk(b), rank)...};
            return emit_concat(b, part, static_cast<int>(sizeof...(A)), axis_from_right(Axis, rank), name);
        }(std::make_integer_sequence<int, static_cast<int>(sizeof...(A))>{});
    }
};

/// x in the middle of an array of attr.filling().
template <int... Pads>
struct pad_op : with_other_shape<"pad", pad_op<Pads...>> {
    static constexpr int before(int k, int rank) {  // along axis k, from the right
        constexpr int p[] = {Pads..., 0, 0};
        return p[2 * (rank - 1 - k)];
    }
    static constexpr int after(int k, int rank) {
        constexpr int p[] = {Pads..., 0, 0};
        return p[2 * (rank - 1 - k) + 1];
    }
    static constexpr dims dims_from(dims d) {
        for (int k = 0; k < d.rank; ++k) {
            std::int64_t& e = d.extent[d.rank - 1 - k];
            int const more = before(k, d.rank) + after(k, d.rank);
            e = e >= 0 ? e + more : more == 0 ? e : new_extent;
        }
        return d;
    }
    template <class T>
    static constexpr int simplify(builder& b, node const& n) {
        dims const x = b.shape_of(n.in[0]);
        dims d = x;
        for (int k = 0; k < d.rank; ++k)
            d.extent[d.rank - 1 - k] = b.sum(x.from_right(k), before(k, d.rank) + after(k, d.rank));
        int const zeros = b.blank(b.intern(d), dtype_of<T>());
        int window = zeros;
        for (int k = 0; k < d.rank; ++k) window = emit_slice(b, window, k, before(k, d.rank), x.from_right(k), 1);
        int const base = n.attr.filling() == 0 ? zeros : emit_expand(b, emit_constant<T>(b, n.attr.filling()), d);
        return emit_put(b, base, n.in[0], window, false);
    }
};

/// y((i + shift) modulo n) = x(i): the end of x, then the rest.
template <int Axis>
struct roll_op : composed<"roll"> {
    /// Loops read what is moved by few elements where it is; of what is moved far, too little would be in order.
    static constexpr bool reads_in_place(builder const& b, int x, std::int64_t length, std::int64_t shift) {
        std::int64_t const by = shift < 0 ? -shift : shift;
        dtype const type = b.nodes.items[x].type;
        return (type == dtype::f32 || type == dtype::f64) && by > 0 && (length < 0 ? by <= 8 : 8 * by <= length);
    }
    template <class, class S>
    using result_shape = S;
    template <class>
    static constexpr int simplify(builder& b, node const& n) {
        if (b.is_constant(n.in[0])) return n.in[0];  // all its elements are the same, whatever axes it has
        dims const d = b.shape_of(n.in[0]);
        int const axis = axis_from_right(Axis, d.rank);
        std::int64_t const length = b.resolve(d.from_right(axis));
        if (reads_in_place(b, n.in[0], length, n.attr.offset))
            return emit_rolled(b, n.in[0],
                               {.axes = axis,
                                .number = static_cast<double>(n.attr.offset),
                                .shape = b.nodes.items[n.in[0]].shape});
        std::int64_t const back = b.derived({.rule = length_rule::modulo, .a = length, .start = n.attr.offset}),
                           rest = b.difference(length, back);
        int const part[] = {emit_slice(b, n.in[0], axis, rest, back, 1), emit_slice(b, n.in[0], axis, 0, rest, 1)};
        int const y = emit_concat(b, part, 2, axis);
        // the two lengths add up to what they were taken from
        if (b.shape_of(y).from_right(axis) != length) (void)b.same(length, b.shape_of(y).from_right(axis));
        return y;
    }
};

/// Why arrays do not stand side by side along a new axis.
template <int Axis, class First, class... A>
constexpr auto why_not_stacked() {
    if constexpr (is_node_ref<First> || (is_node_ref<A> || ...)) return because<no_reason>{};
    else if constexpr (Axis > First::rank || Axis < -First::rank - 1)
        return because<stack_axis_out_of_range<Axis, typename First::shape_type>>{};
    else {
        using S = typename First::shape_type;
        constexpr auto fits = []<class X>(std::type_identity<X>) {
            if constexpr (X::rank == S::rank) return concat_rule<S::rank, S, X>::template fits<X>(dims_of<S>());
            else return false;
        };
        return because<typename first_reason<unless<fits(std::type_identity<typename A::shape_type>{}),
                                                    stack_shapes_differ<S, typename A::shape_type>>...>::type>{};
    }
}

template <class A>
constexpr auto as_storable(A const& a) {
    if constexpr (std::same_as<typename A::value_type, bool>) return cast<std::int32_t>(a);
    else return a;
}
/// Arrays of one element type one after the other, for what was called by this name.
template <int Axis, class First, class... A>
constexpr auto join(char const* name, First const& first, A const&... a) {
    using T = typename First::value_type;
    if constexpr (std::same_as<T, bool>) {
        return detail::join<Axis>(name, as_storable(first), as_storable(a)...) != 0;
    } else if constexpr (is_node_ref<First>) {
        builder& b = *first.graph;
        int const part[] = {first.id, a.walk(b)...};
        return First(&b, emit_concat(b, part, 1 + static_cast<int>(sizeof...(A)),
                                     axis_from_right(Axis, b.shape_of(first.id).rank), name));
    } else {
        using S = typename First::shape_type;
        refuse(why_no_axes<put_op, First, S, Axis>());
        using rule = concat_rule<Axis, S, typename A::shape_type...>;
        (refuse(because<unless<rule::template fits<typename A::shape_type>(rule::value),
                               concat_extents_differ<Axis, S, typename A::shape_type>>>{}),
         ...);
        return joined<Axis, T, typename rule::type, First, A...>(name, first, a...);
    }
}
/// Single values among arrays: they have overloads of their own. (In a derivative rule only the graph knows ranks.)
template <class... A>
concept scalars_among_arrays = (!is_node_ref<A> && ...) && ((A::rank == 0) || ...) && ((A::rank > 0) || ...);
}  // namespace detail::ops_part

/// Arrays one after the other along an axis they all have.
template <int Axis, expression First, expression... A>
    requires(!detail::scalars_among_arrays<First, A...>)
constexpr auto concat(First const& first, A const&... a) {
    static_assert((std::same_as<typename First::value_type, typename A::value_type> && ...),
                  "concat: the arrays have different element types; convert with cast<T>(...)");
    return detail::join<Axis>("concat", first, a...);
}

/// Arrays of one shape side by side along a new axis.
template <int Axis = 0, expression... A>
    requires(!detail::scalars_among_arrays<A...>)
constexpr auto stack(A const&... a) {
    using T = typename detail::nth_type<0, A...>::type::value_type;
    static_assert((std::same_as<T, typename A::value_type> && ...),
                  "stack: the arrays have different element types; convert with cast<T>(...)");
    auto const& first = std::get<0>(std::tie(a...));
    if constexpr (!accepts(detail::why_not_stacked<Axis, A...>()) || !(std::same_as<T, typename A::value_type> && ...))
        return unsqueeze<0>(first);
    else return detail::join<Axis>("stack", unsqueeze<Axis>(a)...);
}

/// x in parts of these sizes along an axis: a tuple.
template <int Axis, int... Sizes, expression A>
constexpr auto split(A const& a) {
    static_assert(((Sizes >= 0) && ...), "split<axis, sizes...>: sizes are not negative");
    auto const x = let(a);
    constexpr bool are_lengths = ((Sizes >= 0) && ...);
    if constexpr (!detail::is_node_ref<A>) {
        using S = typename A::shape_type;
        refuse(detail::why_no_axes<detail::slice_op, A, S, Axis>());
        constexpr std::int64_t e = S::extents[static_cast<std::size_t>(Axis < 0 ? Axis + S::rank : Axis)];
        if constexpr (are_lengths && e >= 0 && e != (Sizes + ... + 0))
            refuse(because<split_sizes_do_not_add_up<Axis, S, Sizes...>>{});
    }
    detail::builder& b = *x.graph;
    std::int64_t const length = b.shape_of(x.id).from_right(detail::axis_from_right(Axis, b.shape_of(x.id).rank));
    if (are_lengths && b.resolve(length) < 0) (void)b.same(length, (Sizes + ... + 0), "split");
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
        constexpr int sizes[] = {(are_lengths ? Sizes : 0)...};
        constexpr auto start = [](std::size_t n) constexpr {
            int s = 0;
            for (std::size_t i = 0; i < n; ++i) s += sizes[i];
            return s;
        };
        return std::make_tuple(let(narrow<Axis, start(I), sizes[I]>(x))...);
    }(std::make_index_sequence<sizeof...(Sizes)>{});
}

/// x with `value` around it: so many elements before and after it along each axis, from the first on.
template <int... Pads, expression A>
constexpr auto pad(A const& x, double value = 0) {
    static_assert(((Pads >= 0) && ...), "pad<before, after, ...>: not a negative number of elements");
    if constexpr (!detail::is_node_ref<A>)
        if constexpr (sizeof...(Pads) != 2 * A::shape_type::rank)
            refuse(because<
                   pad_needs_two_numbers_for_each_axis<typename A::shape_type, static_cast<int>(sizeof...(Pads))>>{});
    if constexpr (!((Pads >= 0) && ...)) return x;
    else if constexpr (std::same_as<typename A::value_type, bool>)
        return pad<Pads...>(detail::as_storable(x), value) != 0;
    else return apply_with<detail::pad_op<Pads...>>(detail::attribute{.number = value}, x);
}

/// x moved along an axis, what leaves at one end coming in at the other: y((i + shift) modulo n) = x(i).
template <int Axis, expression A>
constexpr auto roll(A const& x, int shift) {
    refuse(detail::why_no_axes<detail::roll_op<Axis>, A, typename detail::shape_or_none<A>::type, Axis>());
    if constexpr (std::same_as<typename A::value_type, bool>) return roll<Axis>(detail::as_storable(x), shift) != 0;
    else return apply_with<detail::roll_op<Axis>>(detail::attribute{.offset = shift}, x);
}

}  // namespace tapeless
