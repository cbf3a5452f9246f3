// SPDX-License-Identifier: MIT
#pragma once
// A perceptron with one hidden layer, by hand: relu, softmax cross-entropy with the targets as rows, the gradients of
// all parameters. `Product` multiplies the matrices; the rest are loops that a compiler can see through.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "product.hpp"

namespace handwritten {

/// The sizes of the layers are constants, the batch is not. Everything is allocated beforehand.
template <class Product, int In, int Hidden, int Out>
class perceptron {
public:
    explicit perceptron(std::int64_t batch)
        : batch_(batch),
          h_(static_cast<std::size_t>(batch * Hidden)),
          g_h_(h_.size()),
          z_(static_cast<std::size_t>(batch * Out)) {}

    /// The loss over the rows of x and t; the gradients go to g, a struct of arrays like the model m.
    template <class Model>
    float step(Model& g, Model const& m, float const* x, float const* t) {
        Product::template multiply<form::plain>({batch_, In, Hidden}, x, m.w1.data(), h_.data());
        add_bias_and_relu(m.b1.data());
        Product::template multiply<form::plain>({batch_, Hidden, Out}, h_.data(), m.w2.data(), z_.data());
        float const loss = loss_and_slope(m.b2.data(), t, g.b2.data());

        Product::template multiply<form::left_transposed>({Hidden, batch_, Out}, h_.data(), z_.data(), g.w2.data());
        Product::template multiply<form::right_transposed>({batch_, Out, Hidden}, z_.data(), m.w2.data(), g_h_.data());
        relu_slope(g.b1.data());
        Product::template multiply<form::left_transposed>({In, batch_, Hidden}, x, g_h_.data(), g.w1.data());
        return loss;
    }

private:
    void add_bias_and_relu(float const* __restrict b) {
        float* __restrict h = h_.data();
        for (std::int64_t i = 0; i < batch_; ++i, h += Hidden)
            for (int j = 0; j < Hidden; ++j) {
                float const v = h[j] + b[j];
                h[j] = v > 0 ? v : 0;
            }
    }

    /// The mean of log sum exp(z) - sum(z t); z is replaced by the slope (softmax(z) - t) / batch.
    float loss_and_slope(float const* __restrict b, float const* __restrict t, float* __restrict g_b) {
        float const share = 1 / static_cast<float>(batch_);
        float loss = 0;
        std::fill_n(g_b, Out, 0.0f);
        float* __restrict z = z_.data();
        for (std::int64_t i = 0; i < batch_; ++i, z += Out, t += Out) {
            float hit = 0, total = 0, top = z[0] + b[0];
            for (int j = 0; j < Out; ++j) {
                z[j] += b[j];
                hit += z[j] * t[j];
                top = std::max(top, z[j]);
            }
            for (int j = 0; j < Out; ++j) {
                z[j] = std::exp(z[j] - top);
                total += z[j];
            }
            loss += std::log(total) + top - hit;
            float const scale = share / total;
            for (int j = 0; j < Out; ++j) {
                z[j] = z[j] * scale - t[j] * share;
                g_b[j] += z[j];
            }
        }
        return loss * share;
    }

    /// Nothing passes where relu was 0; the gradient of the bias is the sum of the rows.
    void relu_slope(float* __restrict g_b) {
        std::fill_n(g_b, Hidden, 0.0f);
        float const* __restrict h = h_.data();
        float* __restrict g = g_h_.data();
        for (std::int64_t i = 0; i < batch_; ++i, h += Hidden, g += Hidden)
            for (int j = 0; j < Hidden; ++j) {
                g[j] = h[j] > 0 ? g[j] : 0;
                g_b[j] += g[j];
            }
    }

    std::int64_t batch_;
    std::vector<float> h_, g_h_, z_;
};

}  // namespace handwritten
