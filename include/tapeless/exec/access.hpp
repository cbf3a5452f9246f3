// SPDX-License-Identifier: MIT
#pragma once
// Where a kernel finds its elements in memory. These functions depend on no kernel: what is known of its places they
// are told, and it is a constant once they are inlined.

#include <tapeless/exec/accumulate.hpp>
#include <tapeless/schedule/plan.hpp>

namespace tapeless::detail::inline exec_part {

class crew;
struct moved_registers;

/// What a plan runs on: the arrays handed in, where results go, the workspace, and the threads.
struct run_context {
    void const* const* arguments = nullptr;
    void* const* outputs = nullptr;
    std::byte* arena = nullptr;
    void const* constants = nullptr;
    std::int64_t const* offsets = nullptr;  ///< of the buffers in the arena, in bytes
    std::int64_t const* extents = nullptr;  ///< the run-time extents
    /// Strides of arguments, then outputs, whose layout is not known to be dense; axes count from the right.
    std::ptrdiff_t const (*strides)[max_rank] = nullptr;
    crew* threads = nullptr;
    bool later_step = false;  ///< of a loop, whose first step has packed what is the same in all of them
};

/// Which part of a kernel is to be run: all of it, what comes before its pieces, one of them, or what comes after.
enum class run_stage : std::uint8_t { whole, before, piece, after };
struct run_part {
    run_stage stage = run_stage::whole;
    int axis = -1;                     ///< the loop that is cut
    int phase = 0;                     ///< of a row that is cut: which one is run
    std::int64_t from = 0, to = 0;     ///< the range of it; before the pieces: the columns of a product's right operand
    std::int64_t before = 0, after = 0;  ///< columns of a product that are not in this piece
    std::int64_t outside = -1;           ///< the one position of loop `axis` - 1 that is run, where not all are
    std::int64_t number = 0, count = 1;
    std::byte* sums = nullptr;         ///< of this piece; after the pieces: of the first
    reduced_number const* combined = nullptr;  ///< the numbers of all pieces as one, once they are known
    std::int64_t sums_bytes = 0;       ///< of a piece
};
inline constexpr run_part whole_kernel{};

/// The tables of a program that places are looked up in.
struct program_tables {
    dims const* shapes;
    affine_walk const* walks;
    walk_bound const* bounds;
    axis_map const* output_axes;
    int leaves;
};

/// Where the loops of a kernel are. Arch keeps the functions of two instruction sets apart.
template <class Arch>
struct loop_state_of {
    run_context const* ctx;
    std::int64_t extent[max_rank];
    std::int64_t at[max_rank];
    std::int64_t begin[max_rank];  ///< where the block of sums that are carried along this axis began
    std::int64_t padded;           ///< length of a scratch row
    std::int64_t first_row;        ///< of the product's rows that are at hand
    std::int64_t from[max_rank];   ///< where the piece begins that is run
    std::int64_t all_rows;         ///< of all pieces
    run_part const* part;
    int since;                     ///< tiles since the sums were flushed
    /// The kernel that runs: this one, or another that is the same code; what they do not have in common is asked for
    /// there.
    kernel const* now;
    place const* places;  ///< its places
};
using loop_state = loop_state_of<simd::arch>;

/// Elements `from` to `to` - 1 of some.
struct element_range {
    std::int64_t from, to;
    constexpr bool has(std::int64_t i) const { return i >= from && i < to; }
    constexpr void intersect(element_range const& o) {
        from = o.from > from ? o.from : from;
        to = o.to < to ? o.to : to;
        if (from >= to) *this = {};
    }
};

/// Where a place of a kernel begins, and those of its strides that only the run knows.
struct found_place {
    void* base;
    std::ptrdiff_t first;  ///< of a position: where the piece begins
    std::ptrdiff_t stride[max_rank];
    std::ptrdiff_t picked_stride;
};

/// A position of a kernel's loops, and what is known there.
template <class Arch>
struct loop_position_of {
    loop_state_of<Arch> const* loops;
    place const* known;            ///< the kernel's places
    found_place const* found;
    program_tables const* tables;
    reduced_numbers const* result;  ///< of root 0, row by row; those of the others are `apart` from one another
    int apart;
    std::int64_t row, column;
    int j, n;  ///< the row's number in its tile, and how many lanes there are
    step const* steps = nullptr;  ///< of the kernel
    int const* bound = nullptr;  ///< of each of them: the number of its bounds
    element_range const* within = nullptr;  ///< of each of these: the columns that are within, row by row
    moved_registers const* ends = nullptr;  ///< of each of these, where it is known: what is there at a row's end
};
using loop_position = loop_position_of<simd::arch>;

TAPELESS_CONFIG_INLINE constexpr std::int64_t extent_of(run_context const& ctx, std::int64_t e) {
    return e >= 0 ? e : ctx.extents[~e];
}

/// The stride of a place's array along one of its axes.
template <class Arch = simd::arch>
TAPELESS_CONFIG_INLINE inline std::ptrdiff_t memory_stride(run_context const& ctx, program_tables const& tables,
                                                           place const& p, int axis) {
    if (p.dense) {
        dims const& d = tables.shapes[p.shape];
        std::ptrdiff_t s = 1;
        for (int j = 0; j < axis; ++j) s *= extent_of(ctx, d.from_right(j)) + (j == 0 ? p.margin : 0);
        return s;
    }
    bool const output = p.where == memory::output;
    return ctx
        .strides[output ? tables.leaves + p.index : p.index][output ? tables.output_axes[p.index].source(axis) : axis];
}
/// Where a walk begins along an axis.
template <class Arch = simd::arch>
TAPELESS_CONFIG_INLINE constexpr std::int64_t number_of(run_context const& ctx, walk_start const& s) {
    std::int64_t n = s.number;
    for (int i = 0; i < s.terms; ++i) n += ctx.extents[s.extent[i]] * s.factor[i];
    return n;
}
/// The element of its array at which a place begins.
template <class Arch = simd::arch>
TAPELESS_CONFIG_INLINE inline std::ptrdiff_t origin_of(run_context const& ctx, program_tables const& tables,
                                                       place const& p) {
    std::ptrdiff_t o = 0;
    // counted every time a kernel begins: the array has fewer axes than there may be
    if (int const axes = p.where == memory::position ? max_rank : tables.shapes[p.shape].rank; p.walk >= 0)
        for (int a = 0; a < axes; ++a) {
            walk_start const& s = tables.walks[p.walk].start[a];
            if (s.is_zero()) continue;
            o += number_of(ctx, s) * memory_stride(ctx, tables, p, a);
        }
    return o;
}
/// The first element of a place's array.
TAPELESS_CONFIG_INLINE inline std::byte* memory_of(run_context const& ctx, place const& p) {
    if (p.where == memory::argument) return static_cast<std::byte*>(const_cast<void*>(ctx.arguments[p.index]));
    if (p.where == memory::output) return static_cast<std::byte*>(ctx.outputs[p.index]);
    if (p.where == memory::constants) return static_cast<std::byte*>(const_cast<void*>(ctx.constants)) + p.index;
    return ctx.arena + ctx.offsets[p.index];
}
/// Where a place begins: before or behind its array, if nothing is read there. An array of length 0 may lie nowhere,
/// and C++ lets one only add 0 to a null pointer; hence the numbers.
template <class Arch = simd::arch>
TAPELESS_CONFIG_INLINE inline void* base_of(run_context const& ctx, program_tables const& tables, place const& p) {
    auto const origin = p.origin >= 0 ? p.origin : origin_of(ctx, tables, p);
    auto const address = reinterpret_cast<std::uintptr_t>(memory_of(ctx, p));
    return reinterpret_cast<void*>(address + static_cast<std::uintptr_t>(origin * size_of(p.type)));
}
/// The stride of a place along loop axis l.
template <class Arch = simd::arch>
TAPELESS_CONFIG_INLINE inline std::ptrdiff_t stride_in(run_context const& ctx, program_tables const& tables,
                                                       place const& p, int l) {
    return p.stride[l] >= 0 ? p.stride[l] : p.step[l] * memory_stride(ctx, tables, p, p.map.axis(l));
}

/// The stride of a place along loop axis l: a constant, or what the run found.
TAPELESS_CONFIG_INLINE inline std::ptrdiff_t stride_at(place const& known, found_place const& found, int l) {
    return known.stride[l] >= 0 ? known.stride[l] : found.stride[l];
}
/// How far from where a place begins the outer loops, row `row` and column `column` are.
template <int A, class Arch>
TAPELESS_CONFIG_INLINE inline std::ptrdiff_t distance_at(loop_state_of<Arch> const& f, place const& known,
                                                         found_place const& found, std::int64_t row,
                                                         std::int64_t column) {
    std::ptrdiff_t o = 0;
    if constexpr (A > 2) {
#pragma GCC unroll 16
        for (int l = 0; l < A - 2; ++l) o += f.at[l] * stride_at(known, found, l);
    }
    if (known.where == memory::panel) row -= f.first_row;
    if constexpr (A > 1) o += row * stride_at(known, found, A - 2);
    if constexpr (A > 0) o += column * stride_at(known, found, A - 1);
    return o;
}
/// The element at the outer loops' position, in row `row`, column `column`.
template <class T, int A, class Arch>
TAPELESS_CONFIG_INLINE inline T* element_at(loop_state_of<Arch> const& f, place const& known, found_place const& found,
                                            std::int64_t row, std::int64_t column) {
    return static_cast<T*>(found.base) + distance_at<A>(f, known, found, row, column);
}
template <class T, int A, class Arch>
TAPELESS_CONFIG_INLINE inline T* element_at(loop_position_of<Arch> const& x, int p, std::int64_t row,
                                            std::int64_t column) {
    return element_at<T, A>(*x.loops, x.known[p], x.found[p], row, column);
}
/// Where the loops are along the axis that a coordinate counts.
template <int A, class Arch>
TAPELESS_CONFIG_INLINE inline std::int64_t position_at(loop_position_of<Arch> const& x, int p, std::int64_t row,
                                                       std::int64_t column) {
    place const& now = x.loops->places[p];
    return (now.origin >= 0 ? now.origin : origin_of(*x.loops->ctx, *x.tables, now)) + x.found[p].first +
           distance_at<A>(*x.loops, x.known[p], x.found[p], row, column);
}
template <int A, class Arch>
TAPELESS_CONFIG_INLINE inline std::ptrdiff_t inner_stride([[maybe_unused]] loop_position_of<Arch> const& x,
                                                          [[maybe_unused]] int p) {
    if constexpr (A > 0) return stride_at(x.known[p], x.found[p], A - 1);
    else return 0;
}

/// Outside the vector loop: row `row`, the j-th of some.
template <class Arch>
TAPELESS_CONFIG_INLINE inline loop_position_of<Arch> outer_position(loop_state_of<Arch> const& f, place const* known,
                                                                    found_place const* found,
                                                                    program_tables const& tables,
                                                                    reduced_numbers const* result, int apart,
                                                                    std::int64_t row, int j) {
    return {&f, known, found, &tables, result, apart, row, 0, j, 0};
}

/// The lengths of a kernel's loops.
template <class Arch>
TAPELESS_CONFIG_INLINE inline void find_lengths(loop_state_of<Arch>& f, kernel const& known) {
    f.padded = f.first_row = 0;
    f.since = 0;
#pragma GCC unroll 16
    for (int l = 0; l < known.axes; ++l) {
        std::int64_t n = known.extent[l];
        if (n < 0) {
            n = 1;
            for (int a = f.now->group[l]; a < f.now->group[l + 1]; ++a) n *= extent_of(*f.ctx, f.now->shape.extent[a]);
        }
        f.extent[l] = n;
        f.at[l] = f.begin[l] = f.from[l] = 0;
    }
    f.all_rows = known.axes > 1 ? f.extent[known.axes > 1 ? known.axes - 2 : 0] : 1;
}
/// Where place p of a kernel is.
template <class Arch>
TAPELESS_CONFIG_INLINE inline void find_place(loop_state_of<Arch> const& f, kernel const& known, place const* places,
                                              found_place* found, program_tables const& tables, int p) {
    run_context const& ctx = *f.ctx;
    if (places[p].where != memory::position) found[p].base = base_of(ctx, tables, f.places[p]);
    else found[p].first = 0;
#pragma GCC unroll 16
    for (int l = 0; l < known.axes; ++l)
        if (places[p].map.axis(l) != walk_map::none && places[p].stride[l] < 0)
            found[p].stride[l] = stride_in(ctx, tables, f.places[p], l);
    if (places[p].picked >= 0 && places[p].picked_stride < 0)
        found[p].picked_stride = memory_stride(ctx, tables, f.places[p], f.places[p].picked_axis);
}
/// Begins the loops of a kernel: their lengths, and where its places are.
template <class Arch>
TAPELESS_CONFIG_INLINE inline void begin_loops(loop_state_of<Arch>& f, kernel const& known, place const* places,
                                               found_place* found, program_tables const& tables) {
    find_lengths(f, known);
#pragma GCC unroll 64
    for (int p = 0; p < known.places; ++p) find_place(f, known, places, found, tables, p);
}

/// Only positions `from` to `to` - 1 of a loop: what is walked begins there.
template <class Arch>
TAPELESS_CONFIG_INLINE inline void narrow_loops(loop_state_of<Arch>& f, kernel const& known, place const* places,
                                                found_place* found, run_part const& part) {
#pragma GCC unroll 16
    for (int l = 0; l < known.axes; ++l) {
        bool const is_around = known.product >= 0 && l + 1 == part.axis && part.outside >= 0;
        if (!(known.cuttable >> l & 1) || (l != part.axis && !is_around)) continue;  // others stay constants
        f.from[l] = is_around ? part.outside : part.from;
        f.extent[l] = is_around ? 1 : part.to - part.from;
#pragma GCC unroll 64
        for (int p = 0; p < known.places; ++p) {
            if (places[p].where == memory::panel || places[p].strip) continue;
            if (places[p].map.axis(l) == walk_map::none) continue;
            std::ptrdiff_t const distance = f.from[l] * stride_at(places[p], found[p], l);
            if (places[p].where == memory::position) found[p].first += distance;
            else found[p].base = static_cast<std::byte*>(found[p].base) + distance * size_of(places[p].type);
        }
    }
}

/// Along which of the axes that a root is summed over its sum is taken up block by block: the outermost.
constexpr int carry_axis(root const& r) {
    int a = 0;
    while (!(r.reduced >> a & 1)) ++a;
    return a;
}
/// Whether this is the first contribution to what is added up in memory along the axes `reduced`: of all, or of a
/// block where it is taken up in blocks.
template <int A, class Arch>
TAPELESS_CONFIG_INLINE inline bool is_first(loop_state_of<Arch> const& f, unsigned reduced, int carried,
                                            std::int64_t row) {
    bool first = true;
#pragma GCC unroll 16
    for (int l = 0; l < A - 1; ++l)
        if (reduced >> l & 1) first = first && (l == A - 2 ? row : f.at[l]) == (l == carried ? f.begin[l] : 0);
    return first;
}

}  // namespace tapeless::detail::exec_part
