// SPDX-License-Identifier: MIT
#pragma once
// What of a loop's steps is better computed of all steps at once, products with a matrix and work on a few numbers:
// before the loop where it depends on no carry, and behind it where it is only stacked or added up.

#include <tapeless/graph/narrow_work.hpp>

namespace tapeless::detail::inline graph_part {

/// Adds to `found` values of a few numbers that depend on items of sequences alone, take some work, and are needed by
/// what depends on carries.
constexpr void find_narrow(builder const& w, call_info const& c, needed_values const& all, step_values const& values,
                           list<int>& found) {
    narrow_work const work(w, values, all.uses);
    list<char> by_carries(w.nodes.size(), 0);
    for (int i = 0; i < w.nodes.size(); ++i) {
        if (!all.needed.items[i] || values.state(i) != step_values::by_carry) continue;
        for (int j = 0; j < w.nodes.items[i].arity(); ++j) by_carries.items[w.nodes.items[i].in[j]] = 1;
    }
    for (int i = c.carries + c.sequences; i < w.nodes.size(); ++i) {
        if (!by_carries.items[i] || values.state(i) != step_values::by_item || !work.is_narrow(i)) continue;
        bool known = work.before(i) < machine::moved_work;
        for (int x : found) known = known || x == i;
        if (!known) found.push(i);
    }
}
/// Products that depend on items of sequences alone, and what is done to them element by element: those that the steps
/// which stay need; and such work on a few numbers.
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
    for (int o : outputs) stays.items[o] = 1;
    for (int i = 0; any && i < n; ++i)
        for (int j = 0; all.needed.items[i] && !moves.items[i] && j < w.nodes.items[i].arity(); ++j)
            stays.items[w.nodes.items[i].in[j]] = 1;
    for (int i = 0; any && i < n; ++i)
        if (moves.items[i] && stays.items[i]) r.push(i);
    if (values.has_many_steps()) find_narrow(w, c, all, values, r);
    return r;
}

/// Computes such values of a loop's steps that depend on no carry before it: they are sequences of it then. Whether
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

/// Products that a loop only stacks, what is done to them element by element, and work on a few numbers that it only
/// stacks or adds up, computed when it is done: of what they are made of, which is stacked in their place.
class value_sinker {
public:
    /// `wanted` says which results somebody needs; it comes to say which are still of the loop.
    constexpr value_sinker(builder& graph, call_info& c, list<int> const& operands, list<char>& wanted) : b(graph) {
        if (c.form != call_form::loop) return;
        body_editor opened(b, c.body[0]);
        list<int> const made = with_addends(opened, c, wanted);
        w_ = &opened.graph;
        needed_values const all(opened.graph, made);
        step_values const values(opened.graph, c.carries, c.sequences, c.steps, all.needed);
        narrow_work const work(opened.graph, values, all.uses);
        list<int> ys, few, few_of;  // of few numbers: what they are, and which results
        auto take = [&](int r, int y) {
            ys.push(y);
            sunk_.push(r);
            starts_.push(c.results[r].form == result_form::last ? operands[c.results[r].which] : -1);
        };
        for (int r = 0; r < wanted.size(); ++r) {
            bool const sum = c.results[r].form == result_form::last;
            if (!wanted[r] || (!sum && c.results[r].form != result_form::stack)) continue;
            int const o = sum ? c.results[r].which : c.carries + c.results[r].which, y = made[o];
            if (sum && y == opened.outputs[o]) continue;
            list<int> factors = factors_;
            if (!sum && sinks(y, y, all.uses, values, factors)) {
                factors_ = factors;
                take(r, y);
            } else if (values.has_many_steps() && work.is_narrow(y) && values.state(y) != step_values::same) {
                few.push(y);
                few_of.push(r);
            }
        }
        auto take_if_worth = [&](list<int> const& some, int first) {
            list<int> from;
            int const cost = work.behind(some, from);
            if (!is_worth_sinking(cost, from, values, c, opened.outputs, wanted)) return false;
            add_factors(from);
            for (int k = 0; k < some.size(); ++k) take(few_of[first + k], some[k]);
            return true;
        };
        if (!few.empty() && !take_if_worth(few, 0))
            for (int k = 0; k < few.size(); ++k) (void)take_if_worth(list<int>(1, few[k]), k);
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
        list<int> r = inline_body(b, after_, outside, -1);
        for (int k = 0; k < r.size(); ++k)
            if (starts_[k] >= 0) r[k] = b.real(r[k]).add(b, starts_[k], sum_of_steps(r[k]));
        return r;
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
    list<int> starts_;  // of each that is sunk: what it is added to, or -1
    list<whole> wholes_;
    body after_;

    /// The outputs of the body, with what is added to a carry in its place, where only its last value is wanted.
    static constexpr list<int> with_addends(body_editor& opened, call_info const& c, list<char> const& wanted) {
        list<int> r = opened.outputs;
        list<char> last(c.carries, 0);
        bool any = false;
        for (int k = 0; k < wanted.size(); ++k)
            if (wanted[k] && c.results[k].form == result_form::last) last[c.results[k].which] = any = true;
        for (int k = 0; k < wanted.size(); ++k)
            if (wanted[k] && c.results[k].form == result_form::record) last[c.results[k].which] = 0;
        if (!any) return r;
        needed_values const all(opened.graph, opened.outputs);
        for (int k = 0; k < c.carries; ++k)
            if (int const y = last[k] ? find_addend(opened.graph, k, r[k], all.uses) : -1; y >= 0) r[k] = y;
        return r;
    }
    /// Whether so much work that is made of `from` is done behind the loop, where those are stacked that are not yet.
    constexpr bool is_worth_sinking(int work, list<int> const& from, step_values const& values, call_info const& c,
                                    list<int> const& outputs, list<char> const& wanted) const {
        int stacks = 0;
        bool items = true;
        for (int x : from) {
            items = items && values.state(x) == step_values::by_item;
            bool there = x >= c.carries && x < c.carries + c.sequences;
            for (int f : factors_) there = there || f == x;
            for (int r = 0; r < wanted.size(); ++r) {
                call_result const& rule = c.results[r];
                if (!wanted[r]) continue;
                if (rule.form == result_form::stack) there = there || outputs[c.carries + rule.which] == x;
                if (rule.form == result_form::record) there = there || rule.which == x || outputs[rule.which] == x;
            }
            stacks += !there;
            if (!is_floating(w_->nodes[x].type) || !w_->shape_of(x).is_static()) return false;
        }
        if (work >= 0 && stacks == 0 && items) return true;
        return work >= machine::moved_work && work >= stacks * machine::sunk_work;
    }
    constexpr void add_factors(list<int> const& from) {
        for (int x : from) {
            bool known = false;
            for (int f : factors_) known = known || f == x;
            if (!known) factors_.push(x);
        }
    }
    constexpr int sum_of_steps(int x) const {
        int const rank = b.shape_of(x).rank;
        std::int64_t const leading = std::int64_t{1} << (rank - 1);
        return emit_axes(b, b.real(x).sum(b, x, leading), axis_map::without(rank, leading));
    }

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
