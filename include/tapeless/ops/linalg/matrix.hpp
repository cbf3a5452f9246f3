// SPDX-License-Identifier: MIT
#pragma once
// What operations on matrices have in common as values of the graph: tags, shapes, and nodes.

#include <tapeless/ops/boundary.hpp>
#include <tapeless/ops/custom_loop.hpp>
#include <tapeless/ops/reduce_base.hpp>
#include <tapeless/ops/triangle.hpp>

namespace tapeless {

/// Refuses a matrix whose last two extents differ.
template <class Op, class Shape>
struct matrix_is_not_square {
    static_assert(never<Op>, "linalg: the matrix is not square: its last two extents differ");
};
/// Refuses a vector or a number where a matrix is needed.
template <class Op, class Shape>
struct not_a_matrix {
    static_assert(never<Op>, "linalg: a matrix has two axes, and batches of them more");
};
/// Refuses a right-hand side that does not belong to the matrix.
template <class Op, class Matrix, class Right>
struct right_hand_side_does_not_fit {
    static_assert(
        never<Op>,
        "linalg: the right-hand side has other rows than the matrix, or leading extents that do not broadcast (it "
        "is a matrix; a vector if it has one axis, and with the tag `vectors`, if each of its rows is one)");
};

namespace linalg {
struct lower_tag {};
struct upper_tag {};
struct transposed_tag {};
struct unit_tag {};
struct quiet_tag {};
struct vectors_tag {};
/// Of solve_triangular: which triangle of the matrix is meant (as it is stored), and whether its transpose is.
inline constexpr lower_tag lower{};
inline constexpr upper_tag upper{};
inline constexpr transposed_tag transposed{};
/// The diagonal counts as ones, and is not read.
inline constexpr unit_tag unit{};
/// NaN in the place of a numeric_error.
inline constexpr quiet_tag quiet{};
/// The last axis of the right-hand side is a vector, whatever the others; otherwise only a right-hand side with one
/// axis is one.
inline constexpr vectors_tag vectors{};
}  // namespace linalg

namespace detail::inline ops_part {

/// The tags of an operation as bits of an attribute.
inline constexpr std::int64_t is_upper = 1, is_transposed = 2, is_unit = 4, is_quiet = 8;
/// Of lstsq's loop: (aᵀ a)⁻¹ b is asked for, where a has more rows than columns, and 0 elsewhere.
inline constexpr std::int64_t is_normal = 16;
template <class... Tag>
constexpr std::int64_t flags_of() {
    constexpr bool upper = (std::same_as<Tag, linalg::upper_tag> || ...),
                   transposed = (std::same_as<Tag, linalg::transposed_tag> || ...);
    constexpr bool unit = (std::same_as<Tag, linalg::unit_tag> || ...),
                   quiet = (std::same_as<Tag, linalg::quiet_tag> || ...);
    return upper * is_upper + transposed * is_transposed + unit * is_unit + quiet * is_quiet;
}
template <class Tag, class... Among>
inline constexpr bool is_one_of = (std::same_as<Tag, Among> || ...);

// ---- shapes --------------------------------------------------------------------------------------------------------

/// A shape without its last axes.
constexpr dims leading_axes(dims d, int without) {
    d.rank = d.rank > without ? d.rank - without : 0;
    for (int k = d.rank; k < max_rank; ++k) d.extent[k] = 0;
    return d;
}
constexpr dims with_axes(dims d, std::int64_t a) {
    d.extent[d.rank++] = a;
    return d;
}
constexpr dims with_axes(dims d, std::int64_t a, std::int64_t b) { return with_axes(with_axes(d, a), b); }

template <class Shape>
constexpr bool can_be_square() {
    if constexpr (Shape::rank < 2) return false;
    else {
        dims const d = dims_of<Shape>();
        return d.from_right(0) < 0 || d.from_right(1) < 0 || d.from_right(0) == d.from_right(1);
    }
}
/// Why a shape is none of matrices, or of square ones.
template <class Op, class Shape>
using check_matrix = unless<Shape::rank >= 2, not_a_matrix<Op, Shape>>;
template <class Op, class Shape>
using check_square = typename first_reason<check_matrix<Op, Shape>,
                                           unless<can_be_square<Shape>(), matrix_is_not_square<Op, Shape>>>::type;

/// The shape that is `value` of a rule made of one shape.
template <class Shape, dims (*Rule)(dims const&)>
struct matrix_rule {
    static constexpr dims value = Rule(dims_of<Shape>());
    using type = typename shape_from<matrix_rule, Shape>::type;
};

/// The shape of x where a x = b: a square one, or one with other columns than rows, which are the rows of x.
template <class A, class B, bool Vector, bool Square = true>
struct solution_rule {
    static constexpr dims compute(bool& fits) {
        type_unifier u;
        dims const a = dims_of<A>(0), b = dims_of<B>(1);
        auto same = [&](std::int64_t x, std::int64_t y) { return x == y ? x : u.same(x, y); };
        std::int64_t const n = same(a.from_right(1), b.from_right(Vector ? 0 : 1));
        dims d = with_axes(broadcast(u, leading_axes(a, 2), leading_axes(b, Vector ? 1 : 2)),
                           Square ? same(a.from_right(0), n) : a.from_right(0));
        if (!Vector) d = with_axes(d, b.from_right(0));
        fits = u.ok;
        return d;
    }
    static constexpr bool check() {
        bool f = true;
        (void)compute(f);
        return f;
    }
    static constexpr dims find() {
        bool f = true;
        return compute(f);
    }
    static constexpr bool ok = B::rank >= (Vector ? 1 : 2) && check();
    static constexpr dims value = find();
    using type = typename shape_from<solution_rule, A, B>::type;
};
template <class Op, class A, class B, bool Vector, bool Square = true>
using check_right_hand_side = unless<solution_rule<A, B, Vector, Square>::ok, right_hand_side_does_not_fit<Op, A, B>>;

/// The element type of a matrix; integers, which are refused, count as double.
template <class A>
using matrix_element = std::conditional_t<std::floating_point<computed<typename A::value_type>>,
                                          computed<typename A::value_type>, double>;

/// The value `id` as what an operation on A returns: it is in the graph at once.
template <class A, class Shape>
constexpr auto as_expression_of(builder* b, int id) {
    using T = matrix_element<A>;
    if constexpr (is_node_ref<A>) return node_ref<T>(b, id);
    else return typename symbol_with<T, Shape>::type(b, id);
}
/// Why there is no linear algebra of A.
template <class Op, class A>
using check_elements =
    unless<std::floating_point<computed<typename A::value_type>>, needs_floating_point<Op, typename A::value_type>>;
template <class Op, class A>
constexpr int walk_matrix(A const& a, builder& b) {
    if constexpr (accepts(because<check_elements<Op, A>>{})) return widened(a).walk(b);
    else return cast<matrix_element<A>>(a).walk(b);
}

// ---- nodes ---------------------------------------------------------------------------------------------------------

/// x, a matrix, once for each of a batch.
constexpr int emit_batched(builder& b, int x, dims const& batch) {
    dims const d = b.shape_of(x);
    return emit_expand(b, x, with_axes(batch, d.from_right(1), d.from_right(0)));
}
/// A vector as a matrix of one column, and back.
constexpr int emit_column(builder& b, int x) {
    int const rank = b.shape_of(x).rank;
    axis_map m = axis_map::of_rank(rank + 1);
    for (int k = 0; k < rank; ++k) m.set(k + 1, k);
    return emit_axes(b, x, m);
}
constexpr int emit_without_column(builder& b, int x) {
    return emit_axes(b, x, axis_map::without(b.shape_of(x).rank, 1));
}
/// Rows first ... first + count - 1.
constexpr int emit_rows(builder& b, int x, std::int64_t first, std::int64_t count) {
    return emit_slice(b, x, 1, first, count, 1);
}
/// One element of the last axis, without that.
constexpr int emit_element(builder& b, int x, std::int64_t which) {
    return emit_axes(b, emit_slice(b, x, 0, which, 1, 1), axis_map::without(b.shape_of(x).rank, 1));
}
/// The last axis of a square matrix, which run time checks to be one.
constexpr std::int64_t emit_square(builder& b, int x) {
    dims const d = b.shape_of(x);
    return d.from_right(0) == d.from_right(1) ? b.resolve(d.from_right(0)) : b.same(d.from_right(1), d.from_right(0));
}
/// The smaller one of two lengths; the same two in either order are one length, and so is min(x, min(x, y)).
constexpr std::int64_t smaller_length(builder& b, std::int64_t x, std::int64_t y) {
    x = b.resolve(x);
    y = b.resolve(y);
    if (x == y) return x;
    if (x >= 0 && y >= 0) return x < y ? x : y;
    auto is_at_most = [&](std::int64_t less, std::int64_t than) {
        if (less >= 0) return false;
        length_formula const f = b.resolved(b.extents.items[static_cast<int>(~less)].formula);
        return f.rule == length_rule::minimum && (f.a == than || f.b == than);
    };
    if (is_at_most(x, y)) return x;
    if (is_at_most(y, x)) return y;
    return b.derived({.rule = length_rule::minimum, .a = x < y ? x : y, .b = x < y ? y : x});
}

/// An extent as a number.
template <class T>
constexpr int length_as_number(builder& b, std::int64_t extent) {
    return emit_count<T>(b, with_axes(dims{}, b.resolve(extent)), 1);
}

/// What arrives at y, in its shape.
template <class T>
constexpr node_ref<T> whole_cotangent(node_ref<T> g, auto y) {
    return {g.graph, emit_expand(*g.graph, g.id, dims(g.graph->shape_of(y.id)))};
}
/// x on the diagonal of its last two axes, or beside it, elsewhere 0.
template <class T>
constexpr node_ref<T> on_diagonal(node_ref<T> x) {
    builder& b = *x.graph;
    return {&b, emit_masked<T>(b, emit_column_against_row<equal_op, T>(b, dims(b.shape_of(x.id)), 0), x.id)};
}
template <class T>
constexpr node_ref<T> off_diagonal(node_ref<T> x) {
    builder& b = *x.graph;
    int const mask = operation_table<not_op, typename nth_type<0, bool, T>::type>::emit(
        b, {}, {emit_column_against_row<equal_op, T>(b, dims(b.shape_of(x.id)), 0)});
    return {&b, emit_masked<T>(b, mask, x.id)};
}
template <class T>
constexpr node_ref<T> symmetric_part(node_ref<T> x) {
    return T(0.5) * (x + transpose(x));
}
/// A vector beside the rows of a matrix (as a row), or beside its columns.
template <class T>
constexpr node_ref<T> as_row(node_ref<T> x) {
    builder& b = *x.graph;
    int const rank = b.shape_of(x.id).rank;
    axis_map m = axis_map::of_rank(rank + 1);
    for (int k = 0; k < rank; ++k) m.set(k == 0 ? 0 : k + 1, k);
    return {&b, emit_axes(b, x.id, m)};
}
template <class T>
constexpr node_ref<T> as_column(node_ref<T> x) {
    return {x.graph, emit_column(*x.graph, x.id)};
}
/// The unit matrix.
template <class T>
constexpr int emit_unit_matrix(builder& b, std::int64_t n) {
    dims d;
    int const equal = emit_column_against_row<equal_op, T>(b, with_axes(d, n, n), 0);
    return operation_table<cast_op<T>, bool>::emit(b, {}, {equal});
}

/// Base of a result whose derivative rule is written on the matrix, though the value is made of its factors: the
/// value comes first.
template <fixed_string Name>
struct made_of_factors : boundary<Name> {
    static constexpr bool has_axes = true;
};

}  // namespace detail::ops_part
}  // namespace tapeless
