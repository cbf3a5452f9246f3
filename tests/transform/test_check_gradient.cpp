// SPDX-License-Identifier: MIT
// check_gradient: wrong rules fail it, right ones pass, in every element type and at every size.

#include <tapeless/tapeless.hpp>

#include <array>
#include <cmath>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "support/catch.hpp"

namespace ad = tapeless;

namespace {

// x sin x under rules that are wrong in one way each; which one is an argument, so that one program checks them all
enum rule : int { right, zero, sign, twice, ignores_g, missing_term, few_percent, some_wrong, rules };
constexpr auto ruled = ad::with_pullback([](auto x, auto) { return x * sin(x); }, [](auto g, auto, auto x, auto kind) {
    auto const a = ad::let(sin(x)), b = ad::let(x * cos(x));
    auto const is = [&](rule r) { return kind == static_cast<double>(r); };
    auto const d = where(is(zero), 0.0 * x,
                         where(is(sign), -a - b,
                               where(is(twice), 2.0 * (a + b),
                                     where(is(missing_term), b,
                                           where(is(few_percent), 1.03 * (a + b),
                                                 where(is(some_wrong) && x > 0.85, 1.2 * (a + b), a + b))))));
    return ad::cotangents(where(is(ignores_g), d + 0.0 * g, d * g), ad::no_cotangent{});
});
/// Weighted, so that g is not one number.
constexpr auto weighted = [](auto x, auto kind) { return mean((1.0 + 0.5 * x) * ruled(x, kind)); };
/// What makes it a function that is differenced in float.
constexpr auto in_float = [](auto x, auto kind) {
    return mean((1.0 + 0.5 * x) * ruled(x, kind) * ad::cast<float>(x > 0.0));
};

template <class T>
std::vector<T> points(std::size_t n) {
    std::vector<T> x(n);
    for (std::size_t i = 0; i < n; ++i)
        x[i] = static_cast<T>(0.2 + 0.7 * static_cast<double>((i * 7919) % n) / static_cast<double>(n));
    return x;
}
template <class F, class T>
void rules_are_told_apart(F f, std::vector<T> const& x) {
    for (int kind = 0; kind < rules; ++kind) {
        INFO("rule " << kind << ", " << x.size() << " elements");
        // differences in float see no 3 percent
        bool const coarse = std::is_same_v<F, std::remove_const_t<decltype(in_float)>>;
        bool const unseen =
            (kind == few_percent && (sizeof(T) == 2 || coarse)) || (kind == some_wrong && coarse && x.size() > 1000);
        if (!unseen) CHECK(ad::check_gradient(f, x, static_cast<T>(kind)).passed == (kind == right));
    }
}
constexpr auto doubled_rule = ad::with_pullback([](auto x) { return sin(x); },
                                                [](auto g, auto, auto x) { return ad::cotangents(2.0 * g * cos(x)); });

/// The value depends on whether a gradient is asked for: f is computed once where x is kept, once where it is not.
struct unsteady_op : ad::elementwise<"unsteady"> {
    static inline int calls = 0;
    static auto eval(auto x) {
        ++calls;
        return x * decltype(x)(calls > 1 ? 2 : 1);
    }
    static constexpr auto pullback(auto g, auto, auto) { return ad::cotangents(g); }
};

template <template <class, auto...> class Tensor>
struct Net {
    Tensor<float, 2, 3> w;
    Tensor<float, 3> b;
    Tensor<ad::half, 3> gain;
};
struct Line {
    float slope, offset;
};

}  // namespace

TEMPLATE_TEST_CASE("check_gradient: wrong rules fail, right ones pass", "", double, float, ad::half, ad::bfloat16) {
    rules_are_told_apart(weighted, points<TestType>(100));
    CHECK(ad::check_gradient(weighted, points<TestType>(100), TestType(0)).checked == 100);
    CHECK(ad::check_gradient(weighted, points<TestType>(100), TestType(0)).slopes == 0);
}

TEMPLATE_TEST_CASE("check_gradient: also where gradients are small", "", double, float, ad::half) {
    rules_are_told_apart(weighted, points<TestType>(30'000));
}

TEST_CASE("check_gradient: also where gradients are a millionth, and differenced in float") {
    auto const many = points<float>(1'000'000);
    CHECK(ad::check_gradient(weighted, many, float(right)).passed);
    CHECK_FALSE(ad::check_gradient(weighted, many, float(zero)).passed);
    static_assert(!ad::detail::takes_double<decltype(in_float), std::vector<float>, float>());
    rules_are_told_apart(in_float, points<float>(100));
    rules_are_told_apart(in_float, points<float>(30'000));
}

TEST_CASE("check_gradient: of a large array some elements, and all at once") {
    auto const report = ad::check_gradient(weighted, points<float>(30'000), 0.0f);
    CHECK(report.checked == 69);  // 2^21 / 30001
    CHECK(report.slopes == 5);
    CHECK(ad::check_gradient(weighted, points<float>(1400), 0.0f).checked == 1400);
}

TEST_CASE("check_gradient: without an index it checks argument 0, as grad does") {
    ad::tensor<double, 2> const x{0.25, 0.5};
    auto const f = [](auto v, auto w) { return sum(v * v * doubled_rule(w)); };
    auto const report = ad::check_gradient(f, x, x);
    CHECK(report.passed);
    CHECK(report.checked == 2);
    CHECK_FALSE(ad::check_gradient<1>(f, x, x).passed);
    CHECK_FALSE(ad::check_gradient<0, 1>(f, x, x).passed);
    CHECK(ad::check_gradient(f, ad::gradient_tolerance{.relative = 1e-5}, x, x).checked == 2);
    CHECK(ad::check_gradient<1>(f, ad::gradient_tolerance{.relative = 1.5}, x, x).passed);
}

TEST_CASE("check_gradient: the worst element is named") {
    std::vector<double> const x{0.1, 0.2, 0.9, 0.3};
    auto const f = [](auto u, auto v, auto kind) { return sum(u) + sum(ruled(v, kind)); };
    auto const report = ad::check_gradient<0, 1>(f, x, x, double(some_wrong));
    double const slope = std::sin(0.9) + 0.9 * std::cos(0.9);
    CHECK_FALSE(report.passed);
    CHECK(report.worst_argument == 1);
    CHECK(report.worst_element == 2);
    CHECK_FALSE(report.worst_is_slope);
    CHECK(std::abs(report.worst_gradient - 1.2 * slope) < 1e-12);
    CHECK(std::abs(report.worst_difference - slope) < 1e-9);
}

TEST_CASE("check_gradient: the value is that of evaluate, or the report says where it is not") {
    ad::tensor<double, 2> const x{1, 2};
    auto const good = ad::check_gradient([](auto v) { return std::tuple(sum(v * v), v > 1.5, 3.0 * v); }, x);
    CHECK(good.passed);
    CHECK(good.value_agrees);
    CHECK(good.value == 5);
    unsteady_op::calls = 0;
    auto const bad = ad::check_gradient([](auto v) { return std::pair(sum(v), 3.0 * ad::apply<unsteady_op>(v)); }, x);
    CHECK_FALSE(bad.passed);
    CHECK_FALSE(bad.value_agrees);
    CHECK(bad.value_array == 1);
    CHECK(bad.value_element == 0);
    CHECK(bad.value == 3);
    CHECK(bad.evaluated == 6);
}

TEST_CASE("check_gradient: gradients that are 0 pass") {
    auto const x = points<float>(40);
    CHECK(ad::check_gradient([](auto v) { return sum(floor(v)) + 1000.0; }, x).passed);
    CHECK(ad::check_gradient([](auto v) { return sum(ad::softmax(v)); }, x).passed);  // 1, but for rounding
    CHECK(ad::check_gradient([](auto v) { return sum(ad::softmax(v)); }, points<double>(40)).passed);
    CHECK(ad::check_gradient([](auto v) { return sum(v * v * v); }, std::vector<double>(5)).passed);
    CHECK_FALSE(ad::check_gradient([](auto v) { return sum(ad::stop_gradient(v)) + 1000.0; }, x).passed);
}

TEST_CASE("check_gradient: gradients of very different sizes, and kinks that no point is at") {
    std::vector<float> const x{1e-3f, -2e-2f, 0.7f, -30, 4000};
    auto const f = [](auto v, auto s) { return 1e-4 * s * sum(abs(v) + relu(v) + maximum(v, 0.5) + exp(-square(v))); };
    CHECK(ad::check_gradient<0, 1>(f, x, 3.0f).passed);
    CHECK(ad::check_gradient<0, 1>(f, std::vector<double>(x.begin(), x.end()), 3.0).passed);
}

TEST_CASE("check_gradient: models, trees and views of float are differenced in double") {
    Net<ad::tensor> m;
    ad::fill(m.w, 0.3f);
    ad::fill(m.b, -0.1f);
    ad::fill(m.gain, ad::half(0.5f));
    ad::tensor<float, 4, 2> x;
    for (int i = 0; i < 8; ++i) x(i / 2, i % 2) = 0.1f * static_cast<float>(i);
    auto const loss = [](auto const& n, auto in) { return mean(square(tanh(matmul(in, n.w) + n.b) * n.gain)); };
    static_assert(ad::detail::takes_double<decltype(loss), Net<ad::tensor>, ad::tensor<float, 4, 2>>());
    CHECK(ad::check_gradient<0, 1>(loss, m, x).passed);
    auto const wrong = [](auto const& n, auto in) {
        return mean(square(tanh(matmul(in, n.w) + doubled_rule(n.b)) * n.gain));
    };
    auto const report = ad::check_gradient<0>(wrong, m, x);
    CHECK_FALSE(report.passed);
    CHECK(report.worst_array == 1);
    auto const line = [](auto const& l, auto t) {
        auto const& [slope, offset] = l;
        return sum(square(slope * t + offset));
    };
    CHECK(ad::check_gradient<0>(line, Line{0.5f, 0.25f}, std::vector<float>{1, 2}).passed);
    std::array<float, 6> memory{1, 2, 3, 4, 5, 6};
    ad::view<float, 3, 2> const transposed(memory.data(), std::array<std::ptrdiff_t, 2>{1, 3});
    auto const columns = [](auto v, auto i) {
        return sum(square(ad::select<1>(v, 1))) + sum(ad::index_select<0>(v, i));
    };
    CHECK(ad::check_gradient(columns, transposed, std::vector<int>{2, 0}).passed);
}

TEST_CASE("check_gradient: a function that converts to float, or takes nothing else, is differenced in float") {
    auto const x = points<float>(20);
    auto const mixed = [](auto v, auto w) { return sum(v * ad::cast<float>(w)); };
    static_assert(!ad::detail::takes_double<decltype(mixed), std::vector<float>, std::vector<double>>());
    CHECK(ad::check_gradient<0, 1>(mixed, x, points<double>(20)).passed);
    auto const rounded = [](auto v) { return sum(square(ad::cast<ad::half>(v))); };
    static_assert(!ad::detail::takes_double<decltype(rounded), std::vector<float>>());
    auto const of_symbols = [](ad::symbol<float, 3> v) { return sum(square(v)); };
    CHECK(ad::check_gradient(of_symbols, ad::tensor<float, 3>{1, 2, 3}).passed);
    auto const in_loop = [](auto v) {
        return ad::fold([](auto c, auto e) { return c + e * ad::cast<float>(e > 0.5); }, 0.0, v);
    };
    static_assert(!ad::detail::takes_double<decltype(in_loop), std::vector<float>>());
    CHECK(ad::check_gradient(in_loop, x).passed);
    auto const widened = [](auto v) { return sum(square(ad::cast<double>(v))); };
    static_assert(ad::detail::takes_double<decltype(widened), std::vector<float>>());
    CHECK(ad::check_gradient(widened, x).passed);
}

TEST_CASE("check_gradient: nothing to check, and values that are no numbers") {
    CHECK(ad::check_gradient([](auto v) { return sum(v); }, std::vector<double>{}).passed);
    CHECK_FALSE(ad::check_gradient([](auto v) { return sum(log(v)); }, std::vector<double>{-1, 1}).passed);
}
