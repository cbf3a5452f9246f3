// SPDX-License-Identifier: MIT
#pragma once
// What products and loops know of the machine: its registers and caches, and the sizes that were chosen by
// measurement. Beside each stands the benchmark that shows it. They were measured with NEON, on a Neoverse-N1 (64 KiB
// of first cache, 1 MiB of second); where AVX2 and AVX-512 have no value of their own they have that one, for want of
// measurement. schedule/machine.hpp has those of plans.

#include <cstddef>
#include <cstdint>

#include <tapeless/simd/simd.hpp>

namespace tapeless::detail::machine {

// ---- registers: by the architecture --------------------------------------------------------------------------------

/// Vector registers: 32 of NEON and AVX-512, 16 of AVX2 and SSE.
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

/// Sums of a product in registers, rows by batches (bench_gemm): 4x3 of NEON's 32 in float, twice, because every
/// store of a sum costs it a product; 8x3 in double; 12x2 of AVX-512's 32, 6x2 of AVX2's 16, 4x2 of SSE's 16, which
/// needs one for the product.
template <class T>
struct register_tile {
    static constexpr bool wide = sizeof(simd::batch<T>) > 16;
    static constexpr int rows_of_32 = wide ? 12 : sizeof(T) == 4 ? 4 : 8, rows_of_16 = simd::detail::has_fma ? 6 : 4;
    static constexpr int rows = vector_registers == 32 ? rows_of_32 : rows_of_16;
    static constexpr int batches = vector_registers == 32 && !wide ? 3 : 2;
};

// ---- caches: one value for all architectures -----------------------------------------------------------------------

/// Bytes of a cache line.
inline constexpr int cache_line = 64;
/// Bytes of a page, at least, and of a workspace whose pages are all written when it is made (bench_matrix_vector,
/// "rows": 4 rows of a product, with relu, took three times as long).
inline constexpr std::size_t least_page = 4096, small_workspace = 262144;
/// So many bytes ahead of small matrices that are written one after the other, the cache is told (bench_linalg,
/// "batch").
inline constexpr int written_ahead = 1024;
/// Bytes that stay in the first cache with whatever else passes through it: an operand that is no larger is read
/// where it lies, if its elements are next to each other (bench_gemm).
inline constexpr std::int64_t first_cache = 32768;
/// Up to so many bytes, which stay in a cache, several rows of an image are written at the same time; of more, one
/// after the other (bench_pooling, "avg_pool 3x3 stride 3": 340 to 500 us and 230; an eighth of it 34 and 42).
inline constexpr std::int64_t rows_written_at_once = std::int64_t{1} << 20;
/// Bytes along k of an element's row or column in a block: a panel of the right operand stays in the first cache, 24
/// KiB of it with NEON (bench_gemm).
inline constexpr int panel_depth = 2048;
/// Rows of the left operand in a block, which stays in the second cache: with panel_depth it is 256 KiB (bench_gemm).
inline constexpr int block_rows = 128;
/// A larger right operand is read where it lies too, for so few rows of the left one, if its own have no more bytes
/// than this: others lie on too many pages (bench_gemm, "64x784x128": 13 % with AVX-512, 4 % with AVX2; from twice as
/// many rows as these on a loss, and not measured with NEON).
inline constexpr std::int64_t few_rows = by_lane ? 8 : 16 * simd::lanes<float>, short_row = 1024;
/// Where only run time knows how many rows there are, so few are multiplied with a right operand that is read where it
/// lies; more where that has no more than so many batches of columns, dot products if these have so many batches
/// (bench_matrix_vector, "rows").
inline constexpr std::int64_t few_rows_in_place = 8, few_rows_of_narrow = 32, narrow_batches = 2, long_dot = 4;
/// Batches of one or two rows at a time, twice as many of one where there are so many; and dot products of one row,
/// half as many of more.
inline constexpr int few_batches = 4, few_dots = 8;
/// Batches of its columns at a time, for all rows (bench_matrix_vector, "rows").
inline constexpr std::int64_t few_rows_columns = 24;
/// A left operand of contiguous rows is read where it lies for so many panels: moving it would cost more (bench_gemm).
/// For more of AVX-512's, which are wide, where its rows are so many bytes apart at most (bench_threads, "multi-head":
/// products by 4 panels 4 to 15 %, by 8 panels 0 to 4 %; rows a page apart would meet in one place of the first cache).
inline constexpr int few_panels = 3, panels_of_near = simd::lanes<float> == 16 ? 8 : 3;
inline constexpr std::int64_t near_rows = 2048;
/// One of contiguous columns too, where these are so many bytes apart at most: with AVX-512 and AVX2 a tenth to a third
/// (bench_threads, "multi-head"); nothing from 1 KiB on, and twice the time for 2 KiB. Not measured with NEON.
inline constexpr std::int64_t near_columns = by_lane ? 0 : 768;
/// For so many rows of the left operand, a right one of rows with others between them, which lie further apart than the
/// first cache is large, all together, is packed: those of a head among others (bench_threads, "multi-head"; from 128
/// rows on 3 to 17 % with AVX-512, nothing for 64, and not measured with NEON).
inline constexpr std::int64_t rows_of_apart = by_lane ? std::int64_t{1} << 62 : 96;
/// Along k, all strips of an operand of contiguous columns take so many before the next: each page is read on
/// (bench_gemm, "A^T*B").
inline constexpr std::int64_t packed_at_once = 8;

// ---- inside the products -------------------------------------------------------------------------------------------

/// Bytes by which a packed left operand is asked for ahead: it comes from the second cache (bench_gemm).
inline constexpr int left_ahead = 512;
/// From so many products on, the place of a tile in memory is asked for while they are computed; it is read as well
/// where the tile is added to what is there (bench_gemm).
inline constexpr std::int64_t ask_for_target = 64, ask_for_sum = 32;
/// The most steps along k, where their number is known, that are written out: of one k, and of as many as a vector
/// has (bench_gemm).
inline constexpr int unrolled_steps = 16, unrolled_vectors = 8;
/// A CBLAS, where there is one, is called for so many products: below, the call costs more than it gains
/// (bench_gemm).
inline constexpr std::int64_t worth_calling = 128 * 128 * 128;

// ---- products of all steps of a loop, computed before it: bench_lanes, "recurrent" ---------------------------------

/// Of steps with no more rows than this (more keep a product of one thread busy by themselves: with NEON 16 rows lose
/// nothing, 64 a twelfth; with AVX-512 neither does, and 16 threads gain a seventh: bench_threads, "LSTM"), of matrices
/// with no fewer elements, and of no fewer steps, where their number is known (both for want of finer measurement).
#if defined(__AVX512F__)
inline constexpr std::int64_t hoisted_rows = 64;
#else
inline constexpr std::int64_t hoisted_rows = 8;
#endif
inline constexpr std::int64_t hoisted_work = 32, hoisted_steps = 8;
/// They take no more bytes than this; where the number of steps is not known, no more than so many times the elements
/// they are made of. Bounds for memory, not for speed.
inline constexpr std::int64_t hoisted_bytes = std::int64_t{64} << 20, hoisted_growth = 8;
/// Of work on a few numbers, so many instructions are done of all steps at once, and so many for each array that is
/// stacked for them; of no more steps than this, where their number is known (bench_few_numbers, "a series").
inline constexpr int moved_work = 6, sunk_work = 12;
inline constexpr std::int64_t moved_steps = std::int64_t{1} << 20;
/// A matrix that steps multiply a vector by is turned before the loop, so that they add up its rows instead of taking
/// the sum of each, where a row has no more than so many registers: with as many both take the same time with NEON and
/// AVX2, and with AVX-512 such rows take a fifth longer as they are, those of two registers twice as long.
inline constexpr std::int64_t turned_registers = 8;

// ---- fused_linear_cross_entropy: bench_losses ----------------------------------------------------------------------

/// Bytes of an input's column at a time: 48 rows in float, 24 in double.
inline constexpr int sweep_rows = 192;
/// Classes at a time: forwards, where so much of the weight stays in the second cache, and backwards, where so much
/// is packed.
inline constexpr std::int64_t sweep_scored = 128, sweep_classes = 256;
/// Rows of the weight's gradient at a time, where they do not lie in one piece.
inline constexpr std::int64_t sweep_strided = 16;

}  // namespace tapeless::detail::machine
