// SPDX-License-Identifier: MIT
// Pooling beside plain loops: rows of all lengths around registers and around what is pooled at a time, ties, NaN and
// infinities, arrays whose columns are not side by side.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <tapeless/tapeless.hpp>
#include <vector>

#include "support/catch.hpp"

namespace ad = tapeless;
using ad::dyn;

namespace {

template <class T>
using image = ad::tensor<T, dyn, dyn, dyn, dyn>;

/// Few different numbers, so that many are equal.
template <class T>
void fill(image<T>& x, bool special) {
    std::uint32_t state = 12345;
    for (T& v : x) {
        state = state * 1664525u + 1013904223u;
        v = static_cast<T>(static_cast<int>(state >> 28)) / 4 - 1;
        if (special && (state >> 20) % 41 == 0) v = std::numeric_limits<T>::quiet_NaN();
        if (special && (state >> 20) % 13 == 1) v = -std::numeric_limits<T>::infinity();
    }
}

/// The elements under window (i, j), in order: f(row, column).
template <ad::pool P, class F>
void each_under(std::int64_t rows, std::int64_t columns, std::int64_t i, std::int64_t j, F const& f) {
    auto const stride = [](int k) { return P.stride.at[k] > 0 ? P.stride.at[k] : P.size.at[k]; };
    for (int h = 0; h < P.size.at[0]; ++h)
        for (int w = 0; w < P.size.at[1]; ++w) {
            std::int64_t const r = i * stride(0) - P.padding.at[0] + h * P.dilation.at[0],
                               c = j * stride(1) - P.padding.at[1] + w * P.dilation.at[1];
            if (r >= 0 && c >= 0 && r < rows && c < columns) f(r, c);
        }
}
/// How many elements a mean is of, along axis k of length n.
template <ad::pool P>
std::int64_t counted(int k, std::int64_t n, std::int64_t i) {
    std::int64_t const stride = P.stride.at[k] > 0 ? P.stride.at[k] : P.size.at[k],
                       first = i * stride - P.padding.at[k];
    std::int64_t const low = P.count_padding ? -P.padding.at[k] : 0, high = n + (P.count_padding ? P.padding.at[k] : 0);
    return std::min(first + P.size.at[k], high) - std::max(first, low);
}

template <class T>
bool is_same(T a, T b) {
    return a == b || (std::isnan(a) && std::isnan(b));
}

template <ad::pool P>
constexpr auto largest = [](auto x) {
    auto const p = ad::max_pool2d_with_index<P>(x);
    return std::tuple(p.values, p.indices);
};
template <ad::pool P>
constexpr auto largest_alone = [](auto x) { return ad::max_pool2d<P>(x); };
template <ad::pool P>
constexpr auto weighed_largest = [](auto x, auto g) { return sum(ad::max_pool2d<P>(x) * g); };
template <ad::pool P>
constexpr auto average = [](auto x) { return ad::avg_pool2d<P>(x); };
template <ad::pool P>
constexpr auto weighed_average = [](auto x, auto g) { return sum(ad::avg_pool2d<P>(x) * g); };

/// How many elements are wrong.
template <class T, ad::pool P>
int wrong_maxima(std::size_t rows, std::size_t columns, bool special) {
    image<T> x(1, 2, rows, columns);
    fill(x, special);
    auto const [values, indices] = ad::evaluate(largest<P>, x);
    auto const alone = ad::evaluate(largest_alone<P>, x);
    image<T> g(1, 2, values.extent(2), values.extent(3)), expected(1, 2, rows, columns);
    fill(g, false);
    int wrong = 0;
    for (std::size_t c = 0; c < 2; ++c)
        for (std::size_t i = 0; i < values.extent(2); ++i)
            for (std::size_t j = 0; j < values.extent(3); ++j) {
                T best = 0;
                std::int64_t at = -1;
                each_under<P>(static_cast<std::int64_t>(rows), static_cast<std::int64_t>(columns),
                              static_cast<std::int64_t>(i), static_cast<std::int64_t>(j),
                              [&](std::int64_t r, std::int64_t k) {
                                  T const v = x(0, c, static_cast<std::size_t>(r), static_cast<std::size_t>(k));
                                  if (at >= 0 && !(v > best) && !(std::isnan(v) && !std::isnan(best))) return;
                                  best = v;
                                  at = r * static_cast<std::int64_t>(columns) + k;
                              });
                wrong += !is_same(values(0, c, i, j), best) || !is_same(alone(0, c, i, j), best) ||
                         indices(0, c, i, j) != at;
                expected.data()[c * rows * columns + static_cast<std::size_t>(at)] += g(0, c, i, j);
            }
    auto const dx = ad::grad<0>(weighed_largest<P>)(x, g);
    for (std::size_t i = 0; i < dx.size(); ++i) wrong += std::abs(dx.data()[i] - expected.data()[i]) > 1e-5;
    // columns that are not side by side: other loops, the same numbers
    image<T> wide(1, 2, rows, 2 * columns);
    for (std::size_t i = 0; i < x.size(); ++i) wide.data()[2 * i] = x.data()[i];
    auto const step = static_cast<std::ptrdiff_t>(columns);
    ad::view<T, 1, 2, dyn, dyn> const apart(
        wide.data(), rows, columns,
        std::array<std::ptrdiff_t, 4>{0, 2 * step * static_cast<std::ptrdiff_t>(rows), 2 * step, 2});
    auto const [other_values, other_indices] = ad::evaluate(largest<P>, apart);
    for (std::size_t i = 0; i < values.size(); ++i)
        wrong += !is_same(values.data()[i], other_values.data()[i]) || indices.data()[i] != other_indices.data()[i];
    return wrong;
}

template <class T, ad::pool P>
double worst_mean(std::size_t rows, std::size_t columns) {
    image<T> x(1, 2, rows, columns);
    fill(x, false);
    auto const y = ad::evaluate(average<P>, x);
    image<T> g(1, 2, y.extent(2), y.extent(3));
    fill(g, false);
    auto const dx = ad::grad<0>(weighed_average<P>)(x, g);
    std::vector<double> expected(x.size());
    double worst = 0;
    auto const n = static_cast<std::int64_t>(rows), m = static_cast<std::int64_t>(columns);
    for (std::size_t c = 0; c < 2; ++c)
        for (std::size_t i = 0; i < y.extent(2); ++i)
            for (std::size_t j = 0; j < y.extent(3); ++j) {
                auto const row = static_cast<std::int64_t>(i), column = static_cast<std::int64_t>(j);
                double const count = static_cast<double>(counted<P>(0, n, row) * counted<P>(1, m, column));
                double sum = 0;
                each_under<P>(n, m, row, column, [&](std::int64_t r, std::int64_t k) {
                    auto const at = c * rows * columns + static_cast<std::size_t>(r * m + k);
                    sum += static_cast<double>(x.data()[at]);
                    expected[at] += static_cast<double>(g(0, c, i, j)) / count;
                });
                worst = std::max(worst, std::abs(sum / count - static_cast<double>(y(0, c, i, j))));
            }
    for (std::size_t i = 0; i < dx.size(); ++i)
        worst = std::max(worst, std::abs(expected[i] - static_cast<double>(dx.data()[i])));
    return worst;
}

std::vector<std::size_t> const lengths{3,  4,  5,   6,   7,   8,   9,   10,  11,  15,   16,   17,
                                       18, 19, 255, 257, 511, 512, 513, 514, 515, 1023, 1027, 1541};

}  // namespace

TEMPLATE_TEST_CASE("max_pool2d: the first of the largest elements, wherever it stands", "", float, double) {
    for (std::size_t n : lengths)
        for (bool special : {false, true}) {
            INFO(n);
            CHECK(wrong_maxima<TestType, ad::pool{.size = 2}>(4, n, special) == 0);
            CHECK(wrong_maxima<TestType, ad::pool{.size = 3, .stride = 2, .padding = 1, .ceil = true}>(5, n, special) ==
                  0);
            CHECK(wrong_maxima<TestType, ad::pool{.size = {2, 3}, .stride = {3, 1}, .padding = {0, 1}}>(7, n, special) ==
                  0);
            CHECK(wrong_maxima<TestType, ad::pool{.size = {3, 2}, .stride = {1, 2}, .padding = 1}>(4, n, special) == 0);
            CHECK(wrong_maxima<TestType, ad::pool{.size = 3, .stride = 1, .padding = 1}>(8, n, special) == 0);
            CHECK(wrong_maxima<TestType, ad::pool{.size = {3, 3}, .stride = {2, 1}}>(8, n, special) == 0);
            CHECK(wrong_maxima<TestType, ad::pool{.size = {1, 3}, .stride = {2, 2}}>(4, n, special) == 0);
            CHECK(wrong_maxima<TestType, ad::pool{.size = 3, .padding = 1}>(8, n, special) == 0);
            CHECK(wrong_maxima<TestType,
                               ad::pool{.size = {5, 2}, .stride = {1, 3}, .padding = {2, 1}, .dilation = {1, 2}}>(
                      6, n, special) == 0);
        }
}
TEST_CASE("pooling: lengths at which a window has no element are refused") {
    using rows = ad::tensor<float, 1, 2, dyn>;
    static constexpr ad::pool beside{.size = 2, .stride = 1, .padding = 1},
        around{.size = 2, .padding = 1, .dilation = 2};
    CHECK_THROWS_AS(ad::evaluate([](auto x) { return ad::max_pool1d<beside>(x); }, rows(0)), ad::shape_error);
    CHECK_THROWS_AS(ad::evaluate([](auto x) { return ad::avg_pool1d<beside>(x); }, rows(0)), ad::shape_error);
    CHECK_THROWS_AS(ad::evaluate([](auto x) { return ad::max_pool1d<around>(x); }, rows(1)), ad::shape_error);
    CHECK(ad::evaluate([](auto x) { return ad::max_pool1d<beside>(x); }, rows(1)).extent(2) == 2);
    CHECK(ad::evaluate([](auto x) { return ad::max_pool1d<around>(x); }, rows(2)).extent(2) == 1);
}
TEMPLATE_TEST_CASE("avg_pool2d: means over windows and what flows back", "", float, double) {
    double const tolerance = sizeof(TestType) == 4 ? 1e-5 : 1e-13;
    for (std::size_t n : lengths) {
        INFO(n);
        CHECK(worst_mean<TestType, ad::pool{.size = 2}>(4, n) < tolerance);
        CHECK(worst_mean<TestType, ad::pool{.size = 3, .stride = 2, .padding = 1, .ceil = true}>(5, n) < tolerance);
        CHECK(worst_mean<TestType, ad::pool{.size = {3, 3}, .stride = {2, 1}, .padding = {1, 0}}>(5, n) < tolerance);
        CHECK(worst_mean<TestType, ad::pool{.size = 3, .stride = 1, .padding = 1}>(8, n) < tolerance);
        CHECK(worst_mean<TestType, ad::pool{.size = {2, 3}, .stride = 1}>(7, n) < tolerance);
        CHECK(worst_mean<TestType, ad::pool{.size = 3, .stride = 2}>(10, n) < tolerance);
        CHECK(worst_mean<TestType, ad::pool{.size = 3}>(10, n) < tolerance);
        CHECK(worst_mean<TestType, ad::pool{.size = {2, 3}, .stride = {3, 2}, .padding = {0, 1}}>(8, n) < tolerance);
        CHECK(worst_mean<TestType, ad::pool{.size = {3, 4}, .stride = {2, 3}, .padding = 1}>(6, n) < tolerance);
        CHECK(worst_mean<TestType, ad::pool{.size = {4, 5}, .stride = {5, 2}, .padding = 1}>(8, n) < tolerance);
        CHECK(worst_mean<TestType, ad::pool{.size = {5, 3}, .stride = {1, 1}, .padding = 1, .count_padding = false}>(
                  6, n) < tolerance);
    }
}

TEST_CASE("max_pool of pairs: second derivatives, forward mode and vmap go to the largest elements") {
    ad::tensor<double, 2, 1, 5, 9> x;
    std::uint32_t state = 7;
    for (double& v : x) v = static_cast<double>((state = state * 1664525u + 1013904223u) >> 16) / 65536 - 0.5;
    constexpr auto pooled = [](auto u) { return sum(ad::exp(ad::max_pool2d<ad::pool{.size = 2}>(u))); };
    auto const g = ad::grad<0>(pooled)(x);
    constexpr auto steep = [](auto u) {  // the sum of exp(2 v)
        constexpr auto inner = [](auto v) { return sum(ad::exp(ad::max_pool2d<ad::pool{.size = 2}>(v))); };
        return sum(square(ad::grad<0>(inner)(u)));
    };
    auto const s = ad::grad<0>(steep)(x);
    double worst = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        double const e = g.data()[i];
        CHECK((e == 0 || std::abs(e - std::exp(x.data()[i])) < 1e-14));
        worst = std::max(worst, std::abs(s.data()[i] - 2 * e * e));
    }
    CHECK(worst < 1e-13);
    ad::tensor<double, 2, 1, 5, 9> t;
    for (double& v : t) v = 0.5;
    auto const along = ad::jvp(ad::grad<0>(pooled))(x, t).tangent;
    for (std::size_t i = 0; i < x.size(); ++i) CHECK(std::abs(along.data()[i] - 0.5 * g.data()[i]) < 1e-14);
    ad::tensor<double, 2, 2, 1, 5, 9> equal;
    for (double& v : equal) v = 0.25;
    auto const each = ad::vmap(ad::grad<0>(pooled))(equal);
    CHECK(each(1, 1, 0, 2, 2) == std::exp(0.25));
    CHECK(each(1, 1, 0, 3, 2) == 0);
}

TEST_CASE("max_pool of relu(x + y): computed after the largest is found only where y is the same under a window") {
    ad::tensor<double, 2, 2, 5, 7> x;
    ad::tensor<double, 2> bias{0.3, -0.8};
    ad::tensor<double, 7> slope;
    std::uint32_t state = 3;
    for (double& v : x) v = static_cast<double>((state = state * 1664525u + 1013904223u) >> 16) / 32768 - 1;
    for (std::size_t i = 0; i < 7; ++i) slope(i) = i % 2 ? 1.5 : -0.5;
    static constexpr auto pooled = [](auto a) { return ad::max_pool2d<ad::pool{.size = 2}>(ad::relu(a)); };
    auto const y = ad::evaluate(
        [](auto a, auto b, auto c) {
            return pooled(ad::unsqueeze<1, 2>(b) + a) + 100.0 * pooled(a + c) + 10000.0 * pooled(c + a * 0.0);
        },
        x, bias, slope);
    for (std::size_t n = 0; n < y.size(); ++n) {
        std::size_t const image = n / 6, i = n % 6 / 3, j = n % 3;
        double plain = 0, along = 0;
        for (std::size_t k = 0; k < 4; ++k) {
            std::size_t const column = 2 * j + k % 2;
            double const v = x.data()[image * 35 + (2 * i + k / 2) * 7 + column];
            plain = std::max(plain, v + bias(image % 2));
            along = std::max(along, v + slope(column));
        }
        CHECK(std::abs(y.data()[n] - (plain + 100 * along + 15000)) < 1e-9);
    }
    constexpr auto loss = [](auto a, auto b) {
        return sum(ad::exp(ad::max_pool2d<ad::pool{.size = 2}>(ad::relu(a + ad::unsqueeze<1, 2>(b)))));
    };
    CHECK(ad::check_gradient<0, 1>(loss, x, bias).passed);
}

TEST_CASE("avg_pool: the gradient of an image that is larger than a cache") {
    auto const check = [](auto one, std::size_t h, std::size_t w) {
        using T = decltype(one);
        ad::tensor<T, ad::dyn, ad::dyn, ad::dyn> x(3, h, w), g(3, h / 3, w / 3);
        for (std::size_t i = 0; i < g.size(); ++i) g.data()[i] = static_cast<T>(9 * (i % 101));
        constexpr auto mean = [](auto a, auto b) { return sum(ad::avg_pool2d<ad::pool{.size = 3}>(a) * b); };
        auto const dx = ad::grad<0>(mean)(x, g);
        std::size_t wrong = 0;
        for (std::size_t c = 0; c < 3; ++c)
            for (std::size_t i = 0; i < h; ++i)
                for (std::size_t j = 0; j < w; ++j) {
                    bool const covered = i / 3 < h / 3 && j / 3 < w / 3;
                    T const expected = covered ? g(c, i / 3, j / 3) / 9 : T(0);
                    wrong += !(std::abs(dx(c, i, j) - expected) < T(1e-4));
                }
        CHECK(wrong == 0);
    };
    for (std::size_t w = 300; w < 316; ++w) check(1.0f, 301, w);
    check(1.0, 200, 302);
}
