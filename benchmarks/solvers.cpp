// SPDX-License-Identifier: MIT
// How fast are solvers with their gradients? Beside the same loops written by hand, on one thread:
//
//   bench_solvers [PATTERN]     only the lines that contain it, e.g. "kepler"
//
// Microseconds a call; the ratio is the other's time over ours, so that more than 1 is faster.

#include <cmath>
#include <cstdio>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <tapeless/tapeless.hpp>

#include <xsimd/xsimd.hpp>

#include "support/measure.hpp"

namespace ad = tapeless;

namespace {

std::string_view only;

void print(std::string const& what, double ours, double other) {
    std::printf("%-44s %12.2f %12.2f %8.2f\n", what.c_str(), ours * 1e-3, other * 1e-3, other / ours);
}
bool wanted(std::string const& what) { return what.find(only) != std::string::npos; }

// ---- Kepler's equation --------------------------------------------------------------------------------------------

constexpr auto anomalies = [](auto e, auto m) {
    return ad::root([](auto x, auto c, auto y) { return x - c * sin(x) - y; }, m, e, m);
};
constexpr auto weighted = [](auto e, auto m, auto r) { return sum(r * anomalies(e, m)); };

double sum_of_lanes(xsimd::batch<double> const& v) {
    double lane[xsimd::batch<double>::size], total = 0;
    v.store_unaligned(lane);
    for (double x : lane) total += x;
    return total;
}
/// A register at a time until all its lanes have converged; dE/dm = 1 / (1 - e cos E), dE/de = sin E dE/dm.
double by_hand(double e, std::vector<double> const& m, std::vector<double> const& r, double& by_e,
               std::vector<double>& by_m) {
    using batch = xsimd::batch<double>;
    constexpr std::size_t lanes = batch::size;
    batch total(0.0), slopes(0.0);
    for (std::size_t i = 0; i + lanes <= m.size(); i += lanes) {  // the lengths below are whole registers
        batch const mean = batch::load_unaligned(&m[i]), weight = batch::load_unaligned(&r[i]);
        batch x = mean, s, c;
        for (int k = 0; k < 100; ++k) {
            s = xsimd::sin(x), c = xsimd::cos(x);
            batch const step = (x - e * s - mean) / (1.0 - e * c);
            x -= step;
            if (xsimd::all(xsimd::abs(step) <= 1.5e-8 * (1.0 + xsimd::abs(x)))) break;
        }
        s = xsimd::sin(x), c = xsimd::cos(x);
        batch const slope = weight / (1.0 - e * c);
        slope.store_unaligned(&by_m[i]);
        total += weight * x;
        slopes += slope * s;
    }
    by_e = sum_of_lanes(slopes);
    return sum_of_lanes(total);
}

void kepler(int n) {
    std::string const name = "kepler, " + std::to_string(n) + " anomalies, gradient";
    if (!wanted(name)) return;
    std::vector<double> m(static_cast<std::size_t>(n)), r(m), by_m(m), own(m);
    for (std::size_t i = 0; i < m.size(); ++i)
        m[i] = 6.2 * std::fmod(0.618 * static_cast<double>(i), 1.0), r[i] = std::cos(static_cast<double>(i));
    double by_e = 0, own_e = 0;
    auto step = ad::value_and_grad<0, 1>(weighted);
    auto const [ours, other] = measure_each([&] { return step(ad::into(own_e, own), 0.6, m, r); },
                                            [&] { return by_hand(0.6, m, r, by_e, by_m); });
    print(name, ours, other);
    if (std::abs(own_e - by_e) > 1e-6 * (1 + std::abs(by_e))) std::printf("  WRONG: %g instead of %g\n", own_e, by_e);
}

// ---- a body in a plane, with drag ---------------------------------------------------------------------------------

constexpr auto fall = [](auto s, auto, auto p) {
    auto const x = ad::select<0>(s, 0), y = ad::select<0>(s, 1), u = ad::select<0>(s, 2), v = ad::select<0>(s, 3);
    auto const q = ad::let(x * x + y * y);
    auto const pull = ad::let(ad::select<0>(p, 0) / (q * sqrt(q))), drag = ad::select<0>(p, 1);
    return ad::stack<0>(u, v, -pull * x - drag * u, -pull * y - drag * v);
};
constexpr auto flown = [](auto start, auto p, auto times) {
    return sum(ad::select<0>(ad::odeint(fall, start, times, p, {.method = ad::ode_method::rk4}), -1));
};
constexpr auto many_flown = [](auto start, auto p, auto times) {
    return sum(ad::vmap<0, ad::whole, ad::whole>(flown)(start, p, times));
};

void trajectories() {
    std::string const name = "4096 trajectories of 100 rk4 steps, gradient";
    if (!wanted(name)) return;
    ad::tensor<double, ad::dyn, 4> starts(4096), g(4096);
    ad::tensor<double, 4> one, gradient;
    ad::tensor<double, 2> const p{1.0, 0.01};
    std::vector<double> times(101);
    for (std::size_t i = 0; i < times.size(); ++i) times[i] = 0.01 * static_cast<double>(i);
    for (int i = 0; i < 4096; ++i)
        starts(i, 0) = 1 + 1e-4 * i, starts(i, 1) = 0.1, starts(i, 2) = 0.2, starts(i, 3) = 1;
    auto all = ad::value_and_grad<0>(many_flown);
    auto each = ad::value_and_grad<0>(flown);
    auto const [ours, other] = measure_each([&] { return all(ad::into(g), starts, p, times); },
                                            [&] {
                                                double total = 0;
                                                for (int i = 0; i < 4096; ++i) {
                                                    for (int k = 0; k < 4; ++k) one(k) = starts(i, k);
                                                    total += each(ad::into(gradient), one, p, times);
                                                }
                                                return total;
                                            });
    print(name + " (one by one)", ours, other);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc > 1) only = argv[1];
    std::printf("%-44s %12s %12s %8s\n", "", "ours, us", "other, us", "ratio");
    kepler(4096);
    kepler(1000000);
    trajectories();
}
