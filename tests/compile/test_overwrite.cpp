// SPDX-License-Identifier: MIT
// Results written over the arguments they are computed from: right whatever the loops do, in place where they can be.

#include <tapeless/tapeless.hpp>

#include <array>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "support/catch.hpp"

namespace ad = tapeless;
using ad::dyn;

namespace {

template <class T>
ad::tensor<T, dyn, dyn> filled(std::size_t n, std::size_t m, double phase) {
    ad::tensor<T, dyn, dyn> x(n, m);
    for (std::size_t i = 0; i < n * m; ++i)
        x.data()[i] = static_cast<T>(std::sin(0.7 * static_cast<double>(i) + phase));
    return x;
}

/// Sizes around lanes, tiles and blocks.
std::vector<std::size_t> const lengths{0,  1,  2,  3,  4,  5,   7,   8,   9,   15,  16, 17,
                                       31, 33, 63, 64, 65, 127, 128, 129, 255, 257, 300};

/// f(x, w) into new memory, and into x itself.
template <class T, class F>
void check_over_argument(F const& f) {
    auto fresh = ad::fused(f), over = ad::fused(f);
    for (std::size_t n : lengths)
        for (std::size_t m : {std::size_t{1}, std::size_t{3}, std::size_t{8}, n}) {
            auto x = filled<T>(n, m, 0.1);
            auto const w = filled<T>(m, m, 0.2);
            auto const expected = fresh(x, w);
            over(ad::into(x), x, w);
            REQUIRE(x == expected);
        }
}
template <class T, class F>
void check_gradient_over_argument(F const& f) {
    auto fresh = ad::value_and_grad<0>(f), over = ad::value_and_grad<0>(f);
    for (std::size_t n : lengths)
        for (std::size_t m : {std::size_t{1}, std::size_t{3}, std::size_t{8}}) {
            auto x = filled<T>(n, m, 0.1);
            auto const w = filled<T>(m, m, 0.2);
            auto const [value, gradient] = fresh(x, w);
            T const v = over(ad::into(x), x, w);
            REQUIRE(v == value);
            REQUIRE(x == gradient);
        }
}

}  // namespace

TEMPLATE_TEST_CASE("overwrite: a function of an array written over it", "", float, double) {
    check_over_argument<TestType>([](auto x, auto) { return 2.0 * x + 1.0; });
    check_over_argument<TestType>([](auto x, auto) { return softmax(x); });
    check_over_argument<TestType>([](auto x, auto) { return x - mean<0>(x); });
    check_over_argument<TestType>([](auto x, auto) { return ad::flip<0>(x) + x; });
    check_over_argument<TestType>([](auto x, auto) { return ad::roll<1>(x, 1); });
    check_over_argument<TestType>([](auto x, auto) { return ad::cumsum<0>(x); });
    check_over_argument<TestType>([](auto x, auto w) { return tanh(matmul(x, w)); });
    check_over_argument<TestType>([](auto x, auto w) { return x + matmul(x, w); });
    check_over_argument<TestType>([](auto x, auto) {
        return std::get<1>(ad::scan([](auto h, auto v) { return std::pair(h + v, h * v); }, 0.0 * sum<0>(x), x));
    });
}

TEMPLATE_TEST_CASE("overwrite: a gradient written over its argument, and the value beside it", "", float, double) {
    check_gradient_over_argument<TestType>([](auto x, auto) { return sum(square(x)); });
    check_gradient_over_argument<TestType>([](auto x, auto) { return sum(square(softmax(x) - x)); });
    check_gradient_over_argument<TestType>([](auto x, auto) { return sum(square(sum<0>(x)) + sum<0>(tanh(x))); });
    check_gradient_over_argument<TestType>([](auto x, auto w) { return sum(square(matmul(tanh(x), w))); });
    check_gradient_over_argument<TestType>([](auto x, auto) { return sum(square(x - ad::roll<0>(x, 1))); });
}

TEST_CASE("overwrite: a gradient written over an argument of another gradient's, and both over each other's") {
    auto f = [](auto a, auto b) { return sum(a * square(b)); };
    auto both = ad::value_and_grad<0, 1>(f);
    std::vector<double> a{1, 2, 3}, b{4, 5, 6};
    auto const [value, gradients] = both(a, b);
    CHECK(both(ad::into(b, a), a, b) == value);
    CHECK(b == std::get<0>(gradients));
    CHECK(a == std::get<1>(gradients));
}

TEST_CASE("overwrite: parts of one memory, shifted against each other") {
    auto next = ad::fused([](auto x) { return 3.0 * x; });
    for (std::size_t n : lengths)
        for (std::ptrdiff_t shift : {-9, -4, -1, 0, 1, 3, 5, 64}) {
            std::vector<double> memory(n + 200), expected;
            for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<double>(i);
            expected = memory;
            for (std::size_t i = 0; i < n; ++i)
                expected[static_cast<std::size_t>(80 + shift) + i] = 3.0 * memory[80 + i];
            next(ad::into(std::span<double>(memory.data() + 80 + shift, n)), std::span<double>(memory.data() + 80, n));
            REQUIRE(memory == expected);
        }
}

TEST_CASE("overwrite: a transposed target over a matrix") {
    ad::tensor<double, 5, 5> x, y;
    for (int i = 0; i < 25; ++i) x(i / 5, i % 5) = y(i / 5, i % 5) = i;
    auto f = ad::fused([](auto a) { return 2.0 * a; });
    f(ad::into(ad::view<double, 5, 5>(x.data(), std::array<std::ptrdiff_t, 2>{1, 5})), x);
    for (int i = 0; i < 5; ++i)
        for (int j = 0; j < 5; ++j) CHECK(x(j, i) == 2 * y(i, j));
}

TEST_CASE("overwrite: the transpose of a square matrix over it") {
    ad::tensor<double, 5, 5> x, y;
    for (int i = 0; i < 25; ++i) x(i / 5, i % 5) = y(i / 5, i % 5) = i;
    auto f = ad::fused([](auto a) { return transpose(a) - 0.5 * a; });
    f(ad::into(x), x);
    for (int i = 0; i < 5; ++i)
        for (int j = 0; j < 5; ++j) CHECK(x(i, j) == y(j, i) - 0.5 * y(i, j));
}

TEST_CASE("overwrite: columns of one matrix as argument and target are not taken for the same memory") {
    ad::tensor<double, 6, 2> both;
    for (int i = 0; i < 6; ++i) both(i, 0) = i, both(i, 1) = -1;
    using column = ad::view<double, 6>;
    std::array<std::ptrdiff_t, 1> const stride{2};
    auto f = ad::fused([](auto a) { return a + ad::flip<0>(a); });
    f(ad::into(column(both.data() + 1, stride)), column(both.data(), stride));
    for (int i = 0; i < 6; ++i) CHECK((both(i, 0) == i && both(i, 1) == 5));
}

TEST_CASE("overwrite: what is read again later in the row is not written over before") {
    auto f = ad::fused([](auto x) { return std::tuple(2.0 * x, x - sum<1>(x, ad::keepdims)); });
    for (std::size_t n : lengths)
        for (std::size_t m : {std::size_t{1}, std::size_t{5}, std::size_t{64}, std::size_t{129}}) {
            auto x = filled<double>(n, m, 0.4);
            auto const [twice, rest] = f(x);
            ad::tensor<double, dyn, dyn> y(n, m);
            f(ad::into(x, y), x);
            REQUIRE(x == twice);
            REQUIRE(y == rest);
        }
}

TEST_CASE("overwrite: a number's gradient over the number") {
    double w = 3;
    std::vector<double> const x{1, 2, 3};
    CHECK(ad::value_and_grad<0>([](auto a, auto v) { return sum(square(a * v)); })(ad::into(w), w, x) == 126);
    CHECK(w == 84);
}

TEST_CASE("overwrite: tangents and products over arguments") {
    auto f = [](auto x) { return x * ad::flip<0>(x); };
    ad::tensor<double, 4> x{1, 2, 3, 4}, t{1, 0, 2, 1};
    auto jvp = ad::jvp<0>(f);
    auto const [value, tangent] = jvp(x, t);
    ad::tensor<double, 4> y = x, u = t;
    jvp(ad::into(y, u), y, u);
    CHECK(y == value);
    CHECK(u == tangent);
}

TEST_CASE("overwrite: two targets that have memory in common are refused before anything is written") {
    auto both = ad::value_and_grad<0, 1>([](auto a, auto b) { return sum(a * b); });
    std::vector<double> const a{1, 2, 3}, b{4, 5, 6};
    std::vector<double> g(5, -1.0);
    auto refused = [&](auto const& targets) {
        try {
            both(targets, a, b);
        } catch (ad::alias_error const& e) {
            return std::string(e.what());
        }
        return std::string("nothing was thrown");
    };
    std::span<double> const first(g.data(), 3), second(g.data() + 2, 3);
    CHECK(refused(ad::into(first, first)).find("targets 0 and 1") != std::string::npos);
    CHECK(refused(ad::into(first, second)).find("targets 0 and 1") != std::string::npos);
    CHECK(g == std::vector<double>(5, -1.0));

    std::vector<double> interleaved(6);
    using every_other = ad::view<double, dyn>;
    std::array<std::ptrdiff_t, 1> const stride{2};
    CHECK(both(ad::into(every_other(interleaved.data(), 3, stride), every_other(interleaved.data() + 1, 3, stride)), a,
               b) == 32);
    CHECK(interleaved == std::vector<double>{4, 1, 5, 2, 6, 3});
}
