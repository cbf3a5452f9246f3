// SPDX-License-Identifier: MIT
#pragma once
// agree: everything the library computes of a function, compared with the oracle on the graph as it was traced, on the
// graph after every pass, and (the derivative rules) with central differences.

#include "support/comparison.hpp"
#include "support/oracle.hpp"
#include "support/stages.hpp"

#include <tapeless/tapeless.hpp>

#include <cmath>
#include <string>
#include <vector>

namespace oracle {

// ---- between the library's arrays and the oracle's ----------------------------------------------------------------

/// What is in memory, `stride` elements from one to the next along each axis; without strides it is dense.
void read_array(dtype type, void const* data, int rank, std::int64_t const* extents, std::ptrdiff_t const* stride,
                std::vector<array>& to);

/// All arrays of a tree.
template <class A>
void read(A const& tree, std::vector<array>& to) {
    graph::each_leaf(tree, [&](auto const& leaf) {
        using traits = graph::leaf_traits<std::remove_cvref_t<decltype(leaf)>>;
        auto const extents = traits::extents(leaf);
        auto read_with = [&](std::ptrdiff_t const* stride) {
            read_array(graph::dtype_of<typename traits::value_type>(), traits::data(leaf),
                       static_cast<int>(extents.size()), extents.data(), stride, to);
        };
        if constexpr (traits::is_dense) read_with(nullptr);
        else read_with(traits::strides(leaf).data());
    });
}
template <class... A>
std::vector<array> read_all(A const&... a) {
    std::vector<array> r;
    (read(a, r), ...);
    return r;
}

// ---- comparing -----------------------------------------------------------------------------------------------------

/// What the oracle says of f and these types of arguments; traced once.
template <class F, class Indices, class... A>
struct traced_function;
template <class F, int... I, class... A>
struct traced_function<F, std::integer_sequence<int, I...>, A...> {
    static std::vector<stage> const& values() {
        static auto const s = trace_stages<F, graph::wanted::value, A...>(std::integer_sequence<int>{});
        return s;
    }
    static std::vector<stage> const& both() {
        static auto const s = trace_stages<F, graph::wanted::both, A...>(std::integer_sequence<int, I...>{});
        return s;
    }
    static graph::list<int> leaves() { return leaves_of<A...>(std::integer_sequence<int, I...>{}); }
};

/// "" where evaluate(f), value_and_grad<I...>(f) (if there are I), the oracle on every graph in between and central
/// differences agree on every element of every result.
template <int... I, class F, class... A>
std::string agree(checks const& wanted, F const& f, A const&... a) {
    using oracles = traced_function<graph::plain_function<F>, std::integer_sequence<int, I...>, A...>;
    std::vector<array> const arguments = read_all(a...);
    std::vector<stage> const& values = oracles::values();
    report r;
    if (!takes(values[0].made, arguments)) {
        try {
            (void)tapeless::evaluate(f, a...);
            r.add("evaluate", "does not refuse these lengths");
        } catch (tapeless::shape_error const&) {}
        return r.text();
    }
    auto const count = static_cast<std::size_t>(values[0].made.outputs.size());
    std::vector<array> const value =
        r.check("evaluate", values, wanted.passes, arguments, read_all(tapeless::evaluate(f, a...)), count);
    if constexpr (sizeof...(I) > 0) {
        auto const result = tapeless::value_and_grad<I...>(f)(a...);
        std::vector<array> const all = r.check("value_and_grad", oracles::both(), wanted.passes, arguments,
                                               read_all(result.value, result.grad), count);
        for (std::size_t k = 0; k < count; ++k)
            r.add("oracle of value and gradients: value " + std::to_string(k), difference(all[k], value[k]));
        if (wanted.differences) r.compare_with_differences(values[0].made, arguments, oracles::leaves(), all, count);
    }
    return r.text();
}
template <int... I, class F, class... A>
    requires(!std::same_as<F, checks>)
std::string agree(F const& f, A const&... a) { return agree<I...>(checks{}, f, a...); }

/// The same for forward mode: jvp<I...>(f) in a direction without a pattern, and the oracle's f a little to either side
/// in it.
template <int... I, class F, class... A>
std::string agree_forward(F const& f, A const&... a) {
    auto const all = std::tie(a...);
    auto direction = [](auto const& argument, int seed) {
        auto t = argument;
        graph::each_leaf(t, [&](auto& leaf) {
            using traits = graph::leaf_traits<std::remove_cvref_t<decltype(leaf)>>;
            auto const extents = traits::extents(leaf);
            for (std::int64_t i = 0, n = count(lengths(extents.begin(), extents.end())); i < n; ++i)
                traits::data(leaf)[i] =
                    static_cast<typename traits::value_type>(std::cos(3.7 * static_cast<double>(i) + seed));
        });
        return t;
    };
    auto const tangents = std::make_tuple(direction(std::get<static_cast<std::size_t>(I)>(all), I)...);
    auto const with_tangents =
        std::tuple_cat(all, std::apply([](auto const&... t) { return std::tie(t...); }, tangents));
    std::string const wrong =
        std::apply([&](auto const&... x) { return agree(checks{}, tapeless::jvp<I...>(f), x...); }, with_tangents);
    if (!wrong.empty()) return wrong;

    auto const made = std::apply([&](auto const&... x) { return tapeless::jvp<I...>(f)(x...); }, with_tangents);
    using oracles = traced_function<graph::plain_function<F>, std::integer_sequence<int, I...>, A...>;
    report r;
    r.compare_with_differences_in(std::apply([](auto const&... t) { return read_all(t...); }, tangents),
                                  oracles::values()[0].made, read_all(a...), oracles::leaves(), read_all(made.tangent));
    return r.text();
}

}  // namespace oracle
