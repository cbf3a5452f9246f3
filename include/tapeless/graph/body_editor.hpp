// SPDX-License-Identifier: MIT
#pragma once
// Bodies of calls, opened by the passes: added to, differentiated, given other inputs and outputs, and put into the
// table again.

#include <tapeless/graph/body.hpp>

namespace tapeless::detail::inline graph_part {

/// A body that is open: a graph that can be added to, in which the inputs of the body are the first nodes. It takes
/// the table of bodies, and the constants, along until `close` or `give_back`.
class body_editor {
public:
    builder graph;
    list<int> outputs;  ///< of the body as it was
    int shared = 0;     ///< so many of its run-time extents are those of the graph that calls it

    constexpr body_editor() = default;
    constexpr body_editor(builder& caller, int k) : caller_(&caller) {
        body const& x = caller.bodies.items[k];  // it stays where it is when the table goes along
        outputs = x.outputs;
        shared = x.shared;
        graph.literal = caller.literal;
        graph.take_rules(caller);
        graph.bodies = static_cast<list<body>&&>(caller.bodies);
        graph.constants = static_cast<constant_table&&>(caller.constants);
        holds_table_ = true;
        for (int i = 0; i < x.shapes.size(); ++i) graph.intern(x.shapes.items[i]);
        graph.extents = x.extents;
        graph.index_checks = x.index_checks;
        graph.remade = x.remade;
        graph.calls = x.calls;
        for (node const& n : x.nodes) graph.push(n);
    }
    /// The table of bodies goes back to the graph that calls; this one can still be looked at, and cut.
    constexpr void give_back() {
        if (holds_table_) {
            caller_->bodies = static_cast<list<body>&&>(graph.bodies);
            caller_->constants = static_cast<constant_table&&>(graph.constants);
        }
        holds_table_ = false;
    }
    /// What computes these outputs from these inputs (see cut_out) becomes a body: its number in the caller's table.
    constexpr int close(list<int> const& inputs, list<int> const& made, list<axis_map> const& under = {}) {
        body x = cut_out(graph, inputs, made, shared, under);
        give_back();
        return add_body(*caller_, static_cast<body&&>(x));
    }

    /// A further argument.
    constexpr int add_argument(dims const& shape, dtype type) {
        node n;
        n.kind = node_kind::argument;
        n.type = type;
        n.source = graph.nodes.size();  // any that no other argument has
        n.shape = graph.intern(shape);
        return graph.push(n);
    }
    /// A further argument of the shape and type of a node.
    constexpr int add_argument_like(int id) {
        return add_argument(dims(graph.shape_of(id)), graph.nodes.items[id].type);
    }

    /// The nodes that these are computed from.
    constexpr list<char> needed_for(list<int> const& made) const {
        return needed_for(made, list<char>(graph.nodes.size(), 0));
    }
    /// The same, stopping at those that `stops` says.
    constexpr list<char> needed_for(list<int> const& made, list<char> const& stops) const {
        list<char> r(graph.nodes.size(), 0);
        for (int o : made) r.items[o] = 1;
        for (int i = graph.nodes.size() - 1; i >= 0; --i)
            if (r.items[i] && !stops.items[i])
                for (int j = 0, n = graph.nodes.items[i].arity(); j < n; ++j) r.items[graph.nodes.items[i].in[j]] = 1;
        return r;
    }
    /// Of a loop: a carry has what an input has (`flags`) also where what comes back depends on an input that has it.
    constexpr void spread_to_carries(int carries, bool floating_only, list<char>& flags) const {
        for (bool changed = true; changed;) {
            changed = false;
            list<int> roots;
            for (int j = 0; j < flags.size(); ++j)
                if (flags[j]) roots.push(j);
            list<char> const reach = dependents(graph, roots);
            for (int k = 0; k < carries; ++k)
                if (!flags[k] && reach[outputs[k]] && (!floating_only || is_floating(graph.nodes[k].type)))
                    flags[k] = changed = true;
        }
    }

    /// An extent of this graph as one of the graph that calls.
    constexpr std::int64_t adopted(std::int64_t e) const { return adopt_extent(*caller_, graph.extents, shared, e); }
    constexpr dims adopted(dims d) const {
        for (int k = 0; k < d.rank; ++k) d.extent[k] = adopted(d.extent[k]);
        return d;
    }
    /// And the other way round: an extent of the graph that calls in this one.
    constexpr std::int64_t lent(std::int64_t e) {
        e = caller_->resolve(e);
        if (e >= 0 || ~e < shared) return e;
        for (int i = shared; i < graph.extents.size(); ++i)
            if (graph.extents.items[i].outer == ~e) return ~static_cast<std::int64_t>(i);
        run_time_extent x;
        x.outer = static_cast<int>(~e);
        return ~static_cast<std::int64_t>(graph.extents.push(x));
    }

private:
    builder* caller_ = nullptr;
    bool holds_table_ = false;
};

/// c, or zeros, in the shape and type of node `like`.
constexpr int emit_whole(builder& b, int c, int like) {
    if (c < 0) c = b.constant(0, b.nodes.items[like].type);
    return emit_expand(b, c, dims(b.shape_of(like)));
}

}  // namespace tapeless::detail::graph_part
