// SPDX-License-Identifier: MIT
// Where carries lie between steps: in one place where a step reads all numbers before it writes any, to and fro where
// it is a loop, along a record where the gradient needs it. Values change places in every step, at 0 to 5 steps.

#include <tapeless/tapeless.hpp>

#include <algorithm>
#include <tuple>
#include <vector>

#include "support/agree.hpp"
#include "support/catch.hpp"

namespace ad = tapeless;

namespace {

/// (a, b, c) to (b, c, a + x b): each goes to where another one is read.
constexpr auto turn = [](auto const& carry, auto const& x) {
    auto const& [a, b, c] = carry;
    return std::tuple(b, c, ad::let(a + x * b));
};
constexpr auto turned = [](auto a, auto b, auto c, auto xs) { return ad::fold(turn, std::tuple(a, b, c), xs); };
/// The same with what was there before stacked.
constexpr auto turned_and_stacked = [](auto a, auto b, auto c, auto xs) {
    auto const [last, all] = ad::scan(
        [](auto const& carry, auto const& x) { return std::pair(turn(carry, x), std::get<0>(carry) * x); },
        std::tuple(a, b, c), xs);
    auto const [p, q, r] = last;
    return std::tuple(p, q, r, all);
};
constexpr auto squared = [](auto a, auto b, auto c, auto xs) {
    auto const [p, q, r, all] = turned_and_stacked(a, b, c, xs);
    return sum(p * q) + sum(square(r)) + sum(p * all) + sum(all * all);
};
/// Until the last one is large: as many steps as it takes.
constexpr auto turned_until = [](auto a, auto b, auto c) {
    auto const [p, q, r] = ad::while_loop<30>([](auto const& s) { return std::get<2>(s) < 50.0; },
                                              [](auto const& s) {
                                                  auto const& [x, y, z] = s;
                                                  return std::tuple(y, z, ad::let(x + 0.5 * y + z));
                                              },
                                              std::tuple(a, b, c));
    return p * q + square(r);
};

template <class T>
std::vector<T> items(int n) {
    std::vector<T> xs;
    for (int i = 0; i < n; ++i) xs.push_back(T(0.5) + T(0.25) * static_cast<T>(i % 3));
    return xs;
}
template <class T>
void follow(int n) {
    std::vector<T> const xs = items<T>(n);
    T a = T(1.5), b = -2, c = T(0.25);
    std::vector<T> all;
    for (T x : xs) {
        T const next = a + x * b;
        all.push_back(a * x);
        a = b, b = c, c = next;
    }
    auto const [p, q, r] = ad::fused(turned)(T(1.5), T(-2), T(0.25), xs);
    REQUIRE((p == a && q == b));
    REQUIRE(r == Approx(c));
    auto const [u, v, w, stacked] = ad::fused(turned_and_stacked)(T(1.5), T(-2), T(0.25), xs);
    REQUIRE((u == a && v == b && w == r));
    for (int i = 0; i < n; ++i) REQUIRE(stacked(i) == Approx(all[static_cast<std::size_t>(i)]));
}

}  // namespace

TEST_CASE("places: numbers that change places in every step") {
    for (int n = 0; n < 6; ++n) {
        INFO(n);
        follow<double>(n);
        follow<float>(n);
    }
}
TEST_CASE("places: and their gradients, backwards along records") {
    for (int n = 0; n < 6; ++n) {
        INFO(n);
        REQUIRE(oracle::agree<0, 1, 2, 3>(squared, 1.5, -2.0, 0.25, items<double>(n)) == "");
        REQUIRE(oracle::agree<0, 1, 2, 3>(squared, 1.5f, -2.0f, 0.25f, items<float>(n)) == "");
    }
}
TEST_CASE("places: arrays that change places, step by step in loops") {
    for (int n = 0; n < 6; ++n)
        for (int m : {0, 1, 5, 9}) {
            INFO(n << " steps of " << m);
            auto const a = items<double>(m);
            REQUIRE(oracle::agree<0, 1, 2, 3>(squared, a, a, a, items<double>(n)) == "");
        }
}
TEST_CASE("places: an array that is turned round in every step is not written over what is still to be read") {
    constexpr auto round = [](auto s, auto xs) {
        return ad::fold([](auto const& c, auto const& x) { return ad::let(ad::flip<0>(c) + x); }, s, xs);
    };
    for (int n = 0; n < 6; ++n)
        for (int m : {0, 1, 2, 3, 5, 9, 17}) {
            INFO(n << " steps of " << m);
            std::vector<double> s = items<double>(m);
            for (int i = 0; i < m; ++i) s[static_cast<std::size_t>(i)] += i;
            auto const last = ad::fused(round)(s, items<double>(n));
            for (double x : items<double>(n)) {
                std::reverse(s.begin(), s.end());
                for (double& y : s) y += x;
            }
            for (int i = 0; i < m; ++i) REQUIRE(last(i) == s[static_cast<std::size_t>(i)]);
        }
}
TEST_CASE("places: numbers that change places until they are large") {
    for (double start : {60.0, 30.0, 3.0, 0.5, 0.01}) {
        INFO(start);
        double a = 0.5, b = 1.5, c = start;
        while (c < 50) {
            double const next = a + 0.5 * b + c;
            a = b, b = c, c = next;
        }
        REQUIRE(ad::fused(turned_until)(0.5, 1.5, start) == Approx(a * b + c * c));
        REQUIRE(oracle::agree<0, 1, 2>(turned_until, 0.5, 1.5, start) == "");
    }
}
