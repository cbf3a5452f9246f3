// SPDX-License-Identifier: MIT
#pragma once
// Reductions: sum, mean, max, min along compile-time axes.

#include <tapeless/ops/boundary.hpp>
#include <tapeless/ops/contract.hpp>

namespace tapeless {

/// Says that a reduction keeps the reduced axes as extents of 1: sum<1>(x, keepdims).
struct keepdims_t {};
inline constexpr keepdims_t keepdims{};

/// Refuses an axis that the operand does not have.
template <class Op, int Axis, class Shape>
struct axis_out_of_range {
    static_assert(sizeof(Op) == 0, "the axis is out of range: an array of rank r has the axes -r ... r - 1");
};
/// Refuses an axis that is named twice.
template <class Op, int Axis, class Shape>
struct axis_repeated {
    static_assert(sizeof(Op) == 0, "an axis is repeated in the list");
};
/// Refuses the maximum of no elements.
template <class Op, class Shape>
struct reduction_of_nothing {
    static_assert(sizeof(Op) == 0, "max and min need at least one element along the reduced axes");
};

namespace detail {
template <fixed_string Name, reduction Combine>
struct reduce_base {
    static constexpr auto name = Name;
    static constexpr node_kind kind = node_kind::reduce;
    static constexpr reduction combine = Combine;
    static constexpr bool has_axes = true;
    template <class T>
    using result = T;
    static constexpr dims shape(builder& b, node const& n) {
        dims d = b.shape_of(n.in[0]);
        for (int k = 0; k < d.rank; ++k) {
            if (!(n.attr.axes >> k & 1)) continue;
            std::int64_t& e = d.extent[d.rank - 1 - k];
            if (Combine != reduction::sum && e < 0) b.checks.push({static_cast<int>(~e), -2, 0});
            e = 1;
        }
        return d;
    }
    /// Over axes of extent 1 there is nothing to reduce.
    template <class>
    static constexpr int simplify(builder& b, node const& n) {
        dims const& d = b.shape_of(n.in[0]);
        for (int k = 0; k < d.rank; ++k)
            if ((n.attr.axes >> k & 1) && d.from_right(k) != 1) return -1;
        return n.in[0];
    }
};
}  // namespace detail

namespace detail {
/// Whether a shape has extent 1 along all these axes (from the right).
constexpr bool is_flat(dims const& d, std::int64_t axes) {
    for (int k = 0; k < d.rank; ++k)
        if ((axes >> k & 1) && d.from_right(k) != 1) return false;
    return true;
}
template <class T>
constexpr int simplify_sum(builder& b, node const& n);
}  // namespace detail

/// Sum over axes. The cotangent is the same for every element; the sweep stretches it. Factors and terms that do not vary
/// along the axes are taken out of the sum.
struct sum_op : detail::reduce_base<"sum", detail::reduction::sum> {
    static constexpr auto pullback(auto g, auto, auto, detail::attribute const&) { return cotangents(g); }
    template <class T>
    static constexpr int simplify(detail::builder& b, detail::node const& n) {
        int const nothing = detail::reduce_base<"sum", detail::reduction::sum>::simplify<T>(b, n);
        if (nothing >= 0) return nothing;
        if constexpr (std::floating_point<T>) return detail::simplify_sum<T>(b, n);
        else return -1;
    }
};

namespace detail {
/// Ties share the cotangent equally.
constexpr auto share_among_ties(auto g, auto y, auto x, attribute const& at) {
    using T = typename decltype(x)::value_type;
    auto hit = x == y;
    return cotangents(where(hit, g / apply_with<sum_op>(attribute{.axes = at.axes}, cast<T>(hit)), 0.0));
}
}  // namespace detail

/// Largest element over axes; NaN comes through.
struct max_op : detail::reduce_base<"max", detail::reduction::max> {
    static constexpr auto pullback(auto g, auto y, auto x, detail::attribute const& at) {
        return detail::share_among_ties(g, y, x, at);
    }
};
/// Smallest element over axes; NaN comes through.
struct min_op : detail::reduce_base<"min", detail::reduction::min> {
    static constexpr auto pullback(auto g, auto y, auto x, detail::attribute const& at) {
        return detail::share_among_ties(g, y, x, at);
    }
};

namespace detail {
/// The number of elements along the axes (from the right) of a shape, as a value of the graph.
template <class T>
constexpr int emit_count(builder& b, dims const& d, std::int64_t axes) {
    double fixed = 1;
    int r = -1;
    for (int k = 0; k < d.rank; ++k) {
        if (!(axes >> k & 1)) continue;
        std::int64_t e = b.resolve(d.from_right(k));
        if (e >= 0) {
            fixed *= static_cast<double>(e);
        } else {
            node n;
            n.kind = node_kind::extent;
            n.type = dtype_of<T>();
            n.source = static_cast<int>(~e);
            int id = b.push(n);
            r = r < 0 ? id : emit_binary<mul_op, T>(b, r, id);
        }
    }
    int c = emit_constant<T>(b, fixed);
    return r < 0 ? c : emit_binary<mul_op, T>(b, c, r);
}
}  // namespace detail

namespace detail {
template <class T>
constexpr int simplify_sum(builder& b, node const& n) {
    std::int64_t const axes = n.attr.axes;
    node const x = b.nodes.items[n.in[0]];
    if (x.kind != node_kind::elementwise || x.op->hash == is_where) return -1;
    dims const shape = b.shapes.items[x.shape];
    if (x.op->hash == is_mul && is_matrix_product(b.shape_of(x.in[0]), b.shape_of(x.in[1]), axes))
        return emit_sum_of_products<T>(b, x.in[0], x.in[1], axes, shape);
    // Only where the sum is one number a row or in all: what is done to a column sum would be a loop of its own.
    int inmost = 0;
    while (inmost < shape.rank && shape.from_right(inmost) == 1) ++inmost;
    if (!(axes >> inmost & 1)) return -1;
    auto sum_of = [&](int id) { return operation_table<sum_op, T>::emit(b, attribute{.axes = axes}, {id}); };
    // the other operand has the whole shape: its sum has the shape of the sum
    auto splits = [&](int flat, int rest) { return is_flat(b.shape_of(flat), axes) && b.nodes.items[rest].shape == x.shape; };
    if (x.op->hash == is_neg) return emit_unary<neg_op, T>(b, sum_of(x.in[0]));
    if (x.op->hash == is_mul) {
        if (splits(x.in[0], x.in[1])) return emit_binary<mul_op, T>(b, x.in[0], sum_of(x.in[1]));
        if (splits(x.in[1], x.in[0])) return emit_binary<mul_op, T>(b, x.in[1], sum_of(x.in[0]));
        // (s a) b, a (s b), (s a) (t b)
        auto has_factor = [&](int id) {
            node const& p = b.nodes.items[id];
            return is_op(b, id, is_mul) && p.shape == x.shape && splits(p.in[0], p.in[1]) && may_move<T>(b, p.in[0]);
        };
        bool const left = has_factor(x.in[0]), right = has_factor(x.in[1]);
        node const l = b.nodes.items[x.in[0]], r = b.nodes.items[x.in[1]];
        if (left && right)
            return emit_binary<mul_op, T>(b, emit_binary<mul_op, T>(b, l.in[0], r.in[0]), sum_of(emit_binary<mul_op, T>(b, l.in[1], r.in[1])));
        if (left) return emit_binary<mul_op, T>(b, l.in[0], sum_of(emit_binary<mul_op, T>(b, l.in[1], x.in[1])));
        if (right) return emit_binary<mul_op, T>(b, r.in[0], sum_of(emit_binary<mul_op, T>(b, x.in[0], r.in[1])));
    }
    // a term beside squares (which do not cancel) is counted, not added again and again
    auto is_square = [&](int id) {
        node const* p = &b.nodes.items[id];
        if (is_op(b, id, is_mul) && b.is_constant(p->in[0])) p = &b.nodes.items[p->in[1]];
        return p->has_op() && p->op->hash == is_mul && p->in[0] == p->in[1];
    };
    if (x.op->hash == is_add)
        for (int j = 0; j < 2; ++j)
            if (splits(x.in[j], x.in[1 - j]) && is_square(x.in[1 - j])) {
                int const rest = sum_of(x.in[1 - j]);
                return emit_binary<add_op, T>(b, rest, emit_binary<mul_op, T>(b, emit_count<T>(b, shape, axes), x.in[j]));
            }
    return -1;
}
}  // namespace detail

/// Refuses the mean of integers, which would be rounded.
template <class Integer>
struct mean_of_integers {
    static_assert(sizeof(Integer) == 0, "the mean of integers is no integer: mean(cast<float>(x))");
};

/// The sum divided by the number of reduced elements; in the graph it is just that.
struct mean_op : detail::reduce_base<"mean", detail::reduction::sum> {
    static constexpr bool differentiable = false;  // never stays in the graph
    template <class T>
    using result = typename std::conditional_t<std::floating_point<T>, std::type_identity<T>, mean_of_integers<T>>::type;
    template <class T>
    static constexpr int simplify(detail::builder& b, detail::node const& n) {
        int s = detail::operation_table<sum_op, T>::emit(b, detail::attribute{.axes = n.attr.axes}, {n.in[0]});
        detail::dims d = b.shape_of(n.in[0]);
        return detail::emit_binary<div_op, T>(b, s, detail::emit_count<T>(b, d, n.attr.axes));
    }
};

namespace detail {

/// Axes as a mask from the right; refuses what is out of range or repeated.
template <class Op, class Shape, int... Axis>
constexpr std::int64_t axis_mask() {
    constexpr int r = Shape::rank;
    if constexpr (sizeof...(Axis) == 0) {
        return (std::int64_t{1} << r) - 1;
    } else {
        std::int64_t mask = 0;
        auto one = [&mask]<int A>() {
            if constexpr (A >= r || A < -r) (void)sizeof(axis_out_of_range<Op, A, Shape>);
            else mask |= std::int64_t{1} << (A < 0 ? -1 - A : r - 1 - A);
        };
        (one.template operator()<Axis>(), ...);
        return mask;
    }
}
template <class Op, class Shape, int... Axis>
constexpr bool axes_are_distinct() {
    constexpr std::int64_t mask = axis_mask<Op, Shape, Axis...>();
    constexpr int r = Shape::rank;
    int n = 0;
    for (int k = 0; k < r; ++k) n += static_cast<int>(mask >> k & 1);
    return sizeof...(Axis) == 0 || n == static_cast<int>(sizeof...(Axis)) || ((Axis >= r || Axis < -r) || ...);
}

template <class Shape, std::int64_t Mask>
struct kept_rule {
    static constexpr dims compute() {
        dims d = dims_of<Shape>();
        for (int k = 0; k < d.rank; ++k)
            if (Mask >> k & 1) d.extent[d.rank - 1 - k] = 1;
        return d;
    }
    static constexpr dims value = compute();
};
template <class Shape, std::int64_t Mask>
struct dropped_rule {
    static constexpr dims value = axis_map::without(Shape::rank, Mask).apply(dims_of<Shape>());
};

template <class Shape, std::int64_t Mask>
constexpr bool reduces_nothing() {
    for (int k = 0; k < Shape::rank; ++k)
        if ((Mask >> k & 1) && Shape::extents[static_cast<std::size_t>(Shape::rank - 1 - k)] == 0) return true;
    return false;
}

template <class Op, int First, int...>
struct first_axis {
    static constexpr int value = First;
};

/// In a derivative rule only the graph knows the rank.
template <class Op, bool Keep, int... Axis, class T>
constexpr auto reduce(node_ref<T> const& a) {
    int rank = a.graph->shape_of(a.id).rank;
    std::int64_t mask = sizeof...(Axis) == 0 ? (std::int64_t{1} << rank) - 1 : 0;
    ((mask |= std::int64_t{1} << (Axis < 0 ? -1 - Axis : rank - 1 - Axis)), ...);
    auto r = apply_with<Op>(attribute{.axes = mask}, a);
    if constexpr (Keep) return r;
    else return apply_with<axes_op>(attribute{.axes = axis_map::without(rank, mask).bits}, r);
}

template <class Op, bool Keep, int... Axis, class A>
constexpr auto reduce(A const& a) {
    using S = typename A::shape_type;
    constexpr std::int64_t mask = axis_mask<Op, S, Axis...>();
    if constexpr (!axes_are_distinct<Op, S, Axis...>()) (void)sizeof(axis_repeated<Op, first_axis<Op, Axis...>::value, S>);
    if constexpr (Op::combine != reduction::sum && reduces_nothing<S, mask>()) (void)sizeof(reduction_of_nothing<Op, S>);
    using kept = typename shape_from<kept_rule<S, mask>, S>::type;
    auto r = apply_shaped<Op, kept>(attribute{.axes = mask}, a);
    if constexpr (Keep) return r;
    else {
        using dropped = typename shape_from<dropped_rule<S, mask>, S>::type;
        return apply_shaped<axes_op, dropped>(attribute{.axes = axis_map::without(S::rank, mask).bits}, r);
    }
}
}  // namespace detail

/// Sum over the axes named (negative ones count from the end), or over all: sum<0, -1>(x).
template <int... Axis, expression A>
constexpr auto sum(A const& a) {
    return detail::reduce<sum_op, false, Axis...>(a);
}
/// Sum with the reduced axes kept as extents of 1.
template <int... Axis, expression A>
constexpr auto sum(A const& a, keepdims_t) {
    return detail::reduce<sum_op, true, Axis...>(a);
}
/// Mean over the axes named, or over all.
template <int... Axis, expression A>
constexpr auto mean(A const& a) {
    return detail::reduce<mean_op, false, Axis...>(a);
}
/// Mean with the reduced axes kept as extents of 1.
template <int... Axis, expression A>
constexpr auto mean(A const& a, keepdims_t) {
    return detail::reduce<mean_op, true, Axis...>(a);
}
/// Largest element over the axes named, or over all; tied elements share the gradient equally.
template <int... Axis, expression A>
constexpr auto max(A const& a) {
    return detail::reduce<max_op, false, Axis...>(a);
}
/// Largest element with the reduced axes kept as extents of 1.
template <int... Axis, expression A>
constexpr auto max(A const& a, keepdims_t) {
    return detail::reduce<max_op, true, Axis...>(a);
}
/// Smallest element over the axes named, or over all; tied elements share the gradient equally.
template <int... Axis, expression A>
constexpr auto min(A const& a) {
    return detail::reduce<min_op, false, Axis...>(a);
}
/// Smallest element with the reduced axes kept as extents of 1.
template <int... Axis, expression A>
constexpr auto min(A const& a, keepdims_t) {
    return detail::reduce<min_op, true, Axis...>(a);
}

}  // namespace tapeless
