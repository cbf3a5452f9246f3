// SPDX-License-Identifier: MIT
#pragma once
// Transformations on symbols: a gradient taken inside a traced function is part of its graph.

#include <tapeless/transform/trace.hpp>

namespace tapeless::detail {

/// A tree that holds an expression: the argument of a transformation inside a traced function.
template <class A>
constexpr bool holds_expressions() {
    if constexpr (expression<A>) return true;
    else if constexpr (leaf<A>) return false;
    else if constexpr (is_array<A>) return holds_expressions<typename A::value_type>();
    else if constexpr (is_tuple<A>) {
        return []<std::size_t... I>(std::index_sequence<I...>) {
            return (holds_expressions<std::remove_cvref_t<std::tuple_element_t<I, A>>>() || ...);
        }(std::make_index_sequence<std::tuple_size_v<A>>{});
    } else if constexpr (decomposable<A>) {
        return holds_expressions<decltype(members_of(std::declval<A&>()))>();
    } else {
        return false;
    }
}

template <class A>
constexpr auto named(A const& a) {
    if constexpr (expression<A>) return let(widened(a));
    else return a;
}

template <class A>
constexpr void find_graph(A& a, builder*& b) {
    if constexpr (holds_expressions<std::remove_cv_t<A>>())
        for_each_leaf(a, [&](auto& s) {
            if (!b) b = s.where();
        });
}

/// Gradients of f at symbols: each wanted argument becomes a parameter of its own, so that nothing else that is the same
/// value counts. Of several results the first is differentiated. Returns { value, tuple of gradients }.
template <class F, int... I, class... A>
constexpr auto nested_gradients(A... a) {
    builder* b = nullptr;
    (find_graph(a, b), ...);
    std::tuple<A...> arguments(a...);
    list<int> parameters;
    auto replace = [&](auto& x) {
        for_each_leaf(x, [&](auto& s) {
            using S = std::remove_cvref_t<decltype(s)>;
            static_assert(std::floating_point<typename S::value_type>, "only floating-point arguments have gradients");
            s.id = operation_table<parameter_op, typename S::value_type>::emit(
                *b, attribute{.number = static_cast<double>(++b->barrier)}, {s.id});
            parameters.push(s.id);
        });
    };
    (replace(std::get<static_cast<std::size_t>(I)>(arguments)), ...);
    auto const value = let_all(std::apply([](auto const&... x) { return F{}(x...); }, arguments));
    auto const y = let(widened(first_of_all(value)));
    using V = decltype(y);
    if constexpr (V::shape_type::static_size() != 1 || !V::shape_type::is_static)
        (void)sizeof(grad_of_something_that_is_no_scalar<F, typename V::shape_type>);
    if constexpr (!std::floating_point<typename V::value_type>) (void)sizeof(grad_of_an_integer_result<F, typename V::value_type>);
    list<int> c = differentiate(*b, y.id, parameters, b->constant(1, dtype_of<typename V::value_type>()));
    int next = 0;
    auto take = [&](auto x) {
        for_each_leaf(x, [&](auto& s) {
            int leaf = s.id;
            s.id = as_gradient(*b, c[next++], leaf);
        });
        return x;
    };
    return std::pair(value, std::make_tuple(take(std::get<static_cast<std::size_t>(I)>(arguments))...));
}

}  // namespace tapeless::detail
