// SPDX-License-Identifier: MIT
// Loops that use parts of one array: its gradient is put together from products over all steps.

#include <tapeless/tapeless.hpp>

#include <algorithm>
#include <cmath>

#include "support/catch.hpp"

namespace {

namespace ad = tapeless;
using matrices = ad::tensor<double, 2, 3, 3>;

template <class A>
A numbers(double first) {
    A a;
    for (double& v : a) v = 0.6 * std::sin(first += 1.3);
    return a;
}

/// Two layers of a recurrent network, whose matrices are w[0] and w[1].
constexpr auto stacked = [](auto w, auto u, auto start, auto xs) {
    auto const last = ad::fold(
        [=](auto h, auto x) {
            auto const a = tanh(matmul(ad::select<0>(w, 0), x) + matmul(ad::select<0>(u, 0), ad::select<0>(h, 0)));
            auto const b = tanh(matmul(ad::select<0>(w, 1), a) + matmul(ad::select<0>(u, 1), ad::select<0>(h, 1)));
            return ad::stack<0>(a, b);
        },
        start, xs);
    return sum(square(last)) + sum(last);
};
/// The same of four matrices.
constexpr auto separate = [](auto v, auto w, auto t, auto u, auto start, auto xs) {
    auto const last = ad::fold(
        [=](auto h, auto x) {
            auto const a = tanh(matmul(v, x) + matmul(t, ad::select<0>(h, 0)));
            auto const b = tanh(matmul(w, a) + matmul(u, ad::select<0>(h, 1)));
            return ad::stack<0>(a, b);
        },
        start, xs);
    return sum(square(last)) + sum(last);
};
/// Parts that overlap, one of them transposed, of which some rows are used nowhere.
constexpr auto overlapping = [](auto w, auto start, auto xs) {
    auto const last = ad::fold(
        [=](auto h, auto x) {
            return tanh(matmul(ad::slice<0, 1, 4>(w), x) + matmul(ad::transpose(ad::slice<0, 2, 5>(w)), h) * x);
        },
        start, xs);
    return sum(square(last));
};
/// Parts of which one is no product.
constexpr auto mixed = [](auto w, auto start, auto xs) {
    auto const last = ad::fold(
        [=](auto h, auto x) {
            return tanh(matmul(ad::slice<0, 0, 3>(w), x) + sum<0>(exp(ad::slice<0, 3, 6>(w))) * h);
        },
        start, xs);
    return sum(square(last));
};

template <int Layer>
double distance(matrices const& a, ad::tensor<double, 3, 3> const& b) {
    double d = 0;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) d = std::max(d, std::abs(a(Layer, i, j) - b(i, j)));
    return d;
}

}  // namespace

TEST_CASE("fold: the gradient of matrices that are parts of one array is that of separate ones") {
    auto const w = numbers<matrices>(0.1), u = numbers<matrices>(0.7);
    auto const h = numbers<ad::tensor<double, 2, 3>>(0.2);
    auto const x = numbers<ad::tensor<double, 7, 3>>(0.4);
    ad::tensor<double, 3, 3> part[4];
    for (int k = 0; k < 4; ++k)
        for (int i = 0; i < 9; ++i) part[k].data()[i] = (k < 2 ? w : u).data()[9 * (k % 2) + i];
    auto const [dw, du] = ad::grad<0, 1>(stacked)(w, u, h, x);
    auto const [dv0, dv1, du0, du1] = ad::grad<0, 1, 2, 3>(separate)(part[0], part[1], part[2], part[3], h, x);
    CHECK(distance<0>(dw, dv0) < 1e-14);
    CHECK(distance<1>(dw, dv1) < 1e-14);
    CHECK(distance<0>(du, du0) < 1e-14);
    CHECK(distance<1>(du, du1) < 1e-14);
}

TEST_CASE("fold: gradients of parts that overlap, and of parts that are no products, are those of differences") {
    auto const w = numbers<ad::tensor<double, 6, 3>>(0.3);
    auto const h = numbers<ad::tensor<double, 3>>(0.2);
    auto const x = numbers<ad::tensor<double, 5, 3>>(0.4);
    CHECK(ad::check_gradient<0, 1, 2>(overlapping, w, h, x).passed);
    CHECK(ad::check_gradient<0, 1, 2>(mixed, w, h, x).passed);
}
