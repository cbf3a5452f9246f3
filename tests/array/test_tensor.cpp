// SPDX-License-Identifier: MIT
// tensor: how it is made, what it converts to, and what it refuses.
#include <tapeless/array/tensor.hpp>

#include "support/catch.hpp"
#include "support/messages.hpp"

#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

using namespace tapeless;

namespace {
// What counts the members of an aggregate: something that converts to anything.
struct anything {
    template <class U>
    operator U() const;
};
template <class P, class... A>
concept made_of = requires { P{A{}...}; };

struct Pair {
    tensor<float, 2, 3> a;
    tensor<float> b;
};
struct Many {
    tensor<float, 3> a;
    tensor<double, dyn> b;
    tensor<float, dyn, 2> c;
    tensor<int, dyn, dyn, dyn> d;
    tensor<bool> e;
    tensor<double, 100, 100> f;
    tensor<float, dim<"batch">, 3> g;
};
}  // namespace

TEST_CASE("tensor: static extents start as zeros, run-time extents without elements") {
    tensor<float, 2, 3> a;
    CHECK(a.size() == 6);
    for (float x : a) CHECK(x == 0.0f);

    tensor<double, 100, 100> big;
    CHECK(big.size() == 10000);
    for (double x : big) REQUIRE(x == 0.0);

    tensor<float, dyn, 3> b;
    CHECK(b.size() == 0);
    CHECK(b.extent(0) == 0);
    CHECK(b.extent(1) == 3);
    CHECK(b.begin() == b.end());
}

TEST_CASE("tensor: the constructor takes the run-time extents in order, of any integral type") {
    tensor<float, dyn, 3> b(std::size_t{4});
    CHECK(b.extents() == std::array<std::int64_t, 2>{4, 3});
    tensor<float, dim<"batch">, 3, dyn> c(5, static_cast<unsigned char>(2));
    CHECK(c.extents() == std::array<std::int64_t, 3>{5, 3, 2});
    CHECK(c.size() == 30);
    for (float x : c) CHECK(x == 0.0f);
    tensor<float, dyn> five(5), one{5.f};
    CHECK(five.size() == 5);
    CHECK(one.size() == 1);
    static_assert(!std::is_constructible_v<tensor<float, dyn, 3>, int, int>);
    static_assert(!std::is_constructible_v<tensor<float, 3>, int>);
    static_assert(!std::is_convertible_v<int, tensor<float, dyn>>);
}

TEST_CASE("tensor: lengths that are negative or exceed memory are refused") {
    CHECK(message_of<shape_error>([] { tensor<float, 3, dyn> t(-2); }) ==
          "tensor: axis 1 was given the length -2, a length is 0 or more");
    CHECK(message_of<shape_error>([] { tensor<float, dyn, dyn> t(std::int64_t{1} << 40, std::int64_t{1} << 40); }) ==
          "tensor: the product of the lengths is more than memory can hold");
    CHECK_THROWS_AS((tensor<double, dyn, 2>(std::int64_t{1} << 60)), shape_error);
    CHECK_THROWS_AS((tensor<float, dyn>(~std::size_t{0})), shape_error);
}

TEST_CASE("tensor: nested braces are the elements, row by row") {
    tensor<float, 2, 2> a{{1, 2}, {3, 4}};
    CHECK(a(0, 0) == 1);
    CHECK(a(0, 1) == 2);
    CHECK(a(1, 0) == 3);
    CHECK(a(1, 1) == 4);
    tensor<float, 3> w = {0.5f, 1.5f, 2.5f};
    CHECK(w(2) == 2.5f);
    tensor<int, 2, 1, 3> r{{{1, 2, 3}}, {{4, 5, 6}}};
    CHECK(r(1, 0, 1) == 5);
    tensor<double, 1, 1> one{{7}};
    CHECK(one(0, 0) == 7);
    tensor<bool, 2> flags{true, false};
    CHECK(flags(0));
    CHECK_FALSE(flags(1));
    static_assert(sizeof(*flags.data()) == 1);
}

TEST_CASE("tensor: braces give run-time extents their lengths") {
    tensor<float, dyn, dim<"n">> a{{1, 2, 3}, {4, 5, 6}};
    CHECK(a.extents() == std::array<std::int64_t, 2>{2, 3});
    CHECK(a(1, 0) == 4);
    tensor<float, dyn, 2, dyn> b{{{1}, {2}}, {{3}, {4}}, {{5}, {6}}};
    CHECK(b.extents() == std::array<std::int64_t, 3>{3, 2, 1});
    CHECK(b(2, 1, 0) == 6);
    tensor<float, dyn, dyn> empty_row{{}};
    CHECK(empty_row.extents() == std::array<std::int64_t, 2>{1, 0});
}

TEST_CASE("tensor: braces that contradict a static extent are refused") {
    CHECK(message_of<shape_error>([] { tensor<float, 3> t{1.f, 2.f}; }) ==
          "tensor: the list has 2 elements, axis 0 has 3");
    CHECK(message_of<shape_error>([] { tensor<float, 2, 2> t{{1, 2}, {1, 2, 3}}; }) ==
          "tensor: row 1 has 3 elements, axis 1 has 2");
    CHECK(message_of<shape_error>([] { tensor<float, dyn, 2> t{{1}}; }) ==
          "tensor: row 0 has 1 elements, axis 1 has 2");
    CHECK(message_of<shape_error>([] { tensor<float, 1, 2> t{{1, 2}, {3, 4}}; }) ==
          "tensor: the list has 2 elements, axis 0 has 1");
}

TEST_CASE("tensor: ragged braces are refused") {
    CHECK(message_of<shape_error>([] { tensor<float, dyn, dyn> t{{1, 2}, {1, 2}, {1}}; }) ==
          "tensor: row 2 has 1 elements, axis 1 has 2");
    CHECK(message_of<shape_error>([] { tensor<float, dyn, dyn, dyn> t{{{1}, {2}, {3}}, {{1}, {2}, {3, 4}}}; }) ==
          "tensor: row (1, 2) has 2 elements, axis 2 has 1");
    CHECK(message_of<shape_error>([] { tensor<float, dyn, dyn, dyn> t{{{1}, {2}}, {{1}}}; }) ==
          "tensor: row 1 has 1 elements, axis 1 has 2");
}

TEST_CASE("tensor: rank 0 is a number") {
    tensor<float> t;
    CHECK(t() == 0.0f);
    t = 2.5f;
    float x = t;
    CHECK(x == 2.5f);
    CHECK(t.size() == 1);
    CHECK(t.at() == 2.5f);
    t() += 1;
    CHECK(t == 3.5f);
    CHECK(t == tensor<float>(3.5f));
    CHECK(t * 2 == 7);
    CHECK(t.end() - t.begin() == 1);
    CHECK(t.extents().size() == 0);
    static_assert(tensor<float>::rank == 0);
    static_assert(!std::is_convertible_v<tensor<float, 1>, float>);
    static_assert(!std::is_constructible_v<tensor<float, 1>, tensor<float>>);
}

TEST_CASE("tensor: extents spelled otherwise compare and convert") {
    tensor<float, 2, 3> a{{1, 2, 3}, {4, 5, 6}};
    tensor<float, 2u, std::size_t{3}> b = a;
    tensor<float, dyn, 3> c = a;
    tensor<float, dim<"batch">, dyn> d = c;
    CHECK(a == b);
    CHECK(a == c);
    CHECK(d == a);
    a = tensor<float, 2, 3>{};
    CHECK(a != d);
    a = d;
    CHECK(a == b);
    c = b;
    CHECK(c == d);
    static_assert(std::is_same_v<decltype(a)::shape_type, decltype(b)::shape_type>);
    static_assert(!std::is_constructible_v<tensor<float, 2, 3>, tensor<float, 2, 4>>);
    static_assert(!std::is_constructible_v<tensor<float, 2, 3>, tensor<float, 6>>);
    static_assert(!std::is_constructible_v<tensor<float, 2, 3>, tensor<double, 2, 3>>);
}

TEST_CASE("tensor: a run-time length that contradicts a static extent is refused") {
    tensor<float, dyn, dyn> a(2, 4);
    CHECK(message_of<shape_error>([&] { (void)tensor<float, 2, 3>(a); }) ==
          "tensor: axis 1 has 3 elements, the source has 4");
    CHECK(message_of<shape_error>([&] { (void)tensor<float, dyn, 3>(std::move(a)); }) ==
          "tensor: axis 1 has 3 elements, the source has 4");
    CHECK(a.size() == 8);
}

TEST_CASE("tensor: with_extents takes all lengths, and refuses those that contradict the type") {
    auto a = tensor<float, dyn, 3>::with_extents({2, 3});
    CHECK(a.size() == 6);
    CHECK(a(1, 2) == 0);
    CHECK((tensor<float, dyn, 3>::uninitialized({2, 3}).size()) == 6);
    CHECK(tensor<float>::with_extents({})() == 0);
    CHECK_THROWS_AS((tensor<float, dyn, 3>::with_extents({2, 4})), shape_error);
    CHECK_THROWS_AS((tensor<float, dyn, 3>::with_extents({-1, 3})), shape_error);
}

TEST_CASE("tensor: indices of any integral type address row-major storage") {
    tensor<int, 2, 3, dyn> t(4);
    int k = 0;
    for (int& x : t) x = k++;
    for (std::size_t i = 0; i < 2; ++i)
        for (short j = 0; j < 3; ++j)
            for (std::int64_t l = 0; l < 4; ++l) {
                CHECK(t(i, j, l) == static_cast<int>(i) * 12 + j * 4 + static_cast<int>(l));
                CHECK(&t(i, j, l) == &std::as_const(t).at(i, j, l));
            }
}

TEST_CASE("tensor: x[i] is the element of one axis, to be written too") {
    tensor<int, dyn> t(3);
    for (std::size_t i = 0; i < t.size(); ++i) t[i] = static_cast<int>(i) + 5;
    CHECK(&t[2] == &t(2));
    CHECK(std::as_const(t)[short{1}] == 6);
    static_assert(std::is_same_v<decltype(std::as_const(t)[0]), int const&>);
    static_assert(tensor<int, 3>{1, 2, 3}[2] == 3);
}

TEST_CASE("tensor: at and extent refuse what is out of range, naming the axis") {
    tensor<int, 2, dyn> t(3);
    CHECK(t.at(1, 2u) == 0);
    CHECK(message_of<std::out_of_range>([&] { t.at(1, 3) = 1; }) ==
          "tensor: index 3 on axis 1, which has 3 elements");
    CHECK(message_of<std::out_of_range>([&] { (void)std::as_const(t).at(-1, 0); }) ==
          "tensor: index -1 on axis 0, which has 2 elements");
    CHECK(t.extent(1u) == 3);
    CHECK(message_of<std::out_of_range>([&] { (void)t.extent(2); }) == "tensor: there is no axis 2, the rank is 2");
    CHECK_THROWS_AS(t.extent(-1), std::out_of_range);
    CHECK_THROWS_AS(tensor<float>().extent(0), std::out_of_range);
}

TEST_CASE("tensor: a const tensor gives const elements") {
    tensor<float, 3> const t{1.f, 2.f, 3.f};
    static_assert(std::is_same_v<decltype(t.data()), float const*>);
    static_assert(std::is_same_v<decltype(t(0)), float const&>);
    static_assert(std::is_same_v<decltype(t.begin()), float const*>);
    static_assert(tensor<float, 3>::is_dense);
    CHECK(t(2) == 3);
}

TEST_CASE("tensor: small static tensors are constants where wanted") {
    constexpr tensor<int, 2, 2> t{{1, 2}, {3, 4}};
    static_assert(t(1, 0) == 3 && t.size() == 4 && t.extent(0) == 2);
    static_assert(t == tensor<int, 2u, 2u>(t));
    CHECK(t(1, 1) == 4);
}

TEST_CASE("tensor: the members of an aggregate of tensors can be counted") {
    static_assert(made_of<Pair, anything> && made_of<Pair, anything, anything> &&
                  !made_of<Pair, anything, anything, anything>);
    static_assert(made_of<Many, anything, anything, anything, anything, anything, anything, anything>);
    static_assert(!made_of<Many, anything, anything, anything, anything, anything, anything, anything, anything>);
    SUCCEED();
}
