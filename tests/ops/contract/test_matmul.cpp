// SPDX-License-Identifier: MIT
// matmul of vectors and matrices against the reference; dot and outer.

#include "ops/contract/product_cases.hpp"

using namespace reference;

namespace {
using one = shape_pattern<1>;
using one_one = shape_pattern<1, 1>;
using row = shape_pattern<1, run>;
using matrices = binary_pattern<matrix, matrix, matrix>;
using vectors = binary_pattern<vector, vector, scalar>;

constexpr auto product = [](auto a, auto b) { return matmul(a, b); };
constexpr auto dot_product = [](auto a, auto b) { return dot(a, b); };
constexpr auto outer_product = [](auto a, auto b) { return outer(a, b); };
}  // namespace

TEST_CASE("matmul: vectors and matrices give the reference's output and gradients") {
    CHECK(run_products<double, matrices, binary_pattern<matrix, vector, vector>, binary_pattern<vector, matrix, vector>,
                       vectors, binary_pattern<row, column, one_one>, binary_pattern<column, row, matrix>>(
              product, "matmul", has_no_batch) == 12);
}
TEST_CASE("matmul: vectors and matrices of float give the reference's output and gradients") {
    CHECK(run_products<float, matrices, vectors>(product, "matmul", has_no_batch) == 5);
}

TEMPLATE_TEST_CASE("dot: output and gradients are those of the reference", "", double, float) {
    run_products<TestType, vectors>(dot_product, "dot");
}
TEST_CASE("outer: output and gradients are those of the reference") {
    run_products<double, binary_pattern<vector, vector, matrix>, binary_pattern<vector, one, column>>(outer_product,
                                                                                                      "outer");
    run_products<float, binary_pattern<vector, vector, matrix>>(outer_product, "outer");
}
