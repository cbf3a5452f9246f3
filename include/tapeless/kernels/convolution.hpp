// SPDX-License-Identifier: MIT
#pragma once
// Convolution as matrix products over windows: what a product reads of an image is packed from strips of it, some
// windows at a time, so that the windows are never all in memory. Three loops, each the derivative of the others.

#include <tapeless/kernels/window_blocks.hpp>

namespace tapeless::detail {
namespace convolution_detail {

/// to[m, window] = sum over channels and taps of a(m, k) strip(tap k), some taps at a time.
template <class T>
void multiply_windows(T const* a, std::int64_t m, std::int64_t channels, window_taps const& taps,
                      window_strip<T> const& s, window_block const& w, convolution_room<T> const& room, T* to,
                      std::ptrdiff_t to_row) {
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
        for (std::int64_t i = 0; i < m; i += blocks::block)
            multiply_any_rows<left_form::columns, blocks::J, blocks::U>(
                p, i, m - i < blocks::block ? m - i : blocks::block,
                product_target<T>{to + i * to_row, to_row, false, done > 0});
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

/// J rows of results by U batches of windows of one row, from where the taps of the first window are; `last` lanes of
/// the last batch are stored. Rows of a are `a_row` apart, of results `to_row`; `add`: to what is there.
template <int J, int U, class T>
TAPELESS_CONFIG_INLINE inline void multiply_tile(T const* a, std::ptrdiff_t a_row, std::int64_t k,
                                                 std::ptrdiff_t const* offset, T const* from, T* to,
                                                 std::ptrdiff_t to_row, int last, bool add) {
    constexpr int L = simd::lanes<T>;
    using batch = simd::batch<T>;
    batch sum[static_cast<std::size_t>(J)][static_cast<std::size_t>(U)];
    detail::repeat<J * U>([&](int i) TAPELESS_CONFIG_INLINE {
        T const* const p = to + i / U * to_row + i % U * L;
        if (!add) sum[i / U][i % U] = batch(T(0));
        else sum[i / U][i % U] = i % U < U - 1 || last == L ? simd::load(p) : simd::load_partial(p, last);
    });
    for (std::int64_t t = 0; t < k; ++t) {
        batch x[static_cast<std::size_t>(U)];
        T const* const p = from + offset[t];
        detail::repeat<U>([&](int u) TAPELESS_CONFIG_INLINE { x[u] = simd::load(p + u * L); });
        detail::repeat<J>([&](int j) TAPELESS_CONFIG_INLINE {
            batch const y(a[j * a_row + t]);
            detail::repeat<U>([&](int u) TAPELESS_CONFIG_INLINE { sum[j][u] = simd::fma(y, x[u], sum[j][u]); });
        });
    }
    detail::repeat<J * U>([&](int i) TAPELESS_CONFIG_INLINE {
        T* const p = to + i / U * to_row + i % U * L;
        if (i % U < U - 1 || last == L) simd::store(p, sum[i / U][i % U]);
        else simd::store_partial(p, sum[i / U][i % U], last);
    });
}
/// J rows of results for all windows of a block, nothing packed.
template <int J, class T, class Build = simd::batch<T>>
[[gnu::noinline]] void multiply_directly(T const* a, std::ptrdiff_t a_row, std::int64_t k, std::ptrdiff_t const* offset,
                                         window_strip<T> const& s, window_block const& w, T* to,
                                         std::ptrdiff_t to_channel, std::ptrdiff_t to_row, bool add) {
    constexpr int L = simd::lanes<T>, most = J == 1 ? 8 : 4;
    // the batches of a row in tiles of about the same size
    std::int64_t const batches = (w.columns + L - 1) / L, tiles = (batches + most - 1) / most;
    for (std::int64_t r = 0; r < w.rows; ++r)
        for (std::int64_t i = 0, c = 0; i < tiles; ++i) {
            std::int64_t const end = batches * (i + 1) / tiles * L;
            int const last = end <= w.columns ? L : static_cast<int>(w.columns - end + L);
            T const* const from = s.data + s.window(r) + c;
            T* const at = to + r * to_row + c;
            unroll<most>([&](auto u) TAPELESS_CONFIG_INLINE {
                if (end - c == (u.i + 1) * L)
                    multiply_tile<J, u.i + 1>(a, a_row, k, offset, from, at, to_channel, last, add);
            });
            c = end;
        }
}

/// to[o][k] += sum over windows of g[o](window) strip(tap k), of O rows of numbers.
template <int O, class T, class Build = simd::batch<T>>
[[gnu::noinline]] void gather_directly(T* to, std::ptrdiff_t to_row, std::int64_t k, std::ptrdiff_t const* offset,
                                       window_strip<T> const& s, window_block const& w, T const* g,
                                       std::ptrdiff_t g_channel, std::ptrdiff_t g_row) {
    constexpr int L = simd::lanes<T>, some = 8;
    using batch = simd::batch<T>;
    for (std::int64_t t = 0; t < k; t += some) {
        int const m = k - t < some ? static_cast<int>(k - t) : some;
        std::ptrdiff_t at[static_cast<std::size_t>(some)];
        for (int i = 0; i < some; ++i) at[i] = offset[t + (i < m ? i : 0)];
        batch sum[static_cast<std::size_t>(O)][static_cast<std::size_t>(some)];
        detail::repeat<O * some>([&](int i) TAPELESS_CONFIG_INLINE { sum[i / some][i % some] = batch(T(0)); });
        auto const add = [&](T const* from, T const* row, auto const& load) TAPELESS_CONFIG_INLINE {
            batch y[static_cast<std::size_t>(O)];
            detail::repeat<O>([&](int o) TAPELESS_CONFIG_INLINE { y[o] = load(row + o * g_channel); });
            detail::repeat<some>([&](int i) TAPELESS_CONFIG_INLINE {
                batch const x = load(from + at[i]);
                detail::repeat<O>([&](int o) TAPELESS_CONFIG_INLINE { sum[o][i] = simd::fma(y[o], x, sum[o][i]); });
            });
        };
        for (std::int64_t r = 0; r < w.rows; ++r) {
            T const *const from = s.data + s.window(r), *const row = g + r * g_row;
            std::int64_t c = 0;
            for (; c + L <= w.columns; c += L)
                add(from + c, row + c, [](T const* p) TAPELESS_CONFIG_INLINE { return simd::load(p); });
            // lanes past the end are zero on one side, so they must be numbers on the other
            if (int const n = static_cast<int>(w.columns - c); n > 0)
                add(from + c, row + c, [n](T const* p) TAPELESS_CONFIG_INLINE { return simd::load_partial(p, n); });
        }
        for (int o = 0; o < O; ++o)
            for (int i = 0; i < m; ++i) to[o * to_row + t + i] += simd::reduce_add(sum[o][i]);
    }
}
/// The most rows of results that are computed without packing where there are many channels: packing would take as
/// long.
inline constexpr std::int64_t few_rows = 16;

/// to[n, m, window] = sum over channels and taps of a[m, k] from[n, channel, tap k], of one group of channels of all
/// items.
template <class T>
void window_product(T const* a, std::int64_t m, images<T const> const& from, std::int64_t first_channel,
                    std::int64_t channels, window_taps const& taps, images<T> const& to, std::int64_t first_result,
                    convolution_room<T> const& room) {
    using blocks = convolution_blocks<T>;
    std::int64_t const depth = channels * taps.count();
    bool const direct = (channels == 1 || m <= few_rows) && to.step[0] == 1;
    for (std::int64_t n = 0; n < from.items; ++n)
        each_block(to.extent, channels == 1 ? blocks::direct : blocks::windows, [&](window_block const& b) {
            auto const s = make_strip<T>(from, from.data + n * from.item + first_channel * from.channel, channels, taps,
                                         b, room.strip);
            T* const first = to.data + n * to.item + first_result * to.channel;
            if (direct) {
                constexpr int J = machine::vector_registers >= 32 ? 4 : 2;
                std::ptrdiff_t offset[static_cast<std::size_t>(blocks::deep)];
                std::int64_t done = 0, filled = 0;
                auto const multiply = [&] {
                    T const* const w = a + done;
                    T* const result = at_block(to, first, b);
                    std::int64_t o = 0;
                    for (; o + J <= m; o += J)
                        multiply_directly<J>(w + o * depth, depth, filled, offset, s, b, result + o * to.channel,
                                             to.channel, to.step[1], done > 0);
                    for (; o < m; ++o)
                        multiply_directly<1>(w + o * depth, depth, filled, offset, s, b, result + o * to.channel,
                                             to.channel, to.step[1], done > 0);
                    done += filled;
                    filled = 0;
                };
                for (std::int64_t c = 0; c < channels; ++c)
                    taps.each([&](int d, int h, int x) {
                        offset[filled++] = c * s.channel + s.tap(taps, d, h, x);
                        if (filled == blocks::deep) multiply();
                    });
                if (filled > 0) multiply();
            } else if (to.is_flat(b.rows, b.columns)) {
                multiply_windows(a, m, channels, taps, s, b, room, at_block(to, first, b), to.channel);
            } else {
                multiply_windows(a, m, channels, taps, s, b, room, room.result, b.count());
                for (std::int64_t o = 0; o < m; ++o)
                    each_element(to, first + o * to.channel, b,
                                 [&](std::int64_t i, T& v) { v = room.result[o * b.count() + i]; });
            }
        });
}

inline window_taps forward_taps(convolution_axis const* axis) {
    window_taps t;
    for (int k = 0; k < window_axes; ++k)
        t.axis[k] = {static_cast<int>(axis[k].size), axis[k].stride, -axis[k].before, axis[k].dilation};
    return t;
}
}  // namespace convolution_detail

/// y[n, o, p] = sum over c, k of x[n, c, p stride + k dilation - before] w[o, c, k]; channels are in groups.
template <class T, class Build = simd::batch<T>>
void correlate(images<T const> const& x, images<T const> const& w, images<T> const& y, convolution_axis const* axis,
               std::int64_t groups, convolution_room<T> const& room) {
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
        window_product<T>(room.weight, outputs, x, g * channels, channels, taps, y, g * outputs, room);
    }
}

/// x[n, c, i] = sum over o, k and windows p that have element i under tap k of y[n, o, p] w[o, c, k]. Elements that
/// have the same remainder by the stride are under the same taps: each class of them is a convolution of its own.
template <class T, class Build = simd::batch<T>>
void spread(images<T const> const& y, images<T const> const& w, images<T> const& x, convolution_axis const* axis,
            std::int64_t groups, convolution_room<T> const& room) {
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
                                             [](std::int64_t, T& v) { v = T(0); });
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
                    window_product<T>(room.weight, channels, y, g * outputs, outputs, taps, to, g * channels, room);
                }
            }
}

/// w[o, c, k] = sum over n, p of y[n, o, p] x[n, c, p stride + k dilation - before].
template <class T, class Build = simd::batch<T>>
void weigh(images<T const> const& y, images<T const> const& x, images<T> const& w, convolution_axis const* axis,
           std::int64_t groups, convolution_room<T> const& room) {
    using namespace convolution_detail;
    using blocks = convolution_blocks<T>;
    window_taps const taps = forward_taps(axis);
    std::int64_t const channels = w.channels, outputs = w.items / groups, depth = channels * taps.count();
    for (std::int64_t g = 0; g < groups; ++g) {
        for (std::int64_t i = 0; i < outputs * depth; ++i) room.weight[i] = T(0);
        bool const direct = channels == 1 && y.step[0] == 1;
        for (std::int64_t n = 0; n < x.items; ++n)
            each_block(y.extent, direct ? blocks::direct : blocks::windows, [&](window_block const& b) {
                auto const s =
                    make_strip<T>(x, x.data + n * x.item + g * channels * x.channel, channels, taps, b, room.strip);
                T const* const first = y.data + n * y.item + g * outputs * y.channel;
                std::ptrdiff_t offset[static_cast<std::size_t>(blocks::deep)];
                std::int64_t done = 0, filled = 0;
                product_operands<T> p;
                p.left = at_block(y, first, b);
                p.left_row = y.channel;
                if (!direct && !y.is_flat(b.rows, b.columns)) {
                    for (std::int64_t o = 0; o < outputs; ++o)
                        each_element(y, first + o * y.channel, b,
                                     [&](std::int64_t i, T const& v) { room.result[o * b.count() + i] = v; });
                    p.left = room.result;
                    p.left_row = b.count();
                }
                auto const multiply = [&] {
                    if (direct) {
                        std::int64_t o = 0;
                        for (; o + 2 <= outputs; o += 2)
                            gather_directly<2>(room.weight + o * depth + done, depth, filled, offset, s, b,
                                               at_block(y, first + o * y.channel, b), y.channel, y.step[1]);
                        for (; o < outputs; ++o)
                            gather_directly<1>(room.weight + o * depth + done, depth, filled, offset, s, b,
                                               at_block(y, first + o * y.channel, b), y.channel, y.step[1]);
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
        T const* from = room.weight;
        for (std::int64_t o = g * outputs; o < (g + 1) * outputs; ++o)
            for (std::int64_t c = 0; c < channels; ++c)
                taps.each([&](int d, int h, int v) {
                    w.data[o * w.item + c * w.channel + d * w.step[2] + h * w.step[1] + v * w.step[0]] = *from++;
                });
    }
}

}  // namespace tapeless::detail
