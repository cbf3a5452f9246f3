// SPDX-License-Identifier: MIT
#pragma once
// Compares derivatives of a function of a square matrix with differences and with each other.

#include "ops/linalg/matrices.hpp"

/// Reverse and forward mode against each other and against differences, and that the Hessian is symmetric and the
/// derivative of the gradient; at run-time lengths.
template <class F>
void check_derivatives(F f) {
    auto gradient = ad::value_and_grad<0>(f);
    auto product = ad::hvp<0>(f);
    auto const x = good_matrix<double>(4, 3), direction = some_matrix<double>(4, 4, 9),
               other = some_matrix<double>(4, 4, 11);
    auto const g = gradient(x).grad, h = product(x, direction), k = product(x, other);
    double slope = 0, left = 0, right = 0, size = 0;
    for (std::size_t i = 0; i < h.size(); ++i) {
        slope += g.data()[i] * direction.data()[i];
        left += h.data()[i] * other.data()[i];
        right += k.data()[i] * direction.data()[i];
        size = std::max(size, std::abs(h.data()[i]));
    }
    CHECK(std::abs(left - right) < 1e-10 * (1 + size));
    CHECK(std::abs(ad::jvp<0>(f)(x, direction).tangent - slope) < 1e-10 * (1 + std::abs(slope)));
    double const step = 1e-5;
    for (auto const& [along, curve] : {std::pair(direction, h), std::pair(other, k)}) {
        auto up = x, down = x;
        double expected = 0, worst = 0;
        for (std::size_t i = 0; i < x.size(); ++i) {
            up.data()[i] += step * along.data()[i];
            down.data()[i] -= step * along.data()[i];
            expected += g.data()[i] * along.data()[i];
        }
        auto const above = gradient(up), below = gradient(down);
        CHECK(std::abs((above.value - below.value) / (2 * step) - expected) < 1e-7 * (1 + size));
        for (std::size_t i = 0; i < x.size(); ++i)
            worst =
                std::max(worst, std::abs((above.grad.data()[i] - below.grad.data()[i]) / (2 * step) - curve.data()[i]));
        CHECK(worst < 1e-6 * (1 + size));
    }
}
