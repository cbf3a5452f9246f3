// SPDX-License-Identifier: MIT
#pragma once
// The graph of a traced function: an SSA list of nodes, built in a constant expression with value numbering.

#include <bit>
#include <cstdint>

#include <tapeless/ir/node.hpp>

namespace tapeless::detail {

struct builder {
    static constexpr int buckets = 512, shape_buckets = 64;
    list<node> nodes;
    list<dims> shapes;
    list<char> scalar;  ///< of each shape: one element for certain
    list<run_time_extent> extents;
    list<extent_check> checks;
    char const* doing = nullptr;  ///< the operation that is being emitted
    list<index_check> index_checks;
    list<made_again> remade;
    list<call_info> calls;
    list<body> bodies;  ///< of this graph's calls, and of the calls in them
    list<char> dense;   ///< of each argument: contiguous for certain; empty: all are
    int bucket[buckets];
    int shape_bucket[shape_buckets];
    list<int> next_shape;  ///< with the same hash
    bool has_items = false;  ///< something was made for many items at once
    bool literal = false;    ///< operations that can be computed as they stand are left as they stand: tests compare
    int barrier = 0;  ///< makes nodes distinct that value numbering must not merge

    constexpr builder() {
        for (int& b : bucket) b = -1;
        for (int& b : shape_bucket) b = -1;
        intern(dims{});
    }

    constexpr bool is_scalar(int id) const { return scalar.items[nodes.items[id].shape]; }
    constexpr dims const& shape_of(int id) const { return shapes.items[nodes.items[id].shape]; }

    constexpr int intern(dims const& d) {
        int& head = shape_bucket[hash(d)];
        for (int i = head; i >= 0; i = next_shape.items[i]) {
            dims const& s = shapes.items[i];
            if (s.rank != d.rank) continue;
            int a = 0;
            while (a < d.rank && s.extent[a] == d.extent[a]) ++a;
            if (a == d.rank) return i;
        }
        return head = append_shape(d, head);
    }
    static constexpr unsigned hash(dims const& d) {
        std::uint64_t h = 0;
        for (int a = 0; a < d.rank; ++a) h = h * 31 + static_cast<std::uint64_t>(d.extent[a]) + 3;
        return static_cast<unsigned>((h ^ (h >> 6) ^ (h >> 12)) % shape_buckets);
    }
    constexpr int append_shape(dims const& d, int next) {
        scalar.push(d.is_scalar());
        next_shape.push(next);
        return shapes.push(d);
    }
    /// These shapes, under the numbers they have there.
    constexpr void take_shapes(auto const& table) {
        shapes.resize(0);
        scalar.resize(0);
        next_shape.resize(0);
        for (int& b : shape_bucket) b = -1;
        for (dims const& d : table) {
            int& head = shape_bucket[hash(d)];
            head = append_shape(d, head);
        }
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
    constexpr std::int64_t same(std::int64_t a, std::int64_t b, char const* op = nullptr) {
        std::int64_t x = resolve(a), y = resolve(b);
        if (x == y) return x;
        if (doing) op = doing;
        if (a >= 0 && b >= 0) return a;  // two numbers: refused where the expression was written
        if (a < 0 && b < 0) checks.push({static_cast<int>(~a), static_cast<int>(~b), 0, relation::equal, op});
        else if (a < 0) checks.push({static_cast<int>(~a), -1, b, relation::equal, op});
        else checks.push({static_cast<int>(~b), -1, a, relation::equal, op});
        unite(x, y);
        unite_derived();
        return resolve(x);
    }
    /// Two extents that are resolved, and not the same yet, are one.
    constexpr void unite(std::int64_t x, std::int64_t y) {
        if (y >= 0) extents.items[static_cast<int>(~x)].value = y;
        else if (x >= 0) extents.items[static_cast<int>(~y)].value = x;
        else extents.items[static_cast<int>(~y)].parent = static_cast<int>(~x);
    }
    /// Lengths that are made in the same way from what has become the same are the same too.
    constexpr void unite_derived() {
        for (bool changed = true; changed;) {
            changed = false;
            for (int i = 0; i < extents.size(); ++i) {
                if (extents.items[i].formula.rule == length_rule::given) continue;
                length_formula const f = resolved(extents.items[i].formula);
                std::int64_t const x = resolve(~static_cast<std::int64_t>(i));
                std::int64_t const y = f.a >= 0 && f.b >= 0 ? f.apply(f.a, f.b) : resolve(~static_cast<std::int64_t>(with_formula(f)));
                if (x == y || (x >= 0 && y >= 0)) continue;  // two numbers: what run time checks will not hold
                unite(y, x);
                changed = true;
            }
        }
    }

    /// A length made from others: a number where those are, else a run-time extent (the same one for the same formula).
    constexpr std::int64_t derived(length_formula f) {
        f = resolved(f);
        if (f.a >= 0 && f.b >= 0) return f.apply(f.a, f.b);
        if (f.rule == length_rule::sum && (f.a == 0 || f.b == 0)) return f.a == 0 ? f.b : f.a;
        if (f.rule == length_rule::difference && f.b == 0) return f.a;
        if (f.rule == length_rule::difference && f.b < 0) {  // n - min(n, k) is n - k, or 0
            length_formula const& less = extents.items[static_cast<int>(~f.b)].formula;
            if (less.rule == length_rule::minimum && less.a == f.a) return difference(f.a, less.b);
        }
        if (f.rule == length_rule::product && (f.a == 1 || f.b == 1)) return f.a == 1 ? f.b : f.a;
        if (f.rule == length_rule::quotient && f.b == 1) return f.a;
        if (int const known = with_formula(f); known >= 0) return resolve(~static_cast<std::int64_t>(known));
        return ~static_cast<std::int64_t>(extents.push({-1, 0, -1, -1, {}, f}));
    }
    constexpr length_formula resolved(length_formula f) const {
        f.a = resolve(f.a);
        f.b = resolve(f.b);
        return f;
    }
    /// The first run-time extent that is made by this formula, whose lengths are resolved, or -1.
    constexpr int with_formula(length_formula const& f) const {
        for (int i = 0; i < extents.size(); ++i)
            if (extents.items[i].formula.rule == f.rule && resolved(extents.items[i].formula) == f) return i;
        return -1;
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
        if (extent < 0) check(extent_check{static_cast<int>(~extent), -1, value, is, doing});
    }
    /// Run time will check that one extent is at most another.
    constexpr void at_most(std::int64_t a, std::int64_t b) {
        std::int64_t const x = resolve(a), y = resolve(b);
        if (x == y || (a >= 0 && b >= 0)) return;  // two numbers: refused where the expression was written
        if (a < 0 && b < 0) check(extent_check{static_cast<int>(~a), static_cast<int>(~b), 0, relation::at_most, doing});
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
        std::uint32_t h = n.has_op() ? static_cast<std::uint32_t>(n.op->identity) : static_cast<std::uint32_t>(n.kind) + 7u;
        h = (h ^ static_cast<std::uint32_t>(n.in[0] + 1)) * 0x9e3779b1u;
        h = (h ^ static_cast<std::uint32_t>(n.in[1] + 1)) * 0x9e3779b1u;
        h = (h ^ static_cast<std::uint32_t>(n.in[2] + 1) ^ static_cast<std::uint32_t>(bits ^ (bits >> 32)) ^
             static_cast<std::uint32_t>(n.attr.offset << 8)) *
            0x9e3779b1u;
        h = ((h ^ static_cast<std::uint32_t>(n.shape * 64 + n.source + 1)) * 0x9e3779b1u) >> 16;
        int& head = bucket[h % buckets];
        for (int i = head; i >= 0 && n.kind != node_kind::alias; i = nodes.items[i].next)
            if (nodes.items[i].equals(n)) return i;
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

    /// Lengths that are found to be the same meanwhile are so because of `op`, or of the operation that is made of it.
    constexpr int emit(operation const& op, node const& n) {
        if (doing) return emit_part(op, n);
        doing = op.name;
        int const r = emit_part(op, n);
        doing = nullptr;
        return r;
    }
    constexpr int emit_part(operation const& op, node n) {
        n.op = &op;
        n.kind = op.kind;
        n.type = op.out;
        if (op.simplifies && !(literal && op.stands_alone())) {
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
