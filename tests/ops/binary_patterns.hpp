// SPDX-License-Identifier: MIT
#pragma once
// How two operands may broadcast, once axes that behave alike are merged.

#include "ops/reference_cases.hpp"

namespace reference {

using enum shapes;

using scalar = shape_pattern<>;
using vector = shape_pattern<run>;
using matrix = shape_pattern<run, run>;
using column = shape_pattern<run, 1>;
using cube = shape_pattern<run, run, run>;

using numbers = binary_pattern<scalar, scalar, scalar>;
using alike = binary_pattern<vector, vector, vector>;
using with_number = binary_pattern<vector, scalar, vector>;
using number_with = binary_pattern<scalar, vector, vector>;
using with_row = binary_pattern<matrix, vector, matrix>;
using row_with = binary_pattern<vector, matrix, matrix>;
using with_column = binary_pattern<matrix, column, matrix>;
using middle_stretched = binary_pattern<shape_pattern<run, 1, run>, cube, cube>;
using both_stretched = binary_pattern<shape_pattern<run, 1, run>, column, cube>;
using alternating =
    binary_pattern<shape_pattern<run, 1, run, 1>, shape_pattern<run, 1, run>, shape_pattern<run, run, run, run>>;

}  // namespace reference
