// SPDX-License-Identifier: MIT
// The library's passes, run when a test does.

#include "support/stages.hpp"

template class std::vector<oracle::stage>;

namespace oracle {

std::vector<stage> stages_of(graph::traced t, graph::list<char> const& dense) {
    std::vector<stage> r;
    (void)graph::simplified(t, dense, [&](char const* pass, graph::traced const& made) { r.push_back({pass, made}); });
    return r;
}
std::vector<stage> stages_with_gradients(graph::traced t, graph::list<int> const& leaves,
                                         graph::list<char> const& dense) {
    graph::add_gradients(t, t.outputs[0], leaves);
    return stages_of(std::move(t), dense);
}

}  // namespace oracle
