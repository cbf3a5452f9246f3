// SPDX-License-Identifier: MIT
// A tensor is a copy of a view of its own shape and elements.
// expect: deleted
// expect: has_another_shape_or_other_elements
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
double numbers[4] = {};
#ifdef RIGHT
ad::tensor<double, 4> copy(ad::view<double, 4>{numbers});
#else
ad::tensor<float, 4> copy(ad::view<double, 4>{numbers});  // <- here
#endif
int main() {}
