// SPDX-License-Identifier: MIT
// Arrays that C++ programs have anyway: C arrays, and ranges of small arrays and structs, as (n, k).

#include <tapeless/tapeless.hpp>

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "support/catch.hpp"

namespace ad = tapeless;

namespace {

struct vec3 {
    float x, y, z;
    bool operator==(vec3 const&) const = default;
};
struct particle {
    vec3 place, velocity;
    float mass;
};
struct with_array {
    double weight, numbers[2];
};
struct padded {
    double x;
    float y;
};
struct mixed {
    float x;
    int id;
};
struct line {
    double slope[2];
    double offset;
};
/// A container of somebody else's.
template <class T>
class bag {
public:
    bag() = default;
    explicit bag(std::size_t n) : items_(n) {}
    T* data() { return items_.data(); }
    T const* data() const { return items_.data(); }
    std::size_t size() const { return items_.size(); }

private:
    std::vector<T> items_;
};

constexpr auto weighted = [](auto x, auto w) { return sum(x * x * w); };  // (n, 3), (3)

template <class A>
using shape_of = typename ad::detail::leaf_traits<A>::shape_type;

}  // namespace

TEST_CASE("arrays: members are counted, arrays among them too") {
    using ad::detail::member_count;
    static_assert(member_count<vec3>() == 3 && member_count<particle>() == 3);
    static_assert(member_count<with_array>() == 2 && member_count<line>() == 2 && member_count<mixed>() == 2);
    struct first_array {
        float a[3], b[2][2];
        int c;
    };
    static_assert(member_count<first_array>() == 3);
    struct one_array {
        float a[3];
    };
    static_assert(member_count<one_array>() == 1);
    struct models {
        ad::view<float, ad::dyn> a;
        ad::view<float, 2> b;
    };
    static_assert(member_count<models>() == 2);
}

TEST_CASE("arrays: a struct of one element type is a row") {
    using ad::detail::leaf;
    using ad::detail::row;
    static_assert(std::is_same_v<shape_of<std::vector<vec3>>, ad::shape<ad::dyn, 3>>);
    static_assert(std::is_same_v<shape_of<std::vector<particle>>, ad::shape<ad::dyn, 7>>);
    static_assert(std::is_same_v<shape_of<std::span<with_array const>>, ad::shape<ad::dyn, 3>>);
    static_assert(std::is_same_v<shape_of<std::span<std::array<std::int64_t, 2>, 4>>, ad::shape<4, 2>>);
    static_assert(std::is_same_v<shape_of<std::vector<std::array<std::array<double, 2>, 5>>>, ad::shape<ad::dyn, 10>>);
    static_assert(!row<padded> && !row<mixed> && !row<std::array<float, 0>> && !row<std::vector<float>> && !row<float>);
    static_assert(!leaf<std::vector<padded>> && !leaf<std::vector<mixed>> && !leaf<std::vector<std::vector<float>>>);
    static_assert(!leaf<vec3> && !leaf<std::array<vec3, 2>>);  // trees
    static_assert(std::is_same_v<shape_of<float[2][3]>, ad::shape<2, 3>> &&
                  std::is_same_v<shape_of<int[4]>, ad::shape<4>>);
}

TEST_CASE("arrays: gradients of ranges of rows have the range's type, and those of spans are tensors") {
    std::vector<vec3> points{{1, 2, 3}, {-1, 0, 2}};
    float const weights[3] = {1, 10, 100};
    auto step = ad::value_and_grad<0, 1>(weighted);
    auto const [value, grads] = step(points, weights);
    auto const& [by_points, by_weights] = grads;
    static_assert(std::is_same_v<decltype(by_points), std::vector<vec3> const>);
    static_assert(std::is_same_v<decltype(by_weights), ad::tensor<float, 3> const>);
    CHECK(value == 1 + 40 + 900 + 1 + 400);
    CHECK(by_points == std::vector<vec3>{{2, 40, 600}, {-2, 0, 400}});
    CHECK(by_weights == ad::tensor<float, 3>{2, 4, 13});

    auto const of_span = ad::grad<0>(weighted)(std::span<vec3 const>(points), weights);
    static_assert(std::is_same_v<decltype(of_span), ad::tensor<float, ad::dyn, 3> const>);
    CHECK(of_span == ad::tensor<float, ad::dyn, 3>{{2, 40, 600}, {-2, 0, 400}});

    bag<vec3> others(1);
    *others.data() = {1, 1, 1};
    bag<vec3> const g = ad::grad<0>(weighted)(others, weights);
    CHECK(g.size() == 1);
    CHECK(*g.data() == vec3{2, 20, 200});

    std::vector<vec3> none;
    CHECK(ad::grad<0>(weighted)(none, weights).empty());
}

TEST_CASE("arrays: rows and C arrays are targets") {
    std::vector<std::array<float, 3>> const points{{1, 2, 3}, {-1, 0, 2}};
    float const weights[3] = {1, 10, 100};
    std::vector<vec3> g(2);  // rows of another kind will do
    float by_weights[3];
    auto step = ad::value_and_grad<0, 1>(weighted);
    CHECK(step(ad::into(g, by_weights), points, weights) == 1342);
    CHECK(g == std::vector<vec3>{{2, 40, 600}, {-2, 0, 400}});
    CHECK(by_weights[2] == 13);

    g.resize(3);
    std::string message;
    try {
        step(ad::into(g, by_weights), points, weights);
    } catch (ad::shape_error const& e) {
        message = e.what();
    }
    CHECK(message == "into: target 0, axis 0 has length 3, but what is written there has 2");

    float square[2][2] = {{1, 2}, {3, 4}}, twice[2][2];
    ad::fused([](auto x) { return x + transpose(x); })(ad::into(twice), square);
    CHECK((twice[0][0] == 2 && twice[0][1] == 5 && twice[1][0] == 5 && twice[1][1] == 8));
}

TEST_CASE("arrays: views are made of them") {
    std::vector<vec3> points{{1, 2, 3}, {4, 5, 6}};
    ad::view<float, ad::dyn, 3> const v = points;
    v(1, 2) = 7;
    CHECK((points[1].z == 7 && v.extent(0) == 2));
    double const square[2][2] = {{1, 2}, {3, 4}};
    ad::view<double const, 2, ad::dyn> const s = square;
    CHECK((s(1, 0) == 3 && s.extent(1) == 2));
    static_assert(!std::is_convertible_v<std::vector<vec3>, ad::view<float, ad::dyn, 3>>);  // a temporary
    static_assert(!std::is_convertible_v<std::vector<vec3>&, ad::view<float, ad::dyn, 4>>);
    static_assert(!std::is_convertible_v<std::vector<vec3> const&, ad::view<float, ad::dyn, 3>>);
    static_assert(!std::is_convertible_v<double const (&)[2][2], ad::view<double const, 3, 2>>);
    ad::function<float(ad::view<float const, ad::dyn, 3>)> const total = ad::fused([](auto x) { return sum(x); });
    CHECK(ad::function(total)(points) == 22);
}

TEST_CASE("arrays: a C array is a member of a tree") {
    line const l{{1, 2}, 3};
    auto const f = [](auto const& m, auto x) {
        auto const& [slope, offset] = m;
        return sum(square(slope * x + offset));
    };
    line const g = ad::grad<0>(f)(l, 2.0);  // 2 (slope x + offset) x, and 2 (...)
    CHECK((g.slope[0] == 20 && g.slope[1] == 28 && g.offset == 24));
    CHECK(ad::check_gradient<0>(f, l, 2.0).passed);
    CHECK(ad::check_gradient<0>(weighted, std::vector<vec3>{{1, 2, 3}}, std::array<float, 3>{1, 2, 3}).passed);
}
