// SPDX-License-Identifier: MIT
#pragma once
// Modified Bessel functions of the first kind: i0, i1, and i0e, i1e, which are divided by e^|x|.

#include <tapeless/ops/exponential.hpp>
#include <tapeless/simd/bessel.hpp>

namespace tapeless {

namespace detail {
template <fixed_string Name, bool Scaled>
struct bessel_1_op;

/// I_0(x), or I_0(x) e^-|x|; derivative I_1(x), or I_1(x) e^-|x| - sign(x) y.
template <fixed_string Name, bool Scaled>
struct bessel_0_op : elementwise<Name> {
    static constexpr int cost = 80;
    static auto eval(auto x) {
        if constexpr (Scaled) return simd::i0e(x);
        else return simd::i0(x);
    }
    static constexpr auto pullback(auto g, auto y, auto x) {
        if constexpr (Scaled) return cotangents(g * (apply<bessel_1_op<"i1e", true>>(x) - sign(x) * y));
        else return cotangents(g * apply<bessel_1_op<"i1", false>>(x));
    }
};

/// I_1(x), or I_1(x) e^-|x|; derivative I_0(x) - y/x, or that times e^-|x| less sign(x) y; 1/2 at 0.
template <fixed_string Name, bool Scaled>
struct bessel_1_op : elementwise<Name> {
    static constexpr int cost = 80;
    static auto eval(auto x) {
        if constexpr (Scaled) return simd::i1e(x);
        else return simd::i1(x);
    }
    static constexpr auto pullback(auto g, auto y, auto x) {
        auto const quotient = y / x;
        if constexpr (Scaled)
            return cotangents(g * (where(x == 0.0, 0.5, apply<bessel_0_op<"i0e", true>>(x) - quotient) - sign(x) * y));
        else return cotangents(g * where(x == 0.0, 0.5, apply<bessel_0_op<"i0", false>>(x) - quotient));
    }
};
}  // namespace detail

/// The modified Bessel function of order 0
template <any_expression A>
constexpr auto i0(A const& a) {
    return apply<detail::bessel_0_op<"i0", false>>(a);
}
/// The modified Bessel function of order 1
template <any_expression A>
constexpr auto i1(A const& a) {
    return apply<detail::bessel_1_op<"i1", false>>(a);
}
/// I_0(x) e^-|x|
template <any_expression A>
constexpr auto i0e(A const& a) {
    return apply<detail::bessel_0_op<"i0e", true>>(a);
}
/// I_1(x) e^-|x|
template <any_expression A>
constexpr auto i1e(A const& a) {
    return apply<detail::bessel_1_op<"i1e", true>>(a);
}

}  // namespace tapeless
