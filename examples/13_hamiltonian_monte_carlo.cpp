// SPDX-License-Identifier: MIT
// Bayesian logistic regression by Hamiltonian Monte Carlo: the weights move like a particle on the surface -log p(w |
// data), and the gradient of that surface is the force. The steps of the leapfrog allocate nothing.
//
//   example_13_hamiltonian_monte_carlo [lines.svg]
#include <tapeless/tapeless.hpp>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

namespace ad = tapeless;
constexpr int features = 3;  // two coordinates, and 1
using Weights = ad::tensor<double, features>;

// -log p(w | data), but for a constant: labels are 1 and -1, the prior is normal with standard deviation 3
constexpr auto energy = [](auto w, auto x, auto label) {
    return sum(softplus(-label * matmul(x, w))) + sum(square(w)) / 18.0;
};

/// The same numbers on every machine (splitmix64).
struct Random {
    std::uint64_t state = 1;
    double uniform() {
        std::uint64_t z = state += 0x9e3779b97f4a7c15;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
        z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
        return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
    }
    double normal() {  // the sum of twelve is normal enough
        double sum = -6;
        for (int i = 0; i < 12; ++i) sum += uniform();
        return sum;
    }
};

struct Data {
    ad::tensor<double, ad::dyn, features> x;
    std::vector<double> label;
};

/// Points, those of both classes overlapping, where the line is known.
Data make_data(std::int64_t n, Weights const& w, Random& random) {
    Data d{ad::tensor<double, ad::dyn, features>(n), std::vector<double>(static_cast<std::size_t>(n))};
    for (std::int64_t i = 0; i < n; ++i) {
        d.x(i, 0) = 2 * random.normal();
        d.x(i, 1) = 2 * random.normal();
        d.x(i, 2) = 1;
        double const score = w(0) * d.x(i, 0) + w(1) * d.x(i, 1) + w(2);
        d.label[static_cast<std::size_t>(i)] = random.uniform() < 1 / (1 + std::exp(-score)) ? 1 : -1;
    }
    return d;
}

double kinetic(Weights const& p) { return 0.5 * (p(0) * p(0) + p(1) * p(1) + p(2) * p(2)); }

/// Every line that a sample of the weights draws between the classes.
void draw(char const* file, Data const& d, std::vector<Weights> const& samples) {
    std::FILE* const out = std::fopen(file, "w");
    if (!out) return;
    auto const at = [](double v) { return 250 + 40 * v; };
    std::fputs("<svg xmlns='http://www.w3.org/2000/svg' width='500' height='500'>\n"
               "<rect width='500' height='500' fill='white'/>\n", out);
    for (std::size_t i = 0; i < samples.size(); i += 50) {
        auto const y = [&](double x) { return at((samples[i](0) * x + samples[i](2)) / samples[i](1)); };
        std::fprintf(out, "<line x1='0' y1='%.1f' x2='500' y2='%.1f' stroke='#789' opacity='0.2'/>\n", y(-6.25),
                     y(6.25));
    }
    for (std::size_t i = 0; i < d.label.size(); ++i)
        std::fprintf(out, "<circle cx='%.1f' cy='%.1f' r='4' fill='%s'/>\n", at(d.x(i, 0)), at(-d.x(i, 1)),
                     d.label[i] > 0 ? "#c30" : "#06c");
    std::fputs("</svg>\n", out);
    std::fclose(out);
}

int main(int argc, char** argv) {
    Random random;
    Weights const truth{1.0, -2.0, 0.5};
    Data const data = make_data(200, truth, random);

    auto force = ad::value_and_grad<0>(energy);
    Weights w{}, g, p, new_w, new_g;
    double now = force(ad::into(g), w, data.x, data.label);
    constexpr int burn_in = 500, draws = 10000, leaps = 8;
    constexpr double dt = 0.08;
    std::vector<Weights> samples;
    std::array<double, features> mean{}, squares{}, slope{}, product{};
    int accepted = 0;
    for (int i = -burn_in; i < draws; ++i) {
        for (double& v : p) v = random.normal();
        double const before = now + kinetic(p);
        new_w = w, new_g = g;
        double after = 0;
        for (int leap = 0; leap < leaps; ++leap) {
            for (int k = 0; k < features; ++k) new_w(k) += dt * (p(k) -= dt / 2 * new_g(k));
            after = force(ad::into(new_g), new_w, data.x, data.label);
            for (int k = 0; k < features; ++k) p(k) -= dt / 2 * new_g(k);
        }
        if (random.uniform() < std::exp(before - after - kinetic(p))) w = new_w, g = new_g, now = after, ++accepted;
        if (i < 0) continue;
        samples.push_back(w);
        for (std::size_t k = 0; k < features; ++k) {
            mean[k] += w(k) / draws;
            squares[k] += w(k) * w(k) / draws;
            slope[k] += g(k) / draws;
            product[k] += w(k) * g(k) / draws;
        }
    }

    // Whatever the posterior is, over it the covariance of w and dU/dw is 1: so the samples can be checked.
    bool right = accepted > 0.8 * (burn_in + draws);
    std::printf("more than 80%% of the proposals accepted: %s\n   true    posterior   covariance\n",
                right ? "yes" : "NO");
    for (std::size_t k = 0; k < features; ++k) {
        double const sd = std::sqrt(squares[k] - mean[k] * mean[k]), covariance = product[k] - mean[k] * slope[k];
        std::printf("%7.1f %7.2f +- %.2f %9.2f\n", truth(k), mean[k], sd, covariance);
        right = right && std::abs(mean[k] - truth(k)) < 3 * sd && std::abs(covariance - 1) < 0.1;
    }
    if (argc > 1) draw(argv[1], data, samples);
    return right ? 0 : 1;
}
