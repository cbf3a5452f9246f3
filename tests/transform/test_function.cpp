// SPDX-License-Identifier: MIT
// function: any callable behind a signature. tests/light calls one from a file that does not know what it hides.

#include <tapeless/tapeless.hpp>

#include <array>
#include <span>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/catch.hpp"

namespace ad = tapeless;
using ad::dyn;

namespace {
constexpr auto weighted = [](auto x, auto w) { return sum(x * x * w); };
constexpr auto energy = [](auto x) { return sum(x * x); };
}  // namespace

TEST_CASE("function: a transformation of every kind can be hidden, and gives what it gives itself") {
    using vector = ad::tensor<double, 2>;
    auto f = [](auto x) { return sum(square(x) * square(x)); };
    vector const x{1, 2}, v{1, -1};
    ad::function<ad::value_and_tangent<double, double>(vector, vector)> forward = ad::jvp<0>(f);
    auto const [value, slope] = forward(x, v);
    CHECK(value == 17);
    CHECK(slope == 4 - 32);
    ad::function<ad::tensor<double, 2, 2>(vector)> hessian = ad::hessian<0>(f);
    CHECK(hessian(x) == ad::tensor<double, 2, 2>{{12, 0}, {0, 48}});
    ad::function<vector(vector, vector)> product = ad::hvp<0>(f);
    CHECK(product(x, v) == vector{12, -48});
    ad::function<vector(ad::tensor<double, 2, 2>)> each = ad::vmap<0>(f);
    CHECK(each(ad::tensor<double, 2, 2>{{1, 2}, {0, 3}}) == vector{17, 81});
}

TEST_CASE(
    "function: the result may be another tree of as many parts, or an array whose extents are spelled otherwise") {
    using vector = ad::tensor<float, 2>;
    vector const x{1, 2}, w{3, 4};
    using value_and_two = std::tuple<double, std::array<ad::tensor<float, dyn>, 2>>;
    ad::function<value_and_two(vector, vector)> f = ad::value_and_grad<0, 1>(weighted);
    auto const [value, gradients] = f(x, w);
    CHECK(value == 19);
    CHECK(gradients[0] == vector{6, 16});
    CHECK(gradients[1] == vector{1, 4});
    ad::function<void(vector, vector)> dropped = ad::grad<0>(weighted);
    dropped(x, w);
}

TEST_CASE(
    "function: of temporaries that a signature asks for otherwise, views are made, and nothing is written to copies") {
    ad::function<double(ad::into_t<ad::view<double, dyn>>, ad::view<double const, dyn>)> f =
        ad::value_and_grad<0>(energy);
    std::vector<double> g(2);
    CHECK(f(ad::into(std::span<double>(g)), std::vector<double>{1, 2}) == 5);
    CHECK(g == std::vector<double>{2, 4});
    using targets = ad::into_t<ad::view<double, dyn>>;
    static_assert(std::is_convertible_v<decltype(ad::into(g)), targets>);
    static_assert(!std::is_convertible_v<ad::into_t<std::vector<float>&>, targets>);
    static_assert(!std::is_convertible_v<decltype(ad::into(g)), ad::into_t<std::vector<double>>>);
}

TEST_CASE("function: arguments are not copied, whether the signature has a & or not") {
    std::vector<double> const x(100);
    ad::tensor<double, dyn> const y(50);
    void const *at_x = nullptr, *at_y = nullptr;
    ad::function<void(std::vector<double>, ad::tensor<double, dyn> const&)> f = [&](auto const& a, auto const& b) {
        at_x = a.data();
        at_y = b.data();
    };
    f(x, y);
    CHECK(at_x == x.data());
    CHECK(at_y == y.data());
}

TEST_CASE("function: of a function of another signature, where an empty one makes an empty one") {
    ad::function<float(float)> single = [](float x) { return x + 0.5f; };
    ad::function<double(float)> wide = single;
    CHECK(wide(1.0f) == 1.5);
    CHECK_FALSE(ad::function<double(float)>(ad::function<float(float)>()));
    CHECK_FALSE(ad::function<double(double)>(static_cast<double (*)(double)>(nullptr)));
    ad::function<double(double)> pointer = +[](double x) { return 2 * x; };
    CHECK(pointer(4) == 8);
}

TEST_CASE("function: a reference that the callable returns comes back as one, or as a view of what it refers to") {
    int n = 3;
    ad::function<int&(int&)> same = [](int& i) -> int& { return i; };
    same(n) = 4;
    CHECK(n == 4);
    ad::tensor<double, 2> const x{1, 2};
    ad::function<ad::view<double const, dyn>()> look = [&]() -> ad::tensor<double, 2> const& { return x; };
    CHECK(look().data() == x.data());
}

TEST_CASE("function: a copy has a callable of its own, and what was moved from is empty") {
    ad::function<int()> a = [n = 0]() mutable { return ++n; };
    a();
    auto b = a;
    CHECK(a() == 2);
    CHECK(a() == 3);
    CHECK(b() == 2);

    auto c = std::move(a);
    CHECK_FALSE(a);
    CHECK(a == nullptr);
    CHECK(c() == 4);
    a = c;
    CHECK(a() == 5);
    CHECK(c() == 5);
    auto const& same = a;
    a = same;
    CHECK(a() == 6);
    swap(a, b);
    CHECK(a() == 3);
    CHECK(b() == 7);
    a = nullptr;
    CHECK_FALSE(a);

    static_assert(std::is_nothrow_move_constructible_v<ad::function<int()>>);
    static_assert(std::is_nothrow_move_assignable_v<ad::function<int()>>);
    static_assert(std::is_invocable_v<ad::function<int()> const&>);
}

TEST_CASE("function: calling an empty one throws, by a name of its own and as an error of the library") {
    ad::function<double(double)> f;
    CHECK_FALSE(f);
    CHECK_THROWS_AS(f(1), ad::empty_function_error);
    CHECK_THROWS_AS(f(1), std::logic_error);
    std::string said;
    try {
        f(1);
    } catch (ad::error const& e) {
        said = e.what();
    }
    CHECK(said == "function: it is empty: assign a callable, such as value_and_grad(f), before calling it");
    f = ad::fused([](auto x) { return 2.0 * x; });
    CHECK(f(1) == 2);
}

TEST_CASE("function: lbfgs minimises what a function hides") {
    ad::tensor<double, 2> x{3, -2};
    ad::function<double(ad::into_t<ad::tensor<double, 2>&>, ad::tensor<double, 2>)> f =
        ad::value_and_grad<0>([](auto v) { return sum(square(v - 1.0)); });
    auto const report = ad::optim::lbfgs(x).minimize(x, f);
    CHECK(report.converged());
    CHECK_THAT(x(0), Catch::Matchers::WithinAbs(1, 1e-6));
    CHECK_THAT(x(1), Catch::Matchers::WithinAbs(1, 1e-6));
}
