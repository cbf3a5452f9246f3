// SPDX-License-Identifier: MIT
// Programs whose lanes lie in another direction than their last axis, or whose values need not go through memory, as
// a user writes them: value and gradient beside the best loop by hand, on one thread:
//
//   bench_lanes [--explain]
//
// Microseconds a call and the ratio.

#include <tapeless/tapeless.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <tuple>
#include <vector>

#include "support/measure.hpp"
#include "support/neighbours.hpp"
#include "support/pairs.hpp"
#include "support/projection.hpp"
#include "support/recurrent.hpp"
#include "support/runge_kutta.hpp"

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


/// A point seen by a camera: see support/projection.hpp.
constexpr auto projection = [](auto r0, auto r1, auto r2, auto c0, auto c1, auto c2, auto f, auto u0, auto v0, auto k1,
                               auto k2, auto p0, auto p1, auto p2, auto w) {
    auto const x0 = ad::let(p0 - c0), x1 = ad::let(p1 - c1), x2 = ad::let(p2 - c2);
    auto const theta = ad::let(sqrt(r0 * r0 + r1 * r1 + r2 * r2 + 1e-12));
    auto const c = ad::let(cos(theta)), s = ad::let(sin(theta)), inverse = ad::let(1.0 / theta);
    auto const w0 = ad::let(r0 * inverse), w1 = ad::let(r1 * inverse), w2 = ad::let(r2 * inverse);
    auto const t = ad::let((w0 * x0 + w1 * x1 + w2 * x2) * (1.0 - c));
    auto const z = ad::let(x2 * c + (w0 * x1 - w1 * x0) * s + w2 * t);
    auto const u = ad::let((x0 * c + (w1 * x2 - w2 * x1) * s + w0 * t) / z);
    auto const v = ad::let((x1 * c + (w2 * x0 - w0 * x2) * s + w1 * t) / z);
    auto const q = ad::let(u * u + v * v), l = ad::let(f * (1.0 + k1 * q + k2 * q * q));
    return ad::stack<0>(w * (u * l + u0), w * (v * l + v0));
};
constexpr auto projection_of_row = [](auto p) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
        return projection(ad::let(p[I])...);
    }(std::make_index_sequence<15>{});
};
constexpr int runge_kutta_steps = 10;
constexpr auto runge_kutta = [](auto y) {
    constexpr double h = 0.01;
    auto slope = [](auto x) { return ad::let(x * (1.0 - x * x)); };
    for (int i = 0; i < runge_kutta_steps; ++i) {
        auto const k1 = slope(y), k2 = slope(ad::let(y + h / 2 * k1)), k3 = slope(ad::let(y + h / 2 * k2)),
                   k4 = slope(ad::let(y + h * k3));
        y = ad::let(y + h / 6 * (k1 + 2.0 * k2 + 2.0 * k3 + k4));
    }
    return y;
};
constexpr auto runge_kutta_loss = [](auto y) { return sum(square(runge_kutta(y))); };
/// See support/neighbours.hpp.
constexpr int ring_steps = 2;
constexpr auto neighbours = [](auto u) {
    constexpr double h = 0.01;
    auto slope = [](auto x) {
        auto const l = ad::roll<0>(x, 1), r = ad::roll<0>(x, -1);
        return ad::let(0.3 * (l - 2.0 * x + r) - 0.5 * x * (r - l));
    };
    for (int i = 0; i < ring_steps; ++i) {
        auto const k1 = slope(u), k2 = slope(ad::let(u + h / 2 * k1)), k3 = slope(ad::let(u + h / 2 * k2)),
                   k4 = slope(ad::let(u + h * k3));
        u = ad::let(u + h / 6 * (k1 + 2.0 * k2 + 2.0 * k3 + k4));
    }
    return u;
};
constexpr auto neighbours_loss = [](auto u) { return sum(square(neighbours(u))); };
constexpr auto recurrent = [](auto weights, auto xs, auto start) {
    auto const w = ad::let(ad::select<0>(weights, 0)), u = ad::let(ad::select<0>(weights, 1));
    auto const step = [&](auto h, auto x) {
        auto const z = ad::let(matmul(x, w) + matmul(h, u));
        return ad::let(z / (1.0 + abs(z)));
    };
    return sum(square(ad::fold(step, start, xs)));
};

/// Layers of such cells: see support/recurrent.hpp.
constexpr auto recurrent_step = [](auto const& w, auto const& u, auto x, auto h) {
    auto const z = ad::let(matmul(x, w) + matmul(h, u));
    return ad::let(z / (1.0 + abs(z)));
};
template <int Layers>
constexpr auto layered = [](auto weights, auto xs, auto start) {
    auto const of = [&](int layer, int which) {
        return ad::let(ad::select<0>(ad::select<0>(weights, layer), which));
    };
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
        auto const w = std::tuple(of(static_cast<int>(I), 0)...);
        auto const u = std::tuple(of(static_cast<int>(I), 1)...);
        auto const step = [&](auto h, auto x) {
            if constexpr (Layers == 2) {
                auto const h0 = recurrent_step(std::get<0>(w), std::get<0>(u), x, std::get<0>(h));
                return std::tuple(h0, recurrent_step(std::get<1>(w), std::get<1>(u), h0, std::get<1>(h)));
            } else {
                auto const h0 = recurrent_step(std::get<0>(w), std::get<0>(u), x, std::get<0>(h));
                auto const h1 = recurrent_step(std::get<1>(w), std::get<1>(u), h0, std::get<1>(h));
                auto const h2 = recurrent_step(std::get<2>(w), std::get<2>(u), h1, std::get<2>(h));
                return std::tuple(h0, h1, h2, recurrent_step(std::get<3>(w), std::get<3>(u), h2, std::get<3>(h)));
            }
        };
        auto const last = ad::fold(step, std::tuple((static_cast<void>(I), start)...), xs);
        return sum(square(std::get<Layers - 1>(last)));
    }(std::make_index_sequence<Layers>{});
};

template <class A>
void fill_with_waves(A& a, double first) {
    for (auto& v : a) v = static_cast<std::remove_cvref_t<decltype(v)>>(std::sin(first += 0.7));
}

template <class Step, class ByHand, class A>
void report_arrays(char const* name, Step& step, A const& argument, auto& made, auto& expected, ByHand by_hand) {
    auto const ns = least_of_each([&] { return step(ad::into(made), argument), 0; }, [&] { return by_hand(), 0; });
    double difference = 0;
    for (std::size_t i = 0; i < made.size(); ++i)
        difference = std::max(difference, std::abs(static_cast<double>(made.data()[i] - expected.data()[i])) /
                                              (1 + std::abs(static_cast<double>(expected.data()[i]))));
    std::printf("%-38s %10.1f %10.1f %8.2f   difference %.1e\n", name, ns[0] / 1000, ns[1] / 1000, ns[0] / ns[1],
                difference);
    if (explains) std::printf("%s\n", ad::explain(step, argument).c_str());
    std::fflush(stdout);
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
    fill_with_waves(x, 0), fill_with_waves(c, 0.3);
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
    fill_with_waves(x, 0);
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
    fill_with_waves(x, 0);
    auto const by_hand = [&] { return handwritten::log_sum_exp(h.data(), x.data(), std::int64_t(n)); };
    report(name, log_sum_exp, g, by_hand, x);
}

template <class T>
void run_projection(char const* name) {
    constexpr std::size_t n = 100000;
    ad::tensor<T, dyn, 15> x(n);
    ad::tensor<T, dyn, 2, 15> made(n), expected(n);
    fill_with_waves(x, 0);
    for (T& v : x) v = T(1) + v / 2;
    auto step = ad::vmap(ad::jacobian<0>(projection_of_row));
    report_arrays(name, step, x, made, expected, [&] {
        handwritten::projection_rows(expected.data(), x.data(), std::int64_t(n));
    });
}
template <class T>
void run_runge_kutta(char const* value, char const* gradient) {
    constexpr std::size_t n = 100000;
    ad::tensor<T, dyn> y(n), made(n), expected(n);
    fill_with_waves(y, 0);
    auto step = ad::fused(runge_kutta);
    report_arrays(value, step, y, made, expected, [&] {
        handwritten::runge_kutta<runge_kutta_steps>(expected.data(), y.data(), std::int64_t(n), 0.01);
    });
    report(gradient, runge_kutta_loss, made, [&] {
        return handwritten::runge_kutta_gradient<runge_kutta_steps>(expected.data(), y.data(), std::int64_t(n), 0.01);
    }, y);
}
template <class T>
void run_neighbours(char const* value, char const* gradient) {
    constexpr std::size_t n = 100000;
    ad::tensor<T, dyn> u(n), made(n), expected(n);
    fill_with_waves(u, 0);
    handwritten::neighbours<ring_steps, T> ring(std::int64_t{n});
    auto step = ad::fused(neighbours);
    report_arrays(value, step, u, made, expected, [&] { ring.value(expected.data(), u.data()); });
    report(gradient, neighbours_loss, made, [&] { return ring.gradient(expected.data(), u.data()); }, u);
}
template <class T, int N>
void run_recurrent(char const* name, std::size_t steps) {
    ad::tensor<T, 2, N, N> w, g, h;
    ad::tensor<T, dyn, N> xs(steps);
    ad::tensor<T, N> start{};
    fill_with_waves(w, 0), fill_with_waves(xs, 0.3);
    for (T& v : w) v *= T(2) / N;
    handwritten::recurrent_layers<1, N, T> cells(static_cast<std::int64_t>(steps));
    report(name, recurrent, g, [&] { return cells.run(h.data(), w.data(), xs.data()); }, w, xs, start);
}

template <class T, int Layers, int N>
void run_layers(char const* name, std::size_t steps) {
    ad::tensor<T, Layers, 2, N, N> w, g, h;
    ad::tensor<T, dyn, N> xs(steps);
    ad::tensor<T, N> start{};
    fill_with_waves(w, 0), fill_with_waves(xs, 0.3);
    for (T& v : w) v *= T(2) / N;
    handwritten::recurrent_layers<Layers, N, T> cells(static_cast<std::int64_t>(steps));
    report(name, layered<Layers>, g, [&] { return cells.run(h.data(), w.data(), xs.data()); }, w, xs, start);
}
/// The Hessian has nothing beside its diagonal, which `hessian_diagonal` finds out: one direction does.
template <class T, int D>
void run_nearest_diagonal(char const* name, std::size_t n, std::size_t k) {
    ad::tensor<T, dyn, D> x(n), c(k), made(k), expected(k), g(k);
    fill_with_waves(x, 0), fill_with_waves(c, 0.3);
    std::vector<T> work(k * (D + 1));
    auto step = ad::hessian_diagonal<0>(nearest);
    auto const ns = least_of_each([&] { return step(ad::into(made), c, x), 0; }, [&] {
        return handwritten::nearest_diagonal<D>(expected.data(), x.data(), static_cast<std::int64_t>(n), c.data(),
                                                static_cast<std::int64_t>(k), work.data(), g.data());
    });
    double difference = 0;
    for (std::size_t i = 0; i < made.size(); ++i)
        difference = std::max(difference, static_cast<double>(std::abs(made.data()[i] - expected.data()[i])));
    std::printf("%-38s %10.1f %10.1f %8.2f   difference %.1e\n", name, ns[0] / 1000, ns[1] / 1000, ns[0] / ns[1],
                difference);
    if (explains) std::printf("%s\n", ad::explain(step, c, x).c_str());
    std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
    explains = argc > 1 && std::strcmp(argv[1], "--explain") == 0;
    std::printf("%-38s %10s %10s %8s\n", "", "library", "by hand", "ratio");
    run_nearest<float, 8>("nearest of 1000 centres, 8-d, float", 10000, 1000);
    run_nearest<double, 8>("nearest of 1000 centres, 8-d, double", 10000, 1000);
    run_nearest<float, 16>("nearest of 1000 centres, 16-d, float", 10000, 1000);
    run_nearest<double, 16>("nearest of 1000 centres, 16-d, double", 10000, 1000);
    run_nearest_diagonal<double, 8>("its Hessian diagonal, 8-d, double", 10000, 1000);
    run_nearest_diagonal<double, 16>("its Hessian diagonal, 16-d, double", 10000, 1000);
    run_particles<float>("pairs of 512 particles, float");
    run_particles<double>("pairs of 512 particles, double");
    run_log_sum_exp<float>("log-sum-exp of 640000, float");
    run_log_sum_exp<double>("log-sum-exp of 640000, double");
    run_projection<double>("Jacobians of 10^5 items, 15 to 2, double");
    run_runge_kutta<double>("Runge-Kutta of 10^5, 10 steps, double", "Runge-Kutta, gradient, double");
    run_neighbours<double>("Runge-Kutta with neighbours, 10^5, double", "the same, gradient");
    run_recurrent<double, 14>("recurrent cell of 14, 1024 steps, double", 1024);
    run_layers<double, 2, 14>("2 layers of 14, 1024 steps, double", 1024);
    run_layers<double, 2, 14>("2 layers of 14, 4096 steps, double", 4096);
    run_layers<double, 4, 14>("4 layers of 14, 1024 steps, double", 1024);
    run_layers<double, 4, 14>("4 layers of 14, 4096 steps, double", 4096);
    run_recurrent<float, 32>("recurrent cell of 32, 1024 steps, float", 1024);
}
