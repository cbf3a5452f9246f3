// SPDX-License-Identifier: MIT
// Least squares: 2000 rows, 100 numbers.

#include "transformations/report.hpp"

void least_squares(options const& o) {
    constexpr auto residuals = [](auto w, auto x, auto y) { return matmul(x, w) - y; };
    constexpr auto loss = [](auto w, auto x, auto y) { return mean(square(matmul(x, w) - y)); };
    ad::tensor<double, 100> w, v;
    ad::tensor<double, 2000, 100> x;
    ad::tensor<double, 2000> y, c;
    fill_all(w, v, x, y, c);
    report(o, "least squares, 2000 x 100, double", call(loss, x, y), call(residuals, x, y), w, v, c,
           call(loss, w, x, y), call(residuals, w, x, y));
}
