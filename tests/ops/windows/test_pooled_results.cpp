// SPDX-License-Identifier: MIT
// 2x2 max pooling behind a convolution is part of its write-back: the plan says so, what is not pooled is stored only
// where something needs it, and the numbers are those of the steps one by one.

#include <tapeless/tapeless.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <string>
#include <tuple>

#include "support/catch.hpp"
#include "threads/same_bits.hpp"

namespace ad = tapeless;
using ad::dyn;

namespace {

constexpr ad::pool twos{.size = 2};

template <class A>
void fill(A& a, double first) {
    for (auto& v : a) v = static_cast<typename A::value_type>(std::sin(first += 0.7));
}
template <class A>
bool same(A const& a, A const& b) {
    std::size_t const bytes = a.size() * sizeof(typename A::value_type);
    return a.size() == b.size() && (bytes == 0 || std::memcmp(a.data(), b.data(), bytes) == 0);
}
std::size_t count(std::string const& text, std::string const& what) {
    std::size_t n = 0;
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
    return n;
}
/// The largest of two by two elements, a number a channel added, and 0 for what is below it, by loops.
template <class A, class B>
A pooled_by_hand(A const& y, B const& b, bool adds, bool rectifies) {
    using T = typename A::value_type;
    A to(y.extent(0), y.extent(1), y.extent(2) / 2, y.extent(3) / 2);
    for (std::size_t n = 0; n < to.extent(0); ++n)
        for (std::size_t c = 0; c < to.extent(1); ++c)
            for (std::size_t h = 0; h < to.extent(2); ++h)
                for (std::size_t w = 0; w < to.extent(3); ++w) {
                    T best = y(n, c, 2 * h, 2 * w);
                    for (std::size_t i = 1; i < 4; ++i) {
                        T const v = y(n, c, 2 * h + i / 2, 2 * w + i % 2);
                        if (v > best || (v != v && best == best)) best = v;
                    }
                    if (adds) best += b(c);
                    to(n, c, h, w) = rectifies && best < 0 ? T(0) : best;
                }
    return to;
}

template <class T, class F, class W>
void check(F f, std::size_t items, std::size_t channels, std::size_t rows, std::size_t columns, W const& w) {
    INFO(items << " x " << channels << " x " << rows << " x " << columns);
    ad::tensor<T, dyn, dyn, dyn, dyn> x(items, channels, rows, columns);
    fill(x, 0.3);
    auto const plain = ad::fused(f)(x, w);
    ad::tensor<T, dyn> b(plain.extent(1));
    fill(b, 0.1);
    auto const alone = ad::fused([](auto i, auto v) { return ad::max_pool2d<twos>(F{}(i, v)); });
    auto const with_both = ad::fused([](auto i, auto v, auto c) {
        return ad::max_pool2d<twos>(relu(F{}(i, v) + ad::unsqueeze<1, 2>(c)));
    });
    auto const kept = ad::fused([](auto i, auto v, auto c) {
        auto const y = let(F{}(i, v));
        return std::tuple(ad::max_pool2d<twos>(y) + ad::unsqueeze<1, 2>(c), y);
    });
    CHECK(same(alone(x, w), pooled_by_hand(plain, b, false, false)));
    CHECK(same(with_both(x, w, b), pooled_by_hand(plain, b, true, true)));
    auto const [largest, all] = kept(x, w, b);
    CHECK(same(largest, pooled_by_hand(plain, b, true, false)));
    CHECK(same(all, plain));
    CHECK(count(ad::explain(alone, x, w), "  computes max_pool in its write-back") == 1);
    std::string const plan = ad::explain(with_both, x, w, b);
    INFO(plan);
    CHECK(count(plan, "  computes max_pool add relu in its write-back") == 1);
    CHECK(count(plan, "kernel 1") == 0);
    CHECK(count(plan, "writes") == 1);
    std::string const keeping = ad::explain(kept, x, w, b);
    CHECK(count(keeping, "  computes max_pool add in its write-back") == 1);
    CHECK(count(keeping, "kernel 1") == 0);
    CHECK(count(keeping, "writes") == 2);
}

constexpr auto usual = [](auto x, auto w) { return ad::conv2d<ad::conv{.padding = 1}>(x, w); };
constexpr auto by_two = [](auto x, auto w) { return ad::conv2d<ad::conv{.stride = 2, .padding = 2}>(x, w); };
constexpr auto apart = [](auto x, auto w) { return ad::conv2d<ad::conv{.padding = 1, .groups = 4}>(x, w); };
constexpr auto grouped = [](auto x, auto w) { return ad::conv2d<ad::conv{.groups = 2}>(x, w); };

template <class T, std::size_t H, std::size_t W>
auto weights(std::size_t outputs, std::size_t channels) {
    ad::tensor<T, dyn, dyn, H, W> w(outputs, channels);
    fill(w, 0.6);
    return w;
}

/// Below, at and above pairs, whole batches, and blocks of windows.
constexpr std::size_t widths[] = {3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 63, 65, 130, 195};

template <class T>
void check_all() {
    for (std::size_t n : widths) {
        for (std::size_t outputs : {1u, 5u, 16u}) check<T>(usual, 2, 1, 5, n, weights<T, 3, 3>(outputs, 1));
        for (std::size_t outputs : {1u, 5u, 17u}) check<T>(usual, 2, 3, 6, n, weights<T, 3, 3>(outputs, 3));
        check<T>(by_two, 2, 2, 9, n, weights<T, 5, 5>(18, 2));
        check<T>(apart, 2, 4, 7, n, weights<T, 3, 3>(4, 1));
        check<T>(apart, 1, 4, 6, n + 3, weights<T, 5, 5>(4, 1));
        check<T>(apart, 1, 4, 6, n, weights<T, 3, 3>(8, 1));
        check<T>(grouped, 2, 6, 8, n + 1, weights<T, 2, 3>(38, 3));
    }
    check<T>(apart, 2, 4, 131, 70, weights<T, 3, 3>(4, 1));  // in several blocks of rows
    check<T>(usual, 1, 1, 131, 30, weights<T, 3, 3>(9, 1));
    check<T>(usual, 1, 3, 43, 30, weights<T, 3, 3>(40, 3));
    check<T>(usual, 1, 200, 4, 9, weights<T, 3, 3>(40, 200));  // more taps than are packed at a time
    check<T>(usual, 1, 200, 4, 9, weights<T, 3, 3>(5, 200));
}

}  // namespace

TEST_CASE("pooled results: of floats, beside the steps one by one") { check_all<float>(); }
TEST_CASE("pooled results: of doubles, beside the steps one by one") { check_all<double>(); }
TEST_CASE("pooled results: of no channels, no items, no results, and one row or column") {
    check<double>(usual, 2, 0, 4, 5, weights<double, 3, 3>(3, 0));
    check<double>(usual, 0, 2, 4, 5, weights<double, 3, 3>(3, 2));
    check<double>(usual, 2, 2, 4, 5, weights<double, 3, 3>(0, 2));
    check<double>(usual, 2, 2, 2, 2, weights<double, 3, 3>(3, 2));
    check<double>(usual, 2, 2, 3, 2, weights<double, 3, 3>(3, 2));
}
TEST_CASE("pooled results: NaN is above all, and infinities are numbers") {
    float const nan = std::numeric_limits<float>::quiet_NaN(), infinite = std::numeric_limits<float>::infinity();
    auto const run = ad::fused([](auto i, auto v, auto c) { return ad::max_pool2d<twos>(relu(ad::conv2d(i, v, c))); });
    auto const plain = ad::fused([](auto i, auto v) { return ad::conv2d(i, v); });
    auto const w = weights<float, 1, 2>(1, 1);
    ad::tensor<float, dyn> b(1);
    for (std::size_t columns : {8u, 33u})
        for (float bias : {0.25f, nan, infinite, -infinite})
            for (std::size_t at = 0; at < 4; ++at) {
                ad::tensor<float, dyn, dyn, dyn, dyn> x(1, 1, 2, columns);
                fill(x, 0.3);
                x(0, 0, at / 2, 1 + at % 2) = nan;
                x(0, 0, at / 2, 4 + at % 2) = infinite;
                b(0) = bias;
                auto const y = run(x, w, b), expected = pooled_by_hand(plain(x, w), b, true, true);
                bool good = y.size() == expected.size();
                std::size_t odd = 0;
                for (std::size_t i = 0; i < y.size(); ++i) {
                    float const u = y.data()[i], v = expected.data()[i];
                    good = good && (std::isnan(v) ? std::isnan(u) : u == v);
                    odd += std::isnan(u) || std::isinf(u);
                }
                CHECK(good);
                CHECK((odd >= 2 || bias == -infinite));
                CHECK(count(ad::explain(run, x, w, b), "max_pool add relu in its write-back") == 1);
            }
}
TEST_CASE("pooled results: images without a batch axis, and a result that is strided") {
    ad::tensor<float, 3, 9, 22> x;
    ad::tensor<float, 4, 3, 3, 3> w;
    ad::tensor<float, 4> b;
    fill(x, 0.3), fill(w, 0.6), fill(b, 0.1);
    auto const alone = ad::fused(
        [](auto i, auto v, auto c) { return ad::max_pool2d<twos>(relu(ad::conv2d(i, v, c))); });
    auto const batch = ad::fused([](auto i, auto v) { return ad::conv2d(ad::unsqueeze<0>(i), v); });
    std::string const plan = ad::explain(alone, x, w, b);
    INFO(plan);
    CHECK(count(plan, "max_pool add relu in its write-back") == 1);
    CHECK(count(plan, "kernel 1") == 0);
    ad::tensor<float, dyn, dyn, dyn, dyn> all(1, 4, 7, 20);
    auto const y = batch(x, w);
    std::memcpy(all.data(), y.data(), y.size() * sizeof(float));
    auto const expected = pooled_by_hand(all, b, true, true);
    auto const z = alone(x, w, b);
    CHECK(std::memcmp(z.data(), expected.data(), z.size() * sizeof(float)) == 0);
    // every third number of some memory, for both results
    ad::tensor<float, 4, 3, 10, 3> some;
    ad::tensor<float, 4, 7, 20, 3> more;
    auto const kept = ad::fused([](auto i, auto v) {
        auto const u = let(ad::conv2d(i, v));
        return std::tuple(ad::max_pool2d<twos>(u), u);
    });
    CHECK(count(ad::explain(kept, x, w), "max_pool in its write-back") == 1);
    ad::view<float, 4, 3, 10> apart_pooled(some.data(), std::array<std::ptrdiff_t, 3>{90, 30, 3});
    ad::view<float, 4, 7, 20> apart_all(more.data(), std::array<std::ptrdiff_t, 3>{420, 60, 3});
    kept(ad::into(apart_pooled, apart_all), x, w);
    auto const raw = pooled_by_hand(all, b, false, false);
    bool good = true;
    auto const is_near = [](float a, float c) { return std::abs(a - c) < 1e-5f; };
    for (std::size_t i = 0; i < raw.size(); ++i) good = good && is_near(some.data()[3 * i], raw.data()[i]);
    for (std::size_t i = 0; i < y.size(); ++i) good = good && is_near(more.data()[3 * i], y.data()[i]);
    CHECK(good);
}
TEST_CASE("pooled results: where windows are others, or places are wanted, pooling is a loop of its own") {
    ad::tensor<float, 2, 3, 7, 7> x;
    ad::tensor<float, 4, 3, 3, 3> w;
    auto const separate = [&](auto f) { return count(ad::explain(ad::fused(f), x, w), "max_pool in its") == 0; };
    CHECK(separate([](auto i, auto v) { return ad::max_pool2d<ad::pool{.size = 3}>(ad::conv2d(i, v)); }));
    CHECK(separate([](auto i, auto v) { return ad::max_pool2d<ad::pool{.size = 2, .stride = 1}>(ad::conv2d(i, v)); }));
    CHECK(separate([](auto i, auto v) { return ad::max_pool2d<ad::pool{.size = 2, .padding = 1}>(ad::conv2d(i, v)); }));
    CHECK(separate([](auto i, auto v) { return ad::max_pool2d<ad::pool{.size = 2, .ceil = true}>(ad::conv2d(i, v)); }));
    CHECK(separate([](auto i, auto v) { return ad::max_pool2d<ad::pool{.size = {2, 1}}>(ad::conv2d(i, v)); }));
    CHECK(separate([](auto i, auto v) { return ad::max_pool2d<twos>(tanh(ad::conv2d(i, v))); }));
    CHECK(separate([](auto i, auto v) {
        return ad::max_pool2d<twos>(ad::conv_transpose2d(i, ad::slice<0, 0, 3>(v)));
    }));
    CHECK(separate([](auto i, auto v) { return ad::max_pool2d_with_index<twos>(ad::conv2d(i, v)).indices; }));
    CHECK(separate([](auto i, auto v) {
        auto const r = ad::max_pool2d_with_index<twos>(ad::conv2d(i, v));
        return std::tuple(r.values, r.indices);
    }));
    CHECK(!separate([](auto i, auto v) { return ad::max_pool2d<ad::pool{.size = 2, .stride = 2}>(ad::conv2d(i, v)); }));
}
TEST_CASE("pooled results: a bias that is made of what is pooled, and two poolings of the same") {
    ad::tensor<double, dyn, dyn, dyn, dyn> x(2, 3, 7, 8);
    auto const w = weights<double, 3, 3>(4, 3);
    fill(x, 0.3);
    auto const plain = ad::fused(usual)(x, w);
    auto const centred = ad::fused([](auto i, auto v) {
        auto const y = let(usual(i, v));
        return ad::max_pool2d<twos>(y + 0.5 * mean<0, 2, 3>(y, ad::keepdims));
    });
    auto const relative = ad::fused([](auto i, auto v) {
        auto const y = let(usual(i, v));
        return ad::max_pool2d<twos>(y) + ad::slice<1, 2, 3>(ad::slice<2, 3, 4>(y[0]));
    });
    auto const twice = ad::fused([](auto i, auto v, auto a, auto b) {
        auto const y = let(usual(i, v));
        return std::tuple(ad::max_pool2d<twos>(y + ad::unsqueeze<1, 2>(a)),
                          ad::max_pool2d<twos>(y + ad::unsqueeze<1, 2>(b)));
    });
    ad::tensor<double, dyn> a(4), b(4);
    fill(a, 0.2), fill(b, 1.2);
    auto const [first, second] = twice(x, w, a, b);
    CHECK(same(first, pooled_by_hand(plain, a, true, false)));
    CHECK(same(second, pooled_by_hand(plain, b, true, false)));
    for (std::size_t c = 0; c < 4; ++c) a(c) = plain(0, c, 2, 3);
    ad::tensor<double, 2, 3, 7, 8> fixed;
    fill(fixed, 0.3);
    auto const moved = relative(fixed, w);
    auto const by_first = pooled_by_hand(plain, a, true, false);
    CHECK(std::memcmp(moved.data(), by_first.data(), by_first.size() * sizeof(double)) == 0);
    for (std::size_t c = 0; c < 4; ++c) {
        double all = 0;
        for (std::size_t n = 0; n < 2; ++n)
            for (std::size_t i = 0; i < 56; ++i) all += plain(n, c, i / 8, i % 8);
        a(c) = 0.5 * all / 112;
    }
    auto const y = centred(x, w);
    auto const expected = pooled_by_hand(plain, a, true, false);
    bool good = y.size() == expected.size();
    for (std::size_t i = 0; i < y.size(); ++i) good = good && std::abs(y.data()[i] - expected.data()[i]) < 1e-13;
    CHECK(good);
}
TEST_CASE("pooled results: on any number of threads") {
    ad::tensor<float, dyn, 1, 29, 28> x(67);
    ad::tensor<float, 8, 1, 5, 5> w;
    ad::tensor<float, 8> b;
    fill(x, 0.3), fill(w, 0.6), fill(b, 0.1);
    tests::same_on_all_threads(
        ad::fused([](auto i, auto v, auto c) { return ad::max_pool2d<twos>(relu(ad::conv2d(i, v, c))); }), x, w, b);
    tests::same_on_all_threads(ad::value_and_grad<0, 1, 2>([](auto i, auto v, auto c) {
                                   return sum(square(ad::max_pool2d<twos>(relu(ad::conv2d(i, v, c)))));
                               }), x, w, b);
}
TEST_CASE("pooled results: gradients keep what is not pooled, and the first of several gets them") {
    constexpr auto loss = [](auto x, auto w, auto b) {
        return sum(square(ad::max_pool2d<twos>(relu(ad::conv2d<ad::conv{.padding = 1}>(x, w, b)))));
    };
    constexpr auto steepness = [](auto x, auto w, auto b) {
        return sum(square(ad::grad<1>([](auto i, auto v, auto c) {
            return sum(square(square(ad::max_pool2d<twos>(relu(ad::conv2d<ad::conv{.padding = 1}>(i, v, c))))));
        })(x, w, b)));
    };
    ad::tensor<double, dyn, 2, dyn, dyn> x(2, 5, 7);
    ad::tensor<double, 3, 2, 3, 3> w;
    ad::tensor<double, 3> b;
    fill(x, 0.3), fill(w, 0.6), fill(b, 0.1);
    std::string const plan = ad::explain(ad::value_and_grad<0, 1, 2>(loss), x, w, b);
    INFO(plan);
    CHECK(count(plan, "computes max_pool add relu in its write-back") == 1);
    CHECK(count(plan, "max_pool, a loop of its own") == 1);  // backwards
    CHECK(ad::check_gradient<0, 1, 2>(loss, x, w, b).passed);
    CHECK(ad::check_gradient<0, 1, 2>(steepness, x, w, b).passed);
    // without a batch axis what is stored has the bias and the relu
    ad::tensor<double, 2, 5, 7> one;
    fill(one, 0.3);
    std::string const alone = ad::explain(ad::value_and_grad<0, 1, 2>(loss), one, w, b);
    INFO(alone);
    CHECK(count(alone, "computes max_pool add relu in its write-back") == 1);
    CHECK(count(alone, "max_pool, a loop of its own") == 1);
    CHECK(ad::check_gradient<0, 1, 2>(loss, one, w, b).passed);
    auto below = w;  // all sums are below 0, and all results above it
    for (double& v : one) v = std::abs(v);
    for (double& v : below) v = -0.1 * std::abs(v);
    CHECK(ad::check_gradient<0, 1, 2>(loss, one, below, ad::tensor<double, 3>{4, 5, 6}).passed);
    // of equal elements the first, also of NaN; what stands at column 5 is in the results at 4, too
    constexpr auto largest = [](auto i, auto v) { return sum(ad::max_pool2d<twos>(ad::conv2d(i, v))); };
    ad::tensor<double, 1, 1, 2, 7> y{{{{1, 1, 2, 3, 0, 0, 0}, {1, 1, 3, 3, 5, 0, 0}}}};
    ad::tensor<double, 1, 1, 1, 2> const first{{{{1, 0}}}};
    y(0, 0, 1, 5) = std::numeric_limits<double>::quiet_NaN();
    CHECK(count(ad::explain(ad::grad<0>(largest), y, first), "computes max_pool in its write-back") == 0);  // no value
    CHECK(count(ad::explain(ad::value_and_grad<0>(largest), y, first), "computes max_pool in its write-back") == 1);
    auto const [value, g] = ad::value_and_grad<0>(largest)(y, first);
    CHECK(std::isnan(value));
    double const expected[] = {1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0};
    bool good = true;
    for (std::size_t i = 0; i < 14; ++i) good = good && g.data()[i] == expected[i];
    CHECK(good);
}
TEST_CASE("pooled results: in the step of a loop, and of many items") {
    constexpr auto net = [](auto x, auto w) { return ad::max_pool2d<twos>(relu(usual(x, w))); };
    ad::tensor<double, 3, 2, 2, 6, 8> many;
    ad::tensor<double, 4, 2, 3, 3> w;
    fill(many, 0.4), fill(w, 0.6);
    auto const all = ad::vmap<0, ad::whole>(net)(many, w);
    auto const last = ad::fused([](auto xs, auto v, auto none) {
        return ad::fold([v](auto before, auto x) { return 0.0 * before + ad::max_pool2d<twos>(relu(usual(x, v))); },
                        none, xs);
    });
    ad::tensor<double, 2, 4, 3, 4> none;
    fill(none, 0.1);
    auto const folded = last(many, w, none);
    std::string const plan = ad::explain(last, many, w, none);
    INFO(plan);
    CHECK(count(plan, "computes max_pool relu in its write-back") == 1);
    bool good = true;
    for (std::size_t i = 0; i < 3; ++i) {
        ad::tensor<double, 2, 2, 6, 8> one;
        std::memcpy(one.data(), many.data() + i * one.size(), one.size() * sizeof(double));
        auto const y = ad::fused(net)(one, w);
        good = good && std::memcmp(all.data() + i * y.size(), y.data(), y.size() * sizeof(double)) == 0;
        for (std::size_t k = 0; k < y.size() && i == 2; ++k) good = good && folded.data()[k] == y.data()[k];
    }
    CHECK(good);
}
