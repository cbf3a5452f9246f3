// SPDX-License-Identifier: MIT
#pragma once
// Expressions of matrix products: the value beside plain loops, all gradients beside central differences.

#include <tapeless/tapeless.hpp>

#include <cmath>
#include <tuple>

#include "kernels/product_loops.hpp"
#include "support/catch.hpp"

namespace products {

namespace ad = tapeless;
using ad::dyn;
using vector = ad::tensor<double, dyn>;
using matrix = ad::tensor<double, dyn, dyn>;
using cube = ad::tensor<double, dyn, dyn, dyn>;
using heads = ad::tensor<double, dyn, dyn, dyn, dyn>;

/// An array of numbers in [-1, 1).
template <class A>
A random(A a) {
    static loops::numbers source;
    source.uniforms(a);
    return a;
}

template <class F>
inline constexpr auto weighted = [](auto cot, auto... x) { return sum(F{}(x...) * cot); };

/// f(x...) is `expected`, and the gradients of sum(f(x...) * cot) are those of central differences. One program gives
/// all: the gradient by cot is f(x...).
template <class F, class Out, class... A>
void check(F, Out const& expected, A... x) {
    auto const cot = random(Out(expected));
    auto gradient = [&]<std::size_t... I>(std::index_sequence<I...>) {
        return ad::grad<0, static_cast<int>(I + 1)...>(weighted<F>);
    }(std::index_sequence_for<A...>{});
    auto const all = gradient(cot, x...);
    auto const& value = std::get<0>(all);
    REQUIRE(value.extents() == expected.extents());
    for (std::size_t i = 0; i < value.size(); ++i) {
        INFO("value, element " << i);
        CHECK(std::abs(value.data()[i] - expected.data()[i]) < 1e-12 * (1 + std::abs(expected.data()[i])));
    }
    auto scalar = [&] {
        auto const again = gradient(cot, x...);
        double s = 0;
        for (std::size_t i = 0; i < cot.size(); ++i) s += std::get<0>(again).data()[i] * cot.data()[i];
        return s;
    };
    int number = 0;
    auto one = [&](auto& argument, auto const& derivative) {
        REQUIRE(derivative.extents() == argument.extents());
        for (std::size_t i = 0; i < argument.size(); ++i) {
            double& element = argument.data()[i];
            double const old = element, h = 1e-5;
            element = old + h;
            double const up = scalar();
            element = old - h;
            double const down = scalar();
            element = old;
            INFO("gradient of argument " << number << ", element " << i << ": " << derivative.data()[i]
                                         << ", difference " << (up - down) / (2 * h));
            CHECK(std::abs(derivative.data()[i] - (up - down) / (2 * h)) < 1e-7 * (1 + std::abs(derivative.data()[i])));
        }
        ++number;
    };
    auto arguments = std::tie(x...);
    [&]<std::size_t... I>(std::index_sequence<I...>) {
        (one(std::get<I>(arguments), std::get<I + 1>(all)), ...);
    }(std::index_sequence_for<A...>{});
}

/// a b by loops, and its transpose.
inline matrix plain(matrix const& a, matrix const& b) {
    matrix c(a.extent(0), b.extent(1));
    for (std::size_t i = 0; i < a.extent(0); ++i)
        for (std::size_t j = 0; j < b.extent(1); ++j)
            for (std::size_t k = 0; k < a.extent(1); ++k) c(i, j) += a(i, k) * b(k, j);
    return c;
}
inline matrix turned(matrix const& a) {
    matrix t(a.extent(1), a.extent(0));
    for (std::size_t i = 0; i < a.extent(0); ++i)
        for (std::size_t j = 0; j < a.extent(1); ++j) t(j, i) = a(i, j);
    return t;
}
/// f of every element.
template <class A, class F>
A each(A a, F f) {
    for (auto& v : a) v = f(v);
    return a;
}
inline matrix plus(matrix a, matrix const& b) {
    for (std::size_t i = 0; i < a.size(); ++i) a.data()[i] += b.data()[i];
    return a;
}
/// Every row exponentiated and divided by its sum.
inline matrix softmax_of_rows(matrix a) {
    for (std::size_t i = 0; i < a.extent(0); ++i) {
        double s = 0;
        for (std::size_t j = 0; j < a.extent(1); ++j) s += a(i, j) = std::exp(a(i, j));
        for (std::size_t j = 0; j < a.extent(1); ++j) a(i, j) /= s;
    }
    return a;
}

}  // namespace products
