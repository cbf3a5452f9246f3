// SPDX-License-Identifier: MIT
// qr and lstsq of matrices of which only run time knows whether they have more rows or more columns.

#include "ops/linalg/matrices.hpp"
#include "support/agree.hpp"
#include "support/messages.hpp"

namespace {

template <class T>
using batch_of_matrices = ad::tensor<T, ad::dyn, ad::dyn, ad::dyn>;

constexpr auto by_qr = [](auto a) {
    auto [q, r] = la::qr(a);
    return sum(sin(q)) + sum(cos(r) * r);
};
constexpr auto by_lstsq = [](auto a, auto b) { return sum(sin(la::lstsq(a, b))); };
constexpr auto by_pinv = [](auto a, auto b) { return sum(sin(matmul(la::pinv(a), b))); };

/// One whose singular values are between a third and three, or so.
template <class T>
matrix_of<T> well_conditioned(std::int64_t m, std::int64_t n, std::uint64_t seed = 1) {
    matrix_of<T> a = some_matrix<T>(m, n, seed);
    for (T& v : a) v /= static_cast<T>(std::sqrt(static_cast<double>(std::max(m, n))));
    for (std::int64_t i = 0; i < std::min(m, n); ++i) a(i, i) += 2;
    return a;
}
std::vector<std::array<std::int64_t, 2>> const some_shapes{{1, 1},   {1, 5},    {5, 1},   {3, 3},   {2, 3},
                                                           {3, 2},   {4, 17},   {17, 4},  {15, 40}, {33, 34},
                                                           {34, 33}, {70, 100}, {100, 70}};

}  // namespace

TEMPLATE_TEST_CASE("of any shape: q r = a, qᵀ q = 1; lstsq is pinv times b, and leaves nothing of the smaller side", "",
                   double, float) {
    using T = TestType;
    auto f = ad::fused([](auto a, auto b) {
        auto [q, r] = la::qr(a);
        auto x = la::lstsq(a, b);
        auto rest = b - matmul(a, x);
        return std::tuple(q, r, matmul(q, r), matmul(ad::transpose(q), q), tril(r, -1), x,
                          matmul(ad::transpose(a), rest), rest, matmul(la::pinv(a), b));
    });
    for (auto [m, n] : some_shapes) {
        auto const a = well_conditioned<T>(m, n, 3);
        auto const b = some_matrix<T>(m, 2, 5);
        auto const [q, r, again, unit, below, x, normal, rest, expected] = f(a, b);
        std::int64_t const k = std::min(m, n);
        double const room = 10 * rounding<T>(std::max(m, n));
        INFO(m << " by " << n);
        CHECK(q.extent(1) == static_cast<std::size_t>(k));
        CHECK(r.extent(0) == static_cast<std::size_t>(k));
        CHECK(apart(again, a) < room);
        CHECK(apart(unit, unit_matrix<T>(k)) < room);
        for (std::int64_t i = 0; i < k; ++i) CHECK(r(i, i) > 0);
        for (T v : below) CHECK(v == 0);
        CHECK(apart(x, expected) < room);
        for (T v : normal) CHECK(std::abs(static_cast<double>(v)) < room);
        if (m <= n)
            for (T v : rest) CHECK(std::abs(static_cast<double>(v)) < room);
    }
}

TEST_CASE("of any shape: no rows, no columns") {
    auto f = ad::fused([](auto a, auto b) { return std::tuple(la::qr(a), la::lstsq(a, b)); });
    auto g = ad::grad<0, 1>(by_lstsq);
    for (auto [m, n] : {std::array<std::int64_t, 2>{0, 3}, {3, 0}, {0, 0}}) {
        matrix_of<double> const a(m, n), b(m, 2);
        auto const [factors, x] = f(a, b);
        CHECK(std::get<0>(factors).size() == 0);
        CHECK(std::get<1>(factors).size() == 0);
        CHECK(x.extent(0) == static_cast<std::size_t>(n));
        for (double v : x) CHECK(v == 0);
        auto const [da, db] = g(a, b);
        CHECK(da.size() == 0);
        for (double v : db) CHECK(v == 0);
    }
}

TEST_CASE("of any shape: gradients by differences, and those of lstsq as of pinv") {
    auto g = ad::grad<0, 1>(by_lstsq);
    auto p = ad::grad<0, 1>(by_pinv);
    for (auto [m, n] : some_shapes) {
        auto const a = well_conditioned<double>(m, n, 2), b = some_matrix<double>(m, 2, 5);
        INFO(m << " by " << n);
        auto const [da, db] = g(a, b);
        auto const [ea, eb] = p(a, b);
        CHECK(apart(da, ea) < 1e-11);
        CHECK(apart(db, eb) < 1e-11);
        if (m * n > 200) continue;
        CHECK(ad::check_gradient(by_qr, a));
        CHECK(ad::check_gradient<0, 1>(by_lstsq, a, b));
    }
}

TEST_CASE("of any shape: forward mode is the slope, second derivatives are symmetric, and those of pinv") {
    auto forward = ad::jvp<0>(by_qr);
    auto backward = ad::grad<0>(by_qr);
    auto second = ad::hvp<0>(by_qr);
    auto second_of_system = ad::hvp<0>(by_lstsq);
    auto second_of_inverse = ad::hvp<0>(by_pinv);
    auto dot = [](auto const& x, auto const& y) {
        double sum = 0;
        for (std::size_t i = 0; i < x.size(); ++i) sum += x.data()[i] * y.data()[i];
        return sum;
    };
    for (auto [m, n] : {std::array<std::int64_t, 2>{3, 5}, {5, 3}, {4, 4}, {2, 9}}) {
        auto const a = well_conditioned<double>(m, n, 2), v = some_matrix<double>(m, n, 7),
                   w = some_matrix<double>(m, n, 9);
        auto const b = some_matrix<double>(m, 2, 5);
        INFO(m << " by " << n);
        CHECK(std::abs(forward(a, v).tangent - dot(backward(a), v)) < 1e-11);
        CHECK(std::abs(dot(second(a, v), w) - dot(second(a, w), v)) < 1e-9);
        auto const [h, k] = std::tuple(second_of_system(a, b, v), second_of_inverse(a, b, v));
        CHECK(apart(h, k) < 1e-10);
    }
}

TEST_CASE("of any shape: batches, vmap, one matrix for many right-hand sides, views by strides") {
    auto by_batch = ad::fused([](auto m, auto v) { return la::lstsq(m, v, la::vectors); });
    auto by_item = ad::vmap([](auto m, auto v) { return la::lstsq(m, v); });
    auto gradient = ad::grad<0, 1>([](auto m, auto v) { return sum(sin(la::lstsq(m, v, la::vectors))); });
    auto of_items = ad::vmap(ad::grad<0, 1>([](auto m, auto v) { return sum(sin(la::lstsq(m, v))); }));
    auto factors = ad::fused([](auto m) { return la::qr(m); });
    auto factors_of_items = ad::vmap([](auto m) { return la::qr(m); });
    for (auto [m, n] : {std::array<std::int64_t, 2>{2, 4}, {4, 2}, {3, 3}}) {
        batch_of_matrices<double> a(3, m, n);
        for (std::int64_t k = 0; k < 3; ++k) {
            auto const one = well_conditioned<double>(m, n, static_cast<std::uint64_t>(k + 2));
            for (std::int64_t i = 0; i < m; ++i)
                for (std::int64_t j = 0; j < n; ++j) a(k, i, j) = one(i, j);
        }
        auto const b = some_matrix<double>(3, m, 8);
        auto const x = by_batch(a, b);
        CHECK(apart(x, by_item(a, b)) < 1e-14);
        auto const [da, db] = gradient(a, b);
        auto const [ea, eb] = of_items(a, b);
        CHECK(apart(da, ea) < 1e-13);
        CHECK(apart(db, eb) < 1e-13);
        auto const [q, r] = factors(a);
        auto const [p, s] = factors_of_items(a);
        CHECK(apart(q, p) < 1e-14);
        CHECK(apart(r, s) < 1e-14);
        auto const shared = by_batch(well_conditioned<double>(m, n, 2), b);
        for (std::int64_t j = 0; j < n; ++j) CHECK(std::abs(shared(0, j) - x(0, j)) < 1e-14);
        auto const whole = well_conditioned<double>(n, m, 2);
        ad::view<double const, ad::dyn, ad::dyn> const turned(
            whole.data(), m, n, std::array<std::ptrdiff_t, 2>{1, static_cast<std::ptrdiff_t>(m)});
        matrix_of<double> same(m, n);
        for (std::int64_t i = 0; i < m; ++i)
            for (std::int64_t j = 0; j < n; ++j) same(i, j) = whole(j, i);
        CHECK(apart(by_batch(turned, b), by_batch(same, b)) < 1e-14);
    }
}

TEST_CASE("of any shape: as the graph computed node by node") {
    for (auto [m, n] : {std::array<std::int64_t, 2>{3, 7}, {7, 3}, {4, 4}}) {
        CHECK(oracle::agree<0>(by_qr, well_conditioned<double>(m, n, 4)) == "");
        CHECK(oracle::agree<0, 1>(by_lstsq, well_conditioned<double>(m, n, 4), some_matrix<double>(m, 2, 9)) == "");
    }
}

TEMPLATE_TEST_CASE("qr of numbers whose squares are none: q is the same, and r by as much larger", "", double, float) {
    using T = TestType;
    auto f = ad::fused([](auto a) { return la::qr(a); });
    for (int exponent : {-1, 1, std::numeric_limits<T>::max_exponent - 8, std::numeric_limits<T>::min_exponent + 8})
        for (auto [m, n] : {std::array<std::int64_t, 2>{6, 4}, {30, 20}}) {
            auto a = well_conditioned<T>(m, n, 3);
            auto const [q, r] = f(a);
            for (T& v : a) v = std::ldexp(v, exponent);
            auto [p, s] = f(a);
            for (T& v : s) v = std::ldexp(v, -exponent);
            INFO(exponent);
            CHECK(apart(q, p) < rounding<T>(m));
            CHECK(apart(r, s) < 4 * rounding<T>(m));
        }
}

TEST_CASE("one length known when compiled: lstsq takes any other, qr at least as many rows") {
    ad::tensor<double, ad::dyn, 3> const a = [] {
        ad::tensor<double, ad::dyn, 3> t(2);
        for (int i = 0; i < 2; ++i)
            for (int j = 0; j < 3; ++j) t(i, j) = i == j ? 3 : 1 + j;
        return t;
    }();
    ad::tensor<double, ad::dyn> b(2);
    b(0) = 1, b(1) = 2;
    auto const x = ad::evaluate([](auto m, auto v) { return la::lstsq(m, v); }, a, b);
    CHECK(std::abs(a(0, 0) * x(0) + a(0, 1) * x(1) + a(0, 2) * x(2) - 1) < 1e-14);
    CHECK(std::abs(a(1, 0) * x(0) + a(1, 1) * x(1) + a(1, 2) * x(2) - 2) < 1e-14);
    CHECK(ad::check_gradient<0, 1>(by_lstsq, a, b));
    std::string const message =
        message_of([&] { (void)ad::evaluate([](auto m) { return std::get<0>(la::qr(m)); }, a); });
    CHECK(mentions(message, {"qr", "argument 0", "2", "3"}));
    ad::tensor<double, 2, ad::dyn> wide(3), tall(1);
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 3; ++j) wide(i, j) = a(i, j);
    tall(0, 0) = 3, tall(1, 0) = 4;
    auto factors = ad::fused([](auto m) {
        auto [q, r] = la::qr(m);
        return std::tuple(q, r, matmul(q, r) - m);
    });
    auto const [q, r, rest] = factors(wide);
    CHECK(r.extent(0) == 2);
    for (double v : rest) CHECK(std::abs(v) < 1e-14);
    auto const [p, s, none] = factors(tall);
    CHECK(p.extent(1) == 1);
    CHECK(std::abs(s(0, 0) - 5) < 1e-14);
    for (double v : none) CHECK(std::abs(v) < 1e-14);
    CHECK(ad::check_gradient(by_qr, wide));
    CHECK(ad::check_gradient(by_qr, tall));
}

TEST_CASE("lstsq of a matrix that has not full rank says so") {
    auto f = ad::fused([](auto a, auto b) { return la::lstsq(a, b); });
    for (auto [m, n] : {std::array<std::int64_t, 2>{2, 3}, {3, 2}}) {
        matrix_of<double> a(m, n);
        a(0, 0) = 1;
        std::string message;
        try {
            (void)f(a, some_matrix<double>(m, 1));
        } catch (ad::numeric_error const& e) { message = e.what(); }
        CHECK(message == "lstsq: pivot 1 is 0.000000: the matrix has not full rank");
    }
}
