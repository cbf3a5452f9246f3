// SPDX-License-Identifier: MIT
#pragma once
// What a function that only moves elements must do, worked out one element at a time: which element of the inputs each
// element of the result is. Value and gradients follow from that exactly.

#include <tapeless/tapeless.hpp>

#include <functional>
#include <utility>
#include <vector>

#include "support/catch.hpp"

namespace moves {

namespace ad = tapeless;
using ad::dyn;
using lengths = std::vector<std::int64_t>;

inline std::int64_t size_of(lengths const& s) {
    std::int64_t n = 1;
    for (auto e : s) n *= e;
    return n;
}

/// For each element of an array in row-major order: which element of the inputs it is; -1: of none, a zero.
struct places {
    lengths shape;
    std::vector<std::int64_t> at;

    static places all(lengths const& shape, std::int64_t first = 0) {
        places p{shape, {}};
        for (std::int64_t i = 0; i < size_of(shape); ++i) p.at.push_back(first + i);
        return p;
    }
    static places from(lengths const& shape, std::function<std::int64_t(lengths const&)> const& which) {
        places p{shape, {}};
        for (std::int64_t i = 0; i < size_of(shape); ++i) {
            lengths index(shape.size());
            std::int64_t rest = i;
            for (std::size_t k = shape.size(); k-- > 0; rest /= shape[k]) index[k] = rest % shape[k];
            p.at.push_back(which(index));
        }
        return p;
    }
    std::int64_t operator()(lengths const& index) const {
        std::int64_t i = 0;
        for (std::size_t k = 0; k < shape.size(); ++k) i = i * shape[k] + index[k];
        return at[static_cast<std::size_t>(i)];
    }
    places with_shape(lengths const& to) const { return {to, at}; }
    places permuted(std::vector<std::size_t> const& axes) const {
        lengths to;
        for (auto a : axes) to.push_back(shape[a]);
        return from(to, [&](lengths const& i) {
            lengths j(axes.size());
            for (std::size_t k = 0; k < axes.size(); ++k) j[axes[k]] = i[k];
            return (*this)(j);
        });
    }
    /// `count` elements from start on, step apart.
    places taken(std::size_t axis, std::int64_t start, std::int64_t count, std::int64_t step = 1) const {
        lengths to = shape;
        to[axis] = count;
        return from(to, [&](lengths i) {
            i[axis] = start + step * i[axis];
            return (*this)(i);
        });
    }
    places flipped(std::size_t axis) const { return taken(axis, shape[axis] - 1, shape[axis], -1); }
    /// Behind it, along an axis, another.
    places then(std::size_t axis, places const& b) const {
        lengths to = shape;
        to[axis] += b.shape[axis];
        return from(to, [&](lengths i) {
            if (i[axis] < shape[axis]) return (*this)(i);
            i[axis] -= shape[axis];
            return b(i);
        });
    }
    /// So many zeros before and after.
    places padded(std::size_t axis, std::int64_t before, std::int64_t after) const {
        lengths to = shape;
        to[axis] += before + after;
        return from(to, [&](lengths i) {
            i[axis] -= before;
            return i[axis] < 0 || i[axis] >= shape[axis] ? -1 : (*this)(i);
        });
    }
};

template <class T, auto... E>
auto filled(lengths const& shape, double first) {
    if constexpr (sizeof...(E) == 0) {
        return static_cast<T>(first);
    } else {
        std::array<std::int64_t, sizeof...(E)> n{};
        for (std::size_t k = 0; k < n.size(); ++k) n[k] = shape.at(k);
        auto a = ad::tensor<T, E...>::with_extents(n);
        for (auto& v : a) v = static_cast<T>(first++);
        return a;
    }
}
inline std::vector<double> numbers(double x) { return {x}; }
template <class A>
    requires requires(A const& a) { a.begin(); }
std::vector<double> numbers(A const& a) { return {a.begin(), a.end()}; }

template <class F>
inline constexpr auto weighted = [](auto cot, auto... x) { return sum(F{}(x...) * cot); };

/// f takes and gives what `expected` says; the arguments' elements are 1, 2, 3, ... through all of them.
template <class Cot, class... X, class F>
void check_moves(F, places const& expected, Cot cot, X... x) {
    std::vector<double> in;
    (
        [&] {
            auto const v = numbers(x);
            in.insert(in.end(), v.begin(), v.end());
        }(),
        ...);
    auto const weights = numbers(cot);
    REQUIRE(weights.size() == expected.at.size());
    std::vector<double> out, back(in.size());
    for (std::size_t i = 0; i < weights.size(); ++i) {
        out.push_back(expected.at[i] < 0 ? 0 : in[static_cast<std::size_t>(expected.at[i])]);
        if (expected.at[i] >= 0) back[static_cast<std::size_t>(expected.at[i])] += weights[i];
    }
    auto const all = [&]<int... I>(std::integer_sequence<int, I...>) {
        return ad::grad<0, (I + 1)...>(weighted<F>)(cot, x...);
    }
    (std::make_integer_sequence<int, sizeof...(X)>{});
    CHECK(numbers(std::get<0>(all)) == out);
    std::vector<double> got;
    [&]<std::size_t... I>(std::index_sequence<I...>) {
        (
            [&] {
                auto const v = numbers(std::get<I + 1>(all));
                got.insert(got.end(), v.begin(), v.end());
            }(),
            ...);
    }
    (std::index_sequence_for<X...>{});
    CHECK(got == back);
}

}  // namespace moves
