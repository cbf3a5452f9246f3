// SPDX-License-Identifier: MIT
// The library's passes, run when a test does.

#include "support/stages.hpp"

#include <utility>

template class std::vector<oracle::stage>;

namespace oracle {

std::vector<stage> stages_of(graph::traced t, graph::list<char> const& dense) {
    std::vector<stage> r;
    (void)graph::simplified(t, dense, [&](char const* pass, graph::traced const& made) { r.push_back({pass, made}); });
    return r;
}
std::vector<stage> stages_with_gradients(graph::traced t, graph::list<int> const& leaves,
                                         graph::list<char> const& dense) {
    int const y = t.outputs[0], seed = t.graph.constant(1, graph::computed_dtype(t.graph.nodes[y].type));
    graph::list<int> const cotangents = graph::differentiate(t.graph, y, leaves, seed);
    for (int i = 0; i < leaves.size(); ++i)
        t.outputs.push(graph::as_gradient(t.graph, cotangents[i], leaves[i]));
    return stages_of(std::move(t), dense);
}

}  // namespace oracle
