// SPDX-License-Identifier: MIT
#pragma once
// solve_triangular, and what it has in common with the other systems.

#include <tapeless/kernels/factor.hpp>
#include <tapeless/ops/linalg/loops.hpp>

namespace tapeless {
namespace detail::inline ops_part {

/// Columns of right-hand sides that have to be copied: of few rows some at a time, on the stack.
template <class T, class Build = simd::batch<T>>
struct some_columns {
    static constexpr std::int64_t few = factors<T>::small, most = 16;
    /// Whether matrices of so many rows, a number known when compiled, need no room.
    static constexpr bool fit(std::int64_t rows) { return rows >= 0 && rows <= few; }
    /// f(first column, columns, room for a copy of them, room for products)
    template <class F>
    TAPELESS_CONFIG_INLINE static void each(std::int64_t n, std::int64_t m, bool in_place, T* room, F const& f) {
        T own[static_cast<std::size_t>(few * most)];
        bool const here = !in_place && n <= few;
        std::int64_t const width = here ? most : m;
        for (std::int64_t c = 0; c < m; c += width)
            f(c, m - c < width ? m - c : width, here ? own : room, n > few ? room + n * m : nullptr);
    }
};
/// Base of those that solve systems for their second operand, in any way.
template <class Derived, fixed_string Name>
struct system_loop : matrix_loop<Derived, Name> {
    static constexpr dims shape(builder& b, node const& n) { return b.shape_of(n.in[1]); }
    template <class T>
    static constexpr room_length room(builder& b, node const& n) {
        if (some_columns<T>::fit(b.shape_of(n.in[1]).from_right(1))) return {&b, 0};
        return room_to_solve<T>(b, n);
    }
};

/// x with t x = b, where t is a triangle of a, or its transpose. The flags are in attr.axes.
struct triangular_op : system_loop<triangular_op, "solve_triangular"> {
    template <class T, class, class Build = simd::batch<T>>
    static void run(strided const* in, strided const* out, attribute const& at, void* scratch) {
        std::int64_t const n = out->extent[1], m = out->extent[0];
        bool const transposed = at.axes & is_transposed, upper = at.axes & is_upper;
        triangle const form{.lower = upper == transposed, .unit = (at.axes & is_unit) != 0};
        std::int64_t matrix = -1;
        if (n == 0 || m == 0) return;
        batch_nest<3> const nest({out, &in[0], &in[1]}, {2, 2, 2});
        if (fits_lanes<T>(n, nest)) return run_in_lanes<0, T>(nest, in, *out, at);
        nest.each(0, [&](std::ptrdiff_t const* offset) {
            ++matrix;
            matrix_view<T> const x = matrix_at<T>(*out, offset[0]);
            matrix_view<T const> const a = matrix_at<T const>(in[0], offset[1]);
            for (std::int64_t i = 0; i < n && !form.unit; ++i) {
                if (a(i, i) != 0) continue;
                if (!(at.axes & is_quiet))
                    throw_numeric_error("solve_triangular", *out, 2, matrix, i, 0, "the matrix is singular");
                return fill_with_nan(x, n, m);
            }
            bool const in_place = x.column == 1 || m == 1;
            T* const room = static_cast<T*>(scratch);
            some_columns<T>::each(n, m, in_place, room,
                                  [&](std::int64_t c, std::int64_t width, T* own, T* packed) TAPELESS_CONFIG_INLINE {
                                      T* const to = in_place ? x.at : own;
                                      std::ptrdiff_t const row = in_place ? x.row : static_cast<std::ptrdiff_t>(width);
                                      rows<T>::copy(to, row, matrix_at<T const>(in[1], offset[2]).from(0, c), n, width);
                                      factors<T>::solve(form, transposed ? a.transposed() : a, to, row, n, width,
                                                        packed);
                                      if (!in_place) rows<T>::copy(x.from(0, c), {to, row, 1}, n, width);
                                  });
        });
    }
    static constexpr bool knows_small_sizes = true;
    template <int N, class T, class, class Build = simd::batch<T>>
    TAPELESS_CONFIG_INLINE static void run_small(strided const* in, strided const& out, attribute const& at) {
        run_in_lanes<N, T>(batch_nest<3>({&out, &in[0], &in[1]}, {2, 2, 2}), in, out, at);
    }
    template <int N, class T, class Build = simd::batch<T>>
    TAPELESS_CONFIG_INLINE static void run_in_lanes(batch_nest<3> const& nest, strided const* in, strided const& out,
                                                    attribute const& at) {
        int const n = N ? N : static_cast<int>(out.extent[1]);
        bool const transposed = at.axes & is_transposed, upper = at.axes & is_upper, unit = at.axes & is_unit;
        each_in_lanes<T, N>(
            nest, [&]<class K>(K, std::ptrdiff_t const* offset, std::ptrdiff_t const* step, std::int64_t matrix) {
                using number = typename K::number;
                typename K::matrix a;
                typename K::vector inverse, x;
                K::load(a, matrix_at<T const>(in[0], offset[1]), step[1], n);
                number const one = number::all(1);
                number sizes = one;  // 0 where one of the diagonal is, and not NaN
                K::each(n, [&](int i) TAPELESS_CONFIG_INLINE {
                    inverse[i] = unit ? one : one / a[i][i];
                    if (!unit) sizes = number::least_size(sizes, a[i][i]);
                });
                matrix_view<T const> const from = matrix_at<T const>(in[1], offset[2]);
                matrix_view<T> const to = matrix_at<T>(out, offset[0]);
                for (std::int64_t c = 0; c < out.extent[0]; ++c) {
                    K::load(x, from.from(0, c), step[2], n);
                    if (transposed && upper) K::template solve<true, true>(a, inverse, x, n);
                    else if (transposed) K::template solve<false, true>(a, inverse, x, n);
                    else if (upper) K::template solve<false, false>(a, inverse, x, n);
                    else K::template solve<true, false>(a, inverse, x, n);
                    K::store(to.from(0, c), step[0], x, n);
                }
                if (!sizes.any_zero()) return;
                for (int l = 0; l < K::L; ++l) {
                    int pivot = 0;
                    while (pivot < n && a[pivot][pivot].get(l) != 0) ++pivot;
                    if (pivot == n) continue;
                    if (!(at.axes & is_quiet))
                        throw_numeric_error("solve_triangular", out, 2, matrix + l, pivot, 0, "the matrix is singular");
                    fill_with_nan(matrix_at<T>(out, offset[0] + l * step[0]), n, out.extent[0]);
                }
            });
    }
    /// t(a) x = b: db = t(a)⁻ᵀ g, da = -db xᵀ in the triangle; of the transpose -x dbᵀ.
    static constexpr auto pullback(auto arrived, auto x, auto a, auto, attribute const& at) {
        using T = typename decltype(a)::value_type;
        auto const g = whole_cotangent(arrived, x);
        node_ref<T> const db = solve(a, g, at.axes ^ is_transposed),
                          product = at.axes & is_transposed ? matmul(x, transpose(db)) : matmul(db, transpose(x));
        int const beside = at.axes & is_unit ? 1 : 0;
        node_ref<T> const da = at.axes & is_upper ? -triu(product, beside) : -tril(product, -beside);
        return cotangents(da, db);
    }
    /// Of a matrix and right-hand sides with the same leading axes.
    template <class T>
    static constexpr node_ref<T> solve(node_ref<T> a, node_ref<T> b, std::int64_t flags) {
        return emit_custom_loop<triangular_op, T, T>(*a.graph, attribute{.axes = flags}, {a.id, b.id});
    }
};

/// Op on a matrix and right-hand sides, one of which may be for all: emit(b, a, b) of matrices whose leading axes
/// agree.
template <class Op, bool Square, class A, class B, bool Vector, class Emit>
constexpr auto solved(A const& a, B const& right, Emit const& emit) {
    using S = typename shape_or_none<A>::type;
    using R = typename shape_or_none<B>::type;
    refuse(because<elements_refused<Op, computed<typename A::value_type>, B>>{});
    if constexpr (!is_node_ref<A>) {
        if constexpr (Square) refuse(because<check_square<Op, S>>{});
        else refuse(because<check_matrix<Op, S>>{});
        if constexpr (!Square || can_be_square<S>()) refuse(because<check_right_hand_side<Op, S, R, Vector, Square>>{});
    }
    builder& b = a.where() ? *a.where() : *right.where();
    int const matrix = walk_matrix<Op>(a, b);
    int x = walk_matrix<Op>(right, b);
    if constexpr (Vector) x = emit_column(b, x);
    dims const d = b.shape_of(matrix), e = b.shape_of(x);
    if (d.from_right(1) != e.from_right(1)) (void)b.same(d.from_right(1), e.from_right(1));
    if (Square) (void)emit_square(b, matrix);
    dims const batch = broadcast(b, leading_axes(d, 2), leading_axes(e, 2));
    int y = emit(b, matrix, emit_batched(b, x, batch), batch);
    if constexpr (Vector) y = emit_without_column(b, y);
    if constexpr (is_node_ref<A>) return as_expression_of<A, S>(&b, y);
    else return as_expression_of<A, typename solution_rule<S, R, Vector, Square>::type>(&b, y);
}
/// Whether a right-hand side is a vector, or with the tag many of them.
template <class B, class... Tag>
constexpr bool is_vector() {
    if constexpr (is_one_of<linalg::vectors_tag, Tag...>) return true;
    else if constexpr (is_node_ref<B>) return false;
    else return B::rank == 1;
}
}  // namespace detail::ops_part

namespace linalg {

/// x with t x = b, where t is the lower triangle of a. Tags: `upper`, `transposed` (after the triangle was chosen),
/// `unit`; `vectors`, `quiet`. The other triangle of a is not read. b is a vector or a matrix; leading axes
/// broadcast. Throws numeric_error where there is a 0 on the diagonal.
template <expression A, expression B, class... Tag>
constexpr auto solve_triangular(A const& a, B const& b, Tag...) {
    static_assert(
        (detail::is_one_of<Tag, lower_tag, upper_tag, transposed_tag, unit_tag, quiet_tag, vectors_tag> && ...),
        "solve_triangular: its tags are `lower`, `upper`, `transposed`, `unit`, `vectors` and `quiet`");
    using op = detail::triangular_op;
    using T = detail::matrix_element<A>;
    return detail::solved<op, true, A, B, detail::is_vector<B, Tag...>()>(
        a, b, [](detail::builder& g, int matrix, int right, detail::dims const& batch) {
            return detail::emit_custom_loop<op, T, T>(g, detail::attribute{.axes = detail::flags_of<Tag...>()},
                                                      {detail::emit_batched(g, matrix, batch), right})
                .id;
        });
}

}  // namespace linalg
}  // namespace tapeless
