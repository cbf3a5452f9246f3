// SPDX-License-Identifier: MIT
#pragma once
// Images at other sizes: upsample_nearest, upsample_bilinear, pixel_shuffle.

#include <tapeless/kernels/resample.hpp>
#include <tapeless/ops/pool.hpp>

namespace tapeless {
namespace detail::inline ops_part {

template <bool Linear, bool Corners>
struct resample_rule {
    template <int Which>
    static constexpr int parameters[] = {Which, Linear, Corners};
    static void axes(strided const& x, strided const& y, resample_axis* a) {
        for (int k = 0; k < 2; ++k) a[k] = {x.extent[k], y.extent[k], Linear, Corners};
    }
};
template <bool Linear, bool Corners>
struct resample_back_op;
/// Images of the shape in the attribute.
template <bool Linear, bool Corners>
struct resample_op : pooling_loop<"upsample"> {
    static constexpr int const* parameters = resample_rule<Linear, Corners>::template parameters<0>;
    template <class T>
    static void run(strided const* in, strided const& out, attribute const&) {
        resample_axis a[2];
        resample_rule<Linear, Corners>::axes(in[0], out, a);
        resample<T>(images<T const>(in[0], 2), images<T>(out, 2), a);
    }
    static constexpr auto pullback(auto g, auto y, auto x, attribute const&) {
        using R = std::remove_const_t<decltype(x)>;
        builder& b = *x.graph;
        attribute const at{.shape = b.nodes.items[x.id].shape};
        return cotangents(R(&b, operation_table<resample_back_op<Linear, Corners>, typename R::value_type>::emit(
                                    b, at, {whole_cotangent(b, g.id, y.id)})));
    }
};
template <bool Linear, bool Corners>
struct resample_back_op : pooling_loop<"upsample"> {
    static constexpr int const* parameters = resample_rule<Linear, Corners>::template parameters<1>;
    template <class T>
    static void run(strided const* in, strided const& out, attribute const&) {
        resample_axis a[2];
        resample_rule<Linear, Corners>::axes(out, in[0], a);
        resample_back<T>(images<T const>(in[0], 2), images<T>(out, 2), a);
    }
    static constexpr auto pullback(auto g, auto x, auto y, attribute const&) {
        using R = std::remove_const_t<decltype(y)>;
        builder& b = *y.graph;
        attribute const at{.shape = b.nodes.items[y.id].shape};
        return cotangents(R(&b, operation_table<resample_op<Linear, Corners>, typename R::value_type>::emit(
                                    b, at, {whole_cotangent(b, g.id, x.id)})));
    }
};

/// x (batch, channels, rows, columns) in row-major order of the channels' squares: the rule of pixel_shuffle.
template <int R>
struct shuffle_rule {
    static constexpr dims dims_from(dims d) {
        d.extent[1] = d.extent[1] < 0 ? new_extent : d.extent[1] / (R * R);
        for (int i = 2; i < 4; ++i) d.extent[i] = d.extent[i] < 0 ? new_extent : d.extent[i] * R;
        return d;
    }
    static constexpr int emit(builder& b, int x) {
        dims const d = b.shape_of(x);
        if (d.extent[1] < 0) b.check(d.extent[1], relation::multiple, R * R);
        std::int64_t const channels = d.extent[1] >= 0
                                          ? d.extent[1] / (R * R)
                                          : b.derived({.rule = length_rule::quotient, .a = d.extent[1], .b = R * R});
        dims const parts{.rank = 6, .extent = {d.extent[0], channels, R, R, d.extent[2], d.extent[3]}};
        dims const whole{.rank = 4,
                         .extent = {d.extent[0], channels, b.product(d.extent[2], R), b.product(d.extent[3], R)}};
        axis_map m = axis_map::of_rank(6);  // (n, c, i, j, h, w) becomes (n, c, h, i, w, j); axes count from the right
        int const from[] = {2, 0, 3, 1, 4, 5};
        for (int k = 0; k < 6; ++k) m.set(k, from[k]);
        return emit_reshape(b, emit_axes(b, emit_reshape(b, x, parts), m), whole);
    }
};
}  // namespace detail::ops_part

/// x (batch, channels, rows, columns) at another size: element (i, j) is x(floor(i rows / Rows), floor(j columns /
/// Columns)).
template <int Rows, int Columns, expression X>
constexpr auto upsample_nearest(X const& x) {
    static_assert(Rows >= 1 && Columns >= 1, "upsample: sizes are at least 1");
    return detail::pool_over<detail::resample_op<false, false>, detail::parting<Rows, Columns>>(x);
}
/// x (batch, channels, rows, columns) at another size, between four elements; with AlignCorners the corners stay
/// where they are.
template <int Rows, int Columns, bool AlignCorners = false, expression X>
constexpr auto upsample_bilinear(X const& x) {
    static_assert(Rows >= 1 && Columns >= 1, "upsample: sizes are at least 1");
    return detail::pool_over<detail::resample_op<true, AlignCorners>, detail::parting<Rows, Columns>>(x);
}
/// x (batch, channels Factor^2, rows, columns) as (batch, channels, rows Factor, columns Factor):
/// y(n, c, h Factor + i, w Factor + j) = x(n, c Factor^2 + i Factor + j, h, w).
template <int Factor, expression X>
constexpr auto pixel_shuffle(X const& x) {
    static_assert(Factor >= 1, "pixel_shuffle: the factor is at least 1");
    static_assert(X::rank == 4, "pixel_shuffle: x is (batch, channels, rows, columns)");
    constexpr std::int64_t channels = detail::dims_of<typename X::shape_type>().extent[1];
    static_assert(channels < 0 || channels % (Factor * Factor) == 0,
                  "pixel_shuffle: the channels are no multiple of the factor squared");
    return apply_with<detail::moved<"pixel_shuffle", detail::shuffle_rule<Factor>>>(detail::attribute{}, x);
}

}  // namespace tapeless
