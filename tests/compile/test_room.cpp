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
using source = detail::source_of<std::remove_const_t<decltype(recurrent)>, detail::wanted::both,
                                 std::integer_sequence<int, 0>, detail::argument_list<>, ad::tensor<double, 4, 4>,
                                 ad::tensor<double, ad::dyn, 3, 4>, ad::tensor<double, 3, 4>>;
using traces = detail::source_trace<source>;
using program = detail::program<source>;
constexpr auto traced_once = traces::trace_all();
constexpr auto planned_once = program::fix_plan();

constexpr detail::graph_set_sizes almost_enough_graphs() {
    detail::graph_set_sizes s = traced_once.needed;
    --s.all.call_extents;
    return s;
}
constexpr detail::plan_sizes almost_enough_plan() {
    detail::plan_sizes s = planned_once.needed;
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
    constexpr auto all = traces::trace_into<almost_enough_graphs()>();
    STATIC_REQUIRE(all.needed.all.nodes == traced_once.needed.all.nodes);
    STATIC_REQUIRE(all.needed.all.call_extents == traced_once.needed.all.call_extents);
    STATIC_REQUIRE(all.size[0].nodes == 0);
    STATIC_REQUIRE(!all.needed.fits(almost_enough_graphs()));
}

template <class Set>
void check_same_graphs(Set const& other) {
    for (int g = 0; g < traced_once.needed.graphs; ++g) {
        CHECK(other.size[g].nodes == traced_once.size[g].nodes);
        CHECK(other.size[g].inputs == traced_once.size[g].inputs);
    }
    bool same = true;
    for (int i = 0; i < traced_once.needed.all.nodes; ++i)
        same = same && other.graph.nodes[i].equals(traced_once.graph.nodes[i]);
    CHECK(same);
    CHECK(same_numbers(other.graph.outputs, traced_once.graph.outputs));
    CHECK(same_numbers(other.graph.shapes, traced_once.graph.shapes));
    CHECK(same_numbers(other.graph.call_results, traced_once.graph.call_results));
    CHECK(same_numbers(other.graph.call_extents, traced_once.graph.call_extents));
    CHECK(same_numbers(other.graph.dense, traced_once.graph.dense));
    CHECK(same_numbers(other.graph.steady, traced_once.graph.steady));
}

TEST_CASE("room: a function that is traced twice is the same function") {
    static constexpr auto twice = traces::trace_all<almost_enough_graphs()>();
    STATIC_REQUIRE(std::is_same_v<decltype(twice), decltype(traced_once)>);
    STATIC_REQUIRE(traced_once.needed.graphs > 1);
    check_same_graphs(twice);
}

TEST_CASE("room: a function whose passes go over it in an evaluation of their own is the same function") {
    static constexpr auto half = detail::fix_into<detail::usual_graph_set>(source::begin(), source::leaves, true);
    STATIC_REQUIRE(half.half);
    STATIC_REQUIRE(half.needed.fits(detail::usual_graph_set));
    static constexpr auto whole = traces::finish_into<traced_once.needed>(half);
    STATIC_REQUIRE(!whole.half);
    STATIC_REQUIRE(std::is_same_v<decltype(whole), decltype(traced_once)>);
    check_same_graphs(whole);
}

TEST_CASE("room: a plan that is made twice is the same plan") {
    static constexpr auto twice = program::fix_plan<almost_enough_plan()>();
    STATIC_REQUIRE(std::is_same_v<decltype(twice), decltype(planned_once)>);
    STATIC_REQUIRE(program::plan_size.calls > 0);
    bool same = true;
    for (int i = 0; i < program::plan_size.steps; ++i)
        same =
            same && twice.steps[i].op == planned_once.steps[i].op && twice.steps[i].node == planned_once.steps[i].node;
    for (int i = 0; i < program::plan_size.kernels; ++i)
        same = same && twice.kernels[i].steps == planned_once.kernels[i].steps &&
               twice.kernels[i].shape == planned_once.kernels[i].shape;
    CHECK(same);
    CHECK(same_numbers(twice.order, planned_once.order));
    CHECK(same_numbers(twice.walks, planned_once.walks));
    CHECK(same_numbers(twice.call_extents, planned_once.call_extents));
}
