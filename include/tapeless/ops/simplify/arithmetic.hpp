// SPDX-License-Identifier: MIT
#pragma once
// Simplifications of sums, differences, products, quotients, powers, choices and casts of single numbers.

#include <tapeless/ops/simplify/emit.hpp>

namespace tapeless::detail::inline ops_part {

// ---- -x -----------------------------------------------------------------------------------------------------------

struct negative_literal {
    static constexpr simplification row{"negative literal", "-c", "a literal"};
    template <class T>
    static constexpr int of(builder& b, node const&, int x) {
        return b.is_constant(x) ? emit_constant<T>(b, -number_of(b, x)) : not_this;
    }
};
struct minus_minus {
    static constexpr simplification row{"minus minus", "-(-x)", "x"};
    template <class T>
    static constexpr int of(builder& b, node const&, int x) {
        return is_op(b, x, builtin::neg) ? input_of(b, x, 0) : not_this;
    }
};
using simplify_neg = simplifications<negative_literal, minus_minus>;

// ---- x + y, a literal first ---------------------------------------------------------------------------------------

struct sum_of_literals {
    static constexpr simplification row{"sum of literals", "c + d", "a literal"};
    template <class T>
    static constexpr int of(builder& b, node const&, int x, int y) {
        return b.is_constant(x) && b.is_constant(y) ? emit_folded<T>(b, number_of(b, x) + number_of(b, y)) : not_this;
    }
};
struct plus_zero {
    static constexpr simplification row{"plus zero", "x + 0", "x"};
    template <class T>
    static constexpr int of(builder& b, node const&, int x, int y) {
        if (b.is_constant(x, 0)) return y;
        if (b.nodes.items[x].shape != b.nodes.items[y].shape) return not_this;
        return is_zero_everywhere(b, x) ? y : is_zero_everywhere(b, y) ? x : not_this;
    }
};
struct plus_minus {
    static constexpr simplification row{"plus minus", "x + (-y)", "x - y"};
    template <class T>
    static constexpr int of(builder& b, node const&, int x, int y) {
        return is_op(b, y, builtin::neg) ? emit_binary<sub_op, T>(b, x, input_of(b, y, 0)) : not_this;
    }
};
struct minus_plus {
    static constexpr simplification row{"minus plus", "(-x) + y", "y - x"};
    template <class T>
    static constexpr int of(builder& b, node const&, int x, int y) {
        return is_op(b, x, builtin::neg) ? emit_binary<sub_op, T>(b, y, input_of(b, x, 0)) : not_this;
    }
};
struct plus_itself {
    static constexpr simplification row{"plus itself", "x + x", "2 * x"};
    template <class T>
    static constexpr int of(builder& b, node const&, int x, int y) {
        return x == y ? emit_binary<mul_op, T>(b, emit_constant<T>(b, 2), x) : not_this;
    }
};
struct under_one_mask {
    static constexpr simplification row{"under one mask", "where(m, x, 0) + where(m, y, 0)", "where(m, x + y, 0)"};
    template <class T>
    static constexpr int of(builder& b, node const&, int x, int y) {
        if (!is_masked(b, x) || !is_masked(b, y) || input_of(b, x, 0) != input_of(b, y, 0)) return not_this;
        return emit_masked<T>(b, input_of(b, x, 0), emit_binary<add_op, T>(b, input_of(b, x, 1), input_of(b, y, 1)));
    }
};
using simplify_add = simplifications<sum_of_literals, plus_zero, plus_minus, minus_plus, plus_itself, under_one_mask>;

// ---- x - y --------------------------------------------------------------------------------------------------------

struct difference_of_literals {
    static constexpr simplification row{"difference of literals", "c - d", "a literal"};
    template <class T>
    static constexpr int of(builder& b, node const&, int x, int y) {
        return b.is_constant(x) && b.is_constant(y) ? emit_folded<T>(b, number_of(b, x) - number_of(b, y)) : not_this;
    }
};
struct minus_zero {
    static constexpr simplification row{"minus zero", "x - 0", "x"};
    template <class T>
    static constexpr int of(builder& b, node const&, int x, int y) {
        return b.is_constant(y, 0) ? x : not_this;
    }
};
struct zero_minus {
    static constexpr simplification row{"zero minus", "0 - x", "-x"};
    template <class T>
    static constexpr int of(builder& b, node const&, int x, int y) {
        return b.is_constant(x, 0) ? emit_unary<neg_op, T>(b, y) : not_this;
    }
};
struct minus_negative {
    static constexpr simplification row{"minus negative", "x - (-y)", "x + y"};
    template <class T>
    static constexpr int of(builder& b, node const&, int x, int y) {
        return is_op(b, y, builtin::neg) ? emit_binary<add_op, T>(b, x, input_of(b, y, 0)) : not_this;
    }
};
using simplify_sub = simplifications<difference_of_literals, minus_zero, zero_minus, minus_negative>;

// ---- x * y, a literal first, and not stretched --------------------------------------------------------------------

struct product_of_literals {
    static constexpr simplification row{"product of literals", "c * d", "a literal"};
    template <class T>
    static constexpr int of(builder& b, node const&, int x, int y) {
        return b.is_constant(x) && b.is_constant(y) ? emit_folded<T>(b, number_of(b, x) * number_of(b, y)) : not_this;
    }
};
struct times_one {
    static constexpr simplification row{"times one", "x * 1", "x"};
    template <class T>
    static constexpr int of(builder& b, node const&, int x, int y) {
        return b.is_constant(x, 1) ? y : not_this;
    }
};
/// As the power of 0 among those of a polynomial, where x is a coefficient.
struct times_stretched_one {
    static constexpr simplification row{"times stretched one", "expand(1) * x", "expand(x)"};
    template <class T>
    static constexpr int of(builder& b, node const&, int x, int y) {
        for (int one : {x, y})
            if (b.nodes.items[one].is_stretched() && b.is_constant(input_of(b, one, 0), 1))
                return emit_expand(
                    b, one == x ? y : x,
                    dims(b.shapes.items[b.broadcast_shapes(b.nodes.items[x].shape, b.nodes.items[y].shape)]));
        return not_this;
    }
};
/// Sums begin with it: 0 * x has the shape and the type that are wanted, and nothing of x is read.
struct times_zero {
    static constexpr simplification row{"times zero", "0 * x", "0", exactness::reassociates};
    template <class T>
    static constexpr int of(builder& b, node const&, int x, int y) {
        return b.is_constant(x, 0) ? emit_expand(b, emit_constant<T>(b, 0), dims(b.shape_of(y))) : not_this;
    }
};
struct times_minus_one {
    static constexpr simplification row{"times minus one", "x * -1", "-x"};
    template <class T>
    static constexpr int of(builder& b, node const&, int x, int y) {
        return b.is_constant(x, -1) ? emit_unary<neg_op, T>(b, y) : not_this;
    }
};
struct literal_times_negative {
    static constexpr simplification row{"literal times negative", "c * (-x)", "(-c) * x"};
    template <class T>
    static constexpr int of(builder& b, node const&, int x, int y) {
        if (!b.is_constant(x) || !is_op(b, y, builtin::neg)) return not_this;
        return emit_binary<mul_op, T>(b, emit_constant<T>(b, -number_of(b, x)), input_of(b, y, 0));
    }
};
struct literals_meet {
    static constexpr simplification row{"literals meet", "c * (d * x)", "(c * d) * x", exactness::reassociates};
    template <class T>
    static constexpr int of(builder& b, node const&, int x, int y) {
        if (!b.is_constant(x) || !is_op(b, y, builtin::mul) || !b.is_constant(input_of(b, y, 0))) return not_this;
        int const both = emit_folded<T>(b, number_of(b, x) * number_of(b, input_of(b, y, 0)));
        return both >= 0 ? emit_binary<mul_op, T>(b, both, input_of(b, y, 1)) : not_this;
    }
};
struct negative_times {
    static constexpr simplification row{"negative times", "(-x) * y", "-(x * y)"};
    template <class T>
    static constexpr int of(builder& b, node const&, int x, int y) {
        if (!is_op(b, x, builtin::neg)) return not_this;
        return emit_unary<neg_op, T>(b, emit_binary<mul_op, T>(b, input_of(b, x, 0), y));
    }
};
struct times_negative {
    static constexpr simplification row{"times negative", "x * (-y)", "-(x * y)"};
    template <class T>
    static constexpr int of(builder& b, node const&, int x, int y) {
        if (!is_op(b, y, builtin::neg)) return not_this;
        return emit_unary<neg_op, T>(b, emit_binary<mul_op, T>(b, x, input_of(b, y, 0)));
    }
};
/// Numbers meet outside the loop.
struct numbers_meet {
    static constexpr simplification row{"numbers meet", "t * (s * x)", "(t * s) * x", exactness::reassociates};
    template <class T>
    static constexpr int of(builder& b, node const&, int x, int y) {
        if (!is_op(b, x, builtin::mul) && !is_op(b, y, builtin::mul)) return not_this;
        if (b.is_scalar(x) == b.is_scalar(y)) return not_this;
        int const t = b.is_scalar(x) ? x : y, product = t == x ? y : x;
        int const s = input_of(b, product, 0), array = input_of(b, product, 1);
        if (!is_op(b, product, builtin::mul) || !b.is_scalar(s) || !may_move<T>(b, s)) return not_this;
        return emit_binary<mul_op, T>(b, emit_binary<mul_op, T>(b, t, s), array);
    }
};
struct one_order {
    static constexpr simplification row{"one order", "x * y", "y * x, a number first, then what was made first"};
    template <class T>
    static constexpr int of(builder& b, node const& n, int x, int y) {
        bool const array_x = !b.is_scalar(x), array_y = !b.is_scalar(y);
        bool const ordered = array_x != array_y ? array_y : b.is_constant(x) || x <= y;
        if (n.in[0] == x && ordered) return not_this;
        node m = n;
        m.in[0] = ordered ? x : y;
        m.in[1] = m.in[0] == x ? y : x;
        m.op = &operation_table<mul_op, T, T>::value;
        m.kind = node_kind::elementwise;
        m.type = m.op->out;
        m.shape = b.broadcast_shapes(b.nodes.items[x].shape, b.nodes.items[y].shape);
        return b.push(m);
    }
};
using simplify_mul =
    simplifications<product_of_literals, times_one, times_stretched_one, times_zero, times_minus_one,
                    literal_times_negative, literals_meet, negative_times, times_negative, numbers_meet, one_order>;

// ---- x / y, not of integers ---------------------------------------------------------------------------------------

struct quotient_of_literals {
    static constexpr simplification row{"quotient of literals", "c / d", "a literal"};
    template <class T>
    static constexpr int of(builder& b, node const&, int x, int y) {
        if (!b.is_constant(x) || !b.is_constant(y) || b.is_constant(y, 0)) return not_this;
        return emit_constant<T>(b, number_of(b, x) / number_of(b, y));
    }
};
struct by_literal {
    static constexpr simplification row{"by a literal", "x / c", "(1 / c) * x", exactness::reassociates};
    template <class T>
    static constexpr int of(builder& b, node const&, int x, int y) {
        if (!b.is_constant(y) || b.is_constant(y, 0)) return not_this;
        return emit_binary<mul_op, T>(b, emit_constant<T>(b, 1 / number_of(b, y)), x);
    }
};
struct negative_by {
    static constexpr simplification row{"negative by", "(-x) / y", "-(x / y)"};
    template <class T>
    static constexpr int of(builder& b, node const&, int x, int y) {
        if (!is_op(b, x, builtin::neg)) return not_this;
        return emit_unary<neg_op, T>(b, emit_binary<div_op, T>(b, input_of(b, x, 0), y));
    }
};
/// Fewer divisors than quotients: one reciprocal each.
struct by_smaller {
    static constexpr simplification row{"by something smaller", "x / s", "x * (1 / s)", exactness::reassociates};
    template <class T>
    static constexpr int of(builder& b, node const&, int x, int y) {
        if (b.nodes.items[x].shape == b.nodes.items[y].shape) return not_this;
        dims const &sx = b.shape_of(x), &sy = b.shape_of(y);
        bool fewer = false;
        for (int k = 0; k < sx.rank; ++k) fewer = fewer || (sx.from_right(k) != 1 && sy.from_right(k) == 1);
        if (!fewer) return not_this;
        return emit_binary<mul_op, T>(b, x, emit_binary<div_op, T>(b, emit_constant<T>(b, 1), y));
    }
};
using simplify_div = simplifications<quotient_of_literals, by_literal, negative_by, by_smaller>;

// ---- pow(x, p), p a literal ---------------------------------------------------------------------------------------

constexpr bool is_whole(double p) { return p == static_cast<int>(p); }
/// x^n for a whole n >= 1, by squaring.
template <class T>
constexpr int emit_power(builder& b, int x, int n) {
    if (n == 1) return x;
    int half = emit_power<T>(b, x, n / 2), even = emit_binary<mul_op, T>(b, half, half);
    return n % 2 ? emit_binary<mul_op, T>(b, even, x) : even;
}

struct power_one {
    static constexpr simplification row{"power one", "pow(x, 1)", "x"};
    template <class>
    static constexpr int of(builder&, node const&, int x, double p) {
        return p == 1 ? x : not_this;
    }
};
struct power_zero {
    static constexpr simplification row{"power zero", "pow(x, 0)", "1"};
    template <class T>
    static constexpr int of(builder& b, node const&, int x, double p) {
        return p == 0 ? emit_expand(b, emit_constant<T>(b, 1), b.shape_of(x)) : not_this;
    }
};
struct power_half {
    static constexpr simplification row{"power a half", "pow(x, 0.5)", "sqrt(x)", exactness::reassociates};
    template <class T>
    static constexpr int of(builder& b, node const&, int x, double p) {
        return p == 0.5 ? emit_unary<sqrt_op, T>(b, x) : not_this;
    }
};
struct negative_power {
    static constexpr simplification row{"negative power", "pow(x, -n)", "1 / (x * ... * x)", exactness::reassociates};
    template <class T>
    static constexpr int of(builder& b, node const&, int x, double p) {
        if (!(p < 0 && p >= -4 && is_whole(p))) return not_this;
        int const power = emit_power<T>(b, x, -static_cast<int>(p));
        return emit_binary<div_op, T>(b, emit_constant<T>(b, 1), power);
    }
};
struct whole_power {
    static constexpr simplification row{"whole power", "pow(x, n)", "x * ... * x", exactness::reassociates};
    template <class T>
    static constexpr int of(builder& b, node const&, int x, double p) {
        return p > 1 && p <= 8 && is_whole(p) ? emit_power<T>(b, x, static_cast<int>(p)) : not_this;
    }
};
using simplify_pow = simplifications<power_one, power_zero, power_half, negative_power, whole_power>;

struct known_exponent {
    static constexpr simplification row{"known exponent", "pow(x, y), y a number", "pow(x, n)"};
    template <class T>
    static constexpr int of(builder& b, node const&, int x, int y) {
        y = unstretched(b, y, x);
        if (!b.is_constant(y)) return not_this;
        return operation_table<pow_number_op, T>::emit(b, attribute{.number = number_of(b, y)}, {x});
    }
};
using simplify_exponent = simplifications<known_exponent>;

// ---- choices and casts --------------------------------------------------------------------------------------------

/// Only where the mask does not stretch what is chosen.
struct choice_of_one {
    static constexpr simplification row{"choice of one", "where(m, x, x)", "x"};
    template <class>
    static constexpr int of(builder& b, node const& n) {
        return n.in[1] == n.in[2] && b.shape_of(n.in[0]).is_scalar() ? n.in[1] : not_this;
    }
};
/// A number that is chosen gets the shape of the other; arrays that stretch one another stay.
struct choice_by_literals {
    static constexpr simplification row{"choice by literals", "where(2 <= 3, x, y)", "x"};
    template <class>
    static constexpr int of(builder& b, node const& n) {
        bool const less = is_op(b, n.in[0], builtin::less_equal);
        if (!less && !is_op(b, n.in[0], builtin::equal)) return not_this;
        int const p = input_of(b, n.in[0], 0), q = input_of(b, n.in[0], 1);
        if (!b.is_constant(p) || !b.is_constant(q)) return not_this;
        bool const holds = less ? number_of(b, p) <= number_of(b, q) : number_of(b, p) == number_of(b, q);
        int const chosen = holds ? n.in[1] : n.in[2], other = holds ? n.in[2] : n.in[1];
        if (!b.shape_of(n.in[0]).is_scalar()) return not_this;
        if (b.shape_of(other).is_scalar() || b.nodes.items[other].shape == b.nodes.items[chosen].shape) return chosen;
        return b.shape_of(chosen).is_scalar() ? emit_expand(b, chosen, dims(b.shape_of(other))) : not_this;
    }
};
using simplify_where = simplifications<choice_of_one, choice_by_literals>;

/// From half to float to half; T is what is stored.
struct there_and_back {
    static constexpr simplification row{"there and back", "cast<half>(cast<float>(x))", "x"};
    template <class T>
    static constexpr int of(builder& b, node const& n) {
        if (!is_op(b, n.in[0], builtin::cast)) return not_this;
        int const x = input_of(b, n.in[0], 0);
        return b.nodes.items[x].type == dtype_of<T>() ? x : not_this;
    }
};
using simplify_cast = simplifications<there_and_back>;

}  // namespace tapeless::detail::ops_part
