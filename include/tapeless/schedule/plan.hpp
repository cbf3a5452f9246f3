// SPDX-License-Identifier: MIT
#pragma once
// A plan: kernels, each a loop nest with its steps in order, and the arrays in memory that they read and write.

#include <tapeless/kernels/blocks.hpp>
#include <tapeless/schedule/draft.hpp>

namespace tapeless::detail::inline schedule_part {

/// A range in the plan's list of step numbers.
struct sequence {
    int begin = 0, end = 0;
    constexpr int size() const { return end - begin; }
};

enum class memory : std::uint8_t {
    argument,
    output,
    buffer,
    panel,     ///< a buffer that holds some rows of a product at a time
    position,  ///< none: only where the loops are counts
    constants, ///< of the program
};

/// An array in memory, as a kernel's loops walk it.
struct place {
    memory where = memory::argument;
    int index = 0;     ///< which argument leaf, output or buffer; of constants: at which byte they begin
    int node = -1;
    dtype type = dtype::f32;
    bool dense = true;
    bool columns = false;              ///< not dense, but contiguous, column by column
    bool strip = false;                ///< of the array there is only the strip that is run
    int margin = 0;                    ///< zeros behind each row of the array
    walk_map map;                      ///< loop axis -> axis of the array
    int shape = 0;                     ///< of the array, under which it is walked
    int walk = -1;                     ///< where that begins, unless at the first element: number of the plan's walk
    std::int64_t origin = 0;           ///< the element at which that is; -1: run time knows
    std::int64_t step[max_rank];       ///< of each loop axis, along its axis of the array
    std::int64_t stride[max_rank]{};   ///< of each loop axis; 0: does not vary, -1: run time knows
    int picked = -1;                   ///< the place of the indices that say where along one of its axes elements are
    int picked_axis = 0;               ///< that axis, from the right
    std::int64_t picked_stride = 0;    ///< and its stride; -1: run time knows
    constexpr place() {
        for (std::int64_t& s : step) s = 1;
    }
};

struct step {
    step_kind kind = step_kind::eval;
    dtype type = dtype::f32;
    operation const* op = nullptr;
    int in[step_inputs]{-1, -1, -1};
    double number = 0;
    int source = -1;     ///< of an extent: which; of `reduced`: the root
    int place = -1;      ///< of a load or a coordinate
    unsigned varies = 0; ///< along which loop axes
    int level = 0;       ///< how many loops enclose it
    int slot = 0;        ///< the phase it is computed in (inside a row), or before which it is (outside)
    int bounds = -1;     ///< of a load or `inside`: where there is something to read
    int scratch = -1;    ///< kept for later phases in this scratch row
    int kept_in = -1;    ///< of one that is kept: rather in the array of this root
    int beyond = -1;     ///< of a mask in a triangle: what it is right of the diagonal, 0 or 1; or -1
    int node = -1;
};

/// What of a step's operation runs.
struct step_operation {
    decltype(operation::eval) eval = nullptr, eval_one = nullptr;
    int arity = 0, cost = 0;
    dtype in[step_inputs]{};
    constexpr step_operation() = default;
    constexpr explicit step_operation(operation const& op)
        : eval(op.eval), eval_one(op.eval_one), arity(op.arity), cost(op.cost) {
        for (int j = 0; j < arity; ++j) in[j] = op.in[j];
    }
};

inline constexpr int after_everything = 99;

enum class target : std::uint8_t {
    store,       ///< the values themselves
    row,         ///< one number a row, complete at its end
    everything,  ///< one number in all, kept in registers
    partial,     ///< one number a row, combined in memory with those of other rows
    column,      ///< combined in memory, element by element
};

struct root {
    target how = target::store;
    combination combine = combination::none;
    int step = -1;
    int place = -1;        ///< -1: used in this kernel only
    dtype type = dtype::f32;
    int level = 0, slot = 0;
    unsigned varies = 0;   ///< of the result
    unsigned reduced = 0;  ///< along which loop axes
    bool adds = false;     ///< stored values are added to what is there
    bool clears = false;   ///< the whole array is filled before the loops begin
    double filling = 0;    ///< with this
    int keeps = -1;        ///< the step whose values are kept in its array until they are needed for it
    int carry = -1;        ///< buffer that takes up a column sum block by block, in higher precision
    int node = -1;
};

/// The contraction a kernel begins with: rows of it are computed some at a time, and the kernel's loops follow while
/// they are in the cache. The kernel's two innermost loops walk its rows and columns.
struct product {
    int node = -1;
    dtype type = dtype::f32;
    place left, right;                ///< as the kernel's loops walk them, and after those the axes summed over
    int depth_axes = 0;
    std::int64_t depth[max_rank]{};   ///< of the axes summed over; -1: run time knows
    int group[max_rank + 1]{};        ///< depth axis i stands for the axes group[i] ... group[i + 1] - 1 of depth_shape
    dims depth_shape;
    int rows = 1, batches = 1;        ///< of the register tile
    int to = -1;                      ///< the place where it is written: a panel, or the array itself
    bool small = false;               ///< of a size that is known, and code of its own
    left_form form = left_form::columns;
    int packed_left = -1, packed_right = -1;  ///< buffers, where the operands may be packed
    bool stays_packed = false;                ///< the right one is the same in all steps of a loop: packed in the first
    bool packed_before = false;               ///< it is that of the kernel before, which packs it
};

/// An array that an operation with a loop of its own reads or writes; the axes of its place are those of its shape,
/// from the right.
struct loop_operand {
    place at;
    dims shape;
    bool constant = false;  ///< one number instead
    double number = 0;
};
/// An operation with a loop of its own.
struct planned_loop {
    int node = -1;
    operation const* op = nullptr;
    operation const* part = nullptr;  ///< of a further result, where that has loops of small sizes which make both
    bool has_part = false;            ///< whether there is one: addresses are not compared while compiling
    attribute attr;
    int operands = 0, parts = 1;
    loop_operand in[max_inputs], out[max_parts];
    bool wanted[max_parts]{true};  ///< which of the results something needs
    int scratch = -1;              ///< buffer
    int item_axes = 0;             ///< it is called for each item along so many leading axes
    loop_cut cut;                  ///< along the first axis of the results, or of the items
    constexpr operation::chosen_loop loop() const {
        std::int64_t const columns = in[0].shape.from_right(0);
        operation::chosen_loop const own = op->run_for(columns);
        return own.small && has_part ? part->run_for(columns) : own;
    }
};
/// The call of a body: see call_info.
struct planned_call : call_header {
    int first_operand = 0, operands = 0, first_result = 0, results = 0;  ///< in the plan's lists
    int first_extent = 0;
    int workspace = -1;    ///< buffer of the bodies
    int first_spare = -1;  ///< buffers for two values of each carry
};
/// A result of a call, and the array it goes to.
struct planned_result {
    call_result rule;
    loop_operand to;
};
/// Indices that are looked at before kernel `before` runs; -1: before anything happens.
struct planned_check {
    loop_operand index, lengths;
    bool by_row = false;  ///< only as many elements of a row as its length says
    dims limit;
    index_rule rule;
    int before = -1;
};

struct kernel {
    int axes = 0;
    std::int64_t extent[max_rank]{};  ///< of the loops; -1: run time knows
    int group[max_rank + 1]{};        ///< loop i walks the axes group[i] ... group[i + 1] - 1 of the shape
    dims shape;                       ///< what the loops run over
    int first_step = 0, steps = 0, first_root = 0, roots = 0, first_place = 0, places = 0;
    int phases = 0;
    int lanes = 1, rows_at_once = 1, unroll = 1;
    int side_by_side = 1;             ///< batches of those lanes
    sequence outer[max_rank];         ///< steps at loop level i, before anything inside
    sequence row[max_phases + 1];     ///< once a row, before phase i
    sequence column[max_phases];      ///< inside phase i: what is the same for all rows
    sequence inner[max_phases];       ///< inside phase i: the rest
    sequence guard[max_phases];       ///< of phase i: up to a mask without which nothing of a tile is added to anything
    sequence last;                    ///< after everything
    bool triangle = false;            ///< rows begin at the diagonal: before it there is nothing to add
    bool carries = false;             ///< some column sum is taken up block by block
    int product = -1;                 ///< the contraction it begins with
    int custom = -1;                  ///< the operation with a loop of its own that it is
    int call = -1;                    ///< the call of a body that it is
    bool loops = true;                ///< there is more to do than the product
    unsigned cuttable = 0;            ///< the loops whose ranges several threads may share
    unsigned summed = 0;              ///< the loops along which something is summed up: in pieces, if they are cut
    unsigned summed_arrays = 0;       ///< those of them along which arrays are
    unsigned summed_by_all = 0;       ///< and all of these arrays
    int summed_bytes = 0;             ///< which so many bytes make for each iteration of the others
    int grain = 1;                    ///< rows of a piece, or columns where there are no rows: a multiple of this
    int panel = 0;                    ///< columns of a product that may be cut: a multiple of this
    int cost = 0;                     ///< instructions that so many lanes take, in all phases
    int first_in_strip = -1, last_in_strip = -1;  ///< the kernels that run strip by strip together with it; -1: none
    std::int64_t strip = 0;                       ///< iterations of the first loop in a strip, or items
    std::int64_t strip_items = 0;                 ///< where strips are items: how many there are, as in a shape
    std::int64_t of_item = 1;                     ///< iterations of the first loop for each of them
    bool clears = false;                          ///< something of which there is more than a strip is filled before
};

/// Bytes behind each row of a buffer: for the last batch, which may be written as a whole. Rows that longer ones are
/// written to are a `multiple` of those.
inline constexpr int room_of_batch = 128;
/// A stored intermediate array, or scratch of one kernel.
struct buffer {
    dims shape;             ///< elements: the product, times `times`
    int times = 1;
    int element_size = 4;
    int first = 0, last = 0;  ///< kernels during which it is needed
    int multiple = 1;         ///< its last extent is rounded up to a multiple of this
    std::int64_t most = 0;    ///< it has no more elements than this, unless 0
    int call = -1;            ///< it is the workspace of this call's bodies
    bool apart = false;       ///< every thread has its own
    bool strip = false;       ///< it holds a strip at a time, of kernels that run in strips
    bool cleared = false;     ///< before each strip
    int copied_to = -1;       ///< the result that strips of it are copied to
    int margin = 0;           ///< so many zeros are before its first row and behind each
    /// Bytes before the first element.
    constexpr std::int64_t lead() const { return (std::int64_t{margin} * element_size + 63) / 64 * 64; }
};

/// A plan while it is made.
struct draft_plan {
    list<kernel> kernels;
    list<step> steps;
    list<root> roots;
    list<place> places;
    list<int> order;
    list<buffer> buffers;
    list<product> products;
    list<affine_walk> walks;
    list<walk_bound> bounds;
    list<planned_loop> custom_loops;
    list<planned_check> index_checks;
    list<planned_call> calls;
    list<loop_operand> call_operands;
    list<planned_result> call_results;
    list<std::int64_t> call_extents;
};

}  // namespace tapeless::detail::schedule_part
