// SPDX-License-Identifier: MIT
// Where matrices lie in memory, shapes that are known and not known, and what is thrown.

#include "ops/linalg/matrices.hpp"
#include "support/messages.hpp"

namespace {
constexpr auto everything = [](auto a, auto b) {
    auto [q, r] = la::qr(a);
    auto [w, v] = la::eigh(a);
    auto [u, s, t] = la::svd(a);
    auto l = ad::let(la::cholesky(a));
    return std::tuple(l, la::solve_triangular(l, b), la::solve(a, b), la::inverse(a), la::logdet(a), q, r, w,
                      matmul(v * w, ad::transpose(v)), s, matmul(u * s, ad::transpose(t)), la::expm(0.1 * a),
                      la::pinv(a), la::lstsq(a, b));
};
template <class A, class B>
double largest_difference(A const& a, B const& b) {
    return [&]<std::size_t... K>(std::index_sequence<K...>) {
        auto one = [](auto const& x, auto const& y) {
            if constexpr (requires { x.size(); }) return apart(x, y);
            else return std::abs(x - y);
        };
        return std::max({one(std::get<K>(a), std::get<K>(b))...});
    }(std::make_index_sequence<std::tuple_size_v<A>>{});
}
template <class F>
ad::numeric_error numeric_error_of(F&& f) {
    try {
        f();
    } catch (ad::numeric_error const& e) {
        return e;
    }
    return {"nothing was thrown", "", -2, -2};
}
using batch = ad::tensor<double, ad::dyn, ad::dyn, ad::dyn>;
}  // namespace

TEST_CASE("linalg: arguments with strides, transposed and reversed") {
    auto f = ad::fused(everything);
    for (std::int64_t n : {2, 3, 17, 33}) {
        INFO(n);
        auto const a = spd_matrix<double>(n), b = some_matrix<double>(n, 2, 4);
        auto const dense = f(a, b);
        std::vector<double> room(static_cast<std::size_t>(6 * n * n)), turned(static_cast<std::size_t>(2 * n));
        auto const row = static_cast<std::ptrdiff_t>(3 * n);
        for (std::int64_t i = 0; i < n; ++i) {
            for (std::int64_t j = 0; j < n; ++j) room[static_cast<std::size_t>(i * row + 2 * j)] = a(i, j);
            for (std::int64_t j = 0; j < 2; ++j) turned[static_cast<std::size_t>(j * n + n - 1 - i)] = b(i, j);
        }
        ad::view<double const, ad::dyn, ad::dyn> const spread(room.data(), n, n, std::array<std::ptrdiff_t, 2>{row, 2});
        ad::view<double const, ad::dyn, ad::dyn> const columns(
            a.data(), n, n, std::array<std::ptrdiff_t, 2>{1, static_cast<std::ptrdiff_t>(n)});
        ad::view<double const, ad::dyn, ad::dyn> const backwards(
            turned.data() + n - 1, n, 2, std::array<std::ptrdiff_t, 2>{-1, static_cast<std::ptrdiff_t>(n)});
        CHECK(largest_difference(dense, f(spread, backwards)) < 1e-12);
        CHECK(largest_difference(dense, f(columns, b)) < 1e-12);
    }
}

TEST_CASE("linalg: extents that the compiler knows, of few rows and of more") {
    auto compare = [&]<int N>(std::integral_constant<int, N>) {
        auto const a = spd_matrix<double>(N), b = some_matrix<double>(N, 2, 4);
        ad::tensor<double, N, N> x;
        ad::tensor<double, N, 2> y;
        std::copy(a.begin(), a.end(), x.begin());
        std::copy(b.begin(), b.end(), y.begin());
        return largest_difference(ad::evaluate(everything, x, y), ad::evaluate(everything, a, b));
    };
    CHECK(compare(std::integral_constant<int, 1>{}) < 1e-12);
    CHECK(compare(std::integral_constant<int, 6>{}) < 1e-12);
    CHECK(compare(std::integral_constant<int, 33>{}) < 1e-12);
}

TEST_CASE("linalg: results in the caller's arrays, whatever their strides") {
    auto const a = spd_matrix<double>(5);
    auto f = ad::fused([](auto x) { return std::tuple(la::cholesky(x), la::inverse(x)); });
    auto const [l, inverse] = f(a);
    std::vector<double> room(100), more(100);
    ad::view<double, ad::dyn, ad::dyn> const to(room.data(), 5, 5, std::array<std::ptrdiff_t, 2>{2, 11});
    matrix_of<double> other(5, 5);
    f(ad::into(to, other), a);
    for (std::int64_t i = 0; i < 5; ++i)
        for (std::int64_t j = 0; j < 5; ++j) CHECK(to(i, j) == l(i, j));
    CHECK(apart(other, inverse) == 0);
}

TEST_CASE("numeric_error: operation, matrix and pivot") {
    auto cholesky = ad::fused([](auto a) { return la::cholesky(a); });
    auto solve = ad::fused([](auto a) { return la::solve(a, a); });
    auto triangular = ad::fused([](auto a) { return la::solve_triangular(a, a); });
    auto inverse = ad::fused([](auto a) { return la::inverse(a); });
    for (std::size_t n : {3u, 20u, 40u}) {
        batch a(7, n, n);
        for (std::size_t k = 0; k < 7; ++k)
            for (std::size_t i = 0; i < n; ++i) a(k, i, i) = 2;
        (void)cholesky(a), (void)solve(a), (void)triangular(a), (void)inverse(a);
        a(5, n - 2, n - 2) = -3;
        auto const e = numeric_error_of([&] { (void)cholesky(a); });
        CHECK(e.what() == "cholesky: pivot " + std::to_string(n - 2) +
                              " of matrix (5) is -3.000000: the matrix is not positive definite");
        CHECK((std::string(e.operation) == "cholesky" && e.matrix == 5 && e.pivot == static_cast<std::int64_t>(n) - 2));
        a(5, n - 2, n - 2) = 0;
        auto const s = numeric_error_of([&] { (void)solve(a); });
        CHECK(mentions(s.what(), {"solve: pivot", "matrix (5)", "is 0.0", "singular"}));
        CHECK(s.matrix == 5);
        CHECK(mentions(numeric_error_of([&] { (void)triangular(a); }).what(),
                       {"solve_triangular: pivot", "matrix (5)", "singular"}));
        CHECK(
            mentions(numeric_error_of([&] { (void)inverse(a); }).what(), {"inverse: pivot", "matrix (5)", "singular"}));
        a(5, n - 2, n - 2) = 2;
        a(6, 1, 0) = std::numeric_limits<double>::quiet_NaN();
        CHECK(numeric_error_of([&] { (void)cholesky(a); }).matrix == 6);
        CHECK(numeric_error_of([&] { (void)solve(a); }).matrix == 6);
    }
    CHECK(numeric_error_of([&] {
              (void)ad::evaluate([](auto a) { return la::cholesky(a); }, ad::tensor<double, 2, 2>{{1, 2}, {2, 1}});
          }).what() == std::string("cholesky: pivot 1 is -3.000000: the matrix is not positive definite"));
    try {
        (void)cholesky(batch(1, 1, 1));
        FAIL("nothing was thrown");
    } catch (ad::error const& e) {
        CHECK(mentions(e.what(), {"cholesky"}));
    }
}

TEST_CASE("quiet: NaN for the matrices that have no result, and the others as ever") {
    auto f = ad::fused([](auto a) {
        return std::tuple(la::cholesky(a, la::quiet), la::solve(a, a, la::quiet), la::inverse(a, la::quiet),
                          la::solve_spd(a, a, la::quiet), la::solve_triangular(a, a, la::quiet),
                          ad::grad<0>([](auto x) { return sum(la::cholesky(x, la::quiet)); })(a));
    });
    for (std::size_t n : {2u, 6u, 33u}) {
        batch a(9, n, n);
        for (std::size_t k = 0; k < 9; ++k)
            for (std::size_t i = 0; i < n; ++i) a(k, i, i) = k == 4 && i == 1 ? 0 : 4;
        auto check = [&](auto const& y) {
            for (std::size_t k = 0; k < 9; ++k)
                for (std::size_t i = 0; i < n * n; ++i)
                    if (std::isnan(y.data()[k * n * n + i]) != (k == 4)) return false;
            return true;
        };
        std::apply([&](auto const&... y) { CHECK((check(y) && ...)); }, f(a));
    }
}

TEST_CASE("det and logdet: of a singular matrix 0 and -inf; of none at all 1 and 0") {
    auto f = ad::fused([](auto a) { return std::tuple(la::det(a), la::logdet(a), std::get<0>(la::slogdet(a))); });
    matrix_of<double> a(2, 2);
    a(0, 0) = 1, a(0, 1) = 2, a(1, 0) = 2, a(1, 1) = 4;
    CHECK(f(a) == std::tuple(0.0, -std::numeric_limits<double>::infinity(), 0.0));
    CHECK(f(matrix_of<double>(0, 0)) == std::tuple(1.0, 0.0, 1.0));
}

TEST_CASE("shape_error: matrices that are not square, right-hand sides that do not fit") {
    auto cholesky = ad::fused([](auto a) { return la::cholesky(a); });
    CHECK(mentions(message_of([&] { (void)cholesky(matrix_of<double>(2, 3)); }), {"argument 0", "2", "3"}));
    auto solve = ad::fused([](auto a, auto b) { return la::solve(a, b); });
    CHECK(mentions(message_of([&] { (void)solve(matrix_of<double>(2, 2), matrix_of<double>(3, 1)); }),
                   {"argument 1", "2", "3"}));
    CHECK(mentions(message_of([&] { (void)solve(matrix_of<double>(2, 3), matrix_of<double>(2, 1)); }),
                   {"argument 0", "2", "3"}));
    auto qr = ad::fused([](auto a) { return std::get<1>(la::qr(a)); });
    CHECK(mentions(message_of([&] { (void)qr(ad::tensor<double, ad::dyn, 3>(2)); }), {"qr", "argument 0", "2", "3"}));
}

TEST_CASE("linalg: batches without matrices, and matrices without rows") {
    auto f = ad::fused([](auto a) {
        auto [w, v] = la::eigh(a);
        auto [u, s, t] = la::svd(a);
        auto [q, r] = la::qr(a);
        return std::tuple(la::cholesky(a), la::inverse(a), la::det(a), w, v, u, s, t, q, r, la::expm(a), la::pinv(a),
                          la::solve(a, a));
    });
    for (auto [count, n] : {std::pair{0, 3}, std::pair{3, 0}, std::pair{0, 0}}) {
        auto const all = f(batch(count, n, n));
        CHECK(std::get<2>(all).size() == static_cast<std::size_t>(count));
        CHECK(std::get<0>(all).size() == 0);
        for (double d : std::get<2>(all)) CHECK(d == 1);
    }
}
