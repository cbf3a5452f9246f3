// SPDX-License-Identifier: MIT
#pragma once
// Pooling: the largest element or the mean under windows that slide over images, or that part them into so many cells.

#include <tapeless/ops/extremes.hpp>
#include <tapeless/ops/pool_loops.hpp>
#include <tapeless/ops/rectifier.hpp>
#include <tapeless/ops/simplify/windows.hpp>

namespace tapeless {
namespace detail::inline ops_part {

/// What is wanted of a pooling: its values alone; of a maximum, its values and where they stand.
enum class pooled { alone, values, places };

/// From an expression to the loop Op.
template <class Op, class Windows, pooled Part = pooled::alone>
struct pooled_op : composed<Op::name> {
    template <class X>
    struct rule {
        static constexpr dims value = pooled_shape<Windows>::compute(dims_of<X>());
    };
    template <class, class X>
    using result_shape = typename shape_from<rule<X>, X>::type;
    template <class T>
    using result = std::conditional_t<Part == pooled::places, std::int64_t, T>;
    template <class>
    static constexpr int simplify(builder& b, node const& n) {
        return b.nodes.items[n.in[0]].type == dtype::f32 ? emit<float>(b, n) : emit<double>(b, n);
    }
    template <class T>
    static constexpr int emit(builder& b, node const& n) {
        if constexpr (Part == pooled::alone && requires { Op::keeps_order; }) {
            if (!b.literal) {
                auto const again = [&](int x) {
                    node of = n;
                    of.in[0] = x;
                    return emit<T>(b, of);
                };
                int const made = simplify_largest_under::template first<T>(b, n, Windows::axes, again);
                if (made >= 0) return made;
            }
        }
        int const shape = pooled_shape<Windows>::intern(b, dims(b.shape_of(n.in[0])));
        int const y = operation_table<Op, T>::emit(b, attribute{.shape = shape}, {n.in[0]});
        if constexpr (Part == pooled::places) return emit_part<1, Op, std::int64_t>(node_ref<T>(&b, y), shape).id;
        else return y;
    }
};

/// Why these windows do not lie on an array.
template <class Op, class Windows, class Shape, int... K>
constexpr auto why_no_windows(std::integer_sequence<int, K...>) {
    constexpr auto fits = [](int k) {
        std::int64_t const e = dims_of<Shape>().extent[2 + k];
        return e < 0 || Windows::is_known(k, e);
    };
    return because<typename first_reason<unless<fits(K), pooling_window_is_larger<Op::name, Shape, K>>...>::type>{};
}
template <class Op, class Windows, pooled Part = pooled::alone, class X>
constexpr auto pool_over(X const& x) {
    constexpr int S = Windows::axes;
    using T = typename X::value_type;
    static_assert(std::floating_point<computed<T>>,
                  "max_pool, avg_pool and upsample are of floating-point arrays: cast<float>(x)");
    if constexpr (X::rank == S + 1) {
        return squeeze<0>(pool_over<Op, Windows, Part>(unsqueeze<0>(x)));
    } else if constexpr (X::rank != S + 2) {
        return refuse(because<pooling_needs_another_rank<Op::name, typename X::shape_type>>{}), x;
    } else {
        refuse(why_no_windows<Op, Windows, typename X::shape_type>(std::make_integer_sequence<int, S>{}));
        return apply_with<pooled_op<Op, Windows, Part>>(attribute{}, x);
    }
}
template <pool P, int S>
constexpr bool pool_is_sound() {
    for (int i = 0; i < S; ++i)
        if (P.size.at[i] < 1 || P.stride.at[i] < 0 || P.dilation.at[i] < 1 || P.padding.at[i] < 0 ||
            2 * P.padding.at[i] > sliding<P, S>::span(i))
            return false;
    return true;
}
template <class Windows, class X>
constexpr auto max_pool_with_index(X const& a) {
    auto const x = let(a);
    auto const values = pool_over<max_pool_op<Windows>, Windows, pooled::values>(x);
    auto const indices = pool_over<max_pool_op<Windows>, Windows, pooled::places>(x);
    return extremes<std::remove_const_t<decltype(values)>, std::remove_const_t<decltype(indices)>>{values, indices};
}
}  // namespace detail::ops_part

/// The largest element under windows along the last axis of x (batch, channels, length); the first of several gets
/// the gradient.
template <pool P, expression X>
constexpr auto max_pool1d(X const& x) {
    static_assert(detail::pool_is_sound<P, 1>(),
                  "pool: sizes, strides and dilations are at least 1, and padding at most half a window");
    using windows = detail::sliding<P, 1>;
    return detail::pool_over<detail::max_pool_op<windows>, windows>(x);
}
/// The same along the last two axes of x (batch, channels, rows, columns).
template <pool P, expression X>
constexpr auto max_pool2d(X const& x) {
    static_assert(detail::pool_is_sound<P, 2>(),
                  "pool: sizes, strides and dilations are at least 1, and padding at most half a window");
    using windows = detail::sliding<P, 2>;
    return detail::pool_over<detail::max_pool_op<windows>, windows>(x);
}
/// max_pool1d with where the elements stand along the axis: { values, indices }, int64.
template <pool P, expression X>
constexpr auto max_pool1d_with_index(X const& x) {
    return detail::max_pool_with_index<detail::sliding<P, 1>>(x);
}
/// max_pool2d with where the elements stand in the image, row-major: { values, indices }, int64.
template <pool P, expression X>
constexpr auto max_pool2d_with_index(X const& x) {
    return detail::max_pool_with_index<detail::sliding<P, 2>>(x);
}
/// The mean under windows along the last axis of x (batch, channels, length).
template <pool P, expression X>
constexpr auto avg_pool1d(X const& x) {
    static_assert(detail::pool_is_sound<P, 1>() && P.dilation == per_axis(1),
                  "pool: sizes and strides are at least 1, padding at most half a window, means have no dilation");
    using windows = detail::sliding<P, 1>;
    return detail::pool_over<detail::average_op<windows>, windows>(x);
}
/// The same along the last two axes.
template <pool P, expression X>
constexpr auto avg_pool2d(X const& x) {
    static_assert(detail::pool_is_sound<P, 2>() && P.dilation == per_axis(1),
                  "pool: sizes and strides are at least 1, padding at most half a window, means have no dilation");
    using windows = detail::sliding<P, 2>;
    return detail::pool_over<detail::average_op<windows>, windows>(x);
}
/// The mean of each of so many cells along the last axis: cell i covers floor(i n / cells) ... ceil((i + 1) n /
/// cells) - 1.
template <int Cells, expression X>
constexpr auto adaptive_avg_pool1d(X const& x) {
    return detail::pool_over<detail::average_op<detail::parting<Cells>>, detail::parting<Cells>>(x);
}
/// The same along the last two axes.
template <int Rows, int Columns, expression X>
constexpr auto adaptive_avg_pool2d(X const& x) {
    return detail::pool_over<detail::average_op<detail::parting<Rows, Columns>>, detail::parting<Rows, Columns>>(x);
}
/// The largest element of each of so many cells along the last axis.
template <int Cells, expression X>
constexpr auto adaptive_max_pool1d(X const& x) {
    return detail::pool_over<detail::max_pool_op<detail::parting<Cells>>, detail::parting<Cells>>(x);
}
/// The same along the last two axes.
template <int Rows, int Columns, expression X>
constexpr auto adaptive_max_pool2d(X const& x) {
    return detail::pool_over<detail::max_pool_op<detail::parting<Rows, Columns>>, detail::parting<Rows, Columns>>(x);
}

}  // namespace tapeless
