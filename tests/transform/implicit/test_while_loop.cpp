// SPDX-License-Identifier: MIT
// Loops that end by themselves: values and derivatives of as many steps as there were, of many items at once, and
// within other loops.

#include <tapeless/tapeless.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <tuple>
#include <vector>

#include "transform/calls/arrays.hpp"
#include "support/agree.hpp"
#include "support/allocations.hpp"
#include "support/catch.hpp"

namespace ad = tapeless;

namespace {

// ---- a number -----------------------------------------------------------------------------------------------------

/// Newton's square root: as many steps as it takes.
constexpr auto far_from = [](auto a) { return [a](auto const& s) { return abs(square(s) - a) > 1e-13 * a; }; };
constexpr auto nearer_to = [](auto a) { return [a](auto const& s) { return 0.5 * (s + a / s); }; };
constexpr auto square_root = [](auto a) { return ad::while_loop<40>(far_from(a), nearer_to(a), a); };
constexpr auto any_square_root = [](auto a) { return ad::while_loop(far_from(a), nearer_to(a), a); };

/// x is squared until it is 10 or more: x^(2^k), where k depends on x. The derivatives are those of that power.
constexpr auto grown = [](auto x) {
    return ad::while_loop<8>([](auto v) { return v < 10.0; }, [](auto v) { return square(v); }, x);
};
int power_of(double x) {
    int p = 1;
    for (double v = x; v < 10.0; v *= v) p *= 2;
    return p;
}
constexpr auto slope = [](auto x) { return ad::grad<0>(grown)(x); };
constexpr auto curvature = [](auto x) { return ad::grad<0>(slope)(x); };
constexpr auto third = [](auto x) { return ad::grad<0>(curvature)(x); };
/// k (k - 1) ... x^(k - n), the derivative number n.
double power(double x, int k, int n) {
    double r = std::pow(x, k - n);
    for (int i = 0; i < n; ++i) r *= k - i;
    return r;
}
constexpr double starts[] = {1.1, 3.0, 12.0, 1.02, 9.99, 1.5, 2.0};  // 12: no step

// ---- trees, captures, integers ------------------------------------------------------------------------------------

template <template <class, auto...> class Tensor>
struct State {
    Tensor<double, 3> x;
    Tensor<double> length;
};
/// Powers of a matrix on a vector, until it is long enough: the carry is a struct, the matrix and the limit are
/// captured.
constexpr auto stretched_vector = [](auto const& start, auto w, auto limit) {
    auto const step = [&](auto const& s) {
        auto const next = ad::let(matmul(w, s.x) + 0.1 * sin(s.x));
        return std::tuple(next, s.length + 0.5 * sum(square(next)));
    };
    auto const end = ad::while_loop<12>([&](auto const& s) { return s.length < limit; }, step, start);
    return sum(end.x * cos(end.x)) + end.length;
};

/// Carries that are integers beside one that is not, and an index that is right only while the loop goes on.
constexpr auto walk = [](auto table, auto start) {
    auto const step = [&](auto const& s) {
        auto const [at, total] = s;
        auto const v = ad::let(ad::select<0>(ad::index_select<0>(table, ad::unsqueeze<0>(at)), 0));
        return std::tuple(at + 2, total * v + v);
    };
    auto const inside = [&](auto const& s) { return std::get<0>(s) < 7; };
    return std::get<1>(ad::while_loop<6>(inside, step, std::tuple(start, ad::let(0.0 * sum(table) + 1.0))));
};

// ---- loops within loops -------------------------------------------------------------------------------------------

/// Along a sequence: each element is grown, and added to what came before.
constexpr auto grown_in_scan = [](auto start, auto xs) {
    return ad::fold([](auto c, auto x) { return c + sin(grown(x)) * c; }, start, xs);
};
/// Twice: halve until small, in a loop that ends when the sum has come far enough.
constexpr auto nested = [](auto x, auto limit) {
    auto const outer = [&](auto const& s) {
        auto const inner =
            ad::while_loop<9>([](auto v) { return v > 0.3; }, [&](auto v) { return 0.6 * v + 0.01 * x * v; }, s + x);
        return s + inner * x;
    };
    return ad::while_loop<40>([&](auto s) { return s < limit; }, outer, ad::let(0.1 * x));
};
double plain_nested(double x, double limit) {
    double s = 0.1 * x;
    while (s < limit) {
        double v = s + x;
        while (v > 0.3) v = 0.6 * v + 0.01 * x * v;
        s += v * x;
    }
    return s;
}

// ---- few carries kept ---------------------------------------------------------------------------------------------

template <bool Few>
constexpr auto decayed = [](auto x, auto w) {
    auto const more = [](auto const& v) { return sum(square(v)) > 1.0; };
    auto const step = [&](auto const& v) { return v - 0.002 * sin(matmul(w, v)) - 0.001 * v; };
    if constexpr (Few) return sum(ad::checkpointed_while<1000>(more, step, x));
    else return sum(ad::while_loop<1000>(more, step, x));
};
constexpr auto few_steps = [](auto x) {
    return ad::checkpointed_while<7>([](auto v) { return v < 10.0; }, [](auto v) { return v + 1.0; }, x);
};

/// Newton's method, damped, within Newton's method.
constexpr auto root_in_root = [](auto c) {
    auto const inner = [](auto x, auto k) {
        return ad::root([](auto y, auto z, auto a) { return y + y * y * y - sin(a * z) - z; }, 0.0 * x, x, k);
    };
    auto const outer = [&](auto x, auto k) { return x + atan(3.0 * x) - k * cos(inner(x, k)) - 2.0; };
    return ad::root(outer, 3.0 + 0.0 * c, c);
};

constexpr auto endless = [](auto a) {
    return ad::while_loop<64>([](auto s) { return s > 0.0; }, [](auto s) { return s + 1.0; }, a);
};

}  // namespace

TEST_CASE("while_loop: values, gradients, tangents and second derivatives at the end of the loop") {
    for (double a : {0.01, 0.5, 1.0, 2.0, 1000.0}) {
        auto const [s, g] = ad::value_and_grad<0>(square_root)(a);
        CHECK(std::abs(s / std::sqrt(a) - 1) < 1e-12);
        CHECK(ad::evaluate(any_square_root, a) == s);
        auto const [v, t] = ad::jvp<0>(any_square_root)(a, 3.0);
        CHECK(v == s);
        CHECK(std::abs(t / 3.0 - g) < 1e-12 * std::abs(g));
        if (a == 1.0) {
            CHECK(g == 1.0);  // no step at all: the start itself
            continue;
        }
        CHECK(std::abs(g * 2 * std::sqrt(a) - 1) < 1e-10);
        CHECK(std::abs(ad::hessian<0>(square_root)(a) * -4 * std::pow(a, 1.5) - 1) < 1e-6);
    }
}

TEST_CASE("while_loop: three derivatives in reverse mode, and the tangent of the second") {
    for (double x : starts) {
        int const k = power_of(x);
        CAPTURE(x, k);
        CHECK(std::abs(ad::evaluate(slope, x) / power(x, k, 1) - 1) < 1e-13);
        CHECK(std::abs(ad::evaluate(curvature, x) - power(x, k, 2)) <= 1e-12 * std::abs(power(x, k, 2)));
        CHECK(std::abs(ad::evaluate(third, x) - power(x, k, 3)) < 1e-12 * std::abs(power(x, k, 3)) + 1e-12);
        CHECK(std::abs(ad::jvp<0>(curvature)(x, 1.0).tangent - power(x, k, 3)) <
              1e-12 * std::abs(power(x, k, 3)) + 1e-12);
    }
}

TEST_CASE("while_loop: under vmap each item has steps of its own, whichever of vmap and grad comes first") {
    auto const items = [](auto f) { return ad::vmap(f); };
    auto const of_sum = [](auto xs) { return sum(ad::vmap(grown)(xs)); };
    auto const slopes_of_sum = [](auto xs) { return sum(ad::vmap(slope)(xs)); };
    for (std::size_t n : {0u, 1u, 4u, 7u}) {
        CAPTURE(n);
        std::vector<double> xs(starts, starts + n);
        auto const v = ad::evaluate(items(grown), xs);
        auto const g = ad::evaluate(items(slope), xs);
        auto const h = ad::evaluate(items(curvature), xs);
        auto const d = ad::evaluate(items(third), xs);
        auto const s = ad::grad<0>(of_sum)(xs);
        auto const t = ad::grad<0>(slopes_of_sum)(xs);
        for (std::size_t i = 0; i < n; ++i) {
            double const x = xs[i];
            int const k = power_of(x), at = static_cast<int>(i);
            CHECK(std::abs(v(at) / power(x, k, 0) - 1) < 1e-13);
            CHECK(std::abs(g(at) / power(x, k, 1) - 1) < 1e-13);
            CHECK(std::abs(h(at) - power(x, k, 2)) <= 1e-12 * std::abs(power(x, k, 2)));
            CHECK(std::abs(d(at) - power(x, k, 3)) <= 1e-12 * std::abs(power(x, k, 3)));
            CHECK(std::abs(s[i] / power(x, k, 1) - 1) < 1e-13);
            CHECK(std::abs(t[i] - power(x, k, 2)) <= 1e-12 * std::abs(power(x, k, 2)));
        }
    }
}

TEST_CASE("while_loop: of items of items, and of what does not depend on the item") {
    auto const f = [](auto xs) { return ad::vmap([](auto row) { return ad::vmap(grown)(row); })(xs); };
    ad::tensor<double, 2, 3> xs{{1.1, 3.0, 12.0}, {1.02, 9.99, 1.5}};
    auto const y = ad::evaluate(f, xs);
    auto const g =
        ad::grad<0>([](auto v) { return sum(ad::vmap([](auto row) { return ad::vmap(grown)(row); })(v)); })(xs);
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 3; ++j) {
            int const k = power_of(xs(i, j));
            CHECK(std::abs(y(i, j) / power(xs(i, j), k, 0) - 1) < 1e-13);
            CHECK(std::abs(g(i, j) / power(xs(i, j), k, 1) - 1) < 1e-13);
        }
    auto const scaled = [](auto x, auto v) {
        return ad::vmap<ad::whole, 0>([](auto same, auto item) { return grown(same) * item; })(x, v);
    };
    auto const z = ad::evaluate(scaled, 1.5, std::vector<double>{1.0, 2.0});
    CHECK(std::abs(z(1) - 2 * std::pow(1.5, power_of(1.5))) < 1e-12);
}

TEST_CASE("while_loop: a struct as carry, captured arrays, and gradients by all of them") {
    State<ad::tensor> start;
    fill(start.x, 0.7, 0.3);
    start.length = ad::tensor<double>(0.1);
    ad::tensor<double, 3, 3> w;
    fill(w, 0.9, 1.1);
    for (double limit : {0.05, 0.3, 0.8}) {
        auto const r = ad::check_gradient<0, 1>(stretched_vector, start, w, limit);
        CAPTURE(limit, r.max_absolute_error);
        CHECK(r.passed);
        CHECK(oracle::agree<0, 1>(oracle::checks{}, stretched_vector, start, w, limit) == "");
    }
}

TEST_CASE("while_loop: integers as carries, and indices that are looked at only while an item goes on") {
    ad::tensor<double, 7> table;
    fill(table, 1, 0.2);
    auto const many = [](auto t, auto at) { return sum(ad::vmap<ad::whole, 0>(walk)(t, at)); };
    ad::tensor<std::int32_t, 5> const at{6, 0, 3, 7, 1};
    double total = 0;
    ad::tensor<double, 7> sums{};
    for (int i = 0; i < 5; ++i) {
        auto const [v, g] = ad::value_and_grad<0>(walk)(table, at(i));
        double should = 1;
        for (int k = at(i); k < 7; k += 2) should = should * table(k) + table(k);
        CHECK(std::abs(v - should) < 1e-14);
        CHECK(ad::check_gradient<0>(walk, table, at(i)).passed);
        total += should;
        for (int k = 0; k < 7; ++k) sums(k) += g(k);
    }
    auto const [v, g] = ad::value_and_grad<0>(many)(table, at);
    CHECK(std::abs(v - total) < 1e-13);
    CHECK(distance(g, sums) < 1e-13);
    CHECK_THROWS_AS(ad::evaluate(many, table, ad::tensor<std::int32_t, 5>{6, 0, -3, 7, 1}), ad::index_error);
}

TEST_CASE("while_loop: within scan, and within another one") {
    std::vector<double> const xs(starts, starts + 5);
    CHECK(ad::check_gradient<0, 1>(grown_in_scan, 0.7, std::vector<double>{1.3, 2.2, 11.0}).passed);
    double c = 0.7;
    for (double x : xs) c += std::sin(std::pow(x, power_of(x))) * c;
    CHECK(std::abs(ad::evaluate(grown_in_scan, 0.7, xs) - c) < 1e-10);
    for (double x : {0.4, 0.7, 1.3}) {
        double const h = 1e-5;
        CHECK(std::abs(ad::evaluate(nested, x, 2.0) - plain_nested(x, 2.0)) < 1e-13);
        CHECK(std::abs(ad::grad<0>(nested)(x, 2.0) - (plain_nested(x + h, 2.0) - plain_nested(x - h, 2.0)) / (2 * h)) <
              1e-6);
        double const second = (ad::grad<0>(nested)(x + h, 2.0) - ad::grad<0>(nested)(x - h, 2.0)) / (2 * h);
        CHECK(std::abs(ad::hessian<0>(nested)(x, 2.0) - second) < 1e-5 * (1 + std::abs(second)));
    }
    auto const all = [](auto x) { return sum(ad::vmap([](auto v) { return nested(v, 2.0); })(x)); };
    std::vector<double> const many{0.4, 1.3, 0.7};
    auto const g = ad::grad<0>(all)(many);
    for (std::size_t i = 0; i < 3; ++i) CHECK(std::abs(g[i] - ad::grad<0>(nested)(many[i], 2.0)) < 1e-12);
}

TEST_CASE("while_loop: one step too many throws before anything is written") {
    double target = 7;
    auto step = ad::value_and_grad<0>(endless);
    bool thrown = false;
    try {
        (void)step(ad::into(target), 1.5);
    } catch (ad::convergence_error const& e) {
        thrown = true;
        CHECK(e.steps == 64);
        CHECK(std::isnan(e.residual));
        CHECK(std::string(e.what()) == "while_loop: it still goes on after 64 steps, which are all it may take");
    }
    CHECK(thrown);
    CHECK(target == 7);
    CHECK(step(-1.0).value == -1.0);  // and the next call is as good as the first
    CHECK_THROWS_AS(ad::evaluate(endless, 1.5), ad::error);
    CHECK_THROWS_AS(ad::evaluate(few_steps, 2.9), ad::convergence_error);
    CHECK(ad::evaluate(few_steps, 3.5) == 10.5);
    double const nan = std::nan("");
    CHECK(std::isnan(ad::value_and_grad<0>(endless)(nan).value));  // nothing is greater than NaN: it ends at once
}

TEST_CASE("checkpointed_while: the derivatives of while_loop, with about 2 sqrt(max) carries kept") {
    ad::tensor<double, 50> x;
    ad::tensor<double, 50, 50> w;
    fill(x, 0.5, 0.4);
    fill(w, 0.05, 0.1);
    for (int i = 0; i < 50; ++i) w(i, i) = 1;
    auto all = ad::value_and_grad<0, 1>(decayed<false>);
    auto few = ad::value_and_grad<0, 1>(decayed<true>);
    auto const [v, g] = all(x, w);
    auto const [u, f] = few(x, w);
    CHECK(v == u);
    CHECK(distance(std::get<0>(g), std::get<0>(f)) < 1e-12);
    CHECK(distance(std::get<1>(g), std::get<1>(f)) < 1e-12);
    using X = ad::tensor<double, 50>;
    using W = ad::tensor<double, 50, 50>;
    constexpr auto bytes = ad::value_and_grad<0, 1>(decayed<false>).plan<X, W>().workspace_bytes();
    constexpr auto bytes_of_few = ad::value_and_grad<0, 1>(decayed<true>).plan<X, W>().workspace_bytes();
    CHECK(bytes > 1000 * 50 * 8);
    CHECK(bytes_of_few < bytes / 4);
}

TEST_CASE("while_loop: nothing is allocated after the first call") {
    auto step = ad::value_and_grad<0>(nested);
    double g = 0;
    (void)step(ad::into(g), 0.7, 2.0);
    auto const before = allocations;
    for (double x : {0.4, 0.9, 1.3}) (void)step(ad::into(g), x, 2.0);
    CHECK(allocations == before);
    auto roots = ad::value_and_grad<0>(root_in_root);
    double const h = 1e-5, quotient = (roots(1.3 + h).value - roots(1.3 - h).value) / (2 * h);
    auto const then = allocations;
    double const x = roots(ad::into(g), 1.3);
    CHECK(allocations == then);
    CHECK(std::abs(g - quotient) < 1e-8);
    CHECK(std::abs(ad::evaluate(root_in_root, 1.3) - x) < 1e-12);
}

TEST_CASE("while_loop: on arrays, by functions without captures") {
    auto const end = ad::while_loop([](auto const& s) { return std::get<1>(s) < 5; },
                                    [](auto const& s) { return std::tuple(2.0 * std::get<0>(s), std::get<1>(s) + 1); },
                                    std::tuple(ad::tensor<double, 2>{1, 3}, 0));
    CHECK(std::get<0>(end)(1) == 96);
    CHECK(std::get<1>(end) == 5);
}
