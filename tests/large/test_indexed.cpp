// SPDX-License-Identifier: MIT
// Rows and elements picked by many indices, and added up again.

#include "large/run_large.hpp"

using namespace reference;

namespace {

/// The index of a row for each of its elements.
void index_elements(test_case& c, std::string const& like) {
    tensor& index = input(c, "index");
    tensor const& rows = c.in(like);
    tensor each{index.dtype, rows.shape, {}};
    for (double i : index.values) each.values.insert(each.values.end(), rows.extent(1), i);
    index = each;
}

}  // namespace

TEMPLATE_TEST_CASE("large: embedding, index_select and gather", "", double, float) {
    run_large<TestType, matrix, matrix, integers<vector>>([](auto w, auto i) { return embedding(w, i); }, "embedding");
    run_large<TestType, matrix, matrix, integers<vector>>([](auto x, auto i) { return ad::index_select<0>(x, i); },
                                                          "index_select");
    run_large<TestType, matrix, matrix, integers<matrix>>([](auto x, auto i) { return ad::gather<1>(x, i); }, "gather");
}

TEMPLATE_TEST_CASE("large: rows added up by their indices", "", double, float) {
    run_large<TestType, matrix, matrix, integers<matrix>, matrix>(
        [](auto x, auto i, auto source) { return ad::scatter_add<0>(x, i, source); }, "index_add", [](test_case& c) {
            REQUIRE(c.number("alpha") == 1);
            index_elements(c, "source");
        });
    run_large<TestType, matrix, matrix, integers<matrix>, data<matrix>>(
        [](auto source, auto i, auto zeros) { return ad::scatter_add<0>(zeros, i, source); }, "segment_sum",
        [](test_case& c) {
            index_elements(c, "x");
            auto const segments = c.integer("segments"), width = c.in("x").shape[1];
            add_input(c, "zeros", {segments, width}, std::vector<double>(static_cast<std::size_t>(segments * width)));
        });
}
