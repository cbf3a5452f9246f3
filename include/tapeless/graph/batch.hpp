// SPDX-License-Identifier: MIT
#pragma once
// From one item to many: what a graph computes of one item, computed of all items along a new leading axis.

#include <tapeless/graph/batch_call.hpp>

namespace tapeless::detail::inline graph_part {

constexpr list<int> batch(builder& b, list<int> const& ys, list<int> const& inputs, list<int> const& batched);

/// The nodes that depend on an item, made again for all items. Attributes count axes from the right, so that most
/// nodes only get other operands; what does not depend on the item stays as it is, and is stretched where it meets
/// what does.
class batcher {
public:
    constexpr batcher(builder& graph, list<int> const& ys, list<int> const& inputs, list<int> const& batched)
        : b_(graph), first_(inputs[0]) {
        int last = -1;
        for (int i : inputs) first_ = i < first_ ? i : first_;
        for (int y : ys) last = y > last ? y : last;
        int const n = last < first_ ? 0 : last - first_ + 1;
        to_ = list<int>(n, -1);
        leading_ = list<char>(n, 0);
        length_ = b_.shape_of(batched[0]).extent[0];
        for (int i : batched) length_ = b_.same(length_, b_.shape_of(i).extent[0]);
        list<char> fixed(n, 0), depends(n, 0), needed(n, 0);
        for (int i = 0; i < inputs.size(); ++i) {
            if (inputs[i] > last) continue;
            int const at = inputs[i] - first_;
            fixed.items[at] = depends.items[at] = leading_.items[at] = 1;
            to_.items[at] = batched[i];
        }
        for (int i = 0; i < n; ++i) {
            node const& x = b_.nodes.items[first_ + i];
            for (int j = 0; j < x.arity() && !depends.items[i]; ++j)
                depends.items[i] = x.in[j] >= first_ && depends.items[x.in[j] - first_];
        }
        for (int y : ys)
            if (y >= first_) needed.items[y - first_] = 1;
        for (int i = n - 1; i >= 0; --i) {
            node const& x = b_.nodes.items[first_ + i];
            if (!needed.items[i] || !depends.items[i] || fixed.items[i]) continue;
            for (int j = 0; j < x.arity(); ++j)
                if (x.in[j] >= first_) needed.items[x.in[j] - first_] = 1;
        }
        int const checks = b_.index_checks.size(), remade = b_.remade.size();
        for (int i = 0; i < remade; ++i) {  // a call that is made anyway makes more of its results
            int const id = b_.remade.items[i].by, by = id - first_;
            if (by < 0 || by >= n || !depends.items[by] || !has_role(b_, id, loop_role::result)) continue;
            if (needed.items[b_.nodes.items[id].in[0] - first_]) needed.items[by] = 1;
        }
        for (int i = 0; i < n; ++i) {
            if (!needed.items[i] || !depends.items[i] || fixed.items[i]) continue;
            if (belongs_to_call(i)) continue;
            to_.items[i] = again(b_.nodes.items[first_ + i]);
            leading_.items[i] = b_.shape_of(to_.items[i]).rank > b_.shape_of(first_ + i).rank;
        }
        for (int i = 0; i < checks; ++i) check(index_check(b_.index_checks.items[i]));
        for (int i = 0; i < remade; ++i) {
            made_again const m = b_.remade.items[i];
            if (inside(m.by) && has_leading(m.value) == has_leading(m.by))
                b_.remade.push({number(m.value), number(m.by)});
        }
    }

    /// What became of a node, or -1 where it does not depend on the item.
    constexpr int find(int id) const {
        if (!inside(id)) return -1;
        return has_leading(id) ? number(id) : emit_expand(b_, number(id), all(b_.shape_of(id)));
    }

private:
    builder& b_;
    int first_;
    list<int> to_;
    list<char> leading_;  ///< whether it has the leading axis
    std::int64_t length_ = 0;

    list<batched_call> calls_;

    /// A call is made for all items at once, when the first of its results is needed.
    constexpr bool belongs_to_call(int i) {
        int const id = first_ + i;
        if (has_role(b_, id, loop_role::operands) || has_role(b_, id, loop_role::call)) return true;
        if (!has_role(b_, id, loop_role::result)) return false;
        node const n = b_.nodes.items[id];
        int c = 0;
        while (c < calls_.size() && calls_[c].call != n.in[0]) ++c;
        if (c == calls_.size()) {
            list<int> const one = operands_of(b_, n.in[0]);
            list<int> many;
            list<char> leading;
            for (int o : one) {
                many.push(number(o));
                leading.push(has_leading(o));
            }
            calls_.push(batch_call(b_, n.in[0], one, many, leading, length_, &batch));
        }
        int const r = n.attr.result();
        to_.items[i] = calls_[c].results[r];
        leading_.items[i] = calls_[c].leading[r];
        return true;
    }

    constexpr bool inside(int id) const {
        return id >= first_ && id - first_ < to_.size() && to_.items[id - first_] >= 0;
    }
    constexpr int number(int id) const { return inside(id) ? to_.items[id - first_] : id; }
    constexpr bool has_leading(int id) const { return inside(id) && leading_.items[id - first_]; }
    constexpr dims all(dims const& d) const { return with_leading(b_, length_, d); }
    /// What became of an operand, beside others of that rank.
    constexpr int beside(int id, int rank) const {
        return has_leading(id) ? emit_item_rank(b_, number(id), rank) : number(id);
    }
    /// What became of an operand, stretched along the leading axis where it is the same for all items. A number stays
    /// one.
    constexpr int stretched(int id) const {
        int const to = number(id);
        return has_leading(id) || b_.is_constant(to) ? to : emit_expand(b_, to, all(b_.shape_of(to)));
    }

    constexpr int again(node n) {
        int const rank = b_.shapes.items[n.shape].rank;
        bool any = false;
        for (int j = 0; j < n.arity(); ++j) any = any || has_leading(n.in[j]);
        if (any) {
            if (n.kind == node_kind::view || n.kind == node_kind::padded) return view(n, number(n.in[0]));
            if (n.kind == node_kind::put) return put(n);
            if (n.kind == node_kind::custom_loop || n.has_rule_of_its_own()) return loop_or_rule(n);
            if (n.kind == node_kind::elementwise && n.op->same_value)
                n.attr.shape = b_.intern(all(b_.shapes.items[n.attr.shape]));
        }
        for (int j = 0; j < n.arity(); ++j) n.in[j] = beside(n.in[j], rank);
        if (n.item_axes > 0) return emit_for_items(b_, n);
        return b_.emit(*n.op, n);
    }
    /// The view n of one item, on all of them: x.
    constexpr int view(node n, int x) {
        if (n.kind == node_kind::padded || n.op->form != view_form::axes) {
            n.attr.shape = b_.intern(all(b_.shapes.items[n.attr.shape]));
        } else {
            return emit_view_of_items(b_, axis_map{n.attr.axes}, b_.shape_of(n.in[0]).rank, x);
        }
        n.in[0] = x;
        return b_.emit(*n.op, n);
    }
    constexpr int put(node const& n) {
        auto whole = [&](int id) {
            node const& x = b_.nodes.items[number(id)];
            return !has_leading(id) && x.kind == node_kind::blank
                       ? b_.blank(b_.intern(all(b_.shapes.items[x.shape])), x.type)
                       : emit_expand(b_, number(id), all(b_.shape_of(id)));
        };
        int const base = whole(n.in[0]), part = whole(n.in[1]);
        return emit_put(b_, base, part, window(n.in[2]), n.attr.adds());
    }
    constexpr int window(int id) {
        node const n = b_.nodes.items[id];
        if (n.kind == node_kind::blank) return b_.blank(b_.intern(all(b_.shapes.items[n.shape])), n.type);
        return view(n, window(n.in[0]));
    }
    /// What is done to rows gets more of them; what is not, and rules for one item, are done item by item.
    constexpr int loop_or_rule(node n) {
        if (n.item_axes == 0 && n.op->batches) {
            node m = n;
            unsigned leading = 0;
            for (int j = 0; j < n.arity(); ++j) {
                m.in[j] = number(n.in[j]);
                leading |= static_cast<unsigned>(has_leading(n.in[j])) << j;
            }
            if (int const y = n.op->of_all(b_, m, leading); y >= 0) return y;
        }
        int const shape = n.shape;
        for (int j = 0; j < n.arity(); ++j) n.in[j] = stretched(n.in[j]);
        // another result of a loop that is under a view now is under the same
        if (node const v = b_.nodes.items[n.in[0]]; n.op->part > 0 && v.is_axes_view()) {
            n.in[0] = v.in[0];
            n.attr.shape = b_.nodes.items[v.in[0]].shape;
            return emit_axes(b_, b_.emit(*n.op, n), axis_map{v.attr.axes});
        }
        // the attribute's shape is that of the result, if any
        bool const result = n.op->scratch_element == 0 || n.op->scratch_by_offset || n.op->part > 0;
        if (n.item_axes == 0 &&
            (n.op->part > 0 || n.op->takes_leading_axes || (n.kind == node_kind::alias && !n.op->of_items))) {
            if (result && n.attr.shape >= 0) n.attr.shape = b_.intern(all(b_.shapes.items[n.attr.shape]));
            return b_.emit(*n.op, n);
        }
        ++n.item_axes;
        n.shape = b_.intern(all(b_.shapes.items[shape]));
        return emit_for_items(b_, n);
    }
    /// Indices are looked at all together.
    constexpr void check(index_check const& c) {
        if (!has_leading(c.index) && (c.lengths < 0 || !has_leading(c.lengths))) return;
        b_.check_index(stretched(c.index), dims(b_.shapes.items[c.shape]), c.rule,
                       c.lengths < 0 ? -1 : stretched(c.lengths));
    }
};

/// The nodes ys with a leading axis, where inputs[i], an item, becomes batched[i], the items along a leading axis: of
/// each y the node with that axis, or -1 where it does not depend on the inputs, and is the same for all items.
constexpr list<int> batch(builder& b, list<int> const& ys, list<int> const& inputs, list<int> const& batched) {
    list<int> r;
    if (ys.empty()) return r;
    if (inputs.empty()) {
        for (int i = 0; i < ys.size(); ++i) r.push(-1);
        return r;
    }
    b.has_items = true;
    batcher const all(b, ys, inputs, batched);
    for (int y : ys) r.push(all.find(y));
    return r;
}

/// The derivative rule of node y, which is an operation done to each item: that of one item, done to each of them.
constexpr void pull_back_items(builder& b, int y, int g, node const& n, int* out) {
    list<int> items, arrays;
    auto item_of = [&](int id) {
        int const item = emit_item(b, id);
        items.push(item);
        arrays.push(id);
        return item;
    };
    node one = n;
    --one.item_axes;
    for (int j = 0; j < n.arity(); ++j)
        if (!b.is_constant(n.in[j])) one.in[j] = item_of(n.in[j]);
    dims const d = b.shape_of(y);
    one.shape = b.intern(axis_map::without(d.rank, std::int64_t{1} << (d.rank - 1)).apply(d));
    int const item = b.push(one), cotangent = item_of(emit_expand(b, g, d));
    items.push(item);
    arrays.push(y);
    int c[max_inputs]{-1, -1, -1, -1, -1};
    if (one.item_axes > 0) pull_back_items(b, item, cotangent, one, c);
    else n.op->pullback(b, item, cotangent, one, c);
    list<int> found;
    for (int j = 0; j < n.arity(); ++j)
        if (c[j] >= 0) found.push(c[j]);
    list<int> const all = batch(b, found, items, arrays);
    for (int j = 0, next = 0; j < n.arity(); ++j) {
        if (c[j] < 0) continue;
        int const r = all[next++];
        out[j] = r < 0 ? c[j] : emit_item_rank(b, r, b.shape_of(n.in[j]).rank - 1);
    }
}

}  // namespace tapeless::detail::graph_part
