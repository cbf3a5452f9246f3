// SPDX-License-Identifier: MIT
// any and all are of masks.
// expect: take a mask: write x != 0
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto a) {
#ifdef RIGHT
    return any<0>(a != 0);
#else
    return any<0>(a);
#endif
};
auto g = ad::evaluate(f, ad::tensor<float, 3, 4>{});
int main() {}
