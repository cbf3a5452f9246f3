// SPDX-License-Identifier: MIT
// Rows that are rolled, at whose ends lanes move within a register: g++ 12 and 13 moved half of one by way of an MMX register, and
// what a program computed next with `long double` was NaN.

#include <cmath>

#include <support/catch.hpp>
#include <tapeless/tapeless.hpp>

namespace ad = tapeless;

namespace {

template <class T, class F>
void check_numbers_after(F const& f) {
    volatile long double third = 1.0L / 3;
    for (int n : {1, 2, 3, 8})
        for (int m : {2, 3, 4, 5, 6, 7, 9, 15, 16, 17, 33}) {
            ad::tensor<T, ad::dyn, ad::dyn> x(n, m), y(n, m);
            for (std::size_t i = 0; i < x.size(); ++i) {
                x.data()[i] = static_cast<T>(std::sin(7.0 * static_cast<double>(i) + 1));
                y.data()[i] = static_cast<T>(std::cos(3.0 * static_cast<double>(i)));
            }
            T const value = ad::evaluate(f, x, y);
            long double const twice = third * 2 + static_cast<long double>(value);
            CAPTURE(n, m, value);
            CHECK(std::isfinite(value));
            CHECK(std::abs(twice - static_cast<long double>(value) - 2.0L / 3) < 1e-15L);
        }
}

}  // namespace

TEMPLATE_TEST_CASE("optimised: numbers of `long double` after rolled rows", "", float, double) {
    check_numbers_after<TestType>([](auto x, auto y) { return sum(tanh(ad::roll<1>(x, 1)) * y + ad::roll<1>(x, -1) * x); });
    check_numbers_after<TestType>([](auto x, auto y) {
        return sum(ad::vjp<0>([](auto v) { return ad::let(tanh(ad::roll<1>(v, 1)) * v); })(x, y).grad);
    });
    check_numbers_after<TestType>([](auto x, auto y) { return sum(ad::roll<1>(x, -2) * ad::roll<1>(y, 3)); });
}
