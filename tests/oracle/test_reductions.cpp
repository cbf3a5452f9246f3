// SPDX-License-Identifier: MIT
// The library and the oracle agree on reductions, and on what is not differentiated.

#include "oracle/numbers.hpp"

namespace {

constexpr auto reductions = [](auto x) {
    return total(prod<0>(0.5 * x), max<1>(x), min<0>(x), var<1>(x), std_dev<0>(x), logsumexp<1>(x), norm<1>(x),
                 norm(x, 3.0), mean<0>(square(x)), softmax(x) * x, log_softmax<0>(x) * x, max_with_index<1>(x).values,
                 ad::cumsum<1>(x) * x);
};
constexpr auto whole_results = [](auto x, auto y) {
    return std::tuple(argmax<1>(x), argmin<0>(x), any<1>(x > 1.0), ad::all<0>(x < 1.4), ad::count_nonzero<1>(x > y),
                      ad::cast<int>(3.0 * x), isfinite(x / (y - y)), ad::one_hot<4>(ad::cast<int>(abs(x))),
                      ad::roll<0>(x, 2), ad::triu(x, 1), ad::diagonal(x));
};

}  // namespace

TEMPLATE_TEST_CASE("agree: reductions", "", float, double) {
    CHECK(agree<0>(reductions, matrix<TestType>(5, 4)) == "");
}
TEMPLATE_TEST_CASE("agree: results that are not differentiated", "", float, double) {
    CHECK(agree(whole_results, matrix<TestType>(5, 4), matrix<TestType>(5, 4, 1)) == "");
}
