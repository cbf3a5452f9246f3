// SPDX-License-Identifier: MIT
// Numbers, and single values, where arrays of the function could stand: in stack, in concat of vectors, and a bool as
// the mask of where.

#include <support/catch.hpp>
#include <vector>

#include "support/agree.hpp"

namespace ad = tapeless;

namespace {

template <class T>
std::vector<T> counted(int n) {
    std::vector<T> v(static_cast<std::size_t>(n));
    for (int i = 0; i < n; ++i) v[static_cast<std::size_t>(i)] = static_cast<T>(0.25 * i - 1);
    return v;
}

constexpr auto between = [](auto x) { return sum(square(concat<0>(1.5, x * x, -2, x))); };
constexpr auto beside = [](auto x) { return sum(square(stack<1>(x, 0.5, x * x) + 1.0)); };
constexpr auto chosen = [](auto x) { return sum(where(true, x * x, 3.0)) + sum(where(false, x, 2.0)); };

}  // namespace

TEMPLATE_TEST_CASE("concat, stack: a number is an element of a vector, or an array like those beside it", "", float,
                   double) {
    for (int n : {0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 33}) {
        INFO(n << " elements");
        CHECK(oracle::agree<0>(between, counted<TestType>(n)) == "");
        CHECK(oracle::agree<0>(beside, counted<TestType>(n)) == "");
    }
    auto const y = ad::evaluate([](auto x) { return concat<0>(0.0, cumsum<0>(x)); }, std::vector<TestType>{1, 2, 3});
    CHECK(std::vector<TestType>(y.begin(), y.end()) == std::vector<TestType>{0, 1, 3, 6});
}

TEST_CASE("concat, stack: a single value of the function is an element of a vector, or an array like those beside it") {
    using numbers = std::vector<double>;
    auto ends = [](auto x, auto k) { return concat<0>(k, x, 0.5, x[-1] * k); };
    auto columns = [](auto x) { return stack<1>(x[1], x, 1.0); };
    auto [y, g] = ad::vjp<0, 1>(ends)(numbers{2, 3}, 5.0, numbers{1, 10, 100, 1000, 10000});
    CHECK(numbers(y.begin(), y.end()) == numbers{5, 2, 3, 0.5, 15});
    CHECK(std::get<0>(g) == numbers{10, 50100});
    CHECK(std::get<1>(g) == 30001);
    auto [z, h] = ad::vjp(columns)(numbers{2, 3}, ad::tensor<double, 2, 3>{{1, 10, 100}, {1000, 10000, 100000}});
    CHECK(numbers(z.begin(), z.end()) == numbers{3, 2, 1, 3, 3, 1});
    CHECK(h == numbers{10, 11001});
    auto masks = [](auto x) { return where(stack(x[0] > 2.5, x > 2.5), x, -x); };
    auto const m = ad::evaluate(masks, ad::tensor<double, 2>{2, 3});
    CHECK(numbers(m.begin(), m.end()) == numbers{-2, -3, -2, 3});
}

TEST_CASE("stack: numbers beside elements make a state") {
    auto fall = [](auto state, auto steps) {
        return ad::fold([](auto s, auto dt) { return s + dt * stack(s[1], -9.75); }, state, steps)[0];
    };
    auto [height, gradient] =
        ad::value_and_grad<0>(fall)(ad::tensor<double, 2>{100, 8}, std::vector<double>(4, 0.25));
    CHECK(height == 100 + 8 - 9.75 * 0.25 * 0.25 * (1 + 2 + 3));
    CHECK(gradient(0) == 1);
    CHECK(gradient(1) == 1);
}

TEST_CASE("where: a bool chooses for all elements") {
    for (int n : {0, 1, 3, 4, 5, 8, 17}) CHECK(oracle::agree<0>(chosen, counted<double>(n)) == "");
    auto masks = [](auto x) { return sum(where(where(true, x > 2.0, x > 5.0), x, 0.0)); };
    CHECK(ad::evaluate(masks, ad::tensor<double, 3>{1, 2, 3}) == 3);
}
