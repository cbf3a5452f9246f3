// SPDX-License-Identifier: MIT
// Comparisons and logic on masks, lane by lane; and the sums of several registers at once.

#include "simd/values.hpp"
#include "support/catch.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <tapeless/simd/simd.hpp>

namespace {

using namespace tapeless;

/// Lane i of a mask.
template <class T>
bool holds(simd::mask<T> m, int i) {
    return values<T>(m)[static_cast<std::size_t>(i)] != 0;
}
/// Numbers that are below, equal and above each other in turn; of a floating type NaN and both zeros are among them.
template <class T>
std::vector<T> some(int turn) {
    std::vector<T> v;
    for (int i = 0; i < simd::lanes<T>; ++i) {
        int const k = (i * (turn + 1) + turn) % 5;
        v.push_back(static_cast<T>(k - 2));
        if constexpr (simd::real<T>) {
            if (k == 3) v.back() = std::numeric_limits<T>::quiet_NaN();
            if (k == 2 && turn % 2 == 1) v.back() = T(-0.0);
        }
    }
    return v;
}

}  // namespace

TEMPLATE_TEST_CASE("masks: comparisons and what is made of them, lane by lane", "", float, double, std::int32_t,
                   std::int64_t) {
    using T = TestType;
    for (int turn = 0; turn < 10; ++turn) {
        auto const x = some<T>(turn), y = some<T>(turn + 1 + turn / 5);
        auto const a = simd::load(x.data()), b = simd::load(y.data());
        auto const equal = simd::equal(a, b), other = simd::not_equal(a, b), less = simd::less(a, b),
                   most = simd::less_equal(a, b);
        for (int i = 0; i < simd::lanes<T>; ++i) {
            auto const at = static_cast<std::size_t>(i);
            bool const p = x[at] < y[at], q = x[at] == y[at], r = x[at] != y[at];
            CAPTURE(turn, i, x[at], y[at]);
            CHECK(holds<T>(less, i) == p);
            CHECK(holds<T>(equal, i) == q);
            CHECK(holds<T>(other, i) == r);
            CHECK(holds<T>(most, i) == (x[at] <= y[at]));
            CHECK(holds<T>(simd::both(most, other), i) == (x[at] <= y[at] && r));
            CHECK(holds<T>(simd::either(less, equal), i) == (p || q));
            CHECK(holds<T>(simd::none_of(less), i) == !p);
            CHECK(holds<T>(simd::equal(less, other), i) == (p == r));
            CHECK(holds<T>(simd::not_equal(less, other), i) == (p != r));
            CHECK(holds<T>(simd::select(equal, other, less), i) == (q ? r : p));
        }
        CHECK(simd::any(simd::both(less, equal)) == false);
        CHECK(simd::any(simd::either(equal, other)) == true);
        CHECK(simd::any(simd::none_of(simd::either(equal, other))) == false);
    }
}

TEMPLATE_TEST_CASE("sums of several registers at once are those of each", "", float, double) {
    using T = TestType;
    constexpr int n = simd::sums_at_once<T>;
    std::array<simd::batch<T>, n> v;
    for (int i = 0; i < n; ++i) {
        std::vector<T> x;
        for (int l = 0; l < simd::lanes<T>; ++l) x.push_back(static_cast<T>(std::sin(1.7 * l + 5.3 * i)));
        v[static_cast<std::size_t>(i)] = simd::load(x.data());
    }
    std::array<T, n> sums;
    simd::reduce_add_each(v.data(), sums.data());
    for (std::size_t i = 0; i < v.size(); ++i) CHECK(sums[i] == simd::reduce_add(v[i]));  // bit by bit
}
