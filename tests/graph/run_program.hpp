// SPDX-License-Identifier: MIT
#pragma once
// The small programs of the reference: output and gradients of all inputs.

#include "ops/reference_cases.hpp"

namespace reference {

using vector = shape_pattern<run>;
using matrix = shape_pattern<run, run>;
using scalar = shape_pattern<>;

/// All cases of a program over inputs of these patterns: output and every gradient.
template <class T, class Out, class... In, class F>
void run_program(F, std::string const& op) {
    constexpr auto weighted = [](auto cot, auto... x) { return sum(F{}(x...) * cot); };
    std::size_t n = 0;
    for (test_case const& c : cases(file_of<T>("graph"), op)) {
        REQUIRE(c.inputs.size() == sizeof...(In));
        if (!Out::matches(c.out().shape)) continue;
        auto const gradients = [&]<std::size_t... I>(std::index_sequence<I...>) {
            return ad::grad<0, static_cast<int>(I + 1)...>(weighted)(Out::template make<T>(c.cot()),
                                                                   In::template make<T>(c.in(c.inputs[I]))...);
        }(std::index_sequence_for<In...>{});
        CHECK(check_close(c.out(), std::get<0>(gradients), c, "out") == "");
        auto check_input = [&](std::string const& name, auto const& gradient) {
            CHECK(check_close(c.grad(name), gradient, c, "grad " + name) == "");
        };
        [&]<std::size_t... I>(std::index_sequence<I...>) {
            (check_input(c.inputs[I], std::get<I + 1>(gradients)), ...);
        }(std::index_sequence_for<In...>{});
        ++n;
    }
    // one of a matrix, one of a number
    CHECK(n + (op == "reuse_mul" && std::is_same_v<T, double>) == count_in_file(file_of<T>("graph"), op));
}

}  // namespace reference
