// SPDX-License-Identifier: MIT
#pragma once
// Cumulative sums along an axis.

#include <tapeless/kernels/loop_nest.hpp>
#include <tapeless/ops/custom_loop.hpp>
#include <tapeless/ops/reduce.hpp>

namespace tapeless {
namespace detail::inline ops_part {

/// What a running sum is kept in: of floats a double, so that long sums keep their digits.
template <class T>
using carry_of = std::conditional_t<std::same_as<T, float>, double, T>;

/// to[i] = from[0] + ... + from[i]
template <class T, class Stride>
TAPELESS_CONFIG_INLINE inline void scan_strided(T* to, Stride a, T const* from, Stride b, std::int64_t n) {
    using C = carry_of<T>;
    C carry = 0;
    for (std::int64_t i = 0; i < n; ++i) {
        carry = static_cast<C>(carry + static_cast<C>(from[i * b]));
        to[i * a] = static_cast<T>(carry);
    }
}
template <class T, class Build = simd::batch<T>>
void scan_row(T* to, std::ptrdiff_t a, T const* from, std::ptrdiff_t b, std::int64_t n) {
    using one = std::integral_constant<std::ptrdiff_t, 1>;
    using minus_one = std::integral_constant<std::ptrdiff_t, -1>;
    if (a == 1 && b == 1) scan_strided(to, one{}, from, one{}, n);
    else if (a == -1 && b == -1) scan_strided(to, minus_one{}, from, minus_one{}, n);
    else scan_strided(to, a, from, b, n);
}

/// The same down n rows of neighbouring columns; a and b lead from one row to the next. The sums of some columns at a
/// time stay in the cache.
template <class T, class Build = simd::batch<T>>
void scan_columns(T* to, std::ptrdiff_t a, T const* from, std::ptrdiff_t b, std::int64_t n, std::int64_t columns) {
    using C = carry_of<T>;
    constexpr int L = simd::lanes<T>, narrow = simd::lanes<C>, parts = L / narrow, most = 512;
    std::int64_t const whole = columns / L * L;
    C carry[static_cast<std::size_t>(most)];
    for (std::int64_t c = 0; c < whole; c += most) {
        std::int64_t const m = whole - c < most ? whole - c : most;
        for (std::int64_t j = 0; j < m; ++j) carry[j] = 0;
        for (std::int64_t r = 0; r < n; ++r)
            for (std::int64_t j = 0; j < m; j += L) {
                simd::batch<T> x = simd::load(from + r * b + c + j);
                simd::batch<C> sum[static_cast<std::size_t>(parts)];
                if constexpr (std::same_as<C, T>) sum[0] = x;
                else simd::convert<C, T>(&x, sum);
                for (int p = 0; p < parts; ++p) {
                    sum[p] = simd::add(simd::load(carry + j + p * narrow), sum[p]);
                    simd::store(carry + j + p * narrow, sum[p]);
                }
                if constexpr (std::same_as<C, T>) x = sum[0];
                else simd::convert<T, C>(sum, &x);
                simd::store(to + r * a + c + j, x);
            }
    }
    for (std::int64_t c = whole; c < columns; ++c) scan_strided(to + c, a, from + c, b, n);
}

/// Along one axis of two arrays, which to and from walk with the strides a and b.
template <class T, class Build = simd::batch<T>>
void scan_axis(strided const& out, strided const& in, int axis, T* to, std::ptrdiff_t a, T const* from,
               std::ptrdiff_t b) {
    loop_nest<2> others;
    for (int k = 0; k < out.rank; ++k)
        if (k != axis) others.add(out.extent[k], out.stride[k], in.stride[k]);
    bool const columns = others.axes > 0 && others.inner_stride(0) == 1 && others.inner_stride(1) == 1;
    others.each(columns ? 1 : 0, [&](std::ptrdiff_t const* p) {
        if (columns) scan_columns(to + p[0], a, from + p[1], b, out.extent[axis], others.inner());
        else scan_row(to + p[0], a, from + p[1], b, out.extent[axis]);
    });
}

/// y(i) = x(0) + ... + x(i) along an axis, or from the other end where the number is 1. The sum from the other end is
/// what flows back: dx(i) = g(i) + g(i + 1) + ...
struct cumsum_op : custom_loop<"cumsum"> {
    static constexpr bool takes_leading_axes = true;
    static constexpr loop_cut cut(attribute const& at, int rank, int) { return cut_beside(at.axes, rank, 1 << 15); }
    static constexpr dims shape(builder& b, node const& n) { return b.shape_of(n.in[0]); }
    static constexpr auto pullback(auto g, auto y, auto x, attribute const& at) {
        builder& b = *x.graph;
        int const full = emit_expand(b, g.id, dims(b.shape_of(y.id)));
        attribute const back{.axes = at.axes, .number = at.runs_backwards() ? 0.0 : 1.0};
        return cotangents(emit_custom_loop<cumsum_op, typename decltype(x)::value_type>(b, back, {full}));
    }
    template <class>
    static constexpr int simplify(builder& b, node const& n) {
        if (b.shape_of(n.in[0]).from_right(static_cast<int>(n.attr.axes)) == 1) return n.in[0];
        return emit_in_memory(b, n);
    }
    template <class T>
    TAPELESS_CONFIG_INLINE static void run(strided const* in, strided const& out, attribute const& at) {
        int const axis = static_cast<int>(at.axes);
        std::int64_t const n = out.extent[axis];
        if (n == 0) return;
        std::ptrdiff_t a = out.stride[axis], b = in[0].stride[axis];
        T *to = out.as<T>(), *from = in[0].as<T>();
        if (at.runs_backwards()) {
            to += (n - 1) * a, from += (n - 1) * b;
            a = -a, b = -b;
        }
        scan_axis(out, in[0], axis, to, a, static_cast<T const*>(from), b);
    }
};
template <>
inline constexpr builtin builtin_of<cumsum_op> = builtin::running_sum;
}  // namespace detail::ops_part

/// y(i) = x(0) + ... + x(i) along an axis. The running sum of floats is kept in double.
template <int Axis, expression A>
constexpr auto cumsum(A const& x) {
    using T = typename A::value_type;
    static_assert(!detail::is_flag<T>, "cumsum: convert a mask with cast<T>(...)");
    using op = detail::cumsum_op;
    if constexpr (detail::is_node_ref<A>) {
        int const rank = x.graph->shape_of(x.id).rank;
        return detail::emit_custom_loop<op, T>(
            *x.graph, detail::attribute{.axes = Axis < 0 ? -1 - Axis : rank - 1 - Axis}, {x.id});
    } else {
        constexpr int rank = A::rank;
        if constexpr (Axis >= rank || Axis < -rank)
            refuse(because<axis_out_of_range<op, Axis, typename A::shape_type>>{});
        detail::attribute const at{.axes = Axis < 0 ? -1 - Axis : rank - 1 - Axis};
        return detail::apply_custom_loop<op, typename A::shape_type>(at, x);
    }
}

}  // namespace tapeless
