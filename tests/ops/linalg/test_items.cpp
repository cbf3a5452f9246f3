// SPDX-License-Identifier: MIT
// Linear algebra mapped over items equals the loop over the items.

#include "ops/linalg/matrices.hpp"
#include "transform/vmap/items.hpp"

namespace {
auto squares = [](std::int64_t n) {
    auto x = some<double, 3, 3>(n, 1);
    for (std::int64_t i = 0; i < n; ++i)
        for (std::size_t k = 0; k < 3; ++k) x(static_cast<std::size_t>(i), k, k) += 3.0;
    return std::tuple(x, some<double, 3>(n, 2));
};
constexpr auto of_systems = [](auto a, auto b) {
    auto l = ad::let(la::cholesky(a));
    return la::solve_triangular(l, b) + la::solve(a, b) * la::logdet(a) + matmul(la::inverse(a), sin(b)) +
           la::solve_spd(a, b) * la::det(a);
};
constexpr auto of_factors = [](auto a, auto b) {
    auto [q, r] = la::qr(a);
    auto [w, v] = la::eigh(a);
    auto [u, s, t] = la::svd(a);
    return matmul(q, matmul(r, b)) + w + matmul(v, sin(w) * matmul(b, v)) + s + matmul(u, sin(s) * matmul(b, t)) +
           matmul(la::expm(0.1 * a), b) + la::lstsq(a, b);
};
}  // namespace

TEST_CASE("vmap equals the loop over items: systems of equations") {
    CHECK(worst_with_gradients(of_systems, squares) < 1e-10);
}
TEST_CASE("vmap equals the loop over items: orthogonal factors") {
    CHECK(worst_with_gradients<false>(of_factors, squares) < 1e-10);
}

TEST_CASE("vmap: one matrix for all items, and one right-hand side") {
    constexpr auto f = [](auto a, auto b) {
        return la::solve(a, b) + la::solve_triangular(a, b, la::upper) + la::lstsq(a, b);
    };
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
