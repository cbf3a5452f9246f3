// SPDX-License-Identifier: MIT
#pragma once
// Groups the nodes of a graph into kernels: as few passes over the data as the dependencies allow.

#include <tapeless/schedule/custom_loop.hpp>
#include <tapeless/schedule/materialise.hpp>
#include <tapeless/schedule/product.hpp>

namespace tapeless::detail {

class fusion : public anchors {
public:
    list<kernel_draft> kernels;
    list<int> home;   ///< the kernel that stores or reduces the node, or -1
    list<int> begun;  ///< the first kernel that writes into the node's array
    walk_table table;

    constexpr fusion(builder const& graph, list<int> const& outs, list<char> const& dense_leaves)
        : anchors(graph, outs, dense_leaves), home(graph.nodes.size(), -1), begun(graph.nodes.size(), -1),
          computed_(graph.nodes.size(), -1), latest_(graph.nodes.size(), -1), step_(graph.nodes.size(), -1), seen_(graph.nodes.size(), -1) {
        for (int i = 0; i < g.nodes.size(); ++i) {
            if (!live_.items[i]) continue;
            for (int j = 0; j < g.nodes.items[i].arity(); ++j) {
                int t = g.nodes.items[i].in[j], last = home.items[t] >= 0 ? home.items[t] : latest_.items[t];
                latest_.items[i] = last > latest_.items[i] ? last : latest_.items[i];
            }
            if (anchor_.items[i]) place(i);
        }
    }

private:
    list<int> computed_;  ///< the first kernel that computes the node over its whole shape
    list<int> latest_;    ///< the last kernel that makes something the node needs
    list<int> step_;      ///< the node's last step in the kernel
    list<int> seen_;      ///< of this number, which is the last that saw it

    /// What is in memory behind views, and how it is walked there.
    constexpr int walk_to_memory(int i, walk_map& map, int loops) {
        while (g.nodes.items[i].kind == node_kind::view) {
            node const& n = g.nodes.items[i];
            if (!merges(n)) {
                map = table.through(g, n, map, loops);
            } else {
                if (!reads_operand(n)) return i;
                map = table.under(map, n.shape);
            }
            i = n.in[0];
        }
        return i;
    }
    /// The shape an anchor's loop runs over.
    constexpr dims const& loop_of(int a) const {
        node const& n = g.nodes.items[a];
        return n.kind == node_kind::reduce || n.kind == node_kind::view ? g.shape_of(n.in[0]) : g.shapes.items[n.shape];
    }

    /// What becomes a root: a value over the loops of its shape, and where it goes.
    struct task {
        int node = -1;       ///< whose array it goes to
        int value = -1;
        int window = -1;     ///< where in the array: a view of a blank; -1: everywhere
        bool adds = false, clears = false;
        double filling = 0;
    };

    constexpr void place(int a) {
        node const& n = g.nodes.items[a];
        if (!n.has_op() && n.kind != node_kind::blank) return;  // an operand of a product or of a loop of its own
        if (n.kind == node_kind::custom_loop) return begin_loop(a);
        if (n.kind == node_kind::contract) return begin_with_product(a);
        if (n.kind == node_kind::put) return place_parts(a);
        task t;
        t.node = t.value = a;
        place(t, loop_of(a), latest_.items[a], latest_.items[a]);
    }

    /// A put and those whose array it shares: one root for each part. What no part covers is filled first.
    constexpr void place_parts(int a) {
        list<task> parts;
        int base = a;
        do {
            node const& n = g.nodes.items[base];
            task t;
            t.node = a;
            t.value = n.in[1];
            t.window = n.in[2];
            t.adds = n.attr.number == 1;
            parts.push(t);
            base = n.in[0];
        } while (is_link(base));
        node const& below = g.nodes.items[base];
        bool const stretched = below.has_op() && below.op->same_value && g.is_constant(below.in[0]);
        bool const constant = below.kind == node_kind::blank || stretched;
        if (!constant) {
            task t;
            t.node = a;
            t.value = base;
            parts.push(t);
        } else if (!are_whole(parts, g.shapes.items[g.nodes.items[a].shape])) {
            parts.back().clears = true;
            parts.back().filling = stretched ? g.nodes.items[below.in[0]].attr.number : 0;
        }
        stored.items[a] = 1;
        int last = -1, begin = -1;  // the last and the first kernel so far
        for (int i = parts.size() - 1; i >= 0; --i) {
            task const& t = parts.items[i];
            bool apart = t.window >= 0;
            window_box const w = apart ? box_of(g, t.window) : window_box{};
            for (int j = parts.size() - 1; j > i && apart; --j)
                apart = parts.items[j].window >= 0 && are_apart(g, box_of(g, parts.items[j].window), w);
            int const latest = latest_.items[t.value] > home.items[t.value] ? latest_.items[t.value] : home.items[t.value];
            int const after = apart ? begin : last + 1;
            int const k = place(t, g.shape_of(t.value), latest, after > latest ? after : latest);
            begin = begin < 0 || k < begin ? k : begin;
            last = k > last ? k : last;
        }
        home.items[a] = last;
        begun.items[a] = begin;
    }
    /// Whether parts stand side by side along one axis and leave nothing out.
    constexpr bool are_whole(list<task> const& parts, dims const& d) const {
        int axis = -1;
        list<window_box> boxes;
        for (task const& t : parts) {
            window_box const w = box_of(g, t.window);
            if (!w.ok || t.adds) return false;
            for (int k = 0; k < d.rank; ++k) {
                if (w.step[k] == 1 && w.start[k] == 0 && w.length[k] == d.from_right(k)) continue;
                if (w.step[k] != 1 || (axis >= 0 && axis != k)) return false;
                axis = k;
            }
            boxes.push(w);
        }
        if (axis < 0) return true;
        std::int64_t at = 0;
        for (int n = 0; n < boxes.size(); ++n) {
            int i = 0;
            while (i < boxes.size() && boxes.items[i].start[axis] != at) ++i;
            if (i == boxes.size()) return false;
            at = end_of(g, at, boxes.items[i].length[axis]);
            if (at == d.from_right(axis)) return true;
        }
        return false;
    }

    /// A kernel for the task, `from` on: one that has its loops, or a new one. `first` is the last that makes what it needs.
    constexpr int place(task const& t, dims const& d, int first, int from) {
        kernel_draft own;
        walk_map map;
        for (int k = d.rank - 1; k >= 0; --k)
            if (d.from_right(k) != 1) {
                map.set(own.axes, k);
                own.extent[own.axes++] = d.from_right(k);
            }
        for (int k = from < 0 ? 0 : from; k < kernels.size(); ++k) {
            kernel_draft& kd = kernels.items[k];
            bool prefix = own.axes < kd.axes && k == first && (own.axes == 0 || own.axes == kd.rows);
            if (kd.full && !prefix) continue;
            if ((own.axes == kd.axes || prefix) && same_extents(own, kd) && join(k, t, map, own.axes, prefix)) return k;
            // the loops of a product may stand in another order: what has its shape can follow
            if (kd.product.node >= 0 && own.axes == kd.axes && kd.product.order != map && ordered_alike(d, kd) &&
                join(k, t, kd.product.order, own.axes, false))
                return k;
        }
        int const k = kernels.push(own);
        join(k, t, map, own.axes, false);
        return k;
    }

    constexpr bool ordered_alike(dims const& d, kernel_draft const& kd) const {
        for (int l = 0; l < kd.axes; ++l)
            if (d.from_right(kd.product.order.axis(l)) != kd.extent[l]) return false;
        return true;
    }

    /// A product opens a kernel; its operands have to be in memory.
    constexpr void begin_with_product(int a) {
        int const k = kernels.push(
            draft_product(g, table, a, [this](int id, walk_map& map, int loops) { return walk_to_memory(id, map, loops); }));
        product_draft const p = kernels.items[k].product;
        for (int id : p.operand)
            if (g.nodes.items[id].kind != node_kind::argument) stored.items[id] = 1;
        step_draft s;
        s.node = a;
        s.map = p.order;
        s.kind = step_kind::product;
        root_draft r;
        r.node = a;
        r.axes = kernels.items[k].axes;
        r.map = p.order;
        r.step = remember(k, s);
        kernels.items[k].roots.push(r);
        home.items[a] = k;
    }

    /// A loop of its own is a kernel that nothing joins; operands and result are in memory.
    constexpr void begin_loop(int a) {
        if (has_role(g, a, loop_role::call)) {
            home.items[a] = kernels.push(draft_loop(a));
            for (int operand : operands_of(g, a))
                if (int const id = array_behind(g, operand); g.nodes.items[id].has_op()) stored.items[id] = 1;
            return;
        }
        stored.items[a] = 1;
        if (has_role(g, a, loop_role::result)) {
            home.items[a] = home.items[g.nodes.items[a].in[0]];
            return;
        }
        if (g.nodes.items[a].op->part > 0) {  // made with the first result
            home.items[a] = home.items[g.nodes.items[a].in[0]];
            return;
        }
        home.items[a] = kernels.push(draft_loop(a));
        for (int j = 0; j < g.nodes.items[a].arity(); ++j) {
            int const id = array_behind(g, g.nodes.items[a].in[j]);
            if (g.nodes.items[id].has_op()) stored.items[id] = 1;
        }
    }

    constexpr bool same_extents(kernel_draft const& own, kernel_draft const& kd) const {
        for (int l = 0; l < own.axes; ++l)
            if (own.extent[l] != kd.extent[l]) return false;
        return true;
    }

    constexpr bool join(int k, task const& t, walk_map map, int axes, bool prefix) {
        int steps = kernels.items[k].steps.size(), rows = kernels.items[k].rows;
        bool fresh = kernels.items[k].roots.empty();
        uses_own_ = false;
        whole_loop_ = axes == kernels.items[k].axes;
        node const& n = g.nodes.items[t.value];
        root_draft r;
        r.node = t.node;
        r.axes = axes;
        r.adds = t.adds;
        r.clears = t.clears;
        r.filling = t.filling;
        r.reduces = t.window < 0 && t.node == t.value && n.kind == node_kind::reduce;
        if (r.reduces) {
            r.step = visit(k, n.in[0], map);
            r.map = table.within(map, g.shapes.items[n.shape], axes);
        } else if (t.node == t.value && n.kind == node_kind::view) {  // a reshape: stored in the order of its operand
            r.step = visit(k, n.in[0], map);
            r.map = table.under(table.within(map, g.shape_of(n.in[0]), axes), g.nodes.items[n.in[0]].shape);
        } else {
            r.step = t.node == t.value && n.has_op() ? inputs_then(k, t.value, map) : visit(k, t.value, map);
            r.map = map;
            if (t.window >= 0) (void)walk_to_memory(t.window, r.map, axes);
            r.map = table.within(r.map, g.shape_of(t.node), axes);
        }
        bool ok = r.step >= 0 && (!prefix || uses_own_) && (!kernels.items[k].late || axes == 0 || is_in_time(k, r.step));
        if (ok && !fresh && !prefix && kernels.items[k].steps.size() > machine::kernel_cap) {
            kernels.items[k].full = true;
            ok = false;
        }
        if (ok) {
            kernels.items[k].roots.push(r);
            ok = rows_collapse(kernels.items[k]) && phases(kernels.items[k], steps) <= max_phases;
            if (!ok) kernels.items[k].roots.resize(kernels.items[k].roots.size() - 1);
        }
        if (!ok) {
            kernels.items[k].steps.resize(steps);
            kernels.items[k].rows = rows;
            return false;
        }
        for (int i = steps; i < kernels.items[k].steps.size(); ++i) {
            step_draft const& s = kernels.items[k].steps[i];
            if (s.kind == step_kind::eval && computed_.items[s.node] < 0 && covers(s, kernels.items[k])) computed_.items[s.node] = k;
        }
        if (g.nodes.items[t.node].kind != node_kind::put) home.items[t.node] = k;
        return true;
    }

    /// The whole of every axis of the value is walked by the kernel.
    constexpr bool covers(step_draft const& s, kernel_draft const& kd) const {
        if (s.map.affine >= 0) return false;
        dims const& d = g.shape_of(s.node);
        int walked = 0, real = 0;
        for (int l = 0; l < kd.axes; ++l)
            walked += s.map.axis(l) != walk_map::none && d.from_right(s.map.axis(l)) == kd.extent[l];
        for (int i = 0; i < d.rank; ++i) real += d.extent[i] != 1;
        return walked == real;
    }

    /// Rows that share an outer loop need the axes inside the row to be one contiguous axis for everything in the kernel.
    constexpr bool rows_collapse(kernel_draft const& kd) const {
        if (kd.rows < 0 || kd.rows >= kd.axes - 1) return true;
        if (kd.product.node >= 0) return false;
        auto whole = [&](walk_map m, bool memory, int node, bool contiguous) {
            int walked = 0;
            for (int l = kd.rows; l < kd.axes; ++l) walked += m.axis(l) != walk_map::none;
            if (walked == 0) return true;
            if (walked != kd.axes - kd.rows) return false;
            for (int l = kd.rows; memory && l + 1 < kd.axes; ++l)
                if (!table.joins(m, l, kd.extent[l + 1], table.shape(g, node, m), contiguous)) return false;
            return true;
        };
        for (step_draft const& s : kd.steps) {
            bool const memory = s.kind == step_kind::load || s.kind == step_kind::coordinate;
            bool const contiguous = g.nodes.items[s.node].kind != node_kind::argument || dense[g.nodes.items[s.node].source];
            if (!whole(s.map, memory, s.node, contiguous)) return false;
        }
        for (root_draft const& r : kd.roots)
            if (r.axes == kd.axes && !whole(r.map, true, r.node, true)) return false;
        return true;
    }

    /// How many passes over a row the steps from number `first` on need at most: each needs reductions of the one before.
    constexpr int phases(kernel_draft const& kd, int first) const {
        int last = 0;
        for (int i = first; i < kd.steps.size(); ++i) last = kd.steps.items[i].phase > last ? kd.steps.items[i].phase : last;
        return last + 1;
    }

    bool uses_own_ = false;    ///< the anchor being placed reads a reduction of its own kernel
    bool whole_loop_ = false;  ///< and runs over all axes of it

    constexpr int find(int k, int id, walk_map map) const {
        if (seen_.items[id] < k) return -1;
        kernel_draft const& kd = kernels.items[k];
        int const s = step_.items[id];
        if (s < kd.steps.size() && kd.steps.items[s].node == id && kd.steps.items[s].map == map) return s;
        for (int i = 0; i < kd.steps.size(); ++i)
            if (kd.steps.items[i].node == id && kd.steps.items[i].map == map) return i;
        return -1;
    }

    constexpr int remember(int k, step_draft& s) {
        kernel_draft& kd = kernels.items[k];
        if (s.kind == step_kind::reduced) s.phase = kd.steps.items[kd.roots.items[s.in[0]].step].phase + 1;
        for (int j = 0; s.kind == step_kind::eval && j < step_inputs && s.in[j] >= 0; ++j)
            if (kd.steps.items[s.in[j]].phase > s.phase) s.phase = kd.steps.items[s.in[j]].phase;
        int const i = kd.steps.push(s);
        if (k >= seen_.items[s.node]) {
            seen_.items[s.node] = k;
            step_.items[s.node] = i;
        }
        return i;
    }

    constexpr int visit(int k, int id, walk_map map) {
        node const& n = g.nodes.items[id];
        int axes = kernels.items[k].axes;
        if (n.kind == node_kind::view) {
            if (!merges(n)) return visit(k, n.in[0], table.through(g, n, table.within(map, g.shapes.items[n.shape], axes), axes));
            if (reads_operand(n)) return load(k, n.in[0], table.under(table.within(map, g.shapes.items[n.shape], axes), n.shape));
            return load(k, id, table.within(map, g.shapes.items[n.shape], axes));
        }
        if (n.has_op() && n.op->same_value) return visit(k, n.in[0], map);
        map = n.kind == node_kind::blank ? walk_map{} : table.within(map, g.shapes.items[n.shape], axes);
        int known = find(k, id, map);
        if (known >= 0) {
            if (kernels.items[k].steps[known].kind == step_kind::reduced) uses_own_ = true;
            return known;
        }
        step_draft s;
        s.node = id;
        s.map = map;
        if (n.kind == node_kind::argument) s.kind = step_kind::load;
        else if (n.kind == node_kind::constant || n.kind == node_kind::blank) s.kind = step_kind::constant;
        else if (n.kind == node_kind::extent) s.kind = step_kind::extent;
        else if (n.kind == node_kind::coordinate) s.kind = step_kind::coordinate;
        else if (home.items[id] >= 0 && home.items[id] < k && !is_mask(n.type)) {
            s.kind = step_kind::load;
            stored.items[id] = 1;
        } else if (n.kind == node_kind::contract || n.kind == node_kind::put || n.kind == node_kind::custom_loop) {
            return -1;  // its own kernel, under other axes
        } else if (n.kind == node_kind::reduce) {
            if (home.items[id] != k) return -1;
            int r = own_reduction(k, id, map);
            if (r < 0) return -1;
            s.kind = step_kind::reduced;
            s.in[0] = r;
            uses_own_ = true;
        } else if (computed_.items[id] >= 0 && computed_.items[id] < k && cone_.items[id] >= machine::worth_storing && !is_mask(n.type)) {
            store_in(computed_.items[id], id);
            s.kind = step_kind::load;
        } else {
            return inputs_then(k, id, map);
        }
        return remember(k, s);
    }

    /// What another kernel left in memory, or an argument.
    constexpr int load(int k, int id, walk_map map) {
        if (int const known = find(k, id, map); known >= 0) return known;
        if (g.nodes.items[id].kind != node_kind::argument) {
            if (home.items[id] < 0 || home.items[id] >= k) return -1;
            stored.items[id] = 1;
        }
        step_draft s;
        s.node = id;
        s.map = map;
        s.kind = step_kind::load;
        return remember(k, s);
    }

    constexpr int inputs_then(int k, int id, walk_map map) {
        node const& n = g.nodes.items[id];
        map = table.within(map, g.shapes.items[n.shape], kernels.items[k].axes);
        if (n.op->same_value) return visit(k, n.in[0], map);
        int known = find(k, id, map);
        if (known >= 0) return known;
        step_draft s;
        s.node = id;
        s.map = map;
        for (int j = 0; j < n.arity(); ++j) {
            s.in[j] = visit(k, n.in[j], map);
            if (s.in[j] < 0) return -1;
        }
        return remember(k, s);
    }

    /// A reduction of this kernel that is complete where the value is needed: at the end of a row, or of everything.
    constexpr int own_reduction(int k, int id, walk_map map) {
        kernel_draft& kd = kernels.items[k];
        for (int i = 0; i < kd.roots.size(); ++i) {
            root_draft const& r = kd.roots.items[i];
            if (r.node != id) continue;
            if (r.map != map || r.axes != kd.axes) return -1;
            int p = 0;
            while (p < kd.axes && map.axis(p) != walk_map::none) ++p;
            for (int l = p; l < kd.axes; ++l)
                if (map.axis(l) != walk_map::none) return -1;
            if (p > 0 || kd.axes == 1 || kd.rows == 0 || whole_loop_) {  // at the end of a row
                if (kd.rows >= 0 && kd.rows != p) return -1;
                kd.rows = p;
            } else {
                kd.late = true;
            }
            return i;
        }
        return -1;
    }

    /// Whether the reductions that a step inside the loops is computed from are complete when it is: other steps may have led to
    /// it that come after everything.
    constexpr bool is_in_time(int k, int step) const {
        kernel_draft const& kd = kernels.items[k];
        list<char> needed(step + 1, 0);
        needed.items[step] = 1;
        for (int i = step; i >= 0; --i) {
            step_draft const& s = kd.steps.items[i];
            if (!needed.items[i]) continue;
            if (s.kind == step_kind::eval) {
                for (int j = 0; j < g.nodes.items[s.node].arity(); ++j) needed.items[s.in[j]] = 1;
            } else if (s.kind == step_kind::reduced) {
                int p = 0;
                while (p < kd.axes && s.map.axis(p) != walk_map::none) ++p;
                if (kd.rows != p) return false;
            }
        }
        return true;
    }

    constexpr void store_in(int k, int id) {
        kernel_draft& kd = kernels.items[k];
        for (int i = 0; i < kd.steps.size(); ++i)
            if (kd.steps.items[i].node == id && covers(kd.steps.items[i], kd)) {
                root_draft r;
                r.node = id;
                r.step = i;
                r.map = kd.steps.items[i].map;
                r.axes = kd.axes;
                kd.roots.push(r);
                home.items[id] = k;
                stored.items[id] = 1;
                return;
            }
    }
};

}  // namespace tapeless::detail
