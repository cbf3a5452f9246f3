// SPDX-License-Identifier: MIT
#pragma once
// Where a kernel finds its elements in memory: free functions over its frame.

#include <tapeless/exec/frame.hpp>

namespace tapeless::detail {

TAPELESS_CONFIG_INLINE inline std::int64_t extent_of(run_context const& ctx, std::int64_t e) {
    return e >= 0 ? e : ctx.extents[~e];
}

template <class Info>
constexpr int axis_walked(int p, int l) {
    return Info::place_at(p).map.axis(l);
}

/// Finds the base of place P, and those of its strides that only the run knows.
template <int P, class Frame>
TAPELESS_CONFIG_INLINE inline void bind_place(Frame& f) {
    using info = typename Frame::info;
    using program = typename info::program;
    constexpr memory where = info::place_at(P).where;
    constexpr int number = info::place_at(P).index;
    if constexpr (where == memory::argument) f.base[P] = const_cast<void*>(f.ctx.arguments[number]);
    else if constexpr (where == memory::output) f.base[P] = f.ctx.outputs[number];
    else f.base[P] = f.ctx.arena + f.ctx.offsets[number];
    unroll<info::A>([&](auto l) TAPELESS_CONFIG_INLINE {
        constexpr int L = l.i, axis = axis_walked<info>(P, L);  // g++ 12 -fsanitize does not survive p.map.axis(L) here
        if constexpr (axis != walk_map::none && info::place_at(P).stride[L] < 0) {
            if constexpr (info::place_at(P).dense) {
                dims const& d = program::graph.shapes.items[program::graph.nodes.items[info::place_at(P).node].shape];
                std::ptrdiff_t s = 1;
                for (int j = 0; j < axis; ++j) s *= extent_of(f.ctx, d.from_right(j));
                f.stride[P][L] = s;
            } else {
                f.stride[P][L] = f.ctx.strides[where == memory::argument ? number : program::leaves + number]
                                              [program::axis_in_memory(where == memory::output, number, axis)];
            }
        }
    });
}
template <int P, int L, class Frame>
TAPELESS_CONFIG_INLINE inline std::ptrdiff_t stride_of(Frame const& f) {
    using info = typename Frame::info;
    if constexpr (info::place_at(P).stride[L] >= 0) return info::place_at(P).stride[L];
    else return f.stride[P][L];
}
/// The element at the outer loops' position, in row `row`, column `column`.
template <int P, class T, class Frame>
TAPELESS_CONFIG_INLINE inline T* element_at(Frame const& f, std::int64_t row, std::int64_t column) {
    using info = typename Frame::info;
    std::ptrdiff_t o = 0;
    if constexpr (info::A > 2)
        unroll<(info::A > 2 ? info::A - 2 : 0)>([&](auto l) TAPELESS_CONFIG_INLINE { o += f.at[l.i] * stride_of<P, l.i>(f); });
    if constexpr (info::A > 1) o += row * stride_of<P, (info::A > 1 ? info::A - 2 : 0)>(f);
    if constexpr (info::A > 0) o += column * stride_of<P, (info::A > 0 ? info::A - 1 : 0)>(f);
    return static_cast<T*>(f.base[P]) + o;
}
template <int P, class Frame>
TAPELESS_CONFIG_INLINE inline std::ptrdiff_t inner_stride(Frame const& f) {
    using info = typename Frame::info;
    if constexpr (info::A > 0) return stride_of<P, (info::A > 0 ? info::A - 1 : 0)>(f);
    else return 0;
}
template <int I, class T, class Frame>
TAPELESS_CONFIG_INLINE inline T* scratch_row(Frame const& f, int j) {
    return reinterpret_cast<T*>(f.scratch[I]) + j * f.padded;
}

/// Whether this is the first contribution to what column root R adds up.
template <int R, class Frame>
TAPELESS_CONFIG_INLINE inline bool is_first(Frame const& f, std::int64_t row) {
    using info = typename Frame::info;
    bool first = true;
    unroll<(info::A > 1 ? info::A - 1 : 0)>([&](auto l) TAPELESS_CONFIG_INLINE {
        if constexpr (info::root_at(R).reduced >> l.i & 1)
            first = first && (l.i == info::A - 2 ? row : f.at[l.i]) == f.begin[l.i];
    });
    return first;
}

}  // namespace tapeless::detail
