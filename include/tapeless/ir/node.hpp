// SPDX-License-Identifier: MIT
#pragma once
// What a graph is made of: shapes as values, operations, nodes, run-time extents, what run time has to check, and calls of bodies.

#include <bit>
#include <cstdint>
#include <string_view>

#include <tapeless/array/dtype.hpp>
#include <tapeless/array/extents.hpp>
#include <tapeless/array/strided.hpp>
#include <tapeless/base/list.hpp>
#include <tapeless/ir/length.hpp>

namespace tapeless::detail {

/// A shape as a value. An extent >= 0 is a number; a negative one is the run-time extent ~e of the graph.
struct dims {
    int rank = 0;
    std::int64_t extent[max_rank]{};
    constexpr bool operator==(dims const&) const = default;
    /// Axes are counted from the right, so that shapes of different rank align as broadcasting wants.
    constexpr std::int64_t from_right(int k) const { return k < rank ? extent[rank - 1 - k] : 1; }
    constexpr bool is_scalar() const {
        for (int i = 0; i < rank; ++i)
            if (extent[i] != 1) return false;
        return true;
    }
    /// Number of elements; run-time extents count as one.
    constexpr std::int64_t static_size() const {
        std::int64_t n = 1;
        for (int i = 0; i < rank; ++i) n *= extent[i] < 0 ? 1 : extent[i];
        return n;
    }
    constexpr bool is_static() const {
        for (int i = 0; i < rank; ++i)
            if (extent[i] < 0) return false;
        return true;
    }
};

/// NumPy's rule. `u.same(a, b)` says what two extents that must agree become (and notes what run time has to check);
/// `u.fail()` is called for two numbers that do not.
template <class Unifier>
constexpr dims broadcast(Unifier& u, dims const& a, dims const& b) {
    dims r;
    r.rank = a.rank > b.rank ? a.rank : b.rank;
    for (int k = 0; k < r.rank; ++k) {
        std::int64_t x = a.from_right(k), y = b.from_right(k);
        r.extent[r.rank - 1 - k] = x == y ? x : x == 1 ? y : y == 1 ? x : u.same(x, y);
    }
    return r;
}

/// What an operation needs besides its inputs. Axes are a bit mask counted from the right; an offset is an extent as in dims.
struct attribute {
    std::int64_t axes = 0;
    double number = 0;
    int shape = -1;
    std::int64_t offset = 0;
    constexpr bool operator==(attribute const&) const = default;
};

enum class node_kind : std::uint8_t {
    argument,     ///< an array handed in
    constant,     ///< a number
    extent,       ///< a run-time extent as a number
    coordinate,   ///< 0, 1, 2, ... along the one axis of its shape
    blank,        ///< zeros: what is written into, and what views name the places of
    elementwise,  ///< one value from the values at the same index
    reduce,       ///< over the axes in the attribute, which stay as extents of 1
    contract,     ///< the sum of products of two operands over the axes in the attribute, which stay as extents of 1
    custom_loop, ///< an array computed from arrays by a loop of the operation's own
    view,         ///< some elements under other axes: nothing is computed
    put,          ///< the first operand with the second one written (or added) at the places that a view of a blank names
    alias,        ///< the value of its first input; keeps a derivative rule or a boundary until differentiation is done
};

/// What a view does: exchange axes, take every so many elements along one, or cut the same elements into other axes.
enum class view_form : std::uint8_t { axes, slice, reshape };

/// No enum class, here and in length_rules: for a name that g++ does not find in a user's function, such as `sum`, it offers the
/// enumerators of all of those.
struct reductions {
    enum reduction : std::uint8_t { none, sum, product, max, min };
};
using reduction = reductions::reduction;

/// What a node of kind `own` is: loops over arrays, or what belongs to the call of a body.
enum class loop_role : std::uint8_t {
    loops,
    operands,  ///< several values as one operand of a call
    call,      ///< runs a body, which is a graph of its own
    result,    ///< one of the arrays a call makes
};

struct builder;
struct node;

/// The operations that rules look for. An operation of the user's is none of them, whatever it is called.
struct builtins {
    enum builtin : std::uint8_t { none, neg, add, sub, mul, div, where, cast, equal };
};
using builtin = builtins::builtin;

inline constexpr int max_inputs = 5;
/// The most arrays that an operation with a loop of its own makes.
inline constexpr int max_parts = 4;

/// Tells types apart: the hash of the compiler's name of the function that makes the table, arguments included.
constexpr std::uint64_t identity_of(std::string_view function) {
    std::uint64_t h = 14695981039346656037u;
    for (char c : function) h = (h ^ static_cast<unsigned char>(c)) * 1099511628211u;
    return h;
}

/// The table of an operation: everything the passes and the loops need to know of it.
struct operation {
    char const* name = "";
    builtin is = builtin::none;
    std::uint64_t identity = 0;
    node_kind kind = node_kind::elementwise;
    reduction combine = reduction::none;
    view_form form = view_form::axes;
    int arity = 0;
    int cost = 1;  ///< about how many instructions: decides what is stored and what is computed again
    dtype in[max_inputs]{}, out = dtype::f32;
    loop_role role = loop_role::loops;
    bool same_value = false;  ///< the eval of an elementwise operation is the identity
    bool shapes = false, simplifies = false, differentiable = false, pushes = false, batches = false;  ///< which of the functions below there are
    dims (*shape)(builder&, node const&) = nullptr;  ///< none: that of the operands, broadcast
    int (*simplify)(builder&, node const&) = nullptr;
    /// Writes the cotangent of each input, or -1 where there is none.
    void (*pullback)(builder&, int y, int g, node const&, int* out) = nullptr;
    /// The tangent of the result from those of the inputs, where there is a rule for it; otherwise it is read off the pullback.
    int (*pushforward)(builder&, int y, node const&, int const* tangents) = nullptr;
    /// On registers: one batch (or mask) of each input to one of the result.
    void (*eval)(void* out, void const* a, void const* b, void const* c, double number) = nullptr;
    /// On arrays in memory, where the loop is the operation's own; there may be several results (without memory where nothing needs
    /// them), and elements of scratch.
    void (*run)(strided const* in, strided const* out, attribute const& at, void* scratch) = nullptr;
    /// Of a loop of its own, where the operands in the mask have many items along a leading axis: the same for all, or -1.
    int (*of_all)(builder&, node const&, unsigned leading) = nullptr;
    int part = 0;             ///< of a further result: which one of the operation that is its operand
    int scratch_element = 0;  ///< the size of an element of scratch, of which there are as many as the attribute's shape has
    bool takes_leading_axes = false;  ///< of a loop of its own: leading axes that all operands have are rows to it
    /// A node of it can be computed, and need not be made of others: simplification is a matter of speed.
    constexpr bool stands_alone() const {
        return (kind == node_kind::elementwise && !same_value) || (kind == node_kind::reduce && differentiable);
    }
    bool of_items = false;            ///< of an alias: the rule is written for one item, whatever the axes of many
};

/// The same operation on operands of the same types. Compilers have one name for several lambdas or local classes, so it is the
/// address of the table that decides; under -fsanitize=undefined g++ 12 does not compare those in constant expressions.
constexpr bool same_operation(operation const* a, operation const* b) {
    return a->identity == b->identity && (!__builtin_constant_p(a == b) || a == b);
}

struct node {
    operation const* op = nullptr;
    node_kind kind = node_kind::constant;
    dtype type = dtype::f32;
    int in[max_inputs]{-1, -1, -1, -1, -1};
    int shape = 0;  ///< number in the builder's table of shapes
    int source = -1;  ///< of an argument: which leaf; of an extent: which run-time extent
    attribute attr;
    int item_axes = 0;  ///< the operation is done to each item along so many leading axes, which all operands but numbers have
    int next = -1;  ///< the next node with the same hash
    /// Told by the kind: under -fsanitize g++ does not compare addresses with null in constant expressions.
    constexpr bool has_op() const { return kind >= node_kind::elementwise; }
    constexpr int arity() const { return kind >= node_kind::elementwise ? op->arity : 0; }
    /// Nodes with the same value: everything but `next` counts, and numbers bit by bit.
    constexpr bool equals(node const& o) const {
        return kind == o.kind && in[0] == o.in[0] && in[1] == o.in[1] && in[2] == o.in[2] && in[3] == o.in[3] && in[4] == o.in[4] &&
               shape == o.shape && source == o.source && type == o.type && item_axes == o.item_axes && attr.axes == o.attr.axes &&
               attr.shape == o.attr.shape && attr.offset == o.attr.offset &&
               std::bit_cast<std::uint64_t>(attr.number) == std::bit_cast<std::uint64_t>(o.attr.number) &&
               (!has_op() || same_operation(op, o.op));
    }
};

/// A run-time extent: the argument's axis it is the length of, or the formula that makes it from others, and what it was
/// found to be equal to.
struct run_time_extent {
    int leaf = 0, axis = 0;
    int parent = -1;          ///< of a union-find forest
    std::int64_t value = -1;  ///< the number it was found to be
    std::string_view name{};
    length_formula formula{};
    int outer = -1;           ///< in a body: the extent of the graph that calls it which this is
};

enum class relation : std::uint8_t { equal, at_most, at_least, multiple };

/// What run time has to check: that a run-time extent equals another one, or a number where `other` is -1, or is not
/// zero where `other` is -2; or that it is at most, or at least, or a multiple of that.
struct extent_check {
    int extent = 0, other = -1;
    std::int64_t value = 0;
    relation is = relation::equal;
    char const* op = nullptr;  ///< who needs it, where that is known
    constexpr bool operator==(extent_check const& o) const {
        return extent == o.extent && other == o.other && value == o.value && is == o.is;
    }
};

/// An index, or none: every number may be one.
struct maybe_index {
    bool given = false;
    std::int64_t value = 0;
    constexpr maybe_index() = default;
    constexpr maybe_index(std::int64_t index) : given(true), value(index) {}
    constexpr bool is(std::int64_t index) const { return given && value == index; }
    constexpr bool operator==(maybe_index const&) const = default;
};
/// Who looks at indices, what they are called where one is wrong, which one is right though it is out of range, and which one is
/// wrong though it is not, and why.
struct index_rule {
    char const* op = "";
    char const* what = "index";
    maybe_index exempt, refused;
    char const* reason = "";
    constexpr index_rule() = default;
    constexpr index_rule(char const* operation, char const* name = "index", maybe_index exempted = {})
        : op(operation), what(name), exempt(exempted) {}
    constexpr index_rule refusing(std::int64_t index, char const* why) const {
        index_rule r = *this;
        r.refused = index;
        r.reason = why;
        return r;
    }
};
/// What run time has to check: that the elements of an integer value are at least 0 and less than the size of a shape. Where
/// there are lengths, only so many elements of each row are looked at: the others may be anything.
struct index_check {
    int index = -1;   ///< the node
    int shape = 0;    ///< the number of the shape whose size is the limit
    index_rule rule;
    int lengths = -1;  ///< the node that holds a number for each row, checked before
};

/// A value that a later operation makes as well, in the sweep that makes other things too.
struct made_again {
    int value = -1, by = -1;
};

/// How a call runs its body.
enum class call_form : std::uint8_t {
    once,    ///< results from operands
    either,  ///< the first operand, an integer, chooses one of two bodies
    loop,    ///< step by step: carries from carries, an element of every sequence, and what is the same for all steps
};
/// What a result of a call is made of.
enum class result_form : std::uint8_t {
    plain,   ///< an output of the body
    last,    ///< a carry after the last step
    record,  ///< a carry before every step and after the last one; steps that run backwards fill it from its end
    stack,   ///< an output of the body after the carries, one element a step
};
struct call_result {
    result_form form = result_form::plain;
    int which = 0;
    constexpr bool operator==(call_result const&) const = default;
};
/// What a call does, but for its lists. Operands of a loop are the first carries, then sequences along a first axis, then constants.
struct call_header {
    char const* name = "";
    call_form form = call_form::once;
    int body[2]{-1, -1};
    int carries = 0, sequences = 0;
    bool backwards = false;
    std::int64_t steps = 1;  ///< an extent
};
/// The call of a body.
struct call_info : call_header {
    list<call_result> results;
    list<std::int64_t> extents;  ///< of each body, one after the other, when all passes are done: what its run-time extents are here

    constexpr call_header const& header() const { return *this; }
    constexpr bool operator==(call_info const& o) const {
        bool same = form == o.form && body[0] == o.body[0] && body[1] == o.body[1] && carries == o.carries && sequences == o.sequences &&
                    backwards == o.backwards && steps == o.steps && results.size() == o.results.size() && extents.size() == o.extents.size();
        for (int i = 0; same && i < results.size(); ++i) same = results.items[i] == o.results.items[i];
        for (int i = 0; same && i < extents.size(); ++i) same = extents.items[i] == o.extents.items[i];
        return same;
    }
};
/// A graph that calls run: its nodes begin with its arguments. The first `shared` of its run-time extents are those of the graph it
/// was cut out of, under the same numbers.
struct body {
    int inputs = 0, shared = 0;
    list<node> nodes;
    list<dims> shapes;
    list<run_time_extent> extents;
    list<index_check> index_checks;
    list<made_again> remade;
    list<call_info> calls;
    list<int> outputs, output_shape;
    list<std::int64_t> output_axes;
    list<char> dense;  ///< of each input: contiguous for certain; empty: all are
};

}  // namespace tapeless::detail
