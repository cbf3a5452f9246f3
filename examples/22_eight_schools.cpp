// SPDX-License-Identifier: MIT
// Eight schools (Rubin 1981): how much does coaching help, and how much do schools differ? Four chains of the No-U-Turn
// sampler (Hoffman and Gelman 2014), with the R-hat and effective sample sizes that say whether to believe them.
#include <tapeless/tapeless.hpp>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

namespace ad = tapeless;
namespace density = ad::density;

constexpr int schools = 8,
              parameters = schools + 2;  // mu/5, ln tau, and how far each school is from mu, in units of tau
using Point = ad::tensor<double, parameters>;

constexpr auto log_posterior = [](auto z, auto y, auto sigma) {
    auto const mu = ad::let(5.0 * ad::select<0>(z, 0)), u = ad::let(ad::select<0>(z, 1));
    auto const tau = ad::let(ad::bijection::positive.forward(u));
    auto const apart = ad::let(ad::slice<0, 2, ad::to_end>(z));
    return density::normal_lpdf(y, mu + tau * apart, sigma) + density::std_normal_lpdf(apart) +
           density::normal_lpdf(mu, 0, 5) + density::half_cauchy_lpdf(tau, 5) + ad::bijection::positive.log_jacobian(u);
};

/// The same numbers on every machine (splitmix64).
struct Random {
    std::uint64_t state;
    double uniform() {
        std::uint64_t z = state += 0x9e3779b97f4a7c15;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
        z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
        return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
    }
    double normal() { return std::sqrt(-2 * std::log(1 - uniform())) * std::cos(6.283185307179586 * uniform()); }
};

struct State {
    Point at, momentum, gradient;
    double value = 0;  // ln p(at)
    double energy() const {
        double k = 0;
        for (double p : momentum) k += p * p;
        return value - k / 2;
    }
};

/// A chain: a tree of leapfrog steps is doubled to one side or the other until its ends move towards each other.
struct Sampler {
    std::vector<double> const &y, &sigma;
    Random random;
    double dt = 0.1;
    ad::function<double(ad::into_t<Point&>, Point const&, std::vector<double> const&, std::vector<double> const&)>
        slope = ad::value_and_grad<0>(log_posterior);

    struct Tree {
        State left, right, chosen;
        double weight = 0;  // of all its points together
        bool going = true;
        double accepted = 0;
        int steps = 0;
    };
    void leap(State& s, double h) {
        for (int k = 0; k < parameters; ++k) s.at(k) += h * (s.momentum(k) += h / 2 * s.gradient(k));
        s.value = slope(ad::into(s.gradient), s.at, y, sigma);
        for (int k = 0; k < parameters; ++k) s.momentum(k) += h / 2 * s.gradient(k);
    }
    static bool apart(State const& left, State const& right) {
        double a = 0, b = 0;
        for (int k = 0; k < parameters; ++k) {
            double const d = right.at(k) - left.at(k);
            a += d * left.momentum(k), b += d * right.momentum(k);
        }
        return a >= 0 && b >= 0;
    }
    Tree grow(State const& from, int side, int depth, double start) {
        if (depth == 0) {
            State s = from;
            leap(s, side * dt);
            double const gain = s.energy() - start;
            return {s, s, s, std::exp(gain), gain > -1000, std::fmin(1, std::exp(gain)), 1};
        }
        Tree first = grow(from, side, depth - 1, start);
        return first.going ? join(first, grow(side < 0 ? first.left : first.right, side, depth - 1, start), side, false)
                           : first;
    }
    Tree join(Tree a, Tree const& b, int side, bool whole) {
        double const odds = whole ? b.weight / a.weight : b.weight / (a.weight + b.weight);
        if (b.going && random.uniform() < odds) a.chosen = b.chosen;
        a.weight += b.weight;
        (side < 0 ? a.left : a.right) = side < 0 ? b.left : b.right;
        a.going = a.going && b.going && apart(a.left, a.right);
        a.accepted += b.accepted, a.steps += b.steps;
        return a;
    }
    /// The next point, and how often steps of this length would be accepted.
    double next(State& s) {
        for (double& p : s.momentum) p = random.normal();
        double const start = s.energy();
        Tree t{s, s, s, 1.0, true, 0.0, 0};
        for (int depth = 0; depth < 8 && t.going; ++depth) {
            int const side = random.uniform() < 0.5 ? -1 : 1;
            t = join(t, grow(side < 0 ? t.left : t.right, side, depth, start), side, true);
        }
        s = t.chosen;
        return t.accepted / t.steps;
    }
    /// Draws after a warm-up in which the step length is sought (dual averaging).
    std::vector<Point> run(int warm_up, int draws) {
        State s;
        for (double& x : s.at) x = random.uniform() - 0.5;
        s.value = slope(ad::into(s.gradient), s.at, y, sigma);
        double error = 0, mean = 0;
        for (int i = 1; i <= warm_up; ++i) {
            error += (0.9 - next(s) - error) / (i + 10);
            double const log_dt = std::log(1.0) - std::sqrt(i) / 0.05 * error, share = std::pow(i, -0.75);
            mean = share * log_dt + (1 - share) * mean;
            dt = std::exp(log_dt);
        }
        dt = std::exp(mean);
        std::vector<Point> all;
        for (int i = 0; i < draws; ++i) {
            (void)next(s);
            all.push_back(s.at);
        }
        return all;
    }
};

struct Summary {
    double mean, sd, r_hat, effective;
};
/// Of chains cut in two: R-hat, and the number of independent draws that would tell as much (Vehtari et al. 2021,
/// without ranks).
Summary summarise(std::vector<std::vector<double>> const& chains) {
    double const m = static_cast<double>(chains.size()), n = static_cast<double>(chains[0].size());
    std::vector<double> means;
    double mean = 0, within = 0, between = 0;
    for (auto const& c : chains) {
        double sum = 0;
        for (double x : c) sum += x / n;
        means.push_back(sum);
        mean += sum / m;
        for (double x : c) within += (x - sum) * (x - sum) / (n - 1) / m;
    }
    for (double x : means) between += (x - mean) * (x - mean) / (m - 1);
    double const variance = within * (n - 1) / n + between;
    auto const correlation = [&](std::size_t lag) {
        double covariance = 0;
        for (std::size_t c = 0; c < chains.size(); ++c)
            for (std::size_t i = 0; i + lag < chains[c].size(); ++i)
                covariance += (chains[c][i] - means[c]) * (chains[c][i + lag] - means[c]) / n / m;
        return 1 - (within - covariance) / variance;
    };
    double time = 1;  // until a draw is forgotten: 1 + 2 (the correlations as long as pairs of them are positive)
    for (std::size_t lag = 1; lag + 1 < chains[0].size(); lag += 2) {
        double const pair = correlation(lag) + correlation(lag + 1);
        if (pair < 0) break;
        time += 2 * pair;
    }
    return {mean, std::sqrt(variance), std::sqrt(variance / within), m * n / time};
}

int main() {
    std::vector<double> const y{28, 8, -3, 7, -1, 1, 18, 12}, sigma{15, 10, 16, 11, 9, 11, 10, 18};
    constexpr int chains = 4, warm_up = 500, draws = 1000;
    std::array<std::vector<std::vector<double>>, 3> seen;  // mu, tau, and the first school: four chains in eight halves
    for (int c = 0; c < chains; ++c) {
        Sampler sampler{y, sigma, {static_cast<std::uint64_t>(c + 1)}};
        std::vector<Point> const all = sampler.run(warm_up, draws);
        for (std::size_t i = 0; i < all.size(); ++i) {
            double const mu = 5 * all[i](0), tau = std::exp(all[i](1));
            double const values[] = {mu, tau, mu + tau * all[i](2)};
            for (std::size_t k = 0; k < 3; ++k) {
                if (i % (draws / 2) == 0) seen[k].emplace_back();
                seen[k].back().push_back(values[k]);
            }
        }
    }
    // with 10^6 draws: mu 4.4 +- 3.3, tau 3.6 +- 3.2, the first school 6.2 +- 5.6
    char const* const names[] = {"mu", "tau", "first school"};
    double const known[] = {4.4, 3.6, 6.2};
    bool right = true;
    std::printf("%-14s %6s %6s %7s %10s\n", "", "mean", "sd", "R-hat", "effective");
    for (std::size_t k = 0; k < 3; ++k) {
        Summary const s = summarise(seen[k]);
        std::printf("%-14s %6.2f %6.2f %7.3f %10.0f\n", names[k], s.mean, s.sd, s.r_hat, s.effective);
        right = right && s.r_hat < 1.02 && s.effective > 400 &&
                std::abs(s.mean - known[k]) < 5 * s.sd / std::sqrt(s.effective);
    }
    return right ? 0 : 1;
}
