// SPDX-License-Identifier: MIT
#pragma once
// What was traced as a constant of fixed size. (No members of what is made for each source: the compiler makes these
// functions once.)

#include <tapeless/compile/fixed_graph.hpp>

namespace tapeless::detail::inline compile_part {

/// `g` is a builder or a body; `o` has its outputs.
template <class Outputs, class Graph>
constexpr graph_sizes sizes_of(Outputs const& o, Graph const& g, int inputs, bool half) {
    int results = 0, extents = 0, leads = 0;
    for (call_info const& c : g.calls) {
        results += c.results.size();
        extents += c.extents.size();
        leads += c.leads.size();
    }
    return {g.nodes.size(),
            g.shapes.size(),
            g.extents.size(),
            0,
            o.outputs.size(),
            g.index_checks.size(),
            g.calls.size(),
            results,
            extents,
            inputs,
            half ? g.remade.size() : 0,
            half ? leads : 0};
}
template <class Outputs, class Graph>
constexpr void take_graph(auto& c, int number, graph_sizes& at, Outputs const& o, Graph const& g, int inputs) {
    c.size[number] = sizes_of(o, g, inputs, c.half);
    for (int i = 0; i < g.nodes.size(); ++i) c.graph.nodes[at.nodes + i] = g.nodes[i];
    for (int i = 0; i < g.shapes.size(); ++i) c.graph.shapes[at.shapes + i] = g.shapes[i];
    for (int i = 0; i < g.extents.size(); ++i) c.graph.extents[at.extents + i] = g.extents[i];
    for (int i = 0; i < g.index_checks.size(); ++i) c.graph.index_checks[at.index_checks + i] = g.index_checks[i];
    for (int i = 0; i < o.outputs.size(); ++i) {
        c.graph.outputs[at.outputs + i] = o.outputs[i];
        if (!c.half) c.graph.output_shape[at.outputs + i] = o.output_shape[i];
    }
    int result = at.call_results, extent = at.call_extents, lead = at.leads;
    for (int i = 0; i < g.calls.size(); ++i) {
        call_info const& x = g.calls[i];
        c.graph.calls[at.calls + i] = {x.header(), x.results.size(), x.extents.size(), x.leads.size()};
        for (call_result const& r : x.results) c.graph.call_results[result++] = r;
        for (std::int64_t e : x.extents) c.graph.call_extents[extent++] = e;
        for (int j = 0; j < x.leads.size() && c.half; ++j) c.graph.leads[lead++] = x.leads[j];
    }
    for (int i = 0; i < g.remade.size() && c.half; ++i) c.graph.remade[at.remade + i] = g.remade[i];
    at.add(c.size[number]);
}
constexpr graph_set_sizes measure(traced const& t, int leaves, bool half) {
    graph_set_sizes r{1 + t.graph.bodies.size(), sizes_of(t, t.graph, leaves, half)};
    r.all.checks = t.graph.checks.size();
    for (body const& x : t.graph.bodies) r.all.add(sizes_of(x, x, x.inputs, half));
    r.constants = t.graph.constants.arrays.size();
    r.numbers = t.graph.constants.numbers.size();
    r.bytes = t.graph.constants.bytes();
    r.buckets = half ? node_table::buckets : 0;
    return r;
}
constexpr bool is_large(builder const& g) {
    int nodes = g.nodes.size();
    for (body const& x : g.bodies) nodes += x.nodes.size();
    return nodes >= many_traced_nodes;
}
template <graph_set_sizes Room>
constexpr fixed_graph_set<Room> fix_into(traced const& t, int leaves, bool half) {
    fixed_graph_set<Room> c;
    c.half = half;
    c.needed = measure(t, leaves, half);
    if (!c.needed.fits(Room)) return c;
    graph_sizes at{};
    take_graph(c, 0, at, t, t.graph, leaves);
    for (int i = 0; i < t.graph.checks.size(); ++i) c.graph.checks[i] = t.graph.checks[i];
    c.size[0].checks = t.graph.checks.size();
    for (int i = 0; i < t.output_axes.size(); ++i) c.graph.output_axes[i] = t.output_axes[i];
    int output = t.outputs.size();
    for (int k = 0; k < t.graph.bodies.size(); ++k) {
        body const& x = t.graph.bodies[k];
        for (int j = 0; j < x.inputs && !half; ++j) {
            c.graph.dense[at.inputs + j] = x.dense[j];
            c.graph.steady[at.inputs + j] = x.steady[j];
        }
        if (half) c.info[k + 1] = {x.inputs, x.shared};
        take_graph(c, k + 1, at, x, x, x.inputs);
        for (std::int64_t bits : x.output_axes) c.graph.output_axes[output++] = axis_map{bits};
    }
    c.constants.take(t.graph.constants.arrays);
    c.numbers.take(t.graph.constants.numbers);
    if (half) {
        c.rules[0] = t.graph.rules[0], c.rules[1] = t.graph.rules[1];
        c.info[0] = {leaves, 0, t.graph.barrier, t.graph.has_items};
        for (int i = 0; i < node_table::buckets; ++i) c.bucket[i] = t.graph.bucket[i];
    }
    return c;
}
template <graph_set_sizes Need, graph_set_sizes Room>
constexpr fixed_graph_set<Need> shrunk(fixed_graph_set<Room> const& t) {
    return {Need,
            first<Need.graphs>(t.size),
            {first<Need.all.nodes>(t.graph.nodes),
             first<Need.all.shapes>(t.graph.shapes),
             first<Need.all.extents>(t.graph.extents),
             first<Need.all.checks>(t.graph.checks),
             first<Need.all.outputs>(t.graph.outputs),
             first<Need.all.outputs>(t.graph.output_axes),
             first<Need.all.outputs>(t.graph.output_shape),
             first<Need.all.index_checks>(t.graph.index_checks),
             first<Need.all.calls>(t.graph.calls),
             first<Need.all.call_results>(t.graph.call_results),
             first<Need.all.call_extents>(t.graph.call_extents),
             first<Need.all.inputs>(t.graph.dense),
             first<Need.all.inputs>(t.graph.steady),
             {},
             {}},
            first<Need.constants>(t.constants),
            first<Need.numbers>(t.numbers),
            false,
            {},
            {}};
}
/// What a program keeps has no operations: those are tables of functions that only the compiler calls, and an object
/// that points to them would bring all of them into the user's program.
template <graph_sizes S>
constexpr fixed_graph<S> without_operations(fixed_graph<S> g) {
    for (node& n : g.nodes.items) n.op = nullptr;
    return g;
}

/// Where the lists of a graph are that is put together again.
struct graph_parts {
    graph_sizes size;
    node const* nodes;
    dims const* shapes;
    run_time_extent const* extents;
    index_check const* index_checks;
    fixed_call const* calls;
    call_result const* call_results;
    std::int64_t const* call_extents;
};
constexpr builder rebuilt(graph_parts const& g) {
    struct table {
        dims const *first, *last;
        constexpr dims const* begin() const { return first; }
        constexpr dims const* end() const { return last; }
    };
    builder b;
    b.nodes.resize(g.size.nodes);
    for (int i = 0; i < g.size.nodes; ++i) b.nodes.items[i] = g.nodes[i];
    b.take_shapes(table{g.shapes, g.shapes + g.size.shapes});
    b.extents.resize(g.size.extents);
    for (int i = 0; i < g.size.extents; ++i) b.extents.items[i] = g.extents[i];
    for (int i = 0; i < g.size.index_checks; ++i) b.index_checks.push(g.index_checks[i]);
    int result = 0, extent = 0;
    for (int k = 0; k < g.size.calls; ++k) {
        fixed_call const& c = g.calls[k];
        call_info i;
        static_cast<call_header&>(i) = c.header;
        for (int r = 0; r < c.results; ++r) i.results.push(g.call_results[result++]);
        for (int e = 0; e < c.extents; ++e) i.extents.push(g.call_extents[extent++]);
        b.calls.push(i);
    }
    return b;
}

}  // namespace tapeless::detail::compile_part
