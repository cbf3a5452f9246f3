// SPDX-License-Identifier: MIT
#pragma once
// The shapes of a graph, each with a number.

#include <cstdint>

#include <tapeless/base/list.hpp>
#include <tapeless/ir/dims.hpp>

namespace tapeless::detail::inline ir_part {

/// Shapes under numbers: the same shape has the same one. 0 is that of a number.
struct shape_table {
    static constexpr int shape_buckets = 64;
    list<dims> shapes;
    list<char> scalar;  ///< of each shape: one element for certain
    int shape_bucket[shape_buckets] = {};  ///< 1 + the shape last added, or 0
    list<int> next_shape;  ///< with the same hash

    constexpr shape_table() { intern(dims{}); }

    constexpr int intern(dims const& d) {
        if (d.rank == 0 && !shapes.empty()) return 0;
        int& head = shape_bucket[hash(d)];
        for (int i = head - 1; i >= 0; i = next_shape.items[i]) {
            dims const& s = shapes.items[i];
            if (s.rank != d.rank) continue;
            int a = 0;
            while (a < d.rank && s.extent[a] == d.extent[a]) ++a;
            if (a == d.rank) return i;
        }
        head = append_shape(d, head - 1) + 1;
        return head - 1;
    }
    static constexpr unsigned hash(dims const& d) {
        std::uint64_t h = 0;
        for (int a = 0; a < d.rank; ++a) h = h * 31 + static_cast<std::uint64_t>(d.extent[a]) + 3;
        return static_cast<unsigned>((h ^ (h >> 6) ^ (h >> 12)) % shape_buckets);
    }
    constexpr int append_shape(dims const& d, int next) {
        scalar.push(d.is_scalar());
        next_shape.push(next);
        return shapes.push(d);
    }
    /// These shapes, under the numbers they have there.
    constexpr void take_shapes(auto const& table) {
        shapes.resize(0);
        scalar.resize(0);
        next_shape.resize(0);
        for (int& b : shape_bucket) b = 0;
        for (dims const& d : table) {
            int& head = shape_bucket[hash(d)];
            head = append_shape(d, head - 1) + 1;
        }
    }
};

}  // namespace tapeless::detail::ir_part
