// SPDX-License-Identifier: MIT
// Derivatives of systems of equations in every direction of differentiation, and what is known of them.

#include "ops/linalg/derivatives.hpp"

namespace {
// Functions of one square matrix without symmetry, which is far from singular.
constexpr auto by_cholesky = [](auto x) {
    auto a = ad::let(matmul(x, ad::transpose(x)) + la::matrix_power(x, 0));
    return sum(sin(la::cholesky(a + x))) + sum(cos(la::solve_spd(a + 0.1 * x, x)));
};
constexpr auto by_lu = [](auto x) {
    return sum(sin(la::solve(x, tanh(x), la::transposed))) + sum(la::det(x) * sin(la::inverse(x))) +
           la::logdet(x + ad::transpose(x));
};
constexpr auto by_functions = [](auto x) {
    return sum(sin(la::expm(x))) + sum(sin(la::matrix_power(x, -2))) + la::trace(la::kron(x, sin(x))) +
           sum(cos(la::pinv(x)));
};
}  // namespace

TEST_CASE("linalg: derivatives of cholesky and solve_spd") { check_derivatives(by_cholesky); }
TEST_CASE("linalg: derivatives of solve, inverse, det and logdet") { check_derivatives(by_lu); }
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
