// SPDX-License-Identifier: MIT
#pragma once
// Results become nodes of their own, which kernels can write to the arrays that are handed in.

#include <tapeless/graph/body.hpp>
#include <tapeless/graph/traced.hpp>

namespace tapeless::detail::inline graph_part {

/// Results are nodes of their own: not an argument, not a view, not the same node twice. A reshape of what is written
/// to contiguous memory is that.
constexpr void separate_outputs(traced& t, list<char> const& dense) {
    builder& b = t.graph;
    list<char> taken(b.nodes.size(), 0);
    for (int o = 0; o < t.outputs.size(); ++o) {
        int id = t.outputs[o];
        axis_map axes = axis_map::without(b.shape_of(id).rank, 0);  // every axis is itself
        t.output_shape.push(b.nodes[id].shape);
        for (node const* n = &b.nodes[id]; n->kind == node_kind::view; n = &b.nodes[id]) {
            if (n->op->form == view_form::reshape && dense[dense.size() - t.outputs.size() + o]) {
                id = n->in[0];
                continue;
            }
            if (n->op->form != view_form::axes) break;
            axis_map m{n->attr.axes};
            dims const& x = b.shape_of(n->in[0]);
            if (!m.keeps_memory(x)) break;
            axis_map back = m.inverse(x.rank), through = axis_map::of_rank(x.rank);
            for (int k = 0; k < x.rank; ++k)
                if (back.source(k) >= 0 && back.source(k) < axes.rank()) through.set(k, axes.source(back.source(k)));
            axes = through;
            id = n->in[0];
        }
        node const& n = b.nodes[id];
        bool own = n.is_written_by_a_loop();
        // a call fills arrays in one piece only
        if (has_role(b, id, loop_role::result) && !dense[dense.size() - t.outputs.size() + o]) own = false;
        if (own && !taken[id]) {
            taken[id] = 1;
        } else {
            id = emit_with<expand_op>(b, id, attribute::labelled(o + 1, b.nodes[id].shape));
        }
        t.outputs[o] = id;
        t.output_axes.push(axes);
    }
}

}  // namespace tapeless::detail::graph_part
