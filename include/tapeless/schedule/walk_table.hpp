// SPDX-License-Identifier: MIT
#pragma once
// The walks of a program: what a walk becomes behind each form of view, and which loops walk as one.

#include <tapeless/schedule/walk.hpp>

namespace tapeless::detail::inline schedule_part {

/// The walks of a program that are not plain.
class walk_table {
public:
    list<affine_walk> walks;
    list<walk_bound> bounds;
    list<picked_walk> picked;

    constexpr std::int64_t step(walk_map m, int l) const { return m.affine < 0 ? 1 : walks.items[m.affine].step[l]; }
    constexpr int bounds_of(walk_map m) const { return m.affine < 0 ? -1 : walks.items[m.affine].bounds; }
    constexpr int picked_of(walk_map m) const { return m.affine < 0 ? -1 : walks.items[m.affine].picked; }
    /// The loops that some bound of the walk depends on.
    constexpr unsigned bounded_loops(walk_map m) const {
        unsigned r = 0;
        for (int b = bounds_of(m); b >= 0; b = bounds.items[b].rest)
            for (int l = 0; l < max_rank; ++l)
                if (bounds.items[b].step[l] != 0) r |= 1u << l;
        return r;
    }
    /// Whether one of these bounds is where a walk goes on at the other end.
    constexpr bool wraps(int b) const {
        while (b >= 0 && bounds.items[b].wraps < 0) b = bounds.items[b].rest;
        return b >= 0;
    }
    /// Whether a walk of these bounds reads 0 wherever one of those bounds would.
    constexpr bool implies(int these, int those) const {
        for (; those >= 0; those = bounds.items[those].rest) {
            walk_bound b = bounds.items[those];
            int i = these;
            for (; i >= 0; i = b.rest) {
                b.rest = bounds.items[i].rest;
                if (bounds.items[i] == b) break;
            }
            if (i < 0) return false;
        }
        return true;
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
        w.picked = old.picked;
        m.affine = intern(w);
        return m;
    }

    /// What a walk over a view's axes is over its operand's. A reshape that merges axes has no such walk.
    constexpr walk_map through(builder const& g, node const& view, walk_map map, int loops) {
        if (view.op->form == view_form::slice) return through_slice(view, map, loops);
        if (view.op->form == view_form::windows) return through_windows(view, map, loops);
        if (view.op->form == view_form::picked) return through_index(g, view, map, loops);
        if (view.op->form != view_form::reshape) return through_axes(axis_map{view.attr.axes}, map, loops);
        return through_split(axis_split(g, g.shape_of(view.in[0]), g.shapes.items[view.shape]), map, loops);
    }
    /// What a walk over a padded value is over its operand: bounded by that.
    constexpr walk_map through_padding(builder const& g, node const& padded, walk_map map, int loops) {
        affine_walk w;
        if (map.affine >= 0) w = walks.items[map.affine];
        int const k = padded.attr.axis();
        w.start[k].add(padded.attr.before(), -1);
        walk_bound b;
        if (padded.attr.shift() != 0) {
            w.start[k].number -= padded.attr.shift();
            b.wraps = k;
        }
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
        if (wraps(bounds_of(map))) return map;
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
        if (!bounds_join(m, l, length) || picked_of(m) >= 0) return false;
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
    constexpr int intern(picked_walk const& w) {
        for (int i = 0; i < picked.size(); ++i)
            if (picked.items[i] == w) return i;
        return picked.push(w);
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
        int const k = view.attr.axis();
        std::int64_t const by = view.attr.step();
        for (int l = 0; l < loops; ++l)
            if (map.axis(l) == k) w.step[l] *= by;
        walk_start s;
        s.add(view.attr.first(), 1);
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
        int const k = view.attr.axis();
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
    /// The axes of the index go along one axis of the operand, by no steps of their own.
    constexpr walk_map through_index(builder const& g, node const& view, walk_map map, int loops) {
        walk_map m;
        affine_walk w, old, of_index;
        if (map.affine >= 0) old = walks.items[map.affine];
        picked_walk q;
        q.index = view.in[1];
        q.axis = static_cast<int>(view.attr.axes);
        int const rank = g.shape_of(q.index).rank;
        auto const is_of_index = [&](int j) { return j >= q.axis && j < q.axis + rank; };
        for (int l = 0; l < loops; ++l) {
            int const j = map.axis(l);
            if (j == walk_map::none) continue;
            m.set(l, j < q.axis ? j : is_of_index(j) ? q.axis : j - rank + 1);
            w.step[l] = is_of_index(j) ? 0 : old.step[l];
            if (!is_of_index(j)) continue;
            q.map.set(l, j - q.axis);
            of_index.step[l] = old.step[l];
        }
        for (int j = 0; j < max_rank; ++j) {
            if (old.start[j].is_zero()) continue;
            if (is_of_index(j)) of_index.start[j - q.axis] = old.start[j];
            else w.start[j < q.axis ? j : j - rank + 1] = old.start[j];
        }
        q.map.affine = intern(of_index);
        w.picked = intern(q);
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

}  // namespace tapeless::detail::schedule_part
