// SPDX-License-Identifier: MIT
// An array among numbers.
// expect: assignment_changes_shape_or_element_type
// expect: a symbol keeps its element type and shape
#include <tapeless/tapeless.hpp>
#include <array>
namespace ad = tapeless;
auto f = [](auto x) {
#ifdef RIGHT
    std::array<ad::symbol<double>, 2> y{x[0] * 2.0, x[1]};
#else
    std::array<ad::symbol<double>, 2> y{x[0] * 2.0, x};  // <- here
#endif
    return y[0] * y[1];
};
auto g = ad::grad(f)(ad::tensor<double, 3>{});
int main() {}
