// SPDX-License-Identifier: MIT
// function: a result does not lose digits on its way.
// expect: function_gives_something_else<float, double>
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
int main() {
    auto square_of = ad::fused([](auto x) { return x * x; });
#ifdef RIGHT
    ad::function<double(float)> f = square_of;
#else
    ad::function<float(double)> f = square_of;
#endif
    return f == nullptr;
}
