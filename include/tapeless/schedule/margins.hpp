// SPDX-License-Identifier: MIT
#pragma once
// Fifth step of a plan, margins: an intermediate array that is read between zeros has some behind each of its rows,
// and its columns need no bounds.

#include <tapeless/schedule/graph_to_plan.hpp>
#include <tapeless/schedule/in_step.hpp>

namespace tapeless::detail::inline schedule_part {

/// The number c where a length is the smaller of it and another; else -1.
constexpr std::int64_t at_most_number(extent_table const& t, std::int64_t length) {
    if (length >= 0) return -1;
    length_formula const f = t.resolved(t.extents.items[static_cast<int>(~length)].formula);
    return f.rule != length_rule::minimum ? -1 : f.b >= 0 ? f.b : f.a;
}
/// A length as others and a number: it is `number[i]` more than `base[i]`, or 0 where that is negative.
struct offset_length {
    static constexpr int most = 6;
    std::int64_t base[most]{}, number[most]{};
    int count = 0, exact = 0;  ///< the first ones do not stop at 0

    constexpr offset_length(extent_table const& t, std::int64_t e) {
        std::int64_t now = t.resolve(e), more = 0;
        bool sums = true;
        while (count < most) {
            base[count] = now >= 0 ? 0 : now;
            number[count++] = now >= 0 ? more + now : more;
            exact = sums ? count : exact;
            if (now >= 0) return;
            length_formula const f = t.resolved(t.extents.items[static_cast<int>(~now)].formula);
            if (f.rule == length_rule::sum && (f.a >= 0 || f.b >= 0)) {
                more += f.a >= 0 ? f.a : f.b;
                now = f.a >= 0 ? f.b : f.a;
            } else if (f.rule == length_rule::difference) {
                std::int64_t const less = f.b >= 0 ? f.b : at_most_number(t, f.b);
                if (less < 0) return;
                sums = false;
                more -= less;
                now = f.a;
            } else return;
        }
    }
    /// By how much this length is more than that of a part of it, at most; -1 where that is not known.
    constexpr std::int64_t more_than(offset_length const& part) const {
        for (int i = 0; i < exact; ++i)
            for (int j = 0; j < part.count; ++j)
                if (base[i] == part.base[j] && number[i] >= part.number[j]) return number[i] - part.number[j];
        return -1;
    }
};

class margin_finder {
public:
    constexpr margin_finder(graph_to_plan const& p, draft_plan& plan) : p_(p), plan_(plan) {
        bool any = false;
        for (step const& s : plan.steps) any = any || (s.kind == step_kind::load && s.bounds >= 0);
        if (!any) return;
        buffers_.resize(plan.buffers.size());
        for (int n = 0; n < plan.kernels.size(); ++n) look_at(n);
        for (planned_check const& c : plan.index_checks) refuse(c.index.at), refuse(c.lengths.at);
        for (bool changed = true; changed;) {  // a kernel that has bounds along its columns anyway gains nothing
            changed = false;
            for (int n = 0; n < plan.kernels.size(); ++n) changed = leave_bounded(n) || changed;
        }
        for (int n = 0; n < plan.kernels.size(); ++n) widen(n);
        for (int i = 0; i < buffers_.size(); ++i)
            if (has_margin(i)) plan.buffers.items[i].margin = buffers_.items[i].margin;
    }

private:
    /// More zeros than these would be memory for nothing.
    static constexpr std::int64_t most_zeros = 16;

    struct use {
        bool fits = true;
        int writers = 0;
        int margin = 0;  ///< zeros that are read on either side of a row
    };
    graph_to_plan const& p_;
    draft_plan& plan_;
    list<use> buffers_;

    constexpr bool has_margin(int i) const {
        use const& u = buffers_.items[i];
        return u.fits && u.writers == 1 && u.margin > 0;
    }
    constexpr bool has_margin(place const& p) const { return p.where == memory::buffer && has_margin(p.index); }
    constexpr place const& place_at(kernel const& k, int n) const { return plan_.places.items[k.first_place + n]; }
    static constexpr bool is_loops(kernel const& k) { return k.custom < 0 && k.call < 0; }

    constexpr void look_at(int number) {
        kernel const& k = plan_.kernels.items[number];
        if (!is_loops(k) || k.product >= 0) {
            for_places(plan_, number, [&](place const& p) { refuse(p); });
            return;
        }
        for (int i = 0; i < k.steps; ++i) {
            step const& s = plan_.steps.items[k.first_step + i];
            if (s.kind != step_kind::load) continue;
            place const& p = place_at(k, s.place);
            if (p.where != memory::buffer) continue;
            use& u = buffers_.items[p.index];
            int const margin = zeros_read(k, s, p);
            u.fits = u.fits && is_plain(p) && margin >= 0;
            u.margin = margin > u.margin ? margin : u.margin;
        }
        for (int i = 0; i < k.roots; ++i) {
            root const& r = plan_.roots.items[k.first_root + i];
            if (r.place < 0) continue;
            place const& p = place_at(k, r.place);
            if (p.where != memory::buffer) continue;
            use& u = buffers_.items[p.index];
            ++u.writers;
            u.fits = u.fits && is_plain(p) && p.walk < 0 && r.how == target::store && !r.adds && !r.clears &&
                     r.keeps < 0 && goes_along_rows(k, p);
        }
    }
    constexpr void refuse(place const& p) {
        if (p.where == memory::buffer) buffers_.items[p.index].fits = false;
    }
    /// Rows of an array under its own shape.
    constexpr bool is_plain(place const& p) const {
        dims const& d = p_.g.shapes.items[p.shape];
        return p.dense && p.picked < 0 && p_.at(p.node).shape == p.shape && d.rank >= 2 && d.from_right(0) != 1;
    }
    /// Whether the innermost loop, which is no other loop's part, goes along the array's rows.
    static constexpr bool goes_along_rows(kernel const& k, place const& p) {
        return k.axes >= 2 && k.group[k.axes] - k.group[k.axes - 1] == 1 && p.map.axis(k.axes - 1) == 0 &&
               p.step[k.axes - 1] == 1;
    }
    static constexpr int column_axis(kernel const& k) { return k.group[k.axes] - 1; }
    constexpr bool is_along_columns(kernel const& k, walk_bound const& b) const {
        return k.axes > 0 && b.step[column_axis(k)] != 0;
    }
    /// How many zeros before or behind the rows of an array a step reads; -1 where that cannot be said.
    constexpr int zeros_read(kernel const& k, step const& s, place const& p) const {
        std::int64_t most = 0;
        for (int i = s.bounds; i >= 0; i = plan_.bounds.items[i].rest) {
            walk_bound const& b = plan_.bounds.items[i];
            if (!is_along_columns(k, b)) continue;
            dims const& d = p_.g.shapes.items[p.shape];
            walk_start const start = p.walk < 0 ? walk_start{} : plan_.walks.items[p.walk].start[0];
            bool along = most == 0 && goes_along_rows(k, p) && b.wraps < 0 && b.start == start &&
                         b.length == d.from_right(0);
            for (int l = 0; l < max_rank; ++l) along = along && b.step[l] == (l == column_axis(k));
            if (!along) return -1;
            offset_length const loop(p_.g, k.shape.extent[column_axis(k)]), row(p_.g, b.length);
            std::int64_t const more = loop.more_than(row),
                               before = zeros_before(b.start, k.shape.extent[column_axis(k)]), behind = more - before;
            most = before > behind ? before : behind;
            if (more < 0 || most <= 0 || most > most_zeros) return -1;
        }
        return static_cast<int>(most);
    }
    /// How far before an axis a walk over `loop` elements begins, at most. A slice of all of them begins
    /// where it says, or at the end of fewer: then nothing is read behind the axis.
    constexpr std::int64_t zeros_before(walk_start const& s, std::int64_t loop) const {
        std::int64_t n = -s.number;
        for (int i = 0; i < s.terms; ++i) {
            std::int64_t const length = p_.g.resolve(~static_cast<std::int64_t>(s.extent[i])),
                               most = at_most_number(p_.g, length);
            bool const known = most >= 0 && is_smaller_of(length, p_.g.resolve(loop)) && s.factor[i] == -1;
            if (!known || s.terms > 1 || n != 0) return most_zeros + 1;
            n += most;
        }
        return n;
    }
    constexpr bool is_smaller_of(std::int64_t length, std::int64_t n) const {
        length_formula const f = p_.g.resolved(p_.g.extents.items[static_cast<int>(~length)].formula);
        return f.a == n || f.b == n;
    }
    /// Whether a step has bounds along the columns.
    constexpr bool is_bounded(kernel const& k, step const& s) const {
        for (int i = s.bounds; i >= 0; i = plan_.bounds.items[i].rest)
            if (is_along_columns(k, plan_.bounds.items[i])) return true;
        return false;
    }
    constexpr bool leave_bounded(int number) {
        kernel const& k = plan_.kernels.items[number];
        if (!is_loops(k)) return false;
        bool stays = false, changed = false;
        for (int i = 0; i < k.steps; ++i) {
            step const& s = plan_.steps.items[k.first_step + i];
            if (!is_bounded(k, s)) continue;
            stays = stays || s.kind != step_kind::load || !has_margin(place_at(k, s.place));
        }
        for (int i = 0; i < k.steps && stays; ++i) {
            step const& s = plan_.steps.items[k.first_step + i];
            if (!is_bounded(k, s) || s.kind != step_kind::load || !has_margin(place_at(k, s.place))) continue;
            refuse(place_at(k, s.place));
            changed = true;
        }
        return changed;
    }

    /// The places of a kernel walk wider rows, and its steps have no bounds along them.
    constexpr void widen(int number) {
        kernel const& k = plan_.kernels.items[number];
        if (!is_loops(k)) return;
        for (int i = 0; i < k.steps; ++i) {
            step& s = plan_.steps.items[k.first_step + i];
            if (s.kind == step_kind::load && s.bounds >= 0 && has_margin(place_at(k, s.place)))
                s.bounds = bounds_of_rows(k, s.bounds);
        }
        for (int n = 0; n < k.places; ++n) {
            place& p = plan_.places.items[k.first_place + n];
            if (!has_margin(p)) continue;
            p.margin = buffers_.items[p.index].margin;
            dims const& d = p_.g.shapes.items[p.shape];
            for (int l = 0; l < k.axes; ++l) {
                int const axis = p.map.axis(l);
                if (axis == walk_map::none || axis == 0 || p.stride[l] <= 0) continue;
                p.stride[l] = p.stride[l] / d.from_right(0) * (d.from_right(0) + p.margin);
            }
            if (p.walk >= 0) p.origin = -1;
        }
    }
    constexpr int bounds_of_rows(kernel const& k, int bounds) {
        if (bounds < 0) return -1;
        walk_bound b = plan_.bounds.items[bounds];
        int const rest = bounds_of_rows(k, b.rest);
        if (is_along_columns(k, b)) return rest;
        b.rest = rest;
        for (int i = 0; i < plan_.bounds.size(); ++i)
            if (plan_.bounds.items[i] == b) return i;
        return plan_.bounds.push(b);
    }
};

constexpr draft_plan find_margins(graph_to_plan const& p, draft_plan plan) {
    margin_finder(p, plan);
    return plan;
}

}  // namespace tapeless::detail::schedule_part
