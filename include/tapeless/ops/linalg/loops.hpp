// SPDX-License-Identifier: MIT
#pragma once
// What the loops of operations on matrices have in common: room for their kernels, batches, and errors.

#include <limits>
#include <string>

#include <tapeless/array/errors.hpp>
#include <tapeless/kernels/lane_batches.hpp>
#include <tapeless/ops/linalg/matrix.hpp>

namespace tapeless::detail::inline ops_part {

// ---- room ----------------------------------------------------------------------------------------------------------

/// Lengths that are added and multiplied as they are written.
struct room_length {
    builder* graph;
    std::int64_t extent;
    constexpr room_length operator+(room_length o) const { return {graph, graph->sum(extent, o.extent)}; }
    constexpr room_length operator+(std::int64_t o) const { return {graph, graph->sum(extent, o)}; }
    constexpr room_length operator*(room_length o) const { return {graph, graph->product(extent, o.extent)}; }
    constexpr room_length operator*(std::int64_t o) const { return {graph, graph->product(extent, o)}; }
    constexpr room_length at_most(std::int64_t o) const { return {graph, smaller_length(*graph, extent, o)}; }
};
/// At least matrix_products<T>::room(m, k, n).
template <class T>
constexpr room_length room_of_products(room_length m, room_length k, room_length n) {
    using p = matrix_products<T>;
    return k.at_most(p::deep) * (m.at_most(p::block) + n + (p::J + p::N));
}
/// The same, and for a copy of the right-hand sides, of an operation that solves systems for its second operand.
template <class T>
constexpr room_length room_to_solve(builder& b, node const& n) {
    dims const d = b.shape_of(n.in[1]);
    room_length const rows{&b, d.from_right(1)}, columns{&b, d.from_right(0)};
    return room_of_products<T>(rows, rows, columns) + rows * columns;
}
/// Base of operations with kernels of their own, which need room: Derived::room<T>(builder&, node const&) says how
/// much.
template <class Derived, fixed_string Name>
struct matrix_loop : custom_loop<Name> {
    static constexpr bool takes_leading_axes = true;
    template <class T, class...>
    static constexpr int scratch_element = sizeof(T);
    template <class T>
    static constexpr int simplify(builder& b, node const& n) {
        if (n.attr.shape >= 0) return emit_in_memory(b, n);
        node m = n;
        room_length const elements = Derived::template room<T>(b, n);
        m.attr.shape = b.intern(with_axes(dims{}, elements.extent));
        return b.emit(*n.op, m);
    }
};
/// Base of those whose result is like their operand, a square matrix.
template <class Derived, fixed_string Name>
struct square_loop : matrix_loop<Derived, Name> {
    static constexpr dims shape(builder& b, node const& n) {
        (void)emit_square(b, n.in[0]);
        return b.shape_of(n.in[0]);
    }
};

// ---- loops over a batch --------------------------------------------------------------------------------------------

/// The matrix at a place of an array.
template <class T>
matrix_view<T> matrix_at(strided const& a, std::ptrdiff_t offset = 0) {
    return {a.as<std::remove_const_t<T>>() + offset, a.stride[1], a.stride[0]};
}
/// The leading axes of arrays side by side, of which each has so many of its own.
template <int N, class Build = simd::batch<float>>
struct batch_nest : loop_nest<N, Build> {
    TAPELESS_CONFIG_INLINE batch_nest(strided const* const (&a)[N], int const (&own)[N]) {
        for (int k = 0; k < a[0]->rank - own[0]; ++k)
            [&]<std::size_t... J>(std::index_sequence<J...>) {
                this->add(a[0]->extent[own[0] + k], a[J]->stride[own[J] + k]...);
            }(std::make_index_sequence<static_cast<std::size_t>(N)>{});
    }
};
/// "cholesky: pivot 2 of matrix (1, 0) is -3.000000: the matrix is not positive definite"
[[noreturn, gnu::noinline, gnu::cold]] inline void throw_numeric_error(char const* op, strided const& a, int own,
                                                                       std::int64_t matrix, std::int64_t pivot,
                                                                       double value, char const* reason) {
    std::string position;
    std::int64_t rest = matrix;
    for (int k = own; k < a.rank; rest /= a.extent[k++])
        position = std::to_string(rest % a.extent[k]) + (k > own ? ", " : "") + position;
    std::string text = op;
    text += ": ";
    if (pivot >= 0)
        text += "pivot " + std::to_string(pivot) + (a.rank > own ? " of matrix (" + position + ")" : "") + " is " +
                std::to_string(value) + ": ";
    else if (a.rank > own) text += "matrix (" + position + "): ";
    detail::raise(numeric_error(text + reason, op, matrix, pivot));
}
template <class T, class Build = simd::batch<T>>
void fill_with_nan(matrix_view<T> x, std::int64_t m, std::int64_t n) {
    for (std::int64_t i = 0; i < m; ++i)
        for (std::int64_t j = 0; j < n; ++j) x(i, j) = std::numeric_limits<T>::quiet_NaN();
}

}  // namespace tapeless::detail::ops_part
