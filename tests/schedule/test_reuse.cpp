// SPDX-License-Identifier: MIT
// Intermediate arrays that lie in the memory of the result made of them: no workspace, the same numbers, and nothing
// beside the result is written.

#include <tapeless/tapeless.hpp>

#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "support/catch.hpp"

namespace ad = tapeless;
using ad::dyn;

namespace {

constexpr auto one_row = [](auto x) { return logsumexp(x); };
constexpr auto twice = [](auto x) { return sum(square(sum<0>(exp(x)))); };
/// The exponentials are read in two orders.
constexpr auto crossed = [](auto x) { return sum(square(sum<0>(exp(x)))) + sum(exp(x) * transpose(exp(x))); };
/// x is needed after the exponentials are.
constexpr auto again = [](auto x) { return logsumexp(x) * sum(x * x * x); };

/// Numbers between guards.
template <class T>
struct guarded {
    static constexpr std::size_t room = 32;
    std::vector<T> memory;
    std::size_t n;
    explicit guarded(std::size_t size) : memory(size + 2 * room, T(7)), n(size) {
        for (std::size_t i = 0; i < n; ++i) memory[room + i] = static_cast<T>(std::sin(0.7 * static_cast<double>(i)));
    }
    std::span<T> numbers() { return {memory.data() + room, n}; }
    bool is_whole() const {
        bool whole = true;
        for (std::size_t i = 0; i < room; ++i) whole = whole && memory[i] == T(7) && memory[room + n + i] == T(7);
        return whole;
    }
};

std::vector<std::size_t> some_lengths() {
    std::vector<std::size_t> r;
    for (std::size_t n = 1; n <= 70; ++n) r.push_back(n);
    for (std::size_t n : {127u, 128u, 129u, 255u, 256u, 257u, 1023u, 1025u, 4097u, 70001u}) r.push_back(n);
    return r;
}

template <class T>
double tolerance() {
    return sizeof(T) == 4 ? 2e-5 : 1e-12;
}

}  // namespace

TEMPLATE_TEST_CASE("reuse: what is kept of a long row lies in the gradient", "", float, double) {
    auto step = ad::value_and_grad(one_row), over = ad::value_and_grad(one_row), several = ad::value_and_grad(one_row);
    STATIC_REQUIRE(decltype(step)::template plan<ad::tensor<TestType, 1000>>().workspace_bytes() == 0);
    several.threads(3);
    for (std::size_t n : some_lengths()) {
        CAPTURE(n);
        guarded<TestType> x(n), g(n), h(n);
        TestType const v = step(ad::into(g.numbers()), x.numbers());
        double total = 0;
        for (TestType e : x.numbers()) total += std::exp(static_cast<double>(e));
        REQUIRE(std::abs(static_cast<double>(v) - std::log(total)) <=
                tolerance<TestType>() * (1 + std::abs(std::log(total))));
        for (std::size_t i = 0; i < n; ++i) {
            double const expected = std::exp(static_cast<double>(x.numbers()[i])) / total;
            REQUIRE(std::abs(static_cast<double>(g.numbers()[i]) - expected) <= tolerance<TestType>() * expected);
        }
        REQUIRE(several(ad::into(h.numbers()), x.numbers()) == v);
        REQUIRE(h.memory == g.memory);
        REQUIRE(over(ad::into(x.numbers()), x.numbers()) == v);  // the gradient over the argument
        REQUIRE(x.memory == g.memory);
        REQUIRE((g.is_whole() && h.is_whole() && x.is_whole()));
    }
}

TEMPLATE_TEST_CASE("reuse: what one kernel stores for the one that makes the result", "", float, double) {
    auto step = ad::value_and_grad(twice), over = ad::value_and_grad(twice);
    for (std::size_t n : {1u, 2u, 3u, 7u, 8u, 9u, 64u, 129u, 300u})
        for (std::size_t m : {1u, 2u, 5u, 8u, 17u, 65u, 130u}) {
            CAPTURE(n, m);
            guarded<TestType> x(n * m), g(n * m);
            auto const argument = ad::view<TestType, dyn, dyn>(x.numbers().data(), n, m);
            TestType const v = step(ad::into(ad::view<TestType, dyn, dyn>(g.numbers().data(), n, m)), argument);
            double value = 0;
            for (std::size_t j = 0; j < m; ++j) {
                double column = 0;
                for (std::size_t i = 0; i < n; ++i) column += std::exp(static_cast<double>(x.numbers()[i * m + j]));
                value += column * column;
                for (std::size_t i = 0; i < n; ++i) {
                    double const expected = 2 * column * std::exp(static_cast<double>(x.numbers()[i * m + j]));
                    REQUIRE(std::abs(static_cast<double>(g.numbers()[i * m + j]) - expected) <=
                            tolerance<TestType>() * expected);
                }
            }
            REQUIRE(std::abs(static_cast<double>(v) - value) <= tolerance<TestType>() * value);
            REQUIRE(over(ad::into(argument), argument) == v);
            REQUIRE(x.memory == g.memory);
            REQUIRE(g.is_whole());
        }
}

TEST_CASE("reuse: what is read in another order too has memory of its own", "[reuse]") {
    auto step = ad::grad(crossed);  // without the value, which reads x in another order
    for (std::size_t n : {1u, 2u, 3u, 8u, 9u, 65u, 130u}) {
        CAPTURE(n);
        ad::tensor<double, dyn, dyn> x(n, n), g(n, n);
        for (std::size_t i = 0; i < n * n; ++i) x.data()[i] = std::sin(0.7 * static_cast<double>(i));
        step(ad::into(g), x);
        for (std::size_t j = 0; j < n; ++j) {
            double column = 0;
            for (std::size_t i = 0; i < n; ++i) column += std::exp(x(i, j));
            for (std::size_t i = 0; i < n; ++i)
                REQUIRE(std::abs(g(i, j) - 2 * std::exp(x(i, j)) * (column + std::exp(x(j, i)))) <= 1e-12 * g(i, j));
        }
    }
}

TEST_CASE("reuse: an argument that is still to be read is not written over", "[reuse]") {
    auto step = ad::value_and_grad(again), over = ad::value_and_grad(again);
    for (std::size_t n : some_lengths()) {
        guarded<double> x(n), g(n);
        double const v = step(ad::into(g.numbers()), x.numbers());
        REQUIRE(over(ad::into(x.numbers()), x.numbers()) == v);
        REQUIRE(x.memory == g.memory);
    }
    guarded<double> x(100), g(80), y(100);  // overlapping by a part: by way of the workspace
    auto shifted = ad::value_and_grad(one_row);
    shifted(ad::into(g.numbers()), y.numbers().subspan(0, 80));
    shifted(ad::into(x.numbers().subspan(5, 80)), x.numbers().subspan(0, 80));
    for (std::size_t i = 0; i < 80; ++i) REQUIRE(x.numbers()[5 + i] == g.numbers()[i]);
}
