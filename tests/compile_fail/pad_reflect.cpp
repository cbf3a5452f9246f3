// SPDX-License-Identifier: MIT
// Three elements can be mirrored twice, not three times.
// expect: pad: more elements than the axis can give
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto a) {
#ifdef RIGHT
    return sum(ad::pad<2, 2>(a, ad::reflect));
#else
    return sum(ad::pad<3, 0>(a, ad::reflect));  // <- here
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<float, 3>{});
int main() {}
