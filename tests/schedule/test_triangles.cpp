// SPDX-License-Identifier: MIT
// Pairs of items that are the same when the two are exchanged: one triangle of the matrix is computed. Against plain
// loops over all pairs, with lengths around those of registers, tiles, blocks and pieces.

#include <tapeless/tapeless.hpp>

#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include "support/catch.hpp"

namespace ad = tapeless;

namespace {

template <class T>
using items = ad::tensor<T, ad::dyn, 3>;
template <class T>
using line = ad::tensor<T, ad::dyn>;

template <class A>
void fill(A& a, double first) {
    for (auto& v : a) first += 1.3, v = static_cast<std::remove_cvref_t<decltype(v)>>(std::sin(first) + 0.01 * first);
}

constexpr auto distances = [](auto x) { return sum<2>(square(ad::unsqueeze<1>(x) - ad::unsqueeze<0>(x))); };
constexpr auto potential = [](auto x) {
    auto const d = distances(x);
    auto const same = ad::let(ad::eye_like(d));
    auto const r = ad::let(1.0 / (d + same + 0.5));
    return sum(where(same > 0.5, 0.0, r * r * r - r));
};
/// Charges: also on the diagonal there is something.
constexpr auto charged = [](auto x, auto q) {
    auto const products = ad::unsqueeze<1>(q) * ad::unsqueeze<0>(q);
    return sum(products * exp(-distances(x)) / (1.0 + distances(x)));
};
/// One number a row, which are added up under weights that do not know rows from columns.
constexpr auto densities = [](auto x) {
    auto const d = ad::let(ad::unsqueeze<1>(x) - ad::unsqueeze<0>(x));
    return sum<1>(exp(-0.5 * d * d) * cos(d * d) + 1.0 / (1.0 + d * d));
};
constexpr auto forces = [](auto x) {
    auto const d = ad::let(ad::unsqueeze<1>(x) - ad::unsqueeze<0>(x));
    auto const e = ad::let(1.0 + d * d);
    return sum<1>(d * exp(-0.1 * e) / (e * sqrt(e)) - 2.0 * d / (e * e));
};
constexpr auto columns = [](auto x) {
    auto const d = ad::let(ad::unsqueeze<1>(x) - ad::unsqueeze<0>(x));
    auto const e = ad::let(1.0 + d * d);
    return sum<0>(d * exp(-0.1 * e) / (e * sqrt(e)) + exp(-e) * d);
};

template <class F, class... A>
bool is_triangle(F const& f, A const&... a) {
    return ad::explain(f, a...).find("triangle") != std::string::npos;
}

constexpr std::size_t some_lengths[]{0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 127, 129, 257};

template <class T>
void check_potential(double tolerance) {
    auto step = ad::value_and_grad(potential);
    for (std::size_t n : some_lengths) {
        INFO(n << " items");
        items<T> x(n);
        fill(x, 0.2);
        items<double> g(n);
        double value = 0;
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j) {
                if (i == j) continue;
                double s = 0.5;
                for (std::size_t d = 0; d < 3; ++d) s += std::pow(double(x(i, d)) - double(x(j, d)), 2);
                double const r = 1 / s;
                value += r * r * r - r;
                for (std::size_t d = 0; d < 3; ++d)
                    g(i, d) += 4 * (r * r - 3 * r * r * r * r) * (double(x(i, d)) - double(x(j, d)));
            }
        auto const [made, gradient] = step(x);
        CHECK(std::abs(double(made) - value) <= tolerance * (1 + std::abs(value)));
        for (std::size_t i = 0; i < g.size(); ++i)
            CHECK(std::abs(double(gradient.data()[i]) - g.data()[i]) <= tolerance * (10 + std::abs(g.data()[i])));
    }
}

}  // namespace

TEST_CASE("triangles: a potential of pairs and its gradient, whatever the number of items") {
    check_potential<double>(1e-12);
    check_potential<float>(1e-4);
    items<double> x(100);
    CHECK(is_triangle(ad::value_and_grad(potential), x));
    CHECK(is_triangle(ad::fused(potential), x));
    ad::tensor<float, 100, 3> y;
    CHECK(is_triangle(ad::value_and_grad(potential), y));
    ad::tensor<float, 8, 3> few;
    CHECK(!is_triangle(ad::value_and_grad(potential), few));
}

TEST_CASE("triangles: what is on the diagonal counts once") {
    auto step = ad::value_and_grad<1>(charged);
    auto all = ad::fused(charged);
    for (std::size_t n : some_lengths) {
        INFO(n << " items");
        items<double> x(n);
        line<double> q(n), g(n);
        fill(x, 0.2), fill(q, 2);
        double value = 0;
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j) {
                double s = 0;
                for (std::size_t d = 0; d < 3; ++d) s += std::pow(x(i, d) - x(j, d), 2);
                value += q(i) * q(j) * std::exp(-s) / (1 + s);
                g(i) += 2 * q(j) * std::exp(-s) / (1 + s);
            }
        CHECK(std::abs(all(x, q) - value) <= 1e-12 * (1 + std::abs(value)));
        auto const [made, gradient] = step(x, q);
        CHECK(std::abs(made - value) <= 1e-12 * (1 + std::abs(value)));
        for (std::size_t i = 0; i < n; ++i) CHECK(std::abs(gradient(i) - g(i)) <= 1e-12 * (1 + std::abs(g(i))));
    }
    CHECK(is_triangle(ad::fused(charged), items<double>(40), line<double>(40)));
}

TEST_CASE("triangles: sums of rows and of columns, with either sign") {
    auto const by_rows = ad::fused(densities);
    auto const odd = ad::fused(forces);
    auto const by_columns = ad::fused(columns);
    for (std::size_t n : some_lengths) {
        INFO(n << " items");
        line<double> x(n);
        fill(x, 0.2);
        line<double> const r = by_rows(x), o = odd(x), c = by_columns(x);
        for (std::size_t i = 0; i < n; ++i) {
            double even = 0, signed_sum = 0, other = 0;
            for (std::size_t j = 0; j < n; ++j) {
                double const d = x(i) - x(j), e = 1 + d * d;
                even += std::exp(-0.5 * d * d) * std::cos(d * d) + 1 / e;
                signed_sum += d * std::exp(-0.1 * e) / (e * std::sqrt(e)) - 2 * d / (e * e);
                other -= d * std::exp(-0.1 * e) / (e * std::sqrt(e)) + std::exp(-e) * d;
            }
            CHECK(std::abs(r(i) - even) <= 1e-12 * (1 + std::abs(even)));
            CHECK(std::abs(o(i) - signed_sum) <= 1e-12 * (1 + std::abs(signed_sum)));
            CHECK(std::abs(c(i) - other) <= 1e-12 * (1 + std::abs(other)));
        }
    }
    line<double> const x(40);
    CHECK(is_triangle(by_rows, x));
    CHECK(is_triangle(odd, x));
    CHECK(is_triangle(by_columns, x));
}

TEST_CASE("triangles: long sums of columns are taken up block by block") {
    std::size_t const n = 3001;
    line<float> x(n);
    for (std::size_t i = 0; i < n; ++i) x(i) = static_cast<float>(i % 7) / 8.0f;
    auto const f = [](auto v) {
        auto const d = ad::let(ad::unsqueeze<1>(v) - ad::unsqueeze<0>(v));
        auto const e = ad::let(d * d + 1.0f);
        return sum<0>(1.0f / e + 1.0f / (e * e) + sqrt(e) * d * d * 0.5f + e);
    };
    line<float> const made = ad::fused(f)(x);
    CHECK(is_triangle(ad::fused(f), x));
    for (std::size_t i = 0; i < n; i += 100) {
        double sum = 0;
        for (std::size_t j = 0; j < n; ++j) {
            double const d = double(x(i)) - double(x(j)), e = 1 + d * d;
            sum += 1 / e + 1 / (e * e) + std::sqrt(e) * d * d * 0.5 + e;
        }
        CHECK(std::abs(double(made(i)) - sum) <= 1e-6 * sum);
    }
}

TEST_CASE("triangles: what is not the same when items are exchanged is computed as it stands") {
    items<double> x(40), y(40);
    line<double> v(40), w(40);
    ad::tensor<double, ad::dyn, ad::dyn> given(40, 40);
    fill(x, 0.2), fill(y, 0.4), fill(v, 0.1), fill(w, 0.7), fill(given, 3);
    static constexpr auto heavy = [](auto d) { return exp(-0.1 * d * d) / (1.0 + d * d) + cos(d * d); };
    auto const pairs_of = [](auto const& a, auto const& b, auto h) {
        double s = 0;
        for (std::size_t i = 0; i < a.size(); ++i)
            for (std::size_t j = 0; j < b.size(); ++j) s += h(a(i), b(j), i, j);
        return s;
    };
    auto const number = [](double d) { return std::exp(-0.1 * d * d) / (1 + d * d) + std::cos(d * d); };
    auto const check = [&](auto f, double expected, auto const&... a) {
        auto const g = ad::fused(f);
        CHECK(!is_triangle(g, a...));
        CHECK(std::abs(double(g(a...)) - expected) <= 1e-12 * (1 + std::abs(expected)));
    };
    check([](auto a, auto b) { return sum(heavy(ad::unsqueeze<1>(a) - ad::unsqueeze<0>(b))); },
          pairs_of(v, w, [&](double a, double b, auto, auto) { return number(a - b); }), v, w);
    check([](auto a) { return sum(heavy(ad::unsqueeze<1>(a) - 2.0 * ad::unsqueeze<0>(a))); },
          pairs_of(v, v, [&](double a, double b, auto, auto) { return number(a - 2 * b); }), v);
    check([](auto a) { return sum(heavy(ad::unsqueeze<1>(a) - ad::unsqueeze<0>(exp(a)))); },
          pairs_of(v, v, [&](double a, double b, auto, auto) { return number(a - std::exp(b)); }), v);
    check([](auto a) { return sum(ad::tril(heavy(ad::unsqueeze<1>(a) - ad::unsqueeze<0>(a)))); },
          pairs_of(v, v, [&](double a, double b, auto i, auto j) { return j <= i ? number(a - b) : 0; }), v);
    check([](auto a, auto m) { return sum(m * heavy(ad::unsqueeze<1>(a) - ad::unsqueeze<0>(a))); },
          pairs_of(v, v, [&](double a, double b, auto i, auto j) { return given(i, j) * number(a - b); }), v, given);
    check([](auto a,
             auto b) { return sum(ad::unsqueeze<1>(b) * heavy(ad::unsqueeze<1>(a) - ad::unsqueeze<0>(a))); },
          pairs_of(v, v, [&](double a, double b, auto i, auto) { return w(i) * number(a - b); }), v, w);
    // odd in all: it cancels, up to what is rounded
    auto const odd = ad::fused([](auto a) {
        auto const d = ad::let(ad::unsqueeze<1>(a) - ad::unsqueeze<0>(a));
        return sum(d * exp(-0.1 * d * d) / (1.0 + d * d) + d * cos(d * d));
    });
    CHECK(!is_triangle(odd, v));
    CHECK(std::abs(odd(v)) < 1e-9);
    // the matrix itself is wanted as well
    auto const both = ad::fused([](auto a) {
        auto const m = ad::let(heavy(ad::unsqueeze<1>(a) - ad::unsqueeze<0>(a)));
        return std::tuple(m, sum(m));
    });
    CHECK(!is_triangle(both, v));
    // or its extremes: nothing is gained then, and no triangle is looked for
    auto const extremes = ad::fused([](auto a) {
        auto const m = ad::let(heavy(ad::unsqueeze<1>(a) - ad::unsqueeze<0>(a)));
        return sum(m) + sum(max<1>(m));
    });
    CHECK(ad::explain(extremes, v).find("less_equal") == std::string::npos);
}

TEST_CASE("triangles: beside a sum over one triangle, one over the whole is whole") {
    ad::tensor<double, 40, 40> m;
    ad::tensor<std::int64_t, 40> const numbers{};
    fill(m, 1);
    auto const f = ad::fused([](auto x, auto n) {
        auto const at = ad::let(ad::arange_like<0>(n));
        auto const upper = where(ad::unsqueeze<1>(at) <= ad::unsqueeze<0>(at), x, 0.0);
        return std::tuple(sum(upper), sum(x * x));
    });
    auto const half = ad::fused([](auto x, auto n) {
        auto const at = ad::let(ad::arange_like<0>(n));
        return sum<0>(where(ad::unsqueeze<1>(at) <= ad::unsqueeze<0>(at), x, 0.0));
    });
    auto const [one, all] = f(m, numbers);
    auto const columns_of_one = half(m, numbers);
    double upper = 0, squares = 0;
    for (std::size_t j = 0; j < 40; ++j) {
        double column = 0;
        for (std::size_t i = 0; i < 40; ++i) {
            if (i <= j) column += m(i, j);
            squares += m(i, j) * m(i, j);
        }
        CHECK(std::abs(columns_of_one(j) - column) <= 1e-12);
        upper += column;
    }
    CHECK(std::abs(one - upper) <= 1e-11);
    CHECK(std::abs(all - squares) <= 1e-11);
    CHECK(!is_triangle(f, m, numbers));
    CHECK(is_triangle(half, m, numbers));
}

TEST_CASE("triangles: a NaN or an infinity reaches the rows that it did") {
    line<double> x(70);
    fill(x, 0.2);
    x(33) = std::numeric_limits<double>::quiet_NaN();
    for (double v : ad::fused(forces)(x)) CHECK(std::isnan(v));
    x(33) = std::numeric_limits<double>::infinity();
    line<double> const made = ad::fused(densities)(x);
    for (std::size_t i = 0; i < 70; ++i) {
        double sum = 0;
        for (std::size_t j = 0; j < 70; ++j) {
            double const d = x(i) - x(j);
            sum += std::exp(-0.5 * d * d) * std::cos(d * d) + 1 / (1 + d * d);
        }
        INFO(i);
        CHECK((std::isnan(sum) ? std::isnan(made(i)) : std::abs(sum - made(i)) < 1e-12 * std::abs(sum)));
    }
}

TEST_CASE("triangles: the same bits on any number of threads") {
    items<double> x(700);
    fill(x, 0.2);
    auto step = ad::value_and_grad(potential);
    step.threads(1);
    auto const [value, gradient] = step(x);
    for (int threads : {2, 3, 5}) {
        step.threads(threads);
        auto const [again, once_more] = step(x);
        CHECK(again == value);
        for (std::size_t i = 0; i < gradient.size(); ++i) CHECK(once_more.data()[i] == gradient.data()[i]);
    }
}
