// SPDX-License-Identifier: MIT
// Calls of bodies with everything that may go in and out of them, and inside one another, beside the loops that they
// stand for.

#include <tapeless/tapeless.hpp>

#include <array>
#include <cmath>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "transform/calls/arrays.hpp"
#include "support/catch.hpp"

namespace ad = tapeless;

namespace {

/// What is stacked: a carry twice, the element itself, and the carry before the step; and a carry that is only handed
/// on.
constexpr auto stacked_alike = [](auto start, auto xs) {
    auto const f = [](auto const& c, auto x) {
        auto const next = ad::let(std::get<0>(c) * x + std::get<1>(c));
        return std::pair(std::tuple(next, std::get<1>(c)), std::tuple(next, next, x, std::get<0>(c)));
    };
    auto const [last, y] = ad::scan(f, std::tuple(start, 1.0), xs);
    return std::tuple(std::get<0>(last), std::get<0>(y), std::get<1>(y), std::get<2>(y), std::get<3>(y));
};

/// A walk through a table: an integer carry that points into it beside one that starts as a number, and a mask along
/// the steps.
constexpr auto walk = [](auto table, auto jumps, auto halves) {
    auto const f = [&](auto const& c, auto jump, auto halve) {
        auto const [at, s] = c;
        auto const v = ad::let(ad::squeeze<0>(ad::index_select<0>(table, ad::unsqueeze<0>(at))));
        return std::pair(std::tuple(at + jump, where(halve, s * 0.5, s) + v), square(v));
    };
    auto const [last, squares] = ad::scan(f, std::tuple(ad::let(0 * sum(jumps)), 0.5), jumps, halves);
    return std::get<1>(last) + sum(squares);
};

/// half in and out.
constexpr auto halves = [](auto x) {
    auto const [last, y] = ad::scan([](auto c, auto v) { return std::pair(c + v, ad::cast<ad::half>(c * v)); }, 1, x);
    return std::tuple(last, y, ad::checkpoint([](auto v) { return ad::cast<ad::half>(v * 1.5); })(x));
};

/// A checkpoint whose derivative needs nothing, with a number beside its argument.
constexpr auto flat = [](auto x) {
    auto const f = [](auto const& p) {
        return ad::stop_gradient(exp(std::get<0>(p))) + floor(std::get<0>(p)) * std::get<1>(p);
    };
    return sum(ad::checkpoint(f)(std::tuple(x, 2.0))) + sum(x);
};
/// What is stacked depends on nothing.
constexpr auto ones = [](auto x) {
    auto const f = [](auto c, auto v) { return std::pair(c, 0.0 * ad::stop_gradient(v) + 1.0); };
    return std::get<1>(ad::scan(f, 1.0, x));
};

/// In each step a loop within one side of a cond by the carry, and a checkpoint; or all that written out.
template <bool Calls>
constexpr auto inner_step = [](auto c, auto x, auto w) {
    auto const turn = [](auto d, auto v, auto s) { return ad::let(sin(d * v + s)); };
    auto const squash = [](auto a, auto b) { return ad::let(tanh(exp(0.1 * a) * b - 1.0)); };
    auto const s = ad::let(sum(c));
    if constexpr (Calls) {
        auto const turns = [&](auto d, auto v) { return turn(d, v, s); };
        auto const turned = [&](auto a) { return a * ad::fold(turns, ad::let(sum(x)), x); };
        return ad::checkpoint(squash)(ad::cond(s > 0.2, turned, [&](auto) { return w * 0.7; }, c), w);
    } else {
        auto const d = turn(turn(ad::let(sum(x)), ad::select<0>(x, 0), s), ad::select<0>(x, 1), s);
        return squash(ad::let(where(s > 0.2, c * d, w * 0.7)), w);
    }
};
template <bool Calls>
constexpr auto nested = [](auto w, auto start, auto xs) {
    if constexpr (Calls) {
        auto const f = [&](auto c, auto x) {
            auto const next = inner_step<true>(c, x, w);
            return std::pair(next, sum(c * next));
        };
        auto const [last, y] = ad::scan(f, start, xs);
        return sum(last) + sum(exp(y));
    } else {
        auto c = ad::let(start);
        auto s = ad::let(0.0 * sum(start));
        for (int t = 0; t < 3; ++t) {
            auto const next = inner_step<false>(c, ad::let(ad::select<0>(xs, t)), w);
            s = ad::let(s + exp(sum(c * next)));
            c = next;
        }
        return sum(c) + s;
    }
};

}  // namespace

TEST_CASE("scan: what is stacked may be a carry, twice, before or after the step, or the element") {
    for (int n : {0, 1, 4}) {
        std::vector<double> xs(static_cast<std::size_t>(n)), after, before;
        fill(xs, 1, 0);
        double c = 0.5;
        for (double x : xs) {
            before.push_back(c);
            after.push_back(c = c * x + 1);
        }
        auto const [last, y, same, x, first] = ad::evaluate(stacked_alike, 0.5, xs);
        CHECK(std::abs(last - c) < 1e-15);
        CHECK(distance(y, after) < 1e-15);
        CHECK(distance(same, after) < 1e-15);
        CHECK(distance(x, xs) == 0);
        CHECK(distance(first, before) < 1e-15);
    }
}

TEST_CASE("scan: integers, masks and numbers may be carried and gone along") {
    ad::tensor<double, 5> const table{1, 2, 3, 4, 5};
    std::vector<std::int64_t> const jumps{1, 2, -1, 2};
    ad::tensor<bool, 4> const halve{true, false, true, true};
    ad::view<bool const, ad::dyn> const all(halve.data(), 4);
    CHECK(ad::evaluate(walk, table, jumps, all) == ((0.25 + 1 + 2) * 0.5 + 4) * 0.5 + 3 + 1 + 4 + 16 + 9);
    CHECK(ad::check_gradient<0>(walk, table, jumps, all).passed);
    CHECK(
        ad::check_gradient<0>(walk, table, std::vector<std::int64_t>{}, ad::view<bool const, ad::dyn>(halve.data(), 0))
            .passed);
}

TEST_CASE("bodies: half goes in and comes out") {
    using ad::half;
    auto const [last, y, z] = ad::evaluate(halves, ad::tensor<half, 3>{half(1.0f), half(2.0f), half(3.0f)});
    CHECK(last == 7);
    CHECK(y == ad::tensor<half, 3>{half(1.0f), half(4.0f), half(12.0f)});
    CHECK(z == ad::tensor<half, 3>{half(1.5f), half(3.0f), half(4.5f)});
}

TEST_CASE("bodies: where nothing is needed nothing is handed over") {
    CHECK(ad::grad<0>(flat)(ad::tensor<double, 2>{1.5, 2.5}) == ad::tensor<double, 2>{1, 1});
    CHECK(ad::evaluate(ones, std::vector<double>(3)) == ad::tensor<double, ad::dyn>{1, 1, 1});
}

TEST_CASE("bodies: a loop in a cond in a loop, with a checkpoint, has the derivatives of the program written out") {
    ad::tensor<double, 3> w, start;
    ad::tensor<double, 3, 2> xs;
    auto calls = ad::value_and_grad<0, 1, 2>(nested<true>);
    auto plain = ad::value_and_grad<0, 1, 2>(nested<false>);
    auto curved = ad::hvp<0>(nested<true>);
    auto curved_plain = ad::hvp<0>(nested<false>);
    for (double begin : {0.4, 2.0, 3.0}) {
        fill(w, 1, begin);
        fill(start, 1, 2 * begin);
        fill(xs, 1, 3 * begin);
        auto const [y, g] = calls(w, start, xs);
        auto const [z, h] = plain(w, start, xs);
        CHECK(std::abs(y - z) < 1e-13);
        CHECK(distance(std::get<0>(g), std::get<0>(h)) < 1e-13);
        CHECK(distance(std::get<1>(g), std::get<1>(h)) < 1e-13);
        CHECK(distance(std::get<2>(g), std::get<2>(h)) < 1e-13);
        CHECK(distance(curved(w, start, xs, w), curved_plain(w, start, xs, w)) < 1e-12);
    }
}
