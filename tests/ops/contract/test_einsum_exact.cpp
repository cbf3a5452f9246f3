// SPDX-License-Identifier: MIT
// einsum on small arrays with exact results, and where it refuses.

#include <tapeless/tapeless.hpp>

#include <array>
#include <cmath>
#include <string>
#include <type_traits>
#include <vector>

#include "support/catch.hpp"

namespace ad = tapeless;
using ad::dim;
using ad::dyn;

namespace {
constexpr auto diagonal = [](auto x) { return einsum<"ii->i">(x); };
constexpr auto product = [](auto x, auto y) { return einsum<"ij,jk->ik">(x, y); };
}  // namespace

TEST_CASE("einsum: static extents stay static, and a letter takes the one that is known") {
    ad::tensor<double, 2, 3> const x{{1, 2, 3}, {4, 5, 6}};
    ad::tensor<double, 3, 2> const y{{1, 0}, {2, 1}, {0, 3}};
    CHECK(ad::evaluate(product, x, y) == ad::tensor<double, 2, 2>{{5, 11}, {14, 23}});
    using mixed = decltype(ad::evaluate([](auto a, auto b) { return einsum<"ij,ij->ji">(a, b); },
                                        ad::tensor<float, dyn, 3>{}, ad::tensor<float, 2, dyn>{}));
    static_assert(std::is_same_v<mixed, ad::tensor<float, 3, 2>>);
    ad::tensor<float, 9, 9> z;
    for (std::size_t i = 0; i < 81; ++i) z.data()[i] = static_cast<float>(i);
    CHECK(ad::evaluate(diagonal, z) == ad::tensor<float, 9>{0, 10, 20, 30, 40, 50, 60, 70, 80});
    using square = decltype(ad::evaluate(diagonal, ad::tensor<float, dyn, 3>{}));
    static_assert(std::is_same_v<square, ad::tensor<float, 3>>);
}

TEST_CASE("einsum: without an arrow the output has the letters that occur once, in alphabetical order") {
    ad::tensor<double, 2, 3> const x{{1, 2, 3}, {4, 5, 6}};
    CHECK(ad::evaluate([](auto a) { return einsum<"ba">(a); }, x) == ad::tensor<double, 3, 2>{{1, 4}, {2, 5}, {3, 6}});
    CHECK(ad::evaluate([](auto a) { return einsum<"aB">(a); }, x) == ad::tensor<double, 3, 2>{{1, 4}, {2, 5}, {3, 6}});
    CHECK(ad::evaluate([](auto a) { return einsum<" i j , k j ">(a, a); }, x) ==
          ad::tensor<double, 2, 2>{{14, 32}, {32, 77}});
    CHECK(ad::evaluate([](auto a) { return einsum<"ii">(a); }, ad::tensor<double, 2, 2>{{1, 2}, {3, 4}}) == 5);
}

TEST_CASE("einsum: scalars are operands without letters") {
    ad::tensor<double, 2> const x{1, 2};
    CHECK(ad::evaluate([](auto s, auto a) { return einsum<",i->i">(s, a); }, 3.0, x) == ad::tensor<double, 2>{3, 6});
    CHECK(ad::grad<0>([](auto s, auto a) { return einsum<",i->">(s, a); })(3.0, x) == 3);
}

TEST_CASE("einsum: integers are summed like other numbers") {
    ad::tensor<int, 2, 2> const x{{1, 2}, {3, 4}};
    CHECK(ad::evaluate(product, x, x) == ad::tensor<int, 2, 2>{{7, 10}, {15, 22}});
    CHECK(ad::evaluate(diagonal, x) == ad::tensor<int, 2>{1, 4});
}

TEST_CASE("einsum: of many operands the cheapest pair is contracted first") {
    ad::tensor<double, dyn, dyn> const x{{1, 2}, {3, 4}};
    ad::tensor<double, dyn> const v{1, 10};
    constexpr auto chain = [](auto a, auto b) { return einsum<"ij,jk,k->i">(a, a, b); };
    CHECK(ad::evaluate(chain, x, v) == ad::tensor<double, 2>{107, 235});
    CHECK(ad::explain(ad::fused(chain), x, v).find("product") == std::string::npos);  // of matrices
    constexpr auto by_extents = [](auto a, auto b, auto c) { return einsum<"ij,jk,kl->il">(a, b, c); };
    ad::tensor<float, 9, 9> const y{};
    auto const text = ad::explain(ad::fused(by_extents), y, y, ad::tensor<float, 9, 2>{});
    CHECK(text.find("(9 x 9) x (9 x 2)") != std::string::npos);
    CHECK(text.find("(9 x 9) x (9 x 9)") == std::string::npos);
}

TEST_CASE("einsum: strided arguments give what their dense copies do") {
    std::vector<double> memory(400);
    for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = std::sin(1.3 * static_cast<double>(i));
    using strides = std::array<std::ptrdiff_t, 2>;
    auto gradient =
        ad::value_and_grad<0, 1>([](auto x, auto y) { return sum(square(einsum<"ii,ij,kj->ik">(x, y, y))); });
    auto expect = [&](double const* from, strides s) {
        ad::view<double const, dyn, dyn> const v(from, 5, 5, s);
        ad::tensor<double, dyn, dyn> copy(5, 5);
        std::copy(v.begin(), v.end(), copy.begin());
        auto const a = gradient(v, v);
        auto const b = gradient(ad::view<double const, dyn, dyn>(copy), ad::view<double const, dyn, dyn>(copy));
        CHECK(std::abs(a.value - b.value) < 1e-12);
        for (std::size_t i = 0; i < 25; ++i) {
            CHECK(std::abs(std::get<0>(a.grad).data()[i] - std::get<0>(b.grad).data()[i]) < 1e-12);
            CHECK(std::abs(std::get<1>(a.grad).data()[i] - std::get<1>(b.grad).data()[i]) < 1e-12);
        }
    };
    expect(memory.data(), {20, 2});
    expect(memory.data(), {1, 5});
    expect(memory.data() + 200, {-7, -1});
}

TEST_CASE("einsum: a letter with two lengths throws before anything is written") {
    ad::tensor<double, dyn, dyn> x(2, 3), y(4, 2), into(2, 3);
    into(1, 2) = 7;
    auto gradient = ad::grad<0>([](auto a, auto b) { return sum(einsum<"ij,jk->ik">(a, b)); });
    CHECK_THROWS_AS(gradient(ad::into(into), x, y), ad::shape_error);
    CHECK(into(1, 2) == 7);
    CHECK_THROWS_AS(ad::evaluate(diagonal, x), ad::shape_error);
    // an extent of 1 is not stretched, whether the type says it or not
    ad::tensor<double, dyn, dyn> one(1, 2);
    CHECK_THROWS_AS(ad::evaluate(product, x, one), ad::shape_error);
    CHECK_THROWS_AS(ad::evaluate(product, x, ad::tensor<double, 1, 2>{}), ad::shape_error);
}

TEST_CASE("einsum: gradients agree with central differences, also of what is computed") {
    constexpr auto f = [](auto x, auto y, auto w) {
        return sum(square(tanh(einsum<"bij,jk->bik">(exp(x), y)))) +
               sum(einsum<"ii->i">(sin(w)) * einsum<"ji,ik->k">(w, y));
    };
    ad::tensor<double, dyn, 3, dim<"n">> x(2, 4);
    ad::tensor<double, dim<"n">, 4> y(4);
    ad::tensor<double, dyn, dyn> w(4, 4);
    double i = 0;
    for (auto& v : x) v = 0.3 * std::sin(i += 1.1);
    for (auto& v : y) v = std::sin(i += 1.1);
    for (auto& v : w) v = std::sin(i += 1.1);
    auto const report = ad::check_gradient<0, 1, 2>(f, x, y, w);
    INFO("argument " << report.worst_argument << ", element " << report.worst_element << " is " << report.worst_gradient
                     << ", difference " << report.worst_difference);
    CHECK(report.passed);
    CHECK(report.checked == 24 + 16 + 16);
}

namespace {
constexpr auto cubic = [](auto x) {
    return einsum<"ij,jk,ki->">(x, x, x) + sum(einsum<"ii->i">(x) * einsum<"ij->i">(x));
};
constexpr auto gradient_norm = [](auto x) { return sum(square(ad::grad<0>(cubic)(x))); };
}  // namespace

TEST_CASE("einsum: the gradient of a gradient agrees with central differences") {
    ad::tensor<double, dyn, dyn> x(3, 3);
    double i = 0;
    for (auto& v : x) v = std::sin(i += 1.7);
    auto const report = ad::check_gradient<0>(gradient_norm, x);
    INFO("element " << report.worst_element << " is " << report.worst_gradient << ", difference "
                    << report.worst_difference);
    CHECK(report.passed);
    CHECK(report.checked == 9);
}
