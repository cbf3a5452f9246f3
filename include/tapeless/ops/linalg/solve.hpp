// SPDX-License-Identifier: MIT
#pragma once
// What is made of the factors p a = l u: solve, inverse, det, slogdet, logdet; and solve_spd, made of those of
// Cholesky.

#include <tuple>

#include <tapeless/ops/linalg/triangular.hpp>

namespace tapeless {
namespace detail {

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
            T* const room = static_cast<T*>(scratch);
            T* const a = to.column == 1 ? to.at : room;
            std::ptrdiff_t const row = to.column == 1 ? to.row : static_cast<std::ptrdiff_t>(n);
            rows<T>::copy(a, row, matrix_at<T const>(in[0], offset[1]), n, n);
            factors<T>::lu(a, row, n, a + n * row, room + (n + 1) * n);
            if (to.column != 1) rows<T>::copy(to, {a, row, 1}, n + 1, n);
        });
    }
    static constexpr bool knows_small_sizes = true;
    template <int N, class T, class Build = simd::batch<T>>
    static void run_small(strided const* in, strided const& out, attribute const&) {
        run_in_lanes<N, T>(batch_nest<2>({&out, &in[0]}, {2, 2}), in[0], out);
    }
    template <int N, class T, class Build = simd::batch<T>>
    static void run_in_lanes(batch_nest<2> const& nest, strided const& in, strided const& out) {
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

/// a⁻¹ b, or a⁻ᵀ b, of factors and right-hand sides with the same leading axes.
struct lu_solve_op : matrix_loop<lu_solve_op, "solve"> {
    static constexpr bool differentiable = false;
    static constexpr dims shape(builder& b, node const& n) { return b.shape_of(n.in[1]); }
    template <class T>
    static constexpr room_length room(builder& b, node const& n) {
        dims const d = b.shape_of(n.in[1]);
        room_length const rows{&b, d.from_right(1)}, columns{&b, d.from_right(0)};
        return room_of_products<T>(rows, rows, columns) + rows * columns;
    }
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
            T* const to = in_place ? x.at : room;
            std::ptrdiff_t const row = in_place ? x.row : static_cast<std::ptrdiff_t>(m);
            for (std::int64_t i = 0; i < n; ++i) {  // p b
                auto const from = static_cast<std::int64_t>(transposed ? static_cast<T>(i) : lu(n, i));
                if (right) {
                    rows<T>::copy(to + i * row, row, matrix_at<T const>(*right, offset[2]).from(from, 0), 1, m);
                } else {
                    rows<T>::fill(to + i * row, 0, m);
                    to[i * row + from] = 1;
                }
            }
            factors<T>::solve_lu(transposed, lu, to, row, n, m, room + n * m);
            for (std::int64_t i = 0; i < n && !in_place; ++i) {
                auto const goes = transposed ? static_cast<std::int64_t>(lu(n, i)) : i;
                rows<T>::copy(x.from(goes, 0), {to + i * row, row, 1}, 1, m);
            }
        });
    }
    static constexpr bool knows_small_sizes = true;
    template <int N, class T, class, class Build = simd::batch<T>>
    static void run_small(strided const* in, strided const& out, attribute const& at) {
        run_in_lanes<N, T>("solve", batch_nest<3>({&out, &in[0], &in[1]}, {2, 2, 2}), in[0], &in[1], out, at);
    }
    template <int N, class T, class Build = simd::batch<T>>
    static void run_in_lanes(char const* name, batch_nest<3> const& nest, strided const& factored, strided const* right,
                             strided const& out, attribute const& at) {
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
/// a⁻¹ b, or a⁻ᵀ b, of matrices so small that their factors are better made again than kept, and one vector for each.
struct small_solve_op : custom_loop<"solve"> {
    static constexpr bool differentiable = false, takes_leading_axes = true;
    static constexpr dims shape(builder& b, node const& n) { return b.shape_of(n.in[1]); }
    /// Of a matrix and right-hand sides of these shapes.
    static constexpr bool suits(dims const& a, dims const& b) {
        std::int64_t const n = a.from_right(0);
        bool small = false;
        for (int s : small_sizes) small = small || n == s;
        return small && a.from_right(1) == n && b.from_right(0) == 1;
    }
    static constexpr bool knows_small_sizes = true;
    template <class T, class, class Build = simd::batch<T>>
    static void run(strided const* in, strided const& out, attribute const& at) {
        run_small<0, T, T>(in, out, at);
    }
    template <int N, class T, class, class Build = simd::batch<T>>
    static void run_small(strided const* in, strided const& out, attribute const& at) {
        int const n = N ? N : static_cast<int>(out.extent[1]);
        batch_nest<3> const nest({&out, &in[0], &in[1]}, {2, 2, 2});
        each_in_lanes<T, N>(
            nest, [&]<class K>(K, std::ptrdiff_t const* offset, std::ptrdiff_t const* step, std::int64_t matrix) {
                using number = typename K::number;
                typename K::matrix a;
                typename K::vector x;
                matrix_view<T const> const from = matrix_at<T const>(in[0], offset[1]);
                K::load(a, at.axes & is_transposed ? from.transposed() : from, step[1], n);
                K::load(x, matrix_at<T const>(in[1], offset[2]), step[2], n);
                K::eliminate(a, x, n);
                K::store(matrix_at<T>(out, offset[0]), step[0], x, n);
                number least = number::all(1);
                K::each(n, [&](int i) TAPELESS_CONFIG_INLINE { least = number::least(least, number::size(a[i][i])); });
                if (least.all_positive()) return;
                for (int l = 0; l < K::L; ++l) {
                    if (least.get(l) > 0) continue;
                    int pivot = 0;
                    while (a[pivot][pivot].get(l) < 0 || a[pivot][pivot].get(l) > 0) ++pivot;
                    if (!(at.axes & is_quiet))
                        throw_numeric_error("solve", out, 2, matrix + l, pivot,
                                            static_cast<double>(a[pivot][pivot].get(l)), "the matrix is singular");
                    fill_with_nan(matrix_at<T>(out, offset[0] + l * step[0]), n, 1);
                }
            });
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
        return room_of_products<T>(rows, rows, rows) + rows * rows;
    }
    template <class T, class Build = simd::batch<T>>
    static void run(strided const* in, strided const* out, attribute const& at, void* scratch) {
        lu_solve_op::run_solve<T>("inverse", in[0], nullptr, *out, at, static_cast<T*>(scratch));
    }
    static constexpr bool knows_small_sizes = true;
    template <int N, class T, class Build = simd::batch<T>>
    static void run_small(strided const* in, strided const& out, attribute const& at) {
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
    using T = computed<typename A::value_type>;
    if constexpr (!is_node_ref<A>) refuse(because<check_square<Op, S>>{});
    builder& b = *a.where();
    int const y = emit_determinant<T>(b, walk_matrix<Op>(a, b), Which, flags_of<Tag...>());
    return as_expression_of<A, typename matrix_rule<S, &without_matrix>::type>(&b, y);
}
}  // namespace detail

namespace linalg {

/// x with a x = b, a any matrix that is not singular (by factors with pivots), b a vector or a matrix; with the tag
/// `vectors` the last axis of b is a vector. Leading axes are batches, and broadcast. Tags: `transposed` (aᵀ x = b),
/// `vectors`, `quiet`. Throws numeric_error where a pivot is 0.
template <expression A, expression B, class... Tag>
constexpr auto solve(A const& a, B const& b, Tag...) {
    static_assert((detail::is_one_of<Tag, transposed_tag, vectors_tag, quiet_tag> && ...),
                  "solve: its tags are `transposed`, `vectors` and `quiet`");
    using T = detail::computed<typename A::value_type>;
    return detail::solved<detail::solution_op, true, A, B, detail::is_vector<B, Tag...>()>(
        a, b, [](detail::builder& g, int matrix, int right, detail::dims const& batch) {
            node_ref<T> const m(&g, detail::emit_batched(g, matrix, batch)), y(&g, right);
            if (m.id == matrix && detail::small_solve_op::suits(g.shape_of(matrix), g.shape_of(right)))
                return detail::emit_solution<T>(m, m, y, detail::flags_of<Tag...>()).id;
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
    using T = detail::computed<typename A::value_type>;
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
    using T = detail::computed<typename A::value_type>;
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
