// SPDX-License-Identifier: MIT
// Attention over more positions than a block has rows.

#include "programs/attention_programs.hpp"

using namespace reference;

TEMPLATE_TEST_CASE("large: causal attention with one head", "", double, float) { attention_block<TestType>("large"); }
TEMPLATE_TEST_CASE("large: attention with several heads", "", double, float) {
    multi_head_attention<TestType>("large");
}
TEMPLATE_TEST_CASE("large: a layer of a transformer", "", double, float) { transformer_layer<TestType>("large"); }
