// SPDX-License-Identifier: MIT
// Arrays are printed by a header of its own.
// expect: deleted
// expect: arrays_are_printed_by_including_tapeless_io_text_hpp
#include <tapeless/tapeless.hpp>

#include <iostream>
#ifdef RIGHT
#include <tapeless/io/text.hpp>
#endif
namespace ad = tapeless;
int main() {
    ad::tensor<double, 2, 2> x{{1, 2}, {3, 4}};
    std::cout << "x = " << x << "\n" << 1.0 << std::endl;  // <- here
}
