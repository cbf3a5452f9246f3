// SPDX-License-Identifier: MIT
// Forward mode of the elementwise operations is the adjoint of reverse mode.

#include "laws.hpp"

namespace {

namespace ad = tapeless;
using laws::of;
using laws::spread;

constexpr std::tuple smooth{
    of("neg", [](auto x) { return -x; }),
    of("abs", [](auto x) { return abs(x - 0.5); }),
    of("square", [](auto x) { return square(x); }),
    of("exp", [](auto x) { return exp(x); }),
    of("exp2", [](auto x) { return exp2(x); }),
    of("expm1", [](auto x) { return expm1(x); }),
    of("log", [](auto x) { return log(x); }),
    of("log2", [](auto x) { return log2(x); }),
    of("log10", [](auto x) { return log10(x); }),
    of("log1p", [](auto x) { return log1p(x); }),
    of("sqrt", [](auto x) { return sqrt(x); }),
    of("rsqrt", [](auto x) { return rsqrt(x); }),
    of("reciprocal", [](auto x) { return reciprocal(x); }),
    of("sin", [](auto x) { return sin(x); }),
    of("cos", [](auto x) { return cos(x); }),
    of("tan", [](auto x) { return tan(x); }),
    of("asin", [](auto x) { return asin(x); }),
    of("acos", [](auto x) { return acos(x); }),
    of("atan", [](auto x) { return atan(x); }),
    of("sinh", [](auto x) { return sinh(x); }),
    of("cosh", [](auto x) { return cosh(x); }),
    of("tanh", [](auto x) { return tanh(x); }),
    of("asinh", [](auto x) { return asinh(x); }),
    of("acosh", [](auto x) { return acosh(x + 1.5); }),
    of("atanh", [](auto x) { return atanh(x); }),
    of("erf", [](auto x) { return erf(x); }),
    of("erfc", [](auto x) { return erfc(x); }),
    of("pow 2.5", [](auto x) { return pow(x, 2.5); }),
    of("2 pow", [](auto x) { return pow(2.0, x); }),
};
constexpr std::tuple activations{
    of("relu", [](auto x) { return relu(x); }),
    of("relu6", [](auto x) { return relu6(9.0 * x); }),
    of("leaky_relu", [](auto x) { return leaky_relu(x, 0.1); }),
    of("elu", [](auto x) { return elu(x, 0.7); }),
    of("selu", [](auto x) { return selu(x); }),
    of("sigmoid", [](auto x) { return sigmoid(x); }),
    of("logsigmoid", [](auto x) { return logsigmoid(x); }),
    of("softplus", [](auto x) { return softplus(x); }),
    of("silu", [](auto x) { return silu(x); }),
    of("mish", [](auto x) { return mish(x); }),
    of("gelu", [](auto x) { return gelu(x); }),
    of("gelu_tanh", [](auto x) { return gelu_tanh(x); }),
    of("hardswish", [](auto x) { return hardswish(4.0 * x); }),
    of("hardsigmoid", [](auto x) { return hardsigmoid(4.0 * x); }),
    of("softsign", [](auto x) { return softsign(x); }),
    of("clamp", [](auto x) { return clamp(x, -0.31, 0.47); }),
    of("clamp_min", [](auto x) { return clamp_min(x, 0.1); }),
    of("clamp_max", [](auto x) { return clamp_max(x, 0.1); }),
    of("affine", [](auto x) { return affine(x, 2.0, 3.0); }),
    of("floor", [](auto x) { return floor(x + 0.2) * x; }),
    of("ceil", [](auto x) { return ceil(x + 0.2) + x; }),
    of("round", [](auto x) { return round(x) + x; }),
    of("trunc", [](auto x) { return trunc(2.0 * x) + x; }),
    of("sign", [](auto x) { return sign(x) * x; }),
    of("where", [](auto x) { return where(x > 0.0, sin(x), x * x); }),
    of("masked_fill", [](auto x) { return masked_fill(exp(x), x < 0.0, 2.0); }),
    of("stop_gradient", [](auto x) { return x * x + sin(ad::stop_gradient(floor(x))); }),
};
constexpr std::tuple pairs{
    of("add", [](auto x, auto y) { return x + y; }),
    of("sub", [](auto x, auto y) { return x - y; }),
    of("mul", [](auto x, auto y) { return x * y; }),
    of("div", [](auto x, auto y) { return x / y; }),
    of("maximum", [](auto x, auto y) { return maximum(x, y); }),
    of("minimum", [](auto x, auto y) { return minimum(x, y); }),
    of("pow", [](auto x, auto y) { return pow(x, y); }),
    of("atan2", [](auto x, auto y) { return atan2(x, y); }),
    of("hypot", [](auto x, auto y) { return hypot(x, y); }),
    of("fmod", [](auto x, auto y) { return fmod(5.0 * x, y); }),
    of("remainder", [](auto x, auto y) { return ad::remainder(-5.0 * x, y); }),
    of("floor_div", [](auto x, auto y) { return floor_div(x, y) * x; }),
    of("logaddexp", [](auto x, auto y) { return logaddexp(x, y); }),
    of("xlogy", [](auto x, auto y) { return xlogy(x, y); }),
    of("lerp", [](auto x, auto y) { return lerp(x, y, x * y); }),
    of("prelu", [](auto x, auto y) { return prelu(x - 0.5, y); }),
    of("where both", [](auto x, auto y) { return where(x < y, x * y, y / x); }),
};

}  // namespace

TEST_CASE("forward mode: smooth elementwise operations are the adjoint of reverse mode") {
    std::vector<double> const x = spread(std::vector<double>(11), 0.1, 0.9, 1),
                              v = spread(std::vector<double>(11), -1, 1, 2);
    laws::check(smooth, std::tuple(x), std::tuple(v));
}

TEST_CASE("forward mode: activations, steps and choices are the adjoint of reverse mode") {
    std::vector<double> const x = spread(std::vector<double>(9), -1, 1, 3),
                              v = spread(std::vector<double>(9), -1, 1, 4);
    laws::check(activations, std::tuple(x), std::tuple(v));
}

TEST_CASE("forward mode: pairs of operands of different shapes are the adjoint of reverse mode") {
    using column = ad::tensor<double, 3, 1>;
    column const x = spread(column{}, 0.2, 1.7, 5), vx = spread(column{}, -1, 1, 6);
    std::vector<double> const y = spread(std::vector<double>(5), 0.3, 1.9, 7),
                              vy = spread(std::vector<double>(5), -1, 1, 8);
    laws::check(pairs, std::tuple(x, y), std::tuple(vx, vy));
}
