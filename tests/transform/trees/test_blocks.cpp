// SPDX-License-Identifier: MIT
// Jacobians and Hessians by several arrays and by trees: blocks.

#include <tapeless/tapeless.hpp>

#include <cmath>
#include <tuple>

#include "support/catch.hpp"

namespace ad = tapeless;

namespace {

template <template <class, auto...> class Tensor>
struct Line {
    Tensor<double, 2> slope;
    Tensor<double> offset;
};

constexpr auto line = [](auto const& l, auto x) { return exp(l.slope[0] * x) * l.offset + l.slope[1] * square(x); };
constexpr auto bowl = [](auto const& l, auto x) { return sum(line(l, x) * x); };

}  // namespace

TEST_CASE("blocks: the Jacobian by several arguments and by a tree") {
    Line<ad::tensor> l{.slope = {0.3, -0.7}, .offset = 1.5};
    ad::tensor<double, 3> x{0.5, -1, 2};
    auto const j = ad::jacobian<0, 1>(line)(l, x);
    auto const& [by_line, by_x] = j;
    auto const& [by_slope, by_offset] = by_line;
    static_assert(std::is_same_v<std::remove_cvref_t<decltype(by_slope)>, ad::tensor<double, 3, 2>>);
    static_assert(std::is_same_v<std::remove_cvref_t<decltype(by_offset)>, ad::tensor<double, 3>>);
    static_assert(std::is_same_v<std::remove_cvref_t<decltype(by_x)>, ad::tensor<double, 3, 3>>);
    for (int i = 0; i < 3; ++i) {
        double const e = std::exp(0.3 * x(i));
        CHECK(by_slope(i, 0) == Approx(x(i) * e * 1.5));
        CHECK(by_slope(i, 1) == Approx(x(i) * x(i)));
        CHECK(by_offset(i) == Approx(e));
        for (int k = 0; k < 3; ++k) CHECK(by_x(i, k) == Approx(i == k ? 0.3 * e * 1.5 - 1.4 * x(i) : 0).margin(1e-15));
    }
    // a scalar: reverse mode for all at once
    auto const [g, gx] = ad::jacobian<0, 1>(bowl)(l, x);
    auto const [want, want_x] = ad::grad<0, 1>(bowl)(l, x);
    CHECK(std::get<0>(g)(1) == Approx(want.slope(1)));
    CHECK(std::get<1>(g) == Approx(static_cast<double>(want.offset)));
    CHECK(gx(2) == Approx(want_x(2)));
}

TEST_CASE("blocks: the Hessian by several arguments and by a tree is rows of blocks") {
    Line<ad::tensor> l{.slope = {0.3, -0.7}, .offset = 1.5};
    ad::tensor<double, 3> x{0.5, -1, 2};
    auto const h = ad::hessian<0, 1>(bowl)(l, x);
    auto gradient = ad::grad<0, 1>(bowl);
    auto const& [line_row, x_row] = h;
    auto const& [slope_row, offset_row] = line_row;
    auto const& [slope_line, slope_x] = slope_row;
    static_assert(std::is_same_v<std::remove_cvref_t<decltype(std::get<0>(slope_line))>, ad::tensor<double, 2, 2>>);
    static_assert(std::is_same_v<std::remove_cvref_t<decltype(slope_x)>, ad::tensor<double, 2, 3>>);
    for (int k = 0; k < 3; ++k) {  // by central differences of the gradient
        auto up = x, down = x;
        up(k) += 1e-5, down(k) -= 1e-5;
        auto const [gu, gxu] = gradient(l, up);
        auto const [gd, gxd] = gradient(l, down);
        for (int i = 0; i < 2; ++i) {
            CHECK(slope_x(i, k) == Approx((gu.slope(i) - gd.slope(i)) / 2e-5));
            CHECK(std::get<0>(std::get<0>(x_row))(k, i) == slope_x(i, k));
        }
        CHECK(std::get<1>(offset_row)(k) == Approx((gu.offset - gd.offset) / 2e-5));
        for (int i = 0; i < 3; ++i) CHECK(std::get<1>(x_row)(i, k) == Approx((gxu(i) - gxd(i)) / 2e-5).margin(1e-9));
    }
    for (int k = 0; k < 2; ++k) {
        auto up = l, down = l;
        up.slope(k) += 1e-5, down.slope(k) -= 1e-5;
        auto const gu = std::get<0>(gradient(up, x)), gd = std::get<0>(gradient(down, x));
        for (int i = 0; i < 2; ++i)
            CHECK(std::get<0>(slope_line)(i, k) == Approx((gu.slope(i) - gd.slope(i)) / 2e-5).margin(1e-9));
        CHECK(std::get<0>(std::get<0>(offset_row))(k) == Approx((gu.offset - gd.offset) / 2e-5).margin(1e-9));
    }
    CHECK(std::get<1>(std::get<0>(offset_row)) == 0);  // linear in the offset
    auto const single = ad::hessian<1>(bowl)(l, x);
    CHECK(single(0, 0) == Approx(std::get<1>(x_row)(0, 0)));
}
