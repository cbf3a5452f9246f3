// SPDX-License-Identifier: MIT
#pragma once
// How something is refused by name: a struct whose static_assert fails is made complete, and nothing else goes wrong.

#include <type_traits>

namespace tapeless {

/// refuse(because<name_of_what_is_wrong<...>>{}) asks whether that struct is derived from `no_reason`, for which the
/// compiler makes it complete. (Not sizeof: where the struct is in error, so is for clang every function that asks
/// for its size.) False.
template <class Reason>
using because = Reason*;
struct no_reason {};
constexpr bool refuse(no_reason const*) { return false; }
constexpr bool refuse(void const*) { return false; }
/// The same of what a function found, because<no_reason> where nothing is wrong: whether that is so. (A function that
/// returns its reason leaves no frame in what compilers print; the user's line is that much nearer to the message.)
constexpr bool accepts(no_reason const*) { return true; }
constexpr bool accepts(void const*) { return false; }
/// No reason where Holds, and the first of several that is one.
template <bool Holds, class Reason>
using unless = std::conditional_t<Holds, no_reason, Reason>;
template <class... Reasons>
struct first_reason {
    using type = no_reason;
};
template <class Head, class... Tail>
struct first_reason<Head, Tail...> {
    using type = Head;
};
template <class... Tail>
struct first_reason<no_reason, Tail...> : first_reason<Tail...> {};
/// The same of what functions found. (Called by its full name: compilers look for others in classes of arguments, and
/// make them complete.)
template <class... Reasons>
constexpr auto first_among(Reasons*...) {
    return because<typename first_reason<Reasons...>::type>{};
}
/// What a function deep down returns in the place of a result, with its reason; the function that users call hands on
/// what is delivered.
template <class Reason, class V>
struct instead {
    using reason = Reason;
    V value;
};
template <class R>
inline constexpr bool is_instead = false;
template <class Reason, class V>
inline constexpr bool is_instead<instead<Reason, V>> = true;
template <class Reason, class V>
constexpr auto instead_of(Reason*, V const& v) {
    return instead<Reason, V>{v};
}
template <class R>
constexpr auto delivered(R const& r) {
    if constexpr (is_instead<R>) return refuse(because<typename R::reason>{}), r.value;
    else return r;
}
template <class Why>
inline constexpr bool is_reason = !std::is_same_v<std::remove_cv_t<Why>, no_reason*>;
/// What such a struct asserts: false, of whatever type (functions have no size), and compilers have nothing to explain.
template <class...>
inline constexpr bool never = false;

}  // namespace tapeless
