// SPDX-License-Identifier: MIT
#pragma once
// qr, and lstsq, which is made of it.

#include <tuple>

#include <tapeless/kernels/orthogonal.hpp>
#include <tapeless/ops/join.hpp>
#include <tapeless/ops/linalg/triangular.hpp>

namespace tapeless {
namespace detail::inline ops_part {

/// The flag of a matrix that must not have more columns than rows; otherwise it is taken as it comes.
inline constexpr std::int64_t must_be_tall = 1;

/// q, and below it r, of a, or of aᵀ where a has more columns than rows: m + n rows of k, the smaller one of the two.
struct qr_op : matrix_loop<qr_op, "qr"> {
    static constexpr bool differentiable = false;
    static constexpr dims shape(builder& b, node const& node) {
        dims const d = b.shape_of(node.in[0]);
        std::int64_t const m = d.from_right(1), n = d.from_right(0);
        bool const tall = node.attr.axes & must_be_tall;
        if (tall) b.at_most(n, m);
        return with_axes(leading_axes(d, 2), b.sum(m, n), tall ? n : smaller_length(b, m, n));
    }
    template <class T>
    static constexpr room_length room(builder& b, node const& node) {
        dims const d = b.shape_of(node.in[0]);
        room_length const m{&b, d.from_right(1)}, n{&b, d.from_right(0)}, k{&b, smaller_length(b, m.extent, n.extent)};
        constexpr std::int64_t block = reflections<T>::block;
        return m * n + k * 2 + (m + n + block) * block + room_of_products<T>(m + n, m + n, k) + (m + n) * k;
    }
    template <class T, class Build = simd::batch<T>>
    static void run(strided const* in, strided const* out, attribute const&, void* scratch) {
        bool const wide = in[0].extent[1] < in[0].extent[0];
        std::int64_t const m = in[0].extent[wide ? 0 : 1], n = in[0].extent[wide ? 1 : 0];
        if (n == 0) return;
        batch_nest<2>({out, &in[0]}, {2, 2}).each(0, [&](std::ptrdiff_t const* offset) {
            matrix_view<T> const to = matrix_at<T>(*out, offset[0]);
            matrix_view<T const> const a = matrix_at<T const>(in[0], offset[1]);
            T* const room = static_cast<T*>(scratch);
            T* const q = to.column == 1 ? to.at : room;
            std::ptrdiff_t const row = to.column == 1 ? to.row : static_cast<std::ptrdiff_t>(n);
            reflections<T>::qr(wide ? a.transposed() : a, m, n, q, row, q + m * row, row, room + (m + n) * n);
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

/// The shortest x that makes |a x - b| smallest; with `is_transposed` aᵀ is meant. The operands: the factors of a or of
/// aᵀ, whichever has at least as many rows as columns; b; and a, which only says which one it is.
struct lstsq_op : matrix_loop<lstsq_op, "lstsq"> {
    static constexpr dims shape(builder& b, node const& n) {
        dims const d = b.shape_of(n.in[1]), a = b.shape_of(n.in[2]);
        return with_axes(leading_axes(d, 2), a.from_right(n.attr.axes & is_transposed ? 1 : 0), d.from_right(0));
    }
    template <class T>
    static constexpr room_length room(builder& b, node const& n) {
        room_length const all{&b, b.shape_of(n.in[0]).from_right(1)}, columns{&b, b.shape_of(n.in[1]).from_right(0)};
        return room_of_products<T>(all, all, columns) + all * columns;
    }
    template <class T, class, class, class Build = simd::batch<T>>
    static void run(strided const* in, strided const* out, attribute const& at, void* scratch) {
        std::int64_t const rows_of_a = in[2].extent[1], columns_of_a = in[2].extent[0];
        bool const least = (rows_of_a < columns_of_a) == ((at.axes & is_transposed) != 0), normal = at.axes & is_normal;
        bool const zero = normal && (!least || rows_of_a == columns_of_a);
        std::int64_t const k = in[0].extent[0], longer = in[0].extent[1] - k, m = out->extent[0];
        T* const z = static_cast<T*>(scratch);  // k rows
        T* const y = z + k * m;                 // the longer side of the system
        T* const packed = y + longer * m;
        std::int64_t matrix = -1;
        if (m == 0 || out->extent[1] == 0) return;
        batch_nest<3>({out, &in[0], &in[1]}, {2, 2, 2}).each(0, [&](std::ptrdiff_t const* offset) {
            ++matrix;
            matrix_view<T> const x = matrix_at<T>(*out, offset[0]);
            matrix_view<T const> const q = matrix_at<T const>(in[0], offset[1]), r = q.from(longer, 0),
                                       b = matrix_at<T const>(in[1], offset[2]);
            for (std::int64_t i = 0; i < k; ++i)
                if (r(i, i) == 0) throw_numeric_error("lstsq", *out, 2, matrix, i, 0, "the matrix has not full rank");
            auto divide = [&](bool lower) {
                factors<T>::solve({.lower = lower}, lower ? r.transposed() : r, z, m, k, m, packed);
            };
            if (zero) {
                rows<T>::fill(y, 0, longer * m);
            } else if (!normal && least) {  // r⁻¹ qᵀ b
                rows<T>::fill(z, 0, k * m);
                if (m == 1 && q.column == 1) {
                    for (std::int64_t i = 0; i < longer; ++i) rows<T>::add(z, b(i, 0), &q(i, 0), k);
                } else {
                    rows<T>::copy(y, m, b, longer, m);
                    matrix_products<T>::template add<1>(z, m, q.transposed(), y, m, k, longer, m, packed);
                }
                divide(false);
            } else {  // q r⁻ᵀ b: any other x has something more, which is perpendicular to q; or r⁻¹ r⁻ᵀ b
                rows<T>::copy(z, m, b, k, m);
                divide(true);
                if (normal) divide(false);
                else if (m == 1 && q.column == 1)
                    for (std::int64_t i = 0; i < longer; ++i) y[i] = rows<T>::dot(&q(i, 0), z, k);
                else {
                    rows<T>::fill(y, 0, longer * m);
                    matrix_products<T>::template add<1>(y, m, q, z, m, longer, k, m, packed);
                }
            }
            bool const is_short = least && !zero;
            rows<T>::copy(x, {is_short ? z : y, static_cast<std::ptrdiff_t>(m), 1}, is_short ? k : longer, m);
        });
    }
    /// With p = a⁺: db = pᵀ g, da = -db xᵀ, and of a tall a + (b - a x) ((aᵀ a)⁻¹ g)ᵀ, of a wide one
    /// + (a aᵀ)⁻¹ b (g - aᵀ db)ᵀ. Of x = (aᵀ a)⁻¹ b: db = (aᵀ a)⁻¹ g, da = -a (db xᵀ + x dbᵀ).
    static constexpr auto pullback(auto arrived, auto x, auto both, auto right, auto matrix, attribute const& at) {
        using T = typename decltype(matrix)::value_type;
        using R = node_ref<T>;
        bool const turned = at.axes & is_transposed;
        auto solved = [&](R b, bool back, std::int64_t flags) {
            return solve<T>(both, b, matrix, (back != turned ? is_transposed : 0) | flags);
        };
        auto back_to = [&](R da) { return turned ? R(transpose(da)) : da; };
        R const g = whole_cotangent(arrived, x), a = back_to(matrix);
        if (at.axes & is_normal) {
            R const db = solved(g, false, is_normal);
            return cotangents(no_cotangent{}, db,
                              back_to(-(matmul(matmul(a, db), transpose(x)) + matmul(matmul(a, x), transpose(db)))));
        }
        builder& b = *matrix.graph;
        std::int64_t const m = b.resolve(b.shape_of(a.id).from_right(1)), n = b.resolve(b.shape_of(a.id).from_right(0));
        R const db = solved(g, true, 0), da = -matmul(db, transpose(x));
        if (m == n) return cotangents(no_cotangent{}, db, back_to(da));
        bool const known = m >= 0 && n >= 0;
        R const rest = !known || m > n ? R(right - matmul(a, x)) : right,
                down = !known || m > n ? solved(g, false, is_normal) : g;
        R const up = !known || m < n ? solved(right, true, is_normal) : right,
                beside = !known || m < n ? R(g - matmul(transpose(a), db)) : g;
        R const rows_of(&b, length_as_number<T>(b, m)), columns_of(&b, length_as_number<T>(b, n));
        R const left = known ? (m > n ? rest : up) : R(where(rows_of > columns_of, rest, up)),
                other = known ? (m > n ? down : beside) : R(where(rows_of > columns_of, down, beside));
        return cotangents(no_cotangent{}, db, back_to(matmul(left, transpose(other)) + da));
    }
    template <class T>
    static constexpr node_ref<T> solve(node_ref<T> both, node_ref<T> right, node_ref<T> a, std::int64_t flags) {
        return emit_custom_loop<lstsq_op, T, T, T>(*a.graph, attribute{.axes = flags}, {both.id, right.id, a.id});
    }
};

/// The length that q and r have in common, of a type: n where n is known and m is not, so that r stays what is known;
/// there must not be fewer rows then.
constexpr std::int64_t rank_of_qr(dims const& d) {
    std::int64_t const m = d.from_right(1), n = d.from_right(0);
    return n < 0 ? new_extent : m >= 0 && m < n ? m : n;
}
/// The shapes of q and r.
constexpr dims shape_of_q(dims const& d) { return with_axes(leading_axes(d, 2), d.from_right(1), rank_of_qr(d)); }
constexpr dims shape_of_r(dims const& d) { return with_axes(leading_axes(d, 2), rank_of_qr(d), d.from_right(0)); }
/// The factors of a matrix; where it is wide those of its first columns, and qᵀ times the others.
template <class T>
constexpr qr_pair<T> emit_any_qr(node_ref<T> a) {
    builder& b = *a.graph;
    dims const d = b.shape_of(a.id);
    std::int64_t const m = b.resolve(d.from_right(1)), n = b.resolve(d.from_right(0));
    if (m == n || (n >= 0 && (m < 0 || m > n)))
        return emit_qr<T>(a, emit_custom_loop<qr_op, T>(b, attribute{.axes = must_be_tall}, {a.id}));
    std::int64_t const k = smaller_length(b, m, n);
    node_ref<T> const first(&b, emit_slice(b, a.id, 0, 0, k, 1)),
        others(&b, emit_slice(b, a.id, 0, k, b.difference(n, k), 1));
    qr_pair<T> const f = emit_qr<T>(first, emit_custom_loop<qr_op, T>(b, {}, {first.id}));
    node_ref<T> const beside = matmul(transpose(f.q), others);
    int const both[] = {f.r.id, beside.id};
    return {f.q, {&b, emit_concat(b, both, 2, 0)}};
}
}  // namespace detail::ops_part

namespace linalg {

/// q and r with a = q r, of a matrix of m by n, or of each of a batch: q is m by k, k the smaller one of m and n, and
/// its columns are orthonormal; r is k by n and upper triangular, and its diagonal is positive, which makes both
/// unique. The gradient needs the first k columns of a to be independent (otherwise numeric_error says which pivot of r
/// is 0). Where n is known when compiled and m is not, k is n, and fewer rows are a shape_error.
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
/// where a has more columns than rows. b is a vector or a matrix, or with the tag `vectors` vectors along its last
/// axis. Leading axes are batches, and broadcast. Throws numeric_error where a has not full rank.
template <expression A, expression B, class... Tag>
constexpr auto lstsq(A const& a, B const& b, Tag...) {
    static_assert((detail::is_one_of<Tag, vectors_tag> && ...), "lstsq: its tag is `vectors`");
    using T = detail::matrix_element<A>;
    using op = detail::lstsq_op;
    return detail::solved<op, false, A, B, detail::is_vector<B, Tag...>()>(
        a, b, [](detail::builder& g, int matrix, int right, detail::dims const& batch) {
            auto batched = [&](int x) { return node_ref<T>(&g, detail::emit_batched(g, x, batch)); };
            int const both = detail::emit_custom_loop<detail::qr_op, T>(g, {}, {matrix}).id;
            return op::solve<T>(batched(both), node_ref<T>(&g, right), batched(matrix), 0).id;
        });
}

}  // namespace linalg
}  // namespace tapeless
