// SPDX-License-Identifier: MIT
// What a loop's steps compute with single numbers and no later step waits for is computed of all steps at once.

#include <tapeless/tapeless.hpp>

#include <cmath>
#include <cstddef>
#include <string>
#include <tuple>
#include <utility>

#include "support/agree.hpp"
#include "support/catch.hpp"

namespace ad = tapeless;
using ad::dyn;

namespace {

template <class A>
A waves(A a, double first) {
    for (auto& v : a) v = static_cast<typename A::value_type>(0.5 + 0.3 * std::sin(first += 0.7));
    return a;
}
/// The text of a body in a plan: what the steps that are left compute.
std::string steps_of(std::string const& plan, std::size_t which = 0) {
    std::size_t at = plan.find("body ");
    for (; which > 0 && at != std::string::npos; --which) at = plan.find("body ", at + 1);
    return at == std::string::npos ? "" : plan.substr(at, plan.find("\nkernel", at) - at);
}
bool has(std::string const& text, char const* what) { return text.find(what) != std::string::npos; }

// a variance that changes along a series, and the likelihood of the series
constexpr auto likelihood = [](auto p, auto xs) {
    auto const w = ad::let(p[0]), a = ad::let(p[1]), b = ad::let(p[2]);
    auto const step = [&](auto c, auto x) {
        auto [h, l] = c;
        return std::tuple(ad::let(w + a * x * x + b * h), ad::let(l - log(h) - x * x / h));
    };
    return std::get<1>(ad::fold(step, std::tuple(p[3], p[0]), xs));
};
constexpr auto stacked = [](auto p, auto xs) {
    auto const step = [&](auto h, auto x) { return std::pair(p[0] + p[2] * h, log(h) + x * x / h); };
    auto const [last, ys] = ad::scan(step, p[3], xs);
    return last + sum(ys * xs);
};
constexpr auto only_of_items = [](auto p, auto xs) {
    auto const step = [&](auto c, auto x) { return ad::let(c + square(x) * p[1]); };
    return ad::fold(step, p[0], xs);
};
constexpr auto before = [](auto p, auto xs) {
    auto const step = [&](auto h, auto x) { return ad::let(h * p[2] + exp(-p[1] * x) / (x + 1.0)); };
    return ad::fold(step, p[0], xs);
};
/// A number that no step changes, but steps multiply by; one that is counted; one that is added to and used.
constexpr auto settled = [](auto p, auto xs) {
    auto const step = [&](auto c, auto x) {
        auto [scale, count, total, h] = c;
        auto const next = ad::let(total + log(scale + x));
        return std::tuple(scale, ad::let(count + 1.0), next, ad::let(0.5 * h + scale * sin(next)));
    };
    auto const [scale, count, total, h] = ad::fold(step, std::tuple(p[0], p[1], p[2], p[3]), xs);
    return scale * h + count * total;
};
/// Two sums that have a value in common, which is stacked as well; one with a sign, one that is subtracted from.
constexpr auto together = [](auto p, auto xs) {
    auto const step = [&](auto c, auto x) {
        auto [h, s, t] = c;
        auto const z = ad::let((x - h) / (0.5 + h));
        auto const sums = std::pair(ad::let(x + s - exp(z)), ad::let(t - log(2.0 + z) * p[1]));
        auto const next = std::tuple(ad::let(0.4 * h + 0.2 * x), sums.first, sums.second);
        return std::pair(next, z);
    };
    auto const [last, zs] = ad::scan(step, std::tuple(p[0], p[1], p[2]), xs);
    auto const [h, s, t] = last;
    return h + s * t + sum(zs * xs);
};
/// The difference of a carry and a value is no sum of values, nor is a sum that others read.
constexpr auto no_sums = [](auto p, auto xs) {
    auto const step = [&](auto c, auto x) {
        auto [h, s, t, u] = c;
        auto const first = ad::let(h + log(0.1 + x * s) * tanh(u));
        return std::tuple(first, ad::let(tanh(x * t) - s), ad::let(t + t * exp(-x)), ad::let(u + exp(-x) / (1.0 + x)));
    };
    auto const [h, s, t, u] = ad::fold(step, std::tuple(p[0], p[1], p[2], p[3]), xs);
    return h + s + t + u;
};
/// A sum of what a mask chooses that another carry needs as well.
constexpr auto by_one_mask = [](auto p, auto xs) {
    auto const step = [&](auto c, auto x) {
        auto [h, s] = c;
        auto const is_high = x > 0.6;
        return std::tuple(ad::let(0.9 * h + where(is_high, 0.2 * h, x)), ad::let(s + where(is_high, p[2] * x, exp(x))));
    };
    auto const [h, s] = ad::fold(step, std::tuple(p[0], p[1]), xs);
    return h * s;
};
/// Carries that change places, and one that another one takes over.
constexpr auto exchanged = [](auto p, auto xs) {
    auto const step = [&](auto c, auto x) {
        auto [a, b, d] = c;
        return std::tuple(b, ad::let(0.5 * a + x * b), a);
    };
    auto const [a, b, d] = ad::fold(step, std::tuple(p[0], p[1], p[2]), xs);
    return a * b + square(d);
};
constexpr auto of_pairs = [](auto p, auto xs) {  // two numbers of a register's four
    auto const step = [&](auto c, auto x) {
        auto [h, s] = c;
        return std::tuple(ad::let(h * p[0] + x), ad::let(s + sqrt(1.0f + square(h)) * p[1]));
    };
    auto const start = ad::let(ad::slice<0, 0, 2>(p));
    return sum(std::get<1>(ad::fold(step, std::tuple(start, start), xs)));
};
constexpr auto within = [](auto p, auto xs) {
    auto const step = [&](auto c, auto x) { return ad::let(c + 0.1 * likelihood(p, xs * x) * exp(-x)); };
    return ad::fold(step, p[0], xs);
};
constexpr auto of_items = [](auto p, auto xs) { return sum(square(ad::vmap<ad::whole, 0>(likelihood)(p, xs))); };
constexpr auto of_gradients = [](auto p, auto xs) { return sum(square(ad::grad<0>(likelihood)(p + 1.0, xs))); };
constexpr auto backwards = [](auto p, auto xs) { return likelihood(p, ad::flip<0>(xs)) + before(p, ad::flip<0>(xs)); };
constexpr auto by_masks = [](auto p, auto xs) {
    auto const step = [&](auto c, auto x) {
        auto [h, s] = c;
        auto const is_late = h > x;
        return std::tuple(ad::let(0.9 * h + where(x > 0.6, exp(x), 0.1)), ad::let(s + where(is_late, log(h), exp(-h))));
    };
    auto const [h, s] = ad::fold(step, std::tuple(p[0], p[1]), xs);
    return h + s;
};

}  // namespace

TEST_CASE("narrow work: logarithms and quotients that no step waits for are behind the loop") {
    auto const p = waves(ad::tensor<double, 4>{}, 0.3);
    auto const xs = waves(ad::tensor<double, dyn>(40), 0.1);
    std::string const plan = ad::explain(ad::value_and_grad<0>(likelihood), p, xs);
    INFO(plan);
    CHECK(has(plan, "log"));
    CHECK_FALSE(has(steps_of(plan), "log"));
    CHECK_FALSE(has(steps_of(plan), "div"));
    CHECK_FALSE(has(steps_of(plan, 1), "div"));
    std::string const stacks = ad::explain(ad::fused(stacked), p, xs);
    INFO(stacks);
    CHECK_FALSE(has(steps_of(stacks), "log"));
    std::string const hoisted = ad::explain(ad::fused(before), p, xs);
    INFO(hoisted);
    CHECK_FALSE(has(steps_of(hoisted), "exp"));
    CHECK(has(hoisted, "exp"));
}
TEST_CASE("narrow work: a loop that only adds up items is none") {
    auto const p = waves(ad::tensor<double, 4>{}, 0.3);
    auto const xs = waves(ad::tensor<double, dyn>(40), 0.1);
    std::string const plan = ad::explain(ad::value_and_grad<0, 1>(only_of_items), p, xs);
    INFO(plan);
    CHECK_FALSE(has(plan, "fold"));
    CHECK(oracle::agree<0, 1>(only_of_items, p, xs) == "");
}
TEST_CASE("narrow work: not where steps are few, or fill registers") {
    auto const p = waves(ad::tensor<double, 4>{}, 0.3);
    auto const seven = waves(ad::tensor<double, 7>{}, 0.1);
    CHECK(has(steps_of(ad::explain(ad::fused(likelihood), p, seven)), "log"));
    auto const eight = waves(ad::tensor<double, 8>{}, 0.1);
    CHECK_FALSE(has(steps_of(ad::explain(ad::fused(likelihood), p, eight)), "log"));
    auto const many = waves(ad::tensor<double, 16, dyn>(9), 0.1);
    CHECK(has(steps_of(ad::explain(ad::fused(of_items), p, many)), "log"));
    CHECK(oracle::agree<0, 1>(likelihood, p, seven) == "");
    CHECK(oracle::agree<0, 1>(likelihood, p, eight) == "");
}
TEST_CASE("narrow work: values and gradients, of 0 to 33 steps") {
    auto const p = waves(ad::tensor<double, 4>{}, 0.3);
    for (std::size_t steps : {0u, 1u, 2u, 3u, 9u, 33u}) {
        CAPTURE(steps);
        auto const xs = waves(ad::tensor<double, dyn>(steps), 0.1);
        CHECK(oracle::agree<0, 1>(likelihood, p, xs) == "");
        CHECK(oracle::agree<0, 1>(stacked, p, xs) == "");
        CHECK(oracle::agree<0, 1>(before, p, xs) == "");
        CHECK(oracle::agree<0, 1>(settled, p, xs) == "");
        CHECK(oracle::agree<0, 1>(together, p, xs) == "");
        CHECK(oracle::agree<0, 1>(no_sums, p, xs) == "");
        CHECK(oracle::agree<0, 1>(by_masks, p, xs) == "");
        CHECK(oracle::agree<0, 1>(by_one_mask, p, xs) == "");
        CHECK(oracle::agree<0, 1>(exchanged, p, xs) == "");
        CHECK(oracle::agree<0, 1>(backwards, p, xs) == "");
    }
}
TEST_CASE("narrow work: two numbers a step, loops in loops, many items, gradients of gradients") {
    auto const p = waves(ad::tensor<double, 4>{}, 0.3);
    for (std::size_t steps : {0u, 1u, 9u}) {
        CAPTURE(steps);
        auto const xs = waves(ad::tensor<double, dyn>(steps), 0.1);
        auto const pairs = waves(ad::tensor<float, dyn, 2>(steps), 0.1);
        CHECK(oracle::agree<0, 1>(of_pairs, waves(ad::tensor<float, 4>{}, 0.3), pairs) == "");
        CHECK(oracle::agree<0, 1>(within, p, xs) == "");
        CHECK(oracle::agree<0, 1>(of_items, p, waves(ad::tensor<double, 3, dyn>(steps), 0.1)) == "");
        CHECK(oracle::agree<0, 1>(of_gradients, p, xs) == "");
    }
}
