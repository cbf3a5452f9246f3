// SPDX-License-Identifier: MIT
// The first four derivatives of functions of a number, by differentiating again and again.

#include <map>

#include "transform/second_order/second_order_cases.hpp"

using namespace reference;

namespace {

/// The N-th derivative, element by element: the gradient of the sum of the one before.
template <class F, int N>
struct derivative {
    template <class X>
    constexpr auto operator()(X const& x) const {
        constexpr auto total = [](auto y) { return sum(derivative<F, N - 1>{}(y)); };
        return ad::grad<0>(total)(x);
    }
};
template <class F>
struct derivative<F, 0> : F {};
template <class F>
struct derivatives {
    template <class X>
    constexpr auto operator()(X const& x) const {
        return std::tuple(derivative<F, 0>{}(x), derivative<F, 1>{}(x), derivative<F, 2>{}(x), derivative<F, 3>{}(x),
                          derivative<F, 4>{}(x));
    }
};

std::map<std::string, int> seen;
template <class F>
void run_derivatives(F, std::string const& function) {
    for (test_case const& c : cases("second_order", "nth_derivatives")) {
        if (c.word("function") != function) continue;
        REQUIRE(c.integer("order") == 4);
        auto const [d0, d1, d2, d3, d4] = ad::evaluate(derivatives<F>{}, c.in("x").as<double>());
        CHECK(check_close(c.out("d0"), d0, c, "d0") == "");
        CHECK(check_close(c.out("d1"), d1, c, "d1") == "");
        CHECK(check_close(c.out("d2"), d2, c, "d2") == "");
        CHECK(check_close(c.out("d3"), d3, c, "d3") == "");
        CHECK(check_close(c.out("d4"), d4, c, "d4") == "");
        ++seen[function];
    }
}

}  // namespace

TEST_CASE("nested grad: four derivatives of nine functions") {
    seen.clear();
    run_derivatives([](auto x) { return sin(x) * exp(x); }, "sin_exp");
    run_derivatives([](auto x) { return 1.0 / (1.0 + square(x)); }, "rational");
    run_derivatives([](auto x) { return tanh(x); }, "tanh");
    run_derivatives([](auto x) { return exp(-0.5 * square(x)); }, "gauss");
    run_derivatives([](auto x) { return pow(x, 2.5); }, "pow");
    run_derivatives([](auto x) { return sigmoid(x); }, "sigmoid");
    run_derivatives([](auto x) { return log(1.0 + square(x)); }, "log1p_sq");
    run_derivatives([](auto x) { return gelu(x); }, "gelu");
    run_derivatives([](auto x) { return softplus(x); }, "softplus");
    std::size_t n = 0;
    for (auto const& [function, times] : seen) n += static_cast<std::size_t>(times);
    CHECK(seen.size() == 9);
    CHECK(n == count_in_file("second_order", "nth_derivatives"));
}
