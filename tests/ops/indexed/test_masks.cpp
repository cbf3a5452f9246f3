// SPDX-License-Identifier: MIT
// Masks are picked as numbers are.

#include <vector>

#include <support/catch.hpp>
#include <tapeless/tapeless.hpp>

namespace ad = tapeless;

namespace {

// the losses of those rows that were seen, in another order
constexpr auto of_seen = [](auto x, auto seen, auto order) {
    auto const e = ad::index_select<0>(x, order);
    return sum(where(ad::index_select<0>(seen, order), e * e, 0.0)) + sum(where(ad::take(seen, order), e, 0.0));
};

}  // namespace

TEST_CASE("indexed masks: index_select and take, values and gradients") {
    for (std::size_t n : {0u, 1u, 3u, 4u, 5u, 17u, 64u, 129u}) {
        ad::tensor<bool, ad::dyn> seen(n);
        std::vector<double> x(n);
        std::vector<int> order(n);
        double expected = 0;
        for (std::size_t i = 0; i < n; ++i) {
            seen(i) = i % 3 != 1;
            x[i] = 0.25 * static_cast<double>(i) - 1;
            order[i] = static_cast<int>((i * 7 + 2) % n);
        }
        std::vector<double> slopes(n, 0.0);
        for (std::size_t i = 0; i < n; ++i) {
            auto const from = static_cast<std::size_t>(order[i]);
            if (!seen(from)) continue;
            expected += x[from] * x[from] + x[from];
            slopes[from] += 2 * x[from] + 1;
        }
        auto const [value, g] = ad::value_and_grad<0>(of_seen)(x, seen, order);
        CHECK(value == Approx(expected));
        CHECK(g == slopes);
    }
}

TEST_CASE("indexed masks: gather along each axis, and masks as results") {
    ad::tensor<bool, 2, 3> const m{{true, false, true}, {false, false, true}};
    ad::tensor<int, 2, 2> const index{{2, 1}, {0, 2}};
    auto const along_rows = ad::evaluate([](auto a, auto i) { return ad::gather<1>(a, i); }, m, index);
    CHECK(along_rows(0, 0) == true);
    CHECK(along_rows(0, 1) == false);
    CHECK(along_rows(1, 0) == false);
    CHECK(along_rows(1, 1) == true);
    ad::tensor<int, 2, 3> const rows{{1, 0, 1}, {0, 1, 1}};
    auto const along_columns = ad::evaluate([](auto a, auto i) { return ad::gather<0>(a, i); }, m, rows);
    for (std::size_t i = 0; i < 2; ++i)
        for (std::size_t j = 0; j < 3; ++j) CHECK(along_columns(i, j) == m(static_cast<std::size_t>(rows(i, j)), j));
    auto const taken = [](auto a, auto i) { return ad::take(a, i); };
    CHECK_THROWS_AS(ad::evaluate(taken, m, std::vector<int>{6}), ad::index_error);
}
