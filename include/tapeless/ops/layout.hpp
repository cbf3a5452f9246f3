// SPDX-License-Identifier: MIT
#pragma once
// Axes: dropped, added, permuted and expanded. Nothing is copied: the loop that reads the result walks the operand.

#include <tapeless/ops/compare.hpp>

namespace tapeless {
namespace detail {

/// An axis counted from the left, or from the end where it is negative, counted from the right.
constexpr int axis_from_right(int axis, int rank) { return axis < 0 ? -1 - axis : rank - 1 - axis; }

/// Positions are integers as wide as the numbers beside them, so that masks made of them are.
template <class T>
using position_of = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;

/// Axis k of the result (from the right) is axis source(k) of the operand, or new with extent 1 (-1).
/// Four bits an axis; the rank stands above them. An operand of lower rank counts as having leading extents of 1.
struct axis_map {
    std::int64_t bits = 0;
    constexpr int rank() const { return static_cast<int>(bits >> 40); }
    constexpr int source(int k) const { return static_cast<int>((bits >> (4 * k)) & 15) - 1; }
    constexpr void set(int k, int from) { bits |= static_cast<std::int64_t>(from + 1) << (4 * k); }
    static constexpr axis_map of_rank(int r) { return {static_cast<std::int64_t>(r) << 40}; }

    /// The axes of a shape of that rank without those in the mask (from the right).
    static constexpr axis_map without(int rank, std::int64_t axes) {
        int n = 0;
        for (int k = 0; k < rank; ++k) n += !(axes >> k & 1);
        axis_map m = of_rank(n);
        for (int k = 0, to = 0; k < rank; ++k)
            if (!(axes >> k & 1)) m.set(to++, k);
        return m;
    }
    /// Only axes of extent 1 of x come and go: the memory stays as it is.
    constexpr bool keeps_memory(dims const& x) const {
        int next = 0;
        for (int k = 0; k < rank(); ++k) {
            if (source(k) < 0) continue;
            if (source(k) < next) return false;
            for (; next < source(k); ++next)
                if (x.from_right(next) != 1) return false;
            ++next;
        }
        for (; next < x.rank; ++next)
            if (x.from_right(next) != 1) return false;
        return true;
    }
    constexpr dims apply(dims const& x) const {
        dims d;
        d.rank = rank();
        for (int k = 0; k < d.rank; ++k) d.extent[d.rank - 1 - k] = source(k) < 0 ? 1 : x.from_right(source(k));
        return d;
    }
    /// This map applied to the result of another.
    constexpr axis_map after(axis_map const& first) const {
        axis_map m = of_rank(rank());
        for (int k = 0; k < rank(); ++k)
            if (source(k) >= 0 && source(k) < first.rank()) m.set(k, first.source(source(k)));
        return m;
    }
    /// Back to an operand of that rank; its axes that the result lacks are extents of 1.
    constexpr axis_map inverse(int operand_rank) const {
        axis_map m = of_rank(operand_rank);
        for (int k = 0; k < rank(); ++k)
            if (source(k) >= 0 && source(k) < operand_rank) m.set(source(k), k);
        return m;
    }
};

template <class Op>
constexpr int emit_with(builder& b, int x, attribute at);
constexpr int emit_patch_under(builder& b, int patch, axis_map m);

/// The same elements under other axes.
struct axes_op {
    static constexpr fixed_string name = "axes";
    static constexpr node_kind kind = node_kind::view;
    static constexpr bool has_axes = true;
    template <class T>
    using result = T;
    static constexpr dims shape(builder& b, node const& n) { return axis_map{n.attr.axes}.apply(b.shape_of(n.in[0])); }
    static constexpr auto pullback(auto g, auto, auto x, attribute const& at) {
        int rank = x.graph->shape_of(x.id).rank;
        return cotangents(apply_with<axes_op>(attribute{.axes = axis_map{at.axes}.inverse(rank).bits}, g));
    }
    template <class>
    static constexpr int simplify(builder& b, node const& n) {
        axis_map m{n.attr.axes};
        dims const& x = b.shape_of(n.in[0]);
        if (b.is_constant(n.in[0])) return n.in[0];  // a number has any axes of extent 1
        if (node const& x0 = b.nodes.items[n.in[0]]; x0.kind == node_kind::view && x0.op->form == view_form::axes) {
            axis_map const inner{b.nodes.items[n.in[0]].attr.axes};
            return emit_with<axes_op>(b, b.nodes.items[n.in[0]].in[0], attribute{.axes = m.after(inner).bits});
        }
        if (b.nodes.items[n.in[0]].kind == node_kind::put)
            if (int const y = emit_patch_under(b, n.in[0], m); y >= 0) return y;
        bool same = m.rank() == x.rank;
        for (int k = 0; same && k < m.rank(); ++k)
            same = m.source(k) == k || (m.source(k) < 0 && x.from_right(k) == 1);
        return same || (m.rank() == 0 && x.rank == 0) ? n.in[0] : -1;
    }
};

/// x stretched to the shape in the attribute. A result of the function gets a number, which keeps it a node of its own.
struct expand_op : elementwise<"expand"> {
    static constexpr bool same_value = true;
    static constexpr int cost = 0;
    static constexpr dims shape(builder& b, node const& n) { return b.shapes.items[n.attr.shape]; }
    static constexpr auto pullback(auto g, auto, auto) { return cotangents(g); }
    template <class>
    static constexpr int simplify(builder& b, node const& n) {
        return n.attr.number == 0 && b.nodes.items[n.in[0]].shape == n.attr.shape ? n.in[0] : -1;
    }
};

template <class Op>
constexpr int emit_with(builder& b, int x, attribute at) {
    node n;
    n.in[0] = x;
    n.attr = at;
    switch (b.nodes.items[x].type) {
        case dtype::f32: return b.emit(operation_table<Op, float>::value, n);
        case dtype::f64: return b.emit(operation_table<Op, double>::value, n);
        case dtype::i32: return b.emit(operation_table<Op, std::int32_t>::value, n);
        case dtype::i64: return b.emit(operation_table<Op, std::int64_t>::value, n);
        case dtype::f16: return b.emit(operation_table<Op, half>::value, n);
        case dtype::bf16: return b.emit(operation_table<Op, bfloat16>::value, n);
        case dtype::mask64: return b.emit(operation_table<Op, mask64_t>::value, n);
        default:
            n.in[0] = to_mask(b, x, dtype::mask32);  // bool from memory
            return b.emit(operation_table<Op, bool>::value, n);
    }
}
constexpr int emit_expand(builder& b, int x, dims const& to) {
    return emit_with<expand_op>(b, x, attribute{.shape = b.intern(to)});
}
}  // namespace detail
}  // namespace tapeless

#include <tapeless/ops/movement.hpp>  // what becomes of axes where something is put into an array
