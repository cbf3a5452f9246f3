// SPDX-License-Identifier: MIT
// std::accumulate over the elements of a symbol.
// expect: symbol_is_no_container
// expect: a symbol is no container
#include <tapeless/tapeless.hpp>

#include <numeric>
namespace ad = tapeless;
auto f = [](auto x) {
#ifdef RIGHT
    return sum(x);
#else
    return std::accumulate(x.begin(), x.end(), 0.0);  // <- here
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<double, 3>{});
int main() {}
