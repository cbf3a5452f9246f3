// SPDX-License-Identifier: MIT
#pragma once
// How a matrix product is cut: register tiles, blocks for the caches, and which operands are packed.

#include <cstdint>

#include <tapeless/simd/simd.hpp>

namespace tapeless::detail {

/// Vector registers of the architecture.
#if defined(__aarch64__) || defined(__AVX512F__)
inline constexpr int vector_registers = 32;
#else
inline constexpr int vector_registers = 16;
#endif

/// NEON multiplies by a lane of a vector; the others broadcast from memory.
#if defined(__aarch64__)
inline constexpr bool by_lane = true;
#else
inline constexpr bool by_lane = false;
#endif

/// Block sizes of a product of element type T, from the registers and caches of the architecture.
template <class T>
struct product_blocks {
    static constexpr int lanes = simd::lanes<T>;
    static constexpr bool wide = sizeof(simd::batch<T>) > 16;
    /// Sums in registers: 4x3 of NEON's 32 in float, twice, because every store of a sum costs it a product; 8x3 in double;
    /// 12x2 of AVX-512's 32, 6x2 of AVX's 16, 4x2 of SSE's 16, which needs one for the product.
    static constexpr int rows = vector_registers == 32 ? (wide ? 12 : sizeof(T) == 4 ? 4 : 8) : simd::detail::has_fma ? 6 : 4;
    static constexpr int batches = vector_registers == 32 && !wide ? 3 : 2;
    static constexpr int columns = batches * lanes;
    /// A panel of the right operand stays in the first cache: 24 KiB with NEON.
    static constexpr int depth = 2048 / static_cast<int>(sizeof(T));
    /// A block of the left operand stays in the second: block * depth * sizeof(T) is 256 KiB.
    static constexpr int block = (128 + rows - 1) / rows * rows;
    /// As many rows as leave a register for a vector of each, for a left operand whose rows are read in place.
    static constexpr int rows_in_place() {
        int j = rows;
        while (by_lane && j * batches + j + batches > vector_registers) --j;
        return j;
    }
};

/// How many of `left` batches the next panel takes, with at most `most`: 4 of 3 are two and two.
constexpr int panel_batches(std::int64_t left, int most) {
    return left == most + 1 && most > 2 ? (most + 1) / 2 : left < most ? static_cast<int>(left) : most;
}

/// Which widths the panels of so many columns have; a last one that is not full counts as partial where it is read in place.
struct panel_widths {
    bool whole[8]{}, partial[8]{};
    constexpr panel_widths(std::int64_t columns, int lanes, int most, bool in_place) {
        if (columns < 0)
            for (int u = 1; u <= most; ++u) whole[u] = true;
        for (std::int64_t c = 0; c < columns;) {
            int const u = panel_batches((columns - c + lanes - 1) / lanes, most);
            (in_place && columns - c < u * lanes ? partial : whole)[u] = true;
            c += u * lanes;
        }
    }
};

/// Panels of a right operand that is small or read once or twice are as well read where they are; otherwise its rows lie
/// on too many pages.
template <class T>
constexpr bool packs_right(std::int64_t m, std::int64_t k, std::int64_t n, bool contiguous) {
    std::int64_t const row = n * static_cast<std::int64_t>(sizeof(T));
    return !contiguous || (k * row > 32768 && (m > 8 || row > 1024));
}

/// A left operand of contiguous rows is worth packing for more than three panels: below, moving it costs more than its
/// strided reading. One of contiguous columns is read in place while it fits the first cache with a panel.
template <class T>
constexpr bool packs_left(std::int64_t m, std::int64_t k, std::int64_t n, bool contiguous_rows, bool contiguous_columns) {
    if (contiguous_columns && m * k * static_cast<std::int64_t>(sizeof(T)) <= 32768) return false;
    return !contiguous_rows || n > 3 * product_blocks<T>::columns;
}

enum class left_form {
    columns,  ///< element (j, k) is a[k * a_k + j]: a packed strip, or an operand that is stored transposed
    rows,     ///< element (j, k) is a[j * a_row + k]
};

}  // namespace tapeless::detail
