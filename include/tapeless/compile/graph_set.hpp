// SPDX-License-Identifier: MIT
#pragma once
// A traced function and the bodies of its calls as constants of fixed size: tracing is done once for all of them.

#include <array>
#include <bit>
#include <cstddef>

#include <tapeless/graph/finish_calls.hpp>

namespace tapeless::detail {

template <class T, int N>
struct fixed_list {
    T items[static_cast<std::size_t>(N > 0 ? N : 1)]{};
    static constexpr int size() { return N; }
    constexpr T const& operator[](int i) const { return items[i]; }
    constexpr T& operator[](int i) { return items[i]; }
    constexpr T const* begin() const { return items; }
    constexpr T const* end() const { return items + N; }
    constexpr void take(list<T> const& from) {
        for (int i = 0; i < from.size(); ++i) items[i] = from.items[i];
    }
};
template <int N, class T>
constexpr fixed_list<T, N> fix(list<T> const& from) {
    fixed_list<T, N> r;
    for (int i = 0; i < N; ++i) r.items[i] = from[i];
    return r;
}
/// The first N items.
template <int N, class T, int M>
constexpr fixed_list<T, N> first(fixed_list<T, M> const& from) {
    fixed_list<T, N> r;
    for (int i = 0; i < N; ++i) r.items[i] = from.items[i];
    return r;
}

/// A struct of ints as an array of them.
template <class Sizes>
struct each_size {
    int of[sizeof(Sizes) / sizeof(int)];
};
/// Whether every size is at most that of `room`.
template <class Sizes>
constexpr bool each_fits(Sizes const& sizes, Sizes const& room) {
    auto const a = std::bit_cast<each_size<Sizes>>(sizes), b = std::bit_cast<each_size<Sizes>>(room);
    for (std::size_t i = 0; i < std::size(a.of); ++i)
        if (a.of[i] > b.of[i]) return false;
    return true;
}
/// Of one graph, or of several together.
struct graph_sizes {
    int nodes, shapes, extents, checks, outputs, index_checks, calls, call_results, call_extents, inputs;
    constexpr void add(graph_sizes const& o) {
        auto a = std::bit_cast<each_size<graph_sizes>>(*this);
        auto const b = std::bit_cast<each_size<graph_sizes>>(o);
        for (std::size_t i = 0; i < std::size(a.of); ++i) a.of[i] += b.of[i];
        *this = std::bit_cast<graph_sizes>(a);
    }
};
/// A call_info whose lists are parts of others.
struct fixed_call {
    call_header header;
    int results = 0, extents = 0;
};
template <graph_sizes S>
struct fixed_graph {
    fixed_list<node, S.nodes> nodes;
    fixed_list<dims, S.shapes> shapes;
    fixed_list<run_time_extent, S.extents> extents;
    fixed_list<extent_check, S.checks> checks;
    fixed_list<int, S.outputs> outputs;
    fixed_list<axis_map, S.outputs> output_axes;
    fixed_list<int, S.outputs> output_shape;
    fixed_list<index_check, S.index_checks> index_checks;
    fixed_list<fixed_call, S.calls> calls;
    fixed_list<call_result, S.call_results> call_results;
    fixed_list<std::int64_t, S.call_extents> call_extents;
    fixed_list<char, S.inputs> dense;   ///< of bodies: which of their inputs are contiguous
    fixed_list<char, S.inputs> steady;  ///< and the same array in all steps
};

struct graph_set_sizes {
    int graphs;
    graph_sizes all;
    int constants = 0, numbers = 0, bytes = 0;  ///< arrays of constants, the numbers in them, and their bytes in memory
    constexpr bool fits(graph_set_sizes const& room) const {
        return graphs <= room.graphs && constants <= room.constants && numbers <= room.numbers &&
               each_fits(all, room.all);
    }
};
template <graph_set_sizes S>
struct fixed_graph_set {
    graph_set_sizes needed{};  ///< the others are filled where this is no more than S
    fixed_list<graph_sizes, S.graphs> size;
    fixed_graph<S.all> graph;  ///< all of them, one after the other
    fixed_list<constant_array_info, S.constants> constants;
    fixed_list<double, S.numbers> numbers;
};

/// Arrays of constants in memory, aligned as tensors are.
template <int Bytes>
struct constant_memory {
    alignas(64) std::byte bytes[static_cast<std::size_t>(Bytes > 0 ? Bytes : 1)]{};
    static constexpr int size = Bytes;

    template <class T>
    constexpr void put(int at, double number) {
        if constexpr (std::same_as<T, bool>) {
            bytes[at] = static_cast<std::byte>(number != 0);
        } else {
            struct parts {
                std::byte each[sizeof(T)];
            };
            parts const p = std::bit_cast<parts>(static_cast<T>(number));
            for (std::size_t i = 0; i < sizeof(T); ++i) bytes[static_cast<std::size_t>(at) + i] = p.each[i];
        }
    }
};
template <graph_set_sizes S>
constexpr constant_memory<S.bytes> constants_in_memory(fixed_graph_set<S> const& s) {
    constant_memory<S.bytes> m;
    for (int k = 0; k < S.constants; ++k) {
        constant_array_info const& a = s.constants.items[k];
        for (int i = 0; i < a.count; ++i) {
            double const number = s.numbers.items[a.first + i];
            int const at = a.at + i * size_of(a.type);
            switch (a.type) {
                case dtype::f32: m.template put<float>(at, number); break;
                case dtype::f64: m.template put<double>(at, number); break;
                case dtype::i32: m.template put<std::int32_t>(at, number); break;
                case dtype::i64: m.template put<std::int64_t>(at, number); break;
                default: m.template put<bool>(at, number);
            }
        }
    }
    return m;
}

/// Room for what most functions need, so that they are traced once: sizes of constants have to be known before their
/// contents. It costs g++ nothing, and clang some time for every element.
#if defined(__clang__)
constexpr int room(int little, int) { return little; }
#else
constexpr int room(int, int much) { return much; }
#endif
inline constexpr graph_set_sizes usual_graph_set{room(16, 64),
                                                 {.nodes = room(2048, 32768),
                                                  .shapes = room(128, 4096),
                                                  .extents = room(64, 1024),
                                                  .checks = room(64, 1024),
                                                  .outputs = room(256, 4096),
                                                  .index_checks = room(32, 1024),
                                                  .calls = room(32, 256),
                                                  .call_results = room(512, 2048),
                                                  .call_extents = room(64, 2048),
                                                  .inputs = room(256, 4096)},
                                                 room(8, 64),
                                                 room(256, 4096)};

/// In place of a graph whose trace failed.
struct nothing_traced {};

/// How Source::trace() becomes a constant. (Apart from what is made of it: where the trace fails, nothing else is to.)
template <class Source>
struct source_trace {
    /// `g` is a builder or a body; `o` has its outputs.
    template <class Outputs, class Graph>
    static constexpr graph_sizes sizes_of(Outputs const& o, Graph const& g, int inputs) {
        int results = 0, extents = 0;
        for (call_info const& c : g.calls) {
            results += c.results.size();
            extents += c.extents.size();
        }
        return {g.nodes.size(),        g.shapes.size(), g.extents.size(), 0,       o.outputs.size(),
                g.index_checks.size(), g.calls.size(),  results,          extents, inputs};
    }
    template <class Outputs, class Graph>
    static constexpr void take(auto& c, int number, graph_sizes& at, Outputs const& o, Graph const& g, int inputs) {
        c.size[number] = sizes_of(o, g, inputs);
        for (int i = 0; i < g.nodes.size(); ++i) c.graph.nodes[at.nodes + i] = g.nodes[i];
        for (int i = 0; i < g.shapes.size(); ++i) c.graph.shapes[at.shapes + i] = g.shapes[i];
        for (int i = 0; i < g.extents.size(); ++i) c.graph.extents[at.extents + i] = g.extents[i];
        for (int i = 0; i < g.index_checks.size(); ++i) c.graph.index_checks[at.index_checks + i] = g.index_checks[i];
        for (int i = 0; i < o.outputs.size(); ++i) {
            c.graph.outputs[at.outputs + i] = o.outputs[i];
            c.graph.output_shape[at.outputs + i] = o.output_shape[i];
        }
        int result = at.call_results, extent = at.call_extents;
        for (int i = 0; i < g.calls.size(); ++i) {
            call_info const& x = g.calls[i];
            c.graph.calls[at.calls + i] = {x.header(), x.results.size(), x.extents.size()};
            for (call_result const& r : x.results) c.graph.call_results[result++] = r;
            for (std::int64_t e : x.extents) c.graph.call_extents[extent++] = e;
        }
        at.add(c.size[number]);
    }
    static constexpr graph_set_sizes measure(traced const& t) {
        graph_set_sizes r{1 + t.graph.bodies.size(), sizes_of(t, t.graph, Source::leaves)};
        r.all.checks = t.graph.checks.size();
        for (body const& x : t.graph.bodies) r.all.add(sizes_of(x, x, x.inputs));
        r.constants = t.graph.constants.arrays.size();
        r.numbers = t.graph.constants.numbers.size();
        r.bytes = t.graph.constants.bytes();
        return r;
    }
    template <graph_set_sizes Room>
    static constexpr fixed_graph_set<Room> trace_into() {
        traced const t = Source::trace();
        fixed_graph_set<Room> c;
        c.needed = measure(t);
        if (!c.needed.fits(Room)) return c;
        graph_sizes at{};
        take(c, 0, at, t, t.graph, Source::leaves);
        for (int i = 0; i < t.graph.checks.size(); ++i) c.graph.checks[i] = t.graph.checks[i];
        c.size[0].checks = t.graph.checks.size();
        for (int i = 0; i < t.outputs.size(); ++i) c.graph.output_axes[i] = t.output_axes[i];
        int output = t.outputs.size();
        for (int k = 0; k < t.graph.bodies.size(); ++k) {
            body const& x = t.graph.bodies[k];
            for (int j = 0; j < x.inputs; ++j) {
                c.graph.dense[at.inputs + j] = x.dense[j];
                c.graph.steady[at.inputs + j] = x.steady[j];
            }
            take(c, k + 1, at, x, x, x.inputs);
            for (std::int64_t bits : x.output_axes) c.graph.output_axes[output++] = axis_map{bits};
        }
        c.constants.take(t.graph.constants.arrays);
        c.numbers.take(t.graph.constants.numbers);
        return c;
    }
    /// What is traced is a constant of a function for g++, which without optimisation puts constants of classes into
    /// the program, and with these graphs all that the tables of their operations point to; and one of the class for
    /// clang, which makes those of a function again with every call.
#if defined(__clang__)
    template <graph_set_sizes Room>
    static constexpr fixed_graph_set<Room> traced_into = trace_into<Room>();
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
            return traced_into<need>;
#else
            constexpr fixed_graph_set<need> r = trace_into<need>();
            return r;
#endif
        } else {
            return fixed_graph_set<need>{
                need,
                first<need.graphs>(t.size),
                {first<need.all.nodes>(t.graph.nodes), first<need.all.shapes>(t.graph.shapes),
                 first<need.all.extents>(t.graph.extents), first<need.all.checks>(t.graph.checks),
                 first<need.all.outputs>(t.graph.outputs), first<need.all.outputs>(t.graph.output_axes),
                 first<need.all.outputs>(t.graph.output_shape), first<need.all.index_checks>(t.graph.index_checks),
                 first<need.all.calls>(t.graph.calls), first<need.all.call_results>(t.graph.call_results),
                 first<need.all.call_extents>(t.graph.call_extents), first<need.all.inputs>(t.graph.dense),
                 first<need.all.inputs>(t.graph.steady)},
                first<need.constants>(t.constants),
                first<need.numbers>(t.numbers)};
        }
    }
};

/// Whether the trace succeeded: where it did not, the compiler has said why, and nothing is made of it.
template <class Source>
concept traced_source = !std::same_as<std::remove_cv_t<decltype(source_trace<Source>::trace_all())>, nothing_traced>;

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
