// SPDX-License-Identifier: MIT
#pragma once
// einsum: sums of products by an equation of letters. It becomes contractions, sums, views and masks.

#include <tapeless/ops/equation.hpp>
#include <tapeless/ops/view.hpp>

namespace tapeless {

/// Refuses a character that is no part of an equation.
template <char Character>
struct einsum_character_unknown {
    static_assert(Character != Character, "einsum: an equation is made of letters a-z A-Z, commas and one ->");
};
/// Refuses an ellipsis.
template <char Character>
struct einsum_without_ellipsis {
    static_assert(Character != Character, "einsum: there is no ellipsis; name every axis with a letter");
};
/// Refuses an output letter that stands for nothing.
template <char Letter>
struct einsum_output_letter_unknown {
    static_assert(Letter != Letter, "einsum: the output has a letter that no operand has");
};
/// Refuses an output letter that is named twice.
template <char Letter>
struct einsum_output_letter_repeated {
    static_assert(Letter != Letter, "einsum: a letter stands twice in the output");
};
/// Refuses more axes than arrays have.
template <char Letter>
struct einsum_too_many_letters {
    static_assert(Letter != Letter, "einsum: more than 8 letters stand side by side, and arrays have at most 8 axes");
};
/// Refuses another number of operands than the equation has.
template <int InTheEquation, int Given>
struct einsum_operands_differ {
    static_assert(Given != Given, "einsum: the equation is for another number of operands");
};
/// Refuses an operand that has another number of axes than letters.
template <int Operand, class Shape, char... Letters>
struct einsum_rank_differs {
    static_assert(never<Shape>, "einsum: an operand has another number of axes than letters");
};
/// Refuses, with both shapes in the message, a letter that stands for two numbers.
template <char Letter, class Left, class Right>
struct einsum_extents_differ {
    static_assert(never<Left>, "einsum: the letter stands for two different extents");
};

namespace detail::inline ops_part {

struct einsum_finding {
    equation_fault fault = equation_fault::none;
    char letter = 0;
    int first = 0, second = 0;  ///< the operands where it is
};

/// The shapes of einsum's operands beside its equation; void where only the graph knows a shape.
template <fixed_string Equation, class... S>
struct einsum_check {
    static constexpr auto const& eq = equation_of<Equation>::value;
    static constexpr int given = static_cast<int>(sizeof...(S));
    using plan_type = equation_plan<equation_of<Equation>::length>;

    static constexpr einsum_finding find() {
        if (eq.fault != equation_fault::none) return {eq.fault, eq.letter};
        if (eq.operands != given) return {equation_fault::operands};
        if constexpr ((!std::same_as<S, void> && ...)) {
            dims const shape[] = {dims_of<S>()...};
            for (int i = 0; i < given; ++i)
                if (shape[i].rank != eq.in[i].size()) return {equation_fault::rank, 0, i, i};
            for (int i = 0; i < given; ++i)
                for (int j = 0; j <= i; ++j)
                    for (int a = 0; a < shape[i].rank; ++a)
                        for (int c = 0; c < shape[j].rank; ++c)
                            if (eq.in[i].text[a] == eq.in[j].text[c] && shape[i].extent[a] >= 0 &&
                                shape[j].extent[c] >= 0 && shape[i].extent[a] != shape[j].extent[c])
                                return {equation_fault::extents, eq.in[i].text[a], j, i};
        }
        return make_plan().ok ? einsum_finding{} : einsum_finding{equation_fault::letters, eq.in[1].text[0]};
    }
    static constexpr plan_type make_plan() {
        std::int64_t extent[128]{};
        if constexpr ((!std::same_as<S, void> && ...)) {
            dims const shape[] = {dims_of<S>()...};
            for (int i = 0; i < given; ++i)
                for (int a = 0; a < shape[i].rank; ++a)
                    if (shape[i].extent[a] > 0)
                        extent[static_cast<unsigned char>(eq.in[i].text[a])] = shape[i].extent[a];
        }
        return plan_type(eq, extent);
    }
    static constexpr einsum_finding found = find();
    static constexpr bool ok = found.fault == equation_fault::none;

    static constexpr auto refusal() {
        constexpr char c = found.letter;
        constexpr int i = found.first, j = found.second;
        if constexpr (found.fault == equation_fault::character)
            return std::type_identity<einsum_character_unknown<c>>{};
        else if constexpr (found.fault == equation_fault::ellipsis)
            return std::type_identity<einsum_without_ellipsis<c>>{};
        else if constexpr (found.fault == equation_fault::unknown)
            return std::type_identity<einsum_output_letter_unknown<c>>{};
        else if constexpr (found.fault == equation_fault::repeated)
            return std::type_identity<einsum_output_letter_repeated<c>>{};
        else if constexpr (found.fault == equation_fault::letters)
            return std::type_identity<einsum_too_many_letters<c>>{};
        else if constexpr (found.fault == equation_fault::operands)
            return std::type_identity<einsum_operands_differ<eq.operands, given>>{};
        else if constexpr (found.fault == equation_fault::rank)
            return []<int... L>(std::integer_sequence<int, L...>) {
                return std::type_identity<
                    einsum_rank_differs<i, typename nth_type<i, S...>::type, eq.in[i].text[L]...>>{};
            }(std::make_integer_sequence<int, eq.in[i].size()>{});
        else if constexpr (found.fault == equation_fault::extents) return std::type_identity<
            einsum_extents_differ<c, typename nth_type<i, S...>::type, typename nth_type<j, S...>::type>>{};
        else return std::type_identity<nothing>{};
    }
};
/// Complete only where the operands fit the equation.
template <fixed_string Equation, class... S>
struct check_einsum : decltype(einsum_check<Equation, S...>::refusal())::type {};

/// The extent a letter stands for; all the places where it stands must agree.
template <class Unifier>
constexpr std::int64_t extent_of_letter(Unifier& u, char c, axis_letters const* in, dims const* shape, int operands) {
    bool found = false;
    std::int64_t e = 1;
    for (int i = 0; i < operands; ++i)
        for (int a = 0, rank = in[i].size(); a < rank; ++a) {
            if (in[i].text[a] != c) continue;
            std::int64_t const x = shape[i].from_right(rank - 1 - a);
            e = !found || e == x ? x : u.same(e, x);
            found = true;
        }
    return e;
}

/// A node, and the letter each of its axes stands for.
struct lettered {
    int id = -1;
    axis_letters axes;
};

/// Whether the positions along two axes of an array of that rank are the same: as a mask.
template <class T>
constexpr int emit_on_diagonal(builder& b, std::int64_t extent, int rank, int first, int second) {
    using position = position_of<T>;
    auto along = [&](int axis) { return emit_position<T>(b, extent, rank, rank - 1 - axis); };
    return operation_table<equal_op, position, position>::emit(b, {}, {along(first), along(second)});
}

/// Only the letters in `kept`, once each: diagonals are masked, the rest is summed. The axes stay, as extents of 1.
template <class T>
constexpr lettered emit_kept(builder& b, lettered x, auto const& kept) {
    axis_letters const was = x.axes;
    int const rank = was.size();
    std::int64_t summed = 0;
    for (int a = 0; a < rank; ++a) {
        int const first = was.find(was.text[a]);
        if (first < a) {
            std::int64_t const e = b.shape_of(x.id).from_right(rank - 1 - a);
            x.id = emit_masked<T>(b, emit_on_diagonal<T>(b, e, rank, first, a), x.id);
        } else if (kept(was.text[a])) {
            continue;
        }
        summed |= std::int64_t{1} << (rank - 1 - a);
        x.axes.text[a] = axis_letters::blank;
    }
    x.id = emit_sum<T>(b, x.id, summed);
    return x;
}
/// The axes in this order; those that x lacks have extent 1.
constexpr int emit_ordered(builder& b, lettered const& x, axis_letters const& order) {
    int const rank = order.size();
    axis_map m = axis_map::of_rank(rank);
    for (int a = 0; a < rank; ++a)
        if (int const from = x.axes.find(order.text[a]); order.text[a] != axis_letters::blank && from >= 0)
            m.set(rank - 1 - a, x.axes.size() - 1 - from);
    return emit_axes(b, x.id, m);
}

/// The order in which loops over x * y have their axes, from the left. In a matrix product what is summed stands
/// before the output; other sums stand as in the operand with more axes, so that loops walk it in the order of its
/// memory.
constexpr axis_letters loop_order(axis_letters const& x, axis_letters const& y, axis_letters const& out) {
    bool own_x = false, own_y = false, common = false;
    axis_letters order;
    auto add = [&order](axis_letters const& from, auto const& wanted) {
        for (char const* c = from.text; *c; ++c)
            if (*c != axis_letters::blank && !order.has(*c) && wanted(*c)) order.push(*c);
    };
    for (char const* c = x.text; *c; ++c) {
        own_x = own_x || (out.has(*c) && !y.has(*c));
        common = common || (*c != axis_letters::blank && !out.has(*c));
    }
    for (char const* c = y.text; *c; ++c) own_y = own_y || (out.has(*c) && !x.has(*c));
    if (common && !(own_x && own_y)) {
        axis_letters const &more = own_y ? y : x, &less = own_y ? x : y;
        add(less, [&](char c) { return !more.has(c); });
        add(more, [](char) { return true; });
    } else {
        add(x, [&](char c) { return !out.has(c); });
        add(out, [](char) { return true; });
    }
    return order;
}

template <class T>
constexpr int emit_einsum(builder& b, lettered x, axis_letters const& out) {
    return emit_ordered(b, emit_kept<T>(b, x, [&](char c) { return out.has(c); }), out);
}
template <class T>
constexpr int emit_einsum(builder& b, lettered x, lettered y, axis_letters const& out) {
    axis_letters const in_x = x.axes, in_y = y.axes;
    x = emit_kept<T>(b, x, [&](char c) { return out.has(c) || in_y.has(c); });
    y = emit_kept<T>(b, y, [&](char c) { return out.has(c) || in_x.has(c); });
    axis_letters order = loop_order(x.axes, y.axes, out);
    int const left = emit_ordered(b, x, order), right = emit_ordered(b, y, order);
    std::int64_t summed = 0;
    for (int a = 0, rank = order.size(); a < rank; ++a)
        if (!out.has(order.text[a])) {
            summed |= std::int64_t{1} << (rank - 1 - a);
            order.text[a] = axis_letters::blank;
        }
    return emit_ordered(b, {emit_contraction<T>(b, left, right, summed), order}, out);
}

/// One operand or two. In the graph: a sum, or a contraction, of the operands under other axes.
template <axis_letters Out, axis_letters... In>
struct einsum_op : composed<"einsum"> {
    template <class... S>
    struct rule {
        static constexpr dims compute() {
            axis_letters const in[] = {In...};
            int operand = 0;
            dims const shape[] = {dims_of<S>(operand++)...};
            type_unifier u;
            dims d;
            d.rank = Out.size();
            for (int a = 0; a < d.rank; ++a) d.extent[a] = extent_of_letter(u, Out.text[a], in, shape, operand);
            return d;
        }
        static constexpr dims value = compute();
    };
    template <class, class... S>
    using result_shape = typename shape_from<rule<S...>, S...>::type;
    template <class T>
    static constexpr int simplify(builder& b, node const& n) {
        constexpr int operands = static_cast<int>(sizeof...(In));
        axis_letters const in[] = {In...};
        dims shape[static_cast<std::size_t>(operands)];
        for (int i = 0; i < operands; ++i) shape[i] = b.shape_of(n.in[i]);
        for (axis_letters const& l : in)
            for (char const* c = l.text; *c; ++c) (void)extent_of_letter(b, *c, in, shape, operands);
        if constexpr (operands == 1) return emit_einsum<T>(b, {n.in[0], in[0]}, Out);
        else return emit_einsum<T>(b, {n.in[0], in[0]}, {n.in[1], in[1]}, Out);
    }
};

/// Operand R once a step has put its result in the place of First and taken Second away.
template <int R, int First, int Second, class Operands, class Y>
constexpr auto const& operand_after(Operands const& all, Y const& y) {
    if constexpr (R == First) return y;
    else return detail::get<(R < Second ? R : R + 1)>(all);
}
/// The steps of a plan from step I on.
template <class Plan, int I, class... X>
constexpr auto einsum_steps(X const&... x) {
    constexpr equation_step s = Plan::make_plan().step[I];
    operands<std::make_integer_sequence<int, static_cast<int>(sizeof...(X))>, X...> const all(x...);
    auto const y = apply<einsum_op<s.out, s.left, s.right>>(detail::get<s.first>(all), detail::get<s.second>(all));
    if constexpr (sizeof...(X) == 2) return y;
    else
        return [&]<int... R>(std::integer_sequence<int, R...>) {
            return einsum_steps<Plan, I + 1>(operand_after<R, s.first, s.second>(all, y)...);
        }(std::make_integer_sequence<int, static_cast<int>(sizeof...(X)) - 1>{});
}

template <class E>
struct known_shape {
    using type = operand_shape<E>;
};
template <class T>
struct known_shape<node_ref<T>> {
    using type = void;
};
}  // namespace detail::ops_part

/// Sums of products by NumPy's equations: einsum<"bij,jk->bik">(a, b) is y(b, i, k) = sum over j of a(b, i, j) b(j, k).
/// Each operand has one letter an axis; what the output lacks is summed over. A letter that one operand has twice
/// walks its diagonal: "ii->i"; "ii->" is the trace. Without -> the output has the letters that occur once, in
/// alphabetical order. A letter stands for one extent everywhere: an extent of 1 is not stretched, and there is no
/// ellipsis. Any number of operands: two at a time, always the pair that costs least by the extents that the types
/// know.
template <fixed_string Equation, expression A, expression... Rest>
constexpr auto einsum(A const& a, Rest const&... rest) {
    constexpr auto const& eq = detail::equation_of<Equation>::value;
    using check = detail::einsum_check<Equation, typename detail::known_shape<A>::type,
                                       typename detail::known_shape<Rest>::type...>;
    if constexpr (!check::ok) {
        refuse(because<detail::check_einsum<Equation, typename detail::known_shape<A>::type,
                                            typename detail::known_shape<Rest>::type...>>{});
        return literal<typename A::value_type>(0);  // what is made of it is not refused, too
    } else if constexpr (sizeof...(Rest) == 0) return apply<detail::einsum_op<eq.out, eq.in[0]>>(a);
    else return detail::einsum_steps<check, 0>(a, rest...);
}

}  // namespace tapeless
