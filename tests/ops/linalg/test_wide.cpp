// SPDX-License-Identifier: MIT
// qr and lstsq of matrices with more columns than rows.

#include "ops/linalg/matrices.hpp"
#include "support/agree.hpp"

namespace {

template <class T, int... N>
ad::tensor<T, N...> some(int seed) {
    ad::tensor<T, N...> a;
    int k = seed;
    for (T& v : a) v = static_cast<T>(std::sin(1.7 * k + 0.3 * k * k)), ++k;
    return a;
}
constexpr auto by_qr = [](auto a) {
    auto [q, r] = la::qr(a);
    return sum(sin(q)) + sum(cos(r) * r);
};
constexpr auto by_lstsq = [](auto a, auto b) { return sum(sin(la::lstsq(a, b))); };
constexpr auto by_pinv = [](auto a, auto b) { return sum(sin(matmul(la::pinv(a), b))); };

}  // namespace

TEST_CASE("qr and lstsq of one row: numbers worked out by hand") {
    ad::tensor<double, 1, 2> const a{{3, 4}};
    auto const [q, r] = ad::evaluate([](auto m) { return la::qr(m); }, a);
    CHECK(q(0, 0) == 1);
    CHECK(r(0, 0) == 3);
    CHECK(r(0, 1) == 4);
    ad::tensor<double, 1> const b{25};
    auto const x = ad::evaluate([](auto m, auto v) { return la::lstsq(m, v); }, a, b);
    CHECK(std::abs(x(0) - 3) < 1e-14);
    CHECK(std::abs(x(1) - 4) < 1e-14);
    // x = aᵀ b / |a|²: d(x0 + x1)/da0 = b/|a|² - 2 a0 (a0 + a1) b/|a|⁴, d/db = (a0 + a1)/|a|²
    auto const [da, db] = ad::grad<0, 1>([](auto m, auto v) { return sum(la::lstsq(m, v)); })(a, b);
    CHECK(std::abs(da(0, 0) - (1 - 2 * 3 * 7 / 25.0)) < 1e-13);
    CHECK(std::abs(da(0, 1) - (1 - 2 * 4 * 7 / 25.0)) < 1e-13);
    CHECK(std::abs(db(0) - 7 / 25.0) < 1e-14);
    ad::tensor<double, 1, 2> const negative{{-3, 4}};
    auto const [p, s] = ad::evaluate([](auto m) { return la::qr(m); }, negative);
    CHECK(p(0, 0) == -1);
    CHECK(s(0, 0) == 3);
    CHECK(s(0, 1) == -4);
}

TEMPLATE_TEST_CASE_SIG("wide matrices: q r = a, qᵀ q = 1, r is a triangle; a x = b, and x is the shortest", "",
                       ((class T, int M, int N), T, M, N), (double, 2, 3), (float, 3, 8), (double, 5, 40)) {
    auto const a = some<T, 4, M, N>(1);
    auto const b = some<T, 4, M, 2>(7);
    auto const [again, unit, below, triangle, rest, apart_from_pinv] = ad::evaluate(
        [](auto m, auto v) {
            auto [q, r] = la::qr(m);
            auto x = la::lstsq(m, v);
            return std::tuple(sum(abs(matmul(q, r) - m)), matmul(ad::transpose(q), q), sum(abs(tril(r, -1))), r,
                              sum(abs(matmul(m, x) - v)), sum(abs(x - matmul(la::pinv(m), v))));
        },
        a, b);
    double const room = sizeof(T) == 4 ? 2e-4 : 1e-12;
    CHECK(static_cast<double>(again) < room);
    CHECK(static_cast<double>(below) == 0);
    CHECK(static_cast<double>(rest) < room);
    CHECK(static_cast<double>(apart_from_pinv) < 4 * room);
    double worst = 0;
    for (int k = 0; k < 4; ++k)
        for (int i = 0; i < M; ++i) {
            if (!(triangle(k, i, i) > 0)) worst = 1;
            for (int j = 0; j < M; ++j)
                worst = std::max(worst, std::abs(static_cast<double>(unit(k, i, j)) - (i == j)));
        }
    CHECK(worst < room);
}

TEST_CASE("wide matrices: gradients by differences, and those of lstsq as of pinv") {
    auto const a = some<double, 3, 5>(2), direction = some<double, 3, 5>(12);
    auto const b = some<double, 3, 2>(5);
    CHECK(ad::check_gradient(by_qr, a));
    CHECK(ad::check_gradient<0, 1>(by_lstsq, a, b));
    auto const [da, db] = ad::grad<0, 1>(by_lstsq)(a, b);
    auto const [ea, eb] = ad::grad<0, 1>(by_pinv)(a, b);
    CHECK(apart(da, ea) < 1e-12);
    CHECK(apart(db, eb) < 1e-12);
    double slope = 0;
    auto const g = ad::grad<0>(by_qr)(a);
    for (std::size_t i = 0; i < g.size(); ++i) slope += g.data()[i] * direction.data()[i];
    CHECK(std::abs(ad::jvp<0>(by_qr)(a, direction).tangent - slope) < 1e-11 * (1 + std::abs(slope)));
    auto const other = some<double, 3, 5>(31);
    auto const h = ad::hvp<0>(by_qr)(a, direction), k = ad::hvp<0>(by_qr)(a, other);
    double left = 0, right = 0;
    for (std::size_t i = 0; i < h.size(); ++i) {
        left += h.data()[i] * other.data()[i];
        right += k.data()[i] * direction.data()[i];
    }
    CHECK(std::abs(left - right) < 1e-9 * (1 + std::abs(left)));
}

TEST_CASE("wide matrices: vmap, batches and one matrix for many right-hand sides are the same") {
    auto const a = some<double, 3, 2, 4>(3);
    auto const b = some<double, 3, 2>(8);
    auto const by_batch = ad::evaluate([](auto m, auto v) { return la::lstsq(m, v, la::vectors); }, a, b);
    auto const by_item = ad::vmap([](auto m, auto v) { return la::lstsq(m, v); })(a, b);
    CHECK(apart(by_batch, by_item) < 1e-14);
    auto const one = some<double, 2, 4>(3);
    auto const shared = ad::evaluate([](auto m, auto v) { return la::lstsq(m, v, la::vectors); }, one, b);
    for (int j = 0; j < 4; ++j) CHECK(std::abs(shared(0, j) - by_batch(0, j)) < 1e-14);
    auto const [q, r] = ad::vmap([](auto m) { return la::qr(m); })(a);
    auto const [p, s] = ad::evaluate([](auto m) { return la::qr(m); }, a);
    CHECK(apart(q, p) < 1e-14);
    CHECK(apart(r, s) < 1e-14);
}

TEST_CASE("wide matrices: as the graph computed node by node") {
    CHECK(oracle::agree<0>(by_qr, some<double, 3, 7>(4)) == "");
    CHECK(oracle::agree<0, 1>(by_lstsq, some<double, 3, 7>(4), some<double, 3, 2>(9)) == "");
}

TEST_CASE("lstsq of tall matrices whose size is known when compiled") {
    auto const a = some<double, 5, 3>(6);
    auto const b = some<double, 5>(2);
    auto const rest =
        ad::evaluate([](auto m, auto v) { return matmul(ad::transpose(m), matmul(m, la::lstsq(m, v)) - v); }, a, b);
    for (double r : rest) CHECK(std::abs(r) < 1e-13);
    CHECK(ad::check_gradient<0, 1>(by_lstsq, a, b));
}
