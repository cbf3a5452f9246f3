// SPDX-License-Identifier: MIT
// Composite programs over more rows than a block has.

#include "programs/programs.hpp"

using namespace reference;

TEMPLATE_TEST_CASE("large: softmax regression", "", double, float) { softmax_regression<TestType>("large"); }
TEMPLATE_TEST_CASE("large: an embedding and a classifier", "", double, float) {
    embedding_classifier<TestType>("large");
}
TEMPLATE_TEST_CASE("large: contrasts of normalised rows", "", double, float) { info_nce<TestType>("large"); }
TEMPLATE_TEST_CASE("large: three layers with tanh", "", double, float) { mlp_tanh_mse<TestType>("large"); }
TEMPLATE_TEST_CASE("large: a perceptron with gelu", "", double, float) { mlp_gelu_smooth<TestType>("large"); }
TEMPLATE_TEST_CASE("large: mean and variance both predicted", "", double, float) { heteroscedastic<TestType>("large"); }
