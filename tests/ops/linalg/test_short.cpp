// SPDX-License-Identifier: MIT
// Matrices of 1 to 17 rows, whose factors have code of their own for few rows: written out, by loops in lanes, alone.

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

/// Numbers whose rows change places in most matrices; or symmetric ones, large on the diagonal.
double number(int matrix, int i, int j, int n, bool symmetric) {
    if (symmetric) return std::cos(0.3 * (i - j) * (1 + 0.1 * matrix)) + (i == j ? n : 0);
    return std::sin(1.3 * i * j + 0.7 * i + 0.2 * j + matrix) + ((i + matrix) % n == j ? 3 : 0);
}
template <class A>
void fill_matrices(A& a, int count, int n, bool symmetric) {
    for (int k = 0; k < count; ++k)
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j)
                a(k, i, j) = static_cast<std::remove_cvref_t<decltype(a(k, i, j))>>(number(k, i, j, n, symmetric));
}
template <class T>
constexpr double room = sizeof(T) == 4 ? 1e-4 : 2e-13;

/// The largest |a x - b|, or with `transposed` |aᵀ x - b|, of vectors.
template <class A, class X, class B>
double residual(A const& a, X const& x, B const& b, int count, int n, bool transposed = false) {
    double worst = 0;
    for (int k = 0; k < count; ++k)
        for (int i = 0; i < n; ++i) {
            double sum = -static_cast<double>(b(k, i));
            for (int j = 0; j < n; ++j)
                sum += static_cast<double>(transposed ? a(k, j, i) : a(k, i, j)) * static_cast<double>(x(k, j));
            worst = std::isnan(sum) ? 1 : std::fmax(worst, std::abs(sum));
        }
    return worst;
}

/// Of matrices of any type: values and gradients by their laws, in one piece and by strides.
template <class T, class Matrices, class Vectors, class MakeView>
void check_laws(int n, int count, Matrices a, Vectors b, MakeView const& make_view) {
    INFO(count << " matrices of " << n << " rows");
    auto f = ad::fused([](auto m, auto s, auto r) {
        return std::tuple(la::cholesky(s), la::solve(m, r, la::vectors), la::solve(m, r, la::vectors, la::transposed),
                          la::solve_spd(s, r, la::vectors), la::inverse(m), la::solve_triangular(s, r, la::vectors));
    });
    auto of_solve = ad::grad<0, 1>([](auto m, auto r) { return sum(sin(la::solve(m, r, la::vectors))); });
    auto of_cholesky = ad::grad([](auto s) { return sum(log(ad::diagonal(la::cholesky(s)))); });
    Matrices s = a, l = a, y = a, da = a, ds = a, y2 = a;
    Vectors x = b, t = b, p = b, z = b, db = b, x2 = b, t2 = b, p2 = b, z2 = b;
    fill_matrices(a, count, n, false);
    fill_matrices(s, count, n, true);
    for (int k = 0; k < count; ++k)
        for (int i = 0; i < n; ++i) b(k, i) = static_cast<T>(std::cos(k + i));
    f(ad::into(l, x, t, p, y, z), a, s, b);
    of_solve(ad::into(da, db), a, b);
    of_cholesky(ad::into(ds), s);
    double factor = 0, inverse = 0, slope = 0, traced = 0, triangle = 0;
    for (int k = 0; k < count; ++k)
        for (int i = 0; i < n; ++i) {
            double above = -static_cast<double>(b(k, i)), back = -std::cos(static_cast<double>(x(k, i)));
            for (int j = 0; j < n; ++j) {
                double square = -static_cast<double>(s(k, i, j)), unit = i == j ? -1 : 0, trace = i == j ? -0.5 : 0;
                for (int m = 0; m < n; ++m) {
                    square += static_cast<double>(l(k, i, m)) * static_cast<double>(l(k, j, m));
                    unit += static_cast<double>(a(k, i, m)) * static_cast<double>(y(k, m, j));
                    trace += static_cast<double>(s(k, i, m)) * static_cast<double>(ds(k, m, j));  // d log|l| = s⁻¹ / 2
                }
                if (j > i && l(k, i, j) != 0) factor = 1;
                if (j <= i) above += static_cast<double>(s(k, i, j)) * static_cast<double>(z(k, j));
                factor = std::fmax(factor, std::abs(square) / n);
                inverse = std::fmax(inverse, std::abs(unit));
                traced = std::fmax(traced, std::abs(trace));
                back += static_cast<double>(a(k, j, i)) * static_cast<double>(db(k, j));  // aᵀ db = cos x
                slope = std::fmax(slope, std::abs(static_cast<double>(da(k, i, j) + db(k, i) * x(k, j))));
            }
            slope = std::fmax(slope, std::abs(back));
            triangle = std::fmax(triangle, std::abs(above));
        }
    CHECK(factor < room<T>);
    CHECK(inverse < room<T>);
    CHECK(slope < room<T>);
    CHECK(traced < room<T>);
    CHECK(triangle < room<T>);
    CHECK(residual(a, x, b, count, n) < room<T>);
    CHECK(residual(a, t, b, count, n, true) < room<T>);
    CHECK(residual(s, p, b, count, n) < room<T>);
    // columns before rows, and room between matrices
    std::vector<T> first(static_cast<std::size_t>(count * (n * n + 3) + 1)), second = first, third = first;
    std::array<std::ptrdiff_t, 3> const strides{n * n + 3, 1, n};
    auto const va = make_view(first.data(), strides), vs = make_view(second.data(), strides),
               vl = make_view(third.data(), strides);
    fill_matrices(va, count, n, false);
    fill_matrices(vs, count, n, true);
    f(ad::into(vl, x2, t2, p2, y2, z2), va, vs, b);
    double moved = 0;
    for (int k = 0; k < count; ++k)
        for (int i = 0; i < n; ++i) {
            moved = std::fmax(moved, std::abs(static_cast<double>(x(k, i) - x2(k, i))));
            moved = std::fmax(moved, std::abs(static_cast<double>(t(k, i) - t2(k, i))));
            moved = std::fmax(moved, std::abs(static_cast<double>(p(k, i) - p2(k, i))));
            moved = std::fmax(moved, std::abs(static_cast<double>(z(k, i) - z2(k, i))));
            for (int j = 0; j < n; ++j) {
                moved = std::fmax(moved, std::abs(static_cast<double>(l(k, i, j) - vl(k, i, j))));
                moved = std::fmax(moved, std::abs(static_cast<double>(y(k, i, j) - y2(k, i, j))));
            }
        }
    CHECK(moved < room<T>);
}

}  // namespace

TEMPLATE_TEST_CASE("few rows, as many as run time says: factors and systems by their laws", "", float, double) {
    using T = TestType;
    for (int n = 1; n <= 17; ++n)
        for (int count : {1, 2, 3, 4, 5, 7, 8, 9})
            check_laws<T>(n, count, ad::tensor<T, ad::dyn, ad::dyn, ad::dyn>(count, n, n),
                          ad::tensor<T, ad::dyn, ad::dyn>(count, n), [&](T* at, auto const& strides) {
                              return ad::view<T, ad::dyn, ad::dyn, ad::dyn>(at, count, n, n, strides);
                          });
}

TEMPLATE_TEST_CASE_SIG("few rows, as many as the type says: factors and systems by their laws", "",
                       ((class T, int N), T, N), (double, 5), (float, 7), (double, 9), (float, 12), (double, 16)) {
    for (int count : {1, 2, 3, 4, 5, 7, 8, 9})
        check_laws<T>(N, count, ad::tensor<T, ad::dyn, N, N>(count), ad::tensor<T, ad::dyn, N>(count),
                      [&](T* at, auto const& strides) { return ad::view<T, ad::dyn, N, N>(at, count, strides); });
}

TEMPLATE_TEST_CASE_SIG("few rows, one matrix: the same as in a batch", "", ((class T, int N), T, N), (double, 1),
                       (double, 2), (float, 5), (double, 11), (float, 16)) {
    auto f = [](auto m, auto s, auto r) { return std::tuple(la::cholesky(s), la::solve(m, r), la::inverse(m)); };
    ad::tensor<T, 1, N, N> as, ss;
    ad::tensor<T, N, N> a, s;
    ad::tensor<T, N> b;
    fill_matrices(as, 1, N, false);
    fill_matrices(ss, 1, N, true);
    for (int i = 0; i < N; ++i) {
        b(i) = static_cast<T>(std::cos(i));
        for (int j = 0; j < N; ++j) a(i, j) = as(0, i, j), s(i, j) = ss(0, i, j);
    }
    auto const [l, x, y] = ad::evaluate(f, a, s, b);
    auto const [ls, xs, ys] = ad::evaluate(f, as, ss, b);
    double error = 0;
    for (int i = 0; i < N; ++i) {
        error = std::fmax(error, std::abs(static_cast<double>(x(i) - xs(0, i))));
        for (int j = 0; j < N; ++j) {
            error = std::fmax(error, std::abs(static_cast<double>(l(i, j) - ls(0, i, j))));
            error = std::fmax(error, std::abs(static_cast<double>(y(i, j) - ys(0, i, j))));
        }
    }
    CHECK(error < room<T>);
}

TEST_CASE("few rows: a singular matrix, and one that is not positive definite, are named by number and pivot") {
    auto factor = ad::fused([](auto m) { return la::cholesky(m); });
    auto solve = ad::fused([](auto m, auto r) { return la::solve(m, r, la::vectors); });
    auto factor_quietly = ad::fused([](auto m) { return la::cholesky(m, la::quiet); });
    auto solve_quietly = ad::fused([](auto m, auto r) { return la::solve(m, r, la::vectors, la::quiet); });
    for (int n = 1; n <= 17; ++n)
        for (int count : {1, 3, 5})
            for (int wrong = 0; wrong < count; ++wrong)
                for (int pivot : {0, n / 2, n - 1}) {
                    INFO(count << " matrices of " << n << ", wrong is " << wrong << ", pivot " << pivot);
                    ad::tensor<double, ad::dyn, ad::dyn, ad::dyn> s(count, n, n), l(count, n, n);
                    ad::tensor<double, ad::dyn, ad::dyn> b(count, n), x(count, n);
                    fill_matrices(s, count, n, true);
                    ad::fill(b, 1.0);
                    s(wrong, pivot, pivot) = -1;
                    try {
                        factor(ad::into(l), s);
                        FAIL("nothing was thrown");
                    } catch (ad::numeric_error const& e) {
                        if (e.matrix != wrong || e.pivot != pivot) FAIL(e.what());
                    }
                    factor_quietly(ad::into(l), s);
                    for (int k = 0; k < count; ++k)
                        for (int i = 0; i < n; ++i)
                            if (std::isnan(l(k, i, i)) != (k == wrong)) FAIL(k << " of " << count);
                    for (int j = 0; j < n; ++j) s(wrong, pivot, j) = 0;  // goes to the end
                    try {
                        solve(ad::into(x), s, b);
                        FAIL("nothing was thrown");
                    } catch (ad::numeric_error const& e) {
                        if (e.matrix != wrong || e.pivot != n - 1) FAIL(e.what());
                    }
                    solve_quietly(ad::into(x), s, b);
                    for (int k = 0; k < count; ++k)
                        for (int i = 0; i < n; ++i)
                            if (std::isnan(x(k, i)) != (k == wrong)) FAIL(k << " of " << count);
                }
}

TEST_CASE("cholesky of few rows: pivots as small as numbers can be are pivots") {
    for (int n = 5; n <= 17; ++n)
        for (int tiny = 0; tiny < n; ++tiny) {
            ad::tensor<double, ad::dyn, ad::dyn> a(n, n);
            for (int i = 0; i < n; ++i) a(i, i) = 4;
            a(tiny, tiny) = std::numeric_limits<double>::denorm_min() * 16;
            auto const l = ad::evaluate([](auto m) { return la::cholesky(m); }, a);
            for (int i = 0; i < n; ++i)
                for (int j = 0; j < n; ++j)
                    if (l(i, j) != (i == j ? std::sqrt(a(i, i)) : 0)) FAIL(n << " rows, " << tiny << ": " << l(i, j));
        }
}
