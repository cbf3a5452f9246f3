// SPDX-License-Identifier: MIT
// Rows that are anywhere are no array.
// expect: rows_have_memory_of_their_own
// expect: ad::tensor<T, ad::dyn, ad::dyn>
#include <tapeless/tapeless.hpp>

#include <vector>
namespace ad = tapeless;
auto f = [](auto x) { return sum(x); };
#ifdef RIGHT
ad::tensor<double, ad::dyn, ad::dyn> x(4, 2);
#else
std::vector<std::vector<double>> x(4, std::vector<double>(2));
#endif
auto g = ad::grad<0>(f)(x);  // <- here
int main() {}
