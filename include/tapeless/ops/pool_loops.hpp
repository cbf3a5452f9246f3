// SPDX-License-Identifier: MIT
#pragma once
// The loops of pooling: windows, and what is done under them, forwards and backwards.

#include <tapeless/kernels/pool_spread.hpp>
#include <tapeless/ops/convolution.hpp>

namespace tapeless {

/// Windows of a pooling: .stride 0 is the size.
struct pool {
    per_axis size = 2, stride = 0, padding = 0, dilation = 1;
    bool ceil = false;           ///< a last window that is not whole counts too
    bool count_padding = true;   ///< of means: zeros around x count as elements
};

/// Refuses an array of another rank.
template <fixed_string Operation, class X>
struct pooling_needs_another_rank {
    static_assert(never<X>,
                  "max_pool, avg_pool, upsample: x is (batch, channels, axes...) or (channels, axes...)");
};
/// Refuses windows that are larger than what they slide over.
template <fixed_string Operation, class X, int Axis>
struct pooling_window_is_larger {
    static_assert(never<X>,
                  "pooling: the window is larger than the padded input along an axis, or has no element of it");
};

namespace detail::inline ops_part {

/// Windows of a size, or so many cells.
template <pool P, int S>
struct sliding {
    static constexpr int axes = S;
    static constexpr bool has_fixed_lengths = false;
    /// Which loop it is (forwards, backwards), and what windows there are.
    template <int Which>
    static constexpr int parameters[] = {
        Which, S, 1, P.size.at[0], P.size.at[1], P.size.at[2], P.stride.at[0], P.stride.at[1], P.stride.at[2],
        P.padding.at[0], P.padding.at[1], P.padding.at[2], P.dilation.at[0], P.dilation.at[1], P.dilation.at[2],
        P.count_padding};
    using known = known_windows<known_columns<P.dilation.at[S - 1] == 1 ? P.size.at[S - 1] : 0,
                                              (P.stride.at[S - 1] > 0 ? P.stride.at[S - 1] : P.size.at[S - 1]),
                                              P.padding.at[S - 1]>,
                                S == 1 ? 1 : S == 2 ? P.size.at[0] : 0,
                                (S == 1 ? 1 : P.stride.at[0] > 0 ? P.stride.at[0] : P.size.at[0])>;
    /// Two by two elements, side by side, and none beyond the edge.
    static constexpr bool are_pairs = S == 2 && P.size == per_axis(2) &&
                                      (P.stride == per_axis(0) || P.stride == per_axis(2)) &&
                                      P.padding == per_axis(0) && P.dilation == per_axis(1) && !P.ceil;
    /// Of few elements, looking for the largest again is quicker than knowing where it stands.
    static constexpr bool are_looked_at_again = known::are_few && P.dilation == per_axis(1);
    static constexpr int stride(int i) { return P.stride.at[i] > 0 ? P.stride.at[i] : P.size.at[i]; }
    static constexpr std::int64_t span(int i) { return (P.size.at[i] - 1) * P.dilation.at[i] + 1; }
    static constexpr std::int64_t length(int i, std::int64_t n) {
        std::int64_t const room = n + 2 * P.padding.at[i] - span(i), s = stride(i);
        if (room < 0) return 0;
        std::int64_t out = (P.ceil ? (room + s - 1) / s : room / s) + 1;
        if (P.ceil && (out - 1) * s >= n + P.padding.at[i]) --out;
        return out;
    }
    /// Whether some window of an axis of n elements has none of them.
    static constexpr bool has_empty_windows(int i, std::int64_t n) {
        for (std::int64_t w = 0; w < length(i, n); ++w) {
            bool any = false;
            for (std::int64_t t = 0; t < P.size.at[i]; ++t) {
                std::int64_t const at = w * stride(i) - P.padding.at[i] + t * P.dilation.at[i];
                any = any || (at >= 0 && at < n);
            }
            if (!any) return true;
        }
        return false;
    }
    /// From this length on there are windows, and elements under each of them.
    static constexpr std::int64_t shortest(int i) {
        std::int64_t n = P.dilation.at[i];
        while (n > 0 && !has_empty_windows(i, n - 1)) --n;
        std::int64_t const whole = span(i) - 2 * P.padding.at[i];
        return n > whole ? n : whole;
    }
    /// The same of a run-time extent.
    static constexpr std::int64_t length(builder& b, int i, std::int64_t n) {
        if (n >= 0) return length(i, n);
        std::int64_t const around = 2 * P.padding.at[i], s = stride(i);
        if (shortest(i) > 0) b.check(n, relation::at_least, shortest(i));
        auto const parts = [&](std::int64_t whole) {
            return b.derived({.rule = length_rule::slice_length, .a = whole, .start = 0, .stop = to_end, .step = s});
        };
        if (!P.ceil) return parts(b.difference(b.sum(n, around), span(i) - 1));
        std::int64_t const whole = parts(b.difference(b.sum(n, around + s), span(i)));
        return b.derived({.rule = length_rule::minimum, .a = whole, .b = parts(b.sum(n, P.padding.at[i]))});
    }
    static constexpr bool is_known(int i, std::int64_t n) { return n >= shortest(i); }
    static pool_axis axis(int i, std::int64_t in, std::int64_t out) {
        return {in, out, P.size.at[i], stride(i), P.dilation.at[i], P.padding.at[i], false, P.count_padding};
    }
};
template <int... Cells>
struct parting {
    static constexpr int axes = static_cast<int>(sizeof...(Cells));
    static constexpr bool are_looked_at_again = false, are_pairs = false;
    using known = any_windows;
    static constexpr bool has_fixed_lengths = true;
    template <int Which>
    static constexpr int parameters[] = {Which, axes, 0};
    static constexpr std::int64_t cells[sizeof...(Cells)] = {Cells...};
    static constexpr std::int64_t length(int i, std::int64_t) { return cells[i]; }
    static constexpr std::int64_t length(builder& b, int i, std::int64_t n) {
        b.check(n, relation::at_least, 1);
        return cells[i];
    }
    static constexpr bool is_known(int, std::int64_t n) { return n != 0; }
    static pool_axis axis(int, std::int64_t in, std::int64_t out) { return {in, out, 1, 1, 1, 0, true, true}; }
};

template <class Windows>
struct pooled_shape {
    static constexpr int S = Windows::axes;
    static constexpr dims compute(dims d) {
        for (int i = 0; i < S; ++i) {
            std::int64_t& e = d.extent[2 + i];
            e = e < 0 && !Windows::has_fixed_lengths ? new_extent : Windows::length(i, e);
        }
        return d;
    }
    static constexpr int intern(builder& b, dims d) {
        for (int i = 0; i < S; ++i) d.extent[2 + i] = Windows::length(b, i, d.extent[2 + i]);
        return b.intern(d);
    }
    static void axes(strided const& x, strided const& y, pool_axis* a) {
        for (int k = 0; k < S; ++k) a[k] = Windows::axis(S - 1 - k, x.extent[k], y.extent[k]);
    }
};

/// Base of the loops of pooling: the attribute holds the shape of the result.
template <fixed_string Name>
struct pooling_loop : custom_loop<Name> {
    static constexpr dims shape(builder& b, node const& n) { return b.shapes.items[n.attr.shape]; }
    static constexpr int of_all(builder& b, node const& n, unsigned leading) {
        return emit_for_single_images(b, n, leading, (1u << n.arity()) - 1);
    }
    /// Every image by itself.
    static constexpr loop_cut cut(attribute const&, int, int) {
        loop_cut c = cut_along(0, 1 << 14);
        c.axis[1] = 0;
        return c;
    }
};

template <int S>
struct add_at_places_op;
/// x at the places that the index names, which were found in an array of x's shape.
template <int S>
struct take_at_places_op : pooling_loop<"take_at"> {
    template <class T, class>
    static void run(strided const* in, strided const& out, attribute const&) {
        take_at<T>(images<T const>(in[0], S), images<std::int64_t const>(in[1], S), images<T>(out, S));
    }
    static constexpr auto pullback(auto g, auto y, auto x, auto index, attribute const&) {
        using R = std::remove_const_t<decltype(x)>;
        builder& b = *x.graph;
        attribute const at{.shape = b.nodes.items[x.id].shape};
        return cotangents(R(&b, operation_table<add_at_places_op<S>, typename R::value_type, std::int64_t>::emit(
                                    b, at, {whole_cotangent(b, g.id, y.id), index.id})),
                          no_cotangent{});
    }
};
/// Its transpose.
template <int S>
struct add_at_places_op : pooling_loop<"add_at"> {
    template <class T, class>
    static void run(strided const* in, strided const& out, attribute const&) {
        add_at<T>(images<T const>(in[0], S), images<std::int64_t const>(in[1], S), images<T>(out, S));
    }
    static constexpr auto pullback(auto g, auto x, auto y, auto index, attribute const&) {
        using R = std::remove_const_t<decltype(y)>;
        builder& b = *y.graph;
        attribute const at{.shape = b.nodes.items[y.id].shape};
        return cotangents(R(&b, operation_table<take_at_places_op<S>, typename R::value_type, std::int64_t>::emit(
                                    b, at, {whole_cotangent(b, g.id, x.id), index.id})),
                          no_cotangent{});
    }
};

template <class Windows>
struct spread_to_largest_op;
/// The largest element under each window; result 1 is where it stands.
template <class Windows>
struct max_pool_op : pooling_loop<"max_pool"> {
    static constexpr int S = Windows::axes;
    static constexpr bool keeps_order = true;  ///< the largest of f(x) is f of the largest x where f never falls
    static constexpr int const* parameters = Windows::template parameters<0>;
    static constexpr int operands = 1, finished_axis = S;
    static constexpr bool pools_pairs = Windows::are_pairs;
    using finished = finished_op<max_pool_op>;
    template <class T>
    static void run(strided const* in, strided const* out, attribute const&, void*) {
        run_with<T>(in, out, nullptr, {});
    }
    template <class T>
    [[gnu::noinline]] static void run_with(strided const* in, strided const* out, void*, write_back<T> const& end) {
        pool_axis a[window_axes];
        pooled_shape<Windows>::axes(in[0], out[0].data ? out[0] : out[1], a);
        max_pool<T, typename Windows::known>(images<T const>(in[0], S), images<T>(out[0], S),
                                             images<std::int64_t>(out[1], S), a, end);
    }
    static constexpr auto pullback(auto g, auto y, auto x, attribute const&) {
        using R = std::remove_const_t<decltype(x)>;
        using T = typename R::value_type;
        builder& b = *x.graph;
        attribute const at{.shape = b.nodes.items[x.id].shape};
        if constexpr (Windows::are_looked_at_again) {
            return cotangents(R(&b, operation_table<spread_to_largest_op<Windows>, T, T>::emit(
                                        b, at, {whole_cotangent(b, g.id, y.id), x.id})));
        } else {
            auto const index =
                emit_part<1, max_pool_op, std::int64_t>(node_ref<T>(&b, y.id), b.nodes.items[y.id].shape);
            return cotangents(R(&b, operation_table<add_at_places_op<S>, T, std::int64_t>::emit(
                                        b, at, {whole_cotangent(b, g.id, y.id), index.id})));
        }
    }
    static constexpr auto pushforward(auto y, auto, auto t, attribute const&) {
        using T = typename decltype(y)::value_type;
        builder& b = *y.graph;
        auto const index = emit_part<1, max_pool_op, std::int64_t>(node_ref<T>(&b, y.id), b.nodes.items[y.id].shape);
        attribute const at{.shape = b.nodes.items[y.id].shape};
        return node_ref<T>(&b, operation_table<take_at_places_op<S>, T, std::int64_t>::emit(b, at, {t.id, index.id}));
    }
};

/// What stands at windows, at the largest element under each of x.
template <class Windows>
struct spread_to_largest_op : pooling_loop<"max_pool"> {
    static constexpr int S = Windows::axes;
    static constexpr int const* parameters = Windows::template parameters<1>;
    template <class T, class>
    static void run(strided const* in, strided const& out, attribute const&) {
        pool_axis a[window_axes];
        pooled_shape<Windows>::axes(out, in[0], a);
        spread_to_largest<T, typename Windows::known>(images<T const>(in[0], S), images<T const>(in[1], S),
                                                      images<T>(out, S), a);
    }
    static constexpr auto pullback(auto g, auto y, auto from, auto x, attribute const&) {
        using R = std::remove_const_t<decltype(from)>;
        using T = typename R::value_type;
        builder& b = *from.graph;
        attribute const at{.shape = b.nodes.items[from.id].shape};
        node_ref<T> const largest(&b, operation_table<max_pool_op<Windows>, T>::emit(b, at, {x.id}));
        auto const index = emit_part<1, max_pool_op<Windows>, std::int64_t>(largest, at.shape);
        return cotangents(R(&b, operation_table<take_at_places_op<S>, T, std::int64_t>::emit(
                                    b, at, {whole_cotangent(b, g.id, y.id), index.id})),
                          no_cotangent{});
    }
};

template <class Windows>
struct share_out_op;
/// The mean under each window.
template <class Windows>
struct average_op : pooling_loop<"avg_pool"> {
    static constexpr int S = Windows::axes;
    static constexpr int const* parameters = Windows::template parameters<0>;
    template <class T>
    static void run(strided const* in, strided const& out, attribute const&) {
        pool_axis a[window_axes];
        pooled_shape<Windows>::axes(in[0], out, a);
        average<T, typename Windows::known>(images<T const>(in[0], S), images<T>(out, S), a);
    }
    static constexpr auto pullback(auto g, auto y, auto x, attribute const&) {
        using R = std::remove_const_t<decltype(x)>;
        builder& b = *x.graph;
        attribute const at{.shape = b.nodes.items[x.id].shape};
        return cotangents(R(&b, operation_table<share_out_op<Windows>, typename R::value_type>::emit(
                                    b, at, {whole_cotangent(b, g.id, y.id)})));
    }
};
template <class Windows>
struct share_out_op : pooling_loop<"avg_pool"> {
    static constexpr int S = Windows::axes;
    static constexpr int const* parameters = Windows::template parameters<1>;
    template <class T>
    static void run(strided const* in, strided const& out, attribute const&) {
        pool_axis a[window_axes];
        pooled_shape<Windows>::axes(out, in[0], a);
        share_out<T, typename Windows::known>(images<T const>(in[0], S), images<T>(out, S), a);
    }
    static constexpr auto pullback(auto g, auto x, auto y, attribute const&) {
        using R = std::remove_const_t<decltype(y)>;
        builder& b = *y.graph;
        attribute const at{.shape = b.nodes.items[y.id].shape};
        return cotangents(R(&b, operation_table<average_op<Windows>, typename R::value_type>::emit(
                                    b, at, {whole_cotangent(b, g.id, x.id)})));
    }
};

}  // namespace detail::ops_part
}  // namespace tapeless
