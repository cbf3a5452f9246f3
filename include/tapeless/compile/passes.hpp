// SPDX-License-Identifier: MIT
#pragma once
// What is done to a traced graph until it can be scheduled: all passes, in their order.

#include <tapeless/graph/by_element.hpp>
#include <tapeless/graph/finish_calls.hpp>
#include <tapeless/graph/mirrored.hpp>
#include <tapeless/graph/picked_elements.hpp>
#include <tapeless/graph/pooled_results.hpp>
#include <tapeless/graph/separate_outputs.hpp>
#include <tapeless/graph/short_axes.hpp>
#include <tapeless/graph/simplify.hpp>

namespace tapeless::detail::inline compile_part {

/// What looks at a graph between the passes: nobody. Tests and explain_passes do.
struct no_observer {
    constexpr void operator()(char const*, traced const&) const {}
};

/// The passes over a graph, and over the bodies of its calls. `dense` says which of its arguments and results are
/// contiguous.
template <class Observer = no_observer>
constexpr traced run_passes(traced& t, list<char> const& dense, Observer const& look = {}, bool is_body = false) {
    look("traced", t);
    (void)by_element(t);
    look("by_element", t);
    (void)short_axes(t);
    look("short_axes", t);
    (void)mirrored(t);
    look("mirrored", t);
    t.graph.dense = dense;
    traced r = simplify(t);
    look("simplify", r);
    if (!is_body) (void)picked_elements(r);
    look("picked_elements", r);
    pool_results(r);
    look("pool_results", r);
    separate_outputs(r, dense);
    look("separate_outputs", r);
    finish_calls(r, [](traced& x, list<char> const& d) { return run_passes(x, d, no_observer{}, true); });
    look("finish_calls", r);
    return r;
}

}  // namespace tapeless::detail::compile_part
