// SPDX-License-Identifier: MIT
#pragma once
// Trees of arrays: tuples, pairs, arrays, aggregates, and struct templates over a tensor template, taken apart without
// a macro.

#include <tuple>
#include <type_traits>
#include <utility>

#include <tapeless/array/argument.hpp>
#include <tapeless/array/expression_base.hpp>
#include <tapeless/array/members.hpp>
#include <tapeless/base/list.hpp>

namespace tapeless {

/// Refuses an argument that is neither array-like nor a tree of such.
template <class A>
struct not_an_array_or_a_tree_of_arrays {
    static_assert(never<A>,
                  "an argument is array-like (tensor, view, vector, span, array, number), or a tuple, array or "
                  "aggregate of such, or has a members() function that returns a tuple of references");
};
/// Refuses elements that arrays do not have.
template <class Element, class A>
struct elements_are_of_another_type {
    static_assert(never<A>,
                  "elements are float, double, half, bfloat16, bool and integers of up to 32 bits, or std::int64_t: "
                  "of std::size_t and characters make std::int64_t");
};
/// Refuses arrays whose rows are anywhere.
template <class Row, class A>
struct rows_have_memory_of_their_own {
    static_assert(never<A>,
                  "a vector of vectors is no array: copy it to an ad::tensor<T, ad::dyn, ad::dyn>; of a number "
                  "of arrays known when compiled make a std::array or a tuple");
};
/// Refuses what has no array: the elements share bytes.
template <class A>
struct vector_of_bool_has_no_array {
    static_assert(never<A>, "std::vector<bool> keeps bits: use ad::tensor<bool, ad::dyn>");
};
/// Refuses pointers.
template <class A>
struct pointer_has_no_length {
    static_assert(never<A>, "a pointer does not say how long its array is: hand in std::span or ad::view");
};
/// Refuses matrices of Eigen, and what looks like them.
template <class A>
struct matrix_of_another_library {
    static_assert(never<A>,
                  "a matrix of another library, such as Eigen: include <tapeless/interop/eigen.hpp>, or hand in an "
                  "ad::view of its data()");
};
/// Refuses what a matrix library would compute when it is stored.
template <class A>
struct expression_of_another_library {
    static_assert(never<A>,
                  "an expression of another library, such as Eigen's a + b, has no array: store it in a matrix first, "
                  "or compute it in the function");
};
/// Refuses arrays of structs that are not elements of one type.
template <class Struct, class A>
struct struct_is_no_row {
    static_assert(never<A>,
                  "an array of structs is an array (n, k) where a struct is k elements of one type and nothing else: "
                  "hand in an ad::view of one member, with strides, or a struct of arrays");
};
/// Refuses a struct with more members than can be taken apart, or with none. (25 stands for all above 24.)
template <class A, std::size_t Members>
struct struct_has_too_many_members {
    static_assert(never<A>, "a tree's struct has members (at most 24), or a members() function that returns "
                                  "std::tie(a, b, ...)");
};
/// Refuses a class that cannot be taken apart.
template <class A>
struct class_has_no_members_function {
    static_assert(never<A>,
                  "a class with constructors or private members cannot be taken apart: give it a function "
                  "members() that returns std::tie(a, b, ...), const and not, or hand in a tuple of its arrays");
};

/// Refuses layers whose number only run time knows.
template <class Layer, class A>
struct number_of_layers_is_not_known {
    static_assert(never<A>,
                  "a std::vector of structs is no tree, since the program is made for a number of arrays that is known "
                  "when compiled: use std::array<Layer, n>, or ad::stacked<Layer, n, Tensor>, whose members have a "
                  "leading axis, with fold or scan over it");
};

/// Refuses members() that returns no references: what is written to copies is lost.
template <class A, class Members>
struct members_returns_no_references {
    static_assert(never<A>,
                  "members() returns a tuple of references to the arrays: auto members() { return std::tie(w, b); }, "
                  "and the same once more for const");
};

namespace detail::inline array_part {
/// Tensor with an axis of N in front.
template <auto N, template <class, auto...> class Tensor>
struct leading {
    template <class T, auto... E>
    using array = Tensor<T, N, E...>;
};
}  // namespace detail::array_part

/// A Block whose members have a leading axis of N: one struct for N layers that are alike. A step of fold or scan over
/// it sees Block<symbol>.
///
///     template <template <class, auto...> class Tensor> struct Block { Tensor<float, 8, 8> w; Tensor<float, 8> b; };
///     stacked<Block, 12, tensor> blocks;      // blocks.w is a tensor<float, 12, 8, 8>
template <template <template <class, auto...> class> class Block, auto N, template <class, auto...> class Tensor>
struct stacked : Block<detail::leading<N, Tensor>::template array> {
    using stacked_members = Block<detail::leading<N, Tensor>::template array>;
    using item = Block<Tensor>;
};

namespace detail::inline array_part {

template <class A>
concept decomposable =
    requires(A& a) { a.members(); } || is_stacked<A> ||
    (std::is_aggregate_v<A> && std::is_class_v<A> && has_few_members<A>());

/// References to the parts of a tuple, pair, array or aggregate.
template <class R>
constexpr auto parts_of(R& r) {
    using P = std::remove_cv_t<R>;
    if constexpr (is_array<P> || is_tuple<P>) return detail::with_parts([](auto&... x) { return std::tie(x...); }, r);
    else return members_of(r);
}
template <class R>
using parts = decltype(parts_of(std::declval<R&>()));

/// f(leaf) for every array in the tree, in order.
template <class A, class F>
constexpr void each_leaf(A& a, F const& f) {
    using P = std::remove_cv_t<A>;
    if constexpr (leaf<P> || expression<P>) f(a);
    else if constexpr (is_array<P>)
        for (auto& x : a) each_leaf(x, f);
    else if constexpr (is_tuple<P>) detail::with_parts([&](auto&... x) { (each_leaf(x, f), ...); }, a);
    else if constexpr (decomposable<P>) with_members(a, [&](auto&... x) { (each_leaf(x, f), ...); });
    else refuse(because<not_an_array_or_a_tree_of_arrays<P>>{});
}

/// The arrays of a tree, from its type alone.
template <class A>
constexpr void describe_leaves(list<leaf_info>& to) {
    if constexpr (leaf<A>) {
        to.push(leaf_description<A>::value);
    } else if constexpr (is_array<A>) {
        for (std::size_t i = 0; i < std::tuple_size_v<A>; ++i) describe_leaves<typename A::value_type>(to);
    } else if constexpr (is_tuple<A>) {
        [&]<std::size_t... I>(std::index_sequence<I...>) {
            (describe_leaves<std::remove_cvref_t<std::tuple_element_t<I, A>>>(to), ...);
        }(std::make_index_sequence<std::tuple_size_v<A>>{});
    } else if constexpr (decomposable<A>) {
        using M = decltype(members_of(std::declval<A&>()));
        [&]<std::size_t... I>(std::index_sequence<I...>) {
            (describe_leaves<std::remove_cvref_t<std::tuple_element_t<I, M>>>(to), ...);
        }(std::make_index_sequence<std::tuple_size_v<M>>{});
    } else {
        refuse(because<not_an_array_or_a_tree_of_arrays<A>>{});
    }
}

template <class A>
struct vector_element {
    using type = void;
};
template <class T, class Alloc>
struct vector_element<std::vector<T, Alloc>> {
    using type = T;
};
template <class T, std::size_t N>
struct vector_element<std::span<T, N>> {
    using type = std::remove_cv_t<T>;
};
/// A struct that has numbers among its members.
template <class S>
constexpr bool has_numbers() {
    if constexpr (std::is_trivially_copyable_v<S> && decomposable<S>)
        return []<class... M>(std::type_identity<std::tuple<M...>>) {
            return (std::is_arithmetic_v<std::remove_cvref_t<M>> || ...);
        }(std::type_identity<decltype(members_of(std::declval<S&>()))>{});
    else return false;
}
/// Why A is no argument, in the words of what it is.
template <class A>
constexpr auto why_neither_array_nor_tree() {
    using T = typename vector_element<A>::type;
    if constexpr (std::is_arithmetic_v<A>) return because<elements_are_of_another_type<A, A>>{};
    else if constexpr (std::same_as<T, bool>) return because<vector_of_bool_has_no_array<A>>{};
    else if constexpr (std::is_arithmetic_v<T>) return because<elements_are_of_another_type<T, A>>{};
    else if constexpr (leaf<T>) return because<rows_have_memory_of_their_own<T, A>>{};
    else if constexpr (has_numbers<T>()) return because<struct_is_no_row<T, A>>{};
    else if constexpr (!std::is_void_v<T>) return because<number_of_layers_is_not_known<T, A>>{};
    else if constexpr (std::is_pointer_v<A>) return because<pointer_has_no_length<A>>{};
    else if constexpr (requires(A& a) { a.rows(); a.cols(); a.data(); })
        return because<matrix_of_another_library<A>>{};
    else if constexpr (requires(A& a) { a.rows(); a.cols(); a.eval(); })
        return because<expression_of_another_library<A>>{};
    else if constexpr (std::is_aggregate_v<A> && std::is_class_v<A>)
        return because<struct_has_too_many_members<A, member_count<A>()>>{};
    else if constexpr (std::is_class_v<A>) return because<class_has_no_members_function<A>>{};
    else return because<not_an_array_or_a_tree_of_arrays<A>>{};
}

/// A tuple of references, or of what only points.
template <class P>
constexpr bool is_reference() {
    if constexpr (std::is_lvalue_reference_v<P>) return true;
    else if constexpr (leaf<P>) return !holds_its_elements<P>;
    else return false;
}
template <class M>
inline constexpr bool are_references = false;
template <class... P>
inline constexpr bool are_references<std::tuple<P...>> = (is_reference<P>() && ...);

/// Why A is not an array or a tree of such.
template <class A>
constexpr auto why_no_argument();
template <class... P>
constexpr auto why_no_parts(std::type_identity<std::tuple<P...>>) {
    return tapeless::first_among(why_no_argument<std::remove_cvref_t<P>>()...);
}
template <class A>
constexpr auto why_no_argument() {
    if constexpr (leaf<A>) {
        using T = typename leaf_traits<A>::value_type;  // files hold more types than functions compute with
        return because<unless<element<T>, elements_are_of_another_type<T, A>>>{};
    } else if constexpr (is_array<A>) return why_no_argument<typename A::value_type>();
    else if constexpr (requires(A& a) { a.members(); }) {
        using M = decltype(std::declval<A&>().members());
        if constexpr (are_references<std::remove_cvref_t<M>>) return why_no_parts(std::type_identity<parts<A>>{});
        else return because<members_returns_no_references<A, M>>{};
    } else if constexpr (is_tuple<A> || decomposable<A>) return why_no_parts(std::type_identity<parts<A>>{});
    else return why_neither_array_nor_tree<A>();
}

/// The model A over another tensor template; void where A is no model.
template <template <class, auto...> class Other, class A>
struct model_over {
    using type = void;
};
template <template <class, auto...> class Other, template <template <class, auto...> class> class Model,
          template <class, auto...> class Array>
struct model_over<Other, Model<Array>> {
    using type = Model<Other>;
};
template <template <class, auto...> class Other, template <template <class, auto...> class, auto...> class Model,
          template <class, auto...> class Array, auto... V>
    requires(sizeof...(V) > 0)
struct model_over<Other, Model<Array, V...>> {
    using type = Model<Other, V...>;
};
template <template <class, auto...> class Other, template <template <class, auto...> class, class...> class Model,
          template <class, auto...> class Array, class... T>
    requires(sizeof...(T) > 0)
struct model_over<Other, Model<Array, T...>> {
    using type = Model<Other, T...>;
};
template <template <class, auto...> class Other, template <template <class, auto...> class> class Block, auto N,
          template <class, auto...> class Array>
struct model_over<Other, stacked<Block, N, Array>> {
    using type = stacked<Block, N, Other>;
};

}  // namespace detail::array_part
}  // namespace tapeless
