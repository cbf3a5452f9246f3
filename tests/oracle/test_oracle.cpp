// SPDX-License-Identifier: MIT
// The oracle is right: every kind of node on numbers worked out by hand, and a wrong graph is noticed.

#include "support/agree.hpp"
#include "support/catch.hpp"

namespace ad = tapeless;
using oracle::lengths;

namespace {

using reals = std::vector<long double>;
using wholes = std::vector<std::int64_t>;

/// What the oracle makes of f as it was traced.
template <class F, class... A>
std::vector<oracle::array> results(F const&, A const&... a) {
    auto const stages = oracle::trace_stages<F, oracle::graph::wanted::value, A...>(std::integer_sequence<int>{});
    return oracle::evaluate(stages[0].made, oracle::read_all(a...));
}
template <class F, class... A>
oracle::array first(F const& f, A const&... a) {
    return results(f, a...).at(0);
}
/// The gradient by argument 0, on the graph as it was differentiated.
template <class F, class... A>
oracle::array gradient(F const&, A const&... a) {
    auto const stages =
        oracle::trace_stages<F, oracle::graph::wanted::gradients, A...>(std::integer_sequence<int, 0>{});
    return oracle::evaluate(stages[0].made, oracle::read_all(a...)).at(0);
}

using matrix = ad::tensor<double, ad::dyn, ad::dyn>;
matrix const a{{1, 2, 3}, {4, 5, 6}};

constexpr auto select_one = [](auto x, auto i) { return ad::index_select<0>(x, i); };
constexpr auto select_all = [](auto x, auto i) { return ad::vmap(select_one)(x, i); };

bool has(std::string const& text, char const* part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("oracle: elementwise operations broadcast from the right") {
    auto const y = first([](auto x, auto b) { return x * 2.0 - b; }, a, std::vector<double>{10, 20, 30});
    CHECK(y.shape == lengths{2, 3});
    CHECK(y.real == reals{-8, -16, -24, -2, -10, -18});
}

TEST_CASE("oracle: reductions along axes, NaN among them, and of nothing") {
    CHECK(first([](auto x) { return sum<0>(x); }, a).real == reals{5, 7, 9});
    CHECK(first([](auto x) { return prod<1>(x); }, a).real == reals{6, 120});
    CHECK(first([](auto x) { return max<1>(x) - min<1>(x); }, a).real == reals{2, 2});
    auto const y = first([](auto x) { return max(x); }, std::vector<double>{1, NAN, 3});
    CHECK(std::isnan(y.real[0]));
    CHECK(first([](auto x) { return sum(x) + prod(x); }, std::vector<double>{}).real == reals{1});
}

TEST_CASE("oracle: products are sums of products") {
    CHECK(first([](auto x) { return matmul(x, transpose(x)); }, a).real == reals{14, 32, 32, 77});
    CHECK(gradient([](auto x) { return sum(matmul(x, transpose(x))); }, a).real == reals{10, 14, 18, 10, 14, 18});
}

TEST_CASE("oracle: masks choose, and counts of them are whole numbers") {
    auto const y = first([](auto x) { return where(x > 2.0 && !(x == 5.0), x, -x); }, a);
    CHECK(y.real == reals{-1, -2, 3, 4, -5, 6});
    CHECK(first([](auto x) { return count_nonzero<1>(x > 2.0); }, a).whole == wholes{1, 3});
    CHECK(first([](auto x) { return argmax<1>(0.0 - x); }, a).whole == wholes{0, 0});
}

TEST_CASE("oracle: views look at the elements they name") {
    CHECK(first([](auto x) { return ad::slice<1, ad::to_end, ad::to_end, -2>(x); }, a).real == reals{3, 1, 6, 4});
    CHECK(first([](auto x) { return ad::permute<1, 0>(x); }, a).real == reals{1, 4, 2, 5, 3, 6});
    CHECK(first([](auto x) { return ad::reshape<3, 2>(ad::flip<0>(x)); }, a).real == reals{4, 5, 6, 1, 2, 3});
    CHECK(first([](auto x) { return ad::tile<2, 1>(x); }, a).shape == lengths{4, 3});
}

TEST_CASE("oracle: what is put into an array stands at the places of its window") {
    CHECK(first([](auto x) { return ad::pad<0, 1, 1, 0>(x, 7); }, a).real == reals{7, 1, 2, 3, 7, 4, 5, 6, 7, 7, 7, 7});
    CHECK(first([](auto x) { return ad::concat<1>(ad::slice<1, 1, 2>(x), x); }, a).real ==
          reals{2, 1, 2, 3, 5, 4, 5, 6});
    // twice the first row, once the others
    CHECK(gradient([](auto x) { return sum(x) + sum(ad::slice<0, 0, 1>(x)); }, a).real == reals{2, 2, 2, 1, 1, 1});
}

TEST_CASE("oracle: positions and lengths are numbers") {
    CHECK(first([](auto x) { return ad::tril(x); }, a).real == reals{1, 0, 0, 4, 5, 0});
    CHECK(first([](auto x) { return mean<0>(x); }, a).real == reals{2.5, 3.5, 4.5});
    CHECK(first([](auto i) { return ad::one_hot<3, double>(i); }, std::vector<int>{2, 0}).real ==
          reals{0, 0, 1, 1, 0, 0});
}

TEST_CASE("oracle: indices pick elements and rows, and add them up") {
    std::vector<int> const rows{1, 1, 0};
    ad::tensor<int, 2, 2> const index{{2, 0}, {1, 1}};
    CHECK(first([](auto x, auto i) { return ad::index_select<0>(x, i); }, a, rows).real ==
          reals{4, 5, 6, 4, 5, 6, 1, 2, 3});
    CHECK(first([](auto x, auto i) { return ad::index_select<1>(x, i); }, a, rows).real == reals{2, 2, 1, 5, 5, 4});
    CHECK(first([](auto x, auto i) { return ad::gather<1>(x, i); }, a, index).real == reals{3, 1, 5, 5});
    CHECK(first([](auto x, auto i) { return ad::take(x, i); }, a, rows).real == reals{2, 2, 1});
    CHECK(gradient([](auto x, auto i) { return sum(ad::index_select<0>(x, i)); }, a, rows).real ==
          reals{1, 1, 1, 2, 2, 2});
    CHECK(gradient([](auto x, auto i) { return sum(square(ad::gather<1>(x, i))); }, a, index).real ==
          reals{2, 0, 6, 0, 20, 0});
    CHECK(gradient([](auto x, auto i) { return sum(ad::take(x, i)); }, a, rows).real == reals{1, 2, 0, 0, 0, 0});
    CHECK_THROWS_AS(first([](auto x, auto i) { return ad::take(x, i); }, a, std::vector<int>{6}), oracle::error);
}

TEST_CASE("oracle: running sums, and what flows back through them") {
    CHECK(first([](auto x) { return ad::cumsum<0>(x); }, a).real == reals{1, 2, 3, 5, 7, 9});
    CHECK(gradient([](auto x) { return sum(ad::cumsum<1>(x)); }, a).real == reals{3, 2, 1, 3, 2, 1});
}

TEST_CASE("oracle: integers divide towards 0, and wrap around") {
    std::vector<int> const x{7, -7, 2000000000}, y{2, 2, 0};
    CHECK(first([](auto p, auto q) { return p / q; }, x, y).whole == wholes{3, -3, 0});
    CHECK(first([](auto p, auto q) { return floor_div(p, q); }, x, y).whole == wholes{3, -4, 0});
    CHECK(first([](auto p) { return p + p; }, x).whole == wholes{14, -14, -294967296});
}

TEST_CASE("oracle: storage types are rounded where the graph says so") {
    std::vector<float> const x{1.0f / 3, 2049};
    CHECK(first([](auto v) { return ad::cast<ad::half>(v); }, x).real ==
          reals{static_cast<float>(ad::half(1.0f / 3)), 2048});
    CHECK(first([](auto v) { return ad::cast<ad::bfloat16>(v); }, x).real ==
          reals{static_cast<float>(ad::bfloat16(1.0f / 3)), 2048});
}

TEST_CASE("oracle: a loop goes step by step, and back") {
    constexpr auto f = [](auto start, auto xs) {
        return ad::scan(
            [](auto c, auto x) {
                auto const n = ad::let(c * x);
                return std::pair(n, c + x);
            },
            start, xs);
    };
    std::vector<double> const xs{2, 3, 4};
    auto const r = results(f, 5.0, xs);
    CHECK(r[0].real == reals{120});
    CHECK(r[1].real == reals{7, 13, 34});
    constexpr auto last = [](auto v, auto start) {
        return ad::fold([](auto c, auto x) { return ad::let(c * x); }, start, v);
    };
    CHECK(gradient(last, xs, 5.0).real == reals{60, 40, 30});
    CHECK(results(f, 5.0, std::vector<double>{})[1].shape == lengths{0});
}

TEST_CASE("oracle: a call takes one of two bodies") {
    constexpr auto f = [](auto x) {
        return ad::cond(
            sum(x) > 0.0, [](auto v) { return sum(v * v); }, [](auto v) { return sum(v); }, x);
    };
    CHECK(first(f, std::vector<double>{1, 2}).real == reals{5});
    CHECK(first(f, std::vector<double>{-1, -2}).real == reals{-3});
    CHECK(gradient(f, std::vector<double>{1, 2}).real == reals{2, 4});
    CHECK(gradient(f, std::vector<double>{-1, -2}).real == reals{1, 1});
}

TEST_CASE("oracle: operations done to each item") {
    ad::tensor<int, 2, 2> const index{{2, 0}, {1, 1}};
    CHECK(first(select_all, a, index).real == reals{3, 1, 5, 5});
    CHECK(gradient([](auto x, auto i) { return sum(square(select_all(x, i))); }, a, index).real ==
          reals{2, 0, 6, 0, 20, 0});
}

TEST_CASE("oracle: losses with loops of their own") {
    // one label, two steps: label blank, blank label, label label
    ad::tensor<double, 2, 1, 2> p{{{std::log(0.25), std::log(0.75)}}, {{std::log(0.5), std::log(0.5)}}};
    ad::tensor<int, 1, 1> const target{{1}};
    ad::tensor<int, 1> const steps{2}, labels{1};
    constexpr auto ctc = [](auto x, auto t, auto n, auto s) {
        return ad::loss::ctc<ad::loss::reduction::sum>(x, t, n, s);
    };
    auto const loss = first(ctc, p, target, steps, labels);
    CHECK(std::abs(loss.real[0] + std::log(0.875L)) < 1e-15L);
    auto const g = gradient(ctc, p, target, steps, labels);
    CHECK(std::abs(g.real[1] + 0.75L / 0.875L) < 1e-15L);   // label at the first step
    CHECK(std::abs(g.real[2] + 0.375L / 0.875L) < 1e-15L);  // blank at the second
    constexpr auto margins = [](auto x, auto t) { return ad::loss::multilabel_margin(x, t); };
    CHECK(std::abs(first(margins, std::vector<double>{0.1, 0.2, 0.4, 0.8}, std::vector<int>{3, 0, -1, 1}).real[0] -
                   0.85L) < 1e-15L);
}

TEST_CASE("oracle: the fused loss of a linear layer is that of its parts") {
    matrix const x{{1, 2}, {-1, 0.5}, {0, 1}}, w{{0.5, -1}, {1, 1}, {0, 2}};
    std::vector<double> const b{0.1, 0.2, 0.3};
    std::vector<int> const t{2, 0, 1};
    constexpr auto fused = [](auto v, auto u, auto c, auto i) {
        return ad::loss::fused_linear_cross_entropy(v, u, c, i);
    };
    constexpr auto plain = [](auto v, auto u, auto c, auto i) { return ad::loss::cross_entropy(linear(v, u, c), i); };
    CHECK(std::abs(first(fused, x, w, b, t).real[0] - first(plain, x, w, b, t).real[0]) < 1e-15L);
    auto const g = gradient(fused, x, w, b, t), h = gradient(plain, x, w, b, t);
    for (std::size_t i = 0; i < g.size(); ++i) CHECK(std::abs(g.real[i] - h.real[i]) < 1e-15L);
}

// ---- errors --------------------------------------------------------------------------------------------------------

TEST_CASE("oracle: errors are 0 for what only moves, and grow where terms cancel") {
    CHECK(first([](auto x) { return ad::flip<0>(x); }, a).error.empty());
    auto const y = first([](auto x, auto z) { return exp(x) - exp(z); }, 1.0, 1.0 + 1e-9);
    CHECK(y.error[0] > 0x1p-53 * 2.718);
    CHECK(y.error[0] < 0x1p-53 * 2.718 * 20);
}

TEST_CASE("oracle: a running sum is rounded once an element") {
    std::vector<double> const tenths(4096, 0.1);
    auto const y = first([](auto x) { return ad::cumsum<0>(x); }, tenths);
    CHECK(y.error_of(0) < 1e-16 * 0.3);
    CHECK(y.error_of(4095) < 4097 * 0x1p-53 * 410);
    double running = 0;
    for (double x : tenths) running += x;
    auto const off = static_cast<double>(std::abs(static_cast<long double>(running) - y.real[4095]));
    CHECK(off < y.error_of(4095));
    CHECK(off > 16 * 0x1p-53 * 410);  // more than a few roundings of the sum
    CHECK(oracle::agree([](auto x) { return ad::cumsum<0>(x); }, tenths) == "");
}

TEST_CASE("oracle: a choice that rounding decides is uncertain") {
    constexpr auto f = [](auto x, auto y) { return where(exp(x) < exp(y), 1.0 + x, 5.0 + x); };
    CHECK(first(f, 1.0, 1.0 + 1e-16).error_of(0) < 1e-14);  // one number: not less
    CHECK(first(f, 1.0, 1.0 + 0x1p-52).error_of(0) > 3.9);
    CHECK(first(f, 1.0, 1.1).error_of(0) < 1e-14);
}

// ---- what is wrong is noticed --------------------------------------------------------------------------------------

namespace {

/// The wrong rule: d(x^3) = 2 x^2.
struct wrong_cube_op : ad::elementwise<"wrong_cube"> {
    static auto eval(auto x) { return ad::simd::mul(x, ad::simd::mul(x, x)); }
    static constexpr auto pullback(auto g, auto, auto x) { return ad::cotangents(2.0 * (g * square(x))); }
};
/// The wrong value: x^2.
struct cube_op : ad::elementwise<"cube"> {
    static auto eval(auto x) { return ad::simd::mul(x, x); }
    static constexpr auto pullback(auto g, auto, auto x) { return ad::cotangents(3.0 * (g * square(x))); }
};
template <class Op>
constexpr auto sum_of = [](auto x) { return sum(ad::apply<Op>(x)); };

}  // namespace

TEST_CASE("agree: an operation the oracle does not know is named") {
    CHECK_THROWS_WITH(first([](auto x) { return ad::apply<wrong_cube_op>(x); }, 2.0),
                      "the oracle does not know the operation wrong_cube of 1 operands");
}

TEST_CASE("agree: a wrong derivative rule is seen by central differences, a wrong value by the oracle") {
    auto const cube = oracle::formula([](auto const* x, double) { return x[0] * x[0] * x[0]; });
    oracle::functions()[{"wrong_cube", 1}] = oracle::functions()[{"cube", 1}] = cube;
    std::vector<double> const x{1, 2, 3};
    std::string const rule = oracle::agree<0>(sum_of<wrong_cube_op>, x), value = oracle::agree<0>(sum_of<cube_op>, x);
    CHECK(has(rule, "central differences: gradient 0 is 2 instead of 3"));
    CHECK(!has(rule, "evaluate"));
    CHECK(has(value, "evaluate: value 0 is 14 instead of 36"));
    CHECK(!has(value, "central"));
}

TEST_CASE("agree: a tangent by a wrong rule is seen, a right one is not") {
    oracle::functions()[{"wrong_cube", 1}] = oracle::formula([](auto const* x, double) { return x[0] * x[0] * x[0]; });
    std::vector<double> const x{1, 2, 3};
    CHECK(has(oracle::agree_forward<0>([](auto v) { return ad::apply<wrong_cube_op>(v); }, x),
              "central differences: tangent 0 is 2 "));
    CHECK(oracle::agree_forward<0, 1>([](auto v, auto m) { return std::tuple(exp(sum<1>(m * v)), max(v)); }, x, a) ==
          "");
}

TEST_CASE("agree: a pass that changes a graph is named") {
    constexpr auto f = [](auto x) { return sum(x * x); };
    auto stages = oracle::trace_stages<decltype(f), oracle::graph::wanted::value, std::vector<double>>(
        std::integer_sequence<int>{});
    std::vector<oracle::array> const x = oracle::read_all(std::vector<double>{1, 2, 3});
    auto const right = oracle::evaluate(stages[0].made, x);
    for (auto& s : stages) {
        CHECK(oracle::difference(oracle::evaluate(s.made, x)[0], right[0]) == "");
        for (auto& n : s.made.graph.nodes)
            if (n.has_op() && std::string(n.op->name) == "mul")
                n.op = &oracle::graph::operation_table<ad::add_op, double, double>::value;
        CHECK(has(oracle::difference(oracle::evaluate(s.made, x)[0], right[0]), "is 12 instead of 14 at ()"));
    }
}

TEST_CASE("agree: lengths that do not fit are refused by both") {
    constexpr auto f = [](auto x, auto y) { return sum(x * y); };
    CHECK(oracle::agree<0>(f, std::vector<double>{1, 2}, std::vector<double>{1, 2, 3}) == "");
    CHECK(oracle::agree<0>([](auto x) { return max(x); }, std::vector<double>{}) == "");
}

TEST_CASE("agree: functions of every kind of node") {
    CHECK(oracle::agree<0>([](auto x) { return sum(tanh(matmul(x, transpose(x)))); }, a) == "");
    CHECK(oracle::agree<0>([](auto x) { return sum(ad::cumsum<1>(ad::concat<0>(x, ad::flip<1>(x))) * 0.5); }, a) == "");
    CHECK(oracle::agree([](auto x) { return std::tuple(max_with_index<1>(x).indices, softmax(x), x > 3.0); }, a) == "");
    CHECK(oracle::agree([](auto x, auto seed) { return dropout(x, seed, 0.5); }, a, std::int64_t{7}) == "");
    std::vector<ad::half> const h{1.5f, -2.25f};
    CHECK(oracle::agree<0>(
              {true, false}, [](auto x) { return sum(square(x)); }, h) == "");
}
