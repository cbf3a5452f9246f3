// SPDX-License-Identifier: MIT
#pragma once
// qr, and lstsq, which is made of it.

#include <tuple>

#include <tapeless/kernels/orthogonal.hpp>
#include <tapeless/ops/join.hpp>
#include <tapeless/ops/linalg/triangular.hpp>

namespace tapeless {
namespace detail {

/// q, and below it r: m + n rows of n.
struct qr_op : matrix_loop<qr_op, "qr"> {
    static constexpr bool differentiable = false;
    static constexpr dims shape(builder& b, node const& n) {
        dims const d = b.shape_of(n.in[0]);
        b.at_most(d.from_right(0), d.from_right(1));
        return with_axes(leading_axes(d, 2), b.sum(d.from_right(1), d.from_right(0)), d.from_right(0));
    }
    template <class T>
    static constexpr room_length room(builder& b, node const& node) {
        dims const d = b.shape_of(node.in[0]);
        room_length const m{&b, d.from_right(1)}, n{&b, d.from_right(0)};
        constexpr std::int64_t block = reflections<T>::block;
        return m * n + n * 2 + (m + n + block) * block + room_of_products<T>(m, m, n) + (m + n) * n;
    }
    template <class T, class Build = simd::batch<T>>
    static void run(strided const* in, strided const* out, attribute const&, void* scratch) {
        std::int64_t const m = in[0].extent[1], n = in[0].extent[0];
        if (n == 0) return;
        batch_nest<2>({out, &in[0]}, {2, 2}).each(0, [&](std::ptrdiff_t const* offset) {
            matrix_view<T> const to = matrix_at<T>(*out, offset[0]);
            T* const room = static_cast<T*>(scratch);
            T* const q = to.column == 1 ? to.at : room;
            std::ptrdiff_t const row = to.column == 1 ? to.row : static_cast<std::ptrdiff_t>(n);
            reflections<T>::qr(matrix_at<T const>(in[0], offset[1]), m, n, q, row, q + m * row, row,
                               room + (m + n) * n);
            if (to.column != 1) rows<T>::copy(to, {q, row, 1}, m + n, n);
        });
    }
};

/// q and r as values of the graph.
template <class T>
struct qr_pair {
    node_ref<T> q, r;
};
template <class T>
constexpr qr_pair<T> emit_qr(node_ref<T> a, node_ref<T> both);

/// (y + q s) r⁻ᵀ, where s is the lower triangle of m, and the same above: what y, and m, of q and r become at a.
template <class T>
constexpr node_ref<T> qr_cotangent(qr_pair<T> const& f, node_ref<T> y, node_ref<T> m) {
    node_ref<T> const s = tril(m) + transpose(tril(m, -1)), sum = y + matmul(f.q, s);
    return transpose(triangular_op::solve<T>(f.r, transpose(sum), is_upper));
}
/// q: the value, a, both factors.
struct qr_q_op : made_of_factors<"qr"> {
    static constexpr auto pullback(auto arrived, auto q, auto, auto a, auto both, attribute const&) {
        using T = typename decltype(a)::value_type;
        node_ref<T> const g = whole_cotangent(arrived, q);
        return cotangents(no_cotangent{}, qr_cotangent<T>(emit_qr<T>(a, both), g, -matmul(transpose(g), q)),
                          no_cotangent{});
    }
};
/// r: the same.
struct qr_r_op : made_of_factors<"qr"> {
    static constexpr auto pullback(auto arrived, auto r, auto, auto a, auto both, attribute const&) {
        using T = typename decltype(a)::value_type;
        node_ref<T> const m = matmul(r, transpose(triu(whole_cotangent(arrived, r)))),
                          s = tril(m) + transpose(tril(m, -1));
        qr_pair<T> const f = emit_qr<T>(a, both);
        return cotangents(no_cotangent{}, transpose(triangular_op::solve<T>(f.r, transpose(matmul(f.q, s)), is_upper)),
                          no_cotangent{});
    }
};
template <class T>
constexpr qr_pair<T> emit_qr(node_ref<T> a, node_ref<T> both) {
    builder& b = *a.graph;
    dims const d = b.shape_of(a.id);
    int const q = emit_rows(b, both.id, 0, d.from_right(1)),
              r = emit_rows(b, both.id, d.from_right(1), d.from_right(0));
    return {{&b, operation_table<qr_q_op, T, T, T>::emit(b, {}, {q, a.id, both.id})},
            {&b, operation_table<qr_r_op, T, T, T>::emit(b, {}, {r, a.id, both.id})}};
}

/// x that makes |a x - b| smallest: the value, a, both factors, b.
struct lstsq_op : made_of_factors<"lstsq"> {
    /// With u = (aᵀ a)⁻¹ g = r⁻¹ r⁻ᵀ g: db = a u, da = (b - a x) uᵀ - db xᵀ
    static constexpr auto pullback(auto arrived, auto x, auto, auto a, auto both, auto right, attribute const&) {
        using T = typename decltype(a)::value_type;
        node_ref<T> const r = emit_qr<T>(a, both).r, g = whole_cotangent(arrived, x);
        node_ref<T> const u =
            triangular_op::solve<T>(r, triangular_op::solve<T>(r, g, is_upper | is_transposed), is_upper);
        node_ref<T> const db = matmul(a, u), rest = right - matmul(a, x);
        return cotangents(no_cotangent{}, matmul(rest, transpose(u)) - matmul(db, transpose(x)), no_cotangent{}, db);
    }
    template <class T>
    static constexpr node_ref<T> solve(node_ref<T> a, node_ref<T> both, node_ref<T> right) {
        builder& b = *a.graph;
        qr_pair<T> const f = emit_qr<T>(a, both);
        node_ref<T> const x = triangular_op::solve<T>(f.r, matmul(transpose(f.q), right), is_upper);
        return {&b, operation_table<lstsq_op, T, T, T, T>::emit(b, {}, {x.id, a.id, both.id, right.id})};
    }
};

/// Whether a shape is known to have more columns than rows.
constexpr bool is_wide(dims const& d) { return d.from_right(1) >= 0 && d.from_right(1) < d.from_right(0); }
/// The shapes of q, m by k, and r, k by n, where k is the smaller one of m and n: n unless the other is known to be.
constexpr dims shape_of_q(dims const& d) {
    return is_wide(d) ? with_axes(leading_axes(d, 2), d.from_right(1), d.from_right(1)) : d;
}
constexpr dims shape_of_r(dims const& d) {
    return with_axes(leading_axes(d, 2), is_wide(d) ? d.from_right(1) : d.from_right(0), d.from_right(0));
}
/// The factors of a matrix; of a wide one those of its first columns, and qᵀ times the others.
template <class T>
constexpr qr_pair<T> emit_any_qr(node_ref<T> a) {
    builder& b = *a.graph;
    dims const d = b.shape_of(a.id);
    if (!is_wide(d)) return emit_qr<T>(a, emit_custom_loop<qr_op, T>(b, {}, {a.id}));
    std::int64_t const m = d.from_right(1), n = d.from_right(0);
    node_ref<T> const first(&b, emit_slice(b, a.id, 0, 0, m, 1)), others(&b, emit_slice(b, a.id, 0, m, n - m, 1));
    qr_pair<T> const f = emit_qr<T>(first, emit_custom_loop<qr_op, T>(b, {}, {first.id}));
    node_ref<T> const beside = matmul(transpose(f.q), others);
    int const both[] = {f.r.id, beside.id};
    return {f.q, {&b, emit_concat(b, both, 2, 0)}};
}
}  // namespace detail

namespace linalg {

/// q and r with a = q r, of a matrix of m by n, or of each of a batch: q is m by k, k the smaller one of m and n, and
/// its columns are orthonormal; r is k by n and upper triangular, and its diagonal is positive, which makes both
/// unique. The gradient needs the first k columns of a to be independent (otherwise numeric_error says which pivot of r
/// is 0). More columns than rows there may be where both are known when compiled; run time refuses them.
template <expression A>
constexpr auto qr(A const& a) {
    using T = detail::matrix_element<A>;
    using S = typename detail::shape_or_none<A>::type;
    using op = detail::qr_q_op;
    if constexpr (!detail::is_node_ref<A>) refuse(because<detail::check_matrix<op, S>>{});
    detail::builder& b = *a.where();
    auto const f = detail::emit_any_qr<T>(node_ref<T>(&b, detail::walk_matrix<op>(a, b)));
    return std::tuple(
        detail::as_expression_of<A, typename detail::matrix_rule<S, &detail::shape_of_q>::type>(&b, f.q.id),
        detail::as_expression_of<A, typename detail::matrix_rule<S, &detail::shape_of_r>::type>(&b, f.r.id));
}

/// x that makes the length of a x - b smallest, a of full rank (by qr), and of many such x the shortest: there are many
/// where a is known to have more columns than rows. b is a vector or a matrix, or with the tag `vectors` vectors along
/// its last axis. Leading axes are batches, and broadcast.
template <expression A, expression B, class... Tag>
constexpr auto lstsq(A const& a, B const& b, Tag...) {
    static_assert((detail::is_one_of<Tag, vectors_tag> && ...), "lstsq: its tag is `vectors`");
    using T = detail::matrix_element<A>;
    return detail::solved<detail::lstsq_op, false, A, B, detail::is_vector<B, Tag...>()>(
        a, b, [](detail::builder& g, int matrix, int right, detail::dims const& batch) {
            auto batched = [&](int x) { return node_ref<T>(&g, detail::emit_batched(g, x, batch)); };
            node_ref<T> const m(&g, matrix), y(&g, right);
            if (!detail::is_wide(g.shape_of(matrix))) {
                int const both = detail::emit_custom_loop<detail::qr_op, T>(g, {}, {matrix}).id;
                return detail::lstsq_op::solve<T>(batched(matrix), batched(both), y).id;
            }
            // aᵀ = q r: of all x = q z + something perpendicular to q, the one without that; rᵀ z = b
            auto const f = detail::emit_any_qr<T>(node_ref<T>(transpose(m)));
            constexpr std::int64_t turned = detail::is_upper | detail::is_transposed;
            return node_ref<T>(matmul(batched(f.q.id), detail::triangular_op::solve<T>(batched(f.r.id), y, turned))).id;
        });
}

}  // namespace linalg
}  // namespace tapeless
