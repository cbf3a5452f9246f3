// SPDX-License-Identifier: MIT
// How fast is every elementwise operation? Million elements a second, forward and gradient, of 4096 numbers in cache, on one
// thread, against loops written by hand: element by element with the C library, and with xsimd's own functions.
//
//   bench_catalogue [--only NAME] [--float] [--double]
//
// A row is an operation, the same function by hand and its derivative by hand. `ratio` is the speed over that of the faster
// loop by hand. The gradient is that of sum(op(x) * w): w and x are read, dx is written (for two operands, da and db).
// Exits with 1 where a result differs from the C library's.

#include <cstdio>
#include <cstring>

#include "catalogue/table.hpp"

int main(int argc, char** argv) {
    catalogue::options o;
    for (int i = 1; i < argc; ++i) {
        if (std::strcmp(argv[i], "--only") == 0 && i + 1 < argc) o.only = argv[++i];
        else if (std::strcmp(argv[i], "--float") == 0) o.in_double = false;
        else if (std::strcmp(argv[i], "--double") == 0) o.in_float = false;
        else return std::fprintf(stderr, "bench_catalogue [--only NAME] [--float] [--double]\n"), 2;
    }
    std::printf("million elements a second (xsimd %d.%d)\n", XSIMD_VERSION_MAJOR, XSIMD_VERSION_MINOR);
    std::printf("                     forward                           gradient\n");
    std::printf("type   operation    tapeless     libm    xsimd  ratio tapeless     libm    xsimd  ratio\n");
    catalogue::arithmetic(o);
    catalogue::exponential(o);
    catalogue::trigonometric(o);
    catalogue::activations(o);
    catalogue::stepwise(o);
    catalogue::binary(o);
    return catalogue::failed ? 1 : 0;
}
