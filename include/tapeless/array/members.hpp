// SPDX-License-Identifier: MIT
#pragma once
// The members of an aggregate, counted and named without a macro.

#include <array>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

namespace tapeless::detail::inline array_part {

struct any_member {
    template <class T>
    operator T() const;  // only ever named, never called
};
template <class S, std::size_t... I>
constexpr bool brace_constructible(std::index_sequence<I...>) {
    return requires { S{(static_cast<void>(I), any_member{})...}; };
}
inline constexpr std::size_t most_members = 24;

/// The most initialisers that an aggregate takes. One more than the most members stands for all above.
template <class S, std::size_t N = most_members + 1>
constexpr std::size_t initialiser_count() {
    if constexpr (N == 0) return 0;
    else if constexpr (brace_constructible<S>(std::make_index_sequence<N>{})) return N;
    else return initialiser_count<S, N - 1>();
}
template <class S, std::size_t... I, std::size_t... J>
constexpr bool constructible_around(std::index_sequence<I...>, std::index_sequence<J...>) {
    return requires { S{(static_cast<void>(I), any_member{})..., {}, (static_cast<void>(J), any_member{})...}; };
}
/// How many of N initialisers the member takes that begins with initialiser `At`: one, and an array as many as it has
/// elements. With {} for that member, at most N - At - taken others fit behind it.
template <class S, std::size_t N, std::size_t At, std::size_t Taken = 1>
constexpr std::size_t initialisers_taken() {
    if constexpr (At + Taken > N) return 1;
    else if constexpr (constructible_around<S>(std::make_index_sequence<At>{},
                                               std::make_index_sequence<N - At - Taken>{}))
        return Taken;
    else return initialisers_taken<S, N, At, Taken + 1>();
}
template <class S, std::size_t N, std::size_t At = 0>
constexpr std::size_t members_from() {
    if constexpr (At >= N) return 0;
    else return 1 + members_from<S, N, At + initialisers_taken<S, N, At>()>();
}
/// How many members an aggregate has: as many as initialisers, but for arrays, which have one for each element.
/// (Those are looked for in trivial structs alone.)
template <class S>
constexpr std::size_t member_count() {
    constexpr std::size_t n = initialiser_count<S>();
    if constexpr (std::is_trivially_copyable_v<S> && n > 1 && n <= most_members) return members_from<S, n>();
    else return n;
}

template <class S>
constexpr bool has_few_members() {
    constexpr std::size_t n = member_count<S>();
    return n > 0 && n <= most_members;
}

/// A struct whose members are those of another one that it is derived from: see stacked.
template <class S>
concept is_stacked = requires { typename S::stacked_members; };

/// std::apply in two functions instead of four for each call: fewer to compile, and fewer frames where a compiler
/// reports an error in `call`.
template <class F, class Tuple, std::size_t... K>
constexpr decltype(auto) spread_parts(F&& call, Tuple&& parts, std::index_sequence<K...>) {
    return call(std::get<K>(static_cast<Tuple&&>(parts))...);
}
template <class F, class Tuple>
constexpr decltype(auto) with_parts(F&& call, Tuple&& parts) {
    return detail::spread_parts(call, static_cast<Tuple&&>(parts),
                                std::make_index_sequence<std::tuple_size_v<std::remove_cvref_t<Tuple>>>{});
}

/// call(members...), without a tuple of them on the way: that would be half a dozen functions for each member.
template <class S, class F>
constexpr auto with_members(S& s, F const& call) {
    if constexpr (requires { s.members(); }) {
        return detail::with_parts(call, s.members());
    } else if constexpr (is_stacked<std::remove_cv_t<S>>) {
        using M = typename std::remove_cv_t<S>::stacked_members;
        return with_members(static_cast<std::conditional_t<std::is_const_v<S>, M const, M>&>(s), call);
    } else {
        constexpr std::size_t n = member_count<std::remove_cv_t<S>>();
        if constexpr (n == 1) { auto& [a] = s; return call(a); }
        else if constexpr (n == 2) { auto& [a, b] = s; return call(a, b); }
        else if constexpr (n == 3) { auto& [a, b, c] = s; return call(a, b, c); }
        else if constexpr (n == 4) { auto& [a, b, c, d] = s; return call(a, b, c, d); }
        else if constexpr (n == 5) { auto& [a, b, c, d, e] = s; return call(a, b, c, d, e); }
        else if constexpr (n == 6) { auto& [a, b, c, d, e, f] = s; return call(a, b, c, d, e, f); }
        else if constexpr (n == 7) { auto& [a, b, c, d, e, f, g] = s; return call(a, b, c, d, e, f, g); }
        else if constexpr (n == 8) { auto& [a, b, c, d, e, f, g, h] = s; return call(a, b, c, d, e, f, g, h);
        } else if constexpr (n == 9) {
            auto& [a, b, c, d, e, f, g, h, i] = s;
            return call(a, b, c, d, e, f, g, h, i);
        } else if constexpr (n == 10) {
            auto& [a, b, c, d, e, f, g, h, i, j] = s;
            return call(a, b, c, d, e, f, g, h, i, j);
        } else if constexpr (n == 11) {
            auto& [a, b, c, d, e, f, g, h, i, j, k] = s;
            return call(a, b, c, d, e, f, g, h, i, j, k);
        } else if constexpr (n == 12) {
            auto& [a, b, c, d, e, f, g, h, i, j, k, l] = s;
            return call(a, b, c, d, e, f, g, h, i, j, k, l);
        } else if constexpr (n == 13) {
            auto& [a, b, c, d, e, f, g, h, i, j, k, l, m] = s;
            return call(a, b, c, d, e, f, g, h, i, j, k, l, m);
        } else if constexpr (n == 14) {
            auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, o] = s;
            return call(a, b, c, d, e, f, g, h, i, j, k, l, m, o);
        } else if constexpr (n == 15) {
            auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, o, p] = s;
            return call(a, b, c, d, e, f, g, h, i, j, k, l, m, o, p);
        } else if constexpr (n == 16) {
            auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q] = s;
            return call(a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q);
        } else if constexpr (n == 17) {
            auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r] = s;
            return call(a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r);
        } else if constexpr (n == 18) {
            auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, t] = s;
            return call(a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, t);
        } else if constexpr (n == 19) {
            auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, t, u] = s;
            return call(a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, t, u);
        } else if constexpr (n == 20) {
            auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, t, u, v] = s;
            return call(a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, t, u, v);
        } else if constexpr (n == 21) {
            auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, t, u, v, w] = s;
            return call(a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, t, u, v, w);
        } else if constexpr (n == 22) {
            auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, t, u, v, w, x] = s;
            return call(a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, t, u, v, w, x);
        } else if constexpr (n == 23) {
            auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, t, u, v, w, x, y] = s;
            return call(a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, t, u, v, w, x, y);
        } else {
            auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, t, u, v, w, x, y, z] = s;
            return call(a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, t, u, v, w, x, y, z);
        }
    }
}

/// References to the members.
template <class S>
constexpr auto members_of(S& s) {
    if constexpr (requires { s.members(); }) return s.members();
    else return with_members(s, [](auto&... m) { return std::tie(m...); });
}

template <class A>
inline constexpr bool is_tuple = false;
template <class... T>
inline constexpr bool is_tuple<std::tuple<T...>> = true;
template <class A, class B>
inline constexpr bool is_tuple<std::pair<A, B>> = true;
template <class A>
inline constexpr bool is_array = false;
template <class T, std::size_t N>
inline constexpr bool is_array<std::array<T, N>> = true;

}  // namespace tapeless::detail::array_part
