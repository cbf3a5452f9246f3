// SPDX-License-Identifier: MIT
#pragma once
// How loops walk an array: which axis each loop goes along, and where views are in between, from which element on and
// by what steps.

#include <tapeless/array/errors.hpp>
#include <tapeless/ir/builder.hpp>
#include <tapeless/ops/layout.hpp>

namespace tapeless::detail {

/// Which axis of a value (counted from the right) each loop axis walks; 15 where the value does not vary. Where that is
/// not from the first element on and one by one, `affine` says how: a number in the table of walks.
struct walk_map {
    static constexpr int none = 15;
    std::uint64_t bits = ~std::uint64_t{0};
    int affine = -1;
    constexpr int axis(int loop) const { return static_cast<int>(bits >> (4 * loop) & 15); }
    constexpr void set(int loop, int axis) {
        bits = (bits & ~(std::uint64_t{15} << (4 * loop))) | (static_cast<std::uint64_t>(axis) << (4 * loop));
    }
    constexpr bool operator==(walk_map const&) const = default;
};

/// Where a walk begins along an axis: a number and some run-time extents, each times a factor.
struct walk_start {
    static constexpr int most = 8;
    std::int64_t number = 0;
    int terms = 0;
    int extent[most]{};
    std::int64_t factor[most]{};

    constexpr void add(std::int64_t length, std::int64_t times) {  // a length as in dims
        if (length >= 0) {
            number += length * times;
            return;
        }
        int const e = static_cast<int>(~length);
        int i = 0;
        while (i < terms && extent[i] != e) ++i;
        if (i == most)
            detail::raise(
                "slices with more than 8 bounds that only run time knows stand in one another: store one of them");
        extent[i] = e;
        factor[i] = i < terms ? factor[i] + times : times;
        terms = i < terms ? terms : i + 1;
    }
    constexpr void add(walk_start const& s, std::int64_t times) {
        number += s.number * times;
        for (int i = 0; i < s.terms; ++i) add(~static_cast<std::int64_t>(s.extent[i]), s.factor[i] * times);
    }
    constexpr bool is_zero() const { return number == 0 && terms == 0; }
    constexpr bool operator==(walk_start const& o) const {
        if (number != o.number || terms != o.terms) return false;
        for (int i = 0; i < terms; ++i)
            if (extent[i] != o.extent[i] || factor[i] != o.factor[i]) return false;
        return true;
    }
};

/// What a walk has to be within, or what it reads is 0: the position `start` plus `step` of each loop along some axis,
/// which is so long; and the bound `rest`.
struct walk_bound {
    walk_start start;
    std::int64_t step[max_rank]{};
    std::int64_t length = 0;  ///< as in dims
    int rest = -1;
    constexpr bool operator==(walk_bound const& o) const {
        if (length != o.length || rest != o.rest || !(start == o.start)) return false;
        for (int l = 0; l < max_rank; ++l)
            if (step[l] != o.step[l]) return false;
        return true;
    }
};

struct affine_walk {
    std::int64_t step[2 * max_rank];   ///< of each loop, along its axis
    walk_start start[max_rank]{};      ///< of each axis
    int shape = -1;                    ///< whose axes those are, where the memory is read under another shape
    int bounds = -1;                   ///< within which something is read
    constexpr affine_walk() {
        for (std::int64_t& s : step) s = 1;
    }
    constexpr bool operator==(affine_walk const& o) const {
        if (shape != o.shape || bounds != o.bounds) return false;
        for (int l = 0; l < 2 * max_rank; ++l)
            if (step[l] != o.step[l]) return false;
        for (int a = 0; a < max_rank; ++a)
            if (start[a].number != o.start[a].number || start[a].terms != o.start[a].terms) return false;
        for (int a = 0; a < max_rank; ++a)
            if (start[a].terms > 0 && !(start[a] == o.start[a])) return false;
        return true;
    }
    constexpr bool is_plain() const {
        if (shape >= 0 || bounds >= 0) return false;
        for (std::int64_t s : step)
            if (s != 1) return false;
        for (walk_start const& s : start)
            if (!s.is_zero()) return false;
        return true;
    }
};

/// Which axis of the shape before a reshape each axis after it cuts, and how many elements of it one step is.
struct axis_split {
    bool ok = true;  ///< every axis after it is a part of one before it
    int axis[max_rank]{};
    std::int64_t factor[max_rank]{};

    constexpr axis_split(builder const& b, dims const& from, dims const& to) {
        int j = 0;
        auto skip = [&] {
            while (j < to.rank && to.from_right(j) == 1) axis[j++] = -1;
        };
        for (int k = 0; k < from.rank && ok; ++k) {
            std::int64_t const e = from.from_right(k);
            if (e == 1) continue;
            skip();
            std::int64_t f = 1;
            for (bool done = false; !done && ok;) {
                skip();
                if (j == to.rank || e == 0) {
                    ok = false;
                    break;
                }
                std::int64_t const t = to.from_right(j);
                axis[j] = k;
                factor[j++] = f;
                if (t == e && f == 1) done = true;
                else if (t < 0) {
                    length_formula const& q = b.extents.items[static_cast<int>(~t)].formula;
                    done = ok = q.rule == length_rule::quotient && b.resolve(q.a) == e && q.b == f;
                } else {
                    f *= t;
                    done = f == e;
                    ok = e < 0 || f <= e;
                }
            }
        }
        skip();
        ok = ok && j == to.rank;
    }
};

/// The walks of a program that are not plain.
class walk_table {
public:
    list<affine_walk> walks;
    list<walk_bound> bounds;

    constexpr std::int64_t step(walk_map m, int l) const { return m.affine < 0 ? 1 : walks.items[m.affine].step[l]; }
    constexpr int bounds_of(walk_map m) const { return m.affine < 0 ? -1 : walks.items[m.affine].bounds; }
    /// The loops that some bound of the walk depends on.
    constexpr unsigned bounded_loops(walk_map m) const {
        unsigned r = 0;
        for (int b = bounds_of(m); b >= 0; b = bounds.items[b].rest)
            for (int l = 0; l < max_rank; ++l)
                if (bounds.items[b].step[l] != 0) r |= 1u << l;
        return r;
    }
    /// Whether the bounds of a walk go along with loops l and l + 1 as one loop, the inner one being so long.
    constexpr bool bounds_join(walk_map m, int l, std::int64_t length) const {
        for (int b = bounds_of(m); b >= 0; b = bounds.items[b].rest) {
            std::int64_t const outer = bounds.items[b].step[l], inner = bounds.items[b].step[l + 1];
            if ((outer != 0 || inner != 0) && (length < 0 || outer != inner * length)) return false;
        }
        return true;
    }
    /// The shape whose axes a walk over this node counts.
    constexpr dims const& shape(builder const& g, int node, walk_map m) const {
        int const other = m.affine >= 0 ? walks.items[m.affine].shape : -1;
        return other >= 0 ? g.shapes.items[other] : g.shape_of(node);
    }

    /// Without the axes of extent 1.
    constexpr walk_map within(walk_map from, dims const& d, int loops) {
        walk_map m;
        for (int l = 0; l < loops; ++l) {
            int const a = static_cast<int>(from.bits >> (4 * l) & 15);
            if (a < d.rank && d.extent[d.rank - 1 - a] != 1)
                m.bits ^= static_cast<std::uint64_t>(a ^ walk_map::none) << (4 * l);
        }
        if (from.affine < 0) return m;
        affine_walk w;
        affine_walk const& old = walks.items[from.affine];
        for (int l = 0; l < loops; ++l)
            if (m.axis(l) != walk_map::none) w.step[l] = old.step[l];
        for (int k = 0; k < d.rank; ++k)
            if (d.from_right(k) != 1) w.start[k] = old.start[k];
        w.shape = old.shape;
        w.bounds = needed_bounds(old.bounds, m);
        m.affine = intern(w);
        return m;
    }

    /// What a walk over a view's axes is over its operand's. A reshape that merges axes has no such walk.
    constexpr walk_map through(builder const& g, node const& view, walk_map map, int loops) {
        if (view.op->form == view_form::slice) return through_slice(view, map, loops);
        if (view.op->form == view_form::windows) return through_windows(view, map, loops);
        if (view.op->form != view_form::reshape) return through_axes(axis_map{view.attr.axes}, map, loops);
        return through_split(axis_split(g, g.shape_of(view.in[0]), g.shapes.items[view.shape]), map, loops);
    }
    /// What a walk over a padded value is over its operand: bounded by that.
    constexpr walk_map through_padding(builder const& g, node const& padded, walk_map map, int loops) {
        affine_walk w;
        if (map.affine >= 0) w = walks.items[map.affine];
        int const k = static_cast<int>(padded.attr.axes);
        w.start[k].add(padded.attr.before(), -1);
        walk_bound b;
        b.start = w.start[k];
        b.length = g.shape_of(padded.in[0]).from_right(k);
        b.rest = w.bounds;
        for (int l = 0; l < loops && l < max_rank; ++l)
            if (map.axis(l) == k) b.step[l] = w.step[l];
        w.bounds = intern(b);
        map.affine = intern(w);
        return map;
    }
    /// A bounded walk in memory, bounded by that alone: whatever bounds led there, loads of one element are one step.
    constexpr walk_map within_memory(walk_map map, dims const& d) {
        affine_walk w = walks.items[map.affine];
        unsigned const loops = bounded_loops(map);
        bool still = false;  // there is a bound that no loop moves
        for (int b = w.bounds; b >= 0; b = bounds.items[b].rest) {
            bool moves = false;
            for (std::int64_t s : bounds.items[b].step) moves = moves || s != 0;
            still = still || !moves;
        }
        w.bounds = -1;
        for (int k = 0; k < d.rank; ++k) {
            if (d.from_right(k) == 1) continue;
            walk_bound b;
            bool needed = still && !w.start[k].is_zero();
            for (int l = 0; l < max_rank; ++l)
                if (map.axis(l) == k) {
                    b.step[l] = w.step[l];
                    needed = needed || (loops >> l & 1) != 0;
                }
            if (!needed) continue;
            b.start = w.start[k];
            b.length = d.from_right(k);
            b.rest = w.bounds;
            w.bounds = intern(b);
        }
        map.affine = intern(w);
        return map;
    }
    /// The same walk in an array whose elements have the axes of this shape.
    constexpr walk_map under(walk_map map, int shape) {
        affine_walk w;
        if (map.affine >= 0) w = walks.items[map.affine];
        w.shape = shape;
        map.affine = intern(w);
        return map;
    }
    /// Whether loops l and l + 1 walk this memory as one loop would, the inner one being so long: all of its axis.
    /// The memory is dense, or else contiguous column by column.
    constexpr bool joins(walk_map m, int l, std::int64_t length, dims const& d, bool dense, bool columns) const {
        if (!bounds_join(m, l, length)) return false;
        int const a = m.axis(l), b = m.axis(l + 1);
        if (a == walk_map::none || b == walk_map::none) return a == b;
        if (m.affine >= 0 && a == b) return length >= 0 && step(m, l) == step(m, l + 1) * length;
        bool const follows = dense ? a == b + 1 : columns && a == b - 1;
        return follows && step(m, l) == 1 && step(m, l + 1) == 1 && length == d.from_right(b);
    }

private:
    constexpr int intern(affine_walk const& w) {
        if (w.is_plain()) return -1;
        for (int i = 0; i < walks.size(); ++i)
            if (walks.items[i] == w) return i;
        return walks.push(w);
    }
    constexpr int intern(walk_bound const& w) {
        for (int i = 0; i < bounds.size(); ++i)
            if (bounds.items[i] == w) return i;
        return bounds.push(w);
    }
    /// Those bounds that a walk of this kind can leave: one that no loop moves stays, whatever is walked.
    constexpr int needed_bounds(int b, walk_map m) {
        if (b < 0) return -1;
        walk_bound w = bounds.items[b];
        int const rest = needed_bounds(w.rest, m);
        bool moves = false, needed = false;
        for (int l = 0; l < max_rank; ++l) {
            moves = moves || w.step[l] != 0;
            needed = needed || (w.step[l] != 0 && m.axis(l) != walk_map::none);
        }
        if (moves && !needed) return rest;
        if (rest == w.rest) return b;
        w.rest = rest;
        return intern(w);
    }

    constexpr walk_map through_axes(axis_map from, walk_map map, int loops) {
        walk_map m;
        for (int l = 0; l < loops; ++l)
            if (map.axis(l) != walk_map::none && map.axis(l) < from.rank() && from.source(map.axis(l)) >= 0)
                m.set(l, from.source(map.axis(l)));
        if (map.affine < 0) return m;
        affine_walk w;
        affine_walk const& old = walks.items[map.affine];
        for (int l = 0; l < loops; ++l)
            if (m.axis(l) != walk_map::none) w.step[l] = old.step[l];
        for (int k = 0; k < from.rank(); ++k)
            if (from.source(k) >= 0) w.start[from.source(k)] = old.start[k];
        w.bounds = old.bounds;
        m.affine = intern(w);
        return m;
    }
    constexpr walk_map through_slice(node const& view, walk_map map, int loops) {
        affine_walk w;
        if (map.affine >= 0) w = walks.items[map.affine];
        int const k = static_cast<int>(view.attr.axes);
        std::int64_t const by = static_cast<std::int64_t>(view.attr.number);
        for (int l = 0; l < loops; ++l)
            if (map.axis(l) == k) w.step[l] *= by;
        walk_start s;
        s.add(view.attr.offset, 1);
        s.add(w.start[k], by);
        w.start[k] = s;
        map.affine = intern(w);
        return map;
    }
    /// The last axis is the window's: it steps through the operand's axis too.
    constexpr walk_map through_windows(node const& view, walk_map map, int loops) {
        walk_map m;
        affine_walk w, old;
        if (map.affine >= 0) old = walks.items[map.affine];
        int const k = static_cast<int>(view.attr.axes);
        auto const by = [&](int j) { return j == 0 ? view.attr.dilation() : j == k + 1 ? view.attr.stride() : 1; };
        for (int l = 0; l < loops; ++l)
            if (int const j = map.axis(l); j != walk_map::none) {
                m.set(l, j == 0 ? k : j - 1);
                w.step[l] = old.step[l] * by(j);
            }
        for (int j = 0; j < max_rank; ++j)
            if (!old.start[j].is_zero()) w.start[j == 0 ? k : j - 1].add(old.start[j], by(j));
        w.bounds = old.bounds;
        m.affine = intern(w);
        return m;
    }
    constexpr walk_map through_split(axis_split const& cut, walk_map map, int loops) {
        walk_map m;
        affine_walk w, old;
        if (map.affine >= 0) old = walks.items[map.affine];
        for (int l = 0; l < loops; ++l)
            if (int const j = map.axis(l); j != walk_map::none && cut.axis[j] >= 0) {
                m.set(l, cut.axis[j]);
                w.step[l] = old.step[l] * cut.factor[j];
            }
        for (int j = 0; j < max_rank; ++j)
            if (!old.start[j].is_zero() && cut.axis[j] >= 0) w.start[cut.axis[j]].add(old.start[j], cut.factor[j]);
        w.bounds = old.bounds;
        m.affine = intern(w);
        return m;
    }
};

}  // namespace tapeless::detail
