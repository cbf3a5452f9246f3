// SPDX-License-Identifier: MIT
// gamma_p, gamma_q and their derivatives against a table, at the borders of their domain, and against each other.

#include "support/catch.hpp"

#include <tapeless/simd/incomplete_gamma.hpp>

#include "simd/ulp.hpp"
#include "ops/special/incomplete_gamma_rows.hpp"
#include "ops/special/references.hpp"

using namespace tapeless;

namespace {
double const inf = std::numeric_limits<double>::infinity(), none = std::numeric_limits<double>::quiet_NaN();
constexpr long double epsilon = std::numeric_limits<double>::epsilon();
}  // namespace

// An error of half a digit in a or x changes the results by so much.
TEST_CASE("gamma_p, gamma_q: a few units of what an error of a or x makes, from a = 1e-8 to 1e6") {
    for (auto const& r : special::incomplete_gamma_rows) {
        long double const by_x = static_cast<long double>(simd::gamma_p_by_x(r.a, r.x)) * r.x,
                          by_a = std::abs(r.p_by_a) * r.a;
        INFO("a = " << r.a << ", x = " << r.x);
        CHECK(std::abs(simd::gamma_p(r.a, r.x) - r.p) <= 4 * epsilon * (r.p + by_x + by_a));
        CHECK(std::abs(simd::gamma_q(r.a, r.x) - r.q) <= 4 * epsilon * (r.q + by_x + by_a));
        float const a = static_cast<float>(r.a), x = static_cast<float>(r.x);
        CHECK(simd::gamma_p(a, x) == static_cast<float>(simd::gamma_p(static_cast<double>(a), static_cast<double>(x))));
    }
}
TEST_CASE("gamma_p: the derivative by the shape") {
    for (auto const& r : special::incomplete_gamma_rows) {
        INFO("a = " << r.a << ", x = " << r.x);
        long double const room = 1e-13L * (1 + std::abs(std::log(r.p * r.q)));
        CHECK(std::abs(simd::gamma_p_by_shape(r.a, r.x) - r.p_by_a) <= room * std::abs(r.p_by_a));
    }
}
TEST_CASE("gamma_p, gamma_q: series and fraction, which other tests compare with, give the table") {
    for (auto const& r : special::incomplete_gamma_rows) {
        long double const a = r.a, x = r.x;
        if (a < 0.01L || a > 50 || x > 100) continue;
        INFO("a = " << r.a << ", x = " << r.x);
        CHECK(std::abs(special::gamma_p(a, x) - r.p) <= 1e-15L * r.p);
        CHECK(std::abs(special::gamma_q(a, x) - r.q) <= 1e-15L * (r.q + (x < a + 1)));
        CHECK(std::abs(special::gamma_p_by_shape(a, x) - r.p_by_a) <= 1e-15L);
    }
}
TEST_CASE("gamma_p, gamma_q: of whole a they are Poisson probabilities, and they sum to 1") {
    for (int a = 1; a < 60; ++a)
        for (double x : {0.3, 1.0, 4.0, 11.5, 29.0, 33.0, 60.0}) {
            // e^-x (1 + x + ... + x^(a-1)/(a-1)!)
            long double term = std::exp(-static_cast<long double>(x)), sum = term;
            for (int n = 1; n < a; ++n) sum += term *= x / static_cast<long double>(n);
            INFO("a = " << a << ", x = " << x);
            double const shape = a, q = simd::gamma_q(shape, x);
            CHECK(std::abs(q - sum) <= 300 * epsilon * sum);
            CHECK(simd::gamma_p(shape, x) + q == Approx(1).epsilon(1e-15));
        }
}
TEST_CASE("gamma_p, gamma_q: borders of the domain") {
    struct {
        double a, x, p;
    } const rows[] = {{0.5, 0, 0}, {2, inf, 1}, {0, 1, 1}, {inf, 1, 0}, {0, 0, none}, {inf, inf, none},
                      {-1, 1, none}, {1, -1, none}, {none, 1, none}, {1, none, none},
                      {1e12, 1e13, 1}, {1e12, 1e11, 0}, {1e-300, 1, 1}, {3, 1e-300, 0}, {1, 1e300, 1}};
    for (auto const& r : rows) {
        INFO("a = " << r.a << ", x = " << r.x);
        CHECK(ulp::same(simd::gamma_p(r.a, r.x), r.p));
        if (r.a != 1e-300) CHECK(ulp::same(simd::gamma_q(r.a, r.x), 1 - r.p));
    }
    CHECK(simd::gamma_p_by_x(1.0, 0.0) == 1);
    CHECK(simd::gamma_p_by_x(2.0, 0.0) == 0);
    CHECK(simd::gamma_p_by_x(0.5, 0.0) == inf);
    CHECK(simd::gamma_p_by_x(3.0, inf) == 0);
}
