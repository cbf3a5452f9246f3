// SPDX-License-Identifier: MIT
// Activations in pieces against the reference, at their kinks, and for NaN and infinities.

#include <cmath>
#include <limits>

#include "ops/binary_patterns.hpp"

using namespace reference;

namespace {
constexpr double infinity = std::numeric_limits<double>::infinity();
using doubles = std::vector<double>;
}  // namespace

TEMPLATE_TEST_CASE("relu, relu6, selu: output and gradient are those of the reference", "", double, float) {
    run_unary<TestType>([](auto x) { return relu(x); }, "relu");
    run_unary<TestType>([](auto x) { return relu6(x); }, "relu6");
    run_unary<TestType>([](auto x) { return selu(x); }, "selu");
}
TEMPLATE_TEST_CASE("hardswish, hardsigmoid, softsign: output and gradient are those of the reference", "", double,
                   float) {
    run_unary<TestType>([](auto x) { return hardswish(x); }, "hardswish");
    run_unary<TestType>([](auto x) { return hardsigmoid(x); }, "hardsigmoid");
    run_unary<TestType>([](auto x) { return softsign(x); }, "softsign");
}
TEMPLATE_TEST_CASE("leaky_relu, elu: output and gradient are those of the reference, for every slope", "", double,
                   float) {
    scalar_parameter const alpha{"alpha"};
    run_with_parameters<TestType>([](auto x, auto a) { return leaky_relu(x, a); }, "leaky_relu", alpha);
    run_with_parameters<TestType>([](auto x, auto a) { return elu(x, a); }, "elu", alpha);
}

namespace {
constexpr auto weighted_prelu = [](auto x, auto alpha, auto cot) { return sum(prelu(x, alpha) * cot); };
constexpr auto weighted_broadcast = [](auto x, auto alpha, auto cot) { return sum(leaky_relu(x, alpha) * cot); };

/// x as (batch, channels, everything else): the elements stay where they are.
std::vector<std::int64_t> channels_in_the_middle(std::vector<std::int64_t> s) {
    for (; s.size() > 3; s.pop_back()) s[s.size() - 2] *= s.back();
    return s;
}

template <class T, class X, class Alpha, class F>
bool run_slopes(F const& f, test_case const& c, std::vector<std::int64_t> const& shape) {
    if (!X::matches(shape) || !Alpha::matches(c.in("alpha").shape)) return false;
    auto const [dx, da, out] = ad::grad<0, 1, 2>(f)(X::template make<T>(with_shape(c.in("x"), shape)),
                                                    Alpha::template make<T>(c.in("alpha")),
                                                    X::template make<T>(with_shape(c.cot(), shape)));
    CHECK(check_close(c.out(), out, c, "out") == "");
    CHECK(check_close(c.grad("x"), dx, c, "grad x") == "");
    CHECK(check_close(c.grad("alpha"), da, c, "grad alpha") == "");
    return true;
}
}  // namespace

TEST_CASE("prelu: output and gradients are those of the reference, with one slope and with one for each channel") {
    using one = shape_pattern<1>;
    auto const flat = [](test_case const& c) { return std::vector{static_cast<std::int64_t>(c.in("x").size())}; };
    std::size_t n = 0;
    for (test_case const& c : cases("unary", "prelu")) {
        auto const s = channels_in_the_middle(c.in("x").shape);
        n += run_slopes<double, matrix, vector>(weighted_prelu, c, s) ||
             run_slopes<double, cube, vector>(weighted_prelu, c, s) ||
             run_slopes<double, vector, one>(weighted_prelu, c, flat(c));
    }
    CHECK(n == count_in_file("unary", "prelu"));
    std::size_t m = 0;
    for (test_case const& c : cases("unary_f32", "prelu")) {
        auto const s = channels_in_the_middle(c.in("x").shape);
        m += run_slopes<float, vector, one>(weighted_prelu, c, flat(c)) ||
             run_slopes<float, cube, vector>(weighted_prelu, c, s);
    }
    CHECK(m == count_in_file("unary_f32", "prelu"));
}
TEST_CASE("leaky_relu: with an array of slopes it is the reference's prelu_broadcast") {
    std::size_t n = 0;
    for (test_case const& c : cases("unary", "prelu_broadcast"))
        n += run_slopes<double, matrix, matrix>(weighted_broadcast, c, c.in("x").shape) ||
             run_slopes<double, cube, vector>(weighted_broadcast, c, c.in("x").shape);
    CHECK(n == count_in_file("unary", "prelu_broadcast"));
    std::size_t m = 0;
    for (test_case const& c : cases("unary_f32", "prelu_broadcast"))
        m += run_slopes<float, matrix, matrix>(weighted_broadcast, c, c.in("x").shape);
    CHECK(m == count_in_file("unary_f32", "prelu_broadcast"));
}

namespace {
/// { values, derivatives }
template <class F>
std::array<doubles, 2> at(F, doubles const& x) {
    auto const [dx, y] =
        ad::grad<0, 1>([](auto v, auto weight) { return sum(F{}(v)*weight); })(x, doubles(x.size(), 1.0));
    return {y, dx};
}
}  // namespace

TEST_CASE("rectifiers: gradients at the kinks are those of the conventions") {
    CHECK(at([](auto x) { return relu(x); }, {-1, -0.0, 0.0, 2})[1] == doubles{0, 0, 0, 1});
    CHECK(at([](auto x) { return relu6(x); }, {-1, 0, 3, 6, 7})[1] == doubles{0, 0, 1, 0, 0});
    CHECK(at([](auto x) { return leaky_relu(x, 1.5); }, {-2, -0.0, 0, 2}) ==
          std::array{doubles{-3, 0, 0, 2}, doubles{1.5, 1.5, 1.5, 1}});
    CHECK(at([](auto x) { return prelu(x, 1.5); }, {-2, -0.0, 0, 2}) ==
          std::array{doubles{-3, 0, 0, 2}, doubles{1.5, 1.5, 1.5, 1}});
    CHECK(at([](auto x) { return elu(x, 0.5); }, {-0.0, 0, 2})[1] == doubles{0.5, 0.5, 1});
    CHECK(at([](auto x) { return hardsigmoid(x); }, {-4, -3, 0, 3, 4}) ==
          std::array{doubles{0, 0, 0.5, 1, 1}, doubles{0, 0, 1.0 / 6, 0, 0}});
}
TEST_CASE("rectifiers: infinities and NaN go through") {
    double const nan = std::numeric_limits<double>::quiet_NaN();
    auto const r = at([](auto x) { return relu(x); }, {-infinity, infinity, nan});
    CHECK(r[0][0] == 0);
    CHECK(r[0][1] == infinity);
    CHECK(std::isnan(r[0][2]));
    auto const h = at([](auto x) { return hardswish(x); }, {-infinity, -3.5, 0, 3.5, infinity, nan});
    CHECK(doubles(h[0].begin(), h[0].end() - 1) == doubles{0, 0, 0, 3.5, infinity});
    CHECK(doubles(h[1].begin(), h[1].end() - 1) == doubles{0, 0, 0.5, 1, 1});
    CHECK(std::isnan(h[0][5]));
    auto const e = at([](auto x) { return elu(x, 1.0); }, {-infinity, -1e4, 1e4, infinity, nan});
    CHECK(doubles(e[0].begin(), e[0].end() - 1) == doubles{-1, -1, 1e4, infinity});
    CHECK(doubles(e[1].begin(), e[1].end() - 1) == doubles{0, 0, 1, 1});
    CHECK(std::isnan(e[0][4]));
}
