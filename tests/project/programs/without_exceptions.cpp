// SPDX-License-Identifier: MIT
// Without exceptions and run-time types errors go to a handler, whose first one prints and aborts.
// flags: -fno-exceptions -fno-rtti
// prints: handled: argument 0, axis 0 has length 3, but argument 1, axis 0 has length 4: mul needs them equal
#include <tapeless/interop/dlpack.hpp>
#include <tapeless/interop/mdspan.hpp>
#include <tapeless/interop/openmp.hpp>
#include <tapeless/io/npy.hpp>
#include <tapeless/io/safetensors.hpp>
#include <tapeless/io/text.hpp>
#include <tapeless/tapeless.hpp>

#include <cstdio>
#include <cstdlib>
#include <vector>

namespace ad = tapeless;

int main() {
    ad::error_handler const before = ad::set_error_handler([](char const* message) {
        std::printf("handled: %s\n", message);
        std::exit(0);
    });
    if (!before) return 2;
    std::vector<double> x(3), y(4);
    ad::grad<0>([](auto u, auto v) { return sum(u * v); })(x, y);
    return 3;
}
