// SPDX-License-Identifier: MIT
#pragma once
// From one item to many through calls: the body is made for many items, and called once for all of them.

#include <tapeless/graph/body_editor.hpp>
#include <tapeless/graph/items.hpp>
#include <tapeless/ops/reduce.hpp>

namespace tapeless::detail::inline graph_part {

/// A call for all items: of each of its results the node, and whether it has the leading axis.
struct batched_call {
    int call = -1;
    list<int> results;
    list<char> leading;
};
/// From one item to many over a graph: `ys` for many items, where inputs[i] becomes batched[i].
using batch_pass = list<int>(builder& b, list<int> const& ys, list<int> const& inputs, list<int> const& batched);

/// x where the mask holds, otherwise y.
template <class T>
constexpr int emit_choice_of(builder& b, int mask, int x, int y) {
    using M = std::conditional_t<sizeof(T) == 8, mask64_t, mask32_t>;
    return operation_table<where_op, bool, T, T>::emit(b, {}, {to_mask(b, mask, dtype_of<M>()), x, y});
}
constexpr int emit_choice(builder& b, int mask, int x, int y) {
    switch (b.nodes[x].type) {
        case dtype::f32:
        case dtype::f64: return b.real(x).choice(b, mask, x, y);
        case dtype::i32: return emit_choice_of<std::int32_t>(b, mask, x, y);
        default: return emit_choice_of<std::int64_t>(b, mask, x, y);
    }
}

/// The outputs of a body on these operands, as nodes of the graph itself. Its indices are 0 where the mask, if any,
/// does not hold: the body would not have been run there.
constexpr list<int> inline_body(builder& b, body const& x, list<int> const& operands, int mask) {
    list<char> is_index(x.nodes.size(), 0);
    for (index_check const& c : x.index_checks) is_index[c.index] = 1;
    auto adopted = [&](int shape) {
        dims d = x.shapes[shape];
        for (int a = 0; a < d.rank; ++a) d.extent[a] = adopt_extent(b, x.extents, x.shared, d.extent[a]);
        return b.intern(d);
    };
    list<int> number;
    auto add = [&](int i, int id) {
        number.push(mask >= 0 && is_index[i] ? emit_choice(b, mask, id, b.constant(0, x.nodes[i].type)) : id);
    };
    for (int i = 0; i < x.nodes.size(); ++i) {
        node n = x.nodes[i];
        if (n.kind == node_kind::argument) {
            add(i, operands[n.source]);
            continue;
        }
        for (int j = 0; j < n.arity(); ++j) n.in[j] = number[n.in[j]];
        n.shape = adopted(n.shape);
        if (n.attr.shape >= 0) n.attr.shape = adopted(n.attr.shape);
        if (n.attr.offset < 0) n.attr.offset = adopt_extent(b, x.extents, x.shared, n.attr.offset);
        if (n.kind == node_kind::extent) {
            std::int64_t const e = adopt_extent(b, x.extents, x.shared, ~static_cast<std::int64_t>(n.source));
            if (e < 0) n.source = static_cast<int>(~e);
            else {
                add(i, b.constant(static_cast<double>(e), n.type));
                continue;
            }
        }
        if (n.has_role(loop_role::call)) {
            call_info c = x.calls[n.source];
            c.steps = adopt_extent(b, x.extents, x.shared, c.steps);
            n.source = b.calls.push(c);
        }
        add(i, b.push(n));
    }
    for (index_check const& c : x.index_checks)
        b.check_index(number[c.index], dims(b.shapes[adopted(c.shape)]), c.rule,
                      c.lengths < 0 ? -1 : number[c.lengths]);
    list<int> r;
    for (int o : x.outputs) r.push(number[o]);
    return r;
}

/// The largest number of steps; of no items it is less than 0.
struct most_steps_op : reduce_base<"max", combination::max, false> {
    static constexpr bool differentiable = false;
};

/// A call for many items.
class call_batcher {
public:
    list<int> results;       ///< of each result of the call, the node
    list<char> has_leading;  ///< and whether it has the leading axis of items

    /// `all` are the operands of the call for many items; `leading` says which of them have the axis of items.
    constexpr call_batcher(builder& graph, int call, list<int> const& one, list<int> const& all,
                           list<char> const& leading, std::int64_t length, batch_pass* batch)
        : b(graph), info(b.calls[b.nodes[call].source]), length_(length) {
        for (int i = call + 1; i < b.nodes.size(); ++i)
            if (has_role(b, i, loop_role::result) && b.nodes[i].in[0] == call) {
                old_.push(i);
                number_.push(b.nodes[i].attr.result());
            }
        results = list<int>(info.results.size(), -1);
        has_leading = list<char>(info.results.size(), 1);
        int const first = steering_operands(info.form);
        if (first) steering_ = all[0];
        by_item_ = first && leading[0];
        if (by_item_ && info.form == call_form::either) {
            choose_by_item(one, all, leading, batch);
            return;
        }
        for (int j = first; j < all.size(); ++j) {
            operands.push(all[j]);
            leading_.push(leading[j]);
        }
        find_carries();
        for (int k = 0; k < bodies_of(info.form); ++k) batch_body(k, batch);
        if (info.form == call_form::implicit) {
            ++info.item_axes;
            for (int j = 0; j < leading_.size(); ++j) info.leads[j] = info.leads[j] * 2 + leading_[j];
        }
        make_call();
    }

private:
    builder& b;
    call_info info;
    int steering_ = -1;
    bool by_item_ = false;              // items choose differently, or have different numbers of steps
    list<int> operands, old_, number_;  // operands: those of the bodies
    list<char> leading_;
    std::int64_t length_;
    list<char> output_leads_;

    /// Where items choose differently both bodies are computed, and chosen from.
    constexpr void choose_by_item(list<int> const& one, list<int> const& all, list<char> const& leading,
                                  batch_pass* batch) {
        list<int> arguments;
        for (int j = 1; j < one.size(); ++j) arguments.push(one[j]);
        node_ref<std::int32_t> const p(&b, one[0]);
        int const choice = (p != 0).id;
        list<int> const first = inline_body(b, body(b.bodies[info.body[0]]), arguments, choice);
        list<int> const second = inline_body(b, body(b.bodies[info.body[1]]), arguments, (p == 0).id);
        list<int> ys, inputs, batched;
        for (int r : old_) {
            int const which = info.results[b.nodes[r].attr.result()].which;
            ys.push(emit_choice(b, choice, first[which], second[which]));
        }
        for (int j = 0; j < one.size(); ++j)
            if (leading[j]) {
                inputs.push(one[j]);
                batched.push(all[j]);
            }
        list<int> const found = batch(b, ys, inputs, batched);
        for (int i = 0; i < old_.size(); ++i) results[number_[i]] = found[i];
    }

    /// A carry has the axis of items as well where what comes back has, and where items end at different steps.
    constexpr void find_carries() {
        if (!is_stepwise_call(info.form)) return;
        list<char> const before = leading_;
        body_editor opened(b, info.body[0]);
        opened.spread_to_carries(info.carries, false, leading_);
        if (info.form == call_form::until) by_item_ = leading_[0];
        for (int k = 0; k < info.carries; ++k) {
            if (by_item_) leading_[k] = 1;
            if (leading_[k] && !before[k])
                operands[k] = emit_expand(b, operands[k], with_leading(b, length_, b.shape_of(operands[k])));
        }
        opened.give_back();
    }

    /// Whether outputs have the axis of items wherever one of them may: of two bodies alike, and of all unknowns.
    static constexpr bool is_alike(call_form f) { return f == call_form::either || f == call_form::implicit; }

    constexpr void batch_body(int k, batch_pass* batch) {
        body_editor opened(b, info.body[k]);
        builder& w = opened.graph;
        list<int> one, outputs = opened.outputs;
        for (int j = 0; j < operands.size(); ++j) one.push(j);
        if (by_item_) guard(opened, one, outputs);
        std::int64_t const length = opened.lent(length_);
        list<int> all = one, inputs, batched;
        for (int j = 0; j < operands.size(); ++j) {
            if (!leading_[j]) continue;
            inputs.push(one[j]);
            batched.push(opened.add_argument(with_leading(w, length, w.shape_of(one[j])), w.nodes.items[one[j]].type));
            all[j] = batched.back();
        }
        list<int> const found = batch(w, outputs, inputs, batched);
        if (k == 0) output_leads_ = list<char>(outputs.size(), 0);
        for (int o = 0; o < outputs.size(); ++o) {
            bool const lead = o < info.carries ? static_cast<bool>(leading_[o])
                                               : is_alike(info.form) || found[o] >= 0;
            output_leads_[o] = lead;
            if (lead)
                outputs[o] = emit_expand(w, found[o] >= 0 ? found[o] : outputs[o],
                                         with_leading(w, length, w.shape_of(outputs[o])));
        }
        if (by_item_ && info.form == call_form::until) outputs[0] = emit_over_items<sum_op>(w, outputs[own_carries_]);
        info.body[k] = opened.close(all, outputs);
    }

    // Items that end at different steps: the loop ends with the last, and the carries of an item stay what they are
    // when it has come to its end.

    int own_carries_ = 0;  // so many carries come before those of the item

    template <class Op>
    static constexpr int emit_over_items(builder& g, int x) {
        int const r = operation_table<Op, std::int32_t>::emit(g, attribute{.axes = 1}, {x});
        return emit_axes(g, r, axis_map::without(1, 1));
    }
    static constexpr int emit_number(builder& g, int x, int plus) {
        int const y = g.constant(plus, dtype::i32);
        return emit_binary<add_op, std::int32_t>(g, x, y);
    }
    /// The body of one item, which is given to batch: `one` are its inputs.
    constexpr void guard(body_editor& opened, list<int>& one, list<int>& outputs) {
        builder& w = opened.graph;
        bool const counted = info.form == call_form::counted;
        if (w.index_checks.size() > 0)  // made again, so that no index of an item that has ended is looked at
            for (int& j : one) j = opened.add_argument_like(j);
        // how many items go on, or which step it is; and of an item, how many steps it has, or has had
        node_ref<std::int32_t> const now(&w, opened.add_argument(dims{}, dtype::i32));
        node_ref<std::int32_t> const steps(&w, opened.add_argument(dims{}, dtype::i32));
        int const mask = counted ? (now < steps).id : (node_ref<std::int32_t>(&w, one[0]) != 0).id;
        if (w.index_checks.size() > 0) {
            body again = w.bodies[info.body[0]];
            again.shared = again.extents.size();  // the extents are the same ones
            w.index_checks = {};
            outputs = inline_body(w, again, one, mask);
        }
        list<int> inputs, made, given;
        list<char> leads;
        auto add_carry = [&](int input, int output, int operand, bool leading) {
            inputs.push(input);
            made.push(output);
            given.push(operand);
            leads.push(leading);
            ++own_carries_;
        };
        if (counted) {
            int const most = emit_over_items<most_steps_op>(b, steering_);
            add_carry(now.id, emit_number(w, now.id, info.backwards ? -1 : 1),
                      info.backwards ? emit_number(b, most, -1) : b.constant(0, dtype::i32), false);
            one.push(steps.id);
            operands.push(steering_);
            leading_.push(1);
            steering_ = most;
        } else {
            add_carry(now.id, now.id, emit_over_items<sum_op>(b, operands[0]), false);  // see batch_body
            bool counts = false;
            for (call_result const& r : info.results) counts = counts || r.form == result_form::count;
            if (counts)
                add_carry(steps.id, emit_choice(w, mask, emit_number(w, steps.id, 1), steps.id),
                          emit_expand(b, b.constant(0, dtype::i32), dims(b.shape_of(operands[0]))), true);
        }
        for (int o = 0; o < outputs.size(); ++o) {
            if (o < info.carries) made.push(emit_choice(w, mask, outputs[o], one[o]));
            else if (counted) made.push(emit_choice(w, mask, outputs[o], w.constant(0, w.nodes[outputs[o]].type)));
            else made.push(outputs[o]);
        }
        for (int j = 0; j < operands.size(); ++j) {
            inputs.push(one[j]);
            given.push(operands[j]);
            leads.push(leading_[j]);
        }
        one = inputs;
        outputs = made;
        operands = given;
        leading_ = leads;
        info.carries += own_carries_;
        for (call_result& r : info.results)
            if (is_of_carry(r.form)) r.which += own_carries_;
            else if (r.form == result_form::count) r = {result_form::last, 1};
    }

    /// The first two axes exchanged: of steps and of items.
    constexpr int exchanged(int x) {
        int const rank = b.shape_of(x).rank;
        axis_map m = axis_map::of_rank(rank);
        for (int k = 0; k + 2 < rank; ++k) m.set(k, k);
        m.set(rank - 2, rank - 1);
        m.set(rank - 1, rank - 2);
        return emit_axes(b, x, m);
    }
    constexpr void make_call() {
        for (int j = info.carries; j < info.carries + info.sequences; ++j)
            if (leading_[j]) operands[j] = exchanged(operands[j]);
        list<int> given;
        if (steering_ >= 0) given.push(steering_);
        for (int o : operands) given.push(o);
        int const id = emit_call(b, info, given);
        for (int i = 0; i < old_.size(); ++i) {
            node const n = b.nodes[old_[i]];
            call_result const rule = info.results[number_[i]];
            bool const lead = rule.form != result_form::count &&
                              output_leads_[is_of_carry(rule.form) ? rule.which : info.carries + rule.which];
            bool const steps = rule.form == result_form::record || rule.form == result_form::stack;
            dims d = b.shapes[n.shape];
            if (lead && steps) d = with_leading(b, d.extent[0], with_leading(b, length_, without_leading(d)));
            else if (lead) d = with_leading(b, length_, d);
            int const r = emit_result(b, id, number_[i], d, n.type);
            results[number_[i]] = lead && steps ? exchanged(r) : r;
            has_leading[number_[i]] = lead;
        }
    }
};

/// `one` are the operands of the call, `all` those for all items, of which some have the leading axis.
constexpr batched_call batch_call(builder& b, int call, list<int> const& one, list<int> const& all,
                                  list<char> const& leading, std::int64_t length, batch_pass* batch) {
    call_batcher const c(b, call, one, all, leading, length, batch);
    return {call, c.results, c.has_leading};
}

}  // namespace tapeless::detail::graph_part
