// SPDX-License-Identifier: MIT
#pragma once
// The diagonal of a Hessian: one direction for all elements that have nothing to do with one another, and where they
// have, direction by direction, so many at a time as memory allows.

#include <tapeless/graph/apart.hpp>
#include <tapeless/transform/bodies.hpp>
#include <tapeless/transform/jacobian.hpp>

namespace tapeless {

/// Refuses a tree where an array or a number is needed.
template <class F, int Argument>
struct jacobian_by_a_tree {
    static_assert(never<F>, "hessian_diagonal: the argument is an array or a number, not a tree of them");
};

namespace detail::inline transform_part {

/// The diagonal of dy/dx, where y has the shape of x.
template <class T>
class diagonal_of {
public:
    constexpr diagonal_of(builder& graph, int y, int x) : b(graph), x_(x), d_(b.shape_of(x)) {
        int const t = emit_placeholder(b, d_, dtype_of<T>()), r = push(y, t);
        if (r < t) return;  // y does not depend on x, or not but for a constant
        apart_axes const all(b, t, r);
        if (!all.depends(r)) return;
        axes_ = all.mixed(r);
        std::int64_t directions = 1;
        for (int k = 0; k < d_.rank; ++k)
            if (axes_ >> k & 1) directions = b.product(directions, d_.from_right(k));
        std::int64_t const together = directions >= 0 && directions <= few ? directions : block(all, t, r, directions);
        if (axes_ == 0) id = push(y, b.constant(1, dtype_of<T>()));
        else if (together == directions) id = at_once(t, r, directions);
        else if (together >= 0 && directions >= 0) id = in_blocks(t, r, directions, together);
        else id = by_length(t, r, directions, together);
    }
    int id = -1;  ///< none: it is 0

private:
    using P = position_of<T>;
    /// So few directions are followed at once, whatever they take.
    static constexpr std::int64_t few = 16;
    /// Otherwise so many that no array has more elements than these: products are as wide as they need to be, and the
    /// work of a block is some milliseconds.
    static constexpr std::int64_t most_elements = std::int64_t{1} << 20;

    builder& b;
    int x_;
    dims d_;
    std::int64_t axes_ = 0;  // of x: a direction has a one at one index along them, and along the others at all

    /// What y moves by in the direction of t.
    constexpr int push(int y, int t) {
        list<int> const ys(1, y), xs(1, x_), tangents(1, t);
        return push_forward(b, ys, xs, tangents)[0];
    }

    /// The larger of two lengths.
    constexpr std::int64_t larger(std::int64_t x, std::int64_t y) { return b.sum(x, b.difference(y, x)); }
    /// Whether a has all axes of c, and perhaps others.
    static constexpr bool covers(dims const& a, dims const& c) {
        for (int k = 0; k < c.rank; ++k)
            if (c.from_right(k) != 1 && c.from_right(k) != a.from_right(k)) return false;
        return true;
    }
    /// Which of the nodes from t to r may be arrays: not those that only one sum needs, which are its terms.
    constexpr list<char> may_be_stored(apart_axes const& all, int t, int r) const {
        list<char> stored(r - t + 1, 0);
        list<int> uses(r - t + 1, 0);
        stored.items[r - t] = 1;
        uses.items[r - t] = 1;
        for (int i = r; i > t; --i) {
            node const& n = b.nodes.items[i];
            if (uses.items[i - t] == 0 || !all.depends(i)) continue;
            bool const one = uses.items[i - t] == 1 && n.computes_elements();
            stored.items[i - t] = n.is_written_by_a_loop() && (stored.items[i - t] || !one);
            bool const terms = n.kind == node_kind::reduce || (n.computes_elements() && !stored.items[i - t]);
            for (int j = 0; j < n.arity(); ++j)
                if (all.depends(n.in[j])) ++uses.items[n.in[j] - t], stored.items[n.in[j] - t] |= !terms;
        }
        return stored;
    }
    /// How many directions are followed at once.
    constexpr std::int64_t block(apart_axes const& all, int t, int r, std::int64_t directions) {
        list<dims> largest;
        largest.push(d_);
        list<char> const stored = may_be_stored(all, t, r);
        for (int i = t + 1; i <= r; ++i) {
            if (!stored.items[i - t]) continue;
            dims const d = b.shape_of(i);
            bool is_new = true;
            for (dims& known : largest) {
                is_new = is_new && !covers(known, d);
                if (covers(d, known)) known = d, is_new = false;
            }
            if (is_new) largest.push(d);
        }
        std::int64_t size = 1;
        for (dims const& d : largest) {
            std::int64_t elements = 1;
            for (int k = 0; k < d.rank; ++k) elements = b.product(elements, d.from_right(k));
            size = larger(size, elements);
        }
        std::int64_t const some = b.derived({.rule = length_rule::quotient, .a = most_elements, .b = size});
        return b.derived({.rule = length_rule::minimum, .a = directions, .b = larger(1, some)});
    }

    /// What so many directions, from number `first` on, do to the elements that they move themselves; 0 elsewhere.
    constexpr int own(int t, int r, std::int64_t directions, int first) {
        node_ref<P> const from(&b, first), next(&b, emit_position<T>(b, directions, d_.rank + 1, d_.rank));
        int const mask = (next + from == positions<T, P>(node_ref<T>(&b, x_), axes_)).id;
        int const ones = operation_table<cast_op<T>, bool>::emit(b, {}, {mask});
        list<int> const ys(1, r), item(1, t), units(1, emit_expand(b, ones, with_leading(b, directions, d_)));
        int const moved = batch(b, ys, item, units)[0];
        int const sum = emit_sum<T>(b, emit_masked<T>(b, mask, moved), std::int64_t{1} << d_.rank);
        return emit_axes(b, sum, axis_map::without(d_.rank + 1, std::int64_t{1} << d_.rank));
    }

    constexpr int at_once(int t, int r, std::int64_t directions) {
        return own(t, r, directions, b.constant(0, dtype_of<P>()));
    }
    constexpr node_ref<P> number(std::int64_t length) {
        dims d;
        d.rank = 1;
        d.extent[0] = length;
        return node_ref<P>(&b, emit_count<P>(b, d, 1));
    }
    /// A loop over blocks of directions, which adds up what they find.
    constexpr int in_blocks(int t, int r, std::int64_t directions, std::int64_t together) {
        list<int> inputs, operands, outputs, captured;
        int const before = b.nodes.size();  // what comes from here on is positions, which are not stored
        inputs.push(emit_placeholder(b, dims{}, dtype_of<P>()));
        inputs.push(emit_placeholder(b, d_, dtype_of<T>()));
        operands.push(b.constant(0, dtype_of<P>()));
        operands.push(emit_expand(b, b.constant(0, dtype_of<T>()), d_));
        outputs.push((node_ref<P>(&b, inputs[0]) + number(together)).id);
        outputs.push(emit_binary<add_op, T>(b, inputs[1], own(t, r, together, inputs[0])));
        find_captured(b, inputs, outputs, before, captured, true);
        call_info c;
        c.name = "hessian_diagonal";
        c.form = call_form::loop;
        c.carries = 2;
        c.steps = b.derived(
            {.rule = length_rule::quotient, .a = b.sum(directions, b.difference(together, 1)), .b = together});
        c.results.push({result_form::last, 0});
        c.results.push({result_form::last, 1});
        c.body[0] = cut_body(b, inputs, captured, outputs);
        for (int k : captured) operands.push(emit_operand(b, k));
        hoist_index_checks(b, c.body[0], operands, c.carries);
        return emit_result(b, emit_call(b, c, operands), 1, d_, dtype_of<T>());
    }

    /// Only run time knows which: all at once gains where products with unit matrices are no products.
    constexpr int by_length(int t, int r, std::int64_t directions, std::int64_t together) {
        list<int> captured, operands(1, emit_condition(b, number(together) == number(directions)));
        list<int> const inputs;
        int const before = b.nodes.size();
        list<int> const all(1, at_once(t, r, directions)), some(1, in_blocks(t, r, directions, together));
        find_captured(b, inputs, all, before, captured, true);
        find_captured(b, inputs, some, before, captured, true);
        call_info c;
        c.name = "hessian_diagonal";
        c.form = call_form::either;
        c.steps = b.derived({.rule = length_rule::quotient, .a = together, .b = directions});  // 0: in blocks
        c.results.push({result_form::plain, 0});
        c.body[0] = cut_body(b, inputs, captured, all);
        c.body[1] = cut_body(b, inputs, captured, some);
        for (int k : captured) operands.push(emit_operand(b, k));
        return emit_result(b, emit_call(b, c, operands), 0, d_, dtype_of<T>());
    }
};

template <class F, int I>
using gradient_function = typename transformed<F, wanted::gradients, I>::function;

/// The diagonal comes back as what the argument is.
template <class F, int I>
struct diagonal_function {
    static constexpr std::array<int, 1> result_like{I};
    template <class... A>
    constexpr auto operator()(A const&... a) const {
        constexpr int n = static_cast<int>(sizeof...(A));
        if constexpr (I >= n) refuse(because<no_such_argument<F, I, n>>{});
        else if constexpr (!expression<typename nth_type<I, A...>::type>) refuse(because<jacobian_by_a_tree<F, I>>{});
        else return std::make_tuple(at(std::tuple<A...>(a...)));
    }
    template <class R>
    static constexpr R form(std::tuple<R>&& r) {
        return std::get<0>(std::move(r));
    }

private:
    /// Argument I becomes a parameter x of the graph; y is the gradient by it.
    template <class... A>
    static constexpr auto at(std::tuple<A...> arguments) {
        auto& x = std::get<static_cast<std::size_t>(I)>(arguments);
        using X = std::remove_cvref_t<decltype(x)>;
        builder& b = *x.graph;
        list<int> parameters;
        make_parameters(b, x, parameters);
        auto const value = settled(
            b, let_all(detail::with_parts([](auto const&... e) { return gradient_function<F, I>{}(e...); },
                                          arguments)));
        if constexpr (!floating_expression<std::remove_const_t<decltype(value)>>) {
            refuse(because<jacobian_of_several_results<F>>{});
        } else {
            auto const y = let(widened(value));
            using T = typename std::remove_const_t<decltype(y)>::value_type;
            diagonal_of<T> const r(b, y.id, x.id);
            return X(&b, r.id >= 0 ? r.id : emit_expand(b, b.constant(0, dtype_of<T>()), dims(b.shape_of(x.id))));
        }
    }
};
}  // namespace detail::transform_part

/// hessian_diagonal<I>(f)(args...): the second derivative of f by each element of argument I, as an array like it.
/// Where elements have nothing to do with one another, or only those of a row, along all axes but some, it is the
/// Hessian times ones, one product for each index along those; otherwise the work is that of the Hessian. It is not
/// stored: where it is large, it is computed some rows at a time.
template <int I = 0, class F>
constexpr auto hessian_diagonal(F const&) {
    using G = detail::plain_function<F>;
    if constexpr (detail::is_stateless<G>()) return fused(detail::diagonal_function<G, I>{});
}

}  // namespace tapeless
