// SPDX-License-Identifier: MIT
#pragma once
// From one item to many through calls: the body is made for many items, and called once for all of them.

#include <tapeless/graph/body_editor.hpp>
#include <tapeless/graph/items.hpp>

namespace tapeless::detail {

/// A call for all items: of each of its results the node, and whether it has the leading axis.
struct batched_call {
    int call = -1;
    list<int> results;
    list<char> leading;
};
/// From one item to many over a graph: `ys` for many items, where inputs[i] becomes batched[i].
using batch_pass = list<int>(builder& b, list<int> const& ys, list<int> const& inputs, list<int> const& batched);

/// x where the mask holds, otherwise y.
constexpr int emit_choice(builder& b, int mask, int x, int y) {
    auto with = [&]<class T>(T) {
        using M = std::conditional_t<sizeof(T) == 8, mask64_t, mask32_t>;
        return operation_table<where_op, bool, T, T>::emit(b, {}, {to_mask(b, mask, dtype_of<M>()), x, y});
    };
    switch (b.nodes[x].type) {
        case dtype::f32: return with(float{});
        case dtype::f64: return with(double{});
        case dtype::i32: return with(std::int32_t{});
        default: return with(std::int64_t{});
    }
}

/// The outputs of body k on these operands, as nodes of the graph itself. Its indices are 0 where the mask does not hold: the
/// body would not have been run there.
constexpr list<int> inline_body(builder& b, int k, list<int> const& operands, int mask) {
    body const x = b.bodies[k];
    list<char> is_index(x.nodes.size(), 0);
    for (index_check const& c : x.index_checks) is_index[c.index] = 1;
    auto adopted = [&](int shape) {
        dims d = x.shapes[shape];
        for (int a = 0; a < d.rank; ++a) d.extent[a] = adopt_extent(b, x.extents, x.shared, d.extent[a]);
        return b.intern(d);
    };
    list<int> number;
    auto add = [&](int i, int id) { number.push(is_index[i] ? emit_choice(b, mask, id, b.constant(0, x.nodes[i].type)) : id); };
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
        b.check_index(number[c.index], dims(b.shapes[adopted(c.shape)]), c.rule, c.lengths < 0 ? -1 : number[c.lengths]);
    list<int> r;
    for (int o : x.outputs) r.push(number[o]);
    return r;
}

/// A call for many items.
class call_batcher {
public:
    list<int> results;       ///< of each result of the call, the node
    list<char> has_leading;  ///< and whether it has the leading axis of items

    /// `operands` are those of the call for many items; `leading` says which of them have the axis of items.
    constexpr call_batcher(builder& graph, int call, list<int> const& one, list<int> const& all, list<char> const& leading,
                           std::int64_t length, batch_pass* batch)
        : b(graph),
          info(b.calls[b.nodes[call].source]),
          chosen(info.form == call_form::either),
          operands(all),
          leading_(leading),
          length_(length) {
        for (int i = call + 1; i < b.nodes.size(); ++i)
            if (has_role(b, i, loop_role::result) && b.nodes[i].in[0] == call) {
                old_.push(i);
                number_.push(static_cast<int>(b.nodes[i].attr.offset));
            }
        results = list<int>(info.results.size(), -1);
        has_leading = list<char>(info.results.size(), 1);
        if (chosen && leading[0]) {
            choose_by_item(one, batch);
            return;
        }
        find_carries();
        for (int k = 0; k <= chosen; ++k) batch_body(k, batch);
        make_call();
    }

private:
    builder& b;
    call_info info;
    int chosen;
    list<int> operands, old_, number_;
    list<char> leading_;
    std::int64_t length_;
    list<char> output_leads_;

    /// Where items choose differently both bodies are computed, and chosen from.
    constexpr void choose_by_item(list<int> const& one, batch_pass* batch) {
        list<int> arguments;
        for (int j = 1; j < one.size(); ++j) arguments.push(one[j]);
        node_ref<std::int32_t> const p(&b, one[0]);
        int const choice = (p != 0).id;
        list<int> const first = inline_body(b, info.body[0], arguments, choice);
        list<int> const second = inline_body(b, info.body[1], arguments, (p == 0).id);
        list<int> ys, inputs, batched;
        for (int r : old_) {
            int const which = info.results[static_cast<int>(b.nodes[r].attr.offset)].which;
            ys.push(emit_choice(b, choice, first[which], second[which]));
        }
        for (int j = 0; j < one.size(); ++j)
            if (leading_[j]) {
                inputs.push(one[j]);
                batched.push(operands[j]);
            }
        list<int> const found = batch(b, ys, inputs, batched);
        for (int i = 0; i < old_.size(); ++i) results[number_[i]] = found[i];
    }

    /// A carry has the axis of items as well where what comes back has.
    constexpr void find_carries() {
        if (info.form != call_form::loop) return;
        list<char> const before = leading_;
        body_editor opened(b, info.body[0]);
        opened.spread_to_carries(info.carries, false, leading_);
        for (int k = 0; k < info.carries; ++k)
            if (leading_[k] && !before[k])
                operands[k] = emit_expand(b, operands[k], with_leading(b, length_, b.shape_of(operands[k])));
        opened.give_back();
    }

    constexpr void batch_body(int k, batch_pass* batch) {
        body_editor opened(b, info.body[k]);
        builder& w = opened.graph;
        list<int> outputs = opened.outputs;
        std::int64_t const length = opened.lent(length_);
        list<int> all, inputs, batched;
        for (int j = 0; j + chosen < operands.size(); ++j) {
            all.push(j);
            if (!leading_[j + chosen]) continue;
            inputs.push(j);
            batched.push(opened.add_argument(with_leading(w, length, w.shape_of(j)), w.nodes.items[j].type));
            all[j] = batched.back();
        }
        list<int> const found = batch(w, outputs, inputs, batched);
        if (k == 0) output_leads_ = list<char>(outputs.size(), 0);
        for (int o = 0; o < outputs.size(); ++o) {
            bool const lead = o < info.carries ? static_cast<bool>(leading_[o]) : chosen || found[o] >= 0;  // of two bodies alike
            output_leads_[o] = lead;
            if (lead)
                outputs[o] =
                    emit_expand(w, found[o] >= 0 ? found[o] : outputs[o], with_leading(w, length, w.shape_of(outputs[o])));
        }
        info.body[k] = opened.close(all, outputs);
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
        int const id = emit_call(b, info, operands);
        for (int i = 0; i < old_.size(); ++i) {
            node const n = b.nodes[old_[i]];
            call_result const rule = info.results[number_[i]];
            bool const of_carry = rule.form == result_form::last || rule.form == result_form::record;
            bool const lead = output_leads_[of_carry ? rule.which : info.carries + rule.which];
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
constexpr batched_call batch_call(builder& b, int call, list<int> const& one, list<int> const& all, list<char> const& leading,
                                  std::int64_t length, batch_pass* batch) {
    call_batcher const c(b, call, one, all, leading, length, batch);
    return {call, c.results, c.has_leading};
}

}  // namespace tapeless::detail
