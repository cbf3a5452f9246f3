// SPDX-License-Identifier: MIT
// Matrix products, and what is done to their elements.

#include "large/run_large.hpp"

using namespace reference;

namespace {
using numbers_4d = shape_pattern<run, run, run, run>;
constexpr auto product = [](auto a, auto b) { return matmul(a, b); };
}  // namespace

TEST_CASE("large: matmul of matrices, vectors and batches") {
    CHECK(run_large_if<double, matrix, matrix, matrix>(product, "matmul") +
              run_large_if<double, cube, cube, matrix>(product, "matmul") +
              run_large_if<double, vector, matrix, vector>(product, "matmul") +
              run_large_if<double, scalar, vector, vector>(product, "matmul") +
              run_large_if<double, vector, vector, matrix>(product, "matmul") +
              run_large_if<double, numbers_4d, shape_pattern<run, 1, run, run>, cube>(product, "matmul") ==
          count_in_file("large", "matmul"));
    CHECK(run_large_if<float, matrix, matrix, matrix>(product, "matmul") +
              run_large_if<float, scalar, vector, vector>(product, "matmul") ==
          count_in_file("large_f32", "matmul"));
}

TEMPLATE_TEST_CASE("large: linear, and a product summed over a batch", "", double, float) {
    run_large<TestType, cube, cube, matrix, vector>([](auto x, auto w, auto b) { return linear(x, w, b); }, "linear");
    run_large<TestType, matrix, cube, cube>([](auto a, auto b) { return ad::einsum<"bij,bjk->ik">(a, b); }, "einsum",
                                            [](test_case& c) { REQUIRE(c.word("equation") == "bij,bjk->ik"); });
}

TEMPLATE_TEST_CASE("large: attention of one head", "", double, float) {
    run_large<TestType, matrix, matrix, matrix, matrix>(
        [](auto q, auto k, auto v) { return matmul(softmax(matmul(q, transpose(k)) * 0.5), v); }, "attention",
        [](test_case& c) { REQUIRE(c.number("scale") == 0.5); });
}
