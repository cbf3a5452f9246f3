// SPDX-License-Identifier: MIT
#pragma once
// Carries of loops that nothing needs: a derivative of a derivative asks for some of what the first would have added up.

#include <tapeless/graph/body.hpp>

namespace tapeless::detail {

/// Of each carry of a loop: whether the results that are needed depend on it, directly or through other carries.
constexpr list<char> needed_carries(builder const& g, call_info const& c, list<char> const& needed_results) {
    body const& x = g.bodies.items[c.body[0]];
    list<char> carries(c.carries, 0), reached(x.nodes.size(), 0);
    for (int r = 0; r < c.results.size(); ++r) {
        if (!needed_results[r]) continue;
        call_result const& rule = c.results.items[r];
        if (rule.form == result_form::last || rule.form == result_form::record) carries[rule.which] = 1;
        else reached[x.outputs.items[c.carries + rule.which]] = 1;
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (int k = 0; k < c.carries; ++k)
            if (carries.items[k]) reached.items[x.outputs.items[k]] = 1;
        for (int i = x.nodes.size() - 1; i >= 0; --i)
            for (int j = 0; reached.items[i] && j < x.nodes.items[i].arity(); ++j) reached.items[x.nodes.items[i].in[j]] = 1;
        for (int k = 0; k < c.carries; ++k)
            if (reached.items[k] && !carries.items[k]) carries.items[k] = changed = true;
    }
    return carries;
}

/// The loops of a graph as they are made again, without the carries that nothing needs.
class carry_sweep {
public:
    constexpr carry_sweep(builder const& from, list<char> const& live) : kept_(from.calls.size()) {
        if (from.calls.empty()) return;
        list<list<char>> needed(from.calls.size());
        for (int k = 0; k < from.calls.size(); ++k) needed[k] = list<char>(from.calls[k].results.size(), 0);
        for (int i = 0; i < from.nodes.size(); ++i)
            if (live.items[i] && has_role(from, i, own_role::result))
                needed[from.nodes.items[from.nodes.items[i].in[0]].source][static_cast<int>(from.nodes.items[i].attr.offset)] = 1;
        for (int k = 0; k < from.calls.size(); ++k) {
            call_info const& c = from.calls[k];
            if (c.form != call_form::loop || c.carries == 0) continue;
            kept_[k] = needed_carries(from, c, needed[k]);
            int n = 0;
            for (char x : kept_[k]) n += x;
            if (n == 0) kept_[k][0] = 1;
            if (n == c.carries) kept_[k] = {};
        }
    }
    /// Node n of the graph b, a call, with the operands, carries and body that are left. Results keep their numbers.
    constexpr void drop(builder& b, node& n) const {
        list<char> const& kept = kept_.items[n.source];
        if (kept.empty()) return;
        call_info& c = b.calls[n.source];
        list<int> all, operands, inputs, outputs, number;
        flatten_operands(b, n.in[0], all);
        int const old = c.body[0], carries = c.carries, shared = b.bodies[old].shared, arguments = b.bodies[old].inputs;
        list<int> const made = b.bodies[old].outputs;
        c.carries = 0;
        for (int k = 0; k < carries; ++k) {
            number.push(c.carries);
            c.carries += kept.items[k];
        }
        auto stays = [&](int k) { return k >= carries || kept.items[k]; };
        for (int k = 0; k < all.size(); ++k)
            if (stays(k)) operands.push(all[k]);
        for (int k = 0; k < arguments; ++k)
            if (stays(k)) inputs.push(k);
        for (int k = 0; k < made.size(); ++k)
            if (stays(k)) outputs.push(made[k]);
        for (call_result& r : c.results)
            if (r.form == result_form::last || r.form == result_form::record) r.which = number[r.which];
        builder w = open_body(b, old);
        c.body[0] = close_body(b, w, inputs, outputs, shared);
        n.in[0] = emit_operands(b, operands);
    }

private:
    list<list<char>> kept_;  // of each call; empty where all carries are
};

}  // namespace tapeless::detail
