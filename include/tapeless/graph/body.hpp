// SPDX-License-Identifier: MIT
#pragma once
// Bodies: pieces of a graph cut out as graphs of their own. body_editor.hpp opens them again.

#include <tapeless/ops/call.hpp>

namespace tapeless::detail::inline graph_part {

/// The nodes that depend on one of these.
constexpr list<char> dependents(builder const& b, list<int> const& inputs) {
    list<char> r(b.nodes.size(), 0);
    for (int i : inputs) r.items[i] = 1;
    for (int i = 0; i < b.nodes.size(); ++i)
        for (int j = 0, n = b.nodes.items[i].arity(); j < n && !r.items[i]; ++j)
            r.items[i] = r.items[b.nodes.items[i].in[j]];
    return r;
}

/// What costs nothing to have again in a body, and what is never in memory.
constexpr bool is_made_again(node const& n) {
    switch (n.kind) {
        case node_kind::constant:
        case node_kind::extent:
        case node_kind::coordinate:
        case node_kind::blank:
        case node_kind::table:
        case node_kind::view: return true;
        case node_kind::custom_loop: return n.op->role == loop_role::operands;
        case node_kind::elementwise:
            return is_mask(n.type) || is_storage_only(n.type) || n.is_stretched();
        default: return false;
    }
}

/// Whether a value has more elements than anything it is computed from: each with each.
constexpr bool is_of_pairs(builder const& b, node const& n) {
    bool pairs = n.computes_elements();
    for (int j = 0; j < n.arity(); ++j) pairs = pairs && b.nodes.items[n.in[j]].shape != n.shape;
    return pairs;
}

/// Adds to `captured` what the outputs need besides the inputs, does not depend on them, and was there before node
/// `first`. With `pairs_again` what is of pairs is computed in the body, too, rather than stored.
constexpr void find_captured(builder const& b, list<int> const& inputs, list<int> const& outputs, int first,
                             list<int>& captured, bool pairs_again = false) {
    list<char> const inside = dependents(b, inputs);
    list<char> needed(b.nodes.size(), 0), known(b.nodes.size(), 0), given(b.nodes.size(), 0);
    for (int i : inputs) given.items[i] = 1;
    for (int o : outputs) needed.items[o] = 1;
    for (int c : captured) known.items[c] = 1;
    for (int i = b.nodes.size() - 1; i >= 0; --i) {
        if (!needed.items[i] || given.items[i] || known.items[i]) continue;
        node const& n = b.nodes.items[i];
        if (inside.items[i] || i >= first || is_made_again(n) || (pairs_again && is_of_pairs(b, n)))
            for (int j = 0; j < n.arity(); ++j) needed.items[n.in[j]] = 1;
        else captured.push(i);
    }
}

/// Of captured arrays that the body only takes single elements of (the parameters of an equation), the elements are
/// captured instead: for many items each is then an array without gaps, and so is its cotangent.
constexpr void capture_elements(builder const& b, list<int> const& inputs, list<int> const& outputs,
                                list<int>& captured) {
    constexpr int most = 16;             // elements
    list<int> root(b.nodes.size(), -1);  // which of the captured arrays a node is, or is a view of
    list<char> needed(b.nodes.size(), 0), given(b.nodes.size(), 0), whole(captured.size(), 0);
    list<int> count(captured.size(), 0), element;
    for (int i : inputs) given.items[i] = 1;
    for (int k = 0; k < captured.size(); ++k) {
        given.items[captured[k]] = 1;
        root.items[captured[k]] = k;
        whole[k] = !is_floating(b.nodes.items[captured[k]].type) || b.is_scalar(captured[k]);
    }
    for (int o : outputs) needed.items[o] = 1;
    for (int i = b.nodes.size() - 1; i >= 0; --i)
        if (needed.items[i] && !given.items[i])
            for (int j = 0, n = b.nodes.items[i].arity(); j < n; ++j) needed.items[b.nodes.items[i].in[j]] = 1;
    for (int i = 0; i < b.nodes.size(); ++i) {
        node const& n = b.nodes.items[i];
        if (!needed.items[i] || given.items[i]) continue;
        for (int j = 0, arity = n.arity(); j < arity; ++j) {
            int const k = root.items[n.in[j]];
            if (k < 0) continue;
            if (n.kind != node_kind::view || n.item_axes != 0) whole[k] = 1;
            else if (!b.is_scalar(i)) root.items[i] = k;
            else element.push(i), element.push(k), ++count[k];
        }
    }
    for (int o : outputs)
        if (root.items[o] >= 0) whole[root.items[o]] = 1;
    list<int> r;
    for (int k = 0, total = 0; k < captured.size(); ++k) {
        if (!whole[k] && count[k] > 0 && total + count[k] <= most) {
            total += count[k];
            continue;
        }
        whole[k] = 1;
        r.push(captured[k]);
    }
    for (int e = 0; e < element.size(); e += 2)
        if (!whole[element[e + 1]]) r.push(element[e]);
    captured = r;
}

/// Node `id` as what a body can be handed: a mask is never in memory, so it goes in as integers.
constexpr int emit_operand(builder& b, int id) {
    dtype const type = b.nodes[id].type;
    if (type == dtype::mask32) return operation_table<cast_op<std::int32_t>, mask32_t>::emit(b, {}, {id});
    if (type == dtype::mask64) return operation_table<cast_op<std::int64_t>, mask64_t>::emit(b, {}, {id});
    return id;
}
/// And back in the body, where `id` is an operand in place of something of that type.
constexpr int emit_from_operand(builder& w, int id, dtype type) {
    if (type == dtype::mask32) return (node_ref<std::int32_t>(&w, id) != 0).id;
    if (type == dtype::mask64) return (node_ref<std::int64_t>(&w, id) != 0).id;
    return id;
}

/// The outputs as functions of the inputs: a graph of its own, with the inputs for arguments (see emit_operand). Input
/// k is handed in under other axes where under[k] has any.
constexpr body cut_out(builder const& b, list<int> const& inputs, list<int> const& outputs, int shared,
                       list<axis_map> const& under = {}) {
    auto turned = [&](int k) { return k < under.size() && under.items[k].rank() > 0; };
    list<int> number(b.nodes.size(), -1);
    list<char> needed(b.nodes.size(), 0), given(b.nodes.size(), 0);
    for (int i : inputs) given.items[i] = 1;
    for (int o : outputs) needed.items[o] = 1;
    for (int i = b.nodes.size() - 1; i >= 0; --i)
        if (needed.items[i] && !given.items[i])
            for (int j = 0, n = b.nodes.items[i].arity(); j < n; ++j) needed.items[b.nodes.items[i].in[j]] = 1;
    for (made_again const& m : b.remade)  // a call that is made anyway makes more of its results
        if (needed.items[m.value] && has_role(b, m.by, loop_role::result) && needed.items[b.nodes.items[m.by].in[0]])
            needed.items[m.by] = 1;
    builder w;
    w.take_rules(b);
    w.extents = b.extents;
    for (int k = 0; k < inputs.size(); ++k) {
        node n;
        n.kind = node_kind::argument;
        n.type = b.nodes.items[inputs[k]].type;
        if (is_mask(n.type)) n.type = n.type == dtype::mask32 ? dtype::i32 : dtype::i64;
        n.source = k;
        dims const d = b.shape_of(inputs[k]);
        n.shape = w.intern(turned(k) ? under.items[k].apply(d) : d);
        number.items[inputs[k]] = w.push(n);
    }
    for (int k : inputs)
        if (is_mask(b.nodes.items[k].type))
            number.items[k] = emit_from_operand(w, number.items[k], b.nodes.items[k].type);
    for (int k = 0; k < inputs.size(); ++k)
        if (turned(k))
            number.items[inputs[k]] =
                emit_axes(w, number.items[inputs[k]], under.items[k].inverse(b.shape_of(inputs[k]).rank));
    for (int i = 0; i < b.nodes.size(); ++i) {
        if (!needed.items[i] || given.items[i]) continue;
        node n = b.nodes.items[i];
        for (int j = 0, arity = n.arity(); j < arity; ++j) n.in[j] = number.items[n.in[j]];
        n.shape = w.intern(b.shapes.items[n.shape]);
        if (n.attr.shape >= 0) n.attr.shape = w.intern(b.shapes.items[n.attr.shape]);
        if (has_role(b, i, loop_role::call)) n.source = w.calls.push(b.calls[n.source]);
        number.items[i] = w.push(n);
    }
    for (index_check const& c : b.index_checks)
        if (number.items[c.index] >= 0 && (c.lengths < 0 || number.items[c.lengths] >= 0))
            w.check_index(number.items[c.index], b.shapes.items[c.shape], c.rule,
                          c.lengths < 0 ? -1 : number.items[c.lengths]);
    for (made_again const& m : b.remade)
        if (number.items[m.value] >= 0 && number.items[m.by] >= 0)
            w.remade.push({number.items[m.value], number.items[m.by]});
    body r;
    r.remade = static_cast<list<made_again>&&>(w.remade);
    r.inputs = inputs.size();
    r.shared = shared;
    r.nodes = static_cast<list<node>&&>(w.nodes);
    r.shapes = static_cast<list<dims>&&>(w.shapes);
    r.extents = static_cast<list<run_time_extent>&&>(w.extents);
    r.index_checks = static_cast<list<index_check>&&>(w.index_checks);
    r.calls = static_cast<list<call_info>&&>(w.calls);
    for (int o : outputs) r.outputs.push(number.items[o]);
    return r;
}

/// Two bodies that compute the same.
constexpr bool same_body(body const& a, body const& b) {
    if (a.inputs != b.inputs || a.shared != b.shared || a.nodes.size() != b.nodes.size() ||
        a.outputs.size() != b.outputs.size() || a.shapes.size() != b.shapes.size() ||
        a.calls.size() != b.calls.size() || a.extents.size() != b.extents.size() ||
        a.index_checks.size() + b.index_checks.size() > 0 || a.remade.size() != b.remade.size() ||
        a.output_axes.size() != b.output_axes.size() || a.dense.size() != b.dense.size())
        return false;
    for (int i = 0; i < a.dense.size(); ++i)
        if (a.dense.items[i] != b.dense.items[i]) return false;
    for (int i = 0; i < a.nodes.size(); ++i)
        if (!a.nodes.items[i].equals(b.nodes.items[i])) return false;
    for (int i = 0; i < a.shapes.size(); ++i)
        if (!(a.shapes.items[i] == b.shapes.items[i])) return false;
    for (int i = 0; i < a.extents.size(); ++i) {
        run_time_extent const &x = a.extents.items[i], &y = b.extents.items[i];
        if (x.parent != y.parent || x.value != y.value || x.outer != y.outer || x.formula.rule != y.formula.rule)
            return false;
        if (x.formula.rule != length_rule::given && !(x.formula == y.formula)) return false;
    }
    for (int i = 0; i < a.remade.size(); ++i)
        if (a.remade.items[i].value != b.remade.items[i].value || a.remade.items[i].by != b.remade.items[i].by)
            return false;
    for (int i = 0; i < a.calls.size(); ++i)
        if (!(a.calls.items[i] == b.calls.items[i])) return false;
    for (int i = 0; i < a.outputs.size(); ++i)
        if (a.outputs.items[i] != b.outputs.items[i]) return false;
    for (int i = 0; i < a.output_axes.size(); ++i)
        if (a.output_axes.items[i] != b.output_axes.items[i] || a.output_shape.items[i] != b.output_shape.items[i])
            return false;
    return true;
}
/// The number of a body in the graph's table: one for all that compute the same.
constexpr int add_body(builder& b, body&& x) {
    for (int i = 0; i < b.bodies.size(); ++i)
        if (same_body(b.bodies.items[i], x)) return i;
    return b.bodies.push(static_cast<body&&>(x));
}

/// An extent of a body (`table` are its run-time extents) as one of the graph that calls it.
constexpr std::int64_t adopt_extent(builder& b, list<run_time_extent> const& table, int shared, std::int64_t e) {
    if (e >= 0) return e;
    int i = static_cast<int>(~e);
    while (table.items[i].parent >= 0) i = table.items[i].parent;
    if (table.items[i].value >= 0) return table.items[i].value;
    if (i < shared) return b.resolve(~static_cast<std::int64_t>(i));
    if (table.items[i].outer >= 0) return b.resolve(~static_cast<std::int64_t>(table.items[i].outer));
    length_formula f = table.items[i].formula;
    f.a = adopt_extent(b, table, shared, f.a);
    f.b = adopt_extent(b, table, shared, f.b);
    return b.derived(f);
}

}  // namespace tapeless::detail::graph_part
