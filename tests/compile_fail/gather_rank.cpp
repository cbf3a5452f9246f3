// SPDX-License-Identifier: MIT
// The index array of a gather has the rank of what it indexes.
// expect: index_has_the_wrong_rank
// expect: shape<3, 4>
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto x, auto i) {
#ifdef RIGHT
    return sum(index_select<0>(x, i));
#else
    return sum(gather<0>(x, i));
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<float, 3, 4>{}, ad::tensor<int, 5>{});
int main() {}
