// SPDX-License-Identifier: MIT
// cond computes one side only, and its derivatives are those of that side.

#include <tapeless/tapeless.hpp>

#include <cmath>
#include <tuple>

#include "support/catch.hpp"
#include "support/messages.hpp"

namespace ad = tapeless;

namespace {

/// The two sides of one function, with a captured symbol, and each alone.
constexpr auto grown = [](auto x, auto w) { return exp(x) * w; };
constexpr auto waved = [](auto x, auto w) { return sin(x * w); };
constexpr auto chosen = [](auto x, auto w) {
    return sum(square(ad::cond(
        sum(x) > 0.0, [&](auto a) { return grown(a, w); }, [&](auto a) { return waved(a, w); }, x)));
};
template <auto F>
constexpr auto alone = [](auto x, auto w) { return sum(square(F(x, w))); };

/// One of two rows, and what is no row at all on the side that is not taken.
constexpr auto row_or_zero = [](auto table, auto row, auto takes) {
    return sum(ad::cond(
        takes, [&](auto t) { return ad::index_select<0>(t, ad::unsqueeze<0>(row)); },
        [](auto t) { return 0.0 * ad::slice<0, 0, 1>(t); }, table));
};

/// The same of indices that are handed over as they are.
constexpr auto rows_or_zero = [](auto table, auto rows, auto takes) {
    auto const zero = [](auto t) { return ad::let(0.0 * sum(t)); };
    return ad::cond(takes, [&](auto t) { return ad::let(sum(ad::index_select<0>(t, rows))); }, zero, table);
};

constexpr auto sign_by_cond = [](auto x) {
    auto const minus = [](auto v) { return ad::let(-v); };
    auto const zero_or_minus = [&](auto v) {
        return ad::cond(
            v < 0.0, minus, [](auto u) { return ad::let(0.0 * u); }, v);
    };
    return ad::cond(x > 0.0, [](auto v) { return ad::let(2.0 * v); }, zero_or_minus, x);
};

constexpr auto two_results = [](auto p, auto x) {
    auto const [a, b] = ad::cond(
        p, [](auto v) { return std::tuple(square(v), sum(v)); }, [](auto v) { return std::tuple(v, sum(exp(v))); }, x);
    return sum(a) * b;
};

}  // namespace

TEST_CASE("cond: values, gradients and Hessians are those of the side that is taken") {
    ad::tensor<double, 5> x{0.3, -0.2, 0.5, 0.1, -0.4};
    double const w = 0.7;
    auto compare = [&](auto side) {
        auto const [y, g] = ad::value_and_grad<0, 1>(chosen)(x, w);
        auto const [z, h] = ad::value_and_grad<0, 1>(side)(x, w);
        CHECK(std::abs(y - z) < 1e-14);
        for (std::size_t i = 0; i < 5; ++i) CHECK(std::abs(std::get<0>(g)(i) - std::get<0>(h)(i)) < 1e-14);
        CHECK(std::abs(std::get<1>(g) - std::get<1>(h)) < 1e-14);
        auto const [v, t] = ad::jvp<0, 1>(chosen)(x, w, x, w);
        double s = w * std::get<1>(h);
        for (std::size_t i = 0; i < 5; ++i) s += x(i) * std::get<0>(h)(i);
        CHECK(std::abs(v - z) < 1e-14);
        CHECK(std::abs(t - s) < 1e-13);
        auto const hv = ad::hvp<0>(chosen)(x, w, x), hs = ad::hvp<0>(side)(x, w, x);
        for (std::size_t i = 0; i < 5; ++i) CHECK(std::abs(hv(i) - hs(i)) < 1e-13);
    };
    compare(alone<grown>);
    for (double& v : x) v = -v;
    compare(alone<waved>);
}

TEST_CASE("cond: the side that is not taken is not even looked at") {
    ad::tensor<double, 2, 3> const table{{1, 2, 3}, {4, 5, 6}};
    std::int64_t const good = 1, bad = 7;
    CHECK(ad::evaluate(row_or_zero, table, good, true) == 15);
    CHECK(ad::evaluate(row_or_zero, table, bad, false) == 0);
    CHECK(ad::evaluate(rows_or_zero, table, ad::tensor<std::int64_t, 1>{bad}, false) == 0);
    CHECK(ad::grad<0>(row_or_zero)(table, bad, false) == ad::tensor<double, 2, 3>{});
    CHECK(mentions(index_message([&] { (void)ad::evaluate(row_or_zero, table, bad, true); }), {"index 7"}));
    auto by_item = ad::vmap<ad::whole, 0, 0>(row_or_zero);
    ad::tensor<std::int64_t, 2> const rows{good, bad};
    CHECK(by_item(table, rows, ad::tensor<bool, 2>{true, false}) == ad::tensor<double, 2>{15, 0});
    CHECK(mentions(index_message([&] { (void)by_item(table, rows, ad::tensor<bool, 2>{true, true}); }), {"index 7"}));
}

TEST_CASE("cond: within cond, by integers, with several results, on arrays, and by item") {
    CHECK(ad::evaluate(sign_by_cond, 3.0) == 6);
    CHECK(ad::grad<0>(sign_by_cond)(3.0) == 2);
    CHECK(ad::grad<0>(sign_by_cond)(-3.0) == -1);
    CHECK(ad::grad<0>(sign_by_cond)(0.0) == 0);
    CHECK(ad::vmap<>(sign_by_cond)(ad::tensor<double, 3>{3, -3, 0}) == ad::tensor<double, 3>{6, 3, 0});
    CHECK(ad::vmap<>(ad::grad<0>(sign_by_cond))(ad::tensor<double, 3>{3, -3, 0}) == ad::tensor<double, 3>{2, -1, 0});
    ad::tensor<double, 2> const x{2, 3};
    CHECK(ad::evaluate(two_results, std::int32_t{1}, x) == 13 * 5);
    CHECK(ad::grad<1>(two_results)(std::int32_t{1}, x) == ad::tensor<double, 2>{4 * 5 + 13, 6 * 5 + 13});
    CHECK(ad::check_gradient<1>(two_results, std::int32_t{0}, x).passed);
    CHECK(ad::cond(false, [](auto v) { return sum(v); }, [](auto v) { return sum(2.0 * v); }, x) == 10);
}
