// SPDX-License-Identifier: MIT
// Globals may have any name: -Wshadow says nothing of parameters and variables of the library that have it too.
// flags: -fsyntax-only -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror
// flags-GNU: -Wuseless-cast
#include <tapeless/io/npy.hpp>
#include <tapeless/io/safetensors.hpp>
#include <tapeless/io/text.hpp>
#include <tapeless/tapeless.hpp>

namespace ad = tapeless;

int a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z;
int all, at, axis, batch, column, columns, count, data, first, from, graph, kernel, last, length, loss, model, name,
    node, one, plan, rank, result, row, rows, shape, size, step, text, to, type, value;

constexpr auto function = [](auto weight, auto in, auto labels) {
    return ad::loss::cross_entropy(layer_norm(tanh(matmul(in, weight))), labels) + mean(softmax(in)) + sum(max<1>(in));
};

int main() {
    ad::tensor<float, 4, 3> weight, gradient;
    ad::tensor<float, ad::dyn, 4> in(5);
    std::vector<int> labels(5);
    auto both = ad::value_and_grad<0>(function);
    both(ad::into(gradient), weight, in, labels);
    ad::optim::adam(weight, {}).step(weight, gradient);
    ad::save_safetensors("file", weight);
}
