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

/// A stencil of three by three weights, some of which may be 0, by windows: column by column.
template <class T>
constexpr T smoothing[3][3] = {{1, 2, 1}, {2, -4, 2}, {1, 2, 1}};
template <class T>
constexpr T laplacian[3][3] = {{0, 1, 0}, {1, -4, 1}, {0, 1, 0}};
template <class T>
constexpr T column_only[3][3] = {{0, 0, 0}, {3, -1, 2}, {0, 0, 0}};
template <class T, auto& K>
struct stencil {
    template <class X>
    constexpr auto operator()(X x) const {
        ad::tensor<T, 3, 3> const k{
            {K[0][0], K[0][1], K[0][2]}, {K[1][0], K[1][1], K[1][2]}, {K[2][0], K[2][1], K[2][2]}};
        return sum<-2, -1>(ad::windows<0, 3>(ad::windows<1, 3>(x)) * k);
    }
};
/// Its values, and the gradient of the sum of their squares, by loops.
template <class T, auto& K, int H, int W>
void check_stencil() {
    INFO(H << " x " << W);
    ad::tensor<T, H, W> x;
    for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = static_cast<T>(std::sin(0.7 * static_cast<double>(i)));
    auto const values = ad::fused(stencil<T, K>{});
    auto const step = ad::value_and_grad<0>([](auto a) { return sum(square(stencil<T, K>{}(a))); });
    auto const y = values(x);
    auto const [total, g] = step(x);
    ad::tensor<T, H, W> back{};
    T const near = std::is_same_v<T, float> ? T(1e-4) : T(1e-12);
    bool good = true;
    for (int i = 0; i < H - 2; ++i)
        for (int j = 0; j < W - 2; ++j) {
            T v = 0;
            for (int t = 0; t < 9; ++t) v += K[t / 3][t % 3] * x(i + t % 3, j + t / 3);
            good = good && std::abs(y(i, j) - v) < near;
            for (int t = 0; t < 9; ++t) back(i + t % 3, j + t / 3) += 2 * v * K[t / 3][t % 3];
        }
    for (std::size_t i = 0; i < x.size(); ++i) good = good && std::abs(g.data()[i] - back.data()[i]) < 20 * near;
    CHECK(good);
}

}  // namespace

TEST_CASE("windows: a stencil over few rows and columns is written out") {
    check_stencil<double, smoothing<double>, 20, 30>();
    check_stencil<float, smoothing<float>, 20, 30>();
    check_stencil<double, laplacian<double>, 8, 8>();
    check_stencil<double, column_only<double>, 13, 12>();
    check_stencil<float, laplacian<float>, 3, 40>();
    check_stencil<double, smoothing<double>, 5, 5>();
    check_stencil<double, smoothing<double>, 30, 4>();
    auto const loop = [](std::string const& plan, std::string const& over) {
        INFO(plan);
        CHECK(plan.find("loop over " + over + ",") != std::string::npos);
    };
    loop(ad::explain(ad::fused(stencil<double, smoothing<double>>{}), ad::tensor<double, 20, 30>{}), "(18, 28)");
    loop(ad::explain(ad::fused(stencil<float, smoothing<float>>{}), ad::tensor<float, 20, 40>{}), "(18, 38)");
    loop(ad::explain(ad::fused([](auto x) { return mean<-1>(ad::windows<1, 20>(x)); }), ad::tensor<double, 9, 60>{}),
         "(9, 41)");
}

TEST_CASE("windows: a weight of 0 gives nothing back") {
    ad::tensor<float, ad::dyn, ad::dyn> x(64, 64);
    std::string const plan = ad::explain(
        ad::value_and_grad<0>([](auto a) { return sum(square(stencil<float, laplacian<float>>{}(a))); }), x);
    INFO(plan);
    CHECK(plan.find("computes fma add add add\n") != std::string::npos);
    // not even where no weight of a column is left
    auto const none = ad::grad<0>([](auto a) {
        ad::tensor<double, 3> const k{0, 0, 0};
        return sum(sum<-1>(ad::windows<0, 3>(a) * k) * a[0]);
    })(std::vector<double>(9, 2.0));
    for (double v : none) CHECK(v == 0);
}

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
