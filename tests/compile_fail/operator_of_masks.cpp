// SPDX-License-Identifier: MIT
// NumPy's & of masks.
// expect: operator_is_not_of_arrays<
// expect: for & and | of masks && and ||
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto x) {
#ifdef RIGHT
    return sum(where((x > 0.0) && (x < 1.0), x, 0.0));
#else
    return sum(where((x > 0.0) & (x < 1.0), x, 0.0));  // <- here
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<double, 3>{});
int main() {}
