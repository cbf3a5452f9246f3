// SPDX-License-Identifier: MIT
// A small language model: embedding, one transformer block (layer norm, attention with a causal mask, a gelu layer,
// dropout by seed) and cross-entropy by gather, trained to continue a periodic text. Every shape is checked by the
// compiler.
#include <tapeless/tapeless.hpp>

#include <cstdint>
#include <cstdio>
#include <random>

namespace ad = tapeless;

constexpr int vocabulary = 8, length = 24, features = 32, heads = 4;

template <template <class, auto...> class Tensor>
struct Model {
    Tensor<float, vocabulary, features> words;
    Tensor<float, length, features> places;
    Tensor<float, features> gain1, shift1, gain2, shift2;
    Tensor<float, 3 * features, features> qkv;
    Tensor<float, features, features> out;
    Tensor<float, 4 * features, features> up;
    Tensor<float, 4 * features> up_bias;
    Tensor<float, features, 4 * features> down;
};

constexpr auto loss = [](auto const& m, auto text, auto next, auto keep, auto seed) {
    auto x = ad::let(embedding(m.words, text) + m.places);  // (length, features)
    // attention: (length, 3 features) -> three times (heads, length, features / heads)
    auto [q, k, v] = ad::split<1, features, features, features>(linear(layer_norm(x, m.gain1, m.shift1), m.qkv));
    auto head = [](auto t) { return ad::let(ad::permute<1, 0, 2>(ad::reshape<length, heads, features / heads>(t))); };
    auto mixed = ad::permute<1, 0, 2>(attention(head(q), head(k), head(v), keep));
    auto y = ad::let(x + linear(ad::reshape<length, features>(mixed), m.out));
    auto hidden = gelu(linear(layer_norm(y, m.gain2, m.shift2), m.up, m.up_bias));
    auto z = ad::let(y + dropout(linear(hidden, m.down), seed, 0.1));
    // the words' own vectors score the next word
    auto scores = ad::log_softmax(linear(z, m.words));
    return -mean(ad::gather<1>(scores, ad::unsqueeze<1>(next)));
};

int main() {
    Model<ad::tensor> m{}, g{};
    std::mt19937 random(1);
    ad::fill_normal(m.words, random, 0, 0.3);
    ad::fill_normal(m.places, random, 0, 0.1);
    ad::fill_normal(m.qkv, random, 0, 0.2);
    ad::fill_normal(m.out, random, 0, 0.1);
    ad::fill_normal(m.up, random, 0, 0.2);
    ad::fill_normal(m.down, random, 0, 0.1);
    ad::fill(m.gain1, 1.0f);
    ad::fill(m.gain2, 1.0f);

    ad::tensor<int, length> text, next;
    ad::tensor<bool, length, length> keep;  // a word sees itself and those before it
    for (int i = 0; i < length; ++i) {
        text(i) = i * i % 7;
        next(i) = (i + 1) * (i + 1) % 7;
        for (int j = 0; j < length; ++j) keep(i, j) = j <= i;
    }

    auto step = ad::value_and_grad<0>(loss);
    float first = 0, last = 0;
    for (std::int32_t i = 0; i < 60; ++i) {
        last = step(ad::into(g), m, text, next, keep, i);
        if (i == 0) first = last;
        if (i % 20 == 0) std::printf("step %2d  loss %.3f\n", static_cast<int>(i), static_cast<double>(last));
        auto descend = [](auto& parameter, auto const& gradient) {
            for (std::size_t j = 0; j < parameter.size(); ++j) parameter.data()[j] -= 0.05f * gradient.data()[j];
        };
        descend(m.words, g.words), descend(m.places, g.places), descend(m.qkv, g.qkv), descend(m.out, g.out);
        descend(m.up, g.up), descend(m.up_bias, g.up_bias), descend(m.down, g.down);
        descend(m.gain1, g.gain1), descend(m.shift1, g.shift1), descend(m.gain2, g.gain2), descend(m.shift2, g.shift2);
    }
    std::printf("after 60 steps %.3f\n", static_cast<double>(last));
    return last < 0.5f * first ? 0 : 1;
}
