// SPDX-License-Identifier: MIT
#pragma once
// First step of a plan, materialise: the values of a graph that kernels are made for, because they are reduced,
// multiplied, stored, or worth computing once. All others are computed where they are needed.

#include <tapeless/schedule/segments.hpp>

namespace tapeless::detail::inline schedule_part {

/// Of each node:
struct materialised {
    list<char> live;    ///< an output needs it
    list<int> uses;     ///< by how many live nodes
    list<int> extended; ///< by how many of these that put something into it
    list<char> has_kernel;  ///< a kernel is made for it
    list<int> cone;     ///< instructions to compute it from what is in memory
    list<int> reads;    ///< arrays that are read for that, one as often as it is come upon
    list<int> segment;  ///< of a program that is cut
    bool is_cut = false;  ///< so that kernels end where segments do

    constexpr explicit materialised(int nodes)
        : live(nodes, 0), uses(nodes, 0), extended(nodes, 0), has_kernel(nodes, 0), cone(nodes, 0), reads(nodes, 0),
          segment(nodes, 0) {}

    /// A put that only another put writes into: the two have one array. So have several of these each where the part is
    /// in memory: it is written as often.
    constexpr bool is_link(graph_to_plan const& p, int id) const {
        node const& n = p.at(id);
        if (n.kind != node_kind::put || p.is_output(id) || uses.items[id] != extended.items[id]) return false;
        return uses.items[id] == 1 || (p.at(n.in[0]).kind == node_kind::blank && !p.computes(p.at(p.source(n.in[1]))));
    }
    /// Whether a value that one kernel computes is better stored by that for others than computed again by them.
    constexpr bool is_worth_storing(graph_to_plan const& p, int id) const {
        if (cone.items[id] >= machine::worth_storing) return true;
        dims const& d = p.g.shape_of(id);
        if (d.is_static() && d.static_size() <= machine::computed_again) return false;  // it stays in the first cache
        if (cone.items[id] + machine::read_again * (reads.items[id] - 1) < machine::worth_storing) return false;
        list<int> seen;  // what it is computed from, each value once
        seen.push(id);
        int cost = -machine::read_again;
        for (int i = 0; i < seen.size() && cost < machine::worth_storing; ++i) {
            int const now = seen.items[i], t = p.source(now);
            if (p.g.is_scalar(t) || p.g.is_constant(t)) continue;
            if (i > 0 && (!p.computes(p.at(t)) || has_kernel.items[t])) {
                cost += machine::read_again;
                continue;
            }
            cost += p.at(t).op->cost;
            for (int j = 0; j < p.at(t).arity(); ++j) {
                int const next = p.unstretched(p.at(t).in[j]);
                int k = 0;
                while (k < seen.size() && seen.items[k] != next) ++k;
                if (k == seen.size()) seen.push(next);
            }
        }
        return cost >= machine::worth_storing;
    }
};

namespace materialising {

constexpr void find_live(graph_to_plan const& p, materialised& m) {
    for (int o : p.outputs) m.live.items[o] = 1;
    for (int i = p.g.nodes.size() - 1; i >= 0; --i)
        if (m.live.items[i])
            for (int j = 0; j < p.at(i).arity(); ++j) {
                m.live.items[p.at(i).in[j]] = 1;
                ++m.uses.items[p.at(i).in[j]];
                m.extended.items[p.at(i).in[j]] += j == 0 && p.at(i).kind == node_kind::put;
            }
}

/// Anchors whatever it costs: reductions, products and loops of their own, what these read, and arrays made of parts.
constexpr void decide_by_kind(graph_to_plan const& p, materialised& m, int i) {
    node const& n = p.at(i);
    list<char>& has_kernel = m.has_kernel;
    if (n.kind == node_kind::reduce) has_kernel.items[i] = 1;
    if (n.kind == node_kind::contract) {
        has_kernel.items[i] = 1;
        for (int j = 0; j < 2; ++j) has_kernel.items[p.in_memory(n.in[j])] = 1;
    }
    if (n.kind == node_kind::view && p.merges(n) && !p.reads_operand(n)) has_kernel.items[i] = 1;
    if (n.is_picked() && p.at(n.in[0]).has_op()) has_kernel.items[n.in[0]] = 1;
    if (n.kind == node_kind::padded && n.attr.shift() != 0)  // read where it is
        if (int const t = p.unstretched(n.in[0]); !p.at(t).is_given() && !p.g.is_constant(t)) has_kernel.items[t] = 1;
    if (n.kind == node_kind::put) {
        has_kernel.items[i] = 1;
        if (m.is_link(p, n.in[0])) has_kernel.items[n.in[0]] = 0;  // its array is this one's
    }
    if (n.kind == node_kind::custom_loop) {
        has_kernel.items[i] = n.op->role != loop_role::operands;
        for (int j = 0; j < n.arity() && n.op->role != loop_role::call; ++j)
            if (!has_role(p.g, n.in[j], loop_role::operands)) has_kernel.items[array_behind(p.g, n.in[j])] = 1;
    }
}

/// A large program is cut; where it is the body of a loop whose steps do not wait, by counting alone.
constexpr void cut(graph_to_plan const& p, materialised& m, int computed) {
    bool const is_body = !p.g.steady.empty();
    if (computed > machine::cut_from) {
        segment_cutter cutter(p, m.live, is_body);
        m.is_cut = cutter.is_cut;
        m.segment = static_cast<list<int>&&>(cutter.segment);
    }
    if (m.is_cut || computed <= machine::kernel_cap) return;
    for (int i = 0, n = 0; i < p.g.nodes.size(); ++i) {
        if (m.live.items[i] && p.computes(p.at(i))) ++n;
        m.segment.items[i] = n / machine::segment_length;
    }
}

/// Whether a node is computed from nothing but what is in memory.
constexpr bool is_one_step(graph_to_plan const& p, materialised const& m, int i) {
    for (int j = 0; j < p.at(i).arity(); ++j) {
        int const t = p.source(p.at(i).in[j]);
        if (p.computes(p.at(t)) && !m.has_kernel.items[t]) return false;
    }
    return true;
}
/// A loop over `user` would compute `t` again and again: t varies along the innermost axis but not along an outer one.
constexpr bool repeats(graph_to_plan const& p, int t, int user) {
    node const& u = p.at(user);
    if (!p.computes(u) && u.kind != node_kind::reduce) return false;
    dims const &small = p.g.shape_of(t), &big = p.loop_of(user);
    if (small.is_scalar()) return false;
    int k = 0;
    while (k < big.rank && big.from_right(k) == 1) ++k;
    if (small.from_right(k) == 1) return false;
    for (; k < big.rank; ++k)
        if (big.from_right(k) != 1 && small.from_right(k) == 1) return true;
    return false;
}
/// What crosses a cut is stored, unless it is one cheap step from memory; so is what a loop would repeat at some cost.
constexpr bool is_worth_storing(graph_to_plan const& p, materialised const& m, int t, int user) {
    bool const crosses = m.segment.items[t] != m.segment.items[user];
    if (crosses && (p.at(t).op->cost > machine::cheap_across_cuts || !is_one_step(p, m, t))) return true;
    return m.cone.items[t] >= machine::worth_hoisting && repeats(p, t, user);
}

/// Whether the loops over `user` read a view of what is in memory by strides, and again for each of many rows.
constexpr bool is_read_by_strides(graph_to_plan const& p, materialised const& m, int view, int user) {
    node const& u = p.at(user);
    if (p.at(view).kind != node_kind::view || (!p.computes(u) && u.kind != node_kind::reduce)) return false;
    dims const& loop = p.loop_of(user);
    int axis = 0;  // that the innermost loop walks
    while (axis < loop.rank && loop.from_right(axis) == 1) ++axis;
    bool strided = false;
    int i = view;
    for (; p.at(i).kind == node_kind::view; i = p.at(i).in[0]) {
        node const& n = p.at(i);
        if (m.has_kernel.items[i] || p.g.shapes.items[n.shape].from_right(axis) == 1) return false;
        if (n.is_axes_view()) axis = axis_map{n.attr.axes}.source(axis);
        else if (n.is_slice()) strided = strided || (n.attr.axis() == axis && n.attr.step() != 1);
        else return false;
        if (axis < 0) return false;
    }
    if (!p.at(i).is_given() && (!m.has_kernel.items[i] || is_mask(p.at(i).type))) return false;
    if (!p.is_dense(i) || p.at(i).type == dtype::b8 || is_storage_only(p.at(i).type)) return false;
    for (int k = 0; k < axis; ++k) strided = strided || p.g.shape_of(i).from_right(k) != 1;
    return strided;
}
/// Whether loops over `user` read a value for each of many rows.
constexpr bool is_read_often(graph_to_plan const& p, int value, int user) {
    if (!repeats(p, value, user)) return false;
    dims const &small = p.g.shape_of(value), &big = p.loop_of(user);
    std::int64_t rows = 1;
    for (int k = 0; k < big.rank && rows > 0; ++k)
        if (small.from_right(k) == 1) rows = big.from_right(k) < 0 ? -1 : rows * big.from_right(k);
    return rows < 0 || rows >= machine::worth_packing;
}

/// Values that windows show many times over: shifted between zeros, as slices that overlap, or as a slice and as they
/// are. Of each node, how often a loop would compute it anew.
class shown_again {
public:
    list<int> times;

    constexpr shown_again(graph_to_plan const& p, materialised const& m) : times(p.g.nodes.size(), 0), p_(p) {
        list<int> last(p.g.nodes.size(), -1);  // slice of each node
        list<char> whole(p.g.nodes.size(), 0);
        for (int i = 0; i < p.g.nodes.size(); ++i)
            if (m.live.items[i] && p.computes(p.at(i)))
                for (int j = 0; j < p.at(i).arity(); ++j) whole.items[p.unstretched(p.at(i).in[j])] = 1;
        for (int i = 0; i < p.g.nodes.size(); ++i) {
            node const& n = p.at(i);
            if (!m.live.items[i]) continue;
            if (n.kind == node_kind::padded) {
                for (int t = p.source(n.in[0]), depth = 0; t >= 0 && depth < 4; t = only_operand(t), ++depth)
                    ++times.items[t];
            } else if (n.is_slice()) {
                int& before = last.items[n.in[0]];
                if (whole.items[n.in[0]] || (before >= 0 && overlap(p.at(before), n))) {
                    int& shown = times.items[p.source(i)];
                    shown += shown == 0 ? 2 : 1;
                }
                before = i;
            }
        }
    }
    /// What of the values behind node i is to be kept, or -1.
    constexpr int worth_keeping(materialised const& m, int i) const {
        int best = -1;
        for (int t = i, depth = 0; t >= 0 && depth < 4; t = only_operand(t), ++depth)
            if (p_.computes(p_.at(t)) && (best < 0 || times.items[t] > times.items[best])) best = t;
        if (best < 0 || m.has_kernel.items[best] || is_mask(p_.at(best).type)) return -1;
        dims const& d = p_.g.shape_of(best);
        bool const small = d.is_static() && d.static_size() <= machine::computed_again;
        int const more = m.reads.items[best] - machine::few_reads;
        int const cost = m.cone.items[best] + (more > 0 ? more : 0);
        return !small && cost * (times.items[best] - 1) >= machine::worth_storing ? best : -1;
    }

private:
    graph_to_plan const& p_;

    /// The one computed array that a cheap operation is computed from.
    constexpr int only_operand(int t) const {
        node const& n = p_.at(t);
        int only = -1;
        if (!p_.computes(n) || n.op->cost > 2) return -1;
        for (int j = 0; j < n.arity(); ++j) {
            int const s = p_.source(n.in[j]);
            if (!p_.computes(p_.at(s)) || p_.g.is_scalar(s)) continue;
            if (only >= 0 && only != s) return -1;
            only = s;
        }
        return only;
    }
    /// Where a slice begins, unless its axis is shorter than that; -1 where only run time knows.
    constexpr std::int64_t first_of(node const& slice) const {
        std::int64_t const first = slice.attr.first();
        if (first >= 0) return first;
        length_formula const& f = p_.g.extents.items[~first].formula;
        return f.rule == length_rule::minimum && f.b >= 0 ? f.b : -1;
    }
    constexpr bool overlap(node const& a, node const& b) const {
        std::int64_t const step = a.attr.step(), from = first_of(a), other = first_of(b),
                           distance = from < other ? other - from : from - other;
        if (a.attr.axis() != b.attr.axis() || step != b.attr.step() || step <= 0) return false;
        if (from < 0 || other < 0) return false;
        std::int64_t const length = p_.g.shapes.items[a.shape].from_right(a.attr.axis());
        return distance % step == 0 && (length < 0 || distance < length * step);
    }
};

}  // namespace materialising

constexpr materialised materialise(graph_to_plan const& p) {
    using namespace materialising;
    int const nodes = p.g.nodes.size();
    materialised m(nodes);
    find_live(p, m);
    for (int o : p.outputs) m.has_kernel.items[o] = 1;
    int computed = 0;
    for (int i = 0; i < nodes; ++i) {
        if (!m.live.items[i]) continue;
        decide_by_kind(p, m, i);
        computed += p.computes(p.at(i));
    }
    cut(p, m, computed);
    shown_again const shown(p, m);
    for (int i = 0; i < nodes; ++i) {
        node const& n = p.at(i);
        if (!m.live.items[i] || n.arity() == 0) continue;
        int cost = n.op->cost, reads = 0;
        for (int j = 0; j < n.arity(); ++j) {
            int const t = p.source(n.in[j]);
            if (int const v = p.unstretched(n.in[j]); is_read_by_strides(p, m, v, i)) {
                if (is_read_often(p, v, i)) m.has_kernel.items[v] = 1;
                else cost += machine::strided_read;
            }
            if (!p.computes(p.at(t)) || m.has_kernel.items[t]) {
                reads += p.at(t).kind == node_kind::padded ? m.reads.items[t] : !p.g.is_scalar(t);
                continue;
            }
            bool const stored = !is_mask(p.at(t).type) && is_worth_storing(p, m, t, i);  // masks never are
            if (stored) m.has_kernel.items[t] = 1;
            else if (!p.g.is_scalar(t) || p.g.is_scalar(i)) cost += m.cone.items[t];  // a single number costs once
            reads += stored ? 1 : m.reads.items[t];
        }
        m.reads.items[i] = reads > 1000 ? 1000 : reads;
        m.cone.items[i] = cost > 1000 ? 1000 : cost;
        if (n.kind == node_kind::padded || n.is_slice())
            if (int const t = p.source(n.in[0]); shown.times.items[t] > 1)
                if (int const kept = shown.worth_keeping(m, t); kept >= 0) m.has_kernel.items[kept] = 1;
    }
    return m;
}

}  // namespace tapeless::detail::schedule_part
