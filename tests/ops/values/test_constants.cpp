// SPDX-License-Identifier: MIT
// Tensors in expressions: constants of the program.

#include <tapeless/tapeless.hpp>

#include <cmath>
#include <string>
#include <vector>

#include "support/catch.hpp"

namespace ad = tapeless;

namespace {

template <class A, class B>
double farthest(A const& a, B const& b) {
    REQUIRE(a.size() == b.size());
    double d = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        d = std::max(d, std::abs(static_cast<double>(a.data()[i]) - static_cast<double>(b.data()[i])));
    return d;
}

/// n numbers that no short pattern makes.
template <class T, int N>
constexpr ad::tensor<T, N> some_numbers() {
    ad::tensor<T, N> made;
    for (int i = 0; i < N; ++i) made(i) = static_cast<T>((i * 7 + i * i * 3) % 11 - 5) / 4;
    return made;
}
template <class T, int N>
ad::tensor<T, N> counted() {
    ad::tensor<T, N> x;
    for (int i = 0; i < N; ++i) x(i) = static_cast<T>(i % 13) / 8 - 1;
    return x;
}

template <class T, int N>
void check_length() {
    auto f = [](auto x) { return sum(some_numbers<T, N>() * square(x)); };
    auto const x = counted<T, N>();
    constexpr auto c = some_numbers<T, N < 1000 ? N : 1>();  // also a constant outside of functions
    auto const [value, g] = ad::value_and_grad<0>(f)(x);
    double want = 0;
    auto const numbers = some_numbers<T, N>();
    for (int i = 0; i < N; ++i) {
        want += static_cast<double>(numbers(i) * x(i) * x(i));
        CHECK(g(i) == 2 * numbers(i) * x(i));
    }
    CHECK(static_cast<double>(value) == Approx(want).epsilon(1e-5));
    CHECK((N == 0 || c.size() > 0));
}

constexpr auto turn_and_add = [](auto h, auto x) {
    ad::tensor<double, 2, 2> a{{0.5, 0.25}, {-0.25, 0.5}};
    return matmul(a, h) + x * ad::tensor<double, 2>{1, 2};
};
constexpr auto weighted = [](auto row) { return sum(ad::tensor<double, 2>{3, 5} * row * row); };

}  // namespace

TEST_CASE("constants: a tensor in an expression, at every kind of length") {
    check_length<double, 0>();
    check_length<double, 1>();
    check_length<double, 2>();
    check_length<float, 3>();
    check_length<float, 5>();
    check_length<double, 33>();
    check_length<float, 4096>();
    check_length<double, 4096>();  // on the heap while compiling
}

TEST_CASE("constants: they need no argument and no workspace, and are read in place") {
    auto f = [](auto x) { return some_numbers<double, 7>() * x; };
    auto c = ad::fused(f);
    constexpr auto plan = decltype(c)::plan<ad::tensor<double, 7>>();
    static_assert(plan.workspace_bytes() == 0);
    static_assert(plan.kernels() == 1);
    auto const text = ad::explain(c, counted<double, 7>());
    CHECK(text.find("reads    constants double(7)") != std::string::npos);
}

TEST_CASE("constants: they broadcast, and stand on either side of operators and functions") {
    auto f = [](auto x) {  // x (3)
        ad::tensor<double, 2, 3> a{{1, 2, 3}, {4, 5, 6}};
        ad::tensor<double, 2, 1> column{{10}, {20}};
        ad::tensor<double> half(0.5);
        return maximum(a - x, column * x) +
               where(x < ad::tensor<double, 3>{0, 1, 2}, half, a) / ad::tensor<double, 3>{1, 2, 4};
    };
    ad::tensor<double, 3> x{0.5, -1, 3};
    auto const y = ad::evaluate(f, x);
    double const a[2][3] = {{1, 2, 3}, {4, 5, 6}}, column[2] = {10, 20}, bound[3] = {0, 1, 2}, by[3] = {1, 2, 4};
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 3; ++j)
            CHECK(y(i, j) == std::max(a[i][j] - x(j), column[i] * x(j)) + (x(j) < bound[j] ? 0.5 : a[i][j]) / by[j]);
    ad::tensor<double, ad::dyn, 3> rows{{0.5, -1, 3}};
    CHECK(farthest(ad::evaluate(
                       [](auto r) {
                           return r * ad::tensor<double, 3>{1, 2, 3};
                       },
                       rows),
                   ad::tensor<double, 3>{0.5, -2, 9}) == 0);
}

TEST_CASE("constants: they have the element type of what they meet, as literals do") {
    ad::tensor<float, 2> x{1, 2};
    auto const y = ad::evaluate([](auto v) { return v * ad::tensor<double, 2>{0.1, 2}; }, x);
    static_assert(std::is_same_v<decltype(y)::value_type, float>);
    CHECK(y(0) == 0.1f);
    auto const z = ad::evaluate([](auto v) { return ad::tensor<int, 2>{3, 4} * v; }, x);
    CHECK(z(1) == 8.0f);
    ad::tensor<int, 2> n{7, 8};
    auto const m = ad::evaluate([](auto v) { return v + ad::tensor<long, 2>{1, -1}; }, n);
    static_assert(std::is_same_v<decltype(m)::value_type, int>);
    CHECK(m(1) == 7);
    ad::tensor<ad::half, 2> h{ad::half(1.0f), ad::half(2.0f)};
    CHECK(ad::evaluate([](auto v) { return v * ad::tensor<double, 2>{0.5, 4}; }, h)(1) == 8.0f);
}

TEST_CASE("constants: operands of products, joins, indices and masks") {
    ad::tensor<double, 3> x{1, -2, 3};
    auto by_matrix = [](auto v) {
        ad::tensor<double, 2, 3> m{{1, 2, 3}, {0, -1, 1}};
        return sum(square(matmul(m, v) + linear(v, m, ad::tensor<double, 2>{1, 1})));
    };
    auto const [value, g] = ad::value_and_grad<0>(by_matrix)(x);
    CHECK(value == (6 + 7.0) * (6 + 7.0) + (5 + 6.0) * (5 + 6.0));
    CHECK(g(0) == 2 * 13 * 2 * 1.0);
    CHECK(g(1) == 2 * 13 * 2 * 2.0 - 2 * 11 * 2);
    auto others = [](auto v) {
        ad::tensor<double, 2> w{4, 5};
        ad::tensor<int, 4> order{2, 0, 0, 1};
        auto joined = ad::concat<0>(w, v, w);
        auto chosen = ad::index_select<0>(v, order);
        auto kept = where(ad::tensor<bool, 3>{true, false, true}, v, 0.0);
        return sum(square(joined)) + sum(chosen * ad::tensor<double, 4>{1, 10, 100, 1000}) + 2 * sum(kept) +
               dot(ad::tensor<double, 3>{1, 1, 1}, v) + sum(einsum<"i,j->ij">(v, w)) +
               sum(ad::stack(ad::tensor<double, 3>{1, 2, 3}, v));
    };
    auto const go = ad::grad<0>(others)(x);
    CHECK(go(0) == 2 * 1.0 + 110 + 2 + 1 + 9 + 1);
    CHECK(go(1) == 2 * -2.0 + 1000 + 0 + 1 + 9 + 1);
    CHECK(go(2) == 2 * 3.0 + 1 + 2 + 1 + 9 + 1);
}

TEST_CASE("constants: in the steps of scans, under vmap, jacobians and forward mode") {
    auto folded = [](auto h, auto xs) { return sum(ad::fold(turn_and_add, h, xs)); };
    ad::tensor<double, 2> h{1, 2};
    std::vector<double> xs{1, 2, 3};
    auto const [value, g] = ad::value_and_grad<0>(folded)(h, xs);
    double s[2] = {1, 2}, d[2] = {1, 1};
    for (double x : xs) {
        double const t[2] = {0.5 * s[0] + 0.25 * s[1] + x, -0.25 * s[0] + 0.5 * s[1] + 2 * x};
        s[0] = t[0], s[1] = t[1];
    }
    for (int i = 0; i < 3; ++i) {
        double const t[2] = {0.5 * d[0] - 0.25 * d[1], 0.25 * d[0] + 0.5 * d[1]};
        d[0] = t[0], d[1] = t[1];
    }
    CHECK(value == s[0] + s[1]);
    CHECK(g(0) == d[0]);
    CHECK(g(1) == d[1]);

    ad::tensor<double, 4, 2> rows{{1, 2}, {3, 4}, {5, 6}, {7, 8}};
    auto const all = ad::evaluate([](auto r) { return ad::vmap(weighted)(r); }, rows);
    for (int i = 0; i < 4; ++i) CHECK(all(i) == 3 * rows(i, 0) * rows(i, 0) + 5 * rows(i, 1) * rows(i, 1));
    // (3, 2) by (2)
    auto const j = ad::jacobian<0>([](auto v) { return ad::tensor<double, 3, 1>{{1}, {2}, {3}} * v; })(h);
    CHECK(j(2, 1, 1) == 3);
    CHECK(j(2, 1, 0) == 0);
    auto const [y, t] = ad::jvp<0>(weighted)(h, ad::tensor<double, 2>{1, 10});
    CHECK(y == 3 + 20);
    CHECK(t == 6 + 200);
    CHECK(ad::check_gradient<0>(
              [](auto v) {
                  return sum(exp(v) * ad::tensor<float, 2>{1, 2});
              },
              ad::tensor<float, 2>{0.1f, 0.2f})
              .passed);
}

TEST_CASE("constants: as results, written once, and equal ones are one") {
    auto const y = ad::evaluate(
        [](auto x) {
            return std::tuple(x + 0 * x, ad::tensor<double, 2>{1, 2} + 0 * x[0]);
        },
        ad::tensor<double, 2>{3, 4});
    CHECK(std::get<1>(y)(1) == 2);
    auto twice = ad::fused([](auto x) { return ad::tensor<double, 2>{1, 2} * x - ad::tensor<double, 2>{1, 2}; });
    auto const text = ad::explain(twice, ad::tensor<double, 2>{3, 4});
    CHECK(text.find("constants") == text.rfind("constants"));
}

TEST_CASE("zeros_like, ones_like, full_like, arange_like, eye_like: of symbols, and nothing is stored") {
    ad::tensor<float, 2, 3> x{{1, -2, 3}, {-4, 5, -6}};
    auto f = [](auto v) {
        auto s = ad::let(zeros_like(v));
        s = s + where(v > 0.0f, v, zeros_like(v)) * ad::full_like(v, 0.5) + ad::arange_like(v) +
            ad::arange_like<0>(transpose(v));
        return s * ones_like(v) + ad::full_like(v, v(0, 0));
    };
    auto c = ad::fused(f);
    static_assert(decltype(c)::plan<ad::tensor<float, 2, 3>>().workspace_bytes() == 0);
    auto const y = c(x);
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 3; ++j)
            CHECK(y(i, j) == (x(i, j) > 0 ? 0.5f * x(i, j) : 0.0f) + 2.0f * static_cast<float>(j) + 1);

    ad::tensor<double, ad::dyn, ad::dyn> m(3, 3);
    for (int i = 0; i < 9; ++i) m.data()[i] = i;
    auto g = [](auto a) { return sum(square(a + 2.0 * ad::eye_like(a)) * ad::arange_like(a)); };
    auto const d = ad::grad<0>(g)(m);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) CHECK(d(i, j) == 2 * (m(i, j) + (i == j ? 2 : 0)) * j);
    CHECK(farthest(ad::evaluate([](auto v) { return v + ad::arange<double, 3>(); }, ad::tensor<double, 3>{1, 1, 1}),
                   ad::tensor<double, 3>{1, 2, 3}) == 0);
    CHECK(farthest(ad::evaluate([](auto v) { return matmul(ad::eye<double, 3>(), v); }, ad::tensor<double, 3>{1, 5, 1}),
                   ad::tensor<double, 3>{1, 5, 1}) == 0);
}
