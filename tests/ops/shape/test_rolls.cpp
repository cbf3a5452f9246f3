// SPDX-License-Identifier: MIT
// What was rolled is rolled again: along the same axis, along another one, beyond its length.

#include "support/catch.hpp"

#include <cmath>

#include <tapeless/tapeless.hpp>

namespace ad = tapeless;

TEST_CASE("roll: twice, along one axis and along two, at every length") {
    auto once_more = ad::fused([](auto v) { return ad::roll<0>(ad::roll<0>(v * v, 1), 1) + 0.0 * v; });
    auto both_axes = ad::fused([](auto v) { return ad::roll<0>(ad::roll<1>(v * v, 1), 1) + 0.0 * v; });
    auto there_and_back = ad::fused([](auto v) { return ad::roll<0>(ad::roll<0>(sin(v), 2), -2) + 0.0 * v; });
    auto gradient =
        ad::grad<0>([](auto v) { return sum(sin(ad::roll<0>(ad::let(ad::roll<0>(v * v, 6)), 5)) * v); });
    int wrong = 0;
    for (int n = 1; n < 40; ++n) {
        ad::tensor<double, ad::dyn> y(n);
        for (int i = 0; i < n; ++i) y(i) = 0.1 * (i + 1);
        auto const twice = once_more(y), back = there_and_back(y), g = gradient(y);
        for (int i = 0; i < n; ++i) {
            double const e = y(((i - 2) % n + n) % n), from = y(((i - 11) % n + n) % n), to = y((i + 11) % n);
            wrong += twice(i) != e * e;
            wrong += !(std::abs(back(i) - std::sin(y(i))) < 1e-14);
            wrong += !(std::abs(g(i) - std::sin(from * from) - std::cos(y(i) * y(i)) * 2 * y(i) * to) < 1e-12);
        }
        for (int m = 1; m < 9; ++m) {
            ad::tensor<double, ad::dyn, ad::dyn> z(n, m);
            for (int i = 0; i < n * m; ++i) z.data()[i] = i + 1;
            auto const moved = both_axes(z);
            for (int i = 0; i < n; ++i)
                for (int j = 0; j < m; ++j) {
                    double const e = z((i + n - 1) % n, (j + m - 1) % m);
                    wrong += moved(i, j) != e * e;
                }
        }
    }
    CHECK(wrong == 0);
}
