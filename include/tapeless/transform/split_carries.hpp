// SPDX-License-Identifier: MIT
#pragma once
// Carries of a loop that are short arrays, which its body takes apart and puts together again (the state of a
// differential equation): every element becomes a carry of its own, and what the body does to them it does element by
// element. Steps then read and write numbers, and the backward pass keeps of them those it needs.

#include <tapeless/graph/by_element.hpp>
#include <tapeless/transform/bodies.hpp>

namespace tapeless::detail::inline transform_part {

/// The body of a loop before it is cut out: `inputs` are its placeholders, the carries first; `operands` what they
/// begin with; `outputs` the next carries; `others` what else it gives.
class split_carries {
public:
    constexpr split_carries(builder& b, list<int>& inputs, list<int>& operands, list<int>& outputs, list<int>& others)
        : b_(b), pieces_(outputs.size(), 1) {
        int const carries = outputs.size();
        bool any = false;
        first_ = nodes_ = b.nodes.size();
        for (int k = 0; k < carries; ++k) {
            if (inputs.items[k] < first_) first_ = inputs.items[k];
            any = any || is_short(inputs.items[k]);
        }
        if (!any) return;
        find_live(outputs, others);
        if (!find_made()) return;
        any = false;
        for (int k = 0; k < carries; ++k) {
            int const p = inputs.items[k];
            int const o = outputs.items[k];
            if (!is_short(p) || o < first_ || !made_.items[o - first_] || !is_taken_apart(p)) continue;
            pieces_.items[k] = length(p);
            any = true;
        }
        if (any) rewrite(inputs, operands, outputs, others);
    }

    /// The last carries, in a tree like the first.
    template <class A>
    constexpr A take_last(A tree, int call) const {
        int k = 0, r = 0;
        each_leaf(tree, [&](auto& s) {
            dims d = b_.shape_of(s.id);
            dtype const type = b_.nodes.items[s.id].type;
            int const count = pieces_.items[k++];
            if (count == 1) {
                s.id = emit_result(b_, call, r++, d, type);
            } else {
                list<int> elements;
                for (int e = 0; e < count; ++e) elements.push(emit_result(b_, call, r++, without_last(d), type));
                s.id = emit_together(elements.items, d);
            }
        });
        return tree;
    }

private:
    builder& b_;
    list<int> pieces_;  ///< how many carries become of each
    int first_ = 0, nodes_ = 0;
    // of nodes from first_ on:
    list<char> live_, made_;  ///< made: put together from elements, or computed with what is
    list<int> to_, at_;       ///< what it has become; where its elements are in the list
    list<int> elements_;

    constexpr int length(int i) const {
        dims const& d = b_.shape_of(i);
        std::int64_t const e = d.rank == 0 ? 1 : b_.resolve(d.from_right(0));
        return e >= 1 && e <= by_element::most_elements ? static_cast<int>(e) : 0;
    }
    constexpr bool is_short(int i) const { return length(i) > 1 && is_floating(b_.nodes.items[i].type); }
    constexpr bool takes_element(node const& n) const {
        return n.is_slice() && n.item_axes == 0 && n.attr.axes == 0 && n.attr.offset >= 0 &&
               b_.shapes.items[n.shape].from_right(0) == 1;
    }
    constexpr bool puts_element(node const& n) const {
        if (n.kind != node_kind::put || n.item_axes != 0 || n.attr.adds()) return false;
        node const& w = b_.nodes.items[n.in[2]];
        return takes_element(w) && b_.nodes.items[w.in[0]].kind == node_kind::blank;
    }
    constexpr bool computes_elements(node const& n) const {
        return n.kind == node_kind::elementwise && n.item_axes == 0 && n.op->cost <= by_element::most_cost &&
               b_.nodes.items[n.in[0]].type != dtype::b8;
    }
    constexpr void find_live(list<int> const& outputs, list<int> const& others) {
        live_ = list<char>(nodes_ - first_, 0);
        auto need = [&](int i) {
            if (i >= first_) live_.items[i - first_] = 1;
        };
        for (int o : outputs) need(o);
        for (int o : others) need(o);
        for (int i = nodes_ - 1; i >= first_; --i)
            if (live_.items[i - first_])
                for (int j = 0, n = b_.nodes.items[i].arity(); j < n; ++j) need(b_.nodes.items[i].in[j]);
    }
    /// Whether there are few enough of them.
    constexpr bool find_made() {
        made_ = list<char>(nodes_ - first_, 0);
        int elements = 0;
        for (int i = first_; i < nodes_; ++i) {
            node const& n = b_.nodes.items[i];
            if (!live_.items[i - first_] || !is_short(i)) continue;
            elements += length(i);
            char& made = made_.items[i - first_];
            if (n.kind == node_kind::put) made = puts_element(n);
            else if (computes_elements(n))
                for (int j = 0, count = n.arity(); j < count; ++j)
                    if (n.in[j] >= first_ && made_.items[n.in[j] - first_]) made = 1;
        }
        return elements <= by_element::most_nodes;
    }
    /// Whether p, or what is computed with it, is taken apart, and nobody needs it as an array.
    constexpr bool is_taken_apart(int p) const {
        list<char> with_p(nodes_ - p, 0);
        with_p.items[0] = 1;
        bool apart = false;
        for (int i = p + 1; i < nodes_; ++i) {
            if (!live_.items[i - first_]) continue;
            node const& n = b_.nodes.items[i];
            bool uses = false;
            for (int j = 0, count = n.arity(); j < count; ++j)
                uses = uses || (n.in[j] >= p && with_p.items[n.in[j] - p]);
            if (!uses) continue;
            if (takes_element(n)) apart = true;
            else if (computes_elements(n) && is_short(i)) with_p.items[i - p] = 1;
            else return false;
        }
        return apart;
    }

    constexpr void rewrite(list<int>& inputs, list<int>& operands, list<int>& outputs, list<int>& others) {
        to_ = at_ = list<int>(nodes_ - first_, -1);
        list<int> new_inputs, new_operands, new_outputs;
        for (int k = 0; k < inputs.size(); ++k) {
            int const p = inputs.items[k];
            if (k >= pieces_.size() || pieces_.items[k] == 1) {
                new_inputs.push(p);
                new_operands.push(operands.items[k]);
                continue;
            }
            dims const d = without_last(b_.shape_of(p));
            at_.items[p - first_] = elements_.size();
            for (int e = 0; e < pieces_.items[k]; ++e) {
                elements_.push(emit_placeholder(b_, d, b_.nodes.items[p].type));
                new_inputs.push(elements_.back());
                new_operands.push(dropped(emit_slice(b_, operands.items[k], 0, e, 1, 1)));
            }
        }
        for (int k = inputs.size(); k < operands.size(); ++k) new_operands.push(operands.items[k]);
        for (int i = first_; i < nodes_; ++i)
            if (live_.items[i - first_] && at_.items[i - first_] < 0) emit_again(i);
        for (int k = 0; k < outputs.size(); ++k) {
            int const o = outputs.items[k];
            if (pieces_.items[k] == 1) new_outputs.push(whole(o));
            else
                for (int e = 0; e < pieces_.items[k]; ++e)
                    new_outputs.push(emit_expand(b_, element_of(o, e), without_last(b_.shape_of(o))));
        }
        for (int& o : others) o = whole(o);
        for (int i = 0, n = b_.index_checks.size(); i < n; ++i) {
            index_check const c = b_.index_checks.items[i];
            int const index = moved(c.index), lengths = c.lengths < 0 ? -1 : moved(c.lengths);
            if (index != c.index || lengths != c.lengths)
                b_.check_index(index, dims(b_.shapes.items[c.shape]), c.rule, lengths);
        }
        for (int i = 0, n = b_.remade.size(); i < n; ++i) {
            made_again const m = b_.remade.items[i];
            if (moved(m.value) != m.value || moved(m.by) != m.by) b_.remade.push({moved(m.value), moved(m.by)});
        }
        inputs = new_inputs;
        operands = new_operands;
        outputs = new_outputs;
    }
    constexpr int moved(int i) const {
        return i >= first_ && i < nodes_ && to_.items[i - first_] >= 0 ? to_.items[i - first_] : i;
    }
    constexpr bool is_split(int i) const { return i >= first_ && i < nodes_ && at_.items[i - first_] >= 0; }
    constexpr int whole(int i) {
        if (is_split(i) && to_.items[i - first_] < 0) {
            to_.items[i - first_] = emit_together(elements_.items + at_.items[i - first_], dims(b_.shape_of(i)));
        }
        return moved(i);
    }
    static constexpr dims without_last(dims d) {
        --d.rank;
        return d;
    }
    /// x without its last axis, of extent 1.
    constexpr int dropped(int x) const {
        int const rank = b_.shape_of(x).rank;
        if (rank == 0) return x;
        axis_map m = axis_map::of_rank(rank - 1);
        for (int k = 0; k < rank - 1; ++k) m.set(k, k + 1);
        return emit_with<axes_op>(b_, x, attribute{.axes = m.bits});
    }
    /// An element of an array of shape d, with an extent of 1 along the last axis.
    constexpr int sized(int element, dims const& d) const {
        axis_map m = axis_map::of_rank(d.rank);
        for (int k = 1; k < d.rank; ++k) m.set(k, k - 1);
        int const whole = emit_expand(b_, element, without_last(d));
        if (b_.is_constant(whole)) {
            dims one = d;
            one.extent[d.rank - 1] = 1;
            return emit_expand(b_, whole, one);
        }
        return emit_with<axes_op>(b_, whole, attribute{.axes = m.bits});
    }
    /// Element e along the last axis, which it has not.
    constexpr int element_of(int i, std::int64_t e) {
        if (is_split(i)) return elements_.items[at_.items[i - first_] + static_cast<int>(e)];
        node const& n = b_.nodes.items[i];
        if (n.kind == node_kind::constant || b_.shape_of(i).from_right(0) == 1) return dropped(whole(i));
        if (n.kind == node_kind::blank) return b_.constant(0, n.type);
        return dropped(emit_slice(b_, whole(i), 0, e, 1, 1));
    }
    /// Node i on what its operands have become.
    constexpr void emit_again(int i) {
        node n = b_.nodes.items[i];
        bool split = false, changed = false;
        for (int j = 0, count = n.arity(); j < count; ++j) {
            split = split || is_split(n.in[j]);
            changed = changed || is_split(n.in[j]) || moved(n.in[j]) != n.in[j];
        }
        if (is_short(i) && (puts_element(n) ? made_.items[i - first_] != 0 : split && computes_elements(n))) {
            list<int> made;
            for (int e = 0, count = length(i); e < count; ++e) made.push(compute(n, e));
            at_.items[i - first_] = elements_.size();
            for (int e : made) elements_.push(e);
        } else if (split && takes_element(n)) {
            to_.items[i - first_] = sized(element_of(n.in[0], n.attr.offset), dims(b_.shapes.items[n.shape]));
        } else if (changed) {
            for (int j = 0, count = n.arity(); j < count; ++j) n.in[j] = whole(n.in[j]);
            to_.items[i - first_] = n.item_axes > 0 ? emit_for_items(b_, n) : b_.emit(*n.op, n);
        }
    }
    constexpr int compute(node n, std::int64_t e) {
        if (n.kind == node_kind::put)
            return b_.nodes.items[n.in[2]].attr.offset == e ? dropped(whole(n.in[1])) : element_of(n.in[0], e);
        if (n.op->same_value) { n.attr.shape = b_.intern(without_last(b_.shapes.items[n.attr.shape])); }
        for (int j = 0; j < n.arity(); ++j) n.in[j] = element_of(n.in[j], e);
        return b_.emit(*n.op, n);
    }
    /// The array of shape d whose elements along the last axis these are.
    constexpr int emit_together(int const* element, dims const& d) const {
        list<int> parts;  // made first: lists grow
        for (std::int64_t e = 0; e < b_.resolve(d.from_right(0)); ++e) parts.push(sized(element[e], d));
        int const zeros = b_.blank(b_.intern(d), b_.nodes.items[parts[0]].type);
        int all = zeros;
        for (int e = 0; e < parts.size(); ++e)
            all = emit_put(b_, all, parts[e], emit_slice(b_, zeros, 0, e, 1, 1), false);
        return all;
    }
};

}  // namespace tapeless::detail::transform_part
