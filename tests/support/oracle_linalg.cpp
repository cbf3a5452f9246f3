// SPDX-License-Identifier: MIT
// What the oracle knows of linear algebra: factors and solutions of batches of matrices.

#include "support/oracle_loops.hpp"
#include "support/oracle_matrices.hpp"

#include <algorithm>

namespace oracle {
namespace {

/// Told by types: under -fsanitize g++ does not compare addresses in constant expressions.
template <matrix_function F>
struct function_tag {};
template <matrix_function F, matrix_function... Others>
constexpr bool is_one_of = (std::is_same_v<function_tag<F>, function_tag<Others>> || ...);

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
                constexpr bool takes_factors = is_one_of<F, solution, inverse_of, determinants>;
                bool const is_lu = takes_factors && j == 0 && in[j].rows == in[j].columns + 1;
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

/// x, and the factors of a matrix that was not factored before.
std::vector<array> run_solve(loop_call const& c) {
    std::vector<array> all = run_matrices<solution>(c);
    lengths const& s = c.in[0]->shape;
    if (s.back() != s[s.size() - 2]) return all;
    loop_call factors = c;
    factors.in = {c.in[0]};
    factors.shape = s;
    ++factors.shape[s.size() - 2];
    all.push_back(run_matrices<lu_factors>(factors)[0]);
    return all;
}

}  // namespace

std::map<operation_key, loop_function> linalg_loops() {
    return {{{"cholesky", 1}, run_matrices<cholesky_factor>},
            {{"cholesky", 2}, run_matrices<cholesky_cotangent>},
            {{"solve_triangular", 2}, run_matrices<triangular_solution>},
            {{"lu", 1}, run_matrices<lu_factors>},
            {{"solve", 2}, run_solve},
            {{"inverse", 1}, run_matrices<inverse_of>},
            {{"det", 1}, run_matrices<determinants, true>},
            {{"qr", 1}, run_matrices<orthogonal_factors>},
            {{"lstsq", 3}, run_matrices<least_squares>},
            {{"expm", 1}, run_matrices<exponential>},
            {{"eigh", 1}, run_matrices<eigenvectors>},
            {{"eigvalsh", 1}, run_matrices<values_alone<eigenvectors>, true>},
            {{"svd", 1}, run_matrices<singular_vectors>},
            {{"svdvals", 1}, run_matrices<values_alone<singular_vectors>, true>}};
}

}  // namespace oracle
