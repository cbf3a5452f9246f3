// SPDX-License-Identifier: MIT
#pragma once
// The names of an aggregate's members, found without a macro: the compiler prints them when it says which function it
// is in.

#include <tapeless/array/tree.hpp>

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace tapeless::detail::inline io_part {

template <class M>
struct member_pointer {
    M const* pointer;
};
template <class M>
member_pointer(M const*) -> member_pointer<M>;

#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wundefined-var-template"
#pragma clang diagnostic ignored "-Wundefined-internal"
#endif
/// An object that is not there: members of it have addresses, which is all that is asked of it.
template <class S>
struct absent {
    S const object;
    static absent const instance;
};

/// Ends with "...::weight)}]" under g++, with "....weight}]" under clang++.
template <auto Pointer>
constexpr char const* function_with_member() {
#if defined(__GNUC__)
    return __PRETTY_FUNCTION__;
#else
    return "";
#endif
}

/// The last name in a text.
constexpr std::string_view last_name(std::string_view text) {
    auto const in_name = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
               static_cast<signed char>(c) < 0;
    };
    std::size_t end = text.size();
    while (end > 0 && !in_name(text[end - 1])) --end;
    std::size_t begin = end;
    while (begin > 0 && in_name(text[begin - 1])) --begin;
    return text.substr(begin, end - begin);
}

template <class S, std::size_t I>
constexpr std::string_view member_name() {
    return last_name(function_with_member<member_pointer{&std::get<I>(members_of(absent<S>::instance.object))}>());
}
#if defined(__clang__)
#pragma clang diagnostic pop
#endif

struct with_known_names {
    int first_one;
    double second;
};
/// Whether this compiler tells the names of members at all.
inline constexpr bool tells_member_names = [] {
    if constexpr (requires { std::bool_constant<member_name<with_known_names, 0>().empty()>{}; })
        return member_name<with_known_names, 0>() == "first_one" && member_name<with_known_names, 1>() == "second";
    else return false;
}();

/// Names of the parts of a tuple, array or aggregate: those of members, or "0", "1", ... where there are none to be
/// found.
template <class S, bool Named = tells_member_names>
struct part_names {
    static constexpr std::size_t count = std::tuple_size_v<parts<S>>;
    static constexpr bool are_members = [] {
        if constexpr (!Named || is_array<S> || is_tuple<S> || requires(S& s) { s.members(); }) return false;
        else return [&]<std::size_t... I>(std::index_sequence<I...>) {
            return (requires { std::bool_constant<member_name<S, I>().empty()>{}; } && ...);
        }(std::make_index_sequence<count>{});
    }();
    static std::string get(std::size_t i) {
        if constexpr (are_members) {
            static constexpr auto names = []<std::size_t... I>(std::index_sequence<I...>) {
                return std::array<std::string_view, count>{member_name<S, I>()...};
            }(std::make_index_sequence<count>{});
            return std::string(names[i]);
        } else {
            return std::to_string(i);
        }
    }
};

/// f(array, name) for every array in a tree, in order: "layers.0.weight". A tree that is one array only has the name
/// "0".
template <bool Named = tells_member_names, class A, class F>
void for_each_named_leaf(A& a, F&& f, std::string const& name = {}) {
    using P = std::remove_cv_t<A>;
    std::string const before = name.empty() ? name : name + '.';
    if constexpr (leaf<P>) {
        f(a, name.empty() ? std::string("0") : name);
    } else if constexpr (is_array<P>) {
        for (std::size_t i = 0; i < a.size(); ++i) for_each_named_leaf<Named>(a[i], f, before + std::to_string(i));
    } else if constexpr (is_tuple<P> || decomposable<P>) {
        std::size_t i = 0;
        detail::with_parts(
            [&](auto&... x) { (for_each_named_leaf<Named>(x, f, before + part_names<P, Named>::get(i++)), ...); },
            parts_of(a));
    } else {
        refuse(because<not_an_array_or_a_tree_of_arrays<P>>{});
    }
}

}  // namespace tapeless::detail::io_part
