// SPDX-License-Identifier: MIT
// expect: capture
// expect: argument
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
int main() {
    float alpha = 0.5f;
    ad::tensor<float, 3> a{1.0f, 2.0f, 3.0f};
#ifdef RIGHT
    auto f = [](auto a, auto alpha) { return sum(alpha * a); };
    auto g = ad::grad<0>(f)(a, alpha);
#else
    auto f = [alpha](auto a) { return sum(alpha * a); };
    auto g = ad::grad<0>(f)(a);
#endif
    return g(0) == alpha ? 0 : 1;
}
