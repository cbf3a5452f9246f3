// SPDX-License-Identifier: MIT
// Convolutions beside plain loops at many lengths, their laws, strided arguments, and what they refuse.

#include <tapeless/tapeless.hpp>

#include <array>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "support/catch.hpp"

namespace ad = tapeless;
using ad::dyn;

namespace {

template <class A>
void fill(A& a, double phase) {
    double i = phase;
    for (auto& v : a) v = static_cast<std::remove_cvref_t<decltype(v)>>(std::sin(1.7 * ++i));
}

struct slide {
    std::size_t stride, padding, dilation, groups;
};
/// y, and what flows back to x and w where g flows to y, by plain loops in double.
template <class X, class W, class Y>
void plain(slide s, X const& x, W const& w, Y const& g, std::vector<double>& y, std::vector<double>& dx,
           std::vector<double>& dw) {
    y.assign(g.size(), 0), dx.assign(x.size(), 0), dw.assign(w.size(), 0);
    auto const n = x.extent(0), outputs = w.extent(0), channels = w.extent(1), each = outputs / s.groups;
    for (std::size_t b = 0, at = 0; b < n; ++b)
        for (std::size_t o = 0; o < outputs; ++o)
            for (std::size_t p = 0; p < g.extent(2); ++p)
                for (std::size_t q = 0; q < g.extent(3); ++q, ++at)
                    for (std::size_t c = 0; c < channels; ++c)
                        for (std::size_t i = 0; i < w.extent(2); ++i)
                            for (std::size_t j = 0; j < w.extent(3); ++j) {
                                std::size_t const r = p * s.stride + i * s.dilation, k = q * s.stride + j * s.dilation;
                                if (r < s.padding || k < s.padding || r - s.padding >= x.extent(2) ||
                                    k - s.padding >= x.extent(3))
                                    continue;
                                std::size_t const channel = o / each * channels + c;
                                std::size_t const from =
                                    ((b * x.extent(1) + channel) * x.extent(2) + r - s.padding) * x.extent(3) + k -
                                    s.padding;
                                std::size_t const tap = ((o * channels + c) * w.extent(2) + i) * w.extent(3) + j;
                                double const xv = static_cast<double>(x.data()[from]),
                                             wv = static_cast<double>(w.data()[tap]);
                                y[at] += xv * wv;
                                dx[from] += wv * static_cast<double>(g.data()[at]);
                                dw[tap] += xv * static_cast<double>(g.data()[at]);
                            }
}
template <class A>
double differ(A const& a, std::vector<double> const& b) {
    double most = 0, size = 1;
    for (std::size_t i = 0; i < b.size(); ++i) {
        most = std::max(most, std::abs(static_cast<double>(a.data()[i]) - b[i]));
        size = std::max(size, std::abs(b[i]));
    }
    return most / size;
}

constexpr auto usual = [](auto x, auto w) { return ad::conv2d<ad::conv{.padding = 1}>(x, w); };
constexpr auto sparse = [](auto x, auto w) {
    return ad::conv2d<ad::conv{.stride = 2, .padding = 1, .dilation = 2, .groups = 2}>(x, w);
};
constexpr auto depthwise = [](auto x, auto w) { return ad::conv2d<ad::conv{.stride = 2, .groups = 6}>(x, w); };
template <class F>
constexpr auto weighted = [](auto x, auto w, auto g) { return sum(F{}(x, w) * g); };

template <class T, class F>
void check(F, slide s, std::size_t n, std::size_t channels, std::size_t outputs, std::size_t rows,
           std::size_t columns) {
    INFO(n << " x " << channels << " x " << rows << " x " << columns << ", " << outputs << " out");
    ad::tensor<T, dyn, dyn, dyn, dyn> x(n, channels, rows, columns);
    ad::tensor<T, dyn, dyn, 3, 2> w(outputs, channels / s.groups);
    fill(x, 1), fill(w, 2);
    auto const y = ad::evaluate(F{}, x, w);
    auto const length = [&](std::size_t in, std::size_t size) {
        return (in + 2 * s.padding - (size - 1) * s.dilation - 1) / s.stride + 1;
    };
    REQUIRE(y.extent(0) == n);
    REQUIRE(y.extent(1) == outputs);
    REQUIRE(y.extent(2) == length(rows, 3));
    REQUIRE(y.extent(3) == length(columns, 2));
    ad::tensor<T, dyn, dyn, dyn, dyn> g(n, outputs, y.extent(2), y.extent(3));
    fill(g, 3);
    auto const [dx, dw] = ad::grad<0, 1>(weighted<F>)(x, w, g);
    std::vector<double> ey, ex, ew;
    plain(s, x, w, g, ey, ex, ew);
    double const tolerance = std::is_same_v<T, float> ? 2e-5 : 1e-13;
    CHECK(differ(y, ey) < tolerance);
    CHECK(differ(dx, ex) < tolerance);
    CHECK(differ(dw, ew) < tolerance);
}
template <class T>
void check_all() {
    for (std::size_t n : std::initializer_list<std::size_t>{1,  2,  3,  4,  5,  7,  8,  9,  11, 12, 13,
                                                            15, 16, 17, 23, 24, 25, 31, 33, 63, 64, 65}) {
        check<T>(usual, {1, 1, 1, 1}, 2, 3, 4, 5, n);
        check<T>(usual, {1, 1, 1, 1}, 1, 2, n, 7, 6);   // outputs
        check<T>(usual, {1, 1, 1, 1}, 1, n, 5, 3, 4);   // channels
        check<T>(sparse, {2, 1, 2, 2}, 1, 4, 6, 7, n + 2);
        check<T>(depthwise, {2, 0, 1, 6}, 1, 6, 6, n + 3, 9);
    }
    for (std::size_t n :
         std::initializer_list<std::size_t>{95, 96, 97, 127, 128, 129, 191, 192, 193, 255, 257, 300, 385}) {
        check<T>(usual, {1, 1, 1, 1}, 1, 2, 3, 2, n);
        check<T>(usual, {1, 1, 1, 1}, 1, 2, 3, n, 3);
        check<T>(usual, {1, 1, 1, 1}, 1, 1, n, 2, 2);
        check<T>(usual, {1, 1, 1, 1}, 1, n, 2, 2, 2);
        check<T>(sparse, {2, 1, 2, 2}, 1, 2, 2, 5, n);
        check<T>(depthwise, {2, 0, 1, 6}, 1, 6, 6, 3, n);
    }
}

}  // namespace

TEST_CASE("conv2d: beside plain loops at all lengths, float") { check_all<float>(); }
TEST_CASE("conv2d: beside plain loops at all lengths, double") { check_all<double>(); }

TEST_CASE("conv2d: one channel a group, more windows than are done at a time") {
    constexpr auto two = [](auto x, auto w) { return ad::conv2d<ad::conv{.padding = 1, .groups = 2}>(x, w); };
    for (std::size_t n : std::initializer_list<std::size_t>{62, 63, 64, 65})
        check<float>(two, {1, 1, 1, 2}, 1, 2, 2, 64, n);
    for (std::size_t n : std::initializer_list<std::size_t>{4093, 4094, 4095, 4096, 4097, 5000}) {
        check<float>(two, {1, 1, 1, 2}, 1, 2, 2, 2, n);
        check<double>(two, {1, 1, 1, 2}, 1, 2, 4, 2, n);
    }
}

TEST_CASE("pad and adaptive pooling: run-time lengths that cannot give what is asked for are refused") {
    ad::tensor<double, dyn> x(3);
    fill(x, 1);
    CHECK(ad::evaluate([](auto v) { return ad::pad<2, 2>(v, ad::reflect); }, x).size() == 7);
    CHECK_THROWS_AS(ad::evaluate([](auto v) { return ad::pad<3, 0>(v, ad::reflect); }, x), ad::shape_error);
    CHECK_THROWS_AS(ad::evaluate([](auto v) { return ad::pad<0, 4>(v, ad::circular); }, x), ad::shape_error);
    ad::tensor<double, dyn> none(0);
    CHECK_THROWS_AS(ad::evaluate([](auto v) { return ad::pad<1, 0>(v, ad::replicate); }, none), ad::shape_error);
    ad::tensor<double, 1, 1, dyn> empty(0);
    CHECK_THROWS_AS(ad::evaluate([](auto v) { return ad::adaptive_avg_pool1d<2>(v); }, empty), ad::shape_error);
    ad::tensor<double, 1, 4, 5, 5> images;
    ad::tensor<double, dyn, 2, 3, 2> odd(3);  // three outputs in two groups
    CHECK_THROWS_AS(ad::evaluate([](auto a, auto b) { return ad::conv2d<ad::conv{.groups = 2}>(a, b); }, images, odd),
                    ad::shape_error);
}

TEST_CASE("conv2d: arrays without elements") {
    ad::tensor<double, dyn, 2, 4, 4> x(0);
    ad::tensor<double, 3, 2, 3, 2> w;
    fill(w, 1);
    ad::tensor<double, dyn, 3, 4, 5> g(0);
    auto const [dx, dw] = ad::grad<0, 1>(weighted<decltype(usual)>)(x, w, g);
    CHECK(dx.size() == 0);
    for (double v : dw) CHECK(v == 0);
    ad::tensor<double, 1, dyn, 4, 4> none(0);
    ad::tensor<double, 3, dyn, 3, 2> kernel(0);
    for (double v : ad::evaluate(usual, none, kernel)) CHECK(v == 0);
}

TEST_CASE("conv2d: kernels of one element, as large as the input, and strides beyond the kernel") {
    ad::tensor<double, 2, 3, 4, 5> x;
    ad::tensor<double, 6, 3, 1, 1> one;
    fill(x, 1), fill(one, 2);
    auto const y = ad::evaluate([](auto a, auto b) { return ad::conv2d(a, b); }, x, one);
    double worst = 0;
    for (std::size_t n = 0; n < 2; ++n)
        for (std::size_t o = 0; o < 6; ++o)
            for (std::size_t i = 0; i < 4; ++i)
                for (std::size_t j = 0; j < 5; ++j) {
                    double want = 0;
                    for (std::size_t c = 0; c < 3; ++c) want += one(o, c, 0, 0) * x(n, c, i, j);
                    worst = std::max(worst, std::abs(y(n, o, i, j) - want));
                }
    CHECK(worst < 1e-14);

    ad::tensor<double, 2, 3, 4, 5> whole;
    fill(whole, 3);
    auto const z = ad::evaluate([](auto a, auto b) { return ad::conv2d<ad::conv{.stride = 7}>(a, b); }, x, whole);
    CHECK(z.extent(2) == 1);
    CHECK(z.extent(3) == 1);
    double want = 0;
    for (std::size_t i = 0; i < 60; ++i) want += x.data()[i] * whole.data()[i];
    CHECK(std::abs(z(0, 0, 0, 0) - want) < 1e-13);
}

TEST_CASE("conv1d and conv2d: without a batch axis, with a bias, padding that keeps the extents") {
    ad::tensor<double, 2, dyn> x(9);
    ad::tensor<double, 3, 2, 4> w;
    ad::tensor<double, 3> b{1, 2, 3};
    fill(x, 1), fill(w, 2);
    auto const y = ad::evaluate(
        [](auto v, auto k, auto bias) { return ad::conv1d<ad::conv{.padding = ad::same}>(v, k, bias); }, x, w, b);
    REQUIRE(y.extent(0) == 3);
    REQUIRE(y.extent(1) == 9);
    for (std::size_t o = 0; o < 3; ++o)
        for (std::size_t p = 0; p < 9; ++p) {
            double want = b(o);
            for (std::size_t c = 0; c < 2; ++c)
                for (std::size_t k = 0; k < 4; ++k)
                    // one zero before, two behind
                    if (p + k >= 1 && p + k - 1 < 9) want += x(c, p + k - 1) * w(o, c, k);
            CHECK(std::abs(y(o, p) - want) < 1e-14);
        }
}

TEST_CASE("conv2d: channels last, through a view and without a copy") {
    std::vector<float> memory(2 * 5 * 6 * 3);
    fill(memory, 1);
    ad::view<float, 2, 3, 5, 6> const last(memory.data(), std::array<std::ptrdiff_t, 4>{90, 1, 18, 3});
    ad::tensor<float, 2, 3, 5, 6> dense;
    for (std::size_t n = 0; n < 2; ++n)
        for (std::size_t c = 0; c < 3; ++c)
            for (std::size_t i = 0; i < 5; ++i)
                for (std::size_t j = 0; j < 6; ++j) dense(n, c, i, j) = last(n, c, i, j);
    ad::tensor<float, 4, 3, 3, 2> w;
    fill(w, 2);
    CHECK(ad::evaluate(usual, last, w) == ad::evaluate(usual, dense, w));
}

TEST_CASE("conv2d: vmap is the convolution of each, forward mode and second derivatives agree with differences") {
    ad::tensor<double, 3, 2, 2, 5, 4> many;
    ad::tensor<double, 2, 2, 3, 2> w;
    fill(many, 1), fill(w, 2);
    auto const all = ad::evaluate(
        [](auto x, auto k) {
            return ad::vmap<0, ad::whole>([](auto item, auto kernel) { return usual(item, kernel); })(x, k);
        },
        many, w);
    for (std::size_t i = 0; i < 3; ++i) {
        ad::tensor<double, 2, 2, 5, 4> item;
        for (std::size_t j = 0; j < item.size(); ++j) item.data()[j] = many.data()[i * item.size() + j];
        auto const one = ad::evaluate(usual, item, w);
        for (std::size_t j = 0; j < one.size(); ++j) CHECK(one.data()[j] == all.data()[i * one.size() + j]);
    }
    constexpr auto loss = [](auto x, auto k) { return sum(square(tanh(sparse(x, k)))); };
    ad::tensor<double, 1, 4, 5, 5> x;
    ad::tensor<double, 2, 2, 3, 2> k;
    fill(x, 3), fill(k, 4);
    CHECK(ad::check_gradient(loss, x, k));
    CHECK(ad::check_gradient(
        [](auto a, auto b) {
            return sum(square(ad::grad<0>([](auto u, auto v) { return sum(square(tanh(sparse(u, v)))); })(a, b)));
        },
        x, k));
}

TEST_CASE("conv2d: lengths that only run time knows are checked, before anything is written") {
    ad::tensor<double, 1, dyn, dyn, 6> x(4, 2);
    ad::tensor<double, 2, 2, 5, 2> w;
    constexpr auto narrow = [](auto a, auto b) { return ad::conv2d<ad::conv{.groups = 2}>(a, b); };
    CHECK_THROWS_AS(ad::evaluate(narrow, x, w), ad::shape_error);  // two rows for a kernel of five
    ad::tensor<double, 1, dyn, dyn, 6> other(3, 7);
    CHECK_THROWS_AS(ad::evaluate(narrow, other, w), ad::shape_error);  // three channels in two groups of two
}

TEST_CASE("max_pool2d: the first of equal elements, NaN, and where they stand") {
    ad::tensor<double, 1, 1, 2, 4> x{{{{1, 1, 5, 2}, {1, 0, 5, 7}}}};
    auto const [values, indices] = ad::evaluate([](auto v) {
        auto const p = ad::max_pool2d_with_index<ad::pool{.size = 2}>(v);
        return std::tuple(p.values, p.indices);
    }, x);
    CHECK(values(0, 0, 0, 0) == 1);
    CHECK(values(0, 0, 0, 1) == 7);
    CHECK(indices(0, 0, 0, 0) == 0);
    CHECK(indices(0, 0, 0, 1) == 7);
    auto const g = ad::grad<0>([](auto v) { return sum(ad::max_pool2d_with_index<ad::pool{.size = 2}>(v).values); })(x);
    for (std::size_t i = 0; i < 8; ++i) CHECK(g.data()[i] == (i == 0 || i == 7 ? 1 : 0));
    x(0, 0, 1, 1) = std::nan("");
    auto const with_nan = ad::evaluate([](auto v) { return ad::max_pool2d<ad::pool{.size = 2}>(v); }, x);
    CHECK(std::isnan(with_nan(0, 0, 0, 0)));
    CHECK(with_nan(0, 0, 0, 1) == 7);
}
