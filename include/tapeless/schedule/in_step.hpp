// SPDX-License-Identifier: MIT
#pragma once
// What kernels read and write, array by array: when, and whether an element is read before another takes its place.

#include <tapeless/schedule/plan.hpp>

namespace tapeless::detail::inline schedule_part {

/// An array of a plan: an argument, a result or a buffer.
struct array_of_plan {
    memory where = memory::argument;
    int index = 0;
    constexpr bool is(place const& p) const { return p.where == where && p.index == index; }
};

/// The lists of a plan in which kernels find what they do.
struct kernel_lists {
    step const* steps;
    root const* roots;
    place const* places;
    product const* products;
    int const* order;
};

constexpr bool walk_alike(place const& a, place const& b) {
    bool same = a.shape == b.shape && a.walk == b.walk && a.map == b.map && a.picked < 0 && b.picked < 0;
    for (int l = 0; l < max_rank; ++l) same = same && a.step[l] == b.step[l];
    return same;
}

/// Whether a phase after this one needs a step.
constexpr bool is_needed_after(kernel_lists const& plan, kernel const& k, int step, int slot) {
    for (int p = slot + 1; p < k.phases; ++p) {
        for (int q = k.column[p].begin; q < k.column[p].end; ++q)
            if (plan.order[q] == step) return true;
        for (int q = k.inner[p].begin; q < k.inner[p].end; ++q)
            if (plan.order[q] == step) return true;
        for (int q = k.guard[p].begin; q < k.guard[p].end; ++q)
            if (plan.order[q] == step) return true;
    }
    return false;
}

/// Whether a kernel that writes one of these arrays and reads the other may have the same elements for both: each is
/// read before it is written, and not again.
constexpr bool goes_in_step(kernel_lists const& plan, kernel const& k, array_of_plan read, array_of_plan written) {
    if (k.custom >= 0 || k.call >= 0) return false;
    place const* const places = plan.places + k.first_place;
    if (k.product >= 0) {
        product const& m = plan.products[k.product];
        if (read.is(m.left) || read.is(m.right) || written.is(places[m.to])) return false;
    }
    for (int i = 0; i < k.places; ++i)  // indices are read where others say
        if (places[i].picked >= 0 && read.is(places[places[i].picked])) return false;
    for (int i = 0; i < k.roots; ++i) {
        root const& r = plan.roots[k.first_root + i];
        if (r.place < 0 || !written.is(places[r.place])) continue;
        if (r.how != target::store || r.adds || r.clears) return false;
        for (int j = 0; j < k.steps; ++j) {
            step const& s = plan.steps[k.first_step + j];
            if (s.kind != step_kind::load || !read.is(places[s.place])) continue;
            if (!walk_alike(places[r.place], places[s.place])) return false;
            int const slot = r.keeps >= 0 ? plan.steps[k.first_step + r.keeps].slot : r.slot;
            if (is_needed_after(plan, k, j, slot)) return false;
        }
    }
    return true;
}

/// f(place) of every place in memory that kernel number `now` reads or writes.
template <class Plan, class F>
constexpr void for_places(Plan& plan, int now, F const& f) {
    kernel const& k = plan.kernels[now];
    if (k.custom >= 0) {
        auto& c = plan.custom_loops[k.custom];
        for (int j = 0; j < c.operands; ++j)
            if (!c.in[j].constant) f(c.in[j].at);
        for (int j = 0; j < c.parts; ++j)
            if (c.wanted[j]) f(c.out[j].at);
    } else if (k.call >= 0) {
        auto& c = plan.calls[k.call];
        for (int j = 0; j < c.operands; ++j)
            if (auto& o = plan.call_operands[c.first_operand + j]; !o.constant) f(o.at);
        for (int j = 0; j < c.results; ++j) f(plan.call_results[c.first_result + j].to.at);
    } else {
        for (int p = 0; p < k.places; ++p) f(plan.places[k.first_place + p]);
        if (k.product >= 0) {
            f(plan.products[k.product].left);
            f(plan.products[k.product].right);
        }
    }
}

}  // namespace tapeless::detail::schedule_part
