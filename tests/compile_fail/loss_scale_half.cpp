// SPDX-License-Identifier: MIT
// Gradients in half are unscaled to float.
// expect: half gradients would underflow again
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
std::vector<ad::half> gradient(3);
std::vector<float> wide(3);
ad::optim::loss_scale scale;
#ifdef RIGHT
bool finite() { return scale.unscale(gradient, wide); }
#else
bool finite() { return scale.unscale(gradient); }
#endif
int main() {}
