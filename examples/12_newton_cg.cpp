// SPDX-License-Identifier: MIT
// Newton's method on Rosenbrock's valley. Each step solves H p = -g by conjugate gradients, which only ask for
// products of the Hessian with a vector: hvp gives those for the price of a few evaluations, and no Hessian is ever
// formed.
//
//   example_12_newton_cg [valley.svg]
#include <tapeless/tapeless.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <vector>

namespace ad = tapeless;
using numbers = std::vector<double>;

// sum over i of 100 (x[i+1] - x[i]^2)^2 + (1 - x[i])^2: its minimum, 0, is at (1, ..., 1)
constexpr auto rosenbrock = [](auto x) {
    auto here = ad::slice<0, 0, -1>(x);
    auto next = ad::slice<0, 1, ad::to_end>(x);
    return sum(100.0 * square(next - square(here)) + square(1.0 - here));
};

double dot(numbers const& a, numbers const& b) { return std::inner_product(a.begin(), a.end(), b.begin(), 0.0); }
void add(numbers& to, double factor, numbers const& v) {
    for (std::size_t i = 0; i < to.size(); ++i) to[i] += factor * v[i];
}

/// Moves x to the minimum; returns the points on the way.
std::vector<numbers> minimise(numbers& x) {
    auto value = ad::fused(rosenbrock);
    auto value_and_gradient = ad::value_and_grad<0>(rosenbrock);
    auto hessian_times = ad::hvp<0>(rosenbrock);
    numbers g = x, step = x, rest = x, direction = x, product = x, trial = x;
    std::vector<numbers> path{x};
    while (path.size() < 200) {
        double const f = value_and_gradient(ad::into(g), x), slope_norm = std::sqrt(dot(g, g));
        if (slope_norm < 1e-8) break;

        // H step = -g, as exactly as is worth while; where the function curves down, no further
        double const enough = slope_norm * std::min(0.01, slope_norm);
        std::fill(step.begin(), step.end(), 0.0);
        std::fill(rest.begin(), rest.end(), 0.0);
        add(rest, -1, g);
        direction = rest;
        double square_rest = dot(rest, rest);
        for (std::size_t k = 0; k < 2 * x.size() && std::sqrt(square_rest) > enough; ++k) {
            hessian_times(ad::into(product), x, direction);
            double const curvature = dot(direction, product);
            if (curvature <= 0) {
                if (k == 0) step = direction;
                break;
            }
            double const length = square_rest / curvature, before = square_rest;
            add(step, length, direction);
            add(rest, -length, product);
            square_rest = dot(rest, rest);
            for (std::size_t i = 0; i < x.size(); ++i) direction[i] = rest[i] + square_rest / before * direction[i];
        }

        // as far along the step as the function falls
        double t = 1;
        for (double const slope = dot(g, step); t > 1e-9; t /= 2) {
            trial = x;
            add(trial, t, step);
            if (value(trial) <= f + 1e-4 * t * slope) break;
        }
        x = trial;
        path.push_back(x);
    }
    return path;
}

/// The valley as lines of equal height, and the way through it.
void draw(char const* file, std::vector<numbers> const& path) {
    std::FILE* const out = std::fopen(file, "w");
    if (!out) return;
    auto const point = [&](double x, double y) {
        std::fprintf(out, "%.1f,%.1f ", 50 + (x + 1.6) * 160, 470 - (y + 0.6) * 160);
    };
    std::fputs("<svg xmlns='http://www.w3.org/2000/svg' width='620' height='500' fill='none'>\n"
               "<rect width='620' height='500' fill='white'/>\n", out);
    for (double height = 0.25; height < 1000; height *= 3) {  // y = x^2 +- sqrt(height - (1 - x)^2) / 10
        std::fprintf(out, "<polyline stroke='#9ab' points='");
        for (int i = 0; i <= 400; ++i) {
            double const u = std::cos(i * 0.0157079632679), x = 1 + std::sqrt(height) * u;
            double const y = x * x + std::sqrt(height * (1 - u * u)) / (i < 200 ? 10 : -10);
            point(std::clamp(x, -3.0, 3.0), std::clamp(y, -3.0, 9.0));
        }
        std::fputs("'/>\n", out);
    }
    std::fputs("<polyline stroke='#c30' stroke-width='2' points='", out);
    for (auto const& p : path) point(p[0], p[1]);
    std::fputs("'/>\n</svg>\n", out);
    std::fclose(out);
}

int main(int argc, char** argv) {
    bool right = true;
    for (std::size_t n : {2u, 100u}) {
        numbers x(n);
        for (std::size_t i = 0; i < n; ++i)
            x[i] = n == 2 ? (i == 0 ? -1.2 : 1.0) : 1.3 - 0.6 * static_cast<double>(i % 2);
        auto const path = minimise(x);
        double error = 0;
        for (double v : x) error = std::max(error, std::abs(v - 1));
        bool const good = error < 1e-6 && path.size() < 30;
        std::printf("%3zu numbers: %s\n", n, good ? "at (1, ..., 1) in less than 30 steps" : "NOT at the minimum");
        right = right && good;
        if (n == 2 && argc > 1) draw(argv[1], path);
    }
    return right ? 0 : 1;
}
