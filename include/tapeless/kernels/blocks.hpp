// SPDX-License-Identifier: MIT
#pragma once
// How a matrix product is cut: register tiles, blocks for the caches, and which operands are packed.

#include <cstdint>

#include <tapeless/kernels/machine.hpp>

namespace tapeless::detail::inline kernels_part {

/// Block sizes of a product of element type T, from the registers and caches of the architecture.
template <class T>
struct product_blocks {
    static constexpr int lanes = simd::lanes<T>;
    /// Sums in registers.
    static constexpr int rows = machine::register_tile<T>::rows, batches = machine::register_tile<T>::batches;
    static constexpr int columns = batches * lanes;
    /// Of a panel of the right operand, which stays in the first cache.
    static constexpr int depth = machine::panel_depth / static_cast<int>(sizeof(T));
    /// Rows of a block of the left operand, which stays in the second.
    static constexpr int block = (machine::block_rows + rows - 1) / rows * rows;
    /// As many rows as leave a register for a vector of each, for a left operand whose rows are read in place.
    static constexpr int rows_in_place() {
        int j = rows;
        while (machine::by_lane && j * batches + j + batches > machine::vector_registers) --j;
        return j;
    }
};

/// How many of `left` batches the next panel takes, with at most `most`: 4 of 3 are two and two.
constexpr int panel_batches(std::int64_t left, int most) {
    return left == most + 1 && most > 2 ? (most + 1) / 2 : left < most ? static_cast<int>(left) : most;
}

/// Which widths the panels of so many columns have; a last one that is not full counts as partial where it is read in
/// place.
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

/// Panels of a right operand that is small or read once or twice are as well read where they are; otherwise its rows,
/// `apart` elements apart, lie on too many pages, or in too few places of the first cache.
template <class T>
constexpr bool packs_right(std::int64_t m, std::int64_t k, std::int64_t n, bool contiguous, std::int64_t apart) {
    constexpr std::int64_t size = sizeof(T);
    std::int64_t const row = n * size;
    return !contiguous || (k * row > machine::first_cache && (m > machine::few_rows || row > machine::short_row)) ||
           (m >= machine::rows_of_apart && apart > n && k * size * apart > machine::first_cache);
}

/// A left operand of contiguous rows, `apart` elements apart (-1: only the run knows), is worth packing for more than a
/// few panels: below, moving it costs more than its strided reading.
template <class T>
constexpr bool packs_rows(std::int64_t n, std::int64_t apart) {
    bool const near = apart >= 0 && apart * static_cast<std::int64_t>(sizeof(T)) <= machine::near_rows;
    return n > (near ? machine::panels_of_near : machine::few_panels) * product_blocks<T>::columns;
}
/// One of other rows, too. If its columns are contiguous, and `apart` elements apart, it is read in place while it fits
/// the first cache with a panel, or for a few panels where they are near.
template <class T>
constexpr bool packs_columns(std::int64_t m, std::int64_t k, std::int64_t n, bool contiguous, std::int64_t apart) {
    constexpr std::int64_t size = sizeof(T);
    if (!contiguous) return true;
    bool const near = apart >= 0 && apart * size <= machine::near_columns;
    return m * k * size > machine::first_cache && (packs_rows<T>(n, apart) || !near);
}

enum class left_form {
    columns,  ///< element (j, k) is a[k * a_k + j]: a packed strip, or an operand that is stored transposed
    rows,     ///< element (j, k) is a[j * a_row + k]
};

}  // namespace tapeless::detail::kernels_part
