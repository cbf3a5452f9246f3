// SPDX-License-Identifier: MIT
// jacobian, hessian and hessian_diagonal: against jvp, hvp and vjp, by the shapes that choose forward or reverse.

#include <tapeless/tapeless.hpp>

#include <cmath>
#include <vector>

#include "support/catch.hpp"

namespace ad = tapeless;
using ad::dyn;

namespace {

constexpr auto layer = [](auto x, auto w) { return tanh(matmul(w, x)); };
constexpr auto bowl = [](auto x) { return ad::logsumexp(x * x) * sum(ad::cumsum<0>(x)) + ad::prod(x); };
constexpr auto matrices = [](auto a) { return sum(square(matmul(a, transpose(a)))) + ad::max(a); };

template <class A>
A waves(A a, double k = 1) {
    for (auto& x : a) x = static_cast<std::remove_cvref_t<decltype(x)>>(0.8 * std::sin(k += 1.3));
    return a;
}
double largest(double a, double b) { return std::isnan(b) || b > a ? b : a; }

}  // namespace

TEST_CASE("jacobian: forward and reverse, static and run-time extents, are the jvp of every unit tangent") {
    ad::tensor<double, 3> const x = waves(ad::tensor<double, 3>{});
    ad::tensor<double, dyn, 3> const tall = waves(ad::tensor<double, dyn, 3>(5));
    ad::tensor<double, 2, 3> const flat = waves(ad::tensor<double, 2, 3>{});
    auto const forward = ad::jacobian<0>(layer)(x, tall);
    auto const reverse = ad::jacobian<0>(layer)(x, flat);
    static_assert(std::is_same_v<decltype(forward), ad::tensor<double, dyn, 3> const>);
    static_assert(std::is_same_v<decltype(reverse), ad::tensor<double, 2, 3> const>);
    double error = 0;
    for (std::size_t k = 0; k < 3; ++k) {
        ad::tensor<double, 3> unit{0, 0, 0};
        unit(k) = 1;
        auto const a = ad::jvp<0>(layer)(x, tall, unit).tangent;
        auto const b = ad::jvp<0>(layer)(x, flat, unit).tangent;
        for (std::size_t i = 0; i < 5; ++i) error = largest(error, std::abs(forward(i, k) - a(i)));
        for (std::size_t i = 0; i < 2; ++i) error = largest(error, std::abs(reverse(i, k) - b(i)));
    }
    CHECK(error < 1e-15);
    CHECK(ad::jacobian<0>(layer)(x, ad::tensor<double, dyn, 3>(0)).size() == 0);
}

TEST_CASE("jacobian: of arrays with several axes, the extents of the result come before those of the argument") {
    ad::tensor<double, 3> const x = waves(ad::tensor<double, 3>{});
    ad::tensor<double, 2, 3> const w = waves(ad::tensor<double, 2, 3>{}, 4);
    auto const j = ad::jacobian<1>(layer)(x, w);
    static_assert(std::is_same_v<decltype(j), ad::tensor<double, 2, 2, 3> const>);
    auto const y = ad::evaluate(layer, x, w);
    double error = 0;
    for (std::size_t i = 0; i < 2; ++i)
        for (std::size_t k = 0; k < 2; ++k)
            for (std::size_t m = 0; m < 3; ++m)
                error = largest(error, std::abs(j(i, k, m) - (i == k ? (1 - y(i) * y(i)) * x(m) : 0)));
    CHECK(error < 1e-15);
}

TEST_CASE("jacobian: of numbers, and of what does not depend on the argument") {
    CHECK(ad::jacobian([](auto x) { return x * x; })(3.0) == 6);
    CHECK(ad::jacobian<1>([](auto x, auto s) { return x * s; })(ad::tensor<float, 2>{3, 4}, 2.0f) ==
          ad::tensor<float, 2>{3, 4});
    CHECK(ad::jacobian([](auto x) { return sum(x * x); })(std::vector<double>{1, 2}) == ad::tensor<double, dyn>{2, 4});
    CHECK(ad::jacobian<1>([](auto x, auto) { return x; })(ad::tensor<double, 2>{3, 4}, 2.0) ==
          ad::tensor<double, 2>{0, 0});
}

TEMPLATE_TEST_CASE("hessian: symmetric, its products are those of hvp, its diagonal is hessian_diagonal", "", double,
                   float) {
    using T = TestType;
    std::vector<T> const x = waves(std::vector<T>(5)), v = waves(std::vector<T>(5), 7);
    auto const h = ad::hessian(bowl)(x);
    static_assert(std::is_same_v<decltype(h), ad::tensor<T, dyn, dyn> const>);
    auto const hv = ad::hvp(bowl)(x, v);
    std::vector<T> const d = ad::hessian_diagonal(bowl)(x);
    double asymmetry = 0, error = 0, size = 0;
    for (std::size_t i = 0; i < 5; ++i) {
        double row = 0;
        for (std::size_t j = 0; j < 5; ++j) {
            row += double(h(i, j)) * double(v[j]);
            size = largest(size, std::abs(double(h(i, j))));
            asymmetry = largest(asymmetry, std::abs(double(h(i, j) - h(j, i))));
        }
        error = largest(error, std::abs(row - double(hv[i])));
        error = largest(error, std::abs(double(d[i] - h(i, i))));
    }
    double const rounding = sizeof(T) == 8 ? 1e-14 : 1e-5;
    CHECK(size > 0.1);
    CHECK(asymmetry < rounding * size);
    CHECK(error < rounding * size);
}

TEST_CASE("hessian: of a matrix, with the argument's extents twice; and inside a traced function") {
    ad::tensor<double, 2, 3> const a = waves(ad::tensor<double, 2, 3>{}), v = waves(ad::tensor<double, 2, 3>{}, 9);
    auto const h = ad::hessian(matrices)(a);
    static_assert(std::is_same_v<decltype(h), ad::tensor<double, 2, 3, 2, 3> const>);
    auto const hv = ad::hvp(matrices)(a, v);
    double error = 0, trace = 0;
    for (std::size_t i = 0; i < 6; ++i) {
        double row = 0;
        for (std::size_t j = 0; j < 6; ++j) row += h.data()[6 * i + j] * v.data()[j];
        error = largest(error, std::abs(row - hv.data()[i]));
        trace += h.data()[7 * i];
    }
    CHECK(error < 1e-13);
    CHECK(std::abs(ad::evaluate([](auto x) { return sum(ad::hessian_diagonal(matrices)(x)); }, a) - trace) < 1e-12);
}

TEST_CASE("hessian: third derivatives by composing, and Jacobians of every item of a batch") {
    ad::tensor<double, 3> const x{1, 2, 3};
    auto const cubes = [](auto y) { return sum(y * y * y) * sum(y); };
    auto const third = ad::jacobian(ad::hessian(cubes))(x);  // d3/dxi dxj dxk
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j)
            for (std::size_t k = 0; k < 3; ++k) {
                double expected = i == j && j == k ? 6 * (1 + 2 + 3) : 0;
                if (j == k) expected += 6 * x(j);
                if (i == k) expected += 6 * x(i);
                if (i == j) expected += 6 * x(i);
                CHECK(third(i, j, k) == expected);
            }
    ad::tensor<double, 4, 3> const xs = waves(ad::tensor<double, 4, 3>{});
    ad::tensor<double, 2, 3> const w = waves(ad::tensor<double, 2, 3>{}, 5);
    auto const all = ad::vmap<0, ad::whole>(ad::jacobian<0>(layer))(xs, w);
    double error = 0;
    for (std::size_t n = 0; n < 4; ++n) {
        auto const one = ad::jacobian<0>(layer)(ad::tensor<double, 3>{xs(n, 0), xs(n, 1), xs(n, 2)}, w);
        for (std::size_t i = 0; i < 2; ++i)
            for (std::size_t k = 0; k < 3; ++k) error = largest(error, std::abs(all(n, i, k) - one(i, k)));
    }
    CHECK(error < 1e-15);
}
