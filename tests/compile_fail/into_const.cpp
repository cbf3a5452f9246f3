// SPDX-License-Identifier: MIT
// Nothing is written to what is const; a view that is const points to what is not.
// expect: into_something_const
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
int main() {
    ad::tensor<double, 3> x{1, 2, 3}, g;
    auto step = ad::value_and_grad<0>([](auto v) { return sum(v * v); });
#ifdef RIGHT
    ad::view<double, 3> const there(g.data());
    step(ad::into(there), x);
#else
    step(ad::into(std::as_const(g)), x);
#endif
}
