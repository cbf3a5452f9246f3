// SPDX-License-Identifier: MIT
#pragma once
// The largest of each two by two results of a loop, which are taken some rows at a time while they are in the first
// cache: the results themselves need not be kept.

#include <tapeless/kernels/windows.hpp>
#include <tapeless/kernels/write_back.hpp>
#include <tapeless/simd/pairs.hpp>

namespace tapeless::detail::inline kernels_part {

/// Some rows of results of one channel, two or more, and where the largest of pairs of them go.
template <class T>
struct rows_of_pairs {
    T const* from;
    std::ptrdiff_t from_row;
    std::int64_t rows, columns;  ///< of pairs
    T* to;
    std::ptrdiff_t to_row, to_step;
    write_back<T> end;  ///< what becomes of the largest, of this channel

    /// NaN above all.
    static T larger(T a, T b) { return a > b || a != a ? a : b; }
    static T largest(T const* above, T const* below) {
        return larger(larger(above[0], above[1]), larger(below[0], below[1]));
    }
};
/// A function, so that nothing of it is compiled for loops behind which there is no pooling.
template <class T, class Build = simd::batch<T>>
[[gnu::noinline]] void largest_of_rows(rows_of_pairs<T> const& p) {
    constexpr int L = simd::lanes<T>;
    write_back_row<T> const own(p.end, 0);
    for (std::int64_t r = 0; r < p.rows; ++r) {
        T const *const above = p.from + 2 * r * p.from_row, *const below = above + p.from_row;
        T* const to = p.to + r * p.to_row;
        if (p.columns < L || p.to_step != 1) {
            for (std::int64_t c = 0; c < p.columns; ++c)
                to[c * p.to_step] = p.end.of(p.largest(above + 2 * c, below + 2 * c));
            continue;
        }
        for (std::int64_t c = 0; c < p.columns; c += L) {
            if (c > p.columns - L) c = p.columns - L;  // some of those before once more
            T const *const a = above + 2 * c, *const b = below + 2 * c;
            simd::store(to + c, own.of(simd::larger_of_pairs(simd::maximum(simd::load(a), simd::load(b)),
                                                             simd::maximum(simd::load(a + L), simd::load(b + L)))));
        }
    }
}

/// The images that the largest of each two by two results are, for each of which there are two rows and columns.
template <class T>
struct pooled_images {
    images<T> to;
    write_back<T> end;  ///< what becomes of them, one number a channel
    void (*take)(rows_of_pairs<T> const&);
    /// Those of a block of windows whose results begin at `from`, for channels from `first` on.
    void of(T const* from, std::ptrdiff_t channel, std::ptrdiff_t row, window_block const& b, std::int64_t item,
            std::int64_t first, std::int64_t channels) const {
        for (std::int64_t o = 0; o < channels; ++o)
            take({from + o * channel, row, b.rows / 2, b.columns / 2,
                  to.data + item * to.item + (first + o) * to.channel + b.row / 2 * to.step[1] +
                      b.column / 2 * to.step[0],
                  to.step[1], to.step[0], end.from(first + o)});
    }
};

}  // namespace tapeless::detail::kernels_part
