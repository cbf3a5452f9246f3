// SPDX-License-Identifier: MIT
#pragma once
// Items along a leading axis: their axes, and something that stands for one of them.

#include <tapeless/ops/boundary.hpp>
#include <tapeless/ops/contract.hpp>
#include <tapeless/ops/movement.hpp>

namespace tapeless::detail::inline graph_part {

/// x with axes of extent 1 behind its leading one, so that items have that rank.
constexpr int emit_item_rank(builder& b, int x, int rank) {
    int const has = b.shape_of(x).rank - 1;
    if (has >= rank) return x;
    axis_map m = axis_map::of_rank(rank + 1);
    for (int k = 0; k < has; ++k) m.set(k, k);
    m.set(rank, has);
    return emit_axes(b, x, m);
}
/// What an item of that rank is under other axes, of all items: x.
constexpr int emit_view_of_items(builder& b, axis_map item, int rank, int x) {
    axis_map m = axis_map::of_rank(item.rank() + 1);
    for (int k = 0; k < item.rank(); ++k)
        if (item.source(k) < rank) m.set(k, item.source(k));  // what the operand lacks has extent 1
    m.set(item.rank(), rank);
    return emit_axes(b, x, m);
}
/// Something that stands for one item of x: a node that nothing else is.
constexpr int emit_item(builder& b, int x) {
    int const rank = b.shape_of(x).rank;
    int const first =
        emit_axes(b, emit_slice(b, x, rank - 1, 0, 1, 1), axis_map::without(rank, std::int64_t{1} << (rank - 1)));
    return emit_with<parameter_op>(b, first, attribute::labelled(++b.barrier));
}

}  // namespace tapeless::detail::graph_part
