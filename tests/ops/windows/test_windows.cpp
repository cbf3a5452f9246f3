// SPDX-License-Identifier: MIT
// Windows as views: under and over other views, beside the oracle; in derivatives of derivatives; what is computed
// again and what is kept. At all lengths, optimised: sweep/test_windows.cpp.

#include "oracle/numbers.hpp"
#include "support/messages.hpp"

using oracle::agree;

namespace {

ad::tensor<double, ad::dyn, ad::dyn> wave(std::size_t n, std::size_t m) {
    ad::tensor<double, ad::dyn, ad::dyn> x(n, m);
    for (std::size_t i = 0; i < n * m; ++i)
        x.data()[i] = std::sin(0.7 * static_cast<double>(i)) + 0.01 * static_cast<double>(i);
    return x;
}

/// Overlapping windows of something computed, and of something padded.
constexpr auto curved = [](auto a) {
    auto const near = sum<-1>(ad::windows<0, 3, 2>(sin(a)));
    auto const wide = mean<-1>(ad::windows<0, 4, 2>(ad::pad<1, 0>(a)));
    return sum(exp(0.3 * near * wide));
};
constexpr auto penalty = [](auto a) { return sum(square(ad::grad<0>(curved)(a))); };

}  // namespace

TEST_CASE("windows: the view itself") {
    ad::tensor<int, 2, 7> x;
    for (int i = 0; i < 14; ++i) x.data()[i] = i;
    auto const y = ad::evaluate([](auto a) { return ad::windows<1, 3, 2>(a); }, x);
    static_assert(std::same_as<decltype(y), ad::tensor<int, 2, 3, 3> const>);
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 3; ++j)
            for (int t = 0; t < 3; ++t) CHECK(y(i, j, t) == x(i, 2 * j + t));
    auto const z = ad::evaluate([](auto a) { return ad::windows<0, 2>(a); }, x);
    static_assert(std::same_as<decltype(z), ad::tensor<int, 1, 7, 2> const>);
    for (int j = 0; j < 7; ++j)
        for (int t = 0; t < 2; ++t) CHECK(z(0, j, t) == x(t, j));
}

TEST_CASE("windows: the library and the oracle agree, whatever is below and above") {
    for (int n : {6, 7, 9, 20}) {
        auto const m = static_cast<std::size_t>(n);
        auto const x = wave(m, m + 3);
        INFO(n);
        CHECK(agree<0>(
                  [](auto a) {
                      auto const both = sum(sin(sum<-2, -1>(ad::windows<1, 3>(ad::windows<0, 2>(a)))) * 0.5);
                      auto const cut = sum(tanh(ad::flatten(ad::flip<-1>(ad::slice<1, 1, 3>(ad::windows<1, 4>(a))))));
                      return both + cut + sum(sin(ad::windows<1, 2>(ad::windows<1, 3, 2>(a))));
                  },
                  x) == "");
        CHECK(agree<0>(
                  [](auto a) {
                      auto const turned = sum(square(max<-1>(ad::windows<1, 3, 2>(transpose(a)))));
                      auto const computed =
                          sum(sin(ad::windows<0, 4>(ad::flip<0>(ad::slice<0, 1, ad::to_end>(exp(0.2 * a))))));
                      return turned + computed + sum(sin(ad::cumsum<-1>(ad::windows<1, 3>(a))));
                  },
                  x) == "");
    }
}

TEST_CASE("windows: a product over them is a convolution") {
    auto const x = wave(5, 40);
    ad::tensor<double, 4, 6> w;
    for (int i = 0; i < 24; ++i) w.data()[i] = std::cos(1.3 * i);
    auto const product = [](auto a, auto b) { return matmul(ad::windows<1, 6, 2>(a), transpose(b)); };
    auto const conv = [](auto a, auto b) {
        return ad::permute<0, 2, 1>(ad::conv1d<ad::conv{.stride = 2}>(ad::unsqueeze<1>(a), ad::unsqueeze<1>(b)));
    };
    auto const y = ad::evaluate(product, x, w), z = ad::evaluate(conv, x, w);
    REQUIRE(y.size() == z.size());
    double worst = 0;
    for (std::size_t i = 0; i < y.size(); ++i) worst = std::max(worst, std::abs(y.data()[i] - z.data()[i]));
    auto const [gx, gw] =
        ad::grad<0, 1>([](auto a, auto b) { return sum(sin(matmul(ad::windows<1, 6, 2>(a), transpose(b)))); })(x, w);
    auto const [ex, ew] = ad::grad<0, 1>([](auto a, auto b) {
        return sum(sin(ad::conv1d<ad::conv{.stride = 2}>(ad::unsqueeze<1>(a), ad::unsqueeze<1>(b))));
    })(x, w);
    for (std::size_t i = 0; i < ex.size(); ++i) worst = std::max(worst, std::abs(gx.data()[i] - ex.data()[i]));
    for (std::size_t i = 0; i < ew.size(); ++i) worst = std::max(worst, std::abs(gw.data()[i] - ew.data()[i]));
    CHECK(worst < 1e-13);
}

TEST_CASE("windows: derivatives of derivatives, forward mode, many items") {
    auto const x = between<double>(-1, 1, 41), v = between<double>(-1, 1, 41, 3);
    CHECK(ad::check_gradient<0>(curved, x).passed);
    CHECK(ad::check_gradient<0>(penalty, x).passed);
    auto const g = ad::grad<0>(curved)(x);
    double along = 0;
    for (std::size_t i = 0; i < x.size(); ++i) along += g[i] * v[i];
    auto const [value, tangent] = ad::jvp<0>(curved)(x, v);
    CHECK(tangent == Approx(along).epsilon(1e-12));
    // H v by forward over reverse, and by differences of gradients
    auto const hv = ad::hvp<0>(curved)(x, v);
    auto up = x, down = x;
    for (std::size_t i = 0; i < x.size(); ++i) up[i] += 1e-5 * v[i], down[i] -= 1e-5 * v[i];
    auto const gu = ad::grad<0>(curved)(up), gd = ad::grad<0>(curved)(down);
    for (std::size_t i = 0; i < x.size(); ++i) CHECK(hv[i] == Approx((gu[i] - gd[i]) / 2e-5).margin(1e-8));
    // items along a leading axis
    ad::tensor<double, 3, 41> items;
    for (std::size_t i = 0; i < items.size(); ++i) items.data()[i] = std::sin(0.9 * static_cast<double>(i));
    auto const all = ad::vmap(ad::grad<0>(curved))(items);
    for (int i = 0; i < 3; ++i) {
        std::vector<double> const one(items.data() + 41 * i, items.data() + 41 * (i + 1));
        auto const e = ad::grad<0>(curved)(one);
        for (int j = 0; j < 41; ++j) CHECK(all(i, j) == Approx(e[static_cast<std::size_t>(j)]).margin(1e-14));
    }
}

TEST_CASE("windows: what is cheap is computed again, what is not is kept once") {
    constexpr auto smooth = [](auto x, auto y) { return sum(square(mean<-1>(ad::windows<0, 5>(x)) - y)); };
    auto step = ad::value_and_grad<0>(smooth);
    constexpr auto small =
        decltype(ad::value_and_grad<0>(smooth))::plan<ad::tensor<double, 100>, ad::tensor<double, 96>>();
    STATIC_REQUIRE(small.workspace_bytes() == 0);
    STATIC_REQUIRE(small.kernels() == 2);
    // of many elements: the differences are stored by the loop that adds up their squares
    constexpr auto large =
        decltype(ad::value_and_grad<0>(smooth))::plan<ad::tensor<double, 1000>, ad::tensor<double, 996>>();
    STATIC_REQUIRE(large.kernels() == 2);
    STATIC_REQUIRE(large.workspace_bytes() >= 996 * 8);
    STATIC_REQUIRE(large.workspace_bytes() < 1100 * 8);
    // exp is not computed three times
    constexpr auto costly = decltype(ad::fused(
        [](auto x) { return sum<-1>(ad::windows<0, 3>(exp(x))); }))::plan<ad::tensor<double, 1000>>();
    STATIC_REQUIRE(costly.kernels() == 2);
    std::vector<double> x(100, 1.0), y(96, 0.0);
    CHECK(step(x, y).value == Approx(96));
}

TEST_CASE("windows: an axis that is too short at run time") {
    auto f = ad::fused([](auto x) { return ad::windows<0, 3, 1, 2>(x); });
    CHECK(f(std::vector<double>(5, 1.0)).size() == 3);
    CHECK(mentions(message_of([&] { f(std::vector<double>(4, 1.0)); }), {"windows"}));
}
