// SPDX-License-Identifier: MIT
#pragma once
// The graph that is planned, and what the steps of planning ask of its nodes.

#include <tapeless/graph/simplify.hpp>
#include <tapeless/ops/call.hpp>
#include <tapeless/ops/movement.hpp>
#include <tapeless/schedule/walk_table.hpp>

namespace tapeless::detail::inline schedule_part {

struct graph_to_plan {
    builder const& g;
    list<int> const& outputs;
    list<char> const& dense;  ///< of each argument leaf, then of each output: contiguous for certain
    list<int> output_of;      ///< the number of each node that is an output, or -1

    constexpr graph_to_plan(builder const& graph, list<int> const& outs, list<char> const& contiguous)
        : g(graph), outputs(outs), dense(contiguous), output_of(graph.nodes.size(), -1) {
        for (int o = 0; o < outs.size(); ++o) output_of.items[outs.items[o]] = o;
    }

    constexpr node const& at(int id) const { return g.nodes.items[id]; }

    constexpr bool computes(node const& n) const { return n.computes_elements(); }
    constexpr bool is_output(int id) const { return output_of.items[id] >= 0; }
    /// Whether the array of a node, when it is in memory, lies there in one piece for certain.
    constexpr bool is_dense(int id) const {
        if (at(id).kind == node_kind::argument) return dense.items[at(id).source];
        int const o =
            at(id).kind == node_kind::coordinate || at(id).kind == node_kind::table ? -1 : output_of.items[id];
        return o < 0 || dense.items[dense.size() - outputs.size() + o];
    }

    /// Whether an argument lies column by column for certain.
    constexpr bool is_columns(int id) const {
        return !g.columns.empty() && at(id).kind == node_kind::argument && g.columns.items[at(id).source];
    }
    /// The same of results too, as a guess.
    constexpr bool is_likely_columns(int id) const {
        int const o = output_of.items[id];
        if (g.columns.empty() || at(id).kind == node_kind::argument || o < 0) return is_columns(id);
        return g.columns.items[g.columns.size() - outputs.size() + o];
    }
    /// The axis (from the right) along which the elements of a node, when it is in memory, are likely next to one
    /// another; -1 where nothing is known.
    constexpr int contiguous_axis(int id, dims const& d) const {
        bool const columns = is_likely_columns(id);
        if (!columns && !is_dense(id)) return -1;
        int k = columns ? d.rank - 1 : 0;
        while (d.from_right(k) == 1 && (columns ? k > 0 : k < d.rank - 1)) k += columns ? -1 : 1;
        return k;
    }

    /// Behind views and stretches: the node that is computed.
    constexpr int source(int i) const {
        while (at(i).kind == node_kind::view || at(i).kind == node_kind::padded ||
               (at(i).has_op() && at(i).op->same_value))
            i = at(i).in[0];
        return i;
    }
    /// Behind stretches alone.
    constexpr int unstretched(int i) const {
        while (at(i).has_op() && at(i).op->same_value) i = at(i).in[0];
        return i;
    }
    /// What is in memory behind views: those are walked in place.
    constexpr int in_memory(int i) const {
        while (at(i).kind == node_kind::view) {
            if (merges(at(i)) && !reads_operand(at(i))) return i;
            i = at(i).in[0];
        }
        return i;
    }
    /// The same, and how it is walked there.
    constexpr int walk_to_memory(walk_table& table, int i, walk_map& map, int loops) const {
        while (at(i).kind == node_kind::view) {
            node const& n = at(i);
            if (!merges(n)) {
                map = table.through(g, n, map, loops);
            } else {
                if (!reads_operand(n)) return i;
                map = table.under(map, n.shape);
            }
            i = n.in[0];
        }
        return i;
    }
    /// A reshape that merges axes: only memory can be read that way.
    constexpr bool merges(node const& view) const {
        return view.op->form == view_form::reshape &&
               !axis_split(g, g.shape_of(view.in[0]), g.shapes.items[view.shape]).ok;
    }
    /// Whether what such a reshape is of is in memory, in one piece. Otherwise the reshape is stored.
    constexpr bool reads_operand(node const& view) const {
        node const& n = at(view.in[0]);
        if (n.kind == node_kind::argument) return dense.items[n.source];
        if (n.kind == node_kind::table) return true;
        bool const is_stored = n.kind == node_kind::reduce || n.kind == node_kind::contract ||
                               n.kind == node_kind::put || n.kind == node_kind::custom_loop;
        return is_stored && !is_output(view.in[0]);
    }
    /// The shape that a loop over the node runs over.
    constexpr dims const& loop_of(int id) const {
        node const& n = at(id);
        return n.kind == node_kind::reduce || n.is_reshape() ? g.shape_of(n.in[0]) : g.shapes.items[n.shape];
    }
};

}  // namespace tapeless::detail::schedule_part
