// SPDX-License-Identifier: MIT
#pragma once
// cholesky, whose derivative is written in solve_triangular.

#include <tapeless/ops/linalg/triangular.hpp>

namespace tapeless {
namespace detail::inline ops_part {

/// The lower triangular l with l lᵀ = (a + aᵀ)/2; attr.axes: the flags.
struct cholesky_op : square_loop<cholesky_op, "cholesky"> {
    template <class T>
    static constexpr room_length room(builder& b, node const& n) {
        room_length const rows{&b, emit_square(b, n.in[0])};
        if (rows.extent >= 0 && rows.extent <= short_factors<T>::most) return {&b, 0};
        return room_of_products<T>(rows, rows, rows) + rows * (rows + apart);
    }
    /// So that rows of 2^k elements do not meet in the caches.
    static constexpr std::int64_t apart = 8;
    template <class T, class Build = simd::batch<T>>
    static void run(strided const* in, strided const* out, attribute const& at, void* scratch) {
        std::int64_t const n = out->extent[0], row = n + apart;
        if (n == 0) return;
        T* const u = static_cast<T*>(scratch);
        std::int64_t matrix = -1;
        batch_nest<2> const nest({out, &in[0]}, {2, 2});
        if (fits_lanes<T>(n, nest)) return run_in_lanes<0, T>(nest, in[0], *out, at);
        if (n <= short_factors<T>::most) return run_short<T>(nest, in[0], *out, at);
        nest.each(0, [&](std::ptrdiff_t const* offset) {
            ++matrix;
            rows<T>::template symmetrise<true>(u, row, matrix_at<T const>(in[0], offset[1]), n);
            factors<T>::cholesky(u, row, n, u + n * row);
            matrix_view<T> const l = matrix_at<T>(*out, offset[0]);
            for (std::int64_t i = 0; i < n; ++i) {
                if (u[i * row + i] > 0) continue;
                if (!(at.axes & is_quiet))
                    throw_numeric_error("cholesky", *out, 2, matrix, i, square_of_pivot(in[0], offset[1], u, row, i),
                                        "the matrix is not positive definite");
                return fill_with_nan(l, n, n);
            }
            if (l.column == 1) {
                rows<T>::transpose_triangle(l.at, l.row, u, row, n);
            } else {
                for (std::int64_t i = 0; i < n; ++i) rows<T>::fill(u + i * row, 0, i);
                rows<T>::copy(l, {u, 1, static_cast<std::ptrdiff_t>(row)}, n, n);
            }
        });
    }
    static constexpr auto pullback(auto arrived, auto l, auto a, attribute const& at);

    static constexpr bool knows_small_sizes = true;
    template <int N, class T, class Build = simd::batch<T>>
    TAPELESS_CONFIG_INLINE static void run_small(strided const* in, strided const& out, attribute const& at) {
        run_in_lanes<N, T>(batch_nest<2>({&out, &in[0]}, {2, 2}), in[0], out, at);
    }

private:
    template <int N, class T, class Build = simd::batch<T>>
    TAPELESS_CONFIG_INLINE static void run_in_lanes(batch_nest<2> const& nest, strided const& in, strided const& out,
                                                    attribute const& at) {
        int const n = N ? N : static_cast<int>(out.extent[1]);
        constexpr int W = N == 0 || N > 4 ? 1 : 2;  // of more rows one register a number is all that there is room for
        each_in_lanes<T, N, W>(nest, [&]<class K>(K, std::ptrdiff_t const* offset, std::ptrdiff_t const* step,
                                                  std::int64_t matrix) TAPELESS_CONFIG_INLINE {
            using number = typename K::number;
            typename K::matrix a;
            load<K, T>(a, in, offset[1], step[1], n);
            number const least = K::cholesky(a, n);
            K::store(matrix_at<T>(out, offset[0]), step[0], a, n);
            if (least.all_positive()) return;
            // or one so small that 1 / pivot is infinite, of which the next is not positive
            for (int l = 0; l < K::L; ++l)
                if (!(least.get(l) > 0))
                    run_alone<T>(in, offset[1] + l * step[1], out, offset[0] + l * step[0], at, matrix + l);
        });
    }
    /// Of a symmetric matrix rows and columns are the same.
    template <class K, class T>
    TAPELESS_CONFIG_INLINE static void load(typename K::matrix& a, strided const& in, std::ptrdiff_t offset,
                                            std::ptrdiff_t step, int n) {
        matrix_view<T const> const p = matrix_at<T const>(in, offset);
        K::load(a, p.row == 1 ? p.transposed() : p, step, n);
    }
    /// Matrices of few rows, one after the other.
    template <class T, class Build = simd::batch<T>>
    static void run_short(batch_nest<2> const& nest, strided const& in, strided const& out, attribute const& at) {
        using K = short_factors<T>;
        int const n = static_cast<int>(out.extent[0]);
        std::int64_t matrix = -1;
        nest.each(0, [&](std::ptrdiff_t const* offset) {
            ++matrix;
            typename K::square u(n);
            T root[static_cast<std::size_t>(K::most)];
            rows<T>::template symmetrise<true>(u.at, u.row, matrix_at<T const>(in, offset[1]), n);
            if (!K::cholesky(u, root, n)) return run_alone<T>(in, offset[1], out, offset[0], at, matrix);
            for (int i = 0; i < n; ++i) u[i][i] = root[i];
            matrix_view<T> const l = matrix_at<T>(out, offset[0]);
            if (l.column == 1) return rows<T>::transpose_triangle(l.at, l.row, u.at, u.row, n);
            for (int i = 0; i < n; ++i) rows<T>::fill(u[i], 0, i);
            rows<T>::copy(l, {u.at, 1, u.row}, n, n);
        });
    }
    /// Of one matrix with a pivot that has lost digits, or that is not positive.
    template <class T, class Build = simd::batch<T>>
    [[gnu::noinline, gnu::cold]] static void run_alone(strided const& in, std::ptrdiff_t from, strided const& out,
                                                       std::ptrdiff_t to, attribute const& at, std::int64_t matrix) {
        using K = short_factors<T>;
        int const n = static_cast<int>(out.extent[0]);
        typename K::square u(n);
        rows<T>::template symmetrise<true>(u.at, u.row, matrix_at<T const>(in, from), n);
        double pivot = 1;
        int const bad = K::cholesky_of_tiny(u, n, pivot);
        matrix_view<T> const l = matrix_at<T>(out, to);
        if (bad < n && !(at.axes & is_quiet))
            throw_numeric_error("cholesky", out, 2, matrix, bad, pivot, "the matrix is not positive definite");
        if (bad < n) return fill_with_nan(l, n, n);
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j) l(i, j) = j <= i ? u[j][i] : T(0);
    }
    /// What the root was to be taken of.
    template <class T>
    static double square_of_pivot(strided const& in, std::ptrdiff_t offset, T const* u, std::ptrdiff_t row,
                                  std::int64_t i) {
        double sum = static_cast<double>(matrix_at<T const>(in, offset)(i, i));
        for (std::int64_t k = 0; k < i; ++k)
            sum -= static_cast<double>(u[k * row + i]) * static_cast<double>(u[k * row + i]);
        return sum;
    }
};

/// What flows back through cholesky: from l, and what arrived there.
struct cholesky_back_op : matrix_loop<cholesky_back_op, "cholesky"> {
    static constexpr bool differentiable = false;
    static constexpr dims shape(builder& b, node const& n) { return b.shape_of(n.in[0]); }
    template <class T>
    static constexpr room_length room(builder& b, node const& n) {
        room_length const rows{&b, b.shape_of(n.in[0]).from_right(0)};
        if (some_columns<T>::fit(rows.extent)) return {&b, 0};
        return room_of_products<T>(rows, rows, rows) + rows * rows * 2;
    }
    template <class T, class, class Build = simd::batch<T>>
    static void run(strided const* in, strided const* out, attribute const&, void* scratch) {
        std::int64_t const n = out->extent[0];
        if (n == 0) return;
        constexpr std::int64_t few = factors<T>::small;
        T own[static_cast<std::size_t>(2 * few * few)];
        T *const room = n <= few ? own : static_cast<T*>(scratch), *const packed = room + 2 * n * n;
        batch_nest<3> const nest({out, &in[0], &in[1]}, {2, 2, 2});
        if (fits_lanes<T>(n, nest)) return run_in_lanes<0, T>(nest, in, *out);
        nest.each(0, [&](std::ptrdiff_t const* offset) {
            matrix_view<T> const to = matrix_at<T>(*out, offset[0]);
            matrix_view<T const> l = matrix_at<T const>(in[0], offset[1]);
            if (l.column != 1) {
                rows<T>::copy(room + n * n, n, l, n, n);
                l = {room + n * n, static_cast<std::ptrdiff_t>(n), 1};
            }
            T* const g = to.column == 1 ? to.at : room;
            std::ptrdiff_t const row = to.column == 1 ? to.row : static_cast<std::ptrdiff_t>(n);
            rows<T>::copy(g, row, matrix_at<T const>(in[1], offset[2]), n, n);
            factors<T>::cholesky_back(l, g, row, n, packed);
            constexpr std::int64_t some = 8;
            for (std::int64_t i0 = 0; i0 < n; i0 += some)
                for (std::int64_t j0 = 0; j0 <= i0; j0 += some)
                    for (std::int64_t i = i0; i < n && i < i0 + some; ++i)
                        for (std::int64_t j = j0; j < i && j < j0 + some; ++j)
                            g[j * row + i] = g[i * row + j] *= T(0.5);
            if (to.column != 1) rows<T>::copy(to, {g, row, 1}, n, n);
        });
    }
    static constexpr bool knows_small_sizes = true;
    template <int N, class T, class, class Build = simd::batch<T>>
    TAPELESS_CONFIG_INLINE static void run_small(strided const* in, strided const& out, attribute const&) {
        run_in_lanes<N, T>(batch_nest<3>({&out, &in[0], &in[1]}, {2, 2, 2}), in, out);
    }
    template <int N, class T, class Build = simd::batch<T>>
    TAPELESS_CONFIG_INLINE static void run_in_lanes(batch_nest<3> const& nest, strided const* in, strided const& out) {
        int const n = N ? N : static_cast<int>(out.extent[1]);
        each_in_lanes<T, N>(
            nest, [&]<class K>(K, std::ptrdiff_t const* offset, std::ptrdiff_t const* step, std::int64_t) {
                using number = typename K::number;
                typename K::matrix l, g;
                K::load(l, matrix_at<T const>(in[0], offset[1]), step[1], n);
                K::load(g, matrix_at<T const>(in[1], offset[2]), step[2], n);
                K::cholesky_back(l, g, n);
                number const half = number::all(T(0.5));
                K::each(n, [&](int i) TAPELESS_CONFIG_INLINE {
                    K::each(0, i, [&](int j) TAPELESS_CONFIG_INLINE { g[j][i] = g[i][j] = g[i][j] * half; });
                });
                K::store(matrix_at<T>(out, offset[0]), step[0], g, n);
            });
    }
};
/// The same as a value of the graph: the value, l, what arrived.
struct cholesky_cotangent_op : made_of_factors<"cholesky"> {
    /// y = (s + sᵀ)/2 with s = l⁻ᵀ p l⁻¹, where p is lᵀ tril(g) with half of its diagonal and nothing above. Of h,
    /// which arrives and is made symmetric: k = l⁻¹ h l⁻ᵀ with half of its diagonal and nothing above, dg = l k, dl =
    /// g kᵀ - 2 y h l⁻ᵀ.
    static constexpr auto pullback(auto arrived, auto y, auto, auto l, auto g, attribute const& at) {
        using T = typename decltype(l)::value_type;
        node_ref<T> const h = symmetric_part<T>(whole_cotangent(arrived, y)),
                          right = transpose(triangular_op::solve<T>(l, h, at.axes));
        node_ref<T> const full = triangular_op::solve<T>(l, right, at.axes), k = T(0.5) * (tril(full) + tril(full, -1));
        node_ref<T> const dl = matmul(tril(g), transpose(k)) - T(2) * matmul(y, right);
        return cotangents(no_cotangent{}, tril(dl), tril(matmul(l, k)));
    }
};
constexpr auto cholesky_op::pullback(auto arrived, auto l, auto a, attribute const& at) {
    using T = typename decltype(a)::value_type;
    builder& b = *a.graph;
    int const g = whole_cotangent(arrived, l).id, y = emit_custom_loop<cholesky_back_op, T, T>(b, {}, {l.id, g}).id;
    attribute const flags{.axes = at.axes & is_quiet};
    return cotangents(node_ref<T>(&b, operation_table<cholesky_cotangent_op, T, T, T>::emit(b, flags, {y, l.id, g})));
}

}  // namespace detail::ops_part

namespace linalg {

/// The lower triangular l with l lᵀ = a, of a symmetric positive definite matrix, or of each of a batch. What is read
/// is (a + aᵀ)/2, so the gradient is symmetric. Throws numeric_error where a is not positive definite; with `quiet` l
/// is NaN there.
template <expression A, class... Tag>
constexpr auto cholesky(A const& a, Tag...) {
    static_assert((detail::is_one_of<Tag, quiet_tag> && ...), "cholesky: its tag is `quiet`");
    using op = detail::cholesky_op;
    using T = detail::matrix_element<A>;
    using S = typename detail::shape_or_none<A>::type;
    if constexpr (!detail::is_node_ref<A>) refuse(because<detail::check_square<op, S>>{});
    detail::builder& b = *a.where();
    int const l = detail::emit_custom_loop<op, T>(b, detail::attribute{.axes = detail::flags_of<Tag...>()},
                                                  {detail::walk_matrix<op>(a, b)})
                      .id;
    return detail::as_expression_of<A, S>(&b, l);
}

}  // namespace linalg
}  // namespace tapeless
