// SPDX-License-Identifier: MIT
// scan and fold are the loop they stand for: values, gradients and second derivatives are those of the unrolled
// program.

#include <tapeless/tapeless.hpp>

#include <array>
#include <cmath>
#include <tuple>
#include <utility>
#include <vector>

#include "transform/calls/arrays.hpp"
#include "support/allocations.hpp"
#include "support/catch.hpp"
#include "support/messages.hpp"

namespace ad = tapeless;

namespace {

// ---- a recurrent network ------------------------------------------------------------------------------------------

constexpr auto step = [](auto h, auto x, auto w) { return ad::let(tanh(matmul(h, w) + x)); };
constexpr auto scanned = [](auto w, auto start, auto xs) {
    auto const [last, norms] = ad::scan(
        [&](auto h, auto x) {
            auto const next = step(h, x, w);
            return std::pair(next, sum(square(next)));
        },
        start, xs);
    return sum(last) + sum(square(norms));
};
constexpr auto unrolled = [](auto w, auto start, auto xs) {
    auto h = ad::let(start);
    auto s = ad::let(0 * sum(start));
    for (int t = 0; t < 5; ++t) {
        h = step(h, ad::select<0>(xs, t), w);
        s = ad::let(s + square(sum(square(h))));
    }
    return sum(h) + s;
};

template <class T>
void compare_with_unrolled(double tolerance) {
    ad::tensor<T, 5, 3, 4> xs;
    ad::tensor<T, 4, 4> w;
    ad::tensor<T, 3, 4> h;
    fill(xs, 1, 0);
    fill(w, 0.4, 1);
    fill(h, 0.5, 2);
    auto const [y, g] = ad::value_and_grad<0, 1, 2>(scanned)(w, h, xs);
    auto const [z, u] = ad::value_and_grad<0, 1, 2>(unrolled)(w, h, xs);
    CHECK(std::abs(static_cast<double>(y - z)) < tolerance);
    CHECK(distance(std::get<0>(g), std::get<0>(u)) < tolerance);
    CHECK(distance(std::get<1>(g), std::get<1>(u)) < tolerance);
    CHECK(distance(std::get<2>(g), std::get<2>(u)) < tolerance);
}

// ---- trees, strides and run-time lengths --------------------------------------------------------------------------

template <template <class, auto...> class Tensor>
struct Spring {
    Tensor<double> stiffness, damping;
};
/// A driven oscillator, a carry that is a tuple, sequences in a pair, and two things stacked.
constexpr auto oscillator = [](auto const& m, auto force, auto pause) {
    auto const f = [&](auto const& s, auto const& in) {
        auto const& [x, v] = s;
        auto const& [push, dt] = in;
        auto const a = ad::let(push - m.stiffness * x - m.damping * v);
        auto const next = ad::let(v + dt * a);
        return std::pair(std::tuple(x + dt * next, next), std::tuple(next, square(x)));
    };
    return ad::scan(f, std::tuple(1.0, 0.0), std::pair(force, pause));
};
constexpr auto energy = [](auto const& m, auto force, auto pause) {
    auto const [last, stacked] = oscillator(m, force, pause);
    return square(std::get<0>(last)) + sum(std::get<0>(stacked) * std::get<1>(stacked));
};

constexpr auto running = [](auto c, auto x) {
    auto const next = ad::let(c + x);
    return std::pair(next, next);
};
constexpr auto weighted_running = [](auto start, auto xs, auto w) {
    return sum(std::get<1>(ad::scan(running, start, xs)) * w);
};
constexpr auto decay = [](auto x) { return ad::fold<10>([](auto c) { return 0.5 * c; }, x); };

/// A loop within a loop, which uses many values of both the outer one and what is around it.
constexpr auto orbit = [](auto a, auto b, auto c, auto d, auto pauses) {
    auto const pass = [&](auto const& start, auto pause) {
        auto const h = ad::let(0.5 * pause);
        auto const half = [&](auto const& now) {
            auto const& [x, y] = now;
            return std::tuple(x + h * (a - b * exp(y)), y + h * (d * exp(x) - c));
        };
        auto const next = ad::fold<2>(half, start);
        return std::pair(next, next);
    };
    return std::get<1>(ad::scan(pass, std::tuple(0.3, 0.2), pauses));
};
constexpr auto orbit_sum = [](auto a, auto b, auto c, auto d, auto pauses) {
    auto const [x, y] = orbit(a, b, c, d, pauses);
    return sum(x * y);
};

/// A table of words, which the sequence points into.
constexpr auto read_words = [](auto table, auto words) {
    auto const f = [&](auto h, auto word) {
        return tanh(0.5 * h + ad::select<0>(ad::index_select<0>(table, ad::unsqueeze<0>(word)), 0));
    };
    return sum(ad::fold(f, ad::let(0.0 * ad::select<0>(table, 0)), words));
};

}  // namespace

TEST_CASE("scan: values and gradients are those of the unrolled program") {
    compare_with_unrolled<double>(1e-13);
    compare_with_unrolled<float>(1e-4);
}

TEST_CASE(
    "scan: the backward loop needs neither the products nor tanh again, and gradients of matrices are one product") {
    auto const text = ad::explain(ad::grad<0>(scanned), ad::tensor<double, 4, 4>{}, ad::tensor<double, 3, 4>{},
                                  ad::tensor<double, 5, 3, 4>{});
    auto const backwards = text.find("backwards");
    REQUIRE(backwards != std::string::npos);
    CHECK(text.find("tanh") < backwards);
    CHECK(text.find("tanh", backwards) == std::string::npos);
    constexpr auto plan =
        ad::grad<0>(scanned).plan<ad::tensor<double, 4, 4>, ad::tensor<double, 3, 4>, ad::tensor<double, 5, 3, 4>>();
    CHECK(plan.calls() == 2);
    CHECK(plan.products() == 1);
}

TEST_CASE("scan: trees of carries, sequences and stacked values, of any length, checked by central differences") {
    Spring<ad::tensor> const m{ad::tensor<double>(2.0), ad::tensor<double>(0.3)};
    for (int n : {0, 1, 2, 9}) {
        std::vector<double> force(static_cast<std::size_t>(n)), pause(force.size());
        fill(force, 1, 0);
        for (double& p : pause) p = 0.1;
        auto const r = ad::check_gradient<0, 1, 2>(energy, m, force, pause);
        CHECK(r.passed);
        double x = 1, v = 0;
        auto const [last, stacked] = ad::evaluate(oscillator, m, force, pause);
        for (std::size_t t = 0; t < force.size(); ++t) {
            double const before = x;
            v += pause[t] * (force[t] - 2.0 * x - 0.3 * v);
            x += pause[t] * v;
            CHECK(std::abs(std::get<0>(stacked)(static_cast<int>(t)) - v) < 1e-14);
            CHECK(std::abs(std::get<1>(stacked)(static_cast<int>(t)) - before * before) < 1e-14);
        }
        CHECK(std::abs(std::get<0>(last) - x) < 1e-14);
        CHECK(std::abs(std::get<1>(last) - v) < 1e-14);
    }
}

TEST_CASE("scan: a running sum and its gradient, exactly") {
    std::array<double, 4> const xs{1, 2, 3, 4}, w{1, 10, 100, 1000};
    auto const [last, sums] = ad::scan(running, 0.5, xs);  // on arrays
    CHECK(last == 10.5);
    CHECK(sums == ad::tensor<double, 4>{1.5, 3.5, 6.5, 10.5});
    auto const [g0, g] = ad::grad<0, 1>(weighted_running)(0.5, xs, w);
    CHECK(g0 == 1111);
    CHECK(g == std::array<double, 4>{1111, 1110, 1100, 1000});
}

TEST_CASE("scan: sequences that are strided, reversed or of another order of axes") {
    ad::tensor<double, 4, 3> const a{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}, {10, 11, 12}};
    auto const columns = [](auto x) {
        return ad::fold([](auto c, auto row) { return 2.0 * c + sum(row); }, 0.0, transpose(x));
    };
    CHECK(ad::evaluate(columns, a) == (22.0 * 2 + 26) * 2 + 30);
    CHECK(ad::grad<0>(columns)(a) == ad::tensor<double, 4, 3>{{4, 2, 1}, {4, 2, 1}, {4, 2, 1}, {4, 2, 1}});
    auto const backwards = [](auto x) {
        return ad::fold([](auto c, auto row) { return 2.0 * c + sum(row); }, 0.0, ad::flip<0>(x));
    };
    CHECK(ad::evaluate(backwards, a) == ((33.0 * 2 + 24) * 2 + 15) * 2 + 6);
    ad::view<double const, ad::dyn> const every_other(a.data(), 6, std::array<std::ptrdiff_t, 1>{2});  // 1, 3, 5, ...
    auto const sums = [](auto x) { return ad::fold([](auto c, auto v) { return 2.0 * c + v; }, 0.0, x); };
    CHECK(ad::evaluate(sums, every_other) == ((((1.0 * 2 + 3) * 2 + 5) * 2 + 7) * 2 + 9) * 2 + 11);
    CHECK(ad::grad<0>(sums)(every_other) == ad::tensor<double, ad::dyn>{32, 16, 8, 4, 2, 1});
}

TEST_CASE("fold: so many steps without a sequence") {
    CHECK(ad::evaluate(decay, 1024.0) == 1);
    CHECK(ad::grad<0>(decay)(3.0) == std::pow(0.5, 10));
    CHECK(ad::fold<3>([](auto c) { return c + 1.0; }, 4.0) == 7);
    CHECK(std::get<1>(ad::scan<3>([](auto c) { return std::pair(2.0 * c, c); }, 1.0)) ==
          ad::tensor<double, 3>{1, 2, 4});
}

TEST_CASE("scan, fold: tensors are constants among carries and sequences, and integers in them indices") {
    // a filter whose first mean and covariance are known, and turns taken in an order that is
    auto filter = [](auto k, auto ys) {
        auto update = [&](auto c, auto y) {
            auto [m, p] = c;
            return std::tuple(m + k * p[0] * (y - m[0]), p - 0.125 * p);
        };
        ad::tensor<double, 2, 2> const covariance{{1, 2}, {3, 4}};
        auto [m, p] = ad::fold(update, std::tuple(ad::tensor<double, 2>{1, 2}, covariance), ys);
        return m[0] + 10.0 * m[1] + 100.0 * p(1, 0);
    };
    auto [v, dk] = ad::value_and_grad(filter)(0.5, std::vector<double>{3});
    CHECK(v == 1 + 0.5 * 2 + 10 * (2 + 0.5 * 2 * 2) + 100 * (3 - 0.375));
    CHECK(dk == 2 + 10 * 4);
    auto turns = [](auto x) {
        auto turn = [&](auto c, auto i, auto w) { return std::pair(c * 0.5 + x[i] * w, c); };
        auto [c, ys] = ad::scan(turn, x[0], ad::tensor<int, 3>{2, 0, 2}, ad::tensor<double, 3>{1, 2, 4});
        return c + sum(ys);
    };
    std::vector<double> const x{1, 2, 3};  // 1, .5 + 3 = 3.5, 1.75 + 2 = 3.75, 1.875 + 12 = 13.875
    auto [w, g] = ad::value_and_grad(turns)(x);
    CHECK(w == 13.875 + 1 + 3.5 + 3.75);
    CHECK(g == std::vector<double>{1 + 0.5 + 2 + 0.25 + 1 + 0.125, 0, 1 + 0.5 + 0.25 + 4});
}

TEST_CASE("scan: a loop within a loop, with more operands than one node has") {
    std::vector<double> const pauses{0.1, 0.3, 0.2};
    auto const [xs, ys] = ad::evaluate(orbit, 0.7, 0.5, 0.6, 0.4, pauses);
    double x = 0.3, y = 0.2;
    for (std::size_t t = 0; t < pauses.size(); ++t) {
        for (int k = 0; k < 2; ++k) {
            double const before = x, h = 0.5 * pauses[t];
            x += h * (0.7 - 0.5 * std::exp(y));
            y += h * (0.4 * std::exp(before) - 0.6);
        }
        CHECK(std::abs(xs(static_cast<int>(t)) - x) < 1e-14);
        CHECK(std::abs(ys(static_cast<int>(t)) - y) < 1e-14);
    }
    CHECK(ad::check_gradient<0, 1, 2, 3, 4>(orbit_sum, 0.7, 0.5, 0.6, 0.4, pauses).passed);
}

TEST_CASE("scan: indices in a sequence are looked at before anything happens") {
    ad::tensor<double, 3, 2> const table{{0.1, 0.2}, {0.3, 0.4}, {0.5, 0.6}};
    std::vector<std::int64_t> words{2, 0, 1, 2};
    CHECK(ad::check_gradient<0>(read_words, table, words).passed);
    words[2] = 3;
    auto const message = index_message([&] { (void)ad::evaluate(read_words, table, words); });
    CHECK(message.find("index 3") != std::string::npos);
    CHECK(message.find("argument 1") != std::string::npos);
}

TEST_CASE("scan: lengths that differ are refused, and say where") {
    std::vector<double> const xs(4), ws(5);
    auto const f = [](auto x, auto w) { return ad::fold([](auto c, auto a, auto b) { return c + a * b; }, 0.0, x, w); };
    auto const message = message_of([&] { (void)ad::evaluate(f, xs, ws); });
    CHECK(message.find("argument 0, axis 0") != std::string::npos);
    CHECK(message.find("argument 1, axis 0") != std::string::npos);
}

TEST_CASE("scan: calls after the first allocate nothing") {
    ad::tensor<double, 4, 4> w, g;
    ad::tensor<double, 3, 4> h;
    ad::tensor<double, ad::dyn, 3, 4> xs(7);
    fill(w, 0.4, 1);
    fill(h, 0.5, 2);
    fill(xs, 1, 0);
    auto f = ad::value_and_grad<0>(scanned);
    double const first = f(ad::into(g), w, h, xs);
    std::size_t const before = allocations;
    double const second = f(ad::into(g), w, h, xs);
    CHECK(allocations == before);
    CHECK(first == second);
}
