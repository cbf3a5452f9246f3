// SPDX-License-Identifier: MIT
#pragma once
// What a loop's steps compute with a few numbers and no later step waits for: of all steps at once it fills registers.

#include <tapeless/graph/step_values.hpp>

namespace tapeless::detail::inline graph_part {

/// The values of a body that these are computed from, and how many others, or these, need each.
struct needed_values {
    list<char> needed;
    list<int> uses;
    constexpr needed_values(builder const& w, list<int> const& outputs)
        : needed(w.nodes.size(), 0), uses(w.nodes.size(), 0) {
        for (int o : outputs) needed.items[o] = 1, ++uses.items[o];
        for (int i = w.nodes.size() - 1; i >= 0; --i)
            for (int j = 0; needed.items[i] && j < w.nodes.items[i].arity(); ++j) {
                needed.items[w.nodes.items[i].in[j]] = 1;
                ++uses.items[w.nodes.items[i].in[j]];
            }
    }
};

/// Values that take no more than half a register, and what they are made of, element by element.
class narrow_work {
public:
    constexpr narrow_work(builder const& body, step_values const& values, list<int> const& uses)
        : w(body), values_(values), uses_(uses) {}

    constexpr bool is_narrow(int id) const {
        node const& n = w.nodes.items[id];
        dims const& d = w.shape_of(id);
        return is_floating(n.type) && !is_storage_only(n.type) && d.rank < max_rank && d.is_static() &&
               d.static_size() > 0 && 2 * d.static_size() <= lanes_of(n.type);
    }
    /// Instructions for y that need no carry.
    constexpr int before(int y) const {
        list<char> made(y + 1, 0);
        int cost = 0;
        made[y] = 1;
        for (int i = y; i >= 0; --i) {
            node const& n = w.nodes.items[i];
            if (!made.items[i] || values_.state(i) != step_values::by_item) continue;
            if (n.computes_elements()) cost += n.op->cost;
            for (int j = 0; j < n.arity(); ++j) made.items[n.in[j]] = 1;
        }
        return cost;
    }
    /// Instructions for ys and for what nothing but these need, element by element; `from` is what that is computed
    /// from, but for what is the same in all steps. -1 where something of that is never in memory.
    constexpr int behind(list<int> const& ys, list<int>& from) const {
        list<int> by_these(w.nodes.size(), 0);
        int cost = 0;
        for (int y : ys) ++by_these[y];
        for (int i = w.nodes.size() - 1; i >= 0; --i) {
            node const& n = w.nodes.items[i];
            if (by_these.items[i] == 0 || values_.state(i) == step_values::same) continue;
            if (by_these.items[i] == uses_.items[i] && moves(n)) {
                if (n.computes_elements()) cost += n.op->cost;
                for (int j = 0; j < n.arity(); ++j) ++by_these.items[n.in[j]];
                continue;
            }
            int x = i;
            while (w.nodes.items[x].is_axes_view()) x = w.nodes.items[x].in[0];
            if (is_mask(n.type)) return -1;
            bool known = false;
            for (int f : from) known = known || f == x;
            if (!known) from.push(x);
        }
        return cost;
    }

private:
    builder const& w;
    step_values const& values_;
    list<int> const& uses_;

    static constexpr bool moves(node const& n) {
        return n.item_axes == 0 && (n.computes_elements() || n.is_stretched() || n.is_axes_view());
    }
};

/// What is added to carry k in a step, a node of the body that may be made for that: where nothing else comes of the
/// carry; otherwise -1. `after` is the carry after the step.
constexpr int find_addend(builder& w, int k, int after, list<int> const& uses) {
    if (!is_floating(w.nodes[k].type) || uses[k] != 1) return -1;
    list<int> carry;
    carry.push(k);
    list<char> const of_carry = dependents(w, carry);
    list<int> added, subtracted;
    for (int i = after; i != k;) {
        node const& n = w.nodes[i];
        if (uses[i] != 1 || n.item_axes > 0 || n.shape != w.nodes[k].shape) return -1;
        bool const minus = is_op(w, i, builtin::sub);
        if (!minus && !is_op(w, i, builtin::add)) return -1;
        int const j = of_carry[n.in[0]] ? 0 : 1;
        if (of_carry[n.in[1 - j]] || !of_carry[n.in[j]] || (minus && j == 1)) return -1;
        (minus ? subtracted : added).push(n.in[1 - j]);
        i = n.in[j];
    }
    real_rules const& real = w.real(k);
    int r = -1;
    for (int x : added) r = r < 0 ? x : real.add(w, r, x);
    for (int x : subtracted) r = r < 0 ? real.neg(w, x) : real.sub(w, r, x);
    return r;
}

}  // namespace tapeless::detail::graph_part
