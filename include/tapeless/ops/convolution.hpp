// SPDX-License-Identifier: MIT
#pragma once
// Convolutions: conv1d, conv2d, conv3d and their transposes.

#include <tapeless/ops/convolution_loops.hpp>
#include <tapeless/ops/product.hpp>

namespace tapeless {

/// Refuses operands of the wrong rank.
template <class X, class W>
struct convolution_needs_other_ranks {
    static_assert(never<X>,
                  "conv1d, conv2d, conv3d: x is (batch, channels, axes...) or (channels, axes...), and the kernel "
                  "(out, in / groups, axes...)");
};
/// Refuses channels that do not fit.
template <class X, class W, int Groups>
struct convolution_channels_differ {
    static_assert(
        never<X>,
        "convolution: the input's channels are not those of the kernel (in / groups), or do not part into the groups");
};
/// Refuses a kernel that is larger than what it goes over.
template <class X, class W, int Axis>
struct convolution_kernel_is_larger {
    static_assert(never<X>, "convolution: the kernel is larger than the padded input along an axis");
};
/// Refuses kernels whose extents only the run knows.
template <class W, int Axis>
struct convolution_kernel_needs_static_extents {
    static_assert(never<W>, "convolution: the extents of the kernel (not its channels) have to be known when compiled");
};

namespace detail::inline ops_part {

/// The shape of a convolution's result. As a type: what only run time knows is new. In the graph: `u` makes the
/// lengths.
template <conv C, int S, bool Transposed>
struct convolution_shape {
    static constexpr dims compute(dims const& x, dims const& w) {
        dims d;
        d.rank = S + 2;
        d.extent[0] = x.extent[0];
        d.extent[1] = Transposed ? (w.extent[1] < 0 ? new_extent : w.extent[1] * C.groups) : w.extent[0];
        if (Transposed && C.groups == 1) d.extent[1] = w.extent[1];
        for (int i = 0; i < S; ++i) {
            std::int64_t const n = x.extent[2 + i], k = w.extent[2 + i];
            d.extent[2 + i] = n < 0 || k < 0 ? new_extent : length(i, n, k);
            if (n < 0 && k >= 0 && keeps(i, k)) d.extent[2 + i] = n;
        }
        return d;
    }
    /// Whether the length stays, whatever it is.
    static constexpr bool keeps(int i, std::int64_t k) {
        return C.stride.at[i] == 1 && zeros_around<C>(i, k) == (k - 1) * C.dilation.at[i] &&
               C.output_padding.at[i] == 0;
    }
    static constexpr std::int64_t length(int i, std::int64_t n, std::int64_t k) {
        std::int64_t const span = (k - 1) * C.dilation.at[i] + 1, around = zeros_around<C>(i, k);
        if (Transposed) return (n - 1) * C.stride.at[i] - around + span + C.output_padding.at[i];
        return n + around < span ? 0 : (n + around - span) / C.stride.at[i] + 1;
    }
    static constexpr int intern(builder& b, dims const& x, dims const& w) {
        dims d = compute(x, w);
        if (Transposed) d.extent[1] = b.product(w.extent[1], C.groups);
        for (int i = 0; i < S; ++i) {
            std::int64_t const n = x.extent[2 + i], k = w.extent[2 + i], span = (k - 1) * C.dilation.at[i] + 1,
                               around = zeros_around<C>(i, k);
            if (n >= 0 || keeps(i, k)) continue;
            if (Transposed) {
                std::int64_t const grown =
                    b.sum(b.product(b.difference(n, 1), C.stride.at[i]), span + C.output_padding.at[i]);
                d.extent[2 + i] = b.difference(grown, around);
            } else {
                if (span > around) b.check(n, relation::at_least, span - around);
                std::int64_t const whole = b.difference(b.sum(n, around), span - 1);
                d.extent[2 + i] = b.derived({.rule = length_rule::slice_length,
                                             .a = whole,
                                             .start = 0,
                                             .stop = to_end,
                                             .step = C.stride.at[i]});
            }
        }
        return b.intern(d);
    }
};

/// Whether every window of a kernel of this shape is one element.
template <conv C, int S>
constexpr bool is_product(dims const& w) {
    bool is = C.groups == 1;
    for (int i = 0; i < S; ++i)
        is = is && w.extent[2 + i] == 1 && C.stride.at[i] == 1 && (C.padding == same || C.padding.at[i] == 0);
    return is;
}
/// Then it is a product over the channels, for each item.
template <int S, class T>
constexpr int emit_product_of_channels(builder& b, int x, int w, int shape) {
    dims d = b.shape_of(x);
    std::int64_t elements = 1;
    for (int i = 0; i < S; ++i) elements = b.product(elements, d.extent[2 + i]);
    d.rank = 3;
    d.extent[2] = elements;
    int const matrix = emit_axes(b, w, axis_map::without(S + 2, (1 << S) - 1));
    int const y = matmul(node_ref<T>(&b, matrix), node_ref<T>(&b, emit_reshape(b, x, d))).walk(b);
    return emit_reshape(b, y, dims(b.shapes.items[shape]));
}

/// From an expression to the loops. x and w are of rank S + 2.
template <conv C, int S, bool Transposed>
struct convolved_op : composed<"convolution"> {
    template <class X, class W>
    struct rule {
        static constexpr dims value = convolution_shape<C, S, Transposed>::compute(dims_of<X>(0), dims_of<W>(1));
    };
    template <class, class X, class W>
    using result_shape = typename shape_from<rule<X, W>, X, W>::type;
    template <class T>
    static constexpr int simplify(builder& b, node const& n) {
        dims const x = b.shape_of(n.in[0]), w = b.shape_of(n.in[1]);
        if (Transposed) (void)b.same(x.extent[1], w.extent[0]);
        else (void)b.same(x.extent[1], b.product(w.extent[1], C.groups));
        if (C.groups > 1 && w.extent[0] < 0) b.check(w.extent[0], relation::multiple, C.groups);
        int const shape = convolution_shape<C, S, Transposed>::intern(b, dims(b.shape_of(n.in[0])), w);
        if (!Transposed && is_product<C, S>(w)) return emit_product_of_channels<S, T>(b, n.in[0], n.in[1], shape);
        if constexpr (Transposed) return emit_spread<C, S, T>(b, n.in[0], n.in[1], shape);
        else return emit_correlate<C, S, T>(b, n.in[0], n.in[1], shape);
    }
};

/// The first of S axes for which that holds, or -1.
template <int S, class Test>
constexpr int axis_where(Test const& holds) {
    for (int i = 0; i < S; ++i)
        if (holds(i)) return i;
    return -1;
}
template <conv C, int S, bool Transposed, class X, class W>
constexpr auto why_no_convolution() {
    static_assert(C.groups >= 1, "conv: groups is at least 1");
    static_assert(C.stride.at_least(1, S) && C.dilation.at_least(1, S),
                  "conv: stride and dilation are at least 1, one number or one an axis");
    static_assert(C.padding == same || C.padding.at_least(0, S),
                  "conv: not a negative number of zeros, one number or one an axis");
    static_assert(C.output_padding.at_least(0, S), "conv: output_padding is not negative, one number or one an axis");
    if constexpr (C.padding == same)
        static_assert(C.stride == per_axis(1), "conv: padding `same` is for convolutions with stride 1");
    if constexpr (X::rank != S + 2 || W::rank != S + 2) {
        return because<convolution_needs_other_ranks<X, W>>{};
    } else {
        constexpr std::int64_t channels = dims_of<X>(0).extent[1], first = dims_of<W>(1).extent[0],
                               second = dims_of<W>(1).extent[1];
        constexpr std::int64_t in = Transposed ? first : second < 0 ? -1 : second * C.groups;
        constexpr int unknown = axis_where<S>([](int i) { return dims_of<W>(1).extent[2 + i] < 0; });
        constexpr int larger = axis_where<S>([](int i) {
            std::int64_t const n = dims_of<X>(0).extent[2 + i], k = dims_of<W>(1).extent[2 + i];
            return !Transposed && n >= 0 && k >= 0 && n + zeros_around<C>(i, k) < (k - 1) * C.dilation.at[i] + 1;
        });
        if constexpr ((channels >= 0 && in >= 0 && channels != in) || (first >= 0 && first % C.groups != 0))
            return because<convolution_channels_differ<X, W, C.groups>>{};
        else if constexpr (unknown >= 0) return because<convolution_kernel_needs_static_extents<W, unknown>>{};
        else if constexpr (larger >= 0) return because<convolution_kernel_is_larger<X, W, larger>>{};
        else return because<no_reason>{};
    }
}

/// x with or without a batch axis, and the bias, one number a channel, where there is one.
template <conv C, int S, bool Transposed, class X, class W>
constexpr auto convolve(X const& x, W const& w) {
    if constexpr (X::rank == S + 1) {
        return squeeze<0>(convolve<C, S, Transposed>(unsqueeze<0>(x), w));
    } else {
        refuse(why_no_convolution<C, S, Transposed, typename X::shape_type, typename W::shape_type>());
        return apply_with<convolved_op<C, S, Transposed>>(attribute{}, x, w);
    }
}
template <int S, class B>
constexpr auto bias_along_axes(B const& bias) {
    if constexpr (S == 1) return unsqueeze<1>(bias);
    else if constexpr (S == 2) return unsqueeze<1, 2>(bias);
    else return unsqueeze<1, 2, 3>(bias);
}
}  // namespace detail::ops_part

/// y[n, o, p] = sum over c, k of x[n, c, p stride + k dilation - padding] w[o, c, k]: x (batch, channels, length) or
/// (channels, length), w (out, channels / groups, size).
template <conv C = conv{}, expression X, expression W>
constexpr auto conv1d(X const& x, W const& w) {
    return detail::convolve<C, 1, false>(x, w);
}
/// conv1d, and a bias (out).
template <conv C = conv{}, expression X, expression W, expression B>
constexpr auto conv1d(X const& x, W const& w, B const& bias) {
    return detail::convolve<C, 1, false>(x, w) + detail::bias_along_axes<1>(bias);
}
/// The same along rows and columns: x (batch, channels, rows, columns), w (out, channels / groups, rows, columns).
template <conv C = conv{}, expression X, expression W>
constexpr auto conv2d(X const& x, W const& w) {
    return detail::convolve<C, 2, false>(x, w);
}
/// conv2d, and a bias (out).
template <conv C = conv{}, expression X, expression W, expression B>
constexpr auto conv2d(X const& x, W const& w, B const& bias) {
    return detail::convolve<C, 2, false>(x, w) + detail::bias_along_axes<2>(bias);
}
/// The same along three axes.
template <conv C = conv{}, expression X, expression W>
constexpr auto conv3d(X const& x, W const& w) {
    return detail::convolve<C, 3, false>(x, w);
}
/// conv3d, and a bias (out).
template <conv C = conv{}, expression X, expression W, expression B>
constexpr auto conv3d(X const& x, W const& w, B const& bias) {
    return detail::convolve<C, 3, false>(x, w) + detail::bias_along_axes<3>(bias);
}
/// The transpose of conv1d as a linear map of its input: x (batch, channels, length), w (channels, out / groups,
/// size); the result has (length - 1) stride - 2 padding + dilation (size - 1) + output_padding + 1 elements.
template <conv C = conv{}, expression X, expression W>
constexpr auto conv_transpose1d(X const& x, W const& w) {
    return detail::convolve<C, 1, true>(x, w);
}
/// conv_transpose1d, and a bias (out).
template <conv C = conv{}, expression X, expression W, expression B>
constexpr auto conv_transpose1d(X const& x, W const& w, B const& bias) {
    return detail::convolve<C, 1, true>(x, w) + detail::bias_along_axes<1>(bias);
}
/// The transpose of conv2d: x (batch, channels, rows, columns), w (channels, out / groups, rows, columns).
template <conv C = conv{}, expression X, expression W>
constexpr auto conv_transpose2d(X const& x, W const& w) {
    return detail::convolve<C, 2, true>(x, w);
}
/// conv_transpose2d, and a bias (out).
template <conv C = conv{}, expression X, expression W, expression B>
constexpr auto conv_transpose2d(X const& x, W const& w, B const& bias) {
    return detail::convolve<C, 2, true>(x, w) + detail::bias_along_axes<2>(bias);
}

}  // namespace tapeless
