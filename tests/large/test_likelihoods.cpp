// SPDX-License-Identifier: MIT
// Composite programs over more rows than a block has: kernels, mixtures, normalised columns and rows.

#include "programs/programs.hpp"

using namespace reference;

TEMPLATE_TEST_CASE("large: kernel regression", "", double, float) { kernel_regression<TestType>("large"); }
TEMPLATE_TEST_CASE("large: a mixture of Gaussians", "", double, float) { gaussian_mixture<TestType>("large"); }
TEMPLATE_TEST_CASE("large: logsumexp of logsumexp of a product", "", double, float) {
    logsumexp_chain<TestType>("large");
}
TEMPLATE_TEST_CASE("large: a regression on normalised columns", "", double, float) {
    normalised_regression<TestType>("large");
}
TEMPLATE_TEST_CASE("large: a layer beside a path past it", "", double, float) {
    residual_layer_norm<TestType>("large");
}
