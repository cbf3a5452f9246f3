// SPDX-License-Identifier: MIT
#pragma once
// Numbers for the oracle and the library to agree on.

#include "support/agree.hpp"
#include "support/catch.hpp"

namespace ad = tapeless;
using oracle::agree;

/// n numbers between low and high, in no order.
template <class T>
std::vector<T> between(double low, double high, int n, int seed = 0) {
    std::vector<T> r;
    for (int i = 0; i < n; ++i) {
        double const x = std::sin(12.9898 * i + 78.233 * (seed + 1)) * 43758.5453;
        r.push_back(static_cast<T>(low + (high - low) * (x - std::floor(x))));
    }
    return r;
}
template <class... E>
constexpr auto total(E const&... e) {
    return (sum(e) + ...);
}
template <class T>
ad::tensor<T, ad::dyn, ad::dyn> matrix(int n, int m, int seed = 0) {
    ad::tensor<T, ad::dyn, ad::dyn> x(static_cast<std::size_t>(n), static_cast<std::size_t>(m));
    auto const v = between<T>(-1.5, 1.5, n * m, seed);
    for (std::size_t i = 0; i < v.size(); ++i) x.data()[i] = v[i];
    return x;
}
