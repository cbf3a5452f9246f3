// SPDX-License-Identifier: MIT
#pragma once
// A linear map on all unit arrays at once, as items of a batch: its matrix.

#include <tapeless/graph/batch.hpp>
#include <tapeless/ops/extremes.hpp>
#include <tapeless/ops/view.hpp>

namespace tapeless::detail::inline graph_part {

/// All unit arrays of the shape of x, one after the other along a leading axis. They are compared out of positions,
/// not stored.
template <class T>
constexpr int emit_units(builder& b, int x) {
    using P = position_of<T>;
    dims const d = b.shape_of(x);
    std::int64_t size = 1;
    for (int a = 0; a < d.rank; ++a) size = b.product(size, b.resolve(d.extent[a]));
    node_ref<P> const which(&b, emit_position<T>(b, size, d.rank + 1, d.rank));
    node_ref<P> const place = positions<T, P>(node_ref<T>(&b, x), (std::int64_t{1} << d.rank) - 1);
    int const ones = operation_table<cast_op<T>, bool>::emit(b, {}, {(which == place).id});
    return emit_expand(b, ones, with_leading(b, size, d));
}

/// What linear(unit), a list, is for all unit arrays like x, along a leading axis; -1 where it is 0.
constexpr list<int> for_all_units(builder& b, int x, auto&& linear) {
    if (b.shape_of(x).rank == 0) {  // one: nothing has to be made for many
        list<int> one = linear(b.constant(1, b.nodes[x].type));
        for (int& r : one)
            if (r >= 0) r = emit_expand(b, r, with_leading(b, 1, dims(b.shape_of(r))));
        return one;
    }
    list<int> units, item, some;
    units.push(b.real(x).units(b, x));
    item.push(emit_item(b, units[0]));
    list<int> all = linear(item[0]);
    for (int r : all)
        if (r >= 0) some.push(r);
    list<int> const made = batch(b, some, item, units);
    int next = 0;
    for (int& r : all)
        if (r >= 0) r = made[next++];
    return all;
}

}  // namespace tapeless::detail::graph_part
