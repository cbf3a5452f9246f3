// SPDX-License-Identifier: MIT
#pragma once
// The graph of a function as it was traced, and what each pass made of it.

#include <tapeless/compile/trace.hpp>
#include <tapeless/transform/handover.hpp>

#include <cstddef>
#include <initializer_list>
#include <utility>
#include <vector>

namespace oracle {

namespace graph = tapeless::detail;

struct stage {
    char const* pass;
    graph::traced made;
};

}  // namespace oracle

extern template class std::vector<oracle::stage>;

namespace oracle {

/// The passes over what was traced, which is the first stage.
std::vector<stage> stages_of(graph::traced t, graph::list<char> const& dense);
/// The same with the gradients of the first result by these leaves.
std::vector<stage> stages_with_gradients(graph::traced t, graph::list<int> const& leaves,
                                         graph::list<char> const& dense);

/// The leaves of the arguments I.
template <class... A, int... I>
graph::list<int> leaves_of(std::integer_sequence<int, I...>) {
    auto const& first = graph::argument_list<A...>::first;
    graph::list<int> l;
    for (std::size_t i : std::initializer_list<std::size_t>{static_cast<std::size_t>(I)...})
        for (int k = first[i]; k < first[i + 1]; ++k) l.push(k);
    return l;
}

/// Tracing is an ordinary function: here it runs when the test does, and costs the compiler no constant evaluation.
template <class F, graph::wanted W, class... A, int... I, class Options = graph::no_observer>
std::vector<stage> trace_stages(std::integer_sequence<int, I...> indices, Options const& options = {}) {
    using source = graph::source_of<F, W, std::integer_sequence<int, I...>, graph::argument_list<>, A...>;
    if constexpr (W == graph::wanted::both && !graph::forms_its_result<F>) {
        return stages_with_gradients(graph::trace_graph<F, graph::wanted::value, A...>({}, options),
                                     leaves_of<A...>(indices), source::dense());
    } else {
        return stages_of(graph::trace_graph<F, W, A...>(indices, options), source::dense());
    }
}

}  // namespace oracle
