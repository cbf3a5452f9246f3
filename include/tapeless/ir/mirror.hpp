// SPDX-License-Identifier: MIT
#pragma once
// The symbolic mirror of a tree of arrays: what a traced function sees in its place.

#include <array>
#include <tuple>
#include <type_traits>
#include <utility>

#include <tapeless/array/tree.hpp>
#include <tapeless/ir/expression.hpp>

namespace tapeless::detail::inline ir_part {

/// What a traced function sees in place of an argument of type A.
template <class A>
struct mirror;
template <class A>
using mirror_t = typename mirror<A>::type;

template <class M>
struct mirror_of_members;
template <class... T>
struct mirror_of_members<std::tuple<T...>> {
    using type = std::tuple<mirror_t<std::remove_cvref_t<T>>...>;
};
template <class A>
struct mirror {
    static auto find() {
        if constexpr (leaf<A>) {
            using T = computed<type_of<dtype_of<typename leaf_traits<A>::value_type>()>>;
            return std::type_identity<typename symbol_with<T, typename leaf_traits<A>::shape_type>::type>{};
        } else if constexpr (decomposable<A>) {
            return mirror_of_members<decltype(members_of(std::declval<A&>()))>{};
        } else {
            refuse(because<not_an_array_or_a_tree_of_arrays<A>>{});
            return std::type_identity<int>{};
        }
    }
    using type = typename decltype(find())::type;
};
template <class T, std::size_t N>
    requires(!element<T>)
struct mirror<std::array<T, N>> {
    using type = std::array<mirror_t<T>, N>;
};
template <class... T>
struct mirror<std::tuple<T...>> {
    using type = std::tuple<mirror_t<std::remove_cvref_t<T>>...>;
};
template <class A, class B>
struct mirror<std::pair<A, B>> {
    using type = std::pair<mirror_t<std::remove_cvref_t<A>>, mirror_t<std::remove_cvref_t<B>>>;
};
/// A struct template over a tensor template: Array is tensor, view, or what else a user makes models of.
template <template <template <class, auto...> class> class Model, template <class, auto...> class Array>
struct mirror<Model<Array>> {
    using type = Model<symbol>;
};
template <template <template <class, auto...> class, auto...> class Model, template <class, auto...> class Array,
          auto... V>
    requires(sizeof...(V) > 0)
struct mirror<Model<Array, V...>> {
    using type = Model<symbol, V...>;
};
template <template <template <class, auto...> class, class...> class Model, template <class, auto...> class Array,
          class... T>
    requires(sizeof...(T) > 0)
struct mirror<Model<Array, T...>> {
    using type = Model<symbol, T...>;
};

template <template <template <class, auto...> class> class Block, auto N, template <class, auto...> class Array>
struct mirror<stacked<Block, N, Array>> {
    using type = stacked<Block, N, symbol>;
};

/// Gives every symbol of a mirror its place in the graph: that of the value of its leaf.
template <class M, class F>
constexpr void number_symbols(M& m, builder& b, int& next, F const& value_of_leaf) {
    each_leaf(m, [&](auto& s) {
        using T = typename std::remove_reference_t<decltype(s)>::value_type;
        b.knows<T>();
        s.graph = &b;
        s.id = value_of_leaf(std::type_identity<T>{}, next++);
    });
}

}  // namespace tapeless::detail::ir_part
