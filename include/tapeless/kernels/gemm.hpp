// SPDX-License-Identifier: MIT
#pragma once
// Rows of a matrix product, from packed or untouched operands: blocks for the caches, tiles for the registers.

#include <tapeless/kernels/multiply.hpp>
#include <tapeless/kernels/pack.hpp>

namespace tapeless::detail::inline kernels_part {

/// Two matrices and the room to pack them.
template <class T>
struct product_operands {
    T const* left = nullptr;
    T const* right = nullptr;
    std::ptrdiff_t left_row = 0, left_k = 0, right_k = 0, right_column = 0;
    std::int64_t columns = 0, depth = 0;
    std::int64_t before = 0, after = 0;  ///< columns that are left out, whole panels of them
    T* packed_left = nullptr;
    T* packed_right = nullptr;  ///< none: the right operand is read in place
    bool packs_left = true;
};
/// Where a product goes.
template <class T>
struct product_target {
    T* to = nullptr;
    std::ptrdiff_t row = 0;
    bool padded = false;  ///< whole tiles may be written
    bool add = false;
};

/// The right operand in panels of `most` batches, and narrower ones at the end; each begins at its column times k.
template <class T, class Build = simd::batch<T>>
void pack_panels(T* to, T const* b, std::ptrdiff_t b_k, std::ptrdiff_t b_n, std::int64_t k, std::int64_t n, int most) {
    constexpr int L = simd::lanes<T>;
    std::int64_t whole = n / (most * L) * most;  // batches in panels of `most`
    std::int64_t const all = (n + L - 1) / L;
    if (whole > 0 && all - whole > 0 && panel_batches(all - whole + most, most) != most) whole -= most;
    if (whole > 0) pack_right<T, Build>(to, b, b_k, b_n, k, whole * L, most);
    for (std::int64_t done = whole; done < all;) {
        int const batches = panel_batches(all - done, most);
        std::int64_t const c = done * L, m = n - c < batches * L ? n - c : batches * L;
        pack_right<T, Build>(to + c * k, b + c * b_n, b_k, b_n, k, m, batches);
        done += batches;
    }
}

/// Rows by columns of a tile that are wanted, to memory. Of the last of its batches some columns may not be.
template <class T, int J, int U>
TAPELESS_CONFIG_INLINE inline void write_tile(simd::batch<T> (&acc)[J][U], product_target<T> const& t, T* to,
                                              std::int64_t rows, std::int64_t columns, bool add) {
    constexpr int L = simd::lanes<T>;
    int const last = static_cast<int>(columns) - (U - 1) * L;
    bool const whole = t.padded || last >= L;
    repeat<J>([&](int j) TAPELESS_CONFIG_INLINE {
        if (j >= rows && !t.padded) return;
        T* const p = to + j * t.row;
        if (add)
            repeat<U>([&](int u) TAPELESS_CONFIG_INLINE {
                T const* const old = p + u * L;
                acc[j][u] =
                    simd::add(acc[j][u], u < U - 1 || whole ? simd::load(old) : simd::load_partial(old, last));
            });
        repeat<U>([&](int u) TAPELESS_CONFIG_INLINE {
            if (u < U - 1 || whole) simd::store(p + u * L, acc[j][u]);
            else simd::store_partial(p + u * L, acc[j][u], last);
        });
    });
}

/// What is known of a product when it is compiled; -1: only the run knows. Products that agree in it are one function.
struct product_code {
    /// a right operand whose columns are no whole number of batches is read where it is, not packed
    bool in_place = false;
    std::int64_t some = -1, columns = -1, depth = -1;  ///< some: rows computed at a time
    std::int64_t left_row = -1, left_k = -1, right_k = -1, to_row = -1;
    std::int64_t packs_left = -1, packs_right = -1, padded = -1, add = -1;
};
/// The same as a type, with the form of the left operand, and rows and batches of the register tile.
template <left_form F, int J, int U, bool InPlace, std::int64_t... N>
struct product_constants {
    static constexpr int batches = U;
};
constexpr std::int64_t known_or(std::int64_t known, std::int64_t found) { return known >= 0 ? known : found; }

/// A tile of J rows by U batches, if so many are wanted: Whole ones, or with a last one of which not all columns are
/// there. (Narrow ones are the last of many: with the first step in the loop they are half as much code.)
template <left_form F, int J, int U, k_loop K, bool Whole, bool Partial, class T>
TAPELESS_CONFIG_INLINE inline void multiply_batches(
    [[maybe_unused]] int batches, [[maybe_unused]] T const* a, [[maybe_unused]] std::ptrdiff_t a_row,
    [[maybe_unused]] std::ptrdiff_t a_k, [[maybe_unused]] T const* b, [[maybe_unused]] std::ptrdiff_t b_k,
    [[maybe_unused]] std::int64_t k, [[maybe_unused]] product_target<T> const& t, [[maybe_unused]] T* to,
    [[maybe_unused]] std::int64_t rows, [[maybe_unused]] std::int64_t n, [[maybe_unused]] bool add) {
    constexpr int L = simd::lanes<T>;
    if constexpr (Whole || Partial) {
        if (batches != U) return;
        simd::batch<T> acc[static_cast<std::size_t>(J)][static_cast<std::size_t>(U)];
        if constexpr (Whole)
            if (!Partial || n == U * L) {
                multiply_tile<F, K>(acc, a, a_row, a_k, b, b_k, k);
                write_tile(acc, t, to, rows, n, add);
            }
        if constexpr (Partial)
            if (n < U * L) {
                multiply_tile_edge<F, K == k_loop::fixed ? K : k_loop::plain>(acc, a, a_row, a_k, b, b_k, k,
                                                                              static_cast<int>(n));
                write_tile(acc, t, to, rows, n, add);
            }
    }
}

/// Rows first ... first + some - 1 of the product. At most as many as there is room to pack.
template <class T, left_form F, int J, int U, bool InPlace, std::int64_t... N, int... V>
TAPELESS_CONFIG_INLINE inline void multiply_rows(product_constants<F, J, U, InPlace, N...>,
                                                 std::integer_sequence<int, V...>, product_operands<T> const& p,
                                                 std::int64_t first, std::int64_t some,
                                                 product_target<T> const& target) {
    constexpr product_code C{InPlace, N...};
    constexpr int L = simd::lanes<T>;
    constexpr bool fixed = C.columns >= 0;
    static constexpr panel_widths widths(C.columns, L, U, C.in_place);
    constexpr std::int64_t deep = product_blocks<T>::depth;
    std::int64_t const m = known_or(C.some, some), columns = known_or(C.columns, p.columns),
                       depth = known_or(C.depth, p.depth);
    std::ptrdiff_t const left_row = known_or(C.left_row, p.left_row), left_k = known_or(C.left_k, p.left_k);
    std::ptrdiff_t const right_k = known_or(C.right_k, p.right_k);
    bool const packs_left = known_or(C.packs_left, p.packs_left) != 0;
    bool const packs_right = known_or(C.packs_right, p.packed_right != nullptr) != 0;
    product_target<T> const t{target.to, static_cast<std::ptrdiff_t>(known_or(C.to_row, target.row)),
                              known_or(C.padded, target.padded) != 0, known_or(C.add, target.add) != 0};
    std::int64_t const padded = (columns + L - 1) / L * L;
    for (std::int64_t k0 = 0;;) {
        std::int64_t const kc = depth - k0 < deep ? depth - k0 : deep;
        bool const add = t.add || k0 > 0;
        T const* const left = p.left + first * left_row + k0 * left_k;
        std::int64_t const whole = packs_left ? 0 : m / J * J;  // rows that are read in place
        if constexpr (F == left_form::columns) {
            if (whole < m) pack_left<J>(p.packed_left, left + whole * left_row, left_row, left_k, m - whole, kc);
        } else if (whole < m) {
            for (std::int64_t j = 0; j < J; ++j)
                for (std::int64_t k = 0; k < kc; ++k)
                    p.packed_left[j * kc + k] = whole + j < m ? left[(whole + j) * left_row + k] : T(0);
        }
        for (std::int64_t c = fixed ? 0 : p.before; c < columns - (fixed ? 0 : p.after);) {
            int const batches = panel_batches((columns - c + L - 1) / L, U);
            T const* const b = packs_right ? p.packed_right + k0 * padded + c * kc : p.right + k0 * right_k + c;
            std::ptrdiff_t const b_k = packs_right ? batches * L : right_k;
            std::int64_t const n = columns - c < batches * L ? columns - c : batches * L;
            for (std::int64_t s = 0; s < m; s += J) {
                bool const packed = s >= whole;
                T const* a;
                std::ptrdiff_t a_row = left_row, a_k = left_k;
                if (!packed) a = left + s * left_row;
                else if constexpr (F == left_form::columns) a = p.packed_left + (s - whole) * kc, a_k = J;
                else a = p.packed_left, a_row = kc;
                T* const to = t.to + s * t.row + c;
                std::int64_t const rows = m - s;
                // the tile's place in memory arrives while it is computed
                if (kc >= machine::ask_for_target || (add && kc >= machine::ask_for_sum))
                    for (int j = 0; j < J && j < rows; ++j) {
                        __builtin_prefetch(to + j * t.row, 1);
                        __builtin_prefetch(to + j * t.row + n - 1, 1);
                    }
                (multiply_batches<F, J, U - V, fixed ? k_loop::fixed : V == 0 ? k_loop::first_apart : k_loop::plain,
                                  widths.whole[U - V], widths.partial[U - V]>(batches, a, a_row, a_k, b, b_k, kc, t,
                                                                              to, rows, n, add),
                 ...);
            }
            c += batches * L;
        }
        k0 += deep;
        if (k0 >= depth) break;
    }
}
/// The same, one function for all products of which the same is known.
template <class Constants, class T, class Build = simd::batch<T>>
[[gnu::noinline]] void multiply_rows_apart(product_operands<T> const& p, std::int64_t first, std::int64_t some,
                                           product_target<T> const& t) {
    multiply_rows(Constants{}, std::make_integer_sequence<int, Constants::batches>{}, p, first, some, t);
}
/// Of a product of which nothing is known but how it is cut.
template <left_form F, int J, int U, class T>
inline void multiply_any_rows(product_operands<T> const& p, std::int64_t first, std::int64_t some,
                              product_target<T> const& t) {
    multiply_rows_apart<product_constants<F, J, U, false>>(p, first, some, t);
}

}  // namespace tapeless::detail::kernels_part
