// SPDX-License-Identifier: MIT
#pragma once
// What leads into a body that is being differentiated and out of it.

#include <tapeless/graph/body_editor.hpp>

namespace tapeless::detail::inline graph_part {

/// A result of a call, and its cotangent.
struct pulled_result {
    int node = -1, cotangent = -1;
};
/// What a backward body computes again rather than finding it stored.
inline constexpr int cheap_to_repeat = 4;
constexpr bool is_cheap_to_repeat(node const& n) {
    return is_made_again(n) || n.kind == node_kind::alias ||
           (n.kind == node_kind::elementwise && n.op->cost <= cheap_to_repeat);
}

/// A node of an open body, and what it is where the body is called.
struct wired {
    int inside = -1, outside = -1;
};
/// Those that the outputs need.
constexpr list<wired> needed_of(body_editor const& opened, list<wired> const& inputs, list<int> const& outputs) {
    list<char> stops(opened.graph.nodes.size(), 0);
    for (wired const& i : inputs) stops.items[i.inside] = 1;
    list<char> const used = opened.needed_for(outputs, stops);
    list<wired> r;
    for (wired const& i : inputs)
        if (used.items[i.inside]) r.push(i);
    return r;
}

}  // namespace tapeless::detail::graph_part
