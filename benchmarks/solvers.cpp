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
#include <utility>
#include <vector>

#include <tapeless/tapeless.hpp>

#include <xsimd/xsimd.hpp>

#include "support/measure.hpp"
#include "support/springs.hpp"

namespace ad = tapeless;

namespace {

std::string_view only;

void print(std::string const& what, double ours, double other) {
    std::printf("%-72s %12.2f %12.2f %8.2f\n", what.c_str(), ours * 1e-3, other * 1e-3, other / ours);
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

// ---- one long trajectory ------------------------------------------------------------------------------------------

constexpr auto springs = [](auto s, auto, auto p) {
    auto const x = ad::select<0>(s, 0), y = ad::select<0>(s, 1), u = ad::select<0>(s, 2), v = ad::select<0>(s, 3);
    auto const k = [&](int i) { return ad::select<0>(p, i); };
    auto const pull = ad::let(k(3) * (y - x));
    return ad::stack<0>(u, v, pull - k(0) * x - k(1) * x * x * x - k(2) * u, -pull - k(4) * y - k(5) * v);
};
constexpr auto swung = [](auto p, auto start, auto times) {
    return sum(square(ad::odeint(springs, start, times, p, {.method = ad::ode_method::rk4})));
};

void trajectory() {
    std::string const name = "one trajectory of 1000 rk4 steps, by 6 parameters";
    if (!wanted(name)) return;
    ad::tensor<double, 6> const p{1.0, 0.3, 0.02, 0.5, 1.5, 0.01};
    springs_by_hand::parameters<double> const plain{1.0, 0.3, 0.02, 0.5, 1.5, 0.01};
    ad::tensor<double, 4> const start{1.0, 0.0, 0.0, 0.5};
    springs_by_hand::state<double> const first{1.0, 0.0, 0.0, 0.5};
    std::vector<double> times(1001);
    for (std::size_t i = 0; i < times.size(); ++i) times[i] = 0.01 * static_cast<double>(i);
    std::vector<springs_by_hand::state<double>> kept(times.size());
    ad::tensor<double, 6> g;
    springs_by_hand::parameters<double> by_adjoint{}, by_sensitivities{};
    auto step = ad::value_and_grad<0>(swung);
    auto const [ours, adjoint, forward] =
        measure_each([&] { return step(ad::into(g), p, start, times); },
                     [&] { return springs_by_hand::adjoint(plain, first, times, kept, by_adjoint); },
                     [&] { return springs_by_hand::sensitivities(plain, first, times, by_sensitivities); });
    print(name + " (adjoint)", ours, adjoint);
    print(name + " (sensitivities)", ours, forward);
    for (int j = 0; j < 6; ++j) {
        double const a = by_adjoint[static_cast<std::size_t>(j)], s = by_sensitivities[static_cast<std::size_t>(j)];
        if (std::abs(g(j) - a) > 1e-8 * (1 + std::abs(a)) || std::abs(s - a) > 1e-8 * (1 + std::abs(a)))
            std::printf("  WRONG: %g instead of %g, %g\n", g(j), a, s);
    }
}

// ---- many long trajectories ---------------------------------------------------------------------------------------

constexpr auto all_swung = [](auto p, auto starts, auto times) {
    return sum(ad::vmap<0, 0, ad::whole>(swung)(p, starts, times));
};

/// Beside lanes of trajectories by hand, in several forms, and one after the other with this library.
template <class T>
void batch(std::string const& type) {
    std::string const name = "4096 trajectories of 1000 rk4 steps, by 6 parameters, " + type;
    if (!wanted(name)) return;
    constexpr int n = 4096;
    ad::tensor<T, ad::dyn, 6> p(n), g(n);
    ad::tensor<T, ad::dyn, 4> starts(n);
    ad::tensor<T, 6> own, by;
    ad::tensor<T, 4> start;
    std::vector<T> times(1001);
    for (std::size_t i = 0; i < times.size(); ++i) times[i] = T(0.01) * static_cast<T>(i);
    springs_by_hand::many<T> m{n, std::vector<T>(4 * n), std::vector<T>(6 * n), times, std::vector<T>(6 * n), {}, {}};
    T const usual[] = {T(1), T(0.3), T(0.02), T(0.5), T(1.5), T(0.01)}, first[] = {1, 0, 0, T(0.5)};
    for (int i = 0; i < n; ++i) {
        for (int c = 0; c < 6; ++c) m.p[static_cast<std::size_t>(c * n + i)] = p(i, c) = usual[c] * (1 + T(1e-5) * i);
        for (int c = 0; c < 4; ++c) m.starts[static_cast<std::size_t>(c * n + i)] = starts(i, c) = first[c];
    }
    auto all = ad::value_and_grad<0>(all_swung);
    auto each = ad::value_and_grad<0>(swung);
    constexpr int sample = 256;  // one after the other takes long: every 16th
    auto one_by_one = [&] {
        T total = 0;
        for (int i = 0; i < n; i += n / sample) {
            for (int c = 0; c < 6; ++c) own(c) = p(i, c);
            for (int c = 0; c < 4; ++c) start(c) = starts(i, c);
            total += each(ad::into(by), own, start, times);
        }
        return total;
    };
    auto const ns = least_of_each(
        [&] { return all(ad::into(g), p, starts, times); }, one_by_one, [&] { return m.template items_outside<1>(); },
        [&] { return m.template items_outside<2>(); }, [&] { return m.template items_outside<4>(); },
        [&] { return m.template steps_outside<1>(); }, [&] { return m.template steps_outside<2>(); });
    print(name + " (one by one)", ns[0], ns[1] * (n / sample));
    char const* const forms[] = {"items outside, 1 register", "items outside, 2", "items outside, 4",
                                 "steps outside, 1 register", "steps outside, 2"};
    for (std::size_t k = 0; k < 5; ++k) print("  by hand, " + std::string(forms[k]), ns[0], ns[k + 2]);
    for (int c = 0; c < 6; ++c) {
        T const other = m.by_p[static_cast<std::size_t>(c * n + n - 1)], tolerance = sizeof(T) == 4 ? T(1e-2) : T(1e-8);
        if (std::abs(g(n - 1, c) - other) > tolerance * (1 + std::abs(other)))
            std::printf("  WRONG: %g instead of %g\n", static_cast<double>(g(n - 1, c)), static_cast<double>(other));
    }
}

// ---- a saddle point -----------------------------------------------------------------------------------------------

/// Where f(x, y) is smallest along x of what is largest along y: both by Newton's method, damped, one inside the other.
constexpr auto saddle = [](auto c) {
    auto const inner = [](auto x, auto k) {
        return ad::root([](auto y, auto z, auto a) { return y + y * y * y - sin(a * z) - z; }, 0.0 * x, x, k);
    };
    auto const outer = [&](auto x, auto k) { return x + atan(3.0 * x) - k * cos(inner(x, k)) - 2.0; };
    return ad::root(outer, 3.0 + 0.0 * c, c);
};
/// The step is halved until |r| is less.
template <class R>
double damped_newton(R const& r, double x) {
    auto [value, slope] = r(x);
    double step = value / slope;
    for (int k = 0; k < 100 && std::abs(step) > 1.5e-8 * (1 + std::abs(x)); ++k) {
        double const trial = x - step;
        auto const [next, next_slope] = r(trial);
        if (std::abs(next) < std::abs(value)) x = trial, value = next, step = next / next_slope;
        else step *= 0.5;
    }
    return x - step;
}
double saddle_by_hand(double c, double& by_c) {
    double inner_by_x = 0, inner_by_c = 0, y = 0;
    auto const inner = [&](double x) {
        y = damped_newton([&](double v) { return std::pair(v + v * v * v - std::sin(c * x) - x, 1 + 3 * v * v); }, 0.0);
        double const d = 1 + 3 * y * y;
        inner_by_x = (c * std::cos(c * x) + 1) / d;
        inner_by_c = x * std::cos(c * x) / d;
    };
    double slope = 0;
    double const x = damped_newton(
        [&](double v) {
            inner(v);
            slope = 1 + 3 / (1 + 9 * v * v) + c * std::sin(y) * inner_by_x;
            return std::pair(v + std::atan(3 * v) - c * std::cos(y) - 2, slope);
        },
        3.0);
    inner(x);
    slope = 1 + 3 / (1 + 9 * x * x) + c * std::sin(y) * inner_by_x;
    by_c = (std::cos(y) - c * std::sin(y) * inner_by_c) / slope;
    return x;
}

void saddle_point() {
    std::string const name = "newton within newton, gradient";
    if (!wanted(name)) return;
    double g = 0, other_g = 0, c = 1.3;
    auto step = ad::value_and_grad<0>(saddle);
    auto const [ours, other] =
        measure_each([&] { return step(ad::into(g), c); }, [&] { return saddle_by_hand(c, other_g); });
    print(name, ours, other);
    if (std::abs(g - other_g) > 1e-9 * (1 + std::abs(other_g))) std::printf("  WRONG: %g instead of %g\n", g, other_g);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc > 1) only = argv[1];
    std::printf("%-72s %12s %12s %8s\n", "", "ours, us", "other, us", "ratio");
    kepler(4096);
    kepler(1000000);
    trajectory();
    trajectories();
    batch<double>("double");
    batch<float>("float");
    saddle_point();
}
