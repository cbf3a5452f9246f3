// SPDX-License-Identifier: MIT
// pow(x, number): every exponent of the reference, and the conventions at 0.

#include <cmath>

#include "ops/reference_cases.hpp"

namespace ad = tapeless;

namespace {

/// x^(Numerator / Denominator): exponents are constants of the traced function.
template <int Numerator, int Denominator = 1>
struct power {
    static constexpr double exponent = static_cast<double>(Numerator) / Denominator;
    constexpr auto operator()(auto x) const { return pow(x, exponent); }
};

template <class T, class... Power>
void run_powers() {
    std::size_t n = 0;
    ((n += reference::run_unary_if<T>(Power{}, "unary", "pow_scalar",
                                      [](auto const& c) { return c.number("exponent") == Power::exponent; })),
     ...);
    CHECK(n == reference::count_in_file(reference::file_of<T>("unary"), "pow_scalar"));
}

}  // namespace

TEST_CASE("pow: double output and gradient are those of the reference, for each exponent") {
    run_powers<double, power<0>, power<1>, power<2>, power<3>, power<4>, power<-1>, power<-2>, power<1, 2>, power<5, 2>,
               power<-3, 2>, power<1, 3>>();
}
TEST_CASE("pow: float output and gradient are those of the reference, for each exponent") {
    run_powers<float, power<0>, power<1>, power<2>, power<3>, power<-2>, power<1, 2>, power<1, 3>>();
}
