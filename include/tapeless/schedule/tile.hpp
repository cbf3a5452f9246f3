// SPDX-License-Identifier: MIT
#pragma once
// Fifth step of a plan, tile: what is computed at once, in which order, and the scratch that it takes.

#include <tapeless/schedule/cut.hpp>
#include <tapeless/schedule/group.hpp>
#include <tapeless/schedule/triangle.hpp>
#include <tapeless/simd/registers.hpp>

namespace tapeless::detail::inline schedule_part {

class tiler {
public:
    /// Without optimisation nothing is unrolled: the code would only be larger.
    constexpr tiler(graph_to_plan const& p, grouping const& f, draft_plan& plan, bool unrolls)
        : g_(p.g), plan_(plan), unrolls_(unrolls) {
        for (int number = 0; number < plan.kernels.size(); ++number) {
            kernel& k = plan.kernels.items[number];
            if (k.custom >= 0) find_scratch(plan.custom_loops.items[k.custom], number);
            else if (k.call >= 0) find_scratch(k.call, f.kernels.items[number].custom, number);
            else tile_kernel(k, number);
        }
    }

private:
    builder const& g_;
    draft_plan& plan_;
    bool unrolls_;

    constexpr void tile_kernel(kernel& k, int number) {
        if (k.product >= 0) cut_product(k, number);
        phases_of_kernel(plan_, k, number);
        finds_triangle const triangle(plan_, k);
        k.triangle = triangle.holds();
        for (int i = 0; k.triangle && i < k.steps; ++i)
            plan_.steps.items[k.first_step + i].beyond = triangle.beyond_diagonal(i);
        k.lanes = widest(k);
        if (k.axes > 0) {
            choose_tile(k);
            size_scratch_rows(k);
        }
        add_carries(k, number);
        if (k.product >= 0) {
            k.loops = false;
            for (int i = 0; i < k.roots; ++i) k.loops = k.loops || leaves_something(root_at(k, i));
        }
        find_cuts(plan_, k);
    }
    constexpr root& root_at(kernel const& k, int i) const { return plan_.roots.items[k.first_root + i]; }
    constexpr step& step_at(kernel const& k, int i) const { return plan_.steps.items[k.first_step + i]; }

    constexpr void cut_product(kernel const& k, int number) {
        product& p = plan_.products.items[k.product];
        place& to = plan_.places.items[k.first_place + p.to];
        list<char> const& steady = g_.steady;
        bool const stays = p.right.where == memory::argument && !steady.empty() && steady.items[p.right.index];
        int const kernels = plan_.kernels.size();
        list<buffer>& buffers = plan_.buffers;
        product const* const packed = stays ? nullptr : packed_before(k, p, number);
        if (p.type == dtype::f32) choose_blocks<float>(k, p, to, unrolls_, stays, number, kernels, packed, buffers);
        else choose_blocks<double>(k, p, to, unrolls_, stays, number, kernels, packed, buffers);
    }
    /// The product of the kernel before, if that packs the right operand of p, and does not write to it.
    constexpr product const* packed_before(kernel const& k, product const& p, int number) const {
        if (number == 0 || uses_cblas) return nullptr;
        kernel const& before = plan_.kernels.items[number - 1];
        if (before.product < 0) return nullptr;
        product const& q = plan_.products.items[before.product];
        if (q.packed_right < 0 || q.stays_packed || !pack_the_same(k, p, before, q)) return nullptr;
        for (int i = 0; i < before.roots; ++i)
            if (int const t = root_at(before, i).place; t >= 0)
                if (place const& to = plan_.places.items[before.first_place + t];
                    to.where == p.right.where && to.index == p.right.index)
                    return nullptr;
        return &q;
    }

    constexpr int widest(kernel const& k) const {
        int lanes = 1;
        dtype before = dtype::b8;
        step const* const s = plan_.steps.items + k.first_step;
        for (int i = 0; i < k.steps; ++i) {
            dtype const t = s[i].type;
            if (t == before || t == dtype::b8) continue;
            before = t;
            if (int const n = lanes_of(t); n > lanes) lanes = n;
        }
        return lanes;
    }
    /// What a tile costs in the heaviest phase.
    constexpr int weight_of(kernel const& k) const {
        int weight = 0;
        for (int p = 0; p < k.phases; ++p) {
            if (k.guard[p].size() > 0) continue;  // seldom computed
            if (int const w = weight_of(k, {k.column[p].begin, k.inner[p].end}); w > weight) weight = w;
        }
        return weight;
    }
    constexpr int weight_of(kernel const& k, sequence steps) const {
        int w = 0;
        for (int q = steps.begin; q < steps.end; ++q) {
            step const& t = step_at(k, plan_.order.items[q]);
            w += t.kind == step_kind::eval ? t.op->cost : 1;
        }
        return w;
    }
    /// Those of phases that are seldom computed do not count.
    constexpr int steps_at_once(kernel const& k) const {
        int n = k.steps;
        for (int p = 0; p < k.phases; ++p)
            if (k.guard[p].size() > 0) n -= k.column[p].size() + k.inner[p].size() - k.guard[p].size();
        return n;
    }
    constexpr bool sums_columns(kernel const& k) const {
        unsigned const row_axis = k.axes > 1 ? 1u << (k.axes - 2) : 0;
        for (int i = 0; i < k.roots; ++i)
            if (root const& r = root_at(k, i); r.how == target::column && (r.reduced & row_axis)) return true;
        return false;
    }
    /// Tiles at the ends of rows are others than those between them, of which small ones leave less over.
    constexpr bool is_bounded(kernel const& k) const {
        for (int i = 0; i < k.steps; ++i)
            if (step_at(k, i).bounds >= 0) return true;
        return false;
    }
    constexpr int sums_of_rows(kernel const& k) const {
        int n = 0;
        for (int i = 0; i < k.roots; ++i) n += root_at(k, i).how == target::row;
        return n;
    }
    constexpr void choose_tile(kernel& k) const {
        using namespace machine;
        int const weight = weight_of(k);
        int const functions = weight > light && !has_guards(k) && !is_bounded(k) ? functions_at_once(k) : 0;
        k.unroll = weight <= light && !is_bounded(k) ? 4 : weight <= medium ? 2 : 1;
        bool const several_rows = steps_at_once(k) <= steps_of_several_rows;
        if (several_rows && sums_columns(k)) {
            std::int64_t const rows = k.extent[k.axes - 2];
            k.rows_at_once = rows >= 0 && rows < summed_rows ? (rows < 1 ? 1 : static_cast<int>(rows)) : summed_rows;
            if (rows > summed_rows && rows <= (weight <= as_a_product ? few_rows_of_products : few_summed_rows) &&
                weight <= light_columns)
                k.rows_at_once = static_cast<int>(rows);
            bool const many = weight <= as_a_product && k.product < 0 && (rows < 0 || rows > few_rows_of_products);
            if (many) k.rows_at_once = rows_of_products;
            if (k.phases > 1 && k.rows_at_once > rows_of_phases && weight > as_phases_of_a_product)
                k.rows_at_once = rows_of_phases;
            k.unroll = weight <= light && (many || k.rows_at_once <= summed_rows) ? 2 : 1;
            if (k.phases > 1 && k.rows_at_once > rows_of_phases) k.unroll = 1;
        } else if (several_rows && k.phases > 1 && k.axes > 1 && k.extent[k.axes - 2] != 1 &&
                   !(functions > 0 && k.extent[k.axes - 1] >= long_row * k.lanes)) {
            k.rows_at_once = rows_of_phases;
            k.unroll = weight <= light ? 2 : 1;
        } else if (several_rows && k.axes > 1 && weight <= medium && k.phases == 1 && k.column[0].size() > 0 &&
                   weight_of(k, k.inner[0]) <= as_a_product * sums_of_rows(k)) {  // rows share what is done to a vector
            std::int64_t const rows = k.extent[k.axes - 2], most = sums_of_rows(k) > 1 ? rows_of_phases : summed_rows;
            k.rows_at_once = static_cast<int>(rows >= 0 && rows < most ? (rows < 1 ? 1 : rows) : most);
            k.unroll = weight <= light ? 2 : 1;
        }
        if (!unrolls_) k.unroll = k.rows_at_once = 1;
        else if (functions == 0 && goes_by_index(k)) k.unroll = 1;
        else if (k.rows_at_once == 1 && !has_guards(k)) place_side_by_side(k, weight, functions);
        // no more columns at once than a static row has
        std::int64_t const columns_at_hand = k.extent[k.axes - 1];
        while (columns_at_hand >= 0 && k.unroll > 1 && k.unroll * k.lanes > columns_at_hand) k.unroll /= 2;
    }
    /// Lanes that are read one by one leave no registers for other batches.
    constexpr bool goes_by_index(kernel const& k) const {
        for (int p = 0; p < k.places; ++p)
            if (plan_.places.items[k.first_place + p].picked >= 0) return true;
        return false;
    }
    static constexpr bool has_guards(kernel const& k) {
        for (int p = 0; p < k.phases; ++p)
            if (k.guard[p].size() > 0) return true;
        return false;
    }
    /// Batches that are computed step by step, all of them before anything is stored: the compiler would not move what
    /// it reads of one past what it stores of another.
    constexpr void place_side_by_side(kernel& k, int weight, int functions) const {
        int batches = 1;
        if (functions > 0 && weight <= machine::medium) {
            batches = functions;
            k.unroll = 1;
        } else if (functions > 0 && fits_side_by_side(k)) {
            batches = machine::heavy_side_by_side;
        } else if (k.unroll <= 2 && k.phases == 1) {
            batches = batches_side_by_side(k, weight);
            if (batches > 2) k.unroll = 1;
            else if (k.unroll == 2) batches = 1;
        }
        std::int64_t const columns = k.extent[k.axes - 1];
        while (columns >= 0 && batches > 1 && batches * k.lanes > columns) batches /= 2;
        k.lanes *= batches;
        k.side_by_side = batches;
    }
    /// Of how many batches functions are computed at a time. Those whose loops are long, and seldom wait, are none.
    constexpr int functions_at_once(kernel const& k) const {
        int batches = 0;
        for (int p = 0; p < k.phases; ++p)
            for (int q = k.column[p].begin; q < k.inner[p].end; ++q) {
                step const& t = step_at(k, plan_.order.items[q]);
                if (t.kind != step_kind::eval || t.op->cost < machine::light) continue;
                if (t.op->cost > machine::function) return 0;
                batches = t.op->side_by_side > batches ? t.op->side_by_side : batches;
            }
        return batches < machine::functions_side_by_side ? batches : machine::functions_side_by_side;
    }

    /// Of a long tile whose steps wait for one another: how many batches are computed in turn, step by step, as far as
    /// there are registers for them.
    constexpr int batches_side_by_side(kernel const& k, int weight) const {
        sequence const all{k.column[0].begin, k.inner[0].end};
        list<int> depth(k.steps, 0);
        int longest = 1;
        for (int q = all.begin; q < all.end; ++q) {
            int const i = plan_.order.items[q];
            step const& t = step_at(k, i);
            for (int j = 0; j < step_inputs && t.in[j] >= 0; ++j)
                if (depth.items[t.in[j]] > depth.items[i]) depth.items[i] = depth.items[t.in[j]];
            if (t.kind == step_kind::eval && t.op->cost > machine::light) return 1;  // a tile of its own
            depth.items[i] += t.kind != step_kind::eval ? 0 : t.op->cost < 1 ? 1 : t.op->cost;
            longest = depth.items[i] > longest ? depth.items[i] : longest;
        }
        int const most = values_at_hand(k, 0);
        int batches = 1;
        while (batches < machine::most_side_by_side && 2 * batches * most <= machine::vector_registers &&
               longest * machine::waiting > 2 * batches * weight)
            batches *= 2;
        return batches;
    }
    /// How many values of a batch there are at a time in phase p, at most.
    constexpr int values_at_hand(kernel const& k, int p) const {
        sequence const all{k.column[p].begin, k.inner[p].end};
        list<int> last(k.steps, -1);
        int live = 0, most = 1;
        for (int q = all.begin; q < all.end; ++q) {
            step const& t = step_at(k, plan_.order.items[q]);
            for (int j = 0; j < step_inputs && t.in[j] >= 0; ++j) last.items[t.in[j]] = q;
        }
        for (int q = all.begin; q < all.end; ++q) {
            int const i = plan_.order.items[q];
            step const& t = step_at(k, i);
            if (last.items[i] >= 0) ++live;
            most = live > most ? live : most;
            for (int j = 0; j < step_inputs && t.in[j] >= 0; ++j)
                if (last.items[t.in[j]] == q && !is_repeated(t, j)) --live;
        }
        return most;
    }
    /// Whether there are registers for the values of two batches, and for what functions take besides.
    constexpr bool fits_side_by_side(kernel const& k) const {
        for (int p = 0; p < k.phases; ++p)
            if (machine::heavy_side_by_side * values_at_hand(k, p) > machine::vector_registers / 2) return false;
        return true;
    }
    static constexpr bool is_repeated(step const& t, int j) {
        for (int i = 0; i < j; ++i)
            if (t.in[i] == t.in[j]) return true;
        return false;
    }
    constexpr void size_scratch_rows(kernel const& k) {
        for (int i = 0; i < k.steps; ++i)
            if (step_at(k, i).scratch >= 0) {
                buffer& b = plan_.buffers.items[step_at(k, i).scratch];
                b.times = k.rows_at_once;
                b.apart = k.axes > 1;  // pieces of the one row have it in common
                b.shape.rank = 0;
                for (int l = k.group[k.axes - 1]; l < k.group[k.axes]; ++l)
                    b.shape.extent[b.shape.rank++] = k.shape.extent[l];
                if (k.lanes * b.element_size > room_of_batch) b.multiple = k.lanes;  // whole batches are written
            }
    }
    /// Long column sums are taken up in blocks.
    constexpr void add_carries(kernel& k, int number) {
        for (int i = 0; i < k.roots; ++i) {
            root& r = root_at(k, i);
            if (r.how != target::column || r.combine != combination::sum || !is_floating(r.type)) continue;
            int a = 0;
            while (!(r.reduced >> a & 1)) ++a;  // the outermost axis summed over
            if (k.extent[a] >= 0 && k.extent[a] <= machine::carry_rows) continue;
            r.carry = plan_.buffers.push({g_.shape_of(r.node), 1, 8, number, number});
            plan_.buffers.back().apart = true;
            k.carries = true;
        }
    }

    constexpr void find_scratch(planned_loop& c, int number) {
        if (c.item_axes == 0 && c.op->cuts) c.cut = c.op->cut(c.attr, c.out[0].shape.rank, c.in[0].shape.rank);
        if (c.item_axes > 0 && !c.op->runs_alone) {
            for (int& a : c.cut.axis) a = 0;
            c.cut.least = machine::shared_items;
        }
        // loops of small sizes need none
        if (c.op->scratch_element > 0 && !c.loop().small) {
            dims room{.rank = 1, .extent = {c.attr.room()}};
            if (!c.op->scratch_by_offset) room = g_.shapes.items[c.attr.shape];
            if (c.op->has_small && room.extent[0] == 0) return;
            c.scratch = plan_.buffers.push({room, 1, c.op->scratch_element, number, number});
            plan_.buffers.back().apart = true;
        }
    }
    /// A call has two values of each carry that is not recorded, and the workspace of its bodies.
    constexpr void find_scratch(int number_of_call, int node, int number) {
        planned_call& p = plan_.calls.items[number_of_call];
        call_info const& c = g_.calls[g_.nodes.items[node].source];
        list<int> const operands = operands_of(g_, node);
        int const first = steering_operands(c.form);
        p.first_spare = plan_.buffers.size();
        for (int k = 0; k < c.carries; ++k) {
            bool recorded = false;
            for (call_result const& r : c.results)
                recorded = recorded || (r.form == result_form::record && r.which == k);
            dims const& d = g_.shape_of(operands[first + k]);
            plan_.buffers.push(
                {recorded ? dims{} : d, 2, size_of(g_.nodes.items[operands[first + k]].type), number, number});
        }
        p.workspace = plan_.buffers.push({dims{}, 1, 0, number, number});
        plan_.buffers.back().call = number_of_call;
    }
};

constexpr draft_plan tile_loops(graph_to_plan const& p, grouping const& f, draft_plan plan, bool unrolls) {
    tiler(p, f, plan, unrolls);
    return plan;
}

}  // namespace tapeless::detail::schedule_part
