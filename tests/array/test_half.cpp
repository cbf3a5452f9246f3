// SPDX-License-Identifier: MIT
// half and bfloat16: every bit pattern, rounding beside the definition, limits, and what they are in C++.

#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "support/catch.hpp"

#include <tapeless/array/makers.hpp>
#include <tapeless/simd/half.hpp>

namespace ad = tapeless;

namespace {

/// The value of a pattern by definition: (-1)^s 2^(e - bias) (1 + m), or without the 1 where e is 0.
template <class T>
double defined_value(unsigned bits) {
    constexpr int mantissa = std::numeric_limits<T>::digits - 1, bias = std::numeric_limits<T>::max_exponent - 1;
    int const e = static_cast<int>(bits >> mantissa & ((1u << (15 - mantissa)) - 1)),
              m = static_cast<int>(bits & ((1u << mantissa) - 1));
    double const sign = bits & 0x8000 ? -1 : 1;
    if (e == 2 * bias + 1) return m ? std::nan("") : sign * std::numeric_limits<double>::infinity();
    return sign * (e ? std::ldexp((1 << mantissa) + m, e - bias - mantissa) : std::ldexp(m, 1 - bias - mantissa));
}

/// The nearest number by search: no arithmetic in common with the library.
template <class T>
std::uint16_t nearest(double x) {
    if (std::isnan(x)) return std::numeric_limits<T>::quiet_NaN().bits;
    std::uint16_t const sign = std::signbit(x) ? 0x8000 : 0, infinity = std::numeric_limits<T>::infinity().bits;
    double const a = std::abs(x);
    unsigned low = 0, high = infinity;  // the largest pattern whose value is at most a
    while (low < high) {
        unsigned const middle = (low + high + 1) / 2;
        if (defined_value<T>(middle) <= a) low = middle;
        else high = middle - 1;
    }
    if (low == infinity) return static_cast<std::uint16_t>(sign | infinity);
    // beyond the largest number comes the next power of two, which would be infinite
    double const below = defined_value<T>(low);
    double const above = low + 1 == infinity ? 2 * below - defined_value<T>(low - 1) : defined_value<T>(low + 1);
    bool const up = a - below > above - a || (a - below == above - a && (low & 1));
    return static_cast<std::uint16_t>(sign | (low + up));
}

template <class T>
std::vector<double> interesting_numbers() {
    std::vector<double> x{0.0,
                          -0.0,
                          1e-300,
                          -1e-300,
                          5e-324,
                          1e300,
                          -1e300,
                          std::nan(""),
                          -std::nan(""),
                          1.0 / 3.0,
                          std::numeric_limits<double>::infinity(),
                          -std::numeric_limits<double>::infinity()};
    unsigned const infinity = std::numeric_limits<T>::infinity().bits;
    for (unsigned b = 0; b < infinity; b += b < 2100 || b > infinity - 40 ? 1 : 37) {
        double const v = defined_value<T>(b),
                     next = b + 1 == infinity ? 2 * v - defined_value<T>(b - 1) : defined_value<T>(b + 1);
        double const middle = v + (next - v) / 2;
        for (double y : {v, middle, std::nextafter(middle, 0), std::nextafter(middle, 1e300),
                         double(std::nextafter(float(middle), 0.0f)), double(std::nextafter(float(middle), 1e30f))})
            x.push_back(b & 1 ? y : -y);
    }
    std::mt19937_64 rng(1);
    for (int i = 0; i < 4000; ++i)
        x.push_back(std::ldexp(2 * ad::detail::uniform_unit(rng) - 1, static_cast<int>(rng() % 300) - 150));
    return x;
}

template <class T>
bool same(T a, std::uint16_t b) {
    bool const both_nan = std::isnan(float(a)) && std::isnan(float(T::from_bits(b)));
    return both_nan ? (a.bits & 0x8000) == (b & 0x8000) || b == std::numeric_limits<T>::quiet_NaN().bits : a.bits == b;
}

}  // namespace

TEMPLATE_TEST_CASE("half, bfloat16: every pattern has its value, and comes back from float and double", "", ad::half,
                   ad::bfloat16) {
    unsigned wrong = 0;
    for (unsigned b = 0; b < 65536; ++b) {
        auto const h = TestType::from_bits(static_cast<std::uint16_t>(b));
        double const v = defined_value<TestType>(b);
        float const f = h;
        if (std::isnan(v))
            wrong +=
                !std::isnan(f) || std::signbit(f) != (b >> 15) || TestType(f).bits != (b | TestType::format::quiet);
        else wrong += double(f) != v || std::signbit(f) != (b >> 15) || TestType(f).bits != b || TestType(v).bits != b;
    }
    CHECK(wrong == 0);
}

TEMPLATE_TEST_CASE("half, bfloat16: numbers are rounded to the nearest, the even one of two", "", ad::half,
                   ad::bfloat16) {
    unsigned wrong = 0;
    for (double x : interesting_numbers<TestType>()) {
        wrong += !same(TestType(x), nearest<TestType>(x));
        wrong += !same(TestType(float(x)), nearest<TestType>(double(float(x))));
    }
    CHECK(wrong == 0);
}

TEMPLATE_TEST_CASE("half, bfloat16: batches are converted like numbers, by instructions and by hand", "", ad::half,
                   ad::bfloat16) {
    namespace simd = ad::simd;
    constexpr int n = simd::lanes<float>;
    unsigned wrong = 0;
    for (unsigned b = 0; b < 65536; b += n) {
        TestType h[n], back[n], by_hand[n];
        float f[n], g[n];
        for (int i = 0; i < n; ++i)
            h[i] = TestType::from_bits(static_cast<std::uint16_t>(b + static_cast<unsigned>(i)));
        simd::store(f, simd::widen(simd::load(h)));
        simd::store(g, simd::detail::widen_by_hand(simd::load(h)));
        simd::store(back, simd::narrow<TestType>(simd::load(f)));
        simd::store(by_hand, simd::detail::narrow_by_hand<TestType>(simd::load(g)));
        for (int i = 0; i < n; ++i) {
            float const want = h[i];
            wrong += std::memcmp(&f[i], &want, 4) != 0 || std::memcmp(&g[i], &want, 4) != 0;
            wrong += back[i].bits != TestType(want).bits || by_hand[i].bits != TestType(want).bits;
        }
    }
    CHECK(wrong == 0);

    auto numbers = interesting_numbers<TestType>();
    while (numbers.size() % n) numbers.push_back(0);
    for (std::size_t i = 0; i < numbers.size(); i += n) {
        TestType h[n], by_hand[n], from_double[n];
        float f[n];
        for (int j = 0; j < n; ++j) f[j] = float(numbers[i + static_cast<std::size_t>(j)]);
        simd::store(h, simd::narrow<TestType>(simd::load(f)));
        simd::store(by_hand, simd::detail::narrow_by_hand<TestType>(simd::load(f)));
        simd::batch<double> d[n / simd::lanes<double>];
        for (int j = 0; j < n / simd::lanes<double>; ++j)
            d[j] = simd::load(numbers.data() + i + static_cast<std::size_t>(j * simd::lanes<double>));
        simd::store(from_double, simd::narrow<TestType>(d));
        for (int j = 0; j < n; ++j) {
            wrong += !same(h[j], nearest<TestType>(double(f[j]))) || !same(by_hand[j], nearest<TestType>(double(f[j])));
            wrong += !same(from_double[j], nearest<TestType>(numbers[i + static_cast<std::size_t>(j)]));
        }
    }
    CHECK(wrong == 0);
}

TEMPLATE_TEST_CASE("half, bfloat16: limits are what the patterns say", "", ad::half, ad::bfloat16) {
    using limits = std::numeric_limits<TestType>;
    CHECK(float(limits::epsilon()) == std::ldexp(1.0f, 1 - limits::digits));
    CHECK(float(TestType(1 + float(limits::epsilon()))) == 1 + float(limits::epsilon()));
    CHECK(float(TestType(1 + float(limits::epsilon()) / 2)) == 1);
    CHECK(double(limits::min()) == std::ldexp(1.0, limits::min_exponent - 1));
    CHECK(double(limits::denorm_min()) == std::ldexp(1.0, limits::min_exponent - limits::digits));
    CHECK(double(limits::max()) == std::ldexp(2.0 - double(limits::epsilon()), limits::max_exponent - 1));
    CHECK(limits::lowest() == -float(limits::max()));
    CHECK(std::isinf(float(limits::infinity())));
    CHECK(std::isnan(float(limits::quiet_NaN())));
    CHECK(std::isinf(float(TestType(std::ldexp(1.0, limits::max_exponent)))));
}

TEMPLATE_TEST_CASE("half, bfloat16: elements of arrays like other numbers", "", ad::half, ad::bfloat16) {
    static_assert(sizeof(TestType) == 2 && std::is_trivially_copyable_v<TestType> &&
                  std::is_trivially_default_constructible_v<TestType>);
    static_assert(ad::element<TestType>);
    static_assert(float(TestType(1.5f) + TestType(2)) == 3.5f && TestType(0.25) < 1 && TestType(3) == 3);
    ad::tensor<TestType, 3> a{1, 2.5, 3};
    CHECK(a(1) == 2.5f);
    a(1) += 1;
    CHECK(a == ad::tensor<TestType, 3>{1, 3.5f, 3});
    CHECK(ad::zeros_like(a) == ad::tensor<TestType, 3>{0, 0, 0});
    CHECK(ad::zeros_like(std::vector<TestType>(2)).size() == 2);
    CHECK(ad::zeros_like(TestType(4)) == 0);
    ad::fill(a, 0.5);
    CHECK(a(2) == 0.5f);
    CHECK(ad::eye<TestType, 2>()(1, 1) == 1);
    CHECK(ad::arange<TestType>(4)(3) == 3);
    CHECK(ad::linspace<TestType>(0, 1, 5)(1) == 0.25f);
    std::mt19937 rng(3);
    ad::fill_uniform(a, rng, 1, 2);
    for (TestType x : a) CHECK((x >= 1 && x < 2));
    ad::fill_normal(a, rng);
    CHECK(static_cast<ad::half>(ad::bfloat16(0.75)) == static_cast<ad::bfloat16>(ad::half(0.75)));
}
