// SPDX-License-Identifier: MIT
#pragma once
// What is done to every element under windows alike, and keeps their order, is done to the largest of them alone.

#include <tapeless/ops/simplify/emit.hpp>

namespace tapeless {
struct relu_op;

namespace detail::inline ops_part {

/// n is a pooling of its operand; pool(x) is the same one of another value of that shape.
struct largest_of_relu {
    static constexpr simplification row{"max_pool of a relu", "max_pool<...>(relu(x))", "relu(max_pool<...>(x))"};
    template <class T, class Pool>
    static constexpr int of(builder& b, node const& n, int, Pool const& pool) {
        if (!is_op(b, n.in[0], builtin::relu)) return not_this;
        return emit_unary<relu_op, T>(b, pool(input_of(b, n.in[0], 0)));
    }
};
/// Rounding keeps the order, too: the largest sum is that of the largest number.
struct largest_of_sum {
    static constexpr simplification row{"max_pool of a sum", "max_pool<...>(x + y), y the same under all of a window",
                                        "max_pool<...>(x) + y"};
    template <class T, class Pool>
    static constexpr int of(builder& b, node const& n, int axes, Pool const& pool) {
        if (!is_op(b, n.in[0], builtin::add)) return not_this;
        for (int j = 0; j < 2; ++j) {
            int const x = input_of(b, n.in[0], j), y = without_axes(b, input_of(b, n.in[0], 1 - j), axes);
            if (y >= 0 && b.nodes.items[x].shape == b.nodes.items[n.in[0]].shape)
                return emit_binary<add_op, T>(b, pool(x), y);
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
