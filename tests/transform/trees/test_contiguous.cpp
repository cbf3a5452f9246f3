// SPDX-License-Identifier: MIT
// Views that are contiguous run as arrays do, others are walked as they lie: the same results, whatever the strides.

#include <tapeless/tapeless.hpp>

#include <array>
#include <cmath>
#include <vector>

#include "support/catch.hpp"

namespace ad = tapeless;

namespace {

using matrix = ad::view<double, ad::dyn, 3>;
using strides = std::array<std::ptrdiff_t, 2>;

constexpr auto loss = [](auto w, auto x) { return sum(exp(x) * w) + sum<1>(square(x))[0]; };

template <class V>
ad::tensor<double, ad::dyn, 3> copied(V const& v) {
    ad::tensor<double, ad::dyn, 3> t(v.extent(0));
    for (std::size_t i = 0; i < v.extent(0); ++i)
        for (std::size_t j = 0; j < 3; ++j) t(i, j) = v(i, j);
    return t;
}

}  // namespace

TEST_CASE("views: every kind of strides gives what a copy gives, and targets are written where they lie") {
    std::vector<double> memory(400);
    for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = std::sin(0.37 * static_cast<double>(i));
    double* const p = memory.data() + 100;
    ad::tensor<double, 3> const w{1, -2, 3};
    auto by_array = ad::value_and_grad<1>(loss);
    auto by_view = ad::value_and_grad<1>(loss);
    int const n = 17;
    matrix const views[] = {matrix(p, n),
                            matrix(p, n, strides{3, 1}),
                            matrix(p, n, strides{5, 1}),
                            matrix(p, n, strides{1, n}),
                            matrix(p, n, strides{6, 2}),
                            matrix(p + 60, n, strides{-3, 1}),
                            matrix(p, n, strides{3, 0}),
                            matrix(p, 1, strides{99, 1}),
                            matrix(p, 1, strides{3, 1})};
    for (matrix const& v : views) {
        auto const x = copied(v);
        auto const [want, g] = by_array(w, x);
        auto const [value, h] = by_view(w, v);
        CHECK(value == Approx(want).epsilon(1e-14));
        CHECK(h == g);
        for (strides const s : {strides{3, 1}, strides{4, 1}, strides{1, n}}) {
            std::vector<double> to(100, -7);
            matrix const target(to.data() + 5, static_cast<std::int64_t>(v.extent(0)), s);
            CHECK(by_view(ad::into(target), w, v) == Approx(want).epsilon(1e-14));
            CHECK(copied(target) == g);
            std::size_t untouched = 0;
            for (double t : to) untouched += t == -7;
            CHECK(untouched == 100 - g.size());
        }
    }
    CHECK(by_view(w, matrix(p, 1)).value == by_array(w, copied(matrix(p, 1))).value);
}

TEST_CASE("views: a target that lies over an argument, and trees of views") {
    std::vector<double> memory{1, 2, 3, 4, 5, 6};
    matrix const v(memory.data(), 2);
    auto f = ad::fused([](auto x) { return 2.0 * x + transpose(transpose(x)); });
    f(ad::into(v), v);
    CHECK(memory == std::vector<double>{3, 6, 9, 12, 15, 18});
    auto g = ad::grad<0>([](auto const& pair, auto x) { return sum(std::get<0>(pair) * x) * std::get<1>(pair); });
    std::tuple<ad::view<double, ad::dyn>, double> dense{ad::view<double, ad::dyn>(memory), 2.0},
        every_second{ad::view<double, ad::dyn>(memory.data(), 3, std::array<std::ptrdiff_t, 1>{2}), 2.0};
    auto const a = g(dense, std::vector<double>(6, 1.0));
    auto const b = g(every_second, std::vector<double>(3, 1.0));
    CHECK(std::get<0>(a)(5) == 2);
    CHECK(std::get<1>(a) == 63);
    CHECK(std::get<1>(b) == 3 + 9 + 15);
    CHECK_THROWS_AS(g(dense, std::vector<double>(5, 1.0)), ad::shape_error);
}
