// SPDX-License-Identifier: MIT
// Likelihoods of normal distributions, made of cholesky and solve_triangular: second derivatives of the reference.

#include "transform/second_order/second_order_cases.hpp"

using namespace reference;
namespace la = ad::linalg;

namespace {
constexpr double log_2pi = 1.8378770664093453;
/// 1 on the diagonal of a square matrix.
constexpr auto unit_like = [](auto a) { return la::matrix_power(a, 0); };
}  // namespace

TEST_CASE("linalg: second derivatives of a normal density") {
    run_second_order<matrix, vector, matrix>(
        [](auto x, auto mu, auto a) {
            auto l = ad::let(la::cholesky(matmul(a, ad::transpose(a)) + unit_like(a)));
            auto z = la::solve_triangular(l, ad::transpose(x - mu));
            auto m = sum(0 * ad::select<1>(x, 0) + 1);
            auto d = sum(0 * mu + 1);
            return -0.5 * sum(square(z)) - m * sum(log(ad::diagonal(l))) - 0.5 * log_2pi * m * d;
        },
        "f_gaussian_logpdf", "linalg_second");
}

TEST_CASE("linalg: second derivatives of the marginal likelihood of a Gaussian process") {
    run_second_order<matrix, vector, scalar, scalar>(
        [](auto x, auto y, auto log_l, auto log_s) {
            auto squares = sum<2>(square(ad::unsqueeze<1>(x) - ad::unsqueeze<0>(x)));
            auto k = ad::let(exp(-0.5 * exp(-2.0 * log_l) * squares) + exp(2.0 * log_s) * unit_like(squares));
            auto l = la::cholesky(k);
            return -0.5 * sum(square(la::solve_triangular(l, y))) - sum(log(ad::diagonal(l)));
        },
        "f_gp_marginal", "linalg_second");
}
