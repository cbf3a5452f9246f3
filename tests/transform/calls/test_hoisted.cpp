// SPDX-License-Identifier: MIT
// Products of a loop's items with what is the same in all steps are computed of all steps before the loop.

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
    for (auto& v : a) v = static_cast<typename A::value_type>(0.5 * std::sin(first += 0.7));
    return a;
}
using inputs = ad::tensor<double, 6, 8>;
using matrix = ad::tensor<double, 8, 8>;
using state = ad::tensor<double, 8>;

constexpr auto cell = [](auto w, auto u, auto h, auto xs) {
    return ad::fold([&](auto s, auto x) { return ad::let(tanh(matmul(x, w) + matmul(s, u))); }, h, xs);
};
constexpr auto loss = [](auto w, auto u, auto h, auto xs) { return sum(square(cell(w, u, h, xs))); };
constexpr auto of_the_gradient = [](auto w, auto u, auto h, auto xs) {
    return sum(square(ad::grad<0>(loss)(w, u, h, xs)));
};
constexpr auto checkpointed = [](auto w, auto u, auto h, auto xs) {
    auto const whole = ad::checkpoint([](auto... x) { return ad::let(loss(x...)); });
    auto const step = ad::checkpoint([](auto s, auto x, auto v) { return ad::let(sin(matmul(x, v) + s)); });
    return whole(w, u, h, xs) + sum(ad::fold([&](auto s, auto x) { return step(s, x, w); }, h, xs));
};
constexpr auto of_items = [](auto w, auto u, auto h, auto xs) {
    return sum(square(ad::vmap<ad::whole, ad::whole, ad::whole, 0>(cell)(w, u, h, xs)));
};
constexpr auto in_a_loop = [](auto w, auto u, auto h, auto xs) {
    return sum(ad::fold([&](auto s, auto x) { return ad::let(cell(w, u, s, xs) * mean(x)); }, h, xs));
};
constexpr auto outputs = [](auto v, auto start, auto xs) {
    auto const step = [&](auto s, auto x) {
        auto const n = ad::let(tanh(s + sum(x)));
        return std::pair(n, matmul(n, v));
    };
    return std::get<1>(ad::scan(step, start, xs));
};
constexpr auto of_outputs = [](auto v, auto start, auto xs) { return sum(square(outputs(v, start, xs))); };
char const* const said = ", products of all steps";

}  // namespace

TEST_CASE("hoisted products: the plan says so, and the steps have one product less") {
    auto const w = waves(inputs{}, 0.1);
    auto const u = waves(matrix{}, 0.2);
    auto const h = waves(state{}, 0.3);
    auto const xs = waves(ad::tensor<double, dyn, 6>(9), 0.4);
    std::string const plan = ad::explain(ad::value_and_grad<0, 3>(loss), w, u, h, xs);
    INFO(plan);
    CHECK(plan.find("product  (9 x 6) x (6 x 8)") != std::string::npos);
    CHECK(plan.find(said) != std::string::npos);
    CHECK(oracle::agree<0, 1, 2, 3>(loss, w, u, h, xs) == "");
}
TEST_CASE("hoisted products: not where a step has many rows, or the steps are few, or the carry is in them") {
    auto const u = waves(matrix{}, 0.2);
    auto is_hoisted = [&](auto const& f, auto const&... a) {
        return ad::explain(ad::fused(f), a...).find(said) != std::string::npos;
    };
    auto const cell_of = [](auto v, auto h, auto xs) {
        return ad::fold([&](auto s, auto x) { return ad::let(tanh(matmul(x, v) + s)); }, h, xs);
    };
    auto const of_both = [](auto v, auto h, auto xs) {
        return ad::fold([&](auto s, auto x) { return ad::let(tanh(matmul(x + s, v))); }, h, xs);
    };
    constexpr auto most = ad::detail::machine::hoisted_rows;
    CHECK(is_hoisted(cell_of, u, ad::tensor<double, most, 8>{}, ad::tensor<double, dyn, most, 8>(9)));
    CHECK_FALSE(is_hoisted(cell_of, u, ad::tensor<double, most + 1, 8>{}, ad::tensor<double, dyn, most + 1, 8>(9)));
    CHECK_FALSE(is_hoisted(cell_of, u, ad::tensor<double, dyn, 8>(2), ad::tensor<double, dyn, dyn, 8>(9, 2)));
    CHECK_FALSE(is_hoisted(of_both, u, state{}, ad::tensor<double, dyn, 8>(9)));
    CHECK(is_hoisted(cell_of, u, state{}, ad::tensor<double, 8, 8>{}));
    CHECK_FALSE(is_hoisted(cell_of, u, state{}, ad::tensor<double, 7, 8>{}));
}
TEST_CASE("hoisted products: what is only stacked is computed behind the loop, and the gradients of items, too") {
    auto const u = waves(matrix{}, 0.2);
    auto const h = waves(state{}, 0.3);
    auto const xs = waves(ad::tensor<double, dyn, 6>(9), 0.4);
    auto const w = waves(inputs{}, 0.1);
    std::string const plan = ad::explain(ad::fused(outputs), u, h, xs);
    INFO(plan);
    CHECK(plan.find("\n  product  (9 x 8) x (8 x 8)") != std::string::npos);
    std::string const back = ad::explain(ad::grad<3>(loss), w, u, h, xs);
    INFO(back);
    CHECK(back.find("\n  product  (9 x 8) x (8 x 6)") != std::string::npos);
    CHECK(oracle::agree<0, 1, 2>(of_outputs, u, h, xs) == "");
}
TEST_CASE("hoisted products: gradients of gradients, checkpoints, many items and loops in loops, of 0 to 9 steps") {
    auto const w = waves(inputs{}, 0.1);
    auto const u = waves(matrix{}, 0.2);
    auto const h = waves(state{}, 0.3);
    for (std::size_t steps : {0u, 1u, 2u, 9u}) {
        CAPTURE(steps);
        auto const xs = waves(ad::tensor<double, dyn, 6>(steps), 0.4);
        CHECK(oracle::agree<0, 1, 3>(of_the_gradient, w, u, h, xs) == "");
        CHECK(oracle::agree<0, 1, 2, 3>(checkpointed, w, u, h, xs) == "");
        CHECK(oracle::agree<0, 1, 2, 3>(in_a_loop, w, u, h, xs) == "");
        CHECK(oracle::agree<0, 1, 2, 3>(of_items, w, u, h, waves(ad::tensor<double, 3, dyn, 6>(steps), 0.4)) == "");
    }
}
