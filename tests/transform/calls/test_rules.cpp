// SPDX-License-Identifier: MIT
// Loops, conditions and checkpoints in the rule of with_pullback, where only the graph knows shapes; and what the
// rule is handed.

#include <tapeless/tapeless.hpp>

#include <tuple>
#include <utility>

#include "support/catch.hpp"

namespace ad = tapeless;

namespace {

constexpr auto doubled = [](auto x) { return 2.0 * x; };
/// g + u/2 three times, starting with g: 1.875 g
constexpr auto by_fold = ad::with_pullback(
    doubled, [](auto g, auto, auto) { return ad::cotangents(ad::fold<3>([&](auto u) { return g + 0.5 * u; }, g)); });
/// Over a sequence, with a carry that starts as a number beside one that is an array: the sums so far of g x.
constexpr auto by_scan = ad::with_pullback(doubled, [](auto g, auto, auto x) {
    auto const step = [](auto const& c, auto gi, auto xi) {
        auto const next = ad::let(c + gi * xi);
        return std::pair(next, next);
    };
    return ad::cotangents(ad::scan(step, 0.0, g, x).second);
});
constexpr auto by_cond = ad::with_pullback(doubled, [](auto g, auto, auto x) {
    return ad::cotangents(ad::cond(sum(x) > 0.0, [&](auto v) { return v * x; }, [](auto v) { return -v; }, g));
});
constexpr auto by_checkpoint = ad::with_pullback(doubled, [](auto g, auto, auto x) {
    return ad::cotangents(ad::checkpoint([&](auto v) { return v * exp(x); })(g));
});
/// The cotangent as an array, also where all of its elements are one number.
constexpr auto by_sum = ad::with_pullback(doubled, [](auto g, auto, auto x) { return ad::cotangents(sum(g) * x); });

}  // namespace

TEST_CASE("fold: a loop in a rule, in the backward pass of a graph and of a loop") {
    ad::tensor<double, 3> const x{1, 2, 3};
    CHECK(ad::grad<0>([](auto v) { return sum(by_fold(v)); })(x) == ad::tensor<double, 3>{1.875, 1.875, 1.875});
    auto const twice = [](auto v) { return sum(ad::fold<2>([](auto c) { return by_fold(c); }, v)); };
    CHECK(ad::grad<0>(twice)(x) == ad::tensor<double, 3>{1.875 * 1.875, 1.875 * 1.875, 1.875 * 1.875});
    ad::tensor<double, ad::dyn> const long_x{1, 2, 3, 4};
    CHECK(ad::grad<0>([](auto v) { return sum(v * by_fold(v)); })(long_x)(3) == 4 * 1.875 + 8);
}

TEST_CASE("scan: a loop over a sequence in a rule") {
    ad::tensor<double, ad::dyn> const x{1, 2, 3};
    CHECK(ad::grad<0>([](auto v) { return sum(by_scan(v)); })(x) == ad::tensor<double, ad::dyn>{1, 3, 6});
    auto const rows = [](auto v) { return sum(ad::vmap(by_scan)(v)); };
    CHECK(ad::grad<0>(rows)(ad::tensor<double, 2, 2>{{1, 2}, {3, 4}}) == ad::tensor<double, 2, 2>{{1, 3}, {3, 7}});
}

TEST_CASE("cond and checkpoint: in a rule") {
    ad::tensor<double, 2> const x{1, 2}, below{-1, -2};
    auto const f = [](auto v) { return sum(by_cond(v)); };
    CHECK(ad::grad<0>(f)(x) == x);
    CHECK(ad::grad<0>(f)(below) == ad::tensor<double, 2>{-1, -1});
    auto const g = ad::grad<0>([](auto v) { return sum(by_checkpoint(v)); })(ad::tensor<double, 2>{0, 0});
    CHECK(g == ad::tensor<double, 2>{1, 1});
}

TEST_CASE("with_pullback: the rule gets a cotangent of the value's shape") {
    ad::tensor<double, 3> const x{1, 2, 3};
    CHECK(ad::grad<0>([](auto v) { return sum(by_sum(v)); })(x) == ad::tensor<double, 3>{3, 6, 9});
    CHECK(ad::grad<0>([](auto v) { return mean(by_sum(v)); })(x)(2) == 3);
}
