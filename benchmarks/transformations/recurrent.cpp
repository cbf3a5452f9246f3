// SPDX-License-Identifier: MIT
// A recurrent network of 100 units, 100 steps over a batch of 16 sequences; whole matrices are by its bias.

#include "transformations/report.hpp"

namespace {

template <template <class, auto...> class Tensor>
struct Recurrent {
    Tensor<float, 10, 100> wx;
    Tensor<float, 100, 100> wh;
    Tensor<float, 100> b;
};

constexpr auto of_bias = [](auto b, auto const& m, auto start, auto xs) {
    return ad::fold([&](auto h, auto x) { return tanh(matmul(x, m.wx) + matmul(h, m.wh) + b); }, start, xs);
};
constexpr auto last_state = [](auto const& m, auto start, auto xs) { return of_bias(m.b, m, start, xs); };
constexpr auto loss = [](auto const& m, auto start, auto xs) { return mean(square(last_state(m, start, xs))); };
constexpr auto loss_of_bias = [](auto b, auto const& m, auto start, auto xs) {
    return mean(square(of_bias(b, m, start, xs)));
};

}  // namespace

void recurrent(options const& o) {
    Recurrent<ad::tensor> m, v;
    fill_all(m.wx, m.wh, m.b, v.wx, v.wh, v.b);
    ad::tensor<float, 16, 100> start, c;
    ad::tensor<float, 100, 16, 10> xs;
    fill_all(start, xs, c);
    report(o, "recurrent, 100 steps, float", call(loss, start, xs), call(last_state, start, xs), m, v, c,
           call(loss_of_bias, m.b, m, start, xs), call(of_bias, m.b, m, start, xs));
}
