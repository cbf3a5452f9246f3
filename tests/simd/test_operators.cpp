// SPDX-License-Identifier: MIT
// The operators of batches and masks, which operations of one's own are written with.

#include "simd/values.hpp"
#include "support/catch.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <tapeless/simd/simd.hpp>

namespace {

using namespace tapeless;

/// from, from + 1, ...
template <class T>
simd::batch<T> counting(T from) {
    T lane[static_cast<std::size_t>(simd::lanes<T>)];
    for (int i = 0; i < simd::lanes<T>; ++i) lane[i] = static_cast<T>(from + static_cast<T>(i));
    return simd::load(lane);
}

/// What f gives for each pair of lanes of counting(a) and counting(b).
template <class T, class F>
auto each(T a, T b, F f) {
    std::vector<decltype(f(a, b))> v;
    for (int i = 0; i < simd::lanes<T>; ++i)
        v.push_back(f(static_cast<T>(a + static_cast<T>(i)), static_cast<T>(b + static_cast<T>(i))));
    return v;
}

}  // namespace

TEMPLATE_TEST_CASE("operators: arithmetic lane by lane", "", float, double, std::int32_t, std::int64_t) {
    using T = TestType;
    auto const a = counting<T>(-2), b = counting<T>(3);
    CHECK(values(a + b) == each<T>(-2, 3, [](T x, T y) { return static_cast<T>(x + y); }));
    CHECK(values(a - b) == each<T>(-2, 3, [](T x, T y) { return static_cast<T>(x - y); }));
    CHECK(values(a * b) == each<T>(-2, 3, [](T x, T y) { return static_cast<T>(x * y); }));
    CHECK(values(a / b) == each<T>(-2, 3, [](T x, T y) { return static_cast<T>(x / y); }));
    CHECK(values(-a) == each<T>(-2, 3, [](T x, T) { return static_cast<T>(-x); }));
    CHECK(values(+a) == values(a));
}

TEMPLATE_TEST_CASE("operators: a number on either side stands for equal lanes", "", float, double, std::int32_t,
                   std::int64_t) {
    using T = TestType;
    auto const b = counting<T>(3);
    CHECK(values(b - 2) == each<T>(3, 0, [](T x, T) { return static_cast<T>(x - 2); }));
    CHECK(values(2 - b) == each<T>(3, 0, [](T x, T) { return static_cast<T>(2 - x); }));
    CHECK(values(12 / b) == each<T>(3, 0, [](T x, T) { return static_cast<T>(12 / x); }));
    CHECK(values(b / 2) == each<T>(3, 0, [](T x, T) { return static_cast<T>(x / 2); }));
    CHECK(values(4 < b) == each<T>(3, 0, [](T x, T) { return 4 < x; }));
    CHECK(values(b < 4) == each<T>(3, 0, [](T x, T) { return x < 4; }));
}

TEMPLATE_TEST_CASE("operators: assignment", "", float, double, std::int32_t, std::int64_t) {
    using T = TestType;
    auto a = counting<T>(6);
    a += counting<T>(6);
    a -= 2;
    a *= 3;
    a /= counting<T>(5);
    CHECK(values(a) == std::vector<T>(static_cast<std::size_t>(simd::lanes<T>), T(6)));
}

TEMPLATE_TEST_CASE("operators: comparisons", "", float, double, std::int32_t, std::int64_t) {
    using T = TestType;
    auto const a = counting<T>(0);
    simd::batch<T> const b(T(1));
    CHECK(values(a == b) == each<T>(0, 0, [](T x, T) { return x == 1; }));
    CHECK(values(a != b) == each<T>(0, 0, [](T x, T) { return x != 1; }));
    CHECK(values(a < b) == each<T>(0, 0, [](T x, T) { return x < 1; }));
    CHECK(values(a <= b) == each<T>(0, 0, [](T x, T) { return x <= 1; }));
    CHECK(values(a > b) == each<T>(0, 0, [](T x, T) { return x > 1; }));
    CHECK(values(a >= b) == each<T>(0, 0, [](T x, T) { return x >= 1; }));
}

TEMPLATE_TEST_CASE("operators: a NaN is unlike everything, and a zero keeps its sign", "", float, double) {
    using T = TestType;
    simd::batch<T> const nan(std::numeric_limits<T>::quiet_NaN());
    CHECK_FALSE(simd::any(nan == nan));
    CHECK_FALSE(simd::any(nan <= nan || nan >= 0));
    CHECK_FALSE(simd::any(!(nan != nan)));
    CHECK(std::signbit(simd::batch<T>(T(-0.0)).get(0)));
    CHECK(std::signbit((-simd::batch<T>(T(0))).get(0)));
}

TEMPLATE_TEST_CASE("operators: logic on masks", "", float, double, std::int32_t, std::int64_t) {
    using T = TestType;
    auto const x = counting<T>(0);
    auto const a = x < 1, b = x != 1;
    CHECK(values(a && b) == each<T>(0, 0, [](T v, T) { return v < 1; }));
    CHECK(values(a & b) == values(a && b));
    CHECK(values(a || b) == each<T>(0, 0, [](T v, T) { return v != 1; }));
    CHECK(values(a | b) == values(a || b));
    CHECK(values(a ^ b) == each<T>(0, 0, [](T v, T) { return v > 1; }));
    CHECK(values(a != b) == values(a ^ b));
    CHECK(values(a == b) == each<T>(0, 0, [](T v, T) { return !(v > 1); }));
    CHECK(values(!b) == each<T>(0, 0, [](T v, T) { return v == 1; }));
    CHECK(values(~b) == values(!b));
}

TEMPLATE_TEST_CASE("operators: remainders and bits of integers", "", std::int32_t, std::int64_t) {
    using T = TestType;
    auto const a = counting<T>(-7);
    CHECK(values(a % 3) == each<T>(-7, 0, [](T x, T) { return static_cast<T>(x % 3); }));
    CHECK(values(a % 0) == values(a));
    CHECK(values(a & 6) == each<T>(-7, 0, [](T x, T) { return static_cast<T>(x & 6); }));
    CHECK(values(a | 6) == each<T>(-7, 0, [](T x, T) { return static_cast<T>(x | 6); }));
    CHECK(values(6 ^ a) == each<T>(-7, 0, [](T x, T) { return static_cast<T>(x ^ 6); }));
    CHECK(values(~a) == each<T>(-7, 0, [](T x, T) { return static_cast<T>(~x); }));
    CHECK(values(a << 2) == each<T>(-7, 0, [](T x, T) { return static_cast<T>(x * 4); }));
    CHECK(values(a >> 1) == each<T>(-7, 0, [](T x, T) { return static_cast<T>(x >> 1); }));
}

TEMPLATE_TEST_CASE("operators: found by the functions' names as well", "", float, double) {
    using T = TestType;
    auto const x = counting<T>(-1);
    CHECK(values(select(x < 0, 0, x / (1 + abs(x)))) ==
          each<T>(-1, 0, [](T v, T) { return v < 0 ? T(0) : v / (1 + std::abs(v)); }));
}
