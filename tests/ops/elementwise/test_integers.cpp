// SPDX-License-Identifier: MIT
// Integers and masks as data: exact, compared, selected and reduced.
#include "support/catch.hpp"

#include <tapeless/tapeless.hpp>

namespace ad = tapeless;

TEST_CASE("max: int64 is exact beyond 2^53") {
    constexpr std::int64_t big = std::int64_t{1} << 60;
    ad::tensor<std::int64_t, ad::dyn, 3> a(5);
    std::int64_t k = big;
    for (auto& v : a) v = ++k;
    CHECK(ad::evaluate([](auto x) { return max(x); }, a) == big + 15);
}

TEST_CASE("integers: sums, differences and masks") {
    ad::tensor<std::int32_t, 2, 3> const a{{1, 2, 3}, {4, 5, 6}};
    auto const rows = ad::evaluate([](auto x) { return sum<1>(x); }, a);
    CHECK(rows == ad::tensor<std::int32_t, 2>{6, 15});
    auto const spread = ad::evaluate([](auto x) { return min<0>(x) * 2 - x; }, a);
    CHECK(spread == ad::tensor<std::int32_t, 2, 3>{{1, 2, 3}, {-2, -1, 0}});
    auto const mask = ad::evaluate([](auto x) { return x > 2 && !(x == 5); }, a);
    CHECK(mask == ad::tensor<bool, 2, 3>{{false, false, true}, {true, false, true}});
}

TEST_CASE("integers: abs, sign, maximum, minimum, clamp and relu are those of numbers") {
    ad::tensor<std::int64_t, 5> const a{-7, -1, 0, 2, 9};
    auto const f = [](auto x) { return abs(x) + 100 * sign(x) + 1000 * clamp(x, -1, 3); };
    CHECK(ad::evaluate(f, a) == ad::tensor<std::int64_t, 5>{-1093, -1099, 0, 2102, 3109});
    auto const g = [](auto x) { return maximum(x, 1) + 100 * minimum(x, 1) + 10000 * relu(x); };
    CHECK(ad::evaluate(g, ad::tensor<std::int32_t, 5>{-7, -1, 0, 2, 9}) ==
          ad::tensor<std::int32_t, 5>{-699, -99, 1, 20102, 90109});
}

TEST_CASE("where: a mask from one element type selects in another") {
    std::vector<double> const x{-1.0, 2.0, -3.0, 4.0, 5.0};
    std::vector<float> const y{1.0f, 2.0f, 3.0f, 4.0f, 5.0f};
    auto const chosen = ad::evaluate([](auto a, auto b) { return where(a > 0.0, b, -b); }, x, y);
    CHECK(chosen == ad::tensor<float, ad::dyn>{-1.0f, 2.0f, -3.0f, 4.0f, 5.0f});
    auto const gradient = ad::grad<1>([](auto a, auto b) { return sum(where(a > 0.0, b * b, b)); })(x, y);
    CHECK(gradient == std::vector<float>{1.0f, 4.0f, 1.0f, 8.0f, 10.0f});
}
