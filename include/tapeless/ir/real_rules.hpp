// SPDX-License-Identifier: MIT
#pragma once
// Arithmetic on nodes for passes that come across a floating type rather than know it.

#include <cstdint>

#include <tapeless/array/dtype.hpp>
#include <tapeless/ir/dims.hpp>

namespace tapeless::detail::inline ops_part {
struct axis_map;
}  // namespace tapeless::detail::ops_part

namespace tapeless::detail::inline ir_part {

struct builder;
struct operation;

/// What passes make of nodes of one floating type. The rules of a type come into a graph with the first symbol of that
/// type: for a type that a program does not have nothing is compiled.
struct real_rules {
    using of_one = int(builder&, int x);
    using of_two = int(builder&, int x, int y);
    of_one* neg;
    of_two *add, *sub, *mul, *div, *maximum, *minimum;
    int (*choice)(builder&, int mask, int x, int y);           ///< x where the mask holds, otherwise y
    int (*masked)(builder&, int mask, int x);                  ///< x where the mask holds, otherwise 0
    int (*sum)(builder&, int x, std::int64_t axes);            ///< over axes from the right
    int (*count)(builder&, dims const& d, std::int64_t axes);  ///< of the elements along axes of a shape
    int (*sum_of_products)(builder&, int x, int y, std::int64_t axes, dims const& loop);
    int (*in_order)(builder&, int product, axis_map m);  ///< computed under other axes
    int (*shorter)(builder&, int x, dtype type);         ///< rounded to a type that is stored
    of_one* units;                                       ///< all unit arrays like x
    of_two* on_diagonal;                                 ///< a number on the diagonal of a matrix like x
    /// The mask of the diagonal of the matrices along two axes of a shape, and x from there on along the columns, 0
    /// before.
    int (*diagonal)(builder&, dims const& d, int row, int column);
    int (*from_diagonal)(builder&, dims const& d, int row, int column, int x);
    operation const *fma, *fms, *fnma, *fold_windows, *call_result;
};

}  // namespace tapeless::detail::ir_part

namespace tapeless::detail::inline graph_part {
/// Those of type T; defined where all operations are known.
template <class T>
constexpr real_rules const* find_real_rules();
}  // namespace tapeless::detail::graph_part
