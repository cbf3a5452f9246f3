// SPDX-License-Identifier: MIT
// Stacks of products: permuted operands and results, reductions over the batch, attention over several heads.

#include "ops/contract/product_expressions.hpp"

using namespace products;

namespace {

/// Matrix i, or i and j, of a stack, its axes in memory where `axis` says.
matrix slice(cube const& x, std::size_t i) {
    matrix m(x.extent(1), x.extent(2));
    for (std::size_t r = 0; r < m.extent(0); ++r)
        for (std::size_t c = 0; c < m.extent(1); ++c) m(r, c) = x(i, r, c);
    return m;
}
/// Head h of batch b of an array of shape (batch, position, head, feature).
matrix head(heads const& x, std::size_t b, std::size_t h) {
    matrix m(x.extent(1), x.extent(3));
    for (std::size_t r = 0; r < m.extent(0); ++r)
        for (std::size_t c = 0; c < m.extent(1); ++c) m(r, c) = x(b, r, h, c);
    return m;
}

}  // namespace

TEST_CASE("matmul: sums over the batch of a product, and means over it of one with a shared operand") {
    auto const a = random(cube(3, 4, 2)), b = random(cube(3, 2, 5));
    auto const shared = random(matrix(2, 5));
    matrix summed(4, 5), averaged(4, 5);
    for (std::size_t i = 0; i < 3; ++i) {
        summed = plus(summed, plain(slice(a, i), slice(b, i)));
        averaged = plus(averaged, each(plain(slice(a, i), shared), [](double v) { return v / 3; }));
    }
    check([](auto x, auto y) { return sum<0>(matmul(x, y)); }, summed, a, b);
    check([](auto x, auto y) { return mean<0>(matmul(x, y)); }, averaged, a, shared);
}

TEST_CASE("permute: axes of a stack in another order, before a product and after it") {
    auto const a = random(cube(4, 3, 2)), b = random(cube(2, 3, 5));  // (m, batch, k) and (k, batch, n)
    cube expected(5, 4, 3);                                          // (n, m, batch)
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t m = 0; m < 4; ++m)
            for (std::size_t n = 0; n < 5; ++n)
                for (std::size_t k = 0; k < 2; ++k) expected(n, m, i) += a(m, i, k) * b(k, i, n);
    check([](auto x, auto y) { return permute<2, 1, 0>(matmul(permute<1, 0, 2>(x), permute<1, 0, 2>(y))); }, expected,
          a, b);
}

TEST_CASE("permute: alone, and with axes counted from the end, gradients go back by the inverse permutation") {
    auto const x = random(cube(2, 3, 4));
    cube expected(4, 2, 3);
    for (std::size_t i = 0; i < 2; ++i)
        for (std::size_t j = 0; j < 3; ++j)
            for (std::size_t k = 0; k < 4; ++k) expected(k, i, j) = x(i, j, k) * x(i, j, k);
    check([](auto a) { return permute<2, -3, 1>(square(a)); }, expected, x);
}

TEST_CASE("matmul: attention over several heads, every head in its own place of the arrays") {
    auto const q = random(heads(2, 3, 2, 5)), k = random(heads(2, 4, 2, 5)), v = random(heads(2, 4, 2, 3));
    heads expected(2, 3, 2, 3);
    for (std::size_t b = 0; b < 2; ++b)
        for (std::size_t h = 0; h < 2; ++h) {
            auto const y = plain(softmax_of_rows(plain(head(q, b, h), turned(head(k, b, h)))), head(v, b, h));
            for (std::size_t i = 0; i < 3; ++i)
                for (std::size_t j = 0; j < 3; ++j) expected(b, i, h, j) = y(i, j);
        }
    check(
        [](auto a, auto b, auto c) {
            auto s = ad::let(matmul(permute<0, 2, 1, 3>(a), permute<0, 2, 3, 1>(b)));
            auto e = ad::let(exp(s - stop_gradient(max<-1>(s, ad::keepdims))));
            auto weights = ad::let(e / sum<-1>(e, ad::keepdims));
            return permute<0, 2, 1, 3>(matmul(weights, permute<0, 2, 1, 3>(c)));
        },
        expected, q, k, v);
}
