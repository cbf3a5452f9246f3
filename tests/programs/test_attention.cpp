// SPDX-License-Identifier: MIT
// Composite programs of the reference: attention with one head and with several, a layer of a transformer.

#include "programs/attention_programs.hpp"

using namespace reference;

TEMPLATE_TEST_CASE("programs: causal attention with one head", "", double, float) {
    attention_block<TestType>("programs");
}

TEMPLATE_TEST_CASE("programs: attention with several heads", "", double, float) {
    multi_head_attention<TestType>("programs");
}

TEMPLATE_TEST_CASE("programs: a layer of a transformer", "", double, float) { transformer_layer<TestType>("programs"); }
