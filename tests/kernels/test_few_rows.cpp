// SPDX-License-Identifier: MIT
// Products of few rows, by themselves: all rows, some columns, both ways the right operand may lie, beside plain loops.

#include <tapeless/kernels/few_rows.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/product_loops.hpp"
#include "support/catch.hpp"

namespace {

namespace d = tapeless::detail;
using loops::numbers;

/// Whether columns before ... n - after - 1 of m rows are what loops compute, and nothing else is written.
template <class T, bool InPlace>
bool is_right(std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t before, std::int64_t after,
              std::ptrdiff_t left_k, bool padded, numbers& random) {
    constexpr std::int64_t L = tapeless::simd::lanes<T>;
    std::int64_t const row = padded ? (n + L - 1) / L * L : n;
    auto const size = [](std::int64_t x) { return static_cast<std::size_t>(x); };
    std::vector<T> a(size(m * k * left_k)), b(size(k * n)), c(size(m * row), T(0.5)), packed(size(m * k));
    random.integers(a), random.integers(b);
    d::product_operands<T> x;
    x.left = a.data(), x.right = b.data(), x.packed_left = packed.data();
    x.left_row = left_k == 1 ? k : 1, x.left_k = left_k == 1 ? 1 : m;
    x.right_k = InPlace ? n : 1, x.right_column = InPlace ? 1 : k;
    x.columns = n, x.depth = k, x.before = before, x.after = after;
    d::product_target<T> t;
    t.to = c.data(), t.row = row, t.padded = padded;
    d::multiply_few_rows<InPlace>(x, 0, m, t);
    for (std::int64_t i = 0; i < m; ++i)
        for (std::int64_t j = 0; j < row; ++j) {
            T sum = j < n ? T(0.5) : after == 0 ? T(0) : T(0.5);
            if (j >= before && j < n - after) {
                sum = 0;
                for (std::int64_t q = 0; q < k; ++q)
                    sum += a[size(i * x.left_row + q * x.left_k)] * b[size(q * x.right_k + j * x.right_column)];
            }
            if (c[size(i * row + j)] != sum) return false;
        }
    return true;
}

}  // namespace

TEMPLATE_TEST_CASE("few rows: all rows, lengths around lanes, pieces of the columns", "", float, double) {
    numbers random;
    constexpr std::int64_t L = tapeless::simd::lanes<TestType>;
    for (std::int64_t m : {1, 2, 3, 4, 5, 6, 7, 8, 13, 32})
        for (std::int64_t n : {std::int64_t{1}, L - 1, L, L + 1, 2 * L, 3 * L + 1, 4 * L, 7 * L - 1, 8 * L, 13 * L + 1,
                               25 * L, 50 * L + 1})
            for (std::int64_t k : {std::int64_t{0}, std::int64_t{1}, L + 1, std::int64_t{33}, std::int64_t{300}})
                for (int how = 0; how < 8; ++how) {
                    std::int64_t const before = how & 1 ? n / (3 * L) * L : 0, after = how & 2 ? (n - before) / 3 : 0;
                    std::ptrdiff_t const left_k = how & 4 ? 2 : 1;
                    CAPTURE(m, n, k, how);
                    REQUIRE(is_right<TestType, true>(m, n, k, before, after, left_k, how & 1, random));
                    REQUIRE(is_right<TestType, false>(m, n, k, before, after, left_k, how & 1, random));
                }
}
TEMPLATE_TEST_CASE("few rows: pieces of the columns have the bits of the whole", "", float, double) {
    numbers random;
    constexpr std::int64_t m = 5, n = 61, k = 83;
    std::vector<TestType> a(m * k), b(k * n), whole(m * n), pieces(m * n);
    random.uniforms(a), random.uniforms(b);
    auto const multiply = [&](std::vector<TestType>& c, bool in_place, std::int64_t from, std::int64_t end) {
        d::product_operands<TestType> x;
        x.left = a.data(), x.left_row = k, x.left_k = 1, x.right = b.data();
        x.right_k = in_place ? n : 1, x.right_column = in_place ? 1 : k;
        x.columns = n, x.depth = k, x.before = from, x.after = n - end;
        d::product_target<TestType> t;
        t.to = c.data(), t.row = n;
        if (in_place) d::multiply_few_rows<true>(x, 0, m, t);
        else d::multiply_few_rows<false>(x, 0, m, t);
    };
    for (bool in_place : {true, false}) {
        multiply(whole, in_place, 0, n);
        for (std::int64_t at = 0; at <= n; ++at) {
            multiply(pieces, in_place, 0, at);
            multiply(pieces, in_place, at, n);
            CAPTURE(in_place, at);
            REQUIRE(pieces == whole);
        }
    }
}
