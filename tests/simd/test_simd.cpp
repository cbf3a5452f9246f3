// SPDX-License-Identifier: MIT
// Loads, stores, masks, conversions and the elementary operations, for every value type.

#include "simd/values.hpp"
#include "support/catch.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

#include <tapeless/simd/move_lanes.hpp>
#include <tapeless/simd/simd.hpp>

namespace {

using namespace tapeless;

template <class T>
std::vector<T> counting(int n, T from = T(1)) {
    std::vector<T> v;
    for (int i = 0; i < n; ++i) v.push_back(static_cast<T>(from + static_cast<T>(i)));
    return v;
}

template <class T>
T lane(simd::batch<T> b, int i) {
    return values<T>(b)[static_cast<std::size_t>(i)];
}

template <class T>
constexpr T nan_of = std::numeric_limits<T>::quiet_NaN();

}  // namespace

TEMPLATE_TEST_CASE("load and store: any alignment, every lane", "", float, double, std::int32_t, std::int64_t) {
    using T = TestType;
    auto const in = counting<T>(simd::lanes<T> + 1);
    std::vector<T> out(in.size() + 1, T(0));
    simd::store(out.data() + 1, simd::load(in.data() + 1));
    for (std::size_t i = 1; i < in.size(); ++i) CHECK(out[i] == in[i]);
    CHECK(out.back() == T(0));
}

TEMPLATE_TEST_CASE("load_partial: the first n lanes, the others filled", "", float, double, std::int32_t,
                   std::int64_t) {
    using T = TestType;
    for (int n = 0; n <= simd::lanes<T>; ++n) {
        auto const in = counting<T>(n);  // exactly n elements: an address sanitiser would see a read beyond them
        auto const got = values<T>(simd::load_partial(in.data(), n, T(7)));
        for (int i = 0; i < simd::lanes<T>; ++i)
            CHECK(got[static_cast<std::size_t>(i)] == (i < n ? static_cast<T>(i + 1) : T(7)));
    }
}

TEMPLATE_TEST_CASE("move_lanes: by any number of lanes, zeros where none came from", "", float, double) {
    using T = TestType;
    auto const in = counting<T>(simd::lanes<T>);
    for (int by = -simd::lanes<T>; by <= simd::lanes<T>; ++by) {
        auto const got = values<T>(simd::move_lanes<T>(simd::load(in.data()), by));
        for (int i = 0; i < simd::lanes<T>; ++i) {
            bool const there = i - by >= 0 && i - by < simd::lanes<T>;
            CHECK(got[static_cast<std::size_t>(i)] == (there ? static_cast<T>(i - by + 1) : T(0)));
        }
    }
}

TEMPLATE_TEST_CASE("keep_lanes: zeros before and behind", "", float, double) {
    using T = TestType;
    auto const in = counting<T>(simd::lanes<T>);
    for (int from = 0; from <= simd::lanes<T>; ++from)
        for (int to = 0; to <= simd::lanes<T>; ++to) {
            auto const got = values<T>(simd::keep_lanes<T>(simd::load(in.data()), from, to));
            for (int i = 0; i < simd::lanes<T>; ++i)
                CHECK(got[static_cast<std::size_t>(i)] == (i >= from && i < to ? static_cast<T>(i + 1) : T(0)));
        }
}

TEMPLATE_TEST_CASE("store_partial: writes the first n lanes and no more", "", float, double, std::int32_t,
                   std::int64_t) {
    using T = TestType;
    auto const in = counting<T>(simd::lanes<T>);
    for (int n = 0; n <= simd::lanes<T>; ++n) {
        std::vector<T> out(in.size(), T(-1));
        simd::store_partial(out.data(), simd::load(in.data()), n);
        for (int i = 0; i < simd::lanes<T>; ++i)
            CHECK(out[static_cast<std::size_t>(i)] == (i < n ? static_cast<T>(i + 1) : T(-1)));
    }
}

TEMPLATE_TEST_CASE("partial load and store: what is beyond may be nobody's", "", float, double, std::int32_t,
                   std::int64_t) {
    using T = TestType;
    std::size_t const page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    void* const pages = mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(pages != MAP_FAILED);
    T* const end = reinterpret_cast<T*>(static_cast<char*>(pages) + page);
    REQUIRE(mprotect(end, page, PROT_NONE) == 0);
    for (int n = 0; n <= simd::lanes<T>; ++n) {
        for (int i = 1; i <= n; ++i) end[-i] = static_cast<T>(i);
        auto const got = values<T>(simd::load_partial(end - n, n));
        for (int i = 0; i < simd::lanes<T>; ++i)
            CHECK(got[static_cast<std::size_t>(i)] == (i < n ? static_cast<T>(n - i) : T(0)));
        simd::store_partial(end - n, simd::batch<T>(T(7)), n);
        for (int i = 1; i <= n; ++i) CHECK(end[-i] == T(7));
    }
    munmap(pages, 2 * page);
}

TEMPLATE_TEST_CASE("strided load and store: lane i is element i * stride", "", float, double, std::int32_t,
                   std::int64_t) {
    using T = TestType;
    int const n = simd::lanes<T> - 1;
    for (int stride : {0, 1, 3}) {
        auto const in = counting<T>(3 * simd::lanes<T>);
        auto const got = values<T>(simd::load_strided(in.data(), stride, n));
        for (int i = 0; i < n; ++i) CHECK(got[static_cast<std::size_t>(i)] == static_cast<T>(1 + i * stride));
        CHECK(got.back() == T(0));
    }
    std::vector<T> out(static_cast<std::size_t>(2 * simd::lanes<T>), T(0));
    simd::store_strided(out.data(), 2, simd::load(counting<T>(simd::lanes<T>).data()), n);
    for (int i = 0; i < 2 * simd::lanes<T>; ++i)
        CHECK(out[static_cast<std::size_t>(i)] == (i % 2 == 0 && i / 2 < n ? static_cast<T>(i / 2 + 1) : T(0)));
    simd::store_strided(out.data() + out.size() - 1, -1, simd::load(counting<T>(simd::lanes<T>).data()));
    CHECK(out.back() == T(1));
    CHECK(out[out.size() - 2] == T(2));
}

TEMPLATE_TEST_CASE("masks: first_lanes, load_mask, store_mask and any agree", "", float, double, std::int32_t,
                   std::int64_t) {
    using T = TestType;
    bool all[simd::lanes<T>];
    for (bool& b : all) b = true;
    for (int n = 0; n <= simd::lanes<T>; ++n) {
        auto const first = values<T>(simd::first_lanes<T>(n));
        CHECK(first == values<T>(simd::load_mask<T>(all, n)));
        for (int i = 0; i < simd::lanes<T>; ++i) CHECK(first[static_cast<std::size_t>(i)] == (i < n));
        CHECK(simd::any(simd::first_lanes<T>(n)) == (n > 0));
    }
    bool last[simd::lanes<T>] = {};
    last[simd::lanes<T> - 1] = true;
    CHECK(simd::any(simd::load_mask<T>(last)));
    bool out[simd::lanes<T>] = {};
    simd::store_mask(out, simd::load_mask<T>(all), 1);
    CHECK(out[0]);
    CHECK_FALSE(out[simd::lanes<T> - 1]);
}

TEST_CASE("convert_mask: keeps every lane between widths") {
    for (int total = 1; total <= 2 * simd::lanes<float>; ++total) {
        bool bits[2 * simd::lanes<float>] = {};
        for (int i = 0; i < total; ++i) bits[i] = i % 3 == 0;
        simd::mask<float> narrow[2] = {simd::load_mask<float>(bits), simd::load_mask<float>(bits + simd::lanes<float>)};
        simd::mask<double> wide[4];
        simd::convert_mask(narrow, wide, total);
        simd::mask<float> back[2];
        simd::convert_mask(wide, back, total);
        bool wide_bits[4 * simd::lanes<double>] = {}, back_bits[2 * simd::lanes<float>] = {};
        for (int k = 0; k * simd::lanes<double> < total; ++k)
            simd::store_mask(wide_bits + k * simd::lanes<double>, wide[k]);
        for (int k = 0; k * simd::lanes<float> < total; ++k)
            simd::store_mask(back_bits + k * simd::lanes<float>, back[k]);
        for (int i = 0; i < total; ++i) {
            CHECK(wide_bits[i] == bits[i]);
            CHECK(back_bits[i] == bits[i]);
        }
    }
}

namespace {

template <class To, class From>
void check_conversion() {
    constexpr int n = std::max(simd::lanes<To>, simd::lanes<From>);
    auto const in = counting<From>(n, From(-3));
    simd::batch<From> source[n];
    for (int k = 0; k * simd::lanes<From> < n; ++k) source[k] = simd::load(in.data() + k * simd::lanes<From>);
    simd::batch<To> target[n];
    simd::convert(source, target);
    for (int i = 0; i < n; ++i)
        CHECK(lane<To>(target[i / simd::lanes<To>], i % simd::lanes<To>) ==
              static_cast<To>(in[static_cast<std::size_t>(i)]));
}

}  // namespace

TEMPLATE_TEST_CASE("convert: every pair of value types, as static_cast", "", float, double, std::int32_t,
                   std::int64_t) {
    check_conversion<TestType, float>();
    check_conversion<TestType, double>();
    check_conversion<TestType, std::int32_t>();
    check_conversion<TestType, std::int64_t>();
}

TEMPLATE_TEST_CASE("select, abs, maximum, minimum and fma: lane by lane", "", float, double, std::int32_t,
                   std::int64_t) {
    using T = TestType;
    auto const a = simd::load(counting<T>(simd::lanes<T>, T(-1)).data());
    simd::batch<T> const b(T(0));
    for (int i = 0; i < simd::lanes<T>; ++i) {
        T const x = static_cast<T>(i - 1);
        CHECK(lane<T>(simd::select(simd::less(a, b), a, b), i) == (x < 0 ? x : T(0)));
        CHECK(lane<T>(simd::select(simd::less_equal(a, b), a, 5), i) == (x <= 0 ? x : T(5)));
        CHECK(lane<T>(simd::abs(a), i) == (x < 0 ? -x : x));
        CHECK(lane<T>(simd::maximum(a, b), i) == std::max(x, T(0)));
        CHECK(lane<T>(simd::minimum(a, 0), i) == std::min(x, T(0)));
        CHECK(lane<T>(simd::fma(a, a, 3), i) == x * x + T(3));
        CHECK(lane<T>(simd::fms(a, a, b + T(1)), i) == x * x - T(1));
        CHECK(lane<T>(simd::fnma(a, a, b), i) == -(x * x));
    }
}

TEMPLATE_TEST_CASE("reductions: all lanes, once each", "", float, double, std::int32_t, std::int64_t) {
    using T = TestType;
    for (int at = 0; at < simd::lanes<T>; ++at) {
        auto v = counting<T>(simd::lanes<T>);
        T sum = T(0);
        for (T x : v) sum = static_cast<T>(sum + x);
        CHECK(simd::reduce_add(simd::load(v.data())) == sum);
        v[static_cast<std::size_t>(at)] = T(100);
        CHECK(simd::reduce_max(simd::load(v.data())) == T(100));
        v[static_cast<std::size_t>(at)] = T(-100);
        CHECK(simd::reduce_min(simd::load(v.data())) == T(-100));
    }
}

TEMPLATE_TEST_CASE("NaN: propagates through maximum, minimum and their reductions", "", float, double) {
    using T = TestType;
    T const nan = nan_of<T>;
    simd::batch<T> const one(T(1)), bad(nan);
    CHECK(std::isnan(lane<T>(simd::maximum(one, bad), 0)));
    CHECK(std::isnan(lane<T>(simd::maximum(bad, one), 0)));
    CHECK(std::isnan(lane<T>(simd::minimum(one, bad), 0)));
    CHECK(std::isnan(lane<T>(simd::minimum(bad, one), 0)));
    CHECK(std::isnan(simd::maximum(nan, T(1))));
    CHECK(std::isnan(simd::minimum(T(1), nan)));
    for (int at = 0; at < simd::lanes<T>; ++at) {
        auto v = counting<T>(simd::lanes<T>);
        v[static_cast<std::size_t>(at)] = nan;
        CHECK(std::isnan(simd::reduce_max(simd::load(v.data()))));
        CHECK(std::isnan(simd::reduce_min(simd::load(v.data()))));
    }
}

TEMPLATE_TEST_CASE("NaN: equals nothing, not even itself", "", float, double) {
    using T = TestType;
    simd::batch<T> const bad(nan_of<T>), one(T(1));
    CHECK(values<T>(simd::not_equal(bad, bad))[0]);
    CHECK(values<T>(simd::not_equal(bad, one))[0]);
    CHECK_FALSE(values<T>(simd::not_equal(one, one))[0]);
    CHECK_FALSE(values<T>(simd::equal(bad, bad))[0]);
    CHECK_FALSE(values<T>(simd::less(bad, one))[0]);
    CHECK_FALSE(values<T>(simd::less_equal(bad, bad))[0]);
    CHECK(values<T>(simd::isnan(bad))[0]);
    CHECK_FALSE(simd::any(simd::isnan(one)));
}

TEMPLATE_TEST_CASE("sqrt: correctly rounded, infinity and zeros included", "", float, double) {
    using T = TestType;
    using limits = std::numeric_limits<T>;
    for (T x : {T(0), T(-0.0), T(2), T(3), T(1e-30), limits::denorm_min(), limits::max(), limits::infinity()}) {
        CHECK(simd::sqrt(x) == std::sqrt(x));
        CHECK(std::signbit(lane<T>(simd::sqrt(simd::batch<T>(x)), 0)) == std::signbit(std::sqrt(x)));
    }
    CHECK(std::isnan(simd::sqrt(T(-1))));
}

TEMPLATE_TEST_CASE("rounding: as the standard functions, signs of zero included", "", float, double) {
    using T = TestType;
    T const big = sizeof(T) == 4 ? T(0x1p23) : T(0x1p52);
    for (T magnitude : {T(0), T(0.3), T(0.5), T(0.7), T(1), T(1.5), T(2.5), T(1e5), big - T(0.5), big + T(1), T(1e30),
                        std::numeric_limits<T>::infinity()})
        for (T x : {magnitude, -magnitude}) {
            auto same_bits = [](T got, T want) { return got == want && std::signbit(got) == std::signbit(want); };
            CAPTURE(x);
            CHECK(same_bits(simd::round_even(x), std::nearbyint(x)));
            CHECK(same_bits(simd::floor(x), std::floor(x)));
            CHECK(same_bits(simd::ceil(x), std::ceil(x)));
            CHECK(same_bits(simd::trunc(x), std::trunc(x)));
        }
    CHECK(std::isnan(simd::floor(nan_of<T>)));
    CHECK(std::isnan(simd::round_even(nan_of<T>)));
}

TEMPLATE_TEST_CASE("numbers: elementary functions take them as well as batches", "", float, double) {
    using T = TestType;
    CHECK(simd::abs(T(-2.5)) == T(2.5));
    CHECK_FALSE(std::signbit(simd::abs(T(-0.0))));
    CHECK(simd::fma(T(2), T(3), T(4)) == T(10));
    CHECK(simd::fms(T(2), T(3), T(4)) == T(2));
    CHECK(simd::fnma(T(2), T(3), T(4)) == T(-2));
    CHECK(simd::copysign(T(2), T(-0.0)) == T(-2));
    CHECK(simd::select(true, T(1), T(2)) == T(1));
    CHECK(lane<T>(simd::copysign(simd::batch<T>(T(-3)), simd::batch<T>(T(1))), 0) == T(3));
}

TEMPLATE_TEST_CASE("operators: numbers mix with batches on either side", "", float, double) {
    using T = TestType;
    simd::batch<T> const x(T(3));
    CHECK(lane<T>(1 + x * 2 - x / 2, 0) == T(5.5));
    CHECK(lane<T>(2 / x, 0) == T(2) / T(3));
    CHECK(lane<T>(-x, 0) == T(-3));
    CHECK(values<T>(x > 0)[0]);
    CHECK(values<T>(x >= 3)[0]);
    CHECK_FALSE(values<T>(x < 3)[0]);
    CHECK(values<T>(x == 3)[0]);
}
