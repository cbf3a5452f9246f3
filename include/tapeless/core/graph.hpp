// SPDX-License-Identifier: MIT
#pragma once
// The graph of a traced function: an SSA list of nodes, built in a constant expression with value numbering.

#include <bit>
#include <cstdint>
#include <string_view>

#include <tapeless/core/dtype.hpp>
#include <tapeless/core/extents.hpp>
#include <tapeless/core/length.hpp>
#include <tapeless/core/list.hpp>
#include <tapeless/core/strided.hpp>

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
    own,          ///< an array computed from arrays by a loop of the operation's own
    view,         ///< some elements under other axes: nothing is computed
    put,          ///< the first operand with the second one written (or added) at the places that a view of a blank names
    alias,        ///< the value of its first input; keeps a derivative rule or a boundary until differentiation is done
};

/// What a view does: exchange axes, take every so many elements along one, or cut the same elements into other axes.
enum class view_form : std::uint8_t { axes, slice, reshape };

enum class reduction : std::uint8_t { none, sum, product, max, min };

/// What a node of kind `own` is: loops over arrays, or what belongs to the call of a body.
enum class own_role : std::uint8_t {
    loops,
    operands,  ///< several values as one operand of a call
    call,      ///< runs a body, which is a graph of its own
    result,    ///< one of the arrays a call makes
};

struct builder;
struct node;

/// Operations are told apart by this number of their name.
constexpr std::uint32_t hash_of(std::string_view name) {
    std::uint32_t h = 2166136261u;
    for (char c : name) h = (h ^ static_cast<unsigned char>(c)) * 16777619u;
    return h;
}

inline constexpr int max_inputs = 5;
/// The most arrays that an operation with a loop of its own makes.
inline constexpr int max_parts = 4;

/// Tells types apart in constant expressions, where sanitizers keep g++ from comparing the addresses of tables: the hash of
/// the compiler's name of the function that makes the table, arguments included.
constexpr std::uint64_t identity_of(std::string_view function) {
    std::uint64_t h = 14695981039346656037u;
    for (char c : function) h = (h ^ static_cast<unsigned char>(c)) * 1099511628211u;
    return h;
}

/// The table of an operation: everything the passes and the loops need to know of it.
struct operation {
    char const* name = "";
    std::uint32_t hash = 0;
    std::uint64_t identity = 0;
    node_kind kind = node_kind::elementwise;
    reduction combine = reduction::none;
    view_form form = view_form::axes;
    int arity = 0;
    int cost = 1;  ///< about how many instructions: decides what is stored and what is computed again
    dtype in[max_inputs]{}, out = dtype::f32;
    own_role role = own_role::loops;
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
    bool of_items = false;            ///< of an alias: the rule is written for one item, whatever the axes of many
};

struct node {
    operation const* op = nullptr;
    node_kind kind = node_kind::constant;
    dtype type = dtype::f32;
    int in[max_inputs]{-1, -1, -1, -1, -1};
    int shape = 0;  ///< number in the builder's table of shapes
    int source = -1;  ///< of an argument: which leaf; of an extent: which run-time extent
    attribute attr;
    int items = 0;  ///< the operation is done to each item along so many leading axes, which all operands but numbers have
    int next = -1;  ///< the next node with the same hash
    /// Told by the kind: under -fsanitize g++ does not compare addresses with null in constant expressions.
    constexpr bool has_op() const { return kind >= node_kind::elementwise; }
    constexpr int arity() const { return has_op() ? op->arity : 0; }
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
    constexpr bool operator==(extent_check const&) const = default;
};

/// Who looks at indices, what they are called where one is wrong, which one is right though it is out of range, and which one is
/// wrong though it is not, and why.
struct index_rule {
    static constexpr std::int64_t none = -0x7fffffffffffffff - 1;
    char const* op = "";
    char const* what = "index";
    std::int64_t exempt = none, refused = none;
    char const* reason = "";
    constexpr index_rule() = default;
    constexpr index_rule(char const* operation, char const* name = "index", std::int64_t exempted = none)
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
};

struct builder {
    static constexpr int buckets = 512;
    list<node> nodes;
    list<dims> shapes;
    list<char> scalar;  ///< of each shape: one element for certain
    list<run_time_extent> extents;
    list<extent_check> checks;
    list<index_check> index_checks;
    list<made_again> remade;
    list<call_info> calls;
    list<body> bodies;  ///< of this graph's calls, and of the calls in them
    list<char> dense;   ///< of each argument: contiguous for certain; empty: all are
    int bucket[buckets];
    bool has_items = false;  ///< something was made for many items at once
    int barrier = 0;  ///< makes nodes distinct that value numbering must not merge

    constexpr builder() {
        for (int& b : bucket) b = -1;
        intern(dims{});
    }

    constexpr bool is_scalar(int id) const { return scalar.items[nodes.items[id].shape]; }
    constexpr dims const& shape_of(int id) const { return shapes.items[nodes.items[id].shape]; }

    constexpr int intern(dims const& d) {
        for (int i = 0; i < shapes.size(); ++i) {
            dims const& s = shapes.items[i];
            if (s.rank != d.rank) continue;
            int a = 0;
            while (a < d.rank && s.extent[a] == d.extent[a]) ++a;
            if (a == d.rank) return i;
        }
        scalar.push(d.is_scalar());
        return shapes.push(d);
    }
    /// The shape of values of shapes a and b side by side.
    constexpr int broadcast_shapes(int a, int b) {
        if (a == b || b == 0) return a;  // 0 is the shape of a number
        if (a == 0) return b;
        dims const x = shapes.items[a], y = shapes.items[b];
        return intern(broadcast(*this, x, y));
    }

    constexpr int root(int e) const {
        while (extents.items[e].parent >= 0) e = extents.items[e].parent;
        return e;
    }
    constexpr std::int64_t resolve(std::int64_t e) const {
        if (e >= 0) return e;
        int r = root(static_cast<int>(~e));
        return extents.items[r].value >= 0 ? extents.items[r].value : ~static_cast<std::int64_t>(r);
    }
    /// Two extents that must be the same number: run time will check it, from here on they are one.
    constexpr std::int64_t same(std::int64_t a, std::int64_t b) {
        std::int64_t x = resolve(a), y = resolve(b);
        if (x == y) return x;
        if (a >= 0 && b >= 0) return a;  // two numbers: refused where the expression was written
        if (a < 0 && b < 0) checks.push({static_cast<int>(~a), static_cast<int>(~b), 0});
        else if (a < 0) checks.push({static_cast<int>(~a), -1, b});
        else checks.push({static_cast<int>(~b), -1, a});
        if (y < 0) {
            if (x >= 0) extents.items[static_cast<int>(~y)].value = x;
            else extents.items[static_cast<int>(~y)].parent = static_cast<int>(~x);
            return x;
        }
        if (x < 0) extents.items[static_cast<int>(~x)].value = y;
        return y;
    }

    /// A length made from others: a number where those are, else a run-time extent (the same one for the same formula).
    constexpr std::int64_t derived(length_formula f) {
        f.a = resolve(f.a);
        f.b = resolve(f.b);
        if (f.a >= 0 && f.b >= 0) return f.apply(f.a, f.b);
        if (f.rule == length_rule::sum && (f.a == 0 || f.b == 0)) return f.a == 0 ? f.b : f.a;
        if (f.rule == length_rule::difference && f.b == 0) return f.a;
        if (f.rule == length_rule::difference && f.b < 0) {  // n - min(n, k) is n - k, or 0
            length_formula const& less = extents.items[static_cast<int>(~f.b)].formula;
            if (less.rule == length_rule::minimum && less.a == f.a) return difference(f.a, less.b);
        }
        if (f.rule == length_rule::product && (f.a == 1 || f.b == 1)) return f.a == 1 ? f.b : f.a;
        if (f.rule == length_rule::quotient && f.b == 1) return f.a;
        if (std::int64_t const known = find_derived(f); known < 0) return known;
        return ~static_cast<std::int64_t>(extents.push({-1, 0, -1, -1, {}, f}));
    }
    /// The run-time extent with this formula, or 0 where there is none yet.
    constexpr std::int64_t find_derived(length_formula const& f) const {
        for (int i = 0; i < extents.size(); ++i)
            if (extents.items[i].formula == f) return ~static_cast<std::int64_t>(root(i));
        return 0;
    }
    constexpr std::int64_t sum(std::int64_t a, std::int64_t b) { return derived({.rule = length_rule::sum, .a = a, .b = b}); }
    constexpr std::int64_t difference(std::int64_t a, std::int64_t b) {
        return derived({.rule = length_rule::difference, .a = a, .b = b});
    }
    constexpr std::int64_t product(std::int64_t a, std::int64_t b) {
        return derived({.rule = length_rule::product, .a = a, .b = b});
    }
    /// Run time will check what the constants do not say already.
    constexpr void check(std::int64_t extent, relation is, std::int64_t value) {
        if (extent < 0) check(extent_check{static_cast<int>(~extent), -1, value, is});
    }
    /// Run time will check that one extent is at most another.
    constexpr void at_most(std::int64_t a, std::int64_t b) {
        std::int64_t const x = resolve(a), y = resolve(b);
        if (x == y || (a >= 0 && b >= 0)) return;  // two numbers: refused where the expression was written
        if (a < 0 && b < 0) check(extent_check{static_cast<int>(~a), static_cast<int>(~b), 0, relation::at_most});
        else if (a < 0) check(a, relation::at_most, b);
        else check(b, relation::at_least, a);
    }
    constexpr void check(extent_check const& c) {
        for (extent_check const& known : checks)
            if (known == c) return;
        checks.push(c);
    }
    /// Run time will check that the elements of `index` point into an axis, or axes, of this shape.
    constexpr void check_index(int index, dims const& limit, index_rule const& rule, int lengths = -1) {
        int const shape = intern(limit);
        for (index_check const& known : index_checks)
            if (known.index == index && known.shape == shape && known.rule.exempt == rule.exempt &&
                known.rule.refused == rule.refused && known.lengths == lengths)
                return;
        index_checks.push({index, shape, rule, lengths});
    }

    constexpr int push(node n) {
        auto const bits = std::bit_cast<std::uint64_t>(n.attr.number);
        std::uint32_t h = n.has_op() ? n.op->hash : static_cast<std::uint32_t>(n.kind) + 7u;
        h = (h ^ static_cast<std::uint32_t>(n.in[0] + 1)) * 0x9e3779b1u;
        h = (h ^ static_cast<std::uint32_t>(n.in[1] + 1)) * 0x9e3779b1u;
        h = (h ^ static_cast<std::uint32_t>(n.in[2] + 1) ^ static_cast<std::uint32_t>(bits ^ (bits >> 32)) ^
             static_cast<std::uint32_t>(n.attr.offset << 8)) *
            0x9e3779b1u;
        h = ((h ^ static_cast<std::uint32_t>(n.shape * 64 + n.source + 1)) * 0x9e3779b1u) >> 16;
        int& head = bucket[h % buckets];
        for (int i = head; i >= 0 && n.kind != node_kind::alias; i = nodes.items[i].next) {
            node const& o = nodes.items[i];
            if (o.kind == n.kind && (!n.has_op() || o.op->identity == n.op->identity) && o.in[0] == n.in[0] && o.in[1] == n.in[1] && o.in[2] == n.in[2] &&
                o.in[3] == n.in[3] && o.in[4] == n.in[4] && o.shape == n.shape && o.source == n.source && o.type == n.type &&
                o.items == n.items &&
                o.attr.axes == n.attr.axes && o.attr.shape == n.attr.shape && o.attr.offset == n.attr.offset &&
                std::bit_cast<std::uint64_t>(o.attr.number) == bits)
                return i;
        }
        n.next = head;
        head = nodes.push(n);
        return head;
    }

    constexpr int constant(double value, dtype type) {
        node n;
        n.kind = node_kind::constant;
        n.type = type;
        n.attr.number = type == dtype::f32 ? static_cast<double>(static_cast<float>(value)) : value;
        return push(n);
    }
    /// The position along an axis of that extent; a view puts it beside other axes.
    constexpr int coordinate(std::int64_t extent, dtype type) {
        node n;
        n.kind = node_kind::coordinate;
        n.type = type;
        dims d;
        d.rank = 1;
        d.extent[0] = resolve(extent);
        n.shape = intern(d);
        return push(n);
    }
    /// Zeros of a shape.
    constexpr int blank(int shape, dtype type) {
        node n;
        n.kind = node_kind::blank;
        n.type = type;
        n.shape = shape;
        return push(n);
    }
    constexpr bool is_constant(int id) const { return nodes.items[id].kind == node_kind::constant; }
    constexpr bool is_constant(int id, double v) const { return is_constant(id) && nodes.items[id].attr.number == v; }

    constexpr int emit(operation const& op, node n) {
        n.op = &op;
        n.kind = op.kind;
        n.type = op.out;
        if (op.simplifies) {
            int r = op.simplify(*this, n);
            if (r >= 0) return r;
        }
        if (op.shapes) {
            n.shape = intern(op.shape(*this, n));
        } else {
            n.shape = nodes.items[n.in[0]].shape;
            for (int i = 1; i < op.arity; ++i) n.shape = broadcast_shapes(n.shape, nodes.items[n.in[i]].shape);
        }
        return push(n);
    }
};

}  // namespace tapeless::detail
