// SPDX-License-Identifier: MIT
#pragma once
// Constants shaped like something: zeros_like, ones_like, full_like, arange_like, eye_like, for which nothing is
// stored; and tensors that stand in the functions of several arrays (operators and the like take them anyway).

#include <tapeless/base/refused.hpp>
#include <tapeless/ops/einsum.hpp>
#include <tapeless/ops/indexed.hpp>
#include <tapeless/ops/join.hpp>

namespace tapeless {

/// Refuses arange_like and eye_like of an array without such axes.
template <class Shape>
struct array_has_too_few_axes {
    static_assert(never<Shape>,
                  "arange_like<axis>(x) counts along an axis of x, eye_like(x) is a unit matrix over its last two");
};

/// Refuses constants like a mask.
template <class E>
struct constants_like_a_mask {
    static_assert(never<E>, "a mask has no zeros and ones: compare, x == x, or make it numbers first: cast<T>(mask)");
};

namespace detail::inline ops_part {
/// A node under the shape of x: what stands for it.
template <class E, class Emit>
constexpr auto shaped_like(E const& x, Emit emit) {
    if constexpr (is_node_ref<E>) {
        return E(x.graph, emit(*x.graph, dims(x.graph->shape_of(x.id))));
    } else {
        using S = typename E::shape_type;
        using made = typename symbol_with<computed<typename E::value_type>, S>::type;
        builder& b = *x.where();
        if constexpr (S::is_static) return made(&b, emit(b, dims_of_constants<S>()));
        else return made(&b, emit(b, dims(b.shape_of(x.walk(b)))));
    }
}
/// The position along an axis (from the right) as numbers of type T.
template <class T>
constexpr int emit_positions_along(builder& b, dims const& d, int axis) {
    int const position = b.coordinate(d.from_right(axis), dtype_of<position_of<T>>());
    if constexpr (std::integral<T>) return position;
    else return operation_table<cast_op<T>, position_of<T>>::emit(b, {}, {position});
}
}  // namespace detail::ops_part

/// An array of the shape and element type of x that holds `value`, a number or an expression of one.
template <any_expression E, operand_like V>
constexpr auto full_like(E const& x, V const& value) {
    using T = detail::computed<typename E::value_type>;
    if constexpr (std::same_as<T, bool>) return refuse(because<constants_like_a_mask<E>>{}), cast<double>(x);
    else if constexpr (number<V> && std::integral<T> && !std::integral<V>)
        return refuse(because<fraction_beside_integers<T>>{}), x;
    else if constexpr (number<V>)
        return detail::shaped_like(x, [&](detail::builder& b, detail::dims const& d) {
            return detail::emit_expand(b, b.constant(static_cast<double>(value), detail::dtype_of<T>()), d);
        });
    else
        return detail::shaped_like(x, [&](detail::builder& b, detail::dims const& d) {
            static_assert(std::same_as<T, detail::computed<typename V::value_type>>,
                          "full_like(x, value): convert the value with cast<T>(...)");
            return detail::emit_expand(b, detail::widened(value).walk(b), d);
        });
}
/// Zeros of the shape and element type of x.
template <any_expression E>
constexpr auto zeros_like(E const& x) {
    return full_like(x, 0);
}
/// Ones of the shape and element type of x.
template <any_expression E>
constexpr auto ones_like(E const& x) {
    return full_like(x, 1);
}
/// 0, 1, 2, ... along an axis of x, as a vector of its element type.
template <int Axis = -1, any_expression E>
constexpr auto arange_like(E const& x) {
    using T = detail::computed<typename E::value_type>;
    if constexpr (detail::is_node_ref<E>) {
        detail::dims const d = x.graph->shape_of(x.id);
        return E(x.graph, detail::emit_positions_along<T>(*x.graph, d, detail::axis_from_right(Axis, d.rank)));
    } else if constexpr (Axis >= E::rank || Axis < -E::rank) {
        return refuse(because<array_has_too_few_axes<typename E::shape_type>>{}), x;
    } else {
        constexpr int axis = Axis < 0 ? Axis + E::rank : Axis;
        constexpr auto extent = detail::shape_extent<axis, typename E::shape_type>::value;
        detail::builder& b = *x.where();
        detail::dims const d = detail::dims(b.shape_of(x.walk(b)));
        return symbol<T, extent>(&b, detail::emit_positions_along<T>(b, d, d.rank - 1 - axis));
    }
}
/// 1 where the last two indices are the same, 0 elsewhere: of the shape and element type of x.
template <any_expression E>
constexpr auto eye_like(E const& x) {
    using T = detail::computed<typename E::value_type>;
    auto const emit = [](detail::builder& b, detail::dims const& d) {
        int const rows = detail::emit_position<T>(b, d.from_right(1), 2, 1),
                  columns = detail::emit_position<T>(b, d.from_right(0), 2, 0);
        node_ref<detail::position_of<T>> const i(&b, rows), j(&b, columns);
        return detail::emit_expand(b, cast<T>(i == j).walk(b), d);
    };
    if constexpr (detail::is_node_ref<E>) return detail::shaped_like(x, emit);
    else if constexpr (E::rank < 2) return refuse(because<array_has_too_few_axes<typename E::shape_type>>{}), x;
    else return detail::shaped_like(x, emit);
}

namespace detail::inline ops_part {
/// Expressions and constant arrays, at least one of each.
template <class... A>
concept some_constants = ((expression<A> || constant_tensor<A>)&&...) && (expression<A> || ...) &&
                         (constant_tensor<A> || ...);
}  // namespace detail::ops_part

template <class A, class B>
    requires detail::some_constants<A, B>
constexpr auto matmul(A const& a, B const& b) {
    using T = detail::common_of<A, B>;
    refuse(detail::why_not_beside<T, A>()), refuse(detail::why_not_beside<T, B>());
    return matmul(detail::in_graph_beside<T>(a, b), detail::in_graph_beside<T>(b, a));
}
template <class A, class B>
    requires detail::some_constants<A, B>
constexpr auto dot(A const& a, B const& b) {
    using T = detail::common_of<A, B>;
    refuse(detail::why_not_beside<T, A>()), refuse(detail::why_not_beside<T, B>());
    return dot(detail::in_graph_beside<T>(a, b), detail::in_graph_beside<T>(b, a));
}
template <class A, class B>
    requires detail::some_constants<A, B>
constexpr auto outer(A const& a, B const& b) {
    using T = detail::common_of<A, B>;
    refuse(detail::why_not_beside<T, A>()), refuse(detail::why_not_beside<T, B>());
    return outer(detail::in_graph_beside<T>(a, b), detail::in_graph_beside<T>(b, a));
}
template <class X, class W, class... B>
    requires detail::some_constants<X, W, B...>
constexpr auto linear(X const& x, W const& w, B const&... b) {
    using T = detail::common_of<X, W, B...>;
    refuse(detail::why_not_beside<T, X>()), refuse(detail::why_not_beside<T, W>());
    (refuse(detail::why_not_beside<T, B>()), ...);
    return linear(detail::in_graph_beside<T>(x, x, w, b...), detail::in_graph_beside<T>(w, x, w, b...),
                  detail::in_graph_beside<T>(b, x, w, b...)...);
}
template <fixed_string Equation, class... A>
    requires detail::some_constants<A...>
constexpr auto einsum(A const&... a) {
    (refuse(detail::why_not_beside<detail::common_of<A...>, A>()), ...);
    return einsum<Equation>(detail::in_graph_beside<detail::common_of<A...>>(a, a...)...);
}
template <int Axis, class... A>
    requires detail::some_constants<A...>
constexpr auto concat(A const&... a) {
    (refuse(detail::why_not_beside<detail::common_of<A...>, A>()), ...);
    return concat<Axis>(detail::in_graph_beside<detail::common_of<A...>>(a, a...)...);
}
template <int Axis = 0, class... A>
    requires detail::some_constants<A...>
constexpr auto stack(A const&... a) {
    (refuse(detail::why_not_beside<detail::common_of<A...>, A>()), ...);
    return stack<Axis>(detail::in_graph_beside<detail::common_of<A...>>(a, a...)...);
}
/// Refuses to join what is no array of the function.
template <class... A>
struct joined_are_arrays_one_by_one {
    static_assert(never<A...>,
                  "concat, stack: arrays of the function, one by one: stack(a, b, c); of a std::array or tuple of such "
                  "std::apply([](auto... a) { return stack(a...); }, parts)");
};
/// Refuses a number beside matrices.
template <class... A>
struct number_is_joined_to_vectors {
    static_assert(never<A...>,
                  "concat: a number is an element of a vector; beside arrays of more axes make it an array with "
                  "full_like(narrow<axis, 0, 1>(x), number)");
};
namespace detail::inline ops_part {
template <class... A>
concept some_numbers = ((expression<A> || number<A>)&&...) && (expression<A> || ...) &&
                       ((number<A> || ...) || scalars_among_arrays<A...>);
template <class A>
inline constexpr bool is_array_of_axes = false;
template <expression A>
    requires(!is_node_ref<A>)
inline constexpr bool is_array_of_axes<A> = A::rank > 0;
/// The first of several that has axes; where none has any, the first expression.
template <class First, class... A>
constexpr auto first_with_axes(First const& first, A const&... a) {
    if constexpr (is_array_of_axes<First>) return first;
    else if constexpr ((is_array_of_axes<A> || ...)) return detail::first_with_axes(a...);
    else return first_expression(first, a...);
}
template <class A>
concept no_operand = !expression<A> && !number<A> && !constant_tensor<A>;
/// What goes on after a refusal: one of the operands, or an element of one.
template <class... A>
constexpr auto some_expression(A const&... a) {
    using First = typename nth_type<0, A...>::type;
    if constexpr ((expression<A> || ...)) return first_expression(a...);
    else if constexpr (requires(First const& f) { requires expression<decltype(f[0])>; })
        return std::get<0>(std::tie(a...))[0];
    else return refused{};
}
}  // namespace detail::ops_part
/// With numbers among the elements of a vector: concat<0>(0.0, cumsum<0>(x)), concat<0>(x[0], y).
template <int Axis, class... A>
    requires detail::some_numbers<A...>
constexpr auto concat(A const&... a) {
    auto const x = detail::first_with_axes(a...);
    using E = std::remove_const_t<decltype(x)>;
    if constexpr (E::rank != 1) {
        return refuse(because<number_is_joined_to_vectors<A...>>{}), x;
    } else {
        auto const one = []<class P>(P const& p) {
            if constexpr (number<P>) return unsqueeze<0>(literal<typename E::value_type>(static_cast<double>(p)));
            else if constexpr (P::rank == 0) return unsqueeze<0>(p);
            else return p;
        };
        return concat<Axis>(one(a)...);
    }
}
/// With numbers in the place of arrays: stack(v, -9.81), stack(v, v[0]).
template <int Axis = 0, class... A>
    requires detail::some_numbers<A...>
constexpr auto stack(A const&... a) {
    auto const x = detail::first_with_axes(a...);
    using E = decltype(detail::first_with_axes(a...));
    auto const one = [&]<class P>(P const& p) {
        using number_type = std::conditional_t<number<P>, double, P>;  // what does not depend on P clang calls at once
        if constexpr (number<P>) return full_like(x, static_cast<number_type>(p));
        else if constexpr (detail::is_node_ref<P>) return p;
        else if constexpr (P::rank == 0 && E::rank > 0 && std::same_as<typename P::value_type, typename E::value_type>)
            return detail::shaped_like(x, [&](detail::builder& b, detail::dims const& d) {
                return detail::emit_expand(b, detail::widened(p).walk(b), d);
            });
        else return p;
    };
    return stack<Axis>(one(a)...);
}
template <int Axis, class... A>
    requires(detail::no_operand<A> || ...)
constexpr auto concat(A const&... a) {
    return refuse(because<joined_are_arrays_one_by_one<A...>>{}), detail::some_expression(a...);
}
template <int Axis = 0, class... A>
    requires(detail::no_operand<A> || ...)
constexpr auto stack(A const&... a) {
    return refuse(because<joined_are_arrays_one_by_one<A...>>{}), detail::some_expression(a...);
}
/// The mask is known when compiled.
template <detail::constant_tensor M, operand_like A, operand_like B>
    requires(expression<A> || expression<B>)
constexpr auto where(M const& mask, A const& a, B const& b) {
    static_assert(std::same_as<typename M::value_type, bool>, "where: the first argument is a mask, such as x > 0");
    return where(detail::in_graph_beside<bool>(mask, a, b), a, b);
}

}  // namespace tapeless
