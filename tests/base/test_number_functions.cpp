// SPDX-License-Identifier: MIT
// Functions of numbers as constants, beside the same functions of long double at run time.
#include <tapeless/base/constant_special_functions.hpp>
#include <tapeless/tapeless.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include <support/catch.hpp>

namespace ad = tapeless;
namespace constant = tapeless::detail::constant;

namespace {

template <std::size_t N>
using numbers = std::array<double, N>;

/// Evenly spaced, but not by a round number.
template <std::size_t N>
constexpr numbers<N> evenly(double from, double to) {
    numbers<N> x{};
    for (std::size_t i = 0; i < N; ++i)
        x[i] = from + (to - from) * (static_cast<double>(i) + 0.371) / static_cast<double>(N);
    return x;
}
/// Each the ratio times the one before, with alternating signs where the ratio is negative.
template <std::size_t N>
constexpr numbers<N> powers(double first, double ratio) {
    numbers<N> x{};
    for (std::size_t i = 0; i < N; ++i) x[i] = i == 0 ? first : x[i - 1] * ratio;
    return x;
}

constexpr double inf = std::numeric_limits<double>::infinity(), nan_ = std::numeric_limits<double>::quiet_NaN();
constexpr double largest = std::numeric_limits<double>::max(), smallest = std::numeric_limits<double>::denorm_min();

constexpr auto small = evenly<25>(-1, 1), medium = evenly<25>(-12, 12), angles = evenly<25>(-1e4, 1e4),
               exponents = evenly<25>(-760, 720), near_one = evenly<25>(0.5, 2), gammas = evenly<25>(-190, 175),
               wide = powers<25>(1.37e-308, -1.1e25), positive = powers<25>(1.37e-308, 1.1e25);
constexpr numbers<12> halves{0.5, -0.5, 1.5, -1.5, 2.5, 3.5, -4.5, 0.3, -0.3, 0.7, -0.7, 7};
constexpr numbers<40> special{0.0,
                              -0.0,
                              1,
                              -1,
                              inf,
                              -inf,
                              nan_,
                              0.5,
                              -0.5,
                              2,
                              -2,
                              3,
                              -3,
                              1000,
                              6,
                              smallest,
                              -smallest,
                              largest,
                              -largest,
                              1e-20,
                              -1e-20,
                              2.5,
                              709.782712893384,
                              709.79,
                              -745.1,
                              -745.14,
                              1024,
                              -1074,
                              -1076,
                              710.47586,
                              710.476,
                              171.6243,
                              171.6244,
                              1e300,
                              -2.5,
                              1e8,
                              0.49999999999999994,
                              4503599627370495.5,
                              -6.5,
                              28};
constexpr numbers<15> special_few{0.0, -0.0, 1,   -1,       inf,      -inf,  nan_,   0.5,
                                  -2,  3,    2.5, smallest, -largest, 1e300, -1e-300};

/// How many doubles `value` is away from the nearest one to `exact`.
double doubles_apart(double value, long double exact) {
    auto const nearest = static_cast<double>(exact);
    if (std::isnan(nearest) || std::isnan(value)) return std::isnan(nearest) && std::isnan(value) ? 0 : inf;
    if (std::signbit(nearest) != std::signbit(value)) return inf;
    auto place = [](double x) { return static_cast<long double>(std::bit_cast<std::int64_t>(std::abs(x))); };
    return static_cast<double>(std::abs(place(nearest) - place(value)));
}
/// Where long double is double, the library's function is all there is, and less exact.
constexpr double allowed = std::numeric_limits<long double>::digits > 53 ? 1 : 4;

/// F's values at X, computed by the compiler.
template <class F, auto const& X>
constexpr auto values = [] {
    auto y = X;
    for (double& v : y) v = F{}(v);
    return y;
}();

template <auto const& X, class F, class G>
void agree(char const* name, F, G exact) {
    for (std::size_t i = 0; i < X.size(); ++i) {
        double const x = X[i], y = values<F, X>[i];
        long double const want = exact(static_cast<long double>(x));
        CAPTURE(name, x, y, want);
        CHECK(doubles_apart(y, want) <= allowed);
    }
}

/// F's values at all pairs from X, computed by the compiler.
template <class F, auto const& X>
constexpr auto table = [] {
    std::array<std::array<double, X.size()>, X.size()> z{};
    for (std::size_t i = 0; i < X.size(); ++i)
        for (std::size_t j = 0; j < X.size(); ++j) z[i][j] = F{}(X[i], X[j]);
    return z;
}();

template <auto const& X, class F, class G>
void agree_at_pairs(char const* name, F, G exact) {
    for (std::size_t i = 0; i < X.size(); ++i)
        for (std::size_t j = 0; j < X.size(); ++j) {
            double const x = X[i], y = X[j], z = table<F, X>[i][j];
            long double const want = exact(x, y);
            CAPTURE(name, x, y, z, want);
            CHECK(doubles_apart(z, want) <= allowed);
        }
}
constexpr auto some = evenly<12>(-4, 5), some_positive = powers<12>(1.3e-6, 12.7),
               some_wide = powers<12>(1.3e-290, -1.1e50);

}  // namespace

TEST_CASE("functions of numbers: exponentials and logarithms are exact to the last bit, for any argument") {
    auto all = [](char const* name, auto f, auto exact) {
        agree<special>(name, f, exact);
        agree<small>(name, f, exact);
        agree<exponents>(name, f, exact);
        agree<wide>(name, f, exact);
        agree<positive>(name, f, exact);
        agree<near_one>(name, f, exact);
    };
    all("exp", [](double x) { return constant::exp(x); }, [](long double x) { return std::exp(x); });
    all("exp2", [](double x) { return constant::exp2(x); }, [](long double x) { return std::exp2(x); });
    all("expm1", [](double x) { return constant::expm1(x); }, [](long double x) { return std::expm1(x); });
    all("log", [](double x) { return constant::log(x); }, [](long double x) { return std::log(x); });
    all("log2", [](double x) { return constant::log2(x); }, [](long double x) { return std::log2(x); });
    all("log10", [](double x) { return constant::log10(x); }, [](long double x) { return std::log10(x); });
    all("log1p", [](double x) { return constant::log1p(x); }, [](long double x) { return std::log1p(x); });
}

TEST_CASE("functions of numbers: powers and roots") {
    auto all = [](char const* name, auto f, auto exact) {
        agree<special>(name, f, exact);
        agree<wide>(name, f, exact);
        agree<near_one>(name, f, exact);
    };
    all("sqrt", [](double x) { return constant::sqrt(x); }, [](long double x) { return std::sqrt(x); });
    all("cbrt", [](double x) { return constant::cbrt(x); }, [](long double x) { return std::cbrt(x); });

    auto all_pairs = [](char const* name, auto f, auto exact) {
        agree_at_pairs<special_few>(name, f, exact);
        agree_at_pairs<some>(name, f, exact);
        agree_at_pairs<some_positive>(name, f, exact);
        agree_at_pairs<some_wide>(name, f, exact);
    };
    using real = long double;
    all_pairs(
        "pow", [](double x, double y) { return constant::pow(x, y); }, [](real x, real y) { return std::pow(x, y); });
    all_pairs(
        "hypot", [](double x, double y) { return constant::hypot(x, y); },
        [](real x, real y) { return std::hypot(x, y); });
    all_pairs(
        "atan2", [](double x, double y) { return constant::atan2(x, y); },
        [](real x, real y) { return std::atan2(x, y); });
    all_pairs(
        "fmod", [](double x, double y) { return constant::fmod(x, y); },
        [](real x, real y) { return std::fmod(x, y); });
}

TEST_CASE("functions of numbers: angles up to ten thousand") {
    auto all = [](char const* name, auto f, auto exact) {
        agree<small>(name, f, exact);
        agree<angles>(name, f, exact);
    };
    all("sin", [](double x) { return constant::sin(x); }, [](long double x) { return std::sin(x); });
    all("cos", [](double x) { return constant::cos(x); }, [](long double x) { return std::cos(x); });
    all("tan", [](double x) { return constant::tan(x); }, [](long double x) { return std::tan(x); });

    auto inverse = [](char const* name, auto f, auto exact) {
        agree<special>(name, f, exact);
        agree<small>(name, f, exact);
        agree<wide>(name, f, exact);
    };
    inverse("asin", [](double x) { return constant::asin(x); }, [](long double x) { return std::asin(x); });
    inverse("acos", [](double x) { return constant::acos(x); }, [](long double x) { return std::acos(x); });
    inverse("atan", [](double x) { return constant::atan(x); }, [](long double x) { return std::atan(x); });
}

TEST_CASE("functions of numbers: hyperbolic functions") {
    auto all = [](char const* name, auto f, auto exact) {
        agree<special>(name, f, exact);
        agree<small>(name, f, exact);
        agree<medium>(name, f, exact);
        agree<exponents>(name, f, exact);
        agree<wide>(name, f, exact);
        agree<near_one>(name, f, exact);
    };
    all("sinh", [](double x) { return constant::sinh(x); }, [](long double x) { return std::sinh(x); });
    all("cosh", [](double x) { return constant::cosh(x); }, [](long double x) { return std::cosh(x); });
    all("tanh", [](double x) { return constant::tanh(x); }, [](long double x) { return std::tanh(x); });
    all("asinh", [](double x) { return constant::asinh(x); }, [](long double x) { return std::asinh(x); });
    all("acosh", [](double x) { return constant::acosh(x); }, [](long double x) { return std::acosh(x); });
    all("atanh", [](double x) { return constant::atanh(x); }, [](long double x) { return std::atanh(x); });
}

TEST_CASE("functions of numbers: error and gamma functions") {
    auto all = [](char const* name, auto f, auto exact) {
        agree<special>(name, f, exact);
        agree<small>(name, f, exact);
        agree<medium>(name, f, exact);
        agree<gammas>(name, f, exact);
        agree<wide>(name, f, exact);
        agree<near_one>(name, f, exact);
    };
    all("erf", [](double x) { return constant::erf(x); }, [](long double x) { return std::erf(x); });
    all("erfc", [](double x) { return constant::erfc(x); }, [](long double x) { return std::erfc(x); });
    all("tgamma", [](double x) { return constant::tgamma(x); }, [](long double x) { return std::tgamma(x); });
    all("lgamma", [](double x) { return constant::lgamma(x); }, [](long double x) { return std::lgamma(x); });
}

TEST_CASE("functions of numbers: rounding") {
    auto all = [](char const* name, auto f, auto exact) {
        agree<special>(name, f, exact);
        agree<halves>(name, f, exact);
        agree<wide>(name, f, exact);
    };
    all("floor", [](double x) { return constant::floor(x); }, [](long double x) { return std::floor(x); });
    all("ceil", [](double x) { return constant::ceil(x); }, [](long double x) { return std::ceil(x); });
    all("round", [](double x) { return constant::round(x); }, [](long double x) { return std::round(x); });
    all("trunc", [](double x) { return constant::trunc(x); }, [](long double x) { return std::trunc(x); });
    all("fabs", [](double x) { return constant::magnitude(x); }, [](long double x) { return std::fabs(x); });
}

namespace {

/// Every function once, with factors that tell them apart. Inside a traced function this is one literal.
constexpr auto every_function = [](double a, double b) {
    numbers<33> y{exp(a),    exp2(a),  expm1(a),   log(a),    log2(a),  log10(a),    log1p(a), sqrt(a),  cbrt(a),
                  pow(a, b), sin(b),   cos(b),     tan(b),    asin(a),  acos(a),     atan(b),  sinh(b),  cosh(b),
                  tanh(b),   asinh(b), acosh(b),   atanh(a),  erf(a),   erfc(b),     fabs(-a), floor(b), ceil(b),
                  round(b),  trunc(-b), fmod(b, a), tgamma(b), hypot(a, b), atan2(a, b)};
    double total = 0, factor = 1;
    for (double v : y) total += v * (factor *= 1.1);
    return total;
};

}  // namespace

TEST_CASE("functions of numbers: in a traced function") {
    ad::tensor<double, 2> const x{1, 2};
    auto const close_to = [](double want) { return Catch::Matchers::WithinRel(want, 1e-14); };
    double volatile a = 0.3, b = 2.7, five = 5;

    CHECK_THAT(ad::evaluate([](auto v) { return sum(v) * log(5.0); }, x), close_to(3 * std::log(five)));
    CHECK_THAT(ad::evaluate([](auto v) { return sum(v) * every_function(0.3, 2.7); }, x),
               close_to(3 * every_function(a, b)));
    CHECK_THAT(ad::grad<0>([](auto v) { return sum(v * v) * pow(2, 0.5); })(x)(1), close_to(4 * std::sqrt(2.0)));

    // integers, float, and numbers that have a name
    auto others = [](auto v) {
        double total = 0;
        for (int i = 1; i < 4; ++i) total += log(i);
        return sum(v) * (sqrt(2) + total) + exp(0.5f);
    };
    CHECK_THAT(ad::evaluate(others, x),
               Catch::Matchers::WithinRel(3 * (std::sqrt(2.0) + std::log(6.0)) + std::exp(0.5), 1e-7));
}

TEST_CASE("functions of numbers: at run time they are the library's") {
    double volatile number = 0.7;
    float volatile narrow = 0.7f;
    double const x = number;
    float const f = narrow;
    CHECK(log(x) == std::log(x));
    CHECK(tgamma(x) == std::tgamma(x));
    CHECK(pow(x, 3) == std::pow(x, 3));
    static_assert(std::is_same_v<decltype(std::log(f)), float> && std::is_same_v<decltype(log(x)), double>);

    double (*address)(double) = log;
    CHECK(address(x) == std::log(x));
    std::vector<double> v{x, 2 * x};
    std::transform(v.begin(), v.end(), v.begin(), [](double e) { return log(e); });
    CHECK(v[1] == std::log(2 * x));
    {
        using namespace std;
        CHECK(log(f) == std::log(f));
        CHECK(sqrt(4) == 2);
        CHECK(static_cast<double>(log(5.0L)) == static_cast<double>(std::log(5.0L)));
        CHECK(log(x) == std::log(x));
    }
}
