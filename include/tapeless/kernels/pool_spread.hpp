// SPDX-License-Identifier: MIT
#pragma once
// The transpose of max pooling: what stands at windows goes to the largest element under each, which is found again.

#include <tapeless/kernels/pool.hpp>

namespace tapeless::detail::inline kernels_part {

/// Each of n numbers to the largest of its two by two elements of two rows of `width`, zeros elsewhere. `largest` is
/// NaN afterwards where one of the elements is: then what was written is not what is wanted.
template <class T, class Build = simd::batch<T>>
[[gnu::noinline]] simd::batch<T> spread_to_pairs(T const* from, T const* above, T const* below, std::int64_t n,
                                                 T* to_above, T* to_below, std::int64_t width, simd::batch<T> largest) {
    using namespace pool_detail;
    using batch = simd::batch<T>;
    constexpr int L = simd::lanes<T>;
    constexpr auto each_lane = std::make_index_sequence<static_cast<std::size_t>(L)>{};
    using bits = simd::detail::ivec<T>;
    auto const leave = [&](T* p, bits even, bits odd) TAPELESS_CONFIG_INLINE {
        bits const first = in_turn<0>(even, odd, each_lane), other = in_turn<L / 2>(even, odd, each_lane);
        __builtin_memcpy(p, &first, sizeof first);
        __builtin_memcpy(p + L, &other, sizeof other);
    };
    batch also = largest;
    each_batch_of<T>(n, [&](std::int64_t i) TAPELESS_CONFIG_INLINE {
        batch a, b, c, d;
        load_in_turn(above + 2 * i, a, b);
        load_in_turn(below + 2 * i, c, d);
        bits const g = std::bit_cast<bits>(simd::detail::raw(simd::load(from + i)));
        batch const up_here = simd::maximum(a, b), down_here = simd::maximum(c, d);
        largest = simd::maximum(largest, up_here);
        also = simd::maximum(also, down_here);
        bits const second = simd::detail::raw(b > a), fourth = simd::detail::raw(d > c),
                   lower = simd::detail::raw(down_here > up_here);
        bits const up = g & ~lower, down = g & lower;
        leave(to_above + 2 * i, up & ~second, up & second);
        leave(to_below + 2 * i, down & ~fourth, down & fourth);
    });
    for (std::int64_t i = 2 * n; i < width; ++i) to_above[i] = to_below[i] = T(0);
    return simd::maximum(largest, also);
}

/// Windows of few rows and columns, some columns of an image at a time: what is at windows goes to the row of the
/// largest element of each, and in the row to the first of its elements that is as large.
template <class Known, class T>
struct largest_of_few {
    using K = typename Known::columns;
    using batch = simd::batch<T>;
    using vec = simd::detail::vec<T>;
    using bits = simd::detail::ivec<T>;
    static constexpr int L = simd::lanes<T>, S = K::stride, ring = 4;
    static constexpr bool by_rows = Known::rows == 1;  ///< nothing is kept, so rows may be of any length
    static constexpr std::int64_t some = by_rows ? std::int64_t{1} << 40 : 256;
    static constexpr auto room = static_cast<std::size_t>(by_rows ? 1 : some + 8 + 3 * L);
    static constexpr int overlap = Known::rows > Known::stride ? Known::rows - Known::stride : 0;
    static constexpr T low = -std::numeric_limits<T>::infinity();

    pool_axis const& rows;
    pool_axis columns;                                ///< of the part of the image that is looked at
    std::int64_t write;                               ///< so many of its columns are written
    std::int64_t begin;                               ///< the first window
    batch least{std::numeric_limits<T>::infinity()};  ///< of what is the largest under windows; NaN if one of them is
    T best[ring][room];                               ///< under each window, of one row
    T given[ring][room];                              ///< what comes to that row

    TAPELESS_CONFIG_INLINE static bits as_bits(batch v) { return std::bit_cast<bits>(simd::detail::raw(v)); }

    /// Windows first ... last - 1 have their columns, and some windows before and behind them.
    largest_of_few(pool_axis const* a, std::int64_t first, std::int64_t last) : rows(a[1]), columns(a[0]) {
        std::int64_t const from = first < 3 ? 0 : first - 3, to = last < a[0].out ? last + 1 : last;
        std::int64_t const under = (to - 1) * S - a[0].before + K::size;
        columns.out = to - from;
        columns.in = (last == a[0].out || under > a[0].in ? a[0].in : under) - from * S;
        write = last == a[0].out ? columns.in : (last - from) * S;
        begin = from;
    }
    /// What the largest elements under n windows are is not yet known to be sound.
    TAPELESS_CONFIG_INLINE static batch lesser(batch least, batch y, int n) {
        batch const smaller = simd::minimum(least, y);
        return n == L ? smaller : simd::select(simd::first_lanes<T>(n), smaller, least);
    }
    /// The parts of `left` that go to the first of N that is y.
    template <int N>
    struct parts {
        vec of[static_cast<std::size_t>(N)]{};
        parts() = default;
        TAPELESS_CONFIG_INLINE parts(bits left, batch const* v, batch y) {
#pragma GCC unroll 4
            for (int k = 0; k + 1 < N; ++k) {
                bits const here = simd::detail::raw(v[k] == y);
                of[k] = std::bit_cast<vec>(bits(left & here));
                left = left & ~here;
            }
            of[N - 1] = std::bit_cast<vec>(left);
        }
        TAPELESS_CONFIG_INLINE batch operator[](int k) const { return simd::detail::wrap<T>(of[k]); }
    };
    /// What comes to a stretch of columns, S registers long, from the taps of windows at three batches of them.
    struct summed {
        vec of[static_cast<std::size_t>(S)];
        template <int P, int Tap = 0, bool First = true>
        TAPELESS_CONFIG_INLINE void add_taps(parts<K::size> const& before, parts<K::size> const& here,
                                             parts<K::size> const& after) {
            if constexpr (Tap == K::size) {
                if constexpr (First) of[P] = vec{};
            } else if constexpr (K::phase(Tap) == P) {
                // tap k of window i is column i + steps(k) of those of its remainder
                vec const u = pool_detail::shifted<-K::steps(Tap)>(before.of[Tap], here.of[Tap], after.of[Tap],
                                                                   simd::detail::every_lane<T>);
                of[P] = First ? u : of[P] + u;
                add_taps<P, Tap + 1, false>(before, here, after);
            } else {
                add_taps<P, Tap + 1, First>(before, here, after);
            }
        }
        TAPELESS_CONFIG_INLINE summed(parts<K::size> const& before, parts<K::size> const& here,
                                      parts<K::size> const& after) {
            add_taps<0>(before, here, after);
            if constexpr (S > 1) add_taps<1>(before, here, after);
            if constexpr (S > 2) add_taps<2>(before, here, after);
            simd::detail::join_by_remainder<S>(of, simd::detail::every_lane<T>);
        }
        TAPELESS_CONFIG_INLINE batch operator[](int p) const { return simd::detail::wrap<T>(of[p]); }
    };

    [[gnu::noinline]] void look_at(T const* row, std::int64_t j) {
        T *const to = best[j % ring], *const zeros = given[j % ring];
        pool_detail::stream_taps<K, 1, T>(
            columns, low,
            [&](std::int64_t i, int n, batch* v)
                TAPELESS_CONFIG_INLINE { v[0] = pool_detail::load_between(row + i, n, low); },
            [&](std::int64_t i, pool_detail::stretches<T, K> const* s, int) TAPELESS_CONFIG_INLINE {
                simd::store(to + i, s[0].combined(pool_detail::larger_of{}));
                simd::store(zeros + i, batch(T(0)));
            });
    }
    /// From a row of windows to the rows j ... j + N - 1 under it, which were looked at.
    template <int N>
    [[gnu::noinline]] void give(T const* from, std::int64_t j) {
        T const* b[static_cast<std::size_t>(N)];
        T* to[static_cast<std::size_t>(N)];
        for (int r = 0; r < N; ++r) b[r] = best[(j + r) % ring], to[r] = given[(j + r) % ring];
        for (std::int64_t i = 0; i < columns.out; i += L) {
            int const n = columns.out - i < L ? static_cast<int>(columns.out - i) : L;
            batch v[static_cast<std::size_t>(N)];
#pragma GCC unroll 4
            for (int r = 0; r < N; ++r) v[r] = simd::load(b[r] + i);
            batch y = v[0];
#pragma GCC unroll 4
            for (int r = 1; r < N; ++r) y = simd::maximum(y, v[r]);
            least = lesser(least, y, n);
            parts<N> const part(as_bits(pool_detail::load_some(from + i, n)), v, y);
#pragma GCC unroll 4
            for (int r = 0; r < N; ++r)
                simd::store(to[r] + i, simd::add(simd::load(static_cast<T const*>(to[r] + i)), part[r]));
        }
    }
    /// The same where all the rows are in the image and all but the first ones are new: `image` is row j.
    [[gnu::noinline]] void take(T const* from, T const* image, std::ptrdiff_t step, std::int64_t j) {
        constexpr int N = Known::rows, New = N - overlap;
        T* b[static_cast<std::size_t>(N)];
        T* to[static_cast<std::size_t>(N)];
        T const* row[static_cast<std::size_t>(New)];
#pragma GCC unroll 4
        for (int r = 0; r < N; ++r) b[r] = best[(j + r) % ring], to[r] = given[(j + r) % ring];
#pragma GCC unroll 4
        for (int r = 0; r < New; ++r) row[r] = image + (overlap + r) * step;
        batch smallest = least;
        pool_detail::stream_taps<K, New, T>(
            columns, low,
            [&](std::int64_t i, int n, batch* v) TAPELESS_CONFIG_INLINE {
#pragma GCC unroll 4
                for (int r = 0; r < New; ++r) v[r] = pool_detail::load_between(row[r] + i, n, low);
            },
            [&](std::int64_t i, pool_detail::stretches<T, K> const* s, int n) TAPELESS_CONFIG_INLINE {
                batch v[static_cast<std::size_t>(N)];
#pragma GCC unroll 4
                for (int r = 0; r < N; ++r) {
                    if (r < overlap) {
                        v[r] = simd::load(static_cast<T const*>(b[r] + i));
                    } else {
                        v[r] = s[r < overlap ? 0 : r - overlap].combined(pool_detail::larger_of{});
                        simd::store(b[r] + i, v[r]);
                    }
                }
                batch y = v[0];
#pragma GCC unroll 4
                for (int r = 1; r < N; ++r) y = simd::maximum(y, v[r]);
                smallest = lesser(smallest, y, n);
                parts<N> const own(as_bits(pool_detail::load_some(from + i, n)), v, y);
#pragma GCC unroll 4
                for (int r = 0; r < N; ++r) {
                    T* const p = to[r] + i;
                    batch part = own[r];
                    if (r < overlap) part = simd::add(simd::load(static_cast<T const*>(p)), part);
                    simd::store(p, part);
                }
            });
        least = smallest;
    }
    /// From a row to its elements: what is g at windows under which the largest of the row is b. Where windows are one
    /// row, that is found here.
    [[gnu::noinline]] void write_row(T const* row, [[maybe_unused]] T const* b, T const* g, T* to) {
        using taps = parts<K::size>;
        taps before, here;
        batch smallest = least;
        pool_detail::stream_taps<K, 1, T>(
            columns, low,
            [&](std::int64_t i, int n, batch* v)
                TAPELESS_CONFIG_INLINE { v[0] = pool_detail::load_between(row + i, n, low); },
            [&](std::int64_t i, pool_detail::stretches<T, K> const* s, int n) TAPELESS_CONFIG_INLINE {
                batch largest;
                if constexpr (by_rows) {
                    largest = s[0].combined(pool_detail::larger_of{});
                    smallest = lesser(smallest, largest, n);
                } else {
                    largest = simd::load(b + i);
                }
                taps const after(as_bits(by_rows ? pool_detail::load_some(g + i, n) : simd::load(g + i)),
                                 s[0].each().at, largest);
                if (i > 0) {
                    summed const v(before, here, after);
#pragma GCC unroll 4
                    for (int p = 0; p < S; ++p) simd::store(to + (i - L) * S + p * L, v[p]);
                }
                before = here;
                here = after;
            });
        least = smallest;
        // windows reach `uncovered` - 1; there is room for no more
        std::int64_t const reach = (columns.out - 1) * S - K::before + K::size,
                           uncovered = reach < write ? reach : write;
        std::int64_t c = (columns.out - 1) / L * L * S;
        for (; c < uncovered; c += S * L) {
            summed const v(before, here, taps{});
#pragma GCC unroll 4
            for (int p = 0; p < S; ++p) {
                std::int64_t const left = uncovered - (c + p * L);
                if (left > 0) pool_detail::store_some(to + c + p * L, 1, v[p], left < L ? static_cast<int>(left) : L);
            }
            before = here;
            here = taps{};
        }
        for (c = uncovered; c < write; ++c) to[c] = T(0);
    }
    /// One image. Whether that was all: else there is NaN or nothing above what is around the image, under some window.
    bool run(T const* from, std::ptrdiff_t from_row, T const* image, std::ptrdiff_t row, T* to, std::ptrdiff_t to_row) {
        from += begin, image += begin * S, to += begin * S;
        std::int64_t seen = 0, written = 0;
        for (std::int64_t h = 0; h < rows.out; ++h) {
            std::int64_t const h0 = rows.begin(h), h1 = rows.end(h);
            T const* const g = from + h * from_row;
            seen = seen < h0 ? h0 : seen;
            if constexpr (!by_rows) {
                if (h1 - h0 == Known::rows && seen - h0 == overlap) {
                    take(g, image + h0 * row, row, h0);
                } else {
                    for (; seen < h1; ++seen) look_at(image + seen * row, seen);
                    if (h1 - h0 == 1) give<1>(g, h0);
                    else if (h1 - h0 == 2) give<2>(g, h0);
                    else give<3>(g, h0);
                }
            }
            seen = h1;
            std::int64_t const next = h + 1 < rows.out ? rows.begin(h + 1) : rows.in;
            for (; written < next; ++written)
                if (written >= h0 && written < h1)
                    write_row(image + written * row, by_rows ? nullptr : best[written % ring],
                              by_rows ? g : given[written % ring], to + written * to_row);
                else
                    for (std::int64_t i = 0; i < write; ++i) to[written * to_row + i] = T(0);
        }
        return !simd::any(!(least > batch(low)));
    }
};

/// to(pixel) = the sum of y(window) over the windows under which x(pixel) is the largest element, the first of several,
/// NaN above all.
template <class T, class Known = any_windows, class Build = simd::batch<T>>
void spread_to_largest(images<T const> const& y, images<T const> const& x, images<T> const& to, pool_axis const* a) {
    bool const beside = x.step[0] == 1 && y.step[0] == 1 && to.step[0] == 1, pairs = are_pairs(a) && beside;
    for (std::int64_t n = 0; n < x.items; ++n)
        for (std::int64_t c = 0; c < x.channels; ++c) {
            T const *const image = x.data + n * x.item + c * x.channel, *const from =
                                                                            y.data + n * y.item + c * y.channel;
            T* const to_image = to.data + n * to.item + c * to.channel;
            if (pairs) {
                simd::batch<T> largest(T(0));
                for (std::int64_t h = 0; h < a[1].out; ++h) {
                    T const* const above = image + 2 * h * x.step[1];
                    T* const row = to_image + 2 * h * to.step[1];
                    largest = spread_to_pairs<T>(from + h * y.step[1], above, above + x.step[1], a[0].out, row,
                                                 row + to.step[1], a[0].in, largest);
                }
                for (std::int64_t h = 2 * a[1].out; h < a[1].in; ++h)
                    for (std::int64_t i = 0; i < a[0].in; ++i) to_image[h * to.step[1] + i] = T(0);
                if (!simd::any(largest != largest)) continue;
            }
            if constexpr (Known::are_few)
                if (beside && !pairs && a[1].dilation == 1 && a[2].out == 1 && a[2].size == 1) {
                    bool all = true;
                    using few = largest_of_few<Known, T>;
                    // from right to left: the columns of windows before the first are written once more
                    for (std::int64_t w = (a[0].out - 1) / few::some * few::some; all && w >= 0; w -= few::some) {
                        few part(a, w, a[0].out - w > few::some ? w + few::some : a[0].out);
                        all = part.run(from, y.step[1], image, x.step[1], to_image, to.step[1]);
                    }
                    if (all) continue;
                }
            each_pixel(to, to_image, [](T& v) { v = T(0); });
            each_window(a, [&](std::int64_t d, std::int64_t h, std::int64_t w) {
                largest_element<T> const l = largest_under(x, image, a, d, h, w);
                to_image[l.plane * to.step[2] + l.row * to.step[1] + l.column * to.step[0]] +=
                    from[d * y.step[2] + h * y.step[1] + w * y.step[0]];
            });
        }
}

}  // namespace tapeless::detail::kernels_part
