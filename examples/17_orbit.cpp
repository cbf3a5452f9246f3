// SPDX-License-Identifier: MIT
// An orbit from where something was seen: the start and the mass of what it falls around are fitted through an
// integrator with steps as long as the error allows, and L-BFGS follows the gradient.
//
//   example_17_orbit [orbit.svg]
#include <tapeless/tapeless.hpp>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

namespace ad = tapeless;

template <template <class, auto...> class Tensor>
struct Orbit {
    Tensor<double, 4> start;  // x, y and their velocities
    Tensor<double> mass;
};

// Falling around the origin: r'' = -mass r / |r|^3
constexpr auto seen_from = [](auto const& m, auto times) {
    auto const fall = [&](auto s, auto) {
        auto const x = ad::select<0>(s, 0), y = ad::select<0>(s, 1);
        auto const q = ad::let(x * x + y * y);
        auto const pull = ad::let(m.mass / (q * sqrt(q)));
        return ad::stack<0>(ad::select<0>(s, 2), ad::select<0>(s, 3), -pull * x, -pull * y);
    };
    return ad::slice<1, 0, 2>(ad::odeint(fall, m.start, times, {.rtol = 1e-8, .atol = 1e-10}));
};
constexpr auto loss = [](auto const& m, auto times, auto places) { return mean(square(seen_from(m, times) - places)); };

using Model = Orbit<ad::tensor>;
using Places = ad::tensor<double, ad::dyn, 2>;

/// What was seen as dots, the orbit before (dashed) and after.
void draw(char const* file, Places const& places, Model const& before, Model const& after) {
    std::FILE* const out = std::fopen(file, "w");
    if (!out) return;
    std::fputs(
        "<svg xmlns='http://www.w3.org/2000/svg' width='600' height='500' fill='none' style='background:white'>\n",
        out);
    std::vector<double> often(400);
    for (std::size_t i = 0; i < often.size(); ++i) often[i] = 0.02 * static_cast<double>(i);
    for (bool first : {true, false}) {
        auto const line = ad::evaluate(seen_from, first ? before : after, often);
        std::fprintf(out, "<polyline stroke='#06c' stroke-dasharray='%s' points='", first ? "2 4" : "none");
        for (int i = 0; i < 400; ++i) std::fprintf(out, "%.1f,%.1f ", 400 + 180 * line(i, 0), 250 - 180 * line(i, 1));
        std::fputs("'/>\n", out);
    }
    for (int i = 0; i < 40; ++i)
        std::fprintf(out, "<circle cx='%.1f' cy='%.1f' r='3' fill='#c30'/>\n", 400 + 180 * places(i, 0),
                     250 - 180 * places(i, 1));
    std::fputs("<circle cx='400' cy='250' r='6' fill='#fa0'/>\n</svg>\n", out), std::fclose(out);
}

int main(int argc, char** argv) {
    Model const truth{{1.0, 0.0, 0.0, 0.8}, {1.0}}, start{{0.9, 0.1, 0.1, 0.9}, {1.1}};
    std::uint32_t state = 1;
    auto const uniform = [&] { return static_cast<double>((state = state * 1664525u + 1013904223u) >> 8) * 0x1p-24; };
    std::vector<double> times(40);
    for (std::size_t i = 1; i < times.size(); ++i) times[i] = times[i - 1] + 0.05 + 0.1 * uniform();
    Places places(40);
    auto const exact = ad::evaluate(seen_from, truth, times);
    for (int i = 0; i < 40; ++i)  // seen to within 1/100
        for (int k = 0; k < 2; ++k) places(i, k) = exact(i, k) + 0.02 * (uniform() - 0.5);

    Model fit = start;
    ad::optim::lbfgs optimizer(fit, {.gradient_tolerance = 1e-7});
    auto const report = optimizer.minimize(fit, ad::value_and_grad<0>(loss), times, places);
    std::printf("%s: mass %.3f, start %.3f %.3f, velocity %.3f %.3f\n", report.converged() ? "converged" : "FAILED",
                static_cast<double>(fit.mass), fit.start(0), fit.start(1), fit.start(2), fit.start(3));
    bool right = report.converged() && std::abs(fit.mass - 1.0) < 0.02;
    for (int k = 0; k < 4; ++k) right = right && std::abs(fit.start(k) - truth.start(k)) < 0.02;
    if (argc > 1) draw(argv[1], places, start, fit);
    return right ? 0 : 1;
}
