// SPDX-License-Identifier: MIT
#pragma once
// Elements that an index picks: read lane by lane where they are, and added up there, in the order of the lanes. The
// indices have been looked at before.

#include <tapeless/exec/access.hpp>

namespace tapeless::detail::inline exec_part {

/// Of a place: how wide the indices are by which it goes along an axis, in bytes; 0 where it goes by none.
constexpr int bytes_of_index(place const* places, int p) {
    return p < 0 || places[p].picked < 0 ? 0 : size_of(places[places[p].picked].type);
}
template <int Bytes>
using index_of_bytes = std::conditional_t<Bytes == 8, std::int64_t, std::int32_t>;

/// Where the lanes of a place are that an index picks, at a row and a column.
template <class T, class I>
struct picked_lanes {
    T* first;
    I const* index;
    std::ptrdiff_t stride, index_stride, picked_stride;

    template <int A, class Arch>
    TAPELESS_CONFIG_INLINE static picked_lanes at(loop_position_of<Arch> const& x, int p, std::int64_t row,
                                                  std::int64_t column) {
        place const& known = x.known[p];
        return {element_at<T, A>(x, p, row, column), element_at<I const, A>(x, known.picked, row, column),
                inner_stride<A>(x, p), inner_stride<A>(x, known.picked),
                known.picked_stride >= 0 ? known.picked_stride : x.found[p].picked_stride};
    }
    TAPELESS_CONFIG_INLINE T* operator()(int lane) const {
        return first + lane * stride + static_cast<std::ptrdiff_t>(index[lane * index_stride]) * picked_stride;
    }
};

template <bool Edge, class T, int W, class I>
TAPELESS_CONFIG_INLINE inline void load_picked(value<T, W>& v, picked_lanes<T const, I> const& from, int n) {
    constexpr int L = value<T, W>::lanes;
#pragma GCC unroll 64
    for (int r = 0; r < value<T, W>::registers; ++r)
        v.reg[r] = simd::load_each<T>(
            [&](int i) TAPELESS_CONFIG_INLINE { return *from(Edge && r * L >= n ? 0 : r * L + i); },
            Edge ? share<L>(n, r) : L);
}
/// Lanes that have the same index are added up one after the other.
template <bool Edge, class T, int W, class I>
TAPELESS_CONFIG_INLINE inline void add_picked(value<T, W> const& v, picked_lanes<T, I> const& to, int n) {
    constexpr int L = value<T, W>::lanes;
#pragma GCC unroll 64
    for (int r = 0; r < value<T, W>::registers; ++r) {
        T lane[static_cast<std::size_t>(L)];
        simd::store(lane, v.reg[r]);
        int const m = Edge ? share<L>(n, r) : L;
#pragma GCC unroll 16
        for (int i = 0; i < L; ++i)
            if (!Edge || i < m) *to(r * L + i) += lane[i];
    }
}

/// Whether two places are neighbours in the same rows: what is added to both is added pair by pair.
constexpr bool are_side_by_side(place const* places, int p, int q, int axes) {
    if (p < 0 || q < 0 || places[p].picked < 0 || places[q].picked < 0) return false;
    place const &a = places[p], &b = places[q], &i = places[a.picked], &j = places[b.picked];
    if (a.type != b.type) return false;
    if (a.where != b.where || a.index != b.index || !a.dense || a.picked_axis != b.picked_axis) return false;
    if (i.where != j.where || i.index != j.index || i.origin != j.origin || i.type != j.type) return false;
    for (int l = 0; l < axes; ++l)
        if (a.stride[l] != 0 || b.stride[l] != 0 || i.stride[l] != j.stride[l]) return false;
    return a.origin >= 0 && b.origin == a.origin + 1;
}
template <class T, int W, class I>
TAPELESS_CONFIG_INLINE inline void add_picked_pairs(value<T, W> const& v, value<T, W> const& w,
                                                    picked_lanes<T, I> const& to) {
    constexpr int L = value<T, W>::lanes;
#pragma GCC unroll 64
    for (int r = 0; r < value<T, W>::registers; ++r)
        simd::each_pair(v.reg[r], w.reg[r], [&](int i, auto const& pair) TAPELESS_CONFIG_INLINE {
            T* const p = to(r * L + i);
            auto sum = pair;
            __builtin_memcpy(&sum, p, sizeof sum);
            sum += pair;
            __builtin_memcpy(p, &sum, sizeof sum);
        });
}

}  // namespace tapeless::detail::exec_part
