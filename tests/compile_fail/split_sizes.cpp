// SPDX-License-Identifier: MIT
// An axis of 6 is not 2 and 3.
// expect: split_sizes_do_not_add_up<
// expect: shape<6>
// expect: 2, 3
// expect: do not add up
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto a) {
#ifdef RIGHT
    return sum(std::get<1>(ad::split<0, 2, 4>(a)));
#else
    return sum(std::get<1>(ad::split<0, 2, 3>(a)));
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<float, 6>{});
int main() {}
