// SPDX-License-Identifier: MIT
#pragma once
// Runs the reference vectors of family nn: a program is a function and the patterns of its inputs, which the cases of
// an operation are tried on one after the other. Parameters that may be run-time numbers are further inputs.

#include "programs/run_loss.hpp"

namespace reference {

/// A mask: an array of bool without a gradient.
template <class Pattern>
struct mask_data : Pattern {
    template <class>
    static auto make(tensor const& t) {
        return Pattern::template make<bool>(t);
    }
};
template <class Pattern>
inline constexpr bool has_gradient<mask_data<Pattern>> = false;

using numbers_4d = shape_pattern<run, run, run, run>;
/// Run-time extents that may be 1.
template <class Pattern>
struct any_extents : Pattern {
    static bool matches(std::vector<std::int64_t> const& shape) { return shape.size() == Pattern::rank; }
};

/// x, the output and what belongs to them in another shape: programs that differ by an axis are compiled once.
inline void reshape_x(test_case& c, std::vector<std::int64_t> const& shape) {
    input(c, "x").shape = shape;
    for (char const* kind : {"cot", "out"}) c.tensors.at(kind).at("out").shape = shape;
    c.tensors.at("grad").at("x").shape = shape;
}
/// A parameter that the case leaves out, as the numbers that change nothing; its gradient is not compared.
inline void add_missing(test_case& c, std::size_t at, std::string const& name, std::size_t size, double value) {
    if (std::find(c.inputs.begin(), c.inputs.end(), name) != c.inputs.end()) return;
    c.inputs.insert(c.inputs.begin() + static_cast<std::ptrdiff_t>(at), name);
    c.tensors["const"][name] = tensor{"f64", {static_cast<std::int64_t>(size)}, std::vector<double>(size, value)};
}

/// f of inputs of these patterns.
template <class F, class... In>
struct program {
    static constexpr auto weighted = [](auto cot, auto... x) {
        auto const y = F{}(x...);
        // the last two without a gradient
        if constexpr (requires { y.out; }) return std::tuple(sum(y.out * cot), y.mean, y.var);
        else return sum(y * cot);
    };
    template <class T>
    static bool run(test_case const& c) {
        if (c.inputs.size() != sizeof...(In)) return false;
        bool const fits = [&]<std::size_t... I>(std::index_sequence<I...>) {
            return (In::matches(c.in(c.inputs[I]).shape) && ...);
        }(std::index_sequence_for<In...>{});
        if (fits) check<T>(c);
        return fits;
    }

private:
    template <class T>
    static void check(test_case const& c) {
        using indices = gradient_indices<In...>;
        constexpr auto places = std::make_index_sequence<static_cast<std::size_t>(indices::count)>{};
        auto gradient = [&]<std::size_t... K>(std::index_sequence<K...>) {
            return ad::value_and_grad<indices::value[K]...>(weighted);
        }(places);
        auto const all = [&]<std::size_t... I>(std::index_sequence<I...>) {
            return gradient(cotangent<T>(c), In::template make<T>(c.in(c.inputs[I]))...);
        }(std::index_sequence_for<In...>{});
        CHECK(check_close(c.out(), std::get<0>(all.grad), c, "out") == "");
        std::size_t compared = 0;
        auto check_input = [&](int index, auto const& g) {
            if (index == 0) return;
            std::string const& name = c.inputs[static_cast<std::size_t>(index - 1)];
            if (!c.has("grad", name)) return;  // one of add_missing
            CHECK(check_close(c.grad(name), g, c, "grad " + name) == "");
            ++compared;
        };
        [&]<std::size_t... K>(std::index_sequence<K...>) {
            (check_input(indices::value[K], std::get<K>(all.grad)), ...);
        }
        (places);
        CHECK(c.tensors.at("grad").size() == compared);  // none is forgotten
        if constexpr (requires { std::get<2>(all.value); }) {
            CHECK(check_close(c.out("new_running_mean"), std::get<1>(all.value), c, "running mean") == "");
            CHECK(check_close(c.out("new_running_var"), std::get<2>(all.value), c, "running variance") == "");
        }
    }
    /// Of the shape of the first input, but for the last extent, which is that of the output.
    template <class T>
    static auto cotangent(test_case const& c) {
        using first = typename std::tuple_element_t<0, std::tuple<In...>>;
        return first::template make<T>(c.cot());
    }
};
template <class... In, class F>
constexpr program<F, In...> program_of(F) {
    return {};
}

/// The cases that `accept` takes, changed by `prepare`, each by the first program that fits it. Returns how many.
template <class T, class Prepare, class Accept, class... Program>
std::size_t run_programs_if(std::string const& op, Prepare prepare, Accept accept, Program...) {
    std::size_t n = 0;
    for (test_case c : cases(file_of<T>("nn"), op)) {
        if (!accept(c)) continue;
        prepare(c);
        bool const found = (Program::template run<T>(c) || ...);
        if (!found) FAIL_CHECK(c.id << ": no program for its inputs (" << c.note << ")");
        n += found;
    }
    return n;
}
/// All cases of an operation.
template <class T, class Prepare, class... Program>
void run_programs(std::string const& op, Prepare prepare, Program... p) {
    CHECK(run_programs_if<T>(
              op, prepare, [](test_case const&) { return true; }, p...) == count_in_file(file_of<T>("nn"), op));
}

}  // namespace reference
