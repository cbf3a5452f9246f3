// SPDX-License-Identifier: MIT
#pragma once
// Shapes as values, and what broadcasting makes of two of them.

#include <cstdint>

#include <tapeless/array/extents.hpp>

namespace tapeless::detail::inline ir_part {

/// A shape as a value. An extent >= 0 is a number; a negative one is the run-time extent ~e of the graph.
struct dims {
    int rank = 0;
    std::int64_t extent[max_rank]{};
    constexpr bool operator==(dims const&) const = default;
    /// Axes are counted from the right, so that shapes of different rank align as broadcasting wants.
    constexpr std::int64_t from_right(int k) const { return k < rank ? extent[rank - 1 - k] : 1; }
    constexpr bool is_scalar() const {
        for (int i = 0; i < rank; ++i)
            if (extent[i] != 1) return false;
        return true;
    }
    /// Number of elements; run-time extents count as one.
    constexpr std::int64_t static_size() const {
        std::int64_t n = 1;
        for (int i = 0; i < rank; ++i) n *= extent[i] < 0 ? 1 : extent[i];
        return n;
    }
    /// Of one element, under so many axes.
    static constexpr dims ones(int rank) {
        dims d;
        while (d.rank < rank) d.extent[d.rank++] = 1;
        return d;
    }
    constexpr bool is_static() const {
        for (int i = 0; i < rank; ++i)
            if (extent[i] < 0) return false;
        return true;
    }
};

/// A static shape.
template <class Shape>
constexpr dims dims_of_constants() {
    dims d;
    d.rank = Shape::rank;
    int k = 0;
    for (auto e : Shape::extents) d.extent[k++] = e;
    return d;
}

/// NumPy's rule. `u.same(a, b)` says what two extents that must agree become (and notes what run time has to check);
/// `u.fail()` is called for two numbers that do not.
template <class Unifier>
constexpr dims broadcast(Unifier& u, dims const& a, dims const& b) {
    dims r;
    r.rank = a.rank > b.rank ? a.rank : b.rank;
    for (int k = 0; k < r.rank; ++k) {
        std::int64_t x = a.from_right(k), y = b.from_right(k);
        r.extent[r.rank - 1 - k] = x == y ? x : x == 1 ? y : y == 1 ? x : u.same(x, y);
    }
    return r;
}

}  // namespace tapeless::detail::ir_part
