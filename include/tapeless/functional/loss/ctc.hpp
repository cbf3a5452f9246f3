// SPDX-License-Identifier: MIT
#pragma once
// The ctc loss (connectionist temporal classification): of sequences whose labels are known, but not where they stand.

#include <tapeless/functional/loss/ctc_loops.hpp>
#include <tapeless/functional/loss/reduction.hpp>
#include <tapeless/ops/custom_loop.hpp>
#include <tapeless/ops/index_checks.hpp>

namespace tapeless {

/// Refuses arrays that do not belong together.
template <class Input, class Target, class InputLengths, class TargetLengths>
struct ctc_shapes_do_not_fit {
    static_assert(never<Input>, "ctc: log-probabilities (t, n, c) have targets (n, s), "
                                      "n lengths of inputs and n of targets");
};

namespace loss {
/// Which class is the blank, and whether samples that no path fits count as 0, with gradient 0, instead of inf.
struct ctc_options {
    std::int64_t blank = 0;
    bool zero_infinity = false;
};
}  // namespace loss

namespace detail::inline functional_part {

/// Named in the message where a second derivative of ctc is asked for.
inline void ctc_has_no_second_derivative() {}

/// What ctc and its sweep have in common: shapes, checks, scratch. The attribute holds the blank, and whether inf
/// counts as 0.
template <bool Backward>
struct ctc_base : custom_loop<"ctc"> {
    template <class...>
    static constexpr int scratch_element = sizeof(double);

    static constexpr dims shape(builder& b, node const& n) {
        dims const x = b.shape_of(n.in[0]), targets = b.shape_of(n.in[1]);
        std::int64_t samples = b.same(x.extent[1], targets.extent[0]);
        for (int j = 2; j < 4; ++j) samples = b.same(samples, b.shape_of(n.in[j]).extent[0]);
        b.check(x.extent[2], relation::at_least, n.attr.blank_class() + 1);
        b.check_index(n.in[2], vector_of(b.sum(x.extent[0], 1)), {"ctc", "input length"});
        b.check_index(n.in[3], vector_of(b.sum(targets.extent[1], 1)), {"ctc", "target length"});
        index_rule const label = index_rule("ctc", "label").refusing(n.attr.blank_class(), "the blank");
        b.check_index(n.in[1], vector_of(b.resolve(x.extent[2])), label, n.in[3]);
        return vector_of(b.resolve(x.extent[1]));
    }
    template <class>
    static constexpr int simplify(builder& b, node const& n) {
        if (n.attr.shape >= 0) return emit_in_memory(b, n);
        node m = n;
        dims d;
        d.extent[d.rank++] = Backward ? b.sum(b.shape_of(n.in[0]).extent[0], ctc_rows_beside_steps) : ctc_rows_forward;
        d.extent[d.rank++] = 6;
        d.extent[d.rank++] = b.sum(b.shape_of(n.in[1]).extent[1], ctc_margin);
        m.attr.shape = b.intern(d);
        return b.emit(*n.op, m);
    }

private:
    static constexpr dims vector_of(std::int64_t extent) {
        dims d;
        d.extent[d.rank++] = extent;
        return d;
    }
};

/// The losses again, and the cotangent of the log-probabilities: -g times the share of the paths that are at the
/// class at the step.
struct ctc_sweep_op : ctc_base<true> {
    template <class T, class I, class J, class K, class>
    static void run(strided const* in, strided const* out, attribute const& at, void* scratch) {
        run_ctc<true, T, I, J, K>(in, out, at.blank_class(), at.axes != 0, scratch);
    }
    static constexpr void (*refusal)() = &ctc_has_no_second_derivative;
    static constexpr auto pullback(auto g, auto, auto, auto, auto, auto, auto, attribute const&) {
        g.graph->refuse_later(refusal);
        return cotangents(no_cotangent{}, no_cotangent{}, no_cotangent{}, no_cotangent{}, no_cotangent{});
    }
};

/// -log of the sum of the probabilities of all paths that give the labels.
struct ctc_op : ctc_base<false> {
    template <class T, class I, class J, class K>
    static void run(strided const* in, strided const* out, attribute const& at, void* scratch) {
        run_ctc<false, T, I, J, K>(in, out, at.blank_class(), at.axes != 0, scratch);
    }
    static constexpr auto pullback(auto g, auto y, auto x, auto targets, auto steps, auto labels, attribute const& at) {
        return cotangents(slopes(g, y, x, targets, steps, labels, at), no_cotangent{}, no_cotangent{}, no_cotangent{});
    }
    /// A sample's loss depends on its own log-probabilities only: dy(n) = sum over t, c of dy(n)/dx(t, n, c) dx(t, n,
    /// c).
    static constexpr auto pushforward(auto y, auto x, auto targets, auto steps, auto labels, auto dx, auto, auto, auto,
                                      attribute const& at) {
        using T = typename decltype(x)::value_type;
        node_ref<T> const one(x.graph, emit_constant<T>(*x.graph, 1));
        return sum<0, 2>(slopes(one, y, x, targets, steps, labels, at) * dx);
    }

private:
    /// One sweep forward and back makes losses and gradient, so that where both are wanted the forward pass is not
    /// made twice.
    static constexpr auto slopes(auto g, auto y, auto x, auto targets, auto steps, auto labels, attribute const& at) {
        using T = typename decltype(x)::value_type;
        builder& b = *x.graph;
        int const full = emit_expand(b, g.id, dims(b.shape_of(y.id)));
        using I = typename decltype(targets)::value_type;
        using J = typename decltype(steps)::value_type;
        using K = typename decltype(labels)::value_type;
        auto const losses = emit_custom_loop<ctc_sweep_op, T, I, J, K, T>(
            b, attribute{.axes = at.axes, .number = at.number}, {x.id, targets.id, steps.id, labels.id, full});
        b.remade.push({y.id, losses.id});
        return emit_part<1, ctc_sweep_op, T>(losses, b.nodes.items[x.id].shape);
    }
};

template <class X, class Y, class A, class B>
constexpr bool ctc_shapes_fit() {
    if constexpr (X::rank != 3 || Y::rank != 2 || A::rank != 1 || B::rank != 1) return false;
    else {
        using samples = shape<shape_extent<1, X>::value>;
        using rows = shape<shape_extent<0, Y>::value>;
        return same_extents<samples, rows>() && same_extents<samples, A>() && same_extents<samples, B>();
    }
}
}  // namespace detail::functional_part

namespace loss {

/// -log p(labels) of log-probabilities x of shape (t, n, c): p is the sum over all sequences of t classes that are
/// the labels once repeated classes are merged and then blanks left out. The targets (n, s) hold the labels of n
/// samples, followed by anything; the lengths say how many steps and labels each sample has. The mean is that of loss
/// / max(labels, 1). For transcription (speech, handwriting), where nobody knows at which step a label stands;
/// usually of log_softmax(scores). The gradient is exact: -(the share of the paths that are at the class at the
/// step), and 0 behind a sample's steps. A sample whose labels do not fit its steps has loss inf and gradient NaN, or
/// with zero_infinity 0 and 0. A cotangent of 0 gives 0.
template <reduction R = reduction::mean, expression X, expression Target, expression InputLengths,
          expression TargetLengths>
constexpr auto ctc(X const& log_probs, Target const& targets, InputLengths const& input_lengths,
                   TargetLengths const& target_lengths, ctc_options const& options = {}) {
    static_assert(R != reduction::batchmean, "ctc: batchmean is a reduction of kl_div");
    using T = detail::computed<typename X::value_type>;
    using S = typename X::shape_type;
    using Y = typename Target::shape_type;
    using A = typename InputLengths::shape_type;
    using B = typename TargetLengths::shape_type;
    using op = detail::ctc_op;
    if constexpr (!detail::ctc_shapes_fit<S, Y, A, B>()) {
        refuse(because<ctc_shapes_do_not_fit<S, Y, A, B>>{});
        return detail::reduced<R>(log_probs);
    } else {
        if constexpr (!std::floating_point<T>) refuse(because<needs_floating_point<op, T>>{});
        refuse(because<detail::check_index_types<op, T, typename Target::value_type>>{});
        refuse(because<detail::check_index_types<op, T, typename InputLengths::value_type>>{});
        refuse(because<detail::check_index_types<op, T, typename TargetLengths::value_type>>{});
        std::int64_t const classes = detail::dims_of<S>().extent[2];
        if (options.blank < 0 || (classes >= 0 && options.blank >= classes))
            detail::raise("ctc: the blank is one of the classes, counted from 0");
        detail::attribute const at{.axes = options.zero_infinity, .number = static_cast<double>(options.blank)};
        auto const labels = let(target_lengths);
        using losses = shape<detail::shape_extent<1, S>::value>;
        auto const each =
            detail::apply_custom_loop<op, losses>(at, detail::widened(log_probs), targets, input_lengths, labels);
        if constexpr (R == reduction::mean) return mean(each / cast<T>(maximum(labels, 1)));
        else return detail::reduced<R>(each);
    }
}

}  // namespace loss
}  // namespace tapeless
