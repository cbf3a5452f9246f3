// SPDX-License-Identifier: MIT
// Denormal, huge and tiny elements through every reduction: what can be represented comes out.

#include <tapeless/tapeless.hpp>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <vector>

#include "support/catch.hpp"
#include "usage/magnitudes.hpp"

namespace ad = tapeless;
using ad::dyn;
using namespace magnitudes;

namespace {

constexpr double infinite = limits<double>::infinity();

template <int Axis>
constexpr auto all_of_them = [](auto x) {
    return std::tuple(sum<Axis>(x), mean<Axis>(x), max<Axis>(x), min<Axis>(x), norm<Axis>(x, infinite),
                      norm<Axis>(x, 1), logsumexp<Axis>(x));
};
constexpr auto as_a_whole = [](auto x) {
    return std::tuple(sum(x), mean(x), max(x), min(x), norm(x, infinite), norm(x, 1), logsumexp(x));
};

/// Rows (or columns, or all) of `length` elements between scale/2 and scale: every result in long double.
template <class T>
std::vector<long double> expected(std::vector<T> const& x) {
    long double sum = 0, largest = 0, absolute = 0, exponentials = 0, high = x[0], low = x[0];
    for (long double v : x) high = std::max(high, v), low = std::min(low, v);
    for (long double v : x) {
        sum += v;
        largest = std::max(largest, std::abs(v));
        absolute += std::abs(v);
        exponentials += std::exp(v - high);
    }
    auto const count = static_cast<long double>(x.size());
    return {sum, sum / count, high, low, largest, absolute, high + std::log(exponentials)};
}
template <class T>
T element(std::size_t i, T scale) { return scale * (T(0.5) + T(0.5) * static_cast<T>(i * 13 % 32) / T(32)); }

template <class T, class Results>
void compare(Results const& results, std::vector<T> const& slice, std::size_t at, char const* what) {
    auto const want = expected(slice);
    std::size_t k = 0;
    auto one = [&](auto const& r) {
        T is{};
        if constexpr (requires { r(at); }) is = r(at);
        else is = r;
        auto const e = want[k];
        // a few units in the last place; of a denormal, a few of the smallest numbers
        long double const digit = limits<T>::epsilon(), least = limits<T>::denorm_min();
        INFO(what << ", result " << k << " of " << slice.size() << " is " << is << ", expected "
                  << static_cast<double>(e));
        CHECK(std::abs(static_cast<long double>(is) - e) <= 32 * digit * std::abs(e) + 4 * least);
        ++k;
    };
    std::apply([&](auto const&... r) { (one(r), ...); }, results);
}

}  // namespace

TEMPLATE_TEST_CASE("magnitudes: rows, columns and wholes of denormal, tiny, large and huge elements", "", float,
                   double) {
    using T = TestType;
    auto rows = ad::fused(all_of_them<1>);
    auto columns = ad::fused(all_of_them<0>);
    auto whole = ad::fused(as_a_whole);
    for (T scale :
         {64 * limits<T>::denorm_min(), limits<T>::min(), std::sqrt(limits<T>::min()), std::sqrt(limits<T>::max()) * 2,
          limits<T>::max() / 512, -limits<T>::max() / 512, -64 * limits<T>::denorm_min()})
        for (std::size_t n : {1u, 3u, 65u, 130u})
            for (std::size_t m : {1u, 5u, 64u, 129u}) {
                if (n * m > 512 && std::abs(scale) > 1) continue;  // the sum of all overflows
                CAPTURE(n, m, scale);
                matrix<T> x(n, m);
                std::vector<T> all;
                for (std::size_t i = 0; i < n * m; ++i) all.push_back(x.data()[i] = element(i, scale));
                auto const by_rows = rows(x);
                auto const by_columns = columns(x);
                for (std::size_t i : {std::size_t{0}, n - 1}) {
                    std::vector<T> row;
                    for (std::size_t j = 0; j < m; ++j) row.push_back(x(i, j));
                    compare(by_rows, row, i, "row");
                }
                for (std::size_t j : {std::size_t{0}, m - 1}) {
                    std::vector<T> column;
                    for (std::size_t i = 0; i < n; ++i) column.push_back(x(i, j));
                    compare(by_columns, column, j, "column");
                }
                compare(whole(x), all, 0, "whole");
            }
}

TEMPLATE_TEST_CASE("magnitudes: the gradient of a norm is x / |x| wherever squares are numbers", "", float, double) {
    using T = TestType;
    auto gradient = ad::grad<0>([](auto x) { return sum(norm<1>(x)) + sum(norm<0>(x)); });
    for (T scale : {std::sqrt(limits<T>::min()), T(1), std::sqrt(limits<T>::max()) / 16}) {
        CAPTURE(scale);
        matrix<T> const x{{3 * scale, 4 * scale}, {0, 0}};
        auto const g = gradient(x);
        auto near = [](T a, double b) { return std::abs(static_cast<double>(a) - b) < 1e-5; };
        CHECK(near(g(0, 0), 0.6 + 1));
        CHECK(near(g(0, 1), 0.8 + 1));
        CHECK(g(1, 0) == 0);
    }
}

TEMPLATE_TEST_CASE("magnitudes: softmax and log_softmax of huge elements are finite", "", float, double) {
    using T = TestType;
    auto f = ad::fused([](auto x) { return std::tuple(softmax(x), log_softmax(x), softmax<0>(x)); });
    T const huge = limits<T>::max() / 4;
    auto const [s, l, c] = f(matrix<T>{{huge, -huge, 0}, {huge, huge, -huge}, {limits<T>::denorm_min(), 0, 0}});
    CHECK(s(0, 0) == 1);
    CHECK(s(0, 1) == 0);
    CHECK(l(0, 0) == 0);
    CHECK(l(0, 1) == -2 * huge);
    CHECK(s(1, 0) == T(0.5));
    CHECK(std::abs(l(1, 1) + std::log(T(2))) < 4 * limits<T>::epsilon());
    CHECK(std::abs(s(2, 0) - T(1) / 3) < 4 * limits<T>::epsilon());
    CHECK(c(0, 0) == T(0.5));
    CHECK(c(2, 0) == 0);
}

TEMPLATE_TEST_CASE("magnitudes: elementwise arithmetic keeps denormals", "", float, double) {
    using T = TestType;
    T const least = limits<T>::denorm_min();
    ad::tensor<T, dyn> x(9);
    for (std::size_t i = 0; i < 9; ++i) x(i) = static_cast<T>(i) * least;
    auto const [sums, halves, high, signs, product] = ad::evaluate(
        [](auto a) { return std::tuple(a + a, a * 0.5, maximum(a, -a), sign(a), prod(a + 1.0)); }, x);
    for (std::size_t i = 0; i < 9; ++i) {
        CAPTURE(i);
        CHECK(sums(i) == static_cast<T>(2 * i) * least);
        CHECK(halves(i) == x(i) / 2);
        CHECK(high(i) == x(i));
        CHECK(signs(i) == (i > 0 ? 1 : 0));
    }
    CHECK(product == 1);
}
