// SPDX-License-Identifier: MIT
#pragma once
// The arithmetic of passes on nodes of one floating type.

#include <tapeless/graph/units.hpp>
#include <tapeless/ops/contract.hpp>
#include <tapeless/ops/fused.hpp>
#include <tapeless/ops/sliding_windows.hpp>

namespace tapeless::detail::inline graph_part {

/// `number` on the diagonal of a matrix like `x`, 0 elsewhere.
template <class T>
constexpr int emit_on_diagonal_of(builder& b, int x, int number) {
    std::int64_t const n = b.shape_of(x).extent[0];
    node_ref<position_of<T>> const row(&b, emit_position<T>(b, n, 2, 1)), column(&b, emit_position<T>(b, n, 2, 0));
    return emit_masked<T>(b, (row == column).id, number);
}

/// Rows compared with columns along two axes of a shape.
template <class Compare, class T>
constexpr int emit_row_against_column(builder& b, dims const& d, int row, int column) {
    using P = position_of<T>;
    int const i = emit_position<T>(b, d.from_right(row), d.rank, row),
              j = emit_position<T>(b, d.from_right(column), d.rank, column);
    return operation_table<Compare, P, P>::emit(b, {}, {i, j});
}
template <class T>
constexpr int emit_from_diagonal(builder& b, dims const& d, int row, int column, int x) {
    return emit_masked<T>(b, emit_row_against_column<less_equal_op, T>(b, d, row, column), x);
}

template <class T>
struct real_rules_of {
    static constexpr real_rules value{
        .neg = &emit_unary<neg_op, T>,
        .add = &emit_binary<add_op, T>,
        .sub = &emit_binary<sub_op, T>,
        .mul = &emit_binary<mul_op, T>,
        .div = &emit_binary<div_op, T>,
        .maximum = &emit_binary<maximum_op, T>,
        .minimum = &emit_binary<minimum_op, T>,
        .choice = &emit_choice_of<T>,
        .masked = &emit_masked<T>,
        .sum = &emit_sum<T>,
        .count = &emit_count<T>,
        .sum_of_products = &emit_sum_of_products<T>,
        .in_order = &emit_in_order<T>,
        .shorter = &emit_shorter<T>,
        .units = &emit_units<T>,
        .on_diagonal = &emit_on_diagonal_of<T>,
        .diagonal = &emit_row_against_column<equal_op, T>,
        .from_diagonal = &emit_from_diagonal<T>,
        .fma = &operation_table<fma_op, T, T, T>::value,
        .fms = &operation_table<fms_op, T, T, T>::value,
        .fnma = &operation_table<fnma_op, T, T, T>::value,
        .fold_windows = &operation_table<fold_windows_op, T>::value,
        .call_result = &operation_table<call_result_op, T>::value,
    };
};

template <class T>
constexpr real_rules const* find_real_rules() {
    return &real_rules_of<T>::value;
}

}  // namespace tapeless::detail::graph_part
