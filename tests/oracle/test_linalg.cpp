// SPDX-License-Identifier: MIT
// The library and the oracle agree on factors of matrices and what is made of them, their derivatives included.

#include "oracle/numbers.hpp"

namespace {

namespace la = ad::linalg;

/// Symmetric and positive definite matrices are made of any.
constexpr auto factors = [](auto a, auto b) {
    auto const s = ad::let(matmul(a, transpose(a)) + ad::tril(ad::triu(0.0 * a + 2.0)));
    auto const l = ad::let(la::cholesky(s));
    return total(l * b, la::solve_triangular(l, b) * a, la::solve_spd(s, b), la::expm(0.3 * a) * b);
};
constexpr auto systems = [](auto a, auto b) {
    auto const m = ad::let(a + ad::tril(ad::triu(0.0 * a + 4.0)));
    auto const [q, r] = la::qr(m);
    return total(la::solve(m, b) * b, la::inverse(m) * b, la::logdet(m), la::det(0.3 * m), q * b, r * b);
};
constexpr auto small = [](auto a, auto b) { return sum(sin(la::solve(a, b, la::vectors))); };

/// What is the same whichever sign the vectors have.
constexpr auto spectra = [](auto a, auto b) {
    auto const [w, v] = la::eigh(a);
    auto const powers = matmul(v * ad::unsqueeze<1>(sin(w)), transpose(v));
    return total(powers * b, la::eigvalsh(a * b) * w, square(v) * b);
};
constexpr auto singular = [](auto a, auto b) {
    auto const [u, s, v] = la::svd(a);
    auto const powers = matmul(u * exp(-s), transpose(v));
    return total(powers * b, la::svdvals(a + b) * 0.3, square(u) * 0.2, matmul(la::pinv(a), b) * 0.1);
};

template <class T>
ad::tensor<T, ad::dyn, ad::dyn, ad::dyn> matrices(int k, int n, int seed) {
    ad::tensor<T, ad::dyn, ad::dyn, ad::dyn> x(k, n, n);
    auto const v = between<T>(-1.0, 1.0, k * n * n, seed);
    for (std::size_t i = 0; i < v.size(); ++i) x.data()[i] = v[i];
    return x;
}

}  // namespace

TEMPLATE_TEST_CASE("agree: factors of symmetric matrices", "", float, double) {
    for (int n : {1, 4}) CHECK(agree<0, 1>(factors, matrices<TestType>(2, n, 0), matrices<TestType>(2, n, 1)) == "");
}
TEMPLATE_TEST_CASE("agree: systems of equations", "", float, double) {
    for (int n : {1, 4}) CHECK(agree<0, 1>(systems, matrices<TestType>(2, n, 0), matrices<TestType>(2, n, 1)) == "");
}
TEST_CASE("agree: eigenvalues and eigenvectors") {
    for (int n : {0, 1, 2, 4})
        CHECK(agree<0, 1>(spectra, matrices<double>(2, n, 0), matrices<double>(2, n, 1)) == "");
}
TEST_CASE("agree: singular values and vectors") {
    auto const rectangle = [](int n, int m, int seed) {
        ad::tensor<double, ad::dyn, ad::dyn> x(n, m);
        auto const v = between<double>(-1.0, 1.0, n * m, seed);
        for (std::size_t i = 0; i < v.size(); ++i) x.data()[i] = v[i];
        return x;
    };
    constexpr std::pair<int, int> sizes[] = {{1, 1}, {4, 3}, {3, 4}, {5, 5}, {1, 3}, {9, 2}};
    for (auto const& [n, m] : sizes)
        CHECK(agree<0, 1>(singular, rectangle(n, m, 0), rectangle(n, m, 1)) == "");
}
TEST_CASE("agree: small systems") {
    ad::tensor<double, 5, 3, 3> a;
    ad::tensor<double, 5, 3> b;
    auto const v = between<double>(-1.0, 1.0, 60);
    for (std::size_t i = 0; i < 45; ++i) a.data()[i] = v[i] + (i % 9 % 4 == 0 ? 3 : 0);
    for (std::size_t i = 0; i < 15; ++i) b.data()[i] = v[45 + i];
    CHECK(agree<0, 1>(small, a, b) == "");
}
TEST_CASE("agree: systems of 9 rows") {
    ad::tensor<double, 3, 9, 9> a;
    ad::tensor<double, 3, 9> b;
    auto const v = between<double>(-1.0, 1.0, 270);
    for (std::size_t i = 0; i < 243; ++i) a.data()[i] = v[i] + (i % 81 % 10 == 1 ? 3 : 0);  // rows change places
    for (std::size_t i = 0; i < 27; ++i) b.data()[i] = v[243 + i];
    CHECK(agree<0, 1>(small, a, b) == "");
}
