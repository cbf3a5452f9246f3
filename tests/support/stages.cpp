// SPDX-License-Identifier: MIT
// The library's passes, run when a test does.

#include "support/stages.hpp"

namespace oracle {

std::vector<stage> stages_of(graph::traced t, graph::list<char> const& dense) {
    std::vector<stage> r;
    (void)graph::simplified(t, dense, [&](char const* pass, graph::traced const& made) { r.push_back({pass, made}); });
    return r;
}

}  // namespace oracle
