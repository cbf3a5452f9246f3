// SPDX-License-Identifier: MIT
// The oracle's loops over matrices.

#include "support/oracle_matrices.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace oracle {

matrix product(matrix const& a, matrix const& b) {
    matrix c(a.rows, b.columns);
    for (std::int64_t i = 0; i < c.rows; ++i)
        for (std::int64_t j = 0; j < c.columns; ++j)
            for (std::int64_t k = 0; k < a.columns; ++k) c(i, j) += a(i, k) * b(k, j);
    return c;
}
matrix turned(matrix const& a) {
    matrix c(a.columns, a.rows);
    for (std::int64_t i = 0; i < c.rows; ++i)
        for (std::int64_t j = 0; j < c.columns; ++j) c(i, j) = a(j, i);
    return c;
}

matrix cholesky_factor(std::vector<matrix> const& in, matrix_flags) {
    matrix const& a = in[0];
    matrix l(a.rows, a.rows);
    for (std::int64_t i = 0; i < a.rows; ++i)
        for (std::int64_t j = 0; j <= i; ++j) {
            long double sum = (a(i, j) + a(j, i)) / 2;
            for (std::int64_t k = 0; k < j; ++k) sum -= l(i, k) * l(j, k);
            l(i, j) = i == j ? std::sqrt(sum) : sum / l(j, j);
        }
    return l;
}
/// x with t x = b, where t is the triangle of a that is meant.
matrix triangular_solution(std::vector<matrix> const& in, matrix_flags f) {
    matrix a = in[0], x = in[1];
    for (std::int64_t i = 0; i < a.rows; ++i)
        for (std::int64_t j = 0; j < a.rows; ++j) {
            if (f.upper ? j < i : j > i) a(i, j) = 0;
            if (f.unit && i == j) a(i, j) = 1;
        }
    if (f.transposed) a = turned(a);
    bool const lower = f.upper == f.transposed;
    for (std::int64_t c = 0; c < x.columns; ++c)
        for (std::int64_t s = 0; s < a.rows; ++s) {
            std::int64_t const i = lower ? s : a.rows - 1 - s;
            for (std::int64_t j = 0; j < a.rows; ++j)
                if (lower ? j < i : j > i) x(i, c) -= a(i, j) * x(j, c);
            x(i, c) /= a(i, i);
        }
    return x;
}
/// s with its transpose, halved: s = l⁻ᵀ p l⁻¹, p the lower triangle of lᵀ tril(g) with half of its diagonal.
matrix cholesky_cotangent(std::vector<matrix> const& in, matrix_flags) {
    matrix const& l = in[0];
    matrix g = in[1];
    for (std::int64_t i = 0; i < g.rows; ++i)
        for (std::int64_t j = i + 1; j < g.rows; ++j) g(i, j) = 0;
    matrix p = product(turned(l), g);
    for (std::int64_t i = 0; i < p.rows; ++i)
        for (std::int64_t j = i; j < p.rows; ++j) p(i, j) = i == j ? p(i, j) / 2 : 0;
    matrix_flags const back{tapeless::detail::is_transposed};
    matrix const y = turned(triangular_solution({l, turned(triangular_solution({l, p}, back))}, back));
    matrix r(y.rows, y.rows);
    for (std::int64_t i = 0; i < y.rows; ++i)
        for (std::int64_t j = 0; j < y.rows; ++j) r(i, j) = (y(i, j) + y(j, i)) / 2;
    return r;
}
/// l and u in one, and a row below that says which rows they are.
matrix lu_factors(std::vector<matrix> const& in, matrix_flags) {
    std::int64_t const n = in[0].rows;
    matrix f(n + 1, n);
    for (std::int64_t i = 0; i < n; ++i) {
        f(n, i) = static_cast<long double>(i);
        for (std::int64_t j = 0; j < n; ++j) f(i, j) = in[0](i, j);
    }
    for (std::int64_t k = 0; k < n; ++k) {
        std::int64_t p = k;
        for (std::int64_t i = k + 1; i < n; ++i)
            if (std::abs(f(i, k)) > std::abs(f(p, k))) p = i;
        for (std::int64_t j = 0; j < n && p != k; ++j) std::swap(f(k, j), f(p, j));
        if (p != k) std::swap(f(n, k), f(n, p));
        for (std::int64_t i = k + 1; i < n && f(k, k) != 0; ++i) {
            f(i, k) /= f(k, k);
            for (std::int64_t j = k + 1; j < n; ++j) f(i, j) -= f(i, k) * f(k, j);
        }
    }
    return f;
}
/// The matrix that factors are of; a matrix itself is taken for what it is.
matrix factored(matrix const& f) {
    if (f.rows == f.columns) return f;
    std::int64_t const n = f.columns;
    matrix a(n, n);
    for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t j = 0; j < n; ++j)
            for (std::int64_t k = 0; k <= std::min(i, j); ++k)
                a(static_cast<std::int64_t>(f(n, i)), j) += (k == i ? 1 : f(i, k)) * f(k, j);
    return a;
}
matrix solution(std::vector<matrix> const& in, matrix_flags f) {
    matrix const a = f.transposed ? turned(factored(in[0])) : factored(in[0]), lu = lu_factors({a}, f);
    matrix b = in[1], l(a.rows, a.rows);
    for (std::int64_t i = 0; i < a.rows; ++i) {
        for (std::int64_t j = 0; j < a.rows; ++j) l(i, j) = lu(i, j);
        for (std::int64_t c = 0; c < b.columns; ++c) b(i, c) = in[1](static_cast<std::int64_t>(lu(a.rows, i)), c);
    }
    using tapeless::detail::is_unit, tapeless::detail::is_upper;
    return triangular_solution({l, triangular_solution({l, b}, matrix_flags{is_unit})}, matrix_flags{is_upper});
}
matrix inverse_of(std::vector<matrix> const& in, matrix_flags f) {
    matrix unit(in[0].columns, in[0].columns);
    for (std::int64_t i = 0; i < unit.rows; ++i) unit(i, i) = 1;
    return solution({in[0], unit}, f);
}
/// q over r, whose diagonal is positive: columns one after the other, twice, because one sweep leaves what rounding
/// did. Of a matrix with more columns than rows those of its transpose.
matrix orthogonal_factors(std::vector<matrix> const& in, matrix_flags flags) {
    std::int64_t const m = in[0].rows, n = in[0].columns;
    if (m < n) return orthogonal_factors({turned(in[0])}, flags);
    matrix f(m + n, n);
    for (std::int64_t j = 0; j < n; ++j) {
        for (std::int64_t i = 0; i < m; ++i) f(i, j) = in[0](i, j);
        for (int sweep = 0; sweep < 2; ++sweep)
            for (std::int64_t k = 0; k < j; ++k) {
                long double dot = 0;
                for (std::int64_t i = 0; i < m; ++i) dot += f(i, k) * f(i, j);
                for (std::int64_t i = 0; i < m; ++i) f(i, j) -= dot * f(i, k);
                f(m + k, j) += dot;
            }
        long double square = 0;
        for (std::int64_t i = 0; i < m; ++i) square += f(i, j) * f(i, j);
        f(m + j, j) = std::sqrt(square);
        for (std::int64_t i = 0; i < m; ++i) f(i, j) /= f(m + j, j);
    }
    return f;
}
/// a⁺ b, or (aᵀ)⁺ b, of the factors of a, or where a is wide of aᵀ: with q r its transpose, that is q r⁻ᵀ b.
matrix least_squares(std::vector<matrix> const& in, matrix_flags f) {
    using tapeless::detail::is_transposed, tapeless::detail::is_upper;
    std::int64_t const k = in[0].columns, longer = in[0].rows - k;
    matrix q(longer, k), r(k, k);
    for (std::int64_t i = 0; i < in[0].rows; ++i)
        for (std::int64_t j = 0; j < k; ++j) (i < longer ? q(i, j) : r(i - longer, j)) = in[0](i, j);
    bool const least = (in[2].rows < in[2].columns) == f.transposed;
    if (f.normal && (!least || in[2].rows == in[2].columns)) return matrix(longer, in[1].columns);
    if (f.normal)
        return triangular_solution({r, triangular_solution({r, in[1]}, matrix_flags{is_upper | is_transposed})},
                                   matrix_flags{is_upper});
    if (least) return triangular_solution({r, product(turned(q), in[1])}, matrix_flags{is_upper});
    return product(q, triangular_solution({r, in[1]}, matrix_flags{is_upper | is_transposed}));
}
/// (1 + a/2^k + ...)^(2^k)
matrix exponential(std::vector<matrix> const& in, matrix_flags) {
    matrix a = in[0];
    std::int64_t const n = a.rows;
    int const halvings = 20;
    for (long double& x : a.x) x = std::ldexp(x, -halvings);
    matrix term(n, n), y(n, n);  // e^a - 1, so that small terms keep their digits
    for (std::int64_t i = 0; i < n; ++i) term(i, i) = 1;
    for (int k = 1; k < 12; ++k) {
        term = product(term, a);
        for (std::size_t i = 0; i < y.x.size(); ++i) y.x[i] += (term.x[i] /= k);
    }
    for (int k = 0; k < halvings; ++k) {
        matrix const square = product(y, y);
        for (std::size_t i = 0; i < y.x.size(); ++i) y.x[i] = 2 * y.x[i] + square.x[i];
    }
    for (std::int64_t i = 0; i < n; ++i) y(i, i) += 1;
    return y;
}
/// What is left of an angle when it counts as right: rounding leaves something of it.
inline constexpr long double rest_of_turns = 64 * std::numeric_limits<long double>::epsilon();
/// Eigenvectors as columns, the signs such that the largest element is positive, and below them the eigenvalues in
/// ascending order: rotations of two rows and columns at a time make (a + aᵀ)/2 diagonal.
matrix eigenvectors(std::vector<matrix> const& in, matrix_flags) {
    std::int64_t const n = in[0].rows;
    matrix a(n, n), v(n, n), r(n + 1, n);
    for (std::int64_t i = 0; i < n; ++i) {
        v(i, i) = 1;
        for (std::int64_t j = 0; j < n; ++j) a(i, j) = (in[0](i, j) + in[0](j, i)) / 2;
    }
    for (bool turning = true; std::exchange(turning, false);)
        for (std::int64_t p = 0; p < n; ++p)
            for (std::int64_t q = p + 1; q < n; ++q) {
                if (!(std::abs(a(p, q)) > rest_of_turns * (std::abs(a(p, p)) + std::abs(a(q, q))))) continue;
                turning = true;
                long double const angle = std::atan2(2 * a(p, q), a(q, q) - a(p, p)) / 2;
                long double const c = std::cos(angle), s = std::sin(angle);
                for (std::int64_t k = 0; k < n; ++k) {
                    long double const x = a(k, p), y = a(k, q), u = v(k, p), w = v(k, q);
                    a(k, p) = c * x - s * y, a(k, q) = s * x + c * y;
                    v(k, p) = c * u - s * w, v(k, q) = s * u + c * w;
                }
                for (std::int64_t k = 0; k < n; ++k) {
                    long double const x = a(p, k), y = a(q, k);
                    a(p, k) = c * x - s * y, a(q, k) = s * x + c * y;
                }
                a(p, q) = a(q, p) = 0;
            }
    std::vector<std::int64_t> order;
    for (std::int64_t i = 0; i < n; ++i) order.push_back(i);
    std::sort(order.begin(), order.end(), [&](std::int64_t i, std::int64_t j) { return a(i, i) < a(j, j); });
    for (std::int64_t j = 0; j < n; ++j) {
        std::int64_t const from = order[static_cast<std::size_t>(j)];
        std::int64_t largest = 0;
        for (std::int64_t i = 1; i < n; ++i)
            if (std::abs(v(i, from)) > std::abs(v(largest, from))) largest = i;
        for (std::int64_t i = 0; i < n; ++i) r(i, j) = v(largest, from) < 0 ? -v(i, from) : v(i, from);
        r(n, j) = a(from, from);
    }
    return r;
}
/// u, below it v, below that the singular values in descending order: columns of a (of aᵀ where it is wide) are turned
/// two at a time until each is at right angles to all others.
matrix singular_vectors(std::vector<matrix> const& in, matrix_flags f) {
    std::int64_t const m = in[0].rows, n = in[0].columns, k = std::min(m, n);
    matrix r(m + n + 1, k);
    if (m < n) {
        matrix const other = singular_vectors({turned(in[0])}, f);
        for (std::int64_t j = 0; j < k; ++j) {
            for (std::int64_t i = 0; i < m; ++i) r(i, j) = other(n + i, j);
            for (std::int64_t i = 0; i < n; ++i) r(m + i, j) = other(i, j);
            r(m + n, j) = other(m + n, j);
        }
        return r;
    }
    matrix u = in[0], v(n, n);
    for (std::int64_t i = 0; i < n; ++i) v(i, i) = 1;
    for (bool turning = true; std::exchange(turning, false);)
        for (std::int64_t p = 0; p < n; ++p)
            for (std::int64_t q = p + 1; q < n; ++q) {
                long double pp = 0, qq = 0, pq = 0;
                for (std::int64_t i = 0; i < m; ++i)
                    pp += u(i, p) * u(i, p), qq += u(i, q) * u(i, q), pq += u(i, p) * u(i, q);
                if (!(std::abs(pq) > rest_of_turns * std::sqrt(pp * qq))) continue;
                turning = true;
                long double const angle = std::atan2(2 * pq, qq - pp) / 2, c = std::cos(angle), s = std::sin(angle);
                auto turn = [&](matrix& x) {
                    for (std::int64_t i = 0; i < x.rows; ++i) {
                        long double const a = x(i, p), b = x(i, q);
                        x(i, p) = c * a - s * b, x(i, q) = s * a + c * b;
                    }
                };
                turn(u);
                turn(v);
            }
    std::vector<long double> s;
    std::vector<std::int64_t> order;
    for (std::int64_t j = 0; j < n; ++j) {
        long double square = 0;
        for (std::int64_t i = 0; i < m; ++i) square += u(i, j) * u(i, j);
        s.push_back(std::sqrt(square));
        order.push_back(j);
    }
    auto const value = [&](std::int64_t j) { return s[static_cast<std::size_t>(j)]; };
    std::sort(order.begin(), order.end(), [&](std::int64_t i, std::int64_t j) { return value(i) > value(j); });
    for (std::int64_t j = 0; j < n; ++j) {
        std::int64_t const from = order[static_cast<std::size_t>(j)];
        std::int64_t largest = 0;
        for (std::int64_t i = 1; i < n; ++i)
            if (std::abs(v(i, from)) > std::abs(v(largest, from))) largest = i;
        long double const sign = v(largest, from) < 0 ? -1 : 1;
        for (std::int64_t i = 0; i < m; ++i) r(i, j) = sign * u(i, from) / value(from);
        for (std::int64_t i = 0; i < n; ++i) r(m + i, j) = sign * v(i, from);
        r(m + n, j) = value(from);
    }
    return r;
}
/// Sign, log |det| and det of factors.
matrix determinants(std::vector<matrix> const& in, matrix_flags) {
    matrix const& f = in[0];
    std::int64_t const n = f.columns;
    matrix y(1, 3);
    y(0, 0) = 1, y(0, 2) = 1;
    for (std::int64_t i = 0; i < n; ++i) {
        for (std::int64_t j = i + 1; j < n; ++j)
            if (f(n, j) < f(n, i)) y(0, 0) = -y(0, 0);
        if (f(i, i) < 0) y(0, 0) = -y(0, 0);
        y(0, 1) += std::log(std::abs(f(i, i)));
        y(0, 2) *= std::abs(f(i, i));
    }
    y(0, 2) *= y(0, 0);
    return y;
}

}  // namespace oracle
