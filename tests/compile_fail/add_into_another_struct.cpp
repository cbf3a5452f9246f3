// SPDX-License-Identifier: MIT
// add_into: a struct of another type that happens to have the arrays of the argument.
// expect: into_target_is_another_struct<Decoder, Encoder>
// expect: hand in one of the argument's own type
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
struct Encoder {
    ad::tensor<double, 3> w;
    double b;
};
struct Decoder {
    ad::tensor<double, 3> w;
    double b;
};
auto energy = [](auto p) {
    auto [w, b] = p;
    return sum(square(w)) * b;
};
Encoder encoder;
#ifdef RIGHT
Encoder gradient;
#else
Decoder gradient;
#endif
auto v = ad::value_and_grad<0>(energy)(ad::add_into(gradient), encoder);  // <- here
int main() {}
