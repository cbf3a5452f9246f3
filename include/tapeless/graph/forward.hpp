// SPDX-License-Identifier: MIT
#pragma once
// Forward mode: one sweep over the graph, which appends the tangents of what is wanted to the same graph. Nearly all
// of it is read off the rules of reverse mode.

#include <tapeless/graph/batch.hpp>
#include <tapeless/graph/differentiate.hpp>
#include <tapeless/graph/forward_call.hpp>
#include <tapeless/ops/sliding_windows.hpp>

namespace tapeless::detail::inline graph_part {

constexpr list<int> push_forward(builder& b, list<int> const& ys, list<int> const& inputs, list<int> const& tangents);

/// The tangents of one sweep. A tangent may have a smaller shape than its node: it is then the same along the missing
/// axes.
class forward_sweep {
public:
    constexpr forward_sweep(builder& graph, int nodes) : b(graph), tangent(nodes, -1) {}

    /// The tangent of node i from those of its operands, or -1 where they have none.
    constexpr int push(int i) {
        node const n = b.nodes.items[i];
        if (has_role(b, i, loop_role::operands) || has_role(b, i, loop_role::call)) return -1;
        if (has_role(b, i, loop_role::result)) return of_result(i, n);
        bool any = false;
        for (int j = first_moving(n); j < n.arity(); ++j) any = any || of(n.in[j]) >= 0;
        if (!any || !n.op->differentiable) return -1;
        if (n.item_axes > 0) return by_items(i, n);
        if (n.op->pushes) return by_own_rule(i, n);
        switch (n.kind) {
            case node_kind::elementwise: return by_diagonal(i, n);
            case node_kind::alias: return n.arity() == 1 ? of(n.in[0]) : by_transposing_twice(i, n);
            case node_kind::contract: return by_factors(n);
            case node_kind::view: return under_view(n, of(n.in[0]));
            case node_kind::padded: return again_on(n, whole(of(n.in[0]), n.in[0]));
            case node_kind::put: return put_together(n);
            case node_kind::reduce:
                if (n.op->combine != combination::sum) return by_transposing_twice(i, n);
                return sum_to_operand(b, of(n.in[0]), dims(b.shape_of(n.in[0])), dims(b.shapes.items[n.shape]));
            default: return by_transposing_twice(i, n);
        }
    }
    /// An alias with a rule has the value of its first operand, and its derivative by the others.
    static constexpr int first_moving(node const& n) { return n.has_rule_of_its_own() ? 1 : 0; }
    constexpr int& of(int id) { return tangent.items[id]; }

private:
    builder& b;
    list<int> tangent;
    struct pushed_call {
        int call = -1;
        list<int> tangents;  ///< of its results
    };
    list<pushed_call> calls_;

    /// All results of a call are pushed with the first that is needed.
    constexpr int of_result(int i, node const& n) {
        for (pushed_call const& c : calls_)
            if (c.call == n.in[0]) return c.tangents[n.attr.result()];
        pushed_call c;
        c.call = n.in[0];
        list<int> given;
        bool any = false;
        for (int o : operands_of(b, c.call)) {
            given.push(o < tangent.size() ? of(o) : -1);
            any = any || given.back() >= 0;
        }
        if (any) c.tangents = push_call(b, c.call, i, given, &differentiate, &push_forward);
        else c.tangents = list<int>(b.calls[b.nodes.items[c.call].source].results.size(), -1);
        calls_.push(c);
        return c.tangents[n.attr.result()];
    }

    constexpr int add(int x, int y) {
        if (x < 0 || y < 0) return x < 0 ? y : x;
        return b.real(x).add(b, x, y);
    }
    constexpr int whole(int t, int of_node) { return emit_expand(b, t, dims(b.shape_of(of_node))); }

    /// Where the operation brings a rule: an operand that does not move has the tangent 0.
    constexpr int by_own_rule(int y, node const& n) {
        int t[max_inputs]{};
        for (int j = 0; j < n.arity(); ++j) {
            t[j] = of(n.in[j]);
            dtype const type = computed_dtype(b.nodes.items[n.in[j]].type);
            if (t[j] < 0) t[j] = b.constant(0, is_floating(type) ? type : computed_dtype(n.type));
            if (n.kind != node_kind::elementwise) t[j] = whole(t[j], n.in[j]);
        }
        return n.op->pushforward(b, y, n, t);
    }

    /// The derivative is diagonal, so what flows back to an operand when its tangent is the cotangent is what it adds
    /// to the tangent. A mask on the tangent goes behind the local derivative, as in reverse mode.
    constexpr int by_diagonal(int y, node const& n) {
        int sum = -1;
        for (int j = 0; j < n.arity(); ++j) {
            int t = of(n.in[j]), mask = -1, c = -1;
            bool again = t < 0;
            for (int k = 0; k < j; ++k) again = again || n.in[k] == n.in[j];
            if (again) continue;
            if (is_masked(b, t)) {
                mask = b.nodes.items[t].in[0];
                t = b.nodes.items[t].in[1];
            }
            int out[max_inputs]{-1, -1, -1, -1, -1};
            n.op->pullback(b, y, t, n, out);
            for (int k = j; k < n.arity(); ++k)
                if (n.in[k] == n.in[j]) c = add(c, out[k]);
            if (c >= 0 && mask >= 0) c = b.real(c).masked(b, mask, c);
            sum = add(sum, c);
        }
        return sum;
    }

    /// d(x y) = dx y + x dy
    constexpr int by_factors(node const& n) {
        dims const loop = broadcast(b, dims(b.shape_of(n.in[0])), dims(b.shape_of(n.in[1])));
        auto product = [&](int t, int other) {
            if (t < 0) return -1;
            return b.real(t).sum_of_products(b, t, other, n.attr.axes, loop);
        };
        return add(product(of(n.in[0]), n.in[1]), product(of(n.in[1]), n.in[0]));
    }

    constexpr int under_view(node const& n, int t) {
        if (n.op->form == view_form::axes) return emit_with<axes_op>(b, t, n.attr);
        if (n.op->form == view_form::reshape) {
            if (b.is_scalar(t)) return emit_reshape(b, t, dims{});
            return emit_reshape(b, whole(t, n.in[0]), dims(b.shapes.items[n.shape]));
        }
        if (n.op->form == view_form::windows)
            return b.is_scalar(t) ? emit_reshape(b, t, dims{}) : again_on(n, whole(t, n.in[0]));
        int const axis = static_cast<int>(n.attr.axes);
        if (b.shape_of(t).from_right(axis) == 1) return t;
        std::int64_t const length = b.shapes.items[n.shape].from_right(axis), by = n.attr.step();
        return emit_slice(b, t, axis, n.attr.first(), length, by);
    }

    /// The same done to a tangent. Of half it is a float.
    constexpr int again_on(node const& n, int t) {
        auto const of = [&](auto op) { return emit_with<decltype(op)>(b, t, n.attr); };
        if (n.kind != node_kind::padded) return of(windows_op{});
        return n.attr.shift() != 0 ? of(rolled_op{}) : of(padded_op{});
    }

    /// What is put somewhere is written, or added, there; zeros where it does not move.
    constexpr int put_together(node const& n) {
        bool const adds = n.attr.adds();
        int base = of(n.in[0]), part = of(n.in[1]);
        if (part < 0 && adds) return base;
        dtype const type = b.nodes.items[base < 0 ? part : base].type;
        base = base < 0 ? b.blank(n.shape, type) : whole(base, n.in[0]);
        part = part < 0 ? b.blank(b.nodes.items[n.in[1]].shape, type) : whole(part, n.in[1]);
        return emit_put(b, base, part, n.in[2], adds);
    }

    /// An operation that is done to each item: the tangent of one item, for all of them.
    constexpr int by_items(int y, node const& n) {
        list<int> items, arrays, inputs, tangents, result;
        auto item_of = [&](int id) {
            arrays.push(id);
            items.push(emit_item(b, id));
            return items.back();
        };
        node one = n;
        --one.item_axes;
        for (int j = 0; j < n.arity(); ++j) {
            if (b.is_constant(n.in[j])) continue;
            one.in[j] = item_of(n.in[j]);
            if (of(n.in[j]) < 0) continue;
            inputs.push(one.in[j]);
            tangents.push(item_of(whole(of(n.in[j]), n.in[j])));
        }
        dims const d = b.shapes.items[n.shape];
        one.shape = b.intern(axis_map::without(d.rank, std::int64_t{1} << (d.rank - 1)).apply(d));
        result.push(b.push(one));
        items.push(result[0]);
        arrays.push(y);
        int const t = push_forward(b, result, inputs, tangents)[0];
        if (t < 0) return -1;
        result[0] = t;
        int const all = batch(b, result, items, arrays)[0];
        return all < 0 ? t : all;
    }

    /// What flows back is linear in the cotangent u, so its derivative by u is the map forward:
    /// d/du sum over j of <pullback(u)_j, t_j>, in which u itself stands no longer.
    constexpr int by_transposing_twice(int y, node const& n) {
        dtype const type = computed_dtype(n.type);
        int const blank = b.blank(n.shape, type);
        int const u = emit_with<parameter_op>(b, blank, attribute::labelled(++b.barrier));
        int out[max_inputs]{-1, -1, -1, -1, -1};
        n.op->pullback(b, y, u, n, out);
        if (b.is_refused) return -1;
        list<int> roots, seeds, wanted;
        wanted.push(u);
        for (int j = 0; j < n.arity(); ++j) {
            if (out[j] < u || of(n.in[j]) < 0) continue;
            roots.push(out[j]);
            seeds.push(sum_to_operand(b, of(n.in[j]), dims(b.shape_of(n.in[j])), dims(b.shape_of(out[j]))));
        }
        return differentiate(b, roots, seeds, wanted)[0];
    }
};

/// The tangents of `ys`, in their shapes, where `inputs` have the tangents given; appended to the graph. -1 where a y
/// does not depend on the inputs.
constexpr list<int> push_forward(builder& b, list<int> const& ys, list<int> const& inputs, list<int> const& tangents) {
    int first = b.nodes.size(), last = -1;
    for (int x : inputs) first = x < first ? x : first;
    for (int y : ys) last = y > last ? y : last;
    int const size = (first > last ? first : last) + 1;
    list<char> needed(size, 0);
    forward_sweep sweep(b, size);
    for (int k = 0; k < inputs.size(); ++k)
        if (inputs[k] < size) sweep.of(inputs[k]) = tangents[k];
    for (int y : ys) needed.items[y] = 1;
    for (int i = last; i >= first; --i) {
        node const& n = b.nodes.items[i];
        if (!needed.items[i] || sweep.of(i) >= 0) continue;
        for (int j = forward_sweep::first_moving(n); j < n.arity(); ++j) needed.items[n.in[j]] = 1;
    }
    for (int i = first; i <= last; ++i)
        if (needed.items[i] && sweep.of(i) < 0 && b.nodes.items[i].has_op()) sweep.of(i) = sweep.push(i);
    if (b.is_refused) b.refusal();
    list<int> r;
    for (int y : ys) r.push(sweep.of(y) < 0 ? -1 : emit_expand(b, sweep.of(y), dims(b.shape_of(y))));
    return r;
}

}  // namespace tapeless::detail::graph_part
