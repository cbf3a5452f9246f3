// SPDX-License-Identifier: MIT
#pragma once
// What a kernel would be extended by if a task joined it, or why it cannot: found without changing anything.

#include <tapeless/schedule/extension.hpp>
#include <tapeless/schedule/refusal.hpp>
#include <tapeless/schedule/task.hpp>

namespace tapeless::detail::inline schedule_part {

/// A task on its way into kernel `k`.
class joining {
public:
    constexpr joining(graph_to_plan const& p, materialised const& m, grouping const& made, walk_table& table,
                      step_index& index, extension& e, int k, bool whole_loop)
        : p_(p), g_(p.g), m_(m), made_(made), kd_(made.kernels.items[k]), table_(table), index_(index), e_(e), k_(k),
          own_(kd_.steps.size()), whole_loop_(whole_loop) {
        e.steps.resize(0);
        e.read.resize(0);
        e.kept.resize(0);
        e.rows = kd_.rows;
        e.late = kd_.late;
        e.full = kd_.full;
    }

    /// The steps and the root of a task over these axes of the kernel; false where that does not go.
    constexpr bool add(task const& t, walk_map map, int axes) {
        node const& n = g_.nodes.items[t.value];
        root_draft& r = e_.root;
        r = root_draft{};
        r.node = t.node;
        r.axes = axes;
        r.adds = t.adds;
        r.clears = t.clears;
        r.filling = t.filling;
        r.reduces = t.window < 0 && t.node == t.value && n.kind == node_kind::reduce;
        if (r.reduces) {
            r.step = visit(n.in[0], map);
            r.map = table_.within(map, g_.shapes.items[n.shape], axes);
        } else if (t.node == t.value && n.is_reshape()) {  // stored in the order of its operand
            r.step = visit(n.in[0], map);
            r.map = table_.under(table_.within(map, g_.shape_of(n.in[0]), axes), g_.nodes.items[n.in[0]].shape);
        } else {
            bool const own = t.node == t.value && n.has_op() && n.kind != node_kind::view;
            r.step = own ? inputs_then(t.value, map) : visit(t.value, map);
            r.map = map;
            if (t.window >= 0) (void)p_.walk_to_memory(table_, t.window, r.map, axes);
            r.map = table_.within(r.map, g_.shape_of(t.node), axes);
        }
        return r.step >= 0;
    }
    constexpr refusal why() const { return why_; }

    // ---- what the kernel would be -----------------------------------------------------------------------------------

    constexpr bool uses_own_rows() const { return uses_own_; }
    constexpr int steps() const { return own_ + e_.steps.size(); }
    /// Whether the reductions that the root's step inside the loops is computed from are complete when it is: other
    /// steps may have led to it that come after everything.
    constexpr bool is_in_time() const {
        list<char> needed(e_.root.step + 1, 0);
        needed.items[e_.root.step] = 1;
        for (int i = e_.root.step; i >= 0; --i) {
            if (!needed.items[i]) continue;
            step_draft const& s = step(i);
            if (s.kind == step_kind::inside) {
                needed.items[s.in[0]] = 1;
            } else if (s.kind == step_kind::eval) {
                for (int j = 0; j < g_.nodes.items[s.node].arity(); ++j) needed.items[s.in[j]] = 1;
            } else if (s.kind == step_kind::reduced) {
                int p = 0;
                while (p < kd_.axes && s.map.axis(p) != walk_map::none) ++p;
                if (e_.rows != p) return false;
            }
        }
        return true;
    }
    /// Rows that share an outer loop need the axes inside the row to be one contiguous axis for everything in the
    /// kernel.
    constexpr bool rows_are_one_axis() const {
        if (e_.rows < 0 || e_.rows >= kd_.axes - 1) return true;
        if (kd_.product.node >= 0) return false;
        for (step_draft const& s : kd_.steps)
            if (!walks_rows(s)) return false;
        for (step_draft const& s : e_.steps)
            if (!walks_rows(s)) return false;
        for (root_draft const& r : kd_.roots)
            if (!walks_rows(r)) return false;
        return walks_rows(e_.root);
    }
    /// How many passes over a row the new steps need at most: each needs reductions of the one before.
    constexpr int phases() const {
        int last = 0;
        for (step_draft const& s : e_.steps) last = s.phase > last ? s.phase : last;
        return last + 1;
    }

private:
    graph_to_plan const& p_;
    builder const& g_;
    materialised const& m_;
    grouping const& made_;
    kernel_draft const& kd_;
    walk_table& table_;
    step_index& index_;
    extension& e_;
    int k_, own_;               ///< own_: steps that are there
    bool whole_loop_;           ///< the task runs over all axes of the kernel
    bool uses_own_ = false;     ///< and reads a reduction of it
    refusal why_ = refusal::none;

    constexpr step_draft const& step(int i) const { return i < own_ ? kd_.steps.items[i] : e_.steps.items[i - own_]; }
    constexpr int refuse(refusal why) {
        why_ = why;
        return -1;
    }

    constexpr bool walks_rows(step_draft const& s) const {
        bool const memory = s.kind == step_kind::load || s.kind == step_kind::coordinate;
        node const& n = g_.nodes.items[s.node];
        return walks_rows(s.map, memory, s.node, n.kind != node_kind::argument || p_.dense.items[n.source]);
    }
    constexpr bool walks_rows(root_draft const& r) const {
        return r.axes != kd_.axes || walks_rows(r.map, true, r.node, true);
    }
    constexpr bool walks_rows(walk_map m, bool memory, int node, bool contiguous) const {
        for (int l = e_.rows; l + 1 < kd_.axes; ++l)
            if (!table_.bounds_join(m, l, kd_.extent[l + 1])) return false;
        int walked = 0;
        for (int l = e_.rows; l < kd_.axes; ++l) walked += m.axis(l) != walk_map::none;
        if (walked == 0) return true;
        if (walked != kd_.axes - e_.rows) return false;
        for (int l = e_.rows; memory && l + 1 < kd_.axes; ++l)
            if (!table_.joins(m, l, kd_.extent[l + 1], table_.shape(g_, node, m), contiguous, false)) return false;
        return true;
    }

    /// The step of a node under a walk. Where it is between zeros the walk is its operand's: another one may walk the
    /// node itself so.
    constexpr int find(int id, walk_map map, bool between_zeros = false) const {
        if (index_.kernel.items[id] < k_) return -1;
        auto const is = [&](step_draft const& s) {
            return s.node == id && s.map == map && (s.kind == step_kind::inside) == between_zeros;
        };
        int const likely = index_.step.items[id];
        if (likely < own_ + e_.steps.size() && is(step(likely))) return likely;
        for (int i = 0; i < own_; ++i)
            if (is(kd_.steps.items[i])) return i;
        for (int i = 0; i < e_.steps.size(); ++i)
            if (is(e_.steps.items[i])) return own_ + i;
        return -1;
    }
    constexpr int append(step_draft& s) {
        if (s.kind == step_kind::reduced) s.phase = step(kd_.roots.items[s.in[0]].step).phase + 1;
        bool const computed = s.kind == step_kind::eval || s.kind == step_kind::inside;
        for (int j = 0; computed && j < step_inputs && s.in[j] >= 0; ++j)
            if (int const phase = step(s.in[j]).phase; phase > s.phase) s.phase = phase;
        int const i = own_ + e_.steps.push(s);
        if (k_ >= index_.kernel.items[s.node]) {
            index_.kernel.items[s.node] = k_;
            index_.step.items[s.node] = i;
        }
        return i;
    }

    /// The step of a node where the loops are, or -1.
    constexpr int visit(int id, walk_map map) {
        node const& n = g_.nodes.items[id];
        int const axes = kd_.axes;
        if (n.kind == node_kind::view) {
            walk_map const m = table_.within(map, g_.shapes.items[n.shape], axes);
            if (!p_.merges(n)) {
                if (is_made(id)) return load(id, m);  // packed
                if (m_.has_kernel.items[id] && table_.wraps(table_.bounds_of(m)))
                    return refuse(refusal::other_walk);  // rolled, it is read from memory
                return visit(n.in[0], table_.through(g_, n, m, axes));
            }
            return p_.reads_operand(n) ? load(n.in[0], table_.under(m, n.shape)) : load(id, m);
        }
        if (n.has_op() && n.op->same_value) return visit(n.in[0], map);
        bool const number = n.kind == node_kind::blank || n.kind == node_kind::constant || n.kind == node_kind::extent;
        map = number ? walk_map{} : table_.within(map, g_.shapes.items[n.shape], axes);
        if (table_.bounds_of(map) >= 0 && is_read(id)) map = table_.within_memory(map, g_.shapes.items[n.shape]);
        if (int const known = find(id, map); known >= 0) {
            if (step(known).kind == step_kind::reduced) uses_own_ = true;
            return known;
        }
        step_draft s;
        s.node = id;
        s.map = map;
        if (n.is_given()) s.kind = step_kind::load;
        else if (n.kind == node_kind::constant || n.kind == node_kind::blank) s.kind = step_kind::constant;
        else if (n.kind == node_kind::extent) s.kind = step_kind::extent;
        else if (n.kind == node_kind::coordinate) s.kind = step_kind::coordinate;
        else if (is_made(id)) {
            s.kind = step_kind::load;
            e_.read.push(id);
        } else if (n.kind == node_kind::padded) {
            return padded(id, map);
        } else if (n.kind == node_kind::contract || n.kind == node_kind::put || n.kind == node_kind::custom_loop) {
            return refuse(refusal::other_walk);  // its own kernel, under other axes
        } else if (n.kind == node_kind::reduce) {
            if (table_.picked_of(map) >= 0) return refuse(refusal::other_walk);
            s.in[0] = own_reduction(id, map);
            if (s.in[0] < 0) return -1;
            s.kind = step_kind::reduced;
            uses_own_ = true;
        } else if (is_worth_keeping(id)) {
            s.kind = step_kind::load;
            e_.kept.push(id);
        } else if (table_.picked_of(map) >= 0) {
            return refuse(refusal::other_walk);  // read at an index, it is in memory
        } else if (table_.bounds_of(map) >= 0 && m_.has_kernel.items[id] && made_.home.items[id] == k_) {
            return refuse(refusal::other_walk);  // shifted between zeros, it is read from memory
        } else {
            return inputs_then(id, map);
        }
        return append(s);
    }
    /// An earlier kernel leaves it in memory.
    constexpr bool is_made(int id) const {
        return made_.home.items[id] >= 0 && made_.home.items[id] < k_ && !is_mask(g_.nodes.items[id].type);
    }
    constexpr bool is_read(int id) const {
        node_kind const kind = g_.nodes.items[id].kind;
        return kind == node_kind::argument || is_made(id) || (kind == node_kind::elementwise && is_worth_keeping(id));
    }
    /// An expensive value that an earlier kernel computes is stored by that.
    constexpr bool is_worth_keeping(int id) const {
        int const k = made_.computed.items[id];
        return k >= 0 && k < k_ && !is_mask(g_.nodes.items[id].type) && m_.is_worth_storing(p_, id);
    }

    /// What another kernel left in memory, or an argument.
    constexpr int load(int id, walk_map map) {
        if (table_.bounds_of(map) >= 0) map = table_.within_memory(map, dims(table_.shape(g_, id, map)));
        if (int const known = find(id, map); known >= 0) return known;
        if (!g_.nodes.items[id].is_given()) {
            if (made_.home.items[id] < 0 || made_.home.items[id] >= k_) return refuse(refusal::other_walk);
            e_.read.push(id);
        }
        step_draft s;
        s.node = id;
        s.map = map;
        s.kind = step_kind::load;
        return append(s);
    }

    /// Whether a step is 0 beyond these bounds: it is read so, or a sum of such steps times numbers.
    constexpr bool is_zero_beyond(int i, int bounds, int depth) const {
        step_draft const& s = step(i);
        if (s.kind == step_kind::load || s.kind == step_kind::inside)
            return table_.implies(table_.bounds_of(s.map), bounds);
        if (s.kind == step_kind::constant) return g_.nodes.items[s.node].attr.value() == 0;
        if (s.kind != step_kind::eval || depth == 0) return false;
        auto const zero = [&](int j) { return is_zero_beyond(s.in[j], bounds, depth - 1); };
        auto const number = [&](int j) {
            double const c = g_.nodes.items[step(s.in[j]).node].attr.value();
            return step(s.in[j]).kind == step_kind::constant && c - c == 0;
        };
        auto const product = [&] { return (number(0) && zero(1)) || (number(1) && zero(0)); };
        switch (g_.nodes.items[s.node].op->is) {
            case builtin::neg: return zero(0);
            case builtin::add:
            case builtin::sub: return zero(0) && zero(1);
            case builtin::mul: return product();
            case builtin::product_and_term: return product() && zero(2);
            default: return false;
        }
    }
    /// The operand where the loops are within it, and 0 elsewhere.
    constexpr int padded(int id, walk_map map) {
        node const& n = g_.nodes.items[id];
        walk_map const m = table_.through_padding(g_, n, map, kd_.axes);
        if (int const known = find(id, m, true); known >= 0) return known;
        int const of = visit(n.in[0], m);
        if (of < 0 || n.attr.shift() != 0) return of;  // what is rolled is in memory
        if (is_zero_beyond(of, table_.bounds_of(m), 6)) return of;
        step_draft s;
        s.node = id;
        s.map = m;
        s.kind = step_kind::inside;
        s.in[0] = of;
        return append(s);
    }

    constexpr int inputs_then(int id, walk_map map) {
        node const& n = g_.nodes.items[id];
        map = table_.within(map, g_.shapes.items[n.shape], kd_.axes);
        if (n.kind == node_kind::padded) return padded(id, map);
        if (n.op->same_value) return visit(n.in[0], map);
        if (int const known = find(id, map); known >= 0) return known;
        step_draft s;
        s.node = id;
        s.map = map;
        for (int j = 0; j < n.arity(); ++j) {
            s.in[j] = visit(n.in[j], map);
            if (s.in[j] < 0) return -1;
        }
        return append(s);
    }

    /// A reduction of this kernel that is complete where the value is needed: at the end of a row, or of everything.
    constexpr int own_reduction(int id, walk_map map) {
        if (made_.home.items[id] != k_) return refuse(refusal::other_walk);
        int i = 0;
        while (i < kd_.roots.size() && kd_.roots.items[i].node != id) ++i;
        if (i == kd_.roots.size() || kd_.roots.items[i].map != map || kd_.roots.items[i].axes != kd_.axes)
            return refuse(refusal::other_walk);
        int p = 0;
        while (p < kd_.axes && map.axis(p) != walk_map::none) ++p;
        for (int l = p; l < kd_.axes; ++l)
            if (map.axis(l) != walk_map::none) return refuse(refusal::incomplete);
        if (p > 0 || kd_.axes == 1 || e_.rows == 0 || whole_loop_) {  // at the end of a row
            if (e_.rows >= 0 && e_.rows != p) return refuse(refusal::other_rows);
            e_.rows = p;
        } else {
            e_.late = true;
        }
        return i;
    }
};

}  // namespace tapeless::detail::schedule_part
