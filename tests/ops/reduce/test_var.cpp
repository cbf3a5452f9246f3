// SPDX-License-Identifier: MIT
// var and std_dev against the reference, with both corrections.

#include "ops/reduce/padded_cases.hpp"

using namespace reference;

namespace {
template <int Correction>
struct var_of {
    template <int... Axis>
    constexpr auto operator()(auto const& x) const { return var<Axis...>(x, {.correction = Correction}); }
};
template <int Correction>
struct std_of {
    template <int... Axis>
    constexpr auto operator()(auto const& x) const { return std_dev<Axis...>(x, {.correction = Correction}); }
};
}  // namespace

TEST_CASE("var: output and gradient are those of the reference") {
    run_padded_with("var", "correction", 0, 1, var_of<0>{}, var_of<1>{});
}
TEST_CASE("std_dev: output and gradient are those of the reference, 0 where it is 0") {
    run_padded_with("std", "correction", 0, 1, std_of<0>{}, std_of<1>{});
}
