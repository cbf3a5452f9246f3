// SPDX-License-Identifier: MIT
#pragma once
// The nodes of a graph, each value once.

#include <bit>
#include <cstdint>

#include <tapeless/base/list.hpp>
#include <tapeless/ir/node.hpp>

namespace tapeless::detail {

/// Value numbering: the same operation on the same operands is one node.
struct node_table {
    static constexpr int buckets = 512;
    list<node> nodes;
    int bucket[buckets];
    int barrier = 0;  ///< makes nodes distinct that value numbering must not merge

    constexpr node_table() {
        for (int& b : bucket) b = -1;
    }

    /// The number of a node with this value.
    constexpr int push(node n) {
        auto const bits = std::bit_cast<std::uint64_t>(n.attr.number);
        std::uint32_t h =
            n.has_op() ? static_cast<std::uint32_t>(n.op->identity) : static_cast<std::uint32_t>(n.kind) + 7u;
        h = (h ^ static_cast<std::uint32_t>(n.in[0] + 1)) * 0x9e3779b1u;
        h = (h ^ static_cast<std::uint32_t>(n.in[1] + 1)) * 0x9e3779b1u;
        h = (h ^ static_cast<std::uint32_t>(n.in[2] + 1) ^ static_cast<std::uint32_t>(bits ^ (bits >> 32)) ^
             static_cast<std::uint32_t>(n.attr.offset << 8)) *
            0x9e3779b1u;
        h = ((h ^ static_cast<std::uint32_t>(n.shape * 64 + n.source + 1)) * 0x9e3779b1u) >> 16;
        int& head = bucket[h % buckets];
        for (int i = head; i >= 0 && n.kind != node_kind::alias; i = nodes.items[i].next)
            if (nodes.items[i].equals(n)) return i;
        n.next = head;
        head = nodes.push(n);
        return head;
    }
};

}  // namespace tapeless::detail
