// SPDX-License-Identifier: MIT
#pragma once
// Runs the reference vectors of family loss_margin. One traced function serves several operations and all their
// reductions: each reduction has a cotangent of its own, each operation (or setting of its options) a factor, and all
// but one of them are 0.

#include <algorithm>

#include "ops/reference_cases.hpp"

namespace reference {

namespace loss = ad::loss;

/// sum(f<none> * c0) + f<mean> * c1 + f<sum> * c2: the gradients by c0, c1 and c2 are what f returns.
template <class F>
inline constexpr auto all_reductions = [](auto c0, auto c1, auto c2, auto... x) {
    constexpr F f{};
    return sum(f.template operator()<loss::reduction::none>(x...) * c0) +
           f.template operator()<loss::reduction::mean>(x...) * c1 +
           f.template operator()<loss::reduction::sum>(x...) * c2;
};

template <class T>
auto rows_of(tensor const& t) {
    return shape_pattern<run, run>::make<T>(t);
}
template <class T>
std::vector<T> ones(std::size_t n) {
    return std::vector<T>(n, T(1));
}

/// The cases of an operation that `accept` takes. `arguments(c)` are those of f; the first ones (as many as there are
/// names, some of which may be empty) get gradients. A case that lets more or fewer be compared than it holds fails.
/// Returns how many cases there were.
template <class T, int... I, class F, class Accept, class Arguments>
std::size_t run_losses_if(F, std::string const& op, std::array<std::string, sizeof...(I)> const& names, Accept accept,
                          Arguments arguments) {
    auto gradient = ad::grad<0, 1, 2, (3 + I)...>(all_reductions<F>);
    std::size_t n = 0;
    for (test_case const& c : cases(file_of<T>("loss_margin"), op)) {
        if (!accept(c)) continue;
        std::string const& word = c.word("reduction");
        REQUIRE((word == "none" || word == "mean" || word == "sum"));
        auto const args = arguments(c);
        std::size_t const losses = std::get<0>(args).extent(0);
        auto const cot = c.cot().as<T>();
        auto const single = cot.size() == 1 ? cot[0] : T(0);
        auto const all = std::apply(
            [&](auto const&... a) {
                return gradient(word == "none" ? cot : std::vector<T>(losses), word == "mean" ? single : T(0),
                                word == "sum" ? single : T(0), a...);
            },
            args);
        if (word == "none") CHECK(check_close(c.out(), std::get<0>(all), c, "out") == "");
        else CHECK(check_close(c.out(), word == "mean" ? std::get<1>(all) : std::get<2>(all), c, "out") == "");
        std::size_t compared = 0;
        auto compare = [&](std::string const& name, auto const& g) {
            if (name.empty()) return;
            CHECK(check_close(c.grad(name), g, c, "grad " + name) == "");
            ++compared;
        };
        (compare(names[static_cast<std::size_t>(I)], std::get<static_cast<std::size_t>(3 + I)>(all)), ...);
        CHECK(compared == c.tensors.at("grad").size());
        ++n;
    }
    return n;
}
/// All of them.
template <class T, int... I, class F, class Arguments>
void run_losses(F f, std::string const& op, std::array<std::string, sizeof...(I)> const& names, Arguments arguments) {
    auto const n = run_losses_if<T, I...>(f, op, names, [](test_case const&) { return true; }, arguments);
    CHECK(n == count_in_file(file_of<T>("loss_margin"), op));
}

}  // namespace reference
