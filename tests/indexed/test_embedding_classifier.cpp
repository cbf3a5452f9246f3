// SPDX-License-Identifier: MIT
// The reference program that learns an embedding: rows of a table, averaged, classified.

#include "indexed/indexed_cases.hpp"
#include "programs/run_loss.hpp"

namespace reference {

/// Integers, as they are.
template <class I, int Rank>
struct indices {
    template <class>
    static auto make(tensor const& t) {
        return array_of_rank<I, Rank>(t);
    }
};
template <class I, int Rank>
inline constexpr bool has_gradient<indices<I, Rank>> = false;

}  // namespace reference

using namespace reference;

TEMPLATE_TEST_CASE("programs: embedding_classifier", "", double, float) {
    auto loss = [](auto table, auto index, auto w, auto b, auto target) {
        auto z = linear(mean<1>(embedding(table, index)), w, b);
        return -mean(gather<1>(log_softmax_of_rows(z), target));
    };
    run_loss<TestType, matrix, indices<std::int64_t, 2>, matrix, vector, indices<int, 2>>(
        loss, "embedding_classifier", [](test_case& c) { input(c, "target").shape.push_back(1); });
}
