// SPDX-License-Identifier: MIT
// Long chains of steps are cut where few values cross: kernels of steps that are written out are one piece of code,
// what they compute is right at all lengths, and nothing is stored that is larger than what is in memory anyway.

#include <cmath>
#include <utility>

#include "support/agree.hpp"
#include "support/catch.hpp"
#include "support/sweep.hpp"

namespace ad = tapeless;
using ad::dyn;
using oracle::agree;
using oracle::sweep;

namespace {

constexpr auto field = [](auto u, auto p) { return ad::let(p * u - u * u * u); };
/// Runge and Kutta's steps.
template <int Steps>
constexpr auto orbit = [](auto u, auto p) {
    for (int i = 0; i < Steps; ++i) {
        auto const k1 = field(u, p), k2 = field(ad::let(u + 0.05 * k1), p), k3 = field(ad::let(u + 0.05 * k2), p),
                   k4 = field(ad::let(u + 0.1 * k3), p);
        u = ad::let(u + (0.1 / 6) * (k1 + 2.0 * k2 + 2.0 * k3 + k4));
    }
    return sum(square(u));
};
/// The same in a loop, some steps at a time.
constexpr auto orbit_in_a_loop = [](auto u, auto p) {
    auto const step = [&](auto v) {
        for (int i = 0; i < 3; ++i) {
            auto const k = field(v, p);
            v = ad::let(v + 0.05 * (k + field(ad::let(v + 0.1 * k), p)));
        }
        return v;
    };
    return sum(square(ad::fold<4>(step, u)));
};
/// Two states, each of which waits for the other.
template <int Steps>
constexpr auto pendulums = [](auto x, auto y) {
    for (int i = 0; i < Steps; ++i) {
        auto const next = ad::let(x + 0.1 * y / (1.0 + y * y));
        y = ad::let(y - 0.1 * next / (1.0 + next * next));
        x = next;
    }
    return sum(x * y);
};

struct plan_counts {
    int kernels = 0, codes = 0;
};
template <int... I, class F, class... A>
plan_counts counts_of(F const&, A const&...) {
    using plan = decltype(decltype(ad::value_and_grad<I...>(std::declval<F>()))::template plan<A...>());
    plan_counts c{plan::kernels()};
    for (int i = 0; i < c.kernels; ++i) c.codes += plan::program_type::code_of[i] == i;
    return c;
}

using line = ad::tensor<double, dyn>;

}  // namespace

TEST_CASE("segments: chains of all lengths, cut and not") {
    CHECK(sweep<"n,n", 0, 1>(orbit<1>, {.most = 2000}) == "");
    CHECK(sweep<"n,n", 0, 1>(orbit<3>, {.most = 2000}) == "");
    CHECK(sweep<"n,n", 0, 1>(pendulums<20>, {.most = 2000}) == "");
    CHECK(sweep<"nm,m", 0, 1>(orbit<4>, {.most = 2000}) == "");
    CHECK(sweep<"n,n", 0, 1>(orbit_in_a_loop, {.most = 2000}) == "");
}

TEST_CASE("segments: twice as many steps are little more code") {
    line const u(5), p(5);
    plan_counts const few = counts_of<0, 1>(orbit<12>, u, p), many = counts_of<0, 1>(orbit<24>, u, p);
    CHECK(few.kernels > 8);
    CHECK(many.kernels >= 2 * few.kernels - 4);
    CHECK(many.codes <= few.codes + 2);
    CHECK(2 * few.codes <= few.kernels + 4);
}

TEST_CASE("segments: what would be larger than everything in memory is not stored") {
    auto const f = [](auto x, auto y) {
        auto h = ad::let(ad::unsqueeze<1>(x) - ad::unsqueeze<0>(y));
        for (int i = 0; i < 30; ++i) h = ad::let(h + 0.1 * (h - h * h * h));
        return sum(h);
    };
    line const x(300), y(200);
    CHECK(decltype(ad::fused(f))::plan<line, line>().kernels() == 1);
    line a(13), b(9);
    for (auto& v : a) v = std::sin(static_cast<double>(&v - a.data()));
    for (auto& v : b) v = std::cos(static_cast<double>(&v - b.data()));
    CHECK(agree<0, 1>(f, a, b) == "");
}
