// SPDX-License-Identifier: MIT
#pragma once
// One run of an operation with loops of its own, as the oracle's functions for these get it.

#include "support/oracle_functions.hpp"

#include <tapeless/ir/node.hpp>

namespace oracle {

/// One run of a loop: its operands, and what the result is.
struct loop_call {
    std::vector<array const*> in;
    tapeless::detail::attribute attr;
    lengths shape;
    dtype type;
    int const* parameters = nullptr;  ///< of the operation

    array result() const { return array(type, shape); }
    /// The axis in the attribute, from the left, of an array.
    std::size_t axis_of(array const& x) const { return x.shape.size() - 1 - static_cast<std::size_t>(attr.axes); }
};
/// The results, where there are several the further ones behind the first.
using loop_function = std::vector<array> (*)(loop_call const&);

inline std::size_t checked(std::int64_t index, std::int64_t limit, char const* what) {
    if (index < 0 || index >= limit)
        throw error(std::string(what) + ": the index " + std::to_string(index) + " is out of range");
    return static_cast<std::size_t>(index);
}

/// A sum of n terms in any sensible order: a few roundings of the sum of the absolute values.
inline double roundings_of_sum(double n) { return 4 + std::sqrt(n); }

}  // namespace oracle
