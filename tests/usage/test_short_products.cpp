// SPDX-License-Identifier: MIT
// Products, layers and losses of matrices with 0, 1, 2 and 3 rows, columns and terms.

#include <algorithm>

#include "usage/short_axes.hpp"

using namespace short_axes;

namespace {

matrix product(matrix const& a, matrix const& b) {
    matrix c(a.extent(0), b.extent(1));
    for (std::size_t i = 0; i < a.extent(0); ++i)
        for (std::size_t j = 0; j < b.extent(1); ++j)
            for (std::size_t k = 0; k < a.extent(1); ++k) c(i, j) += a(i, k) * b(k, j);
    return c;
}
bool all_near(matrix const& a, matrix const& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](double x, double y) { return near(x, y, 1e-13); });
}

template <class F>
void for_sizes(std::size_t least, F f) {
    for (std::size_t n = least; n < 4; ++n)
        for (std::size_t m = least; m < 4; ++m) {
            CAPTURE(n, m);
            f(n, m);
        }
}

}  // namespace

TEST_CASE("short axes: matmul, linear and their gradients") {
    auto multiply = ad::fused([](auto a, auto b) { return matmul(a, b); });
    auto apply = ad::fused([](auto a, auto b) { return linear(a, transpose(b)); });
    auto loss = [](auto a, auto b, auto c) { return sum(tanh(matmul(a, b) + c)); };
    for (std::size_t k = 0; k < 4; ++k)
        for_sizes(0, [&](std::size_t n, std::size_t m) {
            CAPTURE(k);
            matrix const a = numbers(matrix(n, k), 1), b = numbers(matrix(k, m), 2);
            CHECK(all_near(multiply(a, b), product(a, b)));
            CHECK(all_near(apply(a, b), product(a, b)));
            expect_differences(loss, a, b, numbers(vector(m), 3));
        });
}

TEST_CASE("short axes: vectors in products, dot, outer and einsum") {
    auto loss = [](auto a, auto v, auto w) {
        return sum(sin(matmul(a, v))) + sum(sin(matmul(w, a))) + dot(matmul(w, a), v) + sum(outer(w, v) * a) +
               sum(square(ad::einsum<"ij,j->i">(a, v)));
    };
    for_sizes(0, [&](std::size_t n, std::size_t m) {
        expect_differences(loss, numbers(matrix(n, m), 1), numbers(vector(m), 2), numbers(vector(n), 3));
    });
}

TEST_CASE("short axes: layer_norm, rms_norm and attention") {
    auto normed = [](auto x, auto g, auto b) { return sum(square(layer_norm(x, g, b, 0.1)) + rms_norm(x, g, 0.1)); };
    for_sizes(0, [&](std::size_t n, std::size_t m) {
        expect_differences(normed, numbers(matrix(n, m), 1), numbers(vector(m), 2), numbers(vector(m), 3));
    });
    auto attended = [](auto q, auto k, auto v) { return sum(square(attention(q, k, v))); };
    for (std::size_t keys = 1; keys < 4; ++keys)
        for_sizes(0, [&](std::size_t n, std::size_t m) {
            CAPTURE(keys);
            expect_differences(attended, numbers(matrix(n, 2), 1), numbers(matrix(keys, 2), 2),
                               numbers(matrix(keys, m), 3));
        });
}

TEST_CASE("short axes: losses of elements; without any their sum is 0 and their mean 0/0") {
    namespace loss = ad::loss;
    using loss::reduction;
    auto sums = [](auto x, auto t) {
        return loss::mse<reduction::sum>(x, t) + loss::huber<reduction::sum>(x, t) +
               loss::smooth_l1<reduction::sum>(x, t) + loss::bce_with_logits<reduction::sum>(x, t) +
               loss::poisson_nll<reduction::sum>(x, t);
    };
    auto means = ad::value_and_grad<0>([](auto x, auto t) { return loss::mse(x, t) + loss::bce_with_logits(x, t); });
    for_sizes(0, [&](std::size_t n, std::size_t m) {
        matrix const x = numbers(matrix(n, m), 1), t = numbers(matrix(n, m), 5);
        expect_differences(sums, x, t);
        auto const [value, g] = means(x, t);
        CHECK(std::isnan(value) == (n * m == 0));
        CHECK(g.size() == n * m);
    });
}

TEST_CASE("short axes: cross_entropy and its gradient; without rows its sum is 0 and its mean 0/0") {
    namespace loss = ad::loss;
    auto summed = ad::value_and_grad<0>([](auto x, auto t) { return loss::cross_entropy<loss::reduction::sum>(x, t); });
    auto mean_of = ad::value_and_grad<0>([](auto x, auto t) { return loss::cross_entropy(x, t); });
    for (std::size_t n = 0; n < 4; ++n)
        for (std::size_t m = 1; m < 4; ++m) {
            CAPTURE(n, m);
            matrix const x = numbers(matrix(n, m), 1);
            std::vector<int> t(n);
            for (std::size_t i = 0; i < n; ++i) t[i] = static_cast<int>(i % m);
            double expected = 0;
            matrix slope(n, m);
            for (std::size_t i = 0; i < n; ++i) {
                double s = 0;
                for (std::size_t j = 0; j < m; ++j) s += std::exp(x(i, j));
                expected += std::log(s) - x(i, static_cast<std::size_t>(t[i]));
                for (std::size_t j = 0; j < m; ++j)
                    slope(i, j) = std::exp(x(i, j)) / s - (j == static_cast<std::size_t>(t[i]) ? 1.0 : 0.0);
            }
            auto const [value, g] = summed(x, t);
            CHECK(near(value, expected, 1e-13));
            CHECK(all_near(g, slope));
            CHECK(near(mean_of(x, t).value, expected / static_cast<double>(n), 1e-13));
        }
}

TEST_CASE("short axes: rows picked and added up, none, one or several") {
    auto f = ad::value_and_grad<0>(
        [](auto x, auto i) { return sum(square(ad::index_select<0>(x, i))) + sum(embedding(x, i)); });
    for (std::size_t n = 1; n < 4; ++n)
        for (std::size_t m = 0; m < 4; ++m)
            for (std::size_t count = 0; count < 4; ++count) {
                CAPTURE(n, m, count);
                matrix const x = numbers(matrix(n, m), 1);
                std::vector<int> index(count);
                for (std::size_t i = 0; i < count; ++i) index[i] = static_cast<int>(i * 2 % n);
                double expected = 0;
                matrix slope(n, m);
                for (int i : index)
                    for (std::size_t j = 0; j < m; ++j) {
                        double const v = x(static_cast<std::size_t>(i), j);
                        expected += v * v + v;
                        slope(static_cast<std::size_t>(i), j) += 2 * v + 1;
                    }
                auto const [value, g] = f(x, index);
                CHECK(near(value, expected, 1e-13));
                CHECK(all_near(g, slope));
            }
}
