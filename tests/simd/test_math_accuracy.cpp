// SPDX-License-Identifier: MIT
// Every mathematical function over its whole range, against the same function in a more precise type.

#include "support/catch.hpp"

#include <string>

#include "simd/ulp.hpp"

namespace {

using namespace tapeless;

struct range {
    double from, to;
};

template <class T>
struct entry {
    char const* name;
    double bound;  // in units of the last place
    ulp::batch_function<T> batches;
    T (*numbers)(T, T);
    ulp::wide_function<T> exact;
    std::vector<range> ranges;  // swept closely, apart from all exponents and the special values
};

template <class T, class F, class R>
entry<T> unary(char const* name, double bound, F f, R, std::vector<range> ranges) {
    return {name, bound, ulp::of_batches<T>(f), ulp::of_numbers<T>(f),
            [](ulp::wide<T> x, ulp::wide<T>) -> ulp::wide<T> { return R{}(x); }, std::move(ranges)};
}
template <class T, class F, class R>
entry<T> binary(char const* name, double bound, F f, R) {
    return {name, bound, ulp::of_batches<T>(f), ulp::of_numbers<T>(f),
            [](ulp::wide<T> x, ulp::wide<T> y) -> ulp::wide<T> { return R{}(x, y); }, {}};
}

template <class T>
void check(entry<T> const& e, std::vector<T> const& xs, std::vector<T> const& ys) {
    auto const w = ulp::over<T>(xs, ys, e.batches, e.exact);
    INFO(e.name << ": x = " << w.x << ", y = " << w.y << ", got " << w.got << ", error = " << w.ulp << " ulp");
    CHECK(w.ulp <= e.bound);
    auto const here = ulp::values<T>(xs, ys, e.batches, 0), moved = ulp::values<T>(xs, ys, e.batches, 1);
    for (std::size_t i = 0; i < xs.size(); ++i) {
        if (!ulp::same(here[i], moved[i])) FAIL(e.name << " depends on the lane at " << xs[i] << ", " << ys[i]);
        if (i % 37 == 0 && !ulp::same(here[i], e.numbers(xs[i], ys[i])))
            FAIL(e.name << " differs between a number and a batch at " << xs[i] << ", " << ys[i]);
    }
}

// e^x is 0 below and infinite above.
template <class T>
constexpr double lowest = sizeof(T) == 4 ? -105 : -747;
template <class T>
constexpr double highest = sizeof(T) == 4 ? 89.5 : 711;
template <class T>
constexpr int points = sizeof(T) == 4 ? 30000 : 8000;

template <class T>
std::vector<entry<T>> unary_functions() {
    double const lo = lowest<T>, hi = highest<T>;
    return {
        unary<T>(
            "exp", 2, [](auto x) { return simd::exp(x); }, [](auto x) { return std::exp(x); }, {{lo, hi}, {-1, 1}}),
        unary<T>(
            "exp2", 2, [](auto x) { return simd::exp2(x); }, [](auto x) { return std::exp2(x); },
            {{1.45 * lo, 1.45 * hi}, {-1, 1}}),
        unary<T>(
            "expm1", 2, [](auto x) { return simd::expm1(x); }, [](auto x) { return std::expm1(x); },
            {{-60, hi}, {-1, 1}, {0.3, 0.5}}),
        unary<T>(
            "sigmoid", 2, [](auto x) { return simd::sigmoid(x); },
            [](auto x) { return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x)); },
            {{lo, 60}, {-8, 8}, {-2, 0}}),
        unary<T>(
            "log", 2, [](auto x) { return simd::log(x); }, [](auto x) { return std::log(x); },
            {{0, 100}, {0.5, 2}, {0.9, 1.1}}),
        unary<T>(
            "log2", 2.5, [](auto x) { return simd::log2(x); }, [](auto x) { return std::log2(x); },
            {{0, 100}, {0.5, 2}, {0.9, 1.1}}),
        unary<T>(
            "log10", 2.5, [](auto x) { return simd::log10(x); }, [](auto x) { return std::log10(x); },
            {{0, 100}, {0.5, 2}, {0.9, 1.1}}),
        unary<T>(
            "log1p", 2, [](auto x) { return simd::log1p(x); }, [](auto x) { return std::log1p(x); },
            {{-1, 100}, {-0.5, 1}, {-0.1, 0.1}}),
        unary<T>(
            "softplus", 2, [](auto x) { return simd::softplus(x); },
            [](auto x) { return std::max(x, decltype(x)(0)) + std::log1p(std::exp(-std::abs(x))); },
            {{lo, 60}, {-2, 2}}),
        unary<T>(
            "log_sigmoid", 2, [](auto x) { return simd::log_sigmoid(x); },
            [](auto x) { return -(std::max(-x, decltype(x)(0)) + std::log1p(std::exp(-std::abs(x)))); },
            {{-60, -lo}, {-2, 2}}),
        unary<T>(
            "tanh", 2, [](auto x) { return simd::tanh(x); }, [](auto x) { return std::tanh(x); },
            {{-20, 20}, {-1, 1}, {0, 0.35}}),
        unary<T>(
            "sinh", 2.5, [](auto x) { return simd::sinh(x); }, [](auto x) { return std::sinh(x); },
            {{-hi, hi}, {-3, 3}, {0.3, 0.4}}),
        unary<T>(
            "cosh", 2.5, [](auto x) { return simd::cosh(x); }, [](auto x) { return std::cosh(x); },
            {{-hi, hi}, {-3, 3}, {0.3, 0.4}}),
        unary<T>(
            "asinh", 2, [](auto x) { return simd::asinh(x); }, [](auto x) { return std::asinh(x); },
            {{-3, 3}, {-0.5, 0.5}, {-1e5, 1e5}}),
        unary<T>(
            "acosh", 3, [](auto x) { return simd::acosh(x); }, [](auto x) { return std::acosh(x); },
            {{1, 1.1}, {1, 4}, {1, 1e5}}),
        unary<T>(
            "atanh", 2.5, [](auto x) { return simd::atanh(x); }, [](auto x) { return std::atanh(x); },
            {{-1, 1}, {-0.3, 0.3}, {0.99, 1}}),
        unary<T>(
            "sin", 2, [](auto x) { return simd::sin(x); }, [](auto x) { return std::sin(x); },
            {{-10, 10}, {-1e4, 1e4}, {9e5, 1.1e6}}),
        unary<T>(
            "cos", 2, [](auto x) { return simd::cos(x); }, [](auto x) { return std::cos(x); },
            {{-10, 10}, {-1e4, 1e4}, {9e5, 1.1e6}}),
        unary<T>(
            "tan", 4, [](auto x) { return simd::tan(x); }, [](auto x) { return std::tan(x); },
            {{-10, 10}, {-1e4, 1e4}, {9e5, 1.1e6}}),
        unary<T>(
            "asin", 2.5, [](auto x) { return simd::asin(x); }, [](auto x) { return std::asin(x); },
            {{-1, 1}, {0.45, 0.55}, {0.99, 1}}),
        unary<T>(
            "acos", 2, [](auto x) { return simd::acos(x); }, [](auto x) { return std::acos(x); },
            {{-1, 1}, {0.45, 0.55}, {0.99, 1}}),
        unary<T>(
            "atan", 2.5, [](auto x) { return simd::atan(x); }, [](auto x) { return std::atan(x); },
            {{-3, 3}, {0.35, 0.5}, {-30, 30}}),
        unary<T>(
            "erf", 2, [](auto x) { return simd::erf(x); }, [](auto x) { return std::erf(x); },
            {{-6, 6}, {-1, 1}, {0.7, 1.1}}),
        unary<T>(
            "erfc", 4, [](auto x) { return simd::erfc(x); }, [](auto x) { return std::erfc(x); },
            {{-6, 28}, {-1, 1}, {0.7, 1.1}, {8, 11}, {25, 27.3}}),
        unary<T>(
            "sqrt", 0.5, [](auto x) { return simd::sqrt(x); }, [](auto x) { return std::sqrt(x); }, {{0, 4}}),
        unary<T>(
            "rsqrt", 1.5, [](auto x) { return simd::rsqrt(x); }, [](auto x) { return 1 / std::sqrt(x); }, {{0, 4}}),
        unary<T>(
            "floor", 0, [](auto x) { return simd::floor(x); }, [](auto x) { return std::floor(x); }, {{-5, 5}}),
        unary<T>(
            "ceil", 0, [](auto x) { return simd::ceil(x); }, [](auto x) { return std::ceil(x); }, {{-5, 5}}),
        unary<T>(
            "trunc", 0, [](auto x) { return simd::trunc(x); }, [](auto x) { return std::trunc(x); }, {{-5, 5}}),
        unary<T>(
            "round", 0, [](auto x) { return simd::round(x); }, [](auto x) { return std::nearbyint(x); }, {{-5, 5}}),
        unary<T>(
            "sign", 0, [](auto x) { return simd::sign(x); }, [](auto x) { return x > 0   ? 1
                                                                                 : x < 0 ? -1
                                                                                         : x; },
            {{-5, 5}}),
    };
}

// All pairs of special values, pairs of arbitrary bits, pairs of alike exponents, pairs in the given range.
template <class T>
void add_pairs(std::vector<T>& xs, std::vector<T>& ys, double range) {
    auto add = [&](T x, T y) {
        xs.push_back(x);
        ys.push_back(y);
    };
    for (T x : ulp::special_values<T>())
        for (T y : ulp::special_values<T>()) add(x, y);
    std::uint64_t state = 1;
    auto next = [&] { return state = state * 6364136223846793005u + 1442695040888963407u; };
    auto bits = [&] { return std::bit_cast<T>(static_cast<ulp::bits_of<T>>(next() >> (64 - 8 * sizeof(T)))); };
    auto within = [&](double r) { return static_cast<T>((static_cast<double>(next() >> 11) * 0x1p-52 - 1) * r); };
    for (int i = 0; i < points<T>; ++i) {
        T const x = bits();
        add(x, bits());
        add(x, x * within(16));
        add(within(range), within(range));
        add(within(1000), within(3));
    }
}

}  // namespace

TEMPLATE_TEST_CASE("functions of one operand: within their bound over the whole range, alike in every lane", "", float,
                   double) {
    using T = TestType;
    for (entry<T> const& e : unary_functions<T>()) {
        auto xs = ulp::special_values<T>();
        ulp::add_all_exponents<T>(xs, points<T>);
        for (range r : e.ranges) ulp::add_range<T>(xs, static_cast<T>(r.from), static_cast<T>(r.to), points<T>);
        check<T>(e, xs, xs);
    }
}

TEMPLATE_TEST_CASE("sin, cos and tan: within their bound next to the multiples of pi/2", "", float, double) {
    using T = TestType;
    std::vector<T> xs;
    for (int n = 1; n < 6000; ++n) {
        T const at = static_cast<T>(static_cast<ulp::wide<T>>(n) * std::acos(ulp::wide<T>(0)));
        xs.insert(xs.end(), {at, std::nextafter(at, T(0)), std::nextafter(at, T(1e9)), -at});
    }
    for (entry<T> const& e : unary_functions<T>())
        if (std::string(e.name) == "sin" || std::string(e.name) == "cos" || std::string(e.name) == "tan")
            check<T>(e, xs, xs);
}

TEMPLATE_TEST_CASE("functions of two operands: within their bound over the whole range, alike in every lane", "", float,
                   double) {
    using T = TestType;
    std::vector<T> xs, ys;
    add_pairs<T>(xs, ys, 1);
    check<T>(binary<T>("atan2", 2.5, [](auto y, auto x) { return simd::atan2(y, x); },
                       [](auto y, auto x) { return std::atan2(y, x); }), xs, ys);
    check<T>(binary<T>("hypot", 1.5, [](auto x, auto y) { return simd::hypot(x, y); },
                       [](auto x, auto y) { return std::hypot(x, y); }), xs, ys);
    check<T>(binary<T>("fmod", 0, [](auto x, auto y) { return simd::fmod(x, y); },
                       [](auto x, auto y) { return std::fmod(x, y); }), xs, ys);
    check<T>(binary<T>("floor_mod", 0, [](auto x, auto y) { return simd::floor_mod(x, y); },
                       [](auto x, auto y) {
                           auto const r = std::fmod(x, y);
                           return r == 0 ? std::copysign(r, y) : (r < 0) != (y < 0) ? r + y : r;
                       }), xs, ys);
    check<T>(binary<T>("floor_div", 0, [](auto x, auto y) { return simd::floor_div(x, y); },
                       [](auto x, auto y) { return std::floor(static_cast<T>(x) / static_cast<T>(y)); }), xs, ys);
}

// d = |a - b| is rounded, which the second term feels by e^-d times the last digit of d.
TEMPLATE_TEST_CASE("logaddexp: within 2 ulp of the larger operand or the result", "", float, double) {
    using T = TestType;
    std::vector<T> xs, ys;
    add_pairs<T>(xs, ys, 50);
    auto ulp_of = [](T x) { return std::isinf(x) ? T(0) : x - std::nextafter(x, T(0)); };
    for (std::size_t i = 0; i < xs.size(); ++i) {
        ulp::wide<T> const a = xs[i], b = ys[i], m = std::max(a, b), d = a == b ? 0 : std::abs(a - b);
        ulp::wide<T> const want = m + std::log1p(std::exp(-d));
        T const got = simd::logaddexp(xs[i], ys[i]), rounded = static_cast<T>(want);
        auto const room = 2 * ulp_of(std::max(std::abs(static_cast<T>(m)), std::abs(rounded))) +
                          std::exp(-d) * ulp_of(static_cast<T>(d)) + std::numeric_limits<T>::denorm_min();
        bool const close = a != a || b != b      ? got != got
                           : std::isinf(rounded) ? got == rounded
                                                 : std::abs(got - want) <= room;
        if (!close) FAIL("logaddexp(" << xs[i] << ", " << ys[i] << ") = " << got);
    }
}

TEMPLATE_TEST_CASE("pow: within 2 ulp over the whole range, alike in every lane", "", float, double) {
    using T = TestType;
    std::vector<T> xs, ys;
    add_pairs<T>(xs, ys, 30);
    auto add = [&](T x, T y) {
        xs.push_back(x);
        ys.push_back(y);
    };
    // Along the edge of overflow and underflow, where an error of the logarithm weighs most.
    for (int i = 1; i < 4 * points<T>; ++i) {
        T const x = T(0.001) + T(0.0007) * static_cast<T>(i % 3000 + 1) + static_cast<T>(i) * T(1e-7);
        T const log_x = std::log(x);
        add(x, static_cast<T>(0.989 * highest<T>) / log_x);
        add(x, static_cast<T>(0.98 * lowest<T>) / log_x);
        add(x, static_cast<T>(i % 41 - 20));
    }
    check<T>(binary<T>("pow", 2, [](auto x, auto y) { return simd::pow(x, y); },
                       [](auto x, auto y) { return std::pow(x, y); }), xs, ys);
}
