// SPDX-License-Identifier: MIT
#pragma once
// Zeros to read where an array has none.

#include <cstddef>

namespace tapeless::detail::inline kernels_part {

/// What rows beyond the ends of an array are read from, where they are no longer than this.
struct zero_bytes {
    alignas(64) std::byte at[4096];
};
inline constexpr zero_bytes row_of_zeros{};

}  // namespace tapeless::detail::kernels_part
