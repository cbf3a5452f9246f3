// SPDX-License-Identifier: MIT
#pragma once
// Modified Bessel functions of the first kind: i0, i1, and i0e, i1e, which are divided by e^|x|.

#include <tapeless/ops/exponential.hpp>
#include <tapeless/simd/bessel.hpp>

namespace tapeless {

namespace detail::inline ops_part {
/// I_n(x), or I_n(x) e^-|x|. The derivative of I_n is (I_(n-1) + I_(n+1))/2, that of I_0 is I_1; the factor adds
/// -sign(x) y.
template <fixed_string Name, bool Scaled>
struct bessel_op : elementwise<Name> {
    static constexpr bool has_number = true;
    static constexpr int cost = 80;
    static auto eval(auto x, double n) {
        int const order = static_cast<int>(n);
        if constexpr (Scaled)
            return order == 0 ? simd::i0e(x) : order == 1 ? simd::i1e(x) : simd::bessel<true>(order, x);
        else return order == 0 ? simd::i0(x) : order == 1 ? simd::i1(x) : simd::bessel<false>(order, x);
    }
    static constexpr auto pullback(auto g, auto y, auto x, double n) {
        auto const next = of(x, n + 1);
        auto const slope = n == 0 ? next : 0.5 * (of(x, n - 1) + next);
        if constexpr (Scaled) return cotangents(g * (slope - sign(x) * y));
        else return cotangents(g * slope);
    }
    template <class X>
    static constexpr auto of(X const& x, double n) {
        return apply_with<bessel_op>(attribute{.number = n}, x);
    }
};
}  // namespace detail::ops_part

/// The modified Bessel function of order 0
template <any_expression A>
constexpr auto i0(A const& a) {
    return detail::bessel_op<"bessel", false>::of(a, 0);
}
/// The modified Bessel function of order 1
template <any_expression A>
constexpr auto i1(A const& a) {
    return detail::bessel_op<"bessel", false>::of(a, 1);
}
/// I_0(x) e^-|x|
template <any_expression A>
constexpr auto i0e(A const& a) {
    return detail::bessel_op<"scaled_bessel", true>::of(a, 0);
}
/// I_1(x) e^-|x|
template <any_expression A>
constexpr auto i1e(A const& a) {
    return detail::bessel_op<"scaled_bessel", true>::of(a, 1);
}

}  // namespace tapeless
