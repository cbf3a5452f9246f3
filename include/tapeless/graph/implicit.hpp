// SPDX-License-Identifier: MIT
#pragma once
// Derivatives of implicit functions: x with r(x, a) = 0 has dx = -(dr/dx)^-1 dr/da da. One linear system is solved, and
// nothing is known of how x was found; nothing flows to where the search began.

#include <tapeless/graph/body_editor.hpp>
#include <tapeless/graph/units.hpp>
#include <tapeless/ops/linalg/solve.hpp>

namespace tapeless::detail::inline graph_part {

/// Reverse mode over a graph: what cotangents `seeds` of `ys` become at `wanted`.
using reverse_pass = list<int>(builder& b, list<int> const& ys, list<int> const& seeds, list<int> const& wanted);
/// Forward mode over a graph: the tangents of `ys` where the inputs have tangents.
using forward_pass = list<int>(builder& b, list<int> const& ys, list<int> const& inputs, list<int> const& tangents);

constexpr std::int64_t size_of_shape(builder& b, dims const& d) {
    std::int64_t n = 1;
    for (int a = 0; a < d.rank; ++a) n = b.product(n, b.resolve(d.extent[a]));
    return n;
}

/// Whether y is computed from x element by element, so that dy/dx is diagonal.
constexpr bool is_lanewise(builder const& b, int y, int x) {
    list<int> inputs;
    inputs.push(x);
    list<char> const reach = dependents(b, inputs);
    list<char> needed(b.nodes.size(), 0);
    needed.items[y] = 1;
    for (int i = y; i > x; --i) {
        if (!needed.items[i] || !reach.items[i]) continue;
        node const& n = b.nodes.items[i];
        if (n.shape != b.nodes.items[x].shape) return false;
        if (n.kind != node_kind::elementwise && (n.kind != node_kind::alias || n.has_rule_of_its_own())) return false;
        for (int j = 0; j < n.arity(); ++j) needed.items[n.in[j]] = 1;
    }
    return reach.items[y];
}

/// The solution of the linear system of a matrix, or of the transposed one. (Passes reach it through the call that it
/// belongs to: the kernels that factor matrices are instantiated where an equation is solved, not wherever the
/// library is included.)
template <class T>
constexpr int emit_solved(builder& b, int matrix, int right, std::int64_t flags) {
    dims const d = b.shape_of(right);
    dims const column = with_axes(dims{}, size_of_shape(b, d), 1);
    node_ref<T> const a(&b, matrix), y(&b, emit_reshape(b, right, column));
    return emit_reshape(b, emit_solution<T>(a, emit_factors<T>(b, matrix), y, flags).id, d);
}

/// dr/dx: a matrix, or where it is diagonal the array of what stands there; neither, where only its products are used.
struct linear_system {
    builder& b;
    system_solver how;
    int matrix = -1;  ///< or the array of factors
    int residual = -1, unknown = -1;

    /// From what each element of r flows back to x.
    constexpr linear_system(builder& graph, system_solver const& by, int r, int x, reverse_pass* differentiate)
        : b(graph), how(by), residual(r), unknown(x) {
        if (is_by_products()) return;
        auto pull = [&](int seed) {
            list<int> ys, seeds, wanted;
            ys.push(r), seeds.push(seed), wanted.push(x);
            return differentiate(b, ys, seeds, wanted)[0];
        };
        if (how.lanewise) matrix = whole(pull(b.constant(1, b.nodes[x].type)), x);
        else matrix = square(for_all_units(b, r, [&](int unit) { return list<int>(1, whole(pull(unit), x)); })[0], x);
    }
    constexpr bool is_by_products() const { return how.without_matrix && !how.lanewise; }
    /// dr/dx y = right, or transposed.
    constexpr int solve(int right, bool transposed, std::int64_t flags = 0) {
        if (transposed) flags |= is_transposed;
        if (is_by_products()) return how.products(b, residual, unknown, right, flags);
        if (!how.lanewise) return how.solver(b, matrix, right, flags);
        return b.real(right).div(b, right, matrix);
    }

    /// And so much more on the diagonal.
    constexpr void add_to_diagonal(int number) {
        real_rules const& real = b.real(matrix);
        matrix = real.add(b, matrix, how.lanewise ? number : real.on_diagonal(b, matrix, number));
    }

private:
    constexpr int whole(int id, int like) { return emit_whole(b, id, like); }
    constexpr int square(int id, int x) {
        std::int64_t const n = size_of_shape(b, dims(b.shape_of(x)));
        if (id < 0) return emit_expand(b, b.constant(0, b.nodes[x].type), with_axes(dims{}, n, n));
        return emit_reshape(b, id, with_axes(dims{}, n, n));
    }
};

/// The rule of an implicit function.
class implicit_rule {
public:
    constexpr implicit_rule(builder& graph, call_info const& c, reverse_pass* reverse)
        : b(graph), info(c), differentiate(reverse) {}

    /// The cotangents of the operands (-1: none) from that of x.
    constexpr list<int> pull(int x, int g, list<int> const& operands, list<char> const& active) {
        list<int> r(operands.size(), -1);
        if (info.item_axes > 0) {
            one_item const one(*this, x, operands);
            int const item = one_of(emit_whole(b, g, x));
            list<int> const c = implicit_rule(b, info_of_item(), differentiate).pull(one.x, item, one.operands, active);
            list<int> arrays = one.arrays, stand_ins = one.stand_ins;
            arrays.push(emit_whole(b, g, x));
            stand_ins.push(item);
            for (int j = 0; j < operands.size(); ++j)
                if (c[j] >= 0) r[j] = for_all(c[j], stand_ins, arrays, info.leads[j] & 1);
            return r;
        }
        open(x, operands);
        linear_system system(b, info, residual_, x_, differentiate);
        list<int> ys, seeds, wanted;
        ys.push(residual_);
        seeds.push(negative(system.solve(emit_whole(b, g, x), true)));
        for (int j = 1; j < operands.size(); ++j)
            if (active[j]) wanted.push(inputs_[j]);
        list<int> const c = differentiate(b, ys, seeds, wanted);
        for (int j = 1, next = 0; j < operands.size(); ++j)
            if (active[j]) {
                int const found = c[next++];
                if (found >= 0) r[j] = emit_whole(b, found, operands[j]);
            }
        return r;
    }
    /// The tangent of x (-1: none) from those of the operands.
    constexpr int push(int x, list<int> const& operands, list<int> const& tangents, forward_pass* push_forward) {
        if (info.item_axes > 0) {
            one_item const one(*this, x, operands);
            list<int> arrays = one.arrays, stand_ins = one.stand_ins, t(operands.size(), -1);
            for (int j = 1; j < operands.size(); ++j) {
                if (tangents[j] < 0) continue;
                t[j] = emit_whole(b, tangents[j], operands[j]);
                if (!(info.leads[j] & 1)) continue;
                arrays.push(t[j]);
                t[j] = one_of(t[j]);
                stand_ins.push(t[j]);
            }
            int const y = implicit_rule(b, info_of_item(), differentiate).push(one.x, one.operands, t, push_forward);
            return y < 0 ? -1 : for_all(y, stand_ins, arrays, true);
        }
        open(x, operands);
        list<int> ys, moving, given;
        ys.push(residual_);
        for (int j = 1; j < operands.size(); ++j)
            if (tangents[j] >= 0) {
                moving.push(inputs_[j]);
                given.push(emit_whole(b, tangents[j], operands[j]));
            }
        if (moving.empty()) return -1;
        int const t = push_forward(b, ys, moving, given)[0];
        if (t < 0) return -1;
        linear_system system(b, info, residual_, x_, differentiate);
        return negative(system.solve(emit_whole(b, t, x), false));
    }

private:
    builder& b;
    call_info info;
    reverse_pass* differentiate;
    int x_ = -1, residual_ = -1;
    list<int> inputs_;  // of the equation

    constexpr int negative(int id) { return b.real(id).neg(b, id); }
    /// The equation at x, on nodes that nothing else is.
    constexpr void open(int x, list<int> const& operands) {
        inputs_ = {};
        for (int j = 0; j < operands.size(); ++j) {
            int const o = j == 0 ? x : operands[j];
            inputs_.push(is_floating(b.nodes[o].type) ? emit_with<parameter_op>(b, o, attribute::labelled(++b.barrier))
                                                      : o);
        }
        x_ = inputs_[0];
        residual_ = inline_body(b, body(b.bodies[info.body[1]]), inputs_, -1)[0];
    }

    // ---- many items ------------------------------------------------------------------------------------------------

    constexpr int one_of(int array) { return emit_item(b, array); }
    /// One item of everything that has the first axis of items.
    struct one_item {
        int x;
        list<int> operands, arrays, stand_ins;
        constexpr one_item(implicit_rule& rule, int all, list<int> const& given) : x(-1) {
            auto item = [&](int array) {
                arrays.push(array);
                stand_ins.push(rule.one_of(array));
                return stand_ins.back();
            };
            x = item(all);
            for (int j = 0; j < given.size(); ++j)
                operands.push(j > 0 && rule.info.leads[j] & 1 ? item(given[j]) : given[j]);
        }
    };
    constexpr call_info info_of_item() const {
        call_info c = info;
        --c.item_axes;
        for (int& l : c.leads) l /= 2;
        return c;
    }
    /// y of one item for all of them, or its sum over them.
    constexpr int for_all(int y, list<int> const& stand_ins, list<int> const& arrays, bool keeps) {
        list<int> ys;
        ys.push(y);
        dims const d = with_leading(b, b.shape_of(arrays[0]).extent[0], b.shape_of(y));
        int const found = batch(b, ys, stand_ins, arrays)[0], all = emit_expand(b, found < 0 ? y : found, d);
        if (keeps) return all;
        std::int64_t const leading = std::int64_t{1} << (d.rank - 1);
        int const s = b.real(all).sum(b, all, leading);
        return emit_axes(b, s, axis_map::without(d.rank, leading));
    }
};

}  // namespace tapeless::detail::graph_part
