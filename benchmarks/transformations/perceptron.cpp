// SPDX-License-Identifier: MIT
// A perceptron, 784-128-10, and a batch of 64; whole matrices are by its first bias, 128 numbers.

#include "support/digits.hpp"
#include "transformations/report.hpp"

#include <cstdint>

namespace {

constexpr auto of_bias = [](auto b1, auto const& m, auto x) { return matmul(relu(matmul(x, m.w1) + b1), m.w2) + m.b2; };
constexpr auto scores = [](auto const& m, auto x) { return of_bias(m.b1, m, x); };
constexpr auto loss = [](auto const& m, auto x, auto t) { return ad::loss::cross_entropy(scores(m, x), t); };
constexpr auto loss_of_bias = [](auto b1, auto const& m, auto x, auto t) {
    return ad::loss::cross_entropy(of_bias(b1, m, x), t);
};

}  // namespace

void perceptron(options const& o) {
    Digits<ad::tensor> m, v;
    fill_all(m.w1, m.b1, m.w2, m.b2, v.w1, v.b1, v.w2, v.b2);
    ad::tensor<float, 64, 784> x;
    ad::tensor<float, 64, 10> c;
    ad::tensor<std::int64_t, 64> t;
    fill_all(x, c);
    for (int i = 0; i < 64; ++i) t(i) = (i * 7 + 1) % 10;
    report(o, "784-128-10, batch 64, float", call(loss, x, t), call(scores, x), m, v, c,
           call(loss_of_bias, m.b1, m, x, t), call(of_bias, m.b1, m, x));
}
