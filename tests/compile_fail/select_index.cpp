// SPDX-License-Identifier: MIT
// An axis of 3 has no element 3.
// expect: select_index_is_out_of_range
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto a) {
#ifdef RIGHT
    return sum(ad::select<0>(a, 2));
#else
    return sum(ad::select<0>(a, 3));
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<float, 3, 4>{});
int main() {}
