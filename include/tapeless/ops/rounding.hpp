// SPDX-License-Identifier: MIT
#pragma once
// Rounding, and division with a whole quotient.

#include <tapeless/ops/compare.hpp>

namespace tapeless {

/// The largest whole number that is not above x. No gradient.
struct floor_op : stepwise<"floor"> {
    static constexpr int cost = 2;
    static auto eval(auto x) { return simd::floor(x); }
};

/// The smallest whole number that is not below x. No gradient.
struct ceil_op : stepwise<"ceil"> {
    static constexpr int cost = 2;
    static auto eval(auto x) { return simd::ceil(x); }
};

/// The nearest whole number, half to even. No gradient.
struct round_op : stepwise<"round"> {
    static constexpr int cost = 2;
    static auto eval(auto x) { return simd::round(x); }
};

/// The whole number next to x towards 0. No gradient.
struct trunc_op : stepwise<"trunc"> {
    static constexpr int cost = 2;
    static auto eval(auto x) { return simd::trunc(x); }
};

namespace detail::inline ops_part {
/// Quotient (towards 0) and rest of integers, q b + r = a, and whether the rest has the other sign than b.
template <class B>
struct whole_division {
    B quotient, rest;
    decltype(simd::equal(B(0), B(0))) crossed;
    whole_division(B a, B b) : quotient(whole_quotient(a, b)), rest(simd::sub(a, simd::mul(quotient, b))) {
        crossed = simd::either(simd::both(simd::less(rest, B(0)), simd::less(B(0), b)),
                               simd::both(simd::less(B(0), rest), simd::less(b, B(0))));
    }
};
template <class B>
concept whole_numbers = std::integral<typename B::value_type>;
}  // namespace detail::ops_part

/// floor(a/b). No gradient. Of integers: exact, and 0 where b = 0.
struct floor_div_op : stepwise<"floor_div"> {
    static constexpr int cost = 12;
    template <class B>
    static B eval(B a, B b) {
        if constexpr (detail::whole_numbers<B>) {
            detail::whole_division<B> const d(a, b);
            return simd::select(d.crossed, simd::sub(d.quotient, B(1)), d.quotient);
        } else {
            return simd::floor_div(a, b);
        }
    }
};

/// a - b trunc(a/b), of the sign of a. d/db = -trunc(a/b), which (a - y)/b is without a quotient that rounds up to
/// the next. Of integers: a where b = 0.
struct fmod_op : elementwise<"fmod"> {
    static constexpr int cost = 14;
    template <class B>
    static B eval(B a, B b) {
        if constexpr (detail::whole_numbers<B>) return detail::whole_division<B>(a, b).rest;
        else return simd::fmod(a, b);
    }
    static constexpr auto pullback(auto g, auto y, auto a, auto b) { return cotangents(g, -(g * round((a - y) / b))); }
};

/// a - b floor(a/b), of the sign of b. d/db = -floor(a/b). Of integers: a where b = 0.
struct remainder_op : elementwise<"remainder"> {
    static constexpr int cost = 14;
    template <class B>
    static B eval(B a, B b) {
        if constexpr (detail::whole_numbers<B>) {
            detail::whole_division<B> const d(a, b);
            return simd::select(d.crossed, simd::add(d.rest, b), d.rest);
        } else {
            return simd::floor_mod(a, b);
        }
    }
    static constexpr auto pullback(auto g, auto y, auto a, auto b) { return cotangents(g, -(g * round((a - y) / b))); }
};

/// The largest whole number that is not above x
template <any_expression A>
constexpr detail::applied<floor_op, A> floor(A const& a) {
    return apply<floor_op>(a);
}
/// The smallest whole number that is not below x
template <any_expression A>
constexpr detail::applied<ceil_op, A> ceil(A const& a) {
    return apply<ceil_op>(a);
}
/// The nearest whole number, half to even
template <any_expression A>
constexpr detail::applied<round_op, A> round(A const& a) {
    return apply<round_op>(a);
}
/// The whole number next to x towards 0
template <any_expression A>
constexpr detail::applied<trunc_op, A> trunc(A const& a) {
    return apply<trunc_op>(a);
}
/// floor(a/b)
template <operand_like A, operand_like B>
    requires(expression<A> || expression<B>)
constexpr detail::applied<floor_div_op, A, B> floor_div(A const& a, B const& b) {
    return apply<floor_div_op>(a, b);
}
/// a - b trunc(a/b)
template <operand_like A, operand_like B>
    requires(expression<A> || expression<B>)
constexpr detail::applied<fmod_op, A, B> fmod(A const& a, B const& b) {
    return apply<fmod_op>(a, b);
}
/// a - b floor(a/b)
template <operand_like A, operand_like B>
    requires(expression<A> || expression<B>)
constexpr detail::applied<remainder_op, A, B> remainder(A const& a, B const& b) {
    return apply<remainder_op>(a, b);
}

}  // namespace tapeless
