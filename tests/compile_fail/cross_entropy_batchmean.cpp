// SPDX-License-Identifier: MIT
// Of the reductions batchmean belongs to kl_div.
// expect: loss: batchmean is a reduction of kl_div
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
constexpr auto f = [](auto x, auto t) {
#ifdef RIGHT
    return ad::loss::cross_entropy(x, t);
#else
    return ad::loss::cross_entropy<ad::loss::reduction::batchmean>(x, t);  // <- here
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<double, 3, 4>{}, ad::tensor<int, 3>{});
int main() {}
