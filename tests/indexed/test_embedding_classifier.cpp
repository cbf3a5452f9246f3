// SPDX-License-Identifier: MIT
// The reference program that learns an embedding: rows of a table, averaged, classified.

#include "programs/run_loss.hpp"

using namespace reference;

TEMPLATE_TEST_CASE("programs: embedding_classifier", "", double, float) {
    auto loss = [](auto table, auto index, auto w, auto b, auto target) {
        return ad::loss::cross_entropy(linear(mean<1>(embedding(table, index)), w, b), target);
    };
    run_loss<TestType, matrix, integers<matrix>, matrix, vector, integers<vector>>(loss, "embedding_classifier");
}
