// SPDX-License-Identifier: MIT
// A step writes the model.
// expect: so they cannot be const
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
#ifdef RIGHT
ad::tensor<float, 3> model;
#else
ad::tensor<float, 3> const model;
#endif
ad::tensor<float, 3> gradient;
ad::optim::sgd optimizer(model);
void train() { optimizer.step(model, gradient); }
int main() {}
