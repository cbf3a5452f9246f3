// SPDX-License-Identifier: MIT
#pragma once
// Blocks of windows of an image: how they slide, how many are taken at a time, and how they are packed as an operand of
// a matrix product.

#include <numeric>

#include <tapeless/kernels/gemm.hpp>
#include <tapeless/kernels/pool_pairs.hpp>
#include <tapeless/kernels/windows.hpp>
#include <tapeless/kernels/write_back.hpp>

namespace tapeless::detail::inline kernels_part {

/// How windows slide along one axis (from the right); `before` zeros stand before the image.
struct convolution_axis {
    std::int64_t size = 1;
    int stride = 1, dilation = 1;
    std::int64_t before = 0;
    constexpr std::int64_t span() const { return (size - 1) * dilation + 1; }
};

/// Block sizes of convolutions of element type T.
template <class T>
struct convolution_blocks {
    static constexpr int U = product_blocks<T>::batches, J = product_blocks<T>::rows,
                         J_in_place = product_blocks<T>::rows_in_place();
    static constexpr int L = simd::lanes<T>;
    static constexpr std::int64_t deep = product_blocks<T>::depth, block = product_blocks<T>::block;
    /// packed at a time
    static constexpr std::int64_t windows = 768 / static_cast<std::int64_t>(sizeof(T)) / (U * L) * (U * L);
    static constexpr std::int64_t direct = 4096;  ///< of one channel, where nothing is packed
};

/// Where a convolution keeps what it packs.
template <class T>
struct convolution_room {
    using blocks = convolution_blocks<T>;
    T *strip = nullptr, *left = nullptr, *right = nullptr, *weight = nullptr, *result = nullptr;

    /// Elements that depend on nothing: packed operands.
    static constexpr std::int64_t fixed =
        (blocks::block + blocks::J) * blocks::deep + (blocks::windows + 4 * blocks::L) * blocks::deep + 256;
    /// Elements of a strip, for each channel of a group and each plane under a window.
    static constexpr std::int64_t of_channel(std::int64_t span_rows, std::int64_t span_columns, int step_rows,
                                             int step_columns, bool one) {
        return window_strip<T>::room(one ? blocks::direct : blocks::windows, span_rows, span_columns, step_rows,
                                     step_columns);
    }
    /// In memory of enough elements: `strips` of them for the strip, `weights` for a copy of the weights of a group.
    convolution_room(T* memory, std::int64_t strips, std::int64_t weights) {
        auto take = [&](std::int64_t n) {
            T* const p = memory;
            memory += n;
            return p;
        };
        left = take((blocks::block + blocks::J) * blocks::deep);
        right = take((blocks::windows + 4 * blocks::L) * blocks::deep);
        strip = take(strips + 2 * blocks::L);
        weight = take(weights + 2 * blocks::L);
        result = memory;  // as many rows as the product has, times the windows of a block
    }
};

namespace convolution_detail {

/// A run of windows in one row: `to` is its place among the columns of a panel, `from` its place in the strip.
struct window_run {
    int to, length;
    std::ptrdiff_t from;
};

/// The windows of a block as the right operand of a product, tap by tap, `offset` being where a tap is.
template <int U, class T, class Build = simd::batch<T>>
[[gnu::noinline]] void pack_windows(T* to, window_strip<T> const& s, window_block const& w,
                                    std::ptrdiff_t const* offset, std::int64_t k) {
    constexpr int L = simd::lanes<T>;
    std::int64_t const n = w.count();
    for (std::int64_t c = 0; c < n;) {
        int const batches = panel_batches((n - c + L - 1) / L, U), width = batches * L;
        window_run runs[static_cast<std::size_t>(U * L)];
        int count = 0, there = 0;
        for (std::int64_t i = c; i < n && there < width;) {
            std::int64_t const r = i / w.columns, j = i - r * w.columns, rest = w.columns - j;
            int const length = rest < width - there ? static_cast<int>(rest) : width - there;
            runs[count++] = {there, length, s.window(r) + j};
            there += length;
            i += length;
        }
        T* p = to + c * k;
        for (std::int64_t i = 0; i < k; ++i, p += width) {
            T const* const from = s.data + offset[i];
            for (int q = 0; q < count; ++q)  // past the end of a run, where the next one follows
                for (int l = 0; l < runs[q].length; l += L)
                    simd::store(p + runs[q].to + l, simd::load(from + runs[q].from + l));
            for (int l = there; l < width; ++l) p[l] = T(0);
        }
        c += width;
    }
}

/// The taps of the windows of a block as the right operand of a product, window by window: column c is the tap at
/// offset[c].
template <int U, class T, class Build = simd::batch<T>>
[[gnu::noinline]] void pack_taps(T* to, window_strip<T> const& s, window_block const& w, std::ptrdiff_t const* offset,
                                 std::int64_t n) {
    constexpr int L = simd::lanes<T>;
    std::int64_t const k = w.count();
    for (std::int64_t c = 0; c < n;) {
        int const batches = panel_batches((n - c + L - 1) / L, U), width = batches * L;
        T* const panel = to + c * k;
        for (int g = 0; g < width; g += L) {
            int const there = n - c - g < L ? static_cast<int>(n - c - g < 0 ? 0 : n - c - g) : L;
            T* p = panel + g;
            for (std::int64_t r = 0; r < w.rows; ++r) {
                T const* const from = s.data + s.window(r);
                std::int64_t j = 0;
                for (; j + L <= w.columns; j += L, p += L * width) {
                    simd::detail::vec<T> v[L];
                    for (int l = 0; l < L; ++l)
                        v[l] = l < there ? simd::detail::raw(simd::load(from + offset[c + g + l] + j))
                                         : simd::detail::vec<T>{};
                    pack_detail::transpose<T>(v);
                    for (int l = 0; l < L; ++l) simd::store(p + l * width, simd::detail::wrap<T>(v[l]));
                }
                for (; j < w.columns; ++j, p += width)
                    for (int l = 0; l < L; ++l) p[l] = l < there ? from[offset[c + g + l] + j] : T(0);
            }
        }
        c += width;
    }
}

/// All blocks of windows of an output of this extent, at most `most` windows at a time, that begin at rows and columns
/// which `by` divides: f(block).
template <class F>
void each_block(std::int64_t const* extent, std::int64_t most, int by, F const& f) {
    std::int64_t const widest = by == 1 ? most : most / by / by * by;
    std::int64_t const columns = extent[0] < widest ? extent[0] : widest;
    std::int64_t rows = columns == extent[0] && columns > 0 ? most / columns / by * by : by;
    if (rows > extent[1]) rows = extent[1];
    for (std::int64_t p = 0; p < extent[2]; ++p)
        for (std::int64_t r = 0; r < extent[1]; r += rows)
            for (std::int64_t c = 0; c < extent[0]; c += columns)
                f(window_block{p, r, c, extent[1] - r < rows ? extent[1] - r : rows,
                               extent[0] - c < columns ? extent[0] - c : columns});
}
template <class F>
void each_block(std::int64_t const* extent, std::int64_t most, F const& f) {
    each_block(extent, most, 1, f);
}

/// The element of one channel at the first window of a block.
template <class T>
T* at_block(images<T> const& y, T* channel, window_block const& w) {
    return channel + w.plane * y.step[2] + w.row * y.step[1] + w.column * y.step[0];
}
/// f(number, element) for the elements of one channel at the windows of a block.
template <class T, class F>
void each_element(images<T> const& y, T* channel, window_block const& w, F const& f) {
    T* const first = at_block(y, channel, w);
    std::int64_t i = 0;
    for (std::int64_t r = 0; r < w.rows; ++r)
        for (std::int64_t c = 0; c < w.columns; ++c) f(i++, first[r * y.step[1] + c * y.step[0]]);
}

}  // namespace convolution_detail
}  // namespace tapeless::detail::kernels_part
