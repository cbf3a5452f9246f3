// SPDX-License-Identifier: MIT
// Axes of the composed reductions: all, several, negative ones, kept or dropped, of static shapes; and central
// differences.

#include <tapeless/tapeless.hpp>

#include <cmath>

#include "support/catch.hpp"

namespace ad = tapeless;
using ad::dyn;

namespace {

using cube = ad::tensor<double, 2, 3, 4>;

void fill(auto& x, double phase) {
    int i = 0;
    for (auto& v : x) {
        v = 1.0 + 0.5 * std::sin(1.9 * i + phase) + 0.01 * i;
        ++i;
    }
}

constexpr auto by_axes = [](auto x) {
    return std::tuple(prod<0, -1>(x), var<-2>(x, ad::keepdims, {.correction = 0}), std_dev<0, 2>(x, ad::keepdims),
                      logsumexp<2, 1>(x), norm<1>(x, ad::keepdims, 3), norm(x, ad::keepdims),
                      argmax<-1>(x, ad::keepdims), argmin<0>(x), max_with_index<1>(x, ad::keepdims), any<0, 1>(x > 1.4),
                      all(x > 0.4, ad::keepdims), softmax<1>(x), log_softmax<0>(x));
};

// every rule here is smooth
constexpr auto rows = [](auto x, auto w) {
    return sum((prod<1>(x) + std_dev<1>(x) + norm<1>(x, 3)) * w) + sum(logsumexp<1>(3.0 * x) * w) +
           sum(softmax(x) * square(x));
};
constexpr auto columns = [](auto x, auto w) {
    auto extreme = max_with_index<0>(x);
    return sum((var<0>(x) + norm<0>(x) + norm<0>(x, 0.5)) * w) + sum(softmax<0>(x) * square(x)) +
           sum(square(log_softmax<0>(x))) + sum(extreme.values * w);
};
constexpr auto curvature = [](auto x, auto w, auto v) { return sum(ad::grad<0>(rows)(x, w) * v); };

template <class F>
void check(F f, auto const&... x) {
    auto const report = ad::check_gradient<0>(f, x...);
    INFO("element " << report.worst_element << " is " << report.worst_gradient << ", difference "
                    << report.worst_difference);
    CHECK(report.passed);
}

}  // namespace

TEST_CASE("reductions: axes in any order, negative, kept as 1 or dropped, give these shapes and values") {
    cube x;
    fill(x, 0.3);
    auto const [product, variance, deviation, lse, cubic, length, largest, smallest, extreme, some, every,
                probabilities, logs] = ad::evaluate(by_axes, x);
    static_assert(std::is_same_v<decltype(product), ad::tensor<double, 3> const>);
    static_assert(std::is_same_v<decltype(variance), ad::tensor<double, 2, 1, 4> const>);
    static_assert(std::is_same_v<decltype(deviation), ad::tensor<double, 1, 3, 1> const>);
    static_assert(std::is_same_v<decltype(lse), ad::tensor<double, 2> const>);
    static_assert(std::is_same_v<decltype(length), ad::tensor<double, 1, 1, 1> const>);
    static_assert(std::is_same_v<decltype(largest), ad::tensor<std::int64_t, 2, 3, 1> const>);
    static_assert(std::is_same_v<decltype(every), ad::tensor<bool, 1, 1, 1> const>);
    auto close = [](double a, double b) { return std::abs(a - b) < 1e-12 * std::max(1.0, std::abs(b)); };
    double squares = 0, least = 9;
    for (double v : x) squares += v * v, least = std::min(least, v);
    CHECK(close(length(0, 0, 0), std::sqrt(squares)));
    CHECK(every(0, 0, 0) == (least > 0.4));
    for (int j = 0; j < 3; ++j) {
        double p = 1, s = 0, d = 0;
        for (int i = 0; i < 2; ++i)
            for (int k = 0; k < 4; ++k) p *= x(i, j, k), s += x(i, j, k) / 8;
        for (int i = 0; i < 2; ++i)
            for (int k = 0; k < 4; ++k) d += (x(i, j, k) - s) * (x(i, j, k) - s) / 7;
        CHECK(close(product(j), p));
        CHECK(close(deviation(0, j, 0), std::sqrt(d)));
    }
    for (int i = 0; i < 2; ++i) {
        double e = 0;
        for (int j = 0; j < 3; ++j)
            for (int k = 0; k < 4; ++k) {
                e += std::exp(x(i, j, k));
                CHECK(x(i, j, k) <= x(i, j, largest(i, j, 0)));
                CHECK(x(i, j, k) >= x(smallest(j, k), j, k));
                CHECK(std::get<0>(extreme)(i, 0, k) == x(i, std::get<1>(extreme)(i, 0, k), k));
            }
        CHECK(close(lse(i), std::log(e)));
        for (int k = 0; k < 4; ++k) {
            double m = 0, v = 0, c = 0, q = 0;
            for (int j = 0; j < 3; ++j) m += x(i, j, k) / 3, c += std::pow(x(i, j, k), 3), q += std::exp(x(i, j, k));
            for (int j = 0; j < 3; ++j) v += (x(i, j, k) - m) * (x(i, j, k) - m) / 3;
            CHECK(close(variance(i, 0, k), v));
            CHECK(close(cubic(i, 0, k), std::cbrt(c)));
            for (int j = 0; j < 3; ++j) {
                CHECK(close(probabilities(i, j, k), std::exp(x(i, j, k)) / q));
                CHECK(close(logs(i, j, k), x(i, j, k) - std::log(std::exp(x(0, j, k)) + std::exp(x(1, j, k)))));
            }
            bool above = false;
            for (int j = 0; j < 3; ++j) above = above || x(0, j, k) > 1.4 || x(1, j, k) > 1.4;
            CHECK(some(k) == above);
        }
    }
}

TEST_CASE("composed reductions: gradients and second derivatives agree with central differences") {
    for (std::size_t n : {1u, 2u, 3u})
        for (std::size_t m : {2u, 3u, 4u, 5u, 9u}) {
            INFO(n << " x " << m);
            ad::tensor<double, dyn, dyn> x(n, m), v(n, m), y(m, n);
            ad::tensor<double, dyn> w(n);
            fill(x, 0.1);
            fill(y, 0.9);
            fill(w, 0.7);
            fill(v, 2.0);
            check(rows, x, w);
            check(columns, y, w);
            check(curvature, x, w, v);
        }
}
