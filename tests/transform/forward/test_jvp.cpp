// SPDX-License-Identifier: MIT
// jvp and vjp: forms, shapes, several results, trees, targets, rules of one's own, and what is refused.

#include <tapeless/tapeless.hpp>

#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "support/allocations.hpp"
#include "support/catch.hpp"
#include "support/messages.hpp"

namespace ad = tapeless;
using ad::dyn;

namespace {

constexpr auto scaled_exp = [](auto x, auto s) { return exp(x) * s; };
constexpr auto two = [](auto x, auto y) { return std::tuple(x * y, sum(x) + y, ad::argmax(x)); };
constexpr auto rooted = [](auto x) { return where(x > 0.0, sqrt(x) + log(x), x * x); };

struct model {
    std::vector<double> w;
    std::array<double, 2> b;
};
constexpr auto affine = [](auto m, auto x) {
    auto const [w, b] = m;
    return sum(w * x) * ad::select<0>(b, 0) + square(ad::select<0>(b, 1));
};

}  // namespace

TEMPLATE_TEST_CASE("jvp: the value and the derivative in a direction, of arrays and numbers", "", double, float) {
    using T = TestType;
    std::vector<T> const x{0, 1, T(-0.5)}, v{1, 2, -1};
    auto const [y, t] = ad::jvp<0, 1>(scaled_exp)(x, T(3), v, T(0.5));
    static_assert(std::is_same_v<decltype(y), ad::tensor<T, dyn> const> &&
                  std::is_same_v<decltype(t), ad::tensor<T, dyn> const>);
    for (std::size_t i = 0; i < 3; ++i) {
        double const e = std::exp(double(x[i]));
        CHECK(std::abs(double(y(i)) - 3 * e) < 1e-5);
        CHECK(std::abs(double(t(i)) - (3 * v[i] + T(0.5)) * e) < (sizeof(T) == 8 ? 1e-13 : 1e-5));
    }
    auto const number = ad::jvp(scaled_exp)(T(1), T(2), T(3));
    static_assert(std::is_same_v<decltype(number.tangent), T>);
    CHECK(std::abs(double(number.tangent) - 6 * std::exp(1.0)) < 1e-4);
    std::vector<T> const none;
    CHECK(ad::jvp<0, 1>(scaled_exp)(none, T(3), none, T(1)).tangent.size() == 0);
}

TEST_CASE("jvp: central differences say the same of a function of many operations") {
    auto const f = [](auto x, auto w) {
        auto const h = ad::let(tanh(matmul(x, w)));
        return ad::logsumexp<1>(h * ad::softmax(h) + ad::max<1>(h, ad::keepdims)) / ad::norm<1>(x);
    };
    ad::tensor<double, 4, 3> x, vx;
    ad::tensor<double, 3, 5> w, vw;
    double k = 0;
    for (auto* a : {x.data(), vx.data()})
        for (int i = 0; i < 12; ++i) a[i] = std::sin(k += 1.1);
    for (auto* a : {w.data(), vw.data()})
        for (int i = 0; i < 15; ++i) a[i] = std::sin(k += 1.3);
    auto const [y, t] = ad::jvp<0, 1>(f)(x, w, vx, vw);
    auto value = ad::fused(f);
    CHECK(y == value(x, w));
    double const h = 1e-5;
    auto moved = [&](double by) {
        auto a = x;
        auto b = w;
        for (std::size_t i = 0; i < a.size(); ++i) a.data()[i] += by * vx.data()[i];
        for (std::size_t i = 0; i < b.size(); ++i) b.data()[i] += by * vw.data()[i];
        return value(a, b);
    };
    auto const ahead = moved(h), behind = moved(-h);
    for (std::size_t i = 0; i < 4; ++i) CHECK(std::abs((ahead(i) - behind(i)) / (2 * h) - t(i)) < 1e-9);
}

TEST_CASE("jvp and vjp: several results have several tangents and cotangents; what is an integer has the tangent 0") {
    ad::tensor<double, 3> const x{1, 5, 3}, v{1, -1, 2};
    auto const [value, tangent] = ad::jvp<0, 1>(two)(x, 2.0, v, 10.0);
    CHECK(std::get<0>(value) == ad::tensor<double, 3>{2, 10, 6});
    CHECK(std::get<0>(tangent) == ad::tensor<double, 3>{12, 48, 34});
    CHECK(std::get<1>(tangent) == 12);
    CHECK(std::get<2>(value) == 1);
    CHECK(std::get<2>(tangent) == 0);
    auto const [again, gradients] = ad::vjp<0, 1>(two)(x, 2.0, std::tuple(v, 7.0, std::int64_t{1}));
    CHECK(again == value);
    CHECK(std::get<0>(gradients) == ad::tensor<double, 3>{9, 5, 11});
    CHECK(std::get<1>(gradients) == 1 - 5 + 6 + 7);
}

TEST_CASE("jvp, vjp and hvp: trees of arguments have tangents and gradients of their own type") {
    model const m{{1, 2}, {3, 4}}, d{{1, 0}, {2, 1}};
    std::vector<double> const x{5, 7};
    auto const [y, t] = ad::jvp<0>(affine)(m, x, d);
    CHECK(y == 19 * 3 + 16);
    CHECK(t == 5 * 3 + 19 * 2 + 8);
    auto const [same, g] = ad::vjp<0>(affine)(m, x, 2.0);
    static_assert(std::is_same_v<decltype(g), model const>);
    CHECK(same == y);
    CHECK(g.w == std::vector<double>{30, 42});
    CHECK(g.b == std::array<double, 2>{38, 16});
    model const h = ad::hvp<0>(affine)(m, x, d);
    CHECK(h.w == std::vector<double>{10, 14});
    CHECK(h.b == std::array<double, 2>{5, 2});
}

TEST_CASE("jvp and vjp: into(...) takes the tangents or gradients, or the value too, and allocates nothing again") {
    ad::tensor<double, 4> const x{0, 1, 2, 3}, v{1, 1, 2, 0};
    ad::tensor<double, 4> y, t;
    auto forward = ad::jvp<0>(scaled_exp);
    auto backward = ad::vjp<0>(scaled_exp);
    auto const value = forward(ad::into(t), x, 2.0, v);
    CHECK(value == ad::evaluate(scaled_exp, x, 2.0));
    CHECK(t(2) == 2 * value(2));
    std::vector<double> const long_x(100, 1), long_v(100, 2);
    std::vector<double> long_y(100), long_t(100);
    forward(ad::into(long_y, long_t), long_x, 0.5, long_v);
    backward(ad::into(long_y, long_t), long_x, 0.5, long_v);
    backward(ad::into(y, t), x, 2.0, v);
    std::size_t const before = allocations;
    forward(ad::into(y, t), x, 2.0, v);
    forward(ad::into(long_y, long_t), long_x, 0.5, long_v);
    backward(ad::into(long_y, long_t), long_x, 0.5, long_v);
    backward(ad::into(y, t), x, 2.0, v);
    CHECK(allocations == before);
    CHECK(y == value);
    CHECK(std::abs(long_t[99] - std::exp(1.0)) < 1e-15);
}

TEST_CASE("jvp: an inf or NaN in the branch not taken reaches no tangent") {
    ad::tensor<double, 4> const x{4, 0, -1, -3}, v{1, 1, 2, 3};
    CHECK(ad::jvp(rooted)(x, v).tangent == ad::tensor<double, 4>{0.5, 0, -4, -18});
    auto const inner = [](auto a) { return sqrt(where(a > 0.0, a, 0.0)) * a; };  // the tangent itself is masked
    CHECK(ad::jvp(inner)(x, v).tangent == ad::tensor<double, 4>{3, 0, 0, 0});
    auto const summed = [](auto a) { return sum(rooted(a)); };
    CHECK(ad::hvp(summed)(x, v) == ad::tensor<double, 4>{-0.09375, 2, 4, 6});
}

TEST_CASE("jvp: tied extremes share the tangent as they share the gradient, and kinks have slope 0") {
    ad::tensor<double, 3> const x{2, 2, 1}, v{1, 3, 100};
    CHECK(ad::jvp([](auto a) { return ad::max(a); })(x, v).tangent == 2);
    CHECK(ad::jvp([](auto a) { return sum(relu(a - 2.0) + abs(a - 1.0)); })(x, v).tangent == 4);
    CHECK(ad::jvp([](auto a) { return ad::norm(a - a); })(x, v).tangent == 0);
}

TEST_CASE("jvp: casts carry the tangent, to half and back as float") {
    std::vector<float> const x{1.5f, 2}, v{1, 0.25f};
    auto const f = [](auto a) { return ad::cast<double>(a) * 3.0; };
    auto const [y, t] = ad::jvp(f)(x, v);
    CHECK(t == ad::tensor<double, dyn>{3, 0.75});
    std::vector<ad::half> const stored{ad::half(1.5f), ad::half(2.0f)}, moved{ad::half(1.0f), ad::half(0.25f)};
    CHECK(ad::jvp([](auto a) { return sum(a * a); })(stored, moved).tangent == 4);
    auto const [value, grad] = ad::vjp([](auto a) { return a * 2.0; })(stored, x);
    static_assert(std::is_same_v<decltype(grad), std::vector<ad::half> const>);
    CHECK(grad[0] == ad::half(3.0f));
}

namespace {
/// sin(x) with a rule of 2 g backwards, to be told apart, and what is derived from it.
constexpr auto odd =
    ad::with_pullback([](auto x) { return sin(x); }, [](auto g, auto, auto) { return ad::cotangents(2.0 * g); });
/// A product with a forward rule that is told apart by a factor of 10.
constexpr auto forward_ruled = ad::with_pullback(
    [](auto a, auto b) { return matmul(a, b); },
    [](auto g, auto, auto a, auto b) { return ad::cotangents(matmul(g, transpose(b)), matmul(transpose(a), g)); },
    [](auto, auto a, auto b, auto da, auto db) { return 10.0 * (matmul(da, b) + matmul(a, db)); });
struct cube_op : ad::elementwise<"cube"> {
    static auto eval(auto x) { return x * x * x; }
    static constexpr auto pullback(auto g, auto, auto x) { return ad::cotangents(3.0 * g * x * x); }
    // told apart by a factor of 10
    static constexpr auto pushforward(auto, auto x, auto t) { return 30.0 * (t * x * x); }
};
}  // namespace

TEST_CASE("jvp: a function under a rule of one's own is pushed forward by that rule, or by one for forward mode") {
    CHECK(ad::jvp([](auto x) { return odd(x); })(0.3, 5.0).tangent == 10);
    ad::tensor<double, 2, 2> const a{{1, 2}, {3, 4}}, b{{1, 0}, {2, 1}}, da{{1, 0}, {0, 0}}, db{{0, 0}, {0, 1}};
    auto const product = [](auto x, auto y) { return forward_ruled(x, y); };
    CHECK(ad::jvp<0, 1>(product)(a, b, da, db).tangent == ad::tensor<double, 2, 2>{{10, 20}, {0, 40}});
    CHECK(ad::jvp<1>(product)(a, b, db).tangent == ad::tensor<double, 2, 2>{{0, 20}, {0, 40}});
    CHECK(ad::grad<0>([](auto x, auto y) { return sum(forward_ruled(x, y)); })(a, b) ==
          ad::tensor<double, 2, 2>{{1, 3}, {1, 3}});
    CHECK(ad::jvp([](auto x) { return ad::apply<cube_op>(x); })(2.0, 1.0).tangent == 120);
    CHECK(ad::grad([](auto x) { return ad::apply<cube_op>(x); })(2.0) == 12);
}

TEST_CASE("jvp and vjp: inside a traced function, of each other, and again and again") {
    auto const slope = [](auto x) { return ad::jvp([](auto y) { return sin(y); })(x, 1.0).tangent; };
    auto const third = [](auto x) {
        auto const second = [](auto y) {
            auto const first = [](auto z) { return ad::jvp([](auto u) { return exp(2.0 * u); })(z, 1.0).tangent; };
            return ad::jvp(first)(y, 1.0).tangent;
        };
        return ad::jvp(second)(x, 1.0).tangent;
    };
    CHECK(std::abs(ad::evaluate(slope, 0.5) - std::cos(0.5)) < 1e-15);
    CHECK(std::abs(ad::grad(slope)(0.5) + std::sin(0.5)) < 1e-15);
    CHECK(std::abs(ad::evaluate(third, 0.25) - 8 * std::exp(0.5)) < 1e-13);
    CHECK(std::abs(ad::grad(ad::grad(ad::grad([](auto x) { return exp(2.0 * x); })))(0.25) - 8 * std::exp(0.5)) <
          1e-13);
    ad::tensor<double, 3> const x{1, 2, 3}, v{1, 0, -1};
    auto const f = [](auto y) { return sum(y * y * y); };
    auto const [g, hv] = ad::jvp(ad::grad(f))(x, v);
    CHECK(g == ad::tensor<double, 3>{3, 12, 27});
    CHECK(hv == ad::tensor<double, 3>{6, 0, -18});
    CHECK(ad::grad([](auto y, auto d) { return ad::jvp([](auto z) { return sum(z * z * z); })(y, d).tangent; })(x, v) ==
          hv);
    CHECK(ad::vjp(ad::grad(f))(x, v).grad == hv);
}

TEST_CASE(
    "jvp and vjp: a tangent of another length is refused before anything is written, with argument, axis and lengths") {
    std::vector<double> const x{1, 2, 3}, v{1, 2};
    std::vector<double> y(3, -1), t(3, -1);
    auto const message = message_of([&] { ad::jvp<0>(scaled_exp)(ad::into(y, t), x, 2.0, v); });
    CHECK(mentions(message, {"argument 0", "argument 2", "axis 0", "length 3", "length 2"}));
    CHECK(y == std::vector<double>(3, -1));
    CHECK(mentions(message_of([&] { ad::vjp<0>(scaled_exp)(x, 2.0, v); }),
                   {"argument 0", "argument 2", "axis 0", "length 3", "length 2"}));
    std::vector<double> const w{1, 2, 3};
    std::vector<double> short_one(2);
    CHECK(mentions(message_of([&] { ad::jvp<0>(scaled_exp)(ad::into(short_one), x, 2.0, w); }),
                   {"target 0", "axis 0", "length 2", "3"}));
}
