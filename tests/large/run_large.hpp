// SPDX-License-Identifier: MIT
#pragma once
// Runs the reference vectors of family large: arrays of more rows, columns or steps than a block has, so that what is
// carried from one block to the next counts. Each function is compiled once for all lengths.

#include "programs/run_loss.hpp"

namespace reference {

inline constexpr auto every_case = [](test_case const&) { return true; };

/// The cases that `accept` takes, whose inputs have these patterns, and whose output has the pattern Out: the output
/// and every gradient. Returns how many.
template <class T, class Out, class... In, class F, class Accept = decltype(every_case),
          class Prepare = decltype(unchanged)>
std::size_t run_large_if(F, std::string const& op, Accept accept = {}, Prepare prepare = {}) {
    constexpr auto weighted = [](auto cot, auto... x) { return sum(F{}(x...) * cot); };
    using indices = gradient_indices<In...>;
    constexpr auto places = std::make_index_sequence<static_cast<std::size_t>(indices::count)>{};
    constexpr auto inputs = std::index_sequence_for<In...>{};
    auto gradient = [&]<std::size_t... K>(std::index_sequence<K...>) {
        return ad::grad<indices::value[K]...>(weighted);
    }
    (places);
    std::size_t n = 0;
    for (test_case c : cases(file_of<T>("large"), op)) {
        if (!accept(c)) continue;
        prepare(c);
        if (c.inputs.size() != sizeof...(In) || !Out::matches(c.cot().shape)) continue;
        bool const fits = [&]<std::size_t... I>(std::index_sequence<I...>) {
            return (In::matches(c.in(c.inputs[I]).shape) && ...);
        }(inputs);
        if (!fits) continue;
        auto const all = [&]<std::size_t... I>(std::index_sequence<I...>) {
            return gradient(Out::template make<T>(c.cot()), In::template make<T>(c.in(c.inputs[I]))...);
        }(inputs);
        CHECK(check_close(c.out(), std::get<0>(all), c, "out") == "");
        std::size_t compared = 0;
        auto check_input = [&](int index, auto const& g) {
            if (index == 0) return;
            std::string const& name = c.inputs[static_cast<std::size_t>(index - 1)];
            CHECK(check_close(c.grad(name), g, c, "grad " + name) == "");
            ++compared;
        };
        [&]<std::size_t... K>(std::index_sequence<K...>) { (check_input(indices::value[K], std::get<K>(all)), ...); }
        (places);
        CHECK(c.tensors.at("grad").size() == compared);  // none is forgotten
        ++n;
    }
    return n;
}

/// Every case of an operation, by one function.
template <class T, class Out, class... In, class F, class Prepare = decltype(unchanged)>
void run_large(F f, std::string const& op, Prepare prepare = {}) {
    CHECK(run_large_if<T, Out, In...>(f, op, every_case, prepare) == count_in_file(file_of<T>("large"), op));
}

}  // namespace reference
