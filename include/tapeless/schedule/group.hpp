// SPDX-License-Identifier: MIT
#pragma once
// Second step of a plan, group: which kernel computes what; as few passes over the data as the dependencies allow.

#include <tapeless/schedule/custom_loop.hpp>
#include <tapeless/schedule/join.hpp>
#include <tapeless/schedule/product.hpp>

namespace tapeless::detail::inline schedule_part {

/// Gives each value that is materialised to the first kernel that takes it, or to a new one. Notes hears what refused
/// it.
template <class Notes>
class grouper {
public:
    grouping made;

    constexpr grouper(graph_to_plan const& p, materialised const& m, Notes& notes)
        : p_(p), g_(p.g), m_(m), notes_(notes), latest_(p.g.nodes.size(), -1), index_(p.g.nodes.size()) {
        int const nodes = g_.nodes.size();
        made.home = list<int>(nodes, -1);
        made.begun = list<int>(nodes, -1);
        made.computed = list<int>(nodes, -1);
        made.stored = list<char>(nodes, 0);
        for (int o : p.outputs) made.stored.items[o] = 1;
        for (int i = 0; i < nodes; ++i) {
            if (!m.live.items[i]) continue;
            node const& n = g_.nodes.items[i];
            for (int j = 0; j < n.arity(); ++j) {
                int const t = n.in[j], last = made.home.items[t] >= 0 ? made.home.items[t] : latest_.items[t];
                latest_.items[i] = last > latest_.items[i] ? last : latest_.items[i];
            }
            if (m.has_kernel.items[i]) give(i);
        }
    }

private:
    graph_to_plan const& p_;
    builder const& g_;
    materialised const& m_;
    Notes& notes_;
    list<int> latest_;  ///< the last kernel that makes something the node needs
    step_index index_;
    extension extension_;

    constexpr void give(int a) {
        node const& n = g_.nodes.items[a];
        if (!n.has_op() && n.kind != node_kind::blank) return;  // an operand of a product or of a loop of its own
        if (n.kind == node_kind::custom_loop) return begin_loop(a);
        if (n.kind == node_kind::contract) return begin_with_product(a);
        if (n.kind == node_kind::put) return give_parts(a);
        task t;
        t.node = t.value = a;
        give(t, p_.loop_of(a), latest_.items[a], latest_.items[a]);
    }

    constexpr void give_parts(int a) {
        list<task> const parts = parts_of(p_, m_, a);
        made.stored.items[a] = 1;
        int last = -1, begin = -1;  // the last and the first kernel so far
        list<int> kernel_of(parts.size(), -1);
        for (int i = parts.size() - 1; i >= 0; --i) {
            task const& t = parts.items[i];
            int const value = latest_.items[t.value], made_in = made.home.items[t.value];
            int const latest = value > made_in ? value : made_in;
            int after = begin;
            for (int j = parts.size() - 1; j > i; --j)
                if (kernel_of.items[j] >= after && !are_apart(g_, parts.items[j], t))
                    after = kernel_of.items[j] + (add_at_indices(g_, parts.items[j], t) ? 0 : 1);
            int const k = kernel_of.items[i] = give(t, g_.shape_of(t.value), latest, after > latest ? after : latest);
            begin = begin < 0 || k < begin ? k : begin;
            last = k > last ? k : last;
        }
        made.home.items[a] = last;
        made.begun.items[a] = begin;
    }

    /// A kernel for the task, `from` on: one that has its loops, or a new one. `first` is the last that makes what it
    /// needs.
    constexpr int give(task const& t, dims const& d, int first, int from) {
        task_loops own;
        for (int k = d.rank - 1; k >= 0; --k)
            if (d.from_right(k) != 1) {
                own.map.set(own.axes, k);
                own.extent[own.axes++] = d.from_right(k);
            }
        if (from == made.kernels.size() && from > 0) notes_.refused(from - 1, refusal::overlap);
        for (int k = from < 0 ? 0 : from; k < made.kernels.size(); ++k) {
            refusal const why = can_join(k, t, d, own, k == first);
            if (why == refusal::none) {
                notes_.joined();
                join(k, t);
                return k;
            }
            notes_.refused(k, why);
            if (why == refusal::too_long) made.kernels.items[k].full = true;  // for what comes after it as well
        }
        notes_.opened();
        kernel_draft kd;
        kd.axes = own.axes;
        for (int l = 0; l < own.axes; ++l) kd.extent[l] = own.extent[l];
        int const k = made.kernels.push(kd);
        refusal why = can_join(k, t, own.map, own.axes, false);
        bool const asks = !g_.columns.empty() || (own.axes == 2 && extension_.root.reduces && is_sum_of_products(t));
        if (why == refusal::none && asks && prefers_columns(own)) {
            walk_map back;
            for (int l = 0; l < own.axes; ++l) {
                back.set(l, own.map.axis(own.axes - 1 - l));
                made.kernels.items[k].extent[l] = own.extent[own.axes - 1 - l];
            }
            made.kernels.items[k].ordered = true;
            made.kernels.items[k].order = back;
            why = can_join(k, t, back, own.axes, false);
        }
        if (why == refusal::none) join(k, t);
        return k;
    }
    /// A matrix times a vector, or (1, n) times a matrix, whose columns are summed up as well as rows of its transpose.
    constexpr bool is_sum_of_products(task const& t) const {
        node const& n = g_.nodes.items[t.node];
        return n.op->combine == combination::sum && is_op(g_, n.in[0], builtin::mul);
    }
    /// Whether the extension would rather walk its arrays with the outermost loop inmost: more of them have elements
    /// next to one another along that.
    constexpr bool prefers_columns(task_loops const& own) const {
        if (own.axes < 2 || (own.extent[0] >= 0 && own.extent[0] < machine::short_columns)) return false;
        int gain = 0;
        auto look = [&](int id, walk_map m) {
            int const axis = p_.contiguous_axis(id, made.table.shape(g_, id, m));
            int const inner = m.axis(own.axes - 1), outer = m.axis(0);
            if (axis < 0) return;
            gain += inner != walk_map::none && inner != axis;
            gain -= outer != walk_map::none && outer != axis;
        };
        for (step_draft const& s : extension_.steps)
            if (s.kind == step_kind::load) look(s.node, s.map);
        if (!extension_.root.reduces) look(extension_.root.node, extension_.root.map);
        return gain > 0;
    }

    /// Whether kernel k takes a task with loops of its own: these are the kernel's, or the loops around its rows
    /// where the task needs those. What follows a product may walk its loops in another order.
    constexpr refusal can_join(int k, task const& t, dims const& d, task_loops const& own, bool needed) {
        kernel_draft const& kd = made.kernels.items[k];
        bool const around = needed && own.axes < kd.axes && (own.axes == 0 || own.axes == kd.rows);
        if (kd.full && !around) return kd.custom >= 0 ? refusal::of_custom_loop : refusal::full;
        refusal why = refusal::other_loops;
        bool const other_order = kd.ordered && kd.product.node < 0 && own.axes == kd.axes;
        if ((own.axes == kd.axes || around) && !other_order && have_same_extents(own, kd)) {
            why = can_join(k, t, own.map, own.axes, around);
            if (why == refusal::none) return why;
        }
        if (!kd.ordered || own.axes != kd.axes || kd.order == own.map || !is_ordered_alike(d, kd)) return why;
        refusal const in_order = can_join(k, t, kd.order, own.axes, false);
        if (in_order != refusal::none) return why == refusal::too_long ? why : in_order;
        extension_.full = extension_.full || why == refusal::too_long;
        return refusal::none;
    }
    /// Whether kernel k takes a task over these axes of it: all, or those `around` its rows. The extension is in
    /// extension_.
    constexpr refusal can_join(int k, task const& t, walk_map map, int axes, bool around) {
        kernel_draft const& kd = made.kernels.items[k];
        joining j(p_, m_, made, made.table, index_, extension_, k, axes == kd.axes);
        if (!j.add(t, map, axes)) return j.why();
        if (around && !j.uses_own_rows()) return refusal::unrelated;
        if (extension_.late && axes > 0 && !j.is_in_time()) return refusal::late;
        if (!around && !kd.roots.empty() && is_too_long(kd, t, j.steps())) return refusal::too_long;
        if (!j.rows_are_one_axis()) return refusal::rows_of_axes;
        if (j.phases() > max_phases) return refusal::too_many_phases;
        return refusal::none;
    }
    /// Kernels of a program that is cut end where segments do.
    constexpr bool is_too_long(kernel_draft const& kd, task const& t, int steps) const {
        if (!m_.is_cut || kd.segment == m_.segment.items[t.node]) return steps > machine::kernel_cap;
        return steps > machine::large_program_cap ||
               (kd.product.node < 0 && kd.steps.size() >= machine::segment_steps / 2);
    }
    constexpr bool have_same_extents(task_loops const& own, kernel_draft const& kd) const {
        for (int l = 0; l < own.axes; ++l)
            if (own.extent[l] != kd.extent[l]) return false;
        return true;
    }
    constexpr bool is_ordered_alike(dims const& d, kernel_draft const& kd) const {
        for (int l = 0; l < kd.axes; ++l)
            if (d.from_right(kd.order.axis(l)) != kd.extent[l]) return false;
        return true;
    }

    /// The task goes into kernel k: what can_join found.
    constexpr void join(int k, task const& t) {
        kernel_draft& kd = made.kernels.items[k];
        extension const& e = extension_;
        for (int id : e.read) made.stored.items[id] = 1;
        for (int id : e.kept)
            if (made.home.items[id] < 0) keep(id);
        for (step_draft const& s : e.steps) {
            kd.steps.push(s);
            int& first = made.computed.items[s.node];
            if (s.kind == step_kind::eval && first < 0 && covers(g_, s, kd)) first = k;
        }
        if (kd.segment < 0) kd.segment = m_.segment.items[t.node];
        kd.roots.push(e.root);
        kd.rows = e.rows;
        kd.late = e.late;
        kd.full = e.full;
        if (g_.nodes.items[t.node].kind != node_kind::put) made.home.items[t.node] = k;
    }
    /// The kernel that computes a node stores it too.
    constexpr void keep(int id) {
        int const k = made.computed.items[id];
        kernel_draft& kd = made.kernels.items[k];
        for (int i = 0; i < kd.steps.size(); ++i)
            if (kd.steps.items[i].node == id && covers(g_, kd.steps.items[i], kd)) {
                root_draft r;
                r.node = id;
                r.step = i;
                r.map = kd.steps.items[i].map;
                r.axes = kd.axes;
                kd.roots.push(r);
                made.home.items[id] = k;
                made.stored.items[id] = 1;
                return;
            }
    }

    // ---- what opens a kernel by itself ------------------------------------------------------------------------------

    constexpr int open(kernel_draft const& kd, refusal why) {
        if (made.kernels.size() > 0) notes_.refused(made.kernels.size() - 1, why);
        notes_.opened();
        return made.kernels.push(kd);
    }

    /// A product opens a kernel; its operands have to be in memory.
    constexpr void begin_with_product(int a) {
        int const k = open(draft_product(p_, made.table, a), refusal::product);
        kernel_draft& kd = made.kernels.items[k];
        kd.segment = m_.segment.items[a];
        for (int id : kd.product.operand)
            if (!g_.nodes.items[id].is_given()) made.stored.items[id] = 1;
        step_draft s;
        s.node = a;
        s.map = kd.order;
        s.kind = step_kind::product;
        root_draft r;
        r.node = a;
        r.axes = kd.axes;
        r.map = kd.order;
        r.step = kd.steps.push(s);
        kd.roots.push(r);
        index_.kernel.items[a] = k;
        index_.step.items[a] = r.step;
        made.home.items[a] = k;
    }

    /// A loop of its own is a kernel that nothing joins; operands and result are in memory.
    constexpr void begin_loop(int a) {
        node const& n = g_.nodes.items[a];
        bool const calls = n.op->role == loop_role::call;
        if (!calls) made.stored.items[a] = 1;
        if (n.op->role == loop_role::result || (!calls && n.op->part > 0)) {  // made with the call or the first result
            made.home.items[a] = made.home.items[n.in[0]];
            return;
        }
        made.home.items[a] = open(draft_loop(a), refusal::custom_loop);
        if (calls) {
            for (int operand : operands_of(g_, a)) store_behind(operand);
        } else {
            for (int j = 0; j < n.arity(); ++j) store_behind(n.in[j]);
        }
    }
    constexpr void store_behind(int operand) {
        if (int const id = array_behind(g_, operand); g_.nodes.items[id].has_op()) made.stored.items[id] = 1;
    }
};

constexpr grouping group_tasks(graph_to_plan const& p, materialised const& m) {
    no_notes none;
    return static_cast<grouping&&>(grouper<no_notes>(p, m, none).made);
}
/// Of each kernel, which one came closest to taking what it was opened for, and why it did not.
constexpr list<refused_by> find_refusals(graph_to_plan const& p, materialised const& m) {
    refusal_notes notes;
    grouper<refusal_notes>(p, m, notes);
    return static_cast<list<refused_by>&&>(notes.of_kernel);
}

}  // namespace tapeless::detail::schedule_part
