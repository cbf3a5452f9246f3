// SPDX-License-Identifier: MIT
// A symbol keeps its shape.
// expect: assignment_changes_shape_or_element_type
// expect: shape<3>
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto x) {
#ifdef RIGHT
    auto s = ad::let(0.0 * x);
#else
    auto s = ad::let(0.0 * sum(x));
#endif
    s += square(x);  // <- here
    return sum(s);
};
auto g = ad::grad<0>(f)(ad::tensor<double, 3>{});
int main() {}
