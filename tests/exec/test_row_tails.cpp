// SPDX-License-Identifier: MIT
// What is left of a row behind its whole batches: the lanes beyond it are computed, too, and nobody notices.

#include <tapeless/tapeless.hpp>

#include <cfenv>
#include <cmath>
#include <cstdint>

#include "support/catch.hpp"

namespace ad = tapeless;

namespace {

template <class T>
ad::tensor<T, ad::dyn, ad::dyn> positive(std::int64_t rows, std::int64_t columns) {
    ad::tensor<T, ad::dyn, ad::dyn> x(rows, columns);
    for (std::size_t i = 0; i < x.size(); ++i)
        x.data()[i] = static_cast<T>(1.5 + std::sin(static_cast<double>(i) * 0.7 + 1));
    return x;
}
/// Which exceptional numbers came up since the last call.
int raised() {
    int const some = std::fetestexcept(FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW);
    std::feclearexcept(FE_ALL_EXCEPT);
    return some;
}

}  // namespace

TEMPLATE_TEST_CASE("lanes beyond a row raise no exceptions of floating-point numbers", "", float, double) {
    using T = TestType;
    auto quotients = ad::value_and_grad([](auto x, auto y) { return sum(y / x); });
    auto logarithms = ad::value_and_grad([](auto x, auto y) { return sum(y * log(x)); });
    auto roots = ad::value_and_grad([](auto x, auto y) { return sum(y / sqrt(x)); });
    auto products = ad::value_and_grad([](auto x, auto y) { return sum(x * y - x); });
    for (std::int64_t rows : {1, 5})
        for (std::int64_t n = 1; n < 140; ++n) {
            auto const x = positive<T>(rows, n), y = positive<T>(rows, n);
            double q = 0, l = 0, r = 0, p = 0;
            for (std::size_t i = 0; i < x.size(); ++i) {
                auto const a = double(x.data()[i]), b = double(y.data()[i]);
                q += b / a, l += b * std::log(a), r += b / std::sqrt(a), p += a * b - a;
            }
            CAPTURE(rows, n);
            raised();
            auto const [q_value, q_grad] = quotients(x, y);
            CHECK(raised() == 0);
            auto const [l_value, l_grad] = logarithms(x, y);
            CHECK(raised() == 0);
            auto const [r_value, r_grad] = roots(x, y);
            CHECK(raised() == 0);
            auto const [p_value, p_grad] = products(x, y);
            CHECK(raised() == 0);
            double const bound = (sizeof(T) == 4 ? 1e-5 : 1e-14) * double(x.size() + 4);
            CHECK(std::abs(double(q_value) - q) <= bound);
            CHECK(std::abs(double(l_value) - l) <= bound);
            CHECK(std::abs(double(r_value) - r) <= bound);
            CHECK(std::abs(double(p_value) - p) <= bound);
            double worst = 0;
            for (std::size_t i = 0; i < x.size(); ++i) {
                auto const a = double(x.data()[i]), b = double(y.data()[i]);
                worst = std::fmax(worst, std::abs(double(q_grad.data()[i]) + b / (a * a)));
                worst = std::fmax(worst, std::abs(double(l_grad.data()[i]) - b / a));
                worst = std::fmax(worst, std::abs(double(r_grad.data()[i]) + b / (2 * a * std::sqrt(a))));
                worst = std::fmax(worst, std::abs(double(p_grad.data()[i]) - (b - 1)));
            }
            CHECK(worst <= (sizeof(T) == 4 ? 2e-5 : 1e-13));
        }
}
