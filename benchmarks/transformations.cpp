// SPDX-License-Identifier: MIT
// What do derivatives cost? Gradients, jvp, vjp and Hessian-vector products of four problems, as multiples of one evaluation.
//
//   bench_transformations [--only PART_OF_A_NAME] [--explain]
//
// --explain prints the plans beside the figures.

#include <tapeless/tapeless.hpp>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>

#include "support/measure.hpp"
#include "support/numbers.hpp"

namespace {

namespace ad = tapeless;

char const* only = "";
bool explained = false;
bool wanted(char const* name) { return std::strstr(name, only) != nullptr; }

// Least squares: 2000 rows, 100 numbers.
constexpr auto residuals = [](auto w, auto x, auto y) { return matmul(x, w) - y; };
constexpr auto least_squares = [](auto w, auto x, auto y) { return mean(square(residuals(w, x, y))); };

// Log-sum-exp.
constexpr auto peak = [](auto x) { return logsumexp(x); };
constexpr auto shares = [](auto x) { return softmax(x); };

/// 784-128-10.
template <template <class, auto...> class Tensor>
struct Digits {
    Tensor<float, 784, 128> w1;
    Tensor<float, 128> b1;
    Tensor<float, 128, 10> w2;
    Tensor<float, 10> b2;
};
constexpr auto scores = [](auto const& m, auto x) { return matmul(relu(matmul(x, m.w1) + m.b1), m.w2) + m.b2; };
constexpr auto perceptron = [](auto const& m, auto x, auto t) { return ad::loss::cross_entropy(scores(m, x), t); };

/// A recurrent network, 100 steps over a batch of 16 sequences.
template <template <class, auto...> class Tensor>
struct Recurrent {
    Tensor<float, 10, 100> wx;
    Tensor<float, 100, 100> wh;
    Tensor<float, 100> b;
};
constexpr auto last_state = [](auto const& m, auto start, auto xs) {
    return ad::fold([&](auto h, auto x) { return tanh(matmul(x, m.wx) + matmul(h, m.wh) + m.b); }, start, xs);
};
constexpr auto recurrent = [](auto const& m, auto start, auto xs) { return mean(square(last_state(m, start, xs))); };

void heading() {
    std::puts("Multiples of one evaluation; targets: gradient 3, jvp 2.5, hvp 6. vjp is that of the array before the loss, by");
    std::puts("multiples of its own evaluation.\n");
    std::printf("%-34s %12s %9s %9s %9s %9s\n", "", "us", "gradient", "jvp", "hvp", "vjp");
}

/// Turns of a function as multiples of the evaluation's; 0 and a dash where it is not measured.
void print(double multiple) {
    if (multiple > 0) std::printf(" %9.2f", multiple);
    else std::printf(" %9s", "-");
}

/// One line: f is the loss and r the array before it, of the parameters p and of data; v is like p, c like r.
template <bool Forward = true, class F, class R, class P, class C, class RData, class... Data>
void report(char const* name, F f, R r, P const& p, P const& v, C const& c, RData const& r_data, Data const&... data) {
    if (!wanted(name)) return;
    auto value = ad::fused(f);
    auto gradient = ad::value_and_grad<0>(f);
    auto array = ad::fused(r);
    auto back = ad::vjp<0>(r);
    P g = p;
    C out = c;
    auto const evaluate = [&] { return value(p, data...); };
    auto const differentiate = [&] { return gradient(ad::into(g), p, data...); };
    auto const evaluate_array = [&] {
        std::apply([&](auto const&... d) { array(ad::into(out), p, d...); }, r_data);
        return out.data()[0];
    };
    auto const pull_back = [&] {
        std::apply([&](auto const&... d) { back(ad::into(out, g), p, d..., c); }, r_data);
        return out.data()[0];
    };
    if constexpr (Forward) {
        auto along = ad::jvp<0>(f);
        auto curved = ad::hvp<0>(f);
        auto tangent = value(p, data...);
        auto const push_forward = [&] { return along(ad::into(tangent), p, data..., v); };
        auto const multiply = [&] { return curved(ad::into(g), p, data..., v), tangent; };
        auto const ns = shortest_turn_of_each(evaluate, differentiate, evaluate_array, pull_back, push_forward, multiply);
        std::printf("%-34s %12.2f", name, ns[0] / 1000);
        for (double multiple : {ns[1] / ns[0], ns[4] / ns[0], ns[5] / ns[0], ns[3] / ns[2]}) print(multiple);
        if (explained)
            std::printf("\n\njvp\n%s\nhvp\n%s", ad::explain(along, p, data..., v).c_str(),
                        ad::explain(curved, p, data..., v).c_str());
    } else {
        auto const ns = shortest_turn_of_each(evaluate, differentiate, evaluate_array, pull_back);
        std::printf("%-34s %12.2f", name, ns[0] / 1000);
        for (double multiple : {ns[1] / ns[0], 0.0, 0.0, ns[3] / ns[2]}) print(multiple);
    }
    std::printf("\n");
    std::fflush(stdout);
    if (explained)
        std::printf("\nvalue\n%s\ngradient\n%s\n", ad::explain(value, p, data...).c_str(),
                    ad::explain(gradient, p, data...).c_str());
}

template <class... A>
void fill_all(A&... a) {
    (fill(a, -0.1, 0.1), ...);
}

void linear_problems() {
    ad::tensor<double, 100> w, v;
    ad::tensor<double, 2000, 100> x;
    ad::tensor<double, 2000> y, c;
    fill_all(w, v, x, y, c);
    report("least squares, 2000 x 100, double", least_squares, residuals, w, v, c, std::tie(x, y), x, y);
}

template <class T, int N>
void peaks(char const* name) {
    ad::tensor<T, N> x, v, c;
    fill_all(x, v, c);
    report(name, peak, shares, x, v, c, std::tuple<>());
}

void networks() {
    Digits<ad::tensor> m, v;
    fill_all(m.w1, m.b1, m.w2, m.b2, v.w1, v.b1, v.w2, v.b2);
    ad::tensor<float, 64, 784> x;
    ad::tensor<float, 64, 10> c;
    ad::tensor<std::int64_t, 64> t;
    fill_all(x, c);
    for (int i = 0; i < 64; ++i) t(i) = (i * 7 + 1) % 10;
    report("784-128-10, batch 64, float", perceptron, scores, m, v, c, std::tie(x), x, t);
}

void loops() {
    Recurrent<ad::tensor> m, v;
    fill_all(m.wx, m.wh, m.b, v.wx, v.wh, v.b);
    ad::tensor<float, 16, 100> start, c;
    ad::tensor<float, 100, 16, 10> xs;
    fill_all(start, xs, c);
    report("recurrent, 100 steps, float", recurrent, last_state, m, v, c, std::tie(start, xs), start, xs);
}

}  // namespace

int main(int argc, char** argv) {
    for (int i = 1; i < argc; ++i) {
        if (!std::strcmp(argv[i], "--only") && i + 1 < argc) only = argv[++i];
        if (!std::strcmp(argv[i], "--explain")) explained = true;
    }
    heading();
    linear_problems();
    peaks<double, 100>("log-sum-exp of 100, double");
    peaks<float, 100000>("log-sum-exp of 100000, float");
    networks();
    loops();
}
