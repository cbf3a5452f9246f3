// SPDX-License-Identifier: MIT
#pragma once
// explain_passes: the graph of a call as it was traced, and what each pass made of it.

#include <tapeless/transform/explain.hpp>

namespace tapeless {
namespace detail::inline transform_part {

/// "f32(n0, 3)": run-time extents are n0, n1, ...
template <class Text>
Text shape_text(dtype type, dims const& d) {
    Text s = name_of(type) + Text("(");
    for (int i = 0; i < d.rank; ++i)
        s += (i ? ", " : "") + (d.extent[i] >= 0 ? std::to_string(d.extent[i]) : "n" + std::to_string(~d.extent[i]));
    return s + ")";
}

/// The nodes that the results need, one a line: "  7  mul  3 5  f32(n0, 3)".
template <class Text>
Text graph_text(traced const& t, std::vector<Text> const& arguments) {
    builder const& g = t.graph;
    explainer<Text> const e(g.nodes.begin(), g.shapes.begin(), nullptr, arguments);
    list<char> live(g.nodes.size(), 0);
    for (int o : t.outputs) live[o] = 1;
    int count = 0;
    for (int i = g.nodes.size() - 1; i >= 0; --i) {
        count += live[i];
        for (int j = 0; live[i] && j < g.nodes[i].arity(); ++j) live[g.nodes[i].in[j]] = 1;
    }
    Text s = std::to_string(count) + (count == 1 ? " node, results" : " nodes, results");
    for (int o : t.outputs) s += " " + std::to_string(o);
    s += "\n";
    for (int i = 0; i < g.nodes.size(); ++i) {
        if (!live[i]) continue;
        s += "  " + std::to_string(i) + "  " + e.node_name(i) + " ";
        for (int j = 0; j < g.nodes[i].arity(); ++j) s += " " + std::to_string(g.nodes[i].in[j]);
        s += "  " + shape_text<Text>(g.nodes[i].type, g.shape_of(i)) + "\n";
    }
    return s;
}
}  // namespace detail::transform_part

/// The graph of a call as it was traced, and after each pass that changed it. Tracing and the passes, which else only
/// the compiler runs, run here when the program does.
template <class C, class... A>
std::string explain_passes(C const&, A const&...) {
    if constexpr (!accepts(C::allowed::template why_not_called<A...>())) {
        return {};
    } else {
        using source = typename C::template program_for<detail::argument_list<>, A...>::source;
        std::string all, last;
        (void)source::trace([&](char const* pass, detail::traced const& t) {
            std::string const now = detail::graph_text(t, detail::argument_names<source>());
            all += pass + std::string(now == last ? ": the same\n" : ": " + now);
            last = now;
        });
        return all;
    }
}

}  // namespace tapeless
