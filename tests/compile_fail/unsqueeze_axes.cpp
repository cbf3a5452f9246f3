// SPDX-License-Identifier: MIT
// An array has at most eight axes.
// expect: unsqueeze: arrays have at most 8 axes
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
#ifdef RIGHT
using array = ad::tensor<float, 1, 2, 1, 2, 1, 2, 1>;
#else
using array = ad::tensor<float, 1, 2, 1, 2, 1, 2, 1, 2>;
#endif
auto y = ad::evaluate([](auto x) { return ad::unsqueeze<0>(x); }, array{});
int main() {}
