// SPDX-License-Identifier: MIT
// A gradient that was refused, in an optimiser's step: the one reason is all that is said.
// expect: grad needs a scalar
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
struct line {
    double slope, offset;
} model;
ad::tensor<double, 3> const x{1, 2, 3};
auto loss = [](auto const& m, auto v) {
    auto [slope, offset] = m;
#ifdef RIGHT
    return sum(square(slope * v + offset));
#else
    return square(slope * v + offset);
#endif
};
ad::optim::adam by_adam(model);
ad::optim::sgd by_sgd(model);
void train() {
    auto [value, gradient] = ad::value_and_grad(loss)(model, x);  // <- here
    by_adam.step(model, gradient);
    by_sgd.step(model, gradient);
}
int main() {}
