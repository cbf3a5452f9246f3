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

/// The taps of all channels, row by row of the window: those of some of its rows follow each other.
struct taps_by_row {
    window_taps const& taps;
    std::int64_t channels;
    std::int64_t of_row() const { return channels * taps.axis[2].count * taps.axis[0].count; }
    /// f(number, channel, d, h, w) for those from `first` on, `some` of them.
    template <class F>
    void each(std::int64_t first, std::int64_t some, F const& f) const {
        int const planes = taps.axis[2].count, columns = taps.axis[0].count;
        std::int64_t rest = first % of_row();
        int h = static_cast<int>(first / of_row()), w = static_cast<int>(rest % columns);
        rest /= columns;
        int d = static_cast<int>(rest % planes);
        std::int64_t c = rest / planes;
        for (std::int64_t i = 0; i < some; ++i) {
            f(i, c, d, h, w);
            if (++w < columns) continue;
            w = 0;
            if (++d < planes) continue;
            d = 0;
            if (++c < channels) continue;
            c = 0;
            ++h;
        }
    }
};
/// Some taps in that order, and which of them are in the image for a row of windows: the others are 0 there.
struct rows_of_taps {
    axis_taps axis;
    std::int64_t row, extent;      ///< of the first windows, and the image's
    std::int64_t of_row, done, k;  ///< taps of a row; taps before these; these
    void within(std::int64_t r, std::int64_t& from, std::int64_t& to) const {
        std::int64_t const p = (row + r) * axis.step + axis.begin;
        auto const is_in = [&](int h) { return p + h * axis.by >= 0 && p + h * axis.by < extent; };
        int first = 0, last = axis.count;
        while (first < last && !is_in(first)) ++first;
        while (last > first && !is_in(last - 1)) --last;
        from = first * of_row - done;
        to = last * of_row - done;
        from = from < 0 ? 0 : from < k ? from : k;
        to = to < from ? from : to < k ? to : k;
    }
};
/// J rows of a side by side, in that order: to[k][j].
template <int J, class T>
void pack_rows(T const* a, std::ptrdiff_t a_row, taps_by_row const& order, std::int64_t first, std::int64_t k, T* to) {
    window_taps const& taps = order.taps;
    order.each(first, k, [&](std::int64_t, std::int64_t c, int d, int h, int w) {
        T const* const p =
            a + ((c * taps.axis[2].count + d) * taps.axis[1].count + h) * taps.axis[0].count + w;
        for (int j = 0; j < J; ++j) *to++ = p[j * a_row];
    });
}
/// J rows of results by U batches of windows of one row, from where the taps of the first window are; `last` lanes of
/// the last batch are stored. Rows of a are side by side, of results `to_row` apart; `add`: to what is there.
template <int J, int U, class T>
TAPELESS_CONFIG_INLINE inline void multiply_tile(T const* a, std::int64_t k, std::ptrdiff_t const* offset,
                                                 T const* from, T* to, std::ptrdiff_t to_row, int last, bool add) {
    constexpr int L = simd::lanes<T>;
    using vec = simd::detail::vec<T>;
    vec sum[static_cast<std::size_t>(J)][static_cast<std::size_t>(U)];
    detail::repeat<J * U>([&](int i) TAPELESS_CONFIG_INLINE {
        T const* const p = to + i / U * to_row + i % U * L;
        if (!add) sum[i / U][i % U] = vec{};
        else
            sum[i / U][i % U] =
                simd::detail::raw(i % U < U - 1 || last == L ? simd::load(p) : simd::load_partial(p, last));
    });
#pragma GCC unroll 2
    for (std::int64_t t = 0; t < k; ++t, a += J) {
        vec x[static_cast<std::size_t>(U)];
        T const* const p = from + offset[t];
        detail::repeat<U>([&](int u) TAPELESS_CONFIG_INLINE { x[u] = tile_detail::load_vec<T>(p + u * L); });
        if constexpr (machine::by_lane && J % L == 0) {
            unroll<J / L>([&](auto v) TAPELESS_CONFIG_INLINE {
                vec const y = tile_detail::load_vec<T>(a + v.i * L);
                unroll<L>([&](auto l) TAPELESS_CONFIG_INLINE {
                    detail::repeat<U>([&](int u) TAPELESS_CONFIG_INLINE {
                        tile_detail::add_lane<false, l.i, T>(sum[v.i * L + l.i][u], y, x[u]);
                    });
                });
            });
        } else {
            tile_detail::step_numbers<false, T>(sum, a, 1, x);
        }
    }
    detail::repeat<J * U>([&](int i) TAPELESS_CONFIG_INLINE {
        T* const p = to + i / U * to_row + i % U * L;
        simd::batch<T> const v = simd::detail::wrap<T>(sum[i / U][i % U]);
        if (i % U < U - 1 || last == L) simd::store(p, v);
        else simd::store_partial(p, v, last);
    });
}
/// J rows of results for all windows of a block, which are not packed.
template <int J, class T, class Build = simd::batch<T>>
[[gnu::noinline]] void multiply_directly(T const* a, rows_of_taps const& taps, std::ptrdiff_t const* offset,
                                         window_strip<T> const& s, window_block const& w, T* to,
                                         std::ptrdiff_t to_channel, std::ptrdiff_t to_row, bool add) {
    constexpr int L = simd::lanes<T>, most = J == 1 ? 8 : 4;
    // the batches of a row in tiles of about the same size
    std::int64_t const batches = (w.columns + L - 1) / L, tiles = (batches + most - 1) / most;
    for (std::int64_t r = 0; r < w.rows; ++r) {
        std::int64_t first = 0, last_tap = 0;
        taps.within(r, first, last_tap);
        for (std::int64_t i = 0, c = 0; i < tiles; ++i) {
            std::int64_t const end = batches * (i + 1) / tiles * L;
            int const last = end <= w.columns ? L : static_cast<int>(w.columns - end + L);
            T const* const from = s.data + s.window(r) + c;
            T* const at = to + r * to_row + c;
            unroll<most>([&](auto u) TAPELESS_CONFIG_INLINE {
                if (end - c == (u.i + 1) * L)
                    multiply_tile<J, u.i + 1>(a + first * J, last_tap - first, offset + first, from, at, to_channel,
                                              last, add);
            });
            c = end;
        }
    }
}

/// to[o] += the sum of the lanes of sum[o][I].
template <int I, class T, int O, int N>
TAPELESS_CONFIG_INLINE inline void add_sums(T* to, simd::batch<T> const (&sum)[O][N]) {
    constexpr int L = simd::lanes<T>;
    if constexpr (O % L == 0) {
        unroll<O / L>([&](auto g) TAPELESS_CONFIG_INLINE {
            simd::detail::vec<T> v[static_cast<std::size_t>(simd::lanes<T>)];
            detail::repeat<L>([&](int l) TAPELESS_CONFIG_INLINE { v[l] = simd::detail::raw(sum[g.i * L + l][I]); });
            pack_detail::transpose<T>(v);
            detail::repeat<L - 1>([&](int l) TAPELESS_CONFIG_INLINE { v[0] += v[l + 1]; });
            T* const p = to + g.i * L;
            simd::store(p, simd::add(simd::load(static_cast<T const*>(p)), simd::detail::wrap<T>(v[0])));
        });
    } else {
        detail::repeat<O>([&](int o) TAPELESS_CONFIG_INLINE { to[o] += simd::reduce_add(sum[o][I]); });
    }
}
/// to[k][o] += sum over windows of g[o](window) strip(tap k), of O rows of numbers; `padded`: g's rows end with zeros,
/// in whole batches.
template <int O, class T, class Build = simd::batch<T>>
[[gnu::noinline]] void gather_directly(T* to, std::int64_t k, std::ptrdiff_t const* offset, window_strip<T> const& s,
                                       window_block const& w, T const* g, std::ptrdiff_t g_channel,
                                       std::ptrdiff_t g_row, bool padded) {
    constexpr int L = simd::lanes<T>, some = 5;
    using batch = simd::batch<T>;
    int const rest = static_cast<int>(w.columns % L);
    T lane[static_cast<std::size_t>(L)];
    for (int l = 0; l < L; ++l) lane[l] = static_cast<T>(l);
    auto const there = simd::load(static_cast<T const*>(lane)) < batch(static_cast<T>(rest));
    std::int64_t const whole = w.columns - rest;
    for (std::int64_t t = 0; t < k; t += some) {
        int const m = k - t < some ? static_cast<int>(k - t) : some;
        std::ptrdiff_t at[static_cast<std::size_t>(some)];
        for (int i = 0; i < some; ++i) at[i] = offset[t + (i < m ? i : 0)];
        batch sum[static_cast<std::size_t>(O)][static_cast<std::size_t>(some)];
        detail::repeat<O * some>([&](int i) TAPELESS_CONFIG_INLINE { sum[i / some][i % some] = batch(T(0)); });
        auto const add = [&](T const* from, batch const(&y)[O], auto const& within) TAPELESS_CONFIG_INLINE {
            detail::repeat<some>([&](int i) TAPELESS_CONFIG_INLINE {
                batch const x = within(simd::load(from + at[i]));
                detail::repeat<O>([&](int o) TAPELESS_CONFIG_INLINE { sum[o][i] = simd::fma(y[o], x, sum[o][i]); });
            });
        };
        // one loop over all whole batches, and one over what is left of each row: rows may be short
        std::ptrdiff_t const down = s.window(1);
        T const *from = s.data, *row = g;
        for (std::int64_t i = whole / L * w.rows, c = 0; i > 0; --i) {
            batch y[static_cast<std::size_t>(O)];
            detail::repeat<O>([&](int o) TAPELESS_CONFIG_INLINE { y[o] = simd::load(row + o * g_channel); });
            add(from, y, [](batch x) TAPELESS_CONFIG_INLINE { return x; });
            c += L;
            bool const ends = c == whole;
            from += ends ? down - whole + L : L;
            row += ends ? g_row - whole + L : L;
            c = ends ? 0 : c;
        }
        for (std::int64_t r = 0; r < w.rows && rest > 0; ++r) {
            // lanes past the end are zero on one side, so they must be numbers on the other
            batch y[static_cast<std::size_t>(O)];
            detail::repeat<O>([&](int o) TAPELESS_CONFIG_INLINE {
                T const* const p = g + r * g_row + o * g_channel + whole;
                y[o] = padded ? simd::load(p) : simd::load_partial(p, rest);
            });
            add(s.data + r * down + whole, y,
                [&](batch x) TAPELESS_CONFIG_INLINE { return simd::select(there, x, batch(T(0))); });
        }
        // written out, or the sums would be in memory all the time
        unroll<some>([&](auto i) TAPELESS_CONFIG_INLINE {
            if (i.i < m) add_sums<i.i>(to + (t + i.i) * O, sum);
        });
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
    for (std::int64_t n = 0; n < from.items; ++n)
        each_block(to.extent, channels == 1 ? blocks::direct : blocks::windows, [&](window_block const& b) {
            auto const s = make_strip<T>(from, from.data + n * from.item + first_channel * from.channel, channels, taps,
                                         b, room.strip);
            T* const first = to.data + n * to.item + first_result * to.channel;
            if (direct) {
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
                        T* const result = at_block(to, first, b) + o * to.channel;
                        if (o + J <= m)
                            multiply_directly<J, T>(rows, some, offset, s, b, result, to.channel, to.step[1], done > 0);
                        else
                            multiply_directly<1, T>(rows, some, offset, s, b, result, to.channel, to.step[1], done > 0);
                    });
                }
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
        bool const direct = (channels == 1 || outputs <= few_rows) && y.step[0] == 1;
        constexpr int O = machine::vector_registers >= 32 ? 4 : 2;  // results for so many outputs are side by side
        for (std::int64_t n = 0; n < x.items; ++n)
            each_block(y.extent, channels == 1 ? blocks::direct : blocks::windows, [&](window_block const& b) {
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

}  // namespace tapeless::detail
