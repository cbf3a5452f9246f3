// SPDX-License-Identifier: MIT
// Operations of elements with broadcast operands, and normalisations.

#include "functional/nn_cases.hpp"
#include "large/run_large.hpp"

using namespace reference;

TEMPLATE_TEST_CASE("large: a column by a row, a row added, and two arguments of atan2", "", double, float) {
    run_large<TestType, matrix, column, vector>([](auto a, auto b) { return a * b; }, "mul");
    run_large<TestType, matrix, matrix, vector>([](auto a, auto b) { return a + b; }, "add");
    run_large<TestType, matrix, matrix, shape_pattern<1, run>>([](auto a, auto b) { return atan2(a, b); }, "atan2");
}

TEMPLATE_TEST_CASE("large: gelu, tanh and softplus", "", double, float) {
    run_large<TestType, vector, vector>([](auto x) { return gelu(x); }, "gelu",
                                        [](test_case& c) { REQUIRE(c.word("approximate") == "none"); });
    run_large<TestType, matrix, matrix>([](auto x) { return tanh(x); }, "tanh");
    run_large<TestType, matrix, matrix>([](auto x) { return softplus(x, 1.5); }, "softplus",
                                        [](test_case& c) { REQUIRE(c.number("beta") == 1.5); });
}

TEMPLATE_TEST_CASE("large: layer_norm, rms_norm and group_norm", "", double, float) {
    auto usual_eps = [](test_case& c) { REQUIRE(c.number("eps") == 1e-5); };
    run_large<TestType, matrix, matrix, vector, vector>([](auto x, auto g, auto b) { return layer_norm(x, g, b); },
                                                        "layer_norm", usual_eps);
    run_large<TestType, matrix, matrix, vector>([](auto x, auto g) { return rms_norm(x, g, 1e-5); }, "rms_norm",
                                                usual_eps);
    run_large<TestType, cube, cube, vector, vector>([](auto x, auto g, auto b) { return group_norm<4>(x, g, b); },
                                                    "group_norm",
                                                    [](test_case& c) { REQUIRE(c.integer("groups") == 4); });
}

TEMPLATE_TEST_CASE("large: batch_norm in training", "", double, float) {
    auto train = program_of<matrix, vector, vector, data<vector>, data<vector>>(
        [](auto x, auto g, auto b, auto m, auto v) { return batch_norm_training(x, m, v, g, b); });
    std::size_t n = 0;
    for (test_case const& c : cases(file_of<TestType>("large"), "batch_norm"))
        n += decltype(train)::template run<TestType>(c);
    CHECK(n == count_in_file(file_of<TestType>("large"), "batch_norm"));
}
