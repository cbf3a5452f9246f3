// SPDX-License-Identifier: MIT
// Of several results the first is differentiated: it is the scalar.
// expect: grad needs a scalar
// expect: of several results the first
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto a) {
#ifdef RIGHT
    return std::tuple(sum(a), 2.0 * a);
#else
    return std::tuple(2.0 * a, sum(a));
#endif
};
auto g = ad::value_and_grad<0>(f)(ad::tensor<float, 3, 4>{});
int main() {}
