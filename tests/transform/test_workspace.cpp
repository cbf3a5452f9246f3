// SPDX-License-Identifier: MIT
// What a callable knows of its last call is used for the same lengths only, whatever becomes of the callable.

#include <support/catch.hpp>
#include <tapeless/tapeless.hpp>

#include <utility>

namespace ad = tapeless;

namespace {

using matrix = ad::tensor<double, ad::dyn, ad::dyn>;

matrix filled(std::int64_t m, std::int64_t n) {
    matrix a(m, n);
    for (std::size_t i = 0; i < a.size(); ++i) a.data()[i] = 0.25 * static_cast<double>(i % 7) - 0.5;
    return a;
}
constexpr auto loss = [](auto a, auto b) { return sum(square(matmul(tanh(matmul(a, b)), b))); };

template <class Step>
void is_right(Step& step, std::int64_t m, std::int64_t n) {
    auto const a = filled(m, n), b = filled(n, n);
    auto fresh = ad::value_and_grad<0, 1>(loss);
    auto const [value, grads] = step(a, b);
    auto const [expected, all] = fresh(a, b);
    CAPTURE(m, n);
    CHECK(value == expected);
    for (std::size_t i = 0; i < a.size(); ++i) CHECK(std::get<0>(grads).data()[i] == std::get<0>(all).data()[i]);
    for (std::size_t i = 0; i < b.size(); ++i) CHECK(std::get<1>(grads).data()[i] == std::get<1>(all).data()[i]);
}

}  // namespace

TEST_CASE("workspace: lengths that change from call to call") {
    auto step = ad::value_and_grad<0, 1>(loss);
    for (std::int64_t n : {3, 9, 3, 3, 17, 9, 1, 17}) is_right(step, n + 2, n);
    for (std::int64_t m : {3, 40, 3, 40}) is_right(step, m, 5);
}

TEST_CASE("workspace: copies, and callables that were moved from") {
    auto step = ad::value_and_grad<0, 1>(loss);
    is_right(step, 6, 5);
    auto copy = step;
    is_right(copy, 6, 5);
    auto moved = std::move(step);
    is_right(moved, 6, 5);
    is_right(step, 6, 5);  // NOLINT: it has memory of its own again
    std::swap(copy, moved);
    is_right(copy, 7, 5);
    is_right(moved, 6, 5);
}

TEST_CASE("workspace: one callable, programs for different types") {
    auto step = ad::fused([](auto a, auto b) { return sum(exp(matmul(a, b))); });
    auto const a = filled(6, 5), b = filled(5, 4);
    ad::tensor<float, ad::dyn, ad::dyn> c(6, 5), d(5, 4);
    ad::fill(c, 0.5);
    ad::fill(d, 0.25);
    double const first = step(a, b);
    float const other = step(c, d);
    for (int i = 0; i < 3; ++i) {
        CHECK(step(a, b) == first);
        CHECK(step(c, d) == other);
    }
}
