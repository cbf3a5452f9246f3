// SPDX-License-Identifier: MIT
// root: what it finds, and derivatives by the equation alone: forward, reverse, twice, and for many items.

#include <tapeless/tapeless.hpp>

#include <cmath>
#include <cstddef>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "transform/calls/arrays.hpp"
#include "support/catch.hpp"

namespace ad = tapeless;

namespace {

// ---- numbers ------------------------------------------------------------------------------------------------------

constexpr auto cube_root = [](auto a) {
    return ad::root([](auto x, auto c) { return x * x * x - c; }, 1.0 + 0.0 * a, a);
};
constexpr auto slope_of_root = [](auto a) { return ad::grad<0>(cube_root)(a); };
constexpr auto curvature_of_root = [](auto a) { return ad::grad<0>(slope_of_root)(a); };
/// The derivatives of a^(1/3).
double power(double a, int n) {
    double r = std::pow(a, 1.0 / 3 - n);
    for (int i = 0; i < n; ++i) r *= 1.0 / 3 - i;
    return r;
}
/// There is none for a > 0.
constexpr auto loud = [](auto a) {
    return ad::root([](auto x, auto c) { return x * x + c; }, 1.0 + 0.0 * a, a, {.max_steps = 30});
};
constexpr auto quiet = [](auto a) {
    return ad::root([](auto x, auto c) { return x * x + c; }, 1.0 + 0.0 * a, a, {.max_steps = 30, .quiet = true});
};
/// Newton's step leads away from this one: it has to be halved.
constexpr auto flat_ends = [](auto a) {
    return ad::root([](auto x, auto c) { return atan(x) - c; }, 3.0 + 0.0 * a, a);
};

// ---- Kepler's equation, element by element ------------------------------------------------------------------------

constexpr auto anomalies = [](auto e, auto m) {
    return ad::root([](auto x, auto c, auto y) { return x - c * sin(x) - y; }, m, e, m);
};
constexpr auto weighted = [](auto e, auto m, auto r) { return sum(r * anomalies(e, m)); };
/// The same for one of them, as items.
constexpr auto by_items = [](auto e, auto m, auto r) { return sum(r * ad::vmap<ad::whole, 0>(anomalies)(e, m)); };
/// The same as a loop that goes on long after it has converged.
constexpr auto unrolled = [](auto e, auto m, auto r) {
    return sum(r * ad::fold<40>([&](auto x) { return x - (x - e * sin(x) - m) / (1.0 - e * cos(x)); }, m));
};

// ---- systems ------------------------------------------------------------------------------------------------------

template <template <class, auto...> class Tensor>
struct Pair {
    Tensor<double, 2, 2> w;
    Tensor<double> c;
};
/// w w = a and c + sum(w) c^3 = b: a matrix and a number that have to be found together. b is captured.
constexpr auto matrix_root = [](auto const& start, auto a, auto b) {
    auto const f = [&](auto const& x, auto given) {
        return std::tuple(matmul(x.w, x.w) - given, x.c + sum(x.w) * x.c * x.c * x.c - b);
    };
    return ad::root(f, start, a);
};
/// A number, and what was found.
constexpr auto number_and_root = [](auto const& start, auto a, auto b) {
    auto const x = matrix_root(start, a, b);
    return std::tuple(sum(sin(x.w)) + square(x.c), x.w, x.c);
};
constexpr auto number_of_root = [](auto const& start, auto a, auto b) {
    return std::get<0>(number_and_root(start, a, b));
};

}  // namespace

TEST_CASE("root: a number, and its first three derivatives, for one and for many") {
    std::vector<double> const as{0.01, 0.5, 1.0, 8.0, 1000.0};
    auto const v = ad::evaluate(ad::vmap(cube_root), as);
    auto const g = ad::evaluate(ad::vmap(slope_of_root), as);
    auto const h = ad::evaluate(ad::vmap(curvature_of_root), as);
    auto const d = ad::grad<0>([](auto x) { return sum(ad::vmap(curvature_of_root)(x)); })(as);
    for (std::size_t i = 0; i < as.size(); ++i) {
        double const a = as[i];
        int const k = static_cast<int>(i);
        CAPTURE(a);
        CHECK(std::abs(ad::evaluate(cube_root, a) / power(a, 0) - 1) < 1e-14);
        CHECK(std::abs(ad::jvp<0>(curvature_of_root)(a, 2.0).tangent / power(a, 3) / 2 - 1) < 1e-12);
        CHECK(std::abs(v(k) / power(a, 0) - 1) < 1e-14);
        CHECK(std::abs(g(k) / power(a, 1) - 1) < 1e-13);
        CHECK(std::abs(h(k) / power(a, 2) - 1) < 1e-13);
        CHECK(std::abs(d[i] / power(a, 3) - 1) < 1e-12);
    }
    for (double a : {-1.5, -0.3, 0.0, 1.4})
        CHECK(std::abs(ad::evaluate(flat_ends, a) - std::tan(a)) < 1e-12 * (1 + std::tan(a) * std::tan(a)));
    CHECK(ad::root([](auto x, auto c) { return x * x - c; }, 1.0f, 2.0f) == std::sqrt(2.0f));
}

TEST_CASE("root: what differentiates it is no part of the program") {
    namespace detail = ad::detail;
    using source = detail::source_of<std::remove_const_t<decltype(number_and_root)>, detail::wanted::both,
                                     std::integer_sequence<int, 0, 1, 2>, detail::argument_list<>, Pair<ad::tensor>,
                                     ad::tensor<double, 2, 2>, double>;
    using program = detail::program<source>;
    STATIC_REQUIRE(program::graph_size.calls > 0);
    for (auto const& c : program::graph.calls)  // it would bring all operations it is made of
        CHECK(c.header.solver == nullptr);
}

TEST_CASE("root: without convergence it throws, is NaN where that is asked for, and for items only where they are") {
    bool thrown = false;
    try {
        (void)ad::value_and_grad<0>(loud)(1.5);
    } catch (ad::convergence_error const& e) {
        thrown = true;
        CHECK(std::string(e.operation) == "root");
        CHECK(e.steps > 0);
        CHECK(e.steps <= 30);
        CHECK(e.residual >= 1.5);
        CHECK(std::string(e.what()).find("root: no convergence after ") == 0);
    }
    CHECK(thrown);
    CHECK(std::isnan(ad::evaluate(quiet, 1.0)));
    CHECK(std::isnan(ad::evaluate(loud, -4.0)) == false);
    CHECK(std::abs(ad::evaluate(quiet, -4.0) - 2) < 1e-14);
    CHECK_THROWS_AS(ad::evaluate(loud, std::nan("")), ad::convergence_error);
    ad::tensor<double, 5> const mixed{-4, 1, -9, std::nan(""), -1};
    auto const y = ad::evaluate(ad::vmap(loud), mixed);
    auto const g = ad::evaluate(ad::vmap([](auto a) { return ad::grad<0>(loud)(a); }), mixed);
    auto const lanes = ad::evaluate(quiet, mixed);
    for (int i = 0; i < 5; ++i) {
        bool const solved = mixed(i) < 0;
        CHECK(std::isnan(y(i)) == !solved);
        CHECK(std::isnan(g(i)) == !solved);
        CHECK(std::isnan(lanes(i)) == !solved);
        if (solved) CHECK(std::abs(y(i) - std::sqrt(-mixed(i))) < 1e-14);
        if (solved) CHECK(std::abs(g(i) + 0.5 / std::sqrt(-mixed(i))) < 1e-14);
        if (solved) CHECK(std::abs(lanes(i) - std::sqrt(-mixed(i))) < 1e-14);
    }
    CHECK_THROWS_AS(ad::evaluate(loud, mixed), ad::convergence_error);
}

TEST_CASE(
    "root: independent equations are solved without a matrix, of any number, and with the gradients of the unrolled "
    "loop") {
    for (int n : {0, 1, 3, 4, 5, 40}) {
        CAPTURE(n);
        ad::tensor<double, ad::dyn> m(n), r(n);
        for (int i = 0; i < n; ++i) m(i) = 0.15 * (i + 1), r(i) = std::cos(1.0 * i);
        auto const [v, g] = ad::value_and_grad<0, 1>(weighted)(0.6, m, r);
        auto const [u, f] = ad::value_and_grad<0, 1>(unrolled)(0.6, m, r);
        auto const [w, h] = ad::value_and_grad<0, 1>(by_items)(0.6, m, r);
        CHECK(std::abs(v - u) < 1e-12);
        CHECK(std::abs(v - w) < 1e-12);
        CHECK(std::abs(std::get<0>(g) - std::get<0>(f)) < 1e-12);
        CHECK(std::abs(std::get<0>(g) - std::get<0>(h)) < 1e-12);
        CHECK(distance(std::get<1>(g), std::get<1>(f)) < 1e-12);
        CHECK(distance(std::get<1>(g), std::get<1>(h)) < 1e-12);
        CHECK(std::abs(ad::hessian<0>(weighted)(0.6, m, r) - ad::hessian<0>(unrolled)(0.6, m, r)) < 1e-10);
    }
    ad::tensor<double, ad::dyn> m(3);
    auto const text = ad::explain(ad::grad<1>(weighted), 0.6, m, m);
    CHECK(text.find("solve") == std::string::npos);
}

TEST_CASE("root: a tree of unknowns, and captured symbols") {
    Pair<ad::tensor> start;
    start.w = ad::tensor<double, 2, 2>{{1, 0.1}, {0.2, 1.5}};
    start.c = ad::tensor<double>(0.5);
    ad::tensor<double, 2, 2> const a{{2, 0.3}, {0.4, 3}};
    auto both = ad::value_and_grad<0, 1, 2>(number_and_root);
    auto const [y, w, c] = both(start, a, 0.7).value;
    double total = 0;
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j) {
            total += w(i, j);
            CHECK(std::abs(w(i, 0) * w(0, j) + w(i, 1) * w(1, j) - a(i, j)) < 1e-13);
        }
    double const number = c;
    CHECK(std::abs(number + total * number * number * number - 0.7) < 1e-13);
    auto const r = ad::check_gradient<0, 1, 2>(number_and_root, start, a, 0.7);
    CHECK(r.passed);
    auto const g = std::get<0>(both(start, a, 0.7).grad);  // nothing flows to the guess
    CHECK(g.c == 0.0);
    CHECK(g.w == ad::tensor<double, 2, 2>{});
    auto const by_number = [&](double b) { return std::get<2>(both(start, a, b).grad); };
    double const h = ad::hessian<2>(number_of_root)(start, a, 0.7), d = 1e-5;
    CHECK(std::abs(h - (by_number(0.7 + d) - by_number(0.7 - d)) / (2 * d)) < 1e-8);
}
