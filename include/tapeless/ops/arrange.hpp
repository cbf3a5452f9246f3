// SPDX-License-Identifier: MIT
#pragma once
// Arrangements made of other operations: any two axes exchanged, the cross product, a vector as a lower triangle.

#include <tapeless/ops/indexed.hpp>
#include <tapeless/ops/join.hpp>
#include <tapeless/ops/product.hpp>
#include <tapeless/ops/triangle.hpp>

namespace tapeless {

/// Refuses a cross product of vectors that are not of three numbers.
template <int Axis, class A, class B>
struct cross_needs_three_numbers {
    static_assert(never<A>,
                  "cross<axis>(a, b): both have 3 elements along the axis, which counts in the array with more axes");
};
/// Refuses a vector that has not the elements of a lower triangle.
template <class Shape, int N>
struct lower_triangle_of_another_length {
    static_assert(never<Shape>, "lower_triangle<n>(v): v has n (n + 1) / 2 elements along its last axis");
};

/// Axes i and j exchanged.
template <int I, int J, expression A>
constexpr auto swap_axes(A const& x) {
    if constexpr (detail::is_node_ref<A>) {
        int const rank = x.graph->shape_of(x.id).rank, i = detail::axis_from_right(I, rank),
                  j = detail::axis_from_right(J, rank);
        detail::axis_map m = detail::axis_map::of_rank(rank);
        for (int k = 0; k < rank; ++k) m.set(k, k == i ? j : k == j ? i : k);
        return apply_with<detail::axes_op>(detail::attribute{.axes = m.bits}, x);
    } else {
        refuse(detail::why_no_axes<detail::axes_op, A, typename A::shape_type, I, J>());
        if constexpr (I >= A::rank || I < -A::rank || J >= A::rank || J < -A::rank) {
            return x;
        } else {
            constexpr int i = I < 0 ? I + A::rank : I, j = J < 0 ? J + A::rank : J;
            return [&]<int... K>(std::integer_sequence<int, K...>) {
                return permute<(K == i ? j : K == j ? i : K)...>(x);
            }(std::make_integer_sequence<int, A::rank>{});
        }
    }
}

namespace detail::inline ops_part {
template <int Axis, class S>
constexpr bool has_three() {  // along an axis counted from the end
    if constexpr (S::rank < -Axis) return false;
    else
        return S::extents[static_cast<std::size_t>(S::rank + Axis)] == 3 ||
               S::extents[static_cast<std::size_t>(S::rank + Axis)] < 0;
}
}  // namespace detail::ops_part

/// The cross product of vectors of three numbers along an axis; the shapes broadcast.
template <int Axis = -1, expression A, expression B>
constexpr auto cross(A const& a, B const& b) {
    constexpr int rank = A::rank > B::rank ? A::rank : B::rank, axis = Axis < 0 ? Axis : Axis - rank;
    if constexpr (!detail::has_three<axis, typename A::shape_type>() ||
                  !detail::has_three<axis, typename B::shape_type>()) {
        return refuse(because<cross_needs_three_numbers<Axis, typename A::shape_type, typename B::shape_type>>{}), a;
    } else {
        auto const x = let(a);
        auto const y = let(b);
        detail::builder& graph = *x.graph;
        for (int const id : {x.id, y.id})
            if (std::int64_t const n = graph.shape_of(id).from_right(-1 - axis); n < 0) (void)graph.same(n, 3, "cross");
        auto part = [&](int i, int j) {  // along the axis, which stays: leading axes broadcast as they stand
            return let(select<axis>(x, i)) * select<axis>(y, j) - let(select<axis>(x, j)) * select<axis>(y, i);
        };
        if constexpr (axis == -1) return stack<-1>(part(1, 2), part(2, 0), part(0, 1));
        else return stack<axis>(part(1, 2), part(2, 0), part(0, 1));
    }
}

/// The elements of v, along its last axis, as a lower triangle row by row: y(..., i, j) = v(..., i (i + 1) / 2 + j) for
/// j <= i, else 0.
template <int N, expression A>
constexpr auto lower_triangle(A const& v) {
    using S = typename A::shape_type;
    constexpr std::int64_t wanted = std::int64_t{N} * (N + 1) / 2;
    constexpr bool fits =
        S::rank > 0 && (S::extents[static_cast<std::size_t>(S::rank > 0 ? S::rank - 1 : 0)] < 0 ||
                        S::extents[static_cast<std::size_t>(S::rank > 0 ? S::rank - 1 : 0)] == wanted);
    if constexpr (!fits) {
        return refuse(because<lower_triangle_of_another_length<S, N>>{}), v;
    } else {
        auto const x = let(v);
        detail::builder& b = *x.graph;
        std::int64_t const length = b.shape_of(x.id).from_right(0);
        if (length < 0) (void)b.same(length, wanted, "lower_triangle");
        using P = typename detail::nth_type<0, std::int64_t, A>::type;  // nothing is compiled of what is not used
        node_ref<P> const i(&b, detail::emit_position<double>(b, N, 2, 1)),
            j(&b, detail::emit_position<double>(b, N, 2, 0));
        node_ref<P> const place = where(j <= i, i * (i + 1) / 2 + j, 0);
        detail::dims flat;
        flat.rank = 1;
        flat.extent[0] = std::int64_t{N} * N;
        symbol<P, N * N> const index(&b, detail::emit_reshape(b, place.id, flat));
        auto const picked = let(index_select<-1>(x, index));
        detail::dims d = b.shape_of(picked.id);
        d.extent[d.rank - 1] = N;
        d.extent[d.rank++] = N;
        int const square = detail::emit_reshape(b, picked.id, d);
        return [&]<std::size_t... K>(std::index_sequence<K...>) {
            using T = typename decltype(picked)::value_type;
            return tril(symbol<T, detail::shape_extent<static_cast<int>(K), S>::value..., N, N>(&b, square));
        }(std::make_index_sequence<static_cast<std::size_t>(S::rank - 1)>{});
    }
}

}  // namespace tapeless
