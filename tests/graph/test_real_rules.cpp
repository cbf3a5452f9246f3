// SPDX-License-Identifier: MIT
// The passes find the arithmetic of a floating type in the graph: also of a type that comes up only inside a function.

#include <cmath>

#include <support/catch.hpp>
#include <tapeless/tapeless.hpp>

namespace ad = tapeless;

namespace {

ad::tensor<double, 6> numbers() {
    ad::tensor<double, 6> x{};
    for (int i = 0; i < 6; ++i) x(i) = 0.3 * i - 0.7;
    return x;
}

}  // namespace

TEST_CASE("real rules: float only in the steps of a loop over double") {
    auto const f = ad::value_and_grad<0>([](auto x) {
        auto const s = ad::fold(
            [](auto c, auto v) { return c + ad::cast<double>(tanh(ad::cast<float>(v) * 2.0f)); }, 0.0, x);
        return s * s;
    });
    auto const x = numbers();
    double s = 0;
    for (int i = 0; i < 6; ++i) s += std::tanh(2 * x(i));
    auto const [value, g] = f(x);
    CHECK(value == Approx(s * s).epsilon(1e-5));
    for (int i = 0; i < 6; ++i) CHECK(g(i) == Approx(4 * s * (1 - std::pow(std::tanh(2 * x(i)), 2))).epsilon(1e-5));
}

TEST_CASE("real rules: double only as a carry over integers") {
    auto const f = ad::value_and_grad<1>([](auto k, auto w) {
        return ad::fold([&](auto c, auto i) { return c * 0.5 + w * ad::cast<double>(i); }, 0.0, k);
    });
    ad::tensor<std::int32_t, 6> k{};
    double slope = 0;
    for (int i = 0; i < 6; ++i) {
        k(i) = i % 3;
        slope = slope * 0.5 + i % 3;
    }
    auto const [value, g] = f(k, 2.0);
    CHECK(value == Approx(2 * slope));
    CHECK(g == Approx(slope));
}

TEST_CASE("real rules: halves beside double, whose gradients are halves") {
    auto const f = ad::value_and_grad<0, 1>([](auto h, auto x) { return sum(ad::cast<double>(exp(h)) * x); });
    ad::tensor<ad::half, 6> h{};
    for (int i = 0; i < 6; ++i) h(i) = ad::half(0.25f * static_cast<float>(i));
    auto const x = numbers();
    double sum = 0;
    auto const [value, g] = f(h, x);
    for (int i = 0; i < 6; ++i) {
        double const e = std::exp(0.25 * i);
        sum += e * x(i);
        CHECK(static_cast<double>(static_cast<float>(std::get<0>(g)(i))) == Approx(e * x(i)).epsilon(1e-3));
        CHECK(std::get<1>(g)(i) == Approx(e).epsilon(1e-6));
    }
    CHECK(value == Approx(sum).epsilon(1e-6));
}

TEST_CASE("real rules: second derivatives through float") {
    auto const x = numbers();
    auto const h = ad::hessian<0>([](auto v) { return sum(ad::cast<double>(square(ad::cast<float>(v))) * v); })(x);
    for (int i = 0; i < 6; ++i)
        for (int j = 0; j < 6; ++j) CHECK(h(i, j) == Approx(i == j ? 6 * x(i) : 0).epsilon(1e-5).margin(1e-12));
}
