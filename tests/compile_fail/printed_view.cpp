// SPDX-License-Identifier: MIT
// Views are printed by a header of its own.
// expect: deleted
// expect: arrays_are_printed_by_including_tapeless_io_text_hpp
#include <tapeless/tapeless.hpp>

#include <iostream>
#ifdef RIGHT
#include <tapeless/io/text.hpp>
#endif
namespace ad = tapeless;
int main() {
    double numbers[4] = {1, 2, 3, 4};
    ad::view<double, 2, 2> x(numbers);
    std::cout << "x = " << x << "\n";  // <- here
}
