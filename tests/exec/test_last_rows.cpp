// SPDX-License-Identifier: MIT
// Sums of each row, whatever number of rows is left over behind those that are computed several at once: the last ones
// are then computed with some before them.

#include <tapeless/tapeless.hpp>

#include <cmath>
#include <cstdint>

#include "support/catch.hpp"

namespace ad = tapeless;

namespace {

template <class T>
void fill(ad::tensor<T, ad::dyn, ad::dyn>& x, double turn) {
    for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = static_cast<T>(std::sin(static_cast<double>(i) * turn + 1));
}
/// Products of each row with one that takes more operations than a product has: a row alone has no loop of its own.
constexpr auto sums = [](auto x, auto y, auto w) { return sum<1>(x * (y - w + 1.0)); };

}  // namespace

TEMPLATE_TEST_CASE("the sums of 1 to 23 rows, of which any number may be left over", "", float, double) {
    using T = TestType;
    auto step = ad::fused(sums);
    for (std::int64_t m : {0, 1, 7, 31, 64, 129, 1000})
        for (std::int64_t n = 0; n < 24; ++n) {
            ad::tensor<T, ad::dyn, ad::dyn> x(n, m), rows(2, m);
            fill(x, 0.7), fill(rows, 0.3);
            ad::view<T const, ad::dyn> const y(rows.data(), m), w(rows.data() + m, m);
            ad::tensor<T, ad::dyn> const made = step(x, y, w);
            double worst = 0;
            for (std::int64_t i = 0; i < n; ++i) {
                double s = 0;
                for (std::int64_t j = 0; j < m; ++j) s += double(x(i, j)) * (double(y(j)) - double(w(j)) + 1);
                worst = std::fmax(worst, std::abs(s - double(made(i))));
            }
            CAPTURE(n, m);
            CHECK(worst <= (sizeof(T) == 4 ? 1e-3 : 1e-11));
        }
}

TEST_CASE("sums of rows over an argument that the rows read") {
    auto step = ad::fused([](auto x, auto y, auto w, auto z) { return sum<1>(x * (y - w + 1.0)) * z; });
    for (std::int64_t n : {4, 5, 6, 7, 9, 11, 14}) {
        ad::tensor<double, ad::dyn, ad::dyn> x(n, 33), rows(2, 33), z(1, n);
        fill(x, 0.7), fill(rows, 0.3), fill(z, 0.9);
        ad::view<double const, ad::dyn> const y(rows.data(), 33), w(rows.data() + 33, 33);
        ad::view<double, ad::dyn> const over(z.data(), n);
        ad::tensor<double, ad::dyn> const expected = step(x, y, w, over);
        step(ad::into(over), x, y, w, over);
        CAPTURE(n);
        for (std::int64_t i = 0; i < n; ++i) CHECK(over(i) == expected(i));
    }
}
