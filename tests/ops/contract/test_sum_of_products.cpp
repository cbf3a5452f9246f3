// SPDX-License-Identifier: MIT
// A sum of products written by broadcasting is a matrix product where it is one, and only there.

#include "ops/contract/product_expressions.hpp"

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

TEST_CASE(
    "sum<0>(matmul(a, b)): what only one operand has is summed before the product or after it, the same comes out") {
    auto const a = random(matrix(6, 3)), b = random(matrix(3, 5));
    auto const p = plain(a, b);
    vector columns(5), rows(6);
    for (std::size_t i = 0; i < 6; ++i)
        for (std::size_t j = 0; j < 5; ++j) columns(j) += p(i, j), rows(i) += p(i, j) / 5;
    check([](auto x, auto y) { return sum<0>(matmul(x, y)); }, columns, a, b);
    check([](auto x, auto y) { return mean<1>(matmul(x, y)); }, rows, a, b);

    ad::tensor<double, dyn, dyn, 1, dyn> pile(2, 3, 3);  // of two matrices (3, 3)
    std::copy(a.begin(), a.end(), pile.begin());
    matrix both(3, 5);
    for (std::size_t i = 0; i < 6; ++i)
        for (std::size_t j = 0; j < 5; ++j) both(i % 3, j) += p(i, j);
    check([](auto x, auto y) { return sum<0, 3>(x * y); }, both, pile, turned(b));
}

TEST_CASE("sum(matmul(a, b)): a gradient that is the same everywhere needs sums, no product") {
    auto const a = random(matrix(6, 3)), b = random(matrix(3, 5));
    auto gradient = ad::grad<0, 1>([](auto x, auto y) { return sum(matmul(x, y)); });
    CHECK_FALSE(has_product(ad::explain(gradient, a, b)));
    auto const [da, db] = gradient(a, b);
    for (std::size_t k = 0; k < 3; ++k) {
        double row = 0, column = 0;
        for (std::size_t j = 0; j < 5; ++j) row += b(k, j);
        for (std::size_t i = 0; i < 6; ++i) column += a(i, k);
        for (std::size_t i = 0; i < 6; ++i) CHECK(std::abs(da(i, k) - row) < 1e-14);
        for (std::size_t j = 0; j < 5; ++j) CHECK(std::abs(db(k, j) - column) < 1e-14);
    }
}

TEST_CASE("einsum: of numbers that are stretched, their product times the length") {
    auto const f = [](auto x, auto y) { return ad::einsum<"i,i->">(ad::expand<4>(x), ad::expand<4>(y)); };
    auto const [value, grads] = ad::value_and_grad<0, 1>(f)(3.0, 5.0);
    CHECK(value == 60);
    CHECK(grads == std::tuple(20.0, 12.0));
}
