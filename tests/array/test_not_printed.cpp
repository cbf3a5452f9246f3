// SPDX-License-Identifier: MIT
// Without io/text.hpp arrays are not printed, and whoever asks is told so: a framework for tests compares them, and
// says nothing of what is in them.

#include <tapeless/tensor.hpp>

#include <ostream>

#include "support/catch.hpp"

namespace ad = tapeless;

namespace {
template <class T>
concept printed = requires(std::ostream& to, T const& x) { to << x; };
}  // namespace

TEST_CASE("arrays cannot be printed without the header that prints them; single values can") {
    CHECK_FALSE(printed<ad::tensor<double, 3>>);
    CHECK_FALSE(printed<ad::tensor<float, ad::dyn, 2>>);
    CHECK_FALSE(printed<ad::view<double const, ad::dyn>>);
    CHECK(printed<ad::tensor<double>>);
    CHECK(ad::tensor<double, 2>{1, 2} == ad::tensor<double, 2>{1, 2});
}
