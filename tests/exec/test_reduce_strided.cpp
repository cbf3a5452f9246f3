// SPDX-License-Identifier: MIT
// Reductions of strided arguments.

#include <tapeless/tapeless.hpp>

#include <array>
#include <cmath>
#include <vector>

#include "ops/reduce/row_statistics.hpp"
#include "support/catch.hpp"

using ad::dyn;

TEST_CASE("reductions: strided arguments give the gradients of their dense copies") {
    std::vector<double> memory(200);
    fill(memory, 0.3);
    ad::tensor<double, dyn> w(7);
    fill(w, 0.7);
    using strides = std::array<std::ptrdiff_t, 2>;
    auto gradient = ad::grad<0>(statistics);
    auto expect = [&](double const* from, strides s) {
        ad::view<double const, dyn, dyn> const v(from, 5, 7, s);
        ad::tensor<double, dyn, dyn> copy(5, 7);
        std::copy(v.begin(), v.end(), copy.begin());
        auto const dx = gradient(v, w), ex = gradient(ad::view<double const, dyn, dyn>(copy), w);
        for (std::size_t i = 0; i < ex.size(); ++i) CHECK(std::abs(dx.data()[i] - ex.data()[i]) < 1e-13);
    };
    expect(memory.data(), {7, 1});
    expect(memory.data(), {20, 2});
    expect(memory.data(), {1, 5});
    expect(memory.data() + 34, {-7, -1});
    expect(memory.data() + 100, {11, -1});
}
