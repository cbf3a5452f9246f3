// SPDX-License-Identifier: MIT
// roll: what is moved by few elements is read where it is, from both ends.

#include <cmath>
#include <string>
#include <support/catch.hpp>
#include <tapeless/tapeless.hpp>
#include <vector>

namespace ad = tapeless;

namespace {

using matrix = ad::tensor<double, ad::dyn, ad::dyn>;

matrix counted(std::size_t rows, std::size_t columns) {
    matrix x(rows, columns);
    double v = 0.25;
    for (double& e : x) e = v = std::fmod(v * 7.3 + 0.6, 3.0) - 1;
    return x;
}
/// Element (i, j) of x, whose axes have no end.
double at(matrix const& x, std::int64_t i, std::int64_t j) {
    auto const n = static_cast<std::int64_t>(x.extent(0)), m = static_cast<std::int64_t>(x.extent(1));
    return x(static_cast<std::size_t>((i % n + n) % n), static_cast<std::size_t>((j % m + m) % m));
}
template <class F>
double largest_difference(matrix const& y, F const& expected) {
    double worst = 0;
    for (std::size_t i = 0; i < y.extent(0); ++i)
        for (std::size_t j = 0; j < y.extent(1); ++j)
            worst = std::max(worst, std::abs(y(i, j) - expected(static_cast<std::int64_t>(i),
                                                                static_cast<std::int64_t>(j))));
    return worst;
}
constexpr std::size_t lengths[] = {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 64, 67};

}  // namespace

TEST_CASE("roll: any length, along either axis, forwards and back") {
    auto by_rows = ad::fused([](auto x) { return roll<0>(x, 1) + 10.0 * roll<0>(x, -2); });
    auto by_columns = ad::fused([](auto x) { return roll<1>(x, 3) + 10.0 * roll<1>(x, -1); });
    auto both = ad::fused([](auto x) { return roll<0>(roll<1>(x, 1), 8) - x; });
    for (std::size_t n : lengths)
        for (std::size_t m : {std::size_t{1}, std::size_t{3}, std::size_t{8}, std::size_t{19}}) {
            for (auto [rows, columns] : {std::pair{n, m}, std::pair{m, n}}) {
                matrix const x = counted(rows, columns);
                INFO(rows << " x " << columns);
                CHECK(largest_difference(by_rows(x), [&](auto i, auto j) {
                          return at(x, i - 1, j) + 10 * at(x, i + 2, j);
                      }) < 1e-13);
                CHECK(largest_difference(by_columns(x), [&](auto i, auto j) {
                          return at(x, i, j - 3) + 10 * at(x, i, j + 1);
                      }) < 1e-13);
                CHECK(largest_difference(both(x), [&](auto i, auto j) {
                          return at(x, i - 8, j - 1) - at(x, i, j);
                      }) < 1e-13);
            }
        }
    CHECK(by_rows(matrix(0, 5)).size() == 0);
    CHECK(by_columns(matrix(5, 0)).size() == 0);
}

TEST_CASE("roll: of what is computed, of views, between zeros, and parts of it") {
    auto computed = ad::fused([](auto x) { return roll<1>(x * x, 2) * x; });
    auto of_view = ad::fused([](auto x) { return roll<0>(transpose(x), 1) + transpose(roll<1>(x, -1)); });
    auto of_shape = ad::fused([](auto x) {
        auto const y = let(roll<0>(ad::flatten(x), 2) + ad::flatten(x));
        return ad::unsqueeze<0>(y);
    });
    auto of_slice = ad::fused([](auto x) { return roll<1>(ad::slice<1, 1, -1>(x), 1) + ad::slice<1, 0, -2>(x); });
    auto parts = ad::fused([](auto x) {
        return ad::slice<0, 0, 1>(roll<0>(x, 1)) + ad::slice<0, 3, 4>(roll<0>(x, -2));
    });
    auto padded = ad::fused([](auto x) { return ad::pad<1, 2, 2, 1>(roll<0>(roll<1>(x, -1), 1)); });
    for (std::size_t n : {std::size_t{4}, std::size_t{9}, std::size_t{18}, std::size_t{37}}) {
        matrix const x = counted(n, n + 1);
        auto const rows = static_cast<std::int64_t>(n), columns = rows + 1;
        CHECK(largest_difference(computed(x), [&](auto i, auto j) {
                  return at(x, i, j - 2) * at(x, i, j - 2) * at(x, i, j);
              }) < 1e-14);
        CHECK(largest_difference(of_view(x), [&](auto i, auto j) {
                  return at(x, j, i - 1) + at(x, j, i + 1);
              }) < 1e-13);
        CHECK(largest_difference(of_shape(x), [&](auto, auto j) {
                  std::int64_t const all = rows * columns, k = (j - 2 + all) % all;
                  return at(x, k / columns, k % columns) + at(x, j / columns, j % columns);
              }) < 1e-13);
        CHECK(largest_difference(of_slice(x), [&](auto i, auto j) {
                  return at(x, i, 1 + (j - 1 + columns - 2) % (columns - 2)) + at(x, i, j);
              }) < 1e-13);
        CHECK(largest_difference(parts(x), [&](auto, auto j) { return at(x, -1, j) + at(x, 5, j); }) < 1e-13);
        CHECK(largest_difference(padded(x), [&](auto i, auto j) {
                  bool const in = i >= 1 && i <= rows && j >= 2 && j < columns + 2;
                  return in ? at(x, i - 2, j - 1) : 0.0;
              }) < 1e-13);
    }
}

TEST_CASE("roll: the gradient of a stencil without ends, its product with a vector, and of many items") {
    constexpr auto loss = [](auto u) {
        return sum(square(roll<0>(u, 1) + roll<0>(u, -1) + roll<1>(u, 1) + roll<1>(u, -1) - 4.0 * u));
    };
    auto step = ad::value_and_grad<0>(loss);
    for (std::size_t n : lengths) {
        matrix const u = counted(n, n == 1 ? 5 : n);
        auto const l = [&](std::int64_t i, std::int64_t j) {
            return at(u, i - 1, j) + at(u, i + 1, j) + at(u, i, j - 1) + at(u, i, j + 1) - 4 * at(u, i, j);
        };
        auto const [value, g] = step(u);
        double expected = 0;
        for (std::size_t i = 0; i < u.extent(0); ++i)
            for (std::size_t j = 0; j < u.extent(1); ++j)
                expected += l(static_cast<std::int64_t>(i), static_cast<std::int64_t>(j)) *
                            l(static_cast<std::int64_t>(i), static_cast<std::int64_t>(j));
        INFO(n);
        CHECK(std::abs(value - expected) <= 1e-12 * (1 + expected));
        CHECK(largest_difference(g, [&](auto i, auto j) {
                  return 2 * (l(i - 1, j) + l(i + 1, j) + l(i, j - 1) + l(i, j + 1) - 4 * l(i, j));
              }) < 1e-11);
    }
    ad::tensor<double, 9> const x{1, 2, -1, 0.5, 3, -2, 0, 1, 4}, t{1, 0, 2, -1, 0, 0, 1, 3, 0};
    constexpr auto f = [](auto v) { return roll<0>(v, 1) * roll<0>(v, -1); };
    auto const dy = ad::jvp<0>(f)(x, t).tangent;
    for (std::size_t i = 0; i < 9; ++i)
        CHECK(dy(i) == t((i + 8) % 9) * x((i + 1) % 9) + x((i + 8) % 9) * t((i + 1) % 9));
}

TEST_CASE("roll: a stencil without ends and its gradient are two loops") {
    auto step = ad::value_and_grad<0>([](auto u) {
        return sum(square(roll<0>(u, 1) + roll<0>(u, -1) + roll<1>(u, 1) + roll<1>(u, -1) - 4.0 * u));
    });
    std::string const plan = ad::explain(step, matrix(64, 64));
    CHECK(plan.substr(0, plan.find(',')) == "2 kernels");
}

TEST_CASE("roll: twice, along one axis and along two, at every length") {
    auto once_more = ad::fused([](auto v) { return ad::roll<0>(ad::roll<0>(v * v, 1), 1) + 0.0 * v; });
    auto both_axes = ad::fused([](auto v) { return ad::roll<0>(ad::roll<1>(v * v, 1), 1) + 0.0 * v; });
    auto there_and_back = ad::fused([](auto v) { return ad::roll<0>(ad::roll<0>(sin(v), 2), -2) + 0.0 * v; });
    auto gradient =
        ad::grad<0>([](auto v) { return sum(sin(ad::roll<0>(ad::let(ad::roll<0>(v * v, 6)), 5)) * v); });
    int wrong = 0;
    for (int n = 1; n < 40; ++n) {
        ad::tensor<double, ad::dyn> y(n);
        for (int i = 0; i < n; ++i) y(i) = 0.1 * (i + 1);
        auto const twice = once_more(y), back = there_and_back(y), g = gradient(y);
        for (int i = 0; i < n; ++i) {
            double const e = y(((i - 2) % n + n) % n), from = y(((i - 11) % n + n) % n), to = y((i + 11) % n);
            wrong += twice(i) != e * e;
            wrong += !(std::abs(back(i) - std::sin(y(i))) < 1e-14);
            wrong += !(std::abs(g(i) - std::sin(from * from) - std::cos(y(i) * y(i)) * 2 * y(i) * to) < 1e-12);
        }
        for (int m = 1; m < 9; ++m) {
            ad::tensor<double, ad::dyn, ad::dyn> z(n, m);
            for (int i = 0; i < n * m; ++i) z.data()[i] = i + 1;
            auto const moved = both_axes(z);
            for (int i = 0; i < n; ++i)
                for (int j = 0; j < m; ++j) {
                    double const e = z((i + n - 1) % n, (j + m - 1) % m);
                    wrong += moved(i, j) != e * e;
                }
        }
    }
    CHECK(wrong == 0);
}
