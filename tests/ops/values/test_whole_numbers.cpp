// SPDX-License-Identifier: MIT
// Integers and masks as data: arithmetic, comparison, choice, reductions, products, and functions that return them.

#include <limits>

#include "ops/values/storage.hpp"

using namespace storage;

namespace {

template <class T>
std::vector<T> integers(std::size_t n, int step) {
    std::vector<T> x(n);
    for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<T>((static_cast<int>(i) * step) % 11 - 5);
    return x;
}

constexpr auto mixed_arithmetic = [](auto a, auto b) {
    return where(a < b, maximum(a, -b) * 3, abs(a - b)) + a / b - sign(b) + square(a) - minimum(a, 2);
};
template <class T>
T mixed_arithmetic_of(T a, T b) {
    T const quotient = b == 0 ? T(0) : static_cast<T>(a / b), sign = static_cast<T>((b > 0) - (b < 0));
    return static_cast<T>((a < b ? 3 * std::max(a, static_cast<T>(-b)) : std::abs(static_cast<T>(a - b))) + quotient -
                          sign + a * a - std::min(a, T(2)));
}

}  // namespace

TEMPLATE_TEST_CASE("integers: arithmetic at every length, a quotient by 0 being 0", "", std::int32_t, std::int64_t) {
    auto f = ad::fused(mixed_arithmetic);
    for (std::size_t n : lengths) {
        auto const a = integers<TestType>(n, 3), b = integers<TestType>(n, 7);
        auto const y = f(a, b);
        static_assert(std::is_same_v<decltype(y), ad::tensor<TestType, ad::dyn> const>);
        for (std::size_t i = 0; i < n; ++i) CHECK(y(i) == mixed_arithmetic_of(a[i], b[i]));
    }
    TestType const least = std::numeric_limits<TestType>::min();
    auto const q = ad::evaluate([](auto a, auto b) { return a / b; }, std::vector<TestType>{least, least, 7, -7, 7},
                                std::vector<TestType>{-1, 2, 0, 2, -1});
    CHECK(same(q, std::vector<TestType>{least, least / 2, 0, -3, -7}));
}

TEMPLATE_TEST_CASE("integers: reductions and products are exact", "", std::int32_t, std::int64_t) {
    constexpr TestType big = std::numeric_limits<TestType>::max() / 8;
    ad::tensor<TestType, ad::dyn, 3> const a{{big, -1, 2}, {3, big - 1, -5}, {-big, 4, 6}, {1, 1, 1}, {0, -9, 2}};
    CHECK(ad::evaluate([](auto x) { return sum<0>(x); }, a) == ad::tensor<TestType, 3>{4, big - 6, 6});
    CHECK(ad::evaluate([](auto x) { return max<1>(x) - min<1>(x); }, a) ==
          ad::tensor<TestType, ad::dyn>{big + 1, big + 4, big + 6, 0, 11});
    CHECK(ad::evaluate([](auto x) { return matmul(transpose(x), x) - sum(x); },
                       ad::tensor<TestType, 2, 2>{{1, 2}, {3, -4}}) == ad::tensor<TestType, 2, 2>{{8, -12}, {-12, 18}});
}

TEST_CASE("masks: equality, choice and counting") {
    ad::tensor<bool, ad::dyn> const p{true, false, true, true, false, false, true},
        q{true, true, false, true, false, true, true};
    std::vector<double> const x{1, -1, 1, -1, 1, -1, 1};
    auto const chosen = ad::evaluate([](auto a, auto b, auto c) { return where(c > 0.0, a, b) != (a && b); }, p, q, x);
    CHECK(chosen == ad::tensor<bool, ad::dyn>{false, true, true, false, false, true, false});
    CHECK(ad::evaluate([](auto a, auto b) { return a == b || !a; }, p, q) ==
          ad::tensor<bool, ad::dyn>{true, true, false, true, true, true, true});
    auto const count = ad::evaluate([](auto a, auto c) { return sum(a && c > 0.0); }, p, x);
    static_assert(std::is_same_v<decltype(count), std::int64_t const>);
    CHECK(count == 3);
    CHECK(ad::evaluate([](auto a) { return sum<0>(a); },
                       ad::tensor<bool, 2, 3>{{true, false, true}, {true, false, false}}) ==
          ad::tensor<std::int64_t, 3>{2, 0, 1});
}

TEST_CASE("masks: an argument handed through, transposed, strided, of rank 0 and of no length") {
    ad::tensor<bool, 2, 3> const m{{true, false, true}, {true, true, false}};
    CHECK(ad::evaluate([](auto a) { return a; }, m) == m);
    CHECK(ad::evaluate([](auto a) { return !transpose(a); }, m) ==
          ad::tensor<bool, 3, 2>{{false, false}, {true, false}, {false, true}});
    ad::view<bool const, ad::dyn> const every_second(m.data(), 3, std::array<std::ptrdiff_t, 1>{2});
    CHECK(ad::evaluate([](auto a) { return where(a, 1.5f, ad::cast<float>(a)); }, every_second) ==
          ad::tensor<float, ad::dyn>{1.5f, 1.5f, 1.5f});
    CHECK(ad::evaluate([](auto a, auto b) { return a && b; }, true, m) == m);
    CHECK(ad::evaluate([](auto a) { return sum(a) == 0; }, ad::tensor<bool, ad::dyn>(0)) == true);
}

TEST_CASE("integers: arguments beside floating-point ones, and none of the gradient") {
    auto f = [](auto x, auto k) { return sum(x * ad::cast<float>(k)) + sum(where(k > 2, x, 0)); };
    std::vector<ad::half> const x{1, 2, 3, 4, 5};
    std::vector<std::int64_t> const k{3, 0, -1, 7, 2};
    CHECK(ad::grad<0>(f)(x, k) == std::vector<ad::half>{4, 0, -1, 8, 2});
}

TEST_CASE("integers: constants meet only where their product is one that the elements can hold") {
    std::vector<std::int32_t> const x{2, -3};
    auto const y = ad::evaluate([](auto v) { return v * 100000 * 100000; }, x);  // modulo 2^32, as in the loop
    CHECK(y(0) == -1474836480);
    CHECK(y(1) == 64771072);
    auto const z =
        ad::evaluate([](auto v) { return v * 1000 * 1000 + 9007199254740991; }, std::vector<std::int64_t>{2, -3});
    CHECK(z(0) == 9007199256740991);
    CHECK(z(1) == 9007199251740991);
}
