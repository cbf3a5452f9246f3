// SPDX-License-Identifier: MIT
// A variance is of floating-point numbers.
// expect: floating-point arrays: write cast<double>(x)
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
#ifdef RIGHT
auto f = [](auto a) { return std::tuple(var<0>(ad::cast<double>(a)), max_with_index<0>(a)); };
#else
auto f = [](auto a) { return var<0>(a); };
#endif
auto g = ad::evaluate(f, ad::tensor<int, 3, 4>{});
int main() {}
