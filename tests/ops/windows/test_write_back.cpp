// SPDX-License-Identifier: MIT
// A bias and a relu behind a convolution or a pooling are part of its write-back: the plan says so, the numbers are
// those of the steps one by one, at all lengths.

#include <tapeless/tapeless.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "threads/same_bits.hpp"

namespace ad = tapeless;
using ad::dyn;

namespace {

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

/// y, and y + a number a channel, and the same with 0 for what is below it, by loops over what `f` alone makes.
template <class T, class F, class W>
void check(F f, std::size_t items, std::size_t channels, std::size_t rows, std::size_t columns, W const& w) {
    INFO(items << " x " << channels << " x " << rows << " x " << columns);
    ad::tensor<T, dyn, dyn, dyn, dyn> x(items, channels, rows, columns);
    fill(x, 0.3);
    auto const plain = ad::fused(f)(x, w);
    ad::tensor<T, dyn> b(plain.extent(1));
    fill(b, 0.1);
    auto added = plain, rectified = plain, both = plain;
    std::size_t const each = plain.extent(2) * plain.extent(3);
    for (std::size_t i = 0; i < plain.size(); ++i) {
        T const sum = plain.data()[i] + b.data()[i / each % b.size()];
        added.data()[i] = sum;
        both.data()[i] = sum < 0 ? T(0) : sum;
        rectified.data()[i] = plain.data()[i] < 0 ? T(0) : plain.data()[i];
    }
    auto const with_bias = ad::fused([](auto i, auto v, auto c) { return F{}(i, v) + ad::unsqueeze<1, 2>(c); });
    auto const with_both = ad::fused([](auto i, auto v, auto c) { return relu(F{}(i, v) + ad::unsqueeze<1, 2>(c)); });
    auto const with_relu = ad::fused([](auto i, auto v) { return relu(F{}(i, v)); });
    CHECK(same(with_bias(x, w, b), added));
    CHECK(same(with_both(x, w, b), both));
    CHECK(same(with_relu(x, w), rectified));
    CHECK(count(ad::explain(with_bias, x, w, b), "add in its write-back") == 1);
    CHECK(count(ad::explain(with_both, x, w, b), "add relu in its write-back") == 1);
    CHECK(count(ad::explain(with_relu, x, w), "computes relu in its write-back") == 1);
    CHECK(count(ad::explain(with_both, x, w, b), "kernel 1") == 0);
}

constexpr auto usual = [](auto x, auto w) { return ad::conv2d<ad::conv{.padding = 1}>(x, w); };
constexpr auto by_two = [](auto x, auto w) { return ad::conv2d<ad::conv{.stride = 2, .padding = 2}>(x, w); };
constexpr auto apart = [](auto x, auto w) { return ad::conv2d<ad::conv{.padding = 1, .groups = 4}>(x, w); };
constexpr auto grouped = [](auto x, auto w) { return ad::conv2d<ad::conv{.groups = 2}>(x, w); };
constexpr auto transposed = [](auto x, auto w) {
    return ad::conv_transpose2d<ad::conv{.stride = 3, .padding = 1}>(x, w);
};
constexpr auto pairs = [](auto x, auto) { return ad::max_pool2d<ad::pool{.size = 2}>(x); };
constexpr auto threes = [](auto x, auto) {
    return ad::max_pool2d<ad::pool{.size = 3, .stride = 2, .padding = 1}>(x);
};
constexpr auto cells = [](auto x, auto) { return ad::adaptive_max_pool2d<3, 5>(x); };

template <class T, std::size_t H, std::size_t W>
auto weights(std::size_t outputs, std::size_t channels) {
    ad::tensor<T, dyn, dyn, H, W> w(outputs, channels);
    fill(w, 0.6);
    return w;
}
/// Below, at and above whole batches and tiles of them.
constexpr std::size_t widths[] = {3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 63, 65};

template <class T>
void check_all() {
    for (std::size_t n : widths) {
        for (std::size_t outputs : {1u, 3u, 4u, 5u, 16u}) check<T>(usual, 2, 1, 5, n, weights<T, 3, 3>(outputs, 1));
        for (std::size_t outputs : {1u, 5u, 17u}) check<T>(usual, 2, 3, 4, n, weights<T, 3, 3>(outputs, 3));
        check<T>(by_two, 2, 2, 5, n, weights<T, 5, 5>(18, 2));
        check<T>(apart, 2, 4, 6, n, weights<T, 3, 3>(4, 1));
        check<T>(apart, 1, 4, 6, n + 3, weights<T, 5, 5>(4, 1));
        check<T>(apart, 1, 4, 6, n, weights<T, 3, 3>(8, 1));
        check<T>(grouped, 2, 6, 4, n, weights<T, 2, 3>(38, 3));
        check<T>(transposed, 2, 2, 4, n, weights<T, 2, 2>(2, 3));
        check<T>(transposed, 1, 3, 4, n, weights<T, 4, 5>(3, 20));
        check<T>(pairs, 2, 3, 6, n, T(0));
        check<T>(threes, 2, 3, 5, n, T(0));
        check<T>(cells, 2, 3, 5, n, T(0));
    }
}

}  // namespace

TEST_CASE("write-back: bias and relu of floats, beside the steps one by one") { check_all<float>(); }
TEST_CASE("write-back: bias and relu of doubles, beside the steps one by one") { check_all<double>(); }
TEST_CASE("write-back: sums over more taps than are packed at a time") {
    for (std::size_t outputs : {1u, 5u, 40u, 300u}) {  // of 16 and fewer nothing is packed
        check<float>(usual, 1, 200, 3, 9, weights<float, 3, 3>(outputs, 200));
        check<double>(usual, 1, 200, 3, 9, weights<double, 3, 3>(outputs, 200));
    }
}
TEST_CASE("write-back: a sum over no channels is the bias, and of no items nothing is written") {
    check<double>(usual, 2, 0, 4, 5, weights<double, 3, 3>(3, 0));
    check<double>(usual, 0, 2, 4, 5, weights<double, 3, 3>(3, 2));
}
TEST_CASE("write-back: NaN stays, and so does the sign of infinities") {
    ad::tensor<double, 1, 1, 3, 9> x;
    ad::tensor<double, 1, 1, 1, 3> w{{{{1, 0.5, 0.25}}}};
    fill(x, 0.3);
    double const nan = std::numeric_limits<double>::quiet_NaN(), infinite = std::numeric_limits<double>::infinity();
    auto const run = ad::fused([](auto i, auto v, auto c) { return relu(ad::conv2d(i, v, c)); });
    x(0, 0, 1, 4) = nan;
    auto const y = run(x, w, ad::tensor<double, 1>{0.25});
    CHECK((std::isnan(y(0, 0, 1, 2)) && std::isnan(y(0, 0, 1, 4)) && !std::isnan(y(0, 0, 1, 5))));
    CHECK(std::isnan(run(x, w, ad::tensor<double, 1>{nan})(0, 0, 0, 0)));
    CHECK(run(x, w, ad::tensor<double, 1>{infinite})(0, 0, 0, 0) == infinite);
    CHECK(run(x, w, ad::tensor<double, 1>{-infinite})(0, 0, 0, 0) == 0);
}
TEST_CASE("write-back: what else is added is a number, and an array of one channel") {
    ad::tensor<float, 2, 3, 6, 7> x;
    ad::tensor<float, 4, 3, 3, 3> w;
    fill(x, 0.3), fill(w, 0.6);
    auto const plain = ad::fused([](auto i, auto v) { return ad::conv2d(i, v); })(x, w);
    auto const number = ad::fused([](auto i, auto v, auto s) { return relu(0.5f + (ad::conv2d(i, v) + s)); });
    auto const one = ad::fused([](auto i, auto v, auto c) { return c + ad::conv2d(i, v); });
    auto const y = number(x, w, 0.25f), z = one(x, w, ad::tensor<float, 1, 1, 1, 1>{{{{0.25f}}}});
    CHECK(count(ad::explain(number, x, w, 0.25f), "  computes add in its write-back") == 1);
    CHECK(count(ad::explain(one, x, w, ad::tensor<float, 1, 1, 1, 1>{}), "  computes add in its write-back") == 1);
    std::vector<float> memory(40, 100.0f);  // an axis of one element has a stride like any other
    memory[0] = 0.25f;
    ad::view<float const, 1, 1, 1> const single(memory.data(), std::array<std::ptrdiff_t, 3>{9, 9, 9});
    auto const u = one(x, w, single);
    bool good = true;
    for (std::size_t i = 0; i < y.size(); ++i) {
        float const sum = plain.data()[i] + 0.25f;
        good = good && z.data()[i] == sum && u.data()[i] == sum && y.data()[i] == (0.5f + sum < 0 ? 0 : 0.5f + sum);
    }
    CHECK(good);
}
TEST_CASE("write-back: what varies along rows, or is needed elsewhere, is not in it") {
    ad::tensor<float, 2, 3, 6, 7> x;
    ad::tensor<float, 4, 3, 3, 3> w;
    ad::tensor<float, 5> row;
    ad::tensor<float, 4> b;
    auto const none = [](std::string const& plan) { return count(plan, "in its write-back") == 0; };
    CHECK(none(ad::explain(ad::fused([](auto i, auto v, auto c) { return ad::conv2d(i, v) + c; }), x, w, row)));
    CHECK(none(ad::explain(ad::fused([](auto i, auto v, auto c) {
                               auto const y = let(ad::conv2d(i, v));
                               return std::tuple(y, relu(y + ad::unsqueeze<1, 2>(c)));
                           }), x, w, b)));
    CHECK(none(ad::explain(ad::fused([](auto i, auto v, auto c) {
                               auto const y = let(ad::conv2d(i, v));
                               return (y + ad::unsqueeze<1, 2>(c)) * tanh(y);
                           }), x, w, b)));
    std::string const biased = ad::explain(ad::fused([](auto i, auto v, auto c) {
                                               auto const y = let(ad::conv2d(i, v, c));
                                               return relu(y) * tanh(y);
                                           }), x, w, b);
    INFO(biased);
    CHECK(count(biased, "computes add in its write-back") == 1);
}
TEST_CASE("write-back: images without a batch axis, before a reshape, and of strided arrays") {
    ad::tensor<double, 3, 6, 7> x;
    ad::tensor<double, 4, 3, 3, 3> w;
    ad::tensor<double, 4> b;
    fill(x, 0.3), fill(w, 0.6), fill(b, 0.1);
    auto const alone = ad::fused([](auto i, auto v, auto c) { return relu(ad::conv2d(i, v, c)); });
    auto const flat = ad::fused([](auto i, auto v, auto c) {
        return ad::reshape<1, 80>(relu(ad::conv2d(ad::unsqueeze<0>(i), v, c)));
    });
    auto const y = alone(x, w, b);
    auto const z = flat(x, w, b);
    CHECK(count(ad::explain(alone, x, w, b), "kernel 1") == 0);
    CHECK(count(ad::explain(flat, x, w, b), "add relu in its write-back") == 1);
    auto const plain = ad::fused([](auto i, auto v) { return ad::conv2d(i, v); })(x, w);
    ad::tensor<double, 8> every;
    for (std::size_t i = 0; i < 4; ++i) every(2 * i) = b(i);
    auto const apart_in_memory = ad::fused(
        [](auto i, auto v, auto c) { return relu(ad::conv2d(i, v, ad::slice<0, 0, ad::to_end, 2>(c))); });
    auto const u = apart_in_memory(x, w, every);
    bool good = true;
    for (std::size_t i = 0; i < y.size(); ++i) {
        double const sum = plain.data()[i] + b(i / 20), expected = sum < 0 ? 0 : sum;
        good = good && y.data()[i] == expected && z.data()[i] == expected && u.data()[i] == expected;
    }
    CHECK(good);
}
TEST_CASE("write-back: behind a pooling behind a convolution, in strips and on any number of threads") {
    ad::tensor<float, dyn, 1, 28, 28> x(67);
    ad::tensor<float, 8, 1, 5, 5> w;
    ad::tensor<float, 8> b;
    fill(x, 0.3), fill(w, 0.6), fill(b, 0.1);
    auto const net = ad::fused(
        [](auto i, auto v, auto c) { return ad::max_pool2d<ad::pool{.size = 3}>(relu(ad::conv2d(i, v, c))); });
    std::string const plan = ad::explain(net, x, w, b);
    INFO(plan);
    CHECK(count(plan, "max_pool, a loop of its own") == 1);
    CHECK(count(plan, "computes add relu in its write-back") == 1);
    CHECK(count(plan, "kernel 2") == 0);
    tests::same_on_all_threads(net, x, w, b);
    auto const plain = ad::fused([](auto i, auto v) { return ad::max_pool2d<ad::pool{.size = 3}>(ad::conv2d(i, v)); });
    tests::same_on_all_threads(ad::fused([](auto i, auto c) {
                                   return relu(ad::max_pool2d<ad::pool{.size = 3}>(i) + ad::unsqueeze<1, 2>(c));
                               }), ad::fused([](auto i, auto v) { return ad::conv2d(i, v); })(x, w), b);
    auto const y = net(x, w, b);
    auto const z = plain(x, w);
    bool good = y.size() == z.size();
    for (std::size_t i = 0; i < z.size(); ++i) {
        float const sum = z.data()[i] + b(i / 64 % 8);
        good = good && y.data()[i] == (sum < 0 ? 0 : sum);
    }
    CHECK(good);
}
TEST_CASE("write-back: gradients, gradients of gradients, directions and batches") {
    constexpr auto loss = [](auto x, auto w, auto b) {
        return sum(square(relu(ad::conv2d<ad::conv{.padding = 1}>(x, w, b))));
    };
    constexpr auto net = [](auto x, auto w, auto b) {
        return sum(square(ad::max_pool2d<ad::pool{.size = 2}>(relu(ad::conv2d<ad::conv{.padding = 1}>(x, w, b)))));
    };
    constexpr auto steepness = [](auto x, auto w, auto b) {
        return sum(square(ad::grad<1>([](auto i, auto v, auto c) {
            return sum(square(square(relu(ad::conv2d<ad::conv{.padding = 1}>(i, v, c)))));
        })(x, w, b)));
    };
    ad::tensor<double, 2, 2, 5, 6> x;
    ad::tensor<double, 3, 2, 3, 3> w;
    ad::tensor<double, 3> b;
    fill(x, 0.3), fill(w, 0.6), fill(b, 0.1);
    std::string const plan = ad::explain(ad::value_and_grad<0, 1, 2>(loss), x, w, b);
    INFO(plan);
    CHECK(count(plan, "computes add relu in its write-back") == 1);
    CHECK(ad::check_gradient<0, 1, 2>(loss, x, w, b).passed);
    CHECK(ad::check_gradient<0, 1, 2>(net, x, w, b).passed);
    CHECK(ad::check_gradient<0, 1, 2>(steepness, x, w, b).passed);
    auto const one = ad::fused([](auto i, auto v, auto c) { return relu(ad::conv2d(i, v, c)); });
    auto const all = ad::vmap<0, ad::whole, ad::whole>([](auto i, auto v, auto c) { return relu(ad::conv2d(i, v, c)); });
    ad::tensor<double, 2, 4, 2, 5, 6> many;
    fill(many, 0.4);
    auto const y = all(many, w, b);
    bool good = true;
    for (std::size_t i = 0; i < 2; ++i) {
        ad::tensor<double, 4, 2, 5, 6> some;
        std::memcpy(some.data(), many.data() + i * some.size(), some.size() * sizeof(double));
        auto const expected = one(some, w, b);
        good = good && std::memcmp(y.data() + i * expected.size(), expected.data(),
                                   expected.size() * sizeof(double)) == 0;
    }
    CHECK(good);
}
