// SPDX-License-Identifier: MIT
// What rows come to, of products and of arrays as they are, in programs that are compiled as users compile them: what a
// compiler that optimises leaves out is seen nowhere else. Elements are small integers, so that all is exact.

#include <algorithm>
#include <array>
#include <cstddef>
#include <tuple>
#include <vector>

#include <support/catch.hpp>
#include <tapeless/tapeless.hpp>

namespace ad = tapeless;

namespace {

template <class A>
A numbers(A a, int from) {
    for (auto& v : a) v = static_cast<typename A::value_type>((from = (from * 37 + 11) % 101) % 9 - 4);
    return a;
}
template <class A>
A sevens(A a) {
    std::fill(a.begin(), a.end(), typename A::value_type(7));
    return a;
}
/// What each row of `rows` rows comes to, by a function of its elements.
template <class T, class F>
std::vector<T> each_row(std::vector<T> const& x, std::size_t rows, F const& f) {
    std::size_t const n = x.size() / rows;
    std::vector<T> r(rows);
    for (std::size_t i = 0; i < rows; ++i) r[i] = f(x.data() + i * n, x.data() + (i + 1) * n);
    return r;
}
constexpr auto total = [](auto const* from, auto const* to) {
    auto sum = *from;
    while (++from != to) sum += *from;
    return sum;
};
constexpr auto largest = [](auto const* from, auto const* to) { return *std::max_element(from, to); };
constexpr auto least = [](auto const* from, auto const* to) { return *std::min_element(from, to); };
constexpr auto scaled = [](auto r, auto p, auto q) { return sum(r * matmul(p, q)); };

template <class A, class T>
bool is(A const& a, std::vector<T> const& expected) {
    return std::equal(a.begin(), a.end(), expected.begin(), expected.end());
}

/// Rows of the product of an m by k matrix and a k by n one; X, W, and R of as many rows as X, and S with a column.
template <class X, class W, class R, class S>
void check_products(X x, W w, R const& of_rows, S s) {
    using T = typename X::value_type;
    x = numbers(x, 3), w = numbers(w, 5), s = numbers(s, 8);
    std::size_t const m = x.extent(0), k = x.extent(1), n = w.extent(1);
    CAPTURE(m, k, n, sizeof(T));
    std::vector<T> product(m * n);
    for (std::size_t i = 0; i < m; ++i)
        for (std::size_t j = 0; j < n; ++j)
            for (std::size_t l = 0; l < k; ++l) product[i * n + j] += x(i, l) * w(l, j);
    auto const sums = each_row(product, m, total), most = each_row(product, m, largest),
               low = each_row(product, m, least);

    R a = sevens(of_rows), b = sevens(of_rows), c = sevens(of_rows);
    ad::fused([](auto p, auto q) { return sum<1>(matmul(p, q)); })(ad::into(a), x, w);
    CHECK(is(a, sums));
    ad::fused([](auto p, auto q) { return max<1>(matmul(p, q)); })(ad::into(b), x, w);
    CHECK(is(b, most));
    a = sevens(of_rows), b = sevens(of_rows);
    ad::fused([](auto p, auto q) {
        auto const y = matmul(p, q);
        return std::tuple(min<1>(y), sum<1>(y), max<1>(y));
    })(ad::into(a, b, c), x, w);
    CHECK(is(a, low));
    CHECK(is(b, sums));
    CHECK(is(c, most));

    CHECK(is(ad::grad<0>(scaled)(s, x, w), sums));
    CHECK(is(ad::grad<0>([](auto r, auto p, auto q) { return sum(ad::checkpoint(scaled)(r, p, q)); })(s, x, w), sums));
    constexpr auto twice = [](auto p, auto q) {
        auto const y = matmul(p, q);
        return ad::stack<0>(sum<1>(y), sum<1>(y * 2));
    };
    auto const both = ad::evaluate(twice, x, w);
    CHECK(std::equal(sums.begin(), sums.end(), both.begin()));
    CHECK(std::equal(sums.begin(), sums.end(), both.begin() + both.size() / 2, [](T p, T q) { return 2 * p == q; }));
}
/// Rows of an array as it is, and what is computed of it and them.
template <class X, class R>
void check_rows(X x, R const& of_rows) {
    using T = typename X::value_type;
    x = numbers(x, 7);
    std::size_t const m = x.extent(0), n = x.extent(1);
    CAPTURE(m, n, sizeof(T));
    std::vector<T> const all(x.begin(), x.end());
    auto const sums = each_row(all, m, total), most = each_row(all, m, largest), low = each_row(all, m, least);
    R a = sevens(of_rows), b = sevens(of_rows), c = sevens(of_rows);
    ad::fused([](auto p) { return std::tuple(sum<1>(p), max<1>(p), min<1>(p)); })(ad::into(a, b, c), x);
    CHECK(is(a, sums));
    CHECK(is(b, most));
    CHECK(is(c, low));
    // phase after phase: the largest, then a sum of what is left, then both together
    a = sevens(of_rows);
    ad::fused([](auto p) {
        auto const left = ad::let(max<1>(p, ad::keepdims) - p);
        auto const sum_left = ad::let(sum<1>(left, ad::keepdims));
        return min<1>(left + sum_left) + max<1>(p);
    })(ad::into(a), x);
    std::vector<T> expected(m);
    for (std::size_t i = 0; i < m; ++i) expected[i] = static_cast<T>(n) * most[i] - sums[i] + most[i];
    CHECK(is(a, expected));
    // the gradient of a sum of products of rows' numbers
    X g = sevens(x);
    ad::grad<0>([](auto p) { return sum(sum<1>(p) * max<1>(p)); })(ad::into(g), x);
    for (std::size_t i = 0; i < m; ++i) {
        auto const ties = static_cast<T>(std::count(all.data() + i * n, all.data() + (i + 1) * n, most[i]));
        for (std::size_t j = 0; j < n; ++j)
            if (x(i, j) != most[i]) {
                if (g(i, j) != most[i]) FAIL_CHECK(i << ", " << j);
            } else if (ties == 1 && g(i, j) != most[i] + sums[i]) {
                FAIL_CHECK(i << ", " << j);
            }
    }
}

template <class T, int M, int K, int N>
void check() {
    check_products(ad::tensor<T, M, K>{}, ad::tensor<T, K, N>{}, ad::tensor<T, M>{}, ad::tensor<T, M, 1>{});
}

}  // namespace

TEMPLATE_TEST_CASE("optimised: numbers of the rows of products of known size", "", float, double) {
    check<TestType, 3, 40, 8>();
    check<TestType, 8, 3, 8>();
    check<TestType, 32, 16, 16>();
    check<TestType, 4, 5, 7>();
    check<TestType, 129, 64, 64>();
}
TEMPLATE_TEST_CASE("optimised: numbers of the rows of products whose size run time knows", "", float, double) {
    using matrix = ad::tensor<TestType, ad::dyn, ad::dyn>;
    for (std::size_t m : {1u, 3u, 8u, 33u, 129u})
        for (std::size_t k : {1u, 8u, 40u})
            for (std::size_t n : {1u, 7u, 8u, 9u, 16u, 64u, 65u})
                check_products(matrix(m, k), matrix(k, n), ad::tensor<TestType, ad::dyn>(m),
                               ad::tensor<TestType, ad::dyn, 1>(m));
}
TEMPLATE_TEST_CASE("optimised: numbers of rows", "", float, double) {
    check_rows(ad::tensor<TestType, 3, 8>{}, ad::tensor<TestType, 3>{});
    check_rows(ad::tensor<TestType, 5, 32>{}, ad::tensor<TestType, 5>{});
    check_rows(ad::tensor<TestType, 8, 129>{}, ad::tensor<TestType, 8>{});
    for (std::size_t m : {1u, 4u, 9u})
        for (std::size_t n : {1u, 3u, 8u, 17u, 64u, 129u, 257u})
            check_rows(ad::tensor<TestType, ad::dyn, ad::dyn>(m, n), ad::tensor<TestType, ad::dyn>(m));
}
