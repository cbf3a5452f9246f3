// SPDX-License-Identifier: MIT
// A typing error inside a model.
// expect: Model
// expect: wieghts
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
template <template <class, auto...> class Tensor>
struct Model {
    Tensor<float, 3> weights, shift;
};
auto f = [](auto const& m, auto x) {
#ifdef RIGHT
    return mean(square(m.weights * x + m.shift));
#else
    return mean(square(m.wieghts * x + m.shift));  // <- here
#endif
};
auto g = ad::grad<0>(f)(Model<ad::tensor>{}, ad::tensor<float, 5, 3>{});
int main() {}
