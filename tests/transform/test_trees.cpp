// SPDX-License-Identifier: MIT
// Trees of arrays as arguments: tuples, pairs, arrays, aggregates, struct templates.

#include <tapeless/tapeless.hpp>

#include <array>
#include <cmath>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/catch.hpp"

namespace ad = tapeless;
using ad::dyn;

namespace {

struct layer {
    std::vector<double> scale;
    double shift;
};

class guarded {
    std::vector<double> a_{1, 2};
    double b_ = 3;

public:
    auto members() { return std::tie(a_, b_); }
    auto members() const { return std::tie(a_, b_); }
};

template <template <class, auto...> class Tensor>
struct model {
    Tensor<double, dyn> weight;
    Tensor<double> bias;
};
template <template <class, auto...> class Tensor, int Width>
struct sized {
    Tensor<float, Width> w;
    constexpr auto apply(auto const& x) const { return x * w; }
};

struct sixteen {
    double a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p;
};

}  // namespace

TEST_CASE("trees: a tuple and a pair come in, and their gradients are a tuple and a pair") {
    auto const g = ad::grad<0>([](auto t) {
        auto const& [x, s] = t;
        return sum(x) * s;
    })(std::tuple(std::vector<double>{1, 2}, 5.0));
    static_assert(std::is_same_v<decltype(g), std::tuple<std::vector<double>, double> const>);
    CHECK(std::get<0>(g) == std::vector<double>{5, 5});
    CHECK(std::get<1>(g) == 3);
    auto const h =
        ad::grad<0>([](auto t) { return t.first * sum(t.second); })(std::pair(2.0, std::array<double, 2>{3, 4}));
    CHECK(std::is_same_v<decltype(h), std::pair<double, std::array<double, 2>> const>);
    CHECK(std::get<0>(h) == 7);
    CHECK(std::get<1>(h) == std::array<double, 2>{2, 2});
}

TEST_CASE("trees: a tuple of one array, and of one number, keeps its shape") {
    using single = std::tuple<std::vector<double>>;
    auto const g = ad::grad<0>([](auto t) { return sum(square(std::get<0>(t))); })(single{{1, 2}});
    CHECK(std::is_same_v<decltype(g), single const>);
}

TEST_CASE("trees: an array of aggregates of different lengths") {
    std::array<layer, 2> const layers{layer{{1, 2, 3}, 4}, layer{{5, 6}, 7}};
    auto const g = ad::grad<0>([](auto const& l) {
        auto [s0, b0] = l[0];
        auto [s1, b1] = l[1];
        return sum(s0 * b0) + 2.0 * sum(s1) * b1;
    })(layers);
    static_assert(std::is_same_v<decltype(g), std::array<layer, 2> const>);
    CHECK(g[0].scale == std::vector<double>{4, 4, 4});
    CHECK(g[0].shift == 6);
    CHECK(g[1].scale == std::vector<double>{14, 14});
    CHECK(g[1].shift == 22);
}

TEST_CASE("trees: a class with members()") {
    auto const g = ad::grad<0>([](auto t) { return sum(square(std::get<0>(t))) * std::get<1>(t); })(guarded{});
    static_assert(std::is_same_v<decltype(g), guarded const>);
    auto const [a, b] = g.members();
    CHECK(a == std::vector<double>{6, 12});
    CHECK(b == 5);
}

TEST_CASE("trees: a struct template over a tensor template is seen as the same template over symbols") {
    model<ad::tensor> m{{{1, 2, 3}}, 0.5};
    auto const [value, g] = ad::value_and_grad<0>([](auto const& p, auto x) { return sum(p.weight * x + p.bias); })(
        m, std::vector<double>{2, 3, 4});
    static_assert(std::is_same_v<std::remove_const_t<decltype(g)>, model<ad::tensor>>);
    CHECK(value == 21.5);
    CHECK(g.weight == ad::tensor<double, dyn>{2, 3, 4});
    CHECK(double(g.bias) == 3);

    sized<ad::tensor, 2> s{{{3, 4}}};
    auto const gs = ad::grad<0>([](auto const& p, auto x) { return sum(p.apply(x)); })(s, ad::tensor<float, 2>{1, 2});
    CHECK(gs.w == ad::tensor<float, 2>{1, 2});
}

TEST_CASE("trees: an aggregate of sixteen members") {
    sixteen const x{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
    auto const g = ad::grad<0>([](auto const& t) {
        return [&]<std::size_t... I>(std::index_sequence<I...>) {
            return ((static_cast<double>(I + 1) * std::get<I>(t)) + ...);
        }(std::make_index_sequence<16>{});
    })(x);
    static_assert(std::is_same_v<decltype(g), sixteen const>);
    CHECK(g.a == 1);
    CHECK(g.b == 2);
    CHECK(g.o == 15);
    CHECK(g.p == 16);
}

TEST_CASE("trees: the gradient of what only points has memory of its own, and the argument is left alone") {
    std::vector<double> a{1, 2}, b{3};
    auto f = [](auto t) {
        auto [x, y] = t;
        return sum(square(x)) + 5.0 * sum(y);
    };
    struct pointers {
        std::span<double> a;
        std::vector<double> b;
    };
    using numbers = ad::tensor<double, ad::dyn>;
    using owned = std::vector<double>;
    auto const of_spans = ad::grad<0>(f)(std::tuple{std::span(a), std::span(b)});
    STATIC_REQUIRE(std::is_same_v<std::remove_const_t<decltype(of_spans)>, std::tuple<numbers, numbers>>);
    auto const of_references = ad::grad<0>(f)(std::tie(a, b));
    STATIC_REQUIRE(std::is_same_v<std::remove_const_t<decltype(of_references)>, std::tuple<owned, owned>>);
    auto const of_struct = ad::grad<0>(f)(pointers{a, b});
    STATIC_REQUIRE(std::is_same_v<std::remove_const_t<decltype(of_struct)>, std::tuple<numbers, owned>>);
    auto const of_views = ad::grad<0>(f)(std::pair{ad::view<double const, ad::dyn>(a.data(), 2), b});
    STATIC_REQUIRE(std::is_same_v<std::remove_const_t<decltype(of_views)>, std::pair<numbers, owned>>);
    auto const of_array = ad::grad<0>([](auto t) { return sum(t[0] * t[1]); })(
        std::array{std::span<double const>(a), std::span<double const>(a)});
    STATIC_REQUIRE(std::is_same_v<std::remove_const_t<decltype(of_array)>, std::array<numbers, 2>>);
    CHECK(std::get<0>(of_spans)(1) == 4);
    CHECK(std::get<1>(of_references)[0] == 5);
    CHECK(std::get<0>(of_struct)(0) == 2);
    CHECK(of_views.first(1) == 4);
    CHECK(of_array[1](1) == 2);
    CHECK(a == owned{1, 2});
    CHECK(b == owned{3});
}
