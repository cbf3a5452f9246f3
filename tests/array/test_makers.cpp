// SPDX-License-Identifier: MIT
// Makers: zeros, fills, random numbers, ranges, identity.
#include <tapeless/array/makers.hpp>

#include "support/catch.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <list>
#include <random>
#include <span>
#include <type_traits>
#include <vector>

using namespace tapeless;

namespace {
/// A generator whose range is no power of two: the widest it gives at once is 2 bits.
struct six_sided {
    using result_type = unsigned;
    static constexpr unsigned min() { return 1; }
    static constexpr unsigned max() { return 6; }
    std::mt19937 engine{3};
    unsigned operator()() { return 1 + static_cast<unsigned>(engine() % 6); }
};
template <class A>
concept can_fill = requires(A&& a) { fill(a, 1.0f); };
struct moments {
    double mean, variance, fourth;
};
template <class A>
moments moments_of(A const& a) {
    double n = 0, sum = 0, square = 0, fourth = 0;
    for (double x : a) n += 1, sum += x, square += x * x, fourth += x * x * x * x;
    return {sum / n, square / n - sum / n * (sum / n), fourth / n};
}
}  // namespace

TEST_CASE("zeros_like: the same type and lengths, all zeros") {
    tensor<float, 2, 2> a{{1, 2}, {3, 4}};
    auto za = zeros_like(a);
    static_assert(std::is_same_v<decltype(za), tensor<float, 2, 2>>);
    CHECK(za == tensor<float, 2, 2>{});

    tensor<float, dyn, 3> b(5);
    fill(b, 1);
    auto zb = zeros_like(b);
    static_assert(std::is_same_v<decltype(zb), tensor<float, dyn, 3>>);
    CHECK(zb == tensor<float, dyn, 3>(5));

    CHECK(zeros_like(std::vector<double>{1, 2}) == std::vector<double>{0, 0});
    CHECK(zeros_like(std::array<int, 2>{1, 2}) == std::array<int, 2>{0, 0});
    CHECK(zeros_like(3.5) == 0.0);
    static_assert(std::is_same_v<decltype(zeros_like(3.5f)), float>);
    CHECK(zeros_like(tensor<double>(2.0)) == 0.0);
}

TEST_CASE("zeros_like: a view gives the tensor of its lengths") {
    float memory[] = {1, 2, 3, 4, 5, 6};
    view<const float, dyn, 3> v(memory, 2);
    auto z = zeros_like(v);
    static_assert(std::is_same_v<decltype(z), tensor<float, dyn, 3>>);
    CHECK(z == tensor<float, 2, 3>{});
}

TEST_CASE("zeros_like: containers of tensors keep every length") {
    std::vector<tensor<float, dyn>> v{tensor<float, dyn>{1.f, 2.f}, tensor<float, dyn>{3.f}};
    auto z = zeros_like(v);
    CHECK(z[0] == tensor<float, 2>{});
    CHECK(z[1] == tensor<float, 1>{});
    std::array<tensor<float, dyn>, 1> a{tensor<float, dyn>{1.f, 2.f}};
    CHECK(zeros_like(a)[0] == tensor<float, 2>{});
}

TEST_CASE("fill: tensors, views and ranges") {
    tensor<float, 2, 3> a;
    fill(a, 0.5f);
    CHECK(a == tensor<float, 2, 3>{{.5f, .5f, .5f}, {.5f, .5f, .5f}});
    tensor<double> number;
    fill(number, 2);
    CHECK(number == 2.0);

    std::vector<int> memory(6);
    fill(view<int, 3>(memory.data(), std::array<std::ptrdiff_t, 1>{2}), 7);
    CHECK(memory == std::vector<int>{7, 0, 7, 0, 7, 0});
    fill(view<int, dyn>(memory), 1);
    CHECK(memory == std::vector<int>(6, 1));
    fill(memory, 4);
    CHECK(memory == std::vector<int>(6, 4));
    fill(std::span<int>(memory).subspan(5), 9);
    CHECK(memory[5] == 9);
    std::list<double> list(2);
    fill(list, 3);
    CHECK(list == std::list<double>{3, 3});
    int plain[2];
    fill(plain, 5);
    CHECK(plain[1] == 5);
    std::vector<bool> flags(3);
    fill(flags, true);
    CHECK(flags == std::vector<bool>(3, true));
    static_assert(can_fill<tensor<float, 2>&> && !can_fill<tensor<float, 2> const&>);
    static_assert(can_fill<view<float, 2> const&> && !can_fill<view<const float, 2>&>);
}

TEST_CASE("fill_normal: mean, variance and tails are those of the normal distribution") {
    tensor<double, dyn> t(200000);
    std::mt19937_64 rng(1);
    fill_normal(t, rng, 0.0, 1.0);
    auto m = moments_of(t);
    CHECK(std::abs(m.mean) < 0.01);
    CHECK(std::abs(m.variance - 1) < 0.02);
    CHECK(std::abs(m.fourth - 3) < 0.1);
    int beyond = 0;
    for (double x : t) beyond += std::abs(x) > 1.959963984540054;
    CHECK(std::abs(beyond / 200000.0 - 0.05) < 0.003);
    double neighbours = 0;
    for (std::size_t i = 1; i < t.size(); ++i) neighbours += t(i) * t(i - 1);
    CHECK(std::abs(neighbours / 200000.0) < 0.01);

    tensor<float, 100, 1000> shifted;
    std::mt19937 rng32(2);
    fill_normal(shifted, rng32, 5.0f, 0.1f);
    m = moments_of(shifted);
    CHECK(std::abs(m.mean - 5) < 0.01);
    CHECK(std::abs(std::sqrt(m.variance) - 0.1) < 0.01);
}

TEST_CASE("fill_normal: the same seed gives the same numbers, also through a strided view") {
    tensor<double, 5> a, b;
    std::mt19937 rng(7), again(7);
    fill_normal(a, rng);
    fill_normal(view<double, 5>(b.data() + 4, std::array<std::ptrdiff_t, 1>{-1}), again);
    for (int i = 0; i < 5; ++i) CHECK(a(i) == b(4 - i));
    CHECK(rng == again);
    CHECK_FALSE(a(0) == a(1));
}

TEST_CASE("fill_uniform: numbers of the half-open interval, evenly spread") {
    tensor<float, dyn> t(100000);
    std::mt19937 rng(3);
    fill_uniform(t, rng, -2.0f, 6.0f);
    int quarter[4]{};
    for (float x : t) {
        REQUIRE(x >= -2.0f);
        REQUIRE(x < 6.0f);
        ++quarter[static_cast<int>((x + 2) / 2)];
    }
    for (int n : quarter) CHECK(std::abs(n - 25000) < 600);
    fill_uniform(t, rng, 3.0f, 3.0f);
    CHECK(t(99) == 3.0f);
    std::vector<double> unit(10);
    fill_uniform(unit, std::mt19937_64(1));
    for (double x : unit) CHECK((0 <= x && x < 1));
}

TEST_CASE("fill_uniform: integer elements take every integer of the interval equally often") {
    tensor<std::int64_t, dyn> t(40000);
    std::mt19937 rng(4);
    fill_uniform(t, rng, -2, 2);
    int count[4]{};
    for (auto x : t) {
        REQUIRE(x >= -2);
        REQUIRE(x < 2);
        ++count[x + 2];
    }
    for (int n : count) CHECK(std::abs(n - 10000) < 400);
}

TEST_CASE("fill_uniform: generators of any range are uniform") {
    tensor<double, dyn> t(40000);
    six_sided dice;
    fill_uniform(t, dice);
    auto m = moments_of(t);
    CHECK(std::abs(m.mean - 0.5) < 0.01);
    CHECK(std::abs(m.variance - 1.0 / 12) < 0.002);
    std::minstd_rand small(5);
    fill_uniform(t, small);
    m = moments_of(t);
    CHECK(std::abs(m.mean - 0.5) < 0.01);
    CHECK(std::abs(m.variance - 1.0 / 12) < 0.002);
}

TEST_CASE("fill_uniform, fill_normal: the numbers are pinned, so that every platform gives them") {
    tensor<double, 4> u, n;
    std::mt19937 a(1), b(1);
    fill_uniform(u, a);
    fill_normal(n, b);
    std::mt19937 bits(1);
    for (int i = 0; i < 4; ++i) {
        std::uint64_t const high = bits(), low = bits();
        CHECK(u(i) == static_cast<double>(((high << 32) | low) >> 11) / 9007199254740992.0);
    }
    double const pinned[] = {0.15606559630204192, 0.30639954411835246, -0.56803982891914762, -0.424386332650106};
    for (int i = 0; i < 4; ++i) CHECK(std::abs(n(i) - pinned[i]) < 1e-14);
}

TEST_CASE("arange: 0 to n - 1") {
    CHECK(arange<int>(4) == tensor<int, 4>{0, 1, 2, 3});
    CHECK(arange<float>(std::size_t{2}) == tensor<float, 2>{0, 1});
    CHECK(arange<float>(0).size() == 0);
    CHECK_THROWS_AS(arange<float>(-1), shape_error);
}

TEST_CASE("linspace: evenly spaced, both ends exact") {
    CHECK(linspace<double>(0, 1, 5) == tensor<double, 5>{0, 0.25, 0.5, 0.75, 1});
    auto t = linspace<float>(0.1f, 0.7f, 11u);
    CHECK(t(0) == 0.1f);
    CHECK(t(10) == 0.7f);
    CHECK(linspace<double>(3, 9, 1) == tensor<double, 1>{3});
    CHECK(linspace<double>(3, 9, 0).size() == 0);
    CHECK_THROWS_AS(linspace<double>(0, 1, -1), shape_error);
}

TEST_CASE("eye: ones on the diagonal, zeros elsewhere") {
    CHECK(eye<float, 2>() == tensor<float, 2, 2>{{1, 0}, {0, 1}});
    static_assert(std::is_same_v<decltype(eye<float, 2>()), tensor<float, 2, 2>>);
    static_assert(std::is_same_v<decltype(eye<float>(2)), tensor<float, dyn, dyn>>);
    CHECK(eye<double>(3) == tensor<double, 3, 3>{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}});
    CHECK(eye<double>(0).size() == 0);
    CHECK_THROWS_AS(eye<double>(-1), shape_error);
}
