// SPDX-License-Identifier: MIT
#pragma once
// Where a kernel finds its elements in memory: free functions over its frame.

#include <tapeless/exec/frame.hpp>

namespace tapeless::detail {

TAPELESS_CONFIG_INLINE inline std::int64_t extent_of(run_context const& ctx, std::int64_t e) {
    return e >= 0 ? e : ctx.extents[~e];
}

/// The stride of a place's array along one of its axes.
template <class Program>
TAPELESS_CONFIG_INLINE inline std::ptrdiff_t memory_stride(run_context const& ctx, place const& p, int axis) {
    if (p.dense) {
        dims const& d = Program::shapes.items[p.shape];
        std::ptrdiff_t s = 1;
        for (int j = 0; j < axis; ++j) s *= extent_of(ctx, d.from_right(j));
        return s;
    }
    bool const output = p.where == memory::output;
    return ctx.strides[output ? Program::leaves + p.index : p.index][Program::axis_in_memory(output, p.index, axis)];
}
/// The element of its array at which a place begins.
template <class Program>
TAPELESS_CONFIG_INLINE inline std::ptrdiff_t origin_of(run_context const& ctx, place const& p) {
    std::ptrdiff_t o = 0;
    if (p.walk >= 0)
        for (int a = 0; a < max_rank; ++a) {
            walk_start const& s = Program::walks.items[p.walk].start[a];
            if (s.is_zero()) continue;
            std::int64_t n = s.number;
            for (int i = 0; i < s.terms; ++i) n += ctx.extents[s.extent[i]] * s.factor[i];
            o += n * memory_stride<Program>(ctx, p, a);
        }
    return o;
}
/// The first element of a place's array.
TAPELESS_CONFIG_INLINE inline std::byte* memory_of(run_context const& ctx, place const& p) {
    if (p.where == memory::argument) return static_cast<std::byte*>(const_cast<void*>(ctx.arguments[p.index]));
    if (p.where == memory::output) return static_cast<std::byte*>(ctx.outputs[p.index]);
    return ctx.arena + ctx.offsets[p.index];
}
/// Where a place begins.
template <class Program>
TAPELESS_CONFIG_INLINE inline void* base_of(run_context const& ctx, place const& p) {
    return p.walk < 0 ? memory_of(ctx, p) : memory_of(ctx, p) + origin_of<Program>(ctx, p) * size_of(p.type);
}
/// The stride of a place along loop axis l.
template <class Program>
TAPELESS_CONFIG_INLINE inline std::ptrdiff_t stride_in(run_context const& ctx, place const& p, int l) {
    return p.stride[l] >= 0 ? p.stride[l] : p.step[l] * memory_stride<Program>(ctx, p, p.map.axis(l));
}

// The places of a kernel are asked for by number: a constant once this is inlined, and one function for all of them.

/// The stride of place p along loop axis l: a constant, or what the run found.
template <class Frame>
TAPELESS_CONFIG_INLINE inline std::ptrdiff_t stride_at(Frame const& f, int p, int l) {
    std::int64_t const known = Frame::info::place_at(p).stride[l];
    return known >= 0 ? known : f.stride[p][l];
}
/// Finds the bases of all places, and those of their strides that only the run knows.
template <class Frame>
TAPELESS_CONFIG_INLINE inline void bind_places(Frame& f) {
    using info = typename Frame::info;
    repeat<info::k.places>([&](int p) TAPELESS_CONFIG_INLINE {
        if (info::place_at(p).where != memory::position) f.base[p] = base_of<typename info::program>(f.ctx, f.place_now(p));
        repeat<info::A>([&](int l) TAPELESS_CONFIG_INLINE {
            place const& q = info::place_at(p);
            if (q.map.axis(l) != walk_map::none && q.stride[l] < 0) f.stride[p][l] = stride_in<typename info::program>(f.ctx, f.place_now(p), l);
        });
    });
}
/// How far from where place p begins the outer loops, row `row` and column `column` are.
template <class Frame>
TAPELESS_CONFIG_INLINE inline std::ptrdiff_t distance_at(Frame const& f, int p, std::int64_t row, std::int64_t column) {
    using info = typename Frame::info;
    std::ptrdiff_t o = 0;
    if constexpr (info::A > 2) repeat<info::A - 2>([&](int l) TAPELESS_CONFIG_INLINE { o += f.at[l] * stride_at(f, p, l); });
    if (info::place_at(p).where == memory::panel) row -= f.first_row;
    if constexpr (info::A > 1) o += row * stride_at(f, p, info::A - 2);
    if constexpr (info::A > 0) o += column * stride_at(f, p, info::A - 1);
    return o;
}
/// The element at the outer loops' position, in row `row`, column `column`.
template <class T, class Frame>
TAPELESS_CONFIG_INLINE inline T* element_at(Frame const& f, int p, std::int64_t row, std::int64_t column) {
    return static_cast<T*>(f.base[p]) + distance_at(f, p, row, column);
}
/// Where the loops are along the axis that a coordinate counts.
template <class Frame>
TAPELESS_CONFIG_INLINE inline std::int64_t position_at(Frame const& f, int p, std::int64_t row, std::int64_t column) {
    return origin_of<typename Frame::info::program>(f.ctx, f.place_now(p)) + distance_at(f, p, row, column);
}
template <class Frame>
TAPELESS_CONFIG_INLINE inline std::ptrdiff_t inner_stride([[maybe_unused]] Frame const& f, [[maybe_unused]] int p) {
    if constexpr (Frame::info::A > 0) return stride_at(f, p, Frame::info::A - 1);
    else return 0;
}
template <int I, class T, class Frame>
TAPELESS_CONFIG_INLINE inline T* scratch_row(Frame const& f, int j) {
    return reinterpret_cast<T*>(f.scratch[I]) + j * f.padded;
}

/// Along which of the axes that root r is summed over its sum is taken up block by block: the outermost.
template <class Info>
constexpr int carry_axis(int r) {
    int a = 0;
    while (!(Info::root_at(r).reduced >> a & 1)) ++a;
    return a;
}
/// Whether this is the first contribution to what root R adds up in memory: of all, or of a block where it is taken up in blocks.
template <int R, class Frame>
TAPELESS_CONFIG_INLINE inline bool is_first(Frame const& f, std::int64_t row) {
    using info = typename Frame::info;
    constexpr root const& r = info::root_at(R);
    constexpr int carried = r.carry >= 0 ? carry_axis<info>(R) : -1;
    bool first = true;
    repeat<(info::A > 1 ? info::A - 1 : 0)>([&](int l) TAPELESS_CONFIG_INLINE {
        if (r.reduced >> l & 1) first = first && (l == info::A - 2 ? row : f.at[l]) == (l == carried ? f.begin[l] : 0);
    });
    return first;
}

}  // namespace tapeless::detail
