// SPDX-License-Identifier: MIT
#pragma once
// Simplifications of reductions, and above all of sums: what does not vary along the axes of a sum leaves it.

#include <tapeless/ops/contract.hpp>

namespace tapeless::detail::inline ops_part {

/// Whether a shape has extent 1 along all these axes (from the right).
constexpr bool is_flat(dims const& d, std::int64_t axes) {
    for (int k = 0; k < d.rank; ++k)
        if ((axes >> k & 1) && d.from_right(k) != 1) return false;
    return true;
}

struct over_one_element {
    static constexpr simplification row{"over one element", "sum<0>(x) where axis 0 has length 1", "x"};
    template <class>
    static constexpr int of(builder& b, node const& n) {
        return is_flat(b.shape_of(n.in[0]), n.attr.axes) ? n.in[0] : not_this;
    }
};
using simplify_reduction = simplifications<over_one_element>;

/// What is summed, an elementwise operation, and along which axes.
template <class T>
struct summand {
    builder& b;
    node x;
    dims shape;
    std::int64_t axes;
    /// The sum is one number a row or in all: what is done to a column sum would be a loop of its own.
    bool by_row = false;

    constexpr summand(builder& graph, node const& sum)
        : b(graph), x(b.nodes.items[sum.in[0]]), shape(b.shapes.items[x.shape]), axes(sum.attr.axes) {
        int inmost = 0;
        while (inmost < shape.rank && shape.from_right(inmost) == 1) ++inmost;
        by_row = axes >> inmost & 1;
    }
    constexpr bool is(builtin op) const { return x.op->is == op; }
    constexpr int sum_of(int id) const { return emit_sum<T>(b, id, axes); }
    /// One is the same along the axes, the other has the whole shape: the sum of that has the shape of the sum.
    constexpr bool splits(int flat, int rest) const {
        return is_flat(b.shape_of(flat), axes) && b.nodes.items[rest].shape == x.shape;
    }
    /// Whether operand `id` of a product is itself one, with a factor in front that may leave the sum.
    constexpr bool has_factor(int id) const {
        node const& p = b.nodes.items[id];
        return is_op(b, id, builtin::mul) && p.shape == x.shape && splits(p.in[0], p.in[1]) && may_move<T>(b, p.in[0]);
    }
    /// A factor as it leaves the sum. Of no elements the sum is 0, whatever they would be multiplied by; the factor may
    /// be infinite then: the inverse of their number, or of another sum of them.
    constexpr int leaving(int id) const {
        int visits = 0;
        bool const rests = has_run_time_length() && rests_on_elements(id, false, visits);
        if (!rests) return id;
        node_ref<T> const count(&b, emit_count<T>(b, shape, axes)), nothing(&b, emit_constant<T>(b, 0));
        return emit_masked<T>(b, (nothing < count).id, id);
    }
    constexpr bool has_no_elements() const {
        for (int k = 0; k < shape.rank; ++k)
            if ((axes >> k & 1) && b.resolve(shape.from_right(k)) == 0) return true;
        return false;
    }
    constexpr bool has_run_time_length() const {
        for (int k = 0; k < shape.rank; ++k)
            if ((axes >> k & 1) && b.resolve(shape.from_right(k)) < 0) return true;
        return false;
    }
    /// Whether a length is one of those that only run time knows, along these axes.
    constexpr bool is_summed_length(std::int64_t extent) const {
        for (int k = 0; k < shape.rank; ++k)
            if ((axes >> k & 1) && extent < 0 && b.resolve(shape.from_right(k)) == extent) return true;
        return false;
    }
    /// Whether node `id` is computed from how many elements are summed, or from a reduction of as many, by way of
    /// something else than sums and products (`further`), which would be 0. What takes long to find out may be so.
    constexpr bool rests_on_elements(int id, bool further, int& visits) const {
        constexpr int enough = 64;
        node const& n = b.nodes.items[id];
        if (++visits > enough) return true;
        if (n.kind == node_kind::extent) return further && is_summed_length(b.resolve(~std::int64_t{n.source}));
        bool const adds = n.kind == node_kind::contract ||
                          (n.kind == node_kind::reduce && n.op->combine == combination::sum);
        for (int i = 0; i < n.needed_inputs(); ++i) {
            dims const& d = b.shape_of(n.in[i]);
            for (int k = 0; k < d.rank; ++k)
                if (is_summed_length(b.resolve(d.from_right(k)))) return further || !adds;
        }
        if (n.kind == node_kind::elementwise)
            further = further || !(n.op->same_value || n.op->is == builtin::neg || n.op->is == builtin::add ||
                                 n.op->is == builtin::sub || n.op->is == builtin::mul);
        for (int i = 0; i < n.needed_inputs(); ++i)
            if (rests_on_elements(n.in[i], further, visits)) return true;
        return false;
    }
    constexpr bool is_square(int id) const {
        node const* p = &b.nodes.items[id];
        if (is_op(b, id, builtin::mul) && b.is_constant(p->in[0])) p = &b.nodes.items[p->in[1]];
        return p->has_op() && p->op->is == builtin::mul && p->in[0] == p->in[1];
    }
};

struct with_unit_matrix {
    static constexpr simplification row{"with a unit matrix", "sum<1>(x * unit)", "x, an axis renamed",
                                        exactness::reassociates};
    template <class T>
    static constexpr int of(builder& b, node const&, summand<T> const& s) {
        return s.is(builtin::mul) ? emit_product_with_unit(b, s.x.in[0], s.x.in[1], s.axes & varying(s.shape))
                                  : not_this;
    }
};
struct sum_of_products {
    static constexpr simplification row{"sum of products", "sum<1>(x * y)", "matmul(x, y)", exactness::reassociates};
    template <class T>
    static constexpr int of(builder& b, node const&, summand<T> const& s) {
        if (!s.is(builtin::mul) || !is_matrix_product(b.shape_of(s.x.in[0]), b.shape_of(s.x.in[1]), s.axes))
            return not_this;
        return emit_sum_of_products<T>(b, s.x.in[0], s.x.in[1], s.axes, s.shape);
    }
};
struct sign_leaves {
    static constexpr simplification row{"sign leaves sum", "sum(-x)", "-sum(x)"};
    template <class T>
    static constexpr int of(builder& b, node const&, summand<T> const& s) {
        return s.by_row && s.is(builtin::neg) ? emit_unary<neg_op, T>(b, s.sum_of(s.x.in[0])) : not_this;
    }
};
struct factor_leaves {
    static constexpr simplification row{"factor leaves sum", "sum(s * x)", "s * sum(x)", exactness::reassociates};
    template <class T>
    static constexpr int of(builder& b, node const&, summand<T> const& s) {
        if (!s.by_row || !s.is(builtin::mul)) return not_this;
        for (int j = 0; j < 2; ++j)
            if (s.splits(s.x.in[j], s.x.in[1 - j]))
                return emit_binary<mul_op, T>(b, s.leaving(s.x.in[j]), s.sum_of(s.x.in[1 - j]));
        return not_this;
    }
};
struct two_factors_leave {
    static constexpr simplification row{"two factors leave sum", "sum((s * x) * (t * y))", "(s * t) * sum(x * y)",
                                        exactness::reassociates};
    template <class T>
    static constexpr int of(builder& b, node const&, summand<T> const& s) {
        if (!s.by_row || !s.is(builtin::mul) || !s.has_factor(s.x.in[0]) || !s.has_factor(s.x.in[1])) return not_this;
        node const l = b.nodes.items[s.x.in[0]], r = b.nodes.items[s.x.in[1]];
        int const factors = s.leaving(emit_binary<mul_op, T>(b, l.in[0], r.in[0]));
        return emit_binary<mul_op, T>(b, factors, s.sum_of(emit_binary<mul_op, T>(b, l.in[1], r.in[1])));
    }
};
struct left_factor_leaves {
    static constexpr simplification row{"left factor leaves sum", "sum((s * x) * y)", "s * sum(x * y)",
                                        exactness::reassociates};
    template <class T>
    static constexpr int of(builder& b, node const&, summand<T> const& s) {
        if (!s.by_row || !s.is(builtin::mul) || !s.has_factor(s.x.in[0])) return not_this;
        node const l = b.nodes.items[s.x.in[0]];
        return emit_binary<mul_op, T>(b, s.leaving(l.in[0]), s.sum_of(emit_binary<mul_op, T>(b, l.in[1], s.x.in[1])));
    }
};
struct right_factor_leaves {
    static constexpr simplification row{"right factor leaves sum", "sum(x * (s * y))", "s * sum(x * y)",
                                        exactness::reassociates};
    template <class T>
    static constexpr int of(builder& b, node const&, summand<T> const& s) {
        if (!s.by_row || !s.is(builtin::mul) || !s.has_factor(s.x.in[1])) return not_this;
        node const r = b.nodes.items[s.x.in[1]];
        return emit_binary<mul_op, T>(b, s.leaving(r.in[0]), s.sum_of(emit_binary<mul_op, T>(b, s.x.in[0], r.in[1])));
    }
};
/// A term beside squares, which do not cancel, is counted, not added again and again.
struct term_leaves {
    static constexpr simplification row{"term beside squares leaves sum", "sum(square(x) + s)",
                                        "sum(square(x)) + n * s", exactness::reassociates};
    template <class T>
    static constexpr int of(builder& b, node const&, summand<T> const& s) {
        if (!s.by_row || !s.is(builtin::add)) return not_this;
        for (int j = 0; j < 2; ++j) {
            if (!s.splits(s.x.in[j], s.x.in[1 - j]) || !s.is_square(s.x.in[1 - j])) continue;
            int const rest = s.sum_of(s.x.in[1 - j]);
            return emit_binary<add_op, T>(b, rest,
                                          emit_binary<mul_op, T>(b, emit_count<T>(b, s.shape, s.axes), s.x.in[j]));
        }
        return not_this;
    }
};
using simplify_summand = simplifications<with_unit_matrix, sum_of_products, sign_leaves, factor_leaves,
                                         two_factors_leave, left_factor_leaves, right_factor_leaves, term_leaves>;

/// What a sum of numbers becomes, or -1.
template <class T>
constexpr int simplify_sum(builder& b, node const& n) {
    if (int const r = simplify_reduction::first<T>(b, n); r >= 0) return r;
    node const& x = b.nodes.items[n.in[0]];
    if (x.kind != node_kind::elementwise || x.op->is == builtin::where) return -1;
    builtin const is = x.op->is;
    if (is != builtin::mul && is != builtin::neg && is != builtin::add) return -1;
    summand<T> const s(b, n);
    return s.has_no_elements() ? -1 : simplify_summand::first<T>(b, n, s);
}

}  // namespace tapeless::detail::ops_part
