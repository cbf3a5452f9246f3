// SPDX-License-Identifier: MIT
// Bijections: where they lead, back again, and their log-Jacobians against determinants of what jacobian computes.

#include "functional/density/density_cases.hpp"

using namespace density_cases;
namespace bijection = ad::bijection;

namespace {
/// ln |det| of a matrix, by elimination.
template <std::size_t N>
double log_det(std::array<std::array<double, N>, N> a) {
    double sum = 0;
    for (std::size_t k = 0; k < N; ++k) {
        std::size_t top = k;
        for (std::size_t i = k; i < N; ++i)
            if (std::abs(a[i][k]) > std::abs(a[top][k])) top = i;
        std::swap(a[k], a[top]);
        sum += std::log(std::abs(a[k][k]));
        for (std::size_t i = k + 1; i < N; ++i)
            for (std::size_t j = N; j-- > k;) a[i][j] -= a[i][k] / a[k][k] * a[k][j];
    }
    return sum;
}
}  // namespace

TEST_CASE("positive: e^u") {
    doubles const u{-1.0, 0.5, 3.0};
    auto const x = ad::evaluate([](auto v) { return bijection::positive.forward(v); }, u);
    auto const back =
        ad::evaluate([](auto v) { return bijection::positive.inverse(bijection::positive.forward(v)); }, u);
    for (std::size_t i = 0; i < 3; ++i) {
        CHECK(x(i) == Approx(std::exp(u[i])).epsilon(1e-15));
        CHECK(back(i) == Approx(u[i]).epsilon(1e-14));
    }
    CHECK(ad::evaluate([](auto v) { return bijection::positive.log_jacobian(v); }, u) == 2.5);
}
TEST_CASE("interval: between numbers, and between values of the function") {
    doubles const u{-1.0, 0.5, 3.0};
    auto const x = ad::evaluate([](auto v) { return bijection::interval(-1, 4).forward(v); }, u);
    auto const back = ad::evaluate([](auto v) { return bijection::interval(-1, 4).inverse(v); }, x);
    double slopes = 0;
    for (std::size_t i = 0; i < 3; ++i) {
        double const s = 1 / (1 + std::exp(-u[i]));
        CHECK(x(i) == Approx(-1 + 5 * s).epsilon(1e-14));
        CHECK(back(i) == Approx(u[i]).epsilon(1e-13));
        slopes += std::log(5 * s * (1 - s));
    }
    CHECK(ad::evaluate([](auto v) { return bijection::interval(-1, 4).log_jacobian(v); }, u) ==
          Approx(slopes).epsilon(1e-14));
    auto const f = [](auto v, auto lo, auto hi) { return bijection::interval(lo, hi).log_jacobian(v); };
    CHECK(ad::evaluate(f, u, -1.0, 4.0) == Approx(slopes).epsilon(1e-14));
    CHECK(ad::check_gradient<0, 1, 2>(f, u, -1.0, 4.0).passed);
    CHECK(std::isfinite(ad::evaluate(f, doubles{800, -800}, 0.0, 1.0)));
}
TEST_CASE("simplex: sums to 1, leads back, and its log-Jacobian is that of all elements but the last") {
    ad::tensor<double, 3> const u{0.4, -1.2, 2.0};
    auto const forward = [](auto v) { return bijection::simplex.forward(v); };
    auto const x = ad::evaluate(forward, u);
    CHECK(x(0) + x(1) + x(2) + x(3) == Approx(1).epsilon(1e-15));
    auto const back = ad::evaluate([](auto v) { return bijection::simplex.inverse(v); }, x);
    auto const j = ad::jacobian<0>(forward)(u);
    std::array<std::array<double, 3>, 3> d{};
    for (int i = 0; i < 3; ++i) {
        CHECK(back(i) == Approx(u(i)).epsilon(1e-13));
        for (int k = 0; k < 3; ++k) d[static_cast<std::size_t>(i)][static_cast<std::size_t>(k)] = j(i, k);
    }
    auto const log_jacobian = [](auto v) { return bijection::simplex.log_jacobian(v); };
    CHECK(ad::evaluate(log_jacobian, u) == Approx(log_det(d)).epsilon(1e-12));
    CHECK(ad::check_gradient<0>(log_jacobian, u).passed);
    ad::tensor<double, 2, 3> const rows{{0.4, -1.2, 2.0}, {0.0, 0.0, 0.0}};
    auto const two = ad::evaluate(forward, rows);
    CHECK(two(0, 1) == Approx(x(1)).epsilon(1e-15));  // rows are computed several at a time
    CHECK(two(1, 3) == Approx(0.25).epsilon(1e-15));
    CHECK(ad::evaluate(log_jacobian, rows) == Approx(log_det(d) + 4 * std::log(0.25)).epsilon(1e-12));
}
TEST_CASE(
    "cholesky_corr: rows of length 1, leads back, and its log-Jacobian is that of the elements below the diagonal") {
    ad::tensor<double, 6> const u{0.4, -1.2, 0.7, 0.1, 1.5, -0.3};
    auto const forward = [](auto v) { return bijection::cholesky_corr.forward(v); };
    auto const l = ad::evaluate(forward, u);
    static_assert(std::is_same_v<decltype(l), ad::tensor<double, 4, 4> const>);
    for (int i = 0; i < 4; ++i) {
        double length = 0;
        for (int k = 0; k < 4; ++k) length += l(i, k) * l(i, k);
        CHECK(length == Approx(1).epsilon(1e-14));
        CHECK(l(i, i) > 0);
        for (int k = i + 1; k < 4; ++k) CHECK(l(i, k) == 0);
    }
    CHECK(l(1, 0) == Approx(std::tanh(0.4)).epsilon(1e-15));
    CHECK(l(2, 1) == Approx(std::tanh(0.7) * std::sqrt(1 - std::pow(std::tanh(1.2), 2))).epsilon(1e-14));
    auto const back = ad::evaluate([](auto v) { return bijection::cholesky_corr.inverse(v); }, l);
    auto const j = ad::jacobian<0>(forward)(u);
    std::array<std::array<double, 6>, 6> d{};
    std::size_t n = 0;
    for (int i = 1; i < 4; ++i)
        for (int k = 0; k < i; ++k, ++n)
            for (int m = 0; m < 6; ++m) d[n][static_cast<std::size_t>(m)] = j(i, k, m);
    for (int m = 0; m < 6; ++m) CHECK(back(m) == Approx(u(m)).epsilon(1e-12));
    auto const log_jacobian = [](auto v) { return bijection::cholesky_corr.log_jacobian(v); };
    CHECK(ad::evaluate(log_jacobian, u) == Approx(log_det(d)).epsilon(1e-12));
    CHECK(ad::check_gradient<0>(log_jacobian, u).passed);
    CHECK(std::isfinite(ad::evaluate(log_jacobian, ad::tensor<double, 1>{400.0})));
}
TEST_CASE("lkj_corr_cholesky_lpdf: integrates to 1 over all correlation matrices of 3 x 3") {
    auto f = ad::fused([](auto u) {
        auto const l = bijection::cholesky_corr.forward(u);
        return ad::density::lkj_corr_cholesky_lpdf(l, 1.7) + bijection::cholesky_corr.log_jacobian(u);
    });
    constexpr double h = 0.4;
    double sum = 0;
    ad::tensor<double, 3> u;
    for (int i = -17; i <= 17; ++i)
        for (int j = -17; j <= 17; ++j)
            for (int k = -17; k <= 17; ++k) {
                u(0) = h * i, u(1) = h * j, u(2) = h * k;
                sum += std::exp(f(u)) * h * h * h;
            }
    CHECK(sum == Approx(1).epsilon(1e-6));
}
