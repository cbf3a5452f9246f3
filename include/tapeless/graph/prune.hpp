// SPDX-License-Identifier: MIT
#pragma once
// Calls without what nobody needs: outputs, carries that only carry themselves or never change, and operands.

#include <tapeless/graph/body_editor.hpp>

namespace tapeless::detail::inline graph_part {

/// Leaves out what the wanted results of a call do not need. Results keep their numbers.
constexpr void prune_call(builder& b, call_info& c, list<int>& operands, list<char> const& wanted) {
    int const first = steering_operands(c.form), bodies = bodies_of(c.form), inputs = operands.size() - first;
    body_editor opened[2];
    for (int k = 0; k < bodies; ++k) {
        opened[k] = body_editor(b, c.body[k]);
        opened[k].give_back();
    }
    int const outputs = opened[0].outputs.size() - c.carries;
    list<char> keeps_carry(c.carries, 0), keeps_output(outputs, 0), used(inputs, 0);
    for (int r = 0; r < wanted.size(); ++r) {
        call_result const& rule = c.results[r];
        if (!wanted[r]) continue;
        if (is_of_carry(rule.form)) keeps_carry[rule.which] = 1;
        else if (is_of_output(rule.form)) keeps_output[rule.which] = 1;
    }
    if (c.form == call_form::until) keeps_carry[0] = 1;
    auto outputs_of = [&](int k) {
        list<int> l;
        for (int o = 0; o < c.carries; ++o)
            if (keeps_carry[o]) l.push(opened[k].outputs[o]);
        for (int o = 0; o < outputs; ++o)
            if (keeps_output[o]) l.push(opened[k].outputs[c.carries + o]);
        return l;
    };
    for (bool changed = true; changed;) {
        changed = false;
        for (int k = 0; k < bodies; ++k) {
            list<char> const all = opened[k].needed_for(outputs_of(k));
            for (int j = 0; j < inputs; ++j)
                if (all[j]) used[j] = 1;
        }
        for (int j = 0; j < c.carries; ++j)
            if (used[j] && !keeps_carry[j]) keeps_carry[j] = changed = true;
    }
    for (int j = 0; j < c.carries; ++j) used[j] = keeps_carry[j];
    bool whole = true;
    for (char u : used) whole = whole && u;
    for (char o : keeps_output) whole = whole && o;
    if (whole) return;
    list<int> kept, given;
    if (first) given.push(operands[0]);
    int carries = 0, sequences = 0;
    for (int j = 0; j < inputs; ++j) {
        if (!used[j]) continue;
        kept.push(j);
        given.push(operands[j + first]);
        carries += j < c.carries;
        sequences += j >= c.carries && j < c.carries + c.sequences;
    }
    for (int k = 0; k < bodies; ++k) c.body[k] = opened[k].close(kept, outputs_of(k));
    for (call_result& r : c.results) {
        if (r.form == result_form::count || r.which < 0) continue;
        list<char> const& keeps = is_of_carry(r.form) ? keeps_carry : keeps_output;
        int before = 0;
        for (int i = 0; i < r.which; ++i) before += keeps[i];
        r.which = keeps[r.which] ? before : -1;  // that of a result that nobody needs
    }
    c.carries = carries;
    c.sequences = sequences;
    operands = given;
}

/// Carries of a loop that no step changes are the same in all steps, as other operands are. Of each result what it is
/// then, or -1: `wanted` comes to say which are still of the loop.
constexpr list<int> settle_carries(builder& b, call_info& c, list<int>& operands, list<char>& wanted) {
    list<int> r(c.results.size(), -1);
    if (c.form != call_form::loop) return r;
    body_editor opened(b, c.body[0]);
    list<char> settles(c.carries, 0);
    int carries = 0;
    for (int k = 0; k < c.carries; ++k) settles[k] = opened.outputs[k] == k;
    for (int i = 0; i < wanted.size(); ++i)
        if (wanted[i] && c.results[i].form == result_form::record) settles[c.results[i].which] = 0;
    for (char s : settles) carries += !s;
    if (carries == c.carries) {
        opened.give_back();
        return r;
    }
    list<int> inputs, given, outputs, number;
    for (int k = 0; k < c.carries; ++k) number.push(settles[k] ? -1 : inputs.push(k));
    for (int j = c.carries; j < operands.size(); ++j) inputs.push(j);
    for (int k = 0; k < c.carries; ++k)
        if (settles[k]) inputs.push(k);
    for (int j : inputs) given.push(operands[j]);
    for (int o = 0; o < opened.outputs.size(); ++o)
        if (o >= c.carries || !settles[o]) outputs.push(opened.outputs[o]);
    for (int i = 0; i < wanted.size(); ++i) {
        call_result& rule = c.results[i];
        if (!is_of_carry(rule.form) || rule.which < 0) continue;
        if (wanted[i] && settles[rule.which]) {
            r[i] = operands[rule.which];
            wanted[i] = 0;
        }
        rule.which = number[rule.which];
    }
    c.body[0] = opened.close(inputs, outputs);
    c.carries = carries;
    operands = given;
    return r;
}

}  // namespace tapeless::detail::graph_part
