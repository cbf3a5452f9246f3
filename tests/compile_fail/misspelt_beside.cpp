// SPDX-License-Identifier: MIT
// A typing error in a statement that the result does not depend on: that, and that the function cannot be called.
// expect: wieghts
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
template <template <class, auto...> class Tensor>
struct Model {
    Tensor<float, 3> weights, shift;
};
auto f = [](auto const& m, auto x) {
#ifdef RIGHT
    auto y = m.weights * x;
#else
    auto y = m.wieghts * x;  // <- here
#endif
    (void)y;
    return mean(square(m.shift * x));
};
auto g = ad::grad<0>(f)(Model<ad::tensor>{}, ad::tensor<float, 5, 3>{});
int main() {}
