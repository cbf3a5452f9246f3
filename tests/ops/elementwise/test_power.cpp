// SPDX-License-Identifier: MIT
// pow with numbers and arrays on either side: every case of the reference, and the conventions at 0.

#include <cmath>
#include <limits>

#include "ops/binary_patterns.hpp"

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

TEST_CASE("pow: a number to an array has the reference's output and gradient") {
    auto const is = [](double base) { return [=](reference::test_case const& c) { return c.number("base") == base; }; };
    auto const two = [](auto x) { return pow(2, x); };
    CHECK(reference::run_unary_if<double>(two, "unary", "scalar_pow", is(2)) +
              reference::run_unary_if<double>([](auto x) { return pow(0.5, x); }, "unary", "scalar_pow", is(0.5)) ==
          reference::count_in_file("unary", "scalar_pow"));
    CHECK(reference::run_unary_if<float>(two, "unary", "scalar_pow", is(2)) ==
          reference::count_in_file("unary_f32", "scalar_pow"));
}
TEST_CASE("pow: an array to an array has the reference's output and gradients") {
    constexpr auto op = [](auto a, auto b) { return pow(a, b); };
    using namespace reference;
    run_binary<double, merged_or_stretched, with_number, with_row>(op, "pow");
    run_binary<float, merged_or_stretched>(op, "pow");
}

TEST_CASE("pow: of 0 and to 0, values and gradients are those of the conventions") {
    double const infinity = std::numeric_limits<double>::infinity();
    using doubles = std::vector<double>;
    auto const [da, db, y] = ad::grad<0, 1, 2>([](auto a, auto b, auto w) { return sum(pow(a, b) * w); })(
        doubles{0, 0, 0, 0, 3, -2}, doubles{0, 1, 2, -1, 0, 0}, doubles(6, 1.0));
    CHECK(y == doubles{1, 0, 0, infinity, 1, 1});
    CHECK(da == doubles{0, 1, 0, -infinity, 0, 0});
    CHECK(doubles(db.begin(), db.begin() + 4) == doubles{0, 0, 0, -infinity});
    CHECK(std::abs(db[4] - std::log(3.0)) < 1e-15);
    CHECK(std::isnan(db[5]));
    CHECK(ad::grad<0>([](auto b) { return sum(pow(0, b)); })(doubles{0, 2, -1}) == doubles{0, 0, -infinity});
}
