// SPDX-License-Identifier: MIT
// Arrays that are stored with zeros around their rows, because they are read between zeros: which are, and what is
// computed from them.

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include <tapeless/tapeless.hpp>

namespace ad = tapeless;

namespace {

bool has_margin(std::string const& plan, int zeros) {
    return plan.find(std::to_string(zeros) + " zeros around its rows") != std::string::npos;
}
template <class T>
auto matrix_of(std::size_t rows, std::size_t columns) {
    ad::tensor<T, ad::dyn, ad::dyn> x(rows, columns);
    for (std::size_t i = 0; i < x.size(); ++i)
        x.data()[i] = static_cast<T>(std::sin(0.7 * static_cast<double>(i)) + 0.01 * static_cast<double>(i % 7));
    return x;
}

constexpr double weight(std::int64_t h, std::int64_t w) {
    return 1 + 0.5 * static_cast<double>(h) - 0.125 * static_cast<double>(w);
}
template <class T, int H, int W>
constexpr auto weights() {
    ad::tensor<T, W, H> k{};
    for (int h = 0; h < H; ++h)
        for (int w = 0; w < W; ++w) k(w, h) = static_cast<T>(weight(h, w));
    return k;
}
/// sum of squares of the weighted sums over windows of H rows and W columns.
template <int H, int W, class T>
constexpr auto by_windows =
    [](auto x) { return sum(square(sum<-2, -1>(ad::windows<0, H>(ad::windows<1, W>(x)) * weights<T, H, W>()))); };
template <int H, int W, class T>
std::vector<double> gradient_by_hand(ad::tensor<T, ad::dyn, ad::dyn> const& x) {
    auto const rows = static_cast<std::int64_t>(x.extent(0)), columns = static_cast<std::int64_t>(x.extent(1));
    std::vector<double> g(x.size());
    for (std::int64_t i = 0; i + H <= rows; ++i)
        for (std::int64_t j = 0; j + W <= columns; ++j) {
            double sum = 0;
            for (std::int64_t h = 0; h < H; ++h)
                for (std::int64_t w = 0; w < W; ++w)
                    sum += weight(h, w) * static_cast<double>(x.data()[(i + h) * columns + j + w]);
            for (std::int64_t h = 0; h < H; ++h)
                for (std::int64_t w = 0; w < W; ++w)
                    g[static_cast<std::size_t>((i + h) * columns + j + w)] += 2 * weight(h, w) * sum;
        }
    return g;
}
template <class T>
double difference(auto const& a, std::vector<double> const& b) {
    double worst = 0;
    for (std::size_t i = 0; i < b.size(); ++i)
        worst = std::fmax(worst, std::abs(static_cast<double>(a.data()[i]) - b[i]));
    return worst / (sizeof(T) == 4 ? 1e-4 : 1e-11);
}
/// From long rows to short ones, so that what was there before is in the workspace.
template <int H, int W, class T>
void sweep_windows() {
    auto gradient = ad::grad<0>(by_windows<H, W, T>);
    for (std::size_t columns = 41; columns + 1 > W; --columns)
        for (std::size_t rows : {std::size_t(H), std::size_t(H + 1), std::size_t(9)}) {
            auto const x = matrix_of<T>(rows, columns);
            INFO(rows << " x " << columns << ", windows of " << H << " x " << W);
            CHECK(difference<T>(gradient(x), gradient_by_hand<H, W>(x)) < 1);
        }
}

constexpr auto laplacian = [](auto u) {
    auto const c = ad::slice<0, 1, -1>(u);
    auto const m = ad::slice<1, 1, -1>(u);
    return ad::slice<0, 0, -2>(m) + ad::slice<0, 2, ad::to_end>(m) + ad::slice<1, 0, -2>(c) +
           ad::slice<1, 2, ad::to_end>(c) - 4.0f * ad::slice<1, 1, -1>(c);
};

}  // namespace

TEST_CASE("margins: what a stencil leaves for its gradient has zeros around its rows, and no bounds along them") {
    ad::tensor<float, ad::dyn, ad::dyn> const u(20, 30);
    constexpr auto roughness = [](auto x) { return sum(square(laplacian(x))); };
    constexpr auto along_rows = [](auto x) {
        return sum(square(sum<-1>(ad::windows<1, 5>(x) * ad::tensor<float, 5>{1, 2, 3, 4, 6})));
    };
    CHECK(has_margin(ad::explain(ad::grad<0>(roughness), u), 2));
    CHECK(has_margin(ad::explain(ad::grad<0>(roughness), ad::tensor<float, 20, 30>()), 2));
    CHECK(has_margin(ad::explain(ad::grad<0>(by_windows<3, 3, float>), u), 2));
    CHECK(has_margin(ad::explain(ad::grad<0>(along_rows), u), 4));
}
TEST_CASE("margins: windows at all lengths, after longer ones") {
    sweep_windows<3, 3, float>();
    sweep_windows<3, 3, double>();
    sweep_windows<1, 5, float>();
    sweep_windows<2, 9, double>();
    sweep_windows<2, 17, float>();
    sweep_windows<2, 18, float>();  // more zeros than are kept
}
TEST_CASE("margins: lengths that are known when compiled") {
    auto const x = matrix_of<double>(7, 13);
    ad::tensor<double, 7, 13> fixed;
    std::copy(x.begin(), x.end(), fixed.begin());
    CHECK(difference<double>(ad::grad<0>(by_windows<3, 3, double>)(fixed), gradient_by_hand<3, 3>(x)) < 1);
    CHECK(difference<double>(ad::grad<0>(by_windows<1, 4, double>)(fixed), gradient_by_hand<1, 4>(x)) < 1);
}
TEST_CASE("margins: an array that is read with bounds and without, and one that is no array of rows") {
    constexpr auto both = [](auto u) {
        auto const l = laplacian(u);
        return sum(square(l)) + sum(square(ad::slice<1, 1, ad::to_end>(l * ad::exp(l)) * 0.1f));
    };
    constexpr auto by_roll = [](auto u) { return sum(square(ad::windows<1, 3>(ad::roll<0>(tanh(u), 1)))); };
    constexpr auto column = [](auto u) { return sum(square(sum<-1>(ad::windows<0, 3>(u)))); };
    auto const x = matrix_of<double>(9, 14);
    for (int which = 0; which < 3; ++which) {
        auto const value = [&](auto const& a) {
            return which == 0 ? ad::fused(both)(a) : which == 1 ? ad::fused(by_roll)(a) : ad::fused(column)(a);
        };
        auto const g = which == 0   ? ad::grad<0>(both)(x)
                       : which == 1 ? ad::grad<0>(by_roll)(x)
                                    : ad::grad<0>(column)(x);
        for (std::size_t i = 0; i < x.size(); i += 5) {
            auto up = x, down = x;
            up.data()[i] += 1e-5, down.data()[i] -= 1e-5;
            double const expected = (value(up) - value(down)) / 2e-5;
            CHECK(std::abs(g.data()[i] - expected) < 1e-6 * (1 + std::abs(expected)));
        }
    }
}
TEST_CASE("margins: of three axes, of two arrays at once, and in the steps of a loop") {
    constexpr auto solid = [](auto u, auto v) {
        auto const a = sum<-1>(ad::windows<2, 3>(u));
        auto const b = sum<-1>(ad::windows<2, 3>(tanh(v)));
        return sum(square(a * b));
    };
    ad::tensor<double, ad::dyn, ad::dyn, ad::dyn> u(3, 4, 11), v(3, 4, 11);
    for (std::size_t i = 0; i < u.size(); ++i)
        u.data()[i] = std::sin(static_cast<double>(i)), v.data()[i] = std::cos(0.3 * static_cast<double>(i));
    auto const [du, dv] = ad::grad<0, 1>(solid)(u, v);
    auto value = ad::fused(solid);
    for (std::size_t i = 0; i < u.size(); i += 7) {
        auto up = u, down = u;
        up.data()[i] += 1e-5, down.data()[i] -= 1e-5;
        CHECK(std::abs(du.data()[i] - (value(up, v) - value(down, v)) / 2e-5) < 1e-6);
        auto further = v, back = v;
        further.data()[i] += 1e-5, back.data()[i] -= 1e-5;
        CHECK(std::abs(dv.data()[i] - (value(u, further) - value(u, back)) / 2e-5) < 1e-6);
    }
    constexpr auto flow = [](auto x) {
        return sum(square(ad::fold<4>([](auto y) { return y - 0.01 * ad::grad<0>(by_windows<3, 3, double>)(y); }, x)));
    };
    auto const x = matrix_of<double>(6, 10);
    auto y = x;
    for (int i = 0; i < 4; ++i) {
        auto const g = gradient_by_hand<3, 3>(y);
        for (std::size_t j = 0; j < y.size(); ++j) y.data()[j] -= 0.01 * g[j];
    }
    double expected = 0;
    for (double e : y) expected += e * e;
    CHECK(std::abs(ad::fused(flow)(x) - expected) < 1e-9 * expected);
}
