// SPDX-License-Identifier: MIT
#pragma once
// What is made of the factors p a = l u: solve, inverse, det, slogdet, logdet; and solve_spd, made of those of
// Cholesky.

#include <tuple>

#include <tapeless/ops/linalg/cholesky.hpp>
#include <tapeless/ops/linalg/lu.hpp>

namespace tapeless {
namespace detail::inline ops_part {

template <class T>
constexpr node_ref<T> emit_solution(node_ref<T> a, node_ref<T> lu, node_ref<T> b, std::int64_t flags);
template <class T>
constexpr node_ref<T> emit_inverse(node_ref<T> a, node_ref<T> lu, std::int64_t flags);

/// x with a x = b: the value, a, its factors (a itself where they are not kept), b.
struct solution_op : made_of_factors<"solve"> {
    /// db = a⁻ᵀ g, da = -db xᵀ; of aᵀ x = b: db = a⁻¹ g, da = -x dbᵀ
    static constexpr auto pullback(auto arrived, auto x, auto, auto a, auto lu, auto, attribute const& at) {
        using T = typename decltype(a)::value_type;
        node_ref<T> const db = emit_solution<T>(a, lu, whole_cotangent(arrived, x), at.axes ^ is_transposed);
        node_ref<T> const da = at.axes & is_transposed ? -matmul(x, transpose(db)) : -matmul(db, transpose(x));
        return cotangents(no_cotangent{}, da, no_cotangent{}, db);
    }
};
/// y = a⁻¹: the value, a.
struct inverse_matrix_op : made_of_factors<"inverse"> {
    /// da = -yᵀ g yᵀ
    static constexpr auto pullback(auto arrived, auto y, auto, auto a, attribute const&) {
        using T = typename decltype(a)::value_type;
        node_ref<T> const z = transpose(y);
        return cotangents(no_cotangent{}, -matmul(z, matmul(whole_cotangent(arrived, y), z)));
    }
};
/// det a, or with Log log |det a|: the value, a, its factors.
template <bool Log>
struct determinant_op : made_of_factors<"det"> {
    /// da = g a⁻ᵀ, of det itself g det a⁻ᵀ
    static constexpr auto pullback(auto arrived, auto y, auto, auto a, auto lu, attribute const& at) {
        using T = typename decltype(a)::value_type;
        auto const g = whole_cotangent(arrived, y);
        node_ref<T> const factor = Log ? g : node_ref<T>(g * y), inverse = emit_inverse<T>(a, lu, at.axes);
        return cotangents(no_cotangent{}, as_column<T>(as_column<T>(factor)) * transpose(inverse), no_cotangent{});
    }
};

template <class T>
constexpr node_ref<T> emit_factors(builder& b, int a) {
    return emit_custom_loop<lu_op, T>(b, attribute{}, {a});
}
template <class T>
constexpr node_ref<T> emit_solution(node_ref<T> a, node_ref<T> lu, node_ref<T> right, std::int64_t flags) {
    builder& b = *a.graph;
    attribute const at{.axes = flags};
    int const x = lu.id == a.id ? emit_custom_loop<small_solve_op, T, T>(b, at, {a.id, right.id}).id
                                : emit_custom_loop<lu_solve_op, T, T>(b, at, {lu.id, right.id}).id;
    return {&b, operation_table<solution_op, T, T, T, T>::emit(b, at, {x, a.id, lu.id, right.id})};
}
/// The same of small matrices, whose factors come of the elimination where something needs them.
template <class T>
constexpr node_ref<T> emit_small_solution(node_ref<T> a, node_ref<T> right, std::int64_t flags) {
    builder& b = *a.graph;
    std::int64_t const n = b.shape_of(a.id).from_right(0);
    if (small_solve_op::eliminates_again(b.shape_of(a.id))) return emit_solution<T>(a, a, right, flags);
    if (flags & is_transposed) return emit_small_solution<T>(transpose(a), right, flags ^ is_transposed);
    attribute const at{.axes = flags};
    node_ref<T> const x = emit_custom_loop<small_solve_op, T, T>(b, at, {a.id, right.id});
    int const shape = b.intern(with_axes(leading_axes(b.shape_of(a.id), 2), n + 1, n));
    int const lu = operation_table<kept_factors<T>, T>::emit(b, attribute{.shape = shape}, {x.id});
    return {&b, operation_table<solution_op, T, T, T, T>::emit(b, at, {x.id, a.id, lu, right.id})};
}
template <class T>
constexpr node_ref<T> emit_inverse(node_ref<T> a, node_ref<T> lu, std::int64_t flags) {
    builder& b = *a.graph;
    attribute const at{.axes = flags & is_quiet};
    int const y = emit_custom_loop<lu_inverse_op, T>(b, at, {lu.id}).id;
    return {&b, operation_table<inverse_matrix_op, T, T>::emit(b, at, {y, a.id})};
}
template <class T>
constexpr int emit_determinant(builder& b, int a, int which, std::int64_t flags) {
    int const lu = emit_factors<T>(b, a).id, all = emit_custom_loop<lu_determinant_op, T>(b, attribute{}, {lu}).id;
    int const value = emit_element(b, all, which);
    attribute const at{.axes = flags};
    if (which == 0) return value;
    if (which == 1) return operation_table<determinant_op<true>, T, T, T>::emit(b, at, {value, a, lu});
    return operation_table<determinant_op<false>, T, T, T>::emit(b, at, {value, a, lu});
}

/// x with a x = b of a symmetric a: the value, a, its Cholesky factor, b.
struct spd_solution_op : made_of_factors<"solve_spd"> {
    /// db = a⁻¹ g, da = -(db xᵀ + x dbᵀ)/2
    static constexpr auto pullback(auto arrived, auto x, auto, auto a, auto l, auto, attribute const& at) {
        using T = typename decltype(a)::value_type;
        node_ref<T> const db = solve<T>(a, l, whole_cotangent(arrived, x), at.axes);
        return cotangents(no_cotangent{}, -symmetric_part<T>(matmul(db, transpose(x))), no_cotangent{}, db);
    }
    template <class T>
    static constexpr node_ref<T> solve(node_ref<T> a, node_ref<T> l, node_ref<T> right, std::int64_t flags) {
        builder& b = *a.graph;
        node_ref<T> const x =
            triangular_op::solve<T>(l, triangular_op::solve<T>(l, right, flags), flags | is_transposed);
        return {&b, operation_table<spd_solution_op, T, T, T, T>::emit(b, attribute{.axes = flags},
                                                                       {x.id, a.id, l.id, right.id})};
    }
};

constexpr dims without_matrix(dims const& d) { return leading_axes(d, 2); }
/// What is a number of each square matrix.
template <class Op, int Which, class A, class... Tag>
constexpr auto determinant_of(A const& a, Tag...) {
    static_assert((is_one_of<Tag, linalg::quiet_tag> && ...), "det, slogdet, logdet: their tag is `quiet`");
    using S = typename shape_or_none<A>::type;
    using T = matrix_element<A>;
    if constexpr (!is_node_ref<A>) refuse(because<check_square<Op, S>>{}), refuse(because<check_elements<Op, A>>{});
    builder& b = *a.where();
    int const y = emit_determinant<T>(b, walk_matrix<Op>(a, b), Which, flags_of<Tag...>());
    return as_expression_of<A, typename matrix_rule<S, &without_matrix>::type>(&b, y);
}
}  // namespace detail::ops_part

namespace linalg {

/// x with a x = b, a any matrix that is not singular (by factors with pivots), b a vector or a matrix; with the tag
/// `vectors` the last axis of b is a vector. Leading axes are batches, and broadcast. Tags: `transposed` (aᵀ x = b),
/// `vectors`, `quiet`. Throws numeric_error where a pivot is 0.
template <expression A, expression B, class... Tag>
constexpr auto solve(A const& a, B const& b, Tag...) {
    static_assert((detail::is_one_of<Tag, transposed_tag, vectors_tag, quiet_tag> && ...),
                  "solve: its tags are `transposed`, `vectors` and `quiet`");
    using T = detail::matrix_element<A>;
    return detail::solved<detail::solution_op, true, A, B, detail::is_vector<B, Tag...>()>(
        a, b, [](detail::builder& g, int matrix, int right, detail::dims const& batch) {
            node_ref<T> const m(&g, detail::emit_batched(g, matrix, batch)), y(&g, right);
            if (m.id == matrix && detail::small_solve_op::suits(g.shape_of(matrix), g.shape_of(right)))
                return detail::emit_small_solution<T>(m, y, detail::flags_of<Tag...>()).id;
            // of each matrix once, however many right-hand sides it has
            int const lu = detail::emit_factors<T>(g, matrix).id;
            return detail::emit_solution<T>(m, node_ref<T>(&g, detail::emit_batched(g, lu, batch)), y,
                                            detail::flags_of<Tag...>())
                .id;
        });
}

/// The same for a symmetric positive definite a, by its Cholesky factor: half the work. What is read is (a + aᵀ)/2.
template <expression A, expression B, class... Tag>
constexpr auto solve_spd(A const& a, B const& b, Tag...) {
    static_assert((detail::is_one_of<Tag, vectors_tag, quiet_tag> && ...),
                  "solve_spd: its tags are `vectors` and `quiet`");
    using T = detail::matrix_element<A>;
    return detail::solved<detail::spd_solution_op, true, A, B, detail::is_vector<B, Tag...>()>(
        a, b, [](detail::builder& g, int matrix, int right, detail::dims const& batch) {
            std::int64_t const flags = detail::flags_of<Tag...>();
            int const l =
                detail::emit_custom_loop<detail::cholesky_op, T>(g, detail::attribute{.axes = flags}, {matrix}).id;
            node_ref<T> const m(&g, detail::emit_batched(g, matrix, batch)), f(&g, detail::emit_batched(g, l, batch));
            return detail::spd_solution_op::solve<T>(m, f, node_ref<T>(&g, right), flags).id;
        });
}

/// a⁻¹ of a square matrix, or of each of a batch. Throws numeric_error where a is singular; with `quiet` it is NaN
/// there.
template <expression A, class... Tag>
constexpr auto inverse(A const& a, Tag...) {
    static_assert((detail::is_one_of<Tag, quiet_tag> && ...), "inverse: its tag is `quiet`");
    using T = detail::matrix_element<A>;
    using S = typename detail::shape_or_none<A>::type;
    using op = detail::inverse_matrix_op;
    if constexpr (!detail::is_node_ref<A>) refuse(because<detail::check_square<op, S>>{});
    detail::builder& b = *a.where();
    node_ref<T> const m(&b, detail::walk_matrix<op>(a, b));
    return detail::as_expression_of<A, S>(
        &b, detail::emit_inverse<T>(m, detail::emit_factors<T>(b, m.id), detail::flags_of<Tag...>()).id);
}

/// det a. Of a singular matrix it is 0; its gradient is det a a⁻ᵀ, and throws numeric_error there (with `quiet` it is
/// NaN).
template <expression A, class... Tag>
constexpr auto det(A const& a, Tag... tag) {
    return detail::determinant_of<detail::determinant_op<false>, 2>(a, tag...);
}
/// log |det a| of any square matrix: -inf of a singular one.
template <expression A, class... Tag>
constexpr auto logdet(A const& a, Tag... tag) {
    return detail::determinant_of<detail::determinant_op<true>, 1>(a, tag...);
}
/// The sign of det a (1, -1, or 0), through which nothing flows back, and log |det a|.
template <expression A, class... Tag>
constexpr auto slogdet(A const& a, Tag... tag) {
    auto const named = let(a);
    return std::tuple(detail::determinant_of<detail::determinant_op<true>, 0>(named, tag...), logdet(named, tag...));
}

}  // namespace linalg
}  // namespace tapeless
