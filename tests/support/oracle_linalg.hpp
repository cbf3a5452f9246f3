// SPDX-License-Identifier: MIT
#pragma once
// What the oracle knows of linear algebra: factors and solutions by textbook loops in long double. It leaves out eigh
// and svd (the signs of their vectors are anybody's), and with them eigvalsh, svdvals and pinv; their laws are tested
// in tests/ops/linalg.

#include "support/oracle_loops.hpp"

#include <tapeless/ops/linalg/matrix.hpp>

#include <algorithm>

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
inline matrix product(matrix const& a, matrix const& b) {
    matrix c(a.rows, b.columns);
    for (std::int64_t i = 0; i < c.rows; ++i)
        for (std::int64_t j = 0; j < c.columns; ++j)
            for (std::int64_t k = 0; k < a.columns; ++k) c(i, j) += a(i, k) * b(k, j);
    return c;
}
inline matrix turned(matrix const& a) {
    matrix c(a.columns, a.rows);
    for (std::int64_t i = 0; i < c.rows; ++i)
        for (std::int64_t j = 0; j < c.columns; ++j) c(i, j) = a(j, i);
    return c;
}

/// The flags of attr.axes (ops/linalg/matrix.hpp).
struct matrix_flags {
    bool upper, transposed, unit;
    explicit matrix_flags(std::int64_t bits)
        : upper(bits & tapeless::detail::is_upper),
          transposed(bits & tapeless::detail::is_transposed),
          unit(bits & tapeless::detail::is_unit) {}
};
using matrix_function = matrix (*)(std::vector<matrix> const&, matrix_flags);

inline matrix cholesky_factor(std::vector<matrix> const& in, matrix_flags) {
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
inline matrix triangular_solution(std::vector<matrix> const& in, matrix_flags f) {
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
inline matrix cholesky_cotangent(std::vector<matrix> const& in, matrix_flags) {
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
inline matrix lu_factors(std::vector<matrix> const& in, matrix_flags) {
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
inline matrix factored(matrix const& f) {
    if (f.rows == f.columns) return f;
    std::int64_t const n = f.columns;
    matrix a(n, n);
    for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t j = 0; j < n; ++j)
            for (std::int64_t k = 0; k <= std::min(i, j); ++k)
                a(static_cast<std::int64_t>(f(n, i)), j) += (k == i ? 1 : f(i, k)) * f(k, j);
    return a;
}
inline matrix solution(std::vector<matrix> const& in, matrix_flags f) {
    matrix const a = f.transposed ? turned(factored(in[0])) : factored(in[0]), lu = lu_factors({a}, f);
    matrix b = in[1], l(a.rows, a.rows);
    for (std::int64_t i = 0; i < a.rows; ++i) {
        for (std::int64_t j = 0; j < a.rows; ++j) l(i, j) = lu(i, j);
        for (std::int64_t c = 0; c < b.columns; ++c) b(i, c) = in[1](static_cast<std::int64_t>(lu(a.rows, i)), c);
    }
    using tapeless::detail::is_unit, tapeless::detail::is_upper;
    return triangular_solution({l, triangular_solution({l, b}, matrix_flags{is_unit})}, matrix_flags{is_upper});
}
inline matrix inverse_of(std::vector<matrix> const& in, matrix_flags f) {
    matrix unit(in[0].columns, in[0].columns);
    for (std::int64_t i = 0; i < unit.rows; ++i) unit(i, i) = 1;
    return solution({in[0], unit}, f);
}
/// q over r, whose diagonal is positive: columns one after the other, twice, because one sweep leaves what rounding
/// did.
inline matrix orthogonal_factors(std::vector<matrix> const& in, matrix_flags) {
    std::int64_t const m = in[0].rows, n = in[0].columns;
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
/// (1 + a/2^k + ...)^(2^k)
inline matrix exponential(std::vector<matrix> const& in, matrix_flags) {
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
/// Sign, log |det| and det of factors.
inline matrix determinants(std::vector<matrix> const& in, matrix_flags) {
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

/// f of each matrix of a batch. How uncertain it is: these algorithms give what is exact for operands that differ by
/// some roundings of their largest element, so f is taken of such operands too, and what changes is the bound.
template <matrix_function F, bool Vector = false>
std::vector<array> run_matrices(loop_call const& c) {
    array y = c.result();
    std::size_t const own = Vector ? 1 : 2;
    std::int64_t const rows = Vector ? 1 : c.shape[c.shape.size() - 2], columns = c.shape.back(), size = rows * columns;
    std::int64_t batch = 1;
    for (std::size_t a = 0; a + own < c.shape.size(); ++a) batch *= c.shape[a];
    std::uint32_t state = 1;
    auto const random = [&] {
        return static_cast<long double>((state = state * 1664525u + 1013904223u) >> 8) * 0x1p-23L - 1;
    };
    for (std::int64_t k = 0; k < batch && size > 0; ++k) {
        std::vector<matrix> in;
        std::vector<std::size_t> first;
        for (array const* a : c.in) {
            in.emplace_back(a->shape[a->shape.size() - 2], a->shape.back());
            first.push_back(static_cast<std::size_t>(k) * in.back().x.size());
            for (std::size_t i = 0; i < in.back().x.size(); ++i) in.back().x[i] = a->real[first.back() + i];
        }
        matrix_flags const flags(c.attr.axes);
        matrix const value = F(in, flags);
        std::vector<double> spread(value.x.size(), 0);
        for (int turn = 0; turn < 4; ++turn) {
            std::vector<matrix> moved = in;
            for (std::size_t j = 0; j < in.size(); ++j) {
                bool const is_lu = in[j].rows == in[j].columns + 1;
                long double largest = 0;
                for (long double x : in[j].x) largest = std::max(largest, std::abs(x));
                for (std::size_t i = 0; i < in[j].x.size(); ++i) {
                    if (is_lu && i >= in[j].x.size() - static_cast<std::size_t>(in[j].columns))
                        continue;  // which rows they are
                    long double const e = c.in[j]->error_of(first[j] + i) +
                                          4 * static_cast<long double>(in[j].columns) * roundoff(c.type) * largest;
                    moved[j].x[i] += e * random();
                }
            }
            matrix const other = F(moved, flags);
            for (std::size_t i = 0; i < spread.size(); ++i)
                spread[i] = std::max(spread[i], static_cast<double>(std::abs(other.x[i] - value.x[i])));
        }
        double most = 0;
        for (double s : spread) most = std::max(most, s);
        for (std::size_t i = 0; i < value.x.size(); ++i) {
            std::size_t const at = static_cast<std::size_t>(k * size) + i;
            y.real[at] = value.x[i];
            y.set_error(at, 4 * std::max(spread[i], most / 4) +
                                4 * roundoff(c.type) * static_cast<double>(std::abs(value.x[i])));
        }
    }
    return {y};
}

inline std::map<operation_key, loop_function> linalg_loops() {
    return {{{"cholesky", 1}, run_matrices<cholesky_factor>},
            {{"cholesky", 2}, run_matrices<cholesky_cotangent>},
            {{"solve_triangular", 2}, run_matrices<triangular_solution>},
            {{"lu", 1}, run_matrices<lu_factors>},
            {{"solve", 2}, run_matrices<solution>},
            {{"inverse", 1}, run_matrices<inverse_of>},
            {{"det", 1}, run_matrices<determinants, true>},
            {{"qr", 1}, run_matrices<orthogonal_factors>},
            {{"expm", 1}, run_matrices<exponential>}};
}

}  // namespace oracle
