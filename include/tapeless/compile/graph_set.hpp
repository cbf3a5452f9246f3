// SPDX-License-Identifier: MIT
#pragma once
// A traced function and the bodies of its calls as constants of fixed size: tracing is done once for all of them.

#include <tapeless/compile/fixed_graph.hpp>

namespace tapeless::detail {

/// In place of a graph whose trace failed.
struct nothing_traced {};

/// How Source::trace() becomes a constant. (Apart from what is made of it: where the trace fails, nothing else is to.)
template <class Source>
struct source_trace {
    /// `g` is a builder or a body; `o` has its outputs.
    template <class Outputs, class Graph>
    static constexpr graph_sizes sizes_of(Outputs const& o, Graph const& g, int inputs, bool half) {
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
    static constexpr void take(auto& c, int number, graph_sizes& at, Outputs const& o, Graph const& g, int inputs) {
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
    static constexpr graph_set_sizes measure(traced const& t, bool half) {
        graph_set_sizes r{1 + t.graph.bodies.size(), sizes_of(t, t.graph, Source::leaves, half)};
        r.all.checks = t.graph.checks.size();
        for (body const& x : t.graph.bodies) r.all.add(sizes_of(x, x, x.inputs, half));
        r.constants = t.graph.constants.arrays.size();
        r.numbers = t.graph.constants.numbers.size();
        r.bytes = t.graph.constants.bytes();
        r.buckets = half ? node_table::buckets : 0;
        return r;
    }
    static constexpr bool is_large(builder const& g) {
        int nodes = g.nodes.size();
        for (body const& x : g.bodies) nodes += x.nodes.size();
        return nodes >= many_traced_nodes;
    }
    /// (What is traced is handed on: of a variable, clang computes the value once more, to see what its destructor
    /// does.)
    template <graph_set_sizes Room>
    static constexpr fixed_graph_set<Room> trace_into() {
        return traced_or_half<Room>(Source::begin());
    }
    template <graph_set_sizes Room>
    static constexpr fixed_graph_set<Room> traced_or_half(traced&& t) {
        if (is_large(t.graph)) drop_unused_bodies(t.graph);
        if (is_large(t.graph)) return fix_into<Room>(t, true);
        return fix_into<Room>(Source::finish(t), false);
    }
    template <graph_set_sizes Room, graph_set_sizes Half>
    static constexpr fixed_graph_set<Room> finish_into(fixed_graph_set<Half> const& half) {
        traced t = rebuild_traced(half);
        return fix_into<Room>(Source::finish(t), false);
    }
    template <graph_set_sizes Room>
    static constexpr fixed_graph_set<Room> fix_into(traced const& t, bool half) {
        fixed_graph_set<Room> c;
        c.half = half;
        c.needed = measure(t, half);
        if (!c.needed.fits(Room)) return c;
        graph_sizes at{};
        take(c, 0, at, t, t.graph, Source::leaves);
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
            take(c, k + 1, at, x, x, x.inputs);
            for (std::int64_t bits : x.output_axes) c.graph.output_axes[output++] = axis_map{bits};
        }
        c.constants.take(t.graph.constants.arrays);
        c.numbers.take(t.graph.constants.numbers);
        if (half) {
            c.rules[0] = t.graph.rules[0], c.rules[1] = t.graph.rules[1];
            c.info[0] = {Source::leaves, 0, t.graph.barrier, t.graph.has_items};
            for (int i = 0; i < node_table::buckets; ++i) c.bucket[i] = t.graph.bucket[i];
        }
        return c;
    }
    /// What is traced is a constant of a function for g++, which without optimisation puts constants of classes into
    /// the program, and with these graphs all that the tables of their operations point to; and one of the class for
    /// clang, which makes those of a function again with every call.
#if defined(__clang__)
    template <graph_set_sizes Room>
    static constexpr fixed_graph_set<Room> traced_into = trace_into<Room>();
    template <graph_set_sizes Room, graph_set_sizes Half>
    static constexpr fixed_graph_set<Room> finished_into = finish_into<Room>(traced_into<Half>);
    template <graph_set_sizes Usual, graph_set_sizes Half>
    static constexpr auto finish_all() {
        constexpr graph_set_sizes need = finished_into<Usual, Half>.needed;
        if constexpr (need.fits(Usual)) return shrunk<need>(finished_into<Usual, Half>);
        else return finished_into<need, Half>;
    }
#endif
    template <graph_set_sizes Usual = usual_graph_set>
    static constexpr auto trace_all() {
#if defined(__clang__)
        constexpr fixed_graph_set<Usual> const& t = traced_into<Usual>;
#else
        constexpr fixed_graph_set<Usual> t = trace_into<Usual>();
#endif
        if constexpr (!requires { typename std::bool_constant<(t.needed.graphs > 0)>; }) {
            return nothing_traced{};
        } else if constexpr (constexpr graph_set_sizes need = t.needed; !need.fits(Usual)) {
#if defined(__clang__)
            if constexpr (t.half) return finish_all<Usual, need>();
            else return traced_into<need>;
#else
            constexpr fixed_graph_set<need> r = trace_into<need>();
            if constexpr (t.half) {
                constexpr fixed_graph_set<Usual> f = finish_into<Usual>(r);
                if constexpr (constexpr graph_set_sizes last = f.needed; last.fits(Usual)) return shrunk<last>(f);
                else return finish_into<last>(r);
            } else {
                return r;
            }
#endif
        } else if constexpr (t.half) {
#if defined(__clang__)
            return finish_all<Usual, Usual>();
#else
            constexpr fixed_graph_set<Usual> f = finish_into<Usual>(t);
            if constexpr (constexpr graph_set_sizes last = f.needed; last.fits(Usual)) return shrunk<last>(f);
            else return finish_into<last>(t);
#endif
        } else {
            return shrunk<need>(t);
        }
    }
    template <graph_set_sizes Need, graph_set_sizes Room>
    static constexpr fixed_graph_set<Need> shrunk(fixed_graph_set<Room> const& t) {
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
};

/// Whether the trace succeeded: where it did not, the compiler has said why, and nothing is made of it. (No concept,
/// of which clang would speak in six lines.)
template <class Source>
inline constexpr bool traced_source =
    !std::same_as<std::remove_cv_t<decltype(source_trace<Source>::trace_all())>, nothing_traced>;

/// The graph that Source::trace() gives, number 0, and after it the bodies of its calls.
template <class Source>
struct graph_set {
    static constexpr auto size = source_trace<Source>::trace_all().size;
    static constexpr auto dense = source_trace<Source>::trace_all().graph.dense;
    static constexpr auto steady = source_trace<Source>::trace_all().graph.steady;
    /// The constants of all of them as they are in memory.
    static constexpr auto constants = constants_in_memory(source_trace<Source>::trace_all());

    static constexpr graph_sizes before(int g) {
        graph_sizes s{};
        for (int i = 0; i < g; ++i) s.add(size[i]);
        return s;
    }
    template <class T, int N, int M>
    static constexpr void copy(fixed_list<T, N>& to, fixed_list<T, M> const& from, int at) {
        for (int i = 0; i < N; ++i) to.items[i] = from.items[at + i];
    }
    /// Graph G alone.
    template <int G>
    static constexpr auto graph() {
        auto const all = source_trace<Source>::trace_all();
        fixed_graph<size[G]> r;
        constexpr graph_sizes at = before(G);
        copy(r.nodes, all.graph.nodes, at.nodes);
        copy(r.shapes, all.graph.shapes, at.shapes);
        copy(r.extents, all.graph.extents, at.extents);
        copy(r.checks, all.graph.checks, at.checks);
        copy(r.outputs, all.graph.outputs, at.outputs);
        copy(r.output_axes, all.graph.output_axes, at.outputs);
        copy(r.output_shape, all.graph.output_shape, at.outputs);
        copy(r.index_checks, all.graph.index_checks, at.index_checks);
        copy(r.calls, all.graph.calls, at.calls);
        copy(r.call_results, all.graph.call_results, at.call_results);
        copy(r.call_extents, all.graph.call_extents, at.call_extents);
        return r;
    }
};

}  // namespace tapeless::detail
