// SPDX-License-Identifier: MIT
#pragma once
// What is done to every element under windows alike, and keeps their order, is done to the largest of them alone.

#include <tapeless/ops/layout.hpp>
#include <tapeless/ops/simplify/emit.hpp>

namespace tapeless {
struct relu_op;

namespace detail::inline ops_part {

struct axes_op;
template <class Op>
constexpr int emit_with(builder& b, int x, attribute at);

/// What windows slide over: a value, or one image, which is that value under a first axis of extent 1.
struct slid_over {
    int value;
    axis_map under{};
    constexpr slid_over(builder const& b, int x) : value(x) {
        node const& n = b.nodes.items[x];
        if (!n.is_axes_view()) return;
        axis_map const m{n.attr.axes};
        int const rank = b.shape_of(n.in[0]).rank;
        bool first = m.rank() == rank + 1 && m.source(rank) < 0;
        for (int k = 0; k < rank; ++k) first = first && m.source(k) == k;
        if (first) value = n.in[0], under = m;
    }
    /// Another value of its rank, as it is slid over, and the reverse of it.
    constexpr int with(builder& b, int x) const {
        return under.rank() == 0 ? x : emit_with<axes_op>(b, x, attribute{.axes = under.bits});
    }
    constexpr int without(builder& b, int x) const {
        int const rank = under.rank();
        return rank == 0 ? x
                         : emit_with<axes_op>(b, x, attribute{.axes = axis_map::without(rank, 1 << (rank - 1)).bits});
    }
};
/// n is a pooling of its operand; pool(x) is the same one of another value of that shape.
struct largest_of_relu {
    static constexpr simplification row{"max_pool of a relu", "max_pool<...>(relu(x))", "relu(max_pool<...>(x))"};
    template <class T, class Pool>
    static constexpr int of(builder& b, node const& n, int, Pool const& pool) {
        slid_over const of(b, n.in[0]);
        if (!is_op(b, of.value, builtin::relu)) return not_this;
        return of.with(b, emit_unary<relu_op, T>(b, of.without(b, pool(of.with(b, input_of(b, of.value, 0))))));
    }
};
/// Rounding keeps the order, too: the largest sum is that of the largest number.
struct largest_of_sum {
    static constexpr simplification row{"max_pool of a sum", "max_pool<...>(x + y), y the same under all of a window",
                                        "max_pool<...>(x) + y"};
    template <class T, class Pool>
    static constexpr int of(builder& b, node const& n, int axes, Pool const& pool) {
        slid_over const of(b, n.in[0]);
        if (!is_op(b, of.value, builtin::add)) return not_this;
        for (int j = 0; j < 2; ++j) {
            int const x = input_of(b, of.value, j), y = without_axes(b, input_of(b, of.value, 1 - j), axes);
            if (y >= 0 && b.nodes.items[x].shape == b.nodes.items[of.value].shape)
                return of.with(b, emit_binary<add_op, T>(b, of.without(b, pool(of.with(b, x))), y));
        }
        return not_this;
    }

private:
    /// y, before it was stretched along the last so many axes; -1 where it varies along them.
    static constexpr int without_axes(builder const& b, int y, int axes) {
        while (b.nodes.items[y].is_stretched()) y = input_of(b, y, 0);
        dims const& d = b.shape_of(y);
        for (int k = 0; k < axes && k < d.rank; ++k)
            if (d.from_right(k) != 1) return -1;
        return y;
    }
};
using simplify_largest_under = simplifications<largest_of_relu, largest_of_sum>;

}  // namespace detail::ops_part
}  // namespace tapeless
