// SPDX-License-Identifier: MIT
// Flat memory has one element type.
// expect: map_of_another_element_type
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
template <template <class, auto...> class Tensor>
struct Net {
    Tensor<double, 3> w;
#ifdef RIGHT
    Tensor<double> b;
#else
    Tensor<float> b;
#endif
};
double memory[4];
auto net = ad::map<Net>(memory);  // <- here
int main() {}
