// SPDX-License-Identifier: MIT
#pragma once
// The nodes of a graph, each value once.

#include <bit>
#include <cstdint>

#include <tapeless/base/list.hpp>
#include <tapeless/ir/node.hpp>

namespace tapeless::detail::inline ir_part {

/// Value numbering: the same operation on the same operands is one node.
struct node_table {
    static constexpr int buckets = 512;
    list<node> nodes;
    int bucket[buckets] = {};  ///< 1 + the node last added, or 0
    int barrier = 0;  ///< makes nodes distinct that value numbering must not merge

    /// The number of a node with this value.
    constexpr int push(node n) {
        // In few statements: this is where most of a compiler's steps go.
        constexpr std::uint64_t spread = 0x9e3779b97f4a7c15;
        std::uint64_t const bits = std::bit_cast<std::uint64_t>(n.attr.number),
                            what = n.kind >= node_kind::elementwise ? static_cast<std::uint64_t>(n.op->identity)
                                                                    : static_cast<std::uint64_t>(n.kind) + 7,
                            a = (what ^ static_cast<std::uint64_t>(n.in[0] + 1)) * spread,
                            b = ((a ^ a >> 32) + static_cast<std::uint64_t>(n.in[1] + 1)) * spread,
                            c = ((b ^ b >> 32) + static_cast<std::uint64_t>(n.in[2] + 1) + (bits ^ bits >> 32) +
                                 static_cast<std::uint64_t>(n.attr.offset << 8)) *
                                spread,
                            d = ((c ^ c >> 32) + static_cast<std::uint64_t>(n.shape * 64 + n.source + 1)) * spread;
        int& head = bucket[(d >> 40) % buckets];
        for (int i = head - 1; i >= 0 && n.kind != node_kind::alias; i = nodes.items[i].next)
            if (nodes.items[i].equals(n)) return i;
        n.next = head - 1;
        head = nodes.push(n) + 1;
        return head - 1;
    }
};

}  // namespace tapeless::detail::ir_part
