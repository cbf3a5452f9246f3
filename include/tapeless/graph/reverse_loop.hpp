// SPDX-License-Identifier: MIT
#pragma once
// Reverse mode through loops: the backward loop computes again what is cheap, and finds the rest in arrays that the
// forward loop then fills.

#include <tapeless/graph/implicit.hpp>
#include <tapeless/graph/step_products.hpp>
#include <tapeless/graph/wires.hpp>
#include <tapeless/ops/compare.hpp>
#include <tapeless/ops/reduce.hpp>

namespace tapeless::detail::inline graph_part {

/// Called where a loop without a bound would have to be recorded (while_loop<max> has one): not a constant
/// expression, so the compiler names it.
inline void while_loop_without_a_bound_has_no_gradient_in_reverse_mode() {}

/// The derivative of a loop is a loop that runs the other way. Its carries are the cotangents of the carries, and
/// sums for what is the same for all steps. Where the loop ends by itself, that one has as many steps as there were.
class loop_pullback {
public:
    list<int> cotangents;  ///< of the operands that the body gets

    constexpr loop_pullback(builder& graph, int call, list<pulled_result> const& results, list<char> const& active,
                            reverse_pass* differentiate)
        : b(graph),
          call_(call),
          at_(b.nodes[call].source),
          info(b.calls[at_]),
          opened(b, info.body[0]),
          outputs(opened.outputs),
          w(opened.graph),
          forward_nodes(w.nodes.size()),
          products_(b, opened, info.carries + info.sequences, forward_nodes) {
        list<int> const all = operands_of(b, call);
        for (int j = steering_operands(info.form); j < all.size(); ++j) {
            operands.push(all[j]);
            active_.push(active[j]);
        }
        if (info.form == call_form::counted) count_ = all[0];
        cotangents = list<int>(operands.size(), -1);
        opened.spread_to_carries(info.carries, true, active_);
        take_cotangents(results);
        differentiate_body(differentiate);
        store_values();
        make_call();
    }

private:
    builder& b;
    int call_, at_, count_ = -1;  // how many steps there were, where that is not known before
    call_info info;
    list<int> operands;
    list<char> active_;
    body_editor opened;
    list<int> const& outputs;
    builder& w;
    int forward_nodes;
    step_products products_;

    list<wired> carries;             // of the backward loop: its carry, and the first value
    list<wired> sequences;
    list<int> next, stacked;         // what the body makes of the carries, and per step
    list<int> carried_for, stacked_for;  // the operand whose cotangent it is

    constexpr void add_to(int operand, int c) {
        if (cotangents[operand] >= 0)
            c = b.real(c).add(b, cotangents[operand], c);
        cotangents[operand] = c;
    }
    list<int> ys_, seeds_;
    list<int> first_;  // of each carry: the cotangent of its last value, or -1

    constexpr std::int64_t slot_before() const { return info.backwards ? 1 : 0; }  // a step's first value in a record
    constexpr std::int64_t slot_after() const { return info.backwards ? 0 : 1; }

    constexpr void take_cotangents(list<pulled_result> const& results) {
        first_ = list<int>(info.carries, -1);
        list<int> step_seed(info.carries, -1);  // what is added to a carry's cotangent at each step
        auto per_step = [&](int y, int sequence) {
            int const a = opened.add_argument_like(y);
            sequences.push({a, sequence});
            return a;
        };
        for (pulled_result const& r : results) {
            call_result const rule = info.results[b.nodes[r.node].attr.result()];
            int const g = emit_whole(b, r.cotangent, r.node);
            if (rule.form == result_form::last) {
                first_[rule.which] = first_[rule.which] < 0 ? g : b.real(g).add(b, first_[rule.which], g);
            } else if (rule.form == result_form::stack) {
                int const y = outputs[info.carries + rule.which];
                ys_.push(y);
                seeds_.push(per_step(y, g));
            } else if (active_[rule.which]) {
                int const k = rule.which;
                int const s = per_step(outputs[k], emit_leading(b, g, slot_after(), info.steps));
                step_seed[k] = step_seed[k] < 0 ? s : w.real(s).add(w, step_seed[k], s);
                if (active_[k]) add_to(k, before_first_step(g));
            }
        }
        for (int k = 0; k < info.carries; ++k) {
            if (!active_[k]) continue;
            int seed = opened.add_argument_like(k);
            carries.push({seed, emit_whole(b, first_[k], operands[k])});
            carried_for.push(k);
            if (step_seed[k] >= 0)
                seed = w.real(seed).add(w, seed, step_seed[k]);
            ys_.push(outputs[k]);
            seeds_.push(seed);
        }
    }

    /// The element of a record that is the first value.
    constexpr int before_first_step(int record) {
        int const rank = b.shape_of(record).rank;
        std::int64_t const leading = std::int64_t{1} << (rank - 1);
        int r = -1;
        if (info.backwards && info.form == call_form::counted) {  // the others may be anything, and are not added
            node_ref<std::int32_t> const place(&b, emit_position<float>(b, b.sum(info.steps, 1), rank, rank - 1));
            int const mask = (place == node_ref<std::int32_t>(&b, count_)).id;
            real_rules const& real = b.real(record);
            r = real.sum(b, real.masked(b, mask, record), leading);
        } else {
            r = emit_leading(b, record, info.backwards ? info.steps : 0, 1);
        }
        return emit_axes(b, r, axis_map::without(rank, leading));
    }

    constexpr void differentiate_body(reverse_pass* differentiate) {
        list<int> wanted;
        for (int j = 0; j < operands.size(); ++j)
            if (active_[j]) wanted.push(j);
        list<int> const c = differentiate(w, ys_, seeds_, wanted);
        for (int i = 0; i < wanted.size(); ++i)
            if (wanted[i] < info.carries) next.push(emit_whole(w, c[i], wanted[i]));
        list<wired> others;  // what is the same for all steps, and its cotangent in a step
        for (int i = 0; i < wanted.size(); ++i) {
            int const j = wanted[i];
            if (j < info.carries || c[i] < 0) continue;
            if (j < info.carries + info.sequences) {
                stacked.push(emit_whole(w, c[i], j));
                stacked_for.push(j);
                continue;
            }
            if (!is_sum_of_few(c[i], j)) others.push({j, c[i]});
        }
        for (wired const& x : others) {
            if (is_sum_of_stacked(x.outside, x.inside)) continue;
            int const j = x.inside, sum = opened.add_argument_like(j);
            carries.push({sum, emit_whole(b, -1, operands[j])});
            carried_for.push(j);
            int const whole = emit_whole(w, x.outside, j);
            next.push(w.real(sum).add(w, sum, whole));
        }
    }

    list<step_products::term> terms_;
    list<int> forced_;          // values of the forward steps that the factors are

    /// Whether c, part of the cotangent of operand j, is such products; they are then noted.
    constexpr bool is_sum_of_few(int c, int j) {
        if (info.form != call_form::loop) return false;  // there is no saying how many steps there will be
        list<step_products::term> found;
        if (!products_.find(c, j, found)) return false;
        for (step_products::term const& t : found) {
            for (int f : t.factor) {
                int const base = products_.behind_axes(f);
                if (is_stored(base)) forced_.push(base);
                else if (!is_stacked(base)) {
                    stacked.push(base);
                    stacked_for.push(-1);
                }
            }
            terms_.push(t);
        }
        return true;
    }
    /// Whether c, the cotangent of operand j, is a value that is stacked anyway, or a sum of it: it is then summed up
    /// when the loop is done.
    constexpr bool is_sum_of_stacked(int c, int j) {
        step_products::term t;
        if (info.form != call_form::loop || !products_.find_sum(c, j, t)) return false;
        if (!is_stacked(products_.behind_axes(t.factor[0]))) return false;
        terms_.push(t);
        return true;
    }
    /// Found among the sequences of the backward loop.
    constexpr bool is_stored(int id) const {
        return is_forward(id) &&
               (w.nodes.items[id].kind == node_kind::argument || !is_cheap_to_repeat(w.nodes.items[id]));
    }
    constexpr bool is_stacked(int id) const {
        for (int y : stacked)
            if (y == id) return true;
        return false;
    }
    /// A factor at all steps: `call` is the backward loop.
    constexpr int at_all_steps(int id, int call) {
        node const n = w.nodes.items[id];
        if (n.is_axes_view())
            return emit_view_of_items(b, axis_map{n.attr.axes}, w.shape_of(n.in[0]).rank, at_all_steps(n.in[0], call));
        for (wired const& s : sequences)
            if (s.inside == id) return s.outside;
        int k = 0;
        while (stacked[k] != id) ++k;
        return emit_result(b, call, carries.size() + k, with_leading(b, info.steps, opened.adopted(w.shapes[n.shape])),
                           n.type);
    }
    constexpr void add_terms(int call) {
        for (step_products::term const& t : terms_) {
            int const left = at_all_steps(t.factor[0], call);
            int const right = t.factor[1] < 0 ? -1 : at_all_steps(t.factor[1], call);
            add_to(t.operand, emit_whole(b, products_.over_all_steps(t, left, right), operands[t.operand]));
        }
    }

    constexpr list<int> all_outputs() const {
        list<int> r = next;
        for (int s : stacked) r.push(s);
        return r;
    }

    /// What the backward steps need of the forward ones: carries are recorded, values that are not cheap are stacked.
    constexpr void store_values() {
        list<char> stops(w.nodes.size(), 0);
        for (int i = 0; i < w.nodes.size(); ++i)
            stops.items[i] = is_forward(i) && !is_cheap_to_repeat(w.nodes.items[i]);
        store_sums(stops);
        list<char> used = opened.needed_for(all_outputs(), stops);
        for (int i : forced_) used.items[i] = 1;
        list<int> extended = outputs;
        list<int> record(info.carries, -1);
        auto recorded = [&](int k, std::int64_t slot) {
            if (record[k] < 0)
                record[k] = add_result({result_form::record, k}, b.sum(info.steps, 1), b.shape_of(operands[k]),
                                       b.nodes[operands[k]].type);
            return emit_leading(b, record[k], slot, info.steps);
        };
        for (int i = 0; i < w.nodes.size(); ++i) {
            if (!used.items[i] || !is_forward(i)) continue;
            if (i < info.carries) sequences.push({i, recorded(i, slot_before())});
            else if (i < info.carries + info.sequences) sequences.push({i, operands[i]});
            else if (i >= operands.size() && stops.items[i]) {
                int k = 0;
                while (k < info.carries && outputs[k] != i) ++k;
                if (k < info.carries) sequences.push({i, recorded(k, slot_after())});
                else {
                    extended.push(i);
                    node const& n = w.nodes.items[i];
                    dims const d = opened.adopted(w.shapes[n.shape]);
                    sequences.push({i, add_result({result_form::stack, extended.size() - 1 - info.carries}, info.steps,
                                                  d, n.type)});
                }
            }
        }
        if (extended.size() > outputs.size()) {
            list<int> arguments;
            for (int j = 0; j < operands.size(); ++j) arguments.push(j);
            b.calls[at_].body[0] = opened.close(arguments, extended);
        }
        opened.give_back();
    }
    /// Of several values that would be stored for a cheap one alone, x w + h u say, that is stored in their place.
    constexpr void store_sums(list<char>& stops) const {
        list<int> const made = all_outputs();
        list<char> const used = opened.needed_for(made, stops);
        list<int> uses(w.nodes.size(), 0);
        for (int i : made) ++uses.items[i];
        for (int i : outputs) ++uses.items[i];  // recorded, or stacked, anyway
        for (int i : forced_) ++uses.items[i];
        for (int i = 0; i < w.nodes.size(); ++i)
            for (int j = 0; used.items[i] && !stops.items[i] && j < w.nodes.items[i].arity(); ++j)
                ++uses.items[w.nodes.items[i].in[j]];
        for (int i = operands.size(); i < w.nodes.size(); ++i) {
            node const& y = w.nodes.items[i];
            if (!used.items[i] || stops.items[i] || !is_forward(i) || y.kind != node_kind::elementwise) continue;
            std::int64_t const size = w.shape_of(i).static_size();
            int stored = 0;
            for (int j = 0; j < y.arity(); ++j) {
                int x = y.in[j];
                while (w.nodes.items[x].is_axes_view() && uses.items[x] == 1) x = w.nodes.items[x].in[0];
                stored += x >= operands.size() && stops.items[x] && uses.items[x] == 1 && size >= 0 &&
                          w.shape_of(x).static_size() == size && w.nodes.items[x].type == y.type;
            }
            if (stored > 1) stops.items[i] = 1;
        }
    }
    /// A value of the forward steps: also one that the derivative of a call in the body made that call leave behind.
    constexpr bool is_forward(int i) const {
        return i < forward_nodes || (has_role(w, i, loop_role::result) && w.nodes.items[i].in[0] < forward_nodes);
    }
    constexpr int add_result(call_result const& rule, std::int64_t length, dims const& shape, dtype type) {
        return add_result(rule, with_leading(b, length, shape), type);
    }
    constexpr int add_result(call_result const& rule, dims const& shape, dtype type) {
        call_info& c = b.calls[at_];
        for (int i = 0; i < c.results.size(); ++i)
            if (c.results[i] == rule) return emit_result(b, call_, i, shape, type);
        return emit_result(b, call_, c.results.push(rule), shape, type);
    }

    constexpr void make_call() {
        list<int> const made = all_outputs();
        list<wired> const per_step = needed_of(opened, sequences, made);
        list<wired> constants;
        list<char> stops(w.nodes.size(), 0);
        for (wired const& s : per_step) stops.items[s.inside] = 1;
        list<char> const used = opened.needed_for(made, stops);
        for (int j = info.carries + info.sequences; j < operands.size(); ++j)
            if (used.items[j]) constants.push({j, operands[j]});
        call_info back;
        back.name = info.name;
        back.form = info.form == call_form::loop ? call_form::loop : call_form::counted;
        back.carries = carries.size();
        back.sequences = per_step.size();
        back.backwards = !info.backwards;
        back.steps = info.steps;
        list<int> inputs, given;
        auto add = [&](list<wired> const& l) {
            for (wired const& x : l) {
                inputs.push(x.inside);
                given.push(x.outside);
            }
        };
        add(carries);
        add(per_step);
        add(constants);
        back.body[0] = opened.close(inputs, made);
        if (info.form == call_form::until) count_ = add_result({result_form::count, 0}, dims{}, dtype::i32);
        list<int> steered;
        if (back.form == call_form::counted) steered.push(count_);
        for (int x : given) steered.push(x);
        for (int k = 0; k < carries.size(); ++k) back.results.push({result_form::last, k});
        for (int k = 0; k < stacked.size(); ++k) back.results.push({result_form::stack, k});
        int const id = emit_call(b, back, steered);
        for (int k = 0; k < carries.size() + stacked.size(); ++k) {
            int const j = k < carries.size() ? carried_for[k] : stacked_for[k - carries.size()];
            if (j < 0) continue;
            int const c = emit_result(b, id, k, dims(b.shape_of(operands[j])), b.nodes[operands[j]].type);
            add_to(j, c);
        }
        add_terms(id);
    }
};

/// The cotangents of a loop's operands from those of its results; -1 where there is none.
constexpr list<int> pull_loop(builder& b, int call, list<pulled_result> const& results, list<char> const& active,
                              reverse_pass* differentiate) {
    if (b.calls[b.nodes[call].source].steps == unbounded_steps) {
        b.refuse_later(&while_loop_without_a_bound_has_no_gradient_in_reverse_mode);
        return list<int>(operands_of(b, call).size(), -1);
    }
    loop_pullback const p(b, call, results, active, differentiate);
    list<int> r(steering_operands(b.calls[b.nodes[call].source].form), -1);
    for (int c : p.cotangents) r.push(c);
    return r;
}

}  // namespace tapeless::detail::graph_part
