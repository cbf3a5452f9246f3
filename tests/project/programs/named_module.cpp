// SPDX-License-Identifier: MIT
// The library as a named module. (clang++ 16 or newer.)
// compiler: Clang 16
// module
// prints: 2 4, 0.25
#include <cstdio>

import tapeless;

namespace ad = tapeless;

int main() {
    ad::tensor<double, 2> x{1, 2}, t{1.5, 2.5};
    auto const g = ad::grad<0>([](auto v) { return sum(v * v); })(x);
    auto const loss = ad::evaluate([](auto v, auto y) { return ad::loss::mse(v, y); }, x, t);
    std::printf("%g %g, %g\n", g(0), g(1), loss);
}
