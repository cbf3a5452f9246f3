// SPDX-License-Identifier: MIT
// Carries of a loop that nothing needs are left out, and what is left is still right.

#include <tapeless/tapeless.hpp>

#include <cmath>
#include <string>
#include <vector>

#include "support/catch.hpp"

namespace ad = tapeless;

namespace {

/// Three carries: a feeds b, c stands alone. The stacked values need none of them.
constexpr auto step = [](auto const& carry, auto x) {
    auto const& [a, b, c] = carry;
    return std::pair(std::tuple(ad::let(a + x), ad::let(b * a), ad::let(exp(c * x))), ad::let(2.0 * x));
};
template <int Which>
constexpr auto one_of = [](auto a, auto b, auto c, auto xs) {
    auto const [last, stacked] = ad::scan(step, std::tuple(a, b, c), xs);
    if constexpr (Which < 3) return std::get<Which>(last);
    else return stacked;
};
template <class F>
std::string plan_of(F f, double a, double b, double c, std::vector<double> const& xs) {
    auto p = ad::fused(f);
    return ad::explain(p, a, b, c, xs);
}
bool has(std::string const& text, char const* word) { return text.find(word) != std::string::npos; }

}  // namespace

TEST_CASE("loops: a result is the same whatever other carries were left out") {
    std::vector<double> const xs{0.5, -1, 2, 0.25};
    double a = 0.5, b = 3, c = 0.1;
    for (double x : xs) {
        double const old = a;
        a += x;
        b *= old;
        c = std::exp(c * x);
    }
    CHECK(std::abs(ad::evaluate(one_of<0>, 0.5, 3.0, 0.1, xs) - a) < 1e-14);
    CHECK(std::abs(ad::evaluate(one_of<1>, 0.5, 3.0, 0.1, xs) - b) < 1e-14);
    CHECK(std::abs(ad::evaluate(one_of<2>, 0.5, 3.0, 0.1, xs) - c) < 1e-14);
    CHECK(ad::evaluate(one_of<3>, 0.5, 3.0, 0.1, xs) == ad::tensor<double, ad::dyn>{1, -2, 4, 0.5});
    CHECK(std::abs(ad::evaluate(one_of<1>, 0.5, 3.0, 0.1, std::vector<double>{}) - 3) < 1e-14);
}

TEST_CASE("loops: what only a carry that nothing needs would use is not computed") {
    std::vector<double> const xs(4);
    CHECK(!has(plan_of(one_of<0>, 1, 1, 1, xs), "exp"));
    CHECK(!has(plan_of(one_of<0>, 1, 1, 1, xs), "mul"));
    CHECK(!has(plan_of(one_of<1>, 1, 1, 1, xs), "exp"));
    CHECK(has(plan_of(one_of<1>, 1, 1, 1, xs), "add"));  // b needs a
    CHECK(has(plan_of(one_of<2>, 1, 1, 1, xs), "exp"));
    CHECK(!has(plan_of(one_of<3>, 1, 1, 1, xs), "exp"));
}

TEST_CASE("loops: gradients of what is left") {
    std::vector<double> const xs{0.5, -1, 2, 0.25};
    auto const g = ad::grad<0, 1, 2, 3>(one_of<1>)(0.5, 3.0, 0.1, xs);
    // b = 3 a0 (a0 + x0) (a0 + x0 + x1) (a0 + x0 + x1 + x2), the third of which is 0 at a0 = 0.5
    CHECK(std::abs(std::get<0>(g) - 3 * 0.5 * 1.0 * 2.0) < 1e-13);
    CHECK(std::abs(std::get<1>(g)) < 1e-13);
    CHECK(std::get<2>(g) == 0);
    CHECK(std::abs(std::get<3>(g)[0] - 3) < 1e-13);
    CHECK(std::abs(std::get<3>(g)[1] - 3) < 1e-13);
    CHECK(std::abs(std::get<3>(g)[2]) < 1e-13);
    CHECK(std::get<3>(g)[3] == 0);
}
