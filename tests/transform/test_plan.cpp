// SPDX-License-Identifier: MIT
// What the compiler made of a function, and that calls with into(...) allocate nothing.

#include <tapeless/tapeless.hpp>

#include <cmath>
#include <string>
#include <tuple>
#include <vector>

#include "support/allocations.hpp"
#include "support/catch.hpp"

namespace ad = tapeless;
using ad::dyn;

namespace {
constexpr auto loss = [](auto w, auto b, auto x, auto y) { return sum(square(tanh(x * w + b) - y)); };
constexpr auto cross_entropy = [](auto x, auto t) {
    auto m = ad::let(max<1>(x, ad::keepdims));
    auto e = ad::let(exp(x - m));
    return mean(log(sum<1>(e)) - sum<1>((x - m) * t));
};
using weights = ad::tensor<float, 64>;
using batch = ad::tensor<float, 256, 64>;
}  // namespace

TEST_CASE("plan: an elementwise loss and its gradients are one pass without stored arrays") {
    constexpr auto plan = decltype(ad::value_and_grad<0, 1>(loss))::plan<weights, weights, batch, batch>();
    STATIC_REQUIRE(plan.passes_over<256, 64>() == 1);
    STATIC_REQUIRE(plan.workspace_bytes() == 0);
    STATIC_REQUIRE(plan.kernels() >= 1);
}

TEST_CASE("plan: a row's maximum, sum and gradient share one loop over the rows") {
    constexpr auto plan = decltype(ad::value_and_grad<0>(cross_entropy))::plan<batch, batch>();
    STATIC_REQUIRE(plan.passes_over<256, 64>() == 1);
}

TEST_CASE("plan: run-time extents match passes_over of dyn") {
    constexpr auto plan = decltype(ad::value_and_grad<0>(loss))::plan<ad::tensor<float, dyn>, weights, batch, batch>();
    STATIC_REQUIRE(plan.passes_over<256, 64>() == 1);
}

TEST_CASE("explain and to_dot: name kernels, operations and shapes") {
    auto step = ad::value_and_grad<0, 1>(loss);
    weights w, b;
    batch x, y;
    auto const text = ad::explain(step, w, b, x, y);
    for (char const* word : {"kernel", "(256, 64)", "tanh", "reads", "writes"}) {
        INFO(word);
        CHECK(text.find(word) != std::string::npos);
    }
    auto const dot = ad::to_dot(step, w, b, x, y);
    CHECK(dot.substr(0, 8) == "digraph ");
    CHECK(dot.find("tanh") != std::string::npos);
    CHECK(dot.find("result 2") != std::string::npos);
    CHECK(dot.find("}") != std::string::npos);
}

TEST_CASE("explain and to_dot: arguments are counted as in the call, views are what they are when handed in") {
    auto f = [](auto s, auto const& pair, auto x) {
        auto const& [a, b] = pair;
        return s * sum(a * x) + sum(b);
    };
    auto step = ad::value_and_grad<2>(f);
    std::vector<double> x(6, 1.0);
    std::tuple const pair(x, std::vector<double>(2));
    auto const text = ad::explain(step, 2.0, pair, ad::view<double const, dyn>(x));
    for (char const* line : {"reads    argument 0 double()", "reads    argument 1, array 0 double(6)\n",
                             "reads    argument 1, array 1 double(2)\n", "reads    argument 2 double(6)\n"}) {
        INFO(line);
        CHECK(text.find(line) != std::string::npos);
    }
    CHECK(text == ad::explain(step, 2.0, pair, x));  // a view that is contiguous is an array
    ad::view<double const, dyn> const backwards(x.data() + 5, 6, std::array<std::ptrdiff_t, 1>{-1});
    CHECK(ad::explain(step, 2.0, pair, backwards).find("reads    argument 2 double(6) strided") != std::string::npos);
    auto const dot = ad::to_dot(step, 2.0, pair, x);
    CHECK(dot.find("\"x1, array 1\\ndouble(2)\"") != std::string::npos);
    CHECK(dot.find("\"x2\\ndouble(6)\"") != std::string::npos);
}

TEST_CASE("explain_passes: the graph as it was traced, and what every pass made of it") {
    constexpr auto twice = [](auto x) { return sum(-(-x) * 1.0); };
    ad::tensor<double, dyn> x(3);
    CHECK(ad::explain_passes(ad::fused(twice), x) ==
          "traced: 3 nodes, results 4\n  0  x0   double(n0)\n  3  sum  0  double(1)\n  4  axes  3  double()\n"
          "by_element: the same\n"
          "short_axes: the same\n"
          "mirrored: the same\n"
          "simplify: 3 nodes, results 2\n  0  x0   double(n0)\n  1  sum  0  double(1)\n  2  axes  1  double()\n"
          "picked_elements: the same\n"
          "pool_results: the same\n"
          "separate_outputs: 2 nodes, results 1\n  0  x0   double(n0)\n  1  sum  0  double(1)\n"
          "finish_calls: the same\n");
}

TEST_CASE("explain: what is not in one kernel with something before it, and why") {
    batch const x{};
    weights const w{};
    ad::tensor<float, 64, 32> const m{};
    auto const says = [](std::string const& text, char const* line) { return text.find(line) != std::string::npos; };

    auto const rows = ad::explain(ad::fused([](auto v) { return softmax(v); }), x);
    CHECK(rows.find("not in kernel") == std::string::npos);

    auto const columns = ad::explain(ad::fused([](auto v) { return v - mean<0>(v); }), x);
    CHECK(says(columns, "kernel 1: "));
    CHECK(says(columns, "\n  not in kernel 0: the columns it needs are complete after the last row only\n"));

    auto const everything = ad::explain(ad::fused([](auto v, auto u) {
        auto const t = ad::let(sum(v * u));
        return std::tuple(exp(t), v * t);
    }), x, w);
    CHECK(says(everything, "\n  not in kernel 0: the number it needs is complete after the last row only\n"));

    auto const apart = ad::explain(ad::fused([](auto v, auto u) { return std::tuple(exp(v), exp(u)); }), x, w);
    CHECK(says(apart, "\n  not in kernel 0: its loops have other extents\n"));

    auto const product = ad::explain(ad::fused([](auto v, auto u) { return matmul(exp(v), u); }), x, m);
    CHECK(says(product, "\n  not in kernel 0: a product begins a kernel\n"));
}

TEST_CASE("explain: of several kernels that refuse, the one that came closest is named") {
    ad::tensor<float, 256, 64> const x{};
    ad::tensor<float, 64> const w{};
    // the loops of the second kernel are others; the first one has them, but its columns are not complete
    auto const text = ad::explain(ad::fused([](auto v, auto u) {
        auto const s = ad::let(sum<0>(v));
        return std::tuple(exp(u), v - s);
    }), x, w);
    CHECK(text.find("not in kernel 0: the columns it needs are complete after the last row only") != std::string::npos);

    // what kernel 0 refused and kernel 1 took says nothing of kernel 2
    auto const next = ad::explain(ad::fused([](auto v, auto u) {
        auto const s = ad::let(sum<0>(v));
        return std::tuple(v - s, exp(v) * s, exp(u));
    }), x, w);
    CHECK(next.find("not in kernel 0") == next.rfind("not in kernel 0"));
    CHECK(next.find("not in kernel 1: its loops have other extents") != std::string::npos);
}

TEST_CASE("into: after the first call nothing is allocated, also with stored intermediates and run-time lengths") {
    auto step = ad::value_and_grad<0, 1>(loss);
    weights w, b, gw, gb;
    batch x, y;
    ad::fill(x, 0.5f);
    ad::fill(w, 0.2f);
    float const first = step(ad::into(gw, gb), w, b, x, y);
    auto before = allocations;
    float again = 0;
    for (int i = 0; i < 10; ++i) again = step(ad::into(gw, gb), w, b, x, y);
    auto during = allocations - before;
    CHECK(during == 0);
    CHECK(first == again);

    auto rows = ad::value_and_grad<0>([](auto v) {
        auto e = ad::let(exp(v - max<0>(v, ad::keepdims)));
        return sum(square(e / sum<0>(e, ad::keepdims) - 0.1));
    });
    ad::tensor<double, dyn, dyn> v(30, 41), gv(30, 41), small(3, 4), gsmall(3, 4);
    (void)rows(ad::into(gv), v);
    before = allocations;
    for (int i = 0; i < 3; ++i) {
        (void)rows(ad::into(gv), v);
        (void)rows(ad::into(gsmall), small);  // fewer elements need no more
    }
    during = allocations - before;
    CHECK(during == 0);
}

TEST_CASE("into: after the first call with products nothing is allocated, whatever has to be packed") {
    auto step = ad::value_and_grad<0, 1>(
        [](auto w, auto b, auto x, auto y) { return mean(square(tanh(matmul(x, w) + b) - y)); });
    ad::tensor<float, dyn, dyn> w(70, 50), gw(70, 50), x(40, 70), y(40, 50), few(3, 70), few_y(3, 50);
    ad::tensor<float, dyn> b(50), gb(50);
    (void)step(ad::into(gw, gb), w, b, x, y);
    auto const before = allocations;
    for (int i = 0; i < 3; ++i) {
        (void)step(ad::into(gw, gb), w, b, x, y);
        (void)step(ad::into(gw, gb), w, b, few, few_y);
    }
    auto const during = allocations - before;
    CHECK(during == 0);
}

TEST_CASE("into: after the first call of a loop with scratch of its own nothing is allocated") {
    auto step =
        ad::value_and_grad<0>([](auto x, auto y, auto t, auto l) { return ad::loss::ctc(log_softmax(x), y, t, l); });
    ad::tensor<float, dyn, dyn, dyn> x(30, 4, 6), gx(30, 4, 6), few(9, 2, 6), gfew(9, 2, 6);
    ad::tensor<int, dyn, dyn> const y{{1, 2, 3, 2}, {1, 1, 1, 1}, {2, 0, 0, 0}, {0, 0, 0, 0}}, few_y{{1, 5}, {2, 2}};
    std::vector<int> const t{30, 29, 11, 0}, l{4, 3, 1, 0}, few_t{9, 9}, few_l{2, 1};
    (void)step(ad::into(gx), x, y, t, l);
    auto const before = allocations;
    for (int i = 0; i < 3; ++i) {
        (void)step(ad::into(gx), x, y, t, l);
        (void)step(ad::into(gfew), few, few_y, few_t, few_l);
    }
    auto const during = allocations - before;
    CHECK(during == 0);
}

TEST_CASE("plan: a callable that is const allocates nothing after its first call, whatever is written where") {
    auto const few = ad::value_and_grad<0>([](auto x) { return sum(square(x)); });
    auto const more = ad::value_and_grad<0>([](auto x) { return sum(square(ad::cumsum<0>(softmax(x)))); });
    ad::tensor<double, 3> x{1, 2, 3}, g;
    std::vector<double> y(200, 0.5), h(200);
    auto const all = [&] {
        double const sums = few(x).value + few(ad::into(g), x) + few(ad::add_into(g), x) + few(ad::into(g), g) +
                            more(ad::into(h), y) + more(ad::add_into(h), y) + more(ad::into(h), h);
        return sums + more(x).value;
    };
    double const first = (all(), all());
    std::size_t const before = allocations;
    double const again = all();
    CHECK(allocations == before);
    CHECK(std::isfinite(first - again));
}
