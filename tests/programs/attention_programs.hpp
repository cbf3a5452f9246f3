// SPDX-License-Identifier: MIT
#pragma once
// Attention with one head and with several, a layer of a transformer. Heads are axes of reshaped weights: (D, D) as
// (D, heads, D / heads), or (heads, D / heads, D) on the way back.

#include "programs/run_loss.hpp"

namespace reference {

using stack_of_one = shape_pattern<run, 1, run, run>;  // (batch, 1, position, feature): the heads share it

/// softmax(q kT scale) v with the heads side by side, merged by wo.
inline constexpr auto attend = [](auto x, auto wq, auto wk, auto wv, auto wo, auto scale) {
    auto q = matmul(x, permute<1, 0, 2>(wq));
    auto k = matmul(x, permute<1, 0, 2>(wk));
    auto v = matmul(x, permute<1, 0, 2>(wv));
    auto weights = softmax(ad::let(matmul(q, transpose(k)) * scale));
    return ad::let(sum<1>(matmul(matmul(weights, v), wo), ad::keepdims));
};
inline constexpr auto normalise = [](auto x, auto gain, auto shift) {
    auto centred = ad::let(x - mean<-1>(x, ad::keepdims));
    return ad::let(centred / sqrt(mean<-1>(square(centred), ad::keepdims) + 1e-5) * gain + shift);
};

inline void split_heads(test_case& c) {
    auto const heads = c.integer("heads"), features = c.in("x").shape.back(), width = features / heads;
    auto& s = input(c, "x").shape;
    s.insert(s.begin() + 1, 1);
    for (char const* name : {"Wq", "Wk", "Wv"}) input(c, name).shape = {features, heads, width};
    input(c, "Wo").shape = {heads, width, features};
    add_number(c, "scale", 1 / std::sqrt(static_cast<double>(width)));
}

/// Causal attention with one head.
template <class T>
void attention_block(std::string const& family_name) {
    run_loss<T, matrix, matrix, matrix, matrix, matrix, data<matrix>, data<scalar>>(
        [](auto x, auto wq, auto wk, auto wv, auto wo, auto mask, auto scale) {
            auto q = matmul(x, wq);
            auto k = matmul(x, wk);
            auto v = matmul(x, wv);
            auto s = ad::let(where(mask > 0.5, matmul(q, transpose(k)) * scale, -1e30));
            auto y = ad::let(x + matmul(matmul(softmax(s), v), wo));
            return sum(y * sin(y));
        },
        "attention_block", [](test_case& c) {
            auto const n = c.in("x").extent(0);
            std::vector<double> lower(n * n);
            for (std::size_t i = 0; i < n; ++i)
                for (std::size_t j = 0; j <= i; ++j) lower[i * n + j] = 1;
            add_input(c, "mask", {c.in("x").shape[0], c.in("x").shape[0]}, lower);
            add_number(c, "scale", 1 / std::sqrt(static_cast<double>(c.in("x").extent(1))));
        }, family_name);
}

template <class T>
void multi_head_attention(std::string const& family_name) {
    run_loss<T, stack_of_one, cube, cube, cube, cube, data<scalar>>(
        [](auto x, auto wq, auto wk, auto wv, auto wo, auto scale) {
            return mean(square(attend(x, wq, wk, wv, wo, scale)));
        },
        "multi_head_attention", split_heads, family_name);
}

template <class T>
void transformer_layer(std::string const& family_name) {
    run_loss<T, stack_of_one, cube, cube, cube, cube, vector, vector, vector, vector, matrix, vector, matrix,
             vector, data<scalar>>(
        [](auto x, auto wq, auto wk, auto wv, auto wo, auto g1, auto g2, auto be1, auto be2, auto w1, auto b1, auto w2,
           auto b2, auto scale) {
            auto h = ad::let(x + attend(normalise(x, g1, be1), wq, wk, wv, wo, scale));
            auto u = ad::let(matmul(normalise(h, g2, be2), w1) + b1);
            auto gelu = 0.5 * u * (1.0 + tanh(0.79788456080286535588 * (u + 0.044715 * pow(u, 3))));
            return mean(square(h + matmul(gelu, w2) + b2));
        },
        "transformer_layer", [](test_case& c) {
            split_heads(c);
            c.inputs = {"x", "Wq", "Wk", "Wv", "Wo", "g1", "g2", "be1", "be2", "W1", "b1", "W2", "b2", "scale"};
        }, family_name);
}

}  // namespace reference
