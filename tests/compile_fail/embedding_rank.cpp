// SPDX-License-Identifier: MIT
// A weight has entries and a width.
// expect: index_has_the_wrong_rank
// expect: embedding a weight of rank 2
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto w, auto i) {
#ifdef RIGHT
    return sum(index_select<0>(w, i));
#else
    return sum(embedding(w, i));
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<float, 3>{}, ad::tensor<int, 5>{});
int main() {}
