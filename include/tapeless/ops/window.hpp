// SPDX-License-Identifier: MIT
#pragma once
// Windows: the places of an array that a chain of views names, and whether two of them have none in common.

#include <tapeless/ir/builder.hpp>
#include <tapeless/ops/layout.hpp>

namespace tapeless::detail::inline ops_part {

/// The places that a window names: along each axis (from the right) so many from `start` on, `step` apart.
struct window_box {
    bool ok = true;  ///< the window is such a box
    std::int64_t start[max_rank]{}, length[max_rank]{}, step[max_rank]{};
};
constexpr window_box box_of(builder const& b, int window) {
    int views[16]{}, n = 0;
    for (; b.nodes.items[window].kind == node_kind::view && n < 16; window = b.nodes.items[window].in[0])
        views[n++] = window;
    dims const& d = b.shape_of(window);
    window_box w;
    w.ok = b.nodes.items[window].kind == node_kind::blank;
    int axis[max_rank]{};
    for (int k = 0; k < max_rank; ++k) {
        axis[k] = k < d.rank ? k : -1;
        w.length[k] = d.from_right(k);
        w.step[k] = 1;
    }
    while (n-- > 0 && w.ok) {
        node const& v = b.nodes.items[views[n]];
        if (v.op->form == view_form::slice) {
            int const a = axis[v.attr.axes];
            w.ok = a >= 0 && w.step[a] == 1 && w.start[a] == 0;
            if (!w.ok) break;
            w.start[a] = v.attr.first();
            w.step[a] = v.attr.step();
            w.length[a] = b.shapes.items[v.attr.shape].from_right(static_cast<int>(v.attr.axes));
        } else if (v.op->form == view_form::axes) {
            axis_map const m{v.attr.axes};
            int was[max_rank];
            for (int k = 0; k < max_rank; ++k) was[k] = axis[k];
            for (int k = 0; k < max_rank; ++k) axis[k] = k < m.rank() && m.source(k) >= 0 ? was[m.source(k)] : -1;
        } else {
            w.ok = false;
        }
    }
    return w;
}
/// start + length, where that has a name; 0 where it has none.
constexpr std::int64_t end_of(builder const& b, std::int64_t start, std::int64_t length) {
    start = b.resolve(start);
    length = b.resolve(length);
    if (start >= 0 && length >= 0) return start + length;
    if (start == 0) return length;
    if (length == 0) return start;
    if (length < 0) {
        length_formula const& f = b.extents.items[static_cast<int>(~length)].formula;
        if (f.rule == length_rule::difference) {  // n - k from k on, or from min(n, k) on
            length_formula const less =
                start < 0 ? b.extents.items[static_cast<int>(~start)].formula : length_formula{};
            std::int64_t const x = b.resolve(less.a), y = b.resolve(less.b), n = b.resolve(f.a), k = b.resolve(f.b);
            bool const cut = less.rule == length_rule::minimum && ((x == n && y == k) || (x == k && y == n));
            if (k == start || cut) return n;
        }
    }
    int const known = b.with_formula({.rule = length_rule::sum, .a = start, .b = length});
    return known < 0 ? 0 : b.resolve(~static_cast<std::int64_t>(known));
}
/// Whether x <= y for certain.
constexpr bool at_most(builder const& b, std::int64_t x, std::int64_t y, int depth = 0) {
    x = b.resolve(x);
    y = b.resolve(y);
    if (x == y || x == 0) return true;
    if (x >= 0 && y >= 0) return x <= y;
    if (y >= 0 || depth > 8) return false;
    length_formula const& f = b.extents.items[static_cast<int>(~y)].formula;
    return f.rule == length_rule::sum && (at_most(b, x, f.a, depth + 1) || at_most(b, x, f.b, depth + 1));
}
/// Whether two windows have no place in common, for certain.
constexpr bool are_apart(builder const& b, window_box const& v, window_box const& w) {
    if (!v.ok || !w.ok) return false;
    for (int k = 0; k < max_rank; ++k) {
        auto before = [&](window_box const& x, window_box const& y) {  // the last place of x is before the first of y
            if (x.step[k] == 1 && y.step[k] >= 0) {
                std::int64_t const end = end_of(b, x.start[k], x.length[k]);
                return (end != 0 || (x.start[k] == 0 && x.length[k] == 0)) && at_most(b, end, y.start[k]);
            }
            if (x.start[k] < 0 || x.length[k] < 0 || y.start[k] < 0 || y.length[k] < 0) return false;
            std::int64_t const x_last = x.start[k] + (x.step[k] > 0 ? (x.length[k] - 1) * x.step[k] : 0);
            std::int64_t const y_first = y.start[k] + (y.step[k] < 0 ? (y.length[k] - 1) * y.step[k] : 0);
            return x_last < y_first;
        };
        if (before(v, w) || before(w, v)) return true;
        // every so many elements, of different ones
        std::int64_t const step = v.step[k] < 0 ? -v.step[k] : v.step[k];
        bool const known = v.start[k] >= 0 && w.start[k] >= 0 && (w.step[k] == step || w.step[k] == -step);
        if (step > 1 && known && (v.start[k] - w.start[k]) % step != 0) return true;
    }
    return false;
}

}  // namespace tapeless::detail::ops_part
