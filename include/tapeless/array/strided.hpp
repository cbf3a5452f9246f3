// SPDX-License-Identifier: MIT
#pragma once
// Arrays in memory as operations with loops of their own see them.

#include <cstddef>
#include <cstdint>

#include <tapeless/array/extents.hpp>

namespace tapeless::detail::inline array_part {

/// An array: where it begins, its lengths, and its strides in elements (0 where it does not vary). Axes count from the
/// right; beyond the rank extents are 1.
struct strided {
    void* data = nullptr;
    int rank = 0;
    std::int64_t extent[max_rank];
    std::ptrdiff_t stride[max_rank];

    strided() {
        for (int k = 0; k < max_rank; ++k) extent[k] = 1, stride[k] = 0;
    }
    /// With nothing set beyond the rank, for loops that look at their axes alone.
    struct bare {};
    explicit strided(bare) {}

    template <class T>
    T* as() const {
        return static_cast<T*>(data);
    }
    std::int64_t size() const {
        std::uint64_t n = 1;  // unsigned: beside a length of 0 the others may be so long that this wraps around
        for (int k = 0; k < rank; ++k) n *= static_cast<std::uint64_t>(extent[k]);
        return static_cast<std::int64_t>(n);
    }
};

}  // namespace tapeless::detail::array_part
