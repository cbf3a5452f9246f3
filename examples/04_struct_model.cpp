// A model is a struct of tensors. The same struct, instantiated with ad::symbol, is what the loss sees,
// so the parameters keep their names, and every shape in the model is checked when it is compiled.
#include <tapeless/tapeless.hpp>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <random>

namespace ad = tapeless;

template <template <class, auto...> class Tensor>
struct Mlp {
    Tensor<float, 2, 32> w1;
    Tensor<float, 32> b1;
    Tensor<float, 32, 3> w2;
    Tensor<float, 3> b2;
};

constexpr auto forward = [](auto const& m, auto x) {
    auto h = relu(matmul(x, m.w1) + m.b1);
    return matmul(h, m.w2) + m.b2;
};
constexpr auto loss = [](auto const& m, auto x, auto labels) {
    return ad::loss::cross_entropy(forward(m, x), labels);      // labels: class indices
};

int main() {
    constexpr std::size_t n = 300;
    ad::tensor<float, ad::dyn, 2> x(n);
    ad::tensor<std::int64_t, ad::dyn> labels(n);
    for (std::size_t i = 0; i < n; ++i) {                       // three interleaved spirals
        std::size_t k = i % 3;
        float r = 0.1f + 0.9f * float(i) / float(n), t = 4.0f * r + 2.0944f * float(k);
        x(i, 0) = r * std::cos(t);
        x(i, 1) = r * std::sin(t);
        labels(i) = std::int64_t(k);
    }

    std::mt19937 rng(7);
    Mlp<ad::tensor> model, g;
    ad::fill_normal(model.w1, rng, 0.0f, 1.0f);
    ad::fill_normal(model.w2, rng, 0.0f, 0.2f);
    ad::fill(model.b1, 0.0f);
    ad::fill(model.b2, 0.0f);

    auto step = ad::value_and_grad<0>(loss);
    ad::optim::adam optimizer(model, {.learning_rate = 0.02f});
    float value = 0;
    for (int i = 0; i < 800; ++i) {
        value = step(ad::into(g), model, x, labels);
        optimizer.step(model, g);
    }

    auto logits = ad::evaluate(forward, model, x);              // ad::tensor<float, ad::dyn, 3>
    std::size_t right = 0;
    for (std::size_t i = 0; i < n; ++i) {
        std::size_t best = 0;
        for (std::size_t k = 1; k < 3; ++k) if (logits(i, k) > logits(i, best)) best = k;
        right += std::int64_t(best) == labels(i);
    }
    bool ok = right >= n * 97 / 100;
    std::printf("loss %.4f  accuracy %zu/%zu  %s\n", value, right, n, ok ? "ok" : "WRONG");
    return ok ? 0 : 1;
}
