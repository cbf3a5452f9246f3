// SPDX-License-Identifier: MIT
// An optimiser is made for a model, whose moments it keeps.
// expect: adam
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
ad::tensor<double, 3> model, gradient;
int main() {
#ifdef RIGHT
    ad::optim::adam optimizer(model, {.learning_rate = 0.02});
#else
    ad::optim::adam optimizer;  // <- here
#endif
    optimizer.step(model, gradient);
}
