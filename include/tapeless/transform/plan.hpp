// SPDX-License-Identifier: MIT
#pragma once
// What became of a function: constants where the shapes are, text for people, and a drawing.

#include <tapeless/compile/program.hpp>

namespace tapeless::detail::inline transform_part {

/// The plan of a program. Everything is constexpr.
template <class Program>
struct plan_summary {
    using program_type = Program;

    /// Loop nests, one after the other.
    static constexpr int kernels() { return Program::plan_size.kernels; }
    /// How many of them begin with a matrix product.
    static constexpr int products() { return Program::plan_size.products; }
    /// How many of them are an operation with a loop of its own, such as a gather.
    static constexpr int own_loops() { return Program::plan_size.custom_loops; }
    /// How many of them call a body: a loop of scan or fold, cond, checkpoint.
    static constexpr int calls() { return Program::plan_size.calls; }
    /// How many of them run over arrays of this shape.
    template <auto... E>
    static constexpr int passes_over() {
        constexpr std::int64_t want[] = {extent_value<E>()..., 0};
        int passes = 0;
        for (kernel const& k : Program::plan.kernels) {
            int matched = 0;  // the loop leaves out axes of extent 1
            bool same = true;
            for (int i = 0; i < static_cast<int>(sizeof...(E)); ++i) {
                if (want[i] == 1) continue;
                if (matched >= k.shape.rank) same = false;
                else if (want[i] < 0 ? k.shape.extent[matched] >= 0 : k.shape.extent[matched] != want[i]) same = false;
                ++matched;
            }
            passes += same && matched == k.shape.rank;
        }
        return passes;
    }
    /// Bytes of intermediate arrays that are stored; run-time extents have to be given, in the order of the arguments.
    static constexpr std::int64_t workspace_bytes() {
        static_assert(Program::is_static(),
                      "workspace_bytes: some stored array has a run-time extent; see explain(f, args...)");
        return Program::fixed_layout.bytes;
    }
    /// Nodes of the graph that the kernels compute.
    static constexpr int nodes() { return Program::plan_size.steps; }
};

}  // namespace tapeless::detail::transform_part
