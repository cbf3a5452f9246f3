// SPDX-License-Identifier: MIT
#pragma once
// The bodies of calls are made ready by the same passes as the graph that calls them.

#include <tapeless/graph/body_editor.hpp>
#include <tapeless/graph/traced.hpp>

namespace tapeless::detail::inline graph_part {

/// What the graph came to know of the extents that a body shares with it.
constexpr void share_extents(builder const& g, body& x) {
    for (run_time_extent& e : x.extents)
        if (e.outer >= 0) {
            std::int64_t const r = g.resolve(~static_cast<std::int64_t>(e.outer));
            e.value = r >= 0 ? r : -1;
        }
    for (int e = 0; e < x.shared; ++e) {
        std::int64_t const r = g.resolve(~static_cast<std::int64_t>(e));
        x.extents[e].parent = -1;
        x.extents[e].value = r >= 0 ? r : -1;
        for (int other = 0; other < e && r < 0 && x.extents[e].parent < 0; ++other)
            if (g.resolve(~static_cast<std::int64_t>(other)) == r) x.extents[e].parent = other;
    }
}

/// Body k of a call, made ready by the passes, with these of its outputs: its number in the table.
template <class Passes>
constexpr int finish_body(builder& g, int k, list<int> const& outputs, list<char> const& dense,
                          list<char> const& steady, list<std::int64_t>& extents, Passes const& passes) {
    share_extents(g, g.bodies[k]);
    int const inputs = g.bodies[k].inputs;
    body_editor opened(g, k);
    traced t;
    t.graph = static_cast<builder&&>(opened.graph);
    t.outputs = outputs;
    list<char> dense_arrays = dense;  // its results always are
    for (int o = 0; o < outputs.size(); ++o) dense_arrays.push(1);
    traced r = passes(t, dense_arrays);
    body made;
    made.inputs = inputs;
    made.shared = opened.shared;
    made.dense = dense;
    made.steady = steady;
    opened.graph = static_cast<builder&&>(r.graph);
    for (int e = 0; e < opened.graph.extents.size(); ++e) extents.push(opened.adopted(~static_cast<std::int64_t>(e)));
    opened.give_back();
    made.nodes = static_cast<list<node>&&>(opened.graph.nodes);
    made.shapes = static_cast<list<dims>&&>(opened.graph.shapes);
    made.extents = static_cast<list<run_time_extent>&&>(opened.graph.extents);
    made.index_checks = static_cast<list<index_check>&&>(opened.graph.index_checks);
    made.calls = static_cast<list<call_info>&&>(opened.graph.calls);
    made.outputs = r.outputs;
    made.output_shape = r.output_shape;
    for (axis_map const& m : r.output_axes) made.output_axes.push(m.bits);
    return add_body(g, static_cast<body&&>(made));
}

/// A body that was made ready: with these outputs, number `made`.
struct finished_body {
    int body = -1, made = -1;
    list<int> outputs;
    list<char> dense, steady;
    list<std::int64_t> extents;
};

constexpr bool is_same(finished_body const& a, finished_body const& b) {
    bool same = a.body == b.body && a.outputs.size() == b.outputs.size();
    for (int i = 0; same && i < a.outputs.size(); ++i) same = a.outputs[i] == b.outputs[i];
    for (int i = 0; same && i < a.dense.size(); ++i) same = a.dense[i] == b.dense[i] && a.steady[i] == b.steady[i];
    return same;
}

/// Called where a call would have to fill two arrays with one result: not a constant expression, so the compiler
/// names it.
inline void one_result_of_a_call_has_two_arrays() {}

/// Every call that is left gets bodies made ready by the passes, without the outputs that nothing needs.
template <class Passes>
constexpr void finish_calls(traced& t, Passes const& passes) {
    builder& g = t.graph;
    if (g.calls.empty()) return;
    list<char> live(g.nodes.size(), 0);
    for (int o : t.outputs) live[o] = 1;
    for (int i = g.nodes.size() - 1; i >= 0; --i)
        for (int j = 0; live[i] && j < g.nodes[i].arity(); ++j) live[g.nodes[i].in[j]] = 1;
    list<int> const every_result = result_nodes(g);
    list<finished_body> finished;
    list<char> called(g.calls.size(), 0);
    for (int i = 0; i < g.nodes.size(); ++i)
        if (live[i] && has_role(g, i, loop_role::call)) called[g.nodes[i].source] = 1;
    for (int k = 0; k < called.size(); ++k)
        if (!called[k]) g.calls[k] = {};  // nothing came to need it
    for (int i = 0; i < g.nodes.size(); ++i) {
        if (!live[i] || !has_role(g, i, loop_role::call)) continue;
        call_info c = g.calls[g.nodes[i].source];
        list<int> number(c.results.size(), -1), kept;  // outputs of the body, after the carries
        list<call_result> results;
        for (int n : every_result) {
            if (!live[n] || g.nodes[n].in[0] != i) continue;
            int const r = g.nodes[n].attr.result();
            call_result rule = c.results[r];
            if (is_of_output(rule.form)) {
                kept.push(c.carries + rule.which);
                rule.which = kept.size() - 1;
            }
            for (call_result const& other : results)
                if (other == rule) one_result_of_a_call_has_two_arrays();
            number[r] = results.push(rule);
            g.nodes[n].attr.offset = number[r];
        }
        c.results = results;
        list<int> const operands = operands_of(g, i);
        int const first = steering_operands(c.form);
        list<char> dense(operands.size() - first, 1);
        for (int j = c.carries; is_stepwise_call(c.form) && j < c.carries + c.sequences; ++j)
            dense[j] = !is_strided_argument(g, operands[first + j]);
        list<char> steady(dense.size(), 0);
        for (int j = c.carries + c.sequences; is_stepwise_call(c.form) && j < steady.size(); ++j) steady[j] = 1;
        for (int k = 0; k < 2 && c.body[k] >= 0; ++k) {
            finished_body f;
            f.body = c.body[k];
            f.dense = dense;
            f.steady = steady;
            list<int> const all = g.bodies[f.body].outputs;
            for (int o = 0; o < c.carries; ++o) f.outputs.push(all[o]);
            for (int o : kept) f.outputs.push(all[o]);
            int known = 0;
            while (known < finished.size() && !is_same(finished[known], f)) ++known;
            if (known == finished.size()) {
                f.made = finish_body(g, f.body, f.outputs, f.dense, f.steady, f.extents, passes);
                finished.push(f);
            }
            c.body[k] = finished[known].made;
            for (std::int64_t e : finished[known].extents) c.extents.push(e);
        }
        g.calls[g.nodes[i].source] = c;
    }
}

/// Marks the bodies that a graph's calls need, and those that these need.
template <class Graph>
constexpr void mark_bodies(builder const& g, Graph const& x, list<char>& used) {
    for (node const& n : x.nodes)
        if (n.has_role(loop_role::call))
            for (int k : x.calls[n.source].body)
                if (k >= 0 && !used[k]) {
                    used[k] = 1;
                    mark_bodies(g, g.bodies[k], used);
                }
}
/// Leaves the bodies out that no call needs any more.
constexpr void drop_unused_bodies(builder& g) {
    list<char> used(g.bodies.size(), 0);
    mark_bodies(g, g, used);
    list<int> number(g.bodies.size(), -1);
    list<body> kept;
    for (int k = 0; k < used.size(); ++k)
        if (used[k]) number[k] = kept.push(g.bodies[k]);
    auto renumber = [&](list<call_info>& calls) {
        for (call_info& c : calls)
            for (int& k : c.body) k = k >= 0 ? number[k] : -1;
    };
    for (body& x : kept) renumber(x.calls);
    renumber(g.calls);
    g.bodies = static_cast<list<body>&&>(kept);
}

}  // namespace tapeless::detail::graph_part
