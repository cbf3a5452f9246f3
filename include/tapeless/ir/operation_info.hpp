// SPDX-License-Identifier: MIT
#pragma once
// What the passes and the loops know of an operation: its kind, its name, and its rules.

#include <array>
#include <cstdint>

#include <tapeless/array/dtype.hpp>
#include <tapeless/array/strided.hpp>
#include <tapeless/ir/attribute.hpp>
#include <tapeless/ir/dims.hpp>

namespace tapeless::detail::inline ir_part {

enum class node_kind : std::uint8_t {
    argument,     ///< an array handed in
    constant,     ///< a number
    extent,       ///< a run-time extent as a number
    coordinate,   ///< 0, 1, 2, ... along the one axis of its shape
    blank,        ///< zeros: what is written into, and what views name the places of
    table,        ///< an array of numbers that are known when compiled: a constant of the program
    elementwise,  ///< one value from the values at the same index
    reduce,       ///< over the axes in the attribute, which stay as extents of 1
    contract,     ///< the sum of products of two operands over the axes in the attribute, which stay as extents of 1
    custom_loop, ///< an array computed from arrays by a loop of the operation's own
    view,         ///< some elements under other axes: nothing is computed
    padded,       ///< the operand with zeros around it along one axis: read where it is, nothing outside it
    /// the first operand with the second one written (or added) at the places that a view of a blank names
    put,
    alias,        ///< the value of its first input; keeps a derivative rule or a boundary until differentiation is done
};

/// What a view does: exchange axes, take every so many elements along one, cut the same elements into other axes, or
/// show an axis through windows that slide along it.
enum class view_form : std::uint8_t { axes, slice, reshape, windows, picked };

/// No enum class, here and in length_rules: for a name that g++ does not find in a user's function, such as `sum`, it
/// offers the enumerators of all of those.
struct combinations {
    enum combination : std::uint8_t { none, sum, product, max, min };
};
using combination = combinations::combination;

/// What a node of kind `custom_loop` is: loops over arrays, or what belongs to the call of a body.
enum class loop_role : std::uint8_t {
    loops,
    operands,  ///< several values as one operand of a call
    call,      ///< runs a body, which is a graph of its own
    result,    ///< one of the arrays a call makes
};

/// The operations that rules look for. An operation of the user's is none of them, whatever it is called.
struct builtins {
    enum builtin : std::uint8_t {
        none, neg, add, sub, mul, div, where, cast, equal, less_equal, relu,
        product_and_term,  ///< fma and its like: a b and c, added or subtracted
        running_sum, running_product, previous, recurrence,  ///< along an axis
        picked_rows, added_rows,                             ///< at an index
    };
};
using builtin = builtins::builtin;

struct builder;
struct node;

inline constexpr int max_inputs = 5;
/// The most arrays that an operation with a loop of its own makes.
inline constexpr int max_parts = 4;
/// Matrices of so many rows are written out where that is known when compiled. (Loops are no slower from 12 rows on,
/// and compiled in a third of the time: bench_linalg, "batch".)
inline constexpr int small_sizes[] = {2, 3, 4, 5, 6, 7, 8};

template <class... X>
constexpr char const* name_of_types() {
    return __PRETTY_FUNCTION__;
}
/// Tells types apart: a hash of the compiler's names of them. (Every character is a step for it: those that all these
/// names begin with are left out.)
template <class... X>
constexpr std::uint64_t identity_of() {
    std::uint64_t h = 14695981039346656037u;
    char const* c = name_of_types<X...>() + (__builtin_strlen(name_of_types<>()) - 2);
    for (; *c != 0; ++c) h = (h ^ static_cast<unsigned char>(*c)) * 1099511628211u;
    return h;
}

/// How threads share a loop of its own: iterations along the first axis of its results have nothing to do with one
/// another, and are computed alike whichever of them are run together.
struct loop_cut {
    /// of each operand, the axis that goes with it, from the first on; -1: none does
    int axis[max_inputs]{-1, -1, -1, -1, -1};
    std::int64_t least = 0;  ///< elements of operands and results from which on it is worth it; 0: never
    std::int64_t grain = 1;  ///< iterations are run a multiple of this together
};

/// The table of an operation: everything the passes and the loops need to know of it.
struct operation {
    char const* name = "";
    builtin is = builtin::none;
    std::uint64_t identity = 0;
    node_kind kind = node_kind::elementwise;
    combination combine = combination::none;
    view_form form = view_form::axes;
    int arity = 0;
    int cost = 1;  ///< about how many instructions: decides what is stored and what is computed again
    int side_by_side = 4;  ///< of a function: more batches at a time than these gain nothing
    dtype in[max_inputs]{}, out = dtype::f32;
    loop_role role = loop_role::loops;
    bool same_value = false;  ///< the eval of an elementwise operation is the identity
    bool keeps_type = false;  ///< of what it moves: the result's is the first operand's, rather than `out`
    /// which of the functions below there are
    bool shapes = false, simplifies = false, differentiable = false, pushes = false, batches = false, cuts = false;
    dims (*shape)(builder&, node const&) = nullptr;  ///< none: that of the operands, broadcast
    int (*simplify)(builder&, node const&) = nullptr;
    /// Writes the cotangent of each input, or -1 where there is none.
    void (*pullback)(builder&, int y, int g, node const&, int* out) = nullptr;
    /// The tangent of the result from those of the inputs, where there is a rule for it; otherwise it is read off the
    /// pullback.
    int (*pushforward)(builder&, int y, node const&, int const* tangents) = nullptr;
    /// On registers: one batch (or mask) of each input to one of the result.
    void (*eval)(void* out, void const* a, void const* b, void const* c, double number) = nullptr;
    /// The same where all lanes of an input are one number: with an instruction for numbers, if there is a better one.
    void (*eval_one)(void* out, void const* a, void const* b, void const* c, double number) = nullptr;
    /// On arrays in memory, where the loop is the operation's own; there may be several results (without memory where
    /// nothing needs them), and elements of scratch.
    using loop_function = void (*)(strided const* in, strided const* out, attribute const& at, void* scratch);
    loop_function run = nullptr;
    /// The same for matrices of small_sizes[k] rows, where the operation has a loop for those: it is taken where the
    /// first operand has so many columns for certain.
    loop_function run_small[std::size(small_sizes)]{};
    /// The loop that is taken, and whether it is one of those: they make one array, and look at nothing but its axes
    /// and the operands'.
    struct chosen_loop {
        loop_function run = nullptr;
        bool small = false;
    };
    constexpr chosen_loop run_for(std::int64_t columns) const {
        for (int k = 0; k < static_cast<int>(std::size(small_sizes)); ++k)
            if (small_sizes[k] == columns && has_small) return {run_small[k], true};
        return {run, false};
    }
    /// Of a loop of its own, where the operands in the mask have many items along a leading axis: the same for all,
    /// or -1.
    int (*of_all)(builder&, node const&, unsigned leading) = nullptr;
    /// Of a loop of its own: numbers that otherwise only its type knows, such as strides, for whoever reads a graph.
    int const* parameters = nullptr;
    bool has_small = false;
    int part = 0;             ///< of a further result: which one of the operation that is its operand
    /// the size of an element of scratch, of which there are as many as the attribute's shape has
    int scratch_element = 0;
    bool scratch_by_offset = false;  ///< or as its offset says: the shape is then the result's
    /// Of a loop of its own, with results of this rank, and a first operand of that.
    loop_cut (*cut)(attribute const&, int rank, int operand) = nullptr;
    /// Of a loop of its own: the same with one more operand, a number for each index along axis `finished_axis` (from
    /// the right) of the result, which is added before anything is stored. -1: there is none.
    operation const* finished = nullptr;
    int finished_axis = -1;
    bool is_finished = false;  ///< it is such a loop
    /// Of a loop of its own over images: the same with one more operand as well, whose result is the largest of each
    /// two by two. All of them are its further result, of this operation.
    operation const* pooled = nullptr;
    operation const* kept = nullptr;
    bool has_pooled = false, pools_results = false;  ///< whether there is one; whether it is one
    bool pools_pairs = false;  ///< of a loop of its own: the largest of each two by two elements, side by side
    bool runs_alone = false;  ///< of a loop of its own: on the caller, item after item
    bool takes_leading_axes = false;  ///< of a loop of its own: leading axes that all operands have are rows to it
    /// A node of it can be computed, and need not be made of others: simplification is a matter of speed.
    constexpr bool stands_alone() const {
        return kind == node_kind::elementwise || kind == node_kind::view || kind == node_kind::padded ||
               kind == node_kind::put || (kind == node_kind::reduce && differentiable);
    }
    bool of_items = false;            ///< of an alias: the rule is written for one item, whatever the axes of many
};

/// The same operation on operands of the same types. Compilers have one name for several lambdas or local classes, so
/// it is the address of the table that decides; under -fsanitize=undefined g++ 12 does not compare those in constant
/// expressions.
constexpr bool same_operation(operation const* a, operation const* b) {
    return a->identity == b->identity && (!__builtin_constant_p(a == b) || a == b);
}

}  // namespace tapeless::detail::ir_part
