// SPDX-License-Identifier: MIT
// Composite programs of the reference with gelu, label smoothing and layer_norm.

#include "programs/programs.hpp"

using namespace reference;

TEMPLATE_TEST_CASE("programs: a perceptron with gelu, smoothed labels and a penalty on the weights", "", double,
                   float) {
    mlp_gelu_smooth<TestType>("programs");
}

TEMPLATE_TEST_CASE("programs: a normalised layer beside a path past it", "", double, float) {
    residual_layer_norm<TestType>("programs");
}
