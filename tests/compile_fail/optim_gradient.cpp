// SPDX-License-Identifier: MIT
// A gradient has the arrays of its model.
// expect: as many, each of the same rank
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
struct weights {
    ad::tensor<float, 3> a;
    std::vector<float> b;
} model;
#ifdef RIGHT
weights gradient;
#else
ad::tensor<float, 3> gradient;
#endif
ad::optim::adam optimizer(model);
void train() { optimizer.step(model, gradient); }
int main() {}
