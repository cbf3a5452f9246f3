// SPDX-License-Identifier: MIT
// Losses: value and gradient beside loops written by hand, on one thread:
//
//   bench_losses [--only NAME]
//
// Microseconds a call and the ratio, of which at most 1.15 is wanted. Then fused_linear_cross_entropy beside
// cross_entropy of a linear layer, 512 rows of 256 against 32768 classes: seconds, the ratio (at most 1.3) and the
// workspace of both.

#include <tapeless/tapeless.hpp>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <random>

#include "support/losses.hpp"
#include "support/measure.hpp"

namespace {

namespace ad = tapeless;
using ad::dyn;

char const* only = nullptr;
bool wanted(char const* name) { return !only || std::strcmp(only, name) == 0; }

void print(char const* name, char const* type, std::array<double, 2> const& ns, double difference) {
    std::printf("%-34s %-7s %10.2f %10.2f %8.2f   difference %.1e\n", name, type, ns[0] / 1000, ns[1] / 1000,
                ns[0] / ns[1], difference);
    std::fflush(stdout);
}
template <class A, class B>
double difference(A const& a, B const& b) {
    double largest = 0, scale = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        largest = std::max(largest, std::abs(static_cast<double>(a.data()[i] - b.data()[i])));
        scale = std::max(scale, std::abs(static_cast<double>(b.data()[i])));
    }
    return largest / scale;
}

/// Loss over a million elements, x and t made by these functions of the position.
template <class T, class ByHand, class Loss, class X, class Target>
void elementwise(char const* name, char const* type, Loss loss, X make_x, Target make_t) {
    if (!wanted(name)) return;
    constexpr std::size_t n = 1'000'000;
    ad::tensor<T, dyn> x(n), t(n), g(n), h(n);
    for (std::size_t i = 0; i < n; ++i) x(i) = static_cast<T>(make_x(i)), t(i) = static_cast<T>(make_t(i));
    auto gradient = ad::value_and_grad<0>(loss);
    auto const ns = least_of_each(
        [&] { return gradient(ad::into(g), x, t); },
        [&] { return handwritten::mean_loss<ByHand>(h.data(), x.data(), t.data(), static_cast<std::int64_t>(n)); });
    print(name, type, ns, difference(g, h));
}

template <class T, int N, int C, auto Rows>
void cross_entropy(char const* name, char const* type) {
    if (!wanted("cross_entropy")) return;
    ad::tensor<T, N, C> x, h;
    ad::tensor<std::int64_t, N> t;
    std::mt19937 rng(1);
    ad::fill_normal(x, rng, T(0), T(2));
    for (auto& v : t) v = static_cast<std::int64_t>(rng() % static_cast<unsigned>(C));
    auto gradient =
        ad::value_and_grad<0>([](auto scores, auto target) { return ad::loss::cross_entropy(scores, target); });
    ad::tensor<T, Rows, C> const in(x);
    ad::tensor<T, Rows, C> g(x);
    ad::tensor<std::int64_t, Rows> const targets(t);
    auto const ns = least_of_each([&] { return gradient(ad::into(g), in, targets); }, [&] {
        return handwritten::cross_entropy_of_indices<C>(h.data(), x.data(), t.data(), N);
    });
    print(name, type, ns, difference(g, h));
}

template <class T>
void report(char const* type) {
    auto wave = [](std::size_t i) { return 3 * std::sin(0.7 * static_cast<double>(i)); };
    auto probability = [](std::size_t i) { return 0.5 + 0.49 * std::sin(0.7 * static_cast<double>(i)); };
    auto label = [](std::size_t i) { return i * 2654435761u % 3 == 0 ? 1.0 : 0.0; };
    cross_entropy<T, 256, 1000, 256>("cross_entropy 256 x 1000", type);
    cross_entropy<T, 256, 1000, dyn>("cross_entropy n x 1000, n = 256", type);
    cross_entropy<T, 64, 10, 64>("cross_entropy 64 x 10", type);
    cross_entropy<T, 64, 10, dyn>("cross_entropy n x 10, n = 64", type);
    elementwise<T, handwritten::bce_function>(
        "bce_with_logits", type, [](auto x, auto t) { return ad::loss::bce_with_logits(x, t); }, wave, label);
    elementwise<T, handwritten::huber_function>(
        "huber", type, [](auto x, auto t) { return ad::loss::huber(x, t); }, wave, label);
    elementwise<T, handwritten::focal_function>(
        "focal", type, [](auto x, auto t) { return ad::loss::focal(x, t); }, probability, label);
    elementwise<T, handwritten::kl_function>(
        "kl_div", type, [](auto x, auto t) { return ad::loss::kl_div(x, t); }, wave, probability);
}

void fused_linear() {
    if (!wanted("fused_linear_cross_entropy")) return;
    constexpr std::size_t n = 512, d = 256, classes = 32768;
    ad::tensor<float, dyn, dyn> x(n, d), w(classes, d), gx(n, d), gw(classes, d), hx(n, d), hw(classes, d);
    ad::tensor<std::int64_t, dyn> t(n);
    std::mt19937 rng(1);
    ad::fill_normal(x, rng, 0.0f, 1.0f);
    ad::fill_normal(w, rng, 0.0f, 0.1f);
    for (auto& v : t) v = static_cast<std::int64_t>(rng() % classes);
    auto fused =
        ad::value_and_grad<0, 1>([](auto a, auto b, auto c) { return ad::loss::fused_linear_cross_entropy(a, b, c); });
    auto unfused =
        ad::value_and_grad<0, 1>([](auto a, auto b, auto c) { return ad::loss::cross_entropy(linear(a, b), c); });
    auto const ns = least_of_each([&] { return fused(ad::into(gx, gw), x, w, t); },
                                  [&] { return unfused(ad::into(hx, hw), x, w, t); });
    std::printf("fused_linear_cross_entropy, float: %.3f s, unfused %.3f s, ratio %.2f, differences %.1e and %.1e\n",
                ns[0] * 1e-9, ns[1] * 1e-9, ns[0] / ns[1], difference(gx, hx), difference(gw, hw));
    std::string const a = ad::explain(fused, x, w, t), b = ad::explain(unfused, x, w, t);
    std::printf("  fused: %s\n  unfused: %s\n", a.substr(0, a.find('\n')).c_str(), b.substr(0, b.find('\n')).c_str());
}

}  // namespace

int main(int argc, char** argv) {
    if (argc == 3 && !std::strcmp(argv[1], "--only")) only = argv[2];
    std::printf("%-34s %-7s %10s %10s %8s\n", "", "", "us", "by hand", "ratio");
    report<float>("float");
    report<double>("double");
    fused_linear();
}
