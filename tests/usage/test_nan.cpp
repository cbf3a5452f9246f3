// SPDX-License-Identifier: MIT
// One NaN among the elements reaches the results that depend on it, and no others: around the lengths of batches and
// blocks.

#include "usage/one_nan.hpp"

using namespace one_nan;

namespace {

template <int Axis>
constexpr auto reductions = [](auto x) {
    return std::tuple(sum<Axis>(x), mean<Axis>(x), prod<Axis>(x), max<Axis>(x), min<Axis>(x), logsumexp<Axis>(x),
                      norm<Axis>(x), norm<Axis>(x, 1), var<Axis>(x, {.correction = 0}),
                      std_dev<Axis>(x, {.correction = 0}));
};
constexpr auto of_all = [](auto x) {
    return std::tuple(sum(x), mean(x), prod(x), max(x), min(x), logsumexp(x), norm(x), norm(x, 1),
                      var(x, {.correction = 0}));
};

}  // namespace

TEST_CASE("NaN: an elementwise function has it where its argument has, in value and gradient") {
    auto values = ad::fused([](auto x) {
        return std::tuple(exp(x), log(x), tanh(x), sqrt(x), sigmoid(x), relu(x), gelu(x), softplus(x), x * x + 1.0f,
                          abs(x), erf(x), maximum(x, 0.5f), clamp(x, 0.3f, 0.6f), sin(x), atan(x), floor(x));
    });
    auto gradient = ad::grad<0>([](auto x) { return sum(exp(x) * tanh(x) + square(x) * log(x) + gelu(x)); });
    for (std::size_t n : lengths)
        for (std::size_t at : places(n)) {
            CAPTURE(n, at);
            vector x = numbers(n);
            x(at) = not_a_number;
            check_all(values(x), only(at), "value");
            CHECK(where_nan(gradient(x)) == only(at));
        }
}

TEST_CASE("NaN: a reduction has it in the row, the column, or the whole that holds it") {
    auto rows = ad::fused(reductions<1>);
    auto columns = ad::fused(reductions<0>);
    auto whole = ad::fused(of_all);
    for (auto [n, m] : sizes)
        for (std::size_t at : places(n * m)) {
            CAPTURE(n, m, at);
            matrix x = numbers(n, m);
            x.data()[at] = not_a_number;
            check_all(rows(x), only(at / m), "rows");
            check_all(columns(x), only(at % m), "columns");
            check_all(whole(x), only(0), "whole");
        }
}

TEST_CASE(
    "NaN: the gradient of a sum of squares has it in that element, of a row's or column's statistics in all of them") {
    auto squares = ad::grad<0>([](auto x) { return sum(square(x)) + mean(sum<1>(x)) + mean(sum<0>(x)); });
    auto rows = ad::grad<0>(
        [](auto x) { return sum(logsumexp<1>(x)) + sum(norm<1>(x)) + sum(std_dev<1>(x, {.correction = 0})); });
    auto columns = ad::grad<0>([](auto x) { return sum(logsumexp<0>(x)) + sum(norm<0>(x)); });
    for (auto [n, m] : sizes) {
        if (n == 1 && m == 1) continue;
        for (std::size_t at : places(n * m)) {
            CAPTURE(n, m, at);
            matrix x = numbers(n, m);
            x.data()[at] = not_a_number;
            CHECK(where_nan(squares(x)) == only(at));
            CHECK(where_nan(rows(x)) == row_of(at / m, m));
            CHECK(where_nan(columns(x)) == column_of(at % m, n, m));
        }
    }
}
