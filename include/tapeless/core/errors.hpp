// SPDX-License-Identifier: MIT
#pragma once
// What is thrown when arrays handed in at run time do not fit the function.

#include <stdexcept>

namespace tapeless {

/// Lengths that do not agree: thrown before anything is written, naming argument, axis and lengths.
struct shape_error : std::invalid_argument {
    using std::invalid_argument::invalid_argument;
};

/// An element of an index array that points outside of what it indexes, naming operation, argument, position and value.
/// Thrown before anything is written where the array was handed in, and before it is used where it was computed.
struct index_error : std::out_of_range {
    using std::out_of_range::out_of_range;
};

/// Two targets of into(...) that have memory in common: thrown before anything is written.
struct alias_error : std::invalid_argument {
    using std::invalid_argument::invalid_argument;
};

}  // namespace tapeless
