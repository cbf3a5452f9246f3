// SPDX-License-Identifier: MIT
// The library and the oracle agree on every function of numbers, its derivative included.

#include "oracle/numbers.hpp"

namespace {

constexpr auto arithmetic = [](auto x, auto y) {
    return total(-x, x + y, x - y, x * y, x / (y * y + 1.0), square(x), abs(x), sign(x) * y, maximum(x, y),
                 minimum(x, y), clamp(x, -0.5, 0.5), clamp_min(x, y), clamp_max(x, 0.3), affine(x, 2.0, y),
                 lerp(x, y, 0.3), floor(3.0 * x) * y, ceil(x) * y, round(x) * y, trunc(x) * y, floor_div(x, 0.4) * y,
                 fmod(x, 0.4), remainder(x, 0.4), where(x < y, x, y * y), masked_fill(x, x >= y || isnan(x), 2.0));
};
constexpr auto functions = [](auto x) {  // of numbers between 0 and 1
    return total(exp(x), exp2(x), expm1(x), log(x), log2(x), log10(x), log1p(x), sqrt(x), rsqrt(x), reciprocal(x),
                 pow(x, 1.7), pow(2.5, x), pow(x, x), hypot(x, 0.5), logaddexp(x, 1.0 - x), xlogy(x, x), sin(x), cos(x),
                 tan(x), asin(x), acos(x), atan(x), atan2(x, 0.3), sinh(x), cosh(x), tanh(x), asinh(x), acosh(x + 1.0),
                 atanh(x), erf(x), erfc(x));
};

constexpr auto special_functions = [](auto x) {  // of numbers between 0 and 1
    return total(lgamma(x + 0.5), digamma(x + 0.5), trigamma(x), log_beta(x, x + 0.2), erfinv(x), erfcinv(x),
                 normal_cdf(x), log_normal_cdf(x - 2.0), inv_normal_cdf(x), ad::i0(x), ad::i1(x), ad::i0e(x),
                 ad::i1e(x), logit(x), log1mexp(-x));
};
constexpr auto incomplete = [](auto a, auto x) {  // of positive numbers
    return total(sin(gamma_p(a, x)), gamma_q(2.0 * a, x) * x, gamma_p(a, 5.0 * x) * a);
};

}  // namespace

TEMPLATE_TEST_CASE("agree: special functions", "", float, double) {
    CHECK(agree<0>(special_functions, between<TestType>(0.1, 0.9, 19)) == "");
}
TEMPLATE_TEST_CASE("agree: incomplete gamma functions", "", float, double) {
    CHECK(agree<0, 1>(incomplete, between<TestType>(0.3, 4, 19), between<TestType>(0.1, 6, 19, 1)) == "");
}
TEMPLATE_TEST_CASE("agree: arithmetic", "", float, double) {
    CHECK(agree<0, 1>(arithmetic, between<TestType>(-1.5, 1.5, 19), between<TestType>(-1.5, 1.5, 19, 1)) == "");
}
TEMPLATE_TEST_CASE("agree: functions", "", float, double) {
    CHECK(agree<0>(functions, between<TestType>(0.1, 0.9, 19)) == "");
}
