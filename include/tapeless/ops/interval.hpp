// SPDX-License-Identifier: MIT
#pragma once
// Between two bounds: clamp, lerp, and mul * x + add.

#include <tapeless/ops/compare.hpp>

namespace tapeless {

/// min(max(x, lo), hi). The gradient passes at the bounds; what is cut goes to the bound that cuts. NaN stays.
struct clamp_op : elementwise<"clamp"> {
    static constexpr int cost = 2;
    static auto eval(auto x, auto lo, auto hi) { return simd::minimum(simd::maximum(x, lo), hi); }
    static constexpr auto pullback(auto g, auto, auto x, auto lo, auto hi) {
        return cotangents(where(lo <= x && x <= hi, g, 0.0), where(x < lo && lo < hi, g, 0.0),
                          where(x > hi || lo > hi, g, 0.0));
    }
};

/// max(x, lo) with the gradient of clamp: at the bound all of it passes.
struct clamp_min_op : elementwise<"clamp_min"> {
    static constexpr int cost = 1;
    static auto eval(auto x, auto lo) { return simd::maximum(x, lo); }
    static constexpr auto pullback(auto g, auto, auto x, auto lo) {
        return cotangents(where(lo <= x, g, 0.0), where(x < lo, g, 0.0));
    }
};

/// min(x, hi) with the gradient of clamp: at the bound all of it passes.
struct clamp_max_op : elementwise<"clamp_max"> {
    static constexpr int cost = 1;
    static auto eval(auto x, auto hi) { return simd::minimum(x, hi); }
    static constexpr auto pullback(auto g, auto, auto x, auto hi) {
        return cotangents(where(x <= hi, g, 0.0), where(hi < x, g, 0.0));
    }
};

/// a + t (b - a), written from the nearer end: exactly a at t = 0 and b at t = 1.
struct lerp_op : elementwise<"lerp"> {
    static constexpr int cost = 5;
    static auto eval(auto a, auto b, auto t) {
        using B = decltype(t);
        using T = typename B::value_type;
        auto const d = simd::sub(b, a);
        return simd::select(simd::less(t, B(T(0.5))), simd::fma(t, d, a), simd::fnma(simd::sub(B(T(1)), t), d, b));
    }
    static constexpr auto pullback(auto g, auto, auto a, auto b, auto t) {
        return cotangents(g * (1.0 - t), g * t, g * (b - a));
    }
};

/// min(max(x, lo), hi); the bounds are numbers or arrays
template <expression A, operand_like L, operand_like H>
constexpr detail::applied<clamp_op, A, L, H> clamp(A const& x, L const& lo, H const& hi) {
    return apply<clamp_op>(x, lo, hi);
}
/// max(x, lo)
template <expression A, operand_like L>
constexpr detail::applied<clamp_min_op, A, L> clamp_min(A const& x, L const& lo) {
    return apply<clamp_min_op>(x, lo);
}
/// min(x, hi)
template <expression A, operand_like H>
constexpr detail::applied<clamp_max_op, A, H> clamp_max(A const& x, H const& hi) {
    return apply<clamp_max_op>(x, hi);
}
/// a + t (b - a)
template <operand_like A, operand_like B, operand_like C>
    requires(expression<A> || expression<B> || expression<C>)
constexpr detail::applied<lerp_op, A, B, C> lerp(A const& a, B const& b, C const& t) {
    return apply<lerp_op>(a, b, t);
}
/// mul * x + add
template <expression A, operand_like M, operand_like C>
constexpr auto affine(A const& x, M const& mul, C const& add) {
    return mul * x + add;
}

}  // namespace tapeless
