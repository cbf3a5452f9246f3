// SPDX-License-Identifier: MIT
// The special functions of one operand over their ranges, against series in a more precise type.

#include "support/catch.hpp"

#include <tapeless/simd/bessel.hpp>
#include <tapeless/simd/gamma.hpp>
#include <tapeless/simd/inverse_error_function.hpp>
#include <tapeless/simd/normal.hpp>

#include "simd/ulp.hpp"
#include "ops/special/references.hpp"

namespace {

using namespace tapeless;

/// Evenly spaced numbers, or numbers of evenly spaced logarithms where both ends are of one sign and far apart.
struct range {
    double from, to;
};

template <class T>
std::vector<T> points_in(std::vector<range> const& ranges) {
    constexpr int count = 1501;
    std::vector<T> x;
    for (range r : ranges) {
        bool const wide = r.from * r.to > 0 && std::abs(std::log(r.to / r.from)) > 10;
        for (int i = 0; i < count; ++i) {
            double const t = (i + 0.37) / count;
            x.push_back(
                static_cast<T>(wide ? r.from * std::exp(t * std::log(r.to / r.from)) : r.from + t * (r.to - r.from)));
        }
    }
    return x;
}

/// f in batches is within `bound` units in the last place of the reference, the same in every lane and as a number.
template <class T, class F, class R>
void check(char const* name, double bound, F f, R, std::vector<range> const& ranges) {
    auto const x = points_in<T>(ranges);
    auto const w =
        ulp::over<T>(x, x, ulp::of_batches<T>(f), [](ulp::wide<T> v, ulp::wide<T>) -> ulp::wide<T> { return R{}(v); });
    INFO(name << "(" << w.x << ") = " << w.got << ": " << w.ulp << " ulp");
    CHECK(w.ulp <= (sizeof(T) == 4 ? 0.51 : bound));  // floats are computed in double
    auto const here = ulp::values<T>(x, x, ulp::of_batches<T>(f), 0),
               moved = ulp::values<T>(x, x, ulp::of_batches<T>(f), 1);
    for (std::size_t i = 0; i < x.size(); i += 7)
        if (!ulp::same(here[i], moved[i]) || !ulp::same(here[i], f(x[i])))
            FAIL(name << " depends on the lane at " << x[i]);
}

template <class T>
constexpr double least = sizeof(T) == 4 ? 1e-44 : 1e-322;
template <class T>
constexpr double most = sizeof(T) == 4 ? 1e38 : 1e300;

}  // namespace

TEMPLATE_TEST_CASE("lgamma and its derivatives: within 4 ulp for positive numbers", "", float, double) {
    using T = TestType;
    check<T>("lgamma", 4, [](auto x) { return simd::lgamma(x); }, [](auto x) { return std::lgamma(x); },
             {{0, 0.5}, {0.5, 1.5}, {0.98, 1.02}, {1.5, 2.5}, {1.98, 2.02}, {2.5, 9}, {least<T>, 1}, {7, most<T>}});
    check<T>("digamma", 4, [](auto x) { return simd::digamma(x); }, [](auto x) { return special::polygamma(0, x); },
             {{0.01, 1}, {1, 2}, {1.46, 1.463}, {2, 8}, {1e-30, 1}, {6, most<T>}});
    check<T>("trigamma", 4, [](auto x) { return simd::trigamma(x); }, [](auto x) { return special::polygamma(1, x); },
             {{0.01, 12}, {1e-15, 1}, {10, sizeof(T) == 4 ? 1e30 : 1e200}});
    check<T>(
        "tetragamma", 4, [](auto x) { return simd::tetragamma(x); }, [](auto x) { return special::polygamma(2, x); },
        {{0.01, 13}, {1e-10, 1}, {10, sizeof(T) == 4 ? 1e15 : 1e100}});
}
TEST_CASE("polygamma: orders 3 to 6 within 16 ulp") {
    for (int n = 3; n < 7; ++n)
        for (double x : points_in<double>({{0.1, 20}})) {
            double const got = simd::detail::polygamma_of_number(n, x);
            if (ulp::distance<double>(got, special::polygamma<long double>(n, x)) > 16)
                FAIL(n << " at " << x << ": " << got);
        }
}
TEMPLATE_TEST_CASE("the normal distribution: within 4 ulp far into the tails", "", float, double) {
    using T = TestType;
    auto const x = points_in<T>({{-13, 6}, {-2, 2}, {sizeof(T) == 4 ? -14.5 : -39, -8}});
    auto const w = ulp::over<T>(x, x, ulp::of_batches<T>([](auto v) { return simd::normal_cdf(v); }),
                                [](ulp::wide<T> v, ulp::wide<T>) -> ulp::wide<T> { return special::normal_cdf(v); });
    INFO("normal_cdf(" << w.x << ") = " << w.got << ": " << w.ulp << " ulp");
    CHECK(w.ulp <= 4);
    check<T>("log_normal_cdf", 4, [](auto v) { return simd::log_normal_cdf(v); },
             [](auto v) { return special::log_normal_cdf(v); },
             {{-3, 3}, {-60, -3}, {3, sizeof(T) == 4 ? 14 : 38}, {-1e15, -10}});
    check<T>(
        "normal_hazard", 4, [](auto v) { return simd::normal_hazard(v); },
        [](auto v) { return special::normal_hazard(v); },
        {{-3, 3}, {-60, -3}, {3, sizeof(T) == 4 ? 12 : 37}, {-1e15, -10}});
}
TEMPLATE_TEST_CASE("erfinv, erfcinv and inv_normal_cdf: within 4 ulp", "", float, double) {
    using T = TestType;
    check<T>("erfinv", 4, [](auto x) { return simd::erfinv(x); }, [](auto x) { return special::erfinv(x); },
             {{-1, 1}, {0.7, 0.8}, {-0.8, -0.7}, {1e-30, 1}, {1 - 1e-6, 1}});
    check<T>("erfcinv", 4, [](auto x) { return simd::erfcinv(x); }, [](auto x) { return special::erfcinv(x, 1 - x); },
             {{0, 2}, {0.2, 0.3}, {least<T>, 1}});
    check<T>("inv_normal_cdf", 4, [](auto x) { return simd::inv_normal_cdf(x); },
             [](auto x) { return special::inv_normal_cdf(x); }, {{0, 1}, {0.1, 0.25}, {0.49, 0.51}, {least<T>, 1}});
}
TEMPLATE_TEST_CASE("Bessel functions: within 4 ulp", "", float, double) {
    using T = TestType;
    double const last = sizeof(T) == 4 ? 91 : 713;
    check<T>("i0", 4, [](auto x) { return simd::i0(x); }, [](auto x) { return special::bessel(0, false, x); },
             {{-9, 20}, {7, last}});
    check<T>("i1", 4, [](auto x) { return simd::i1(x); }, [](auto x) { return special::bessel(1, false, x); },
             {{-9, 20}, {7, last}});
    check<T>("i0e", 4, [](auto x) { return simd::i0e(x); }, [](auto x) { return special::bessel(0, true, x); },
             {{-9, 20}, {7, 1e30}});
    check<T>("i1e", 4, [](auto x) { return simd::i1e(x); }, [](auto x) { return special::bessel(1, true, x); },
             {{-9, 20}, {7, 1e30}});
    check<T>(
        "i1e", 4, [](auto x) { return simd::i1e(x); }, [](auto x) { return special::bessel(1, true, x); },
        {{1e-30, 1}});
}
TEST_CASE("Bessel functions of orders 2 to 4: by their recurrence from orders 0 and 1") {
    using simd::detail::bessel_of_number;
    for (double x : points_in<double>({{0.1, 100}})) {
        long double below = special::bessel<long double>(0, true, x), here = special::bessel<long double>(1, true, x);
        for (int n = 2; n < 5; ++n) {  // I_n = I_(n-2) - 2 (n-1)/x I_(n-1), which loses digits for small x
            long double const next = below - static_cast<long double>(2 * (n - 1)) / x * here,
                              lost = std::pow(1.0L * x, -2 * n);
            long double const room = 8 * std::numeric_limits<double>::epsilon() * next + 1e-18L * lost;
            if (!(std::abs(bessel_of_number<true>(n, x) - next) <= room)) FAIL(n << " at " << x);
            below = here, here = next;
        }
        double const scale = bessel_of_number<false>(2, x) / bessel_of_number<true>(2, x);
        if (!(std::abs(scale / std::exp(x) - 1) < 1e-13)) FAIL("e^x at " << x);
    }
}
TEMPLATE_TEST_CASE("logit and log1mexp: within 3 ulp", "", float, double) {
    using T = TestType;
    check<T>("logit", 3, [](auto x) { return simd::logit(x); }, [](auto x) { return special::logit(x); },
             {{0, 1}, {0.49, 0.51}, {1e-37, 1}});
    check<T>("log1mexp", 3, [](auto x) { return simd::log1mexp(x); }, [](auto x) { return special::log1mexp(x); },
             {{-3, 0}, {-80, -1}, {-1e-30, -1}});
}

TEST_CASE("lgamma, digamma and trigamma of negative numbers: as accurate as the sum of their reflection's terms") {
    for (double x : points_in<double>({{-6.9, -0.1}})) {
        long double const turn = special::pi<long double> * static_cast<long double>(x - std::nearbyint(x));
        long double const cot = special::pi<long double> / std::tan(turn);
        long double const other = special::polygamma<long double>(0, 1 - static_cast<long double>(x));
        long double const room = 4 * std::numeric_limits<double>::epsilon();
        if (!(std::abs(simd::digamma(x) - (other - cot)) <= room * (1 + std::abs(other) + std::abs(cot))))
            FAIL("digamma " << x);
        long double const square =
            special::pi<long double> * special::pi<long double> / (std::sin(turn) * std::sin(turn));
        long double const next = special::polygamma<long double>(1, 1 - static_cast<long double>(x));
        if (!(std::abs(simd::trigamma(x) - (square - next)) <= 2 * room * (square + next))) FAIL("trigamma " << x);
        long double const log_gamma = std::lgamma(static_cast<long double>(x));
        if (!(std::abs(simd::lgamma(x) - log_gamma) <= room * (1 + std::lgamma(1 - x)))) FAIL("lgamma " << x);
    }
}

TEMPLATE_TEST_CASE("log_beta: within 4 ulp of the result or of 1", "", float, double) {
    using T = TestType;
    for (double a : points_in<double>({{0.05, 9}}))
        for (double b : {0.2, 0.9, 2.5, 7.9, 8.1, 30.0}) {
            T const p = static_cast<T>(a), q = static_cast<T>(b), got = simd::log_beta(p, q);
            ulp::wide<T> const want = special::log_beta<ulp::wide<T>>(p, q);
            if (std::abs(got - want) >
                4 * std::numeric_limits<T>::epsilon() * std::max(std::abs(want), ulp::wide<T>(1)))
                FAIL("log_beta(" << p << ", " << q << ") = " << got);
            if (got != simd::log_beta(q, p)) FAIL("log_beta is not symmetric");
        }
}
TEST_CASE("log_beta: within 4 ulp where gamma of the sum is out of range or loses all digits") {
    struct {
        double a, b;
        long double want;  // from mpmath, with 60 digits and more
    } const rows[] = {{0.5, 1e10, -10.94056052203302833301824L},
                      {1e-3, 1e8, 6.888758204644896295836388L},
                      {7.5, 1e6, -96.0819893229164480236973L},
                      {1e5, 1e5, -138633.9270613480623522652L},
                      {1e10, 3, -68.38440560956142521109751L},
                      {12, 1e300, -8271.804026932690577255539L},
                      {1e15, 1e15, -1386294361119906.622710538L},
                      {0.25, 1e-200, 460.517018598809136821498L},
                      {8, 8, -10.84894866171006296575838L},
                      {1e-300, 1, 690.7755278982137051803383L},
                      {123.25, 4567.5, -571.6137402568167727852496L},
                      {1e6, 2.5, -34.25409539943651610180925L}};
    for (auto const& r : rows) {
        INFO("log_beta(" << r.a << ", " << r.b << ")");
        CHECK(ulp::distance<double>(simd::log_beta(r.a, r.b), r.want) <= 4);
    }
}
