// SPDX-License-Identifier: MIT
#pragma once
// Axes by name and by number: where each axis of a view comes from.

#include <type_traits>

#include <tapeless/ir/dims.hpp>

namespace tapeless {
namespace detail::inline ops_part {

/// An axis counted from the left, or from the end where it is negative, counted from the right.
constexpr int axis_from_right(int axis, int rank) { return axis < 0 ? -1 - axis : rank - 1 - axis; }

/// Positions are integers as wide as the numbers beside them, so that masks made of them are.
template <class T>
using position_of = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;

/// Axis k of the result (from the right) is axis source(k) of the operand, or new with extent 1 (-1).
/// Four bits an axis; the rank stands above them. An operand of lower rank counts as having leading extents of 1.
struct axis_map {
    std::int64_t bits = 0;
    constexpr int rank() const { return static_cast<int>(bits >> 40); }
    constexpr int source(int k) const { return static_cast<int>((bits >> (4 * k)) & 15) - 1; }
    constexpr void set(int k, int from) { bits |= static_cast<std::int64_t>(from + 1) << (4 * k); }
    static constexpr axis_map of_rank(int r) { return {static_cast<std::int64_t>(r) << 40}; }

    /// The axes of a shape of that rank without those in the mask (from the right).
    static constexpr axis_map without(int rank, std::int64_t axes) {
        int n = 0;
        for (int k = 0; k < rank; ++k) n += !(axes >> k & 1);
        axis_map m = of_rank(n);
        for (int k = 0, to = 0; k < rank; ++k)
            if (!(axes >> k & 1)) m.set(to++, k);
        return m;
    }
    /// Only axes of extent 1 of x come and go: the memory stays as it is.
    constexpr bool keeps_memory(dims const& x) const {
        int next = 0;
        for (int k = 0; k < rank(); ++k) {
            if (source(k) < 0) continue;
            if (source(k) < next) return false;
            for (; next < source(k); ++next)
                if (x.from_right(next) != 1) return false;
            ++next;
        }
        for (; next < x.rank; ++next)
            if (x.from_right(next) != 1) return false;
        return true;
    }
    constexpr dims apply(dims const& x) const {
        dims d;
        d.rank = rank();
        for (int k = 0; k < d.rank; ++k) d.extent[d.rank - 1 - k] = source(k) < 0 ? 1 : x.from_right(source(k));
        return d;
    }
    /// This map applied to the result of another.
    constexpr axis_map after(axis_map const& first) const {
        axis_map m = of_rank(rank());
        for (int k = 0; k < rank(); ++k)
            if (source(k) >= 0 && source(k) < first.rank()) m.set(k, first.source(source(k)));
        return m;
    }
    /// Back to an operand of that rank; its axes that the result lacks are extents of 1.
    constexpr axis_map inverse(int operand_rank) const {
        axis_map m = of_rank(operand_rank);
        for (int k = 0; k < rank(); ++k)
            if (source(k) >= 0 && source(k) < operand_rank) m.set(source(k), k);
        return m;
    }
};

}  // namespace detail::ops_part
}  // namespace tapeless
