// SPDX-License-Identifier: MIT
// A layer as deep as it takes: its output is its own input, z = tanh(z w + x u + b). It is found by repetition that
// learns from earlier steps; the backward pass is one linear system, by products alone, and no step is recorded.
//
//   example_18_equilibrium_layer [moons.svg]
#include <tapeless/tapeless.hpp>

#include <cmath>
#include <cstdint>
#include <cstdio>

namespace ad = tapeless;

constexpr int width = 12;

template <template <class, auto...> class Tensor>
struct Layer {
    Tensor<double, width, width> w;
    Tensor<double, 2, width> u;
    Tensor<double, width> b, out;
    Tensor<double> shift;
};

// |w| stays below 0.9, so that there is exactly one z
constexpr auto scores = [](auto const& m, auto x) {
    auto const w = ad::let(0.9 * m.w / sqrt(1.0 + sum(square(m.w))));
    auto const given = ad::let(matmul(x, m.u) + m.b);
    auto const f = [](auto z, auto v, auto y) { return tanh(matmul(z, v) + y); };
    auto const z = ad::fixed_point(f, 0.0 * given, w, given,
                                   {.tolerance = 1e-8, .linear = ad::linear_method::gmres, .anderson = 4});
    return matmul(z, m.out) + m.shift;
};
// log(1 + exp(-s)) of the score s with the sign of the class
constexpr auto loss = [](auto const& m, auto x, auto sign) { return mean(softplus(-sign * scores(m, x))); };

using Model = Layer<ad::tensor>;
using Points = ad::tensor<double, ad::dyn, 2>;

/// The plane by score, and the points.
void draw(char const* file, Model const& m, Points const& x, ad::tensor<double, ad::dyn> const& sign) {
    std::FILE* const out = std::fopen(file, "w");
    if (!out) return;
    constexpr int columns = 60, rows = 40;
    Points grid(columns * rows);
    for (int i = 0; i < columns * rows; ++i)
        grid(i, 0) = -1.5 + 4.0 * (i % columns + 0.5) / columns, grid(i, 1) = -1.0 + 2.5 * (i / columns + 0.5) / rows;
    auto const s = ad::evaluate(scores, m, grid);
    std::fputs("<svg xmlns='http://www.w3.org/2000/svg' width='600' height='400'>\n", out);
    for (int i = 0; i < columns * rows; ++i)
        std::fprintf(out, "<rect x='%d' y='%d' width='10' height='10' fill='%s' fill-opacity='%.2f'/>\n",
                     10 * (i % columns), 390 - 10 * (i / columns), s(i) > 0 ? "#06c" : "#c30",
                     0.5 * std::tanh(std::abs(s(i))));
    for (int i = 0; i < static_cast<int>(x.extent(0)); ++i)
        std::fprintf(out, "<circle cx='%.1f' cy='%.1f' r='4' fill='%s'/>\n", (x(i, 0) + 1.5) * 150,
                     400 - (x(i, 1) + 1.0) * 160, sign(i) > 0 ? "#024" : "#410");
    std::fputs("</svg>\n", out), std::fclose(out);
}

int main(int argc, char** argv) {
    std::uint32_t state = 1;
    auto const uniform = [&] { return static_cast<double>((state = state * 1664525u + 1013904223u) >> 8) * 0x1p-24; };
    int const n = 100;
    Points x(n);
    ad::tensor<double, ad::dyn> sign(n);
    for (int i = 0; i < n; ++i) {  // two moons
        double const a = 3.14159 * uniform(), side = i % 2 ? 1 : -1;
        x(i, 0) = side * std::cos(a) + (i % 2 ? 0 : 1) + 0.2 * (uniform() - 0.5);
        x(i, 1) = side * (std::sin(a) - 0.25) + 0.25 + 0.2 * (uniform() - 0.5);
        sign(i) = side;
    }
    Model m{}, g;
    for (double& v : m.w) v = 0.6 * (uniform() - 0.5);
    for (double& v : m.u) v = 2 * (uniform() - 0.5);
    for (double& v : m.b) v = uniform() - 0.5;
    for (double& v : m.out) v = uniform() - 0.5;

    auto step = ad::value_and_grad<0>(loss);
    ad::optim::adam optimizer(m, {.learning_rate = 0.05});
    double value = 0;
    for (int i = 0; i <= 200; ++i) {
        value = step(ad::into(g), m, x, sign);
        if (i % 100 == 0) std::printf("%3d  %.4f\n", i, value);
        optimizer.step(m, g);
    }
    auto const s = ad::evaluate(scores, m, x);
    int right = 0;
    for (int i = 0; i < n; ++i) right += s(i) * sign(i) > 0;
    std::printf("%d of %d on the right side\n", right, n);
    if (argc > 1) draw(argv[1], m, x, sign);
    return right >= 98 && value < 0.1 ? 0 : 1;
}
