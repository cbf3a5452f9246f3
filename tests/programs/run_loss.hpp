// SPDX-License-Identifier: MIT
#pragma once
// The composite programs of the reference: a scalar loss and the gradients of its parameters. Where a program wants
// an input in another shape, or a parameter as an input, its `prepare` does so to the case beforehand.

#include "ops/binary_patterns.hpp"

namespace reference {

/// An input without a gradient.
template <class Pattern>
struct data : Pattern {};
/// Class indices.
template <class Pattern>
struct integers : Pattern {
    template <class>
    static auto make(tensor const& t) {
        return Pattern::template make<std::int64_t>(t);
    }
};
/// X[0], X[1], ... of a stack of N matrices, without gradients.
template <std::size_t N>
struct steps {
    template <class T>
    static auto make(tensor const& t) {
        REQUIRE(t.extent(0) == N);
        std::array<ad::tensor<T, ad::dyn, ad::dyn>, N> all;
        std::size_t next = 0;
        for (auto& m : all) {
            m = ad::tensor<T, ad::dyn, ad::dyn>(t.extent(1), t.extent(2));
            for (auto& v : m) v = static_cast<T>(t.values[next++]);
        }
        return all;
    }
};
template <class Input>
inline constexpr bool has_gradient = true;
template <class Pattern>
inline constexpr bool has_gradient<data<Pattern>> = false;
template <class Pattern>
inline constexpr bool has_gradient<integers<Pattern>> = false;
template <std::size_t N>
inline constexpr bool has_gradient<steps<N>> = false;

inline tensor& input(test_case& c, std::string name) {
    return c.tensors.at(c.has("const", name) ? "const" : "in").at(name);
}
/// A further input, the last.
inline void add_input(test_case& c, std::string const& name, std::vector<std::int64_t> shape,
                      std::vector<double> values) {
    c.inputs.push_back(name);
    c.tensors["const"][name] = tensor{"f64", std::move(shape), std::move(values)};
}
inline void add_number(test_case& c, std::string const& name, double value) { add_input(c, name, {}, {value}); }
inline void add_parameter(test_case& c, std::string const& name) { add_number(c, name, c.number(name)); }

template <class... In>
struct gradient_indices {
    static constexpr int count = 1 + (0 + ... + (has_gradient<In> ? 1 : 0));
    static constexpr auto find() {
        std::array<int, static_cast<std::size_t>(count)> indices{};
        std::size_t n = 1;
        int next = 1;
        ((has_gradient<In> ? void(indices[n++] = next) : void(), ++next), ...);
        return indices;
    }
    static constexpr auto value = find();
};

inline constexpr auto unchanged = [](test_case&) {};

/// All cases of a program over inputs of these patterns, in the order of the file and then of `prepare`.
template <class T, class... In, class F, class Prepare>
void run_loss(F, std::string const& op, Prepare prepare, std::string const& family_name = "programs") {
    constexpr auto weighted = [](auto cot, auto... x) { return F{}(x...) * cot; };
    using indices = gradient_indices<In...>;
    constexpr auto places = std::make_index_sequence<static_cast<std::size_t>(indices::count)>{};
    auto gradient = [&]<std::size_t... K>(std::index_sequence<K...>) {
        return ad::grad<indices::value[K]...>(weighted);
    }
    (places);
    std::size_t n = 0;
    for (test_case c : cases(file_of<T>(family_name), op)) {
        prepare(c);
        REQUIRE(c.inputs.size() == sizeof...(In));
        auto const all = [&]<std::size_t... I>(std::index_sequence<I...>) {
            return gradient(static_cast<T>(c.cot().item()), In::template make<T>(c.in(c.inputs[I]))...);
        }(std::index_sequence_for<In...>{});
        CHECK(check_close(c.out(), std::get<0>(all), c, "out") == "");
        auto check_input = [&](int index, auto const& g) {
            if (index == 0) return;
            std::string const& name = c.inputs[static_cast<std::size_t>(index - 1)];
            CHECK(check_close(c.grad(name), g, c, "grad " + name) == "");
        };
        [&]<std::size_t... K>(std::index_sequence<K...>) { (check_input(indices::value[K], std::get<K>(all)), ...); }
        (places);
        for (auto const& [name, g] : c.tensors.at("grad")) {  // none is forgotten
            auto const at =
                static_cast<std::size_t>(std::find(c.inputs.begin(), c.inputs.end(), name) - c.inputs.begin());
            CHECK(std::count(indices::value.begin(), indices::value.end(), static_cast<int>(at) + 1) == 1);
        }
        ++n;
    }
    CHECK(n == count_in_file(file_of<T>(family_name), op));
}
template <class T, class... In, class F>
void run_loss(F f, std::string const& op) {
    run_loss<T, In...>(f, op, unchanged);
}

}  // namespace reference
