// SPDX-License-Identifier: MIT
#pragma once
// The loops of convolutions, linear in each operand: their derivatives are one another, so that derivatives of any
// order are these three.

#include <type_traits>

#include <tapeless/kernels/convolution.hpp>
#include <tapeless/ops/custom_loop.hpp>
#include <tapeless/ops/stretch.hpp>

namespace tapeless {

/// One number for all axes, or one an axis, from the first on: .stride = 2, .padding = {1, 0}.
struct per_axis {
    int at[3]{};
    int count = 1;
    constexpr per_axis(int all) : at{all, all, all} {}
    constexpr per_axis(int a, int b) : at{a, b, 0}, count(2) {}
    constexpr per_axis(int a, int b, int c) : at{a, b, c}, count(3) {}
    /// Whether there is a number for each of so many axes, and none is smaller than n.
    constexpr bool at_least(int n, int axes) const {
        for (int i = 0; i < axes; ++i)
            if (at[i] < n) return false;
        return count == 1 || count == axes;
    }
    constexpr bool operator==(per_axis const&) const = default;
};
/// As padding: so many zeros that a convolution with stride 1 keeps the extents; of an odd number one more stands
/// behind.
inline constexpr per_axis same{-0x7fffffff - 1};  // nobody means so many zeros

/// How a convolution goes over its input.
struct conv {
    per_axis stride = 1, padding = 0, dilation = 1;
    int groups = 1;               ///< channels in so many groups; those of one are computed from those of one
    per_axis output_padding = 0;  ///< of a transposed one: so much longer
};

namespace detail::inline ops_part {

/// Along axis i of S (from the left): how the windows slide.
template <conv C>
constexpr convolution_axis axis_of_convolution(int i, std::int64_t size) {
    convolution_axis a{size, C.stride.at[i], C.dilation.at[i], C.padding.at[i]};
    if (C.padding == same) a.before = (size - 1) * a.dilation / 2;
    return a;
}
/// Zeros before and behind together.
template <conv C>
constexpr std::int64_t zeros_around(int i, std::int64_t size) {
    return C.padding == same ? (size - 1) * C.dilation.at[i] : 2 * C.padding.at[i];
}

/// A loop over images, of each item one: the items are the images of one loop. n is that of one item, but for its
/// operands, of which those in `leading`, the images, have an axis of items before the axis of images. -1 where items
/// have more images than one, or not all images are of items.
constexpr int emit_for_single_images(builder& b, node n, unsigned leading, unsigned images) {
    dims to = b.shapes.items[n.attr.shape];
    if (leading != images || to.extent[0] != 1 || to.rank == max_rank) return -1;
    for (int j = 0; j < n.arity(); ++j) {
        if (!(images >> j & 1)) continue;
        dims const x = b.shape_of(n.in[j]);
        if (x.extent[1] != 1) return -1;
        to.extent[0] = x.extent[0];
        axis_map const m = axis_map::without(x.rank, std::int64_t{1} << (x.rank - 2));
        n.in[j] = emit_with<axes_op>(b, n.in[j], attribute{.axes = m.bits});
    }
    n.attr.shape = b.intern(to);
    axis_map m = axis_map::of_rank(to.rank + 1);
    for (int k = 0; k < to.rank - 1; ++k) m.set(k, k);
    m.set(to.rank, to.rank - 1);
    return emit_with<axes_op>(b, b.emit(*n.op, n), attribute{.axes = m.bits});
}

/// Which of the three loops it is (y of x and w, x, w), and how windows slide.
template <int Which, conv C, int S>
inline constexpr int convolution_parameters[] = {
    Which, S, C.stride.at[0], C.stride.at[1], C.stride.at[2], C.padding.at[0], C.padding.at[1], C.padding.at[2],
    C.dilation.at[0], C.dilation.at[1], C.dilation.at[2], C.groups};

/// What the three loops share. S axes; all operands are of rank S + 2. The attribute holds the shape of the result
/// and, as offset, the elements of scratch.
template <class Op, conv C, int S>
struct convolution_loop : custom_loop<"convolution"> {
    static constexpr int operands = 2, finished_axis = S;  // a bias is one number a channel
    template <class T, class...>
    static constexpr int scratch_element = static_cast<int>(sizeof(T));
    static constexpr bool scratch_by_offset = true;
    static constexpr dims shape(builder& b, node const& n) { return b.shapes.items[n.attr.shape]; }

    /// How the windows slide, axes from the right, for a kernel of these extents (from the right).
    static constexpr void axes(std::int64_t const* size, convolution_axis* to) {
        for (int k = 0; k < S; ++k) to[k] = axis_of_convolution<C>(S - 1 - k, size[k]);
    }
    /// Elements of the strips of `channels` channels.
    template <class T>
    static constexpr std::int64_t strip_elements(convolution_axis const* a, bool forward, std::int64_t channels) {
        std::int64_t const each = convolution_room<T>::of_channel(a[1].span(), a[0].span(), forward ? a[1].stride : 1,
                                                                  forward ? a[0].stride : 1, channels == 1);
        return channels * a[2].size * each;
    }
    /// Room for a product of `rows` rows with windows over `channels` channels; extents as in dims.
    template <class T>
    static constexpr std::int64_t elements(builder& b, dims const& w, std::int64_t rows, std::int64_t channels,
                                           bool forward) {
        std::int64_t size[window_axes]{1, 1, 1}, volume = 1;
        for (int k = 0; k < S; ++k) volume *= size[k] = w.from_right(k);
        convolution_axis a[window_axes];
        axes(size, a);
        std::int64_t const fixed = convolution_room<T>::fixed + 8 * convolution_blocks<T>::L +
                                   (channels < 0 ? strip_elements<T>(a, forward, 1) : 0);
        std::int64_t const of_channel =
            channels == 1 ? strip_elements<T>(a, forward, 1) : strip_elements<T>(a, forward, 2) / 2;
        std::int64_t const weights = b.product(b.product(w.from_right(S + 1), w.from_right(S)), volume);
        std::int64_t const results = b.product(rows, convolution_blocks<T>::windows);
        return b.sum(b.sum(fixed, b.product(channels, of_channel)), b.sum(weights, results));
    }
    template <class T>
    static convolution_room<T> room(images<T const> const& w, convolution_axis const* a, bool forward,
                                    std::int64_t channels, void* scratch) {
        std::int64_t volume = 1;
        for (int k = 0; k < S; ++k) volume *= w.extent[k];
        return convolution_room<T>(static_cast<T*>(scratch), strip_elements<T>(a, forward, channels),
                                   w.items * w.channels * volume);
    }
};

template <conv C, int S>
struct spread_op;
template <conv C, int S>
struct weigh_op;
template <conv C, int S>
struct correlate_op;

/// y of x and w: rows are outputs, windows go over the input's channels.
template <conv C, int S, class T>
constexpr int emit_correlate(builder& b, int x, int w, int shape) {
    dims const d = b.shape_of(w);
    std::int64_t const room =
        correlate_op<C, S>::template elements<T>(b, d, d.from_right(S + 1), d.from_right(S), true);
    return operation_table<correlate_op<C, S>, T, T>::emit(b, attribute{.shape = shape, .offset = room}, {x, w});
}
/// x of y and w.
template <conv C, int S, class T>
constexpr int emit_spread(builder& b, int y, int w, int shape) {
    dims const d = b.shape_of(w);
    std::int64_t const outputs = d.from_right(S + 1);  // windows go over those of one group
    std::int64_t const room =
        spread_op<C, S>::template elements<T>(b, d, d.from_right(S), outputs < 0 ? outputs : outputs / C.groups, false);
    return operation_table<spread_op<C, S>, T, T>::emit(b, attribute{.shape = shape, .offset = room}, {y, w});
}
/// w of y and x.
template <conv C, int S, class T>
constexpr int emit_weigh(builder& b, int y, int x, int shape) {
    dims const d = b.shapes.items[shape];
    std::int64_t const room = weigh_op<C, S>::template elements<T>(b, d, d.from_right(S + 1), d.from_right(S), true);
    return operation_table<weigh_op<C, S>, T, T>::emit(b, attribute{.shape = shape, .offset = room}, {y, x});
}
/// The whole cotangent of y.
constexpr int whole_cotangent(builder& b, int g, int y) { return emit_expand(b, g, dims(b.shape_of(y))); }

template <conv C, int S>
struct correlate_op : convolution_loop<correlate_op<C, S>, C, S> {
    static constexpr int const* parameters = convolution_parameters<0, C, S>;
    /// Every image by itself.
    static constexpr loop_cut cut(attribute const&, int, int) { return cut_along(0, 1 << 13); }
    using finished = finished_op<correlate_op>;
    static constexpr int of_all(builder& b, node const& n, unsigned leading) {
        return emit_for_single_images(b, n, leading, 1);
    }
    using pooled = std::conditional_t<S == 2, pooled_op_of<correlate_op>, void>;
    template <class T, class>
    static void run(strided const* in, strided const* out, attribute const&, void* scratch) {
        run_with<T>(in, out, scratch, {});
    }
    template <class T>
    [[gnu::noinline]] static void run_with(strided const* in, strided const* out, void* scratch,
                                           write_back<T> const& end) {
        images<T const> const x(in[0], S), w(in[1], S);
        convolution_axis a[window_axes];
        correlate_op::axes(w.extent, a);
        correlate<T, (C.groups > 1)>(x, w, images<T>(out[0], S), a, C.groups,
                                     correlate_op::template room<T>(w, a, true, w.channels, scratch), end);
    }
    /// What there are of y where it is not kept are whole pairs.
    template <class T>
    [[gnu::noinline]] static void run_pooled(strided const* in, strided const* out, void* scratch,
                                             write_back<T> const& end, bool of_all) {
        images<T const> const x(in[0], S), w(in[1], S);
        convolution_axis a[window_axes];
        correlate_op::axes(w.extent, a);
        pooled_images<T> const largest{images<T>(out[0], S), of_all ? write_back<T>{} : end, &largest_of_rows<T>};
        images<T> y(out[1], S);
        if (!y.data) {
            y = largest.to;
            y.data = nullptr;
            y.step[0] = 1;
            for (int k = 0; k < S; ++k) y.extent[k] *= 2;
        }
        correlate<T, (C.groups > 1)>(x, w, y, a, C.groups,
                                     correlate_op::template room<T>(w, a, true, w.channels, scratch),
                                     of_all ? end : write_back<T>{}, &largest);
    }
    static constexpr auto pullback(auto g, auto y, auto x, auto w, attribute const&) {
        using R = std::remove_const_t<decltype(x)>;
        using T = typename R::value_type;
        builder& b = *x.graph;
        int const all = whole_cotangent(b, g.id, y.id);
        return cotangents(R(&b, emit_spread<C, S, T>(b, all, w.id, b.nodes.items[x.id].shape)),
                          R(&b, emit_weigh<C, S, T>(b, all, x.id, b.nodes.items[w.id].shape)));
    }
};
template <conv C, int S>
struct spread_op : convolution_loop<spread_op<C, S>, C, S> {
    static constexpr int const* parameters = convolution_parameters<1, C, S>;
    static constexpr loop_cut cut(attribute const&, int, int) { return cut_along(0, 1 << 13); }
    using finished = finished_op<spread_op>;
    static constexpr int of_all(builder& b, node const& n, unsigned leading) {
        return emit_for_single_images(b, n, leading, 1);
    }
    template <class T, class>
    static void run(strided const* in, strided const* out, attribute const&, void* scratch) {
        run_with<T>(in, out, scratch, {});
    }
    template <class T>
    [[gnu::noinline]] static void run_with(strided const* in, strided const* out, void* scratch,
                                           write_back<T> const& end) {
        images<T const> const y(in[0], S), w(in[1], S);
        convolution_axis a[window_axes];
        spread_op::axes(w.extent, a);
        spread<T, (C.groups > 1)>(y, w, images<T>(out[0], S), a, C.groups,
                                  spread_op::template room<T>(w, a, false, w.items / C.groups, scratch), end);
    }
    static constexpr auto pullback(auto g, auto x, auto y, auto w, attribute const&) {
        using R = std::remove_const_t<decltype(y)>;
        using T = typename R::value_type;
        builder& b = *y.graph;
        int const all = whole_cotangent(b, g.id, x.id);
        return cotangents(R(&b, emit_correlate<C, S, T>(b, all, w.id, b.nodes.items[y.id].shape)),
                          R(&b, emit_weigh<C, S, T>(b, y.id, all, b.nodes.items[w.id].shape)));
    }
};
template <conv C, int S>
struct weigh_op : convolution_loop<weigh_op<C, S>, C, S> {
    static constexpr int const* parameters = convolution_parameters<2, C, S>;
    /// Every channel of y by itself, for all images in order.
    static constexpr loop_cut cut(attribute const&, int, int) {
        return C.groups == 1 ? cut_along(1, 1 << 13, 8) : loop_cut{};
    }
    template <class T, class>
    static void run(strided const* in, strided const* out, attribute const&, void* scratch) {
        images<T const> const y(in[0], S), x(in[1], S);
        images<T> const w(out[0], S);
        convolution_axis a[window_axes];
        weigh_op::axes(w.extent, a);
        weigh<T, (C.groups > 1)>(
            y, x, w, a, C.groups,
            weigh_op::template room<T>(images<T const>(out[0], S), a, true, w.channels, scratch));
    }
    static constexpr auto pullback(auto g, auto w, auto y, auto x, attribute const&) {
        using R = std::remove_const_t<decltype(y)>;
        using T = typename R::value_type;
        builder& b = *y.graph;
        int const all = whole_cotangent(b, g.id, w.id);
        return cotangents(R(&b, emit_correlate<C, S, T>(b, x.id, all, b.nodes.items[y.id].shape)),
                          R(&b, emit_spread<C, S, T>(b, y.id, all, b.nodes.items[x.id].shape)));
    }
};

}  // namespace detail::ops_part
}  // namespace tapeless
