// SPDX-License-Identifier: MIT
// The reference program that learns an embedding: rows of a table, averaged, classified.

#include "programs/programs.hpp"

using namespace reference;

TEMPLATE_TEST_CASE("programs: embedding_classifier", "", double, float) { embedding_classifier<TestType>("programs"); }
