// SPDX-License-Identifier: MIT
// Arrays that the step of a loop takes single elements of are handed to it element by element.

#include <string>
#include <tuple>
#include <utility>

#include <support/catch.hpp>
#include <support/sweep.hpp>
#include <tapeless/tapeless.hpp>

using oracle::sweep;
namespace ad = tapeless;

namespace {
constexpr auto grown = [](auto p, auto start, auto xs) {
    auto const step = [&](auto y, auto x) { return ad::let(p[0] * tanh(y) + p[2] * x + p[1]); };
    return ad::fold(step, start, xs) * p[1];
};
constexpr auto all_grown = [](auto p, auto start, auto xs) {
    return sum(square(ad::vmap<0, 0, ad::whole>(grown)(p, start, xs)));
};
}  // namespace

TEST_CASE("captured elements: of many items' parameters, at all lengths") {
    CHECK(sweep<"n3,n,t", 0, 1, 2>(all_grown, {.longest = 33}) == "");
}
TEST_CASE("captured elements: of a matrix, of an array that is needed whole besides, of one of many elements") {
    auto const f = [](auto m, auto p, auto k, auto w, auto start, auto xs) {
        auto const one = [](auto a, auto q, auto r, auto v, auto s, auto z) {
            auto const step = [&](auto y, auto x) {
                auto const next = ad::let(tanh(a[0][1] * y + a[1][0] * x) + q[1] * y);
                auto const number = next * sum(sin(q * x)) + v[3] * v[0];
                return std::pair(next, std::tuple(number, ad::narrow<0, 1, 2>(r), r[0] * x));
            };
            auto const [last, stacked] = ad::scan(step, s, z);
            auto const& [numbers, pairs, others] = stacked;
            return last * (sum(numbers) + sum(square(pairs)) + sum(others));
        };
        return sum(ad::vmap<0, 0, 0, ad::whole, 0, ad::whole>(one)(m, p, k, w, start, xs));
    };
    CHECK(sweep<"n22,n3,n3,(40),n,t", 0, 1, 2, 3, 4, 5>(f, {.longest = 17}) == "");
}
TEST_CASE("captured elements: the step reads arrays without gaps") {
    ad::tensor<float, ad::dyn, 3> const p(64);
    ad::tensor<float, ad::dyn> const start(64), xs(5);
    auto const plan = ad::explain(ad::value_and_grad<0, 1>(all_grown), p, start, xs);
    CAPTURE(plan);
    for (std::size_t at = plan.find("    kernel"); at != std::string::npos; at = plan.find("    kernel", at + 1)) {
        std::string const kernel = plan.substr(at, plan.find("\nkernel", at) - at);
        CHECK(kernel.find("(64, 3)") == std::string::npos);
    }
}
