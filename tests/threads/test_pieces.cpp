// SPDX-License-Identifier: MIT
// What the pieces of a kernel come to together: products, extremes and NaN of several of them, beside plain loops.

#include <cmath>
#include <limits>

#include <threads/same_bits.hpp>

using namespace tests;

namespace {

constexpr auto of_columns = [](auto x) {
    return std::tuple(prod<0>(1.0 + 1e-4 * x), max<0>(x), min<0>(x), sum<0>(x), max(x), min(x), prod(1.0 + 1e-6 * x));
};

}  // namespace

TEST_CASE("pieces: products and extremes of columns and of everything, NaN in one of them") {
    random_arrays make;
    std::size_t const n = 40'001, m = 6;
    auto x = make.matrix<double>(static_cast<std::int64_t>(n), static_cast<std::int64_t>(m));
    for (bool with_nan : {false, true}) {
        if (with_nan) x(n / 2 + 17, 3) = std::numeric_limits<double>::quiet_NaN();
        auto step = ad::fused(of_columns);
        CHECK(ad::explain(step, x).find("pieces") != std::string::npos);
        auto const [products, largest, smallest, sums, most, least, product] = step(x);
        double all = 1, above = -1e300, below = 1e300;
        for (std::size_t j = 0; j < m; ++j) {
            double p = 1, hi = -1e300, lo = 1e300, s = 0;
            for (std::size_t i = 0; i < n; ++i) {
                p *= 1 + 1e-4 * x(i, j);
                all *= 1 + 1e-6 * x(i, j);
                hi = std::max(hi, x(i, j)), lo = std::min(lo, x(i, j));
                s += x(i, j);
            }
            above = std::max(above, hi), below = std::min(below, lo);
            CAPTURE(j);
            if (with_nan && j == 3) {
                CHECK(std::isnan(products(j)));
                CHECK(std::isnan(largest(j)));
                CHECK(std::isnan(smallest(j)));
                CHECK(std::isnan(sums(j)));
                continue;
            }
            CHECK(products(j) == Approx(p).epsilon(1e-9));
            CHECK(largest(j) == hi);
            CHECK(smallest(j) == lo);
            CHECK(sums(j) == Approx(s).epsilon(1e-9));
        }
        if (with_nan) {
            CHECK(std::isnan(most));
            CHECK(std::isnan(least));
            CHECK(std::isnan(product));
        } else {
            CHECK(most == above);
            CHECK(least == below);
            CHECK(product == Approx(all).epsilon(1e-9));
        }
        same_on_all_threads(step, x);
    }
}
