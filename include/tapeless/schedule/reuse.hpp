// SPDX-License-Identifier: MIT
#pragma once
// Last step of a plan, reuse: an intermediate array of which a result is made element by element lies in that result,
// and is no buffer.

#include <tapeless/schedule/graph_to_plan.hpp>
#include <tapeless/schedule/in_step.hpp>

namespace tapeless::detail::inline schedule_part {

class result_reuser {
public:
    constexpr result_reuser(graph_to_plan const& p, draft_plan& plan) : p_(p), plan_(plan) {
        find_uses();
        for (int now = 0; now < plan.kernels.size(); ++now) {
            kernel const k = plan.kernels.items[now];
            if (k.custom >= 0 || k.call >= 0) continue;
            for (int i = 0; i < k.roots; ++i) {
                root const r = plan.roots.items[k.first_root + i];
                if (r.place < 0 || r.how != target::store || r.adds || r.clears) continue;
                place const to = plan.places.items[k.first_place + r.place];
                if (to.where != memory::output || !to.dense || !fills(to)) continue;
                if (k.axes == 1) find_kept(k, k.first_root + i);
                if (plan.roots.items[k.first_root + i].keeps < 0) find_buffer(k, now, to);
            }
        }
    }

private:
    /// An argument or a result: its node and type, the kernel that touches it last, and whether that is the only one.
    struct use {
        int node = -1;
        dtype type{};
        int last = -1;
        bool once = true;
    };

    graph_to_plan const& p_;
    draft_plan& plan_;
    list<use> arguments_, results_;

    constexpr void find_uses() {
        for (int n = 0; n < plan_.kernels.size(); ++n)
            for_places(plan_, n, [&](place const& p) {
                if (p.where != memory::argument && p.where != memory::output) return;
                list<use>& all = p.where == memory::argument ? arguments_ : results_;
                if (p.index >= all.size()) all.resize(p.index + 1);
                use& u = all.items[p.index];
                u.once = u.last < 0 || (u.once && u.last == n);
                u.last = n;
                u.node = p.node;
                u.type = p.type;
            });
    }

    /// Whether a place is all of its array, under its own shape.
    constexpr bool fills(place const& p) const { return p.walk < 0 && p.picked < 0 && p_.at(p.node).shape == p.shape; }

    /// A value that is kept in a scratch row, where that is one and as long as the result.
    constexpr void find_kept(kernel const& k, int number) {
        root& r = plan_.roots.items[number];
        place const& to = plan_.places.items[k.first_place + r.place];
        for (int j = 0; j < k.steps && to.stride[0] == 1; ++j) {
            step& s = plan_.steps.items[k.first_step + j];
            if (s.scratch < 0 || s.type != to.type || s.slot >= r.slot) continue;
            if (is_needed_after(lists(), k, j, r.slot)) continue;
            r.keeps = j;
            if (leaves_arguments(k, to)) {
                s.kept_in = number - k.first_root;
                buffer& b = plan_.buffers.items[s.scratch];
                b.shape = {};
                b.times = 0;
                return;
            }
            r.keeps = -1;
        }
    }
    /// Whether every argument that the result may be written over has been read by then.
    constexpr bool leaves_arguments(kernel const& k, place const& to) const {
        for (int p = 0; p < k.places; ++p) {
            place const& from = plan_.places.items[k.first_place + p];
            if (from.where == memory::argument && may_be(from.node, from.type, to) &&
                !goes_in_step(lists(), k, {from.where, from.index}, {to.where, to.index}))
                return false;
        }
        return true;
    }
    /// Whether an argument and a result may be one and the same array.
    constexpr bool may_be(int argument, dtype type, place const& to) const {
        return type == to.type && p_.at(argument).shape == p_.at(to.node).shape;
    }

    constexpr void find_buffer(kernel const& k, int now, place const& to) {
        for (int j = 0; j < k.steps; ++j) {
            step const& s = plan_.steps.items[k.first_step + j];
            if (s.kind != step_kind::load || s.bounds >= 0) continue;
            place const from = plan_.places.items[k.first_place + s.place];
            if (from.where != memory::buffer || from.type != to.type || !walk_alike(from, to) || !fills(from)) continue;
            buffer const& b = plan_.buffers.items[from.index];
            if (b.first >= now || b.last != now || b.apart || b.times != 1 || b.call >= 0 || b.margin > 0)
                continue;
            array_of_plan const buffer{memory::buffer, from.index}, result{memory::output, to.index};
            if (!may_begin(b.first, now, buffer, result, to)) continue;
            move(b.first, now, buffer, result);
            return;
        }
    }

    /// Whether the result may be written from kernel `begin` on instead of `now`: nothing else writes it, nothing in
    /// between can fail, and a call that has an argument written over by the result costs no more than before.
    constexpr bool may_begin(int begin, int now, array_of_plan buffer, array_of_plan result, place const& to) const {
        if (!in_step(now, buffer, result)) return false;
        for (planned_check const& c : plan_.index_checks)
            if (c.before > begin && c.before <= now) return false;
        if (!results_.items[result.index].once) return false;
        for (int n = begin; n <= now; ++n)
            if (kernel const& k = plan_.kernels.items[n]; k.custom >= 0 || k.call >= 0) return false;
        for (int i = 0; i < arguments_.size(); ++i) {
            use const& u = arguments_.items[i];
            if (u.last < begin || !may_be(u.node, u.type, to)) continue;
            if (u.last > begin || !in_step(begin, {memory::argument, i}, buffer)) return false;
        }
        return true;
    }
    constexpr bool in_step(int kernel, array_of_plan read, array_of_plan written) const {
        return goes_in_step(lists(), plan_.kernels.items[kernel], read, written);
    }
    constexpr kernel_lists lists() const {
        return {plan_.steps.items, plan_.roots.items, plan_.places.items, plan_.products.items, plan_.order.items};
    }
    constexpr void move(int begin, int now, array_of_plan buffer, array_of_plan result) {
        for (int n = begin; n <= now; ++n)
            for_places(plan_, n, [&](place& p) {
                if (buffer.is(p)) p.where = result.where, p.index = result.index;
            });
        results_.items[result.index].once = false;
        detail::buffer& b = plan_.buffers.items[buffer.index];
        b.shape = {};
        b.times = 0;
    }
};

constexpr draft_plan reuse_results(graph_to_plan const& p, draft_plan plan) {
    result_reuser(p, plan);
    return plan;
}

}  // namespace tapeless::detail::schedule_part
