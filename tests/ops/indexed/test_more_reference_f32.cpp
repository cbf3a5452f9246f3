// SPDX-License-Identifier: MIT
// The reference family `more` in float.

#include "ops/indexed/more_cases.hpp"

using namespace reference;
using more = more_cases<float>;

TEST_CASE("cumprod, logcumsumexp, cummax: the reference cases in float") {
    more::run_all([](auto x, auto cot) { return sum(ad::cumprod<1>(x) * cot); }, "cumprod");
    more::run_all([](auto x, auto cot) { return sum(ad::logcumsumexp<1>(x) * cot); }, "logcumsumexp");
    more::run_all([](auto x, auto cot) { return sum(ad::cummax<1>(x).values * cot); }, "cummax", "values");
}
TEST_CASE("sort, topk: the reference cases in float") {
    auto const up = more::run_those([](auto x, auto cot) { return sum(ad::sort<1>(x).values * cot); }, "sort", "values",
                              [](test_case const& c) { return !c.flag("descending"); });
    auto const down = more::run_those([](auto x, auto cot) { return sum(ad::sort<1>(x, ad::descending).values * cot); },
                                "sort", "values", [](test_case const& c) { return c.flag("descending"); });
    CHECK(up + down == more::count("sort"));
    CHECK(more::run_those([](auto x, auto cot) { return sum(ad::topk<1, 1>(x).values * cot); }, "topk", "values",
                    [](test_case const& c) { return c.integer("k") == 1 && c.flag("largest"); }) ==
          more::count("topk"));
}
TEST_CASE("index_add, segment_sum, scatter_add: the reference cases in float") {
    more::run_index_add();
    auto segments = ad::grad<0, 2>([](auto x, auto index, auto cot) {
        return sum(ad::segment_sum<4>(reshape<-1, 1>(x), index) * reshape<4, -1>(cot));
    });
    for (test_case const& c : more::of("segment_sum")) {
        REQUIRE(c.integer("segments") == 4);
        auto const [dx, y] = segments(more::as_cube(c.in("x"), c), indices_of(c.in("index")), more::as_cube(c.cot(), c));
        CHECK(check_close(c.out(), y, c, "out") == "");
        CHECK(check_close(c.grad("x"), dx, c, "grad x") == "");
    }
    more::run_scatter_add();
}
TEST_CASE("cross, trace, kron: the reference cases in float") {
    more::run_cross<0, ad::tensor<float, 3>, ad::tensor<float, 3>>("more/cross/000/f32");
    more::run_cross<-1, ad::tensor<float, 4, 1, 3>, ad::tensor<float, 1, 2, 3>>("more/cross/003/f32");
    CHECK(more::count("cross") == 2);
    auto trace_of = ad::grad<0, 1>([](auto x, auto cot) { return ad::linalg::trace(x) * cot; });
    for (test_case const& c : more::of("trace")) {
        auto const [dx, y] = trace_of(more::as_matrix(c.in("a")), static_cast<float>(c.cot().values[0]));
        CHECK(std::abs(static_cast<double>(y) - c.out().values[0]) < 1e-5);
        CHECK(check_close(c.grad("a"), dx, c, "grad a") == "");
    }
    more::run_kron();
}
