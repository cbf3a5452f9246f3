// SPDX-License-Identifier: MIT
// qr, eigh and svd of large matrices come from a LAPACK where TAPELESS_USE_LAPACK is defined.

#include <algorithm>
#include <limits>

#include "matrices.hpp"

namespace {

template <class T>
matrix<T> numbers(int m, int n) {
    matrix<T> a(m, n);
    for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j)
            a(i, j) = static_cast<T>(std::sin(1.7 * i * j + 0.3 * i + j + 1) + (i == j ? 3 : 0));
    return a;
}
template <class T>
constexpr double room = sizeof(T) == 4 ? 2e-3 : 1e-10;

template <class A>
double largest(A const& a) {
    double most = 0;
    for (auto v : a) most = std::isnan(v) ? 1e30 : std::max(most, std::abs(static_cast<double>(v)));
    return most;
}
template <class A>
double from_unit(A const& a, int n) {
    double most = 0;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) most = std::max(most, std::abs(static_cast<double>(a(i, j)) - (i == j)));
    return most;
}

}  // namespace

TEMPLATE_TEST_CASE("lapack: qr of a large matrix is two calls, and r has a positive diagonal", "", float, double) {
    using T = TestType;
    auto f = ad::fused([](auto a) {
        auto [q, r] = la::qr(a);
        return std::tuple(matmul(q, r) - a, matmul(ad::transpose(q), q), tril(r, -1), ad::diagonal(r));
    });
    for (auto [m, n] : {std::pair{300, 255}, std::pair{256, 256}, std::pair{300, 257}}) {
        int const before = lapack_calls;
        auto const [rest, unit, below, diagonal] = f(numbers<T>(m, n));
        CHECK(lapack_calls == before + (n >= 256 ? 2 : 0));
        CHECK(largest(rest) < room<T>);
        CHECK(from_unit(unit, n) < room<T>);
        CHECK(largest(below) == 0);
        CHECK(*std::min_element(diagonal.begin(), diagonal.end()) > 0);
    }
}
TEMPLATE_TEST_CASE("lapack: eigh and eigvalsh of a large matrix are one call each", "", float, double) {
    using T = TestType;
    auto f = ad::fused([](auto b) {
        auto a = ad::let(matmul(b, ad::transpose(b)) / 50.0f);
        auto [w, v] = la::eigh(a);
        return std::tuple(matmul(v * w, ad::transpose(v)) - a, matmul(ad::transpose(v), v), w, w - la::eigvalsh(a));
    });
    for (int n : {40, 63, 64, 97}) {
        int const before = lapack_calls;
        auto const [rest, unit, w, apart] = f(numbers<T>(n, n));
        CHECK(lapack_calls == before + (n >= 64 ? 2 : 0));
        CHECK(largest(rest) < room<T>);
        CHECK(from_unit(unit, n) < 100 * room<T>);
        CHECK(std::is_sorted(w.begin(), w.end()));
        CHECK(largest(apart) < room<T>);
    }
}
TEMPLATE_TEST_CASE("lapack: svd and svdvals of a large matrix, tall and wide, are one call each", "", float, double) {
    using T = TestType;
    auto f = ad::fused([](auto a) {
        auto [u, s, v] = la::svd(a);
        return std::tuple(matmul(u * s, ad::transpose(v)) - a, matmul(ad::transpose(u), u), matmul(ad::transpose(v), v),
                          s, s - la::svdvals(a));
    });
    for (auto [m, n] : {std::pair{63, 80}, std::pair{64, 64}, std::pair{90, 66}, std::pair{66, 90}}) {
        int const before = lapack_calls, k = std::min(m, n);
        auto const [rest, left, right, s, apart] = f(numbers<T>(m, n));
        CHECK(lapack_calls == before + (k >= 64 ? 2 : 0));
        CHECK(largest(rest) < room<T>);
        CHECK(from_unit(left, k) < 10 * room<T>);
        CHECK(from_unit(right, k) < 10 * room<T>);
        CHECK(std::is_sorted(s.begin(), s.end(), [](T x, T y) { return x > y; }));
        CHECK(largest(apart) < room<T>);
    }
}
TEST_CASE("lapack: matrices with NaN are not handed over") {
    auto a = numbers<double>(70, 70);
    a(3, 5) = std::numeric_limits<double>::quiet_NaN();
    int const before = lapack_calls;
    auto const s = ad::evaluate([](auto x) { return la::svdvals(x, la::quiet); }, a);
    auto const w = ad::evaluate([](auto x) { return la::eigvalsh(x, la::quiet); }, a);
    CHECK(lapack_calls == before);
    CHECK(std::any_of(s.begin(), s.end(), [](double x) { return std::isnan(x); }));
    CHECK(w.size() == 70);
}
