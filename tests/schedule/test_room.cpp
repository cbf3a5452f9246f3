// SPDX-License-Identifier: MIT
// Functions are traced and planned into room for most of them, and again where that is too small.

#include <tapeless/tapeless.hpp>

#include <type_traits>

#include "support/catch.hpp"

namespace ad = tapeless;
namespace detail = tapeless::detail;

namespace {

constexpr auto recurrent = [](auto w, auto xs, auto first) {
    return mean(square(ad::fold([&](auto h, auto x) { return ad::let(tanh(matmul(h, w) + x)); }, first, xs)));
};
using source = detail::source_of<std::remove_const_t<decltype(recurrent)>, detail::wanted::both, std::integer_sequence<int, 0>,
                                 detail::argument_list<>, ad::tensor<double, 4, 4>, ad::tensor<double, ad::dyn, 3, 4>,
                                 ad::tensor<double, 3, 4>>;
using graphs = detail::graph_set<source>;
using program = detail::program<source>;

constexpr detail::graph_set_sizes almost_enough_graphs() {
    detail::graph_set_sizes s = graphs::all.needed;
    --s.all.call_extents;
    return s;
}
constexpr detail::plan_sizes almost_enough_plan() {
    detail::plan_sizes s = program::plan.needed;
    --s.call_extents;
    return s;
}

template <class List>
bool same_numbers(List const& a, List const& b) {
    bool same = a.size() == b.size();
    for (int i = 0; same && i < a.size(); ++i) same = a[i] == b[i];
    return same;
}

}  // namespace

TEST_CASE("room: what does not fit is measured, and not filled") {
    constexpr auto all = graphs::trace_into<almost_enough_graphs()>();
    STATIC_REQUIRE(all.needed.all.nodes == graphs::all.needed.all.nodes);
    STATIC_REQUIRE(all.needed.all.call_extents == graphs::all.needed.all.call_extents);
    STATIC_REQUIRE(all.size[0].nodes == 0);
    STATIC_REQUIRE(!all.needed.fits(almost_enough_graphs()));
}

TEST_CASE("room: a function that is traced twice is the same function") {
    static constexpr auto twice = graphs::trace_all<almost_enough_graphs()>();
    STATIC_REQUIRE(std::is_same_v<decltype(twice), decltype(graphs::all)>);
    STATIC_REQUIRE(graphs::all.needed.graphs > 1);
    for (int g = 0; g < graphs::all.needed.graphs; ++g) {
        CHECK(twice.size[g].nodes == graphs::all.size[g].nodes);
        CHECK(twice.size[g].inputs == graphs::all.size[g].inputs);
    }
    bool same = true;
    for (int i = 0; i < graphs::all.needed.all.nodes; ++i) same = same && twice.graph.nodes[i].equals(graphs::all.graph.nodes[i]);
    CHECK(same);
    CHECK(same_numbers(twice.graph.outputs, graphs::all.graph.outputs));
    CHECK(same_numbers(twice.graph.shapes, graphs::all.graph.shapes));
    CHECK(same_numbers(twice.graph.call_results, graphs::all.graph.call_results));
    CHECK(same_numbers(twice.graph.call_extents, graphs::all.graph.call_extents));
    CHECK(same_numbers(twice.graph.dense, graphs::all.graph.dense));
}

TEST_CASE("room: a plan that is made twice is the same plan") {
    static constexpr auto twice = program::fix_plan<almost_enough_plan()>();
    STATIC_REQUIRE(std::is_same_v<decltype(twice), decltype(program::plan)>);
    STATIC_REQUIRE(program::plan_size.calls > 0);
    bool same = true;
    for (int i = 0; i < program::plan_size.steps; ++i)
        same = same && twice.steps[i].op == program::plan.steps[i].op && twice.steps[i].node == program::plan.steps[i].node;
    for (int i = 0; i < program::plan_size.kernels; ++i)
        same = same && twice.kernels[i].steps == program::plan.kernels[i].steps &&
               twice.kernels[i].shape == program::plan.kernels[i].shape;
    CHECK(same);
    CHECK(same_numbers(twice.order, program::plan.order));
    CHECK(same_numbers(twice.walks, program::plan.walks));
    CHECK(same_numbers(twice.call_extents, program::plan.call_extents));
}
