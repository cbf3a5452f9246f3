// SPDX-License-Identifier: MIT
// What the pieces of a kernel come to together: products, extremes and NaN of several of them, beside plain loops.

#include <algorithm>
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

TEST_CASE("pieces: kernels without sums, and products, at lengths around where they are first cut") {
    random_arrays make;
    auto map = ad::fused([](auto x, auto b) { return tanh(x + b) * x; });
    auto layer = ad::fused([](auto x, auto w, auto b) { return maximum(matmul(x, w) + b, 0.0f); });
    for (std::int64_t m : {1, 7, 8, 9, 16, 17, 63, 64, 65, 129, 257})
        for (std::int64_t n : {1, 3, 16, 17, 64, 65, 129, 257}) {
            CAPTURE(m, n);
            auto const x = make.matrix(m, n), w = make.matrix(n, 33);
            auto const b = make.vector(n), c = make.vector(33);
            same_on_all_threads(map, x, b);
            same_on_all_threads(layer, x, w, c);
            map.threads(5), layer.threads(5);
            auto const y = map(x, b), z = layer(x, w, c);
            double worst = 0;
            for (std::int64_t i = 0; i < m; ++i) {
                for (std::int64_t j = 0; j < n; ++j) {
                    double const v = double{x(i, j)}, wanted = std::tanh(v + double{b(j)}) * v;
                    worst = std::max(worst, std::abs(wanted - double{y(i, j)}));
                }
                for (std::int64_t k = 0; k < 33; ++k) {
                    double s = double{c(k)};
                    for (std::int64_t j = 0; j < n; ++j) s += double{x(i, j)} * double{w(j, k)};
                    worst = std::max(worst, std::abs(std::max(s, 0.0) - double{z(i, k)}));
                }
            }
            CHECK(worst < 1e-4);
        }
}
