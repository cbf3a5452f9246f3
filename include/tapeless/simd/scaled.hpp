// SPDX-License-Identifier: MIT
#pragma once
// Numbers m 2^e with an exponent of their own: sums and products of probabilities that may be as small as they like.
// It is what logarithms are taken for, without the exp and log that a sum then costs, and without the digits that a
// large logarithm lacks.

#include <tapeless/simd/exponential.hpp>

namespace tapeless::simd {

/// m 2^e in each lane: m from 1 to 2, or about that; e is a whole number, or `scaled_zero` and below where the number
/// is 0.
template <class Batch>
struct scaled_numbers {
    Batch m, e;
};
using scaled = scaled_numbers<batch<double>>;

/// The exponent of 0. It is finite, so that differences of exponents are numbers.
inline constexpr double scaled_zero = -1e300;

namespace detail {

/// 2^d for whole numbers d < 1024; 0 for d <= -1023.
[[gnu::always_inline]] inline vec<double> power_of_exponent(vec<double> d) {
    return std::bit_cast<vec<double>>(ubits<double>(at_least<double>(d, -1023) + (0x1p52 + 1023)) << 52);
}
/// The same number with m from 1 to 2; m is at least 1/4, say.
[[gnu::always_inline]] inline scaled normalised(vec<double> m, vec<double> e) {
    uvec<double> const u = ubits<double>(m);
    uvec<double> const fraction = uvec<double>{} + 0xfffffffffffffu, one = ubits<double>(splat<double>(1));
    auto const exponent =
        std::bit_cast<vec<double>>((u >> 52) | ubits<double>(splat<double>(0x1p52))) - (0x1p52 + 1023);
    return {wrap<double>(std::bit_cast<vec<double>>((u & fraction) | one)), wrap<double>(e + exponent)};
}

}  // namespace detail

/// e^x. What is less than about -1e300 becomes 0.
[[gnu::always_inline]] inline scaled exp_scaled(batch<double> a) {
    using namespace detail;
    using k = exp_constants<double>;
    vec<double> const x = raw(a), near = at_most<double>(at_least<double>(x, -0x1p40), 0x1p40);
    vec<double> const n = rounded<direction::even, double>(near * k::log2e);
    vec<double> const r = nmadd<double>(n, splat<double>(k::ln2_lo), nmadd<double>(n, splat<double>(k::ln2_hi), near));
    vec<double> const r2 = r * r;
    vec<double> const m = madd<double>(polynomial<double>(k::c, r, r2), r2, r) + 1.0;
    // beyond 2^40 there are no digits left for a fraction
    vec<double> const e = x == near ? n : at_least<double>(x, scaled_zero) * k::log2e;
    return {wrap<double>(m), wrap<double>(at_least<double>(e, scaled_zero))};
}

/// The sum, with an m of at most twice as much for each term.
template <class... S>
[[gnu::always_inline]] inline scaled sum_scaled(scaled a, S... b) {
    using namespace detail;
    vec<double> top = raw(a.e);
    ((top = max_or_second<double>(top, raw(b.e))), ...);
    vec<double> m = raw(a.m) * power_of_exponent(raw(a.e) - top);
    ((m = madd<double>(raw(b.m), power_of_exponent(raw(b.e) - top), m)), ...);
    return {wrap<double>(m), wrap<double>(top)};
}

/// The product, m from 1 to 2.
[[gnu::always_inline]] inline scaled multiply_scaled(scaled a, scaled b) {
    return detail::normalised(detail::raw(a.m) * detail::raw(b.m), detail::raw(a.e) + detail::raw(b.e));
}

/// 1 / a
[[gnu::always_inline]] inline scaled reciprocal_scaled(scaled a) {
    return {detail::wrap<double>(1.0 / detail::raw(a.m)), detail::wrap<double>(-detail::raw(a.e))};
}

/// a b c, which is at most about 1, as a plain number.
[[gnu::always_inline]] inline batch<double> plain_product(scaled a, scaled b, scaled c) {
    using namespace detail;
    return wrap<double>(raw(a.m) * raw(b.m) * raw(c.m) * power_of_exponent(raw(a.e) + raw(b.e) + raw(c.e)));
}

}  // namespace tapeless::simd
