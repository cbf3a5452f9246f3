// SPDX-License-Identifier: MIT
// view: other people's memory, strided, and what it can be made from.
#include <tapeless/array/tensor.hpp>
#include <tapeless/array/view.hpp>

#include "support/catch.hpp"
#include "support/messages.hpp"

#include <array>
#include <iterator>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

using namespace tapeless;

namespace {
template <class V>
auto elements(V const& v) {
    std::vector<typename V::value_type> all;
    for (auto const& x : v) all.push_back(x);
    return all;
}
std::vector<double> counted(int n) {
    std::vector<double> v;
    for (int i = 0; i < n; ++i) v.push_back(i);
    return v;
}
using ints = std::vector<int>;
using doubles = std::vector<double>;

struct anything {
    template <class U>
    operator U() const;
};
template <class P, class... A>
concept made_of = requires { P{A{}...}; };
struct Views {
    view<float, 3> a;
    view<const double, dyn> b;
    view<float> c;
    view<const float, dyn, 3> d;
};
}  // namespace

static_assert(std::is_trivially_copyable_v<view<float, dyn, 3>> && std::is_trivially_copyable_v<view<const float>>);
static_assert(std::forward_iterator<view<float, dyn, 3>::iterator> && std::forward_iterator<view<float>::iterator>);
static_assert(std::is_same_v<view<const float, 3>::value_type, float> && view<const float, 3>::rank == 1);
static_assert(!view<float, 3>::is_dense);
static_assert(made_of<Views, anything, anything, anything, anything> &&
              !made_of<Views, anything, anything, anything, anything, anything>);

TEST_CASE("view: a pointer and the run-time extents are a dense row-major array") {
    auto memory = counted(6);
    view<double, dyn, 3> v(memory.data(), 2u);
    CHECK(v.extents() == std::array<std::int64_t, 2>{2, 3});
    CHECK(v.strides() == std::array<std::ptrdiff_t, 2>{3, 1});
    CHECK(v.stride(0) == 3);
    CHECK(v.size() == 6);
    CHECK(v(1, 2) == 5);
    CHECK(v.is_contiguous());
    view<double, 4> w(memory.data());
    CHECK(elements(w) == doubles{0, 1, 2, 3});
    v(0, 1) = 10;
    CHECK(memory[1] == 10);
}

TEST_CASE("view: strides come after the extents") {
    auto memory = counted(12);
    view<double, dyn, 3> v(memory.data(), 2, std::array<std::ptrdiff_t, 2>{6, 2});
    CHECK(elements(v) == doubles{0, 2, 4, 6, 8, 10});
    CHECK(v(1, 1) == 8);
    CHECK(v.at(1, 2) == 10);
    CHECK_FALSE(v.is_contiguous());
    view<double, 3, 2> transposed(memory.data(), std::array<std::ptrdiff_t, 2>{1, 3});
    CHECK(elements(transposed) == doubles{0, 3, 1, 4, 2, 5});
}

TEST_CASE("view: strides may be negative or 0") {
    auto memory = counted(4);
    view<double, dyn> backwards(memory.data() + 3, 4, std::array<std::ptrdiff_t, 1>{-1});
    CHECK(elements(backwards) == doubles{3, 2, 1, 0});
    CHECK(backwards(1) == 2);
    CHECK(backwards[3u] == 0);
    CHECK(&backwards[0] == &memory[3]);
    CHECK_FALSE(backwards.is_contiguous());
    view<const double, 2, dyn> repeated(memory.data() + 1, 2, std::array<std::ptrdiff_t, 2>{0, 1});
    CHECK(elements(repeated) == doubles{1, 2, 1, 2});
    view<const double, 2, 2> both(memory.data() + 3, std::array<std::ptrdiff_t, 2>{-2, -1});
    CHECK(elements(both) == doubles{3, 2, 1, 0});
}

TEST_CASE("view: contiguity ignores axes of one element, and arrays of at most one element are contiguous") {
    int memory[12]{};
    CHECK(view<int, 1, 3>(memory, std::array<std::ptrdiff_t, 2>{77, 1}).is_contiguous());
    CHECK(view<int, 3, 1>(memory, std::array<std::ptrdiff_t, 2>{1, 77}).is_contiguous());
    CHECK_FALSE(view<int, 3, 1>(memory, std::array<std::ptrdiff_t, 2>{2, 1}).is_contiguous());
    CHECK(view<int, 1, 1>(memory, std::array<std::ptrdiff_t, 2>{-5, 9}).is_contiguous());
    CHECK(view<int, 3, 0>(memory, std::array<std::ptrdiff_t, 2>{-5, 9}).is_contiguous());
    CHECK_FALSE(view<int, 2, 3>(memory, std::array<std::ptrdiff_t, 2>{4, 1}).is_contiguous());
    CHECK_FALSE(view<int, 2>(memory, std::array<std::ptrdiff_t, 1>{0}).is_contiguous());
    CHECK(view<int>(memory).is_contiguous());
}

TEST_CASE("view: zero lengths are legal") {
    view<double, dyn, 3> v(nullptr, 0);
    CHECK(v.size() == 0);
    CHECK(v.begin() == v.end());
    CHECK(v.is_contiguous());
    view<double, dyn, 0> w(nullptr, 5);
    CHECK(elements(w).empty());
    view<double, dyn, 3> none;
    CHECK(none.extents() == std::array<std::int64_t, 2>{0, 3});
    static_assert(!std::is_default_constructible_v<view<double, 3>>);
    tensor<double, dyn> empty;
    CHECK(view<double, dyn>(empty).size() == 0);
}

TEST_CASE("view: beside a length of 0 others may be as long as they like") {
    // the product of two overflows, which a constant expression would tell
    constexpr std::int64_t large = std::int64_t{1} << 62;
    static_assert(tapeless::detail::element_count(std::array<std::int64_t, 3>{large, large, 0}) == 0);
    static_assert(tapeless::shape<large, large, 0>::static_size() == 0);
    constexpr tapeless::view<float, tapeless::dyn, tapeless::dyn, tapeless::dyn> v(nullptr, large, large, 0);
    static_assert(v.size() == 0 && v.is_contiguous() && v.begin() == v.end());
    CHECK(v.extent(0) == static_cast<std::size_t>(large));
}

TEST_CASE("view: rank 0 is one element") {
    double x = 4;
    view<double> v(&x);
    CHECK(v() == 4);
    CHECK(v.at() == 4);
    CHECK(elements(v) == doubles{4});
    v() = 5;
    CHECK(x == 5);
    tensor<double> t = 6.0;
    CHECK(view<const double>(t)() == 6);
}

TEST_CASE("view: tensors are viewed without a copy, const ones as const") {
    tensor<float, 2, 3> t{{1, 2, 3}, {4, 5, 6}};
    view<float, 2, 3> v = t;
    view<float, dyn, 3> w = t;
    view<const float, 2u, dyn> c = std::as_const(t);
    CHECK(v.data() == t.data());
    CHECK(w.extent(0) == 2);
    CHECK(c(1, 2) == 6);
    v(0, 0) = 9;
    CHECK(t(0, 0) == 9);
    static_assert(!std::is_constructible_v<view<float, 2, 3>, tensor<float, 2, 3> const&>);
    static_assert(!std::is_constructible_v<view<float, 2, 3>, tensor<float, 2, 3>>);
    static_assert(!std::is_constructible_v<view<float, 2, 4>, tensor<float, 2, 3>&>);
    static_assert(!std::is_constructible_v<view<float, 6>, tensor<float, 2, 3>&>);
    static_assert(!std::is_constructible_v<view<double, 2, 3>, tensor<float, 2, 3>&>);
}

TEST_CASE("view: vectors, spans and std::arrays are viewed without a copy") {
    ints vector{1, 2, 3};
    std::array<int, 3> array{4, 5, 6};
    view<int, dyn> a = vector;
    view<int, 3> b = array;
    view<const int, dyn> c = std::span<int>(vector);
    view<int, 3> d = std::span<int, 3>(array);
    view<const int, dim<"n">> e = std::as_const(vector);
    CHECK(elements(a) == vector);
    CHECK(elements(b) == ints{4, 5, 6});
    CHECK(c.data() == vector.data());
    CHECK(d.data() == array.data());
    CHECK(e.extent(0) == 3);
    a(1) = 7;
    CHECK(vector[1] == 7);
}

TEST_CASE("view: const elements stay const, and temporaries that own their elements cannot be written") {
    static_assert(!std::is_constructible_v<view<int, dyn>, ints const&>);
    static_assert(!std::is_constructible_v<view<int, dyn>, std::span<int const>>);
    static_assert(!std::is_constructible_v<view<int, dyn>, view<int const, dyn>>);
    static_assert(!std::is_constructible_v<view<int, dyn>, ints>);
    static_assert(!std::is_constructible_v<view<long, dyn>, ints&>);
    static_assert(!std::is_constructible_v<view<int, dyn, dyn>, ints&>);
    static_assert(std::is_constructible_v<view<int const, dyn>, ints>);
    static_assert(std::is_constructible_v<view<int, dyn>, std::span<int>>);
    SUCCEED();
}

TEST_CASE("view: views convert to const elements and to extents spelled otherwise, strides included") {
    auto memory = counted(12);
    view<double, dyn, 3> v(memory.data(), 2, std::array<std::ptrdiff_t, 2>{6, 2});
    view<const double, 2, dyn> w = v;
    CHECK(w.strides() == v.strides());
    CHECK(elements(w) == elements(v));
    v = view<double, 1, 3>(memory.data());
    CHECK(v.extent(0) == 1);
}

TEST_CASE("view: a source whose length contradicts a static extent is refused") {
    doubles vector(3);
    CHECK(message_of<shape_error>([&] { (void)view<double, 4>(vector); }) ==
          "view: axis 0 has 4 elements, the source has 3");
    tensor<double, dyn, dyn> t(2, 5);
    CHECK(message_of<shape_error>([&] { (void)view<double, 2, 4>(t); }) ==
          "view: axis 1 has 4 elements, the source has 5");
    view<double, dyn> d = vector;
    CHECK(message_of<shape_error>([&] { (void)view<double, 2>(d); }) ==
          "view: axis 0 has 2 elements, the source has 3");
    CHECK_THROWS_AS((view<double, dyn, 3>::with_extents(vector.data(), {1, 2})), shape_error);
}

TEST_CASE("view: lengths that are negative or exceed memory are refused") {
    double x = 0;
    CHECK(message_of<shape_error>([&] { view<double, 3, dyn> v(&x, -1); }) ==
          "view: axis 1 was given the length -1, a length is 0 or more");
    CHECK_THROWS_AS((view<double, dyn, dyn>(&x, std::int64_t{1} << 40, std::int64_t{1} << 40)), shape_error);
}

TEST_CASE("view: at, extent and stride refuse what is out of range, naming the axis") {
    auto memory = counted(6);
    view<double, dyn, 3> v(memory.data(), 2);
    CHECK(message_of<std::out_of_range>([&] { v.at(2, 0) = 1; }) == "view: index 2 on axis 0, which has 2 elements");
    CHECK(message_of<std::out_of_range>([&] { v.at(0, -1) = 1; }) == "view: index -1 on axis 1, which has 3 elements");
    CHECK(message_of<std::out_of_range>([&] { (void)v.extent(2); }) == "view: there is no axis 2, the rank is 2");
    CHECK_THROWS_AS(v.stride(2), std::out_of_range);
}

TEST_CASE("view: constness is shallow") {
    auto memory = counted(3);
    view<double, dyn> const v = memory;
    v(0) = 8;
    *v.begin() += 1;
    CHECK(memory[0] == 9);
}

TEST_CASE("view: iterators are independent of the view and can be walked twice") {
    auto memory = counted(8);
    auto first = view<double, 2, 2>(memory.data(), std::array<std::ptrdiff_t, 2>{4, 2}).begin();
    auto second = first;
    CHECK(*first++ == 0);
    CHECK(*++first == 4);
    CHECK(*second == 0);
    CHECK(std::distance(second, first) == 2);
}

TEST_CASE("view: lengths in braces are those of all axes") {
    double numbers[6] = {1, 2, 3, 4, 5, 6};
    std::size_t const n = 2;
    view<double, dyn, 3> a(numbers, {2, 3});
    CHECK(a(1, 0) == 4);
    view<double, dyn> b(numbers, {n});
    CHECK((b.extent(0) == 2 && b(1) == 2));
    view<double const, 3, 2> c(numbers, {3, 2});
    CHECK(c(2, 1) == 6);
    CHECK_THROWS_AS((view<double, dyn, 3>(numbers, {1, 2})), tapeless::shape_error);
    CHECK_THROWS_AS((view<double, dyn>(numbers, {2, 3})), tapeless::shape_error);
    CHECK_THROWS_AS((view<double, dyn>(numbers, {-1})), tapeless::shape_error);
    static_assert(!std::is_constructible_v<view<double, dyn, 3>, double*, int, int>);
    static_assert(!std::is_constructible_v<view<double, dyn>, double*, double>);
}

TEST_CASE("view: a tensor made from one is a copy of what it shows") {
    int numbers[12];
    for (int i = 0; i < 12; ++i) numbers[i] = i;
    view<int, 4, 3> const shown(numbers, std::array<std::ptrdiff_t, 2>{1, 4});  // transposed
    view<int const, dyn, dyn> const read = shown;
    tensor<int, 4, 3> const a(shown), b(read);
    tensor<int, dyn, 3> c(1);
    c = tensor<int, dyn, 3>(shown);
    static_assert(!std::is_convertible_v<view<int, 4, 3>, tensor<int, 4, 3>>);  // nothing is copied unasked
    numbers[0] = 77;
    CHECK(a == b);
    CHECK(a == c);
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 3; ++j) CHECK(a(i, j) == i + 4 * j);
    CHECK(tensor<int, dyn>(view<int, dyn>(numbers, 0)).size() == 0);
    CHECK(tensor<int>(view<int>(numbers)) == 77);
    CHECK_THROWS_AS((tensor<int, 5, 3>(read)), shape_error);
    static_assert(!std::is_constructible_v<tensor<int, 3, 3>, view<int, 4, 3>>);   // another shape
    static_assert(!std::is_constructible_v<tensor<long, 4, 3>, view<int, 4, 3>>);  // other elements
}
