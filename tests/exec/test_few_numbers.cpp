// SPDX-License-Identifier: MIT
// Programs of a few numbers, which are one function each: rows between zeros, or that go on at their other end, whose
// tiles are written out; targets over arguments; values that go from kernel to kernel.

#include <tapeless/tapeless.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>

#include "support/catch.hpp"

namespace ad = tapeless;

namespace {

constexpr auto rosenbrock = [](auto x) {
    auto const a = ad::slice<0, 0, -1>(x);
    auto const b = ad::slice<0, 1, ad::to_end>(x);
    return sum(100.0 * square(b - square(a)) + square(1.0 - a));
};
constexpr auto around = [](auto x) { return sum(x * exp(0.5 * ad::roll<0>(x, 1))); };
constexpr auto quadratic = [](auto x, auto a) { return dot(x, matmul(a, x)); };

template <class T, std::size_t N>
std::array<T, N> waves(double first) {
    std::array<T, N> x;
    for (T& v : x) v = static_cast<T>(std::sin(first += 0.7));
    return x;
}
template <class T, std::size_t N>
T rosenbrock_by_hand(std::array<T, N>& g, std::array<T, N> const& x) {
    T value = 0;
    g.fill(0);
    for (std::size_t i = 0; i + 1 < N; ++i) {
        T const d = x[i + 1] - x[i] * x[i], e = 1 - x[i];
        value += 100 * d * d + e * e;
        g[i] += -400 * d * x[i] - 2 * e;
        g[i + 1] += 200 * d;
    }
    return value;
}
template <class T, std::size_t N>
T around_by_hand(std::array<T, N>& g, std::array<T, N> const& x) {
    T value = 0;
    g.fill(0);
    for (std::size_t i = 0; i < N; ++i) {
        std::size_t const before = (i + N - 1) % N;
        T const e = std::exp(x[before] / 2);
        value += x[i] * e;
        g[i] += e;
        g[before] += x[i] * e / 2;
    }
    return value;
}
template <class T, std::size_t N>
void are_alike(std::array<T, N> const& made, std::array<T, N> const& expected) {
    for (std::size_t i = 0; i < N; ++i) {
        CAPTURE(N, i);
        CHECK(made[i] == Approx(expected[i]).epsilon(1e-4).margin(1e-4));
    }
}

template <class T, std::size_t N>
void check_rows() {
    auto const x = waves<T, N>(0.3);
    std::array<T, N> g, h;
    auto slices = ad::value_and_grad(rosenbrock);
    auto rolled = ad::value_and_grad(around);
    CHECK(slices(ad::into(g), x) == Approx(rosenbrock_by_hand(h, x)).epsilon(1e-4));
    are_alike(g, h);
    are_alike(slices(x).grad, h);
    CHECK(rolled(ad::into(g), x) == Approx(around_by_hand(h, x)).epsilon(1e-4));
    are_alike(g, h);
}

/// The program that a call runs.
template <class Step, class... A>
using program_of = typename Step::template program_for<ad::detail::argument_list<>, A...>;

}  // namespace

TEMPLATE_TEST_CASE("few numbers: rows between zeros and around their ends, of any length", "", float, double) {
    check_rows<TestType, 2>(), check_rows<TestType, 3>(), check_rows<TestType, 5>(), check_rows<TestType, 8>();
    check_rows<TestType, 10>(), check_rows<TestType, 17>(), check_rows<TestType, 33>();
}

TEST_CASE("few numbers: a gradient over its argument, or over some of its elements") {
    auto step = ad::value_and_grad(rosenbrock);
    auto const x = waves<double, 10>(0.3);
    std::array<double, 10> h, over = x;
    double const value = rosenbrock_by_hand(h, x);
    CHECK(step(ad::into(over), over) == Approx(value));
    are_alike(over, h);
    for (std::size_t by : {0u, 1u, 3u, 9u, 10u})
        for (bool const before : {false, true}) {
            std::array<double, 20> both{};
            std::span<double, 10> const from(both.data() + (before ? by : 0), 10), to(both.data() + (before ? 0 : by), 10);
            std::copy(x.begin(), x.end(), from.begin());
            CHECK(step(ad::into(to), from) == Approx(value));
            std::array<double, 10> made;
            std::copy(to.begin(), to.end(), made.begin());
            are_alike(made, h);
        }
}

TEST_CASE("few numbers: two targets that meet are refused") {
    auto step = ad::grad<0, 1>([](auto x, auto y) { return sum(x * y); });
    std::array<double, 4> const x = waves<double, 4>(0), y = waves<double, 4>(1);
    std::array<double, 7> both{};
    std::span<double, 4> const g(both.data(), 4), h(both.data() + 3, 4);
    CHECK_THROWS_AS(step(ad::into(g, h), x, y), ad::alias_error);
}

TEST_CASE("few numbers: which programs are one function") {
    using scalar = decltype(ad::value_and_grad<0>(quadratic));
    STATIC_REQUIRE(program_of<scalar, ad::tensor<double, 3>, ad::tensor<double, 3, 3>>::find_few() ==
                   ad::detail::this_build::optimised);
    STATIC_REQUIRE(!program_of<scalar, ad::tensor<double, 60>, ad::tensor<double, 60, 60>>::find_few());
    STATIC_REQUIRE(!program_of<scalar, ad::tensor<double, ad::dyn>, ad::tensor<double, ad::dyn, ad::dyn>>::find_few());

    auto step = ad::value_and_grad<0>(quadratic);  // two kernels, the first of which leaves two arrays
    ad::tensor<double, 3> const x{1, 2, 3};
    ad::tensor<double, 3, 3> const a{{1, 0, 2}, {0, 3, 0}, {4, 0, 5}};
    auto const [value, grad] = step(x, a);
    CHECK(value == 1 + 12 + 45 + 18);
    CHECK(grad == ad::tensor<double, 3>{2 + 18, 12, 6 + 30});
}
