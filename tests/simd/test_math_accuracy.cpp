// SPDX-License-Identifier: MIT
// Every mathematical function over its whole range, against the same function in a more precise type.

#include "support/catch.hpp"

#include "simd/ulp.hpp"

namespace {

using namespace tapeless;

constexpr int points = 20000;

struct range {
    double from, to;
};

// Special values, all exponents, and the given ranges closely.
template <class T, class F, class R>
void check(F f, R reference, double bound, std::initializer_list<range> ranges) {
    auto xs = ulp::special_values<T>();
    ulp::add_all_exponents<T>(xs, points);
    for (range r : ranges) ulp::add_range<T>(xs, static_cast<T>(r.from), static_cast<T>(r.to), points);
    auto const w = ulp::over<T>(
        xs, xs, [&](auto x, auto) { return f(x); }, [&](auto x, auto) { return reference(x); });
    INFO("x = " << w.x << ", f(x) = " << w.got << ", error = " << w.ulp << " ulp");
    CHECK(w.ulp <= bound);
    for (std::size_t i = 0; i < xs.size(); i += 37) {
        T const number = f(xs[i]), lane = simd::detail::first(f(simd::batch<T>(xs[i])));
        if (!(number == lane || (number != number && lane != lane))) FAIL("a number and a batch differ at " << xs[i]);
    }
}

template <class T>
constexpr T lowest = sizeof(T) == 4 ? T(-105) : T(-747);
template <class T>
constexpr T highest = sizeof(T) == 4 ? T(89) : T(710);

}  // namespace

TEMPLATE_TEST_CASE("exp: within 2 ulp over the whole range", "", float, double) {
    using T = TestType;
    check<T>([](auto x) { return simd::exp(x); }, [](auto x) { return std::exp(x); }, 2,
             {{lowest<T>, highest<T>}, {-1, 1}});
}

TEMPLATE_TEST_CASE("exp: reaches the largest number and passes through the subnormal ones", "", float, double) {
    using T = TestType;
    T const last = std::log(std::numeric_limits<T>::max());
    CHECK(std::isfinite(simd::exp(std::nextafter(last, T(0)))));
    CHECK(std::isinf(simd::exp(std::nextafter(last, T(1000)) + T(0.01))));
    T const small = simd::exp(std::log(std::numeric_limits<T>::min()) - T(10));
    CHECK(small > 0);
    CHECK(small < std::numeric_limits<T>::min());
    CHECK(simd::exp(-std::numeric_limits<T>::infinity()) == 0);
}

TEMPLATE_TEST_CASE("expm1: within 2 ulp over the whole range", "", float, double) {
    using T = TestType;
    check<T>([](auto x) { return simd::expm1(x); }, [](auto x) { return std::expm1(x); }, 2,
             {{-60, highest<T>}, {-1, 1}, {0.3, 0.5}});
}

TEMPLATE_TEST_CASE("sigmoid: within 2 ulp over the whole range", "", float, double) {
    using T = TestType;
    auto reference = [](auto x) { return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x)); };
    check<T>([](auto x) { return simd::sigmoid(x); }, reference, 2, {{lowest<T>, 60}, {-8, 8}, {-2, 0}});
}

TEMPLATE_TEST_CASE("tanh: within 2 ulp over the whole range", "", float, double) {
    using T = TestType;
    check<T>([](auto x) { return simd::tanh(x); }, [](auto x) { return std::tanh(x); }, 2,
             {{-20, 20}, {-1, 1}, {0, 0.35}});
}

TEMPLATE_TEST_CASE("log: within 2 ulp over the whole range", "", float, double) {
    using T = TestType;
    check<T>([](auto x) { return simd::log(x); }, [](auto x) { return std::log(x); }, 2,
             {{0, 100}, {0.5, 2}, {0.9, 1.1}});
}

TEMPLATE_TEST_CASE("log1p: within 2 ulp over the whole range", "", float, double) {
    using T = TestType;
    check<T>([](auto x) { return simd::log1p(x); }, [](auto x) { return std::log1p(x); }, 2,
             {{-1, 100}, {-0.5, 1}, {-0.1, 0.1}});
}

TEMPLATE_TEST_CASE("sin: within 2 ulp over the whole range", "", float, double) {
    using T = TestType;
    check<T>([](auto x) { return simd::sin(x); }, [](auto x) { return std::sin(x); }, 2,
             {{-10, 10}, {-1e4, 1e4}, {9e5, 1.1e6}});
}

TEMPLATE_TEST_CASE("cos: within 2 ulp over the whole range", "", float, double) {
    using T = TestType;
    check<T>([](auto x) { return simd::cos(x); }, [](auto x) { return std::cos(x); }, 2,
             {{-10, 10}, {-1e4, 1e4}, {9e5, 1.1e6}});
}

TEMPLATE_TEST_CASE("sin: within 2 ulp next to the multiples of pi", "", float, double) {
    using T = TestType;
    std::vector<T> xs;
    for (int n = 1; n < 3000; ++n) {
        T const at = static_cast<T>(static_cast<ulp::wide<T>>(n) * std::acos(ulp::wide<T>(-1)));
        xs.insert(xs.end(), {at, std::nextafter(at, T(0)), std::nextafter(at, T(1e9)), -at});
    }
    auto const w = ulp::over<T>(
        xs, xs, [](auto x, auto) { return simd::sin(x); }, [](auto x, auto) { return std::sin(x); });
    INFO("x = " << w.x << ", error = " << w.ulp << " ulp");
    CHECK(w.ulp <= 2);
}

TEMPLATE_TEST_CASE("pow: within 4 ulp over the whole range", "", float, double) {
    using T = TestType;
    std::vector<T> xs, ys;
    auto add = [&](T x, T y) {
        xs.push_back(x);
        ys.push_back(y);
    };
    std::vector<T> bases = ulp::special_values<T>();
    ulp::add_range<T>(bases, T(0.9), T(1.1), 100);
    ulp::add_range<T>(bases, T(0.01), T(20), 100);
    ulp::add_all_exponents<T>(bases, 100);
    std::vector<T> exponents = ulp::special_values<T>();
    ulp::add_range<T>(exponents, T(-30), T(30), 240);
    ulp::add_range<T>(exponents, T(-400), T(400), 50);
    for (T x : bases)
        for (T y : exponents) add(x, y);
    // Along the edge of overflow and underflow, where an error of the logarithm weighs most.
    for (int i = 1; i < points; ++i) {
        T const x = T(0.001) + T(0.0007) * static_cast<T>(i);
        add(x, T(0.999) * highest<T> / std::log(x));
        add(x, T(0.98) * lowest<T> / std::log(x));
    }
    auto const w = ulp::over<T>(
        xs, ys, [](auto x, auto y) { return simd::pow(x, y); }, [](auto x, auto y) { return std::pow(x, y); });
    INFO("x = " << w.x << ", y = " << w.y << ", pow(x, y) = " << w.got << ", error = " << w.ulp << " ulp");
    CHECK(w.ulp <= 4);
}
