// SPDX-License-Identifier: MIT
// Windows that do not move.
// expect: windows_need_positive_numbers<
// expect: at least 1
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto a) {
#ifdef RIGHT
    return sum(ad::windows<1, 2, 1>(a));
#else
    return sum(ad::windows<1, 2, 0>(a));  // <- here
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<float, 2, 4>{});
int main() {}
