// SPDX-License-Identifier: MIT
// Products of products, transposed products, products used twice, reductions of products.

#include "ops/contract/product_expressions.hpp"

using namespace products;

TEST_CASE("transpose: of a product, and of both operands of one") {
    auto const a = random(matrix(5, 3)), b = random(matrix(3, 9));
    check([](auto x, auto y) { return transpose(matmul(x, y)); }, turned(plain(a, b)), a, b);
    check([](auto x, auto y) { return matmul(transpose(x), transpose(y)); }, plain(a, b), turned(a), turned(b));
}

TEST_CASE("matmul: a product is an operand of another, on either side") {
    auto const a = random(matrix(3, 4)), b = random(matrix(4, 5)), c = random(matrix(5, 2));
    check([](auto x, auto y, auto z) { return matmul(matmul(x, y), z); }, plain(plain(a, b), c), a, b, c);
    check([](auto x, auto y, auto z) { return matmul(x, matmul(y, z)); }, plain(a, plain(b, c)), a, b, c);
}

TEST_CASE("matmul: operands computed on the way, a bias and an activation afterwards") {
    auto const a = random(matrix(4, 3)), b = random(matrix(3, 6));
    auto const bias = random(vector(6));
    auto expected =
        plain(each(a, [](double v) { return std::tanh(v); }), each(b, [](double v) { return std::exp(v); }));
    for (std::size_t i = 0; i < 4; ++i)
        for (std::size_t j = 0; j < 6; ++j) expected(i, j) = std::tanh(expected(i, j) + bias(j));
    check([](auto x, auto y, auto z) { return tanh(matmul(tanh(x), exp(y)) + z); }, expected, a, b, bias);
}

TEST_CASE("matmul: a product used twice gets both cotangents") {
    auto const a = random(matrix(4, 3)), b = random(matrix(3, 5));
    check(
        [](auto x, auto y) {
            auto p = ad::let(matmul(x, y));
            return p * p + sin(p);
        },
        each(plain(a, b), [](double v) { return v * v + std::sin(v); }), a, b);
}

TEST_CASE("matmul: the sum of two products") {
    auto const x = random(matrix(4, 3)), w = random(matrix(3, 5)), h = random(matrix(4, 2)), u = random(matrix(2, 5));
    check([](auto a, auto b, auto c, auto d) { return matmul(a, b) + matmul(c, d); }, plus(plain(x, w), plain(h, u)), x,
          w, h, u);
}

TEST_CASE("matmul: a product plus its own transpose, and of a matrix with its own transpose") {
    auto const a = random(matrix(5, 3)), b = random(matrix(3, 5));
    check(
        [](auto x, auto y) {
            auto p = ad::let(matmul(x, y));
            return p + transpose(p);
        },
        plus(plain(a, b), turned(plain(a, b))), a, b);
    check([](auto x) { return matmul(x, transpose(x)); }, plain(a, turned(a)), a);
}

TEST_CASE("matmul: a softmax over the rows of a product") {
    auto const a = random(matrix(4, 3)), b = random(matrix(3, 7));
    check(
        [](auto x, auto y) {
            auto p = ad::let(matmul(x, y));
            auto e = ad::let(exp(p - stop_gradient(max<1>(p, ad::keepdims))));
            return e / sum<1>(e, ad::keepdims);
        },
        softmax_of_rows(plain(a, b)), a, b);
}

TEST_CASE("matmul: sums over the columns and over all of a product") {
    auto const a = random(matrix(6, 3)), b = random(matrix(3, 5));
    auto const p = plain(a, b);
    vector expected(5);
    double all = 0;
    for (std::size_t i = 0; i < 6; ++i)
        for (std::size_t j = 0; j < 5; ++j) expected(j) += p(i, j), all += p(i, j);
    for (auto& v : expected) v = v * v + all;
    check(
        [](auto x, auto y) {
            auto q = ad::let(matmul(x, y));
            return square(sum<0>(q)) + sum(q);
        },
        expected, a, b);
}
