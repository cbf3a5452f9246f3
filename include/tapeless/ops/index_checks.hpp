// SPDX-License-Identifier: MIT
#pragma once
// What indexed operations refuse when they are compiled.

#include <tapeless/ops/reduce.hpp>

namespace tapeless {

/// Refuses indices that are not integers.
template <class Op, class T>
struct index_is_no_integer {
    static_assert(never<Op>,
                  "an index array holds integers (int32 or int64): convert it with cast<std::int64_t>(...)");
};
/// Refuses to index what does not hold numbers.
template <class Op, class T>
struct indexed_values_are_no_numbers {
    static_assert(never<Op>, "indexed operations work on numbers: convert a mask with cast<T>(...)");
};
/// Refuses operands of the wrong rank.
template <class Op, class Shape, class Index>
struct index_has_the_wrong_rank {
    static_assert(never<Op>, "gather and scatter_add need an index of the array's own rank (1 or more), "
                                   "index_select one of rank 1, embedding a weight of rank 2");
};
/// Refuses an index array that is longer than what it indexes along another axis than the indexed one.
template <class Op, class Shape, class Index>
struct index_is_longer_than_the_array {
    static_assert(never<Op>,
                  "along the axes that are not indexed, an index array is at most as long as the array");
};
/// Refuses to scatter an array whose shape is not that of the indices.
template <class Index, class Source>
struct scatter_add_shapes_differ {
    static_assert(never<Index>, "scatter_add: what is added has the shape of the index array");
};

namespace detail::inline ops_part {

/// What follows are reasons: no_reason where an index is such as it should be.
template <class Op, class X, class I>
using check_index_types = typename first_reason<unless<std::integral<I> && !is_flag<I>, index_is_no_integer<Op, I>>,
                                                unless<!is_flag<X>, indexed_values_are_no_numbers<Op, X>>>::type;

template <class X, class Index>
constexpr bool index_fits(int axis) {
    for (int k = 0; k < X::rank && k < Index::rank; ++k) {
        std::int64_t const x = dims_of<X>().from_right(k), i = dims_of<Index>().from_right(k);
        if (k != axis && x >= 0 && i > x) return false;
    }
    return true;
}
/// Whether an extent written as 1 meets another one.
template <class A, class B>
constexpr bool stretches() {
    for (int k = 0; k < A::rank && k < B::rank; ++k)
        if ((dims_of<A>().from_right(k) == 1) != (dims_of<B>().from_right(k) == 1)) return true;
    return false;
}

template <class Op, int Axis, class X, class Index>
using check_gather = typename first_reason<
    unless<X::rank == Index::rank && (X::rank > 0), index_has_the_wrong_rank<Op, X, Index>>,
    unless<index_fits<X, Index>(axis_from_right(Axis, X::rank)), index_is_longer_than_the_array<Op, X, Index>>,
    axes_refused<Op, X, Axis>>::type;
template <class Op, int Axis, class X, class Index>
using check_index_select = typename first_reason<unless<Index::rank == 1, index_has_the_wrong_rank<Op, X, Index>>,
                                                 axes_refused<Op, X, Axis>>::type;
template <class Op, class X, class Index>
using check_embedding = unless<X::rank == 2, index_has_the_wrong_rank<Op, X, Index>>;
template <class Index, class Source>
using check_scatter =
    unless<Index::rank == Source::rank && broadcast_shape<Index, Source>::ok && !stretches<Index, Source>(),
           scatter_add_shapes_differ<Index, Source>>;
}  // namespace detail::ops_part
}  // namespace tapeless
