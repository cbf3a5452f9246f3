// SPDX-License-Identifier: MIT
// Functions of several results: tuples, pairs, arrays and aggregates of expressions.

#include <tapeless/tapeless.hpp>

#include <array>
#include <cmath>
#include <tuple>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/messages.hpp"

namespace ad = tapeless;
using ad::dyn;

namespace {

template <class L, class P>
struct fit {
    L loss;
    P predictions;
};
template <class L, class P>
fit(L, P) -> fit<L, P>;  // for clang 14

constexpr auto scaled = [](auto w, auto x) {
    auto y = ad::let(w * x);
    return std::tuple(sum(square(y)), y, 2.0 * sum<0>(y, ad::keepdims));
};
constexpr auto named = [](auto w, auto x) {
    auto y = ad::let(w * x);
    return fit{mean(y), std::pair(y > 1.0, std::array{y, y})};  // one value twice
};
constexpr auto auxiliary = [](auto w, auto x) {
    auto [loss, rest] = ad::value_and_grad<0>(scaled)(w, x);
    return std::tuple(std::get<0>(loss) + sum(std::get<1>(loss)) + sum(rest), rest, w);
};

}  // namespace

TEST_CASE("results: a tuple of expressions comes back as a tuple of arrays and numbers, computed in one pass") {
    std::vector<double> const w{1, 2, 3}, x{4, 5, 6};
    auto const [loss, y, total] = ad::evaluate(scaled, w, x);
    static_assert(std::is_same_v<decltype(loss), double const>);
    CHECK(loss == 16 + 100 + 324);
    CHECK(y == ad::tensor<double, 3>{4, 10, 18});
    CHECK(total == ad::tensor<double, 1>{64});
    using V = std::vector<double>;
    STATIC_REQUIRE(decltype(ad::fused(scaled))::plan<V, V>().passes_over<dyn>() == 1);
    STATIC_REQUIRE(decltype(ad::value_and_grad<0, 1>(scaled))::plan<V, V>().passes_over<dyn>() == 1);
}

TEST_CASE("results: of several the first is differentiated, and the value holds them all") {
    std::vector<double> const w{1, 2, 3}, x{4, 5, 6};
    auto both = ad::value_and_grad<0, 1>(scaled);
    auto const [value, grads] = both(w, x);
    auto const& [loss, y, total] = value;
    auto const& [dw, dx] = grads;
    CHECK(loss == 440);
    CHECK(y == ad::tensor<double, 3>{4, 10, 18});
    CHECK(total(0) == 64);
    CHECK(dw == std::vector<double>{32, 100, 216});
    CHECK(dx == std::vector<double>{8, 40, 108});
    CHECK(ad::grad<0>(scaled)(w, x) == dw);

    std::vector<double> gw(3), gx(3);
    auto const again = both(ad::into(gw, gx), w, x);
    CHECK(again == value);
    CHECK(gw == dw);
    CHECK(gx == dx);
    auto const report = ad::check_gradient<0, 1>(scaled, w, x);
    CHECK(report.passed);
    CHECK(report.checked == 6);
    CHECK(ad::hvp<0>(scaled)(w, x, std::vector<double>{1, 0, 1}) == std::vector<double>{32, 0, 72});
    CHECK(ad::explain(both, w, x).find("result 4") != std::string::npos);
}

TEST_CASE("results: an aggregate with a pair and an array in it becomes tuples in a tuple") {
    ad::tensor<float, 2> const w{1, 2}, x{3, -4};
    auto const [loss, rest] = ad::evaluate(named, w, x);
    CHECK(loss == -2.5f);
    CHECK(std::get<0>(rest) == ad::tensor<bool, 2>{true, false});
    CHECK(std::get<0>(std::get<1>(rest)) == ad::tensor<float, 2>{3, -8});
    CHECK(std::get<1>(std::get<1>(rest)) == ad::tensor<float, 2>{3, -8});
    CHECK(ad::grad<0>(named)(w, x) == ad::tensor<float, 2>{1.5f, -2});
}

TEST_CASE("results: inside a traced function they are symbols, and the outer gradient flows through all of them") {
    std::vector<double> const w{0.5, -1, 2}, x{1, 3, -2};
    auto const [value, dw, same] = ad::evaluate(auxiliary, w, x);
    double expect = 0;
    for (std::size_t i = 0; i < 3; ++i) {
        double const y = w[i] * x[i], d = 2 * y * x[i];
        expect += y * y + y + d;
        CHECK(dw(i) == d);
        CHECK(same(i) == w[i]);
    }
    CHECK(value == expect);
    CHECK(ad::check_gradient<0, 1>(auxiliary, w, x).passed);
}

TEST_CASE("into: several results are written to as many targets, strided ones too") {
    auto f = ad::fused(scaled);
    std::vector<double> const w{1, 2, 3}, x{4, 5, 6};
    double loss = 0;
    std::vector<double> y(3), memory(6, -1.0);
    ad::tensor<double, 1> total;
    f(ad::into(loss, y, total), w, x);
    CHECK(loss == 440);
    CHECK(y == std::vector<double>{4, 10, 18});
    CHECK(total(0) == 64);
    f(ad::into(loss, ad::view<double, dyn>(memory.data(), 3, std::array<std::ptrdiff_t, 1>{2}), total), w, x);
    CHECK(memory == std::vector<double>{4, -1, 10, -1, 18, -1});

    std::vector<double> wrong(4, 7.0);
    loss = -1;
    CHECK(
        mentions(message_of([&] { f(ad::into(loss, wrong, total), w, x); }), {"into", "target 1", "axis 0", "4", "3"}));
    CHECK(wrong == std::vector<double>(4, 7.0));
    CHECK(loss == -1);
}

TEST_CASE("into: a sum that goes to a strided target is read back under another shape") {
    ad::tensor<double, 2, 3, 2> const x{{{1, 2}, {3, 4}, {5, 6}}, {{7, 8}, {9, 10}, {11, 12}}};
    auto f = ad::fused([](auto v) {
        auto const s = ad::let(sum<2>(v, ad::keepdims));
        return std::tuple(s, 2.0 * ad::reshape<6>(s));
    });
    std::vector<double> memory(12, -1.0);
    ad::tensor<double, 6> line;
    f(ad::into(ad::view<double, 2, 3, 1>(memory.data(), std::array<std::ptrdiff_t, 3>{1, 4, 1}), line), x);
    CHECK(memory == std::vector<double>{3, 15, -1, -1, 7, 19, -1, -1, 11, 23, -1, -1});
    CHECK(line == ad::tensor<double, 6>{6, 14, 22, 30, 38, 46});
}
