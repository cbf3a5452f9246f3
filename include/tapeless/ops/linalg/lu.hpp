// SPDX-License-Identifier: MIT
#pragma once
// The factors p a = l u, and the loops that use them: systems, the inverse, the determinant.

#include <tapeless/ops/linalg/triangular.hpp>

namespace tapeless::detail::inline ops_part {

/// l and u in one matrix (l without its diagonal of ones), and below it a row: row i of p a is row so much of a.
struct lu_op : matrix_loop<lu_op, "lu"> {
    static constexpr bool differentiable = false;
    static constexpr dims shape(builder& b, node const& n) {
        std::int64_t const rows = emit_square(b, n.in[0]);
        return with_axes(leading_axes(b.shape_of(n.in[0]), 2), b.sum(rows, 1), rows);
    }
    template <class T>
    static constexpr room_length room(builder& b, node const& n) {
        room_length const rows{&b, emit_square(b, n.in[0])};
        if (rows.extent >= 0 && rows.extent <= factors<T>::small) return {&b, 0};
        return room_of_products<T>(rows, rows, rows) + (rows + 1) * rows;
    }
    template <class T, class Build = simd::batch<T>>
    static void run(strided const* in, strided const* out, attribute const&, void* scratch) {
        std::int64_t const n = out->extent[0];
        if (n == 0) return;
        batch_nest<2> const nest({out, &in[0]}, {2, 2});
        if (fits_lanes<T>(n, nest)) return run_in_lanes<0, T>(nest, in[0], *out);
        nest.each(0, [&](std::ptrdiff_t const* offset) {
            matrix_view<T> const to = matrix_at<T>(*out, offset[0]);
            constexpr std::int64_t few = factors<T>::small;
            T own[static_cast<std::size_t>((few + 1) * few)];
            T* const room = n <= few ? own : static_cast<T*>(scratch);
            T* const a = to.column == 1 ? to.at : room;
            std::ptrdiff_t const row = to.column == 1 ? to.row : static_cast<std::ptrdiff_t>(n);
            rows<T>::copy(a, row, matrix_at<T const>(in[0], offset[1]), n, n);
            factors<T>::lu(a, row, n, a + n * row, room + (n + 1) * n);
            if (to.column != 1) rows<T>::copy(to, {a, row, 1}, n + 1, n);
        });
    }
    static constexpr bool knows_small_sizes = true;
    template <int N, class T, class Build = simd::batch<T>>
    TAPELESS_CONFIG_INLINE static void run_small(strided const* in, strided const& out, attribute const&) {
        run_in_lanes<N, T>(batch_nest<2>({&out, &in[0]}, {2, 2}), in[0], out);
    }
    template <int N, class T, class Build = simd::batch<T>>
    TAPELESS_CONFIG_INLINE static void run_in_lanes(batch_nest<2> const& nest, strided const& in, strided const& out) {
        int const n = N ? N : static_cast<int>(out.extent[0]);
        each_in_lanes<T, N>(nest,
                            [&]<class K>(K, std::ptrdiff_t const* offset, std::ptrdiff_t const* step, std::int64_t) {
                                typename K::matrix a;
                                typename K::vector from;
                                K::load(a, matrix_at<T const>(in, offset[1]), step[1], n);
                                K::lu(a, from, n);
                                matrix_view<T> const to = matrix_at<T>(out, offset[0]);
                                K::store(to, step[0], a, n);
                                K::store(to.from(n, 0).transposed(), step[0], from, n);
                            });
    }
};

/// The first pivot of factors that is 0 or NaN, or -1.
template <class T, class Build = simd::batch<T>>
std::int64_t zero_pivot(matrix_view<T const> lu, std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i)
        if (!(lu(i, i) < 0 || lu(i, i) > 0)) return i;
    return -1;
}

/// Named where it is asked for: the factors are those of a gradient that is already there.
inline void kept_factors_have_no_derivative() {}

/// a⁻¹ b, or a⁻ᵀ b, of factors and right-hand sides with the same leading axes.
struct lu_solve_op : system_loop<lu_solve_op, "solve"> {
    static constexpr bool differentiable = false;
    template <class T, class, class Build = simd::batch<T>>
    static void run(strided const* in, strided const* out, attribute const& at, void* scratch) {
        run_solve<T>("solve", in[0], &in[1], *out, at, static_cast<T*>(scratch));
    }
    /// Without right-hand sides: those of the unit matrix.
    template <class T, class Build = simd::batch<T>>
    static void run_solve(char const* name, strided const& factored, strided const* right, strided const& out,
                          attribute const& at, T* room) {
        std::int64_t const n = out.extent[1], m = out.extent[0];
        bool const transposed = at.axes & is_transposed;
        if (n == 0 || m == 0) return;
        std::int64_t matrix = -1;
        batch_nest<3> const nest({&out, &factored, right ? right : &out}, {2, 2, 2});
        if (fits_lanes<T>(n, nest)) return run_in_lanes<0, T>(name, nest, factored, right, out, at);
        nest.each(0, [&](std::ptrdiff_t const* offset) {
            ++matrix;
            matrix_view<T> const x = matrix_at<T>(out, offset[0]);
            matrix_view<T const> const lu = matrix_at<T const>(factored, offset[1]);
            if (std::int64_t const i = zero_pivot(lu, n); i >= 0) {
                if (!(at.axes & is_quiet))
                    throw_numeric_error(name, out, 2, matrix, i, static_cast<double>(lu(i, i)),
                                        "the matrix is singular");
                return fill_with_nan(x, n, m);
            }
            bool const in_place = !transposed && (x.column == 1 || m == 1);
            some_columns<T>::each(
                n, m, in_place, room,
                [&](std::int64_t c, std::int64_t width, T* own, T* packed) TAPELESS_CONFIG_INLINE {
                    T* const to = in_place ? x.at : own;
                    std::ptrdiff_t const row = in_place ? x.row : static_cast<std::ptrdiff_t>(width);
                    for (std::int64_t i = 0; i < n; ++i) {  // p b
                        auto const from = static_cast<std::int64_t>(transposed ? static_cast<T>(i) : lu(n, i));
                        if (right) {
                            rows<T>::copy(to + i * row, row, matrix_at<T const>(*right, offset[2]).from(from, c), 1,
                                          width);
                        } else {
                            rows<T>::fill(to + i * row, 0, width);
                            if (from >= c && from < c + width) to[i * row + from - c] = 1;
                        }
                    }
                    factors<T>::solve_lu(transposed, lu, to, row, n, width, packed);
                    for (std::int64_t i = 0; i < n && !in_place; ++i) {
                        auto const goes = transposed ? static_cast<std::int64_t>(lu(n, i)) : i;
                        rows<T>::copy(x.from(goes, c), {to + i * row, row, 1}, 1, width);
                    }
                });
        });
    }
    static constexpr bool knows_small_sizes = true;
    template <int N, class T, class, class Build = simd::batch<T>>
    TAPELESS_CONFIG_INLINE static void run_small(strided const* in, strided const& out, attribute const& at) {
        run_in_lanes<N, T>("solve", batch_nest<3>({&out, &in[0], &in[1]}, {2, 2, 2}), in[0], &in[1], out, at);
    }
    template <int N, class T, class Build = simd::batch<T>>
    TAPELESS_CONFIG_INLINE static void run_in_lanes(char const* name, batch_nest<3> const& nest,
                                                    strided const& factored, strided const* right, strided const& out,
                                                    attribute const& at) {
        int const n = N ? N : static_cast<int>(out.extent[1]);
        bool const transposed = at.axes & is_transposed;
        each_in_lanes<T, N>(nest, [&]<class K>(K, std::ptrdiff_t const* offset, std::ptrdiff_t const* step,
                                               std::int64_t matrix) {
            using number = typename K::number;
            typename K::matrix a;
            typename K::vector inverse, ones, x;
            std::int64_t from[static_cast<std::size_t>(K::most)][static_cast<std::size_t>(K::L)];  // of each lane
            matrix_view<T const> const lu = matrix_at<T const>(factored, offset[1]);
            K::load(a, lu, step[1], n);
            number const zero = number::all(0);
            number bad = zero;  // or NaN
            K::each(n, [&](int i) TAPELESS_CONFIG_INLINE {
                ones[i] = number::all(1);
                inverse[i] = ones[i] / a[i][i];
                bad = number::minus_product(bad, inverse[i], zero);  // 0 / 0, inf 0 and NaN are NaN
                for (int l = 0; l < K::L; ++l) from[i][l] = static_cast<std::int64_t>((&lu(n, i))[l * step[1]]);
            });
            bool good = true;
            for (int l = 0; l < K::L; ++l) good = good && bad.get(l) == 0;
            for (int l = 0; l < K::L && !good; ++l) {
                matrix_view<T const> const own = matrix_at<T const>(factored, offset[1] + l * step[1]);
                std::int64_t const i = zero_pivot(own, n);
                if (i >= 0 && !(at.axes & is_quiet))
                    throw_numeric_error(name, out, 2, matrix + l, i, static_cast<double>(own(i, i)),
                                        "the matrix is singular");
            }
            matrix_view<T> const to = matrix_at<T>(out, offset[0]);
            for (std::int64_t c = 0; c < out.extent[0]; ++c) {
                T values[static_cast<std::size_t>(K::most * K::L)]{};  // the order of rows differs from lane to lane
                for (int i = 0; i < n; ++i)
                    for (int l = 0; l < K::L; ++l) {
                        std::int64_t const r = transposed ? i : from[i][l];
                        values[i * K::L + l] = right    ? matrix_at<T const>(*right, offset[2] + l * step[2])(r, c)
                                               : r == c ? T(1)
                                                        : T(0);
                    }
                K::each(n, [&](int i) TAPELESS_CONFIG_INLINE { x[i] = K::load_strided(values + i * K::L, 1); });
                if (transposed) {
                    K::template solve<true, true>(a, inverse, x, n);
                    K::template solve<false, true>(a, ones, x, n);
                } else {
                    K::template solve<true, false>(a, ones, x, n);
                    K::template solve<false, false>(a, inverse, x, n);
                }
                for (int i = 0; i < n; ++i)
                    for (int l = 0; l < K::L; ++l) (&to(transposed ? from[i][l] : i, c))[l * step[0]] = x[i].get(l);
            }
            for (int l = 0; l < K::L && !good; ++l)
                if (zero_pivot(matrix_at<T const>(factored, offset[1] + l * step[1]), n) >= 0)
                    fill_with_nan(matrix_at<T>(out, offset[0] + l * step[0]), n, out.extent[0]);
        });
    }
};
/// a⁻¹ b, or a⁻ᵀ b, of small matrices and one vector for each, eliminated in one go; and, if something needs them, the
/// factors of a as a second result (see lu_op).
struct small_solve_op : custom_loop<"solve"> {
    static constexpr bool differentiable = false, takes_leading_axes = true;
    static constexpr dims shape(builder& b, node const& n) { return b.shape_of(n.in[1]); }
    /// Of a matrix and right-hand sides of these shapes.
    static constexpr bool suits(dims const& a, dims const& b) {
        std::int64_t const n = a.from_right(0);
        return n >= 1 && n <= (a.rank > 2 ? 16 : 8) && a.from_right(1) == n && b.from_right(0) == 1;
    }
    /// Whether a gradient eliminates again, rather than to keep the factors of such matrices. Nanoseconds of value and
    /// gradient in double, again and kept, of batches of 1000 (and where rows change places): 2 rows 11.5, 12.3 (13.8,
    /// 13.4); 3: 23, 21 (31, 26); 6: 95, 96 (153, 135); 8: 204, 189 (357, 278); 12: 690, 460 (1090, 680). Of one
    /// matrix: 3 rows 44, 87; 4: 71, 103; 6: 189, 168; 8: 338, 286.
    static constexpr bool eliminates_again(dims const& a) { return a.from_right(0) <= (a.rank > 2 ? 2 : 4); }
    static constexpr void (*refusal)() = &kept_factors_have_no_derivative;
    static constexpr bool knows_small_sizes = true;
    template <class T, class, class Build = simd::batch<T>>
    static void run(strided const* in, strided const* out, attribute const& at, void*) {
        if (out[1].data) run_and_keep<0, T>(in, out, at);
        else run_small<0, T, T>(in, *out, at);
    }
    template <int N, class T, class, class Build = simd::batch<T>>
    TAPELESS_CONFIG_INLINE static void run_small(strided const* in, strided const& out, attribute const& at) {
        run_in_lanes<N, T>(batch_nest<3>({&out, &in[0], &in[1]}, {2, 2, 2}), in, &out, at);
    }
    template <int N, class T, class Build = simd::batch<T>>
    TAPELESS_CONFIG_INLINE static void run_and_keep(strided const* in, strided const* out, attribute const& at) {
        run_in_lanes<N, T>(batch_nest<4>({out, &in[0], &in[1], &out[1]}, {2, 2, 2, 2}), in, out, at);
    }

private:
    /// Of four arrays the last is for the factors.
    template <int N, class T, int Arrays, class Build = simd::batch<T>>
    TAPELESS_CONFIG_INLINE static void run_in_lanes(batch_nest<Arrays> const& nest, strided const* in,
                                                    strided const* out, attribute const& at) {
        int const n = N ? N : static_cast<int>(out->extent[1]);
        each_in_lanes<T, N>(nest, [&]<class K>(K, std::ptrdiff_t const* offset, std::ptrdiff_t const* step,
                                               std::int64_t matrix) TAPELESS_CONFIG_INLINE {
            using number = typename K::number;
            typename K::matrix a;
            typename K::vector x;
            matrix_view<T const> const view = matrix_at<T const>(in[0], offset[1]);
            K::load(a, at.axes & is_transposed ? view.transposed() : view, step[1], n);
            K::load(x, matrix_at<T const>(in[1], offset[2]), step[2], n);
            if constexpr (Arrays == 4) {
                typename K::vector from;
                K::each(n, [&](int i) TAPELESS_CONFIG_INLINE { from[i] = number::all(static_cast<T>(i)); });
                K::template eliminate<true>(a, x, n, from);
                matrix_view<T> const factored = matrix_at<T>(out[1], offset[3]);
                K::store(factored, step[3], a, n);
                K::store(factored.from(n, 0).transposed(), step[3], from, n);
            } else {
                K::eliminate(a, x, n);
            }
            K::store(matrix_at<T>(*out, offset[0]), step[0], x, n);
            number least = number::all(1);
            K::each(n, [&](int i) TAPELESS_CONFIG_INLINE { least = number::least(least, number::size(a[i][i])); });
            if (least.all_positive()) return;
            for (int l = 0; l < K::L; ++l)
                if (!(least.get(l) > 0))
                    singular<T>(in[0], offset[1] + l * step[1], *out, offset[0] + l * step[0], at, matrix + l);
        });
    }
    /// Of one matrix with a pivot that is 0 or NaN.
    template <class T, class Build = simd::batch<T>>
    [[gnu::noinline, gnu::cold]] static void singular(strided const& in, std::ptrdiff_t from, strided const& out,
                                                      std::ptrdiff_t to, attribute const& at, std::int64_t matrix) {
        using K = small_matrices<T, 0, 0>;
        int const n = static_cast<int>(out.extent[1]);
        typename K::matrix a;
        typename K::vector rows;
        matrix_view<T const> const p = matrix_at<T const>(in, from);
        K::load(a, at.axes & is_transposed ? p.transposed() : p, 0, n);
        K::lu(a, rows, n);
        int pivot = 0;
        while (pivot + 1 < n && (a[pivot][pivot].v[0] < 0 || a[pivot][pivot].v[0] > 0)) ++pivot;
        if (!(at.axes & is_quiet))
            throw_numeric_error("solve", out, 2, matrix, pivot, static_cast<double>(a[pivot][pivot].v[0]),
                                "the matrix is singular");
        fill_with_nan(matrix_at<T>(out, to), n, 1);
    }
};
/// Those factors.
template <class T>
struct kept_factors : part_op<1, small_solve_op, T> {
    static constexpr bool knows_small_sizes = true;
    template <int N, class, class Build = simd::batch<T>>
    TAPELESS_CONFIG_INLINE static void run_small(strided const* in, strided const* out, attribute const& at) {
        small_solve_op::run_and_keep<N, T>(in, out, at);
    }
};
struct lu_inverse_op : matrix_loop<lu_inverse_op, "inverse"> {
    static constexpr bool differentiable = false;
    static constexpr dims shape(builder& b, node const& n) {
        std::int64_t const rows = b.shape_of(n.in[0]).from_right(0);
        return with_axes(leading_axes(b.shape_of(n.in[0]), 2), rows, rows);
    }
    template <class T>
    static constexpr room_length room(builder& b, node const& n) {
        room_length const rows{&b, b.shape_of(n.in[0]).from_right(0)};
        if (some_columns<T>::fit(rows.extent)) return {&b, 0};
        return room_of_products<T>(rows, rows, rows) + rows * rows;
    }
    template <class T, class Build = simd::batch<T>>
    static void run(strided const* in, strided const* out, attribute const& at, void* scratch) {
        lu_solve_op::run_solve<T>("inverse", in[0], nullptr, *out, at, static_cast<T*>(scratch));
    }
    static constexpr bool knows_small_sizes = true;
    template <int N, class T, class Build = simd::batch<T>>
    TAPELESS_CONFIG_INLINE static void run_small(strided const* in, strided const& out, attribute const& at) {
        lu_solve_op::run_in_lanes<N, T>("inverse", batch_nest<3>({&out, &in[0], &out}, {2, 2, 2}), in[0], nullptr, out,
                                        at);
    }
};
/// Sign, log |det| and det of factors, side by side.
struct lu_determinant_op : custom_loop<"det"> {
    static constexpr bool differentiable = false, takes_leading_axes = true;
    static constexpr dims shape(builder& b, node const& n) {
        return with_axes(leading_axes(b.shape_of(n.in[0]), 2), 3);
    }
    template <class T, class Build = simd::batch<T>>
    static void run(strided const* in, strided const& out, attribute const&) {
        std::int64_t const n = in[0].extent[0];
        batch_nest<2>({&out, &in[0]}, {1, 2}).each(0, [&](std::ptrdiff_t const* offset) {
            matrix_view<T const> const lu = matrix_at<T const>(in[0], offset[1]);
            T sign = 1, log_size = 0, det = 1;
            for (std::int64_t i = 0; i < n; ++i) {
                T const d = lu(i, i);
                for (std::int64_t j = i + 1; j < n; ++j)  // each pair of rows that changed places changes the sign
                    if (lu(n, j) < lu(n, i)) sign = -sign;
                if (d < 0) sign = -sign;
                log_size += static_cast<T>(__builtin_log(static_cast<double>(d < 0 ? -d : d)));
                det *= d < 0 ? -d : d;
                if (d == 0 || d != d) sign = d;
            }
            T* const to = out.as<T>() + offset[0];
            to[0] = sign;
            to[out.stride[0]] = log_size;
            to[2 * out.stride[0]] = sign * det;
        });
    }
};

}  // namespace tapeless::detail::ops_part
