// SPDX-License-Identifier: MIT
#pragma once
// Convolution as matrix products over windows: what a product reads of an image is packed from strips of it, some
// windows at a time, so that the windows are never all in memory. Three loops, each the derivative of the others.

#include <tapeless/kernels/taps_in_place.hpp>

namespace tapeless::detail::inline kernels_part {
namespace convolution_detail {

/// to[m, window] = sum over channels and taps of a(m, k) strip(tap k), some taps at a time; `end`: what becomes of the
/// sums, a block of rows after the other.
template <class T>
void multiply_windows(T const* a, std::int64_t m, std::int64_t channels, window_taps const& taps,
                      window_strip<T> const& s, window_block const& w, convolution_room<T> const& room, T* to,
                      std::ptrdiff_t to_row, write_back<T> const& end) {
    using blocks = convolution_blocks<T>;
    std::int64_t const depth = channels * taps.count();
    std::ptrdiff_t offset[static_cast<std::size_t>(blocks::deep)];
    std::int64_t done = 0, filled = 0;
    auto const multiply = [&] {
        pack_windows<blocks::U>(room.right, s, w, offset, filled);
        product_operands<T> p;
        p.left = a + done;
        p.left_row = depth;
        p.left_k = 1;
        p.columns = w.count();
        p.depth = filled;
        p.packed_left = room.left;
        p.packed_right = room.right;
        bool const ends = end.changes() && done + filled == depth;
        for (std::int64_t i = 0; i < m; i += blocks::block) {
            std::int64_t const some = m - i < blocks::block ? m - i : blocks::block;
            T* const at = to + i * to_row;
            multiply_any_rows<left_form::columns, blocks::J, blocks::U>(
                p, i, some, product_target<T>{at, to_row, false, done > 0});
            if (ends) write_back_rows(at, to_row, some, w.count(), end.from(i));
        }
        done += filled;
        filled = 0;
    };
    for (std::int64_t c = 0; c < channels; ++c)
        taps.each([&](int d, int h, int x) {
            offset[filled++] = c * s.channel + s.tap(taps, d, h, x);
            if (filled == blocks::deep) multiply();
        });
    if (filled > 0 || done == 0) multiply();
}

/// The most rows of results that are computed without packing where there are many channels: packing would take as
/// long.
inline constexpr std::int64_t few_rows = 16;

/// to[n, m, window] = sum over channels and taps of a[m, k] from[n, channel, tap k], of one group of channels of all
/// items. Few: there may be loops for one channel and one result. `end`: what becomes of the sums before they are
/// stored. Where there is a `pool`, the largest of pairs of them go there, and `to` may have no memory.
template <bool Few, class T>
void window_product(T const* a, std::int64_t m, images<T const> const& from, std::int64_t first_channel,
                    std::int64_t channels, window_taps const& taps, images<T> const& to, std::int64_t first_result,
                    convolution_room<T> const& room, write_back<T> const& end,
                    pooled_images<T> const* pool = nullptr) {
    using blocks = convolution_blocks<T>;
    std::int64_t const depth = channels * taps.count();
    bool const kept = !pool || to.data;
    if constexpr (Few)
        if (depth > 0 && !pool && channels == 1 && m == 1 &&
            multiply_if_in_place(a, taps, from, first_channel, to, first_result, end))
            return;
    bool const direct = (channels == 1 || m <= few_rows) && to.step[0] == 1;
    constexpr int J = machine::vector_registers >= 32 ? 4 : 2;
    taps_by_row const order{taps, channels};
    // packs rows from o on, J or one
    auto const pack = [&](std::int64_t o, std::int64_t first, std::int64_t k, T* rows) {
        if (o + J <= m) pack_rows<J>(a + o * depth, depth, order, first, k, rows);
        else pack_rows<1>(a + o * depth, depth, order, first, k, rows);
    };
    auto const each_group = [&](auto const& f) {
        for (std::int64_t o = 0; o < m; o += o + J <= m ? J : 1) f(o);
    };
    // once, if that is all of them and all taps
    bool const once = direct && m <= blocks::block && depth <= blocks::deep;
    if (once) each_group([&](std::int64_t o) { pack(o, 0, depth, room.left + o * depth); });
    std::int64_t most = direct && channels == 1 ? blocks::direct : blocks::windows;
    if (!kept) {
        std::int64_t const fit = passing_results / static_cast<std::int64_t>(sizeof(T)) / (m > 0 ? m : 1);
        if (most > fit) most = fit > blocks::windows ? fit : blocks::windows;
    }
    // the results of a block of item n, those of m channels, at `first`
    auto const compute = [&](std::int64_t n, window_block const& b, T* first, std::ptrdiff_t channel,
                             std::ptrdiff_t row, std::ptrdiff_t step) {
        if (depth == 0) {  // a sum of nothing
            for (std::int64_t o = 0; o < m; ++o)
                for (std::int64_t i = 0; i < b.count(); ++i)
                    first[o * channel + i / b.columns * row + i % b.columns * step] = end.of(T(0), o);
            return;
        }
        T const* const image = from.data + n * from.item + first_channel * from.channel;
        if constexpr (Few)
            if (pool && channels == 1 && m == 1 && b.columns == to.extent[0] && are_in_place(taps, from, to))
                return multiply_block_in_place(a, taps, from, image, b, to.extent[0], first, row, end);
        auto const s = make_strip<T>(from, image, channels, taps, b, room.strip);
        if constexpr (Few)
            if (direct && channels == 1 && m == 1 && multiply_if_few_taps(a, taps, s, b, first, row, end)) return;
        if (!direct) return multiply_windows(a, m, channels, taps, s, b, room, first, channel, end);
        std::ptrdiff_t offset[static_cast<std::size_t>(blocks::deep)];
        for (std::int64_t done = 0; done < depth; done += blocks::deep) {
            std::int64_t const k = depth - done < blocks::deep ? depth - done : blocks::deep;
            order.each(done, k, [&](std::int64_t i, std::int64_t c, int d, int h, int x) {
                offset[i] = c * s.channel + s.tap(taps, d, h, x);
            });
            rows_of_taps const some{taps.axis[1], b.row, from.extent[1], order.of_row(), done, k};
            each_group([&](std::int64_t o) {
                T* const rows = once ? room.left + o * depth : room.left;
                if (!once) pack(o, done, k, rows);
                auto const own = done + k == depth ? end.from(o) : write_back<T>{};
                if (o + J <= m)
                    multiply_directly<J, T>(rows, some, offset, s, b, first + o * channel, channel, row, done > 0, own);
                else
                    multiply_directly<1, T>(rows, some, offset, s, b, first + o * channel, channel, row, done > 0, own);
            });
        }
    };
    for (std::int64_t n = 0; n < from.items; ++n)
        each_block(to.extent, most, pool ? 2 : 1, [&](window_block const& b) {
            T* const first = kept ? to.data + n * to.item + first_result * to.channel : nullptr;
            bool const in_place = kept && (direct || to.is_flat(b.rows, b.columns));
            T* const results = in_place ? at_block(to, first, b) : room.result;
            std::ptrdiff_t const channel = in_place ? to.channel : b.count(), row = in_place ? to.step[1] : b.columns;
            compute(n, b, results, channel, row, in_place ? to.step[0] : 1);
            if (pool) pool->of(results, channel, row, b, n, first_result, m);
            if (kept && !in_place)
                for (std::int64_t o = 0; o < m; ++o)
                    each_element(to, first + o * to.channel, b,
                                 [&](std::int64_t i, T& v) { v = room.result[o * b.count() + i]; });
        });
}

inline window_taps forward_taps(convolution_axis const* axis) {
    window_taps t;
    for (int k = 0; k < window_axes; ++k)
        t.axis[k] = {static_cast<int>(axis[k].size), axis[k].stride, -axis[k].before, axis[k].dilation};
    return t;
}
}  // namespace convolution_detail

/// y[n, o, p] = sum over c, k of x[n, c, p stride + k dilation - before] w[o, c, k]; channels are in groups. `end`:
/// what becomes of it, one number a channel. `pool`: the largest of each two by two are wanted; y may have no memory
/// then.
template <class T, bool Grouped = false, class Build = simd::batch<T>>
void correlate(images<T const> const& x, images<T const> const& w, images<T> const& y, convolution_axis const* axis,
               std::int64_t groups, convolution_room<T> const& room, write_back<T> const& end = {},
               pooled_images<T> const* pool = nullptr) {
    using namespace convolution_detail;
    window_taps const taps = forward_taps(axis);
    std::int64_t const channels = w.channels, outputs = w.items / groups;
    for (std::int64_t g = 0; g < groups; ++g) {
        T* to = room.weight;
        for (std::int64_t o = g * outputs; o < (g + 1) * outputs; ++o)
            for (std::int64_t c = 0; c < channels; ++c)
                taps.each([&](int d, int h, int v) {
                    *to++ = w.data[o * w.item + c * w.channel + d * w.step[2] + h * w.step[1] + v * w.step[0]];
                });
        window_product<Grouped, T>(room.weight, outputs, x, g * channels, channels, taps, y, g * outputs, room,
                                   end.from(g * outputs), pool);
    }
}

/// x[n, c, i] = sum over o, k and windows p that have element i under tap k of y[n, o, p] w[o, c, k]. Elements that
/// have the same remainder by the stride are under the same taps: each class of them is a convolution of its own.
template <class T, bool Grouped = false, class Build = simd::batch<T>>
void spread(images<T const> const& y, images<T const> const& w, images<T> const& x, convolution_axis const* axis,
            std::int64_t groups, convolution_room<T> const& room, write_back<T> const& end = {}) {
    using namespace convolution_detail;
    std::int64_t const channels = w.channels, outputs = w.items / groups;
    int rest[window_axes]{};
    for (rest[2] = 0; rest[2] < axis[2].stride; ++rest[2])
        for (rest[1] = 0; rest[1] < axis[1].stride; ++rest[1])
            for (rest[0] = 0; rest[0] < axis[0].stride; ++rest[0]) {
                window_taps taps;
                images<T> to = x;
                std::int64_t kernel_first[window_axes]{}, kernel_by[window_axes]{};
                bool none = false;
                for (int k = 0; k < window_axes; ++k) {
                    // window p with p stride = rest + before - tap dilation + (number of the element) stride
                    std::int64_t const s = axis[k].stride, d = axis[k].dilation, common = std::gcd(s, d),
                                       from = rest[k] + axis[k].before;
                    std::int64_t t = 0;
                    while (t < axis[k].size && (from - t * d) % s != 0) ++t;
                    none = none || t >= axis[k].size;
                    kernel_first[k] = t;
                    kernel_by[k] = s / common;
                    taps.axis[k] = {static_cast<int>((axis[k].size - t + kernel_by[k] - 1) / kernel_by[k]), 1,
                                    (from - t * d) / s, -d / common};
                    to.data += rest[k] * x.step[k];
                    to.step[k] = x.step[k] * s;
                    to.extent[k] = x.extent[k] > rest[k] ? (x.extent[k] - rest[k] + s - 1) / s : 0;
                }
                if (none) {
                    for (std::int64_t n = 0; n < x.items; ++n)
                        for (std::int64_t c = 0; c < x.channels; ++c)
                            each_block(to.extent, 1 << 20, [&](window_block const& b) {
                                each_element(to, to.data + n * x.item + c * x.channel, b,
                                             [&](std::int64_t, T& v) { v = end.of(T(0), c); });
                            });
                    continue;
                }
                for (std::int64_t g = 0; g < groups; ++g) {
                    T* a = room.weight;
                    for (std::int64_t c = 0; c < channels; ++c)
                        for (std::int64_t o = g * outputs; o < (g + 1) * outputs; ++o)
                            taps.each([&](int d, int h, int v) {
                                *a++ = w.data[o * w.item + c * w.channel +
                                              (kernel_first[2] + d * kernel_by[2]) * w.step[2] +
                                              (kernel_first[1] + h * kernel_by[1]) * w.step[1] +
                                              (kernel_first[0] + v * kernel_by[0]) * w.step[0]];
                            });
                    window_product<Grouped, T>(room.weight, channels, y, g * outputs, outputs, taps, to, g * channels,
                                               room, end.from(g * channels));
                }
            }
}

/// w[o, c, k] = sum over n, p of y[n, o, p] x[n, c, p stride + k dilation - before].
template <class T, bool Grouped = false, class Build = simd::batch<T>>
void weigh(images<T const> const& y, images<T const> const& x, images<T> const& w, convolution_axis const* axis,
           std::int64_t groups, convolution_room<T> const& room) {
    using namespace convolution_detail;
    using blocks = convolution_blocks<T>;
    window_taps const taps = forward_taps(axis);
    std::int64_t const channels = w.channels, outputs = w.items / groups, depth = channels * taps.count();
    for (std::int64_t g = 0; g < groups; ++g) {
        for (std::int64_t i = 0; i < outputs * depth; ++i) room.weight[i] = T(0);
        bool const direct = (channels == 1 || outputs <= few_rows) && y.step[0] == 1;
        constexpr int O = machine::vector_registers >= 32 ? 4 : 2;  // results for so many outputs are side by side
        std::int64_t const at_once = direct && channels == 1 ? blocks::direct : blocks::windows;
        bool in_place = false;
        if constexpr (Grouped)
            in_place = channels == 1 && outputs == 1 && gather_if_in_place(room.weight, taps, x, y, g);
        for (std::int64_t n = 0; n < x.items && !in_place; ++n)
            each_block(y.extent, at_once, [&](window_block const& b) {
                auto const s =
                    make_strip<T>(x, x.data + n * x.item + g * channels * x.channel, channels, taps, b, room.strip);
                T const* const first = y.data + n * y.item + g * outputs * y.channel;
                std::ptrdiff_t offset[static_cast<std::size_t>(blocks::deep)];
                std::int64_t done = 0, filled = 0;
                product_operands<T> p;
                p.left = at_block(y, first, b);
                p.left_row = y.channel;
                std::int64_t const width = (b.columns + blocks::L - 1) / blocks::L * blocks::L;
                bool const padded = direct && width != b.columns && b.rows * width <= blocks::windows;
                if (padded) {
                    T* to = room.result;
                    for (std::int64_t o = 0; o < outputs; ++o)
                        for (std::int64_t r = 0; r < b.rows; ++r, to += width) {
                            T const* const row = at_block(y, first + o * y.channel, b) + r * y.step[1];
                            for (std::int64_t i = 0; i < width; ++i) to[i] = i < b.columns ? row[i] : T(0);
                        }
                    p.left = room.result;
                    p.left_row = b.rows * width;
                } else if (!direct && !y.is_flat(b.rows, b.columns)) {
                    for (std::int64_t o = 0; o < outputs; ++o)
                        each_element(y, first + o * y.channel, b,
                                     [&](std::int64_t i, T const& v) { room.result[o * b.count() + i] = v; });
                    p.left = room.result;
                    p.left_row = b.count();
                }
                auto const multiply = [&] {
                    if (direct) {
                        std::ptrdiff_t const row = padded ? width : y.step[1];
                        std::int64_t o = 0;
                        for (; o + O <= outputs; o += O)
                            gather_directly<O>(room.weight + o * depth + O * done, filled, offset, s, b,
                                               p.left + o * p.left_row, p.left_row, row, padded);
                        for (; o < outputs; ++o)
                            gather_directly<1>(room.weight + o * depth + done, filled, offset, s, b,
                                               p.left + o * p.left_row, p.left_row, row, padded);
                    } else {
                        pack_taps<blocks::U>(room.right, s, b, offset, filled);
                        p.left_k = 1;
                        p.columns = filled;
                        p.depth = b.count();
                        p.packed_left = room.left;
                        p.packed_right = room.right;
                        p.packs_left = false;
                        for (std::int64_t i = 0; i < outputs; i += blocks::block)
                            multiply_any_rows<left_form::rows, blocks::J_in_place, blocks::U>(
                                p, i, outputs - i < blocks::block ? outputs - i : blocks::block,
                                product_target<T>{room.weight + i * depth + done, depth, false, true});
                    }
                    done += filled;
                    filled = 0;
                };
                for (std::int64_t c = 0; c < channels; ++c)
                    taps.each([&](int d, int h, int v) {
                        offset[filled++] = c * s.channel + s.tap(taps, d, h, v);
                        if (filled == blocks::deep) multiply();
                    });
                if (filled > 0) multiply();
            });
        for (std::int64_t o = 0; o < outputs; ++o) {
            bool const beside = direct && o < outputs / O * O;
            T const* from = room.weight + (beside ? o / O * O * depth + o % O : o * depth);
            for (std::int64_t c = 0; c < channels; ++c)
                taps.each([&](int d, int h, int v) {
                    w.data[(g * outputs + o) * w.item + c * w.channel + d * w.step[2] + h * w.step[1] +
                           v * w.step[0]] = *from;
                    from += beside ? O : 1;
                });
        }
    }
}

}  // namespace tapeless::detail::kernels_part
