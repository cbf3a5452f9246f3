// SPDX-License-Identifier: MIT
#pragma once
// Transformations on symbols: a gradient taken inside a traced function is part of its graph.

#include <tapeless/compile/trace.hpp>

namespace tapeless {

/// Refuses a tangent or cotangent of another shape than what it belongs to.
template <class Shape, class Given>
struct tangent_has_another_shape {
    static_assert(never<Shape>, "a tangent has the shape of its argument, a cotangent that of its result");
};
/// Refuses a tangent or cotangent of another element type.
template <class Element, class Given>
struct tangent_has_another_element_type {
    static_assert(never<Element>,
                  "a tangent has the element type of its argument, a cotangent that of its result");
};
/// Refuses a tangent or cotangent that is another tree.
template <class Tree, class Given>
struct tangent_is_another_tree {
    static_assert(never<Tree>,
                  "a tangent is a tree like its argument, a cotangent one like its result (several: a tuple)");
};

namespace detail::inline transform_part {

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
        each_leaf(a, [&](auto& s) {
            if constexpr (expression<std::remove_cvref_t<decltype(s)>>)
                if (!b) b = s.where();
        });
}

/// The same of an argument beside others, where a tensor is a constant.
template <class A, class... All>
constexpr auto named_among(A const& a, All const&... all) {
    if constexpr (constant_tensor<A> && std::same_as<decltype(why_no_constant<A>()), because<no_reason>>) {
        builder* b = nullptr;
        (find_graph(all, b), ...);
        return in_graph<typename constant_element<A, common_of<All...>, integers_are::indices>::type>(*b, a);
    } else {
        return named(a);
    }
}

/// A tree whose symbols are all in the graph, those that are numbers too.
template <class A>
constexpr A settled(builder& b, A tree) {
    if constexpr (holds_expressions<A>())
        each_leaf(tree, [&](auto& s) {
            if constexpr (requires { s.bits; })
                if (!s.graph) s = {&b, s.walk(b)};
        });
    return tree;
}

/// Each array of a tree of symbols becomes a parameter of its own, so that nothing else that is the same value counts.
template <class X>
constexpr void make_parameters(builder& b, X& x, list<int>& parameters) {
    each_leaf(x, [&](auto& s) {
        using T = typename std::remove_cvref_t<decltype(s)>::value_type;
        static_assert(std::floating_point<T>, "only floating-point arguments have gradients and tangents");
        s.id = emit_with<parameter_op>(b, s.id, attribute::labelled(++b.barrier));
        parameters.push(s.id);
    });
}
/// The cotangents c, from number `next` on, as a tree of symbols like x.
template <class X>
constexpr X as_gradients(builder& b, list<int> const& c, int& next, X x) {
    each_leaf(x, [&](auto& s) { s.id = as_gradient(b, c[next++], s.id); });
    return x;
}

template <class A, class B>
constexpr bool extents_agree() {
    if (A::rank != B::rank) return false;
    for (std::size_t k = 0; k < static_cast<std::size_t>(A::rank); ++k)
        if (A::extents[k] >= 0 && B::extents[k] >= 0 && A::extents[k] != B::extents[k]) return false;
    return true;
}
/// Why T is no tangent of X, or no cotangent: integers have none.
template <bool Cotangent, class X, class T>
constexpr auto why_no_tangent() {
    if constexpr (expression<X>) {
        using E = computed<typename X::value_type>;
        using S = typename X::shape_type;
        if constexpr (Cotangent && !std::floating_point<E>) return because<no_reason>{};
        else if constexpr (number<T>) return because<unless<X::rank == 0, tangent_has_another_shape<S, shape<>>>>{};
        else if constexpr (!expression<T>) return because<tangent_is_another_tree<X, T>>{};
        else if constexpr (!extents_agree<S, typename T::shape_type>())
            return because<tangent_has_another_shape<S, typename T::shape_type>>{};
        else
            return because<unless<std::same_as<E, computed<typename T::value_type>>,
                                  tangent_has_another_element_type<typename X::value_type, typename T::value_type>>>{};
    } else if constexpr (expression<T> || leaf<T>) {
        return because<tangent_is_another_tree<X, T>>{};
    } else {
        return []<class... P, class... Q>(std::type_identity<std::tuple<P...>>, std::type_identity<std::tuple<Q...>>) {
            if constexpr (sizeof...(P) != sizeof...(Q)) return because<tangent_is_another_tree<X, T>>{};
            else
                return tapeless::first_among(
                    why_no_tangent<Cotangent, std::remove_cvref_t<P>, std::remove_cvref_t<Q>>()...);
        }(std::type_identity<decltype(parts_of(std::declval<X const&>()))>{},
               std::type_identity<decltype(parts_of(std::declval<T const&>()))>{});
    }
}
/// f(x, y) for the arrays of two trees alike, side by side; nothing where they are not, which was refused.
template <class X, class Y, class F>
constexpr void for_each_pair(X const& x, Y const& y, F&& f) {
    if constexpr (expression<X>) {
        f(x, y);
    } else if constexpr (!expression<Y> && !leaf<Y>) {
        auto const a = parts_of(x);
        auto const b = parts_of(y);
        constexpr std::size_t n = std::tuple_size_v<std::remove_cvref_t<decltype(a)>>;
        if constexpr (n == std::tuple_size_v<std::remove_cvref_t<decltype(b)>>)
            [&]<std::size_t... K>(std::index_sequence<K...>) {
                (for_each_pair(std::get<K>(a), std::get<K>(b), f), ...);
            }(std::make_index_sequence<n>{});
    }
}

/// Collects the tangents (or cotangents) t that belong to symbols x, as nodes; run time checks what lengths only it
/// knows.
struct tangent_list {
    builder& b;
    list<int>& nodes;
    template <class X, class T>
    constexpr void operator()(X const& x, T const& t) const {
        using E = typename X::value_type;
        if constexpr (number<T>) {
            nodes.push(b.constant(static_cast<double>(t), dtype_of<computed<E>>()));
        } else if constexpr (expression<T>) {
            int const id = widened(t).walk(b);
            dims const is = b.shape_of(x.walk(b)), has = b.shape_of(id);
            for (int k = 0; k < is.rank; ++k) {
                std::int64_t const x_length = is.from_right(k), t_length = has.from_right(k);
                if (x_length != t_length && (x_length < 0 || t_length < 0)) (void)b.same(x_length, t_length);
            }
            nodes.push(id);
        }
    }
};
/// Cotangents: integers have none.
struct cotangent_list : tangent_list {
    template <class X, class T>
    constexpr void operator()(X const& x, T const& t) const {
        if constexpr (std::floating_point<computed<typename X::value_type>>) tangent_list::operator()(x, t);
    }
};

/// Why f does not have the arguments I...
template <class F, int N, int... I>
constexpr auto why_no_arguments() {
    return because<typename first_reason<unless<(I < N), no_such_argument<F, I, N>>...>::type>{};
}
/// Why the first of f's results R is not one number with a fraction.
template <class F, class R>
constexpr auto why_no_scalar() {
    using Y = typename first_result<R>::type;
    using S = typename Y::shape_type;
    if constexpr (!S::is_static || S::static_size() != 1) return because<grad_of_something_that_is_no_scalar<F, S>>{};
    else
        return because<unless<std::floating_point<computed<typename Y::value_type>>,
                              grad_of_an_integer_result<F, typename Y::value_type>>>{};
}
/// Whether f at these symbols returns something: not where its body has an error, which the compiler has reported then.
template <class F, class... A>
concept returns_something = requires(A const&... a) { requires !std::is_void_v<decltype(F{}(a...))>; };
/// That of f at these symbols.
template <class F, class... A>
constexpr auto why_no_scalar_of() {
    return why_no_scalar<F, std::remove_cvref_t<decltype(F{}(std::declval<A const&>()...))>>();
}

/// Gradients of f at symbols. Of several results the first is differentiated. Returns { value, tuple of gradients }.
template <class F, int... I, class... A>
constexpr auto nested_gradients(A... a) {
    builder* b = nullptr;
    (find_graph(a, b), ...);
    if (!b) function_of_numbers_alone_in_a_symbol_write_it_of_double();
    std::tuple<A...> arguments(settled(*b, a)...);
    list<int> parameters;
    (make_parameters(*b, std::get<static_cast<std::size_t>(I)>(arguments), parameters), ...);
    // not std::apply, which is four frames more where the compiler reports an error in F
    auto const value = settled(*b, let_all([&]<std::size_t... K>(std::index_sequence<K...>) {
        return F{}(std::get<K>(arguments)...);
    }(std::make_index_sequence<sizeof...(A)>{})));
    auto const y = let(widened(first_of_all(value)));
    using V = decltype(y);
    list<int> const c = differentiate(*b, y.id, parameters, b->constant(1, dtype_of<typename V::value_type>()));
    int next = 0;
    return std::pair(
        value, std::tuple<std::remove_cvref_t<std::tuple_element_t<static_cast<std::size_t>(I), std::tuple<A...>>>...>{
                   as_gradients(*b, c, next, std::get<static_cast<std::size_t>(I)>(arguments))...});  // in order
}

}  // namespace detail::transform_part
}  // namespace tapeless
