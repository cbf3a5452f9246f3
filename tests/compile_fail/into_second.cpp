// SPDX-License-Identifier: MIT
// into(...) comes first.
// expect: into_is_not_the_first_argument
// expect: into(...) is the first argument of a call
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
int main() {
    ad::tensor<double, 3> x{1, 2, 3}, g;
    auto step = ad::value_and_grad<0>([](auto v) { return sum(v * v); });
#ifdef RIGHT
    step(ad::into(g), x);
#else
    step(x, ad::into(g));
#endif
}
