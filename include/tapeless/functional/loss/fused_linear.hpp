// SPDX-License-Identifier: MIT
#pragma once
// fused_linear_cross_entropy: the cross entropy of a linear layer's scores, which never exist all at once.

#include <tapeless/functional/loss/classes.hpp>
#include <tapeless/functional/loss/linear_sweep.hpp>

namespace tapeless {

/// Refuses operands that are no linear layer and its targets.
template <class Input, class Weight, class Bias, class Target>
struct fused_linear_cross_entropy_shapes_differ {
    static_assert(never<Input>, "fused_linear_cross_entropy: input (n, d), weight (c, d), bias (c), targets (n)");
};
/// Called by no one: differentiate cross_entropy(linear(input, weight, bias), target) twice.
inline void fused_linear_cross_entropy_has_no_second_derivative() {}

namespace detail::inline functional_part {

/// What the operations with and without gradients share. The attribute holds the label smoothing, the target that is
/// ignored, and the shape of the scratch.
template <class Op>
struct linear_cross_entropy_base : custom_loop<"fused_linear_cross_entropy"> {
    template <class T, class...>
    static constexpr int scratch_element = static_cast<int>(sizeof(T));

    static constexpr dims shape(builder& b, node const& n) {
        dims const x = b.shape_of(n.in[0]), w = b.shape_of(n.in[1]), bias = b.shape_of(n.in[2]),
                   t = b.shape_of(n.in[3]);
        (void)b.same(x.from_right(0), w.from_right(0));
        if (bias.rank > 0) (void)b.same(bias.from_right(0), w.from_right(1));
        (void)b.same(x.from_right(1), t.from_right(0));
        dims limit;
        limit.rank = 1;
        limit.extent[0] = w.from_right(1);
        b.check_index(n.in[3], limit, {"fused_linear_cross_entropy", "index", n.attr.axes});
        return t;
    }
    /// Room for the sweep over arrays of these shapes, as the number of a shape.
    template <class T>
    static constexpr int room(builder& b, dims const& x, dims const& w) {
        dims d;
        d.rank = 1;
        d.extent[0] = sweep_blocks<T>::room(b, x.from_right(1), x.from_right(0), w.from_right(1));
        return b.intern(d);
    }
};

/// The losses of rows again, and in the same sweep what flows back through them: to the input, the weight and the bias.
struct linear_cross_entropy_sweep_op : linear_cross_entropy_base<linear_cross_entropy_sweep_op> {
    static constexpr void (*refusal)() = &fused_linear_cross_entropy_has_no_second_derivative;
    template <class T, class, class, class I, class>
    static void run(strided const* in, strided const* out, attribute const& at, void* scratch) {
        linear_sweep<T, I>(in, out, static_cast<T>(at.smoothing()), at.axes, scratch)
            .run(in[4], out[1], out[2], out[3]);
    }
    static constexpr auto pullback(auto g, auto, auto, auto, auto, auto, auto, attribute const&) {
        g.graph->refuse_later(refusal);
        return cotangents(no_cotangent{}, no_cotangent{}, no_cotangent{}, no_cotangent{}, no_cotangent{});
    }
};
/// The loss of each row: log(sum(e^s)) - s[t] with scores s = weight x + bias; 0 where the target is ignored.
struct linear_cross_entropy_op : linear_cross_entropy_base<linear_cross_entropy_op> {
    template <class T, class, class, class I>
    static void run(strided const* in, strided const* out, attribute const& at, void* scratch) {
        linear_sweep<T, I>(in, out, static_cast<T>(at.smoothing()), at.axes, scratch).run();
    }
    static constexpr auto pullback(auto g, auto y, auto x, auto w, auto bias, auto target, attribute const& at) {
        using T = typename decltype(x)::value_type;
        using I = typename decltype(target)::value_type;
        using sweep = linear_cross_entropy_sweep_op;
        builder& b = *x.graph;
        int const rows = emit_expand(b, g.id, dims(b.shape_of(y.id)));
        auto const again = emit_custom_loop<sweep, T, T, T, I, T>(b, at, {x.id, w.id, bias.id, target.id, rows});
        b.remade.push({y.id, again.id});
        auto part = [&]<int K>(std::integral_constant<int, K>, int of) {
            return emit_part<K, sweep, T>(again, b.nodes.items[of].shape);
        };
        return cotangents(part(std::integral_constant<int, 1>{}, x.id), part(std::integral_constant<int, 2>{}, w.id),
                          part(std::integral_constant<int, 3>{}, bias.id), no_cotangent{});
    }
    /// Forward, each row is the sum over classes of (softmax(s) - target) ds; here the scores do exist.
    static constexpr auto pushforward(auto, auto x, auto w, auto bias, auto target, auto dx, auto dw, auto dbias, auto,
                                      attribute const& at) {
        using T = typename decltype(x)::value_type;
        using I = typename decltype(target)::value_type;
        builder& b = *x.graph;
        auto const scores = linear(x, w, bias);
        std::int64_t const classes = b.shape_of(w.id).from_right(1);
        auto const hit = emit_is_class<T, I, "fused_linear_cross_entropy">(b, target.id, 0, classes, at.axes);
        auto const slope =
            softmax<1>(scores) - (1 - at.smoothing()) * cast<T>(hit) - at.smoothing() / count_of(scores, 1);
        auto const moved = linear(dx, w) + linear(x, dw) + dbias;
        return where(target != static_cast<I>(at.axes), sum<1>(slope * moved), 0.0);
    }
};

/// From an expression to the operation: only the graph can say how much room there has to be.
struct linear_rows_op : composed<"fused_linear_cross_entropy"> {
    template <class... T>
    using result = typename nth_type<0, T...>::type;
    template <class T>
    static constexpr int simplify(builder& b, node const& n) {
        attribute at = n.attr;
        dims const x = b.shape_of(n.in[0]), w = b.shape_of(n.in[1]);
        at.shape = linear_cross_entropy_op::room<T>(b, x, w);
        std::array<int, 4> const in{n.in[0], n.in[1], n.in[2], n.in[3]};
        if (b.nodes.items[n.in[3]].type == dtype::i32)
            return emit_custom_loop<linear_cross_entropy_op, T, T, T, std::int32_t>(b, at, in).id;
        return emit_custom_loop<linear_cross_entropy_op, T, T, T, std::int64_t>(b, at, in).id;
    }
};

template <class Input, class Weight, class Bias, class Target>
constexpr bool is_linear_layer() {
    if constexpr (Input::rank != 2 || Weight::rank != 2 || Bias::rank > 1 || Target::rank != 1) return false;
    else {
        auto same = [](std::int64_t a, std::int64_t b) { return a < 0 || b < 0 || a == b; };
        dims const x = dims_of<Input>(), w = dims_of<Weight>();
        return same(x.from_right(0), w.from_right(0)) && same(x.from_right(1), dims_of<Target>().from_right(0)) &&
               (Bias::rank == 0 || same(dims_of<Bias>().from_right(0), w.from_right(1)));
    }
}

template <loss::reduction R, class X, class W, class B, class Target>
constexpr auto fused_linear_cross_entropy(X const& x, W const& w, B const& bias, Target const& target,
                                          loss::cross_entropy_options const& o) {
    using T = computed<typename X::value_type>;
    using rows_op = linear_rows_op;
    using bias_shape = operand_shape<B>;
    if constexpr (!is_linear_layer<typename X::shape_type, typename W::shape_type, bias_shape,
                                   typename Target::shape_type>())
        refuse(because<fused_linear_cross_entropy_shapes_differ<typename X::shape_type, typename W::shape_type,
                                                                bias_shape, typename Target::shape_type>>{});
    refuse(because<elements_refused<rows_op, T, W, B>>{});
    refuse(because<check_index_types<rows_op, T, typename Target::value_type>>{});
    auto const t = let(target);
    auto const rows = keep_rows<T, R>(t, no_weight{}, o.ignore_index);
    check_label_smoothing(o.label_smoothing);
    attribute const at{.axes = o.ignore_index, .number = o.label_smoothing};
    return rows.reduced(
        apply_custom_loop<rows_op, typename Target::shape_type>(at, widened(x), widened(w), as_operand<T>(bias), t));
}
}  // namespace detail::functional_part

namespace loss {

/// cross_entropy(linear(input, weight), target) for an input (n, d), a weight (c, d) and class indices (n). The n c
/// scores never exist together: some rows at a time are compared with all classes, and the gradients of input and
/// weight are made in the same sweep. For many classes, where the scores would not fit the memory; there is no second
/// derivative.
template <reduction R = reduction::mean, expression X, expression W, expression Target>
    requires std::integral<typename Target::value_type>
constexpr auto fused_linear_cross_entropy(X const& input, W const& weight, Target const& target,
                                          cross_entropy_options const& options = {}) {
    return detail::fused_linear_cross_entropy<R>(input, weight, 0.0, target, options);
}
/// The same with a bias (c): cross_entropy(linear(input, weight, bias), target).
template <reduction R = reduction::mean, expression X, expression W, expression Bias, expression Target>
constexpr auto fused_linear_cross_entropy(X const& input, W const& weight, Bias const& bias, Target const& target,
                                          cross_entropy_options const& options = {}) {
    return detail::fused_linear_cross_entropy<R>(input, weight, bias, target, options);
}

}  // namespace loss
}  // namespace tapeless
