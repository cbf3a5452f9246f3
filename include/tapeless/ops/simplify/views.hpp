// SPDX-License-Identifier: MIT
#pragma once
// Simplifications of views, and of what is put into an array: views of views are one, and nothing is moved there and
// back.

#include <tapeless/ops/simplify/arithmetic.hpp>
#include <tapeless/ops/window.hpp>

namespace tapeless::detail::inline ops_part {

struct axes_op;
template <class Op>
constexpr int emit_with(builder& b, int x, attribute at);
constexpr int emit_slice(builder& b, int x, int axis, std::int64_t start, std::int64_t length, std::int64_t step);
constexpr int emit_reshape(builder& b, int x, dims const& to);
constexpr int emit_put(builder& b, int base, int part, int window, bool adds);
constexpr int emit_patch_under(builder& b, int patch, axis_map m);
constexpr int emit_view_again(builder& b, int view, int x);
constexpr int emit_real_sum(builder& b, int x, int y);

// ---- axes ---------------------------------------------------------------------------------------------------------

struct axes_of_number {
    static constexpr simplification row{"axes of a number", "unsqueeze<0>(c)", "c"};
    template <class>
    static constexpr int of(builder& b, node const& n) {
        return b.is_constant(n.in[0]) ? n.in[0] : not_this;  // a number has any axes of extent 1
    }
};
struct axes_of_axes {
    static constexpr simplification row{"axes of axes", "permute<...>(permute<...>(x))", "permute<...>(x)"};
    template <class>
    static constexpr int of(builder& b, node const& n) {
        node const& x = b.nodes.items[n.in[0]];
        if (!x.is_axes_view()) return not_this;
        axis_map const m{n.attr.axes}, inner{x.attr.axes};
        return emit_with<axes_op>(b, x.in[0], attribute{.axes = m.after(inner).bits});
    }
};
struct axes_of_patch {
    static constexpr simplification row{"axes of a patch", "transpose(zeros with x put into them)",
                                        "zeros with x put into them"};
    template <class>
    static constexpr int of(builder& b, node const& n) {
        return b.nodes.items[n.in[0]].kind == node_kind::put ? emit_patch_under(b, n.in[0], axis_map{n.attr.axes})
                                                             : not_this;
    }
};
struct same_axes {
    static constexpr simplification row{"same axes", "permute<0, 1>(x)", "x"};
    template <class>
    static constexpr int of(builder& b, node const& n) {
        axis_map const m{n.attr.axes};
        dims const& x = b.shape_of(n.in[0]);
        bool same = m.rank() == x.rank;
        for (int k = 0; same && k < m.rank(); ++k) same = m.source(k) == k || (m.source(k) < 0 && x.from_right(k) == 1);
        return same ? n.in[0] : not_this;
    }
};
using simplify_axes = simplifications<axes_of_number, axes_of_axes, axes_of_patch, same_axes>;

struct expand_to_itself {
    static constexpr simplification row{"expand to itself", "expand<...>(x) where x has that shape", "x"};
    template <class>
    static constexpr int of(builder& b, node const& n) {
        return !n.attr.is_labelled() && b.nodes.items[n.in[0]].shape == n.attr.shape ? n.in[0] : not_this;
    }
};
using simplify_expand = simplifications<expand_to_itself>;

// ---- slices -------------------------------------------------------------------------------------------------------

/// A slice that is about to be made: its operand, its axis from the right, and its elements along that.
struct slice_parts {
    node x;
    int axis;
    std::int64_t step, length;
    constexpr slice_parts(builder const& b, node const& n)
        : x(b.nodes.items[n.in[0]]),
          axis(static_cast<int>(n.attr.axes)),
          step(n.attr.step()),
          length(b.shapes.items[n.attr.shape].from_right(axis)) {}
};
struct slice_of_number {
    static constexpr simplification row{"slice of a number", "slice<...>(c)", "c"};
    template <class>
    static constexpr int of(builder&, node const& n, slice_parts const& s) {
        return s.x.kind == node_kind::constant ? n.in[0] : not_this;
    }
};
struct whole_slice {
    static constexpr simplification row{"whole slice", "slice<0, 0, to_end>(x)", "x"};
    template <class>
    static constexpr int of(builder&, node const& n, slice_parts const& s) {
        return n.attr.first() == 0 && s.step == 1 && s.x.shape == n.attr.shape ? n.in[0] : not_this;
    }
};
struct slice_of_slice {
    static constexpr simplification row{"slice of a slice", "slice<0, ...>(slice<0, ...>(x))", "slice<0, ...>(x)"};
    template <class>
    static constexpr int of(builder& b, node const& n, slice_parts const& s) {
        if (!s.x.is_slice() || s.x.attr.axes != n.attr.axes) return not_this;
        // the element start + step i of x is first.start + first.step (start + step i) of what x is taken from
        std::int64_t const by = s.x.attr.step(), further = b.product(n.attr.first(), by < 0 ? -by : by);
        std::int64_t const start = by < 0 ? b.difference(s.x.attr.first(), further) : b.sum(s.x.attr.first(), further);
        return emit_slice(b, s.x.in[0], s.axis, start, s.length, by * s.step);
    }
};
/// Whether a slice shows just what a put has written, and where.
constexpr bool shows_part(builder const& b, node const& put, node const& slice) {
    if (put.attr.adds()) return false;
    node const& w = b.nodes.items[put.in[2]];
    return w.is_slice() && b.nodes.items[w.in[0]].kind == node_kind::blank && w.attr.axes == slice.attr.axes &&
           w.attr.first() == slice.attr.first() && w.attr.step() == slice.attr.step() &&
           b.nodes.items[put.in[1]].shape == slice.attr.shape;
}
struct slice_beside_put {
    static constexpr simplification row{"slice beside a put", "slice of x with y put elsewhere", "slice of x"};
    template <class>
    static constexpr int of(builder& b, node const& n, slice_parts const& s) {
        if (s.x.kind != node_kind::put) return not_this;
        dims const& d = b.shapes.items[s.x.shape];
        window_box w;
        for (int a = 0; a < max_rank; ++a) {
            w.start[a] = a == s.axis ? n.attr.first() : 0;
            w.length[a] = a == s.axis ? s.length : d.from_right(a);
            w.step[a] = a == s.axis ? s.step : 1;
        }
        if (!are_apart(b, box_of(b, s.x.in[2]), w) || needs_several(b, n, s.x, w)) return not_this;
        return emit_slice(b, s.x.in[0], s.axis, n.attr.first(), s.length, s.step);
    }

private:
    /// Whether the array is put together from parts of which the slice shows several, or the part is added to what is
    /// computed: it is there as a whole, and without this part it would be another one.
    static constexpr bool needs_several(builder const& b, node const& slice, node const& put, window_box const& w) {
        if (b.nodes.items[put.in[1]].kind == node_kind::blank) return false;
        int below = put.in[0];
        while (b.nodes.items[below].kind == node_kind::put && are_apart(b, box_of(b, b.nodes.items[below].in[2]), w))
            below = b.nodes.items[below].in[0];
        node const& stop = b.nodes.items[below];
        if (stop.kind != node_kind::put) return put.attr.adds() && stop.computes_elements();
        if (shows_part(b, stop, slice)) return false;
        while (b.nodes.items[below].kind == node_kind::put) below = b.nodes.items[below].in[0];
        node const& first = b.nodes.items[below];
        return first.kind == node_kind::blank || (put.attr.adds() && first.computes_elements());
    }
};
struct slice_of_put {
    static constexpr simplification row{"slice of a put", "slice of x with y put just there", "y"};
    template <class>
    static constexpr int of(builder& b, node const& n, slice_parts const& s) {
        return s.x.kind == node_kind::put && shows_part(b, s.x, n) ? s.x.in[1] : not_this;
    }
};
struct slice_of_windows {
    static constexpr simplification row{"slice of windows", "slice<-1, t, t + 1>(windows<0, size>(x))",
                                        "slice<0, t, ...>(x)"};
    template <class>
    static constexpr int of(builder& b, node const& n, slice_parts const& s) {
        if (!s.x.is_windows() || s.axis != 0 || s.length != 1 || n.attr.first() < 0) return not_this;
        int const k = static_cast<int>(s.x.attr.axes);
        std::int64_t const windows = b.shapes.items[s.x.shape].from_right(k + 1);
        int const x = emit_slice(b, s.x.in[0], k, s.x.attr.dilation() * n.attr.first(), windows, s.x.attr.stride());
        axis_map m = axis_map::of_rank(b.shapes.items[s.x.shape].rank);
        for (int a = 1; a < m.rank(); ++a) m.set(a, a - 1);
        return emit_with<axes_op>(b, x, attribute{.axes = m.bits});
    }
};
/// One element of a constant array.
struct slice_of_constants {
    static constexpr simplification row{"element of constants", "slice<0, t, t + 1>(tensor{...})", "a literal"};
    template <class>
    static constexpr int of(builder& b, node const& n, slice_parts const& s) {
        if (!is_floating(s.x.type) || (s.x.kind != node_kind::table && s.x.kind != node_kind::view)) return not_this;
        dims const& d = b.shapes.items[n.attr.shape];
        for (int k = 0; k < d.rank; ++k)
            if (d.from_right(k) != 1) return not_this;
        std::int64_t at[max_rank]{};  // along each axis, from the right
        for (node x = n;; x = b.nodes.items[x.in[0]]) {
            if (x.kind == node_kind::table) return element(b, x, at);
            if (x.is_axes_view()) {
                axis_map const m{x.attr.axes};
                std::int64_t from[max_rank]{};
                for (int k = 0; k < m.rank(); ++k)
                    if (m.source(k) >= 0) from[m.source(k)] = at[k];
                for (int k = 0; k < max_rank; ++k) at[k] = from[k];
            } else if (x.is_slice() && x.attr.first() >= 0) {
                at[x.attr.axes] = x.attr.first() + x.attr.step() * at[x.attr.axes];
            } else {
                return not_this;
            }
        }
    }

private:
    static constexpr int element(builder& b, node const& table, std::int64_t const* at) {
        dims const& d = b.shapes.items[table.shape];
        std::int64_t place = 0;
        for (int k = d.rank - 1; k >= 0; --k) place = place * d.from_right(k) + at[k];
        for (constant_array_info const& a : b.constants.arrays)
            if (a.at == table.source) return b.constant(b.constants.numbers.items[a.first + place], table.type);
        return not_this;
    }
};
using simplify_slice = simplifications<slice_of_number, whole_slice, slice_of_slice, slice_beside_put, slice_of_put,
                                       slice_of_windows, slice_of_constants>;

// ---- reshapes -----------------------------------------------------------------------------------------------------

struct reshape_to_itself {
    static constexpr simplification row{"reshape to itself", "reshape<...>(x) where x is a number or has that shape",
                                        "x"};
    template <class>
    static constexpr int of(builder& b, node const& n) {
        return b.is_constant(n.in[0]) || b.nodes.items[n.in[0]].shape == n.attr.shape ? n.in[0] : not_this;
    }
};
struct reshape_of_zeros {
    static constexpr simplification row{"reshape of zeros", "reshape<...>(zeros)", "zeros"};
    template <class>
    static constexpr int of(builder& b, node const& n) {
        node const& x = b.nodes.items[n.in[0]];
        return x.kind == node_kind::blank ? b.blank(n.attr.shape, x.type) : not_this;
    }
};
struct reshape_of_reshape {
    static constexpr simplification row{"reshape of a reshape", "reshape<...>(reshape<...>(x))", "reshape<...>(x)"};
    template <class>
    static constexpr int of(builder& b, node const& n) {
        node const& x = b.nodes.items[n.in[0]];
        return x.is_reshape() ? emit_reshape(b, x.in[0], b.shapes.items[n.attr.shape]) : not_this;
    }
};
struct reshape_of_stretched_number {
    static constexpr simplification row{"reshape of a stretched number", "reshape<...>(expand<...>(c))",
                                        "expand<...>(c)"};
    template <class>
    static constexpr int of(builder& b, node const& n) {
        node const& x = b.nodes.items[n.in[0]];
        if (!x.is_stretched() || !b.is_constant(x.in[0])) return not_this;
        return emit_expand(b, x.in[0], b.shapes.items[n.attr.shape]);
    }
};
struct reshape_by_ones {
    static constexpr simplification row{"reshape by ones", "reshape<...>(x) where only axes of length 1 come and go",
                                        "unsqueeze<...>(x)"};
    template <class>
    static constexpr int of(builder& b, node const& n) {
        dims const &from = b.shape_of(n.in[0]), &to = b.shapes.items[n.attr.shape];
        axis_map m = axis_map::of_rank(to.rank);
        int k = 0;
        for (int j = 0; j < to.rank; ++j) {
            if (to.from_right(j) == 1) continue;
            while (k < from.rank && from.from_right(k) == 1) ++k;
            if (k == from.rank || from.from_right(k) != to.from_right(j)) return not_this;
            m.set(j, k++);
        }
        while (k < from.rank && from.from_right(k) == 1) ++k;
        return k == from.rank ? emit_with<axes_op>(b, n.in[0], attribute{.axes = m.bits}) : not_this;
    }
};
using simplify_reshape = simplifications<reshape_to_itself, reshape_of_zeros, reshape_of_reshape,
                                         reshape_of_stretched_number, reshape_by_ones>;

// ---- what is put into an array ------------------------------------------------------------------------------------

constexpr bool is_blank(builder const& b, int id) { return b.nodes.items[id].kind == node_kind::blank; }

struct put_everywhere {
    static constexpr simplification row{"put everywhere", "y put into all of x", "y"};
    template <class>
    static constexpr int of(builder& b, node const& n) {
        return is_blank(b, n.in[2]) && (!n.attr.adds() || is_blank(b, n.in[0])) ? n.in[1] : not_this;
    }
};
struct put_nothing {
    static constexpr simplification row{"put nothing", "zeros added to a part of x", "x"};
    template <class>
    static constexpr int of(builder& b, node const& n) {
        return is_blank(b, n.in[1]) && (n.attr.adds() || is_blank(b, n.in[0])) ? n.in[0] : not_this;
    }
};
struct add_to_zeros {
    static constexpr simplification row{"add to zeros", "y added to a part of zeros", "y put there"};
    template <class>
    static constexpr int of(builder& b, node const& n) {
        return n.attr.adds() && is_blank(b, n.in[0]) ? emit_put(b, n.in[0], n.in[1], n.in[2], false) : not_this;
    }
};
struct add_twice {
    static constexpr simplification row{"add twice", "x, then y added to one part", "x + y added there"};
    template <class>
    static constexpr int of(builder& b, node const& n) {
        node const base = b.nodes.items[n.in[0]];
        if (!n.attr.adds() || base.kind != node_kind::put || base.in[2] != n.in[2] ||
            (n.type != dtype::f32 && n.type != dtype::f64))
            return not_this;
        return emit_put(b, base.in[0], emit_real_sum(b, base.in[1], n.in[1]), n.in[2], base.attr.adds());
    }
};
struct put_of_put {
    static constexpr simplification row{"put of a put", "y put into zeros, and these into zeros", "y put into zeros"};
    template <class>
    static constexpr int of(builder& b, node const& n) {
        node const part = b.nodes.items[n.in[1]];
        if (!is_blank(b, n.in[0]) || part.kind != node_kind::put || !is_blank(b, part.in[0])) return not_this;
        return emit_put(b, n.in[0], part.in[1], emit_view_again(b, part.in[2], n.in[2]), false);
    }
};
using simplify_put = simplifications<put_everywhere, put_nothing, add_to_zeros, add_twice, put_of_put>;

}  // namespace tapeless::detail::ops_part
