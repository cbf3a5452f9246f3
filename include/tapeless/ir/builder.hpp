// SPDX-License-Identifier: MIT
#pragma once
// The graph of a traced function: an SSA list of nodes, built in a constant expression with value numbering.

#include <concepts>
#include <cstdint>

#include <tapeless/ir/call_info.hpp>
#include <tapeless/ir/constant_table.hpp>
#include <tapeless/ir/extent_table.hpp>
#include <tapeless/ir/node_table.hpp>
#include <tapeless/ir/real_rules.hpp>
#include <tapeless/ir/shape_table.hpp>

namespace tapeless::detail::inline ir_part {

/// A graph that grows: nodes, shapes and run-time extents, and the operations that are emitted into them.
struct builder : node_table, shape_table, extent_table {
    list<index_check> index_checks;
    list<made_again> remade;
    list<call_info> calls;
    list<body> bodies;  ///< of this graph's calls, and of the calls in them
    constant_table constants;  ///< of this graph and of the bodies
    list<char> dense;   ///< of each argument: contiguous for certain; empty: all are
    list<char> steady;  ///< of each argument of a loop's body: the same array in all steps; empty: none
    list<char> columns;  ///< of each argument, then of each result: it lies column by column; empty: none does
    bool has_items = false;  ///< something was made for many items at once
    bool literal = false;    ///< operations that can be computed as they stand are left as they stand: tests compare
    bool notes_simplifications = false;
    list<char const*> simplified;  ///< the names of the rows that were applied, where somebody wants to know
    real_rules const* rules[2] = {};  ///< of float and of double, where there is something of that type
    bool is_refused = false;
    void (*refusal)() = nullptr;  ///< what is_refused: a function that is not constexpr, whose name says why

    /// A rule says that there is no derivative: the sweep that asked calls `why` at its end, where few calls stand in
    /// the message.
    constexpr void refuse_later(void (*why)()) { is_refused = true, refusal = why; }

    /// There is something of type T.
    template <class T>
    constexpr void knows() {
        if constexpr (std::same_as<T, float> || std::same_as<T, double>)
            rules[std::same_as<T, double>] = find_real_rules<T>();
    }
    constexpr void take_rules(builder const& other) { rules[0] = other.rules[0], rules[1] = other.rules[1]; }
    /// What can be done with node id, which is float or double.
    constexpr real_rules const& real(int id) const { return *rules[nodes.items[id].type == dtype::f64]; }

    constexpr bool is_scalar(int id) const { return scalar.items[nodes.items[id].shape]; }
    constexpr dims const& shape_of(int id) const { return shapes.items[nodes.items[id].shape]; }
    /// The shape of values of shapes a and b side by side.
    constexpr int broadcast_shapes(int a, int b) {
        if (a == b || b == 0) return a;  // 0 is the shape of a number
        if (a == 0) return b;
        dims const x = shapes.items[a], y = shapes.items[b];
        return intern(broadcast(*this, x, y));
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
    /// An array of constants: as many numbers as the shape has elements.
    constexpr int table(double const* numbers, int shape, dtype type) {
        node n;
        n.kind = node_kind::table;
        n.type = type;
        n.shape = shape;
        n.source = constants.add(numbers, static_cast<int>(shapes.items[shape].static_size()), type);
        return push(n);
    }
    constexpr bool is_constant(int id) const { return nodes.items[id].kind == node_kind::constant; }
    constexpr bool is_constant(int id, double v) const { return is_constant(id) && nodes.items[id].attr.value() == v; }

    /// The first argument of that type with so many axes, otherwise the first of all.
    constexpr int argument_of(dtype type, int rank) const {
        for (int i = 0; i < nodes.size(); ++i)
            if (nodes.items[i].kind == node_kind::argument && nodes.items[i].type == type && shape_of(i).rank == rank)
                return i;
        return 0;
    }

    /// Lengths that are found to be the same meanwhile are so because of `op`, or of the operation that is made of it.
    constexpr int emit(operation const& op, node const& n) {
        if (is_doing) return emit_part(op, n);
        doing = op.name, is_doing = true;
        int const r = emit_part(op, n);
        return doing = nullptr, is_doing = false, r;
    }
    constexpr int emit_part(operation const& op, node n) {
        n.op = &op;
        n.kind = op.kind;
        n.type = op.keeps_type ? nodes.items[n.in[0]].type : op.out;
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

}  // namespace tapeless::detail::ir_part
