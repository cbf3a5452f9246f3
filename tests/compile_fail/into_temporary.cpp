// SPDX-License-Identifier: MIT
// What is written to a temporary that owns its memory is lost; a view only points.
// expect: into_a_temporary
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
int main() {
    ad::tensor<double, 3> x{1, 2, 3}, g;
    auto step = ad::value_and_grad<0>([](auto v) { return sum(v * v); });
#ifdef RIGHT
    step(ad::into(ad::view<double, 3>(g.data())), x);
#else
    step(ad::into(ad::tensor<double, 3>{}), x);
#endif
}
