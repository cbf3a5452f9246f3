// SPDX-License-Identifier: MIT
// Factors of large matrices come from a LAPACK where TAPELESS_USE_LAPACK is defined, here from a stand-in that counts
// its calls; those of small ones are made here.

#include "matrices.hpp"

namespace {

/// Symmetric and positive definite, or with rows that have to change places.
template <class T>
matrix<T> numbers(int n, bool positive) {
    matrix<T> a(n, n);
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
            a(i, j) = static_cast<T>(positive ? std::cos(0.1 * (i - j)) + (i == j ? 2 : 0)
                                              : std::sin(1.7 * i * j + 0.3 * i + j + 1) + (i + j == n ? 8 : 0));
    return a;
}
constexpr auto factor = [](auto a) { return la::cholesky(a); };
constexpr auto solution = [](auto a, auto b) { return la::solve(a, b); };

}  // namespace

TEMPLATE_TEST_CASE("lapack: cholesky of a large matrix is one call, of a small one none", "", float, double) {
    using T = TestType;
    double const room = sizeof(T) == 4 ? 1e-3 : 1e-11;
    for (int n : {255, 256, 300}) {
        auto const a = numbers<T>(n, true);
        int const before = lapack_calls;
        auto const l = ad::evaluate(factor, a);
        CHECK(lapack_calls == before + (n >= 256));
        double worst = 0;
        for (int i = 0; i < n; i += 7)
            for (int j = 0; j <= i; j += 5) {
                double sum = 0;
                for (int k = 0; k <= j; ++k) sum += static_cast<double>(l(i, k)) * static_cast<double>(l(j, k));
                worst = std::fmax(worst, std::abs(sum - static_cast<double>(a(i, j))));
            }
        CHECK(worst < room);
        CHECK(l(3, 200) == 0);
    }
}
TEMPLATE_TEST_CASE("lapack: solve of a large matrix, and its transpose, with rows that change places", "", float,
                   double) {
    using T = TestType;
    double const room = sizeof(T) == 4 ? 2e-2 : 1e-9;
    for (int n : {64, 280}) {
        auto const a = numbers<T>(n, false);
        ad::tensor<T, ad::dyn> b(n);
        for (int i = 0; i < n; ++i) b(i) = static_cast<T>(std::cos(i));
        int const before = lapack_calls;
        auto const x = ad::evaluate(solution, a, b);
        auto const z = ad::evaluate([](auto m, auto r) { return la::solve(m, r, la::transposed); }, a, b);
        CHECK(lapack_calls == before + (n >= 256 ? 2 : 0));
        double worst = 0;
        for (int i = 0; i < n; ++i) {
            double forward = -static_cast<double>(b(i)), back = forward;
            for (int j = 0; j < n; ++j) {
                forward += static_cast<double>(a(i, j)) * static_cast<double>(x(j));
                back += static_cast<double>(a(j, i)) * static_cast<double>(z(j));
            }
            worst = std::fmax(worst, std::fmax(std::abs(forward), std::abs(back)));
        }
        CHECK(worst < room);
    }
}
TEST_CASE("lapack: what is not positive definite, or singular, is refused as ever") {
    auto a = numbers<double>(300, true);
    a(270, 270) = -1;
    try {
        (void)ad::evaluate(factor, a);
        FAIL("nothing was thrown");
    } catch (ad::numeric_error const& e) { CHECK(e.pivot == 270); }
    auto s = numbers<double>(300, false);
    for (int j = 0; j < 300; ++j) s(299, j) = s(12, j);
    s(299, 1) = 0;
    for (int i = 0; i < 300; ++i) s(i, 1) = 0;
    ad::tensor<double, ad::dyn> b(300);
    CHECK_THROWS_AS(ad::evaluate(solution, s, b), ad::numeric_error);
}
