// SPDX-License-Identifier: MIT
// Reductions along rows, columns and both against central differences: run-time extents of any length.

#include <tapeless/tapeless.hpp>

#include <cmath>

#include "ops/reduce/row_statistics.hpp"
#include "support/catch.hpp"

using ad::dyn;

namespace {

template <class X, class W>
void check(X const& x, W const& w, std::size_t elements) {
    auto const report = ad::check_gradient<0>(statistics, x, w);
    INFO("argument " << report.worst_argument << ", element " << report.worst_element << " is " << report.worst_gradient
                     << ", difference " << report.worst_difference);
    CHECK(report.passed);
    CHECK(report.checked == elements);
}

}  // namespace

TEST_CASE("reductions: agree with central differences for run-time extents of any length") {
    for (std::size_t n : {1u, 2u, 5u})
        for (std::size_t m : {1u, 2u, 3u, 4u, 5u, 8u, 9u, 37u}) {
            INFO(n << " x " << m);
            ad::tensor<double, dyn, dyn> x(n, m);
            ad::tensor<double, dyn> w(m);
            fill(x, 0.1);
            fill(w, 0.7);
            check(x, w, n * m);
        }
}
