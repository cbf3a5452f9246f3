// SPDX-License-Identifier: MIT
// Normal vectors: by covariance, Cholesky factor and precision, one matrix for all vectors or one for each; against the
// formula with an inverse and a determinant written out, and derivatives by differences.

#include "functional/density/density_cases.hpp"

using namespace density_cases;
namespace density = ad::density;
namespace la = ad::linalg;

namespace {

constexpr auto by_covariance = [](auto y, auto mu, auto s) { return density::multivariate_normal_lpdf(y, mu, s); };
constexpr auto by_factor = [](auto y, auto mu, auto s) {
    return density::multivariate_normal_cholesky_lpdf(y, mu, la::cholesky(s));
};
constexpr auto by_precision = [](auto y, auto mu, auto s) {
    return density::multivariate_normal_prec_lpdf(y, mu, la::inverse(s));
};

/// Of vectors y and mu, and a 2 x 2 covariance.
real formula(double const* y, double const* mu, double const* s) {
    real const det = real(s[0]) * s[3] - real(s[1]) * s[2], a = real(y[0]) - mu[0], b = real(y[1]) - mu[1];
    return -(a * a * s[3] - a * b * (real(s[1]) + s[2]) + b * b * s[0]) / det / 2 - std::log(det) / 2 -
           std::log(2 * pi);
}
template <class Y, class Mu, class S>
void check_all(Y const& y, Mu const& mu, S const& s, real want) {
    CHECK(ad::evaluate(by_covariance, y, mu, s) == Approx(static_cast<double>(want)).epsilon(1e-13));
    CHECK(ad::evaluate(by_factor, y, mu, s) == Approx(static_cast<double>(want)).epsilon(1e-13));
    CHECK(ad::evaluate(by_precision, y, mu, s) == Approx(static_cast<double>(want)).epsilon(1e-13));
}

ad::tensor<double, 2, 2> const sigma{{2.0, 0.6}, {0.6, 1.0}};
ad::tensor<double, 3, 2, 2> const sigmas{
    {{2.0, 0.6}, {0.6, 1.0}}, {{1.0, -0.2}, {-0.2, 0.5}}, {{3.0, 1.0}, {1.0, 4.0}}};
ad::tensor<double, 2> const one{0.3, -1.2}, centre{0.5, 0.1};
ad::tensor<double, 3, 2> const rows{{0.3, -1.2}, {1.5, 0.4}, {-0.7, 2.2}};

}  // namespace

TEST_CASE(
    "multivariate_normal_lpdf: one vector; many with one matrix; one matrix for each; one vector with many matrices") {
    check_all(one, centre, sigma, formula(one.data(), centre.data(), sigma.data()));
    real shared = 0, own = 0, turned = 0;
    for (int i = 0; i < 3; ++i) {
        shared += formula(rows.data() + 2 * i, centre.data(), sigma.data());
        own += formula(rows.data() + 2 * i, centre.data(), sigmas.data() + 4 * i);
        turned += formula(one.data(), rows.data() + 2 * i, sigmas.data() + 4 * i);
    }
    check_all(rows, centre, sigma, shared);
    check_all(rows, centre, sigmas, own);
    check_all(one, rows, sigmas, turned);
}
TEST_CASE("multivariate_normal_lpdf: run-time lengths, vectors under two axes, a mean that is a number") {
    ad::tensor<double, ad::dyn, ad::dyn> y(3, 2), s(2, 2);
    ad::tensor<double, 3, 1, 2> grid;
    real want = 0;
    double const half[] = {0.5, 0.5};
    for (std::size_t i = 0; i < 6; ++i) y.data()[i] = grid.data()[i] = rows.data()[i];
    for (std::size_t i = 0; i < 4; ++i) s.data()[i] = sigma.data()[i];
    for (int i = 0; i < 3; ++i) want += formula(rows.data() + 2 * i, half, sigma.data());
    auto const f = [](auto v, auto m) { return density::multivariate_normal_lpdf(v, 0.5, m); };
    CHECK(ad::evaluate(f, y, s) == Approx(static_cast<double>(want)).epsilon(1e-13));
    CHECK(ad::evaluate(f, grid, s) == Approx(static_cast<double>(want)).epsilon(1e-13));
    auto const kernel = [](auto v, auto m) { return density::multivariate_normal_lpdf<density::propto>(v, 0.5, m); };
    CHECK(ad::evaluate(kernel, y, s) == Approx(static_cast<double>(want + 3 * std::log(2 * pi))).epsilon(1e-13));
}
TEST_CASE("multivariate_normal_lpdf: gradients by y, mu and the matrix, and second derivatives") {
    CHECK(ad::check_gradient<0, 1, 2>(by_covariance, rows, centre, sigma).passed);
    CHECK(ad::check_gradient<0, 1, 2>(by_covariance, rows, centre, sigmas).passed);
    CHECK(ad::check_gradient<0, 1, 2>(by_factor, rows, centre, sigmas).passed);
    CHECK(ad::check_gradient<0, 1, 2>(by_precision, rows, centre, sigmas).passed);
    using covariance = std::remove_const_t<decltype(by_covariance)>;
    CHECK(ad::check_gradient<0, 1, 2>(slopes<covariance, 0>, rows, centre, sigma).passed);
}
TEST_CASE("multivariate_normal_lpdf: NaN where the covariance is not positive definite") {
    ad::tensor<double, 2, 2> const wrong{{1.0, 2.0}, {2.0, 1.0}};
    CHECK(std::isnan(ad::evaluate(by_covariance, one, centre, wrong)));
    auto const precise = [](auto y, auto mu, auto s) { return density::multivariate_normal_prec_lpdf(y, mu, s); };
    CHECK(std::isnan(ad::evaluate(precise, one, centre, wrong)));
}
