// SPDX-License-Identifier: MIT
// Reductions where mathematics leaves a choice: ties, zeros, NaN, infinities, nothing at all; integers and masks.

#include <tapeless/tapeless.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "support/catch.hpp"
#include "support/messages.hpp"

namespace ad = tapeless;
using ad::dyn;

namespace {

using matrix = ad::tensor<double, dyn, dyn>;
constexpr double infinite = std::numeric_limits<double>::infinity(),
                 not_a_number = std::numeric_limits<double>::quiet_NaN();

constexpr auto statistics = [](auto x) {
    return std::tuple(
        sum(std_dev<1>(x)) + sum(norm<1>(x)) + sum(norm<1>(x, 1)) + sum(norm<1>(x, 1.5)) + sum(norm<1>(x, infinite)),
        prod<1>(x), var<1>(x), std_dev<1>(x), norm<1>(x, 1.5));
};
constexpr auto of_a_vector = [](auto x) {
    return std::tuple(prod(x), var(x), var(x, {.correction = 0}), norm(x), logsumexp(x));
};
constexpr auto products = [](auto x) { return sum(prod<1>(x)); };
constexpr auto first_extremes = [](auto x) {
    auto [high, at] = max_with_index<1>(x);
    auto [low, low_at] = min_with_index<1>(x);
    return std::tuple(sum(high) + 10.0 * sum(low), at, low_at, argmax(x), argmin(x));
};
constexpr auto shared_extreme = [](auto x) { return sum(norm<1>(x, infinite)); };
constexpr auto exponentials = [](auto x) { return std::tuple(sum(logsumexp<1>(x)), logsumexp<1>(x)); };
constexpr auto of_whole_numbers = [](auto x) {
    return std::tuple(sum<1>(x), prod<1>(x), max<1>(x), min<1>(x), argmax<1>(x), argmin<1>(x), count_nonzero<1>(x),
                      prod<0>(x), argmax(x));
};
constexpr auto of_masks = [](auto m) {
    return std::tuple(any<1>(m), all<1>(m), any(m), all(m), count_nonzero<1>(m), any<0>(m, ad::keepdims));
};

bool is_nan(double x) { return x != x; }

}  // namespace

TEST_CASE("prod: the gradient is the product of the others, with one zero, with two, and with none") {
    matrix const x{{2, 3, 5, 7}, {2, 0, 5, 7}, {0, 3, 0, 7}};
    auto const [value, g] = ad::value_and_grad<0>(products)(x);
    CHECK(value == 210);
    CHECK(g == matrix{{105, 70, 42, 30}, {0, 70, 0, 0}, {0, 0, 0, 0}});
}

TEST_CASE("std_dev and norm: the gradient is 0 where they are 0") {
    auto const [value, g] = ad::value_and_grad<0>(statistics)(matrix{{0, 0, 0}, {0, 0, 0}});
    CHECK(std::get<0>(value) == 0);
    CHECK(g == matrix{{0, 0, 0}, {0, 0, 0}});
}

TEST_CASE("norm: the largest |x| shares its gradient among ties, with their signs") {
    CHECK(ad::grad<0>(shared_extreme)(matrix{{-3, 1, 3}, {0, 2, 1}}) == matrix{{-0.5, 0, 0.5}, {0, 1, 0}});
}

TEST_CASE("reductions of nothing: a product is 1, a variance NaN, a norm 0; of one element the variance is NaN") {
    auto const [loss, product, variance, deviation, length] = ad::evaluate(statistics, matrix(2, 1));
    CHECK(product == ad::tensor<double, 2>{0, 0});
    CHECK(is_nan(variance(0)));
    CHECK(is_nan(deviation(1)));
    CHECK(is_nan(loss));
    CHECK(length == ad::tensor<double, 2>{0, 0});
    auto const [one, undefined, divided, zero, least] = ad::evaluate(of_a_vector, std::vector<double>{});
    CHECK(one == 1);
    CHECK(is_nan(undefined));
    CHECK(is_nan(divided));
    CHECK(zero == 0);
    CHECK(least == -infinite);
    auto const [itself, no_degrees, nothing, distance, same] = ad::evaluate(of_a_vector, ad::tensor<double, 1>{-3});
    CHECK(itself == -3);
    CHECK(is_nan(no_degrees));
    CHECK(nothing == 0);
    CHECK(distance == 3);
    CHECK(same == -3);
}

TEST_CASE("argmax: of nothing is refused like max of nothing") {
    auto const message = message_of([] { ad::evaluate(first_extremes, matrix(2, 0)); });
    CHECK(mentions(message, {"argument 0", "axis 1", "length 0", "argmax", "at least one element"}));
}

TEST_CASE("argmax, argmin, max_with_index: the first extreme wins and gets the whole gradient; NaN is the extreme") {
    matrix const x{{1, 5, 5, 1}, {2, not_a_number, 7, not_a_number}, {-infinite, -infinite, -infinite, -infinite}};
    auto const [value, g] = ad::value_and_grad<0>(first_extremes)(x);
    auto const& [loss, high, low, highest, lowest] = value;
    CHECK(high == ad::tensor<std::int64_t, 3>{1, 1, 0});
    CHECK(low == ad::tensor<std::int64_t, 3>{0, 1, 0});
    CHECK(highest == 5);
    CHECK(lowest == 5);
    CHECK(is_nan(loss));
    CHECK(g == matrix{{10, 1, 0, 0}, {0, 11, 0, 0}, {11, 0, 0, 0}});
}

TEST_CASE("logsumexp: rows of -inf give -inf and no NaN; large ones do not overflow") {
    matrix const x{{-infinite, -infinite}, {1e4, 1e4}, {-1e4, -infinite}, {infinite, 0}};
    auto const [value, g] = ad::value_and_grad<0>(exponentials)(x);
    auto const& y = std::get<1>(value);
    CHECK(y(0) == -infinite);
    CHECK(std::abs(y(1) - (1e4 + std::log(2.0))) < 1e-11);
    CHECK(y(2) == -1e4);
    CHECK(y(3) == infinite);
    for (int j = 0; j < 2; ++j) CHECK(g(0, j) == 0);
    CHECK(g(1, 0) == 0.5);
    CHECK(g(2, 0) == 1);
    CHECK(g(2, 1) == 0);
}

TEST_CASE("reductions: integers are reduced exactly") {
    auto expect = [](auto zero) {
        using T = decltype(zero);
        ad::tensor<T, dyn, dyn> x(3, 5);
        for (int i = 0; i < 15; ++i) x.data()[i] = static_cast<T>(i % 4 - 2 + (i == 7 ? 1000 : 0));
        auto const [sums, prods, high, low, at, low_at, count, columns, highest] = ad::evaluate(of_whole_numbers, x);
        for (int r = 0; r < 3; ++r) {
            T s = 0, p = 1, h = x(r, 0), l = h, n = 0;
            for (int c = 0; c < 5; ++c) {
                s += x(r, c), p *= x(r, c), h = std::max(h, x(r, c)), l = std::min(l, x(r, c)), n += x(r, c) != 0;
            }
            CHECK(sums(r) == s);
            CHECK(prods(r) == p);
            CHECK(high(r) == h);
            CHECK(low(r) == l);
            CHECK(x(r, at(r)) == h);
            CHECK(x(r, low_at(r)) == l);
            CHECK(count(r) == n);
        }
        for (int c = 0; c < 5; ++c) CHECK(columns(c) == x(0, c) * x(1, c) * x(2, c));
        CHECK(highest == 7);
    };
    expect(std::int32_t{});
    expect(std::int64_t{});
}

TEST_CASE("any, all, count_nonzero: of masks; of nothing any is false and all is true") {
    ad::tensor<bool, dyn, dyn> const m{{true, false, true}, {false, false, false}, {true, true, true}};
    auto const [some, every, any_at_all, all_at_all, count, columns] = ad::evaluate(of_masks, m);
    CHECK(some == ad::tensor<bool, 3>{true, false, true});
    CHECK(every == ad::tensor<bool, 3>{false, false, true});
    CHECK(any_at_all);
    CHECK(!all_at_all);
    CHECK(count == ad::tensor<std::int64_t, 3>{2, 0, 3});
    CHECK(columns == ad::tensor<bool, 1, 3>{{true, true, true}});
    auto const [none, whole, any_of_none, all_of_none, zero, empty] =
        ad::evaluate(of_masks, ad::tensor<bool, dyn, dyn>(2, 0));
    CHECK(none == ad::tensor<bool, 2>{false, false});
    CHECK(whole == ad::tensor<bool, 2>{true, true});
    CHECK(!any_of_none);
    CHECK(all_of_none);
    CHECK(zero == ad::tensor<std::int64_t, 2>{0, 0});
    CHECK(empty.size() == 0);
}
