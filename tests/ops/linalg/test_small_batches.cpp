// SPDX-License-Identifier: MIT
// Batches of small matrices, which are done side by side: each matrix has the factors, solutions and gradients that it
// has alone, however many there are and however they lie in memory.

#include <tapeless/tapeless.hpp>

#include <cmath>
#include <limits>
#include <vector>

#include "support/catch.hpp"

namespace ad = tapeless;
namespace la = ad::linalg;

namespace {

/// Any numbers, or those of matrices that are symmetric and positive definite.
template <class T>
T element(int matrix, int i, int j, int n, bool positive) {
    double const x = positive ? std::cos(0.3 * (i - j) * (1 + 0.1 * matrix)) + (i == j ? n : 0)
                              : std::sin(1.3 * i * j + 0.7 * i + 0.2 * j + matrix) + ((i + matrix) % n == j ? 3 : 0);
    return static_cast<T>(x);
}
template <class A>
void fill_matrices(A& a, int count, int n, bool positive) {
    using T = typename A::value_type;
    for (int k = 0; k < count; ++k)
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j) a(k, i, j) = element<T>(k, i, j, n, positive);
}
template <class T>
constexpr double room = sizeof(T) == 4 ? 2e-5 : 1e-13;

template <class X, class Y>
double largest_difference(X const& x, Y const& y) {
    double worst = 0;
    for (std::size_t i = 0; i < x.size(); ++i)
        worst = std::fmax(worst, std::abs(static_cast<double>(x.data()[i] - y.data()[i])));
    return worst;
}

}  // namespace

TEMPLATE_TEST_CASE("cholesky, and what flows back: of many small matrices as of each alone", "", float, double) {
    using T = TestType;
    using matrices = ad::tensor<T, ad::dyn, ad::dyn, ad::dyn>;
    auto step = ad::value_and_grad<0>([](auto a, auto w) { return sum(w * la::cholesky(a)); });
    auto factor = ad::fused([](auto a) { return la::cholesky(a); });
    for (int n = 1; n <= 17; ++n)
        for (int count : {0, 1, 3, 4, 5, 8, 9, 17}) {
            INFO(count << " matrices of " << n << " rows");
            matrices a(count, n, n), w(count, n, n), g(count, n, n), l(count, n, n), turned(count, n, n);
            fill_matrices(a, count, n, true);
            fill_matrices(w, count, n, false);
            factor(ad::into(l), a);
            (void)step(ad::into(g), a, w);
            double error = 0;
            for (int k = 0; k < count; ++k) {
                matrices one(1, n, n), weight(1, n, n), alone(1, n, n), slope(1, n, n);
                for (int i = 0; i < n; ++i)
                    for (int j = 0; j < n; ++j) one(0, i, j) = a(k, i, j), weight(0, i, j) = w(k, i, j);
                factor(ad::into(alone), one);
                (void)step(ad::into(slope), one, weight);
                for (int i = 0; i < n; ++i)
                    for (int j = 0; j < n; ++j) {
                        double sum = -static_cast<double>(a(k, i, j));
                        for (int m = 0; m < n; ++m)
                            sum += static_cast<double>(l(k, i, m)) * static_cast<double>(l(k, j, m));
                        error = std::fmax(error, std::abs(sum) / n);
                        error = std::fmax(error, std::abs(static_cast<double>(l(k, i, j) - alone(0, i, j))));
                        error = std::fmax(error, std::abs(static_cast<double>(g(k, i, j) - slope(0, i, j))));
                        if (j > i && l(k, i, j) != 0) error = 1;
                    }
            }
            CHECK(error < room<T>);
            // columns before rows, and every matrix two apart
            std::vector<T> memory(static_cast<std::size_t>(2 * count * n * n + 1));
            ad::view<T, ad::dyn, ad::dyn, ad::dyn> strange(memory.data(), count, n, n,
                                                           std::array<std::ptrdiff_t, 3>{2 * n * n, 1, n});
            fill_matrices(strange, count, n, true);
            factor(ad::into(turned), strange);
            CHECK(largest_difference(turned, l) == 0);
            factor(ad::into(strange), a);
            for (int k = 0; k < count; ++k)
                for (int i = 0; i < n; ++i)
                    for (int j = 0; j < n; ++j)
                        if (strange(k, i, j) != l(k, i, j)) FAIL("written elsewhere");
        }
}

TEMPLATE_TEST_CASE_SIG("solve: of many small matrices, transposed and not, with its gradient", "",
                       ((class T, int N), T, N), (double, 3), (float, 6)) {
    using matrices = ad::tensor<T, ad::dyn, N, N>;
    using vectors = ad::tensor<T, ad::dyn, N>;
    auto solve = ad::fused([](auto a, auto b) {
        return std::tuple(la::solve(a, b, la::vectors), la::solve(a, b, la::vectors, la::transposed),
                          la::solve(transpose(a), b, la::vectors));
    });
    auto back = ad::grad<0, 1>([](auto a, auto b) { return sum(sin(la::solve(a, b, la::vectors))); });
    for (int count : {1, 3, 4, 7, 8, 9, 16, 17, 33}) {
        matrices a(count), da(count);
        vectors b(count), x(count), y(count), z(count), db(count);
        fill_matrices(a, count, N, false);
        for (int k = 0; k < count; ++k)
            for (int i = 0; i < N; ++i) b(k, i) = static_cast<T>(std::cos(k + i));
        solve(ad::into(x, y, z), a, b);
        back(ad::into(da, db), a, b);
        double error = largest_difference(y, z);
        for (int k = 0; k < count; ++k)
            for (int i = 0; i < N; ++i) {
                double sum = -static_cast<double>(b(k, i)), turned = sum,
                       slope = -std::cos(static_cast<double>(x(k, i)));
                for (int j = 0; j < N; ++j) {
                    sum += static_cast<double>(a(k, i, j)) * static_cast<double>(x(k, j));
                    turned += static_cast<double>(a(k, j, i)) * static_cast<double>(y(k, j));
                    slope += static_cast<double>(a(k, j, i)) * static_cast<double>(db(k, j));  // aᵀ db = cos x
                    error = std::fmax(error, std::abs(static_cast<double>(da(k, i, j) + db(k, i) * x(k, j))));
                }
                error = std::fmax(error, std::fmax(std::fmax(std::abs(sum), std::abs(turned)), std::abs(slope)));
            }
        INFO(count << " matrices of " << N);
        CHECK(error < room<T>);
    }
}

TEMPLATE_TEST_CASE_SIG("sizes known when compiled: the same as sizes that are not", "", ((class T, int N), T, N),
                       (double, 3), (float, 8)) {
    auto f = [](auto a, auto s, auto w) {
        auto l = ad::let(la::cholesky(s));
        return sum(w * l) + sum(w * la::inverse(a)) + sum(w * la::solve_triangular(l, a)) + sum(w * la::solve(a, w)) +
               sum(la::logdet(a));
    };
    auto known = ad::value_and_grad<0, 1>(f), unknown = ad::value_and_grad<0, 1>(f);
    for (int count : {1, 4, 9}) {
        ad::tensor<T, ad::dyn, N, N> a(count), s(count), w(count), da(count), ds(count);
        ad::tensor<T, ad::dyn, ad::dyn, ad::dyn> a2(count, N, N), s2(count, N, N), w2(count, N, N), da2(count, N, N),
            ds2(count, N, N);
        fill_matrices(a, count, N, false), fill_matrices(a2, count, N, false);
        fill_matrices(s, count, N, true), fill_matrices(s2, count, N, true);
        for (int k = 0; k < count; ++k)
            for (int i = 0; i < N; ++i)
                for (int j = 0; j < N; ++j) w(k, i, j) = w2(k, i, j) = static_cast<T>(0.2 * std::cos(k + 2 * i - j));
        T const x = known(ad::into(da, ds), a, s, w), y = unknown(ad::into(da2, ds2), a2, s2, w2);
        INFO(count << " matrices of " << N << ": " << x << ", " << y);
        CHECK(std::abs(static_cast<double>(x - y)) < 20 * room<T>);
        CHECK(largest_difference(da, da2) < 20 * room<T>);
        CHECK(largest_difference(ds, ds2) < 20 * room<T>);
    }
}

TEST_CASE("small matrices: a singular one is named, or alone is NaN with `quiet`") {
    for (int count : {1, 4, 5, 11})
        for (int wrong = 0; wrong < count; ++wrong) {
            ad::tensor<double, ad::dyn, 3, 3> a(count);
            ad::tensor<double, ad::dyn, 3> b(count), x(count);
            fill_matrices(a, count, 3, false);
            ad::fill(b, 1.0);
            for (int j = 0; j < 3; ++j) a(wrong, 1, j) = 0;  // the last pivot is then 0
            try {
                (void)ad::evaluate([](auto m, auto r) { return la::solve(m, r, la::vectors); }, a, b);
                FAIL("nothing was thrown");
            } catch (ad::numeric_error const& e) {
                if (e.matrix != wrong || e.pivot != 2) FAIL(e.what());
            }
            ad::fused([](auto m, auto r) { return la::solve(m, r, la::vectors, la::quiet); })(ad::into(x), a, b);
            for (int k = 0; k < count; ++k)
                for (int i = 0; i < 3; ++i)
                    if (std::isnan(x(k, i)) != (k == wrong)) FAIL(k << " of " << count << ", wrong is " << wrong);
        }
}

TEMPLATE_TEST_CASE_SIG("cholesky of small matrices: numbers of any size, least ones too, in any lane", "",
                       ((class T, int N), T, N), (double, 3), (float, 3), (float, 6)) {
    using limits = std::numeric_limits<T>;
    constexpr int count = 11;
    auto factor = ad::fused([](auto a) { return la::cholesky(a); });
    // powers of 4, so that scaled matrices have scaled factors to the last bit where nothing is lost
    T const least = static_cast<T>(std::ldexp(1.0, limits::min_exponent - (limits::min_exponent % 2) - 8));
    for (T scale : {least, static_cast<T>(least * 1024), static_cast<T>(std::ldexp(1.0, limits::max_exponent - 6))})
        for (int which = 0; which < count; ++which) {
            ad::tensor<T, ad::dyn, N, N> a(count), b(count), l(count), m(count);
            fill_matrices(a, count, N, true);
            b = a;
            for (int i = 0; i < N; ++i)
                for (int j = 0; j < N; ++j) b(which, i, j) *= scale;
            factor(ad::into(l), a);
            factor(ad::into(m), b);
            double const root = std::sqrt(static_cast<double>(scale));
            double error = 0;
            for (int k = 0; k < count; ++k)
                for (int i = 0; i < N; ++i)
                    for (int j = 0; j < N; ++j) {
                        double const want = static_cast<double>(l(k, i, j)) * (k == which ? root : 1);
                        error = std::fmax(error,
                                          std::abs(static_cast<double>(m(k, i, j)) - want) / (k == which ? root : 1));
                        if (std::isnan(m(k, i, j))) error = 1;
                    }
            INFO(scale << ", matrix " << which);
            CHECK(error < (scale == least ? 1e-2 * (sizeof(T) == 4 ? 1 : 1e-8) : room<T>));
        }
}

TEMPLATE_TEST_CASE_SIG("small matrices of known size: rows apart, columns before rows, as if in one piece", "",
                       ((class T, int N), T, N), (double, 3), (float, 6)) {
    auto f = ad::fused([](auto a, auto s, auto b) {
        return std::tuple(la::cholesky(s), la::solve(a, b, la::vectors), la::solve_triangular(s, b, la::vectors));
    });
    for (int count : {1, 5, 9, 18}) {
        ad::tensor<T, ad::dyn, N, N> a(count), s(count), l(count), l2(count);
        ad::tensor<T, ad::dyn, N> b(count), x(count), y(count), x2(count), y2(count);
        fill_matrices(a, count, N, false);
        fill_matrices(s, count, N, true);
        for (int k = 0; k < count; ++k)
            for (int i = 0; i < N; ++i) b(k, i) = static_cast<T>(std::cos(k + i));
        f(ad::into(l, x, y), a, s, b);
        for (auto strides : {std::array<std::ptrdiff_t, 3>{N * N + 3, 1, N},
                             std::array<std::ptrdiff_t, 3>{2 * N * (N + 1), 2 * (N + 1), 2}}) {
            std::vector<T> first(static_cast<std::size_t>(2 * count * N * (N + 1))), second = first, third = first;
            using view = ad::view<T, ad::dyn, N, N>;
            view const va(first.data(), count, strides), vs(second.data(), count, strides),
                vl(third.data(), count, strides);
            fill_matrices(va, count, N, false);
            fill_matrices(vs, count, N, true);
            f(ad::into(vl, x2, y2), va, vs, b);
            for (int k = 0; k < count; ++k)
                for (int i = 0; i < N; ++i)
                    for (int j = 0; j < N; ++j) l2(k, i, j) = vl(k, i, j);
            CHECK(largest_difference(l, l2) == 0);
            CHECK(largest_difference(x, x2) == 0);
            CHECK(largest_difference(y, y2) == 0);
        }
    }
}

TEST_CASE("solve of small matrices: rows change places in one lane, and not in those beside it") {
    constexpr int count = 9;
    for (int which = 0; which < count; ++which)
        for (int from = 0; from < 5; ++from)
            for (int to = from + 1; to < 6; ++to) {
                ad::tensor<double, ad::dyn, 6, 6> a(count);
                ad::tensor<double, ad::dyn, 6> b(count), x(count);
                fill_matrices(a, count, 6, true);
                for (int k = 0; k < count; ++k)
                    for (int i = 0; i < 6; ++i) b(k, i) = std::cos(k + i);
                for (int j = 0; j < 6; ++j) std::swap(a(which, from, j), a(which, to, j));
                ad::fused([](auto m, auto r) { return la::solve(m, r, la::vectors); })(ad::into(x), a, b);
                double error = 0;
                for (int k = 0; k < count; ++k)
                    for (int i = 0; i < 6; ++i) {
                        double sum = -b(k, i);
                        for (int j = 0; j < 6; ++j) sum += a(k, i, j) * x(k, j);
                        error = std::fmax(error, std::abs(sum));
                    }
                if (!(error < 1e-13)) FAIL(which << ": rows " << from << " and " << to << ": " << error);
            }
}

TEST_CASE("cholesky with `quiet`: a pivot whose inverse is infinite is a pivot, beside a matrix that has none") {
    ad::tensor<double, 9, 2, 2> a;
    double const tiny = std::numeric_limits<double>::denorm_min() * 16;
    for (int k = 0; k < 9; ++k) {
        a(k, 0, 0) = k % 3 == 0 ? tiny : 4;
        a(k, 1, 1) = k % 3 == 1 ? -1 : 9;
    }
    auto const l = ad::evaluate([](auto m) { return la::cholesky(m, la::quiet); }, a);
    for (int k = 0; k < 9; ++k) {
        if (k % 3 == 1) {
            CHECK(std::isnan(l(k, 1, 1)));
            continue;
        }
        CHECK(l(k, 0, 0) == std::sqrt(a(k, 0, 0)));
        CHECK(l(k, 0, 1) == 0);
        CHECK(l(k, 1, 0) == 0);
        CHECK(l(k, 1, 1) == 3);
    }
}
