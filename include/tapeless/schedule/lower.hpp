// SPDX-License-Identifier: MIT
#pragma once
// From drafts to a plan: loops collapsed, every step at the loop level where it varies, rows split into phases.

#include <tapeless/schedule/bind.hpp>
#include <tapeless/simd/registers.hpp>

namespace tapeless::detail {

class lowering : public places {
public:
    /// Without optimisation nothing is unrolled: the code would only be larger.
    constexpr lowering(fusion const& f, bool unrolls) : places(f), unrolls_(unrolls) {
        plan_index_checks();
        for (int k = 0; k < f_.kernels.size(); ++k) {
            if (f_.kernels[k].custom >= 0) lower_loop(k);
            else arrange(k);
        }
        plan.walks = table_.walks;
    }

private:
    bool unrolls_;

    /// Neighbouring axes become one loop where everything in the kernel walks both or neither, contiguously.
    constexpr bool collapses(kernel_draft const& kd, int l) const {
        if (kd.rows == l + 1) return false;
        auto together = [&](walk_map m, bool in_memory, int node) {
            bool a = m.axis(l) != walk_map::none, b = m.axis(l + 1) != walk_map::none;
            return a == b && (!a || !in_memory || joins(m, l, kd.extent[l + 1], node));
        };
        for (step_draft const& s : kd.steps)
            if (!together(s.map, s.kind == step_kind::load || s.kind == step_kind::coordinate, s.node)) return false;
        for (root_draft const& r : kd.roots)
            if (!together(r.map, true, r.node) || r.axes == l + 1) return false;
        return kd.product.node < 0 || product_collapses(kd.product, l, kd.extent[l + 1]);
    }
    constexpr bool joins(walk_map m, int l, std::int64_t length, int node) const {
        return table_.joins(m, l, length, table_.shape(g_, node, m), dense(node));
    }
    /// Whether both operands of a product walk loop axes l and l + 1, the inner one so long, as one.
    constexpr bool product_collapses(product_draft const& p, int l, std::int64_t length) const {
        return joins(p.map[0], l, length, p.operand[0]) && joins(p.map[1], l, length, p.operand[1]);
    }
    constexpr bool dense(int node) const {
        if (g_.nodes.items[node].kind == node_kind::argument) return f_.dense.items[g_.nodes.items[node].source];
        if (g_.nodes.items[node].kind == node_kind::coordinate) return true;
        int o = output_of_.items[node];
        return o < 0 || f_.dense.items[f_.dense.size() - f_.outputs.size() + o];
    }

    constexpr unsigned varies(walk_map m, kernel const& k) const {
        unsigned v = 0;
        for (int l = 0; l < k.axes; ++l)
            if (m.axis(k.group[l]) != walk_map::none) v |= 1u << l;
        return v;
    }
    static constexpr int level_of(unsigned v) {
        int l = 0;
        while (v >> l) ++l;
        return l;
    }

    constexpr void arrange(int number) {
        kernel_draft const& kd = f_.kernels[number];
        kernel k;
        k.shape.rank = kd.axes;
        for (int l = 0; l < kd.axes; ++l) {
            k.shape.extent[l] = kd.extent[l];
            if (l == 0 || !collapses(kd, l - 1)) {
                k.extent[k.axes] = 1;
                k.group[k.axes++] = l;
            }
            std::int64_t& e = k.extent[k.axes - 1];
            e = e < 0 || kd.extent[l] < 0 ? -1 : e * kd.extent[l];
            k.group[k.axes] = l + 1;
        }
        k.first_step = plan.steps.size();
        k.steps = kd.steps.size();
        k.first_root = plan.roots.size();
        k.first_place = plan.places.size();
        if (kd.product.node >= 0) add_product(k, kd, number);
        unsigned const outer = k.axes ? (1u << (k.axes - 1)) - 1 : 0, inmost = k.axes ? 1u << (k.axes - 1) : 0;

        for (step_draft const& d : kd.steps) {
            step s;
            node const& n = g_.nodes.items[d.node];
            s.kind = d.kind;
            s.node = d.node;
            s.type = n.type;
            s.op = n.op;
            s.number = n.attr.number;
            s.source = n.source;
            s.varies = varies(d.map, k);
            s.level = level_of(s.varies);
            if (d.kind == step_kind::product) {
                s.kind = step_kind::load;  // the product is in memory when the loops run
                s.place = plan.products.items[k.product].to;
            } else if (d.kind == step_kind::load) {
                s.place = plan.places.push(place_of(d.node, d.map, k, number)) - k.first_place;
            } else if (d.kind == step_kind::coordinate) {
                s.place = plan.places.push(position_of(d.node, d.map, k)) - k.first_place;
            } else if (d.kind == step_kind::eval) {
                for (int j = 0; j < n.arity(); ++j) {
                    s.in[j] = d.in[j];
                    step const& t = plan.steps.items[k.first_step + d.in[j]];
                    s.slot = t.slot > s.slot ? t.slot : s.slot;
                }
            } else if (d.kind == step_kind::reduced) {
                s.source = d.in[0];
                bool row = k.axes == 1 || (kd.rows >= 0 && complete_at_row(kd, kd.roots.items[d.in[0]]));
                int phase = plan.steps.items[k.first_step + kd.roots.items[d.in[0]].step].slot;
                s.slot = row ? phase + 1 : after_everything;
            }
            plan.steps.push(s);
        }

        for (root_draft const& d : kd.roots) {
            root r;
            node const& n = g_.nodes.items[d.node];
            step const& s = plan.steps.items[k.first_step + d.step];
            r.node = d.node;
            r.step = d.step;
            r.type = n.type;
            r.slot = s.slot;
            r.varies = varies(d.map, k);
            r.adds = d.adds;
            r.clears = d.clears;
            r.filling = d.filling;
            if (d.node == kd.product.node && plan.places.items[k.first_place].where != memory::panel) r.place = -1;  // is there
            else if (f_.stored.items[d.node]) r.place = plan.places.push(place_of(d.node, d.map, k, number)) - k.first_place;
            if (d.reduces) {
                unsigned all = 0;
                for (int l = 0; l < k.axes; ++l)
                    if (k.group[l] < d.axes) all |= 1u << l;
                r.combine = n.op->combine;
                r.reduced = all & ~r.varies;
                r.level = level_of(all);
                r.how = r.level < k.axes                                         ? target::partial
                        : !(r.reduced & inmost)                                  ? target::column
                        : (r.reduced & outer) == 0                               ? target::row
                        : r.varies == 0                                          ? target::everything
                                                                                 : target::partial;
            } else {
                r.level = level_of(r.varies | s.varies);
            }
            plan.roots.push(r);
        }
        k.roots = kd.roots.size();
        k.places = plan.places.size() - k.first_place;
        make_phases(k, inmost, number);
        choose_tile(k);
        add_carries(k, number);
        if (k.product >= 0) {
            k.loops = false;
            for (int i = 0; i < k.roots; ++i) k.loops = k.loops || leaves_something(plan.roots.items[k.first_root + i]);
        }
        plan.kernels.push(k);
    }

    /// The product of a kernel: where its operands are, where it goes, and what it needs to be packed.
    constexpr void add_product(kernel& k, kernel_draft const& kd, int number) {
        product_draft const& d = kd.product;
        product p;
        p.node = d.node;
        p.type = g_.nodes.items[d.node].type;
        p.depth_shape.rank = d.depth_axes;
        for (int l = 0; l < d.depth_axes; ++l) {
            p.depth_shape.extent[l] = d.depth[l];
            if (l == 0 || !product_collapses(d, kd.axes + l - 1, d.depth[l])) {
                p.depth[p.depth_axes] = 1;
                p.group[p.depth_axes++] = l;
            }
            std::int64_t& e = p.depth[p.depth_axes - 1];
            e = e < 0 || d.depth[l] < 0 ? -1 : e * d.depth[l];
            p.group[p.depth_axes] = l + 1;
        }
        for (int j = 0; j < 2; ++j) {
            place& q = j == 0 ? p.left : p.right;
            q = place_of(d.operand[j], d.map[j], k, number);
            for (int l = 0; l < p.depth_axes; ++l)
                walk(q, k.axes + l, d.map[j], kd.axes + p.group[l + 1] - 1);
        }
        place to;
        if (f_.stored.items[d.node]) to = place_of(d.node, d.order, k, number);
        if (to.stride[k.axes - 1] != 1) {
            to = place{};
            to.where = memory::panel;
            to.node = d.node;
            to.type = p.type;
            to.stride[k.axes - 1] = 1;
            to.stride[k.axes - 2] = -1;
        }
        if (p.type == dtype::f32) choose_blocks<float>(k, p, to, unrolls_, number, plan.buffers);
        else choose_blocks<double>(k, p, to, unrolls_, number, plan.buffers);
        p.to = plan.places.push(to) - k.first_place;
        k.product = plan.products.push(p);
    }

    static constexpr bool complete_at_row(kernel_draft const& kd, root_draft const& r) {
        for (int l = 0; l < kd.axes; ++l)
            if ((r.map.axis(l) != walk_map::none) != (l < kd.rows)) return false;
        return true;
    }

    constexpr sequence collect(kernel const& k, auto&& wanted) {
        sequence q;
        q.begin = plan.order.size();
        for (int i = 0; i < k.steps; ++i)
            if (wanted(i)) plan.order.push(i);
        q.end = plan.order.size();
        return q;
    }

    /// A value that was to be stored, but that no other kernel came to need, leaves nothing behind.
    static constexpr bool leaves_something(root const& r) { return r.how != target::store || r.place >= 0; }

    constexpr void make_phases(kernel& k, unsigned inmost, int number) {
        step* s = &plan.steps.items[k.first_step];
        list<int> cost(k.steps, 0);
        list<unsigned> need(k.steps, 0u);
        auto is_inner = [&](int i) { return (s[i].varies & inmost) != 0; };
        k.phases = k.axes ? 1 : 0;
        for (int i = 0; i < k.roots; ++i) {
            root const& r = plan.roots.items[k.first_root + i];
            if (r.level != k.axes || k.axes == 0) continue;
            if (r.slot + 1 > k.phases) k.phases = r.slot + 1;
        }
        auto spread = [&](bool with_scratch) {
            for (int i = 0; i < k.steps; ++i) need.items[i] = 0;
            for (int i = 0; i < k.roots; ++i) {
                root const& r = plan.roots.items[k.first_root + i];
                if (r.level == k.axes && k.axes && is_inner(r.step) && leaves_something(r)) need.items[r.step] |= 1u << r.slot;
            }
            for (int i = k.steps - 1; i >= 0; --i) {
                if (!is_inner(i) || s[i].kind != step_kind::eval) continue;
                unsigned pass = need.items[i];
                if (with_scratch && s[i].scratch >= 0) pass = need.items[i] = need.items[i] | 1u << s[i].slot;
                if (with_scratch && s[i].scratch >= 0) pass = 1u << s[i].slot;
                for (int j = 0; j < s[i].op->arity; ++j)
                    if (is_inner(s[i].in[j])) need.items[s[i].in[j]] |= pass;
            }
        };
        spread(false);
        for (int i = 0; k.phases > 1 && i < k.steps; ++i) {
            if (!is_inner(i) || s[i].kind != step_kind::eval) continue;
            cost.items[i] = s[i].op->cost;
            for (int j = 0; j < s[i].op->arity; ++j)
                if (is_inner(s[i].in[j]) && s[s[i].in[j]].scratch < 0) cost.items[i] += cost.items[s[i].in[j]];
            if ((need.items[i] >> (s[i].slot + 1)) && cost.items[i] >= machine::worth_keeping && !is_mask(s[i].type)) {
                buffer b{dims{}, 1, size_of(s[i].type), number, number};
                b.shape.rank = 1;
                b.shape.extent[0] = 1;
                s[i].scratch = plan.buffers.push(b);  // sized when the tile is known
            }
        }
        if (k.phases > 1) spread(true);

        // where each step outside the vector loop goes: a loop level, a row, or the end
        unsigned const row_axis = k.axes > 1 ? 1u << (k.axes - 2) : 0;
        constexpr int at_row = 100, at_end = 200;
        list<int> where(k.steps, -1);
        for (int i = 0; i < k.steps; ++i) {
            step const& t = s[i];
            if (is_inner(i)) continue;
            where.items[i] = t.slot == after_everything                                 ? at_end
                             : k.axes == 0 || (t.slot == 0 && (t.level < k.axes - 1 || k.axes == 1)) ? t.level
                                                                                          : at_row + t.slot;
        }
        if (k.axes == 0) k.outer[0] = collect(k, [&](int) { return true; });
        for (int l = 0; l < k.axes; ++l) k.outer[l] = collect(k, [&](int i) { return where.items[i] == l; });
        for (int p = 0; p <= k.phases && k.axes; ++p) k.row[p] = collect(k, [&](int i) { return where.items[i] == at_row + p; });
        for (int p = 0; p < k.phases; ++p) {
            k.column[p] = collect(k, [&](int i) { return (need.items[i] >> p & 1) && row_axis && !(s[i].varies & row_axis); });
            k.inner[p] = collect(k, [&](int i) { return (need.items[i] >> p & 1) && (!row_axis || (s[i].varies & row_axis)); });
        }
        k.last = collect(k, [&](int i) { return where.items[i] == at_end; });
    }

    constexpr void choose_tile(kernel& k) {
        step* s = &plan.steps.items[k.first_step];
        for (int i = 0; i < k.steps; ++i)
            if (s[i].type != dtype::b8) k.lanes = lanes_of(s[i].type) > k.lanes ? lanes_of(s[i].type) : k.lanes;
        if (k.axes == 0) return;
        int weight = 0;
        for (int p = 0; p < k.phases; ++p) {
            int w = 0;
            for (int q = k.column[p].begin; q < k.inner[p].end; ++q) {
                step const& t = s[plan.order.items[q]];
                w += t.kind == step_kind::eval ? t.op->cost : 1;
            }
            weight = w > weight ? w : weight;
        }
        bool columns = false;
        unsigned const row_axis = k.axes > 1 ? 1u << (k.axes - 2) : 0;
        for (int i = 0; i < k.roots; ++i) {
            root const& r = plan.roots.items[k.first_root + i];
            columns = columns || (r.how == target::column && (r.reduced & row_axis));
        }
        using namespace machine;
        k.unroll = weight <= light ? 4 : weight <= medium ? 2 : 1;
        if (columns && k.steps <= steps_of_several_rows) {
            std::int64_t rows = k.extent[k.axes - 2];
            k.rows_at_once = rows >= 0 && rows < summed_rows ? (rows < 1 ? 1 : static_cast<int>(rows)) : summed_rows;
            if (rows > summed_rows && rows <= few_summed_rows && weight <= light_columns) k.rows_at_once = static_cast<int>(rows);
            if (k.phases > 1 && k.rows_at_once > rows_of_phases) k.rows_at_once = rows_of_phases;
            k.unroll = weight <= light && k.rows_at_once <= summed_rows ? 2 : 1;
        } else if (k.phases > 1 && k.axes > 1 && k.extent[k.axes - 2] != 1 && k.steps <= steps_of_several_rows) {
            k.rows_at_once = rows_of_phases;
            k.unroll = weight <= light ? 2 : 1;
        }
        if (!unrolls_) k.unroll = k.rows_at_once = 1;
        // no more columns at once than a static row has
        std::int64_t columns_at_hand = k.extent[k.axes - 1];
        while (columns_at_hand >= 0 && k.unroll > 1 && k.unroll * k.lanes > columns_at_hand) k.unroll /= 2;
        for (int i = 0; i < k.steps; ++i)
            if (s[i].scratch >= 0) {
                buffer& b = plan.buffers.items[s[i].scratch];
                b.times = k.rows_at_once;
                b.shape.rank = 0;
                for (int l = k.group[k.axes - 1]; l < k.group[k.axes]; ++l) b.shape.extent[b.shape.rank++] = k.shape.extent[l];
            }
    }

    constexpr void add_carries(kernel& k, int number) {
        for (int i = 0; i < k.roots; ++i) {
            root& r = plan.roots.items[k.first_root + i];
            if (r.how != target::column || r.combine != reduction::sum || !is_floating(r.type)) continue;
            int a = 0;
            while (!(r.reduced >> a & 1)) ++a;  // the outermost axis summed over
            if (k.extent[a] >= 0 && k.extent[a] <= machine::carry_rows) continue;
            r.carry = plan.buffers.push({g_.shape_of(r.node), 1, 8, number, number});
            k.carries = true;
        }
    }
};

}  // namespace tapeless::detail
