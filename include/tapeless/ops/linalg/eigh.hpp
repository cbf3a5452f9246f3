// SPDX-License-Identifier: MIT
#pragma once
// Eigenvalues and eigenvectors of symmetric matrices: eigh, eigvalsh.

#include <tuple>

#include <tapeless/kernels/orthogonal.hpp>
#include <tapeless/ops/linalg/loops.hpp>

namespace tapeless {
namespace detail::inline ops_part {

/// With Vectors: the eigenvectors as columns, and below them a row of eigenvalues; otherwise that row alone, without
/// the axis. attr.axes: the flags.
template <bool Vectors>
struct eigen_loop {
    template <class T>
    static constexpr room_length room(builder& b, node const& n) {
        room_length const rows{&b, emit_square(b, n.in[0])};
        room_length const own = rows * rows * 2 + rows * 5;
        return uses_lapack ? own + (rows * rows * 2 + rows * 16 + 16) : own;
    }
    template <class T, class Build = simd::batch<T>>
    static void run(strided const* in, strided const* out, attribute const& at, void* scratch) {
        std::int64_t const n = out->extent[0];
        constexpr int own = Vectors ? 2 : 1;
        T* const w = static_cast<T*>(scratch);
        std::int64_t matrix = -1;
        batch_nest<2>({out, &in[0]}, {own, 2}).each(0, [&](std::ptrdiff_t const* offset) {
            ++matrix;
            matrix_view<T> to = matrix_at<T>(*out, offset[0]);
            T* z = nullptr;
            if (!symmetric_eigen<T>::solve(matrix_at<T const>(in[0], offset[1]), n, Vectors, w, z, w + n)) {
                if (!(at.axes & is_quiet))
                    throw_numeric_error("eigh", *out, own, matrix, -1, 0, "the eigenvalues were not found");
                return fill_with_nan(to, Vectors ? n + 1 : 1, n);
            }
            if (Vectors) rows<T>::copy(to, {z, 1, static_cast<std::ptrdiff_t>(n)}, n, n);
            for (std::int64_t i = 0; i < n; ++i) to(Vectors ? n : 0, i) = w[i];
        });
    }
};
struct eigh_op : matrix_loop<eigen_loop<true>, "eigh">, eigen_loop<true> {
    static constexpr bool differentiable = false;
    static constexpr dims shape(builder& b, node const& n) {
        std::int64_t const rows = emit_square(b, n.in[0]);
        return with_axes(leading_axes(b.shape_of(n.in[0]), 2), b.sum(rows, 1), rows);
    }
};

template <class T>
struct eigen_pair {
    node_ref<T> values, vectors;
};
template <class T>
constexpr eigen_pair<T> emit_eigen(node_ref<T> a, node_ref<T> both);

/// v diag(g) vᵀ
template <class T>
constexpr node_ref<T> eigenvalue_cotangent(node_ref<T> vectors, node_ref<T> g) {
    return matmul(vectors * as_row(g), transpose(vectors));
}
/// The eigenvalues: the value, a, both.
struct eigenvalues_op : made_of_factors<"eigh"> {
    static constexpr auto pullback(auto arrived, auto w, auto, auto a, auto both, attribute const&) {
        using T = typename decltype(a)::value_type;
        node_ref<T> const da = eigenvalue_cotangent<T>(emit_eigen<T>(a, both).vectors, whole_cotangent(arrived, w));
        return cotangents(no_cotangent{}, da, no_cotangent{});
    }
};
/// The eigenvectors: the same.
struct eigenvectors_op : made_of_factors<"eigh"> {
    /// With f(i, j) = 1/(w(j) - w(i)), 0 on the diagonal: s = v (f * vᵀ g) vᵀ, and da = (s + sᵀ)/2.
    static constexpr auto pullback(auto arrived, auto v, auto, auto a, auto both, attribute const&) {
        using T = typename decltype(a)::value_type;
        node_ref<T> const w = emit_eigen<T>(a, both).values;
        node_ref<T> const turned =
            off_diagonal<T>(matmul(transpose(v), whole_cotangent(arrived, v)) / (as_row(w) - as_column(w)));
        node_ref<T> const da = symmetric_part<T>(matmul(v, matmul(turned, transpose(v))));
        return cotangents(no_cotangent{}, da, no_cotangent{});
    }
};
template <class T>
constexpr eigen_pair<T> emit_eigen(node_ref<T> a, node_ref<T> both) {
    builder& b = *a.graph;
    std::int64_t const n = b.resolve(b.shape_of(both.id).from_right(0));
    int const v = emit_rows(b, both.id, 0, n), row = emit_rows(b, both.id, n, 1);
    int const w = emit_axes(b, row, axis_map::without(b.shape_of(row).rank, 2));
    return {{&b, operation_table<eigenvalues_op, T, T, T>::emit(b, {}, {w, a.id, both.id})},
            {&b, operation_table<eigenvectors_op, T, T, T>::emit(b, {}, {v, a.id, both.id})}};
}

/// The eigenvalues alone, which is a fraction of the work; where a gradient is wanted too the vectors are made in the
/// same go.
struct eigvalsh_op : matrix_loop<eigen_loop<false>, "eigvalsh">, eigen_loop<false> {
    static constexpr dims shape(builder& b, node const& n) {
        std::int64_t const rows = emit_square(b, n.in[0]);
        return with_axes(leading_axes(b.shape_of(n.in[0]), 2), rows);
    }
    static constexpr auto pullback(auto arrived, auto w, auto a, attribute const& at) {
        using T = typename decltype(a)::value_type;
        eigen_pair<T> const f =
            emit_eigen<T>(a, emit_custom_loop<eigh_op, T>(*a.graph, attribute{.axes = at.axes}, {a.id}));
        a.graph->remade.push({w.id, f.values.id});
        return cotangents(eigenvalue_cotangent<T>(f.vectors, whole_cotangent(arrived, w)));
    }
};

constexpr dims without_columns(dims const& d) { return leading_axes(d, 1); }
}  // namespace detail::ops_part

namespace linalg {

/// The eigenvalues of a symmetric matrix in ascending order, and its eigenvectors as the columns of a matrix, or of
/// each of a batch. What is read is (a + aᵀ)/2, so gradients are symmetric. Vectors have a sign that means nothing.
/// The gradient of the values always exists in this order; what flows back through vectors of equal eigenvalues is
/// infinite or NaN, as they are not unique there.
template <expression A, class... Tag>
constexpr auto eigh(A const& a, Tag...) {
    static_assert((detail::is_one_of<Tag, quiet_tag> && ...), "eigh: its tag is `quiet`");
    using T = detail::matrix_element<A>;
    using S = typename detail::shape_or_none<A>::type;
    using op = detail::eigenvectors_op;
    if constexpr (!detail::is_node_ref<A>) refuse(because<detail::check_square<op, S>>{});
    detail::builder& b = *a.where();
    node_ref<T> const m(&b, detail::walk_matrix<op>(a, b));
    detail::attribute const at{.axes = detail::flags_of<Tag...>()};
    auto const f = detail::emit_eigen<T>(m, detail::emit_custom_loop<detail::eigh_op, T>(b, at, {m.id}));
    return std::tuple(
        detail::as_expression_of<A, typename detail::matrix_rule<S, &detail::without_columns>::type>(&b, f.values.id),
        detail::as_expression_of<A, S>(&b, f.vectors.id));
}

/// The eigenvalues of a symmetric matrix in ascending order.
template <expression A, class... Tag>
constexpr auto eigvalsh(A const& a, Tag...) {
    static_assert((detail::is_one_of<Tag, quiet_tag> && ...), "eigvalsh: its tag is `quiet`");
    using T = detail::matrix_element<A>;
    using S = typename detail::shape_or_none<A>::type;
    using op = detail::eigvalsh_op;
    if constexpr (!detail::is_node_ref<A>) refuse(because<detail::check_square<op, S>>{});
    detail::builder& b = *a.where();
    detail::attribute const at{.axes = detail::flags_of<Tag...>()};
    int const w = detail::emit_custom_loop<op, T>(b, at, {detail::walk_matrix<op>(a, b)}).id;
    return detail::as_expression_of<A, typename detail::matrix_rule<S, &detail::without_columns>::type>(&b, w);
}

}  // namespace linalg
}  // namespace tapeless
