// SPDX-License-Identifier: MIT
// Programs of the reference: matrices used several times, transposed operands, shared and separate weights of layers.

#include "graph/run_program.hpp"

using namespace reference;

TEMPLATE_TEST_CASE("programs: a matrix used three times in a product gets all cotangents", "", double, float) {
    run_program<TestType, matrix, matrix>([](auto a) { return matmul(matmul(a, a), transpose(a)); }, "reuse_matmul");
}

TEMPLATE_TEST_CASE("programs: both operands of a product transposed", "", double, float) {
    run_program<TestType, matrix, matrix, matrix>([](auto a, auto b) { return matmul(transpose(a), transpose(b)); },
                                                  "strided_matmul");
}

TEMPLATE_TEST_CASE("programs: a vector stretched three ways", "", double, float) {
    run_program<TestType, matrix, vector>([](auto a) { return outer(a, a) + a; }, "self_broadcast");
}

TEMPLATE_TEST_CASE("programs: one weight shared by three layers", "", double, float) {
    run_program<TestType, matrix, matrix, matrix>(
        [](auto x, auto w) {
            auto h = ad::let(tanh(matmul(x, w)));
            for (int i = 0; i < 2; ++i) h = ad::let(tanh(matmul(h, w)));
            return h;
        },
        "shared_weight");
}

TEMPLATE_TEST_CASE("programs: four layers, each with its own weight", "", double, float) {
    run_program<TestType, matrix, matrix, matrix, matrix, matrix, matrix>(
        [](auto x, auto w0, auto w1, auto w2, auto w3) {
            return tanh(matmul(tanh(matmul(tanh(matmul(tanh(matmul(x, w0)), w1)), w2)), w3));
        },
        "checkpoint_segments");
}
