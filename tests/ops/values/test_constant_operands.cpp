// SPDX-License-Identifier: MIT
// Functions of several arrays, some of which are tensors of the function: the same values and gradients as with
// arguments in their place.

#include <tapeless/tapeless.hpp>

#include <cmath>
#include <cstdint>

#include "support/catch.hpp"

namespace ad = tapeless;

namespace {

template <class A, class B>
void check_alike(A const& a, B const& b) {
    auto const near = [](auto p, auto q) { return std::abs(p - q) <= 1e-6 * (1 + std::abs(q)); };
    CHECK(near(a.value, b.value));
    REQUIRE(a.grad.size() == b.grad.size());
    for (std::size_t i = 0; i < a.grad.size(); ++i) CHECK(near(a.grad.data()[i], b.grad.data()[i]));
}
/// The value and gradient of f(x, constant...) by x, where the constants are arguments, and where `inside` has them.
template <class Inside, class F, class X, class... C>
void check_inside(Inside inside, F f, X const& x, C const&... constants) {
    check_alike(ad::value_and_grad<0>(inside)(x), ad::value_and_grad<0>(f)(x, constants...));
}

using vector = ad::tensor<double, 3>;
using matrix = ad::tensor<double, 3, 3>;
constexpr vector w{1.5, -2, 3};
constexpr matrix m{{4, 1, 0}, {1, 3, 0.5}, {0, 0.5, 5}};
constexpr auto four = ad::arange<double, 4>();
constexpr ad::tensor<double, 1, 2, 3> kernel{{{1, 2, 1}, {-1, 0, 1}}};  // takes the image's element type
vector const x{0.5, 1.25, -2};
matrix const a{{3, 0.25, 1}, {0.25, 2, 0.5}, {1, 0.5, 4}};

}  // namespace

TEST_CASE("constants: cross, pow, kron, masks") {
    check_inside([](auto v) { return sum(square(cross(v, w)) + cross(w, v)); },
                 [](auto v, auto c) { return sum(square(cross(v, c)) + cross(c, v)); }, x, w);
    check_inside(
        [](auto v) {
            return sum(pow(v * v, w) + pow(ad::tensor<int, 3>{1, 2, 3}, v));
        },
        [](auto v, auto c, auto i) { return sum(pow(v * v, c) + pow(ad::cast<double>(i), v)); }, x, w,
        ad::tensor<int, 3>{1, 2, 3});
    check_inside([](auto v) { return sum(square(ad::linalg::kron(v, ad::eye<double, 2>())) * 0.5); },
                 [](auto v, auto c) { return sum(square(ad::linalg::kron(v, c)) * 0.5); }, a, ad::eye<double, 2>());
    using mask = ad::tensor<bool, 3>;
    check_inside(
        [](auto v) {
            return sum(where(v > 0.0 && mask{true, false, true}, v, v * v));
        },
        [](auto v, auto c) { return sum(where(v > 0.0 && c, v, v * v)); }, x, mask{true, false, true});
    check_inside(
        [](auto v) {
            return sum(masked_fill(v * v, mask{true, false, true} || v > 9.0, 2.0));
        },
        [](auto v, auto c) { return sum(masked_fill(v * v, c || v > 9.0, 2.0)); }, x, mask{true, false, true});
    check_inside([](auto v) { return sum(prelu(v, w)); }, [](auto v, auto c) { return sum(prelu(v, c)); }, a, w);
}

TEST_CASE("constants: systems of equations, on either side") {
    using namespace ad::linalg;
    check_inside([](auto v) { return sum(square(solve(m, v)) + solve_triangular(m, v, upper)); },
                 [](auto v, auto c) { return sum(square(solve(c, v)) + solve_triangular(c, v, upper)); }, x, m);
    check_inside([](auto v) { return sum(solve(v, w) + solve_spd(v, w) + lstsq(v, w)); },
                 [](auto v, auto c) { return sum(solve(v, c) + solve_spd(v, c) + lstsq(v, c)); }, a, w);
}

TEST_CASE("constants: indices stay integers, and what they pick from may be a constant") {
    using indices = ad::tensor<int, 4>;
    indices const i{2, 0, 2, 1};
    check_inside(
        [](auto v) {
            return sum(square(ad::index_select<0>(v, indices{2, 0, 2, 1})) * four);
        },
        [](auto v, auto k) { return sum(square(ad::index_select<0>(v, k)) * four); }, x, i);
    check_inside(
        [](auto v) {
            return sum(square(ad::segment_sum<3>(v, ad::tensor<std::uint8_t, 3>{2, 0, 2})));
        },
        [](auto v, auto k) { return sum(square(ad::segment_sum<3>(v, k))); }, x, ad::tensor<std::uint8_t, 3>{2, 0, 2});
    check_inside(
        [](auto v) {
            return sum(square(ad::index_add<0>(v, indices{2, 0, 2, 1}, ad::arange<float, 4>())));
        },
        [](auto v, auto k, auto s) { return sum(square(ad::index_add<0>(v, k, s))); }, x, i, ad::arange<double, 4>());
    check_inside(
        [](auto v) {
            return sum(square(ad::scatter_add<0>(w, indices{2, 0, 2, 1}, v[0] * four)));
        },
        [](auto v, auto c, auto k) { return sum(square(ad::scatter_add<0>(c, k, v[0] * four))); }, x, w, i);
    check_inside(
        [](auto v) {
            return sum(square(ad::embedding(v, indices{2, 0, 2, 1})));
        },
        [](auto v, auto k) { return sum(square(ad::embedding(v, k))); }, a, i);
    check_inside([](auto v) { return sum(ad::take(m, ad::argmax<1>(v)) * v[0]); },
                 [](auto v, auto c) { return sum(ad::take(c, ad::argmax<1>(v)) * v[0]); }, a, m);
}

TEST_CASE("constants: kernels and biases of convolutions") {
    ad::tensor<float, 2, 7> image;
    for (int k = 0; k < 14; ++k) image(k / 7, k % 7) = static_cast<float>(k % 5) * 0.5f;
    ad::tensor<float, 1, 2, 3> const k{{{1, 2, 1}, {-1, 0, 1}}};
    check_inside([](auto v) { return sum(square(ad::conv1d(v, kernel, ad::tensor<int, 1>{2}))); },
                 [](auto v, auto c, auto b) { return sum(square(ad::conv1d(v, c, b))); }, image, k,
                 ad::tensor<float, 1>{2});
}

TEST_CASE("constants: elements by an index that is computed") {
    auto const inside = [](auto v, auto i, auto j) {
        ad::tensor<int, 3> next{1, 2, 0};
        return w[i] * sum(v) + m(j, i) * v[0] + sum(m[j] * v) + m(1, i) * v[next[i]] + ad::select<0>(w, j) * v[1];
    };
    auto const outside = [](auto v, auto i, auto j, auto c, auto t, auto next) {
        return c[i] * sum(v) + t(j, i) * v[0] + sum(t[j] * v) + t(1, i) * v[next[i]] + ad::select<0>(c, j) * v[1];
    };
    for (int i = 0; i < 3; ++i)
        for (std::int64_t j = 0; j < 3; ++j)
            check_alike(ad::value_and_grad(inside)(x, i, j),
                        ad::value_and_grad(outside)(x, i, j, w, m, ad::tensor<int, 3>{1, 2, 0}));
    CHECK_THROWS_AS(ad::value_and_grad(inside)(x, 3, std::int64_t{0}), ad::index_error);
}
