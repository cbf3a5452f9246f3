// SPDX-License-Identifier: MIT
#pragma once
// A perceptron for handwritten digits.

/// 784-128-10.
template <template <class, auto...> class Tensor>
struct Digits {
    Tensor<float, 784, 128> w1;
    Tensor<float, 128> b1;
    Tensor<float, 128, 10> w2;
    Tensor<float, 10> b2;
};
