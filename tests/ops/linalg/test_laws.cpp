// SPDX-License-Identifier: MIT
// What factors and solutions are, at all sizes: multiplied out they give back what was asked for.

#include "ops/linalg/matrices.hpp"

TEMPLATE_TEST_CASE("cholesky: l lᵀ = a, and triangular systems are solved", "", double, float) {
    using T = TestType;
    auto f = ad::fused([](auto a, auto b, auto eye) {
        auto l = ad::let(la::cholesky(a));
        auto u = ad::transpose(l);
        return std::tuple(matmul(l, u), matmul(l, la::solve_triangular(l, b)),
                          matmul(u, la::solve_triangular(l, b, la::transposed)),
                          matmul(u, la::solve_triangular(u, b, la::upper)), matmul(a, la::solve_spd(a, b)),
                          matmul(l, la::solve_triangular(l, eye)), sum(abs(triu(l, 1))),
                          2.0 * sum(log(ad::diagonal(l))) - la::logdet(a));
    });
    for (std::int64_t n : all_sizes) {
        INFO(n);
        for (std::int64_t m : {1, 3, 9}) {
            if (n > 65 && m != 9) continue;
            auto const a = spd_matrix<T>(n), b = some_matrix<T>(n, m, 2), eye = unit_matrix<T>(n);
            auto const [ll, x, y, z, s, i, above, logs] = f(a, b, eye);
            CHECK(apart(ll, a) < rounding<T>(n));
            CHECK(apart(x, b) < rounding<T>(n));
            CHECK(apart(y, b) < rounding<T>(n));
            CHECK(apart(z, b) < rounding<T>(n));
            CHECK(apart(s, b) < rounding<T>(n));
            CHECK(apart(i, eye) < rounding<T>(n));
            CHECK(above == 0);
            CHECK(std::abs(logs) < 5 * rounding<T>(n));
        }
    }
}

TEMPLATE_TEST_CASE("solve: a x = b, a a⁻¹ = 1, and the determinant of a product", "", double, float) {
    using T = TestType;
    auto f = ad::fused([](auto a, auto b, auto c) {
        auto [sign, log] = la::slogdet(a);
        auto [sign_c, log_c] = la::slogdet(c);
        auto [sign_ac, log_ac] = la::slogdet(matmul(a, c));
        return std::tuple(matmul(a, la::solve(a, b)), matmul(ad::transpose(a), la::solve(a, b, la::transposed)),
                          matmul(a, la::inverse(a)), matmul(a, la::solve(a, ad::select<1>(b, 0))), log + log_c - log_ac,
                          sign * sign_c * sign_ac);
    });
    for (std::int64_t n : all_sizes) {
        INFO(n);
        auto const a = good_matrix<T>(n), b = some_matrix<T>(n, 3, 2), c = good_matrix<T>(n, 3);
        auto const [x, y, i, v, logs, signs] = f(a, b, c);
        double const room = 30 * rounding<T>(n);
        CHECK(apart(x, b) < room);
        CHECK(apart(y, b) < room);
        CHECK(apart(i, unit_matrix<T>(n)) < room);
        double worst = 0;
        for (std::int64_t k = 0; k < n; ++k)
            worst = std::max(worst, std::abs(static_cast<double>(v(k)) - static_cast<double>(b(k, 0))));
        CHECK(worst < room);
        CHECK(std::abs(logs) < room);
        CHECK(signs == 1);
    }
}

TEMPLATE_TEST_CASE("qr: q r = a, qᵀ q = 1, and r has a positive diagonal", "", double, float) {
    using T = TestType;
    auto f = ad::fused([](auto a, auto b) {
        auto [q, r] = la::qr(a);
        auto x = la::lstsq(a, b);
        return std::tuple(matmul(q, r), matmul(ad::transpose(q), q), sum(abs(tril(r, -1))), ad::diagonal(r),
                          matmul(ad::transpose(a), matmul(a, x) - b));
    });
    for (std::int64_t n : all_sizes)
        for (std::int64_t more : {0, 1, 40}) {
            if (n > 65 && more == 1) continue;
            INFO(n << " and " << more);
            auto const a = some_matrix<T>(n + more, n);
            auto const [qr, qq, below, diagonal, normal] = f(a, some_matrix<T>(n + more, 2, 5));
            CHECK(apart(qr, a) < rounding<T>(n + more));
            CHECK(apart(qq, unit_matrix<T>(n)) < rounding<T>(n + more));
            CHECK(below == 0);
            CHECK(std::all_of(diagonal.begin(), diagonal.end(), [](T d) { return d > 0; }));
            if (more == 40) CHECK(apart(normal, matrix_of<T>(n, 2)) < 20 * rounding<T>(n + more));
        }
}

TEMPLATE_TEST_CASE("eigh: v diag(w) vᵀ = a, vᵀ v = 1, w ascends", "", double, float) {
    using T = TestType;
    auto f = ad::fused([](auto a) {
        auto [w, v] = la::eigh(a);
        return std::tuple(w, matmul(v * w, ad::transpose(v)), matmul(ad::transpose(v), v), la::eigvalsh(a));
    });
    for (std::int64_t n : all_sizes) {
        INFO(n);
        auto const a = spd_matrix<T>(n);
        auto const [w, again, vv, values] = f(a);
        CHECK(apart(again, a) < 2 * rounding<T>(n));
        CHECK(apart(vv, unit_matrix<T>(n)) < rounding<T>(n));
        CHECK(std::is_sorted(w.begin(), w.end()));
        CHECK(apart(w, values) < rounding<T>(n));
    }
}

TEMPLATE_TEST_CASE("svd: u diag(s) vᵀ = a, columns are orthonormal, s descends; pinv", "", double, float) {
    using T = TestType;
    auto f = ad::fused([](auto a) {
        auto [u, s, v] = la::svd(a);
        auto p = la::pinv(a);
        return std::tuple(s, matmul(u * s, ad::transpose(v)), matmul(ad::transpose(u), u), matmul(ad::transpose(v), v),
                          la::svdvals(a), matmul(a, matmul(p, a)));
    });
    for (std::int64_t n : all_sizes) {
        if (n > 65 && (n != 129 || std::same_as<T, float>)) continue;  // they take long
        for (std::int64_t more : {-3, 0, 5}) {
            if (n + more < 0 || (n > 65 && more != 5)) continue;
            INFO(n << " and " << more);
            std::int64_t const k = std::min(n, n + more);
            auto const a = some_matrix<T>(n + more, n);
            auto const [s, again, uu, vv, values, apa] = f(a);
            CHECK(s.size() == static_cast<std::size_t>(k));
            CHECK(apart(again, a) < rounding<T>(n));
            CHECK(apart(uu, unit_matrix<T>(k)) < rounding<T>(n));
            CHECK(apart(vv, unit_matrix<T>(k)) < rounding<T>(n));
            CHECK(std::is_sorted(s.begin(), s.end(), std::greater<>{}));
            CHECK(apart(s, values) < rounding<T>(n));
            if (more != 0) CHECK(apart(apa, a) < 20 * rounding<T>(n));
        }
    }
}

TEST_CASE("svd: of matrices without full rank, and of zeros") {
    auto f = ad::fused([](auto a) {
        auto [u, s, v] = la::svd(a);
        return std::tuple(s, matmul(u * s, ad::transpose(v)), matmul(ad::transpose(u), u), matmul(ad::transpose(v), v),
                          la::pinv(a));
    });
    for (std::int64_t rank : {0, 1, 3}) {
        matrix_of<double> a(7, 5);
        auto const x = some_matrix<double>(7, 3), y = some_matrix<double>(3, 5, 2);
        for (std::int64_t i = 0; i < 7; ++i)
            for (std::int64_t j = 0; j < 5; ++j)
                for (std::int64_t k = 0; k < rank; ++k) a(i, j) += x(i, k) * y(k, j);
        auto const [s, again, uu, vv, p] = f(a);
        CHECK(apart(again, a) < 1e-13);
        CHECK(apart(uu, unit_matrix<double>(5)) < 1e-13);
        CHECK(apart(vv, unit_matrix<double>(5)) < 1e-13);
        CHECK(std::count_if(s.begin(), s.end(), [](double v) { return v > 1e-12; }) == rank);
        for (double v : p) CHECK(std::abs(v) < 100);
    }
}

TEMPLATE_TEST_CASE("expm: e^a e^-a = 1, e^(a + a) is its square, and of a turn", "", double, float) {
    using T = TestType;
    auto f = ad::fused([](auto a) {
        auto e = ad::let(la::expm(a));
        return std::tuple(matmul(e, la::expm(-a)), matmul(e, e), la::expm(2.0 * a), la::trace(e));
    });
    for (std::int64_t n : {0, 1, 2, 3, 5, 16, 17, 33, 65}) {
        INFO(n);
        for (double size : {0.01, 1.0}) {
            auto a = some_matrix<T>(n, n);
            for (T& v : a) v *= static_cast<T>(size / std::sqrt(1.0 + static_cast<double>(n)) * 1.5);
            auto const [one, square, twice, trace] = f(a);
            CHECK(apart(one, unit_matrix<T>(n)) < 10 * rounding<T>(n));
            CHECK(apart(square, twice) < 20 * rounding<T>(n));
            CHECK(trace > -1);
        }
    }
    matrix_of<T> turn(2, 2);
    turn(0, 1) = -10, turn(1, 0) = 10;
    auto const e = ad::evaluate([](auto a) { return la::expm(a); }, turn);
    CHECK(std::abs(e(0, 0) - std::cos(T(10))) < 10 * rounding<T>(2));
    CHECK(std::abs(e(1, 0) - std::sin(T(10))) < 10 * rounding<T>(2));
}

TEST_CASE("trace and kron: element by element, batches broadcast") {
    auto f = ad::fused([](auto a, auto b) { return std::tuple(la::trace(a), la::kron(a, b)); });
    ad::tensor<double, ad::dyn, ad::dyn, ad::dyn> a(2, 3, 4);
    for (std::size_t i = 0; i < a.size(); ++i) a.data()[i] = std::sin(1.0 + static_cast<double>(i));
    auto const b = some_matrix<double>(2, 5);
    auto const [traces, product] = f(a, b);
    REQUIRE((product.extent(0) == 2 && product.extent(1) == 6 && product.extent(2) == 20));
    for (std::size_t k = 0; k < 2; ++k) {
        CHECK(std::abs(traces(k) - a(k, 0, 0) - a(k, 1, 1) - a(k, 2, 2)) < 1e-14);
        bool same = true;
        for (std::size_t i = 0; i < 6; ++i)
            for (std::size_t j = 0; j < 20; ++j)
                same = same && product(k, i, j) == a(k, i / 2, j / 5) * b(i % 2, j % 5);
        CHECK(same);
    }
    ad::tensor<double, 2, 2> const x{{1, 2}, {3, 4}}, y{{0, 5}, {6, 7}};
    auto const z = ad::evaluate([](auto p, auto q) { return la::kron(p, q); }, x, y);
    CHECK((z(0, 1) == 5 && z(3, 3) == 28 && z(2, 2) == 0 && z(3, 0) == 18));
}
