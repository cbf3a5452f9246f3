// SPDX-License-Identifier: MIT
// function: called where only the light header is known. CMakeLists.txt keeps the precompiled header away from this
// file.

#include "light/model.hpp"

#ifdef XSIMD_VERSION_MAJOR
#error "the light header brings xsimd"
#endif

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "support/allocations.hpp"
#include "support/catch.hpp"
#include "support/messages.hpp"

namespace ad = tapeless;
using ad::dyn;

namespace {

light::model const start{.gain = {1, 2, 3}, .shift = {0, 0, 1}};
light::rows const two{{1, 2, 3}, {4, 5, 6}};

// by hand: d mean((g x + s)^2) / dg = mean over rows of 2 (g x + s) x, a third of it since the mean is over columns too
light::model expected_gradient(light::model const& m, light::rows const& x) {
    light::model g;
    auto const n = static_cast<float>(x.size());
    for (std::size_t i = 0; i < x.extent(0); ++i)
        for (std::size_t j = 0; j < 3; ++j) {
            float const y = m.gain(j) * x(i, j) + m.shift(j);
            g.gain(j) += 2 * y * x(i, j) / n;
            g.shift(j) += 2 * y / n;
        }
    return g;
}
void check_near(ad::tensor<float, 3> const& a, ad::tensor<float, 3> const& b) {
    for (int j = 0; j < 3; ++j) CHECK_THAT(a(j), Catch::Matchers::WithinRel(b(j), 1e-5f));
}

}  // namespace

TEST_CASE("light: arrays are made, filled and indexed") {
    ad::tensor<float, 2, dyn> a(3);
    ad::fill(a, 2.0f);
    a(1, 2) = 5;
    ad::view<float const, dyn, dyn> const v = a;
    CHECK(v(1, 2) == 5);
    CHECK(v(0, 0) == 2);
    CHECK(ad::eye<double, 2>() == ad::tensor<double, 2, 2>{{1, 0}, {0, 1}});
    CHECK(index_message([&] { (void)a.at(2, 0); }) == "tensor: index 2 on axis 0, which has 2 elements");
}

TEST_CASE("function: of numbers, with a pair and a tuple as result") {
    CHECK(light::number()(3, 2) == 12);
    auto const [value, gradients] = light::number_with_gradients()(3, 2);
    CHECK(value == 12);
    CHECK(gradients == std::tuple(4.0, 12.0));
}

TEST_CASE("function: of arrays of static extents, of vectors and spans, and of views however they are strided") {
    CHECK(light::gradient_of_static()({1, 2, 3}, {4, 5, 6}) == ad::tensor<double, 3>{8, 20, 36});

    std::vector<double> const x{1, 2, 3}, w{4, 5, 6};
    auto const [value, dx] = light::gradient_of_vectors()(x, w);
    CHECK(value == 4 + 20 + 54);
    CHECK(dx == std::vector<double>{8, 20, 36});

    std::array<double, 5> const memory{1, -1, 2, -1, 3};
    ad::view<double const, dyn> const every_second(memory.data(), 3, std::array<std::ptrdiff_t, 1>{2});
    CHECK(light::gradient_of_views()(every_second, w) == ad::tensor<double, dyn>{8, 20, 36});
}

TEST_CASE("function: targets are whatever a view can be of, and are written in place") {
    std::vector<double> const x{1, 2, 3}, w{4, 5, 6};
    auto f = light::gradients_into_views();
    std::vector<double> dx(3);
    std::array<double, 6> memory{};
    ad::view<double, dyn> const backwards(memory.data() + 4, 3, std::array<std::ptrdiff_t, 1>{-2});
    CHECK(f(ad::into(dx, backwards), x, w) == 78);
    CHECK(dx == std::vector<double>{8, 20, 36});
    CHECK(memory == std::array<double, 6>{9, 0, 4, 0, 1, 0});

    ad::tensor<double, 3> as_tensor, other;
    f(ad::into(as_tensor, other), x, w);
    CHECK(as_tensor == ad::tensor<double, 3>{8, 20, 36});
    CHECK(other == ad::tensor<double, 3>{1, 4, 9});
}

TEST_CASE("function: of a model, whose gradient comes back in a struct or is written into one") {
    CHECK(light::loss()(start, two) == 99);
    auto const [value, g] = light::loss_and_gradient()(start, two);
    static_assert(std::is_same_v<decltype(value), double const>);
    CHECK(value == 99);
    auto const expected = expected_gradient(start, two);
    check_near(g.gain, expected.gain);
    check_near(g.shift, expected.shift);

    light::model into;
    CHECK(light::loss_with_gradient_into()(ad::into(into), start, two) == 99);
    CHECK(into.gain == g.gain);
    CHECK(into.shift == g.shift);

    light::rows y(2);
    light::scaled_into()(ad::into(y), start, two);
    CHECK(y == light::rows{{1, 4, 10}, {4, 10, 19}});
}

TEST_CASE("function: a callable of one's own changes what it is given by reference") {
    auto m = start;
    auto step = light::descent(0.01f);
    float const first = step(m, two), second = step(m, two);
    CHECK(first == 99);
    CHECK(second < first);
    CHECK(m.gain(0) < 1);
}

TEST_CASE("function: what the callable throws comes through unchanged, and it can be called again") {
    auto f = light::gradients_into_views();
    std::vector<double> const x{1, 2, 3}, w{4, 5};
    std::vector<double> dx(3), dw(2), long_dx(4);
    CHECK(message_of([&] { f(ad::into(dx, dw), x, w); }) ==
          "argument 0, axis 0 has length 3, but argument 1, axis 0 has length 2: mul needs them equal");
    CHECK(message_of([&] { f(ad::into(long_dx, dx), x, x); }) ==
          "into: target 0, axis 0 has length 4, but what is written there has 3");
    CHECK_THROWS_AS(f(ad::into(dx, dx), x, x), ad::alias_error);
    CHECK(std::all_of(dx.begin(), dx.end(), [](double d) { return d == 0; }));
    std::vector<double> other(3);
    CHECK(f(ad::into(dx, other), x, x) == 1 + 8 + 27);
}

TEST_CASE("function: making and copying one allocates once, and calls after the first allocate nothing") {
    auto const allocated_by = [](auto&& f) {
        auto const before = allocations;
        f();
        return allocations - before;
    };
    ad::function<float(ad::into_t<light::model&>, light::model const&, light::rows const&)> f, copy, moved;
    light::model g;
    light::rows const many(1000);
    CHECK(allocated_by([&] { f = light::loss_with_gradient_into(); }) == 1);
    f(ad::into(g), start, many);
    CHECK(allocated_by([&] { f(ad::into(g), start, many); }) == 0);
    CHECK(allocated_by([&] { copy = f; }) == 1);
    CHECK(allocated_by([&] { moved = std::move(copy); }) == 0);
    moved(ad::into(g), start, many);
    CHECK(allocated_by([&] { moved(ad::into(g), start, many); }) == 0);
}
