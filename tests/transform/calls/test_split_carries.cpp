// SPDX-License-Identifier: MIT
// Carries that are short arrays, taken apart and put together in every step, are carried element by element.
#include <cmath>
#include <string>
#include <tuple>
#include <vector>

#include <support/catch.hpp>
#include <tapeless/tapeless.hpp>

namespace ad = tapeless;

namespace {
/// A pendulum on a cart, more or less: (x, v, angle, w), pushed by u.
constexpr auto push = [](auto const& angle, auto const& w, auto const& u) {
    auto const s = ad::let(sin(angle)), c = ad::let(cos(angle));
    auto const t = ad::let(u + 0.1 * square(w) * s);
    auto const a = ad::let((9.8 * s - c * t) / (1.5 - 0.1 * square(c)));
    return std::tuple{ad::let(t - 0.1 * a * c), a};
};
constexpr auto slope = [](auto const& s, auto const& u) {
    auto const [v, a] = push(s[2], s[3], u);
    return ad::let(ad::stack(s[1], v, s[3], a));
};
/// Heun's step, on the array.
constexpr auto step = [](auto s, auto u) {
    auto const k = slope(s, u);
    return ad::let(s + 0.01 * (k + slope(ad::let(s + 0.02 * k), u)));
};
constexpr auto end_of_array = [](auto s, auto u) {
    auto const e = ad::let(ad::fold(step, s, u));
    return square(e[0]) + 0.1 * square(e[1]) + 5.0 * square(e[2]) + 0.1 * square(e[3]) + sum(u * u);
};
/// The same on a tuple.
constexpr auto end_of_tuple = [](auto s, auto u) {
    auto const by_parts = [](auto const& c, auto const& f) {
        auto const& [x, v, angle, w] = c;
        auto const [p, a] = push(angle, w, f);
        std::tuple const k{ad::let(v + 0.0), p, ad::let(w + 0.0), a};
        auto const [q, b] = push(ad::let(angle + 0.02 * w), ad::let(w + 0.02 * a), f);
        std::tuple const l{ad::let(v + 0.02 * p), q, ad::let(w + 0.02 * a), b};
        return std::tuple{ad::let(x + 0.01 * (std::get<0>(k) + std::get<0>(l))), ad::let(v + 0.01 * (p + q)),
                          ad::let(angle + 0.01 * (std::get<2>(k) + std::get<2>(l))), ad::let(w + 0.01 * (a + b))};
    };
    auto const [x, v, angle, w] = ad::fold(by_parts, std::tuple{s[0], s[1], s[2], s[3]}, u);
    return square(x) + 0.1 * square(v) + 5.0 * square(angle) + 0.1 * square(w) + sum(u * u);
};

template <class A>
void require_close(A const& a, A const& b) {
    REQUIRE(a.size() == b.size());
    for (std::size_t i = 0; i < a.size(); ++i) REQUIRE(a.data()[i] == Approx(b.data()[i]).epsilon(1e-11).margin(1e-13));
}
ad::tensor<double, ad::dyn> pushes(int n) {
    ad::tensor<double, ad::dyn> u(n);
    for (int i = 0; i < n; ++i) u(i) = 0.3 * (i % 5) - 0.5;
    return u;
}
}  // namespace

TEST_CASE("fold: a state of four numbers gives what a tuple of them gives, with gradients") {
    ad::tensor<double, 4> const s{0.1, -0.2, 0.3, 0.05};
    auto by_array = ad::value_and_grad<0, 1>(end_of_array);
    auto by_tuple = ad::value_and_grad<0, 1>(end_of_tuple);
    for (int n : {0, 1, 2, 7, 40}) {
        auto const u = pushes(n);
        auto const a = by_array(s, u);
        auto const b = by_tuple(s, u);
        REQUIRE(a.value == Approx(b.value).epsilon(1e-13));
        require_close(std::get<0>(a.grad), std::get<0>(b.grad));
        require_close(std::get<1>(a.grad), std::get<1>(b.grad));
    }
    auto const report = ad::check_gradient<0, 1>(end_of_array, s, pushes(9));
    CAPTURE(report);
    REQUIRE(report.passed);
}

TEST_CASE("fold: a state that is taken apart is no array in the loop") {
    ad::tensor<double, 4> const s{0.1, -0.2, 0.3, 0.05};
    auto step_of = ad::value_and_grad<0, 1>(end_of_array);
    std::string const plan = ad::explain(step_of, s, pushes(9));
    for (std::size_t at = plan.find("    kernel"); at != std::string::npos; at = plan.find("    kernel", at + 1)) {
        std::string const kernel = plan.substr(at, plan.find("\nkernel", at) - at);
        REQUIRE(kernel.find("(4)") == std::string::npos);
    }
}

TEST_CASE("fold: a batch of short states, made by vmap") {
    for (int n : {1, 3, 8, 13}) {
        ad::tensor<double, ad::dyn, 4> s(n);
        ad::tensor<double, ad::dyn, 6> u(n);
        for (std::size_t i = 0; i < s.size(); ++i) s.data()[i] = 0.1 * static_cast<double>(i % 7) - 0.3;
        for (std::size_t i = 0; i < u.size(); ++i) u.data()[i] = 0.2 * static_cast<double>(i % 3) - 0.2;
        auto all = ad::value_and_grad<0, 1>([](auto x, auto f) { return sum(ad::vmap(end_of_array)(x, f)); });
        auto one = ad::value_and_grad<0, 1>(end_of_tuple);
        auto const a = all(s, u);
        double total = 0;
        for (int i = 0; i < n; ++i) {
            ad::tensor<double, 4> x;
            ad::tensor<double, ad::dyn> f(6);
            for (int k = 0; k < 4; ++k) x(k) = s(i, k);
            for (int k = 0; k < 6; ++k) f(k) = u(i, k);
            auto const b = one(x, f);
            total += b.value;
            for (int k = 0; k < 4; ++k)
                REQUIRE(std::get<0>(a.grad)(i, k) == Approx(std::get<0>(b.grad)(k)).epsilon(1e-11).margin(1e-13));
            for (int k = 0; k < 6; ++k)
                REQUIRE(std::get<1>(a.grad)(i, k) == Approx(std::get<1>(b.grad)(k)).epsilon(1e-11).margin(1e-13));
        }
        REQUIRE(a.value == Approx(total));
    }
}

TEST_CASE("scan: short states that are stacked as arrays, and elements beside them") {
    auto f = [](auto s, auto u) {
        auto const one = [](auto c, auto v) {
            auto const next = step(c, v);
            return std::pair(next, std::tuple{next, next[1] * v});
        };
        auto const [last, stacked] = ad::scan(one, s, u);
        auto const& [states, work] = stacked;
        return sum(square(states)) + 2.0 * sum(last) + sum(work);
    };
    auto plain = [](ad::tensor<double, 4> const& s, ad::tensor<double, ad::dyn> const& u) {
        auto go = ad::fused([](auto c, auto v) { return step(c, v); });
        auto c = s;
        double total = 0;
        for (double v : u) {
            c = go(c, v);
            for (double x : c) total += x * x;
            total += c(1) * v;
        }
        for (double x : c) total += 2 * x;
        return total;
    };
    ad::tensor<double, 4> const s{0.1, -0.2, 0.3, 0.05};
    for (int n : {1, 5, 12}) {
        REQUIRE(ad::evaluate(f, s, pushes(n)) == Approx(plain(s, pushes(n))));
        auto const report = ad::check_gradient<0, 1>(f, s, pushes(n));
        CAPTURE(n, report);
        REQUIRE(report.passed);
    }
}

TEST_CASE("fold: a short carry that is needed as an array stays one, beside others that do not") {
    auto f = [](auto w, auto s, auto t, auto u) {
        auto const one = [w](auto c, auto v) {
            auto const& [x, y] = c;
            auto const z = ad::let(tanh(matmul(w, x)) + 0.1 * ad::stack(x[1], y[0], v));
            return std::tuple{z, ad::let(0.9 * y + 0.1 * ad::stack(y[1] * v, sum(x) + y[0]))};
        };
        auto const [x, y] = ad::fold(one, std::tuple{s, t}, u);
        return sum(x * x) + y[0] * y[1];
    };
    ad::tensor<double, 3, 3> const w{{0.1, 0.2, -0.3}, {0.4, -0.5, 0.6}, {0.7, 0.1, 0.2}};
    ad::tensor<double, 3> const s{0.3, 0.1, -0.2};
    ad::tensor<double, 2> const t{0.5, -0.4};
    auto const report = ad::check_gradient<0, 1, 2, 3>(f, w, s, t, pushes(5));
    CAPTURE(report);
    REQUIRE(report.passed);
    double x[3] = {0.3, 0.1, -0.2}, y[2] = {0.5, -0.4};
    for (double v : pushes(5)) {
        double z[3], q[2];
        for (int i = 0; i < 3; ++i) z[i] = std::tanh(w(i, 0) * x[0] + w(i, 1) * x[1] + w(i, 2) * x[2]);
        z[0] += 0.1 * x[1], z[1] += 0.1 * y[0], z[2] += 0.1 * v;
        q[0] = 0.9 * y[0] + 0.1 * y[1] * v, q[1] = 0.9 * y[1] + 0.1 * (x[0] + x[1] + x[2] + y[0]);
        for (int i = 0; i < 3; ++i) x[i] = z[i];
        y[0] = q[0], y[1] = q[1];
    }
    REQUIRE(ad::evaluate(f, w, s, t, pushes(5)) ==
            Approx(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + y[0] * y[1]).epsilon(1e-12));
}

TEST_CASE("fold: short states in float, in rows of a matrix, and with what was captured") {
    auto f = [](auto m, auto k, auto u) {
        auto const one = [k](auto c, auto v) {  // c: three states of two numbers
            auto const a = ad::let(ad::select<1>(c, 0)), b = ad::let(ad::select<1>(c, 1));
            return ad::let(c + 0.1f * ad::stack<1>(b, v - k * sin(a)));
        };
        return sum(square(ad::fold(one, m, u)));
    };
    ad::tensor<float, 3, 2> const m{{0.1f, 0.2f}, {0.3f, -0.1f}, {0.5f, 0.4f}};
    ad::tensor<float, 3> const k{1.0f, 2.0f, 0.5f};
    ad::tensor<float, 7> const u{0.1f, 0.2f, 0.0f, -0.1f, 0.3f, 0.2f, 0.1f};
    float a[3] = {0.1f, 0.3f, 0.5f}, b[3] = {0.2f, -0.1f, 0.4f}, total = 0;
    for (int i = 0; i < 3; ++i) {
        for (float v : u) {
            float const c = a[i];
            a[i] += 0.1f * b[i];
            b[i] += 0.1f * (v - k(i) * std::sin(c));
        }
        total += a[i] * a[i] + b[i] * b[i];
    }
    REQUIRE(ad::evaluate(f, m, k, u) == Approx(total).epsilon(1e-5));
    auto const report = ad::check_gradient<0, 1, 2>(f, m, k, u);
    CAPTURE(report);
    REQUIRE(report.passed);
}

TEST_CASE("fold: a short state that is the same array after every step") {
    auto f = [](auto s, auto k, auto u) {
        auto const one = [k](auto c, auto v) {
            auto const& [x, y] = c;
            return std::tuple{ad::let(k), ad::let(ad::stack(y[1], y[0] * v + x[1]))};
        };
        auto const [x, y] = ad::fold(one, std::tuple{s, s}, u);
        return sum(x * y);
    };
    ad::tensor<double, 2> const s{0.3, 0.7}, k{1.5, -0.5};
    auto const report = ad::check_gradient<0, 1, 2>(f, s, k, pushes(4));
    CAPTURE(report);
    REQUIRE(report.passed);
    double x = 0.7, a = 0.3, b = 0.7;
    for (double v : pushes(4)) {
        double const next = a * v + x;
        a = b, b = next, x = -0.5;
    }
    REQUIRE(ad::evaluate(f, s, k, pushes(4)) == Approx(1.5 * a - 0.5 * b));
}

TEST_CASE("fold: second derivatives and forward mode go through short states") {
    ad::tensor<double, 4> const s{0.1, -0.2, 0.3, 0.05};
    auto const u = pushes(6);
    auto const h = ad::hessian<0>(end_of_array)(s, u), k = ad::hessian<0>(end_of_tuple)(s, u);
    require_close(h, k);
    ad::tensor<double, 4> const v{1, 2, -1, 0.5};
    auto const a = ad::jvp<0>(end_of_array)(s, u, v), b = ad::jvp<0>(end_of_tuple)(s, u, v);
    REQUIRE(a.tangent == Approx(b.tangent).epsilon(1e-12));
}
