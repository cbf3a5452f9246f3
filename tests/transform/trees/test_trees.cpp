// SPDX-License-Identifier: MIT
// Trees of arrays in public: leaf by leaf, flat memory, stacked blocks, targets that are added to.

#include <tapeless/tapeless.hpp>

#include <array>
#include <cmath>
#include <tuple>
#include <vector>

#include "support/catch.hpp"

namespace ad = tapeless;

namespace {

template <template <class, auto...> class Tensor>
struct Layer {
    Tensor<double, 2, 3> w;
    Tensor<double, 2> b;
};
template <template <class, auto...> class Tensor>
struct Net {
    std::array<Layer<Tensor>, 2> layers;
    Tensor<double> scale;
    ad::stacked<Layer, 4, Tensor> blocks;
};
struct Mixed {
    std::vector<float> a;
    double number;
    std::tuple<std::array<float, 2>, ad::tensor<ad::half, 2>> rest;
};

constexpr auto loss = [](auto const& net, auto x) {  // x (3)
    auto h = net.scale * x;
    auto total = ad::let(sum(h * h));
    for (auto const& l : net.layers) total += sum(square(matmul(l.w, h) + l.b));
    auto step = [&](auto s, auto const& block) { return s + sum(matmul(block.w, h) * block.b); };
    return ad::fold(step, total, net.blocks);
};

Net<ad::tensor> some_net() {
    Net<ad::tensor> net{};
    double v = 0;
    ad::for_each_leaf([&](auto& l) { for (double& x : l) x = std::sin(v += 1); }, net);
    return net;
}

}  // namespace

TEST_CASE("trees: for_each_leaf goes through trees side by side, in order") {
    Mixed m{{1, 2}, 3, {{4, 5}, {ad::half(6.0f), ad::half(7.0f)}}}, n = m;
    std::vector<std::size_t> sizes;
    ad::for_each_leaf(
        [&](auto& to, auto const& from) {
            if constexpr (ad::element<std::remove_cvref_t<decltype(to)>>) to += from, sizes.push_back(1);
            else {
                for (std::size_t i = 0; i < to.size(); ++i)
                    to.data()[i] = static_cast<std::remove_cvref_t<decltype(to.data()[i])>>(
                        2 * static_cast<float>(from.data()[i]));
                sizes.push_back(to.size());
            }
        },
        m, n);
    CHECK(sizes == std::vector<std::size_t>{2, 1, 2, 2});
    CHECK(m.a[1] == 4);
    CHECK(m.number == 6);
    CHECK(static_cast<float>(std::get<1>(m.rest)(1)) == 14);
    static_assert(ad::size_of<Net<ad::tensor>>() == 2 * 8 + 1 + 4 * 8);
    CHECK(ad::size_of(m) == 7);
}

TEST_CASE("trees: map_leaves keeps the struct, and models of views become models of tensors") {
    auto const net = some_net();
    auto const twice = ad::map_leaves([](auto leaf) { for (double& v : leaf) v *= 2; return leaf; }, net);
    static_assert(std::is_same_v<std::remove_const_t<decltype(twice)>, Net<ad::tensor>>);
    CHECK(twice.blocks.w(3, 1, 2) == 2 * net.blocks.w(3, 1, 2));
    std::vector<double> memory(ad::size_of<Net<ad::tensor>>(), 1.5);
    auto const seen = ad::map<Net>(memory.data());
    auto const copy = ad::map_leaves(
        [](auto const& v) {
            auto t = ad::zeros_like(v);
            std::copy(v.begin(), v.end(), t.begin());
            return t;
        },
        seen);
    static_assert(std::is_same_v<std::remove_const_t<decltype(copy)>, Net<ad::tensor>>);
    CHECK(copy.layers[1].b(1) == 1.5);
    auto const sizes = ad::map_leaves([](auto const& l) { return l.size(); }, net.layers[0]);
    CHECK(sizes == std::tuple<std::size_t, std::size_t>(6, 2));
    Mixed m{{1, 2}, 3, {{4, 5}, {}}};
    auto const ones = ad::ones_like(m);
    static_assert(std::is_same_v<std::remove_const_t<decltype(ones)>, Mixed>);
    CHECK(ones.a == std::vector<float>{1, 1});
    CHECK(ones.number == 1);
    CHECK(ad::zeros_like(m).number == 0);
    CHECK(static_cast<float>(std::get<1>(ones.rest)(0)) == 1);
}

TEST_CASE("trees: axpy, dot and norm are those of all numbers together") {
    auto net = some_net();
    auto const other = ad::map_leaves([](auto leaf) { for (double& v : leaf) v = v * v + 1; return leaf; }, net);
    double want = 0, squares = 0;
    std::vector<double> x, y;
    ad::for_each_leaf([&](auto const& l) { x.insert(x.end(), l.begin(), l.end()); }, net);
    ad::for_each_leaf([&](auto const& l) { y.insert(y.end(), l.begin(), l.end()); }, other);
    for (std::size_t i = 0; i < x.size(); ++i) want += x[i] * y[i], squares += x[i] * x[i];
    CHECK(ad::dot(net, other) == Approx(want));
    CHECK(ad::norm(net) == Approx(std::sqrt(squares)));
    ad::axpy(-0.5, other, net);
    std::size_t i = 0;
    ad::for_each_leaf([&](auto const& l) { for (double v : l) { CHECK(v == Approx(x[i] - 0.5 * y[i])); ++i; } }, net);
    CHECK_THROWS_AS(ad::dot(std::vector<double>{1}, std::vector<double>{1, 2}), ad::shape_error);
}

TEST_CASE("trees: flat memory as a model, read and written in place") {
    auto const net = some_net();
    std::vector<double> memory;
    ad::for_each_leaf([&](auto const& l) { memory.insert(memory.end(), l.begin(), l.end()); }, net);
    std::vector<double> gradient(memory.size(), -1);
    ad::tensor<double, 3> x{0.5, -1, 2};
    auto step = ad::value_and_grad<0>(loss);
    double const* read = memory.data();
    auto const value = step(ad::into(ad::map<Net>(gradient.data())), ad::map<Net>(read), x);
    auto const [want, g] = step(net, x);
    static_assert(std::is_same_v<std::remove_cvref_t<decltype(g)>, Net<ad::tensor>>);
    CHECK(value == Approx(want));
    std::size_t i = 0;
    ad::for_each_leaf([&](auto const& l) { for (double v : l) CHECK(gradient[i++] == Approx(v)); }, g);
    CHECK(ad::check_gradient<0>(loss, net, x).passed);
    auto const [again, owned] = step(ad::map<Net>(read), x);  // of views: a model of tensors
    static_assert(std::is_same_v<std::remove_cvref_t<decltype(owned)>, Net<ad::tensor>>);
    CHECK(again == Approx(want));
}

TEST_CASE("trees: add_into adds to what is there") {
    auto const net = some_net();
    ad::tensor<double, 3> x{0.5, -1, 2}, y{1, 0, -1};
    auto step = ad::value_and_grad<0, 1>(loss);
    Net<ad::tensor> g{};
    ad::tensor<double, 3> gx;
    double const one = step(ad::into(g, gx), net, x);
    auto sum = g;
    auto sx = gx;
    double const two = step(ad::add_into(sum, sx), net, y);
    auto const [value, grads] = step(net, y);
    CHECK(two == Approx(value));
    CHECK(one != two);
    ad::for_each_leaf([](auto const& s, auto const& a, auto const& b) {
        for (std::size_t i = 0; i < s.size(); ++i) CHECK(s.data()[i] == Approx(a.data()[i] + b.data()[i]));
    }, std::tie(sum, sx), std::tie(g, gx), grads);
    auto gradient = ad::grad<1>(loss);
    std::vector<double> v(3, 10);
    gradient(ad::add_into(v), net, x);
    for (std::size_t i = 0; i < 3; ++i) CHECK(v[i] == Approx(10 + gx.data()[i]));
    auto f = ad::fused([](auto a) { return 2.0 * a; });
    f(ad::add_into(v), x);
    for (std::size_t i = 0; i < 3; ++i) CHECK(v[i] == Approx(10 + gx.data()[i] + 2 * x.data()[i]));
    CHECK_THROWS_AS(f(ad::add_into(v), std::vector<double>{1, 2}), ad::shape_error);
    double seven = 7;  // a number too
    ad::grad<0>([](auto s) { return s * s; })(ad::add_into(seven), 3.0);
    CHECK(seven == 13);
}

TEST_CASE("trees: inside a function stop_gradient, zeros_like, axpy, dot and norm take trees") {
    auto f = [](auto const& net, auto const& other) {
        auto moved = ad::axpy(0.5, other, net);
        static_assert(std::is_same_v<decltype(moved), Layer<ad::symbol>>);
        auto still = ad::stop_gradient(net);
        return dot(moved, net) + dot(still, zeros_like(net)) + sum(still.b) + norm(other);
    };
    auto const net = some_net();
    auto const &a = net.layers[0], &b = net.layers[1];
    auto const [value, g] = ad::value_and_grad<0>(f)(a, b);
    double sum = 0;
    for (double v : a.b) sum += v;
    CHECK(value == Approx(ad::dot(a, a) + 0.5 * ad::dot(a, b) + sum + ad::norm(b)));
    for (int i = 0; i < 2; ++i) CHECK(g.b(i) == Approx(2 * a.b(i) + 0.5 * b.b(i)));
}
