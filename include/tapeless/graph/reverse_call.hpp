// SPDX-License-Identifier: MIT
#pragma once
// Reverse mode through calls: the cotangents of the operands come from the call of another body, which computes again
// what it needs of the first.

#include <tapeless/graph/reverse_loop.hpp>

namespace tapeless::detail::inline graph_part {

/// Bodies that run once, and the two of which one runs: everything is computed again.
constexpr list<int> pull_plain_call(builder& b, int call, list<pulled_result> const& results, list<char> const& active,
                                    reverse_pass* differentiate) {
    call_info const info = b.calls[b.nodes.items[call].source];
    list<int> const operands = operands_of(b, call);
    int const chosen = info.form == call_form::either, arguments = operands.size() - chosen;
    list<int> cotangents(operands.size(), -1), wanted;  // arguments of the bodies
    for (int j = 0; j < arguments; ++j)
        if (active[j + chosen]) wanted.push(j);
    body_editor opened[2];
    list<int> outputs[2];
    list<int> inside[2];  // arguments, then cotangents of results
    list<char> used(arguments + results.size(), 0), zero(wanted.size(), 1);  // inputs; cotangents
    for (int k = 0; k <= chosen; ++k) {
        opened[k] = body_editor(b, info.body[k]);
        builder& w = opened[k].graph;
        list<int> ys, seeds;
        for (int j = 0; j < arguments; ++j) inside[k].push(j);
        for (pulled_result const& r : results) {
            int const y = opened[k].outputs[info.results[b.nodes[r.node].attr.result()].which];
            ys.push(y);
            seeds.push(opened[k].add_argument_like(y));
            inside[k].push(seeds.back());
        }
        outputs[k] = differentiate(w, ys, seeds, wanted);
        for (int i = 0; i < wanted.size(); ++i) {
            zero[i] = zero[i] && outputs[k][i] < 0;
            outputs[k][i] = emit_whole(w, outputs[k][i], wanted[i]);
        }
        list<char> const all = opened[k].needed_for(outputs[k]);
        for (int i = 0; i < inside[k].size(); ++i)
            if (all.items[inside[k][i]]) used[i] = 1;
        opened[k].give_back();
    }
    call_info back;
    back.name = info.name;
    back.form = info.form;
    back.steps = info.steps;
    for (int k = 0; k <= chosen; ++k) {
        list<int> inputs;  // of two bodies the same ones
        for (int i = 0; i < used.size(); ++i)
            if (used[i]) inputs.push(inside[k][i]);
        back.body[k] = opened[k].close(inputs, outputs[k]);
    }
    list<int> given;
    if (chosen) given.push(operands[0]);
    for (int i = 0; i < used.size(); ++i) {
        if (!used[i]) continue;
        if (i < arguments) given.push(operands[i + chosen]);
        else given.push(emit_whole(b, results[i - arguments].cotangent, results[i - arguments].node));
    }
    for (int i = 0; i < wanted.size(); ++i) back.results.push({result_form::plain, i});
    int const id = emit_call(b, back, given);
    for (int i = 0; i < wanted.size(); ++i) {
        if (zero[i]) continue;
        int const x = operands[wanted[i] + chosen];
        cotangents[wanted[i] + chosen] = emit_result(b, id, i, dims(b.shape_of(x)), b.nodes.items[x].type);
    }
    return cotangents;
}

/// The cotangents of a call's operands from those of its results; -1 where there is none.
constexpr list<int> pull_call(builder& b, int call, list<pulled_result> const& results, list<char> const& active,
                              reverse_pass* differentiate) {
    call_info const info = b.calls[b.nodes.items[call].source];
    if (is_stepwise_call(info.form)) return pull_loop(b, call, results, active, differentiate);
    if (info.form == call_form::implicit)
        return implicit_rule(b, info, differentiate)
            .pull(results[0].node, results[0].cotangent, operands_of(b, call), active);
    return pull_plain_call(b, call, results, active, differentiate);
}

}  // namespace tapeless::detail::graph_part
