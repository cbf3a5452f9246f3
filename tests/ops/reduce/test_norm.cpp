// SPDX-License-Identifier: MIT
// prod, norm and logsumexp against the reference.

#include "ops/reduce/padded_cases.hpp"

using namespace reference;

namespace {
struct prod_of {
    template <int... Axis>
    constexpr auto operator()(auto const& x) const { return prod<Axis...>(x); }
};
template <int P>
struct norm_of {
    template <int... Axis>
    constexpr auto operator()(auto const& x) const { return norm<Axis...>(x, P); }
};
struct logsumexp_of {
    template <int... Axis>
    constexpr auto operator()(auto const& x) const { return logsumexp<Axis...>(x); }
};
}  // namespace

TEST_CASE("prod: output and gradient are those of the reference, with zeros too") { run_padded(prod_of{}, "prod"); }
TEST_CASE("norm: output and gradient are those of the reference, 0 where it is 0") {
    run_padded_with("norm", "p", 1, 2, norm_of<1>{}, norm_of<2>{});
}
TEST_CASE("logsumexp: output and gradient are those of the reference, stable for extreme ones") {
    run_padded(logsumexp_of{}, "logsumexp");
}
