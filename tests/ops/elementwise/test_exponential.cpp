// SPDX-License-Identifier: MIT
// Exponentials, logarithms and roots against the reference, and at the edges of their domains.

#include <cmath>
#include <limits>

#include "ops/reference_cases.hpp"

namespace ad = tapeless;
using reference::run_unary;

TEMPLATE_TEST_CASE("exp, exp2, expm1: output and gradient are those of the reference", "", double, float) {
    run_unary<TestType>([](auto x) { return exp(x); }, "exp");
    run_unary<TestType>([](auto x) { return exp2(x); }, "exp2");
    run_unary<TestType>([](auto x) { return expm1(x); }, "expm1");
}
TEMPLATE_TEST_CASE("log, log2, log10, log1p: output and gradient are those of the reference", "", double, float) {
    run_unary<TestType>([](auto x) { return log(x); }, "log");
    run_unary<TestType>([](auto x) { return log2(x); }, "log2");
    run_unary<TestType>([](auto x) { return log10(x); }, "log10");
    run_unary<TestType>([](auto x) { return log1p(x); }, "log1p");
}
TEMPLATE_TEST_CASE("sqrt, rsqrt: output and gradient are those of the reference", "", double, float) {
    run_unary<TestType>([](auto x) { return sqrt(x); }, "sqrt");
    run_unary<TestType>([](auto x) { return rsqrt(x); }, "rsqrt");
}

TEST_CASE("sqrt and log: the gradient at 0 is infinite, honestly") {
    std::vector<double> const x{0.0, 4.0};
    auto const ds = ad::grad<0>([](auto v) { return sum(sqrt(v)); })(x);
    CHECK(ds[0] == std::numeric_limits<double>::infinity());
    CHECK(ds[1] == 0.25);
    auto const dl = ad::grad<0>([](auto v) { return sum(log(v)); })(x);
    CHECK(dl[0] == std::numeric_limits<double>::infinity());
    CHECK(dl[1] == 0.25);
}

TEST_CASE("exp: a result does not depend on where in the array its element stands") {
    std::vector<float> x(67);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::sin(1.7f * static_cast<float>(i)) * 20.0f;
    auto f = ad::fused([](auto v) { return exp(v); });
    auto const all = f(std::span<float const>(x));
    for (std::size_t from = 0; from < x.size(); ++from) {
        auto const tail = f(std::span<float const>(x).subspan(from));
        REQUIRE(tail.size() == x.size() - from);
        bool same = true;
        for (std::size_t i = 0; i < tail.size(); ++i) same = same && tail(i) == all(from + i);
        CHECK(same);
    }
}
