// SPDX-License-Identifier: MIT
#pragma once
// All simplifications in one table. tests/ops/test_simplify.cpp has a program for every row, and README.md
// ("Numerics") names those that reassociate.

#include <tapeless/ops/like_terms.hpp>
#include <tapeless/ops/simplify/arithmetic.hpp>
#include <tapeless/ops/simplify/sums.hpp>
#include <tapeless/ops/simplify/views.hpp>
#include <tapeless/ops/simplify/windows.hpp>

namespace tapeless::detail::inline ops_part {

/// The rows of several tables, one after the other.
template <class... Table>
struct joined_tables {
    static constexpr int size = (0 + ... + Table::size);
    struct rows_type {
        simplification items[static_cast<std::size_t>(size)];
        constexpr simplification const* begin() const { return items; }
        constexpr simplification const* end() const { return items + size; }
    };
    static constexpr rows_type join() {
        rows_type r{};
        int n = 0;
        auto add = [&](auto const& rows) {
            for (simplification const& s : rows) r.items[n++] = s;
        };
        (add(Table::rows), ...);
        return r;
    }
};
inline constexpr auto all_simplifications =
    joined_tables<simplify_neg, simplify_add, simplify_sub, simplify_mul, simplify_div, simplify_pow, simplify_exponent,
                  simplify_where, simplify_cast, simplify_reduction, simplify_summand, simplify_axes, simplify_expand,
                  simplify_slice, simplify_reshape, simplify_put, simplify_largest_under, multiply_adds,
                  like_term_rows>::join();

}  // namespace tapeless::detail::ops_part
