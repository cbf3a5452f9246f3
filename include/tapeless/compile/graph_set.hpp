// SPDX-License-Identifier: MIT
#pragma once
// A traced function and the bodies of its calls as constants of fixed size: tracing is done once for all of them.

#include <tapeless/compile/fix_graph.hpp>

namespace tapeless::detail::inline compile_part {

/// In place of a graph whose trace failed.
struct nothing_traced {};

/// How Source::trace() becomes a constant. (Apart from what is made of it: where the trace fails, nothing else is to.)
template <class Source>
struct source_trace {
    /// (What is traced is handed on: of a variable, clang computes the value once more, to see what its destructor
    /// does.)
    template <graph_set_sizes Room>
    static constexpr fixed_graph_set<Room> trace_into() {
        return traced_or_half<Room>(Source::begin());
    }
    template <graph_set_sizes Room>
    static constexpr fixed_graph_set<Room> traced_or_half(traced&& t) {
        if (is_large(t.graph)) drop_unused_bodies(t.graph);
        if (is_large(t.graph)) return fix_into<Room>(t, Source::leaves, true);
        return fix_into<Room>(Source::finish(t), Source::leaves, false);
    }
    template <graph_set_sizes Room, graph_set_sizes Half>
    static constexpr fixed_graph_set<Room> finish_into(fixed_graph_set<Half> const& half) {
        traced t = rebuild_traced(half);
        return fix_into<Room>(Source::finish(t), Source::leaves, false);
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
        if constexpr (size.size() == 1) {
            return all.graph;
        } else {
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
    }
};

/// Body K of what is traced by Source.
template <class Source, int K>
struct body_source {
    static constexpr graph_sizes size = graph_set<Source>::size[K + 1];
    static constexpr int leaves = size.inputs;
    static constexpr int argument_of(int) { return -1; }
    static constexpr list<char> dense() {
        list<char> d(size.inputs + size.outputs, 1);
        int const first = graph_set<Source>::before(K + 1).inputs;
        for (int j = 0; j < size.inputs; ++j) d[j] = graph_set<Source>::dense[first + j];
        return d;
    }
    /// Which of the inputs are the same array in all steps.
    static constexpr list<char> steady() {
        list<char> s(size.inputs, 0);
        int const first = graph_set<Source>::before(K + 1).inputs;
        for (int j = 0; j < size.inputs; ++j) s[j] = graph_set<Source>::steady[first + j];
        return s;
    }
};
/// Which graph of which graph_set a source is.
template <class Source>
struct graph_of_source {
    using root = Source;
    static constexpr int number = 0;
};
template <class Source, int K>
struct graph_of_source<body_source<Source, K>> {
    using root = Source;
    static constexpr int number = K + 1;
};

}  // namespace tapeless::detail::compile_part
