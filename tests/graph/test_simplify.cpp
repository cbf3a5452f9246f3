// SPDX-License-Identifier: MIT
// Simplifications: each one fires, and what it makes is the same number as what was written, and so is its gradient.

#include <tapeless/tapeless.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include "support/agree.hpp"
#include "support/catch.hpp"

namespace ad = tapeless;
using namespace tapeless::detail;

namespace {

/// Takes down the graph after every pass; `literal` leaves operations as they were written.
struct recorder {
    std::vector<oracle::stage>* to;
    bool literal;
    void operator()(char const* pass, traced const& t) const { to->push_back({pass, t}); }
};
template <class F, class... A>
std::vector<oracle::stage> stages(bool literal) {
    using source = source_of<F, wanted::both, std::integer_sequence<int, 0>, argument_list<>, A...>;
    std::vector<oracle::stage> r;
    (void)trace<F, wanted::both, A...>(std::integer_sequence<int, 0>{}, source::dense(), recorder{&r, literal});
    return r;
}

/// The names of the operations that the first result needs, the last one first, but for the view that drops the axes of a sum.
std::vector<std::string> operations(traced const& t) {
    std::vector<char> live(static_cast<std::size_t>(t.graph.nodes.size()), 0);
    int first = t.outputs[0];
    while (t.graph.nodes[first].kind == node_kind::view) first = t.graph.nodes[first].in[0];
    live[static_cast<std::size_t>(first)] = 1;
    std::vector<std::string> names;
    for (int i = t.graph.nodes.size() - 1; i >= 0; --i) {
        node const& n = t.graph.nodes[i];
        if (!live[static_cast<std::size_t>(i)]) continue;
        for (int j = 0; j < (n.kind == node_kind::alias ? 1 : n.arity()); ++j) live[static_cast<std::size_t>(n.in[j])] = 1;
        if (n.has_op() && n.kind != node_kind::alias) names.push_back(n.op->name);
    }
    return names;
}

using matrix = ad::tensor<double, ad::dyn, ad::dyn>;
using row = ad::tensor<double, ad::dyn>;

matrix some(std::size_t n, std::size_t m, double phase) {
    matrix x(n, m);
    for (std::size_t i = 0; i < n * m; ++i) x.data()[i] = std::sin(1.3 * static_cast<double>(i) + phase) + 0.1;
    return x;
}

/// f(x, y, r, s) of two matrices, a row and a number, written out and simplified, value and gradient by x; the operations of the
/// value afterwards, by default when it was just traced.
template <class F>
std::vector<std::string> check(F const&, char const* pass = "traced") {
    auto const written = stages<F, matrix, matrix, row, double>(true), made = stages<F, matrix, matrix, row, double>(false);
    for (auto [n, m] : {std::pair{3, 4}, std::pair{1, 1}, std::pair{2, 1}, std::pair{0, 2}, std::pair{5, 7}}) {
        auto const a = some(static_cast<std::size_t>(n), static_cast<std::size_t>(m), 0.3);
        auto const b = some(static_cast<std::size_t>(n), static_cast<std::size_t>(m), 1.1);
        row c(static_cast<std::size_t>(m));
        for (std::size_t j = 0; j < static_cast<std::size_t>(m); ++j) c(j) = 0.5 + static_cast<double>(j);
        auto const arguments = oracle::read_all(a, b, c, 1.75);
        auto const should = oracle::evaluate(written[0].made, arguments);
        for (oracle::stage const& s : made) {
            auto const is = oracle::evaluate(s.made, arguments);
            for (std::size_t k = 0; k < is.size(); ++k) {
                INFO("after " << s.pass << ", result " << k << ", " << n << " by " << m);
                CHECK(oracle::difference(is[k], should[k]) == "");
            }
        }
    }
    for (oracle::stage const& s : made)
        if (std::string(s.pass) == pass) return operations(s.made);
    FAIL("no such pass");
    return {};
}
int count(std::vector<std::string> const& names, char const* name) {
    return static_cast<int>(std::count(names.begin(), names.end(), std::string(name)));
}

}  // namespace

TEST_CASE("simplify: neutral numbers disappear") {
    CHECK(check([](auto x, auto, auto, auto) { return sum(1.0 * x); }) == std::vector<std::string>{"sum"});
    CHECK(check([](auto x, auto, auto, auto) { return sum(x * 1.0 + 0.0 - 0.0); }) == std::vector<std::string>{"sum"});
    CHECK(check([](auto x, auto, auto, auto) { return sum(x / 1.0); }) == std::vector<std::string>{"sum"});
    CHECK(count(check([](auto x, auto, auto, auto) { return sum(pow(x, 1.0)); }), "pow") == 0);
}

TEST_CASE("simplify: signs meet") {
    CHECK(check([](auto x, auto, auto, auto) { return sum(-(-x)); }) == std::vector<std::string>{"sum"});
    CHECK(count(check([](auto x, auto y, auto, auto) { return sum(tanh(x + (-y))); }), "neg") == 0);
    CHECK(count(check([](auto x, auto y, auto, auto) { return sum(tanh((-x) + y)); }), "neg") == 0);
    CHECK(count(check([](auto x, auto y, auto, auto) { return sum(tanh(x - (-y))); }), "neg") == 0);
    CHECK(count(check([](auto x, auto y, auto, auto) { return sum(tanh((-x) * (-y))); }), "neg") == 0);
    CHECK(count(check([](auto x, auto, auto, auto) { return sum(tanh(3.0 * (-x))); }), "neg") == 0);
    CHECK(count(check([](auto x, auto y, auto, auto) { return sum(tanh(-((-x) / (y + 3.0)))); }), "neg") == 0);
    CHECK(count(check([](auto x, auto, auto, auto) { return sum(tanh(0.0 - x)); }), "sub") == 0);
    CHECK(count(check([](auto x, auto, auto, auto) { return sum(tanh(-1.0 * x)); }), "mul") == 0);
}

TEST_CASE("simplify: numbers meet") {
    CHECK(count(check([](auto x, auto, auto, auto) { return sum(tanh(2.0 * (3.0 * x))); }), "mul") == 1);
    CHECK(count(check([](auto x, auto, auto, auto s) { return sum(tanh((2.0 * s) * (3.0 * s * x))); }), "mul") <= 4);
    CHECK(count(check([](auto x, auto, auto, auto) { return sum(tanh(x / 4.0)); }), "div") == 0);
    CHECK(count(check([](auto x, auto, auto, auto) { return sum(tanh(x + x)); }), "add") == 0);
    CHECK(count(check([](auto x, auto, auto, auto s) { return sum(tanh(x / (s + 1.0))); }), "div") == 1);
    CHECK(count(check([](auto x, auto, auto r, auto) { return sum(tanh(x / r)); }), "div") == 1);
}

TEST_CASE("simplify: powers of small whole numbers are products") {
    for (auto const& names : {check([](auto x, auto, auto, auto) { return sum(pow(x, 2.0)); }),
                              check([](auto x, auto, auto, auto) { return sum(pow(x, 5.0)); }),
                              check([](auto x, auto, auto, auto) { return sum(pow(x, 8.0)); }),
                              check([](auto x, auto, auto, auto) { return sum(pow(x, -3.0)); }),
                              check([](auto x, auto, auto, auto) { return sum(pow(x * x, 0.5)); }),
                              check([](auto x, auto, auto, auto) { return sum(pow(x, 0.0)); })})
        CHECK(count(names, "pow") == 0);
    CHECK(count(check([](auto x, auto, auto, auto) { return sum(square(x)); }), "square") == 0);
}

TEST_CASE("simplify: factors and signs leave sums, sums of products become products") {
    auto const scaled = check([](auto x, auto, auto, auto s) { return sum(s * tanh(x)); });
    CHECK(scaled.front() == "mul");  // what comes last
    CHECK(check([](auto x, auto, auto, auto) { return sum(-tanh(x)); }).front() == "neg");
    CHECK(check([](auto x, auto y, auto, auto s) { return sum((s * x) * y); }).front() == "mul");
    check([](auto x, auto y, auto, auto s) { return sum(x * (s * y)); });
    CHECK(check([](auto x, auto y, auto, auto s) { return sum((s * x) * ((s + 1.0) * y)); }).front() == "mul");
    CHECK(check([](auto x, auto, auto, auto s) { return sum((s * x) * ((s + 1.0) * tanh(x))); }).front() == "mul");
    CHECK(count(check([](auto x, auto y, auto, auto) { return sum(tanh(sum<2>(ad::unsqueeze<1>(x) * ad::unsqueeze<0>(y)))); }), "mul") == 0);
    CHECK(count(check([](auto x, auto, auto, auto) { return sum(tanh(sum<0>(ad::unsqueeze<0>(x)))); }), "sum") == 1);
    CHECK(count(check([](auto x, auto, auto, auto s) { return sum(square(x) + s); }), "sum") >= 1);
}

TEST_CASE("simplify: views of views are one view, or none") {
    CHECK(check([](auto x, auto, auto, auto) { return sum(transpose(transpose(x))); }) == std::vector<std::string>{"sum"});
    CHECK(count(check([](auto x, auto, auto, auto) { return sum(tanh(ad::flip<0>(ad::flip<0>(x)))); }), "slice") <= 1);
    CHECK(count(check([](auto x, auto, auto, auto) { return sum(tanh(ad::slice<0, 1, ad::to_end>(ad::slice<0, 1, ad::to_end>(x)))); }), "slice") == 1);
    CHECK(count(check([](auto x, auto, auto, auto) { return sum(tanh(ad::squeeze<0>(ad::unsqueeze<0>(x)))); }), "axes") == 0);
    CHECK(check([](auto x, auto y, auto, auto) { return sum(ad::select<0>(ad::stack<0>(x, y), 0)); }) == std::vector<std::string>{"sum"});
}

TEST_CASE("simplify: multiply-adds are made in the last pass") {
    CHECK(count(check([](auto x, auto y, auto, auto) { return sum(tanh(x * y + x)); }, "simplify"), "fma") == 1);
    CHECK(count(check([](auto x, auto y, auto, auto) { return sum(tanh(x * y - x)); }, "simplify"), "fms") == 1);
    CHECK(count(check([](auto x, auto y, auto, auto) { return sum(tanh(x - x * y)); }, "simplify"), "fnma") == 1);
    CHECK(count(check([](auto x, auto, auto r, auto s) { return sum(tanh(x + r * s)); }, "simplify"), "fma") == 0);  // smaller than x
}

TEST_CASE("simplify: the same mask once, the same value once") {
    CHECK(count(check([](auto x, auto y, auto, auto) { return sum(tanh(where(x > y, x, 0.0) + where(x > y, y, 0.0))); }), "where") == 1);
    CHECK(count(check([](auto x, auto y, auto, auto) { return sum(tanh(x * y) - sin(y * x) + tanh(y * x)); }), "mul") <= 2);
    CHECK(count(check([](auto x, auto, auto, auto) { return sum(tanh(x) * tanh(x)); }), "tanh") == 1);
}

TEST_CASE("simplify: a choice between equals is the one, in the shape of the choice") {
    check([](auto x, auto, auto, auto s) { return sum(where(x > 0.0, s, s)); });
    check([](auto x, auto, auto r, auto) { return sum(where(x > 0.0, r, r) * x); });
    check([](auto x, auto y, auto, auto) { return sum(where(x > y, x * y, x * y)); });
}

TEST_CASE("simplify: what may be NaN or infinite stays") {
    CHECK(count(check([](auto x, auto, auto, auto) { return sum(tanh(0.0 * x)); }), "mul") == 1);
    CHECK(count(check([](auto x, auto, auto, auto) { return sum(tanh(x - x)); }), "sub") == 1);
}
