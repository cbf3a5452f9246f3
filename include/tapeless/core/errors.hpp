// SPDX-License-Identifier: MIT
#pragma once
// What is thrown when arrays handed in at run time do not fit the function.

#include <stdexcept>

namespace tapeless {

/// Lengths that do not agree: thrown before anything is written, naming argument, axis and lengths.
struct shape_error : std::invalid_argument {
    using std::invalid_argument::invalid_argument;
};

}  // namespace tapeless
