// SPDX-License-Identifier: MIT
// Two results need two targets.
// expect: one for each of several results
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto a) { return std::tuple(sum(a), 2.0 * a); };
ad::tensor<float, 3> x, y;
float total;
void write() {
#ifdef RIGHT
    ad::fused(f)(ad::into(total, y), x);
#else
    ad::fused(f)(ad::into(y), x);
#endif
}
int main() {}
