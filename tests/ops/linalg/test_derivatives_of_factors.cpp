// SPDX-License-Identifier: MIT
// Derivatives of orthogonal factors in every direction of differentiation.

#include "ops/linalg/derivatives.hpp"

namespace {
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
}  // namespace

TEST_CASE("linalg: derivatives of qr and lstsq") { check_derivatives(by_qr); }
TEST_CASE("linalg: derivatives of eigh and eigvalsh") { check_derivatives(by_eigh); }
TEST_CASE("linalg: derivatives of svd and svdvals") { check_derivatives(by_svd); }

TEST_CASE("eigh: the gradient of eigenvalues exists where they are equal") {
    matrix_of<double> one = unit_matrix<double>(3);
    auto const g = ad::grad<0>([](auto a) {
        auto [w, v] = la::eigh(a);
        return sum(w);
    })(one);
    CHECK(apart(g, one) < 1e-14);
    CHECK(apart(ad::grad<0>([](auto a) { return sum(exp(la::eigvalsh(a))); })(one), one) > 1);
}
