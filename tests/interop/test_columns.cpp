// SPDX-License-Identifier: MIT
// Matrices that lie column by column, Eigen's and views that turn out to, are walked so: what is computed of them is
// what is computed of the same numbers row by row.

#include "support/catch.hpp"

#if __has_include(<Eigen/Core>)

#include <tapeless/interop/eigen.hpp>
#include <tapeless/tapeless.hpp>

#include <array>
#include <cmath>

namespace {

namespace ad = tapeless;
using matrix = ad::tensor<double, ad::dyn, ad::dyn>;

matrix numbers(int m, int n, double first) {
    matrix a(m, n);
    double x = first;
    for (double& v : a) v = std::sin(x += 1.7);
    return a;
}
Eigen::MatrixXd by_columns(matrix const& a) {
    Eigen::MatrixXd b(a.extent(0), a.extent(1));
    for (int i = 0; i < b.rows(); ++i)
        for (int j = 0; j < b.cols(); ++j) b(i, j) = a(i, j);
    return b;
}
template <class A>
double distance(A const& a, matrix const& b) {
    if (a.rows() != static_cast<Eigen::Index>(b.extent(0)) || a.cols() != static_cast<Eigen::Index>(b.extent(1)))
        return 1e300;
    double d = 0;
    for (int i = 0; i < a.rows(); ++i)
        for (int j = 0; j < a.cols(); ++j) d = std::max(d, std::abs(a(i, j) - b(i, j)));
    return d;
}

/// Elements, sums along both axes and what is computed from them, a softmax, a product with what lies the other way.
constexpr auto program = [](auto x, auto y, auto w) {
    auto const e = tanh(x) * y + x;
    return sum(square(sum<0>(e) + 1.0)) + sum(exp(sum<1>(x * y))) + sum(softmax(x) * y) +
           sum(square(matmul(x, w)) * ad::stop_gradient(matmul(y, w))) + sum(matmul(ad::transpose(x), y));
};

void check(int m, int n) {
    matrix const x = numbers(m, n, 0.3), y = numbers(m, n, 1.1), w = numbers(n, 5, 2.0);
    Eigen::MatrixXd const cx = by_columns(x), cy = by_columns(y), cw = by_columns(w);
    auto gradient = ad::value_and_grad<0, 1, 2>(program);
    auto const [value, grads] = gradient(x, y, w);
    auto const& [dx, dy, dw] = grads;
    INFO(m << " x " << n);
    double const near = 1e-12 * (1 + std::abs(value));

    auto const [mixed, mixed_grads] = gradient(cx, y, cw);
    CHECK(std::abs(mixed - value) <= near);
    CHECK(distance(std::get<0>(mixed_grads), dx) <= near);
    CHECK(distance(std::get<2>(mixed_grads), dw) <= near);

    Eigen::MatrixXd into_x(m, n), into_y(m, n), into_w(n, 5);
    CHECK(std::abs(gradient(ad::into(into_x, into_y, into_w), cx, cy, cw) - value) <= near);
    CHECK(distance(into_x, dx) <= near);
    CHECK(distance(into_y, dy) <= near);
    CHECK(distance(into_w, dw) <= near);

    // a map is found out to lie so when it is handed in, and one with longer columns not to
    Eigen::MatrixXd longer = Eigen::MatrixXd::Zero(m + 3, n);
    longer.topRows(m) = cx;
    Eigen::Map<Eigen::MatrixXd const> const same(cx.data(), m, n);
    Eigen::Map<Eigen::MatrixXd const, 0, Eigen::OuterStride<>> const apart(longer.data(), m, n,
                                                                          Eigen::OuterStride<>(m + 3));
    into_x.setConstant(7);
    CHECK(std::abs(gradient(ad::into(into_x, into_y, into_w), same, cy, cw) - value) <= near);
    CHECK(distance(into_x, dx) <= near);
    matrix row_by_row(m, n);
    CHECK(std::abs(gradient(ad::into(row_by_row, into_y, into_w), apart, cy, cw) - value) <= near);
    CHECK(distance(by_columns(row_by_row), dx) <= near);
}

}  // namespace

TEST_CASE("columns: gradients of Eigen's matrices are those of the same numbers row by row") {
    for (int m : {0, 1, 2, 7, 9, 17})
        for (int n : {1, 3, 8, 13}) check(m, n);
}

TEST_CASE("columns: a value is written to a matrix that lies column by column, and to one that does not") {
    auto twice = ad::fused([](auto x) { return 2.0 * x + 1.0; });
    auto times = ad::fused([](auto x, auto w) { return matmul(x, w); });
    matrix const x = numbers(11, 9, 0.3), w = numbers(9, 10, 0.2), doubled = twice(x), product = times(x, w);
    Eigen::MatrixXd const cx = by_columns(x), cw = by_columns(w);
    Eigen::MatrixXd to(11, 9), to_product(11, 10);
    matrix rows(11, 9), rows_product(11, 10);
    twice(ad::into(to), cx);
    twice(ad::into(rows), cx);
    CHECK(distance(to, doubled) == 0);
    CHECK(distance(by_columns(rows), doubled) == 0);
    times(ad::into(to_product), cx, cw);
    times(ad::into(rows_product), cx, w);
    CHECK(distance(to_product, product) < 1e-14);
    CHECK(distance(by_columns(rows_product), product) < 1e-14);
    twice(ad::into(to), x);
    CHECK(distance(to, doubled) == 0);
}

TEST_CASE("columns: three by many, of which the compiler knows the three") {
    Eigen::Matrix3Xd const x = Eigen::Matrix3Xd::Random(3, 50);
    matrix y(3, 50);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 50; ++j) y(i, j) = x(i, j);
    auto gradient = ad::grad<0>([](auto a) { return sum(square(sum<0>(a * a))) + sum(sum<1>(a) * sum<1>(exp(a))); });
    CHECK(distance(gradient(x), gradient(y)) < 1e-12);
}

TEST_CASE("columns: a view that lies so, one that does not, and one whose rows are one element") {
    auto gradient = ad::value_and_grad<0, 1>([](auto x, auto w) { return sum(square(matmul(x, w))) + sum(exp(x)); });
    for (int m : {1, 4, 9})
        for (int n : {1, 2, 11}) {
            matrix const x = numbers(m, n, 0.7);
            ad::tensor<double, ad::dyn> w(n);
            for (int j = 0; j < n; ++j) w(j) = 0.1 * j - 0.3;
            auto const [value, grads] = gradient(x, w);
            auto const& [dx, dw] = grads;
            for (int apart : {1, 2}) {
                std::vector<double> memory(static_cast<std::size_t>(m * n * apart));
                std::array<std::ptrdiff_t, 2> const strides{apart, apart * m};
                ad::view<double, ad::dyn, ad::dyn> v(memory.data(), m, n, strides);
                for (int i = 0; i < m; ++i)
                    for (int j = 0; j < n; ++j) v(i, j) = x(i, j);
                auto const [also, also_grads] = gradient(v, w);
                INFO(m << " x " << n << ", " << apart << " apart");
                CHECK(std::abs(also - value) <= 1e-13 * std::abs(value));
                CHECK(distance(by_columns(std::get<0>(also_grads)), dx) < 1e-12);
                for (int j = 0; j < n; ++j) CHECK(std::abs(std::get<1>(also_grads)(j) - dw(j)) < 1e-12);
            }
        }
}

#endif
