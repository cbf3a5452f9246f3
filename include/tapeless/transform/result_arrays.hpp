// SPDX-License-Identifier: MIT
#pragma once
// Arrays for what a function returns: new ones, or such as an argument is; and functions that say which and in what
// form.

#include <tapeless/compile/trace.hpp>

namespace tapeless {

/// Refuses another number of targets than there are arrays to write.
template <class Targets, class... Written>
struct into_targets_do_not_match {
    static_assert(never<Targets>,
                  "into: one target for each gradient asked for; of fused(f) one target for the value, or "
                  "one for each of several results");
};
/// Refuses a target of another element type, rank or length, or another tree, than what is written there.
template <class Target, class Written>
struct into_target_has_another_type {
    static_assert(never<Target>,
                  "into: a target has the element types and shapes of its argument, whose gradient is "
                  "written there; of fused(f) those of the result");
};
/// Refuses a struct that happens to have the arrays of another.
template <class Target, class Written>
struct into_target_is_another_struct {
    static_assert(never<Target>,
                  "into: a target is a struct of another type, though with the same arrays: hand in one of the "
                  "argument's own type (of fused(f): of the result's), the same model of views, or a tuple");
};

}  // namespace tapeless

namespace tapeless::detail::inline transform_part {

/// What is asked for, in messages.
template <int Argument>
struct gradient;

/// Whether a copy has memory of its own.
template <class A>
constexpr bool owns_its_memory() {
    auto all = []<class... T>(std::type_identity<std::tuple<T...>>) {
        return (owns_its_memory<std::remove_cvref_t<T>>() && ...);
    };
    if constexpr (leaf<A>) return holds_its_elements<A>;
    else if constexpr (is_array<A>) return owns_its_memory<typename A::value_type>();
    else if constexpr (is_tuple<A>)
        return []<std::size_t... I>(std::index_sequence<I...>) {
            return ((!std::is_reference_v<std::tuple_element_t<I, A>> &&
                     owns_its_memory<std::remove_cvref_t<std::tuple_element_t<I, A>>>()) &&
                    ...);
        }(std::make_index_sequence<std::tuple_size_v<A>>{});
    else return all(std::type_identity<decltype(members_of(std::declval<A&>()))>{});
}

template <class A>
auto make_like(A const& a);

template <class To, class From>
inline constexpr bool takes_members = false;
template <class... To, class... From>
    requires(sizeof...(To) == sizeof...(From))
inline constexpr bool takes_members<std::tuple<To&...>, std::tuple<From&...>> =
    (std::same_as<To, decltype(make_like(std::declval<From const&>()))> && ...);
/// Whether arrays like those of the model A make the same model of tensors.
template <class A>
constexpr bool is_model_of_views() {
    using M = typename model_over<tensor, A>::type;
    if constexpr (std::is_void_v<M> || std::same_as<M, A>) return false;
    else return takes_members<decltype(members_of(std::declval<M&>())), decltype(members_of(std::declval<A&>()))>;
}

/// Arrays to write a gradient to: of the argument's own type. Where it, or something in a tree, only points, they are
/// tensors; models of views give models of tensors, and other structs with such members tuples.
template <class A>
auto make_like(A const& a) {
    if constexpr (leaf<A>) {
        return leaf_traits<A>::make(leaf_traits<A>::extents(a));
    } else if constexpr (owns_its_memory<A>()) {
        return a;  // its lengths come with it
    } else if constexpr (is_array<A>) {
        return [&]<std::size_t... I>(std::index_sequence<I...>) {
            return std::array{make_like(a[I])...};
        }(std::make_index_sequence<std::tuple_size_v<A>>{});
    } else if constexpr (is_model_of_views<A>()) {
        typename model_over<tensor, A>::type made{};
        auto const to = members_of(made);
        auto const from = members_of(a);
        [&]<std::size_t... I>(std::index_sequence<I...>) {
            ((std::get<I>(to) = make_like(std::get<I>(from))), ...);
        }(std::make_index_sequence<std::tuple_size_v<std::remove_const_t<decltype(from)>>>{});
        return made;
    } else {
        auto const rebuilt = [](auto const&... x) { return std::tuple<decltype(make_like(x))...>(make_like(x)...); };
        if constexpr (requires { a.first; a.second; } && is_tuple<A>)
            return std::pair(make_like(a.first), make_like(a.second));
        else if constexpr (is_tuple<A>) return detail::with_parts(rebuilt, a);
        else return detail::with_parts(rebuilt, members_of(a));
    }
}

template <class T>
constexpr int leaves_in() {
    return argument_list<T>::first[1];
}
/// Two trees whose arrays have the same static lengths.
template <class T, class R>
constexpr bool same_lengths() {
    list<leaf_info> t, r;
    describe_leaves<T>(t);
    describe_leaves<R>(r);
    for (int i = 0; i < t.size(); ++i)
        for (int k = 0; k < t[i].rank; ++k)
            if (t[i].extent[k] < 0 || t[i].extent[k] != r[i].extent[k]) return false;
    return true;
}
/// A target has the element types and ranks of its argument, and its lengths, where they are known.
template <class T, class A>
constexpr bool same_leaves() {
    list<leaf_info> t, a;
    describe_leaves<T>(t);
    describe_leaves<A>(a);
    if (t.size() != a.size()) return false;
    for (int i = 0; i < t.size(); ++i)
        if (t[i].type != a[i].type || t[i].rank != a[i].rank) return false;
    for (int i = 0; i < t.size(); ++i)
        for (int k = 0; k < t[i].rank; ++k)
            if (t[i].extent[k] >= 0 && a[i].extent[k] >= 0 && t[i].extent[k] != a[i].extent[k]) return false;
    return true;
}

template <class T, class A>
inline constexpr bool same_template = false;
template <template <class...> class Struct, class... T, class... A>
inline constexpr bool same_template<Struct<T...>, Struct<A...>> = true;
template <template <class, auto...> class Struct, class T, class A, auto... V, auto... W>
    requires(sizeof...(V) + sizeof...(W) > 0)
inline constexpr bool same_template<Struct<T, V...>, Struct<A, W...>> = true;
/// One struct template over two kinds of arrays.
template <class T, class A>
constexpr bool same_model() {
    using M = typename model_over<tensor, T>::type;
    if constexpr (std::is_void_v<M>) return same_template<T, A>;
    else return std::same_as<M, typename model_over<tensor, A>::type>;
}
template <class A>
inline constexpr bool is_named_struct = !leaf<A> && !is_array<A> && !is_tuple<A>;
/// Whether structs in the same places of two trees are one: of the same type, the same model, or one of them only
/// points (a struct of spans for a struct of vectors). Tuples and arrays have no name, and fit any.
template <class T, class A>
constexpr bool same_structs() {
    if constexpr (std::same_as<T, A> || leaf<T> || leaf<A>) return true;
    else if constexpr (is_named_struct<T> && is_named_struct<A> && same_model<T, A>()) return true;
    else if constexpr (is_named_struct<T> && is_named_struct<A> && owns_its_memory<T>() && owns_its_memory<A>())
        return false;
    else
        return []<class... P, class... Q>(std::type_identity<std::tuple<P...>>, std::type_identity<std::tuple<Q...>>) {
            if constexpr (sizeof...(P) == sizeof...(Q))
                return (same_structs<std::remove_cvref_t<P>, std::remove_cvref_t<Q>>() && ...);
            else if constexpr (sizeof...(P) == 1) return (same_structs<std::remove_cvref_t<P>, A>() && ...);
            else return true;
        }(std::type_identity<parts<T>>{}, std::type_identity<parts<A>>{});
}

/// Why the target T is not such as the argument A, whose gradient is written there.
template <class T, class A>
constexpr auto why_not_written() {
    constexpr auto why = why_no_argument<T>();
    if constexpr (is_reason<decltype(why)>) return why;
    else if constexpr (!same_leaves<T, A>()) return because<into_target_has_another_type<T, A>>{};
    else return because<unless<same_structs<T, A>(), into_target_is_another_struct<T, A>>>{};
}
/// The same of all targets and the results R.
template <class Targets, class R>
constexpr auto why_no_values() {
    if constexpr (leaves_in<Targets>() != leaves_in<R>()) return because<into_targets_do_not_match<Targets, R>>{};
    else return why_not_written<Targets, R>();
}
template <class First, class... Others>
std::tuple<Others...> without_first(std::tuple<First, Others...>);

/// The arrays that the parts of a formed function's result become.
template <class F, class... A>
struct formed_arrays {
    using result = traced_result<F, A...>;
    template <std::size_t K>
    static auto find() {
        constexpr int like = F::result_like[K];
        if constexpr (like < 0) return std::type_identity<typename array_of<std::tuple_element_t<K, result>>::type>{};
        else
            return std::type_identity<decltype(make_like(
                std::declval<typename nth_type<like, A...>::type const&>()))>{};
    }
    template <std::size_t... K>
    static std::tuple<typename decltype(find<K>())::type...> all(std::index_sequence<K...>);
    using type = decltype(all(std::make_index_sequence<F::result_like.size()>{}));
};

/// The arrays that the results of F become.
template <class F, class... A>
struct result_arrays : array_of<traced_result<F, A...>> {};
template <forms_its_result F, class... A>
struct result_arrays<F, A...> : formed_arrays<F, A...> {};

}  // namespace tapeless::detail::transform_part
