// SPDX-License-Identifier: MIT
// A typing error in a statement that the result does not depend on: that, and that the function cannot be called.
// expect: slpoe
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
template <template <class, auto...> class Tensor>
struct Line {
    Tensor<double> slope, height;
};
auto loss = [](auto const& line, auto x, auto y) {
    auto residual = line.slope * x + line.height - y;
#ifdef RIGHT
    [[maybe_unused]] auto weighted = line.slope * residual;
#else
    [[maybe_unused]] auto weighted = line.slpoe * residual;  // <- here
#endif
    return mean(square(residual));
};
auto g = ad::grad<0>(loss)(Line<ad::tensor>{}, ad::tensor<double, 5>{}, ad::tensor<double, 5>{});
int main() {}
