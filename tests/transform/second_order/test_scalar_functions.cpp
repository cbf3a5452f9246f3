// SPDX-License-Identifier: MIT
// Hessians of the reference, whole and times a vector: functions of arrays, element by element and by sums.

#include "transform/second_order/second_order_cases.hpp"

using namespace reference;

TEST_CASE("hvp: polynomials") {
    run_second_order<matrix>([](auto x) { return sum(x * x * x) / 3.0 + square(sum(x)); }, "f_cubic");
    run_second_order<vector>(
        [](auto x) {
            auto a = ad::slice<0, 0, -1>(x);
            auto b = ad::slice<0, 1, ad::to_end>(x);
            return sum(10.0 * square(b - square(a)) + square(1.0 - a));
        },
        "f_rosenbrock");
    run_second_order<vector, data<matrix>, data<vector>>(
        [](auto x, auto a, auto b) { return 0.5 * dot(x, matmul(a, x)) + dot(b, x); }, "f_quadratic");
}

TEST_CASE("hvp: two arguments, side by side and stretched") {
    run_second_order<vector, vector>([](auto x, auto y) { return sum(x * square(y) + sin(x * y)); }, "f_mixed");
    run_second_order<vector, vector>([](auto x, auto y) { return sum(pow(x, y)); }, "f_pow");
    run_second_order<matrix, vector>([](auto x, auto y) { return sum(x / (1.0 + square(y))) + square(mean(x * y)); },
                                     "f_ratio");
}

TEST_CASE("hvp: products of sums, norms, products and variances") {
    run_second_order<vector>([](auto x) { return sum(exp(-square(x))) * sum(cos(x)); }, "f_gauss");
    run_second_order<vector>([](auto x) { return norm(x) + norm(x - 1.0); }, "f_norm");
    run_second_order<vector>([](auto x) { return prod(x) + sum(log(x)); }, "f_prod");
    run_second_order<matrix>([](auto x) { return sum(ad::var<1>(x, {.correction = 1})) * logsumexp(x); }, "f_variance");
}
