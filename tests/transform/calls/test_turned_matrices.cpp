// SPDX-License-Identifier: MIT
// Matrices that steps of a loop multiply a vector by are turned before the loop where that spares them sums of lanes.

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

constexpr auto by_rows = [](auto w, auto h, auto xs) {
    return ad::fold([&](auto s, auto x) { return ad::let(tanh(matmul(w, s) + x)); }, h, xs);
};
constexpr auto turned_by_user = [](auto w, auto h, auto xs) {
    return ad::fold([&](auto s, auto x) { return ad::let(tanh(matmul(s, ad::transpose(w)) + x)); }, h, xs);
};
constexpr auto by_columns = [](auto w, auto h, auto xs) {
    return ad::fold([&](auto s, auto x) { return ad::let(tanh(matmul(s, w) + x)); }, h, xs);
};
constexpr auto both_ways = [](auto w, auto h, auto xs) {
    return ad::fold([&](auto s, auto x) { return ad::let(tanh(matmul(w, s) - matmul(s, w) + x)); }, h, xs);
};
constexpr auto twice = [](auto w, auto h, auto xs) {
    return ad::fold([&](auto s, auto x) { return ad::let(tanh(matmul(w, s) + matmul(w, x))); }, h, xs);
};
constexpr auto needed_as_it_is = [](auto w, auto h, auto xs) {
    auto const step = [&](auto s, auto x) {
        return ad::let(tanh(matmul(w, s) + 0.01 * sum(square(w - mean(s))) * x));
    };
    return ad::fold(step, h, xs);
};
constexpr auto of_several = [](auto w, auto h, auto xs) {
    auto const step = [&](auto s, auto x) {
        auto const first = ad::let(tanh(matmul(ad::select<0>(w, 1), s) + x));
        return ad::let(matmul(ad::select<0>(w, 0), first));
    };
    return ad::fold(step, h, xs);
};
constexpr auto a_part = [](auto w, auto h, auto xs) {  // every other column of some rows
    auto const step = [&](auto s, auto x) {
        return ad::let(tanh(matmul(ad::slice<1, 0, ad::to_end, 2>(ad::slice<0, 1, 10>(w)), s) + x));
    };
    return ad::fold(step, h, xs);
};
constexpr auto of_items = [](auto w, auto h, auto xs) {
    return ad::vmap<ad::whole, ad::whole, 0>(by_rows)(w, h, xs);
};
template <auto const& F>
constexpr auto squares_of = [](auto... a) { return sum(square(F(a...))); };
constexpr auto of_the_gradient = [](auto... a) { return sum(square(ad::grad<0>(squares_of<by_rows>)(a...))); };

/// Whether the steps add up rows of matrices, and none takes sums of rows.
template <class F, class... A>
bool adds_rows(F const& f, A const&... a) {
    std::string const plan = ad::explain(ad::fused(f), a...);
    return plan.find("sum, column by column") != std::string::npos &&
           plan.find("sum, one number a row") == std::string::npos;
}

}  // namespace

TEST_CASE("turned matrices: steps take no sums of lanes, whichever way a product is written, nor do those backwards") {
    auto const w = waves(ad::tensor<double, 9, 9>{}, 0.1);
    auto const h = waves(ad::tensor<double, 9>{}, 0.2);
    auto const xs = waves(ad::tensor<double, dyn, 9>(12), 0.3);
    CHECK(adds_rows(by_rows, w, h, xs));
    CHECK(adds_rows(turned_by_user, w, h, xs));
    CHECK(adds_rows(by_columns, w, h, xs));
    CHECK(adds_rows(of_several, waves(ad::tensor<double, 2, 9, 9>{}, 0.1), h, xs));
    std::string const back = ad::explain(ad::grad<1>(squares_of<by_columns>), w, h, xs);
    INFO(back);
    CHECK(back.find("sum, one number a row") == std::string::npos);
}
TEST_CASE("turned matrices: not where others need it as it is, the steps are few, or rows are long or columns few") {
    constexpr int L = ad::simd::lanes<double>;
    auto turns = [](auto const& f, auto const&... a) {  // it is copied before the loop
        return ad::explain(ad::fused(f), a...).find("\nkernel 0: fold") == std::string::npos;
    };
    ad::tensor<double, 9, 9> const w{};
    ad::tensor<double, 9> const h{};
    CHECK_FALSE(turns(needed_as_it_is, w, h, ad::tensor<double, dyn, 9>(12)));
    CHECK(turns(by_rows, w, h, ad::tensor<double, 8, 9>{}));
    CHECK_FALSE(turns(by_rows, w, h, ad::tensor<double, 7, 9>{}));
    CHECK(turns(by_rows, ad::tensor<double, 8 * L, 8 * L>{}, ad::tensor<double, 8 * L>{},
                ad::tensor<double, dyn, 8 * L>(9)));
    CHECK_FALSE(turns(by_rows, ad::tensor<double, 8 * L + 1, 8 * L + 1>{}, ad::tensor<double, 8 * L + 1>{},
                      ad::tensor<double, dyn, 8 * L + 1>(9)));
    if constexpr (L > 2)
        CHECK_FALSE(
            turns(by_rows, ad::tensor<double, 2, 2>{}, ad::tensor<double, 2>{}, ad::tensor<double, dyn, 2>(9)));
}
TEST_CASE("turned matrices: values and gradients are those of the formula, of 0 to 12 steps") {
    auto const w = waves(ad::tensor<double, 9, 9>{}, 0.1);
    auto const h = waves(ad::tensor<double, 9>{}, 0.2);
    for (std::size_t steps : {0u, 1u, 8u, 12u}) {
        CAPTURE(steps);
        auto const xs = waves(ad::tensor<double, dyn, 9>(steps), 0.3);
        CHECK(oracle::agree<0, 1, 2>(squares_of<by_rows>, w, h, xs) == "");
        CHECK(oracle::agree<0, 1, 2>(squares_of<turned_by_user>, w, h, xs) == "");
        CHECK(oracle::agree<0, 1, 2>(squares_of<both_ways>, w, h, xs) == "");
        CHECK(oracle::agree<0, 1, 2>(squares_of<twice>, w, h, xs) == "");
        CHECK(oracle::agree<0, 1, 2>(squares_of<needed_as_it_is>, w, h, xs) == "");
        CHECK(oracle::agree<0, 1, 2>(squares_of<of_several>, waves(ad::tensor<double, 2, 9, 9>{}, 0.1), h, xs) == "");
        CHECK(oracle::agree<0, 1, 2>(squares_of<a_part>, waves(ad::tensor<double, 11, 18>{}, 0.1), h, xs) == "");
        auto const many = waves(ad::tensor<double, 3, dyn, 9>(steps), 0.3);
        CHECK(oracle::agree<0, 1, 2>(squares_of<of_items>, w, h, many) == "");
        CHECK(oracle::agree<0, 1>(of_the_gradient, w, h, xs) == "");
    }
}
TEST_CASE("turned matrices: matrices of other extents, in float and double") {
    auto check = []<class T, int N>(T, std::integral_constant<int, N>) {
        CAPTURE(N);
        auto const xs = waves(ad::tensor<T, dyn, N>(10), 0.3);
        CHECK(oracle::agree<0, 1, 2>(squares_of<by_rows>, waves(ad::tensor<T, N, N>{}, 0.1),
                                     waves(ad::tensor<T, N>{}, 0.2), xs) == "");
    };
    check(0.0f, std::integral_constant<int, 4>{});
    check(0.0f, std::integral_constant<int, 17>{});
    check(0.0, std::integral_constant<int, 2>{});
    check(0.0, std::integral_constant<int, 8>{});
    check(0.0, std::integral_constant<int, 16>{});
}
