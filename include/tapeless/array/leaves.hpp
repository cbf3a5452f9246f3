// SPDX-License-Identifier: MIT
#pragma once
// Trees of arrays, leaf by leaf: for_each_leaf, map_leaves, zeros_like, size_of, axpy, dot, norm; and flat memory seen
// as a model.

#include <cmath>
#include <cstddef>
#include <tuple>
#include <utility>

#include <tapeless/array/makers.hpp>
#include <tapeless/array/tree.hpp>

namespace tapeless {

/// Refuses trees that are not alike.
template <class Tree, class Other>
struct trees_are_not_alike {
    static_assert(never<Tree>, "for_each_leaf, map_leaves, axpy, dot: the trees have different parts");
};
/// Refuses to count what only run time knows.
template <class Tree>
struct tree_has_run_time_extents {
    static_assert(never<Tree>,
                  "size_of<Tree>(), map<Model>(pointer): all extents are numbers; size_of(tree) counts at run time");
};
/// Refuses a model of several element types in one piece of memory.
template <class Element, class Other>
struct map_of_another_element_type {
    static_assert(never<Element>,
                  "map<Model>(pointer): all arrays of the model have the element type of the pointer");
};

namespace detail::inline array_part {

/// Called where a length is asked for that only run time knows: not a constant expression, so the compiler names it.
inline void extents_of_a_tree_are_known_at_run_time_only() {}

template <class A>
constexpr bool is_tree();
template <class... P>
constexpr bool are_trees(std::type_identity<std::tuple<P...>>) {
    return (is_tree<std::remove_cvref_t<P>>() && ...);
}
/// Whether A is an array of memory, or a tree of such.
template <class A>
constexpr bool is_tree() {
    if constexpr (std::derived_from<A, expression_base>) return false;
    else if constexpr (leaf<A>) return true;
    else if constexpr (is_array<A>) return is_tree<typename A::value_type>();
    else if constexpr (is_tuple<A> || decomposable<A>) return are_trees(std::type_identity<parts<A>>{});
    else return false;
}
template <class A>
concept tree_of_arrays = is_tree<std::remove_cvref_t<A>>();

template <class A>
concept tree_part = leaf<A> || expression<A>;

/// f(leaf, its counterparts...) for every leaf of the first tree.
template <class F, class A, class... Others>
constexpr void each_leaf_of(F& f, A& a, Others&... others) {
    using P = std::remove_cv_t<A>;
    if constexpr (tree_part<P>) {
        f(a, others...);
    } else if constexpr (is_array<P> && ((is_array<std::remove_cv_t<Others>>)&&...)) {
        if constexpr (((std::tuple_size_v<std::remove_cv_t<Others>> != std::tuple_size_v<P>) || ...))
            refuse(because<trees_are_not_alike<P, std::tuple<Others...>>>{});
        else
            for (std::size_t i = 0; i < a.size(); ++i) each_leaf_of(f, a[i], others[i]...);
    } else if constexpr ((tree_part<std::remove_cv_t<Others>> || ...)) {
        refuse(because<trees_are_not_alike<P, std::tuple<Others...>>>{});
    } else if constexpr (((std::tuple_size_v<parts<Others>> != std::tuple_size_v<parts<A>>) || ...)) {
        refuse(because<trees_are_not_alike<P, std::tuple<Others...>>>{});
    } else {
        [&]<std::size_t... I>(std::index_sequence<I...>, auto const&... all) {
            auto const at = [&]<std::size_t K>(std::integral_constant<std::size_t, K>) {
                each_leaf_of(f, std::get<K>(all)...);
            };
            (at(std::integral_constant<std::size_t, I>{}), ...);
        }(std::make_index_sequence<std::tuple_size_v<parts<A>>>{}, parts_of(a), parts_of(others)...);
    }
}

/// A struct made of its members.
template <class S, class... M>
constexpr S made_of(std::tuple<M...>&& members) {
    if constexpr (is_stacked<S>) {
        return S{made_of<typename S::stacked_members>(std::move(members))};
    } else if constexpr (requires(S& s) { s.members(); }) {
        S made{};
        made.members() = std::move(members);
        return made;
    } else {
        return detail::with_parts([](auto&&... m) { return S{std::move(m)...}; }, std::move(members));
    }
}
template <class S, class Members>
inline constexpr bool has_members = false;
template <class S, class... M>
inline constexpr bool has_members<S, std::tuple<M...>> = std::same_as<parts<S>, std::tuple<M&...>>;
/// The members that those of the struct A have become: A, the same model of tensors, or a tuple.
template <class A, class... M>
constexpr auto struct_of(std::tuple<M...>&& members) {
    using T = typename model_over<tensor, A>::type;
    if constexpr (has_members<A, std::tuple<M...>>) return made_of<A>(std::move(members));
    else if constexpr (std::is_void_v<T>) return std::move(members);
    else if constexpr (has_members<T, std::tuple<M...>>) return made_of<T>(std::move(members));
    else return std::move(members);
}

template <class F, class A, class... Others>
constexpr auto map_tree(F& f, A& a, Others&... others) {
    using P = std::remove_cv_t<A>;
    if constexpr (tree_part<P>) {
        using R = std::remove_cvref_t<decltype(f(a, others...))>;
        if constexpr (expression<R>) return let(f(a, others...));  // of an expression a symbol, as members are
        else return R(f(a, others...));
    } else if constexpr ((tree_part<std::remove_cv_t<Others>> || ...)) {
        return refuse(because<trees_are_not_alike<P, std::tuple<Others...>>>{}), a;
    } else if constexpr (((std::tuple_size_v<parts<Others>> != std::tuple_size_v<parts<A>>) || ...)) {
        return refuse(because<trees_are_not_alike<P, std::tuple<Others...>>>{}), a;
    } else {
        auto const each = [&]<std::size_t... I>(std::index_sequence<I...>, auto const&... all) {
            auto const at = [&]<std::size_t K>(std::integral_constant<std::size_t, K>) {
                return map_tree(f, std::get<K>(all)...);
            };
            if constexpr (is_array<P>) return std::array{at(std::integral_constant<std::size_t, I>{})...};
            else
                return std::tuple<decltype(at(std::integral_constant<std::size_t, I>{}))...>{
                    at(std::integral_constant<std::size_t, I>{})...};
        };
        auto made = each(std::make_index_sequence<std::tuple_size_v<parts<A>>>{}, parts_of(a), parts_of(others)...);
        if constexpr (is_array<P>) return made;
        else if constexpr (requires { a.first; a.second; } && is_tuple<P>)
            return std::pair(std::get<0>(std::move(made)), std::get<1>(std::move(made)));
        else if constexpr (is_tuple<P>) return made;
        else return struct_of<P>(std::move(made));
    }
}

/// f(element of a, element of b) over two arrays alike.
template <class A, class B, class F>
constexpr void each_pair_of_elements(A& a, B& b, F&& f) {
    if constexpr (element<std::remove_cv_t<A>>) {
        f(a, b);
    } else {
        if (leaf_traits<std::remove_cv_t<A>>::extents(a) != leaf_traits<std::remove_cv_t<B>>::extents(b))
            detail::raise(shape_error("two trees differ: arrays at the same place have different lengths"));
        auto from = b.begin();
        for (auto& x : a) f(x, *from++);
    }
}

/// A tensor template of views of const elements.
template <class T, auto... E>
using view_of_const = view<T const, E...>;

/// Why memory of elements T is no model M of views.
template <class T, class M>
constexpr auto why_not_mapped() {
    if constexpr (is_view<M>) {
        if constexpr (!M::shape_type::is_static) return because<tree_has_run_time_extents<M>>{};
        else
            return because<unless<std::same_as<std::remove_cv_t<T>, typename M::value_type>,
                                  map_of_another_element_type<T, typename M::value_type>>>{};
    } else if constexpr (is_array<M>) {
        return why_not_mapped<T, typename M::value_type>();
    } else {
        return []<class... P>(std::type_identity<std::tuple<P...>>) {
            return tapeless::first_among(why_not_mapped<T, std::remove_cvref_t<P>>()...);
        }(std::type_identity<parts<M>>{});
    }
}
template <class T, class M>
constexpr auto mapped_memory(T*& at) {
    if constexpr (is_view<M>) {
        using S = typename M::shape_type;
        if constexpr (!S::is_static) return refuse(because<tree_has_run_time_extents<M>>{}), M();
        else if constexpr (!std::same_as<std::remove_cv_t<T>, typename M::value_type>)
            return refuse(because<map_of_another_element_type<T, typename M::value_type>>{}),
                   M(static_cast<typename M::element_type*>(nullptr));
        else return M(std::exchange(at, at + S::static_size()));
    } else if constexpr (is_array<M>) {
        return [&]<std::size_t... I>(std::index_sequence<I...>) {
            return M{(static_cast<void>(I), mapped_memory<T, typename M::value_type>(at))...};
        }(std::make_index_sequence<std::tuple_size_v<M>>{});
    } else {
        return [&]<class... P>(std::type_identity<std::tuple<P...>>) {
            std::tuple<std::remove_cvref_t<P>...> all{mapped_memory<T, std::remove_cvref_t<P>>(at)...};  // in order
            if constexpr (is_tuple<M>) return all;
            else return made_of<M>(std::move(all));
        }(std::type_identity<parts<M>>{});
    }
}
}  // namespace detail::array_part

/// f(leaf, counterparts...) for every array of a tree, in order, beside those of the other trees, which have the same
/// parts. What is not const can be written.
template <class F, class Tree, class... Others>
constexpr void for_each_leaf(F&& f, Tree&& tree, Others&&... others) {
    detail::each_leaf_of(f, tree, others...);
}

/// A tree of what f(leaf, counterparts...) returns: of the type of the first where the arrays are (of a model of views
/// whose arrays become tensors: the model of tensors), otherwise a tuple in the place of each struct.
template <class F, class Tree, class... Others>
constexpr auto map_leaves(F&& f, Tree&& tree, Others&&... others) {
    return detail::map_tree(f, tree, others...);
}

/// The number of elements of all arrays of a tree, from its type.
template <class Tree>
constexpr std::size_t size_of() {
    std::int64_t n = 0;
    bool known = true;
    detail::list<detail::leaf_info> l;
    detail::describe_leaves<Tree>(l);
    for (detail::leaf_info const& i : l) {
        std::int64_t size = 1;
        for (int k = 0; k < i.rank; ++k) {
            known = known && i.extent[k] >= 0;
            size *= i.extent[k];
        }
        n += size;
    }
    if (!known) detail::extents_of_a_tree_are_known_at_run_time_only();
    return static_cast<std::size_t>(n);
}
/// The same of a tree whose lengths run time knows.
template <detail::tree_of_arrays Tree>
constexpr std::size_t size_of(Tree const& tree) {
    std::size_t n = 0;
    for_each_leaf(
        [&](auto const& l) {
            n += detail::element_count(detail::leaf_traits<std::remove_cvref_t<decltype(l)>>::extents(l));
        },
        tree);
    return n;
}

/// A tree of zeros: what only points becomes a tensor.
template <detail::tree_of_arrays Tree>
    requires(!detail::leaf<Tree> && !detail::is_array<Tree>)
constexpr auto zeros_like(Tree const& tree) {
    return map_leaves([](auto const& leaf) { return zeros_like(leaf); }, tree);
}
/// A tree of arrays that hold `value`.
template <detail::tree_of_arrays Tree>
constexpr auto full_like(Tree const& tree, double value) {
    return map_leaves(
        [value](auto const& leaf) {
            auto made = zeros_like(leaf);
            using T = typename detail::leaf_traits<decltype(made)>::value_type;
            if constexpr (element<decltype(made)>) made = static_cast<T>(value);
            else fill(made, static_cast<T>(value));
            return made;
        },
        tree);
}
template <detail::tree_of_arrays Tree>
constexpr auto ones_like(Tree const& tree) {
    return full_like(tree, 1);
}

/// y += a * x, over the arrays of two trees alike.
template <detail::tree_of_arrays X, class Y>
    requires detail::tree_of_arrays<Y>
constexpr void axpy(double a, X const& x, Y&& y) {
    for_each_leaf(
        [a](auto& to, auto const& from) {
            detail::each_pair_of_elements(to, from, [a](auto& p, auto const& q) {
                using T = std::remove_cvref_t<decltype(p)>;
                p = static_cast<T>(static_cast<detail::computed<T>>(p) +
                                   static_cast<detail::computed<T>>(a) * static_cast<detail::computed<T>>(q));
            });
        },
        y, x);
}
/// The sum of products of two trees alike, added up in double.
template <detail::tree_of_arrays X, detail::tree_of_arrays Y>
constexpr double dot(X const& x, Y const& y) {
    double sum = 0;
    auto const add = [&](auto const& p, auto const& q) {
        double part[4]{};
        std::size_t i = 0;
        detail::each_pair_of_elements(p, q, [&](auto const& a, auto const& b) {
            part[i++ & 3] += static_cast<double>(a) * static_cast<double>(b);
        });
        sum += (part[0] + part[1]) + (part[2] + part[3]);
    };
    detail::each_leaf_of(add, x, y);
    return sum;
}
/// The Euclidean length of all numbers of a tree.
template <detail::tree_of_arrays X>
double norm(X const& x) {
    return std::sqrt(dot(x, x));
}

/// Memory of somebody else's as a model: the arrays of its members lie there one after the other, row-major, without
/// gaps. Of a pointer to const the members are views of const. Nothing is copied.
template <template <template <class, auto...> class> class Model, class T>
constexpr auto map(T* memory) {
    if constexpr (std::is_const_v<T>) {
        refuse(detail::why_not_mapped<T, Model<detail::view_of_const>>());
        return detail::mapped_memory<T, Model<detail::view_of_const>>(memory);
    } else {
        refuse(detail::why_not_mapped<T, Model<view>>());
        return detail::mapped_memory<T, Model<view>>(memory);
    }
}

}  // namespace tapeless
