// SPDX-License-Identifier: MIT
#pragma once
// Graphs as constants of fixed size: those that programs are made of, and those that the passes have yet to go over.

#include <array>
#include <bit>
#include <cstddef>

#include <tapeless/graph/finish_calls.hpp>

namespace tapeless::detail::inline compile_part {

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
    int remade = 0, leads = 0;  ///< of what the passes have yet to go over
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
    int results = 0, extents = 0, leads = 0;
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
    fixed_list<made_again, S.remade> remade;
    fixed_list<int, S.leads> leads;
};

struct graph_set_sizes {
    int graphs;
    graph_sizes all;
    int constants = 0, numbers = 0, bytes = 0;  ///< arrays of constants, the numbers in them, and their bytes in memory
    int buckets = 0;                            ///< of the table of nodes, which the passes go on with
    constexpr bool fits(graph_set_sizes const& room) const {
        return graphs <= room.graphs && constants <= room.constants && numbers <= room.numbers &&
               buckets <= room.buckets && each_fits(all, room.all);
    }
};
/// What is known of a graph besides, before the passes.
struct half_traced_info {
    int inputs = 0, shared = 0, barrier = 0;
    bool has_items = false;
};
template <graph_set_sizes S>
struct fixed_graph_set {
    graph_set_sizes needed{};  ///< the others are filled where this is no more than S
    fixed_list<graph_sizes, S.graphs> size;
    fixed_graph<S.all> graph;  ///< all of them, one after the other
    fixed_list<constant_array_info, S.constants> constants;
    fixed_list<double, S.numbers> numbers;
    bool half = false;  ///< the passes have yet to go over them: compilers allow so many steps at once
    fixed_list<half_traced_info, S.graphs> info;
    fixed_list<int, S.buckets> bucket;
    real_rules const* rules[2] = {};
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
                                                  .inputs = room(256, 4096),
                                                  .remade = room(32, 1024),
                                                  .leads = room(32, 1024)},
                                                 room(8, 64),
                                                 room(256, 4096),
                                                 0,
                                                 node_table::buckets};
/// From so many nodes on, a graph and its bodies are a constant of their own before the passes go over them: these then
/// have all the steps that compilers allow, and tracing has, too.
inline constexpr int many_traced_nodes = room(1024, 2048);

/// A graph that the passes have yet to go over, and the bodies of its calls, as they were traced.
template <graph_set_sizes S>
constexpr traced rebuild_traced(fixed_graph_set<S> const& s) {
    traced t;
    t.graph.rules[0] = s.rules[0], t.graph.rules[1] = s.rules[1];
    graph_sizes at{};
    auto const take = [&](auto& g, list<int>& outputs, int number) {
        graph_sizes const& n = s.size[number];
        auto const copy = [](auto& to, auto const& from, int first, int count) {
            to.resize(count);
            for (int i = 0; i < count; ++i) to.items[i] = from.items[first + i];
        };
        copy(g.nodes, s.graph.nodes, at.nodes, n.nodes);
        copy(g.extents, s.graph.extents, at.extents, n.extents);
        copy(g.index_checks, s.graph.index_checks, at.index_checks, n.index_checks);
        copy(g.remade, s.graph.remade, at.remade, n.remade);
        copy(outputs, s.graph.outputs, at.outputs, n.outputs);
        int result = at.call_results, extent = at.call_extents, lead = at.leads;
        for (int i = 0; i < n.calls; ++i) {
            fixed_call const& c = s.graph.calls[at.calls + i];
            call_info x;
            static_cast<call_header&>(x) = c.header;
            copy(x.results, s.graph.call_results, result, c.results);
            copy(x.extents, s.graph.call_extents, extent, c.extents);
            copy(x.leads, s.graph.leads, lead, c.leads);
            result += c.results, extent += c.extents, lead += c.leads;
            g.calls.push(x);
        }
    };
    for (int k = 0; k < s.needed.graphs; ++k) {
        list<dims> shapes;
        for (int i = 0; i < s.size[k].shapes; ++i) shapes.push(s.graph.shapes[at.shapes + i]);
        if (k == 0) {
            take(t.graph, t.outputs, k);
            t.graph.take_shapes(shapes);
            for (int i = 0; i < s.size[k].checks; ++i) t.graph.checks.push(s.graph.checks[i]);
        } else {
            body x;
            x.inputs = s.info[k].inputs;
            x.shared = s.info[k].shared;
            take(x, x.outputs, k);
            x.shapes = static_cast<list<dims>&&>(shapes);
            t.graph.bodies.push(static_cast<body&&>(x));
        }
        at.add(s.size[k]);
    }
    t.graph.barrier = s.info[0].barrier;
    t.graph.has_items = s.info[0].has_items;
    for (int i = 0; i < node_table::buckets; ++i) t.graph.bucket[i] = s.bucket[i];
    for (int i = 0; i < s.needed.constants; ++i) t.graph.constants.arrays.push(s.constants[i]);
    for (int i = 0; i < s.needed.numbers; ++i) t.graph.constants.numbers.push(s.numbers[i]);
    return t;
}

}  // namespace tapeless::detail::compile_part
