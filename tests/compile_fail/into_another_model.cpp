// SPDX-License-Identifier: MIT
// A model within a tuple is written to the same model.
// expect: into_target_is_another_struct<
#include <tapeless/tapeless.hpp>

#include <tuple>
namespace ad = tapeless;
template <template <class, auto...> class Tensor>
struct Encoder {
    Tensor<double, 3> w;
};
template <template <class, auto...> class Tensor>
struct Decoder {
    Tensor<double, 3> w;
};
auto energy = [](auto both) { return sum(square(std::get<0>(both).w)) + sum(std::get<1>(both).w); };
std::tuple<Encoder<ad::tensor>, Decoder<ad::tensor>> models;
#ifdef RIGHT
std::tuple<Encoder<ad::tensor>, Decoder<ad::tensor>> gradient;
#else
std::tuple<Decoder<ad::tensor>, Encoder<ad::tensor>> gradient;
#endif
auto v = ad::value_and_grad<0>(energy)(ad::into(gradient), models);  // <- here
int main() {}
