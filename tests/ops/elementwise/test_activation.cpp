// SPDX-License-Identifier: MIT
// Smooth activations against the reference, and far out.

#include <cmath>

#include "ops/reference_cases.hpp"

namespace ad = tapeless;
using reference::run_unary;

namespace {
template <class T, class First, class Second, class Accept>
void run_both(First first, Second second, std::string_view op, Accept is_first) {
    auto const n = reference::run_unary_if<T>(first, "unary", op, is_first) +
                   reference::run_unary_if<T>(second, "unary", op, [&](auto const& c) { return !is_first(c); });
    CHECK(n == reference::count_in_file(reference::file_of<T>("unary"), op));
}
}  // namespace

TEMPLATE_TEST_CASE("sigmoid, logsigmoid, silu, mish: output and gradient are those of the reference", "", double,
                   float) {
    run_unary<TestType>([](auto x) { return sigmoid(x); }, "sigmoid");
    run_unary<TestType>([](auto x) { return logsigmoid(x); }, "logsigmoid");
    run_unary<TestType>([](auto x) { return silu(x); }, "silu");
    run_unary<TestType>([](auto x) { return mish(x); }, "mish");
}
TEMPLATE_TEST_CASE("softplus: output and gradient are those of the reference, for beta 1 and 2", "", double, float) {
    run_both<TestType>([](auto x) { return softplus(x); }, [](auto x) { return softplus(x, 2); }, "softplus",
                       [](auto const& c) { return c.number("beta") == 1; });
}
TEMPLATE_TEST_CASE("gelu: output and gradient are those of the reference, exact and with tanh", "", double, float) {
    run_both<TestType>([](auto x) { return gelu(x); }, [](auto x) { return gelu_tanh(x); }, "gelu",
                       [](auto const& c) { return c.word("approximate") == "none"; });
}
TEMPLATE_TEST_CASE("erf, erfc: output and gradient are those of the reference", "", double, float) {
    run_unary<TestType>([](auto x) { return erf(x); }, "erf");
    run_unary<TestType>([](auto x) { return erfc(x); }, "erfc");
}

namespace {
/// At -1e4, 0 and 1e4 in the first, the middle and the last element: { values, derivatives }.
template <class F>
auto far_out(F) {
    std::vector<float> const x{-1e4f, -1e4f, 0, 1e4f, 1e4f};
    auto const [dx, y] =
        ad::grad<0, 1>([](auto v, auto weight) { return sum(F{}(v) * weight); })(x, std::vector<float>{1, 1, 1, 1, 1});
    return std::array{std::array{y[0], y[2], y[4]}, std::array{dx[0], dx[2], dx[4]}};
}
using three = std::array<float, 3>;
}  // namespace

TEST_CASE("activations: values and gradients are exact at +-1e4 and at 0") {
    auto const half = [](auto const& r) { return r[1][1] == 0.5f; };
    auto const s = far_out([](auto x) { return sigmoid(x); });
    CHECK(s[0] == three{0, 0.5f, 1});
    CHECK(s[1] == three{0, 0.25f, 0});
    auto const p = far_out([](auto x) { return softplus(x); });
    CHECK(p[0] == three{0, std::log(2.0f), 1e4f});
    CHECK(p[1] == three{0, 0.5f, 1});
    auto const l = far_out([](auto x) { return logsigmoid(x); });
    CHECK(l[0] == three{-1e4f, -std::log(2.0f), 0});
    CHECK(l[1] == three{1, 0.5f, 0});
    for (auto const& r : {far_out([](auto x) { return silu(x); }), far_out([](auto x) { return gelu(x); }),
                          far_out([](auto x) { return gelu_tanh(x); })}) {
        CHECK(r[0] == three{0, 0, 1e4f});
        CHECK(half(r));
        CHECK(r[1][0] == 0);
        CHECK(r[1][2] == 1);
    }
    auto const m = far_out([](auto x) { return mish(x); });
    CHECK(m[0] == three{0, 0, 1e4f});
    CHECK(m[1][0] == 0);
    CHECK(std::abs(m[1][1] - 0.6f) < 1e-6f);  // tanh(ln 2)
    CHECK(m[1][2] == 1);
}

TEST_CASE("gelu and erfc: keep their digits in the lower tail, where 1 + erf has none left") {
    double const x = -9.0;
    double const y = ad::evaluate([](auto v) { return gelu(v); }, x),
                 expected = x * 0.5 * std::erfc(9 / std::sqrt(2.0));
    CHECK(std::abs(y - expected) < 1e-13 * std::abs(expected));
}
