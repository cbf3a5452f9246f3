// SPDX-License-Identifier: MIT
// Derivatives of linear algebra against central differences, in every direction of differentiation, and what is known of them.

#include "linalg/matrices.hpp"
#include "vmap/items.hpp"

namespace {
// Functions of one square matrix without symmetry; its symmetric part is far from singular.
constexpr auto by_cholesky = [](auto x) {
    auto a = ad::let(matmul(x, ad::transpose(x)) + la::matrix_power(x, 0));
    return sum(sin(la::cholesky(a + x))) + sum(cos(la::solve_spd(a + 0.1 * x, x)));
};
constexpr auto by_lu = [](auto x) {
    return sum(sin(la::solve(x, tanh(x), la::transposed))) + sum(la::det(x) * sin(la::inverse(x))) + la::logdet(x + ad::transpose(x));
};
constexpr auto by_qr = [](auto x) {
    auto [q, r] = la::qr(x);
    return sum(sin(q)) + sum(q * tanh(r)) + sum(sin(la::lstsq(x, tanh(x))));
};
constexpr auto by_eigh = [](auto x) {
    auto [w, v] = la::eigh(x);
    return sum(square(v) * v * v * sin(w)) + sum(w * la::eigvalsh(x));
};
constexpr auto by_svd = [](auto x) {
    auto [u, s, v] = la::svd(x);
    return sum(sin(matmul(u * tanh(s), ad::transpose(v)))) + sum(s * la::svdvals(x));
};
constexpr auto by_functions = [](auto x) {
    return sum(sin(la::expm(x))) + sum(sin(la::matrix_power(x, -2))) + la::trace(la::kron(x, sin(x))) + sum(cos(la::pinv(x)));
};

/// A function, its gradient, and that its Hessian is symmetric and the derivative of the gradient, at run-time lengths.
template <class F>
void check_derivatives(F f) {
    auto const x = good_matrix<double>(4, 3);
    auto const report = ad::check_gradient(f, x);
    INFO(report);
    CHECK(report.ok());
    auto const direction = some_matrix<double>(4, 4, 9), other = some_matrix<double>(4, 4, 11);
    auto const product = ad::hvp<0>(f), gradient = ad::grad<0>(f);
    auto const h = product(x, direction), k = product(x, other);
    double left = 0, right = 0, size = 0;
    for (std::size_t i = 0; i < h.size(); ++i) {
        left += h.data()[i] * other.data()[i];
        right += k.data()[i] * direction.data()[i];
        size = std::max(size, std::abs(h.data()[i]));
    }
    CHECK(std::abs(left - right) < 1e-10 * (1 + size));
    auto up = x, down = x;
    double const step = 1e-5;
    for (std::size_t i = 0; i < x.size(); ++i) {
        up.data()[i] += step * direction.data()[i];
        down.data()[i] -= step * direction.data()[i];
    }
    auto const above = gradient(up), below = gradient(down);
    double worst = 0, slope = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        worst = std::max(worst, std::abs((above.data()[i] - below.data()[i]) / (2 * step) - h.data()[i]));
        slope += gradient(x).data()[i] * direction.data()[i];
    }
    CHECK(worst < 1e-6 * (1 + size));
    CHECK(std::abs(ad::jvp<0>(f)(x, direction).tangent - slope) < 1e-10 * (1 + std::abs(slope)));
}
}  // namespace

TEST_CASE("linalg: derivatives of cholesky and solve_spd") { check_derivatives(by_cholesky); }
TEST_CASE("linalg: derivatives of solve, inverse, det and logdet") { check_derivatives(by_lu); }
TEST_CASE("linalg: derivatives of qr and lstsq") { check_derivatives(by_qr); }
TEST_CASE("linalg: derivatives of eigh and eigvalsh") { check_derivatives(by_eigh); }
TEST_CASE("linalg: derivatives of svd and svdvals") { check_derivatives(by_svd); }
TEST_CASE("linalg: derivatives of expm, matrix_power, kron and pinv") { check_derivatives(by_functions); }

TEST_CASE("logdet: its derivative in a direction d is tr(a⁻¹ d), at all sizes") {
    auto f = ad::fused([](auto a, auto d) {
        return std::tuple(ad::jvp<0>([](auto x) { return la::logdet(x); })(a, d).tangent, la::trace(la::solve(a, d)));
    });
    for (std::int64_t n : {1, 2, 5, 17, 33, 65}) {
        auto const [slope, trace] = f(good_matrix<double>(n), some_matrix<double>(n, n, 7));
        CHECK(std::abs(slope - trace) < 1e-10 * (1 + std::abs(trace)));
    }
}

TEST_CASE("eigh: the gradient of eigenvalues exists where they are equal") {
    matrix_of<double> one = unit_matrix<double>(3);
    auto const g = ad::grad<0>([](auto a) {
        auto [w, v] = la::eigh(a);
        return sum(w);
    })(one);
    CHECK(apart(g, one) < 1e-14);
    CHECK(apart(ad::grad<0>([](auto a) { return sum(exp(la::eigvalsh(a))); })(one), one) > 1);
}

namespace {
auto squares = [](std::int64_t n) {
    auto x = some<double, 3, 3>(n, 1);
    for (std::int64_t i = 0; i < n; ++i)
        for (std::size_t k = 0; k < 3; ++k) x(static_cast<std::size_t>(i), k, k) += 3.0;
    return std::tuple(x, some<double, 3>(n, 2));
};
constexpr auto of_systems = [](auto a, auto b) {
    auto l = ad::let(la::cholesky(a));
    return la::solve_triangular(l, b) + la::solve(a, b) * la::logdet(a) + matmul(la::inverse(a), sin(b)) + la::solve_spd(a, b) * la::det(a);
};
constexpr auto of_factors = [](auto a, auto b) {
    auto [q, r] = la::qr(a);
    auto [w, v] = la::eigh(a);
    auto [u, s, t] = la::svd(a);
    return matmul(q, matmul(r, b)) + w + matmul(v, sin(w) * matmul(b, v)) + s + matmul(u, sin(s) * matmul(b, t)) + matmul(la::expm(0.1 * a), b) + la::lstsq(a, b);
};
}  // namespace

TEST_CASE("vmap equals the loop over items: systems of equations") { CHECK(worst_with_gradients(of_systems, squares) < 1e-10); }
TEST_CASE("vmap equals the loop over items: orthogonal factors") { CHECK(worst_with_gradients<false>(of_factors, squares) < 1e-10); }

TEST_CASE("vmap: one matrix for all items, and one right-hand side") {
    constexpr auto f = [](auto a, auto b) { return la::solve(a, b) + la::solve_triangular(a, b, la::upper) + la::lstsq(a, b); };
    auto const [a, b] = squares(5);
    auto const one = item(a, 0);
    auto const side = item(b, 0);
    auto const with_one = ad::vmap<ad::whole, 0>(f)(one, b);
    auto const with_side = ad::vmap<0, ad::whole>(f)(a, side);
    for (std::size_t i = 0; i < 5; ++i) {
        CHECK(distance(with_one, ad::evaluate(f, one, item(b, i)), i) < 1e-13);
        CHECK(distance(with_side, ad::evaluate(f, item(a, i), side), i) < 1e-13);
    }
}
