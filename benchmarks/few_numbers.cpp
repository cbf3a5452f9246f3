// SPDX-License-Identifier: MIT
// Programs with a short axis, or a narrow matrix, beside a long one, that go from number to number, or that have no more
// than a few numbers, as a user writes them: beside the best loop by hand, on one thread:
//
//   bench_few_numbers [--explain]
//
// Microseconds a call and the ratio.

#include <tapeless/tapeless.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <utility>
#include <vector>

#include "support/directions.hpp"
#include "support/few.hpp"
#include "support/measure.hpp"
#include "support/mixture.hpp"
#include "support/polynomial.hpp"
#include "support/rows.hpp"
#include "support/series.hpp"

namespace {

namespace ad = tapeless;
using ad::dyn;

bool explains = false;

constexpr auto by_running_products = [](auto w, auto x, auto y) {
    auto const powers = ad::cumprod<1>(where(ad::arange_like<0>(w) == 0, 1.0, ad::unsqueeze<1>(x)));
    return mean(square(matmul(powers, w) - y));
};
constexpr auto by_powers = [](auto w, auto x, auto y) {
    return mean(square(matmul(pow(ad::unsqueeze<1>(x), ad::arange_like<0>(w)), w) - y));
};
/// See support/mixture.hpp.
constexpr auto mixture = [](auto mu, auto log_sigma, auto a, auto x) {
    auto const d = (ad::unsqueeze<1>(x) - ad::unsqueeze<0>(mu)) * exp(-ad::unsqueeze<0>(log_sigma));
    return -mean(logsumexp<1>(log_softmax<0>(a) - 0.5 * sum<2>(square(d)) - sum<1>(log_sigma)));
};
constexpr int outputs = 544, joints = 88, parameters = 26;
/// See support/directions.hpp.
constexpr auto points = [](auto p, auto basis, auto from) {
    return square(matmul(basis, sin(ad::reshape<joints, 3>(matmul(from, p)))));
};
/// See support/series.hpp.
constexpr auto varying_variance = [](auto p, auto xs) {
    auto const w = ad::let(p[0]), a = ad::let(p[1]), b = ad::let(p[2]);
    auto const step = [&](auto h, auto x) { return std::pair(w + a * x * x + b * h, log(h) + x * x / h); };
    return sum(std::get<1>(ad::scan(step, p[3], xs)));
};
constexpr auto springs = [](auto p, auto from, auto to, auto rest) {
    auto const d = ad::let(ad::index_select<0>(p, from) - ad::index_select<0>(p, to));
    return 0.5 * sum(square(sqrt(sum<1>(square(d))) - rest));
};
/// See support/rows.hpp.
constexpr auto cross_entropy = [](auto x, auto t) { return ad::loss::cross_entropy(x, t); };
constexpr auto apart_from_rest = [](auto x, auto y, auto rest) {
    return 0.5 * sum(square(sqrt(sum<1>(square(x - y))) - rest));
};
constexpr int heat_steps = 8;
constexpr auto heat = [](auto u) {
    for (int i = 0; i < heat_steps; ++i) {
        auto const left = ad::slice<0, 0, -2>(u);
        auto const here = ad::slice<0, 1, -1>(u);
        auto const right = ad::slice<0, 2, ad::to_end>(u);
        u = ad::let(u + ad::pad<1, 1>(0.25 * (left - 2.0 * here + right)));
    }
    return sum(square(u));
};

constexpr auto squares = [](auto x) { return sum(square(x)); };
/// See support/few.hpp.
constexpr auto rosenbrock = [](auto x) {
    auto const a = ad::slice<0, 0, -1>(x);
    auto const b = ad::slice<0, 1, ad::to_end>(x);
    return sum(100.0 * square(b - square(a)) + square(1.0 - a));
};
constexpr auto quadratic = [](auto x, auto a) { return dot(x, matmul(a, x)); };

template <class A>
void fill_with_waves(A& a, double first) {
    for (auto& v : a) v = static_cast<std::remove_cvref_t<decltype(v)>>(std::sin(first += 0.7));
}
template <class A>
double apart(A const& made, A const& expected) {
    double difference = 0;
    for (std::size_t i = 0; i < made.size(); ++i)
        difference = std::max(difference, std::abs(static_cast<double>(made.data()[i] - expected.data()[i])) /
                                              (1 + std::abs(static_cast<double>(expected.data()[i]))));
    return difference;
}
template <class Step, class ByHand, class G, class... A>
void report(char const* name, Step step, ByHand by_hand, G& g, G const& expected, A const&... a) {
    auto const ns = least_of_each([&] { return step(ad::into(g), a...), 0; }, [&] { return by_hand(), 0; });
    std::printf("%-44s %10.1f %10.1f %8.2f   difference %.1e\n", name, ns[0] / 1000, ns[1] / 1000, ns[0] / ns[1],
                apart(g, expected));
    if (explains) std::printf("%s\n", ad::explain(step, a...).c_str());
    std::fflush(stdout);
}

template <class T>
void run_polynomials(char const* running, char const* powers) {
    constexpr std::size_t n = 100096, count = 8;  // four registers of any width
    ad::tensor<T, dyn> x(n), y(n);
    ad::tensor<T, count> w, g, h;
    fill_with_waves(x, 0), fill_with_waves(y, 0.2), fill_with_waves(w, 0.3);
    auto const by_hand = [&] {
        return handwritten::polynomial<count>(h.data(), w.data(), x.data(), y.data(), std::int64_t(n));
    };
    report(running, ad::value_and_grad<0>(by_running_products), by_hand, g, h, w, x, y);
    report(powers, ad::value_and_grad<0>(by_powers), by_hand, g, h, w, x, y);
}
template <class T>
void run_mixture(char const* name) {
    constexpr std::size_t n = 10000, k = 32, d = 8;
    ad::tensor<T, dyn, d> x(n);
    ad::tensor<T, k, d> mu, log_sigma, by_mu, by_log_sigma, h, other;
    ad::tensor<T, k> a, by_a, h_a;
    fill_with_waves(x, 0), fill_with_waves(mu, 0.2), fill_with_waves(log_sigma, 0.3), fill_with_waves(a, 0.1);
    auto step = ad::value_and_grad<0, 1, 2>(mixture);
    auto const by_library = [&] { return step(ad::into(by_mu, by_log_sigma, by_a), mu, log_sigma, a, x); };
    auto const by_hand = [&] {
        return handwritten::mixture<k, d>(h.data(), other.data(), h_a.data(), mu.data(), log_sigma.data(), a.data(),
                                          x.data(), std::int64_t(n));
    };
    auto const ns = least_of_each(by_library, by_hand);
    std::printf("%-44s %10.1f %10.1f %8.2f   difference %.1e\n", name, ns[0] / 1000, ns[1] / 1000, ns[0] / ns[1],
                std::max({apart(by_mu, h), apart(by_log_sigma, other), apart(by_a, h_a)}));
    if (explains) std::printf("%s\n", ad::explain(step, mu, log_sigma, a, x).c_str());
}
template <class T>
void run_directions(char const* name) {
    ad::tensor<T, parameters> p;
    ad::tensor<T, outputs, joints> basis;
    ad::tensor<T, 3 * joints, parameters> from;
    static ad::tensor<T, outputs, 3, parameters> g, h;
    fill_with_waves(p, 0), fill_with_waves(basis, 0.2), fill_with_waves(from, 0.3);
    std::vector<T> work(3 * joints * (parameters + 1) + 3 * outputs);
    report(
        name, ad::jacobian<0>(points),
        [&] {
            handwritten::directions<outputs, joints, parameters>(h.data(), p.data(), basis.data(), from.data(),
                                                                 work.data());
        },
        g, h, p, basis, from);
}
template <class T>
void run_series(char const* name, std::size_t n) {
    ad::tensor<T, dyn> x(n);
    ad::tensor<T, 4> const p{T(0.1), T(0.1), T(0.8), T(0.5)};
    ad::tensor<T, 4> g, h;
    fill_with_waves(x, 0);
    handwritten::varying_variance<T> hand(static_cast<std::int64_t>(n));
    report(name, ad::value_and_grad<0>(varying_variance), [&] { return hand.run(h.data(), p.data(), x.data()); }, g, h,
           p, x);
}
template <class T>
void run_springs(char const* name) {
    constexpr int n = 1000, m = 2000;
    ad::tensor<T, dyn, 2> p(n), g(n), h(n);
    std::vector<T> rest(m);
    std::vector<int> from(m), to(m);
    fill_with_waves(p, 0), fill_with_waves(rest, 0.3);
    for (int e = 0; e < m; ++e) {
        from[static_cast<std::size_t>(e)] = e / 2;
        to[static_cast<std::size_t>(e)] = (e / 2 + 1 + e * 7 % 19) % n;
    }
    report(
        name, ad::value_and_grad<0>(springs),
        [&] { return handwritten::springs(h.data(), p.data(), n, from.data(), to.data(), rest.data(), m); }, g, h, p,
        from, to, rest);
}
template <class T>
void run_rows(char const* of_classes, char const* of_points) {
    constexpr std::size_t n = 10240;
    constexpr int classes = 3, dimensions = 3;
    ad::tensor<T, dyn, classes> x(n), g(n), h(n);
    ad::tensor<T, dyn, dimensions> p(n), q(n), by_p(n), h_p(n);
    std::vector<T> rest(n);
    std::vector<int> t(n);
    fill_with_waves(x, 0), fill_with_waves(p, 0.1), fill_with_waves(q, 0.2), fill_with_waves(rest, 0.3);
    for (std::size_t i = 0; i < n; ++i) t[i] = static_cast<int>(i * i % classes);
    report(
        of_classes, ad::value_and_grad<0>(cross_entropy),
        [&] { return handwritten::cross_entropy_of_rows<classes>(h.data(), x.data(), t.data(), std::int64_t(n)); }, g,
        h, x, t);
    report(
        of_points, ad::value_and_grad<0>(apart_from_rest),
        [&] {
            return handwritten::apart_from_rest<dimensions>(h_p.data(), p.data(), q.data(), rest.data(),
                                                            std::int64_t(n));
        },
        by_p, h_p, p, q, rest);
}
template <class T>
void run_heat(char const* name, int n) {
    auto const size = static_cast<std::size_t>(n);
    ad::tensor<T, dyn> u(size), g(size), h(size);
    std::vector<T> a(size), b(size);
    fill_with_waves(u, 0);
    report(
        name, ad::value_and_grad<0>(heat),
        [&] { return handwritten::heat<heat_steps>(h.data(), u.data(), n, T(0.25), a.data(), b.data()); }, g, h, u);
}
/// The same of calls that take less than looking at the clock.
template <class Step, class ByHand, class G, class... A>
void report_calls(char const* name, Step step, ByHand by_hand, G& g, G const& expected, A const&... a) {
    auto const ns = shortest_turn_of_each([&] { return step(ad::into(g), a...); }, by_hand);
    std::printf("%-44s %10.4f %10.4f %8.2f   difference %.1e\n", name, ns[0] / 1000, ns[1] / 1000, ns[0] / ns[1],
                apart(g, expected));
    if (explains) std::printf("%s\n", ad::explain(step, a...).c_str());
    std::fflush(stdout);
}
template <class T>
void run_calls(char const* of_squares, char const* of_rosenbrock, char const* of_quadratic) {
    constexpr int n = 10, m = 6;
    ad::tensor<T, n> x, g, h;
    ad::tensor<T, m> y, by_y, h_y;
    ad::tensor<T, m, m> a;
    fill_with_waves(x, 0), fill_with_waves(y, 0.2), fill_with_waves(a, 0.3);
    report_calls(of_squares, ad::value_and_grad(squares),
                 [&] { return handwritten::squares<n>(h.data(), x.data()); }, g, h, x);
    report_calls(of_rosenbrock, ad::value_and_grad(rosenbrock),
                 [&] { return handwritten::rosenbrock<n>(h.data(), x.data()); }, g, h, x);
    report_calls(of_quadratic, ad::value_and_grad<0>(quadratic),
                 [&] { return handwritten::quadratic<m>(h_y.data(), y.data(), a.data()); }, by_y, h_y, y, a);
}

}  // namespace

int main(int argc, char** argv) {
    explains = argc > 1 && std::strcmp(argv[1], "--explain") == 0;
    std::printf("%-44s %10s %10s %8s\n", "", "library", "by hand", "ratio");
    run_polynomials<float>("polynomial by running products, float", "polynomial by powers, float");
    run_polynomials<double>("polynomial by running products, double", "polynomial by powers, double");
    run_mixture<double>("mixture of 32 Gaussians, 8-d, double");
    run_directions<double>("Jacobian by 26 directions, 544 x 88 x 3");
    run_series<float>("variance of a series, 1000 numbers, float", 1000);
    run_series<double>("variance of a series, 1000 numbers, double", 1000);
    run_springs<double>("2000 springs between 1000 points, double");
    run_rows<float>("rows of 3 classes, 10^4, float", "rows of 3 coordinates, 10^4, float");
    run_rows<double>("rows of 3 classes, 10^4, double", "rows of 3 coordinates, 10^4, double");
    run_heat<float>("8 steps of heat written out, 1000, float", 1000);
    run_heat<double>("8 steps of heat written out, 1000, double", 1000);
    run_heat<float>("8 steps of heat written out, 10^5, float", 100000);
    run_heat<double>("8 steps of heat written out, 10^5, double", 100000);
    run_calls<float>("a call: squares of 10, float", "a call: Rosenbrock of 10, float", "a call: x'Ax of 6, float");
    run_calls<double>("a call: squares of 10, double", "a call: Rosenbrock of 10, double", "a call: x'Ax of 6, double");
}
