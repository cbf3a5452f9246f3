// SPDX-License-Identifier: MIT
#pragma once
// Activations in pieces: the relu family and the hard and cheap forms of sigmoid and silu.

#include <tapeless/ops/boundary.hpp>
#include <tapeless/ops/exponential.hpp>
#include <tapeless/ops/movement.hpp>

namespace tapeless {

/// max(0, x); derivative 0 at 0. NaN stays.
struct relu_op : elementwise<"relu"> {
    static constexpr int cost = 1;
    static auto eval(auto x) { return simd::select(simd::less(x, decltype(x)(0)), decltype(x)(0), x); }
    static constexpr auto pullback(auto g, auto y, auto) { return cotangents(where(y > 0.0, g, 0.0)); }
};

namespace detail::inline ops_part {
template <>
inline constexpr builtin builtin_of<relu_op> = builtin::relu;
}  // namespace detail::ops_part

/// min(max(0, x), 6); derivative 0 at 0 and at 6.
struct relu6_op : elementwise<"relu6"> {
    static constexpr int cost = 2;
    static auto eval(auto x) { return simd::minimum(simd::maximum(x, 0), 6); }
    static constexpr auto pullback(auto g, auto y, auto) { return cotangents(where(y > 0.0 && y < 6.0, g, 0.0)); }
};

/// x > 0 ? x : alpha x, whatever alpha is; at 0 the second branch.
struct prelu_op : elementwise<"prelu"> {
    static constexpr int cost = 2;
    static auto eval(auto x, auto alpha) { return simd::select(simd::less(decltype(x)(0), x), x, simd::mul(alpha, x)); }
    static constexpr auto pullback(auto g, auto, auto x, auto alpha) {
        return cotangents(where(x > 0.0, g, alpha * g), where(!(x > 0.0), g * x, 0.0));
    }
};

/// x > 0 ? x : alpha (e^x - 1). The second branch has derivative y + alpha, also at 0.
struct elu_op : elementwise<"elu"> {
    static constexpr int cost = 20;
    static auto eval(auto x, auto alpha) {
        return simd::select(simd::less(decltype(x)(0), x), x, simd::mul(alpha, simd::expm1(x)));
    }
    static constexpr auto pullback(auto g, auto y, auto x, auto alpha) {
        return cotangents(where(x > 0.0, g, g * (y + alpha)), where(!(x > 0.0), g * expm1(x), 0.0));
    }
};

/// x min(max(x + 3, 0), 6)/6; derivative x/3 + 1/2 inside (-3, 3), 0 and 1 outside.
struct hardswish_op : elementwise<"hardswish"> {
    static constexpr int cost = 5;
    static auto eval(auto x) {
        using B = decltype(x);
        using T = typename B::value_type;
        auto const inside = simd::mul(simd::mul(x, simd::add(x, B(T(3)))), B(T(1) / T(6)));
        return simd::select(simd::less_equal(x, B(T(-3))), B(T(0)), simd::select(simd::less(x, B(T(3))), inside, x));
    }
    static constexpr auto pullback(auto g, auto, auto x) {
        return cotangents(where(x > -3.0, where(x < 3.0, g * (x / 3.0 + 0.5), g), 0.0));
    }
};

/// min(max(x/6 + 1/2, 0), 1); derivative 1/6 strictly inside (-3, 3), else 0.
struct hardsigmoid_op : elementwise<"hardsigmoid"> {
    static constexpr int cost = 4;
    static auto eval(auto x) {
        using B = decltype(x);
        using T = typename B::value_type;
        return simd::minimum(simd::maximum(simd::mul(simd::add(x, B(T(3))), B(T(1) / T(6))), 0), 1);
    }
    static constexpr auto pullback(auto g, auto, auto x) { return cotangents(where(abs(x) < 3.0, g / 6.0, 0.0)); }
};

/// x/(1 + |x|); derivative 1/(1 + |x|)^2.
struct softsign_op : elementwise<"softsign"> {
    static constexpr int cost = 10;
    static auto eval(auto x) { return simd::div(x, simd::add(simd::abs(x), decltype(x)(1))); }
    static constexpr auto pullback(auto g, auto, auto x) { return cotangents(g / square(1.0 + abs(x))); }
};

/// max(0, x)
template <any_expression A>
constexpr detail::applied<relu_op, A> relu(A const& a) {
    return apply<relu_op>(a);
}
/// min(max(0, x), 6)
template <any_expression A>
constexpr detail::applied<relu6_op, A> relu6(A const& a) {
    return apply<relu6_op>(a);
}
/// x > 0 ? x : alpha x; alpha is a number, or an array that broadcasts with x
template <expression A, operand_like B>
constexpr detail::applied<prelu_op, A, B> leaky_relu(A const& a, B const& alpha) {
    return apply<prelu_op>(a, alpha);
}

namespace detail::inline ops_part {
/// The axes of (C) beside those of x, where C is axis 1: (C, 1, ..., 1), one axis less than x has.
template <class Shape, int Rank>
struct along_channels {
    static constexpr axis_map map() {
        axis_map m = axis_map::of_rank(Rank - 1);
        m.set(Rank - 2, 0);
        return m;
    }
    static constexpr dims value = map().apply(dims_of<Shape>());
};
}  // namespace detail::ops_part

/// x > 0 ? x : alpha x with slopes to be learnt: one, or one for each channel (axis 1 of x)
template <expression X, expression A>
constexpr auto prelu(X const& x, A const& alpha) {
    static_assert(A::rank <= 1,
                  "prelu: alpha is one number or has one element a channel; leaky_relu takes any that broadcasts");
    using S = typename A::shape_type;
    if constexpr (A::rank == 0 || std::same_as<S, shape<1>> || X::rank == 2) {
        return apply<prelu_op>(x, alpha);
    } else if constexpr (X::rank < 2) {
        static_assert(X::rank > 2, "prelu: alpha has one element for each channel, axis 1 of x, which x lacks");
        return x;
    } else {
        using along = detail::along_channels<S, X::rank>;
        return apply<prelu_op>(x, detail::apply_shaped<detail::axes_op, typename detail::shape_from<along, S>::type>(
                                      detail::attribute{.axes = along::map().bits}, alpha));
    }
}
template <expression X, number A>
constexpr detail::applied<prelu_op, X, A> prelu(X const& x, A alpha) {
    return apply<prelu_op>(x, alpha);
}
/// x > 0 ? x : alpha (e^x - 1); alpha is a number, or an array that broadcasts with x
template <expression A, operand_like B = double>
constexpr detail::applied<elu_op, A, B> elu(A const& a, B const& alpha = 1.0) {
    return apply<elu_op>(a, alpha);
}
/// scale elu(x, alpha) with the two constants that keep mean 0 and variance 1
template <any_expression A>
constexpr auto selu(A const& a) {
    return 1.0507009873554805 * elu(a, 1.6732632423543772);
}
/// x min(max(x + 3, 0), 6)/6
template <any_expression A>
constexpr detail::applied<hardswish_op, A> hardswish(A const& a) {
    return apply<hardswish_op>(a);
}
/// min(max(x/6 + 1/2, 0), 1)
template <any_expression A>
constexpr detail::applied<hardsigmoid_op, A> hardsigmoid(A const& a) {
    return apply<hardsigmoid_op>(a);
}
/// x/(1 + |x|)
template <any_expression A>
constexpr detail::applied<softsign_op, A> softsign(A const& a) {
    return apply<softsign_op>(a);
}

}  // namespace tapeless
