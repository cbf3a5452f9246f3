// SPDX-License-Identifier: MIT
#pragma once
// Activations.

#include <tapeless/ops/compare.hpp>

namespace tapeless {

/// max(0, x); derivative 0 at 0. NaN stays.
struct relu_op : elementwise<"relu"> {
    static constexpr int cost = 1;
    static auto eval(auto x) { return simd::select(simd::less(x, decltype(x)(0)), decltype(x)(0), x); }
    static constexpr auto pullback(auto g, auto y, auto) { return cotangents(where(y > 0.0, g, 0.0)); }
};

/// 1/(1 + e^-x), stable for large |x|. The rule needs only the result: y (1 - y).
struct sigmoid_op : elementwise<"sigmoid"> {
    static constexpr int cost = 20;
    static auto eval(auto x) { return simd::sigmoid(x); }
    static constexpr auto pullback(auto g, auto y, auto) { return cotangents(g * (y * (1.0 - y))); }
};

/// max(0, x)
template <expression A>
constexpr detail::applied<relu_op, A> relu(A const& a) {
    return apply<relu_op>(a);
}
/// 1/(1 + e^-x)
template <expression A>
constexpr detail::applied<sigmoid_op, A> sigmoid(A const& a) {
    return apply<sigmoid_op>(a);
}

}  // namespace tapeless
