// SPDX-License-Identifier: MIT
#pragma once
// Tasks: what a kernel is asked to do as one root. Most values are one; an array that is put together is one for each
// part.

#include <tapeless/schedule/materialise.hpp>

namespace tapeless::detail::inline schedule_part {

/// A value over the loops of its shape, and where it goes.
struct task {
    int node = -1;    ///< whose array it goes to
    int value = -1;
    int window = -1;  ///< where in the array: a view of a blank; -1: everywhere
    bool adds = false, clears = false;
    double filling = 0;
};

/// Whether parts of known lengths that have no place in common are as many elements as the array has along these axes;
/// along the others each is whole.
constexpr bool are_all_elements(builder const& g, list<window_box> const& boxes, dims const& d, unsigned axes) {
    std::int64_t missing = 1;
    for (int k = 0; k < d.rank; ++k)
        if (axes >> k & 1) missing *= d.from_right(k) < 0 ? 0 : d.from_right(k);
    for (window_box const& w : boxes) {
        std::int64_t elements = 1;
        for (int k = 0; k < d.rank; ++k)
            if (axes >> k & 1) elements *= w.start[k] < 0 || w.length[k] < 0 ? 0 : w.length[k];
        if (elements <= 0) return false;
        missing -= elements;
    }
    if (missing != 0) return false;
    for (int i = 0; i < boxes.size(); ++i)
        for (int j = 0; j < i; ++j)
            if (!are_apart(g, boxes.items[i], boxes.items[j])) return false;
    return true;
}
/// Whether parts stand side by side and leave nothing out.
constexpr bool are_whole(builder const& g, list<task> const& parts, dims const& d) {
    int axis = -1;
    unsigned axes = 0;
    bool one_axis = true;
    list<window_box> boxes;
    for (task const& t : parts) {
        window_box const w = box_of(g, t.window);
        if (!w.ok || t.adds) return false;
        for (int k = 0; k < d.rank; ++k) {
            if (w.step[k] == 1 && w.start[k] == 0 && w.length[k] == d.from_right(k)) continue;
            one_axis = one_axis && w.step[k] == 1 && (axis < 0 || axis == k);
            axis = k;
            axes |= 1u << k;
        }
        boxes.push(w);
    }
    if (axis < 0) return true;
    if (!one_axis) return are_all_elements(g, boxes, d, axes);
    std::int64_t at = 0;
    for (int n = 0; n < boxes.size(); ++n) {
        int i = 0;
        while (i < boxes.size() && boxes.items[i].start[axis] != at) ++i;
        if (i == boxes.size()) return false;
        at = end_of(g, at, boxes.items[i].length[axis]);
        if (at == d.from_right(axis)) return true;
    }
    return false;
}

/// A put and those whose array it shares, the last one first: one task for each part. What no part covers is filled
/// first.
constexpr list<task> parts_of(graph_to_plan const& p, materialised const& m, int a) {
    list<task> parts;
    int base = a;
    do {
        node const& n = p.at(base);
        task t;
        t.node = a;
        t.value = n.in[1];
        t.window = n.in[2];
        t.adds = n.attr.adds();
        parts.push(t);
        base = n.in[0];
    } while (m.is_link(p, base));
    node const& below = p.at(base);
    bool const stretched = below.has_op() && below.op->same_value && p.g.is_constant(below.in[0]);
    bool const constant = below.kind == node_kind::blank || stretched;
    if (!constant) {
        task t;
        t.node = a;
        t.value = base;
        parts.push(t);
    } else if (!are_whole(p.g, parts, p.g.shape_of(a))) {
        parts.back().clears = true;
        parts.back().filling = stretched ? p.at(below.in[0]).attr.value() : 0;
    }
    return parts;
}

/// Whether both parts are added at an index: one loop can do so, element by element, whichever comes first.
constexpr bool add_at_indices(builder const& g, task const& s, task const& t) {
    auto const is = [&](task const& one) {
        int i = one.window;
        while (i >= 0 && g.nodes.items[i].kind == node_kind::view && !g.nodes.items[i].is_picked())
            i = g.nodes.items[i].in[0];
        return one.adds && i >= 0 && g.nodes.items[i].is_picked();
    };
    return is(s) && is(t);
}
/// Whether two parts of an array have no place in common, for certain.
constexpr bool are_apart(builder const& g, task const& s, task const& t) {
    return s.window >= 0 && t.window >= 0 && are_apart(g, box_of(g, s.window), box_of(g, t.window));
}

}  // namespace tapeless::detail::schedule_part
