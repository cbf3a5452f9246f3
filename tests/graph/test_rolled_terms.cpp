// SPDX-License-Identifier: MIT
// Products with one array that are rolled: that array is in memory, and not they.

#include <tapeless/tapeless.hpp>

#include <cmath>
#include <cstddef>
#include <string>

#include "support/agree.hpp"
#include "support/catch.hpp"

namespace ad = tapeless;
using ad::dyn;

namespace {

template <class A>
A waves(A a, double first) {
    for (auto& v : a) v = static_cast<typename A::value_type>(0.4 * std::sin(first += 0.7));
    return a;
}
/// So many arrays of the workspace are written.
std::size_t stores_in(std::string const& plan) {
    std::size_t n = 0;
    for (std::size_t at = 0; (at = plan.find("  writes   buffer", at)) != std::string::npos; ++at) ++n;
    return n;
}
constexpr auto slope = [](auto u) {
    auto const l = ad::roll<0>(u, 1), r = ad::roll<0>(u, -1);
    return ad::let(0.3 * (l - 2.0 * u + r) - 0.5 * u * (r - l));
};
constexpr auto step = [](auto u) { return sum(square(u + 0.1 * slope(u))); };
constexpr auto two_stages = [](auto u) {
    auto const k = ad::let(slope(u));
    return sum(square(u + 0.1 * slope(ad::let(u + 0.05 * k)) + 0.2 * k));
};
constexpr auto steps = [](auto u) {
    for (int i = 0; i < 3; ++i) u = ad::let(u + 0.1 * slope(u));
    return sum(square(u));
};
constexpr auto of_a_number = [](auto u, auto s) {
    return sum(square(u + s * ad::roll<0>(u, 2) * u - s * u * ad::roll<0>(ad::let(sin(u) * s), -1)));
};
constexpr auto of_a_row = [](auto u, auto r) {
    auto const l = ad::roll<0>(u, 1), m = ad::roll<0>(u, -1);
    return sum(square(u * r + l * u * r - m * u));
};
constexpr auto both_ways = [](auto u) {
    auto const l = ad::roll<0>(u, 1);
    auto const r = ad::roll<1>(u, -1);
    auto const d = ad::roll<1>(ad::roll<0>(u, 1), 1);
    return sum(square(u + l * r - d * u * u)) + sum(ad::roll<1>(ad::let(u * u), 1) * ad::roll<0>(ad::let(u * u), 1));
};
constexpr auto of_masks = [](auto u) {
    auto const up = ad::roll<0>(u, -1);
    return sum(where(up > u, square(up) * u, ad::roll<0>(where(u > 0.1, u, 0.5 * u), 1) * u));
};
constexpr auto of_what_is_rolled = [](auto u) {
    auto const v = ad::let(ad::roll<0>(u, 1) * u);
    return sum(square(ad::roll<0>(v, 1) - ad::roll<0>(ad::let(2.0 * v * u), -2)));
};
constexpr auto again = [](auto u) { return sum(square(ad::grad<0>(step)(u))); };

}  // namespace

TEST_CASE("rolled terms: gradients of a stencil keep one array a stage") {
    auto const u = waves(ad::tensor<double, dyn>(40), 0.1);
    std::string const one = ad::explain(ad::value_and_grad<0>(step), u);
    INFO(one);
    CHECK(stores_in(one) == 1);
    std::string const two = ad::explain(ad::value_and_grad<0>(two_stages), u);
    INFO(two);
    CHECK(stores_in(two) <= 6);
}
TEST_CASE("rolled terms: values and gradients, of rings of 0 to 70") {
    for (std::size_t n : {0u, 1u, 2u, 3u, 4u, 5u, 8u, 9u, 17u, 33u, 70u}) {
        CAPTURE(n);
        auto const u = waves(ad::tensor<double, dyn>(n), 0.1);
        CHECK(oracle::agree<0>(step, u) == "");
        CHECK(oracle::agree<0>(two_stages, u) == "");
        CHECK(oracle::agree<0>(steps, u) == "");
        CHECK(oracle::agree<0, 1>(of_a_number, u, 0.7) == "");
        CHECK(oracle::agree<0>(of_what_is_rolled, u) == "");
        CHECK(oracle::agree<0>(again, u) == "");
    }
}
TEST_CASE("rolled terms: along two axes, beside rows, behind masks") {
    for (std::size_t n : {1u, 2u, 7u, 18u})
        for (std::size_t m : {1u, 4u, 9u, 17u}) {
            CAPTURE(n, m);
            auto const u = waves(ad::tensor<double, dyn, dyn>(n, m), 0.1);
            CHECK(oracle::agree<0>(both_ways, u) == "");
            CHECK(oracle::agree<0, 1>(of_a_row, u, waves(ad::tensor<double, dyn>(m), 0.5)) == "");
            CHECK(oracle::agree<0>(of_masks, waves(ad::tensor<float, dyn, dyn>(n, m), 0.1)) == "");
        }
}
