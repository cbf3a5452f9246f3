// SPDX-License-Identifier: MIT
// Simplifications: each one fires, and what it makes is the same number as what was written, and so is its gradient. Long,
// because it is one table: a program for every row of ops/simplify/table.hpp.

#include <tapeless/ops/simplify/table.hpp>
#include <tapeless/tapeless.hpp>

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "support/agree.hpp"
#include "support/catch.hpp"

namespace ad = tapeless;
using namespace tapeless::detail;

namespace {

/// `literal` leaves operations as they were written.
struct as_written {
    bool literal, notes_simplifications = true;
};
template <class F, class... A>
std::vector<oracle::stage> stages(bool literal) {
    return oracle::trace_stages<F, wanted::both, A...>(std::integer_sequence<int, 0>{}, as_written{literal});
}

/// The names of the operations that the first result needs, the last one first, but for the view that drops the axes
/// of a sum.
std::vector<std::string> operations(traced const& t) {
    std::vector<char> live(static_cast<std::size_t>(t.graph.nodes.size()), 0);
    int first = t.outputs[0];
    while (t.graph.nodes[first].kind == node_kind::view) first = t.graph.nodes[first].in[0];
    live[static_cast<std::size_t>(first)] = 1;
    std::vector<std::string> names;
    for (int i = t.graph.nodes.size() - 1; i >= 0; --i) {
        node const& n = t.graph.nodes[i];
        if (!live[static_cast<std::size_t>(i)]) continue;
        for (int j = 0; j < (n.kind == node_kind::alias ? 1 : n.arity()); ++j)
            live[static_cast<std::size_t>(n.in[j])] = 1;
        if (n.has_op() && n.kind != node_kind::alias) names.push_back(n.op->name);
    }
    return names;
}

constexpr ad::pool pairs{.size = 2, .padding = 1};

using matrix = ad::tensor<double, ad::dyn, ad::dyn>;
using row = ad::tensor<double, ad::dyn>;

matrix some(std::size_t n, std::size_t m, double phase) {
    matrix x(n, m);
    for (std::size_t i = 0; i < n * m; ++i) x.data()[i] = std::sin(1.3 * static_cast<double>(i) + phase) + 0.1;
    return x;
}

/// Whether the graph after every pass gives what the one that was written does, value and gradient.
template <class... A>
void check_passes(std::vector<oracle::stage> const& made, oracle::stage const& written, A const&... a) {
    auto const arguments = oracle::read_all(a...);
    auto const should = oracle::evaluate(written.made, arguments);
    for (oracle::stage const& s : made) {
        auto const is = oracle::evaluate(s.made, arguments);
        for (std::size_t k = 0; k < is.size(); ++k) {
            INFO("after " << s.pass << ", result " << k);
            CHECK(oracle::difference(is[k], should[k]) == "");
        }
    }
}
/// f(x, y, r, s) of two matrices, a row and a number, written out and simplified, value and gradient by x: the graph
/// after every pass.
template <class F>
std::vector<oracle::stage> check_stages(F const&) {
    auto const written = stages<F, matrix, matrix, row, double>(true),
               made = stages<F, matrix, matrix, row, double>(false);
    for (auto [n, m] : {std::pair{3, 4}, std::pair{1, 1}, std::pair{2, 1}, std::pair{0, 2}, std::pair{5, 7}}) {
        INFO(n << " by " << m);
        row c(static_cast<std::size_t>(m));
        for (std::size_t j = 0; j < static_cast<std::size_t>(m); ++j) c(j) = 0.5 + static_cast<double>(j);
        check_passes(made, written[0], some(static_cast<std::size_t>(n), static_cast<std::size_t>(m), 0.3),
                     some(static_cast<std::size_t>(n), static_cast<std::size_t>(m), 1.1), c, 1.75);
    }
    return made;
}
/// The operations of the value after a pass, by default when it was just traced.
template <class F>
std::vector<std::string> check(F const& f, char const* pass = "traced") {
    for (oracle::stage const& s : check_stages(f))
        if (std::string(s.pass) == pass) return operations(s.made);
    FAIL("no such pass");
    return {};
}
int count(std::vector<std::string> const& names, char const* name) {
    return static_cast<int>(std::count(names.begin(), names.end(), std::string(name)));
}

/// The rows of the table that were applied, when the function was traced and by the passes.
std::set<std::string> rows_of(std::vector<oracle::stage> const& made) {
    std::set<std::string> r;
    for (oracle::stage const& s : made) r.insert(s.made.graph.simplified.begin(), s.made.graph.simplified.end());
    return r;
}
/// Rows that were seen to be applied, and to give the same number.
struct seen_rows {
    std::set<std::string> names;

    void add(char const* name, std::set<std::string> const& applied) {
        INFO("the row '" << name << "'");
        CHECK(applied.count(name) == 1);
        names.insert(name);
    }
    /// Of a function of two matrices, a row and a number.
    template <class F>
    void in(char const* name, F const& f) {
        INFO("the row '" << name << "'");
        add(name, rows_of(check_stages(f)));
    }
    /// Of a function of these arrays.
    template <class F, class... A>
    void of(char const* name, F const&, A const&... a) {
        INFO("the row '" << name << "'");
        auto const made = stages<F, A...>(false);
        check_passes(made, stages<F, A...>(true)[0], a...);
        add(name, rows_of(made));
    }
    /// Of nodes, where no function comes to mind that makes them: make(b, x, y, r) of two 3 by 4 matrices and a row.
    template <class F>
    void among_nodes(char const* name, F const& make) {
        INFO("the row '" << name << "'");
        matrix const x = some(3, 4, 0.3), y = some(3, 4, 1.1), r = some(1, 4, 2.3);
        std::vector<oracle::stage> made;
        for (bool literal : {true, false}) {
            traced t;
            t.graph.literal = literal;
            t.graph.notes_simplifications = true;
            t.graph.knows<double>();
            int id[3];
            for (int i = 0; i < 3; ++i) {
                node n;
                n.kind = node_kind::argument;
                n.type = ad::dtype::f64;
                n.source = i;
                n.shape = t.graph.intern({2, {i == 2 ? 1 : 3, 4}});
                id[i] = t.graph.push(n);
            }
            t.outputs.push(make(t.graph, id[0], id[1], id[2]));
            made.push_back({"making the nodes", t});
        }
        check_passes(made, made[0], x, y, r);
        CHECK(rows_of({made[0]}).empty());
        add(name, rows_of({made[1]}));
    }
};
std::string text_of_file(char const* path) {
    std::ifstream in(path);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

}  // namespace

TEST_CASE("simplify: every row of the table is applied, and gives the same number") {
    seen_rows seen;
    // literals: pow(s, 0) is 1
    seen.in("negative literal", [](auto x, auto, auto, auto s) { return sum(x) * -pow(s, 0.0); });
    seen.in("sum of literals", [](auto x, auto, auto, auto s) { return sum(x) * (pow(s, 0.0) + 2.0); });
    seen.in("difference of literals", [](auto x, auto, auto, auto s) { return sum(x) * (pow(s, 0.0) - 3.0); });
    seen.in("product of literals", [](auto x, auto, auto, auto s) { return sum(x) * (pow(s, 0.0) * 3.0); });
    seen.in("quotient of literals", [](auto x, auto, auto, auto s) { return sum(x) * (pow(s, 0.0) / 3.0); });
    // signs, zeros and ones
    seen.in("minus minus", [](auto x, auto, auto, auto) { return sum(tanh(-(-x))); });
    seen.in("plus zero", [](auto x, auto, auto, auto) { return sum(tanh(x + 0.0)); });
    seen.in("plus minus", [](auto x, auto y, auto, auto) { return sum(tanh(x + (-y))); });
    seen.in("minus plus", [](auto x, auto y, auto, auto) { return sum(tanh((-x) + y)); });
    seen.in("plus itself", [](auto x, auto, auto, auto) { return sum(tanh(x + x)); });
    seen.in("under one mask",
            [](auto x, auto y, auto, auto) { return sum(tanh(where(x > y, x, 0.0) + where(x > y, y, 0.0))); });
    seen.in("minus zero", [](auto x, auto, auto, auto) { return sum(tanh(x - 0.0)); });
    seen.in("zero minus", [](auto x, auto, auto, auto) { return sum(tanh(0.0 - x)); });
    seen.in("minus negative", [](auto x, auto y, auto, auto) { return sum(tanh(x - (-y))); });
    seen.in("times one", [](auto x, auto, auto, auto) { return sum(tanh(x * 1.0)); });
    seen.in("times stretched one", [](auto x, auto, auto, auto s) { return sum(tanh(x + pow(x, 0.0) * s)); });
    seen.in("times zero", [](auto x, auto y, auto, auto) { return sum(tanh(0.0 * x + y)); });
    seen.in("times minus one", [](auto x, auto, auto, auto) { return sum(tanh(x * -1.0)); });
    seen.in("literal times negative", [](auto x, auto, auto, auto) { return sum(tanh(3.0 * (-x))); });
    seen.in("negative times", [](auto x, auto y, auto, auto) { return sum(tanh((-x) * tanh(y))); });
    seen.in("times negative", [](auto x, auto y, auto, auto) { return sum(tanh(y * (-x))); });
    seen.in("negative by", [](auto x, auto y, auto, auto) { return sum(tanh((-x) / (y + 3.0))); });
    seen.in("one order", [](auto x, auto y, auto, auto) { return sum(tanh(y * x) + sin(x * y)); });
    // numbers
    seen.in("literals meet", [](auto x, auto, auto, auto) { return sum(tanh(2.0 * (3.0 * x))); });
    seen.in("numbers meet", [](auto x, auto, auto, auto s) { return sum(tanh(sin(s) * (s * x))); });
    seen.in("by a literal", [](auto x, auto, auto, auto) { return sum(tanh(x / 3.0)); });
    seen.in("by something smaller", [](auto x, auto, auto r, auto) { return sum(tanh(x / r)); });
    seen.in("power one", [](auto x, auto, auto, auto) { return sum(pow(x, 1.0)); });
    seen.in("power zero", [](auto x, auto, auto, auto) { return sum(pow(x, 0.0)); });
    seen.in("power a half", [](auto x, auto, auto, auto) { return sum(pow(x * x, 0.5)); });
    seen.in("negative power", [](auto x, auto, auto, auto) { return sum(pow(x, -3.0)); });
    seen.in("whole power", [](auto x, auto, auto, auto) { return sum(pow(x, 5.0)); });
    seen.in("known exponent", [](auto x, auto, auto, auto) { return sum(pow(x, ad::full_like(x, 3.5))); });
    // choices and casts
    seen.in("choice of one", [](auto x, auto, auto, auto s) { return sum(tanh(where(s > 0.5, x, x))); });
    seen.in("choice by literals", [](auto x, auto y, auto, auto s) {
        auto const two = ad::let(0.0 * s + 2.0);
        return sum(tanh(where(two == 2.0, x, y)) + sin(where(two <= 1.0, x, y)));
    });
    seen.of("there and back", [](auto x) { return sum(tanh(ad::cast<float>(ad::cast<ad::half>(x)))); },
            ad::tensor<ad::half, 3>{ad::half(1.5f), ad::half(-0.25f), ad::half(2.0f)});
    // sums
    seen.in("over one element", [](auto x, auto, auto, auto) { return sum(tanh(sum<0>(ad::unsqueeze<0>(x)))); });
    seen.in("sum of products", [](auto x, auto y, auto, auto) {
        return sum(tanh(sum<2>(ad::unsqueeze<1>(x) * ad::unsqueeze<0>(y))));
    });
    seen.in("sign leaves sum", [](auto x, auto, auto, auto) { return sum(-tanh(x)); });
    seen.in("factor leaves sum", [](auto x, auto, auto, auto s) { return sum(s * tanh(x)); });
    seen.in("two factors leave sum", [](auto x, auto, auto, auto s) { return sum((s * x) * ((s + 1.0) * tanh(x))); });
    seen.in("left factor leaves sum", [](auto x, auto y, auto, auto s) { return sum((s * x) * tanh(y)); });
    seen.in("right factor leaves sum", [](auto x, auto y, auto, auto s) { return sum(x * (s * y)); });
    seen.in("term beside squares leaves sum", [](auto x, auto, auto, auto s) { return sum(square(x) + s); });
    seen.among_nodes("with a unit matrix", [](builder& b, int x, int, int) {  // sum over k of (k == j) x_ik
        auto const position = [&](int axis) {
            axis_map m = axis_map::of_rank(3);
            m.set(axis, 0);
            return emit_axes(b, b.coordinate(4, ad::dtype::i64), m);
        };
        int const equal =
            operation_table<ad::equal_op, std::int64_t, std::int64_t>::emit(b, {}, {position(0), position(1)});
        int const unit = operation_table<cast_op<double>, mask64_t>::emit(b, {}, {equal});
        axis_map m = axis_map::of_rank(3);
        m.set(2, 1);
        m.set(0, 0);
        return emit_sum<double>(b, emit_binary<ad::mul_op, double>(b, unit, emit_axes(b, x, m)), 1);
    });
    // views
    seen.in("axes of a number", [](auto x, auto, auto, auto s) { return sum(x * ad::unsqueeze<0>(pow(s, 0.0))); });
    seen.in("axes of axes", [](auto x, auto, auto, auto) { return sum(tanh(transpose(transpose(x)))); });
    seen.in("axes of a patch", [](auto x, auto, auto, auto) { return sum(tanh(transpose(ad::pad<1, 1, 0, 2>(x)))); });
    seen.in("same axes", [](auto x, auto, auto, auto) { return sum(tanh(ad::permute<0, 1>(x))); });
    seen.in("expand to itself", [](auto x, auto, auto, auto s) { return sum(x) * pow(s, 0.0); });
    seen.in("whole slice", [](auto x, auto, auto, auto) { return sum(tanh(ad::slice<0, 0, ad::to_end>(x))); });
    seen.in("slice of a slice", [](auto x, auto, auto, auto) {
        return sum(tanh(ad::slice<0, 1, ad::to_end>(ad::slice<0, ad::to_end, 0, -1>(x))));
    });
    ad::tensor<double, 3, 4> const given{{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}};
    seen.among_nodes("slice of a number", [](builder& b, int x, int, int) {  // as where a pass finds one
        attribute const at{.axes = 0, .number = 1, .shape = b.intern({2, {3, 3}}), .offset = 1};
        int const part = b.literal ? b.constant(2, ad::dtype::f64)
                                   : emit_with<slice_op>(b, b.constant(2, ad::dtype::f64), at);
        return emit_binary<ad::add_op, double>(b, part, emit_slice(b, x, 0, 1, 3, 1));
    });
    seen.of(
        "slice beside a put", [](auto v) { return sum(tanh(ad::slice<0, 0, 2>(ad::concat<0>(v, exp(v))))); }, given);
    seen.of("slice of a put", [](auto v) { return sum(tanh(ad::slice<0, 3, 6>(ad::concat<0>(v, exp(v))))); }, given);
    seen.of("slice of windows", [](auto v) { return sum(tanh(ad::select<-1>(ad::windows<1, 2, 2>(v), 1))); }, given);
    seen.of(
        "element of constants",
        [](auto v) {
            ad::tensor<double, 2> const weights{0.5, -3};
            return sum(tanh(sum<-1>(ad::windows<0, 2>(v) * weights)));
        },
        ad::tensor<double, 40>{});
    seen.of("reshape to itself", [](auto v) { return sum(tanh(ad::reshape<3, 4>(v))); }, given);
    seen.of("reshape of a reshape", [](auto v) { return sum(tanh(ad::reshape<6, 2>(ad::reshape<12>(v)))); }, given);
    seen.of(
        "reshape of a stretched number",
        [](auto v) { return sum(tanh(v) * ad::reshape<3, 4>(pow(ad::reshape<12>(v), 0.0))); }, given);
    seen.of("reshape by ones", [](auto v) { return sum(tanh(ad::reshape<3, 1, 4>(v))); }, given);
    seen.of("put of a put", [](auto v) { return sum(tanh(ad::slice<0, 0, 1>(ad::slice<1, 0, 2>(v)))); }, given);
    // what is put into an array
    auto const zeros = [](builder& b) { return b.blank(b.intern({2, {3, 4}}), ad::dtype::f64); };
    auto const last_row = [&](builder& b) { return emit_slice(b, zeros(b), 1, 2, 1, 1); };
    seen.among_nodes("reshape of zeros", [&](builder& b, int x, int, int) {
        return emit_binary<ad::add_op, double>(b, emit_reshape(b, zeros(b), {2, {4, 3}}),
                                               emit_reshape(b, x, {2, {4, 3}}));
    });
    seen.among_nodes("put everywhere",
                     [&](builder& b, int x, int y, int) { return emit_put(b, x, y, zeros(b), false); });
    seen.among_nodes("put nothing", [&](builder& b, int x, int, int) {
        return emit_put(b, x, b.blank(b.intern({2, {1, 4}}), ad::dtype::f64), last_row(b), true);
    });
    seen.among_nodes("add to zeros",
                     [&](builder& b, int, int, int r) { return emit_put(b, zeros(b), r, last_row(b), true); });
    seen.among_nodes("add twice", [&](builder& b, int x, int, int r) {
        return emit_put(b, emit_put(b, x, r, last_row(b), true), emit_unary<ad::tanh_op, double>(b, r), last_row(b),
                        true);
    });
    // windows
    seen.in("max_pool of a relu", [](auto x, auto, auto, auto) {
        return sum(tanh(ad::max_pool1d<pairs>(relu(ad::unsqueeze<0>(x)))));
    });
    seen.in("max_pool of a sum", [](auto x, auto y, auto, auto s) {
        auto const images = ad::unsqueeze<0>(x);
        return sum(tanh(ad::max_pool1d<pairs>(images + s))) +
               sum(tanh(ad::max_pool1d<pairs>(sum<-1>(y, ad::keepdims) + images)));
    });
    // multiply-adds
    seen.in("product plus", [](auto x, auto y, auto, auto) { return sum(tanh(x * y + tanh(x))); });
    seen.in("plus product", [](auto x, auto y, auto, auto) { return sum(tanh(tanh(x) + x * y)); });
    seen.in("minus product", [](auto x, auto y, auto, auto) { return sum(tanh(x - x * y)); });
    seen.in("product minus", [](auto x, auto y, auto, auto) { return sum(tanh(x * y - x)); });
    // like terms
    seen.in("like terms", [](auto x, auto y, auto r, auto) { return sum(tanh(x * (y * r) + (x * y) * r)); });
    seen.in("like terms in a factor",
            [](auto x, auto y, auto, auto) { return sum(tanh(y * (1.0 - x) - 2.0 * (y * x))); });

    std::set<std::string> all;
    for (simplification const& s : all_simplifications) {
        INFO("two rows are called '" << s.name << "'");
        CHECK(all.insert(s.name).second);
    }
    CHECK(seen.names == all);
}

TEST_CASE("simplify: the README lists what reassociates, and only that") {
    std::string const text = text_of_file(TAPELESS_TEST_DATA "/../../include/tapeless/ops/README.md");
    std::string const first = "<!-- simplifications that reassociate -->", last = "<!-- end -->";
    auto const begin = text.find(first), end = text.find(last, begin);
    REQUIRE(end != std::string::npos);
    std::set<std::string> listed, rows;
    std::istringstream lines(text.substr(begin + first.size(), end - begin - first.size()));
    for (std::string line; std::getline(lines, line);)
        if (line.rfind("| `", 0) == 0) listed.insert(line.substr(0, line.find('|', line.find('|', 1) + 1) + 1));
    for (simplification const& s : all_simplifications)
        if (s.is == exactness::reassociates) rows.insert(std::string("| `") + s.pattern + "` | `" + s.result + "` |");
    CHECK(listed == rows);
}

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
    CHECK(count(check([](auto x, auto y, auto, auto) {
                    return sum(tanh(sum<2>(ad::unsqueeze<1>(x) * ad::unsqueeze<0>(y))));
                }),
                "mul") == 0);
    CHECK(count(check([](auto x, auto, auto, auto) { return sum(tanh(sum<0>(ad::unsqueeze<0>(x)))); }), "sum") == 1);
    CHECK(count(check([](auto x, auto, auto, auto s) { return sum(square(x) + s); }), "sum") >= 1);
}

TEST_CASE("simplify: views of views are one view, or none") {
    CHECK(check([](auto x, auto, auto, auto) { return sum(transpose(transpose(x))); }) ==
          std::vector<std::string>{"sum"});
    CHECK(count(check([](auto x, auto, auto, auto) { return sum(tanh(ad::flip<0>(ad::flip<0>(x)))); }), "slice") <= 1);
    CHECK(count(check([](auto x, auto, auto, auto) {
                    return sum(tanh(ad::slice<0, 1, ad::to_end>(ad::slice<0, 1, ad::to_end>(x))));
                }),
                "slice") == 1);
    CHECK(count(check([](auto x, auto, auto, auto) { return sum(tanh(ad::squeeze<0>(ad::unsqueeze<0>(x)))); }),
                "axes") == 0);
    CHECK(check([](auto x, auto y, auto, auto) { return sum(ad::select<0>(ad::stack<0>(x, y), 0)); }) ==
          std::vector<std::string>{"sum"});
}

TEST_CASE("simplify: multiply-adds are made in the last pass") {
    CHECK(count(check([](auto x, auto y, auto, auto) { return sum(tanh(x * y + x)); }, "simplify"), "fma") == 1);
    CHECK(count(check([](auto x, auto y, auto, auto) { return sum(tanh(x * y - x)); }, "simplify"), "fms") == 1);
    CHECK(count(check([](auto x, auto y, auto, auto) { return sum(tanh(x - x * y)); }, "simplify"), "fnma") == 1);
    // smaller than x
    CHECK(count(check([](auto x, auto, auto r, auto s) { return sum(tanh(x + r * s)); }, "simplify"), "fma") == 0);
}

TEST_CASE("simplify: like terms are one") {
    auto const of = [](auto f) { return check(f, "simplify"); };
    // 3 x^2 y, of which x^2 is there anyway
    auto const cube = of([](auto x, auto y, auto, auto) {
        auto const square = ad::let(x * x);
        return sum(tanh(square * y + x * (x * y) + (y * x) * x) + sin(square));
    });
    CHECK(count(cube, "mul") == 3);
    CHECK(count(cube, "fma") + count(cube, "add") == 1);
    // signs, literals, and terms between them
    auto const mixed = of([](auto x, auto y, auto r, auto s) {
        return sum(tanh(exp(x) - (x * y) * r + s - 3.0 * (x * (r * y)) - exp(y)));
    });
    CHECK(count(mixed, "mul") == 2);
    CHECK(count(mixed, "fma") + count(mixed, "fnma") == 1);
    CHECK(count(of([](auto x, auto y, auto r, auto) { return sum(tanh(-(x * y * r) - (r * y) * x)); }), "add") == 0);
    // in a factor, with more than one of them, on either side, twice
    for (auto const& names :
         {of([](auto x, auto y, auto, auto) { return sum(tanh(y * (1.0 - x * x) - 2.0 * (y * x * x))); }),
          of([](auto x, auto y, auto, auto) { return sum(tanh((x * y) * x + y * (x * x + 2.0))); }),
          of([](auto x, auto y, auto, auto) { return sum(tanh(y * (1.0 - x * x) - (y * x) * x - x * (x * y))); })}) {
        CHECK(count(names, "mul") == 2);
        CHECK(count(names, "fma") + count(names, "fnma") + count(names, "fms") == 1);
    }
    check([](auto x, auto y, auto r, auto s) { return sum(tanh(s * y * (x * x - 3.0) * r + x * r * (x * y) * s)); });
    for (auto const& names :
         {of([](auto x, auto y, auto, auto) { return sum(tanh(-2.0 * (y * (1.0 - x)) + 3.0 * (x * y))); }),
          of([](auto x, auto y, auto, auto) { return sum(tanh(0.5 * (y * (x + 1.0)) - x * y)); })})
        CHECK(count(names, "mul") == 2);
    check([](auto x, auto, auto, auto) { return sum(pow(x, 3.0) * (1.0 - x * x) * (2.0 + x)); });
}

TEST_CASE("simplify: what is not alike, or cancels, stays as it was written") {
    auto const of = [](auto f) { return check(f, "simplify"); };
    CHECK(count(of([](auto x, auto y, auto r, auto) { return sum(tanh(x * (y * r) - (x * y) * r)); }), "mul") >= 3);
    CHECK(count(of([](auto x, auto y, auto r, auto) { return sum(tanh(x * (y * r) + (x * y) * y)); }), "fma") == 1);
    // a sum that others need, too
    auto const shared = of([](auto x, auto y, auto r, auto) {
        auto const part = ad::let(x * (y * r) + exp(x) + exp(y) + sin(y));
        return sum(tanh(part + (x * y) * r) + sin(part));
    });
    CHECK(count(shared, "fma") == 2);
    CHECK(count(shared, "add") == 3);
    // the rounding of single values is left alone
    ad::tensor<double, 2> const x{0.1, 1.0 / 3.0}, big{1e9, 1e15};
    ad::tensor<double, 2> high;
    ad::fused([](auto v, auto w) { return ((w + v) - 3.0 * w) + w + w; })(ad::into(high), x, big);
    for (std::size_t i = 0; i < 2; ++i) {
        double volatile const t = big(i) + x(i), d = t - 3 * big(i), e = d + big(i);
        CHECK(high(i) == e + big(i));
        CHECK(high(i) != x(i));
    }
    // one of the two as it was written: x * y would be infinite
    ad::tensor<double, 2> const large{1e200, -1e200}, small{1e-300, 1e-300};
    ad::tensor<double, 2> got;
    ad::fused([](auto v, auto w, auto z) { return v * (w * z) + (v * z) * w; })(ad::into(got), large, large, small);
    for (double v : got) CHECK(std::abs(v - 2e100) < 1e90);
    // nor is a number brought in that is out of all proportion
    ad::fused([](auto v, auto w) { return 1e-300 * (v * w) + w * v; })(ad::into(got), small, large);
    for (std::size_t i = 0; i < 2; ++i) CHECK(got(i) == small(i) * large(i));
}

TEST_CASE("simplify: the same mask once, the same value once") {
    CHECK(
        count(check([](auto x, auto y, auto, auto) { return sum(tanh(where(x > y, x, 0.0) + where(x > y, y, 0.0))); }),
              "where") == 1);
    CHECK(count(check([](auto x, auto y, auto, auto) { return sum(tanh(x * y) - sin(y * x) + tanh(y * x)); }), "mul") <=
          2);
    CHECK(count(check([](auto x, auto, auto, auto) { return sum(tanh(x) * tanh(x)); }), "tanh") == 1);
}

TEST_CASE("simplify: a choice between equals is the one, in the shape of the choice") {
    check([](auto x, auto, auto, auto s) { return sum(where(x > 0.0, s, s)); });
    check([](auto x, auto, auto r, auto) { return sum(where(x > 0.0, r, r) * x); });
    check([](auto x, auto y, auto, auto) { return sum(where(x > y, x * y, x * y)); });
    // and between what literals say
    check([](auto x, auto, auto r, auto s) { return sum(sin(where(0.0 * s + 2.0 <= 2.0, r, x)) * x); });
    check([](auto x, auto, auto r, auto s) { return sum(sin(where(0.0 * s + 2.0 == 3.0, r, x)) * r); });
    check([](auto x, auto, auto r, auto s) { return sum(where(0.0 * s + 2.0 == 2.0, s, x)) + sum(sin(r)); });
    check([](auto x, auto, auto, auto s) { return sum(where(0.0 * s + 2.0 <= 1.0, s, x) * x); });
}

TEST_CASE("simplify: what may be NaN or infinite stays") {
    CHECK(count(check([](auto x, auto, auto, auto) { return sum(tanh(x - x)); }), "sub") == 1);
    CHECK(count(check([](auto x, auto, auto, auto) { return sum(tanh(0.0 / (x + 3.0))); }), "div") +
              count(check([](auto x, auto y, auto, auto) { return sum(tanh(y * (x - x))); }), "mul") >= 1);
}

TEST_CASE("simplify: a sum that begins with 0 * x, or with zeros like x, costs what its terms cost") {
    CHECK(check([](auto x, auto y, auto, auto) { return sum(0.0 * x + y); }, "simplify") == std::vector<std::string>{"sum"});
    CHECK(check([](auto x, auto y, auto, auto) { return sum(ad::zeros_like(x) + y); }, "simplify") ==
          std::vector<std::string>{"sum"});
    CHECK(check([](auto x, auto y, auto, auto) { return sum(y - 0.0 * x); }, "simplify") == std::vector<std::string>{"sum"});
    // smaller terms are stretched, and NaN in what is not read does not count
    double const nan = std::numeric_limits<double>::quiet_NaN();
    auto const begun = [](auto v, auto s) { return (0.0 * v + s) + ad::full_like(v, 1.0); };
    CHECK(ad::evaluate(begun, std::vector<double>{nan, 1, 2}, 5.0) == ad::tensor<double, ad::dyn>{6, 6, 6});
    CHECK(ad::evaluate([](auto v) { return ad::fold([](auto h, auto e) { return h + e; }, 0.0 * v[0], v); },
                       ad::tensor<double, 3, 2>{{1, 2}, {3, 4}, {5, 6}}) == ad::tensor<double, 2>{9, 12});
    auto const unread = [](auto v, auto w) { return sum(0.0 * v) + sum(w); };
    CHECK(ad::explain(ad::value_and_grad<1>(unread), std::vector<double>{nan}, std::vector<double>{1, 2})
              .find("argument 0") == std::string::npos);
    // lengths still have to agree
    auto const both = [](auto v, auto w) { return sum(0.0 * v + w); };
    CHECK_THROWS_AS(ad::evaluate(both, std::vector<double>{1}, std::vector<double>{1, 2}), ad::shape_error);
}
