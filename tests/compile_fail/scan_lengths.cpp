// SPDX-License-Identifier: MIT
// Sequences that are scanned together have the same length; both are in the message.
// expect: scan_lengths_differ
// expect: 4, 5>
// expect: the sequences have first axes of different lengths
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
ad::tensor<float, 4, 3> x;
#ifdef RIGHT
ad::tensor<float, 4> y;
#else
ad::tensor<float, 5> y;
#endif
auto f = [](auto a, auto b) {
    return std::get<0>(ad::scan([](auto c, auto row, auto s) { return std::pair(c + s * sum(row), c); }, 0.0, a, b));
};
auto r = ad::grad<0>(f)(x, y);
int main() {}
