// SPDX-License-Identifier: MIT
// Numbers with an exponent of their own: e^x, sums and products far beyond the range of a double.

#include <tapeless/simd/scaled.hpp>

#include <cmath>

#include "support/catch.hpp"

namespace simd = tapeless::simd;

namespace {
simd::scaled exp_of(double x) { return simd::exp_scaled(simd::batch<double>(x)); }
/// The logarithm.
double log_of(simd::scaled a) { return std::log(simd::reduce_max(a.m)) + simd::reduce_max(a.e) * std::log(2.0); }
double e_of(simd::scaled a) { return simd::reduce_max(a.e); }
}  // namespace

TEST_CASE("scaled: e^x has its logarithm, from the largest to the smallest numbers") {
    for (double x : {0.0, 1.0, -0.3, 100.0, -745.0, 5000.0, -1e4, -123456.789, 1e9, -1e12, 1e15, -1e30, -1e200}) {
        INFO(x);
        CHECK(std::abs(log_of(exp_of(x)) - x) <= 4e-16 * std::abs(x) + 1e-15);
    }
    for (double x : {-1e299, -3e305, -std::numeric_limits<double>::infinity()})
        CHECK(e_of(exp_of(x)) <= (x < -1e300 ? simd::scaled_zero : -1e299));
    for (double x : {-0.34, -1e-9, 0.0, 0.2})  // a factor itself
        CHECK(std::abs(simd::reduce_max(simd::plain_product(exp_of(x), exp_of(0), exp_of(0))) - std::exp(x)) < 3e-16);
}

TEST_CASE("scaled: sums and products of numbers of any size") {
    double const log3 = std::log(3.0), log2 = std::log(2.0);
    for (double x : {0.0, -3000.0, 1e6, -1e9}) {
        simd::scaled const a = exp_of(x), none = exp_of(-1e300);
        double const close = 1e-15 * (1 + std::abs(x));
        CHECK(std::abs(log_of(simd::sum_scaled(a, a)) - (x + log2)) <= close);
        CHECK(std::abs(log_of(simd::sum_scaled(a, a, a)) - (x + log3)) <= close);
        CHECK(log_of(simd::sum_scaled(a, none)) == log_of(a));
        CHECK(log_of(simd::sum_scaled(none, exp_of(x - 5000), a)) == log_of(a));  // of no weight beside it
        CHECK(std::abs(log_of(simd::multiply_scaled(a, exp_of(-2000.5))) - (x - 2000.5)) <= close + 1e-12);
        CHECK(e_of(simd::multiply_scaled(simd::sum_scaled(none, none), a)) < simd::scaled_zero / 2);
        CHECK(std::abs(simd::reduce_max(simd::plain_product(a, exp_of(0), simd::reciprocal_scaled(a))) - 1) < 3e-16);
        CHECK(simd::reduce_max(simd::plain_product(a, none, simd::reciprocal_scaled(a))) == 0);
    }
}
