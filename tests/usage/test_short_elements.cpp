// SPDX-License-Identifier: MIT
// Elementwise functions and broadcasting over matrices with 0, 1, 2 and 3 rows and columns: what each element alone
// gives.

#include <tuple>

#include "usage/short_axes.hpp"

using namespace short_axes;

namespace {

using column = ad::tensor<double, dyn, 1>;

constexpr auto arithmetic = [](auto x) {
    return std::tuple(-x, square(x), reciprocal(x), abs(x), sign(x), affine(x, 2.0, -1.0), clamp(x, 0.2, 0.9), floor(x),
                      ceil(x), round(3.0 * x), trunc(x), relu(x), relu6(x), leaky_relu(x, 0.1), elu(x), selu(x),
                      hardswish(x), hardsigmoid(x), softsign(x));
};
constexpr auto smooth = [](auto x) {
    return std::tuple(exp(x), exp2(x), expm1(x), log(x + 2.0), log2(x + 2.0), log10(x + 2.0), log1p(x), sqrt(x + 2.0),
                      rsqrt(x + 2.0), sin(x), cos(x), tan(x), atan(x), sinh(x), cosh(x), tanh(x), asinh(x), erf(x),
                      erfc(x));
};
constexpr auto activations = [](auto x) {
    return std::tuple(sigmoid(x), logsigmoid(x), softplus(x), gelu(x), gelu_tanh(x), silu(x), mish(x), asin(0.5 * x),
                      acos(0.5 * x), acosh(x + 3.0), atanh(0.5 * x), pow(x + 2.0, 1.5), isnan(x), x < 0.4,
                      where(x < 0.4, x, 2.0 * x));
};

/// f of a matrix has in each place what f of that element has.
template <class F>
void sweep(F f) {
    auto array = ad::fused(f);
    for (std::size_t n = 0; n < 4; ++n)
        for (std::size_t m = 0; m < 4; ++m) {
            CAPTURE(n, m);
            matrix const x = numbers(matrix(n, m), 1);
            auto const all = array(x);
            for (std::size_t i = 0; i < x.size(); ++i) {
                auto const alone = ad::evaluate(f, x.data()[i]);
                [&]<std::size_t... K>(std::index_sequence<K...>) {
                    (
                        [&] {
                            INFO("result " << K << ", element " << i);
                            auto const is = static_cast<double>(std::get<K>(all).data()[i]);
                            CHECK(near(is, static_cast<double>(std::get<K>(alone)), 1e-14));
                        }(),
                        ...);
                }(std::make_index_sequence<std::tuple_size_v<decltype(alone)>>{});
            }
            std::apply([&](auto const&... a) { CHECK(((a.size() == n * m) && ...)); }, all);
        }
}

}  // namespace

TEST_CASE("short axes: elementwise functions") {
    sweep(arithmetic);
    sweep(smooth);
    sweep(activations);
}

TEST_CASE("short axes: a matrix with a row and a column, and all gradients") {
    auto powers = [](auto a, auto row, auto col) {
        return sum(hypot(a, row) * col + logaddexp(a, col) + pow(a + 2.0, row) - a / (row + 3.0) +
                   xlogy(row + 2.0, col + 2.0));
    };
    auto choices = [](auto a, auto row, auto col) {
        return sum(maximum(a, row) * minimum(row, col) + lerp(a, row, col) + atan2(a, col + 2.0) +
                   where(a > row, a * col, row) + clamp(a, -0.4, 0.9) * row + fmod(a, 0.3) + remainder(col, 0.25));
    };
    for (std::size_t n = 0; n < 4; ++n)
        for (std::size_t m = 0; m < 4; ++m) {
            CAPTURE(n, m);
            matrix const a = numbers(matrix(n, m), 1);
            vector const row = numbers(vector(m), 20);
            column const col = numbers(column(n), 30);
            expect_differences(powers, a, row, col);
            expect_differences(choices, a, row, col);
        }
}

TEST_CASE("short axes: lengths of 1 that only run time knows do not stretch, and nothing is written") {
    auto f = ad::grad<0, 1>([](auto a, auto b) { return sum(square(a + b)); });
    for (std::size_t n : {0u, 2u, 3u}) {
        CAPTURE(n);
        matrix da(2, n);
        vector db(1);
        ad::fill(da, -7);
        ad::fill(db, -7);
        CHECK_THROWS_AS(f(ad::into(da, db), matrix(2, n), vector(1)), ad::shape_error);
        for (double v : da) CHECK(v == -7);
        CHECK(db(0) == -7);
    }
    ad::tensor<double, 1> db;
    matrix da(2, 3);
    f(ad::into(da, db), matrix{{1, 2, 3}, {4, 5, 6}}, ad::tensor<double, 1>{1});  // one that the compiler knows does
    CHECK(db(0) == 54);
}
