// SPDX-License-Identifier: MIT
#pragma once
// Whether two arrays have elements in common, told by addresses, lengths and strides.

#include <cstdint>
#include <cstring>

#include <tapeless/array/strided.hpp>

namespace tapeless::detail::inline array_part {

/// The addresses that the elements of an array lie between, from the first byte to the one after the last.
struct address_range {
    std::intptr_t begin = 0, end = 0;
};

/// An array as the bytes of its elements: strides are in bytes.
struct byte_array {
    strided at;
    int element = 1;  ///< size of one

    bool empty() const {
        for (int k = 0; k < at.rank; ++k)
            if (at.extent[k] == 0) return true;
        return false;
    }
    /// The addresses of all elements, or of those at position 0 of axis `without`.
    address_range range(int without = -1) const {
        auto const first = reinterpret_cast<std::intptr_t>(at.data);
        address_range r{first, first + element};
        for (int k = 0; k < at.rank; ++k)
            if (k != without) (at.stride[k] < 0 ? r.begin : r.end) += (at.extent[k] - 1) * at.stride[k];
        return r;
    }
    /// The axis along which it extends furthest; -1: it is one element.
    int longest() const {
        int axis = -1;
        std::ptrdiff_t most = 0;
        for (int k = 0; k < at.rank; ++k) {
            std::ptrdiff_t const step = at.stride[k] < 0 ? -at.stride[k] : at.stride[k],
                                 length = step * (at.extent[k] - 1);
            if (length > most) most = length, axis = k;
        }
        return axis;
    }
    /// Elements from ... from + n - 1 along an axis.
    byte_array part(int axis, std::int64_t from, std::int64_t n) const {
        byte_array p = *this;
        p.at.data = static_cast<std::byte*>(at.data) + from * at.stride[axis];
        p.at.extent[axis] = n;
        return p;
    }
};

/// Whether both step by the same distance along an axis, and stay in different parts of that distance: columns of one
/// matrix, members of one array of structs.
inline bool lie_side_by_side(byte_array const& a, int along_a, byte_array const& b, int along_b) {
    auto const magnitude = [](std::ptrdiff_t s) { return s < 0 ? -s : s; };
    std::ptrdiff_t const step = magnitude(a.at.stride[along_a]);
    if (step == 0 || step != magnitude(b.at.stride[along_b])) return false;
    address_range const x = a.range(along_a), y = b.range(along_b);
    std::ptrdiff_t const from = ((y.begin - x.begin) % step + step) % step;  // of b, seen from a
    return x.end - x.begin <= from && from + (y.end - y.begin) <= step;
}

/// Whether some byte belongs to an element of both.
inline bool meet(byte_array const& a, byte_array const& b) {
    if (a.empty() || b.empty()) return false;
    address_range const x = a.range(), y = b.range();
    if (x.end <= y.begin || y.end <= x.begin) return false;
    int const i = a.longest(), j = b.longest();
    if (i < 0 && j < 0) return true;
    if (i >= 0 && j >= 0 && lie_side_by_side(a, i, b, j)) return false;
    if (j < 0 || (i >= 0 && x.end - x.begin >= y.end - y.begin)) {
        std::int64_t const half = a.at.extent[i] / 2;
        return meet(a.part(i, 0, half), b) || meet(a.part(i, half, a.at.extent[i] - half), b);
    }
    return meet(b, a);
}

/// Whether both are the same elements in the same order.
inline bool are_same(byte_array const& a, byte_array const& b) {
    bool same = a.at.data == b.at.data && a.element == b.element;
    for (int k = 0; k < max_rank && same; ++k)
        same = a.at.extent[k] == b.at.extent[k] && (a.at.extent[k] == 1 || a.at.stride[k] == b.at.stride[k]);
    return same;
}

/// Copies the elements of one array to those of another of the same shape, axes `axis` to 0.
[[gnu::noinline, gnu::cold]] inline void copy_elements(byte_array const& from, byte_array const& to,
                                                       int axis = max_rank - 1) {
    auto const* f = static_cast<std::byte const*>(from.at.data);
    auto* t = static_cast<std::byte*>(to.at.data);
    std::int64_t const n = to.at.extent[axis];
    if (axis > 0) {
        for (std::int64_t i = 0; i < n; ++i) copy_elements(from.part(axis, i, 1), to.part(axis, i, 1), axis - 1);
    } else if (n == 1 || (from.at.stride[0] == to.element && to.at.stride[0] == to.element)) {
        std::memcpy(t, f, static_cast<std::size_t>(n * to.element));
    } else {
        for (std::int64_t i = 0; i < n; ++i, f += from.at.stride[0], t += to.at.stride[0])
            std::memcpy(t, f, static_cast<std::size_t>(to.element));
    }
}

}  // namespace tapeless::detail::array_part
