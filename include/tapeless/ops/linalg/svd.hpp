// SPDX-License-Identifier: MIT
#pragma once
// Singular values and vectors: svd, svdvals, pinv.

#include <tuple>

#include <tapeless/kernels/singular.hpp>
#include <tapeless/ops/linalg/loops.hpp>

namespace tapeless {
namespace detail::inline ops_part {

/// How many singular values a matrix of that shape has.
constexpr std::int64_t rank_of_matrix(builder& b, dims const& d) {
    return smaller_length(b, d.from_right(1), d.from_right(0));
}

/// With Vectors: u, below it v, and below that a row of singular values; otherwise that row alone, without the axis.
/// attr.axes: the flags.
template <bool Vectors>
struct svd_loop {
    template <class T>
    static constexpr room_length room(builder& b, node const& node) {
        dims const d = b.shape_of(node.in[0]);
        room_length const m{&b, d.from_right(1)}, n{&b, d.from_right(0)}, k{&b, rank_of_matrix(b, d)};
        room_length const own = k * (m + n + 2);
        return uses_lapack ? own + (k * k * 5 + k * 23 + m + n + 8) : own;
    }
    template <class T, class Build = simd::batch<T>>
    static void run(strided const* in, strided const* out, attribute const& at, void* scratch) {
        std::int64_t const m = in[0].extent[1], n = in[0].extent[0], k = out->extent[0];
        constexpr int own = Vectors ? 2 : 1;
        std::int64_t matrix = -1;
        if (k == 0) return;
        batch_nest<2>({out, &in[0]}, {own, 2}).each(0, [&](std::ptrdiff_t const* offset) {
            ++matrix;
            matrix_view<T> const to = matrix_at<T>(*out, offset[0]), none;
            if (singular_values<T>::solve(matrix_at<T const>(in[0], offset[1]), m, n, Vectors ? to : none,
                                          &to(Vectors ? m + n : 0, 0), to.column, Vectors ? to.from(m, 0) : none,
                                          static_cast<T*>(scratch)))
                return;
            if (!(at.axes & is_quiet))
                throw_numeric_error("svd", *out, own, matrix, -1, 0, "the singular values were not found");
            fill_with_nan(to, Vectors ? m + n + 1 : 1, k);
        });
    }
};
struct svd_op : matrix_loop<svd_loop<true>, "svd">, svd_loop<true> {
    static constexpr bool differentiable = false;
    static constexpr dims shape(builder& b, node const& n) {
        dims const d = b.shape_of(n.in[0]);
        return with_axes(leading_axes(d, 2), b.sum(b.sum(d.from_right(1), d.from_right(0)), 1), rank_of_matrix(b, d));
    }
};

template <class T>
struct svd_parts {
    node_ref<T> u, s, v;
};
template <class T>
constexpr svd_parts<T> emit_svd(node_ref<T> a, node_ref<T> all);

/// u diag(g) vᵀ
template <class T>
constexpr node_ref<T> singular_value_cotangent(svd_parts<T> const& f, node_ref<T> g) {
    return matmul(f.u * as_row(g), transpose(f.v));
}
/// The singular values: the value, a, all parts.
struct svd_values_op : made_of_factors<"svd"> {
    static constexpr auto pullback(auto arrived, auto s, auto, auto a, auto all, attribute const&) {
        using T = typename decltype(a)::value_type;
        node_ref<T> const da = singular_value_cotangent<T>(emit_svd<T>(a, all), whole_cotangent(arrived, s));
        return cotangents(no_cotangent{}, da, no_cotangent{});
    }
};
/// The vectors u, or (Right) v: the same.
template <bool Right>
struct svd_vectors_op : made_of_factors<"svd"> {
    /// Of u: (u (f * (uᵀ g - gᵀ u)) diag(s) + (1 - u uᵀ) g diag(1/s)) vᵀ, with f(i, j) = 1/(s(j)² - s(i)²), 0 on the
    /// diagonal. a and aᵀ have u and v exchanged.
    static constexpr auto pullback(auto arrived, auto x, auto, auto a, auto all, attribute const&) {
        using T = typename decltype(a)::value_type;
        svd_parts<T> const f = emit_svd<T>(a, all);
        node_ref<T> const g = whole_cotangent(arrived, x), p = matmul(transpose(x), g), s = as_row(f.s),
                          squares = s * s;
        node_ref<T> const turned = off_diagonal<T>((p - transpose(p)) / (squares - as_column<T>(f.s * f.s)));
        node_ref<T> const inside = matmul(x, turned * s), outside = (g - matmul(x, p)) / s;
        node_ref<T> const da = matmul(inside + outside, transpose(Right ? f.u : f.v));
        return cotangents(no_cotangent{}, Right ? node_ref<T>(transpose(da)) : da, no_cotangent{});
    }
};
template <class T>
constexpr svd_parts<T> emit_svd(node_ref<T> a, node_ref<T> all) {
    builder& b = *a.graph;
    dims const d = b.shape_of(a.id);
    std::int64_t const m = b.resolve(d.from_right(1)), n = b.resolve(d.from_right(0)), both = b.sum(m, n);
    int const u = emit_rows(b, all.id, 0, m), v = emit_rows(b, all.id, m, n), row = emit_rows(b, all.id, both, 1);
    int const s = emit_axes(b, row, axis_map::without(b.shape_of(row).rank, 2));
    return {{&b, operation_table<svd_vectors_op<false>, T, T, T>::emit(b, {}, {u, a.id, all.id})},
            {&b, operation_table<svd_values_op, T, T, T>::emit(b, {}, {s, a.id, all.id})},
            {&b, operation_table<svd_vectors_op<true>, T, T, T>::emit(b, {}, {v, a.id, all.id})}};
}

/// The singular values alone; where a gradient is wanted too the vectors are made in the same go.
struct svdvals_op : matrix_loop<svd_loop<false>, "svdvals">, svd_loop<false> {
    static constexpr dims shape(builder& b, node const& n) {
        dims const d = b.shape_of(n.in[0]);
        return with_axes(leading_axes(d, 2), rank_of_matrix(b, d));
    }
    static constexpr auto pullback(auto arrived, auto s, auto a, attribute const& at) {
        using T = typename decltype(a)::value_type;
        svd_parts<T> const f =
            emit_svd<T>(a, emit_custom_loop<svd_op, T>(*a.graph, attribute{.axes = at.axes}, {a.id}));
        a.graph->remade.push({s.id, f.s.id});
        return cotangents(singular_value_cotangent<T>(f, whole_cotangent(arrived, s)));
    }
};

/// p = a⁺: the value, a.
struct pinv_op : made_of_factors<"pinv"> {
    /// Where the rank of a stays as it is: da = -pᵀ g pᵀ + (1 - a p) gᵀ p pᵀ + pᵀ p gᵀ (1 - p a)
    static constexpr auto pullback(auto arrived, auto p, auto, auto a, attribute const&) {
        using T = typename decltype(a)::value_type;
        node_ref<T> const g = transpose(whole_cotangent(arrived, p)), q = transpose(p);
        node_ref<T> const left = matmul(g, matmul(p, q)), right = matmul(matmul(q, p), g);
        node_ref<T> const beside = left - matmul(a, matmul(p, left)), below = right - matmul(matmul(right, p), a);
        return cotangents(no_cotangent{}, beside + below - matmul(matmul(q, transpose(g)), q));
    }
    template <class T>
    static constexpr node_ref<T> invert(node_ref<T> a) {
        builder& b = *a.graph;
        svd_parts<T> const f = emit_svd<T>(a, emit_custom_loop<svd_op, T>(b, {}, {a.id}));
        dims const d = b.shape_of(a.id);
        // what is rounding beside the others counts as 0
        node_ref<T> const longer = maximum(node_ref<T>(&b, length_as_number<T>(b, d.from_right(1))),
                                           node_ref<T>(&b, length_as_number<T>(b, d.from_right(0))));
        node_ref<T> const least = node_ref<T>(sum<-1>(f.s, keepdims)) * (longer * std::numeric_limits<T>::epsilon());
        node_ref<T> const down = where(f.s > least, T(1) / f.s, T(0));
        int const p = node_ref<T>(matmul(f.v * as_row(down), transpose(f.u))).id;
        return {&b, operation_table<pinv_op, T, T>::emit(b, {}, {p, a.id})};
    }
};

constexpr std::int64_t rank_or_new(dims const& d) {
    std::int64_t const m = d.from_right(1), n = d.from_right(0);
    return m == 1 || n == 1 ? 1 : m >= 0 && n >= 0 ? (m < n ? m : n) : new_extent;
}
constexpr dims singular_values_of(dims const& d) { return with_axes(leading_axes(d, 2), rank_or_new(d)); }
constexpr dims left_vectors_of(dims const& d) { return with_axes(leading_axes(d, 2), d.from_right(1), rank_or_new(d)); }
constexpr dims right_vectors_of(dims const& d) {
    return with_axes(leading_axes(d, 2), d.from_right(0), rank_or_new(d));
}
constexpr dims transposed_axes(dims const& d) {
    return with_axes(leading_axes(d, 2), d.from_right(0), d.from_right(1));
}
}  // namespace detail::ops_part

namespace linalg {

/// u, s and v with a = u diag(s) vᵀ, of any matrix, or of each of a batch: s has min(m, n) values in descending
/// order; u and v have as many columns, which are orthonormal. Vectors have a sign, in pairs, that means nothing.
/// What flows back through vectors of equal singular values, or of 0, is infinite or NaN, as they are not unique
/// there.
template <expression A, class... Tag>
constexpr auto svd(A const& a, Tag...) {
    static_assert((detail::is_one_of<Tag, quiet_tag> && ...), "svd: its tag is `quiet`");
    using T = detail::matrix_element<A>;
    using S = typename detail::shape_or_none<A>::type;
    using op = detail::svd_values_op;
    if constexpr (!detail::is_node_ref<A>) refuse(because<detail::check_matrix<op, S>>{});
    detail::builder& b = *a.where();
    node_ref<T> const m(&b, detail::walk_matrix<op>(a, b));
    detail::attribute const at{.axes = detail::flags_of<Tag...>()};
    auto const f = detail::emit_svd<T>(m, detail::emit_custom_loop<detail::svd_op, T>(b, at, {m.id}));
    return std::tuple(
        detail::as_expression_of<A, typename detail::matrix_rule<S, &detail::left_vectors_of>::type>(&b, f.u.id),
        detail::as_expression_of<A, typename detail::matrix_rule<S, &detail::singular_values_of>::type>(&b, f.s.id),
        detail::as_expression_of<A, typename detail::matrix_rule<S, &detail::right_vectors_of>::type>(&b, f.v.id));
}

/// The singular values in descending order.
template <expression A, class... Tag>
constexpr auto svdvals(A const& a, Tag...) {
    static_assert((detail::is_one_of<Tag, quiet_tag> && ...), "svdvals: its tag is `quiet`");
    using T = detail::matrix_element<A>;
    using S = typename detail::shape_or_none<A>::type;
    using op = detail::svdvals_op;
    if constexpr (!detail::is_node_ref<A>) refuse(because<detail::check_matrix<op, S>>{});
    detail::builder& b = *a.where();
    detail::attribute const at{.axes = detail::flags_of<Tag...>()};
    int const s = detail::emit_custom_loop<op, T>(b, at, {detail::walk_matrix<op>(a, b)}).id;
    return detail::as_expression_of<A, typename detail::matrix_rule<S, &detail::singular_values_of>::type>(&b, s);
}

/// The pseudo-inverse of any matrix, or of each of a batch, by its svd: singular values below max(m, n) times the
/// rounding of their sum count as 0. The gradient is that of matrices of the same rank.
template <expression A>
constexpr auto pinv(A const& a) {
    using T = detail::matrix_element<A>;
    using S = typename detail::shape_or_none<A>::type;
    using op = detail::pinv_op;
    if constexpr (!detail::is_node_ref<A>) refuse(because<detail::check_matrix<op, S>>{});
    detail::builder& b = *a.where();
    int const p = op::invert<T>(node_ref<T>(&b, detail::walk_matrix<op>(a, b))).id;
    return detail::as_expression_of<A, typename detail::matrix_rule<S, &detail::transposed_axes>::type>(&b, p);
}

}  // namespace linalg
}  // namespace tapeless
