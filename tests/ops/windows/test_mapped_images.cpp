// SPDX-License-Identifier: MIT
// vmap over functions of one image: items are the images of one loop, with all that is in its write-back.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
#include <tapeless/tapeless.hpp>

#include "support/catch.hpp"

namespace ad = tapeless;

namespace {

template <class A>
void fill(A& a, double seed) {
    for (std::size_t i = 0; i < a.size(); ++i)
        a.data()[i] = static_cast<typename A::value_type>(std::sin(seed + 1.7 * static_cast<double>(i)));
}
template <class A, class B>
double apart(A const& a, B const& b) {
    if (a.size() != b.size()) return 1e9;
    double worst = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        worst = std::max(worst, std::abs(static_cast<double>(a.data()[i]) - static_cast<double>(b.data()[i])));
    return worst;
}
template <class F, class... A>
std::string plan_of(F const& f, A const&... a) {
    std::ostringstream s;
    s << ad::explain(f, a...);
    return s.str();
}
bool has(std::string const& text, char const* part) { return text.find(part) != std::string::npos; }

constexpr auto net = [](auto x, auto w, auto b) {
    return ad::max_pool2d<ad::pool{.size = 2}>(relu(ad::conv2d<ad::conv{.padding = 1}>(x, w, b)));
};
constexpr auto loss = [](auto x, auto w, auto b) { return sum(square(net(x, w, b))); };

ad::tensor<double, 5, 3, 3, 3> weights() {
    ad::tensor<double, 5, 3, 3, 3> w;
    fill(w, 0.3);
    return w;
}
ad::tensor<double, 5> bias() {
    ad::tensor<double, 5> b;
    fill(b, 0.9);
    return b;
}

}  // namespace

TEST_CASE("vmap of a convolution of one image: bias, relu and pooling are in its write-back") {
    ad::tensor<double, ad::dyn, 3, 8, 10> x(7);
    fill(x, 0.1);
    auto const w = weights();
    auto const b = bias();
    auto const mapped = ad::vmap<0, ad::whole, ad::whole>(net);
    std::string const plan = plan_of(mapped, x, w, b);
    INFO(plan);
    CHECK(has(plan, "1 kernel,"));
    CHECK(has(plan, "computes max_pool add relu in its write-back"));
    CHECK(apart(mapped(x, w, b), ad::evaluate(net, x, w, b)) == 0);
    // without pooling
    constexpr auto layer = [](auto i, auto v, auto c) { return relu(ad::conv2d(i, v, c)); };
    auto const layers = ad::vmap<0, ad::whole, ad::whole>(layer);
    CHECK(has(plan_of(layers, x, w, b), "computes add relu in its write-back"));
    CHECK(apart(layers(x, w, b), ad::evaluate(layer, x, w, b)) == 0);
}
TEST_CASE("vmap of images: items along another axis, none of them, and one") {
    auto const w = weights();
    auto const b = bias();
    ad::tensor<double, 3, 4, 8, 10> x;  // items along the second axis
    fill(x, 0.2);
    ad::tensor<double, 4, 3, 8, 10> in_order;
    for (std::size_t c = 0; c < 3; ++c)
        for (std::size_t n = 0; n < 4; ++n)
            for (std::size_t i = 0; i < 8; ++i)
                for (std::size_t j = 0; j < 10; ++j) in_order(n, c, i, j) = x(c, n, i, j);
    CHECK(apart(ad::vmap<1, ad::whole, ad::whole>(net)(x, w, b), ad::evaluate(net, in_order, w, b)) == 0);
    for (std::size_t const n : {std::size_t{0}, std::size_t{1}}) {
        ad::tensor<double, ad::dyn, 3, 8, 10> some(n);
        fill(some, 0.4);
        CHECK(apart(ad::vmap<0, ad::whole, ad::whole>(net)(some, w, b), ad::evaluate(net, some, w, b)) == 0);
    }
}
TEST_CASE("vmap of images: gradients of each, and of all of them by what they share") {
    ad::tensor<double, ad::dyn, 3, 8, 10> x(4);
    fill(x, 0.5);
    auto const w = weights();
    auto const b = bias();
    CHECK(apart(ad::vmap<0, ad::whole, ad::whole>(ad::grad<0>(loss))(x, w, b), ad::grad<0>(loss)(x, w, b)) < 1e-12);
    constexpr auto of_all = [](auto i, auto v, auto c) {
        return sum(ad::vmap<0, ad::whole, ad::whole>(loss)(i, v, c));
    };
    auto const [dw, db] = ad::grad<1, 2>(of_all)(x, w, b);
    auto const [dw0, db0] = ad::grad<1, 2>(loss)(x, w, b);
    CHECK(apart(dw, dw0) < 1e-11);
    CHECK(apart(db, db0) < 1e-11);
    CHECK(ad::check_gradient<0, 1, 2>(of_all, x, w, b).passed);
    // as many kernels as if they had been handed in together
    auto const kernels = [](std::string const& plan) { return plan.substr(0, plan.find(' ')); };
    CHECK(kernels(plan_of(ad::grad<1, 2>(of_all), x, w, b)) == kernels(plan_of(ad::grad<1, 2>(loss), x, w, b)));
    // what each item gives to the weights
    auto const each = ad::vmap<0, ad::whole, ad::whole>(ad::grad<1>(loss))(x, w, b);
    ad::tensor<double, 5, 3, 3, 3> added;
    for (std::size_t i = 0; i < added.size(); ++i) {
        added.data()[i] = 0;
        for (std::size_t n = 0; n < 4; ++n) added.data()[i] += each.data()[n * added.size() + i];
    }
    CHECK(apart(added, dw0) < 1e-11);
}
TEST_CASE("vmap of images: weights of each item, and weights alone") {
    ad::tensor<double, 2, 3, 6, 6> x;
    ad::tensor<double, 2, 5, 3, 3, 3> w;
    fill(x, 0.6);
    fill(w, 0.7);
    auto const b = bias();
    auto const both = ad::vmap<0, 0, ad::whole>(net)(x, w, b);
    for (std::size_t n = 0; n < 2; ++n) {
        ad::tensor<double, 3, 6, 6> image;
        ad::tensor<double, 5, 3, 3, 3> own;
        for (std::size_t i = 0; i < image.size(); ++i) image.data()[i] = x.data()[n * image.size() + i];
        for (std::size_t i = 0; i < own.size(); ++i) own.data()[i] = w.data()[n * own.size() + i];
        auto const one = ad::evaluate(net, image, own, b);
        for (std::size_t i = 0; i < one.size(); ++i) CHECK(both.data()[n * one.size() + i] == one.data()[i]);
        // the same image, other weights
        auto const alone = ad::vmap<ad::whole, 0, ad::whole>(net)(image, w, b);
        for (std::size_t i = 0; i < one.size(); ++i) CHECK(alone.data()[n * one.size() + i] == one.data()[i]);
    }
}
TEST_CASE("vmap of images: pooling with places, means, transposed convolutions, along one axis, one vmap in another") {
    ad::tensor<double, 3, 2, 9, 11> x;
    fill(x, 0.8);
    static constexpr ad::pool p{.size = 3, .stride = 2, .padding = 1};
    constexpr auto places = [](auto i) { return ad::max_pool2d_with_index<p>(i); };
    auto const [values, indices] = ad::vmap<0>(places)(x);
    auto const [values0, indices0] = ad::evaluate(places, x);
    CHECK(apart(values, values0) == 0);
    CHECK(apart(indices, indices0) == 0);
    constexpr auto largest = [](auto i) { return sum(square(ad::max_pool2d<ad::pool{.size = 4, .stride = 2}>(i))); };
    CHECK(apart(ad::vmap<0>(ad::grad<0>(largest))(x), ad::grad<0>(largest)(x)) < 1e-13);
    constexpr auto mean = [](auto i) { return sum(square(ad::avg_pool2d<p>(i))); };
    CHECK(apart(ad::vmap<0>(ad::grad<0>(mean))(x), ad::grad<0>(mean)(x)) < 1e-13);
    ad::tensor<double, 2, 4, 3, 3> w;
    fill(w, 1.1);
    constexpr auto wider = [](auto i, auto v) { return ad::conv_transpose2d<ad::conv{.stride = 2}>(i, v); };
    CHECK(apart(ad::vmap<0, ad::whole>(wider)(x, w), ad::evaluate(wider, x, w)) == 0);
    ad::tensor<double, 3, 2, 9> rows;
    ad::tensor<double, 4, 2, 3> v;
    fill(rows, 1.2);
    fill(v, 1.3);
    constexpr auto along = [](auto i, auto k) { return ad::conv1d(i, k); };
    CHECK(apart(ad::vmap<0, ad::whole>(along)(rows, v), ad::evaluate(along, rows, v)) == 0);
    // items of items
    ad::tensor<double, 2, 3, 2, 9> pairs;
    fill(pairs, 1.4);
    auto const nested = ad::vmap<0, ad::whole>(ad::vmap<0, ad::whole>(along))(pairs, v);
    for (std::size_t n = 0; n < 2; ++n) {
        for (std::size_t i = 0; i < rows.size(); ++i) rows.data()[i] = pairs.data()[n * rows.size() + i];
        auto const one = ad::evaluate(along, rows, v);
        for (std::size_t i = 0; i < one.size(); ++i) CHECK(nested.data()[n * one.size() + i] == one.data()[i]);
    }
}
