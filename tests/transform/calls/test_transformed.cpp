// SPDX-License-Identifier: MIT
// What a transformation made as the function of another one.

#include <tapeless/tapeless.hpp>

#include <array>
#include <tuple>

#include "support/catch.hpp"

namespace ad = tapeless;

namespace {

constexpr auto row = [](auto x) { return sum(square(x)); };
using pair = ad::tensor<double, 2>;

}  // namespace

TEST_CASE("checkpoint: of vmap, grad, jacobian and another checkpoint, in a graph and of arrays") {
    ad::tensor<double, 2, 2> const x{{1, 2}, {3, 4}};
    auto const f = [](auto v) {
        auto const first = ad::let(ad::select<0>(v, 0));
        return sum(ad::checkpoint(ad::vmap<0>(row))(v)) + sum(ad::checkpoint(ad::grad<0>(row))(first)) +
               sum(ad::checkpoint(ad::hessian<0>(row))(first)) + ad::checkpoint(ad::checkpoint(row))(first);
    };
    CHECK(ad::grad<0>(f)(x) == ad::tensor<double, 2, 2>{{6, 10}, {6, 8}});
    CHECK(ad::checkpoint(ad::grad<0>(row))(pair{1, 2}) == pair{2, 4});
    auto const deep = [](auto v) {
        auto const layers =
            std::tuple(ad::grad<0>(row), ad::checkpoint(ad::grad<0>(row)), [](auto u) { return u + 1.0; });
        std::array const again{ad::grad<0>(row), ad::grad<0>(row)};
        return sum(ad::checkpoint_sequential<2>(layers, v)) + sum(ad::checkpoint_sequential<2>(again, v));
    };
    CHECK(ad::evaluate(deep, pair{1, 2}) == 26);
    CHECK(ad::grad<0>(deep)(pair{1, 2}) == pair{8, 8});
}

TEST_CASE("fold, scan and cond: the step and the branches may be transformations") {
    auto const f = [](auto v) { return sum(ad::fold<3>(ad::grad<0>(row), v)); };  // doubles three times
    CHECK(ad::grad<0>(f)(pair{1, 2}) == pair{8, 8});
    CHECK(ad::fold<3>(ad::grad<0>(row), pair{1, 2}) == pair{8, 16});
    auto const add = [](auto c, auto x) { return c + x; };
    CHECK(ad::fold(ad::fused(add), pair{0, 0}, ad::tensor<double, 2, 2>{{1, 2}, {3, 4}}) == pair{4, 6});
    auto const steps = ad::scan<2>(ad::fused([](auto c) { return std::pair(2.0 * c, c); }), pair{1, 2});
    CHECK(std::get<1>(steps) == ad::tensor<double, 2, 2>{{1, 2}, {2, 4}});
    auto const either = [](auto p, auto v) {
        return sum(ad::cond(p, ad::grad<0>(row), ad::fused([](auto x) { return x; }), v));
    };
    CHECK(ad::grad<1>(either)(true, pair{1, 2}) == pair{2, 2});
    CHECK(ad::grad<1>(either)(false, pair{1, 2}) == pair{1, 1});
    CHECK(ad::cond(true, ad::grad<0>(row), ad::fused([](auto x) { return x; }), pair{1, 2}) == pair{2, 4});
}

TEST_CASE("with_pullback: a rule for what a transformation made") {
    auto const f = [](auto v) {
        return sum(
            ad::with_pullback(ad::grad<0>(row), [](auto g, auto, auto x) { return ad::cotangents(10.0 * g * x); })(v));
    };
    CHECK(ad::evaluate(f, pair{1, 2}) == 6);
    CHECK(ad::grad<0>(f)(pair{1, 2}) == pair{10, 20});
}
