// SPDX-License-Identifier: MIT
// The mathematical functions at zeros, infinities, NaN, subnormal numbers and poles: exact answers.

#include "support/catch.hpp"

#include "simd/ulp.hpp"

namespace {

using namespace tapeless;

template <class T>
struct row {
    T x, want;
};
template <class T>
struct row_of_two {
    T x, y, want;
};

template <class T>
T one_value(ulp::batch_function<T> f, T x, T y) {
    return ulp::values<T>({x}, {y}, f, 0)[0];
}

template <class T, class F>
void check(char const* name, F f, std::initializer_list<row<T>> rows) {
    for (row<T> r : rows) {
        T const got = one_value<T>(ulp::of_batches<T>(f), r.x, r.x);
        INFO(name << "(" << r.x << ") = " << got << ", expected " << r.want);
        CHECK(ulp::same(got, r.want));
    }
    T const nan = std::numeric_limits<T>::quiet_NaN();
    INFO(name << "(NaN)");
    CHECK(ulp::same(one_value<T>(ulp::of_batches<T>(f), nan, nan), nan));
}

template <class T, class F>
void check2(char const* name, F f, std::initializer_list<row_of_two<T>> rows) {
    for (row_of_two<T> r : rows) {
        T const got = one_value<T>(ulp::of_batches<T>(f), r.x, r.y);
        INFO(name << "(" << r.x << ", " << r.y << ") = " << got << ", expected " << r.want);
        CHECK(ulp::same(got, r.want));
    }
}

template <class T>
struct values_of {
    using limits = std::numeric_limits<T>;
    static constexpr T inf = limits::infinity(), nan = limits::quiet_NaN(), max = limits::max(),
                       tiny = limits::denorm_min();
    static constexpr T least = limits::min_exponent - limits::digits;  // tiny = 2^least
};

}  // namespace

TEMPLATE_TEST_CASE("exponentials and logarithms: special values", "", float, double) {
    using T = TestType;
    constexpr T inf = values_of<T>::inf, nan = values_of<T>::nan, tiny = values_of<T>::tiny,
                least = values_of<T>::least;
    check<T>("exp", [](auto x) { return simd::exp(x); }, {{0, 1}, {-T(0), 1}, {tiny, 1}, {inf, inf}, {-inf, 0}});
    check<T>("exp2", [](auto x) { return simd::exp2(x); },
             {{0, 1}, {10, 1024}, {-1, T(0.5)}, {least, tiny}, {least - 1, 0}, {inf, inf}, {-inf, 0}, {T(2000), inf}});
    check<T>("expm1", [](auto x) { return simd::expm1(x); },
             {{0, 0}, {-T(0), -T(0)}, {tiny, tiny}, {-tiny, -tiny}, {inf, inf}, {-inf, -1}});
    check<T>("sigmoid", [](auto x) { return simd::sigmoid(x); }, {{0, T(0.5)}, {inf, 1}, {-inf, 0}});
    check<T>("log", [](auto x) { return simd::log(x); },
             {{1, 0}, {0, -inf}, {-T(0), -inf}, {-1, nan}, {inf, inf}, {-inf, nan}});
    check<T>("log2", [](auto x) { return simd::log2(x); },
             {{1, 0}, {8, 3}, {T(0.25), -2}, {tiny, least}, {0, -inf}, {-1, nan}, {inf, inf}});
    check<T>("log10", [](auto x) { return simd::log10(x); }, {{1, 0}, {1000, 3}, {0, -inf}, {-1, nan}, {inf, inf}});
    check<T>("log1p", [](auto x) { return simd::log1p(x); },
             {{0, 0}, {-T(0), -T(0)}, {tiny, tiny}, {-1, -inf}, {-2, nan}, {inf, inf}});
    check<T>("softplus", [](auto x) { return simd::softplus(x); }, {{inf, inf}, {-inf, 0}, {T(1e6), T(1e6)}});
    check<T>("log_sigmoid", [](auto x) { return simd::log_sigmoid(x); },
             {{inf, -T(0)}, {-inf, -inf}, {T(-1e6), T(-1e6)}});
}

TEMPLATE_TEST_CASE("hyperbolic functions: special values", "", float, double) {
    using T = TestType;
    constexpr T inf = values_of<T>::inf, nan = values_of<T>::nan, tiny = values_of<T>::tiny, o = -T(0);
    check<T>("tanh", [](auto x) { return simd::tanh(x); }, {{0, 0}, {o, o}, {tiny, tiny}, {inf, 1}, {-inf, -1}});
    check<T>("sinh", [](auto x) { return simd::sinh(x); }, {{0, 0}, {o, o}, {-tiny, -tiny}, {inf, inf}, {-inf, -inf}});
    check<T>("cosh", [](auto x) { return simd::cosh(x); }, {{0, 1}, {o, 1}, {tiny, 1}, {inf, inf}, {-inf, inf}});
    check<T>("asinh", [](auto x) { return simd::asinh(x); }, {{0, 0}, {o, o}, {tiny, tiny}, {inf, inf}, {-inf, -inf}});
    check<T>("acosh", [](auto x) { return simd::acosh(x); },
             {{1, 0}, {T(0.5), nan}, {-5, nan}, {inf, inf}, {-inf, nan}});
    check<T>("atanh", [](auto x) { return simd::atanh(x); },
             {{0, 0}, {o, o}, {-tiny, -tiny}, {1, inf}, {-1, -inf}, {2, nan}, {-inf, nan}});
    T const last = std::log(std::numeric_limits<T>::max()) + T(0.5);  // where e^x overflows, but not e^x / 2
    CHECK(std::isfinite(simd::sinh(last)));
    CHECK(std::isfinite(simd::cosh(-last)));
    CHECK(std::isinf(simd::cosh(last + T(0.3))));
}

TEMPLATE_TEST_CASE("trigonometric functions and erf: special values", "", float, double) {
    using T = TestType;
    constexpr T inf = values_of<T>::inf, nan = values_of<T>::nan, tiny = values_of<T>::tiny, o = -T(0);
    T const half_pi = std::acos(T(0)), pi = std::acos(T(-1));
    check<T>("sin", [](auto x) { return simd::sin(x); }, {{0, 0}, {o, o}, {tiny, tiny}, {inf, nan}, {-inf, nan}});
    check<T>("cos", [](auto x) { return simd::cos(x); }, {{0, 1}, {o, 1}, {tiny, 1}, {inf, nan}});
    check<T>("tan", [](auto x) { return simd::tan(x); }, {{0, 0}, {o, o}, {-tiny, -tiny}, {inf, nan}});
    check<T>("asin", [](auto x) { return simd::asin(x); },
             {{0, 0}, {o, o}, {tiny, tiny}, {1, half_pi}, {-1, -half_pi}, {2, nan}, {-inf, nan}});
    check<T>("acos", [](auto x) { return simd::acos(x); },
             {{1, 0}, {0, half_pi}, {-1, pi}, {2, nan}, {-2, nan}, {inf, nan}});
    check<T>("atan", [](auto x) { return simd::atan(x); },
             {{0, 0}, {o, o}, {tiny, tiny}, {inf, half_pi}, {-inf, -half_pi}});
    check<T>("erf", [](auto x) { return simd::erf(x); }, {{0, 0}, {o, o}, {inf, 1}, {-inf, -1}, {30, 1}});
    check<T>("erfc", [](auto x) { return simd::erfc(x); }, {{0, 1}, {o, 1}, {inf, 0}, {-inf, 2}, {30, 0}, {-30, 2}});
    check2<T>("atan2", [](auto y, auto x) { return simd::atan2(y, x); },
              {{0, 1, 0}, {o, 1, o}, {0, -1, pi}, {o, -1, -pi}, {0, 0, 0}, {o, 0, o}, {0, o, pi}, {o, o, -pi},
               {1, 0, half_pi}, {-1, o, -half_pi}, {inf, 1, half_pi}, {-inf, -1, -half_pi}, {1, inf, 0}, {-1, inf, o},
               {1, -inf, pi}, {inf, inf, half_pi / 2}, {-inf, inf, -half_pi / 2}, {inf, -inf, std::atan2(inf, -inf)},
               {nan, 1, nan}, {1, nan, nan}, {inf, nan, nan}});
}

TEMPLATE_TEST_CASE("roots and rounding: special values", "", float, double) {
    using T = TestType;
    constexpr T inf = values_of<T>::inf, nan = values_of<T>::nan, max = values_of<T>::max, tiny = values_of<T>::tiny;
    constexpr T o = -T(0), half = T(0.5);
    T const big = std::ldexp(T(1), std::numeric_limits<T>::max_exponent - 4);
    check<T>("sqrt", [](auto x) { return simd::sqrt(x); },
             {{0, 0}, {o, o}, {4, 2}, {inf, inf}, {-1, nan}, {-inf, nan}});
    check<T>("rsqrt", [](auto x) { return simd::rsqrt(x); }, {{0, inf}, {o, -inf}, {4, half}, {inf, 0}, {-1, nan}});
    check<T>("floor", [](auto x) { return simd::floor(x); }, {{-half, -1}, {half, 0}, {o, o}, {inf, inf}, {max, max}});
    check<T>("ceil", [](auto x) { return simd::ceil(x); }, {{-half, o}, {half, 1}, {o, o}, {-inf, -inf}, {tiny, 1}});
    check<T>("trunc", [](auto x) { return simd::trunc(x); },
             {{-half, o}, {T(1.5), 1}, {T(-1.5), -1}, {o, o}, {inf, inf}});
    check<T>("round", [](auto x) { return simd::round(x); },
             {{half, 0}, {-half, o}, {T(1.5), 2}, {T(2.5), 2}, {T(-2.5), -2}, {T(-3.5), -4}, {o, o}, {-inf, -inf}});
    check<T>("sign", [](auto x) { return simd::sign(x); }, {{3, 1}, {-tiny, -1}, {0, 0}, {o, o}, {inf, 1}, {-inf, -1}});
    check2<T>("hypot", [](auto x, auto y) { return simd::hypot(x, y); },
              {{3, -4, 5}, {0, o, 0}, {max, 0, max}, {max, max, inf}, {tiny, 0, tiny}, {3 * tiny, 4 * tiny, 5 * tiny},
               {inf, nan, inf}, {nan, -inf, inf}, {nan, 1, nan}, {1, nan, nan}, {-inf, 0, inf},
               {3 * big, 4 * big, 5 * big}});
}

TEMPLATE_TEST_CASE("remainders, logaddexp and pow: special values", "", float, double) {
    using T = TestType;
    constexpr T inf = values_of<T>::inf, nan = values_of<T>::nan, max = values_of<T>::max, tiny = values_of<T>::tiny;
    constexpr T o = -T(0), half = T(0.5), x = T(1.5);
    check2<T>("fmod", [](auto a, auto b) { return simd::fmod(a, b); },
              {{T(5.5), 2, x},
               {T(-5.5), 2, -x},
               {T(5.5), -2, x},
               {4, 2, 0},
               {-4, 2, o},
               {o, 1, o},
               {1, 0, nan},
               {0, 0, nan},
               {inf, 1, nan},
               {1, inf, 1},
               {-1, -inf, -1},
               {inf, inf, nan},
               {nan, 1, nan},
               {1, nan, nan},
               {tiny, max, tiny},
               {max, tiny, 0},
               {-max, 3, std::fmod(-max, T(3))},
               {max, T(0.3), std::fmod(max, T(0.3))}});
    check2<T>("floor_mod", [](auto a, auto b) { return simd::floor_mod(a, b); },
              {{T(5.5), 2, x},
               {T(-5.5), 2, half},
               {T(5.5), -2, -half},
               {T(-5.5), -2, -x},
               {-4, 2, 0},
               {4, -2, o},
               {1, 0, nan},
               {inf, 1, nan},
               {1, inf, 1},
               {-1, inf, inf},
               {1, -inf, -inf},
               {nan, 1, nan}});
    check2<T>("floor_div", [](auto a, auto b) { return simd::floor_div(a, b); },
              {{7, 2, 3}, {-7, 2, -4}, {7, -2, -4}, {-7, -2, 3}, {1, 0, inf}, {-1, 0, -inf}, {0, 0, nan}, {1, inf, 0}});
    check2<T>("logaddexp", [](auto a, auto b) { return simd::logaddexp(a, b); },
              {{inf, inf, inf},
               {-inf, -inf, -inf},
               {inf, -inf, inf},
               {-inf, 1, 1},
               {1, -inf, 1},
               {nan, 1, nan},
               {1, nan, nan},
               {inf, 1, inf},
               {max, max, max},
               {-max, max, max}});
    check2<T>("pow", [](auto a, auto b) { return simd::pow(a, b); }, {{0, 0, 1},       {nan, 0, 1},
                                                                      {1, nan, 1},     {1, inf, 1},
                                                                      {-1, inf, 1},    {-1, -inf, 1},
                                                                      {2, inf, inf},   {half, inf, 0},
                                                                      {2, -inf, 0},    {half, -inf, inf},
                                                                      {0, 3, 0},       {o, 3, o},
                                                                      {o, 2, 0},       {0, -2, inf},
                                                                      {o, -3, -inf},   {-8, 3, -512},
                                                                      {-2, 2, 4},      {-2, half, nan},
                                                                      {-inf, 3, -inf}, {-inf, -3, o},
                                                                      {inf, -1, 0},    {nan, 1, nan},
                                                                      {2, nan, nan},   {3, 4, 81},
                                                                      {10, 3, 1000},   {7, 8, 5764801},
                                                                      {4, half, 2},    {max, 2, inf},
                                                                      {tiny, 2, 0},    {tiny, half, std::sqrt(tiny)},
                                                                      {-max, 3, -inf}, {2, values_of<T>::least, tiny}});
}
