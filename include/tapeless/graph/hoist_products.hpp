// SPDX-License-Identifier: MIT
#pragma once
// Products of a loop's steps that depend on no carry are computed of all steps before the loop, and those that are only
// stacked behind it.

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

/// Products that depend on items of sequences alone, and what is done to them element by element: those that the steps
/// which stay need.
constexpr list<int> find_hoisted(builder const& w, call_info const& c, list<int> const& outputs) {
    needed_values const all(w, outputs);
    step_values const values(w, c.carries, c.sequences, c.steps, all.needed);
    int const n = w.nodes.size();
    list<char> moves(n, 0), stays(n, 0);
    // a value that moves, element by element or under other axes, where nobody else needs it
    auto follows = [&](node const& x) {
        if (x.kind != node_kind::elementwise && !x.is_axes_view()) return false;
        std::int64_t const size = w.shapes.items[x.shape].static_size();
        for (int j = 0; j < x.arity(); ++j)
            if (moves.items[x.in[j]] && all.uses.items[x.in[j]] == 1 && w.shape_of(x.in[j]).static_size() == size)
                return true;
        return false;
    };
    bool any = false;
    for (int i = c.carries + c.sequences; i < n; ++i) {
        if (!all.needed.items[i] || values.state(i) != step_values::by_item) continue;
        moves.items[i] = values.factor_of(w.nodes.items[i]) >= 0 || follows(w.nodes.items[i]);
        any = any || moves.items[i];
    }
    list<int> r;
    if (!any) return r;
    for (int o : outputs) stays.items[o] = 1;
    for (int i = 0; i < n; ++i)
        for (int j = 0; all.needed.items[i] && !moves.items[i] && j < w.nodes.items[i].arity(); ++j)
            stays.items[w.nodes.items[i].in[j]] = 1;
    for (int i = 0; i < n; ++i)
        if (moves.items[i] && stays.items[i]) r.push(i);
    return r;
}

/// Computes the products of a loop's steps that depend on no carry before it: they are sequences of it then. Whether
/// there are any.
constexpr bool hoist_products(builder& b, call_info& c, list<int>& operands) {
    if (c.form != call_form::loop || c.sequences == 0) return false;
    body_editor opened(b, c.body[0]);
    list<int> const hoisted = find_hoisted(opened.graph, c, opened.outputs);
    if (hoisted.empty()) {
        opened.give_back();
        return false;
    }
    int const inner = c.carries + c.sequences;
    list<int> items, outside, inputs, given;
    for (int k = c.carries; k < operands.size(); ++k) {
        if (k < inner) items.push(k);
        outside.push(operands[k]);
    }
    body const before = cut_of_all_steps(opened, c.steps, hoisted, items, inner, operands.size());
    list<int> const made = inline_body(b, before, outside, -1);
    for (int k = 0; k < operands.size() + hoisted.size(); ++k) {
        int const h = k - inner, j = h < hoisted.size() ? k : k - hoisted.size();
        bool const is_hoisted = h >= 0 && h < hoisted.size();
        inputs.push(is_hoisted ? hoisted[h] : j);
        given.push(is_hoisted ? made[h] : operands[j]);
    }
    c.body[0] = opened.close(inputs, opened.outputs);
    c.sequences += hoisted.size();
    operands = given;
    return true;
}

/// Products that a loop only stacks, and what is done to them element by element, computed when it is done: of their
/// factors, which are stacked in their place.
class product_sinker {
public:
    /// `wanted` says which results somebody needs; it comes to say which are still of the loop.
    constexpr product_sinker(builder& graph, call_info& c, list<int> const& operands, list<char>& wanted) : b(graph) {
        if (c.form != call_form::loop) return;
        body_editor opened(b, c.body[0]);
        w_ = &opened.graph;
        needed_values const all(opened.graph, opened.outputs);
        step_values const values(opened.graph, c.carries, c.sequences, c.steps, all.needed);
        list<int> ys;
        for (int r = 0; r < wanted.size(); ++r) {
            if (!wanted[r] || c.results[r].form != result_form::stack) continue;
            int const y = opened.outputs[c.carries + c.results[r].which];
            list<int> factors = factors_;
            if (!sinks(y, y, all.uses, values, factors)) continue;
            factors_ = factors;
            ys.push(y);
            sunk_.push(r);
        }
        if (ys.empty()) {
            opened.give_back();
            return;
        }
        list<int> inputs, outputs = opened.outputs;
        for (int k = 0; k < operands.size(); ++k) inputs.push(k);
        for (int r : sunk_) wanted[r] = 0;
        steps_ = c.steps;
        for (int x : factors_) wholes_.push(find_whole(x, c, operands, outputs, wanted, opened));
        int const inner = c.carries + c.sequences;
        for (int k = inner; k < operands.size(); ++k) constants_.push(operands[k]);
        after_ = cut_of_all_steps(opened, c.steps, ys, factors_, inner, operands.size());
        c.body[0] = opened.close(inputs, outputs);
    }

    /// The results of the loop that are computed behind it: their numbers, and what they are when `call` is made.
    constexpr list<int> const& sunk() const { return sunk_; }
    constexpr list<int> emit(int call) const {
        if (sunk_.empty()) return {};
        list<int> outside;
        for (whole const& x : wholes_) {
            int const all = x.sequence >= 0 ? x.sequence : emit_result(b, call, x.result, x.shape, x.type);
            outside.push(x.slot < 0 ? all : emit_leading(b, all, x.slot, steps_));
        }
        for (int k : constants_) outside.push(k);
        return inline_body(b, after_, outside, -1);
    }

private:
    /// Where a value of a step is found of all steps: a sequence, or a result, or of a result all but one element.
    struct whole {
        int sequence = -1, result = -1, slot = -1;
        dims shape;
        dtype type = dtype::f32;
    };
    builder& b;
    builder const* w_ = nullptr;
    std::int64_t steps_ = 0;
    list<int> sunk_, factors_, constants_;
    list<whole> wholes_;
    body after_;

    /// Whether x, that y is made of, is made of products that nobody else needs, and of what is the same in all steps.
    constexpr bool sinks(int x, int y, list<int> const& uses, step_values const& values, list<int>& factors) const {
        node const& n = w_->nodes.items[x];
        if (uses.items[x] != 1 || n.item_axes > 0) return false;
        if (int f = values.factor_of(n); f >= 0) {
            while (w_->nodes.items[f].is_axes_view()) f = w_->nodes.items[f].in[0];
            for (int known : factors)
                if (known == f) return true;
            factors.push(f);
            return true;
        }
        if (n.is_axes_view()) return sinks(n.in[0], y, uses, values, factors);
        if (!n.computes_elements() || w_->shape_of(x).static_size() != w_->shape_of(y).static_size()) return false;
        bool any = false;
        for (int j = 0; j < n.arity(); ++j) {
            if (values.state(n.in[j]) == step_values::same) continue;
            if (!sinks(n.in[j], y, uses, values, factors)) return false;
            any = true;
        }
        return any;
    }
    constexpr whole find_whole(int x, call_info& c, list<int> const& operands, list<int>& outputs, list<char>& wanted,
                               body_editor const& opened) const {
        whole r;
        if (x >= c.carries && x < c.carries + c.sequences) {
            r.sequence = operands[x];
            return r;
        }
        call_result rule{result_form::record, x};
        r.slot = c.backwards;  // the first value of a step
        int o = 0;
        while (o < outputs.size() && outputs[o] != x) ++o;
        if (x >= c.carries && o < c.carries) {
            rule.which = o;
            r.slot = !c.backwards;
        } else if (x >= c.carries) {
            if (o == outputs.size()) outputs.push(x);
            rule = {result_form::stack, o - c.carries};
            r.slot = -1;
        }
        while (++r.result < c.results.size() && !(c.results[r.result] == rule)) {}
        if (r.result == c.results.size()) {
            c.results.push(rule);
            wanted.push(0);
        }
        wanted[r.result] = 1;
        node const& n = opened.graph.nodes.items[x];
        r.shape =
            with_leading(b, r.slot < 0 ? c.steps : b.sum(c.steps, 1), opened.adopted(opened.graph.shapes[n.shape]));
        r.type = n.type;
        return r;
    }
};

}  // namespace tapeless::detail::graph_part
