// SPDX-License-Identifier: MIT
// Programs whose lanes lie in another direction than their last axis, or whose values need not go through memory, as
// a user writes them: value and gradient beside the best loop by hand, on one thread:
//
//   bench_lanes [--explain]
//
// Microseconds a call and the ratio. The loop over pairs of particles does each pair once, the library twice.

#include <tapeless/tapeless.hpp>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

#include "support/measure.hpp"
#include "support/pairs.hpp"

namespace {

namespace ad = tapeless;
using ad::dyn;

bool explains = false;

constexpr auto squared_distances = [](auto x, auto c) {
    return sum<2>(square(ad::unsqueeze<1>(x) - ad::unsqueeze<0>(c)));
};
constexpr auto nearest = [](auto c, auto x) { return sum(min<1>(squared_distances(x, c))); };
constexpr auto lennard_jones = [](auto x) {
    auto const d = squared_distances(x, x);
    auto const same = ad::let(ad::eye_like(d));
    auto const r2 = ad::let(d + same);
    auto const r6 = ad::let(1.0 / (r2 * r2 * r2));
    return 0.5 * sum(where(same > 0.5, 0.0, 4.0 * (r6 * r6 - r6)));
};
constexpr auto log_sum_exp = [](auto x) { return logsumexp(x); };

template <class A>
void fill(A& a, double first) {
    for (auto& v : a) v = static_cast<std::remove_cvref_t<decltype(v)>>(std::sin(first += 0.7));
}

template <class F, class G, class ByHand, class... A>
void report(char const* name, F f, G& g, ByHand by_hand, A const&... a) {
    auto step = ad::value_and_grad<0>(f);
    auto const ns = least_of_each([&] { return step(ad::into(g), a...); }, by_hand);
    double const value = static_cast<double>(step(ad::into(g), a...)), expected = static_cast<double>(by_hand());
    std::printf("%-38s %10.1f %10.1f %8.2f   difference %.1e\n", name, ns[0] / 1000, ns[1] / 1000, ns[0] / ns[1],
                std::abs(value - expected) / std::abs(expected));
    if (explains) std::printf("%s\n", ad::explain(step, a...).c_str());
    std::fflush(stdout);
}

template <class T, int D>
void run_nearest(char const* name, std::size_t n, std::size_t k) {
    ad::tensor<T, dyn, D> x(n), c(k), g(k), h(k);
    fill(x, 0), fill(c, 0.3);
    std::vector<T> work(k * (D + 1));
    auto const by_hand = [&] {
        return handwritten::nearest<D>(h.data(), x.data(), static_cast<std::int64_t>(n), c.data(),
                                       static_cast<std::int64_t>(k), work.data());
    };
    report(name, nearest, g, by_hand, c, x);
}
template <class T>
void run_particles(char const* name) {
    constexpr std::size_t n = 512;
    ad::tensor<T, n, 3> x, g, h;
    fill(x, 0);
    for (std::size_t i = 0; i < n; ++i) {
        T const at[3]{static_cast<T>(i % 8), static_cast<T>(i / 8 % 8), static_cast<T>(i / 64)};
        for (std::size_t d = 0; d < 3; ++d) x(i, d) = at[d] + x(i, d) / 20;
    }
    std::vector<T> work(6 * n);
    auto const by_hand = [&] { return handwritten::lennard_jones(h.data(), x.data(), std::int64_t(n), work.data()); };
    report(name, lennard_jones, g, by_hand, x);
}
template <class T>
void run_log_sum_exp(char const* name) {
    constexpr std::size_t n = 640000;
    ad::tensor<T, dyn> x(n), g(n), h(n);
    fill(x, 0);
    auto const by_hand = [&] { return handwritten::log_sum_exp(h.data(), x.data(), std::int64_t(n)); };
    report(name, log_sum_exp, g, by_hand, x);
}

}  // namespace

int main(int argc, char** argv) {
    explains = argc > 1 && std::strcmp(argv[1], "--explain") == 0;
    std::printf("%-38s %10s %10s %8s\n", "", "library", "by hand", "ratio");
    run_nearest<float, 8>("nearest of 1000 centres, 8-d, float", 10000, 1000);
    run_nearest<double, 8>("nearest of 1000 centres, 8-d, double", 10000, 1000);
    run_particles<float>("pairs of 512 particles, float");
    run_particles<double>("pairs of 512 particles, double");
    run_log_sum_exp<float>("log-sum-exp of 640000, float");
    run_log_sum_exp<double>("log-sum-exp of 640000, double");
}
