// SPDX-License-Identifier: MIT
#pragma once
// The order of a kernel's steps: before which loop, and in which phase of a row, each is computed. A value that later
// phases need is kept in a scratch row where that is cheaper than computing it again.

#include <tapeless/schedule/machine.hpp>
#include <tapeless/schedule/plan.hpp>
#include <tapeless/simd/registers.hpp>

namespace tapeless::detail::inline schedule_part {

/// A value that was to be stored, but that no other kernel came to need, leaves nothing behind.
constexpr bool leaves_something(root const& r) { return r.how != target::store || r.place >= 0; }

class phases_of_kernel {
public:
    constexpr phases_of_kernel(draft_plan& plan, kernel& k, int number)
        : plan_(plan), k_(k), s_(plan.steps.items + k.first_step), inmost_(k.axes ? 1u << (k.axes - 1) : 0),
          need_(k.steps, 0u) {
        k.phases = count();
        find_needs(false);
        if (k.phases > 1) {
            keep_values(number);
            find_needs(true);
        }
        order_steps();
    }

private:
    draft_plan& plan_;
    kernel& k_;
    step* s_;
    unsigned inmost_;
    list<unsigned> need_;  ///< of each step inside the vector loop: the phases that compute it

    constexpr bool is_computed(int i) const { return s_[i].kind == step_kind::eval || s_[i].kind == step_kind::inside; }
    constexpr bool is_inner(int i) const { return (s_[i].varies & inmost_) != 0; }

    constexpr int count() const {
        int phases = k_.axes ? 1 : 0;
        for (int i = 0; i < k_.roots; ++i) {
            root const& r = plan_.roots.items[k_.first_root + i];
            if (r.level == k_.axes && k_.axes > 0 && r.slot + 1 > phases) phases = r.slot + 1;
        }
        return phases;
    }
    /// A step is computed in the phases of what is computed from it; one that is kept, in its own phase only.
    constexpr void find_needs(bool with_scratch) {
        for (int i = 0; i < k_.steps; ++i) need_.items[i] = 0;
        for (int i = 0; i < k_.roots; ++i) {
            root const& r = plan_.roots.items[k_.first_root + i];
            if (r.level != k_.axes || k_.axes == 0 || !is_inner(r.step) || !leaves_something(r)) continue;
            need_.items[r.step] |= 1u << r.slot;
        }
        for (int i = k_.steps - 1; i >= 0; --i) {
            if (!is_inner(i) || !is_computed(i)) continue;
            unsigned pass = need_.items[i];
            if (with_scratch && s_[i].scratch >= 0) {
                pass = 1u << s_[i].slot;
                need_.items[i] |= pass;
            }
            for (int j = 0; j < s_[i].op->arity; ++j)
                if (is_inner(s_[i].in[j])) need_.items[s_[i].in[j]] |= pass;
        }
    }
    /// Of each step: the one step of its phase that is computed from it, and all that later phases need it for; or -1.
    constexpr list<int> find_only_users() const {
        list<int> only(k_.steps, -1);
        list<char> more(k_.steps, 0);
        for (int i = 0; i < k_.steps; ++i) {
            if (!is_inner(i) || !is_computed(i) || need_.items[i] == 0) continue;
            bool const can_be_kept = s_[i].kind == step_kind::eval && !is_mask(s_[i].type);
            for (int j = 0; j < s_[i].op->arity; ++j) {
                int const t = s_[i].in[j];
                bool const beside = s_[i].slot == s_[t].slot && can_be_kept;
                if (beside && only.items[t] < 0) only.items[t] = i;
                else if (!beside || only.items[t] != i) more.items[t] = 1;
            }
        }
        for (int i = 0; i < k_.roots; ++i) {
            root const& r = plan_.roots.items[k_.first_root + i];
            if (r.level == k_.axes && leaves_something(r)) more.items[r.step] = 1;
        }
        for (int i = 0; i < k_.steps; ++i)
            if (more.items[i]) only.items[i] = -1;
        return only;
    }
    /// The scratch rows are sized when the tile is known. Of values that are computed from each other and from nothing
    /// else that is kept, the last one is.
    constexpr void keep_values(int number) {
        list<int> cost(k_.steps, 0);
        list<int> const only_user = find_only_users();
        for (int i = 0; i < k_.steps; ++i) {
            if (!is_inner(i) || !is_computed(i)) continue;
            cost.items[i] = s_[i].op->cost;
            for (int j = 0; j < s_[i].op->arity; ++j)
                if (is_inner(s_[i].in[j]) && s_[s_[i].in[j]].scratch < 0) cost.items[i] += cost.items[s_[i].in[j]];
            bool const later = need_.items[i] >> (s_[i].slot + 1) && only_user.items[i] < 0;
            if (later && s_[i].kind == step_kind::eval && cost.items[i] >= machine::worth_keeping &&
                !is_mask(s_[i].type)) {
                buffer b{dims{}, 1, size_of(s_[i].type), number, number};
                b.shape.rank = 1;
                b.shape.extent[0] = 1;
                s_[i].scratch = plan_.buffers.push(b);
            }
        }
    }

    /// The steps that have this number in a list.
    constexpr sequence collect(list<int> const& numbers, int number) {
        sequence q;
        q.begin = plan_.order.size();
        for (int i = 0; i < k_.steps; ++i)
            if (numbers.items[i] == number) plan_.order.push(i);
        q.end = plan_.order.size();
        return q;
    }
    /// The steps of phase p that are, or are not, computed for every row.
    constexpr sequence collect_phase(int p, unsigned row_axis, bool by_row) {
        sequence q;
        q.begin = plan_.order.size();
        for (int i = 0; i < k_.steps; ++i)
            if ((need_.items[i] >> p & 1) && (!row_axis || (s_[i].varies & row_axis) != 0) == by_row)
                plan_.order.push(i);
        q.end = plan_.order.size();
        return q;
    }

    /// Whether a step says where the elements of a row are that are its extreme: those are few.
    constexpr bool finds_extreme(int i) const {
        if (s_[i].kind != step_kind::eval || s_[i].op->is != builtin::equal || !is_inner(i)) return false;
        for (int j = 0; j < 2; ++j) {
            step const& y = s_[s_[i].in[j]];
            if (y.kind != step_kind::reduced || y.slot == after_everything) continue;
            combination const how = plan_.roots.items[k_.first_root + y.source].combine;
            if (how == combination::max || how == combination::min) return true;
        }
        return false;
    }
    /// Of each step: whether sums of it get nothing where the mask does not hold.
    constexpr list<char> find_nothing_without(int mask) const {
        list<char> nothing(k_.steps, 0);
        for (int i = mask + 1; i < k_.steps; ++i) {
            step const& t = s_[i];
            if (t.kind != step_kind::eval) continue;
            switch (t.op->is) {
                case builtin::cast: nothing.items[i] = t.in[0] == mask; break;
                case builtin::where: {
                    step const& other = s_[t.in[2]];
                    nothing.items[i] = t.in[0] == mask && other.kind == step_kind::constant && other.number == 0;
                    break;
                }
                case builtin::mul: nothing.items[i] = nothing.items[t.in[0]] || nothing.items[t.in[1]]; break;
                case builtin::div:
                case builtin::neg: nothing.items[i] = nothing.items[t.in[0]]; break;
                default: break;
            }
        }
        return nothing;
    }
    /// The mask without which phase p adds nothing to its sums, and does nothing else; or -1.
    constexpr int guard_of(int p) const {
        for (int m = 0; m < k_.steps; ++m)
            if ((need_.items[m] >> p & 1) && finds_extreme(m)) return guards(m, p) ? m : -1;
        return -1;
    }
    constexpr bool guards(int mask, int p) const {
        list<char> const nothing = find_nothing_without(mask);
        for (int i = 0; i < k_.roots; ++i) {
            root const& r = plan_.roots.items[k_.first_root + i];
            if (r.level != k_.axes || r.slot != p || !leaves_something(r)) continue;
            if (r.combine != combination::sum || !is_floating(r.type)) return false;
            if (!nothing.items[r.step] || lanes_of(s_[mask].type) != lanes_of(r.type)) return false;
        }
        return true;
    }
    /// The steps of phase p that the mask is computed from, and itself.
    constexpr sequence collect_guard(int p) {
        int const mask = p > 0 ? guard_of(p) : -1;
        if (mask < 0) return {plan_.order.size(), plan_.order.size()};
        list<int> needed(k_.steps, 0);
        for (int i = mask; i >= 0; --i) {
            needed.items[i] = needed.items[i] || i == mask;
            bool const kept = s_[i].scratch >= 0 && s_[i].slot < p;
            if (!needed.items[i] || !is_computed(i) || kept) continue;
            for (int j = 0; j < s_[i].op->arity; ++j) needed.items[s_[i].in[j]] = is_inner(s_[i].in[j]);
        }
        int saved = 0;  // where the mask holds nowhere
        for (int i = 0; i < k_.steps; ++i)
            if ((need_.items[i] >> p & 1) && !needed.items[i]) saved += is_computed(i) ? s_[i].op->cost : 1;
        return collect(needed, saved >= machine::worth_guarding ? 1 : -1);
    }
    /// Steps outside the vector loop go to a loop level, to a row, or to the end.
    constexpr void order_steps() {
        kernel& k = k_;
        constexpr int at_row = 100, at_end = 200;
        list<int> where(k.steps, -1);
        for (int i = 0; i < k.steps; ++i) {
            step const& t = s_[i];
            if (is_inner(i)) continue;
            bool const outside = k.axes == 0 || (t.slot == 0 && (t.level < k.axes - 1 || k.axes == 1));
            where.items[i] = t.slot == after_everything ? at_end : outside ? t.level : at_row + t.slot;
        }
        unsigned const row_axis = k.axes > 1 ? 1u << (k.axes - 2) : 0;
        if (k.axes == 0) k.outer[0] = collect(list<int>(k.steps), 0);
        for (int l = 0; l < k.axes; ++l) k.outer[l] = collect(where, l);
        for (int p = 0; p <= k.phases && k.axes; ++p) k.row[p] = collect(where, at_row + p);
        for (int p = 0; p < k.phases; ++p) {
            k.column[p] = collect_phase(p, row_axis, false);
            k.inner[p] = collect_phase(p, row_axis, true);
            k.guard[p] = collect_guard(p);
        }
        k.last = collect(where, at_end);
    }
};

}  // namespace tapeless::detail::schedule_part
