// SPDX-License-Identifier: MIT
#pragma once
// How the values of a tile and the numbers of a row go to memory.

#include <tapeless/exec/accumulators.hpp>
#include <tapeless/exec/picked.hpp>

namespace tapeless::detail::inline exec_part {

struct waiting_form {
    combination combine = combination::none;  ///< with what is in memory, but for the first contribution; none: stored
    int carried = -1;                     ///< the axis along which it is taken up block by block
    bool sums_rows = false;
    bool adds = false;  ///< stored values are added to what is there
    int index_bytes = 0;  ///< unless 0, where an index of so many bytes an element says
};
/// Values of type T that go to memory as S, one for each of N rows of a tile; where rows are summed, N of them take
/// turns.
template <waiting_form F, class T, class S, int W, int N>
struct waiting {
    using value_type = value<T, W>;
    value_type v[static_cast<std::size_t>(N)];

    template <bool Edge, int Lanes>
    TAPELESS_CONFIG_INLINE void take(value<T, Lanes> const& x, int j, int, int) {
        if constexpr (Lanes > W) {  // the same for all columns, of which this tile has fewer
            value_type first;
#pragma GCC unroll 64
            for (int r = 0; r < value_type::registers; ++r) first.reg[r] = x.reg[r];
            return take<Edge>(first, j, 0, 0);
        } else {
            if constexpr (F.sums_rows) {
                if (j >= N) return combine_into<F.combine>(v[j % N], x);
            }
            v[j] = x;
        }
    }
    TAPELESS_CONFIG_INLINE void clear() {
#pragma GCC unroll 16
        for (int j = 0; j < N; ++j) splat(v[j], T(0));
    }
    template <bool Edge, int A, bool Later, class Arch>
    TAPELESS_CONFIG_INLINE void leave(loop_position_of<Arch> const& x, root const& t) {
        if constexpr (F.sums_rows) {
#pragma GCC unroll 16
            for (int j = 1; j < N; ++j) combine_into<F.combine>(v[0], v[j]);
        }
#pragma GCC unroll 16
        for (int j = 0; j < (F.sums_rows ? 1 : N); ++j) {
            if constexpr (F.index_bytes > 0) {
                using lanes = picked_lanes<T, index_of_bytes<F.index_bytes>>;
                add_picked<Edge>(v[j], lanes::template at<A>(x, t.place, x.row + j, x.column), x.n);
                continue;
            }
            S* const p = element_at<S, A>(x, t.place, x.row + j, x.column);
            std::ptrdiff_t const stride = inner_stride<A>(x, t.place);
            if constexpr (!std::same_as<S, T>) {
                store<Edge>(as_bools(v[j]), p, stride, x.n);
            } else if constexpr (F.combine == combination::none && !F.adds) {
                store<Edge>(v[j], p, stride, x.n);
            } else {
                bool first = false;
                if constexpr (F.combine != combination::none && !Later)
                    first = is_first<A>(*x.loops, t.reduced, F.carried, x.row + j);
                if (first) {
                    store<Edge>(v[j], p, stride, x.n);
                } else {
                    value_type old;
                    load<Edge, true>(old, static_cast<T const*>(p), stride, x.n);
                    combine_into<F.adds ? combination::sum : F.combine>(old, v[j]);
                    store<Edge>(old, p, stride, x.n);
                }
            }
        }
    }
};

/// How one number a row goes to memory, as S.
struct number_form {
    combination combine = combination::none;
    int carried = -1;
    bool adds = false;
    int axes = 0;
    int index_bytes = 0;
};
template <number_form F, class S, class Arch>
TAPELESS_CONFIG_INLINE inline void leave_number(loop_position_of<Arch> const& x, root const& t, std::int64_t row,
                                                S number) {
    S* p = nullptr;
    if constexpr (F.index_bytes > 0)
        p = picked_lanes<S, index_of_bytes<F.index_bytes>>::template at<F.axes>(x, t.place, row, 0)(0);
    else p = element_at<S, F.axes>(x, t.place, row, 0);
    if constexpr (F.adds) number = static_cast<S>(number + *p);
    if constexpr (F.combine != combination::none)
        if (!is_first<F.axes>(*x.loops, t.reduced, F.carried, row)) number = combine<F.combine>(*p, number);
    *p = number;
}
/// What reductions within rows came to: those from number `first` on.
template <number_form F, class S, class Arch>
TAPELESS_CONFIG_INLINE inline void leave_numbers(loop_position_of<Arch> const& x, root const& t,
                                                 reduced_numbers const& result, int first, int rows) {
#pragma GCC unroll 16
    for (int j = 0; j < rows; ++j) leave_number<F, S>(x, t, x.row + j, result[first + j].template get<S>());
}
/// Values that vary along outer axes only: those of the rows are `apart`.
template <number_form F, class S, class T, int W, class Arch>
TAPELESS_CONFIG_INLINE inline void leave_singles(loop_position_of<Arch> const& x, root const& t, value<T, W> const* v,
                                                 int apart, int rows) {
#pragma GCC unroll 16
    for (int j = 0; j < rows; ++j) {
        if constexpr (!std::same_as<S, T>) leave_number<F, S>(x, t, x.row + j, as_bools(v[j * apart]).reg[0]);
        else leave_number<F, S>(x, t, x.row + j, first_lane(v[j * apart]));
    }
}
/// One number, once.
template <bool Adds, class S, class T, int W>
TAPELESS_CONFIG_INLINE inline void leave_one(void* to, value<T, W> const& v) {
    S* const p = static_cast<S*>(to);
    if constexpr (!std::same_as<S, T>) *p = as_bools(v).reg[0];
    else if constexpr (Adds) *p += first_lane(v);
    else *p = first_lane(v);
}

}  // namespace tapeless::detail::exec_part
