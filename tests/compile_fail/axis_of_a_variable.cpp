// SPDX-License-Identifier: MIT
// An axis is a constant expression: without that no overload is asked, and g++ explains all of them.
// expect: no matching function for call to
// max-lines-GNU: 54
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto x) {
#ifdef RIGHT
    constexpr int axis = 0;
    return sum<axis>(x);
#else
    int axis = 0;
    return sum<axis>(x);  // <- here
#endif
};
auto y = ad::evaluate(f, ad::tensor<double, 3, 4>{});
int main() {}
