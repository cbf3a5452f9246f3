// SPDX-License-Identifier: MIT
#pragma once
// What an operation needs to know besides its operands.

#include <cstdint>

namespace tapeless::detail {

/// What an operation needs besides its inputs. Axes are a bit mask counted from the right; an offset is an extent as in dims.
struct attribute {
    std::int64_t axes = 0;
    double number = 0;
    int shape = -1;
    std::int64_t offset = 0;
    constexpr bool operator==(attribute const&) const = default;
};

}  // namespace tapeless::detail
