// SPDX-License-Identifier: MIT
#pragma once
// The last pass over a graph: extents resolved, boundaries removed, multiply-adds made, dead nodes left behind.

#include <tapeless/graph/hoist_products.hpp>
#include <tapeless/graph/turn_matrices.hpp>
#include <tapeless/graph/ordered_products.hpp>
#include <tapeless/graph/prune.hpp>
#include <tapeless/graph/rolled_terms.hpp>
#include <tapeless/graph/sum_of_sums.hpp>
#include <tapeless/graph/traced.hpp>
#include <tapeless/graph/write_back.hpp>
#include <tapeless/ops/custom_loop.hpp>
#include <tapeless/ops/fused.hpp>
#include <tapeless/ops/like_terms.hpp>
#include <tapeless/ops/padded.hpp>
#include <tapeless/ops/reduce.hpp>

namespace tapeless::detail::inline graph_part {

/// Finds the values that are needed under one other shape only: they are computed under that from the beginning, so
/// that nothing is stored for a reshape's sake.
class reshape_planner {
public:
    /// Of each node, the shape (of the graph) it is to be computed under, or -1.
    list<int> under;

    constexpr reshape_planner(builder const& graph, list<char> const& live, list<int> const& uses)
        : under(graph.nodes.size(), -1), g_(graph), uses_(uses), movable_(graph.nodes.size(), 0) {
        bool any = false;
        for (int i = 0; i < g_.nodes.size(); ++i) {
            if (!live.items[i]) continue;
            node const& n = g_.nodes.items[i];
            if (n.is_reshape()) any = true;
            if (!n.computes_elements()) continue;
            movable_.items[i] = 1;
            for (int j = 0; j < n.arity(); ++j)
                if (!moves_along(n.in[j], n.shape)) movable_.items[i] = 0;
        }
        for (int i = g_.nodes.size() - 1; i >= 0 && any; --i) {
            if (!live.items[i]) continue;
            node const& n = g_.nodes.items[i];
            if (under.items[i] >= 0) {
                for (int j = 0; j < n.arity(); ++j)
                    if (g_.nodes.items[n.in[j]].shape == n.shape) move(n.in[j], under.items[i]);
            } else if (n.is_reshape()) {
                move(n.in[0], n.shape);
            }
        }
    }

private:
    builder const& g_;
    list<int> const& uses_;
    list<char> movable_;

    constexpr void move(int id, int shape) {
        if (movable_.items[id] && uses_.items[id] == 1) under.items[id] = shape;
    }
    /// Whether an operand can be had under another shape for nothing: it is in memory, a number, or computed alike.
    constexpr bool moves_along(int id, int shape) const {
        node const& n = g_.nodes.items[id];
        if (g_.is_scalar(id)) return true;
        if (n.shape != shape) return false;
        if (n.kind == node_kind::elementwise)
            return n.op->same_value ? g_.is_constant(n.in[0]) && !n.attr.is_labelled()
                                    : movable_.items[id] && uses_.items[id] == 1;
        return n.kind != node_kind::coordinate && n.kind != node_kind::padded &&
               (n.kind != node_kind::view || n.op->form == view_form::reshape);
    }
};

/// The order in which nodes are made again, and which of them are left out because a later one makes their value as
/// well: what needs such a value then comes after that. Sums of what only integers and masks decide come first:
/// gradients of a mean over the rows that count can then be made in the pass that makes the mean.
struct sweep_order {
    list<int> order, instead;

    constexpr explicit sweep_order(builder const& g, list<char> const& live) : instead(g.nodes.size(), -1) {
        list<char> early(g.nodes.size(), 0);
        bool any = false;
        for (int i = 0; i < g.nodes.size(); ++i) {
            node const& n = g.nodes.items[i];
            bool all = n.kind != node_kind::argument || !is_floating(computed_dtype(n.type));
            for (int j = 0, arity = n.arity(); j < arity && all; ++j) all = early.items[n.in[j]];
            early.items[i] = all;
            any = any || (all && live.items[i] && n.kind == node_kind::reduce);
        }
        for (int i = 0; i < g.nodes.size(); ++i)
            if (!any || early.items[i] || g.nodes.items[i].kind == node_kind::argument) order.push(i);
        for (int i = 0; i < g.nodes.size() && any; ++i)
            if (!early.items[i] && g.nodes.items[i].kind != node_kind::argument) order.push(i);
        for (made_again const& m : g.remade)
            if (live.items[m.value] && live.items[m.by] && instead.items[m.value] < 0) delay(g, m);
    }

private:
    constexpr void delay(builder const& g, made_again const& m) {
        list<char> needs(g.nodes.size(), 0);  // the value
        needs.items[m.value] = 1;
        for (int i : order) {
            node const& n = g.nodes.items[i];
            int const inputs = n.needed_inputs();
            if (instead.items[i] >= 0 && needs.items[instead.items[i]]) needs.items[i] = 1;
            for (int j = 0; j < inputs; ++j) {
                int const t = n.in[j];
                if (needs.items[instead.items[t] >= 0 ? instead.items[t] : t]) needs.items[i] = 1;
            }
        }
        if (needs.items[m.by]) return;
        instead.items[m.value] = m.by;
        list<int> next;
        for (int i : order)
            if (!needs.items[i]) next.push(i);
        for (int i : order)
            if (needs.items[i]) next.push(i);
        order = next;
    }
};

/// The call `id` of graph a in graph b, without what nobody needs: `number` says what became of a's nodes.
constexpr int emit_call_again(builder& b, builder const& a, int id, list<int> const& results, list<char> const& live,
                              list<int> const& instead, list<int>& number) {
    call_info c = a.calls[a.nodes.items[id].source];
    c.steps = a.resolve(c.steps);
    list<char> wanted(c.results.size(), 0);
    bool any = false;
    for (int i : results)
        if (live.items[i] && instead.items[i] < 0 && a.nodes.items[i].in[0] == id)
            wanted[a.nodes.items[i].attr.result()] = any = true;
    if (!any) return -1;
    list<int> operands = operands_of(a, id);
    for (int& o : operands) o = number.items[o];
    if (c.form == call_form::implicit) {  // nothing is differentiated any more
        c.form = call_form::once;
        c.body[1] = -1;
        c.leads = {};
        c.item_axes = 0;
        static_cast<system_solver&>(c) = {};
    }
    prune_call(b, c, operands, wanted);
    list<int> const settled = settle_carries(b, c, operands, wanted);
    value_sinker const behind(b, c, operands, wanted);
    if (!behind.sunk().empty()) prune_call(b, c, operands, wanted);
    bool const hoisted = hoist_products(b, c, operands);
    if (turn_matrices(b, c, operands) || hoisted) prune_call(b, c, operands, wanted);
    for (int j = 0; j < operands.size(); ++j) {
        int const k = j - steering_operands(c.form);
        bool const sequence = is_stepwise_call(c.form) && k >= c.carries && k < c.carries + c.sequences;
        if (!(sequence && is_strided_argument(b, operands[j]))) operands[j] = emit_in_one_piece(b, operands[j]);
    }
    bool runs = false;
    for (char x : wanted) runs = runs || x;
    int const call = runs ? emit_call(b, c, operands) : -1;
    list<int> const made = behind.emit(call);
    for (int i : results) {
        if (a.nodes.items[i].in[0] != id) continue;
        int const r = a.nodes.items[i].attr.result();
        if (settled[r] >= 0) number.items[i] = settled[r];
        for (int k = 0; k < made.size(); ++k)
            if (behind.sunk()[k] == r) number.items[i] = made[k];
    }
    return call;
}

/// Of each node, whether something else than elementwise operations needs it: a view, a sum, a result. Only asked where
/// parts are put into arrays.
constexpr list<char> needed_as_arrays(builder const& a, list<int> const& outputs, list<char> const& live) {
    list<char> needed;
    for (int i = 0; i < a.nodes.size() && needed.empty(); ++i)
        if (live.items[i] && a.nodes.items[i].kind == node_kind::put) needed = list<char>(a.nodes.size(), 0);
    if (needed.empty()) return needed;
    for (int o : outputs) needed.items[o] = 1;
    for (int i = 0; i < a.nodes.size(); ++i) {
        node const& n = a.nodes.items[i];
        if (!live.items[i] || (n.computes_elements() && n.item_axes == 0)) continue;
        for (int j = 0, inputs = n.needed_inputs(); j < inputs; ++j) needed.items[n.in[j]] = 1;
    }
    return needed;
}

constexpr traced simplify(traced& from) {
    builder const& a = from.graph;
    traced to;
    builder& b = to.graph;
    b.take_rules(a);
    b.extents = a.extents;
    b.checks = a.checks;
    b.bodies = static_cast<list<body>&&>(from.graph.bodies);  // as a table they are larger than any graph
    b.constants = static_cast<constant_table&&>(from.graph.constants);
    b.dense = a.dense;
    b.notes_simplifications = a.notes_simplifications;
    list<int> shape;  // what the numbers of shapes become once extents are resolved
    for (int i = 0; i < a.shapes.size(); ++i) {
        dims d = a.shapes.items[i];
        for (int k = 0; k < d.rank; ++k) d.extent[k] = a.resolve(d.extent[k]);
        shape.push(b.intern(d));
    }
    list<char> live(a.nodes.size(), 0);
    list<int> uses(a.nodes.size(), 0);
    for (int o : from.outputs) live.items[o] = 1, ++uses.items[o];
    for (int i = a.nodes.size() - 1; i >= 0; --i) {
        if (!live.items[i]) continue;
        node const& n = a.nodes.items[i];
        int inputs = n.needed_inputs();
        for (int j = 0; j < inputs; ++j) {
            live.items[n.in[j]] = 1;
            uses.items[n.in[j]] += j == 0 || n.in[j] != n.in[j - 1];
        }
    }
    for (made_again const& m : a.remade)  // a call that is made anyway makes more of its results
        if (live.items[m.value] && has_role(a, m.by, loop_role::result) && live.items[a.nodes.items[m.by].in[0]])
            live.items[m.by] = 1;
    reshape_planner const moved(a, live, uses);
    list<int> number(a.nodes.size(), -1);
    sweep_order const sweeps(a, live);
    list<int> const results = result_nodes(a);
    like_terms const alike(a, live, uses);
    rolled_terms const rolls(a, live, uses);
    list<char> const as_arrays = needed_as_arrays(a, from.outputs, live);
    for (int i : sweeps.order) {
        node n = a.nodes.items[i];
        if ((!live.items[i] && n.kind != node_kind::argument) || number.items[i] >= 0) continue;
        if (sweeps.instead.items[i] >= 0) {
            number.items[i] = number.items[sweeps.instead.items[i]];
            continue;
        }
        if (n.kind == node_kind::alias) {
            number.items[i] = number.items[n.in[0]];
            continue;
        }
        if (n.has_role(loop_role::operands)) continue;
        if (n.has_role(loop_role::call)) {
            number.items[i] = emit_call_again(b, a, i, results, live, sweeps.instead, number);
            continue;
        }
        for (int j = 0, arity = n.arity(); j < arity; ++j) n.in[j] = number.items[n.in[j]];
        n.shape = shape.items[n.shape];
        if (n.has_op() && (n.op->is == builtin::add || n.op->is == builtin::relu)) {
            int const at_once = emit_in_write_back(b, n, i, {a, shape, number, uses});
            if (at_once >= 0) {
                int const under = moved.under.items[i];
                number.items[i] =
                    under < 0 ? at_once : emit_reshape(b, at_once, dims(b.shapes.items[shape.items[under]]));
                continue;
            }
        }
        if (moved.under.items[i] >= 0) {
            int const own = n.shape;
            n.shape = shape.items[moved.under.items[i]];
            for (int j = 0; j < n.arity(); ++j) {
                node const& x = b.nodes.items[n.in[j]];
                if (x.shape == own && own != n.shape) n.in[j] = emit_reshape(b, n.in[j], dims(b.shapes.items[n.shape]));
                else if (b.is_scalar(n.in[j])) n.in[j] = emit_reshape(b, n.in[j], dims{});
            }
        }
        if (n.attr.shape >= 0) n.attr.shape = shape.items[n.attr.shape];
        if (n.attr.offset < 0) n.attr.offset = a.resolve(n.attr.offset);
        if (!n.has_op()) {
            if (n.kind == node_kind::extent) {
                std::int64_t e = b.resolve(~static_cast<std::int64_t>(n.source));
                if (e >= 0) {
                    number.items[i] = b.constant(static_cast<double>(e), n.type);
                    continue;
                }
                n.source = static_cast<int>(~e);
            }
            number.items[i] = b.push(n);
            continue;
        }
        if (n.item_axes > 0) {
            number.items[i] = emit_for_items(b, n);
            continue;
        }
        if (n.kind == node_kind::put && !as_arrays.items[i]) {  // computed where it is needed, between zeros
            int const patch = b.emit(*n.op, n);
            number.items[i] = has_large_parts(b, patch) ? emit_between_zeros(b, -1, patch) : patch;
            continue;
        }
        int better = moved.under.items[i] < 0 ? alike.of(b, i, number) : -1;
        if (better < 0) better = rolls.of(b, i, shape, number);
        if (better < 0) better = fuse_multiply_add(b, n);
        if (better < 0 && n.is_axes_view())
            better = ordered_products(b, n, {a, shape, number, uses}).of(a.nodes.items[i].in[0]);
        if (n.kind == node_kind::reduce) better = emit_sum_of_all(b, n, a, a.nodes.items[i].in[0], uses);
        number.items[i] = better >= 0 ? better : b.emit(*n.op, n);
    }
    // short integers are checked as they are handed in
    auto as_stored = [&](int id) {
        if (!is_op(b, id, builtin::cast)) return id;
        int const x = b.nodes.items[id].in[0];
        return is_storage_only(b.nodes.items[x].type) ? x : id;
    };
    b.index_checks = {};  // in the order, and under the names, of what was written
    for (index_check const& c : a.index_checks)
        if (number.items[c.index] >= 0 && (c.lengths < 0 || number.items[c.lengths] >= 0))
            b.check_index(as_stored(number.items[c.index]), dims(b.shapes.items[shape.items[c.shape]]), c.rule,
                          c.lengths < 0 ? -1 : as_stored(number.items[c.lengths]));
    for (int o : from.outputs) to.outputs.push(number.items[o]);
    return to;
}

}  // namespace tapeless::detail::graph_part
