// SPDX-License-Identifier: MIT
#pragma once
// Matrix products in a plan: the kernel that one opens, how it is cut, and the room it takes.

#include <tapeless/schedule/graph_to_plan.hpp>
#include <tapeless/schedule/machine.hpp>
#include <tapeless/schedule/plan.hpp>

namespace tapeless::detail::inline schedule_part {

/// The kernel that product `a` opens. Its two innermost loops belong to one operand each: columns, which are in
/// registers, to the operand with the last axis that is not common, rows to the other. Where the result lies column by
/// column it is the first axis.
constexpr kernel_draft draft_product(graph_to_plan const& graph, walk_table& table, int a) {
    builder const& g = graph.g;
    node const& n = g.nodes.items[a];
    dims const &d = g.shapes.items[n.shape], &x = g.shape_of(n.in[0]), &y = g.shape_of(n.in[1]);
    kernel_draft kd;
    product_draft& p = kd.product;
    p.node = a;
    kd.ordered = true;
    auto side = [&](int k) { return (x.from_right(k) != 1 ? 1 : 0) | (y.from_right(k) != 1 ? 2 : 0); };
    bool const back = graph.is_likely_columns(a);
    int const by = back ? -1 : 1, begin = back ? d.rank - 1 : 0;
    int column = begin, row = begin;
    while (d.from_right(column) == 1 || side(column) == 3) column += by;
    while (d.from_right(row) == 1 || side(row) == 3 || side(row) == side(column)) row += by;
    auto loop = [&](int k) {
        kd.order.set(kd.axes, k);
        kd.extent[kd.axes++] = d.from_right(k);
    };
    for (int k = d.rank - 1; k >= 0; --k)
        if (d.from_right(k) != 1 && k != row && k != column) loop(k);
    loop(row);
    loop(column);
    walk_map all = kd.order;
    for (int k = d.rank - 1; k >= 0; --k)
        if (n.attr.axes >> k & 1) {
            all.set(kd.axes + p.depth_axes, k);
            p.depth[p.depth_axes++] = x.from_right(k);
        }
    int const loops = kd.axes + p.depth_axes, left = side(column) == 2 ? 0 : 1;
    for (int j = 0; j < 2; ++j) {
        walk_map m = table.within(all, g.shape_of(n.in[j]), loops);
        int const id = graph.walk_to_memory(table, n.in[j], m, loops);
        p.operand[j == left ? 0 : 1] = id;
        p.map[j == left ? 0 : 1] = table.within(m, table.shape(g, id, m), loops);
    }
    return kd;
}

/// Whether the right operand is the same for all iterations of the outer loops: it is packed once.
constexpr bool right_is_common(kernel const& k, product const& p) {
    for (int l = 0; l + 2 < k.axes; ++l)
        if (p.right.stride[l] != 0) return false;
    return true;
}

/// Whether two products that are cut alike pack the same right operand, and both do or both do not, whatever run time
/// knows: they are of two matrices (there are none where a batch is empty), whose rows are known not to be few.
constexpr bool pack_the_same(kernel const& k, product const& p, kernel const& l, product const& q) {
    place const &a = p.right, &b = q.right;
    if (a.where != b.where || a.index != b.index || a.shape != b.shape || a.walk != b.walk || a.origin != b.origin ||
        a.strip || p.type != q.type || a.type != p.type || b.type != p.type)
        return false;
    if (p.depth_axes != 1 || q.depth_axes != 1 || !(p.depth_shape == q.depth_shape)) return false;
    auto const many_rows = [](kernel const& x, product const& of) {
        return x.axes == 2 && x.extent[0] > machine::few_rows_of_narrow && !of.small;
    };
    if (!many_rows(k, p) || !many_rows(l, q)) return false;
    for (std::int64_t const few : {machine::few_rows, machine::rows_of_apart - 1})
        if ((k.extent[0] > few) != (l.extent[0] > few)) return false;
    auto const columns = [](kernel const& x) {
        dims d;
        for (int i = x.group[x.axes - 1]; i < x.group[x.axes]; ++i) d.extent[d.rank++] = x.shape.extent[i];
        return d;
    };
    auto const walked_alike = [&](int i, int j) {
        return a.map.axis(i) == b.map.axis(j) && a.step[i] == b.step[j] && a.stride[i] == b.stride[j];
    };
    return columns(k) == columns(l) && walked_alike(k.axes - 1, l.axes - 1) && walked_alike(k.axes, l.axes);
}

/// How the product is cut, and what room that takes. The right operand is `steady` if it is the same array in all steps
/// of a loop whose body these `kernels` are; the kernel before packs the same one if `packed` is its product.
template <class T>
constexpr void choose_blocks(kernel const& k, product& p, place& to, bool unrolls, bool steady, int number, int kernels,
                             product const* packed, list<buffer>& buffers) {
    using blocks = product_blocks<T>;
    std::int64_t const m = k.extent[k.axes - 2], n = k.extent[k.axes - 1], depth = p.depth[p.depth_axes - 1];
    // What is computed beyond the edge is lost: rows are divided evenly where they are few or read in place. Otherwise
    // strips are as narrow as gains more than it costs to read the right operand for each of them.
    auto fit = [](std::int64_t extent, int most, bool in_place) {
        if (extent < 0) return most;
        std::int64_t const strips = (extent + most - 1) / most;
        if (strips < 2) return extent < 1 ? 1 : static_cast<int>(extent);
        for (int j = most; in_place && 2 * j >= most; --j)
            if (extent % j == 0) return j;
        if (strips < machine::few_strips) return static_cast<int>((extent + strips - 1) / strips);
        int best = most;
        auto const cost = [&](int j) { return (extent + j - 1) / j * (4 * j + machine::strip_cost); };
        for (int j = most - 1; 3 * j >= 2 * most; --j)
            if (cost(j) < cost(best)) best = j;
        return best;
    };
    std::int64_t const wide = n < 0 ? blocks::batches : (n + blocks::lanes - 1) / blocks::lanes;
    p.batches = !unrolls || wide < 1 ? 1 : wide < blocks::batches ? static_cast<int>(wide) : blocks::batches;
    int const size = static_cast<int>(sizeof(T));

    bool const known = m >= 0 && n >= 0 && depth >= 0 && p.depth_axes == 1;
    int const deepest = k.axes + p.depth_axes - 1;
    std::int64_t const left_k = p.left.stride[deepest], right_k = p.right.stride[deepest];
    bool const rows_lie = left_k == 1, columns_lie = p.left.stride[k.axes - 2] == 1;
    bool const right_lies = p.right.stride[k.axes - 1] == 1;
    p.small = known && m * n * depth <= machine::small_product;
    std::int64_t const apart = p.small || right_k < 0 ? n : right_k;
    if (rows_lie && n >= 0 && !packs_rows<T>(n, p.left.stride[k.axes - 2])) p.form = left_form::rows;
    bool const rows_stay = p.form == left_form::rows;
    p.rows = unrolls ? fit(m, rows_stay ? blocks::rows_in_place() : blocks::rows, rows_stay) : 1;
    bool const left_stays = known && m % p.rows == 0 &&
                            (p.form == left_form::rows || !packs_columns<T>(m, depth, n, columns_lie, left_k));
    bool const right_stays =
        known && right_lies && !packs_right<T>(m, depth, n, true, apart) && (p.small || n % blocks::lanes == 0);

    auto matrix = [&](std::int64_t rows) {  // so many rows of all columns
        dims d;
        d.extent[d.rank++] = rows;
        for (int l = k.group[k.axes - 1]; l < k.group[k.axes]; ++l) d.extent[d.rank++] = k.shape.extent[l];
        return d;
    };
    std::int64_t const most = (blocks::block + p.rows - 1) / p.rows * p.rows;
    std::int64_t const at_once = m >= 0 && m < most ? (m + p.rows - 1) / p.rows * p.rows : most;
    if (!left_stays) {
        dims d;
        for (int l = p.group[p.depth_axes - 1]; l < p.group[p.depth_axes]; ++l)
            d.extent[d.rank++] = p.depth_shape.extent[l];
        for (int l = k.group[k.axes - 2]; l < k.group[k.axes - 1]; ++l) d.extent[d.rank++] = k.shape.extent[l];
        p.packed_left = buffers.push({d, 1, size, number, number, p.rows, at_once * blocks::depth});
        buffers.back().apart = true;
    }
    if (!right_stays && packed && !p.small) {
        p.packed_before = true;
        p.packed_right = packed->packed_right;
        buffers.items[p.packed_right].last = number;
    } else if (!right_stays) {
        dims d = p.depth_shape;
        for (int l = k.group[k.axes - 1]; l < k.group[k.axes]; ++l) d.extent[d.rank++] = k.shape.extent[l];
        p.stays_packed = steady && right_is_common(k, p);
        p.packed_right = buffers.push({d, 1, size, p.stays_packed ? 0 : number, p.stays_packed ? kernels - 1 : number,
                                       blocks::lanes});
        buffers.back().apart = !right_is_common(k, p);
    }
    if (to.where == memory::panel) {
        if (n >= 0) to.stride[k.axes - 2] = (n + blocks::lanes - 1) / blocks::lanes * blocks::lanes;
        to.index = buffers.push({matrix(at_once), 1, size, number, number, blocks::lanes});
        buffers.back().apart = true;
    }
}

}  // namespace tapeless::detail::schedule_part
