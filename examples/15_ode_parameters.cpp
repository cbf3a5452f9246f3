// SPDX-License-Identifier: MIT
// The rates of a differential equation from what was seen of its solution: hares and lynxes (Lotka and Volterra),
// counted with errors at uneven times. The Runge-Kutta integrator is a scan with a fold inside, and L-BFGS follows
// its gradient.
//
//   example_15_ode_parameters [populations.svg]
#include <tapeless/tapeless.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <tuple>
#include <utility>
#include <vector>

namespace ad = tapeless;

// Logarithms of what is wanted: rates and populations are positive.
template <template <class, auto...> class Tensor>
struct Ecology {
    Tensor<double> growth, hunting, death, feeding, hares, lynxes;
};

// The populations after each pause. Logarithms again, x of the hares and y of the lynxes:
//   dx/dt = growth - hunting exp(y),   dy/dt = feeding exp(x) - death
constexpr auto populations = [](auto const& m, auto pauses) {
    auto const a = ad::let(exp(m.growth)), b = ad::let(exp(m.hunting)), c = ad::let(exp(m.death)),
               d = ad::let(exp(m.feeding));
    auto const slope = [&](auto x, auto y) { return std::pair(ad::let(a - b * exp(y)), ad::let(d * exp(x) - c)); };
    auto const pass = [&](auto const& start, auto pause) {
        auto const h = ad::let(pause / 4.0);  // four steps of Runge and Kutta
        auto const step = [&](auto const& now) {
            auto const& [x, y] = now;
            auto const [x1, y1] = slope(x, y);
            auto const [x2, y2] = slope(ad::let(x + 0.5 * h * x1), ad::let(y + 0.5 * h * y1));
            auto const [x3, y3] = slope(ad::let(x + 0.5 * h * x2), ad::let(y + 0.5 * h * y2));
            auto const [x4, y4] = slope(ad::let(x + h * x3), ad::let(y + h * y3));
            return std::tuple(x + h / 6.0 * (x1 + 2.0 * (x2 + x3) + x4), y + h / 6.0 * (y1 + 2.0 * (y2 + y3) + y4));
        };
        auto const next = ad::fold<4>(step, start);
        return std::pair(next, next);
    };
    return std::get<1>(ad::scan(pass, std::tuple(m.hares, m.lynxes), pauses));
};
constexpr auto loss = [](auto const& m, auto pauses, auto hares, auto lynxes) {
    auto const [x, y] = populations(m, pauses);
    return mean(square(x - hares) + square(y - lynxes));
};

using Model = Ecology<ad::tensor>;
struct Counts { std::vector<double> pauses, hares, lynxes; };

/// What was counted as dots, the solution before (dashed) and after.
void draw(char const* file, Counts const& seen, Model const& before, Model const& after) {
    std::FILE* const out = std::fopen(file, "w");
    if (!out) return;
    auto const place = [](double time) { return 20 + 36 * time; };
    auto const height = [](double logarithm) { return 480 - 4 * std::min(std::exp(logarithm), 115.0); };
    std::fputs(
        "<svg xmlns='http://www.w3.org/2000/svg' width='780' height='500' fill='none' style='background:white'>\n",
        out);
    std::vector<double> const often(800, 0.025);
    for (bool first : {true, false}) {
        auto const [x, y] = ad::evaluate(populations, first ? before : after, often);
        for (auto const& [line, colour] : {std::pair(&x, "#06c"), std::pair(&y, "#c30")}) {
            std::fprintf(out, "<polyline stroke='%s' stroke-dasharray='%s' points='", colour, first ? "2 4" : "none");
            for (int i = 0; i < 800; ++i) std::fprintf(out, "%.1f,%.1f ", place(0.025 * (i + 1)), height((*line)(i)));
            std::fputs("'/>\n", out);
        }
    }
    double t = 0;
    for (std::size_t i = 0; i < seen.pauses.size(); ++i) {
        t += seen.pauses[i];
        for (auto const& [dot, colour] : {std::pair(seen.hares[i], "#06c"), std::pair(seen.lynxes[i], "#c30")})
            std::fprintf(out, "<circle cx='%.1f' cy='%.1f' r='3' fill='%s'/>\n", place(t), height(dot), colour);
    }
    std::fputs("</svg>\n", out), std::fclose(out);
}

int main(int argc, char** argv) {
    auto const model = [](std::array<double, 6> p) {
        for (double& v : p) v = std::log(v);
        return Model{{p[0]}, {p[1]}, {p[2]}, {p[3]}, {p[4]}, {p[5]}};
    };
    std::array<double, 6> const truth{0.9, 0.05, 0.8, 0.02, 30, 8};
    std::uint32_t state = 1;
    auto const uniform = [&] { return static_cast<double>((state = state * 1664525u + 1013904223u) >> 8) * 0x1p-24; };
    Counts seen;
    for (int i = 0; i < 80; ++i) seen.pauses.push_back(0.1 + 0.3 * uniform());
    auto const [x, y] = ad::evaluate(populations, model(truth), seen.pauses);
    for (int i = 0; i < 80; ++i) {  // right to within 5 %
        seen.hares.push_back(x(i) + 0.1 * (uniform() - 0.5));
        seen.lynxes.push_back(y(i) + 0.1 * (uniform() - 0.5));
    }

    Model const start = model({0.6, 0.03, 0.6, 0.03, 20, 12});
    Model fit = start;
    ad::optim::lbfgs optimizer(fit, {.gradient_tolerance = 1e-6});
    auto const report = optimizer.minimize(fit, ad::value_and_grad<0>(loss), seen.pauses, seen.hares, seen.lynxes);

    bool right = report.converged();
    std::printf("%-12s true   found\n", right ? "converged" : "FAILED");
    auto const compare = [&](char const* name, double true_value, double found) {
        std::printf("%-8s %7.3f %7.3f\n", name, true_value, std::exp(found));
        right = right && std::abs(std::exp(found) / true_value - 1) < 0.03;
    };
    compare("growth", truth[0], fit.growth), compare("hunting", truth[1], fit.hunting),
        compare("death", truth[2], fit.death);
    compare("feeding", truth[3], fit.feeding), compare("hares", truth[4], fit.hares),
        compare("lynxes", truth[5], fit.lynxes);
    if (argc > 1) draw(argv[1], seen, start, fit);
    return right ? 0 : 1;
}
