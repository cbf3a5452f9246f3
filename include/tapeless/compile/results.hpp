// SPDX-License-Identifier: MIT
#pragma once
// What a traced function returns: one expression, or several in a tuple, pair, array or aggregate; and the arrays
// they become.

#include <tapeless/array/tree.hpp>
#include <tapeless/ops/boundary.hpp>

namespace tapeless {

/// Refuses a function that returns something else than expressions.
template <class F, class Result>
struct result_is_no_expression {
    static_assert(never<F>,
                  "the function returns an expression of its arguments, or a tuple, pair, array or aggregate of "
                  "expressions (a plain number is none: add it to an expression, or leave it out)");
};

namespace detail::inline compile_part {

template <class R>
constexpr bool is_result();
template <class... P>
constexpr bool are_results(std::type_identity<std::tuple<P...>>) {
    return sizeof...(P) > 0 && (is_result<std::remove_cvref_t<P>>() && ...);
}
/// An expression, or a tree of nothing but expressions.
template <class R>
constexpr bool is_result() {
    if constexpr (expression<R>) return true;
    else if constexpr (leaf<R>) return false;
    else if constexpr (is_array<R> || is_tuple<R> || decomposable<R>)
        return are_results(std::type_identity<parts<R>>{});
    else return false;
}

/// A result as arrays: a tensor, T itself where the rank is 0, a tuple where there are several.
template <class R>
struct array_of {
    template <auto... X>
    static auto find(shape<X...>) {
        using T = typename R::value_type;
        if constexpr (sizeof...(X) == 0) return std::type_identity<T>{};
        else return std::type_identity<tensor<T, X...>>{};
    }
    using type = typename decltype(find(typename R::shape_type{}))::type;
};
template <class R>
    requires(!expression<R>)
struct array_of<R> {
    template <class... P>
    static std::tuple<typename array_of<std::remove_cvref_t<P>>::type...> find(std::type_identity<std::tuple<P...>>);
    using type = decltype(find(std::type_identity<parts<R>>{}));
};

/// The type of the first of the results: the one that is differentiated.
template <class R>
struct first_result {
    using type = typename first_result<std::remove_cvref_t<std::tuple_element_t<0, parts<R>>>>::type;
};
template <expression R>
struct first_result<R> {
    using type = R;
};

template <class R>
constexpr int count_results();
template <class... P>
constexpr int count_all(std::type_identity<std::tuple<P...>>) {
    return (count_results<std::remove_cvref_t<P>>() + ... + 0);
}
/// How many expressions a result holds.
template <class R>
constexpr int count_results() {
    if constexpr (expression<R>) return 1;
    else return count_all(std::type_identity<parts<R>>{});
}

/// Results as symbols: let of every expression, several of them in tuples.
template <class R>
constexpr auto let_all(R const& r) {
    if constexpr (expression<R>) return let(r);
    else return detail::with_parts([](auto const&... x) { return std::make_tuple(let_all(x)...); }, parts_of(r));
}

/// The first of several values, or the only one.
template <class V>
constexpr auto& first_of_all(V& v) {
    if constexpr (is_tuple<std::remove_cv_t<V>>) return first_of_all(std::get<0>(v));
    else return v;
}

}  // namespace detail::compile_part
}  // namespace tapeless
