// SPDX-License-Identifier: MIT
// Arrays that are put together: what parts cover is not filled before, and what none covers is zero.

#include <tapeless/tapeless.hpp>

#include <cmath>
#include <cstddef>
#include <limits>

#include "support/agree.hpp"
#include "support/catch.hpp"

namespace ad = tapeless;
using ad::dyn;
namespace graph = tapeless::detail;

namespace {

constexpr auto of_row = [](auto p) {
    auto const s = ad::let(p[0] * p[1]);
    return ad::stack<0>(sin(s), p[2] * s, p[0] + p[2]);
};
constexpr auto jacobians = [](auto x) { return ad::vmap<0>(ad::jacobian<0>(of_row))(x); };
constexpr auto tables = [](auto a, auto b) {
    return ad::stack<0>(ad::stack<0>(a, b, a * b), ad::stack<0>(b + 1.0, a - b, cos(a)));
};
/// Every other element, twice; and with one place left out.
constexpr auto halves = [](auto x) {
    return sum(sin(ad::slice<0, 0, ad::to_end, 2>(x))) + sum(square(ad::slice<0, 1, ad::to_end, 2>(x)));
};
constexpr auto corners = [](auto x) {
    return sum(sin(ad::slice<1, 0, 2>(ad::slice<0, 0, 2>(x)))) + sum(cos(ad::slice<1, 2, 4>(ad::slice<0, 2, 4>(x)))) +
           sum(square(ad::slice<1, 2, 4>(ad::slice<0, 0, 2>(x))));
};

template <class A>
A waves(A a) {
    double at = 0.1;
    for (auto& v : a) v = static_cast<typename A::value_type>(std::sin(at += 0.7));
    return a;
}
template <class A>
A nothing(A a) {
    for (auto& v : a) v = std::numeric_limits<typename A::value_type>::quiet_NaN();
    return a;
}

/// A window of so many rows and columns of a blank matrix, as a part of it.
graph::task part(graph::builder& b, int blank, std::int64_t row, std::int64_t rows, std::int64_t column,
                 std::int64_t columns, std::int64_t step = 1) {
    graph::task t;
    t.window = graph::emit_slice(b, graph::emit_slice(b, blank, 1, row, rows, 1), 0, column, columns, step);
    return t;
}

}  // namespace

TEST_CASE("whole parts: those that cover an array, along several axes and in turn") {
    graph::builder b;
    graph::dims d;
    d.rank = 2;
    d.extent[0] = 4, d.extent[1] = 6;
    int const blank = b.blank(b.intern(d), ad::dtype::f64);
    graph::list<graph::task> parts;
    parts.push(part(b, blank, 0, 2, 0, 3));
    parts.push(part(b, blank, 0, 2, 3, 3));
    parts.push(part(b, blank, 2, 2, 0, 3, 2));
    CHECK_FALSE(graph::are_whole(b, parts, d));
    parts.push(part(b, blank, 2, 2, 1, 3, 2));
    CHECK(graph::are_whole(b, parts, d));
    parts[3] = part(b, blank, 2, 2, 0, 3, 2);  // as many elements, but some of them twice
    CHECK_FALSE(graph::are_whole(b, parts, d));
    parts[3] = part(b, blank, 2, 2, 1, 3, 2);
    parts[3].adds = true;
    CHECK_FALSE(graph::are_whole(b, parts, d));
}
TEST_CASE("whole parts: what was in a result does not show") {
    for (std::size_t n : {0u, 1u, 3u, 4u, 9u, 33u}) {
        CAPTURE(n);
        auto const x = waves(ad::tensor<double, dyn, 3>(n));
        auto made = nothing(ad::tensor<double, dyn, 3, 3>(n));
        ad::fused(jacobians)(ad::into(made), x);
        auto const expected = ad::evaluate(jacobians, x);
        for (std::size_t i = 0; i < made.size(); ++i) CHECK(made.data()[i] == expected.data()[i]);
        CHECK(oracle::agree([](auto v) { return sum(sin(jacobians(v))); }, x) == "");
        auto const line = waves(ad::tensor<double, dyn>(n));
        auto g = nothing(ad::tensor<double, dyn>(n));
        auto step = ad::value_and_grad<0>(halves);
        (void)step(ad::into(g), line);
        for (std::size_t i = 0; i < n; ++i)
            CHECK(g(i) == Approx(i % 2 == 0 ? std::cos(line(i)) : 2 * line(i)));
    }
    auto table = nothing(ad::tensor<float, 2, 3, 5>{});
    auto const a = waves(ad::tensor<float, 5>{}), c = waves(ad::tensor<float, 5>{});
    ad::fused(tables)(ad::into(table), a, c);
    for (std::size_t i = 0; i < 5; ++i) CHECK(table(1, 1, i) == a(i) - c(i));
    for (float v : table) CHECK(std::isfinite(v));
    auto const x = waves(ad::tensor<double, 4, 4>{});
    auto g = nothing(x);
    auto step = ad::value_and_grad<0>(corners);
    (void)step(ad::into(g), x);
    CHECK(g(3, 0) == 0);
    CHECK(g(2, 1) == 0);
    CHECK(g(0, 3) == Approx(2 * x(0, 3)));
    CHECK(g(3, 3) == Approx(-std::sin(x(3, 3))));
}
