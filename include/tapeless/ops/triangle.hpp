// SPDX-License-Identifier: MIT
#pragma once
// Diagonals and triangles of matrices: tril, triu, diagonal.

#include <tapeless/ops/view.hpp>

namespace tapeless {
namespace detail::inline ops_part {

/// Column against row + offset in the last two axes, as a mask.
template <class Compare, class T>
constexpr int emit_column_against_row(builder& b, dims const& d, std::int64_t offset) {
    using position = position_of<T>;
    int const column = emit_position<T>(b, d.from_right(0), d.rank, 0),
              row = emit_position<T>(b, d.from_right(1), d.rank, 1);
    int const on = emit_binary<add_op, position>(b, row, b.constant(static_cast<double>(offset), dtype_of<position>()));
    return operation_table<Compare, position, position>::emit(b, {}, {column, on});
}

/// x where the column is at most (Lower) or at least (else) the row + attr.offset, elsewhere 0.
template <bool Lower>
struct triangle_op : composed<"triangle"> {
    template <class, class S>
    using result_shape = S;
    template <class T>
    static constexpr int simplify(builder& b, node const& n) {
        dims const d = b.shape_of(n.in[0]);
        if constexpr (Lower)
            return emit_masked<T>(b, emit_column_against_row<less_equal_op, T>(b, d, n.attr.offset), n.in[0]);
        else {
            int const below = emit_column_against_row<less_op, T>(b, d, n.attr.offset);
            int const mask = operation_table<not_op, typename nth_type<0, bool, T>::type>::emit(b, {}, {below});
            return emit_masked<T>(b, mask, n.in[0]);
        }
    }
};

template <int Offset>
struct diagonal_op : with_other_shape<"diagonal", diagonal_op<Offset>> {
    static constexpr std::int64_t skipped_rows = Offset < 0 ? -Offset : 0, skipped_columns = Offset > 0 ? Offset : 0;
    static constexpr std::int64_t length(std::int64_t rows, std::int64_t columns) {
        std::int64_t const r = rows - skipped_rows, c = columns - skipped_columns, n = r < c ? r : c;
        return n < 0 ? 0 : n;
    }
    static constexpr dims dims_from(dims d) {
        std::int64_t const r = d.from_right(1), c = d.from_right(0);
        --d.rank;
        d.extent[d.rank - 1] = r >= 0 && c >= 0 ? length(r, c) : new_extent;
        return d;
    }
    template <class T>
    static constexpr int simplify(builder& b, node const& n) {
        dims d = b.shape_of(n.in[0]);
        std::int64_t const rows = b.resolve(d.from_right(1)), columns = b.resolve(d.from_right(0));
        if (rows >= 0 && columns >= 0) {  // every columns + 1 elements of the matrix in one row
            dims flat = d;
            --flat.rank;
            flat.extent[flat.rank - 1] = rows * columns;
            std::int64_t const count = length(rows, columns);
            return emit_slice(b, emit_reshape(b, n.in[0], flat), 0,
                              count == 0 ? 0 : skipped_rows * columns + skipped_columns, count, columns + 1);
        }
        // the columns are all summed, one of which counts
        int const kept = emit_masked<T>(b, emit_column_against_row<equal_op, T>(b, d, Offset), n.in[0]);
        int const all = emit_axes(b, emit_sum<T>(b, kept, 1), axis_map::without(d.rank, 1));
        std::int64_t const count = b.derived({.rule = length_rule::minimum,
                                              .a = b.difference(rows, skipped_rows),
                                              .b = b.difference(columns, skipped_columns)});
        return emit_slice(b, all, 0, skipped_rows, count, 1);
    }
};
}  // namespace detail::ops_part

/// x on and below a diagonal of its last two axes (0: the main one, 1: the one above), elsewhere 0.
template <expression A>
constexpr auto tril(A const& x, int diagonal = 0) {
    refuse(detail::why_no_axes<detail::triangle_op<true>, A, typename detail::shape_or_none<A>::type, -2>());
    return apply_with<detail::triangle_op<true>>(detail::attribute{.offset = diagonal}, x);
}
/// x on and above a diagonal of its last two axes, elsewhere 0.
template <expression A>
constexpr auto triu(A const& x, int diagonal = 0) {
    refuse(detail::why_no_axes<detail::triangle_op<false>, A, typename detail::shape_or_none<A>::type, -2>());
    return apply_with<detail::triangle_op<false>>(detail::attribute{.offset = diagonal}, x);
}
/// y(..., i) = x(..., i, i + Offset); below the main diagonal for a negative offset.
template <int Offset = 0, expression A>
constexpr auto diagonal(A const& x) {
    using S = typename detail::shape_or_none<A>::type;
    refuse(detail::why_no_axes<detail::diagonal_op<Offset>, A, S, -2>());
    if constexpr (!detail::is_node_ref<A> && S::rank < 2) return x;
    else return apply<detail::diagonal_op<Offset>>(x);
}

}  // namespace tapeless
