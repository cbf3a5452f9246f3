// SPDX-License-Identifier: MIT
// The way of a vehicle past an obstacle: argmin finds the accelerations that cost least, and its gradient says how the
// way changes with what the obstacle costs. That price is set so that the vehicle just keeps its distance.
//
//   example_19_optimal_control [ways.svg]
#include <tapeless/tapeless.hpp>

#include <cmath>
#include <cstdio>
#include <vector>

namespace ad = tapeless;

constexpr int steps = 16;
constexpr double h = 2.0 / steps;

// From (-1, 0) with velocity (1, 0): places after each step of length h, by accelerations (steps, 2).
constexpr auto places = [](auto a, auto start) {
    auto const v = ad::let(h * ad::cumsum<0>(a) + ad::slice<0, 1, 2>(start));
    return ad::let(h * ad::cumsum<0>(v) + ad::slice<0, 0, 1>(start));
};
// Fuel, the obstacle at (0, -0.1), and where it ends: at (1, 0).
constexpr auto cost = [](auto a, auto price, auto start, auto goal) {
    auto const p = places(a, start);
    auto const x = ad::select<1>(p, 0), y = ad::select<1>(p, 1);
    auto const near = exp(-8.0 * (square(x) + square(y + 0.1)));
    return 0.05 * h * sum(square(a)) + price * h * sum(near) + 10.0 * sum(square(ad::select<0>(p, -1) - goal));
};
constexpr auto best = [](auto price, auto start, auto goal) {
    return ad::argmin(cost, ad::expand<steps, 2>(0.0 * price), price, start, goal);
};
constexpr auto way = [](auto price, auto start, auto goal) { return places(best(price, start, goal), start); };
// How near it comes, smoothly: -log of a mean of exponentials.
constexpr auto distance = [](auto price, auto start, auto goal) {
    auto const p = way(price, start, goal);
    auto const d = sqrt(square(ad::select<1>(p, 0)) + square(ad::select<1>(p, 1) + 0.1));
    return -0.02 * log(sum(exp(-50.0 * d)));
};

using Start = ad::tensor<double, 2, 2>;
using Place = ad::tensor<double, 2>;

void draw(char const* file, std::vector<double> const& prices, Start const& start, Place const& goal) {
    std::FILE* const out = std::fopen(file, "w");
    if (!out) return;
    std::fputs("<svg xmlns='http://www.w3.org/2000/svg' width='600' height='300' fill='none'>\n", out);
    std::fputs("<circle cx='300' cy='218' r='75' fill='#c30' fill-opacity='0.3'/>\n", out);
    for (std::size_t k = 0; k < prices.size(); ++k) {
        auto const p = ad::evaluate(way, prices[k], start, goal);
        std::fprintf(out, "<polyline stroke='#06c' stroke-width='2' stroke-opacity='%.2f' points='60,200 ",
                     0.2 + 0.8 * static_cast<double>(k + 1) / static_cast<double>(prices.size()));
        for (int i = 0; i < steps; ++i) std::fprintf(out, "%.1f,%.1f ", 300 + 240 * p(i, 0), 200 - 240 * p(i, 1));
        std::fputs("'/>\n", out);
    }
    std::fputs("</svg>\n", out), std::fclose(out);
}

int main(int argc, char** argv) {
    Start const start{{-1, 0}, {1, 0}};
    Place const goal{1, 0};
    double const wanted = 0.25;
    double price = 0.02;
    std::vector<double> prices;
    auto step = ad::value_and_grad<0>(distance);
    for (int i = 0; i < 20; ++i) {  // Newton's method on the price's logarithm
        auto const [d, slope] = step(price, start, goal);
        prices.push_back(price);
        if (i < 5) std::printf("price %.4f: distance %.4f, slope %.4f\n", price, d, slope);
        if (std::abs(d - wanted) < 1e-9) break;
        double const change = (wanted - d) / (slope * price);
        price *= std::exp(std::fmin(std::fmax(change, -1.0), 1.0));
    }
    double const e = 1e-5, reached = step(price, start, goal).value;
    double const slope = (step(price + e, start, goal).value - step(price - e, start, goal).value) / (2 * e);
    std::printf("price %.6f keeps a distance of %.6f\n", price, reached);
    if (argc > 1) draw(argv[1], prices, start, goal);
    return std::abs(reached - wanted) < 1e-6 && std::abs(slope / step(price, start, goal).grad - 1) < 1e-4 ? 0 : 1;
}
