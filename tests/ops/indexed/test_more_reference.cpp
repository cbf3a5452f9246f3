// SPDX-License-Identifier: MIT
// The reference family `more`: running products and the like, sorting, sums by index, cross products, traces.

#include "ops/indexed/more_cases.hpp"

using namespace reference;

namespace {

using more = more_cases<double>;

template <class F, class Accept>
void check_positions(F f, std::string const& op, Accept accept) {
    auto positions = ad::fused(f);
    for (test_case const& c : more::of(op)) {
        if (!accept(c)) continue;
        auto const found = positions(more::as_cube(c.in("x"), c));
        auto const& want = c.out("indices");
        REQUIRE(found.size() == want.size());
        for (std::size_t i = 0; i < want.size(); ++i)
            CHECK(found.data()[i] == static_cast<std::int64_t>(want.values[i]));
    }
}

}  // namespace

TEST_CASE("cumprod, logcumsumexp, cummax: the reference cases") {
    more::run_all([](auto x, auto cot) { return sum(ad::cumprod<1>(x) * cot); }, "cumprod");
    more::run_all([](auto x, auto cot) { return sum(ad::logcumsumexp<1>(x) * cot); }, "logcumsumexp");
    more::run_all([](auto x, auto cot) { return sum(ad::cummax<1>(x).values * cot); }, "cummax", "values");
    check_positions([](auto x) { return ad::cummax<1>(x).indices; }, "cummax", [](test_case const&) { return true; });
}

TEST_CASE("sort, topk: the reference cases") {
    auto up = [](test_case const& c) { return !c.flag("descending"); };
    auto down = [](test_case const& c) { return c.flag("descending"); };
    auto const a = more::run_those([](auto x, auto cot) { return sum(ad::sort<1>(x).values * cot); }, "sort", "values", up);
    auto const b = more::run_those([](auto x, auto cot) { return sum(ad::sort<1>(x, ad::descending).values * cot); }, "sort",
                              "values", down);
    CHECK(a + b == more::count("sort"));
    check_positions([](auto x) { return ad::argsort<1>(x); }, "sort", up);
    check_positions([](auto x) { return ad::argsort<1>(x, ad::descending); }, "sort", down);
    auto is = [](int k, bool largest) {
        return [=](test_case const& c) { return c.integer("k") == k && c.flag("largest") == largest; };
    };
    auto const k1 =
        more::run_those([](auto x, auto cot) { return sum(ad::topk<1, 1>(x).values * cot); }, "topk", "values", is(1, true));
    auto const k2 = more::run_those([](auto x, auto cot) { return sum(ad::topk<1, 2>(x, ad::smallest).values * cot); },
                               "topk", "values", is(2, false));
    auto const k3 =
        more::run_those([](auto x, auto cot) { return sum(ad::topk<1, 3>(x).values * cot); }, "topk", "values", is(3, true));
    CHECK(k1 + k2 + k3 == more::count("topk"));
    check_positions([](auto x) { return ad::topk<1, 2>(x, ad::smallest).indices; }, "topk", is(2, false));
    check_positions([](auto x) { return ad::topk<1, 3>(x).indices; }, "topk", is(3, true));
}

TEST_CASE("index_add, segment_sum, scatter_add: the reference cases") {
    more::run_index_add();
    auto four = ad::grad<0, 2>([](auto x, auto index, auto cot) {
        return sum(ad::segment_sum<4>(reshape<-1, 1>(x), index) * reshape<4, -1>(cot));
    });
    auto rows = ad::grad<0, 2>(
        [](auto x, auto index, auto cot) { return sum(ad::segment_sum<4>(squeeze<0>(x), index) * squeeze<0>(cot)); });
    auto two = ad::grad<0, 2>(
        [](auto x, auto index, auto cot) { return sum(ad::segment_sum<2>(squeeze<0>(x), index) * squeeze<0>(cot)); });
    std::size_t n = 0;
    for (test_case const& c : more::of("segment_sum")) {
        auto const x = more::as_cube(c.in("x"), c), cot = more::as_cube(c.cot(), c);
        auto const index = indices_of(c.in("index"));
        auto const [dx, y] = c.integer("segments") == 2 ? two(x, index, cot)
                             : c.in("x").rank() == 1    ? four(x, index, cot)
                                                        : rows(x, index, cot);
        CHECK(check_close(c.out(), y, c, "out") == "");
        CHECK(check_close(c.grad("x"), dx, c, "grad x") == "");
        ++n;
    }
    CHECK(n == more::count("segment_sum"));
    more::run_scatter_add();
}

TEST_CASE("cross: the reference cases") {
    more::run_cross<0, ad::tensor<double, 3>, ad::tensor<double, 3>>("more/cross/000");
    more::run_cross<-1, ad::tensor<double, 4, 3>, ad::tensor<double, 4, 3>>("more/cross/001");
    more::run_cross<1, ad::tensor<double, 2, 3, 5>, ad::tensor<double, 2, 3, 5>>("more/cross/002");
    more::run_cross<-1, ad::tensor<double, 4, 1, 3>, ad::tensor<double, 1, 2, 3>>("more/cross/003");
    more::run_cross<-1, ad::tensor<double, 1, 3>, ad::tensor<double, 5, 3>>("more/cross/004");
    CHECK(more::count("cross") == 5);
}

TEST_CASE("trace, kron: the reference cases") {
    auto trace_of = ad::grad<0, 1>([](auto x, auto cot) { return sum(ad::linalg::trace(x) * cot); });
    for (test_case const& c : more::of("trace")) {
        auto const& t = c.in("a");
        auto const x = filled(
            more::cube(t.rank() == 3 ? t.extent(0) : 1, t.extent(t.rank() - 2), t.extent(t.rank() - 1)), t);
        auto const [dx, y] = trace_of(x, filled(ad::tensor<double, ad::dyn>(x.extent(0)), c.cot()));
        CHECK(check_close(c.out(), y, c, "out") == "");
        CHECK(check_close(c.grad("a"), dx, c, "grad a") == "");
    }
    more::run_kron();
}
