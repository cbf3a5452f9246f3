// SPDX-License-Identifier: MIT
// Matrices that are the same in all steps of a loop are packed in the first step, and stay as they are.

#include <tapeless/tapeless.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

#include "support/catch.hpp"

namespace ad = tapeless;
using ad::dyn;

namespace {

constexpr std::size_t units = 100;
using matrix = ad::tensor<float, units, units>;
using states = ad::tensor<float, dyn, units>;

template <class A>
A waves(A a, double first, double size) {
    for (auto& v : a) v = static_cast<float>(size * std::sin(first += 0.7));
    return a;
}
template <class A>
double apart(A const& a, A const& b) {
    double most = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        most = std::max(most, std::abs(static_cast<double>(a.data()[i]) - static_cast<double>(b.data()[i])));
    return most;
}

/// Two products with one weight and one with another, whose kernels follow each other in a step.
constexpr auto step_of = [](auto const& h, auto const& x, auto const& w, auto const& v) {
    auto const a = ad::let(tanh(matmul(h, w) + x));
    return ad::let(tanh(matmul(a, ad::transpose(v)) + 0.5 * matmul(h, ad::transpose(w))));
};
constexpr auto by_loop = [](auto w, auto v, auto h, auto xs) {
    return ad::fold([&](auto s, auto x) { return step_of(s, x, w, v); }, h, xs);
};
template <int Steps>
constexpr auto written_out = [](auto w, auto v, auto h, auto xs) {
    for (int i = 0; i < Steps; ++i) h = step_of(h, ad::let(ad::select<0>(xs, i)), w, v);
    return h;
};
constexpr auto nested = [](auto w, auto v, auto h, auto xs) {
    return ad::fold(
        [&](auto s, auto x) {
            return ad::fold([&](auto inner, auto y) { return step_of(inner, y, w, ad::let(v * mean(x))); }, s, xs);
        },
        h, xs);
};
template <int Steps>
constexpr auto nested_written_out = [](auto w, auto v, auto h, auto xs) {
    for (int i = 0; i < Steps; ++i) {
        auto const u = ad::let(v * mean(ad::select<0>(xs, i)));
        for (int j = 0; j < Steps; ++j) h = step_of(h, ad::let(ad::select<0>(xs, j)), w, u);
    }
    return h;
};
template <auto F>
constexpr auto loss_of = [](auto w, auto v, auto h, auto xs) { return sum(square(F(w, v, h, xs))); };

template <class F, class G>
void check(F const& f, G const& g, std::size_t steps) {
    auto loop = ad::value_and_grad<0, 1, 2>(f);
    auto straight = ad::value_and_grad<0, 1, 2>(g);
    for (std::size_t rows : {0u, 1u, 8u, 9u, 16u, 17u}) {
        ad::tensor<float, dyn, dyn, units> const xs = waves(ad::tensor<float, dyn, dyn, units>(steps, rows), 0.3, 0.5);
        states const h = waves(states(rows), 0.1, 0.5);
        for (double first : {0.2, 0.9}) {  // other weights in the next call
            matrix const w = waves(matrix{}, first, 0.1), v = waves(matrix{}, first + 1, 0.1);
            auto const [a, by_a] = loop(w, v, h, xs);
            auto const [b, by_b] = straight(w, v, h, xs);
            INFO(rows << " rows, " << steps << " steps, weights " << first);
            CHECK(std::abs(static_cast<double>(a - b)) <= 1e-5 * (1 + std::abs(static_cast<double>(b))));
            CHECK(apart(std::get<0>(by_a), std::get<0>(by_b)) < 2e-4);
            CHECK(apart(std::get<1>(by_a), std::get<1>(by_b)) < 2e-4);
            CHECK(apart(std::get<2>(by_a), std::get<2>(by_b)) < 2e-4);
        }
    }
}

}  // namespace

TEST_CASE("weights of a loop: packed in the first step, the same values as without a loop") {
    check(loss_of<by_loop>, loss_of<written_out<3>>, 3);
    check(loss_of<by_loop>, loss_of<written_out<1>>, 1);
}
TEST_CASE("weights of a loop: those of a loop within a loop are packed again in every step of the outer one") {
    check(loss_of<nested>, loss_of<nested_written_out<2>>, 2);
}
TEST_CASE("weights of a loop: the plan says which, and not those that change") {
    matrix const w = waves(matrix{}, 0.2, 0.1);
    states const h = waves(states(16), 0.1, 0.5);
    ad::tensor<float, 3, 16, units> const xs = waves(ad::tensor<float, 3, 16, units>{}, 0.3, 0.5);
    std::string const same = ad::explain(ad::fused(by_loop), w, w, h, xs);
    CHECK(same.find("right    argument 2 float(100, 100), packed in the first step") != std::string::npos);
    constexpr auto other = [](auto s, auto ws) { return ad::fold([](auto a, auto x) { return matmul(a, x); }, s, ws); };
    ad::tensor<float, 3, units, units> const ws = waves(ad::tensor<float, 3, units, units>{}, 0.3, 0.1);
    CHECK(ad::explain(ad::fused(other), h, ws).find("packed in the first step") == std::string::npos);
    constexpr auto once = [](auto s, auto x) { return matmul(s, x); };
    CHECK(ad::explain(ad::fused(once), h, w).find("packed in the first step") == std::string::npos);
}
