// SPDX-License-Identifier: MIT
// The smallest and the largest index are out of range like any other, and may be the one that is ignored.

#include <tapeless/tapeless.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "support/catch.hpp"

namespace ad = tapeless;

namespace {

using matrix = ad::tensor<double, 3, 2>;

template <class I, class F>
void refuses_extremes(F f) {
    matrix const table{{1, 2}, {3, 4}, {5, 6}};
    for (I const index : {std::numeric_limits<I>::min(), std::numeric_limits<I>::max(), I(-1)})
        CHECK_THROWS_AS(ad::evaluate(f, table, std::vector<I>{index, 0}), ad::index_error);
    CHECK_NOTHROW(ad::evaluate(f, table, std::vector<I>{1, 0}));
}

}  // namespace

TEMPLATE_TEST_CASE("indices: the smallest and the largest number are out of range", "", std::int64_t, std::int32_t) {
    refuses_extremes<TestType>([](auto x, auto i) { return ad::take(x, i); });
    refuses_extremes<TestType>([](auto x, auto i) { return ad::index_select<0>(x, i); });
    refuses_extremes<TestType>([](auto x, auto i) { return ad::embedding(x, i); });
    refuses_extremes<TestType>([](auto x, auto i) { return sum(x) * ad::cast<double>(ad::one_hot<3>(i)); });
    refuses_extremes<TestType>([](auto x, auto i) { return ad::loss::multi_margin(ad::slice<0, 0, 2>(x), i); });
    // computed, not handed in
    refuses_extremes<TestType>([](auto x, auto i) { return ad::cast<double>(ad::one_hot<3>(2 * i - i)) * sum(x); });
}

TEST_CASE("cross_entropy: the smallest index may be the one that is ignored") {
    constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
    matrix const scores{{1, 2}, {3, 4}, {5, 6}};
    auto const f = [](auto x, auto t) { return ad::loss::cross_entropy(x, t, {.ignore_index = least}); };
    auto const plain = [](auto x, auto t) { return ad::loss::cross_entropy(x, t); };
    std::vector<std::int64_t> const some{0, least, 1};
    auto const g = ad::grad<0>(f)(scores, some);
    CHECK(g(1, 0) == 0);
    CHECK(g(1, 1) == 0);
    CHECK(g(0, 0) != 0);
    CHECK(std::abs(ad::evaluate(f, scores, some) - (std::log1p(std::exp(1.0)) + std::log1p(std::exp(-1.0))) / 2) <
          1e-14);
    CHECK_THROWS_AS(ad::evaluate(plain, scores, some), ad::index_error);
}
