// SPDX-License-Identifier: MIT
#pragma once
// What forward and reverse mode owe each other, for a table of functions at once: <u, J v> = <J^T u, v>. Reverse mode
// is compared with references and central differences elsewhere. One traced program computes both numbers of every
// row of a table.

#include <tapeless/tapeless.hpp>

#include <cmath>
#include <tuple>
#include <utility>
#include <vector>

#include "support/catch.hpp"

namespace laws {

namespace ad = tapeless;

/// A function with its name.
template <class F>
struct row {
    using function = F;
    char const* name;
};
template <class F>
constexpr row<F> of(char const* name, F) {
    return {name};
}

/// { <u, J v>, <J^T u, v> } where u is a function of f(x).
template <class F, class X, class V, class C, std::size_t... I, std::size_t... K>
constexpr auto sides(X const& x, V const& v, C const& constants, std::index_sequence<I...>, std::index_sequence<K...>) {
    constexpr F f{};
    auto const [y, forward] =
        ad::jvp<static_cast<int>(I)...>(f)(std::get<I>(x)..., std::get<K>(constants)..., std::get<I>(v)...);
    auto const u = let(sin(3.0 * y + 1.0));
    auto const backward = ad::vjp<static_cast<int>(I)...>(f)(std::get<I>(x)..., std::get<K>(constants)..., u);
    auto flowed = [&] {
        if constexpr (sizeof...(I) == 1) return std::tuple(backward.grad);
        else return backward.grad;
    }();
    return std::pair(let(sum(u * forward)), let((sum(std::get<I>(flowed) * std::get<I>(v)) + ...)));
}

template <class Table>
struct all_sides;
template <class... Row>
struct all_sides<std::tuple<Row...>> {
    template <class... X, class... V, class... C>
    constexpr auto operator()(std::tuple<X...> const& x, std::tuple<V...> const& v,
                              std::tuple<C...> const& constants) const {
        constexpr auto moving = std::index_sequence_for<X...>{};
        constexpr auto fixed = std::index_sequence_for<C...>{};
        return std::make_tuple(sides<typename Row::function>(x, v, constants, moving, fixed)...);
    }
    template <class X, class V>
    constexpr auto operator()(X const& x, V const& v) const {
        return (*this)(x, v, std::tuple<>{});
    }
};

/// Checks every row of a table at the arrays x in the directions v; further arrays are handed to the functions as
/// they are.
template <class... Row, class... A>
void check(std::tuple<Row...> const& table, A const&... arrays) {
    auto const numbers = ad::evaluate(all_sides<std::tuple<Row...>>{}, arrays...);
    auto one = [](char const* name, auto const& both) {
        auto const [forward, backward] = both;
        INFO(name << ": forward " << forward << ", backward " << backward);
        double const rounding = sizeof(forward) == 8 ? 1e-12 : 2e-5;
        CHECK(forward != 0);
        CHECK(std::abs(double(forward - backward)) <= rounding * (1 + std::abs(double(forward))));
    };
    [&]<std::size_t... I>(std::index_sequence<I...>) {
        (one(std::get<I>(table).name, std::get<I>(numbers)), ...);
    }(std::index_sequence_for<Row...>{});
}

/// Numbers between lo and hi, no two alike.
template <class A>
A spread(A a, double lo, double hi, int seed) {
    auto const n = static_cast<double>(a.size());
    double i = 0;
    for (auto& x : a) {
        double const at = std::fmod(0.618033988749895 * (i + 1) + 0.1 * seed, 1.0);
        x = static_cast<std::remove_cvref_t<decltype(x)>>(lo + (hi - lo) * (0.98 * at + 0.02 * i / n));
        i += 1;
    }
    return a;
}

}  // namespace laws
