// SPDX-License-Identifier: MIT
// How jerky is a motion, and how bad the measurements? The likelihood of all measurements by a Kalman filter, a scan
// whose carry is a mean and a covariance; its gradient leads L-BFGS to both numbers.
#include <tapeless/tapeless.hpp>

#include <cmath>
#include <cstdio>
#include <tuple>

namespace ad = tapeless;
namespace la = ad::linalg;

// Logarithms of two standard deviations: of the velocity's change in a step, and of what is measured.
template <template <class, auto...> class Tensor>
struct Noise {
    Tensor<double> motion, measured;
};
using matrix = ad::tensor<double, 2, 2>;

// -log p(all measurements): place and velocity move by `a`, and both are measured.
constexpr auto surprise = [](auto const& noise, auto a, auto jerk, auto unit, auto mean, auto covariance, auto seen) {
    auto const q = ad::let(exp(2.0 * noise.motion) * jerk), r = ad::let(exp(2.0 * noise.measured) * unit);
    auto const step = [&](auto const& state, auto y) {
        auto const& [m, p] = state;
        auto const l = ad::let(la::cholesky(p + r));         // of what is expected to be measured
        auto const w = ad::let(la::solve_triangular(l, p));  // the gain is wᵀ l⁻¹
        auto const found = ad::let(m + matmul(la::solve_triangular(l, y - m), w));
        auto const left = ad::let(p - matmul(transpose(w), w));
        auto const next = std::tuple(matmul(a, found), matmul(matmul(a, left), transpose(a)) + q);
        return std::pair(next, ad::density::multivariate_normal_cholesky_lpdf(y, m, l));
    };
    return -sum(std::get<1>(ad::scan(step, std::tuple(mean, covariance), seen)));
};

/// The same by hand.
double plain(double motion, double measured, ad::tensor<double, ad::dyn, 2> const& seen) {
    double m[2] = {0, 0}, p[2][2] = {{10, 0}, {0, 10}}, total = 0;
    double const q = std::exp(2 * motion), r = std::exp(2 * measured);
    for (std::size_t t = 0; t < seen.extent(0); ++t) {
        double const s0 = p[0][0] + r, s1 = p[0][1], s2 = p[1][1] + r, det = s0 * s2 - s1 * s1;
        double const v0 = seen(t, 0) - m[0], v1 = seen(t, 1) - m[1];
        double const u0 = (s2 * v0 - s1 * v1) / det, u1 = (s0 * v1 - s1 * v0) / det;
        total += 0.5 * (v0 * u0 + v1 * u1) + 0.5 * std::log(det) + std::log(2 * 3.14159265358979323846);
        double const f0 = m[0] + p[0][0] * u0 + p[0][1] * u1, f1 = m[1] + p[1][0] * u0 + p[1][1] * u1;
        double l[2][2];
        for (int i = 0; i < 2; ++i)
            for (int j = 0; j < 2; ++j) {
                double const x0 = (s2 * p[0][j] - s1 * p[1][j]) / det, x1 = (s0 * p[1][j] - s1 * p[0][j]) / det;
                l[i][j] = p[i][j] - p[i][0] * x0 - p[i][1] * x1;
            }
        m[0] = f0 + f1, m[1] = f1;
        p[0][0] = l[0][0] + l[0][1] + l[1][0] + l[1][1] + 0.25 * q;
        p[0][1] = p[1][0] = l[0][1] + l[1][1] + 0.5 * q;
        p[1][1] = l[1][1] + q;
    }
    return total;
}

int main() {
    constexpr int n = 400;
    constexpr double motion = 0.1, measured = 0.5;
    ad::tensor<double, ad::dyn, 2> seen(n);
    unsigned state = 7;
    auto const normal = [&] {  // the sum of twelve is normal enough
        double sum = -6;
        for (int k = 0; k < 12; ++k) sum += ((state = state * 1664525u + 1013904223u) >> 8) * 0x1p-24;
        return sum;
    };
    double place = 0, velocity = 0.3;
    for (int t = 0; t < n; ++t) {
        seen(t, 0) = place + measured * normal();
        seen(t, 1) = velocity + measured * normal();
        double const push = motion * normal();
        place += velocity + 0.5 * push;
        velocity += push;
    }

    matrix const a{{1, 1}, {0, 1}}, jerk{{0.25, 0.5}, {0.5, 1}}, unit{{1, 0}, {0, 1}}, wide{{10, 0}, {0, 10}};
    ad::tensor<double, 2> const rest{0, 0};
    Noise<ad::tensor> noise;
    noise.motion() = -1, noise.measured() = 0;
    auto step = ad::value_and_grad<0>(surprise);
    auto const [value, slope] = step(noise, a, jerk, unit, rest, wide, seen);
    double const expected = plain(-1, 0, seen), h = 1e-5;
    double const by_motion = (plain(-1 + h, 0, seen) - plain(-1 - h, 0, seen)) / (2 * h);
    double const by_measured = (plain(-1, h, seen) - plain(-1, -h, seen)) / (2 * h);
    bool right = std::abs(value - expected) < 1e-8 * expected && std::abs(slope.motion() - by_motion) < 1e-4 &&
                 std::abs(slope.measured() - by_measured) < 1e-4;
    std::printf("-log p %.3f, by hand %.3f; slopes %.3f %.3f, by differences %.3f %.3f\n", value, expected,
                slope.motion(), slope.measured(), by_motion, by_measured);

    auto const report = ad::optim::lbfgs(noise).minimize(noise, step, a, jerk, unit, rest, wide, seen);
    std::printf("%s: motion %.3f (%.1f in truth), measured %.3f (%.1f)\n",
                report.converged() ? "converged" : "NOT converged", std::exp(noise.motion()), motion,
                std::exp(noise.measured()), measured);
    right = right && report.converged() && std::abs(std::exp(noise.motion()) - motion) < 0.03 &&
            std::abs(std::exp(noise.measured()) - measured) < 0.05;
    return right ? 0 : 1;
}
