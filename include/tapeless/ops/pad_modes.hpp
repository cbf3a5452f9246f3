// SPDX-License-Identifier: MIT
#pragma once
// Arrays with more of themselves around them: pad by reflection, by repeating the edge, periodically.

#include <tapeless/ops/join.hpp>
#include <tapeless/ops/slice.hpp>

namespace tapeless {

/// How pad goes on beyond the edges: mirrored without the edge itself, the edge again and again, or from the other
/// side.
struct reflect_t {};
struct replicate_t {};
struct circular_t {};
inline constexpr reflect_t reflect{};
inline constexpr replicate_t replicate{};
inline constexpr circular_t circular{};

namespace detail::inline ops_part {

template <int Axis, int Rank>
constexpr auto repeat_along(auto const& x, auto times) {
    return [&]<int... K>(std::integer_sequence<int, K...>) {
        return tile<(K == Axis ? decltype(times)::value : 1)...>(x);
    }(std::make_integer_sequence<int, Rank>{});
}
/// The N elements before x along an axis, or behind it.
template <class Mode, int Axis, int N, class A>
constexpr auto elements_before(A const& x) {
    if constexpr (std::same_as<Mode, reflect_t>) return flip<Axis>(slice<Axis, 1, N + 1>(x));
    else if constexpr (std::same_as<Mode, circular_t>) return slice<Axis, -N, to_end>(x);
    else return repeat_along<Axis, A::rank>(slice<Axis, 0, 1>(x), std::integral_constant<int, N>{});
}
template <class Mode, int Axis, int N, class A>
constexpr auto elements_behind(A const& x) {
    if constexpr (std::same_as<Mode, reflect_t>) return flip<Axis>(slice<Axis, -N - 1, -1>(x));
    else if constexpr (std::same_as<Mode, circular_t>) return slice<Axis, 0, N>(x);
    else return repeat_along<Axis, A::rank>(slice<Axis, -1, to_end>(x), std::integral_constant<int, N>{});
}
template <class Mode, int Axis, int Before, int Behind, class A>
constexpr auto pad_axis(A const& array) {
    auto const x = let(array);
    constexpr int most = Before > Behind ? Before : Behind;
    constexpr std::int64_t e = dims_of<typename A::shape_type>().extent[Axis];
    constexpr int needs = std::same_as<Mode, reflect_t> ? most + 1 : std::same_as<Mode, circular_t> ? most : 1;
    static_assert(
        most == 0 || e < 0 || e >= needs,
        "pad: more elements than the axis can give (reflect: one less than its length, circular: its length)");
    if constexpr (most > 0 && e < 0) x.graph->check(x.graph->shape_of(x.id).extent[Axis], relation::at_least, needs);
    if constexpr (Before > 0 && Behind > 0)
        return concat<Axis>(elements_before<Mode, Axis, Before>(x), x, elements_behind<Mode, Axis, Behind>(x));
    else if constexpr (Before > 0) return concat<Axis>(elements_before<Mode, Axis, Before>(x), x);
    else if constexpr (Behind > 0) return concat<Axis>(x, elements_behind<Mode, Axis, Behind>(x));
    else return x;
}
template <class Mode, int Axis, class A>
constexpr auto pad_axes(A const& x) {
    return x;
}
template <class Mode, int Axis, int Before, int Behind, int... Rest, class A>
constexpr auto pad_axes(A const& x) {
    return pad_axes<Mode, Axis + 1, Rest...>(pad_axis<Mode, Axis, Before, Behind>(x));
}
}  // namespace detail::ops_part

/// x with more of itself around it: so many elements before and behind along each axis, from the first on.
template <int... Pads, expression A, class Mode>
    requires(std::same_as<Mode, reflect_t> || std::same_as<Mode, replicate_t> || std::same_as<Mode, circular_t>)
constexpr auto pad(A const& x, Mode) {
    static_assert(((Pads >= 0) && ...), "pad<before, behind, ...>: not a negative number of elements");
    if constexpr (sizeof...(Pads) != 2 * A::shape_type::rank)
        refuse(
            because<pad_needs_two_numbers_for_each_axis<typename A::shape_type, static_cast<int>(sizeof...(Pads))>>{});
    if constexpr (!((Pads >= 0) && ...)) return x;
    else return detail::pad_axes<Mode, 0, Pads...>(x);
}

}  // namespace tapeless
