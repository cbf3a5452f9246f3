// SPDX-License-Identifier: MIT
#pragma once
// Kernels that add up one triangle of a matrix: in each row they begin at the diagonal.

#include <tapeless/schedule/phases.hpp>

namespace tapeless::detail::inline schedule_part {

/// Whether all that a kernel leaves behind are sums of what is 0 left of the diagonal.
class finds_triangle {
public:
    constexpr finds_triangle(draft_plan const& plan, kernel const& k) : plan_(plan), k_(k) {}

    constexpr bool holds() const {
        if (k_.axes != 2 || k_.phases != 1 || k_.product >= 0) return false;
        bool any = false;
        for (int i = 0; i < k_.steps; ++i) {
            if (at(i).bounds >= 0) return false;
            any = any || is_mask(i);
        }
        for (int i = 0; i < k_.roots && any; ++i) {
            root const& r = plan_.roots.items[k_.first_root + i];
            if (r.level != k_.axes || !leaves_something(r)) continue;
            if (r.combine != combination::sum || !is_floating(r.type) || !is_nothing(r.step, 0)) return false;
        }
        return any;
    }

    /// What a mask is in all columns right of the row's own: 0 or 1; -1 where that is not known.
    constexpr int beyond_diagonal(int i) const {
        step const& s = at(i);
        if (s.kind != step_kind::eval || (s.op->is != builtin::equal && s.op->is != builtin::less_equal)) return -1;
        bool const forth = counts(s.in[0], 0) && counts(s.in[1], 1), back = counts(s.in[0], 1) && counts(s.in[1], 0);
        return !forth && !back ? -1 : forth && s.op->is == builtin::less_equal ? 1 : 0;
    }

private:
    static constexpr int deepest = 16;
    draft_plan const& plan_;
    kernel const& k_;

    constexpr step const& at(int i) const { return plan_.steps.items[k_.first_step + i]; }
    /// Counts a loop, as it is.
    constexpr bool counts(int i, int loop) const {
        step const& s = at(i);
        if (s.kind != step_kind::coordinate || s.varies != 1u << loop || s.place < 0) return false;
        place const& p = plan_.places.items[k_.first_place + s.place];
        return p.where == memory::position && p.origin == 0 && p.walk < 0 && p.stride[loop] == 1;
    }
    constexpr bool is_mask(int i) const {
        step const& s = at(i);
        return s.kind == step_kind::eval && s.op->is == builtin::less_equal && counts(s.in[0], 0) && counts(s.in[1], 1);
    }
    /// Whether a value is 0 left of the diagonal, whatever it is made of.
    constexpr bool is_nothing(int i, int depth) const {
        step const& s = at(i);
        if (s.kind != step_kind::eval || ++depth > deepest) return false;
        if (s.op->is == builtin::neg) return is_nothing(s.in[0], depth);
        if (s.op->is != builtin::where || !is_mask(s.in[0])) return false;
        step const& other = at(s.in[2]);
        return other.kind == step_kind::constant && other.number == 0;
    }
};

}  // namespace tapeless::detail::schedule_part
