// SPDX-License-Identifier: MIT
#pragma once
// Elements of arrays by index: x[i], x(i, j), select<axis>(x, i) with an index that is computed, unpack<n>(x).

#include <array>

#include <tapeless/ops/indexed.hpp>
#include <tapeless/ops/join.hpp>
#include <tapeless/ops/slice.hpp>

namespace tapeless {

/// Refuses an index that is no single integer.
template <class Index>
struct index_is_no_single_integer {
    static_assert(never<Index>,
                  "x[i], select<axis>(x, i): the index is a whole number, or an expression of one std::int32_t or "
                  "std::int64_t; several at once are index_select<axis>(x, indices)");
};
/// Refuses to take an array apart into another number of elements than it has.
template <class Shape, int N>
struct unpack_of_another_length {
    static_assert(never<Shape>, "unpack<n>(x): x has another number of elements along its first axis");
};

namespace detail::inline ops_part {
/// Why this is no index.
template <class I>
constexpr auto why_no_index() {
    if constexpr (std::integral<I>) return because<no_reason>{};
    else if constexpr (!expression<I>) return because<index_is_no_single_integer<I>>{};
    else if constexpr (is_node_ref<I>) return because<no_reason>{};
    else return because<unless<I::rank == 0 && has_integers<typename I::value_type>, index_is_no_single_integer<I>>>{};
}
/// Element i along an axis; an error at run time has the name that the user knows it by.
template <int Axis, fixed_string Name, class A, class I>
constexpr auto select_computed(A const& x, I const& i) {
    return pick<pick_op<picks::rows, Name>, picks::rows, Axis>(x, i);
}
}  // namespace detail::ops_part

/// Element i along an axis, which is dropped; i is an integer argument or computed, and checked when the function runs.
template <int Axis, expression A, expression I>
constexpr auto select(A const& x, I const& i) {
    using S = typename detail::shape_or_none<A>::type;
    refuse(detail::why_no_axes<detail::select_op<Axis>, A, S, Axis>());
    if constexpr (!accepts(detail::why_no_index<I>())) return select<Axis>(x, 0);
    else return detail::select_computed<Axis, "select">(x, i);
}

namespace detail::inline ops_part {
template <fixed_string Name, class E>
constexpr auto element_along(E const& x) {
    return let(x);
}
template <fixed_string Name, class E, class Head, class... Tail>
constexpr auto element_along(E const& x, Head const& i, Tail const&... rest) {
    if constexpr (E::rank == 0) return let(x);  // refused already
    else if constexpr (!accepts(why_no_index<Head>())) return element_along<Name>(let(select<0>(x, 0)), rest...);
    else if constexpr (expression<Head>) return element_along<Name>(let(select_computed<0, Name>(x, i)), rest...);
    else return element_along<Name>(let(select<0>(x, static_cast<int>(i))), rest...);
}
template <class E, class... I>
constexpr auto select_element(E const& x, I const&... i) {
    if constexpr (static_cast<int>(sizeof...(I)) > E::rank)
        refuse(because<too_many_indices<typename E::shape_type, static_cast<int>(sizeof...(I))>>{});
    (refuse(why_no_index<I>()), ...);
    if constexpr (sizeof...(I) == 1) return element_along<"x[i]">(x, i...);
    else return element_along<"x(i, j)">(x, i...);
}
}  // namespace detail::ops_part

/// The elements along the first axis, n of them: auto [a, b, c] = unpack<3>(x).
template <int N, expression A>
constexpr auto unpack(A const& x) {
    using S = typename A::shape_type;
    constexpr bool fits = S::rank > 0 && (S::extents[0] < 0 || S::extents[0] == N);
    if constexpr (!fits) refuse(because<unpack_of_another_length<S, N>>{});
    if constexpr (S::rank == 0) {
        return std::array<decltype(let(x)), static_cast<std::size_t>(N)>{};
    } else {
        auto const v = let(x);
        if constexpr (S::extents[0] < 0) (void)v.graph->same(v.graph->shape_of(v.id).extent[0], N, "unpack");
        return [&]<int... I>(std::integer_sequence<int, I...>) {
            return std::array{v[fits ? I : 0]...};
        }(std::make_integer_sequence<int, N>{});
    }
}

}  // namespace tapeless
