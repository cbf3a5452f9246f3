// SPDX-License-Identifier: MIT
// Functions of rows and columns together: softmax, standardised columns, sums so far.

#include "large/run_large.hpp"

using namespace reference;

TEMPLATE_TEST_CASE("large: softmax of rows, log_softmax of columns", "", double, float) {
    run_large<TestType, matrix, matrix>([](auto x) { return softmax(x); }, "softmax");
    run_large<TestType, matrix, matrix>([](auto x) { return log_softmax<0>(x); }, "log_softmax");
}

TEMPLATE_TEST_CASE("large: logsumexp of rows, whose gradient by a bias is one number a column", "", double, float) {
    run_large<TestType, vector, matrix, vector>([](auto x, auto b) { return logsumexp<1>(x + b); }, "lse_rows_bias");
    run_large<TestType, scalar, matrix, matrix, vector>(
        [](auto x, auto w, auto b) { return mean(logsumexp<1>(linear(x, w, b))); }, "linear_lse");
}

TEMPLATE_TEST_CASE("large: a number a row and a number a column from one matrix", "", double, float) {
    auto gradient = ad::grad<0, 1, 2>(
        [](auto x, auto row, auto col) { return sum(logsumexp<1>(x) * row) + sum(sum<0>(square(x)) * col); });
    std::size_t n = 0;
    for (test_case const& c : cases(file_of<TestType>("large"), "rows_and_columns")) {
        auto const [dx, row, col] = gradient(matrix::make<TestType>(c.in("x")), vector::make<TestType>(c.cot("row")),
                                             vector::make<TestType>(c.cot("col")));
        CHECK(check_close(c.grad("x"), dx, c, "grad x") == "");
        CHECK(check_close(c.out("row"), row, c, "row") == "");
        CHECK(check_close(c.out("col"), col, c, "col") == "");
        ++n;
    }
    CHECK(n == count_in_file(file_of<TestType>("large"), "rows_and_columns"));
}

TEMPLATE_TEST_CASE("large: standardised columns", "", double, float) {
    run_large<TestType, matrix, matrix>(
        [](auto x) { return (x - mean<0>(x)) / sqrt(var<0>(x, {.correction = 0}) + 1e-3); }, "standardise_columns");
}

TEMPLATE_TEST_CASE("large: columns of weighted softmax rows, added up", "", double, float) {
    run_large<TestType, vector, matrix, vector>([](auto x, auto s) { return sum<0>(softmax(x) * ad::unsqueeze<1>(s)); },
                                                "row_scale_column_sum");
}

TEST_CASE("large: cumsum") {
    auto along = [](int axis) { return [axis](test_case const& c) { return c.integer("axis") == axis; }; };
    auto first = [](auto x) { return ad::cumsum<0>(x); };
    CHECK(run_large_if<double, vector, vector>(first, "cumsum") +
              run_large_if<double, matrix, matrix>(first, "cumsum", along(0)) +
              run_large_if<double, matrix, matrix>([](auto x) { return ad::cumsum<1>(x); }, "cumsum", along(1)) ==
          count_in_file("large", "cumsum"));
    CHECK(run_large_if<float, vector, vector>(first, "cumsum") == count_in_file("large_f32", "cumsum"));
}
