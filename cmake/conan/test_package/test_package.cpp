// SPDX-License-Identifier: MIT
#include <tapeless/tapeless.hpp>

int main() {
    tapeless::tensor<double, 2> const x{1, 2};
    auto const g = tapeless::grad<0>([](auto v) { return sum(v * v); })(x);
    return g(0) == 2 && g(1) == 4 ? 0 : 1;
}
