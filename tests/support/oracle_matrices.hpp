// SPDX-License-Identifier: MIT
#pragma once
// Factors and solutions of matrices by textbook loops in long double. The signs of eigenvectors and singular vectors
// are anybody's: what is made of them can be compared where it is the same for both.

#include <tapeless/ops/linalg/matrix.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace oracle {

/// Matrices along leading axes, in long double.
struct matrix {
    std::int64_t rows = 0, columns = 0;
    std::vector<long double> x;
    matrix(std::int64_t n, std::int64_t m) : rows(n), columns(m), x(static_cast<std::size_t>(n * m)) {}
    long double& operator()(std::int64_t i, std::int64_t j) { return x[static_cast<std::size_t>(i * columns + j)]; }
    long double operator()(std::int64_t i, std::int64_t j) const {
        return x[static_cast<std::size_t>(i * columns + j)];
    }
};
/// The flags of attr.axes (ops/linalg/matrix.hpp).
struct matrix_flags {
    bool upper, transposed, unit, normal;
    explicit matrix_flags(std::int64_t bits)
        : upper(bits & tapeless::detail::is_upper),
          transposed(bits & tapeless::detail::is_transposed),
          unit(bits & tapeless::detail::is_unit),
          normal(bits & tapeless::detail::is_normal) {}
};
using matrix_function = matrix (*)(std::vector<matrix> const&, matrix_flags);

// Factors, and what is solved with them.
matrix cholesky_factor(std::vector<matrix> const& in, matrix_flags f);
matrix cholesky_cotangent(std::vector<matrix> const& in, matrix_flags f);
matrix triangular_solution(std::vector<matrix> const& in, matrix_flags f);
matrix lu_factors(std::vector<matrix> const& in, matrix_flags f);
matrix solution(std::vector<matrix> const& in, matrix_flags f);
matrix inverse_of(std::vector<matrix> const& in, matrix_flags f);
matrix determinants(std::vector<matrix> const& in, matrix_flags f);
matrix orthogonal_factors(std::vector<matrix> const& in, matrix_flags f);
matrix least_squares(std::vector<matrix> const& in, matrix_flags f);
matrix exponential(std::vector<matrix> const& in, matrix_flags f);
matrix eigenvectors(std::vector<matrix> const& in, matrix_flags f);
matrix singular_vectors(std::vector<matrix> const& in, matrix_flags f);

/// The last row of F, which are the values.
template <matrix_function F>
matrix values_alone(std::vector<matrix> const& in, matrix_flags f) {
    matrix const all = F(in, f);
    matrix r(1, all.columns);
    for (std::int64_t j = 0; j < all.columns; ++j) r(0, j) = all(all.rows - 1, j);
    return r;
}

}  // namespace oracle
