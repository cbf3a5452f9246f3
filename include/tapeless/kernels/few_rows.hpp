// SPDX-License-Identifier: MIT
#pragma once
// Products of few rows: both operands are read where they are, since a matrix that is read once or twice is not worth
// packing, and tiles have as many rows as there are.

#include <tapeless/kernels/gemm.hpp>

namespace tapeless::detail::inline kernels_part {

/// Whether a product has few rows, of a right operand whose rows or columns lie in one piece; `room`: there is some to
/// pack the left operand. Of few columns it may have more, but for dot products that are short.
template <class T>
constexpr bool is_few_rows(product_operands<T> const& x, std::int64_t rows, bool room) {
    constexpr std::int64_t L = simd::lanes<T>;
    bool const adds_up = x.right_column == 1;
    if (!adds_up && x.right_k != 1) return false;
    if (rows > machine::few_rows_in_place)
        if (rows > machine::few_rows_of_narrow || x.columns > machine::narrow_batches * L ||
            (!adds_up && x.depth < machine::long_dot * L))
            return false;
    return x.left_k == 1 || (room && x.depth <= product_blocks<T>::depth);
}

/// Rows and columns of the product at hand, of operands at their first element.
template <bool InPlace, class T, class Build = simd::batch<T>>
struct rows_at_hand {
    static constexpr int L = simd::lanes<T>;
    template <int J, int U>
    using tile = simd::batch<T>[static_cast<std::size_t>(J)][static_cast<std::size_t>(U)];
    T const* left;
    T const* right;
    T* to;
    std::ptrdiff_t left_row, right_k, right_column, to_row;
    std::int64_t columns, depth;

    /// The columns of J rows, in tiles of U batches: up to the last whole one, or all, where the last tile computes
    /// some columns again. What comes next.
    template <int J, int U>
    [[gnu::noinline]] std::int64_t by_batches(std::int64_t row, std::int64_t from, bool all) const {
        T const* const a = left + row * left_row;
        T* const c = to + row * to_row;
        std::int64_t i = from;
        for (; i < columns; i += U * L) {
            tile<J, U> acc;
            if (columns - i < U * L) {
                if (!all) break;
                i = columns - U * L;
            }
            multiply_tile<left_form::rows, k_loop::plain>(acc, a, left_row, 1, right + i, right_k, depth);
            repeat<J>([&](int j) TAPELESS_CONFIG_INLINE {
                repeat<U>([&](int u) TAPELESS_CONFIG_INLINE { simd::store(c + j * to_row + i + u * L, acc[j][u]); });
            });
        }
        return i;
    }
    /// The columns of J rows, of which there are too few for a tile: the same sums.
    template <int J>
    [[gnu::noinline]] void by_edges(std::int64_t row, std::int64_t from) const {
        for (std::int64_t i = from; i < columns; i += L) {
            tile<J, 1> acc;
            int const n = static_cast<int>(columns - i < L ? columns - i : L);
            multiply_tile_edge<left_form::rows, k_loop::plain>(acc, left + row * left_row, left_row, 1, right + i,
                                                               right_k, depth, n);
            repeat<J>([&](int j)
                          TAPELESS_CONFIG_INLINE { simd::store_partial(to + (row + j) * to_row + i, acc[j][0], n); });
        }
    }
    /// J rows by C columns whose elements lie in one piece, a batch of each at a time.
    template <int J, int C>
    TAPELESS_CONFIG_INLINE void dots(std::int64_t row, std::int64_t column) const {
        T const* const a = left + row * left_row;
        T const* const b = right + column * right_column;
        tile<J, C> all;
        repeat<J * C>([&](int i) TAPELESS_CONFIG_INLINE { all[i / C][i % C] = simd::batch<T>(T(0)); });
        std::int64_t k = 0;
        std::int64_t const whole = depth / L * L;
        while (k < whole) {
            tile<J, C> some;
            repeat<J * C>([&](int i) TAPELESS_CONFIG_INLINE { some[i / C][i % C] = simd::batch<T>(T(0)); });
            for (std::int64_t const end = whole - k < chain * L ? whole : k + chain * L; k < end; k += L)
                add_products<J, C>(some, [&](T const* p) TAPELESS_CONFIG_INLINE { return simd::load(p + k); }, a, b);
            repeat<J * C>([&](int i)
                              TAPELESS_CONFIG_INLINE { all[i / C][i % C] = all[i / C][i % C] + some[i / C][i % C]; });
        }
        if (int const n = static_cast<int>(depth - whole); n > 0)  // what is left of k
            add_products<J, C>(all, [&](T const* p) TAPELESS_CONFIG_INLINE { return simd::load_partial(p + whole, n); },
                               a, b);
        constexpr int N = C % simd::sums_at_once<T> == 0 ? simd::sums_at_once<T> : 1;
        repeat<J * C / N>([&](int i) TAPELESS_CONFIG_INLINE {
            int const j = i * N / C, c = i * N % C;
            T* const sums = to + (row + j) * to_row + column + c;
            if constexpr (N > 1) simd::reduce_add_each(&all[j][c], sums);
            else *sums = simd::reduce_add(all[j][c]);
        });
    }
    /// A batch of each row and column, as `load` has it.
    template <int J, int C, class Load>
    TAPELESS_CONFIG_INLINE void add_products(tile<J, C>& sums, Load const& load, T const* a, T const* b) const {
        simd::batch<T> x[static_cast<std::size_t>(J)];
        repeat<J>([&](int j) TAPELESS_CONFIG_INLINE { x[j] = load(a + j * left_row); });
        repeat<C>([&](int c) TAPELESS_CONFIG_INLINE {
            simd::batch<T> const y = load(b + c * right_column);
            repeat<J>([&](int j) TAPELESS_CONFIG_INLINE { sums[j][c] = simd::fma(x[j], y, sums[j][c]); });
        });
    }
    /// The columns of J rows, C at a time.
    template <int J, int C>
    [[gnu::noinline]] void by_dots(std::int64_t row, std::int64_t from) const {
        for (std::int64_t i = from; i < columns; i += C) {
            if (columns - i < C) i = columns - C;
            dots<J, C>(row, i);
        }
    }
    /// J rows: by batches where rows of the right operand lie in one piece (InPlace), by dot products where columns do.
    template <int J>
    void some_rows(std::int64_t row, std::int64_t from) const {
        constexpr int few = machine::few_batches, many = machine::few_dots;
        constexpr int U = J == 1 ? few : product_blocks<T>::batches, C = J == 1 ? many : many / 2;
        std::int64_t const n = columns - from;
        if constexpr (InPlace) {
            if constexpr (J == 1)
                if (n >= 2 * U * L) from = by_batches<J, 2 * U>(row, from, n % (2 * U * L) > U * L);
            if (n >= U * L) return void(by_batches<J, U>(row, from, true));
        } else if (n >= C) return by_dots<J, C>(row, from);
        // a piece that is narrow
        if constexpr (InPlace) by_edges<J>(row, from);
        else by_dots<J, 1>(row, from);
    }
};

/// Rows first ... first + some - 1 of a product of few rows, of operands for which is_few_rows.
template <bool InPlace, class T, class Build = simd::batch<T>>
[[gnu::noinline]] void multiply_few_rows(product_operands<T> const& p, std::int64_t first, std::int64_t some,
                                         product_target<T> const& t) {
    constexpr int L = simd::lanes<T>;
    constexpr std::int64_t wide = machine::few_rows_columns * L;
    rows_at_hand<InPlace, T, Build> x{
        p.left + first * p.left_row, p.right, t.to, p.left_row, p.right_k, p.right_column, t.row, 0, p.depth};
    if (p.left_k != 1) {
        for (std::int64_t j = 0; j < some; ++j)
            for (std::int64_t k = 0; k < p.depth; ++k)
                p.packed_left[j * p.depth + k] = x.left[j * p.left_row + k * p.left_k];
        x.left = p.packed_left;
        x.left_row = p.depth;
    }
    std::int64_t const columns = p.columns - p.after;
    for (std::int64_t c = p.before; c < columns;) {  // what is read of the right operand is there for all rows
        x.columns = columns - c < 2 * wide ? columns : c + wide;
        for (std::int64_t i = 0; i < some;) {
            std::int64_t const left = some - i;
            int const rows = left == 3 || left == 6 ? 3 : left > 3 ? 4 : 1;
            if (rows == 4) x.template some_rows<4>(i, c);
            else if (rows == 3) x.template some_rows<3>(i, c);
            else x.template some_rows<1>(i, c);
            i += rows;
        }
        c = x.columns;
    }
    if (t.padded && columns == p.columns)
        for (std::int64_t i = 0; i < some; ++i)
            for (std::int64_t c = columns; c % L != 0; ++c) t.to[i * t.row + c] = T(0);
}

}  // namespace tapeless::detail::kernels_part
