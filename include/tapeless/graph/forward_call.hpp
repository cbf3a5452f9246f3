// SPDX-License-Identifier: MIT
#pragma once
// Forward mode through calls: another call computes the results and their tangents together, and takes the place of
// the first.

#include <tapeless/graph/implicit.hpp>

namespace tapeless::detail::inline graph_part {

/// The call that computes results and tangents.
class call_pushforward {
public:
    list<int> tangents;  ///< of each result of the call, or -1

    constexpr call_pushforward(builder& graph, int call, list<int> const& given, forward_pass* push_forward)
        : b(graph),
          call_(call),
          info(b.calls[b.nodes[call].source]),
          operands(operands_of(b, call)),
          first(steering_operands(info.form)),
          moving(operands.size() - first, 0) {
        for (int j = 0; j < moving.size(); ++j) {
            tangent_operands.push(given[j + first]);
            moving[j] = given[j + first] >= 0;
        }
        joint.name = info.name;
        joint.form = info.form;
        joint.sequences = info.sequences + count(info.carries, info.carries + info.sequences);
        joint.backwards = info.backwards;
        joint.steps = info.steps;
        find_moving_carries();
        joint.carries = info.carries + count(0, info.carries);
        for (int k = 0; k < bodies_of(info.form); ++k) push_body(k, push_forward);
        make_call();
    }

private:
    builder& b;
    int call_;
    call_info info, joint;
    list<int> operands;
    int first;                   // of the operands that bodies get
    list<char> moving;           // of each input of the bodies
    list<int> tangent_operands;  // -1: zeros
    list<char> stacked_moves;    // of each output after the carries: it has a tangent

    constexpr int count(int begin, int end) const {
        int n = 0;
        for (int j = begin; j < end; ++j) n += moving[j];
        return n;
    }
    constexpr void find_moving_carries() {
        if (!is_stepwise_call(info.form)) return;
        body_editor opened(b, info.body[0]);
        opened.spread_to_carries(info.carries, true, moving);
        opened.give_back();
    }
    /// Inputs one group after the other: carries, sequences, and the rest; of each group those of the call, then
    /// tangents.
    template <class Plain, class Tangent>
    constexpr void in_groups(Plain const& plain, Tangent const& tangent) const {
        int const ends[] = {0, info.carries, info.carries + info.sequences, moving.size()};
        for (int g = 0; g < 3; ++g) {
            for (int j = ends[g]; j < ends[g + 1]; ++j) plain(j);
            for (int j = ends[g]; j < ends[g + 1]; ++j)
                if (moving[j]) tangent(j);
        }
    }
    constexpr void push_body(int k, forward_pass* push_forward) {
        body_editor opened(b, info.body[k]);
        builder& w = opened.graph;
        list<int> const& made = opened.outputs;
        list<int> inputs, arguments, tangent_of(moving.size(), -1), outputs;
        for (int j = 0; j < moving.size(); ++j)
            if (moving[j]) {
                arguments.push(j);
                tangent_of[j] = opened.add_argument_like(j);
                inputs.push(tangent_of[j]);
            }
        list<int> const t = push_forward(w, made, arguments, inputs);
        if (k == 0)
            for (int o = info.carries; o < made.size(); ++o) stacked_moves.push(0);
        for (int o = info.carries; o < made.size(); ++o)
            if (t[o] >= 0 || (is_floating(w.nodes[made[o]].type) && bodies_of(info.form) > 1))
                stacked_moves[o - info.carries] = 1;  // of two bodies alike
        for (int o = 0; o < info.carries; ++o) outputs.push(made[o]);
        for (int o = 0; o < info.carries; ++o)
            if (moving[o]) outputs.push(emit_whole(w, t[o], made[o]));
        for (int o = info.carries; o < made.size(); ++o) outputs.push(made[o]);
        for (int o = info.carries; o < made.size(); ++o)
            if (stacked_moves[o - info.carries]) outputs.push(emit_whole(w, t[o], made[o]));
        list<int> all;
        in_groups([&](int j) { all.push(j); }, [&](int j) { all.push(tangent_of[j]); });
        joint.body[k] = opened.close(all, outputs);
    }
    constexpr void make_call() {
        list<int> given;
        if (first) given.push(operands[0]);
        in_groups([&](int j) { given.push(operands[j + first]); },
                  [&](int j) { given.push(emit_whole(b, tangent_operands[j], operands[j + first])); });
        // where a result's tangent stands among those of its kind
        auto among = [](list<char> const& flags, int which) {
            int n = 0;
            for (int i = 0; i < which; ++i) n += flags[i];
            return n;
        };
        list<int> number(info.results.size(), -1);
        for (call_result const& r : info.results) joint.results.push(r);
        for (int r = 0; r < info.results.size(); ++r) {
            call_result rule = info.results[r];
            if (rule.form == result_form::count) continue;
            bool const carry = is_of_carry(rule.form);
            if (carry ? !moving[rule.which] : !stacked_moves[rule.which]) continue;
            rule.which = carry ? info.carries + among(moving, rule.which)
                               : stacked_moves.size() + among(stacked_moves, rule.which);
            number[r] = joint.results.push(rule);
        }
        int const nodes = b.nodes.size(), id = emit_call(b, joint, given);
        tangents = list<int>(info.results.size(), -1);
        for (int i = call_ + 1; i < nodes; ++i) {
            if (!has_role(b, i, loop_role::result) || b.nodes[i].in[0] != call_) continue;
            node const n = b.nodes[i];
            int const r = n.attr.result();
            b.remade.push({i, emit_result(b, id, r, dims(b.shapes[n.shape]), n.type)});
            if (number[r] >= 0) tangents[r] = emit_result(b, id, number[r], dims(b.shapes[n.shape]), n.type);
        }
    }
};

/// The tangents of a call's results, of which `result` is one, from those of its operands (-1: none).
constexpr list<int> push_call(builder& b, int call, int result, list<int> const& tangents, reverse_pass* differentiate,
                              forward_pass* push_forward) {
    call_info const info = b.calls[b.nodes[call].source];
    if (info.form == call_form::implicit)
        return list<int>(
            1, implicit_rule(b, info, differentiate).push(result, operands_of(b, call), tangents, push_forward));
    call_pushforward const p(b, call, tangents, push_forward);
    return p.tangents;
}

}  // namespace tapeless::detail::graph_part
