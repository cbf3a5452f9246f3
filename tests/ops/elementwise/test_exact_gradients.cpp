// SPDX-License-Identifier: MIT
// Small gradients that are known exactly: broadcasting undone, counts, ties, NaN, results that are arguments.

#include <tapeless/tapeless.hpp>

#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "support/catch.hpp"

namespace ad = tapeless;
using ad::dyn;

namespace {
double const not_a_number = std::numeric_limits<double>::quiet_NaN();
using doubles = std::vector<double>;
}  // namespace

TEST_CASE("sum: the gradient of a broadcast operand has the operand's shape") {
    ad::tensor<double, 2, 1, 4> a;
    ad::tensor<double, 3, 1> b;
    ad::tensor<double, 1> c;
    auto const [ga, gb, gc] = ad::grad<0, 1, 2>([](auto x, auto y, auto z) { return sum(x + y + 2.0 * z); })(a, b, c);
    static_assert(std::is_same_v<std::remove_cvref_t<decltype(ga)>, ad::tensor<double, 2, 1, 4>>);
    static_assert(std::is_same_v<std::remove_cvref_t<decltype(gb)>, ad::tensor<double, 3, 1>>);
    static_assert(std::is_same_v<std::remove_cvref_t<decltype(gc)>, ad::tensor<double, 1>>);
    for (double v : ga) CHECK(v == 3);
    for (double v : gb) CHECK(v == 8);
    CHECK(gc(0) == 48);
}

TEST_CASE("sum: the gradient of a number counts the elements it was stretched over") {
    ad::tensor<double, dyn, 5> const b(7);
    auto const [ga, gb] = ad::grad<0, 1>([](auto x, auto y) { return sum(x + y); })(1.0, b);
    CHECK(ga == 35);
    for (double v : gb) CHECK(v == 1);
    ad::tensor<double, dyn, 5> const none(0);
    CHECK(ad::grad<0>([](auto x, auto y) { return sum(x * 2.0 + y); })(1.0, none) == 0);
}

TEST_CASE("mean: divides by the reduced extents only") {
    ad::tensor<double, dyn, 3, dyn> x(2, 4);
    auto const g = ad::grad<0>([](auto v) { return sum(mean<1, 2>(v)); })(x);
    for (double v : g) CHECK(v == 1.0 / 12);
    auto const h = ad::grad<0>([](auto v) { return sum(mean<0>(v, ad::keepdims)); })(x);
    for (double v : h) CHECK(v == 0.5);
}

TEST_CASE("mean: of stretched values divides by the stretched extents") {
    ad::tensor<double, 3, 1> const a{{1}, {2}, {3}};
    ad::tensor<double, 4> const b{1, 1, 1, 1};
    auto const [ga, gb] = ad::grad<0, 1>([](auto x, auto y) { return mean(x * y); })(a, b);
    for (double v : ga) CHECK(std::abs(v - 4.0 / 12) < 1e-16);
    for (double v : gb) CHECK(std::abs(v - 6.0 / 12) < 1e-16);
}

TEST_CASE("max and min: ties share the gradient equally, row by row") {
    ad::tensor<double, 2, 4> const x{{1, 3, 3, 3}, {5, 0, 5, 0}};
    auto const g = ad::grad<0>([](auto v) { return sum(max<1>(v)); })(x);
    CHECK(g == ad::tensor<double, 2, 4>{{0, 1.0 / 3, 1.0 / 3, 1.0 / 3}, {0.5, 0, 0.5, 0}});
    auto const h = ad::grad<0>([](auto v) { return min(v) * 3.0; })(x);
    CHECK(h == ad::tensor<double, 2, 4>{{0, 0, 0, 0}, {0, 1.5, 0, 1.5}});
}

TEST_CASE("max and min: NaN comes through wherever it stands, in rows and in columns") {
    for (std::size_t where = 0; where < 11; ++where) {
        doubles x{3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5};
        x[where] = not_a_number;
        INFO("position " << where);
        CHECK(std::isnan(ad::evaluate([](auto v) { return max(v); }, x)));
        CHECK(std::isnan(ad::evaluate([](auto v) { return min(v); }, x)));
    }
    ad::tensor<double, 3, 2> const y{{1, 2}, {not_a_number, 3}, {0, 4}};
    auto const columns = ad::evaluate([](auto v) { return max<0>(v); }, y);
    CHECK(std::isnan(columns(0)));
    CHECK(columns(1) == 4);
    auto const rows = ad::evaluate([](auto v) { return min<1>(v); }, y);
    CHECK(rows(0) == 1);
    CHECK(std::isnan(rows(1)));
    CHECK(rows(2) == 0);
}

TEST_CASE("max: of negative numbers and of infinities") {
    double const inf = std::numeric_limits<double>::infinity();
    CHECK(ad::evaluate([](auto v) { return max(v); }, doubles{-5, -3, -4}) == -3);
    CHECK(ad::evaluate([](auto v) { return max(v); }, doubles{-inf, -inf, -inf}) == -inf);
    CHECK(ad::evaluate([](auto v) { return min(v); }, doubles{inf, inf, inf, 5, inf}) == 5);
}

TEST_CASE("grad: an argument that is not used, or only compared, has a gradient of zeros") {
    doubles const x{1, 2, 3}, y{2, 2, 2, 2};
    auto const [gx, gy] = ad::grad<0, 1>([](auto a, auto) { return sum(a * a); })(x, y);
    CHECK(gx == doubles{2, 4, 6});
    CHECK(gy == doubles{0, 0, 0, 0});
    auto const [ga, gb] = ad::grad<0, 1>([](auto a, auto b) { return sum(where(a > b, a, 0.0)); })(x, doubles{2, 2, 2});
    CHECK(ga == doubles{0, 0, 1});
    CHECK(gb == doubles{0, 0, 0});
}

TEST_CASE("grad: several results may be one and the same value") {
    doubles const x{1, 2, 3}, y{4, 5, 6};
    auto const [gx, gy] = ad::grad<0, 1>([](auto a, auto b) { return sum(a + b); })(x, y);
    CHECK(gx == doubles{1, 1, 1});
    CHECK(gy == doubles{1, 1, 1});
    auto const [hx, hy] = ad::grad<0, 1>([](auto a, auto b) { return sum(exp(a + b)); })(doubles{0}, doubles{0});
    CHECK(hx == doubles{1});
    CHECK(hy == doubles{1});
    auto const [one, again] = ad::grad<0, 0>([](auto a) { return sum(a * a); })(x);
    CHECK(one == doubles{2, 4, 6});
    CHECK(again == one);
}

TEST_CASE("grad: a result may be an argument itself, a constant, or the value") {
    doubles const x{1, 2, 3}, y{4, 5, 6};
    auto const [gx, gy] = ad::grad<0, 1>([](auto a, auto b) { return sum(a * b); })(x, y);
    CHECK(gx == y);
    CHECK(gy == x);
    auto const [value, g] = ad::value_and_grad<0>([](auto a) { return a; })(3.0);
    CHECK(value == 3);
    CHECK(g == 1);
    auto const [e, de] = ad::value_and_grad<0>([](auto a) { return exp(a); })(0.0);
    CHECK(e == 1);
    CHECK(de == 1);
}

TEST_CASE("evaluate: an argument comes back as a copy, a stretched number as an array") {
    doubles const x{1, 2, 3};
    auto const same = ad::evaluate([](auto a) { return +a; }, x);
    CHECK(std::equal(same.begin(), same.end(), x.begin(), x.end()));
    auto const zeros = ad::evaluate([](auto a) { return pow(a, 0); }, x);
    CHECK(zeros == ad::tensor<double, 3>{1, 1, 1});
}

TEST_CASE("pow: the exponent 0 gives 1 and gradient 0, also at 0; whole exponents take negative bases") {
    doubles const x{-2, 0, 3};
    auto const [v0, g0] = ad::value_and_grad<0>([](auto a) { return sum(pow(a, 0.0)); })(x);
    CHECK(v0 == 3);
    CHECK(g0 == doubles{0, 0, 0});
    CHECK(ad::grad<0>([](auto a) { return sum(pow(a, 1)); })(x) == doubles{1, 1, 1});
    CHECK(ad::grad<0>([](auto a) { return sum(pow(a, 2)); })(x) == doubles{-4, 0, 6});
    CHECK(ad::grad<0>([](auto a) { return sum(pow(a, 3)); })(x) == doubles{12, 0, 27});
}

TEST_CASE("zero lengths: sums are 0, gradients are empty") {
    ad::tensor<double, dyn, dyn> const none(0, 3), empty_rows(2, 0);
    auto const [v, g] = ad::value_and_grad<0>([](auto a) { return sum(exp(a)) + 1.0; })(none);
    CHECK(v == 1);
    CHECK(ad::evaluate([](auto a) { return 2.0 + sum(a); }, std::vector<double>{}) == 2);
    CHECK(g.extent(0) == 0);
    CHECK(g.extent(1) == 3);
    auto const [w, d] = ad::value_and_grad<1>([](auto a, auto s) { return sum(a * s) + s * s; })(empty_rows, 3.0);
    CHECK(w == 9);
    CHECK(d == 6);
    auto const rows = ad::evaluate([](auto a) { return sum<1>(a); }, empty_rows);
    CHECK(rows == ad::tensor<double, 2>{0, 0});
    auto const columns = ad::evaluate([](auto a) { return sum<0>(a); }, none);
    CHECK(columns == ad::tensor<double, 3>{0, 0, 0});
}
