// SPDX-License-Identifier: MIT
// Large products go to a CBLAS where TAPELESS_USE_CBLAS is defined, here to a stand-in that counts its calls; small
// ones and those it could not read stay.

#include <cmath>
#include <cstdint>

#include <tapeless/tapeless.hpp>

#include "cblas.h"
#include "support/catch.hpp"

namespace ad = tapeless;

namespace {
template <class T>
using matrix = ad::tensor<T, ad::dyn, ad::dyn>;

template <class T>
matrix<T> numbers(std::int64_t rows, std::int64_t columns, int seed) {
    auto m = matrix<T>::with_extents({rows, columns});
    T* p = m.data();
    for (std::int64_t i = 0; i < rows * columns; ++i) p[i] = static_cast<T>((i * 7 + seed) % 23 - 11) / T(8);
    return m;
}

/// The largest difference from the sums in double of left(i, k) * right(k, j).
template <class T, class L, class R>
double error(matrix<T> const& y, std::int64_t depth, L const& left, R const& right) {
    double worst = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(y.extent(0)); ++i)
        for (std::size_t j = 0; j < static_cast<std::size_t>(y.extent(1)); ++j) {
            double s = 0;
            for (std::size_t k = 0; k < static_cast<std::size_t>(depth); ++k)
                s += static_cast<double>(left(i, k)) * static_cast<double>(right(k, j));
            worst = std::fmax(worst, std::abs(s - static_cast<double>(y(i, j))));
        }
    return worst;
}
}  // namespace

TEMPLATE_TEST_CASE("cblas: a large product and its gradients are calls, in every form", "", float, double) {
    using T = TestType;
    auto a = numbers<T>(150, 140, 1), b = numbers<T>(140, 160, 2), x = numbers<T>(150, 160, 3);
    int const before = cblas_calls;
    auto y = ad::evaluate([](auto p, auto q) { return matmul(p, q); }, a, b);
    CHECK(cblas_calls == before + 1);
    CHECK(error(y, 140, a, b) < 1e-3);
    // the gradient of sum(x * (a b)) by a is x bᵀ, by b it is aᵀ x
    auto [ga, gb] = ad::grad<0, 1>([](auto p, auto q, auto w) { return sum(matmul(p, q) * w); })(a, b, x);
    CHECK(cblas_calls == before + 3);
    CHECK(error(ga, 160, x, [&](std::size_t k, std::size_t j) { return b(j, k); }) < 1e-3);
    CHECK(error(gb, 150, [&](std::size_t i, std::size_t k) { return a(k, i); }, x) < 1e-3);
}

TEST_CASE("cblas: bias and activation still run in the write-back") {
    auto a = numbers<float>(300, 140, 1), b = numbers<float>(140, 160, 2);
    auto bias = ad::tensor<float, ad::dyn>::with_extents({160});
    ad::fill(bias, 0.5f);
    int const before = cblas_calls;
    auto y = ad::evaluate([](auto p, auto q, auto c) { return relu(matmul(p, q) + c); }, a, b, bias);
    auto z = ad::evaluate([](auto p, auto q) { return matmul(p, q); }, a, b);
    CHECK(cblas_calls > before + 1);
    double worst = 0;
    for (std::size_t i = 0; i < 300; ++i)
        for (std::size_t j = 0; j < 160; ++j)
            worst = std::fmax(worst, static_cast<double>(std::abs(y(i, j) - std::fmax(z(i, j) + 0.5f, 0.0f))));
    CHECK(worst < 1e-4);
}

TEST_CASE("cblas: small products, and operands without a unit stride, stay") {
    auto a = numbers<double>(20, 20, 1);
    int const before = cblas_calls;
    auto y = ad::evaluate([](auto p, auto q) { return matmul(p, q); }, a, a);
    CHECK(error(y, 20, a, a) < 1e-12);
    auto b = numbers<double>(150, 300, 2), c = numbers<double>(150, 150, 3);
    ad::view<double, ad::dyn, ad::dyn> every_other(b.data(), 150, 150, std::array<std::ptrdiff_t, 2>{300, 2});
    auto z = ad::evaluate([](auto p, auto q) { return matmul(p, q); }, every_other, c);
    CHECK(cblas_calls == before);
    CHECK(error(z, 150, [&](std::size_t i, std::size_t k) { return b(i, 2 * k); }, c) < 1e-10);
}
