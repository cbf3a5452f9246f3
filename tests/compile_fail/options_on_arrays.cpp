// SPDX-License-Identifier: MIT
// Options of a call on arrays would come too late.
// expect: options_are_constants_of_a_function
// expect: options are constants of a program
#include <tapeless/tapeless.hpp>

namespace ad = tapeless;

constexpr auto square_less_two = [](auto x) { return x * x - 2.0; };

double find() {
#ifndef RIGHT
    return ad::root(square_less_two, 1.0, {.tolerance = 1e-6}), 0.0;  // <- here
#else
    return ad::evaluate([](auto x) { return ad::root(square_less_two, x, {.tolerance = 1e-6}); }, 1.0);
#endif
}
