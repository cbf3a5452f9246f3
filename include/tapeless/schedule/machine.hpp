// SPDX-License-Identifier: MIT
#pragma once
// The numbers of plans and of the loops made from them that were chosen by measurement, and the benchmark that shows
// each: with NEON, on the machine of kernels/machine.hpp. AVX2 and AVX-512 have the same values, for want of
// measurement. Costs are instructions a vector, as operations state them.

#include <tapeless/kernels/machine.hpp>

namespace tapeless::detail::machine {

// ---- what is computed again, and what is kept ----------------------------------------------------------------------

/// A value that a loop would compute again for each row, though it does not vary from row to row, is stored from this
/// cost on (bench_runtime, bench_transformations).
inline constexpr int worth_hoisting = 6;
/// A value inside a row is kept for later phases from this cost on, instead of being computed again
/// (bench_reductions, "softmax").
inline constexpr int worth_keeping = 8;
/// A value that another kernel computes anyway is stored by that from this cost on (bench_transformations).
inline constexpr int worth_storing = 12;
/// Beside that, each array but one that is read to compute it counts as so much (bench_lanes, "neighbours").
inline constexpr int read_again = 3;
/// Where windows show it again and again, each array beyond these that is read for it counts as an instruction
/// (bench_lanes, "Runge-Kutta").
inline constexpr int few_reads = 2;
/// Unless it is an array of no more elements than this, for which no workspace is asked (bench_convolution).
inline constexpr std::int64_t computed_again = 128;
/// A value of at most this cost, one step from memory, is computed again on both sides of a cut (compile_time,
/// bench_transformations).
inline constexpr int cheap_across_cuts = 2;
/// What is read by strides for so many rows is copied to where it is read in one piece (bench_lanes, "pairs").
inline constexpr std::int64_t worth_packing = 8;
/// What reading by strides costs beside reading in one piece (bench_lanes, "pairs").
inline constexpr int strided_read = 4;

// ---- how large kernels become --------------------------------------------------------------------------------------

/// The most steps of one kernel, and the length of the segments into which larger programs are cut. What kernels leave
/// for one another goes through memory, and is code, too; but passes over a plan take longer than its kernels become,
/// and registers are few (bench_solvers; bench_lanes, "Runge-Kutta"; compile_time, "depth_24" and "depth_96").
#if defined(TAPELESS_SHORT_STRIPS)  // so that tests cut programs that are not as long
inline constexpr int kernel_cap = 96, segment_length = 56;
#elif defined(__clang__)  // beyond, programs would come close to its limit of steps
inline constexpr int kernel_cap = 160, segment_length = 56;
#else
inline constexpr int kernel_cap = 288, segment_length = 168;
#endif
/// Programs with more steps than this, of arrays with more elements than a few, whose steps wait for one another are
/// cut into segments of so many steps, or so many fewer, where no more than a few values cross that are needed soon.
/// Where more do, segments become as long as kernels may be; or as said above, and as this in programs that are no body
/// of a loop, where those have more steps than that. A kernel takes nothing of the next segment from half a segment on.
/// (bench_lanes, "Runge-Kutta"; compile_time, "depth_24" and "depth_96")
inline constexpr int cut_from = 48, segment_steps = 48, shorter_to_cross = 16, few_elements = 512;
inline constexpr int few_crossing = 3, soon_after_cut = 24, large_program_cap = 96;

/// Bytes that kernels leave for one another in a strip of them, where they run in strips: beside what else they read
/// and write these stay in the second cache. A strip is a multiple of so many iterations (bench_lanes).
#if defined(TAPELESS_SHORT_STRIPS)  // so that tests have several of them on short arrays
inline constexpr std::int64_t strip_bytes = 256, strip_unit = 8;
#else
inline constexpr std::int64_t strip_bytes = 131072, strip_unit = 32;
#endif
/// Where strips are items, as of images, so many bytes, or one item of at most so many; and these are so many times
/// what each strip reads again, such as weights (bench_convolution: it is packed once more for each). Products of the
/// matrices of one batch run in strips of as many bytes, where there are so many of all (bench_threads, "attention": a
/// fifth of the time).
#if defined(TAPELESS_SHORT_STRIPS)
inline constexpr std::int64_t item_strip_bytes = 256, most_strip_bytes = 1 << 20, worth_reading_again = 0;
inline constexpr std::int64_t least_in_strips = 0;
#else
inline constexpr std::int64_t item_strip_bytes = 1 << 18, most_strip_bytes = 1 << 20, worth_reading_again = 64;
inline constexpr std::int64_t least_in_strips = 1 << 20;
#endif

// ---- tiles of a loop: rows at once by batches at once --------------------------------------------------------------

/// What a tile may cost, for four batches of a row at once, and for two (bench_runtime, bench_catalogue).
inline constexpr int light = 16, medium = 48;
/// Tiles that cost more are computed in turn, at most so many, where their steps wait for one another: while a step
/// waits for its operands, so many others could be done (bench_lanes, "Runge-Kutta").
inline constexpr int most_side_by_side = 4, waiting = 8;
/// So are tiles with functions such as exp, whose steps always wait (bench_catalogue; bench_lanes, "log-sum-exp");
/// fewer of heavy ones, and none where a function costs more than this.
inline constexpr int functions_side_by_side = vector_registers < 32 ? 2 : 4, heavy_side_by_side = 2;
inline constexpr int function = 100;
/// More steps than this leave no registers for several rows at once (bench_runtime; bench_lanes, "16-d").
inline constexpr int steps_of_several_rows = 80;
/// Arrays that lie column by column are walked so, unless a column is known to be shorter (bench_matrix_vector).
inline constexpr std::int64_t short_columns = 8;
/// Rows at once where columns are summed up (bench_reductions); all of a few rows, where a tile costs no more than
/// this.
inline constexpr int summed_rows = 4, few_summed_rows = 8, light_columns = 24;
/// A matrix times a vector costs no more than this; of such a product, all of so many rows are summed up at once
/// (bench_matrix_vector).
inline constexpr int as_a_product = 4, few_rows_of_products = 16;
/// Of more rows, or of as many as only run time knows, so many at once: what they are added to is read and written half
/// as often as by four, and the processor foresees what is read (bench_matrix_vector). Each row has an address: where
/// there are few registers for those, four.
#if defined(__aarch64__)
inline constexpr int rows_of_products = 8;
#else
inline constexpr int rows_of_products = summed_rows;
#endif
/// Rows at once where a row has several phases: chains of dependent levels side by side (bench_reductions,
/// "softmax"); of functions, batches of one row, where it is known to have so many (bench_runtime, "cross-entropy").
/// Where no phase costs more than a product and the sum of its terms, as in regressions, and columns are summed up, as
/// many as there are without phases (bench_matrix_vector, "fit, x by rows").
inline constexpr int rows_of_phases = 2, long_row = 32, as_phases_of_a_product = 6;
/// A column sum of more rows than this is taken up in blocks, in higher precision (bench_reductions;
/// tests/exec/test_sum_rounding.cpp).
inline constexpr std::int64_t carry_rows = 256;
/// Tiles that are added up before a sum goes to higher precision (bench_reductions; tests/exec/test_sum_rounding.cpp).
inline constexpr int summed_tiles = 64;
/// Bytes by which rows that are added up are asked for ahead: short ones all together, of long ones each by itself
/// (bench_reductions, bench_matrix_vector). Arrays of no more bytes than asked_for are not.
inline constexpr std::int64_t rows_ahead = 4096, row_ahead = 512, asked_for = 131072;
/// Where only few elements of a row add something, the others are passed over if that saves so much (bench_lanes,
/// "nearest"; rows of 100 whose max is taken are slower for less).
inline constexpr int worth_guarding = 8;
/// So many batches are looked at together where only few elements of a row add something (bench_lanes, "nearest").
inline constexpr int guarded_batches = 16;

/// A program of no more instructions than this, by its kernels' costs, is one function together with what calls it, and
/// has its workspace on the stack if it is no larger than this; unless it has many steps (bench_few_numbers, "a call").
inline constexpr std::int64_t few_instructions = 1024, few_bytes = 4096;
inline constexpr int few_steps = 192;

/// Tiles of a row between zeros whose length is known: so many are written out, each with what it has of the row
/// (bench_few_numbers, "Rosenbrock").
inline constexpr int written_out_tiles = 8;

// ---- products ------------------------------------------------------------------------------------------------------

/// A product of known extents has code of its own up to so many multiplications (bench_gemm), and is no call up to
/// these (bench_mlp, 4-16-3).
inline constexpr std::int64_t small_product = 64 * 64 * 64, tiny_product = 512;
/// Beside a right operand of so many bytes, rows of a product are in the first cache when the kernel's loops follow:
/// so many strips of them are computed at a time (bench_mlp).
inline constexpr std::int64_t right_beside_rows = 24576, strips_beside_right = 4;
/// Rows of fewer strips than these are divided evenly: of more, what the last one computes for nothing is weighed
/// against narrower strips (bench_gemm; 100 rows with AVX-512, 10 at a time instead of 12: 5 %).
inline constexpr int few_strips = 3;
/// What a strip costs by itself, in quarters of a row (bench_gemm; with AVX-512, 128 rows are better 8 at a time than
/// 12; with AVX2, 100 better 6 at a time than 5).
inline constexpr int strip_cost = 3;

// ---- pieces of a kernel that threads share: bench_threads ----------------------------------------------------------

/// What a piece costs at least, in instructions: where something is summed up, more, for the sums of pieces have to be
/// added up, on one thread too; otherwise, as much as 16 threads take to begin and end.
inline constexpr std::int64_t summed_piece_cost = 32768, piece_cost = 8192;
/// An axis that can be cut into so many pieces is cut, and not one further inside.
inline constexpr std::int64_t enough_pieces = 16;
/// Where something is summed up over pieces their number does not depend on that of threads: at most so many, of a
/// product so many; where arrays are, so long.
inline constexpr std::int64_t most_pieces = 256, most_product_pieces = 32, summed_length = 32;
/// Arrays that pieces sum up into have so many bytes in all, or so many pieces.
inline constexpr std::int64_t summed_in_all = std::int64_t{1} << 22, fewest_summed = 32;
/// Otherwise so many for each thread.
inline constexpr std::int64_t pieces_a_thread = 4;
/// Vectors of products that one row more or one column more of a piece costs: what is packed and read for it.
inline constexpr std::int64_t edge_cost = 1;
/// Elements of items, of loops that are run item by item, from which on threads share them.
inline constexpr std::int64_t shared_items = 4096;
/// Rows of a product that a piece has at least, and panels of columns where these are cut.
inline constexpr int product_rows = 8, product_panels = 2;

}  // namespace tapeless::detail::machine
