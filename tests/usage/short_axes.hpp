// SPDX-License-Identifier: MIT
#pragma once
// Operations along each axis of arrays whose axes have 0, 1, 2 or 3 elements, against plain loops over slices.

#include <tapeless/tapeless.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <tuple>
#include <utility>
#include <vector>

#include "support/catch.hpp"

namespace short_axes {

namespace ad = tapeless;
using ad::dyn;
using cube = ad::tensor<double, dyn, dyn, dyn>;
using matrix = ad::tensor<double, dyn, dyn>;
using vector = ad::tensor<double, dyn>;
using slice = std::vector<double>;
/// What is done to the elements along an axis: one number, or as many as there are.
using loop = std::function<slice(slice const&)>;

/// All apart from each other: no ties, no zeros.
template <class A>
A numbers(A a, double first) {
    for (auto& v : a) v = 0.3 + 0.8 * std::sin(first++);
    return a;
}

/// Both NaN, the same infinity, or near.
inline bool near(double a, double b, double tolerance) {
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
    if (std::isinf(a) || std::isinf(b)) return a == b;
    return std::abs(a - b) <= tolerance * (1 + std::abs(b));
}

/// The elements of x along `axis` (3: all of x in row-major order), for each place in the other axes.
struct walk {
    std::array<std::size_t, 3> n;
    int axis;

    std::size_t slices() const {
        std::size_t count = 1;
        for (int a = 0; a < 3; ++a) count *= axis == 3 || a == axis ? 1 : n[static_cast<std::size_t>(a)];
        return count;
    }
    std::size_t length() const { return axis == 3 ? n[0] * n[1] * n[2] : n[static_cast<std::size_t>(axis)]; }
    /// Where element i of a slice lies in x.
    std::size_t place(std::size_t s, std::size_t i) const {
        switch (axis) {
            case 0: return (i * n[1] + s / n[2]) * n[2] + s % n[2];
            case 1: return (s / n[2] * n[1] + i) * n[2] + s % n[2];
            case 2: return s * n[2] + i;
            default: return i;
        }
    }
};

/// Adds what flows back through f from `weights` to dx, and gives f's results; dy/dx by central differences.
template <class Weights>
std::vector<double> run(walk const& w, loop const& f, bool each, cube const& x, Weights const& weights,
                        std::vector<double>& dx) {
    std::vector<double> out(each ? x.size() : w.slices());
    for (std::size_t s = 0; s < w.slices(); ++s) {
        slice in(w.length());
        for (std::size_t i = 0; i < in.size(); ++i) in[i] = x.data()[w.place(s, i)];
        auto at = [&](std::size_t i) { return each ? w.place(s, i) : s; };
        slice const y = f(in);
        for (std::size_t i = 0; i < y.size(); ++i) out[at(i)] = y[i];
        constexpr double h = 1e-5;
        for (std::size_t j = 0; j < in.size(); ++j) {
            slice up = in, down = in;
            up[j] += h;
            down[j] -= h;
            slice const high = f(up), low = f(down);
            for (std::size_t i = 0; i < y.size(); ++i)
                dx[w.place(s, j)] += weights[at(i)] * (high[i] - low[i]) / (2 * h);
        }
    }
    return out;
}

/// Op::along<axis...>(x), weighted: along each axis, and of all of them.
template <class Op>
inline constexpr auto of_each_axis = [](auto x, auto w0, auto w1, auto w2, auto w3) {
    auto parts =
        sum(Op::template along<0>(x) * w0) + sum(Op::template along<1>(x) * w1) + sum(Op::template along<2>(x) * w2);
    if constexpr (Op::each) return parts + 0.0 * sum(w3);
    else return parts + sum(Op::template along<>(x) * w3);
};

/// Value and gradient of an operation along every axis, for every combination of lengths. Op::each: it gives as many
/// elements as it takes. Op::refused: of no elements it is refused.
template <class Op>
void sweep(loop const& f) {
    auto gradients = ad::grad<0, 1, 2, 3, 4>(of_each_axis<Op>);
    constexpr std::size_t most = 4;
    for (std::size_t code = 0; code < most * most * most; ++code) {
        std::array<std::size_t, 3> const n{code / most / most, code / most % most, code % most};
        CAPTURE(n[0], n[1], n[2]);
        cube const x = numbers(cube(n[0], n[1], n[2]), 1);
        auto weights = [&](std::size_t a, std::size_t b, double first) {
            if constexpr (Op::each) return numbers(cube(n[0], n[1], n[2]), first);
            else return numbers(matrix(a, b), first);
        };
        auto const w0 = weights(n[1], n[2], 2), w1 = weights(n[0], n[2], 3), w2 = weights(n[0], n[1], 4);
        if (Op::refused && x.size() == 0) {
            CHECK_THROWS_AS(gradients(x, w0, w1, w2, 0.7), ad::shape_error);
            continue;
        }
        auto const [dx, y0, y1, y2, y3] = gradients(x, w0, w1, w2, 0.7);
        std::vector<double> back(x.size());
        auto compare = [&](int axis, auto const& y, auto const& w) {
            auto const expected = run({n, axis}, f, Op::each, x, w, back);
            REQUIRE(expected.size() == y.size());
            for (std::size_t i = 0; i < expected.size(); ++i) {
                INFO("axis " << axis << ", element " << i << ": " << y.data()[i] << " instead of " << expected[i]);
                CHECK(near(y.data()[i], expected[i], 1e-13));
            }
        };
        compare(0, y0, w0.data());
        compare(1, y1, w1.data());
        compare(2, y2, w2.data());
        if constexpr (!Op::each) {
            double const w3[] = {0.7};
            auto const expected = run({n, 3}, f, false, x, w3, back);
            INFO("of all: " << y3 << " instead of " << expected[0]);
            CHECK(near(y3, expected[0], 1e-13));
        }
        for (std::size_t i = 0; i < back.size(); ++i) {
            INFO("gradient, element " << i << ": " << dx.data()[i] << " instead of " << back[i]);
            CHECK(near(dx.data()[i], back[i], 1e-8));
        }
    }
}

/// The gradients of f by all of its arguments are the differences of its value; of no elements there are none.
template <class F, class... X>
void expect_differences(F, X const&... x) {
    auto gradients = [&]<int... I>(std::integer_sequence<int, I...>) { return ad::value_and_grad<I...>(F{}); }(
        std::make_integer_sequence<int, static_cast<int>(sizeof...(X))>{});
    static auto value_of = ad::fused(F{});
    auto const result = gradients(x...);
    CHECK(near(result.value, value_of(x...), 1e-13));
    auto one = [&]<std::size_t I>(std::integral_constant<std::size_t, I>, auto const& g) {
        auto arguments = std::tuple(x...);
        auto& a = std::get<I>(arguments);
        REQUIRE(g.size() == a.size());
        for (std::size_t i = 0; i < a.size(); ++i) {
            constexpr double h = 1e-5;
            double const here = a.data()[i];
            a.data()[i] = here + h;
            double const up = std::apply(value_of, arguments);
            a.data()[i] = here - h;
            double const down = std::apply(value_of, arguments);
            a.data()[i] = here;
            INFO("argument " << I << ", element " << i << ": " << g.data()[i] << " instead of "
                             << (up - down) / (2 * h));
            CHECK(near(g.data()[i], (up - down) / (2 * h), 1e-8));
        }
    };
    [&]<std::size_t... I>(std::index_sequence<I...>) {
        (one(std::integral_constant<std::size_t, I>{}, std::get<I>(result.grad)), ...);
    }(std::index_sequence_for<X...>{});
}

}  // namespace short_axes
