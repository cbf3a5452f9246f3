// SPDX-License-Identifier: MIT
// Matrices of up to 16 rows, known when compiled: what they give, alone and in batches, is what the same numbers give
// where only run time knows how many rows there are (test_short.cpp has the laws of those); and no workspace is needed.

#include <tapeless/tapeless.hpp>

#include <cmath>
#include <tuple>

#include "support/catch.hpp"

namespace ad = tapeless;
namespace la = ad::linalg;

namespace {

constexpr auto value = [](auto a, auto b) {
    auto const s = ad::let(matmul(a, transpose(a)));
    return std::tuple(la::solve(a, b, la::vectors), la::solve(a, b, la::vectors, la::transposed), la::cholesky(s));
};
constexpr auto loss = [](auto a, auto b) {
    auto const [x, y, l] = value(a, b);
    return sum(sin(x) * y) + sum(log(ad::diagonal(l)));
};
constexpr auto sines = [](auto a, auto b) { return sum(sin(la::solve(a, b, la::vectors))); };
template <class T>
T matrix_element(int k, int i, int j, int n) {
    return static_cast<T>(std::sin(1.3 * i * j + 0.7 * i + 0.2 * j + k) + ((i + k) % n == j ? 3 : 0));
}
template <class X, class Y>
double largest_difference(X const& x, Y const& y) {
    double worst = x.size() == y.size() ? 0 : 1;
    for (std::size_t i = 0; i < x.size(); ++i) {
        double const d = std::abs(static_cast<double>(x.data()[i]) - static_cast<double>(y.data()[i]));
        worst = d <= worst ? worst : std::isnan(d) ? 1 : d;
    }
    return worst;
}
template <class T>
constexpr double room = sizeof(T) == 4 ? 2e-3 : 1e-11;

/// Values and gradients of a and b are those of u and v, which hold the same.
template <class T, class A, class B, class U, class V>
void check_same(A const& a, B const& b, U const& u, V const& v) {
    auto const [x, y, l] = ad::evaluate(value, a, b);
    auto const [x2, y2, l2] = ad::evaluate(value, u, v);
    CHECK(largest_difference(x, x2) < room<T>);
    CHECK(largest_difference(y, y2) < room<T>);
    CHECK(largest_difference(l, l2) < room<T>);
    auto const [da, db] = ad::grad<0, 1>(loss)(a, b);
    auto const [da2, db2] = ad::grad<0, 1>(loss)(u, v);
    CHECK(largest_difference(da, da2) < room<T>);
    CHECK(largest_difference(db, db2) < room<T>);
}

}  // namespace

TEMPLATE_TEST_CASE_SIG("9 to 16 rows, known when compiled: batches are as at run time", "", ((class T, int N), T, N),
                       (double, 10), (float, 13), (double, 14), (float, 15)) {
    constexpr int count = 7;  // whole registers, and some that are left
    ad::tensor<T, count, N, N> a;
    ad::tensor<T, count, N> b;
    ad::tensor<T, ad::dyn, ad::dyn, ad::dyn> u(count, N, N);
    ad::tensor<T, ad::dyn, ad::dyn> v(count, N);
    for (int k = 0; k < count; ++k)
        for (int i = 0; i < N; ++i) {
            v(k, i) = b(k, i) = static_cast<T>(std::cos(k + i));
            for (int j = 0; j < N; ++j) u(k, i, j) = a(k, i, j) = matrix_element<T>(k, i, j, N);
        }
    check_same<T>(a, b, u, v);
}

TEMPLATE_TEST_CASE_SIG("6 to 16 rows, known when compiled: one matrix is as at run time", "", ((class T, int N), T, N),
                       (double, 6), (float, 10), (double, 13), (float, 14), (double, 15)) {
    ad::tensor<T, N, N> a;
    ad::tensor<T, N> b;
    ad::tensor<T, ad::dyn, ad::dyn> u(N, N);
    ad::tensor<T, ad::dyn> v(N);
    for (int i = 0; i < N; ++i) {
        v(i) = b(i) = static_cast<T>(std::cos(i));
        for (int j = 0; j < N; ++j) u(i, j) = a(i, j) = matrix_element<T>(1, i, j, N);
    }
    check_same<T>(a, b, u, v);
}

TEST_CASE("9 rows, known when compiled: derivatives of derivatives, and many vectors to a batch of matrices") {
    constexpr int count = 3, n = 9;
    ad::tensor<double, count, n, n> a;
    ad::tensor<double, count, n> b;
    ad::tensor<double, 2, count, n> several;
    for (int k = 0; k < count; ++k)
        for (int i = 0; i < n; ++i) {
            b(k, i) = several(0, k, i) = std::cos(k + i);
            several(1, k, i) = std::sin(k - 2 * i);
            for (int j = 0; j < n; ++j) a(k, i, j) = matrix_element<double>(k, i, j, n);
        }
    constexpr auto slopes = [](auto m, auto r) {
        auto const [da, db] = ad::grad<0, 1>(sines)(m, r);
        return sum(square(da)) + sum(square(db));
    };
    CHECK(ad::check_gradient<0, 1>(slopes, a, b));
    auto turned = [](auto m, auto r) { return la::solve(m, r, la::vectors, la::transposed); };
    auto const first = [](auto const& x) { return ad::evaluate([](auto y) { return ad::select<0>(y, 0); }, x); };
    auto const all = ad::vmap<ad::whole, 0>(turned)(a, several);
    CHECK(largest_difference(ad::evaluate(turned, a, b), first(all)) < 1e-13);
    auto const by_vectors = ad::vmap<ad::whole, 0>(ad::grad<0>(sines))(a, several);
    CHECK(largest_difference(ad::grad<0>(sines)(a, b), first(by_vectors)) < 1e-13);
}

TEST_CASE("9 to 16 rows, known when compiled: no workspace but for what goes from one kernel to the next") {
    using matrices = ad::tensor<double, 16, 16, 16>;
    using matrix = ad::tensor<double, 16, 16>;
    using several = ad::tensor<double, 16, 20>;
    auto const bytes = [](auto f, auto... a) {
        return decltype(ad::fused(f))::template plan<decltype(a)...>().workspace_bytes();
    };
    CHECK(bytes([](auto a) { return la::cholesky(a); }, matrix{}) == 0);
    CHECK(bytes([](auto a, auto b) { return la::solve_triangular(a, b); }, matrix{}, several{}) == 0);
    CHECK(bytes([](auto a, auto b) { return la::solve(a, b, la::vectors); }, matrices{}, matrix{}) == 0);
    // the factors, and two vectors; arrays begin at multiples of some bytes
    std::int64_t const factors = 17 * 16 * 8, vector = 16 * 8, between = 512;
    CHECK(bytes([](auto a, auto b) { return la::solve(a, b); }, matrix{}, several{}) <= factors + between);
    CHECK(bytes([](auto a) { return la::inverse(a); }, matrix{}) <= factors + between);
    auto const slope = ad::grad<0>([](auto a, auto b) { return sum(la::solve(a, b, la::vectors)); });
    using plan = decltype(decltype(slope)::plan<matrices, matrix>());
    CHECK(plan::workspace_bytes() <= 16 * (factors + 2 * vector) + between);
    CHECK(plan::kernels() <= 4);  // ones; x and the factors; a⁻ᵀ g; the product of both
}

namespace {
/// Of seven matrices one is singular: with `quiet` its solution and what flows through it are NaN, and no others.
template <int N>
bool only_the_singular_one_is_nan() {
    ad::tensor<double, 7, N, N> a;
    ad::tensor<double, 7, N> b;
    for (int k = 0; k < 7; ++k)
        for (int i = 0; i < N; ++i) {
            b(k, i) = 1 + i;
            for (int j = 0; j < N; ++j) a(k, i, j) = k == 3 ? 1.0 : matrix_element<double>(k, i, j, N);
        }
    auto const f = [](auto m, auto v) {
        auto const x = ad::let(la::solve(m, v, la::vectors, la::quiet));
        return std::tuple(sum(square(x)), x);
    };
    auto const r = ad::value_and_grad<0, 1>(f)(a, b);
    auto const& x = std::get<1>(r.value);
    auto const& [by_a, by_b] = r.grad;
    bool right = true;
    for (int k = 0; k < 7; ++k)
        for (int i = 0; i < N; ++i) {
            right = right && std::isnan(x(k, i)) == (k == 3) && std::isnan(by_b(k, i)) == (k == 3);
            for (int j = 0; j < N; ++j) right = right && std::isnan(by_a(k, i, j)) == (k == 3);
        }
    return right;
}
}  // namespace

TEST_CASE("static sizes: factors that are kept of a singular matrix are NaN to its gradient alone") {
    CHECK(only_the_singular_one_is_nan<3>());
    CHECK(only_the_singular_one_is_nan<12>());
}
