// SPDX-License-Identifier: MIT
// One call on 1, 2, 4, ... threads, up to as many as there are processors: microseconds, and how many times faster.
// Every line also says whether the results are the same, bit by bit.
//
//   bench_threads [--only PART_OF_A_NAME] [--threads MOST] [--seconds OF_EACH_FIGURE]

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <tapeless/tapeless.hpp>
#include <threads/bytes_of.hpp>

namespace ad = tapeless;

namespace {

using tests::bytes_of;

char const* only = "";
double seconds = 0.4;
std::vector<int> counts;
std::mt19937 rng(3);

/// The best of some microseconds.
template <class F>
double best_of(F const& f) {
    using clock = std::chrono::steady_clock;
    double best = 1e30;
    auto const end = clock::now() + std::chrono::milliseconds(static_cast<int>(1000 * seconds));
    for (int i = 0; i < 5 || clock::now() < end; ++i) {
        auto const start = clock::now();
        f();
        best = std::min(best, std::chrono::duration<double, std::micro>(clock::now() - start).count());
    }
    return best;
}

/// One line: call() runs a step that was told how many threads, and result() is what it left.
template <class Step, class Call, class Result>
void line(char const* name, Step& step, Call const& call, Result const& result) {
    if (!std::strstr(name, only)) return;
    std::printf("%-40s", name);
    double one = 0;
    std::string first;
    bool same = true;
    for (int n : counts) {
        step.threads(n);
        call();
        std::string const now = bytes_of(result());
        if (n == 1) first = now;
        same = same && now == first;
        double const t = best_of(call);
        if (n == 1) one = t;
        std::printf(n == 1 ? "%10.1f       " : "%10.1f (%4.1f)", t, one / t);
        std::fflush(stdout);
    }
    std::puts(same ? "" : "   OTHER RESULTS");
}

template <class T>
T& random(T& x, double scale = 1) {
    ad::fill_normal(x, rng, 0, scale);
    return x;
}

void elementwise(std::int64_t n, char const* name) {
    auto step = ad::value_and_grad<0, 1, 2>(
        [](auto mu, auto s, auto x) { return mean(0.5f * square((x - mu) / exp(s)) + s); });
    ad::tensor<float, ad::dyn> x(n), g(n);
    random(x);
    float value = 0, a = 0, b = 0;
    line(name, step, [&] { value = step(ad::into(a, b, g), 0.3f, -0.2f, x); },
         [&] { return std::tuple(value, a, b, g); });
}
void products(std::int64_t n, char const* name) {
    auto step = ad::fused([](auto a, auto b) { return matmul(a, b); });
    ad::tensor<float, ad::dyn, ad::dyn> a(n, n), b(n, n), c(n, n);
    random(a), random(b);
    line(name, step, [&] { step(ad::into(c), a, b); }, [&] { return std::tuple(c); });
}

template <template <class, auto...> class Tensor>
struct perceptron {
    Tensor<float, 128, 784> w1;
    Tensor<float, 128> b1;
    Tensor<float, 10, 128> w2;
    Tensor<float, 10> b2;
};
void perceptrons(std::int64_t n, char const* name) {
    auto step = ad::value_and_grad<0>([](auto const& m, auto x, auto k) {
        return ad::loss::cross_entropy(linear(relu(linear(x, m.w1, m.b1)), m.w2, m.b2), k);
    });
    auto m = std::make_unique<perceptron<ad::tensor>>(), g = std::make_unique<perceptron<ad::tensor>>();
    random(m->w1, 0.1), random(m->w2, 0.1);
    ad::tensor<float, ad::dyn, 784> x(n);
    ad::tensor<std::int64_t, ad::dyn> k(n);
    random(x);
    ad::fill_uniform(k, rng, 0, 10);
    float value = 0;
    line(name, step, [&] { value = step(ad::into(*g), *m, x, k); },
         [&] { return std::tuple(value, g->w1, g->b1, g->w2, g->b2); });
}
void cross_entropy() {
    auto step = ad::value_and_grad<0>([](auto x, auto k) { return ad::loss::cross_entropy(x, k); });
    ad::tensor<float, 256, 1000> x, g;
    ad::tensor<std::int64_t, 256> k;
    random(x);
    ad::fill_uniform(k, rng, 0, 1000);
    float value = 0;
    line("cross-entropy 256x1000", step, [&] { value = step(ad::into(g), x, k); },
         [&] { return std::tuple(value, g); });
}
void layer_norm() {
    auto step = ad::value_and_grad<0, 1, 2>(
        [](auto x, auto gain, auto bias) { return sum(square(ad::layer_norm(x, gain, bias))); });
    ad::tensor<float, 256, 512> x, g;
    ad::tensor<float, 512> gain, bias, dg, db;
    random(x), random(gain), random(bias);
    float value = 0;
    line("layer norm 256x512", step, [&] { value = step(ad::into(g, dg, db), x, gain, bias); },
         [&] { return std::tuple(value, g, dg, db); });
}
void attention() {
    auto step =
        ad::value_and_grad<0, 1, 2>([](auto q, auto k, auto v) { return sum(square(ad::attention(q, k, v))); });
    using heads = ad::tensor<float, 8, 4, 128, 32>;
    auto x = std::make_unique<std::array<heads, 6>>();
    auto& [q, k, v, a, b, c] = *x;
    random(q), random(k), random(v);
    float value = 0;
    line("attention 8x4x128x32", step, [&] { value = step(ad::into(a, b, c), q, k, v); },
         [&] { return std::tie(value, a, b, c); });
}
template <template <class, auto...> class Tensor>
struct projections {
    Tensor<float, 128, 128> q, k, v, out;
};
void multi_head() {
    auto step = ad::value_and_grad<0, 1>([](auto const& m, auto x) {
        auto heads = [&](auto const& w) { return ad::swap_axes<1, 2>(ad::reshape<8, 128, 4, 32>(matmul(x, w))); };
        auto const y = ad::swap_axes<1, 2>(ad::attention(heads(m.q), heads(m.k), heads(m.v)));
        return sum(square(matmul(ad::reshape<8, 128, 128>(y), m.out)));
    });
    auto m = std::make_unique<projections<ad::tensor>>(), g = std::make_unique<projections<ad::tensor>>();
    random(m->q, 0.1), random(m->k, 0.1), random(m->v, 0.1), random(m->out, 0.1);
    auto x = std::make_unique<std::array<ad::tensor<float, 8, 128, 128>, 2>>();
    auto& [a, b] = *x;
    random(a);
    float value = 0;
    line("multi-head 8x128x128, 4 heads", step, [&] { value = step(ad::into(*g, b), *m, a); },
         [&] { return std::tie(value, g->q, g->k, g->v, g->out, b); });
}
template <int Units>
struct lstm_of {
    template <template <class, auto...> class Tensor>
    struct cell {
        Tensor<float, Units, 4 * Units> w;
        Tensor<float, Units, 4 * Units> u;
        Tensor<float, 4 * Units> b;
    };
};
template <int Rows, int Units>
void lstm(std::int64_t steps, char const* name) {
    auto step = ad::value_and_grad<0>([](auto const& m, auto xs, auto h0) {
        auto const last = ad::fold(
            [&](auto state, auto x) {
                auto const [h, c] = state;
                auto const z = matmul(x, m.w) + matmul(h, m.u) + m.b;
                auto const [i, f, g, o] = ad::split<1, Units, Units, Units, Units>(z);
                auto const next = sigmoid(f) * c + sigmoid(i) * tanh(g);
                return std::tuple(sigmoid(o) * tanh(next), next);
            },
            std::tuple(h0, h0), xs);
        return mean(square(std::get<0>(last)));
    });
    using cell = typename lstm_of<Units>::template cell<ad::tensor>;
    auto m = std::make_unique<cell>(), g = std::make_unique<cell>();
    random(m->w, 0.1), random(m->u, 0.1);
    ad::tensor<float, ad::dyn, Rows, Units> xs(steps);
    ad::tensor<float, Rows, Units> h0{};
    random(xs);
    float value = 0;
    line(name, step, [&] { value = step(ad::into(*g), *m, xs, h0); },
         [&] { return std::tuple(value, g->w, g->u, g->b); });
}

}  // namespace

int main(int argc, char** argv) {
    int most = ad::detail::hardware_threads();
    for (int i = 1; i + 1 < argc; i += 2) {
        if (!std::strcmp(argv[i], "--only")) only = argv[i + 1];
        if (!std::strcmp(argv[i], "--threads")) most = std::atoi(argv[i + 1]);
        if (!std::strcmp(argv[i], "--seconds")) seconds = std::atof(argv[i + 1]);
    }
    for (int n = 1; n < most; n *= 2) counts.push_back(n);
    counts.push_back(most);
    std::printf("%-40s", "microseconds (times faster), threads:");
    for (int n : counts) std::printf("%10d       ", n);
    std::puts("");
    elementwise(10'000, "elementwise loss, 10^4");
    elementwise(100'000, "elementwise loss, 10^5");
    elementwise(1'000'000, "elementwise loss, 10^6");
    products(256, "product 256^3");
    products(1024, "product 1024^3");
    perceptrons(64, "784-128-10, batch 64");
    perceptrons(1024, "784-128-10, batch 1024");
    cross_entropy();
    layer_norm();
    attention();
    multi_head();
    lstm<64, 128>(32, "LSTM 32 steps, 64x128");
    lstm<16, 100>(100, "LSTM 100 steps, 16x100");
}
