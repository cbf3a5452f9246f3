// SPDX-License-Identifier: MIT
// The library as a header unit, compiled once and imported. (clang++ 16 or newer.)
// compiler: Clang 16
// header-unit: tapeless/tapeless.hpp
// prints: 2 4
import <tapeless/tapeless.hpp>;

#include <cstdio>

int main() {
    tapeless::tensor<double, 2> x{1, 2};
    auto const g = tapeless::grad<0>([](auto v) { return sum(v * v); })(x);
    std::printf("%g %g\n", g(0), g(1));
}
