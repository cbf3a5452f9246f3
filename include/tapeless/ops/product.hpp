// SPDX-License-Identifier: MIT
#pragma once
// Products: matmul, dot, outer, linear; transpose and permute. All of them become contractions, sums and views.

#include <tapeless/ops/reduce.hpp>

namespace tapeless {

/// Refuses, with both shapes in the message: the last axis of the left operand and the last but one (or only one) of
/// the right operand differ.
template <class Left, class Right>
struct matmul_inner_extents_differ {
    static_assert(never<Left>,
                  "matmul: the last extent of the left operand is not the last but one of the right operand");
};
/// Refuses a product of batches whose leading extents do not broadcast.
template <class Left, class Right>
struct matmul_batch_extents_differ {
    static_assert(never<Left>, "matmul: leading extents differ where neither is 1 (they align on the right)");
};
/// Refuses operands of the wrong rank.
template <class Op, class... Shapes>
struct operands_have_the_wrong_rank {
    static_assert(
        never<Op>,
        "matmul and linear need operands of rank 1 or more, outer of rank 1, transpose of rank 2 or more");
};
/// Refuses a product of other arrays than two vectors of one length.
template <class A, class B>
struct dot_of_other_shapes {
    static_assert(never<A>, "dot(a, b) is of two vectors of one length: of matrices take matmul(a, b) or sum(a * b)");
};
/// Refuses inputs, weights and bias that do not belong together.
template <class Input, class Weight, class... Bias>
struct linear_extents_differ {
    static_assert(never<Input>,
                  "linear(x, w): the last extent of x (..., in) is the last one of the weights w (out, in)");
};
template <class Weight, class Bias>
struct linear_bias_differs {
    static_assert(never<Weight>, "linear(x, w, b): the bias b (out) is as long as the weights w (out, in) have rows");
};
/// Refuses a list of axes that is not a permutation of the operand's.
template <class Shape, int... Axes>
struct not_a_permutation_of_the_axes {
    static_assert(never<Shape>, "permute<...>: name every axis of the operand once");
};

namespace detail::inline ops_part {

/// How two operands of a matmul stand side by side. Axes from the right: k, then n, m and the batch; without n or m the
/// axes stand as in the operand that has more of them, so that loops walk it in the order of its memory.
struct matmul_axes {
    axis_map left, right, result;
    std::int64_t summed = 1;

    constexpr matmul_axes(int l, int r) {
        int const batch = (l > r ? l : r) > 2 ? (l > r ? l : r) - 2 : 0;
        bool const matrices = l > 1 && r > 1;
        int const first = matrices ? 3 : l > 1 || r > 1 ? 2 : 1, rank = first + batch;
        left = axis_map::of_rank(rank);
        right = axis_map::of_rank(rank);
        if (matrices) {
            left.set(0, 0), left.set(2, 1);
            right.set(0, 1), right.set(1, 0);
        } else if (l > 1) {
            left.set(0, 0), left.set(1, 1);
            right.set(0, 0);
        } else if (r > 1) {
            summed = 2;
            left.set(1, 0);
            right.set(0, 0), right.set(1, 1);
        } else {
            left.set(0, 0);
            right.set(0, 0);
        }
        for (int j = 0; j < batch; ++j) {
            if (l > 2 + j) left.set(first + j, 2 + j);
            if (r > 2 + j) right.set(first + j, 2 + j);
        }
        result = axis_map::without(rank, summed);
    }
};

/// Base of what is written in terms of other operations as soon as it enters the graph.
template <fixed_string Name>
struct composed {
    static constexpr auto name = Name;
    static constexpr node_kind kind = node_kind::contract;
    static constexpr bool differentiable = false;
    template <class T, class...>
    using result = T;
};

template <class Left, class Right>
struct matmul_rule {
    static constexpr bool ranks = Left::rank > 0 && Right::rank > 0;
    static constexpr matmul_axes axes{Left::rank, Right::rank};
    static constexpr std::int64_t inner(dims const& left, dims const& right, type_unifier& u) {
        std::int64_t const a = left.from_right(0), b = right.from_right(Right::rank > 1 ? 1 : 0);
        return a == b ? a : u.same(a, b);
    }
    static constexpr dims compute(bool& inner_fits, bool& batch_fits) {
        type_unifier u, v;
        dims a = dims_of<Left>(0), b = dims_of<Right>(1);
        if (!ranks) return {};
        (void)inner(a, b, u);
        inner_fits = u.ok;
        // the summed axis is 1 in the result, whatever the two say
        a.extent[a.rank - 1] = 1;
        b.extent[b.rank - (b.rank > 1 ? 2 : 1)] = 1;
        dims const d = axes.result.apply(broadcast(v, axes.left.apply(a), axes.right.apply(b)));
        batch_fits = v.ok;
        return d;
    }
    static constexpr bool inner_ok() {
        bool i = true, j = true;
        (void)compute(i, j);
        return i;
    }
    static constexpr bool batch_ok() {
        bool i = true, j = true;
        (void)compute(i, j);
        return j;
    }
    static constexpr dims shape() {
        bool i = true, j = true;
        return compute(i, j);
    }
    static constexpr dims value = shape();
};

/// In the graph: a contraction of the operands under other axes.
struct matmul_op : composed<"matmul"> {
    template <class, class Left, class Right>
    using result_shape = typename shape_from<matmul_rule<Left, Right>, Left, Right>::type;
    template <class T>
    static constexpr int simplify(builder& b, node const& n) {
        dims const l = b.shape_of(n.in[0]), r = b.shape_of(n.in[1]);
        std::int64_t const inner = r.from_right(r.rank > 1 ? 1 : 0);
        if (l.from_right(0) != inner) (void)b.same(l.from_right(0), inner);
        matmul_axes const axes(l.rank, r.rank);
        int const y =
            emit_contraction<T>(b, emit_axes(b, n.in[0], axes.left), emit_axes(b, n.in[1], axes.right), axes.summed);
        return emit_axes(b, y, axes.result);
    }
};

/// Axes in another order.
template <class Shape, int... Axes>
struct permutation {
    static constexpr int rank = Shape::rank;
    static constexpr bool check() {
        std::int64_t seen = 0;
        ((seen |= Axes >= -rank && Axes < rank ? std::int64_t{1} << (Axes < 0 ? Axes + rank : Axes) : 0), ...);
        return static_cast<int>(sizeof...(Axes)) == rank && seen == (std::int64_t{1} << rank) - 1;
    }
    static constexpr bool ok = check();
    static constexpr axis_map map() {
        axis_map m = axis_map::of_rank(rank);
        int to = rank - 1;
        ((m.set(to--, Axes < 0 ? -1 - Axes : rank - 1 - Axes)), ...);
        return m;
    }
    static constexpr dims compute() { return ok ? map().apply(dims_of<Shape>()) : dims{}; }
    static constexpr dims value = compute();
    using type = typename shape_from<permutation, Shape>::type;
};

constexpr axis_map last_two_swapped(int rank) {
    axis_map m = axis_map::of_rank(rank);
    for (int k = 0; k < rank; ++k) m.set(k, k == 0 ? 1 : k == 1 ? 0 : k);
    return m;
}
template <class Shape>
struct transposed {
    static constexpr dims value = last_two_swapped(Shape::rank).apply(dims_of<Shape>());
    using type = typename shape_from<transposed, Shape>::type;
};
template <class Left, class Right>
struct outer_rule {
    static constexpr dims compute() {
        dims d;
        d.rank = 2;
        d.extent[0] = dims_of<Left>(0).from_right(0);
        d.extent[1] = dims_of<Right>(1).from_right(0);
        return d;
    }
    static constexpr dims value = compute();
};
struct outer_op : composed<"outer"> {
    template <class, class Left, class Right>
    using result_shape = typename shape_from<outer_rule<Left, Right>, Left, Right>::type;
    template <class T>
    static constexpr int simplify(builder& b, node const& n) {
        axis_map column = axis_map::of_rank(2);
        column.set(1, 0);
        return emit_binary<mul_op, T>(b, emit_axes(b, n.in[0], column), n.in[1]);
    }
};

template <class W, class B>
constexpr auto why_no_bias() {
    if constexpr (B::rank > 0)
        return because<
            unless<broadcast_shape<shape<shape_extent<0, W>::value>, shape<shape_extent<B::rank - 1, B>::value>>::ok,
                   linear_bias_differs<W, B>>>{};
    else return because<no_reason>{};
}

/// Why the operands of a matmul do not fit.
template <class A, class B>
using check_matmul =
    typename first_reason<unless<matmul_rule<A, B>::ranks, operands_have_the_wrong_rank<matmul_op, A, B>>,
                          unless<matmul_rule<A, B>::inner_ok(), matmul_inner_extents_differ<A, B>>,
                          unless<matmul_rule<A, B>::batch_ok(), matmul_batch_extents_differ<A, B>>>::type;
template <class A, class B>
inline constexpr bool are_vectors = A::rank == 1 && B::rank == 1 && broadcast_shape<A, B>::ok;
template <class Op, class A, class B>
using check_outer = unless<A::rank == 1 && B::rank == 1, operands_have_the_wrong_rank<Op, A, B>>;
}  // namespace detail::ops_part

/// The matrix product by NumPy's rules: y(..., i, j) = sum over k of a(..., i, k) b(..., k, j). A one-dimensional
/// operand is a row on the left, a column on the right, and its axis is not in the result; leading axes broadcast.
template <expression A, expression B>
constexpr auto matmul(A const& a, B const& b) {
    if constexpr (!detail::is_node_ref<A> && !detail::is_node_ref<B>)
        refuse(because<detail::check_matmul<detail::operand_shape<A>, detail::operand_shape<B>>>{});
    return apply<detail::matmul_op>(a, b);
}

/// The axes in the order named: axis i of the result is axis Axes[i] of x.
template <int... Axes, expression A>
constexpr auto permute(A const& x) {
    if constexpr (detail::is_node_ref<A>) {
        int const rank = x.graph->shape_of(x.id).rank;
        detail::axis_map m = detail::axis_map::of_rank(rank);
        int to = rank - 1;
        ((m.set(to--, Axes < 0 ? -1 - Axes : rank - 1 - Axes)), ...);
        return apply_with<detail::axes_op>(detail::attribute{.axes = m.bits}, x);
    } else {
        using P = detail::permutation<typename A::shape_type, Axes...>;
        if constexpr (!P::ok)
            return refuse(because<not_a_permutation_of_the_axes<typename A::shape_type, Axes...>>{}), x;
        else
            return detail::apply_shaped<detail::axes_op, typename P::type>(detail::attribute{.axes = P::map().bits}, x);
    }
}

/// The last two axes exchanged.
template <expression A>
constexpr auto transpose(A const& x) {
    if constexpr (detail::is_node_ref<A>) {
        return apply_with<detail::axes_op>(
            detail::attribute{.axes = detail::last_two_swapped(x.graph->shape_of(x.id).rank).bits}, x);
    } else if constexpr (A::rank < 2) {
        return refuse(because<operands_have_the_wrong_rank<detail::axes_op, typename A::shape_type>>{}), x;
    } else {
        return detail::apply_shaped<detail::axes_op, typename detail::transposed<typename A::shape_type>::type>(
            detail::attribute{.axes = detail::last_two_swapped(A::rank).bits}, x);
    }
}

/// sum of a(i) b(i) of two vectors
template <expression A, expression B>
constexpr auto dot(A const& a, B const& b) {
    if constexpr (!detail::is_node_ref<A> && !detail::is_node_ref<B>)
        if constexpr (!detail::are_vectors<detail::operand_shape<A>, detail::operand_shape<B>>)
            return refuse(because<dot_of_other_shapes<detail::operand_shape<A>, detail::operand_shape<B>>>{}), sum(a);
        else return sum(a * b);
    else return sum(a * b);
}

/// y(i, j) = a(i) b(j) of two vectors
template <expression A, expression B>
constexpr auto outer(A const& a, B const& b) {
    if constexpr (!detail::is_node_ref<A> && !detail::is_node_ref<B>)
        refuse(because<detail::check_outer<detail::outer_op, detail::operand_shape<A>, detail::operand_shape<B>>>{});
    return apply<detail::outer_op>(a, b);
}

namespace detail::inline ops_part {
/// Why there is no linear(x, w, b), with the shapes that were handed in.
template <class X, class W, class... B>
constexpr auto why_not_linear() {
    if constexpr (is_node_ref<X> || is_node_ref<W>) return because<no_reason>{};
    else {
        using L = typename X::shape_type;
        using R = typename W::shape_type;
        constexpr std::int64_t in = dims_of<L>().from_right(0), wanted = dims_of<R>().from_right(0);
        if constexpr (L::rank < 1 || R::rank < 2 || (in >= 0 && wanted >= 0 && in != wanted))
            return because<linear_extents_differ<L, R, typename B::shape_type...>>{};
        else if constexpr (sizeof...(B) == 1 && R::rank == 2) return why_no_bias<R, typename B::shape_type...>();
        else return because<no_reason>{};
    }
}
}  // namespace detail::ops_part

/// x wᵀ: weights of shape (out, in), x of shape (..., in)
template <expression X, expression W>
constexpr auto linear(X const& x, W const& w) {
    if constexpr (!accepts(detail::why_not_linear<X, W>())) return x;
    else return matmul(x, transpose(w));
}
/// x wᵀ + b, with a bias of shape (out)
template <expression X, expression W, expression B>
constexpr auto linear(X const& x, W const& w, B const& b) {
    if constexpr (!accepts(detail::why_not_linear<X, W, B>())) return x;
    else return matmul(x, transpose(w)) + b;
}

}  // namespace tapeless
