// SPDX-License-Identifier: MIT
// Densities of simplices and of Cholesky factors: values by their formulas, derivatives by differences.

#include "functional/density/density_cases.hpp"

using namespace density_cases;
namespace density = ad::density;

TEST_CASE("dirichlet_lpdf: one vector, rows of vectors, one alpha for all rows") {
    ad::tensor<double, 2, 3> const theta{{0.2, 0.3, 0.5}, {0.7, 0.1, 0.2}}, alphas{{1.5, 2.0, 0.7}, {3.0, 1.0, 4.0}};
    ad::tensor<double, 3> const alpha{1.5, 2.0, 0.7};
    auto const f = [](auto t, auto v) { return density::dirichlet_lpdf(t, v); };
    auto const row = [](ad::tensor<double, 2, 3> const& t, int i, auto const& v) {
        real total = 0, sum = 0;
        for (int k = 0; k < 3; ++k) {
            real const v_k = v(k);
            total += v_k, sum += (v_k - 1) * std::log(static_cast<real>(t(i, k))) - std::lgamma(v_k);
        }
        return static_cast<double>(sum + std::lgamma(total));
    };
    auto const second = [&](int k) { return alphas(1, k); };
    CHECK(ad::evaluate(f, theta, alpha) == Approx(row(theta, 0, alpha) + row(theta, 1, alpha)).margin(1e-14));
    CHECK(ad::evaluate(f, theta, alphas) == Approx(row(theta, 0, alpha) + row(theta, 1, second)).epsilon(1e-14));
    CHECK(ad::evaluate(f, ad::tensor<double, 3>{0.2, 0.3, 0.5}, alpha) == Approx(row(theta, 0, alpha)).epsilon(1e-14));
    CHECK(ad::check_gradient<0, 1>(f, theta, alpha).passed);
    CHECK(ad::check_gradient<0, 1>(f, theta, alphas).passed);
}
TEST_CASE("lkj_corr_cholesky_lpdf: by the determinants of the correlation matrices, with a gradient by eta") {
    // |R|^(eta - 1) and the Jacobian from L to R, the product of L_kk^(n - k): for n = 3, r_12 = 0.3
    ad::tensor<double, 3, 3> const l{{1, 0, 0}, {0.3, std::sqrt(0.91), 0}, {-0.2, 0.5, std::sqrt(0.71)}};
    auto const f = [](auto m, auto eta) { return density::lkj_corr_cholesky_lpdf(m, eta); };
    auto const g = [](auto m) { return density::lkj_corr_cholesky_lpdf<density::propto>(m, 2.5); };
    double const kernel = 1.5 * std::log(0.91 * 0.71) + 0.5 * std::log(0.91);
    CHECK(ad::evaluate(g, l) == Approx(kernel).epsilon(1e-14));
    double const constant =
        2 * std::lgamma(3.5) - 1.5 * std::log(std::numbers::pi) - std::lgamma(2.5) - std::lgamma(3.0);
    CHECK(ad::evaluate(f, l, 2.5) == Approx(kernel + constant).epsilon(1e-14));
    CHECK(ad::grad<1>(f)(l, 2.5) ==
          Approx((ad::evaluate(f, l, 2.5 + 1e-6) - ad::evaluate(f, l, 2.5 - 1e-6)) / 2e-6).epsilon(1e-8));
}
