// SPDX-License-Identifier: MIT
// The single header is all that a program needs besides xsimd, warns of nothing, and has no notes about ABIs.
// single-header
// flags: -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror
// prints: 0.1.0: [2. 4.]
#include "tapeless.hpp"
#include "tapeless.hpp"

#include <cstdio>
#include <vector>

namespace ad = tapeless;

static_assert(ad::version.as_number() == TAPELESS_VERSION);

int main() {
    std::vector<double> x{1, 2};
    auto const g = ad::grad<0>([](auto v) { return sum(v * v); })(x);
    std::printf("%d.%d.%d: %s\n", ad::version.major, ad::version.minor, ad::version.patch, ad::to_string(g).c_str());
}
