// SPDX-License-Identifier: MIT
// Products of every pair of ranks, a perceptron, and second derivatives, against central differences.

#include "ops/contract/product_expressions.hpp"

using namespace products;

namespace {

/// Every pair of ranks from 1 to 3 on the left (a) and on the right (b), by one function of one tree.
constexpr auto all_pairs = [](auto const& operands) {
    auto const& [a1, a2, a3, b1, b2, b3] = operands;
    return sin(matmul(a1, b1)) + sum(sin(matmul(a1, b2))) + sum(sin(matmul(a1, b3))) + sum(sin(matmul(a2, b1))) +
           sum(sin(matmul(a2, b2))) + sum(sin(matmul(a2, b3))) + sum(sin(matmul(a3, b1))) + sum(sin(matmul(a3, b2))) +
           sum(sin(matmul(a3, b3)));
};
/// Two layers, the second without a bias, and a penalty.
constexpr auto perceptron = [](auto const& weights, auto x, auto y) {
    auto const& [w1, b1, w2] = weights;
    auto const error = ad::let(linear(tanh(linear(x, w1, b1)), w2) - y);
    return mean(square(error)) + 0.1 * dot(b1, b1) + 0.1 * sum(square(outer(b1, b1)));
};
constexpr auto energy = [](auto w, auto x) { return sum(square(tanh(matmul(x, w)))); };

void expect_passed(ad::gradient_report const& r, std::size_t count) {
    INFO("argument " << r.worst_argument << ", array " << r.worst_array << ", element " << r.worst_element << ": "
                     << r.worst_gradient << ", difference " << r.worst_difference);
    CHECK(r.passed);
    CHECK(r.checked == count);
}

}  // namespace

TEST_CASE("central differences: matmul of every pair of ranks") {
    std::tuple const operands(random(vector(3)), random(matrix(5, 3)), random(cube(2, 5, 3)),  // on the left
                              random(vector(3)), random(matrix(3, 4)), random(cube(2, 3, 4)));
    expect_passed(ad::check_gradient<0>(all_pairs, operands), 3 + 15 + 30 + 3 + 12 + 24);
}

TEST_CASE("central differences: a perceptron of linear layers, dot and outer") {
    std::tuple const weights(random(matrix(5, 3)), random(vector(5)), random(matrix(2, 5)));
    expect_passed(ad::check_gradient<0>(perceptron, weights, random(matrix(7, 3)), random(matrix(7, 2))), 15 + 5 + 10);
}

TEST_CASE("hvp: the Hessian of a function of a product times a vector is the difference of two gradients") {
    auto const w = random(matrix(3, 4)), x = random(matrix(5, 3)), v = random(matrix(3, 4));
    auto const product = ad::hvp<0>(energy)(w, x, v);
    REQUIRE(product.extents() == w.extents());
    auto gradient = ad::grad<0>(energy);
    double const h = 1e-5;
    auto moved = [&](double by) {
        matrix m = w;
        for (std::size_t i = 0; i < m.size(); ++i) m.data()[i] += by * v.data()[i];
        return gradient(m, x);
    };
    auto const up = moved(h), down = moved(-h);
    for (std::size_t i = 0; i < w.size(); ++i)
        CHECK(std::abs(product.data()[i] - (up.data()[i] - down.data()[i]) / (2 * h)) < 1e-8);
}
