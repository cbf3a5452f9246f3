// SPDX-License-Identifier: MIT
// Derivatives of indexed operations: central differences, and second derivatives.

#include <tapeless/tapeless.hpp>

#include <vector>

#include "support/catch.hpp"

namespace ad = tapeless;

namespace {

/// Every operation with an index, and cumsum, among others. x has 6 rows of 5, i indexes 6 and has 4 rows of 5, r
/// indexes 5.
constexpr auto mixture = [](auto x, auto v, auto i, auto r) {
    auto down = ad::let(gather<0>(exp(x), i));
    auto across = ad::let(index_select<1>(x * v, r));
    auto put = ad::let(scatter_add<0>(tanh(x), i, down * down));
    auto some = ad::let(take(x, i * 4) * take(v, i - i));
    return sum(cumsum<1>(down) * some) + sum(square(across)) + sum(put * cumsum<0>(put)) +
           sum(embedding(x, r) * sin(v));
};
constexpr auto cubes = [](auto x, auto i) {  // repeated indices, so that rows of the Hessian have several entries
    auto y = ad::let(gather<0>(x, i));
    auto z = ad::let(scatter_add<0>(x, i, y * y));
    return sum(z * z) + sum(y * y * y);
};
constexpr auto padded = [](auto w, auto i) {
    auto y = ad::let(embedding(w, i, 1));
    return sum(y * y * y);
};
/// Operands that are products, sums and views of them; results that are seen transposed. a is 3 by 4, b is 4 by 5.
constexpr auto operands = [](auto a, auto b, auto i) {
    auto p = ad::let(matmul(a, b));
    auto columns = ad::let(index_select<0>(transpose(p), i));
    auto sums = ad::let(gather<0>(sum<1>(p), i));
    return sum(square(transpose(columns) * sums)) +
           sum(take(sum<0>(a, ad::keepdims), i) * gather<0>(cumsum<0>(sums), i)) + sum(columns * cumsum<1>(columns));
};

template <class T>
auto numbers(auto a, double from, std::size_t step) {
    std::size_t k = 0;
    for (auto& v : a) v = static_cast<T>(from + 0.1 * static_cast<double>(++k * step % 17));
    return a;
}

}  // namespace

TEST_CASE("indexed operations: central differences agree, for run-time extents and indices of 64 bits") {
    auto const x = numbers<double>(ad::tensor<double, ad::dyn, ad::dyn>(6, 5), -0.7, 7);
    auto const v = numbers<double>(std::vector<double>(5), 0.3, 5);
    ad::tensor<std::int64_t, ad::dyn, ad::dyn> i(4, 5);
    for (std::size_t k = 0; k < 20; ++k) i.data()[k] = static_cast<std::int64_t>(k * k % 6);
    auto const report = ad::check_gradient<0, 1>(mixture, x, v, i, std::vector<std::int64_t>{4, 0, 0, 3, 2});
    INFO("argument " << report.worst_argument << ", element " << report.worst_element << " is " << report.worst_gradient
                     << ", difference " << report.worst_difference);
    CHECK(report.passed);
}

TEST_CASE("indexed operations: central differences agree, for static extents and indices of 32 bits") {
    auto const x = numbers<double>(ad::tensor<double, 6, 5>{}, -0.7, 7);
    auto const v = numbers<double>(ad::tensor<double, 5>{}, 0.3, 5);
    ad::tensor<int, 4, 5> i;
    for (std::size_t k = 0; k < 20; ++k) i.data()[k] = static_cast<int>(k * k % 6);
    auto const report = ad::check_gradient<0, 1>(mixture, x, v, i, ad::tensor<int, 5>{4, 0, 0, 3, 2});
    CHECK(report.passed);
}

TEST_CASE("indexed operations: products, sums and their views as operands") {
    auto const a = numbers<double>(ad::tensor<double, ad::dyn, ad::dyn>(3, 4), -0.7, 7);
    auto const b = numbers<double>(ad::tensor<double, ad::dyn, ad::dyn>(4, 5), -0.4, 5);
    auto const report = ad::check_gradient<0, 1>(operands, a, b, std::vector<int>{2, 0, 2, 1});
    INFO("argument " << report.worst_argument << ", element " << report.worst_element << " is " << report.worst_gradient
                     << ", difference " << report.worst_difference);
    CHECK(report.passed);
}

TEST_CASE("gather, scatter_add: the Hessian times a vector is the difference of gradients") {
    std::vector<double> const x = numbers<double>(std::vector<double>(7), -0.8, 5),
                              v = numbers<double>(std::vector<double>(7), -0.5, 11);
    std::vector<int> const i{3, 0, 3, 6, 6, 6, 1, 3};
    auto const h = ad::hvp(cubes)(x, i, v);
    auto gradient = ad::grad(cubes);
    double const step = 1e-5;
    std::vector<double> ahead = x, behind = x;
    for (std::size_t k = 0; k < 7; ++k) ahead[k] += step * v[k], behind[k] -= step * v[k];
    auto const a = gradient(ahead, i), b = gradient(behind, i);
    for (std::size_t k = 0; k < 7; ++k) CHECK_THAT(h[k], Catch::Matchers::WithinAbs((a[k] - b[k]) / (2 * step), 1e-7));
}

TEST_CASE("embedding: the padding row has no gradient, and takes no part in second derivatives") {
    ad::tensor<double, 3, 2> const w{{1, 2}, {3, 4}, {5, 6}}, v{{1, 10}, {100, 1000}, {2, 20}};
    ad::tensor<int, 2, 2> const i{{1, 0}, {2, 2}};
    CHECK(ad::evaluate(padded, w, i) == 27 + 64 + 1 + 8 + 2 * (125 + 216));
    CHECK(ad::grad(padded)(w, i) == ad::tensor<double, 3, 2>{{3, 12}, {0, 0}, {150, 216}});
    CHECK(ad::hvp(padded)(w, i, v) == ad::tensor<double, 3, 2>{{6, 120}, {0, 0}, {2 * 6 * 5 * 2, 2 * 6 * 6 * 20}});
    // the gradient is linear in the weights c; what is left out of it depends on none
    auto along = [](auto table, auto c, auto k, auto d) {
        auto g =
            ad::grad([](auto t, auto weights, auto rows) { return sum(embedding(t, rows, 1) * weights); })(table, c, k);
        return sum(g * d);
    };
    using cube = ad::tensor<double, 2, 2, 2>;
    CHECK(ad::grad<1>(along)(w, cube{}, i, v) == cube{{{0, 0}, {1, 10}}, {{2, 20}, {2, 20}}});
}
