// SPDX-License-Identifier: MIT
// What loops would read by strides for each of many rows is copied once to where it lies in one piece.

#include <tapeless/tapeless.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

#include "support/catch.hpp"

namespace ad = tapeless;
using ad::dyn;

namespace {

template <class A>
A numbers(A a, double first) {
    for (auto& v : a) v = std::sin(first += 1.3);
    return a;
}

constexpr auto across = [](auto x, auto c) { return sum(square(x - ad::transpose(c))); };
constexpr auto every_other = [](auto x, auto c) { return sum(square(x - ad::slice<0, 0, ad::to_end, 2>(c))); };

}  // namespace

TEST_CASE("packing: a transposed matrix beside many others") {
    auto step = ad::value_and_grad<0, 1>(across);
    for (std::size_t n : {0u, 1u, 7u, 8u, 9u, 20u})
        for (std::size_t m : {1u, 2u, 5u, 17u})
            for (std::size_t k : {1u, 3u, 4u, 9u}) {
                auto const x = numbers(ad::tensor<double, dyn, dyn, dyn>(n, m, k), 0.1);
                auto const c = numbers(ad::tensor<double, dyn, dyn>(k, m), 0.7);
                ad::tensor<double, dyn, dyn> by_hand(k, m);
                double value = 0;
                for (std::size_t i = 0; i < n; ++i)
                    for (std::size_t j = 0; j < m; ++j)
                        for (std::size_t l = 0; l < k; ++l) {
                            double const e = x(i, j, l) - c(l, j);
                            value += e * e;
                            by_hand(l, j) -= 2 * e;
                        }
                auto const [got, by] = step(x, c);
                auto const& [by_x, by_c] = by;
                INFO(n << " times " << m << " by " << k);
                CHECK(got == Approx(value).margin(1e-12));
                double most = 0;
                for (std::size_t l = 0; l < k * m; ++l)
                    most = std::max(most, std::abs(by_c.data()[l] - by_hand.data()[l]));
                for (std::size_t i = 0; i < n; ++i)
                    for (std::size_t j = 0; j < m; ++j)
                        for (std::size_t l = 0; l < k; ++l)
                            most = std::max(most, std::abs(by_x(i, j, l) - 2 * (x(i, j, l) - c(l, j))));
                CHECK(most < 1e-12);
            }
}

TEST_CASE("packing: every other element beside many rows, and beside few") {
    auto step = ad::value_and_grad<1>(every_other);
    ad::tensor<double, 12, 5> const many = numbers(ad::tensor<double, 12, 5>{}, 0.1);
    ad::tensor<double, 3, 5> const few = numbers(ad::tensor<double, 3, 5>{}, 0.1);
    ad::tensor<double, 9> const c = numbers(ad::tensor<double, 9>{}, 0.7);
    auto const check = [&](auto const& x, std::size_t rows) {
        double value = 0, by_hand[9]{};
        for (std::size_t i = 0; i < rows; ++i)
            for (std::size_t j = 0; j < 5; ++j) {
                double const e = x(i, j) - c(2 * j);
                value += e * e;
                by_hand[2 * j] -= 2 * e;
            }
        auto const [got, by_c] = step(x, c);
        CHECK(got == Approx(value));
        for (std::size_t j = 0; j < 9; ++j) CHECK(by_c(j) == Approx(by_hand[j]).margin(1e-12));
    };
    check(many, 12);
    check(few, 3);
    CHECK(ad::explain(step, many, c).find("buffer 0 double(5): values, stored") != std::string::npos);
    CHECK(ad::explain(step, few, c).find("double(5): values, stored") == std::string::npos);
}
