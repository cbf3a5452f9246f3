// SPDX-License-Identifier: MIT
// A sum of products written by broadcasting is a matrix product where it is one, and only there.

#include "ops/product_expressions.hpp"

using namespace products;

namespace {

bool has_product(std::string const& plan) { return plan.find("product") != std::string::npos; }

constexpr auto inner_products = [](auto a, auto b) { return sum<-1>(a * b); };

}  // namespace

TEST_CASE("sum<-1>(a * b): of a (m, 1, k) and b (n, k) is matmul(a, transpose(b)), and computed as a product") {
    auto const a = random(matrix(9, 17)), b = random(matrix(13, 17));
    ad::tensor<double, dyn, 1, dyn> column(9, 17);
    std::copy(a.begin(), a.end(), column.begin());
    auto const same = ad::evaluate([](auto x, auto y) { return matmul(x, transpose(y)); }, a, b);
    auto f = ad::fused(inner_products);
    CHECK(f(column, b) == same);
    auto const text = ad::explain(f, column, b);
    INFO(text);
    CHECK(has_product(text));
    CHECK(text.find("(9 x 17) x (17 x 13)") != std::string::npos);
    CHECK(decltype(f)::plan<decltype(column), matrix>().kernels() == 1);
}

TEST_CASE("sum<-1>(a * b): of equal shapes is a loop over rows, no product") {
    auto const a = random(matrix(4, 6)), b = random(matrix(4, 6));
    auto f = ad::fused(inner_products);
    CHECK_FALSE(has_product(ad::explain(f, a, b)));
    auto const y = f(a, b);
    for (std::size_t i = 0; i < 4; ++i) {
        double s = 0;
        for (std::size_t j = 0; j < 6; ++j) s += a(i, j) * b(i, j);
        CHECK(std::abs(y(i) - s) < 1e-14);
    }
}

TEST_CASE("outer and products with one number a side are no matrix products") {
    auto const a = random(vector(4)), b = random(vector(6));
    CHECK_FALSE(has_product(ad::explain(ad::fused([](auto x, auto y) { return outer(x, y); }), a, b)));
    CHECK_FALSE(has_product(ad::explain(ad::fused([](auto x, auto y) { return dot(x, x) + dot(y, y); }), a, b)));
}
