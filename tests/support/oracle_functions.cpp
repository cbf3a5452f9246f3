// SPDX-License-Identifier: MIT
// The formulas of the oracle's elementwise operations.

#include "ops/special/references.hpp"
#include "support/oracle_functions.hpp"

namespace oracle {
namespace {

/// A number of the type of x.
template <class R>
R like(R, double number) {
    return static_cast<R>(number);
}
template <class R>
R sigmoid(R x) {
    return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x));
}

template <class R>
R bessel_of_order(R x, double n, bool scaled) {
    if (n < 2) return special::bessel(static_cast<int>(n), scaled, x);
    return special::bessel(0, scaled, x) - 2 / x * special::bessel(1, scaled, x);
}

std::map<operation_key, function> make_functions() {
    using std::abs, std::exp, std::log, std::sqrt, std::tanh;
    std::map<operation_key, function> t;
    auto one = [&](char const* name, auto f) {
        t[{name, 1}] = formula([](auto const* x, double) { return decltype(f){}(x[0]); });
    };
    // arithmetic
    one("neg", [](auto x) { return -x; });
    one("square", [](auto x) { return x * x; });
    one("abs", [](auto x) { return abs(x); });
    one("reciprocal", [](auto x) { return 1 / x; });
    t[{"add", 2}] = formula([](auto const* x, double) { return x[0] + x[1]; }, 2);
    t[{"sub", 2}] = formula([](auto const* x, double) { return x[0] - x[1]; }, 2);
    t[{"mul", 2}] = formula([](auto const* x, double) { return x[0] * x[1]; }, 2);
    t[{"div", 2}] = formula([](auto const* x, double) { return x[0] / x[1]; });
    t[{"fma", 3}] = formula([](auto const* x, double) { return x[0] * x[1] + x[2]; }, 2);
    t[{"fms", 3}] = formula([](auto const* x, double) { return x[0] * x[1] - x[2]; }, 2);
    t[{"fnma", 3}] = formula([](auto const* x, double) { return x[2] - x[0] * x[1]; }, 2);
    t[{"maximum", 2}] = formula([](auto const* x, double) { return larger(x[0], x[1]); }, 0);
    t[{"minimum", 2}] = formula([](auto const* x, double) { return smaller(x[0], x[1]); }, 0);
    t[{"clamp", 3}] = formula([](auto const* x, double) { return smaller(larger(x[0], x[1]), x[2]); }, 0);
    t[{"clamp_min", 2}] = t[{"raised", 2}] = t[{"maximum", 2}];
    t[{"clamp_max", 2}] = t[{"minimum", 2}];
    t[{"lerp", 3}] = formula([](auto const* x, double) { return x[0] + x[2] * (x[1] - x[0]); }, 8);
    // jumps
    t[{"sign", 1}] = jumping([](auto const* x, double) {
        return x[0] > 0 ? like(x[0], 1) : x[0] < 0 ? like(x[0], -1) : x[0];
    });
    t[{"floor", 1}] = jumping([](auto const* x, double) { return std::floor(x[0]); });
    t[{"ceil", 1}] = jumping([](auto const* x, double) { return std::ceil(x[0]); });
    t[{"round", 1}] = jumping([](auto const* x, double) { return std::nearbyint(x[0]); });
    t[{"trunc", 1}] = jumping([](auto const* x, double) { return std::trunc(x[0]); });
    t[{"floor_div", 2}] = jumping([](auto const* x, double) { return std::floor(x[0] / x[1]); });
    t[{"fmod", 2}] = formula([](auto const* x, double) { return std::fmod(x[0], x[1]); });
    t[{"remainder", 2}] = formula([](auto const* x, double) {
        auto const r = std::fmod(x[0], x[1]);
        return r != 0 && (r < 0) != (x[1] < 0) ? r + x[1] : r;
    });
    // exponentials and logarithms
    one("exp", [](auto x) { return exp(x); });
    one("exp2", [](auto x) { return std::exp2(x); });
    one("expm1", [](auto x) { return std::expm1(x); });
    one("log", [](auto x) { return log(x); });
    one("log2", [](auto x) { return std::log2(x); });
    one("log10", [](auto x) { return std::log10(x); });
    one("log1p", [](auto x) { return std::log1p(x); });
    one("sigmoid", [](auto x) { return sigmoid(x); });
    one("softplus", [](auto x) { return log_of_sum(x, like(x, 0)); });
    t[{"logaddexp", 2}] = formula([](auto const* x, double) { return log_of_sum(x[0], x[1]); });
    t[{"xlogy", 2}] = formula(
        [](auto const* x, double) { return x[0] == 0 && !std::isnan(x[1]) ? like(x[0], 0) : x[0] * log(x[1]); });
    // roots and powers
    one("sqrt", [](auto x) { return sqrt(x); });
    one("rsqrt", [](auto x) { return 1 / sqrt(x); });
    t[{"hypot", 2}] = formula([](auto const* x, double) { return std::hypot(x[0], x[1]); });
    t[{"pow", 1}] =
        formula([](auto const* x, double n) { return std::pow(x[0], static_cast<decltype(x[0] + 0)>(n)); }, 16);
    t[{"number_pow", 1}] =
        formula([](auto const* x, double c) { return std::pow(static_cast<decltype(x[0] + 0)>(c), x[0]); }, 16);
    t[{"pow", 2}] = t[{"focus", 2}] = formula([](auto const* x, double) { return std::pow(x[0], x[1]); }, 16);
    // circular and hyperbolic functions and their inverses
    one("sin", [](auto x) { return std::sin(x); });
    one("cos", [](auto x) { return std::cos(x); });
    one("tan", [](auto x) { return std::tan(x); });
    one("asin", [](auto x) { return std::asin(x); });
    one("acos", [](auto x) { return std::acos(x); });
    one("atan", [](auto x) { return std::atan(x); });
    t[{"atan2", 2}] = formula([](auto const* x, double) { return std::atan2(x[0], x[1]); });
    one("sinh", [](auto x) { return std::sinh(x); });
    one("cosh", [](auto x) { return std::cosh(x); });
    one("tanh", [](auto x) { return tanh(x); });
    one("asinh", [](auto x) { return std::asinh(x); });
    one("acosh", [](auto x) { return std::acosh(x); });
    one("atanh", [](auto x) { return std::atanh(x); });
    // the normal distribution
    one("erf", [](auto x) { return std::erf(x); });
    one("erfc", [](auto x) { return std::erfc(x); });
    one("normal_cdf", [](auto x) { return special::normal_cdf(x); });
    one("log_normal_cdf", [](auto x) { return special::log_normal_cdf(x); });
    one("normal_hazard", [](auto x) { return special::normal_hazard(x); });
    one("inv_normal_cdf", [](auto x) { return special::inv_normal_cdf(x); });
    one("erfinv", [](auto x) { return special::erfinv(x); });
    one("erfcinv", [](auto x) { return special::erfcinv(x, 1 - x); });
    // the gamma function and its kin, of positive numbers
    one("lgamma", [](auto x) { return std::lgamma(x); });
    one("digamma", [](auto x) { return special::polygamma(0, x); });
    t[{"polygamma", 1}] =
        formula([](auto const* x, double n) { return special::polygamma(static_cast<int>(n), x[0]); }, 16);
    t[{"log_beta", 2}] = formula([](auto const* x, double) { return special::log_beta(x[0], x[1]); }, 16);
    t[{"gamma_p", 2}] = formula([](auto const* x, double) { return special::gamma_p(x[0], x[1]); }, 64);
    t[{"gamma_q", 2}] = formula([](auto const* x, double) { return special::gamma_q(x[0], x[1]); }, 64);
    t[{"gamma_p_by_x", 2}] = formula([](auto const* x, double) { return special::gamma_p_by_x(x[0], x[1]); }, 64);
    t[{"gamma_p_by_shape", 2}] =
        formula([](auto const* x, double) { return special::gamma_p_by_shape(x[0], x[1]); }, 256);
    // Bessel functions of orders 0, 1 and, by their recurrence, 2
    t[{"bessel", 1}] = formula([](auto const* x, double n) { return bessel_of_order(x[0], n, false); }, 16);
    t[{"scaled_bessel", 1}] = formula([](auto const* x, double n) { return bessel_of_order(x[0], n, true); }, 16);
    one("logit", [](auto x) { return special::logit(x); });
    one("log1mexp", [](auto x) { return special::log1mexp(x); });
    // rectifiers
    one("relu", [](auto x) { return x < 0 ? like(x, 0) : x; });
    one("relu6", [](auto x) { return x < 0 ? like(x, 0) : x > 6 ? like(x, 6) : x; });
    t[{"prelu", 2}] = formula([](auto const* x, double) { return x[0] > 0 ? x[0] : x[1] * x[0]; });
    t[{"elu", 2}] = formula([](auto const* x, double) { return x[0] > 0 ? x[0] : x[1] * std::expm1(x[0]); });
    one("hardsigmoid", [](auto x) { return x <= -3 ? like(x, 0) : x >= 3 ? like(x, 1) : (x + 3) / 6; });
    one("hardswish", [](auto x) { return x <= -3 ? like(x, 0) : x >= 3 ? x : x * (x + 3) / 6; });
    one("softsign", [](auto x) { return x / (1 + abs(x)); });
    one("tanh_softplus", [](auto x) { return tanh(log_of_sum(x, like(x, 0))); });
    // losses; an operand e is e^-|x|
    t[{"sigmoid_given", 2}] =
        formula([](auto const* x, double) { return (x[0] < 0 ? x[1] : like(x[0], 1)) / (1 + x[1]); });
    t[{"softplus_given", 2}] =
        formula([](auto const* x, double) { return larger(x[0], like(x[0], 0)) + std::log1p(x[1]); });
    t[{"bce_slope", 3}] =
        formula([](auto const* x, double) { return (x[0] < 0 ? x[2] : like(x[0], 1)) / (1 + x[2]) - x[1]; }, 8);
    t[{"bce_logits", 3}] =
        formula([](auto const* x, double) { return larger(x[0], like(x[0], 0)) - x[1] * x[0] + std::log1p(x[2]); }, 8);
    t[{"minus_log", 2}] =
        formula([](auto const* x, double) { return x[0] > 0.5 ? -std::log1p(-x[1]) : -log(x[0]); }, 16);
    t[{"relative_log", 2}] = formula([](auto const* x, double) { return x[1] * log(x[1] / x[0]); }, 8);
    t[{"huber", 2}] = formula(
        [](auto const* x, double) { return abs(x[0]) <= x[1] ? x[0] * x[0] / 2 : x[1] * (abs(x[0]) - x[1] / 2); });
    t[{"smooth_l1", 3}] = formula(
        [](auto const* x, double) { return abs(x[0]) < x[1] ? x[0] * x[0] / (2 * x[1]) : abs(x[0]) - x[1] / 2; });
    return t;
}
}  // namespace

std::map<operation_key, function>& functions() {
    static std::map<operation_key, function> t = make_functions();
    return t;
}

std::map<operation_key, whole_function>& whole_functions() {
    using W = std::int64_t;
    static std::map<operation_key, whole_function> t{
        {{"neg", 1}, [](W const* x) { return -x[0]; }},
        {{"add", 2}, [](W const* x) { return x[0] + x[1]; }},
        {{"sub", 2}, [](W const* x) { return x[0] - x[1]; }},
        {{"mul", 2}, [](W const* x) { return x[0] * x[1]; }},
        {{"square", 1}, [](W const* x) { return x[0] * x[0]; }},
        {{"div", 2}, [](W const* x) { return x[1] == 0    ? 0
                                             : x[1] == -1 ? -x[0]
                                                          : x[0] / x[1]; }},
        {{"abs", 1}, [](W const* x) { return x[0] < 0 ? -x[0] : x[0]; }},
        {{"sign", 1}, [](W const* x) { return W(x[0] > 0) - W(x[0] < 0); }},
        {{"maximum", 2}, [](W const* x) { return std::max(x[0], x[1]); }},
        {{"minimum", 2}, [](W const* x) { return std::min(x[0], x[1]); }},
        {{"clamp", 3}, [](W const* x) { return std::min(std::max(x[0], x[1]), x[2]); }},
        {{"clamp_min", 2}, [](W const* x) { return std::max(x[0], x[1]); }},
        {{"clamp_max", 2}, [](W const* x) { return std::min(x[0], x[1]); }},
        {{"fmod", 2}, [](W const* x) { return x[1] == 0 || x[1] == -1 ? 0 : x[0] % x[1]; }},
        {{"floor_div", 2},
         [](W const* x) {
             if (x[1] == 0) return W(0);
             if (x[1] == -1) return -x[0];
             return x[0] / x[1] - W(x[0] % x[1] != 0 && (x[0] < 0) != (x[1] < 0));
         }},
        {{"remainder", 2},
         [](W const* x) {
             if (x[1] == 0 || x[1] == -1) return W(0);
             W const r = x[0] % x[1];
             return r != 0 && (r < 0) != (x[1] < 0) ? r + x[1] : r;
         }},
        // pseudo-random bits: the position spread by the golden ratio, then shift, xor, multiply, twice
        {{"scramble", 2},
         [](W const* x) {
             auto h = static_cast<std::uint32_t>(x[0]) ^ (static_cast<std::uint32_t>(x[1]) * 0x9e3779b9u + 0x7f4a7c15u);
             h = (h ^ (h >> 16)) * 0x7feb352du;
             h = (h ^ (h >> 15)) * 0x846ca68bu;
             return static_cast<W>(static_cast<std::int32_t>(h ^ (h >> 16)));
         }},
        {{"upper_24_bits", 1}, [](W const* x) { return static_cast<W>(static_cast<std::uint32_t>(x[0]) >> 8); }},
    };
    return t;
}

double spread(function const& f, int operands, long double const* x, double const* e, double number,
                     long double y) {
    double at[5]{}, sum = 0;
    bool any = false;
    for (int j = 0; j < operands; ++j) {
        at[j] = static_cast<double>(x[j]);
        any = any || e[j] > 0;
    }
    if (!any || !std::isfinite(y)) return 0;
    if (f.jumps) {  // it may be on the other side of a jump
        long double moved[5]{};
        for (int j = 0; j < operands; ++j) moved[j] = x[j];
        for (int j = 0; j < operands; ++j)
            for (double s : {-1.0, 1.0}) {
                if (e[j] == 0) continue;
                moved[j] = x[j] + s * static_cast<long double>(e[j]);
                sum = std::max(sum, static_cast<double>(std::abs(f.value(moved, number) - y)));
                moved[j] = x[j];
            }
        return std::isnan(sum) ? unknown : sum;
    }
    double const here = f.fast(at, number);
    for (int j = 0; j < operands; ++j) {
        if (e[j] == 0) continue;
        double const was = at[j], h = std::max({e[j], 1e-7 * std::abs(was), 1e-290});
        at[j] = was + h;
        double const up = std::abs(f.fast(at, number) - here);
        at[j] = was - h;
        double const down = std::abs(f.fast(at, number) - here);
        at[j] = was;
        double const most = std::isnan(up) ? down : std::isnan(down) ? up : std::max(up, down);
        sum += most / h * e[j];
    }
    return std::isnan(sum) ? unknown : sum;
}

}  // namespace oracle
