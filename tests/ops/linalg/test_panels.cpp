// SPDX-License-Identifier: MIT
// Factors of single matrices of 1 to 70 rows, which are done four rows at a time up to 64; and right-hand sides that
// have to be copied, of which some columns are done at a time.

#include <tapeless/tapeless.hpp>

#include <array>
#include <cmath>
#include <limits>
#include <tuple>
#include <type_traits>
#include <vector>

#include "support/catch.hpp"

namespace ad = tapeless;
namespace la = ad::linalg;

namespace {

template <class A>
void fill_positive(A& a, int n) {
    using T = std::remove_cvref_t<decltype(a(0, 0))>;
    for (int i = 0; i < n; ++i)  // not symmetric: what is read is (a + aᵀ)/2
        for (int j = 0; j < n; ++j)
            a(i, j) = static_cast<T>(std::cos(0.3 * (i - j)) + 0.1 * std::sin(i - j) + (i == j ? 4 : 0));
}
template <class T>
constexpr double room = sizeof(T) == 4 ? 1e-4 : 2e-13;

/// A matrix whose columns lie in one piece.
template <class T>
struct by_columns {
    std::vector<T> memory;
    ad::view<T, ad::dyn, ad::dyn> view;
    by_columns(int m, int n)
        : memory(static_cast<std::size_t>(m * n + 1)), view(memory.data(), m, n, std::array<std::ptrdiff_t, 2>{1, m}) {}
};

}  // namespace

TEMPLATE_TEST_CASE("cholesky of 1 to 70 rows: l lᵀ is the symmetric part, however it lies in memory", "", float,
                   double) {
    using T = TestType;
    auto factor = ad::fused([](auto a) { return la::cholesky(a); });
    for (int n = 1; n <= 70; ++n) {
        INFO(n << " rows");
        ad::tensor<T, ad::dyn, ad::dyn> a(n, n), l(n, n);
        fill_positive(a, n);
        factor(ad::into(l), a);
        double error = 0;
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j) {
                double sum = -0.5 * (static_cast<double>(a(i, j)) + static_cast<double>(a(j, i)));
                for (int k = 0; k < n; ++k) sum += static_cast<double>(l(i, k)) * static_cast<double>(l(j, k));
                error = std::isnan(sum) ? 1 : std::fmax(error, std::abs(sum));
                if (j > i && l(i, j) != 0) error = 1;
            }
        CHECK(error < room<T>);
        by_columns<T> from(n, n), to(n, n);
        fill_positive(from.view, n);
        factor(ad::into(to.view), from.view);
        int different = 0;
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j) different += to.view(i, j) != l(i, j);
        CHECK(different == 0);
    }
}

TEST_CASE("cholesky of 17 to 70 rows: the pivot that is not positive is named; tiny ones are pivots") {
    auto factor = ad::fused([](auto a) { return la::cholesky(a); });
    auto quietly = ad::fused([](auto a) { return la::cholesky(a, la::quiet); });
    for (int n = 17; n <= 70; ++n)
        for (int pivot : {0, 3, 4, n / 2, n - 1}) {
            INFO(n << " rows, pivot " << pivot);
            ad::tensor<double, ad::dyn, ad::dyn> a(n, n), l(n, n);
            fill_positive(a, n);
            for (double wrong : {-1.0, 0.0, std::numeric_limits<double>::quiet_NaN()}) {
                for (int j = 0; j < n; ++j) a(pivot, j) = a(j, pivot) = 0;
                a(pivot, pivot) = wrong;
                try {
                    factor(ad::into(l), a);
                    FAIL("nothing was thrown");
                } catch (ad::numeric_error const& e) {
                    if (e.pivot != pivot) FAIL(e.what());
                }
                quietly(ad::into(l), a);
                CHECK(std::isnan(l(n - 1, 0)));
            }
            a(pivot, pivot) = std::numeric_limits<double>::denorm_min() * 4;
            factor(ad::into(l), a);
            CHECK(l(pivot, pivot) == std::sqrt(a(pivot, pivot)));
            CHECK(std::isfinite(l(n - 1, n - 1)));
        }
}

TEMPLATE_TEST_CASE("right-hand sides that are copied: any number of columns", "", float, double) {
    using T = TestType;
    auto f = ad::fused([](auto a, auto b) {
        return std::tuple(la::solve(a, b), la::solve(a, b, la::transposed), la::solve_triangular(a, b));
    });
    auto invert = ad::fused([](auto a) { return la::inverse(a); });
    for (int n : {1, 5, 9, 15, 16, 17, 24})
        for (int m : {1, 2, 15, 16, 17, 33}) {
            INFO(n << " rows, " << m << " columns");
            ad::tensor<T, ad::dyn, ad::dyn> a(n, n), b(n, m);
            fill_positive(a, n);
            for (int j = 0; j + 1 < n; j += 2)  // rows change places
                for (int k = 0; k < n; ++k) std::swap(a(j, k), a(j + 1, k));
            for (int i = 0; i < n; ++i)
                for (int c = 0; c < m; ++c) b(i, c) = static_cast<T>(std::sin(i + 2 * c));
            for (int i = 0; i < n; ++i) a(i, i) += T(3);
            by_columns<T> x(n, m), y(n, m), z(n, m), inverse(n, n);
            f(ad::into(x.view, y.view, z.view), a, b);
            invert(ad::into(inverse.view), a);
            double error = 0;
            for (int c = 0; c < m; ++c)
                for (int i = 0; i < n; ++i) {
                    double p = -static_cast<double>(b(i, c)), q = p, r = p;
                    for (int j = 0; j < n; ++j) {
                        p += static_cast<double>(a(i, j)) * static_cast<double>(x.view(j, c));
                        q += static_cast<double>(a(j, i)) * static_cast<double>(y.view(j, c));
                        if (j <= i) r += static_cast<double>(a(i, j)) * static_cast<double>(z.view(j, c));
                    }
                    double const worst = std::abs(p) + std::abs(q) + std::abs(r);
                    error = std::isnan(worst) ? 1 : std::fmax(error, worst);
                }
            for (int i = 0; i < n; ++i)
                for (int j = 0; j < n; ++j) {
                    double unit = i == j ? -1 : 0;
                    for (int k = 0; k < n; ++k)
                        unit += static_cast<double>(a(i, k)) * static_cast<double>(inverse.view(k, j));
                    error = std::isnan(unit) ? 1 : std::fmax(error, std::abs(unit));
                }
            CHECK(error < 20 * room<T>);
        }
}
