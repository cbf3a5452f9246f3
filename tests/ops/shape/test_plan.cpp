// SPDX-License-Identifier: MIT
// Views cost nothing: what the compiler made of functions that slice, reshape, reverse and join.

#include <tapeless/tapeless.hpp>

#include "support/catch.hpp"

namespace ad = tapeless;
using ad::dyn;

namespace {

using block = ad::tensor<float, 64, 32>;
using line = ad::tensor<float, 2048>;

/// The plan of value and gradients.
template <int I, class... A, class F>
constexpr auto plan_of(F) {
    return decltype(ad::value_and_grad<I>(F{}))::template plan<A...>();
}

}  // namespace

TEST_CASE("plan: a slice is read in place and its gradient written in place, in one loop") {
    constexpr auto rows = plan_of<0, block>([](auto x) { return sum(square(ad::slice<0, 1, -1>(x))); });
    STATIC_REQUIRE(rows.kernels() == 1);
    STATIC_REQUIRE(rows.workspace_bytes() == 0);
    constexpr auto columns =
        plan_of<0, block>([](auto x) { return sum(exp(ad::slice<1, ad::to_end, ad::to_end, -3>(transpose(x)))); });
    STATIC_REQUIRE(columns.kernels() == 1);
    STATIC_REQUIRE(columns.workspace_bytes() == 0);
    constexpr auto parts = plan_of<0, block>([](auto x) {
        auto [p, q] = ad::split<1, 16, 16>(x);
        return sum(p * tanh(q));
    });
    STATIC_REQUIRE(parts.kernels() == 1);
    STATIC_REQUIRE(parts.workspace_bytes() == 0);
}

TEST_CASE("plan: an argument is reshaped, reversed, cut to a diagonal or a triangle in the loop that reads it") {
    constexpr auto reshaped =
        plan_of<0, block, line>([](auto x, auto y) { return sum(square(ad::reshape<2048>(x) - y)); });
    STATIC_REQUIRE(reshaped.kernels() == 1);
    STATIC_REQUIRE(reshaped.workspace_bytes() == 0);
    constexpr auto reversed = plan_of<0, line>([](auto x) { return sum(x * ad::flip<0>(x)); });
    STATIC_REQUIRE(reversed.kernels() == 1);
    STATIC_REQUIRE(reversed.workspace_bytes() == 0);
    constexpr auto diagonal = plan_of<0, block>([](auto x) { return sum(square(ad::diagonal(x))); });
    STATIC_REQUIRE(diagonal.kernels() == 1);
    STATIC_REQUIRE(diagonal.workspace_bytes() == 0);
    constexpr auto triangle = plan_of<0, block>([](auto x) { return sum(square(ad::tril(x))); });
    STATIC_REQUIRE(triangle.kernels() == 1);
    STATIC_REQUIRE(triangle.workspace_bytes() == 0);
}

TEST_CASE("plan: overlapping slices need one more loop, which adds, and no array") {
    constexpr auto plan =
        plan_of<0, line>([](auto x) { return sum(square(ad::slice<0, 1, ad::to_end>(x) - ad::slice<0, 0, -1>(x))); });
    STATIC_REQUIRE(plan.kernels() == 2);
    STATIC_REQUIRE(plan.workspace_bytes() == 0);
}

TEST_CASE("plan: what is joined is stored once, its gradients are not") {
    constexpr auto both = plan_of<0, block, block>([](auto a, auto b) { return sum(square(ad::concat<0>(a, b))); });
    STATIC_REQUIRE(both.kernels() <= 3);
    STATIC_REQUIRE(both.workspace_bytes() < 2 * 128 * 32 * 4);
    constexpr auto first =
        plan_of<0, block, block>([](auto a, auto b) { return sum(tanh(ad::slice<0, 0, 64>(ad::concat<0>(a, b)))); });
    STATIC_REQUIRE(first.kernels() == 1);  // the other part is not looked at
    STATIC_REQUIRE(first.workspace_bytes() == 0);
}
