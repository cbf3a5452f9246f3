// SPDX-License-Identifier: MIT
// into(...): gradients written to given storage; lengths that do not agree.

#include <tapeless/tapeless.hpp>

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/messages.hpp"

namespace ad = tapeless;
using ad::dyn;

namespace {

constexpr auto weighted = [](auto x, auto w) { return sum(x * x * w); };

struct pair_of_arrays {
    std::vector<double> a;
    ad::tensor<double, 2> b;
};

}  // namespace

TEST_CASE("into: a vector, a span, a tensor and a view receive the gradients, and the value is returned") {
    std::vector<double> const x{1, 2, 3, 4, 5};
    std::vector<double> const w{1, 1, 2, 2, 3};
    std::vector<double> dx(5), dw(5);
    auto both = ad::value_and_grad<0, 1>(weighted);
    static_assert(std::is_same_v<decltype(both(ad::into(dx, dw), x, w)), double>);
    CHECK(both(ad::into(dx, dw), x, w) == 1 + 4 + 18 + 32 + 75);
    CHECK(dx == std::vector<double>{2, 4, 12, 16, 30});
    CHECK(dw == std::vector<double>{1, 4, 9, 16, 25});

    std::vector<double> memory(5);
    ad::tensor<double, dyn> t(5);
    CHECK(both(ad::into(std::span<double>(memory), t), x, w) == 130);
    CHECK(memory == dx);
    CHECK(std::equal(t.begin(), t.end(), dw.begin()));
}

TEST_CASE(
    "into: strided, negative and transposed targets get each element where it belongs, and nothing else is written") {
    ad::tensor<double, 2, 3> const x{{1, 2, 3}, {4, 5, 6}};
    ad::tensor<double, 3> const w{1, 10, 100};
    ad::tensor<double, 3> dw;
    std::vector<double> memory(24, -1);
    auto both = ad::value_and_grad<0, 1>(weighted);
    auto expect = [&](ad::view<double, 2, 3> const& target) {
        std::fill(memory.begin(), memory.end(), -1.0);
        both(ad::into(target, dw), x, w);
        for (int i = 0; i < 2; ++i)
            for (int j = 0; j < 3; ++j) CHECK(target(i, j) == 2 * x(i, j) * w(j));
        CHECK(std::count(memory.begin(), memory.end(), -1.0) == 18);
        CHECK(dw == ad::tensor<double, 3>{17, 29, 45});
    };
    using strides = std::array<std::ptrdiff_t, 2>;
    expect(ad::view<double, 2, 3>(memory.data(), strides{1, 2}));         // transposed
    expect(ad::view<double, 2, 3>(memory.data(), strides{8, 2}));         // gaps
    expect(ad::view<double, 2, 3>(memory.data() + 5, strides{-3, -1}));   // backwards
    expect(ad::view<double, 2, 3>(memory.data() + 20, strides{3, -2}));
}

TEST_CASE("views: strided, negative and transposed arguments are read where their elements are") {
    std::vector<double> memory(24);
    for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<double>(i + 1);
    using strides = std::array<std::ptrdiff_t, 2>;
    auto f = ad::value_and_grad<0, 1>(weighted);
    ad::tensor<double, 3> const w{1, 10, 100};
    auto expect = [&](double const* from, strides s) {
        ad::view<double const, dyn, 3> const v(from, 2, s);
        auto const [value, grads] = f(v, w);
        auto const& [dx, dw] = grads;
        double sum = 0;
        for (int j = 0; j < 3; ++j) {
            double column = 0;
            for (int i = 0; i < 2; ++i) {
                column += v(i, j) * v(i, j);
                CHECK(dx(i, j) == 2 * v(i, j) * w(j));
            }
            CHECK(dw(j) == column);
            sum += column * w(j);
        }
        CHECK(value == sum);
    };
    expect(memory.data(), {3, 1});
    expect(memory.data(), {1, 2});
    expect(memory.data(), {8, 2});
    expect(memory.data() + 5, {-3, -1});
    expect(memory.data() + 20, {3, -2});
    expect(memory.data() + 4, {0, 1});  // one row read twice
}

TEST_CASE("into: a tree receives the gradient of a tree") {
    pair_of_arrays const p{{1, 2, 3}, {4, 5}};
    pair_of_arrays g{{0, 0, 0}, {}};
    ad::grad<0>([](auto t) { return sum(square(std::get<0>(t))) + sum(std::get<1>(t)); })(ad::into(g), p);
    CHECK(g.a == std::vector<double>{2, 4, 6});
    CHECK(g.b == ad::tensor<double, 2>{1, 1});
}

TEST_CASE("into: a target of the wrong length is refused before anything is written") {
    std::vector<double> const x{1, 2, 3}, w{1, 1, 1};
    std::vector<double> dx(3, -7), dw(4, -7);
    auto f = ad::value_and_grad<0, 1>(weighted);
    CHECK(mentions(message_of([&] { f(ad::into(dx, dw), x, w); }), {"target 1", "axis 0", "4", "3"}));
    CHECK(dx == std::vector<double>(3, -7));
    CHECK(dw == std::vector<double>(4, -7));
}

TEST_CASE("shapes: run-time lengths that differ are refused, naming arguments, axes and lengths") {
    std::vector<double> const x{1, 2, 3}, w{1, 1, 1, 1};
    std::vector<double> dx(3, -7);
    auto f = ad::grad<0>(weighted);
    CHECK(mentions(message_of([&] { f(ad::into(dx), x, w); }), {"argument 0", "argument 1", "axis 0", "3", "4"}));
    CHECK(dx == std::vector<double>(3, -7));
    // a length of 1 does not stretch
    CHECK(mentions(message_of([&] { f(x, std::vector<double>{1}); }), {"argument 1", "axis 0", "1"}));
}

TEST_CASE("shapes: a run-time length has to be the static one it meets") {
    auto f = ad::grad<0>(weighted);
    ad::tensor<double, 3> const w{1, 1, 1};
    CHECK(mentions(message_of([&] { f(std::vector<double>{1, 2}, w); }), {"argument 0", "axis 0", "2", "3"}));
    CHECK(f(std::vector<double>{1, 2, 3}, w) == std::vector<double>{2, 4, 6});
}

TEST_CASE("shapes: a named extent is one number, whatever is done with it") {
    constexpr auto batch = ad::dim<"batch">;
    ad::tensor<double, batch, 2> const x(3);
    ad::tensor<double, batch> const y(4), z(3);
    auto f = ad::grad<0>([](auto a, auto b) { return sum(a) + sum(b); });  // they never meet
    CHECK(mentions(message_of([&] { f(x, y); }), {"argument 0", "argument 1", "axis 0", "batch", "3", "4"}));
    CHECK(f(x, z).extent(0) == 3);
}

TEST_CASE("shapes: max and min over a run-time axis without elements are refused") {
    auto f = ad::value_and_grad<0>([](auto a) { return sum(max<1>(a)); });
    ad::tensor<double, dyn, dyn> const none(2, 0), no_rows(0, 2);
    CHECK(mentions(message_of([&] { f(none); }), {"argument 0", "axis 1", "0"}));
    auto const [value, g] = f(no_rows);  // no maximum is taken
    CHECK(value == 0);
    CHECK(g.size() == 0);
}

TEST_CASE("into: the value of fused(f) is written to a tensor, a strided view or a number") {
    auto twice = ad::fused([](auto x) { return 2.0 * x; });
    ad::tensor<double, dyn, 2> x{{1, 2}, {3, 4}}, y(2);
    twice(ad::into(y), x);
    CHECK(y == ad::tensor<double, dyn, 2>{{2, 4}, {6, 8}});

    std::vector<double> memory(8, -1.0);
    ad::view<double, dyn, 2> every_other(memory.data(), 2, std::array<std::ptrdiff_t, 2>{4, 2});
    twice(ad::into(every_other), x);
    CHECK(memory == std::vector<double>{2, -1, 4, -1, 6, -1, 8, -1});

    double total = 0;
    ad::fused([](auto a) { return sum(a); })(ad::into(total), x);
    CHECK(total == 10);
}

TEST_CASE("into: a value that does not fit its target is refused and nothing is written") {
    auto product = ad::fused([](auto a, auto b) { return matmul(a, b); });
    ad::tensor<float, dyn, dyn> a(2, 3), b(3, 4), wrong(2, 5);
    ad::fill(wrong, 7.0f);
    auto const message = message_of([&] { product(ad::into(wrong), a, b); });
    CHECK(mentions(message, {"into", "target 0", "axis 1", "5", "4"}));
    for (float v : wrong) CHECK(v == 7.0f);
}
