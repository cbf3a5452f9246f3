// SPDX-License-Identifier: MIT
#pragma once
// into(a, b, ...): where gradients, or the value of fused(f), are written instead of being returned.

#include <concepts>
#include <tuple>
#include <type_traits>
#include <utility>

#include <tapeless/array/tree.hpp>

namespace tapeless {

/// Refuses to write where nobody can read.
template <class Target>
struct into_a_temporary {
    static_assert(never<Target>,
                  "into: a target is a temporary that owns its memory, so that what is written there is lost: "
                  "give it a name, or hand in a view or a span");
};
/// Refuses to write to what is const.
template <class Target>
struct into_something_const {
    static_assert(never<Target>, "into: a target is const and owns its memory");
};
/// Refuses targets among the arguments.
template <class... Args>
struct into_is_not_the_first_argument {
    static_assert(sizeof...(Args) == 0, "into(...) or add_into(...) is the first argument of a call");
};

namespace detail::inline transform_part {
/// Whether some array of a tree is part of it, rather than pointed to.
template <class A>
constexpr bool holds_memory() {
    if constexpr (leaf<A>) return holds_its_elements<A>;
    else if constexpr (is_array<A>) return holds_memory<typename A::value_type>();
    else if constexpr (is_tuple<A>)
        return []<std::size_t... I>(std::index_sequence<I...>) {
            return ((!std::is_reference_v<std::tuple_element_t<I, A>> &&
                     holds_memory<std::remove_cvref_t<std::tuple_element_t<I, A>>>()) ||
                    ...);
        }(std::make_index_sequence<std::tuple_size_v<A>>{});
    else if constexpr (decomposable<A>)
        return []<class... M>(std::type_identity<std::tuple<M...>>) {
            return (holds_memory<std::remove_cvref_t<M>>() || ...);
        }(std::type_identity<decltype(members_of(std::declval<A&>()))>{});
    else return false;  // refused where it is used
}
/// Whether what is written there can be read afterwards: T is a reference, or only points.
template <class T>
constexpr bool is_kept() {
    if constexpr (std::is_reference_v<T>) return true;
    else return !holds_memory<T>();
}
/// T as it is deduced: an lvalue is a reference.
template <class T>
constexpr void check_target() {
    using A = std::remove_cvref_t<T>;
    if constexpr (holds_memory<A>()) {
        if constexpr (!std::is_reference_v<T>) refuse(because<into_a_temporary<A>>{});
        else if constexpr (std::is_const_v<std::remove_reference_t<T>>) refuse(because<into_something_const<A>>{});
    }
}
}  // namespace detail::transform_part

/// Targets of a call, by reference where they were named and by value where they only point (view, span).
template <class... T>
struct into_t {
    std::tuple<T...> targets;

    constexpr explicit into_t(std::tuple<T...> const& all) : targets(all) {}
    /// Targets that are looked at otherwise: into_t<view<float, dyn>> is made of into(vector).
    template <class... U>
        requires(sizeof...(U) == sizeof...(T) && !std::same_as<std::tuple<U...>, std::tuple<T...>>)
    constexpr into_t(into_t<U...> const& other)
        requires((detail::is_kept<T>() && std::convertible_to<U const&, T>) && ...)
        : targets(other.targets) {}
};

/// As first argument of a gradient: writes it there and returns only the value; of fused(f): writes the value there,
/// or its several results to as many targets. A target has a name, or only points: what is a temporary with memory of
/// its own is refused. Allocates nothing after the first call.
template <class... T>
constexpr into_t<T...> into(T&&... targets) {
    (detail::check_target<T>(), ...);
    return into_t<T...>(std::tuple<T...>(std::forward<T>(targets)...));
}

/// Targets of a call to which is added.
template <class... T>
struct add_into_t {
    std::tuple<T...> targets;
};

/// As into, but what would be written is added to what the targets hold: gradients of several batches.
template <class... T>
constexpr add_into_t<T...> add_into(T&&... targets) {
    (detail::check_target<T>(), ...);
    return {std::tuple<T...>(std::forward<T>(targets)...)};
}

namespace detail::inline transform_part {
template <class T>
inline constexpr bool is_add_into = false;
template <class... T>
inline constexpr bool is_add_into<add_into_t<T...>> = true;
template <class T>
inline constexpr bool is_into = false;
template <class... T>
inline constexpr bool is_into<into_t<T...>> = true;

/// Why what grad returned, or the like, is not called with these arguments, of which none are targets.
template <class F, class... A>
constexpr auto why_not_called_with() {
    if constexpr (requires { typename F::allowed; } && !((is_into<A> || is_add_into<A>) || ...))
        return F::allowed::template why_not_called<A...>();
    else return because<no_reason>{};
}
}  // namespace detail::transform_part
}  // namespace tapeless
