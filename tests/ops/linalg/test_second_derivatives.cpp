// SPDX-License-Identifier: MIT
// Hessians of scalar functions of matrices, and Hessians times vectors: the reference cases.

#include "transform/second_order/second_order_cases.hpp"

using namespace reference;
namespace la = ad::linalg;

TEST_CASE("linalg: second derivatives of solve and solve_triangular") {
    run_second_order<matrix, matrix, data<matrix>>([](auto a, auto b, auto c) { return sum(c * la::solve(a, b)); },
                                                   "f_solve", "linalg_second");
    run_second_order<matrix, matrix, data<matrix>>(
        [](auto a, auto b, auto c) { return sum(c * square(la::solve_triangular(a, b))); }, "f_solve_triangular",
        "linalg_second");
}

TEST_CASE("linalg: second derivatives of det, logdet and inverse") {
    run_second_order<cube, data<vector>>([](auto a, auto c) { return sum(c * la::logdet(a)); }, "f_logdet",
                                         "linalg_second");
    run_second_order<cube, data<vector>>([](auto a, auto c) { return sum(c * la::det(a)); }, "f_det", "linalg_second");
    run_second_order<matrix, data<matrix>>([](auto a, auto c) { return sum(c * la::inverse(a)); }, "f_inverse",
                                           "linalg_second");
}

TEST_CASE("linalg: second derivatives of cholesky and eigvalsh") {
    run_second_order<matrix, data<matrix>>([](auto a, auto c) { return sum(c * la::cholesky(a)); }, "f_cholesky",
                                           "linalg_second");
    run_second_order<matrix, data<vector>>([](auto a, auto c) { return sum(c * sin(la::eigvalsh(a))); }, "f_eigvalsh",
                                           "linalg_second");
}
