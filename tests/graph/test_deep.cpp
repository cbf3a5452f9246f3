// SPDX-License-Identifier: MIT
// The deep programs of the reference, in segments: each a loop of traced steps, chained at run time by its cotangents.

#include "ops/reference_cases.hpp"

using namespace reference;

namespace {

constexpr int chain_segment = 10, fibonacci_segment = 6;

/// Ten layers of tanh(1.01 x + 0.01); its gradient by cot is the value.
constexpr auto chain = [](auto x, auto cot) {
    auto h = ad::let(1.0 * x);
    for (int i = 0; i < chain_segment; ++i) h = ad::let(tanh(1.01 * h + 0.01));
    return sum(h * cot);
};
/// Six steps of (a, b) = (b, 0.5 a + 0.6 sin b): many paths from each end to the other.
constexpr auto fibonacci = [](auto a, auto b, auto cot_a, auto cot_b) {
    auto u = ad::let(1.0 * a), v = ad::let(1.0 * b);
    for (int i = 0; i < fibonacci_segment; ++i) {
        auto next = ad::let(0.5 * u + 0.6 * sin(v));
        u = v;
        v = next;
    }
    return sum(u * cot_a) + sum(v * cot_b);
};

}  // namespace

TEMPLATE_TEST_CASE("deep: 200 layers of tanh have the reference's output and gradient", "", double, float) {
    auto const found = cases(file_of<TestType>("graph"), "deep_chain");
    REQUIRE(found.size() == 1);
    test_case const& c = found[0];
    REQUIRE(c.integer("depth") == 200);
    auto segment = ad::grad<0, 1>(chain);
    std::vector<std::vector<TestType>> h{c.in("x").as<TestType>()};
    auto cot = c.cot().as<TestType>();
    for (int i = 0; i < 200 / chain_segment; ++i) h.push_back(std::get<1>(segment(h.back(), cot)));
    CHECK(check_close(c.out(), h.back(), c, "out") == "");
    for (int i = 200 / chain_segment - 1; i >= 0; --i) cot = std::get<0>(segment(h[static_cast<std::size_t>(i)], cot));
    CHECK(check_close(c.grad("x"), cot, c, "grad x") == "");
}

TEMPLATE_TEST_CASE(
    "deep: 60 steps of a recurrence with exponentially many paths have the reference's output and gradients", "",
    double, float) {
    auto const found = cases(file_of<TestType>("graph"), "fibonacci");
    REQUIRE(found.size() == 1);
    test_case const& c = found[0];
    REQUIRE(c.integer("depth") == 60);
    auto segment = ad::grad<0, 1, 2, 3>(fibonacci);
    using values = std::vector<TestType>;
    std::vector<std::pair<values, values>> h{{c.in("a").as<TestType>(), c.in("b").as<TestType>()}};
    auto cot_b = c.cot().as<TestType>();
    values cot_a(cot_b.size());
    for (int i = 0; i < 60 / fibonacci_segment; ++i) {
        auto const r = segment(h.back().first, h.back().second, cot_a, cot_b);
        h.emplace_back(std::get<2>(r), std::get<3>(r));
    }
    CHECK(check_close(c.out(), h.back().second, c, "out") == "");
    for (int i = 60 / fibonacci_segment - 1; i >= 0; --i) {
        auto const& [a, b] = h[static_cast<std::size_t>(i)];
        auto const r = segment(a, b, cot_a, cot_b);
        cot_a = std::get<0>(r);
        cot_b = std::get<1>(r);
    }
    CHECK(check_close(c.grad("a"), cot_a, c, "grad a") == "");
    CHECK(check_close(c.grad("b"), cot_b, c, "grad b") == "");
}
