// SPDX-License-Identifier: MIT
#pragma once
// A function of rows and columns that needs several reductions, and numbers for it.

#include <tapeless/tapeless.hpp>

#include <cmath>

namespace ad = tapeless;

inline constexpr auto statistics = [](auto x, auto w) {
    auto centred = ad::let(x - mean<1>(x, ad::keepdims));
    return sum(max<1>(x) * sum<1>(centred * centred * w)) + sum(square(mean<0>(x)));
};

void fill(auto& x, double phase) {
    int i = 0;
    for (auto& v : x) {
        v = std::sin(1.9 * i + phase) + 0.01 * i;
        ++i;
    }
}
