// SPDX-License-Identifier: MIT
// What may be an argument, and that a gradient has its argument's type.

#include <tapeless/tapeless.hpp>

#include <array>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/catch.hpp"

namespace ad = tapeless;
using ad::dyn;

namespace {

constexpr auto half_square = [](auto x) { return 0.5 * sum(x * x); };

/// The gradient of half the sum of squares is the argument itself.
template <class A>
auto gradient_of(A const& a) {
    return ad::grad<0>(half_square)(a);
}

template <class Expected, class A>
void expect_itself(A const& a) {
    auto const g = gradient_of(a);
    static_assert(std::is_same_v<std::remove_const_t<decltype(g)>, Expected>);
    CHECK(std::equal(std::begin(g), std::end(g), std::begin(a), std::end(a)));
}

}  // namespace

TEST_CASE("arguments: arrays of every kind come in, and their gradients have their type") {
    std::vector<double> v{1, 2, 3, 4, 5};
    expect_itself<std::vector<double>>(v);
    expect_itself<std::array<float, 3>>(std::array<float, 3>{1, 2, 3});
    ad::tensor<double, 2, 2> const t{{1, 2}, {3, 4}};
    expect_itself<ad::tensor<double, 2, 2>>(t);
    ad::tensor<double, dyn, 3> const d{{1, 2, 3}, {4, 5, 6}};
    expect_itself<ad::tensor<double, dyn, 3>>(d);
}

TEST_CASE("arguments: the gradient of what only points is an owning tensor") {
    std::vector<double> v{1, 2, 3, 4, 5, 6};
    expect_itself<ad::tensor<double, dyn>>(std::span<double const>(v));
    expect_itself<ad::tensor<double, 3>>(std::span<double, 3>(v.data(), 3));
    expect_itself<ad::tensor<double, dyn, 3>>(ad::view<double const, dyn, 3>(v.data(), 2));
}

TEST_CASE("arguments: the gradient of a number is a number") {
    auto const g = ad::grad<0, 1>([](auto x, auto y) { return x * x * sin(y); })(3.0, 0.5);
    static_assert(std::is_same_v<decltype(g), std::tuple<double, double> const>);
    CHECK(std::abs(std::get<0>(g) - 6 * std::sin(0.5)) < 1e-15);
    CHECK(std::abs(std::get<1>(g) - 9 * std::cos(0.5)) < 1e-15);
    auto const f = ad::grad<0>([](auto x) { return x * x; })(3.0f);
    static_assert(std::is_same_v<decltype(f), float const>);
    CHECK(f == 6.0f);
}

TEST_CASE("arguments: integers and flags come in beside what is differentiated") {
    std::vector<int> const count{1, 2, 3};
    ad::tensor<bool, 3> keep;
    keep(0) = keep(2) = true;
    auto const g = ad::grad<0>([](auto x, auto n, auto k) { return sum(where(k, x * ad::cast<double>(n), 0.0)); })(
        std::vector<double>{5, 6, 7}, count, keep);
    CHECK(g == std::vector<double>{1, 0, 3});
}

TEST_CASE("value_and_grad: gives a value and a gradient for structured bindings, and a tuple for several") {
    std::vector<double> const x{1, 2}, y{3, 4};
    auto [value, gradient] = ad::value_and_grad<0>([](auto a, auto b) { return sum(a * b); })(x, y);
    static_assert(std::is_same_v<decltype(value), double>);
    static_assert(std::is_same_v<decltype(gradient), std::vector<double>>);
    CHECK(value == 11);
    CHECK(gradient == y);
    auto [v, both] = ad::value_and_grad<1, 0>([](auto a, auto b) { return sum(a * b); })(x, y);
    auto [dy, dx] = both;
    CHECK(v == 11);
    CHECK(dy == x);
    CHECK(dx == y);
}

TEST_CASE("grad: the default is the first argument") {
    CHECK(ad::grad([](auto a, auto b) { return sum(a * b); })(std::vector<double>{1}, std::vector<double>{7}) ==
          std::vector<double>{7});
}

TEST_CASE("evaluate: returns an array of the result's shape, or a number") {
    std::vector<double> const x{1, 2, 3};
    ad::tensor<double, 2, 1> const c{{10}, {20}};
    auto const y = ad::evaluate([](auto a, auto b) { return a + b; }, x, c);
    static_assert(std::is_same_v<decltype(y), ad::tensor<double, 2, dyn> const>);
    CHECK(y == ad::tensor<double, 2, 3>{{11, 12, 13}, {21, 22, 23}});
    auto const s = ad::evaluate([](auto a, auto b) { return sum(a + b); }, x, c);
    static_assert(std::is_same_v<decltype(s), double const>);
    CHECK(s == 102);
    auto const rows = ad::evaluate([](auto a, auto b) { return max<1>(a * b); }, x, c);
    CHECK(rows == ad::tensor<double, 2>{30, 60});
    auto const kept = ad::evaluate([](auto a, auto b) { return sum<0>(a * b, ad::keepdims); }, x, c);
    static_assert(std::is_same_v<decltype(kept), ad::tensor<double, 1, dyn> const>);
    CHECK(kept == ad::tensor<double, 1, 3>{{30, 60, 90}});
}
