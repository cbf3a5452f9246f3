// SPDX-License-Identifier: MIT
// The special functions at zeros, poles, infinities and NaN, and where their values are known.

#include "support/catch.hpp"

#include <tapeless/simd/bessel.hpp>
#include <tapeless/simd/gamma.hpp>
#include <tapeless/simd/inverse_error_function.hpp>
#include <tapeless/simd/normal.hpp>

#include "simd/ulp.hpp"

using namespace tapeless;

namespace {

template <class T>
struct row {
    T x, want;
};

template <class T, class F>
void check(char const* name, F f, std::initializer_list<row<T>> rows) {
    auto const at = [&](T x) { return ulp::values<T>({x}, {x}, ulp::of_batches<T>(f), 0)[0]; };
    for (row<T> r : rows) {
        INFO(name << "(" << r.x << ") = " << at(r.x) << ", expected " << r.want);
        CHECK(ulp::same(at(r.x), r.want));
    }
    INFO(name << "(NaN)");
    CHECK(std::isnan(at(std::numeric_limits<T>::quiet_NaN())));
}

}  // namespace

TEMPLATE_TEST_CASE("gamma functions: special values", "", float, double) {
    using T = TestType;
    using limits = std::numeric_limits<T>;
    constexpr T inf = limits::infinity(), nan = limits::quiet_NaN(), o = -T(0);
    T const euler = T(0.57721566490153286060651209L), pi = T(3.14159265358979323846264338L);
    check<T>("lgamma", [](auto x) { return simd::lgamma(x); },
             {{1, 0}, {2, 0}, {0, inf}, {o, inf}, {-1, inf}, {-2, inf}, {T(-1e10), inf}, {inf, inf}, {-inf, inf},
              {limits::max(), inf}, {3, std::log(T(2))}});
    check<T>("digamma", [](auto x) { return simd::digamma(x); },
             {{1, -euler}, {0, -inf}, {o, inf}, {-1, nan}, {-7, nan}, {T(-1e10), nan}, {inf, inf}, {-inf, nan}});
    check<T>("trigamma", [](auto x) { return simd::trigamma(x); },
             {{1, T(1.64493406684822643647241516665L)}, {0, inf}, {o, inf}, {-1, inf}, {inf, 0}, {-inf, nan},
              {T(-0.5), T(8.9348022005446793094L)}});
    check<T>("tetragamma", [](auto x) { return simd::tetragamma(x); },
             {{0, -inf}, {o, inf}, {-1, nan}, {inf, o}, {-inf, nan}});
    CHECK(simd::log_beta(T(1), T(1)) == 0);
    CHECK(simd::log_beta(T(0.5), T(0.5)) == Approx(std::log(pi)).epsilon(limits::epsilon()));
    CHECK(simd::log_beta(T(0), T(2)) == inf);
    CHECK(simd::log_beta(T(2), inf) == -inf);
    CHECK(std::isnan(simd::log_beta(nan, T(2))));
    CHECK(std::isnan(simd::log_beta(T(2), nan)));
    CHECK(simd::detail::polygamma_of_number(3, 1.0) == Approx(6 * 1.0823232337111381915).epsilon(1e-15));
}
TEMPLATE_TEST_CASE("normal distribution and inverses: special values", "", float, double) {
    using T = TestType;
    constexpr T inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN(), o = -T(0),
                half = T(0.5);
    check<T>("normal_cdf", [](auto x) { return simd::normal_cdf(x); },
             {{0, half}, {o, half}, {inf, 1}, {-inf, 0}, {40, 1}, {-40, 0}});
    check<T>("log_normal_cdf", [](auto x) { return simd::log_normal_cdf(x); },
             {{0, std::log(half)}, {inf, o}, {-inf, -inf}});
    check<T>("normal_hazard", [](auto x) { return simd::normal_hazard(x); }, {{inf, 0}, {-inf, inf}});
    check<T>("erfinv", [](auto x) { return simd::erfinv(x); },
             {{0, 0}, {o, o}, {1, inf}, {-1, -inf}, {2, nan}, {-2, nan}, {inf, nan}});
    check<T>("erfcinv", [](auto x) { return simd::erfcinv(x); }, {{1, 0}, {0, inf}, {2, -inf}, {3, nan}, {-1, nan}});
    check<T>("inv_normal_cdf", [](auto x) { return simd::inv_normal_cdf(x); },
             {{half, 0}, {0, -inf}, {1, inf}, {2, nan}, {-1, nan}});
    check<T>("logit", [](auto x) { return simd::logit(x); }, {{half, 0}, {0, -inf}, {1, inf}, {2, nan}, {-1, nan}});
    check<T>("log1mexp", [](auto x) { return simd::log1mexp(x); }, {{0, -inf}, {o, -inf}, {-inf, o}, {1, nan}});
}
TEMPLATE_TEST_CASE("Bessel functions: special values", "", float, double) {
    using T = TestType;
    constexpr T inf = std::numeric_limits<T>::infinity(), o = -T(0);
    check<T>("i0", [](auto x) { return simd::i0(x); }, {{0, 1}, {o, 1}, {inf, inf}, {-inf, inf}, {1000, inf}});
    check<T>("i1", [](auto x) { return simd::i1(x); }, {{0, 0}, {o, o}, {inf, inf}, {-inf, -inf}, {-1000, -inf}});
    check<T>("i0e", [](auto x) { return simd::i0e(x); }, {{0, 1}, {o, 1}, {inf, 0}, {-inf, 0}});
    check<T>("i1e", [](auto x) { return simd::i1e(x); }, {{0, 0}, {o, o}, {inf, 0}, {-inf, o}});
    CHECK(std::isfinite(simd::i0(sizeof(T) == 4 ? T(91) : T(713))));
}
