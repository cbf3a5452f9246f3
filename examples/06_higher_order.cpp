// SPDX-License-Identifier: MIT
// The gradient is an expression like any other, so transformations compose.
#include <tapeless/tapeless.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace ad = tapeless;

constexpr auto rosenbrock = [](auto x) {
    auto head = ad::slice<0, 0, 7>(x);
    auto tail = ad::slice<0, 1, 8>(x);
    return sum(100.0 * square(tail - square(head)) + square(1.0 - head));
};
constexpr auto gradient_norm = [](auto x) { return sum(square(ad::grad<0>(rosenbrock)(x))); };

int main() {
    ad::tensor<double, 8> x, v;
    for (std::size_t i = 0; i < 8; ++i) {
        x(i) = 0.3 + 0.1 * double(i);
        v(i) = std::sin(double(i));
    }

    auto g = ad::grad<0>(rosenbrock)(x);
    auto h = ad::hessian<0>(rosenbrock)(x);             // ad::tensor<double, 8, 8>
    auto hv = ad::hvp<0>(rosenbrock)(x, v);             // without forming the Hessian
    auto d = ad::hessian_diagonal<0>(rosenbrock)(x);    // d2f/dxi2
    auto gg = ad::grad<0>(gradient_norm)(x);            // = 2 H g
    auto j = ad::jacobian<0>(ad::grad<0>(rosenbrock))(x);  // = H
    auto [fx, dfv] = ad::jvp<0>(rosenbrock)(x, v);      // forward mode: value and directional derivative
    auto [gx, back] = ad::vjp<0>(ad::grad<0>(rosenbrock))(x, v);  // reverse mode of a vector: value and Jᵀ v

    double err = 0, directional = 0;
    for (std::size_t i = 0; i < 8; ++i) {
        double hvi = 0, hgi = 0;
        for (std::size_t k = 0; k < 8; ++k) {
            hvi += h(i, k) * v(k);
            hgi += h(i, k) * g(k);
            err = std::max({err, std::abs(h(i, k) - h(k, i)), std::abs(h(i, k) - j(i, k))});
        }
        err = std::max({err, std::abs(hvi - hv(i)), std::abs(hvi - back(i)), std::abs(h(i, i) - d(i)),
                        std::abs(gx(i) - g(i)), std::abs(2 * hgi - gg(i)) / (1 + std::abs(gg(i)))});
        directional += g(i) * v(i);
    }
    err = std::max(err, std::abs(directional - dfv));
    bool const ok = err < 1e-9 && std::abs(fx - ad::evaluate(rosenbrock, x)) < 1e-12;
    std::printf("the largest difference is %s 1e-9\n", ok ? "below" : "above");
    return ok ? 0 : 1;
}
