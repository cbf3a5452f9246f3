// SPDX-License-Identifier: MIT
// How fast is every elementwise operation? Million elements a second, forward and gradient, of 4096 numbers in cache,
// on one thread, against loops written by hand: element by element with the C library, and with xsimd's own
// functions.
//
//   bench_catalogue [--only NAME] [--float] [--double]
//
// A row is an operation, the same function by hand and its derivative by hand. `ratio` is the speed over that of the
// faster loop by hand. The gradient is that of sum(op(x) * w): w and x are read, dx is written (for two operands, da
// and db). Exits with 1 where a result differs from the C library's.

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <functional>

#include "catalogue/table.hpp"
#include "support/measure.hpp"

catalogue::speeds catalogue::speeds_of(std::function<void()> const& library, std::function<void()> const& libm,
                                       std::function<void()> const& xsimd) {
    std::array const work{&library, &libm, &xsimd};
    constexpr double seconds_a_turn = 2e-4;
    constexpr int turns = 150;
    std::array<double, 3> fastest{};
    std::array<std::uint64_t, 3> calls{};
    auto const take = [&](std::size_t k, std::uint64_t n) {
        return turn(
            [&] {
                (*work[k])();
                return 0;
            },
            n);
    };
    for (std::size_t k = 0; k < work.size(); ++k) {
        fastest[k] = std::min({take(k, 2), take(k, 8), take(k, 8)});
        calls[k] = static_cast<std::uint64_t>(std::clamp(seconds_a_turn / fastest[k], 1.0, 1e4));
    }
    for (int i = 0; i < turns; ++i)
        for (std::size_t k = 0; k < work.size(); ++k) fastest[k] = std::min(fastest[k], take(k, calls[k]));
    auto const speed = [&](std::size_t k) { return static_cast<double>(elements) / fastest[k] * 1e-6; };
    return {speed(0), speed(1), speed(2)};
}

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
