// SPDX-License-Identifier: MIT
#pragma once
// pow: of floats as exp(y log x) in double precision, of doubles lane by lane through the C library.

#include <tapeless/simd/convert.hpp>
#include <tapeless/simd/logarithm.hpp>

namespace tapeless::simd {

namespace detail {

// x^y for positive normal x, good to 2^-32 for results in the range of a float.
[[gnu::always_inline]] inline vec<double> rough_pow(vec<double> x, vec<double> y) {
    using e = exp_constants<double>;
    // log x = k ln 2 + 2s + s^3 (2/3 + ...) as in log_from_parts, with fewer terms
    constexpr double log_terms[] = {0.6666666667584623, 0.39999995604692956, 0.28572111143286094, 0.22176099255364806,
                                    0.19585526583761798};
    auto const [k, f] = split_exponent<double>(x);
    vec<double> const s = f / (f + 2.);
    vec<double> const s2 = s * s;
    vec<double> const log_m = madd<double>(polynomial<double>(log_terms, s2, s2 * s2), s2 * s, s + s);
    vec<double> const t = madd<double>(k, splat<double>(e::ln2_hi + e::ln2_lo), log_m) * y;
    // Beyond these bounds the float is 0 or infinite, while the double still is an ordinary number.
    vec<double> const bounded = at_most<double>(at_least<double>(t, -200.), 200.);
    constexpr double exp_terms[] = {0.5000000067839562,   0.1666666586714832,    0.041666294365240254,
                                    0.008333497307054629, 0.0013944703539245937, 0.00019790316701075018};
    constexpr double shift = e::shift + e::bias;
    vec<double> const z = madd<double>(bounded, splat<double>(e::log2e), splat<double>(shift));
    vec<double> const r = nmadd<double>(z - shift, splat<double>(e::ln2_hi + e::ln2_lo), bounded);
    vec<double> const r2 = r * r;
    auto const scale = std::bit_cast<vec<double>>(ubits<double>(z) << e::digits);
    return madd<double>(madd<double>(polynomial<double>(exp_terms, r, r2), r2, r), scale, scale);
}

[[gnu::always_inline]] inline vec<float> pow(vec<float> x, vec<float> y) {
    constexpr int half = lanes<double>;
    auto const magnitude = std::bit_cast<vec<float>>(ibits<float>(x) & ~sign_bit<float>());
    vec<float> out;
    for (int part = 0; part < 2; ++part) {
        piece<float, half> a, b;
        __builtin_memcpy(&a, reinterpret_cast<char const*>(&magnitude) + part * static_cast<int>(sizeof a), sizeof a);
        __builtin_memcpy(&b, reinterpret_cast<char const*>(&y) + part * static_cast<int>(sizeof b), sizeof b);
        a = __builtin_convertvector(
            rough_pow(__builtin_convertvector(a, vec<double>), __builtin_convertvector(b, vec<double>)),
            piece<float, half>);
        __builtin_memcpy(reinterpret_cast<char*>(&out) + part * static_cast<int>(sizeof a), &a, sizeof a);
    }
    // A negative base: an odd exponent gives a negative power, an even one a positive, all others a NaN.
    vec<float> const half_y = y * 0.5f;
    auto const whole = std::bit_cast<ivec<float>>(rounded<direction::even, float>(y) == y);
    auto const odd = whole & std::bit_cast<ivec<float>>(rounded<direction::even, float>(half_y) != half_y);
    ivec<float> const negative = ibits<float>(x) >> 31;
    out = std::bit_cast<vec<float>>((ibits<float>(out) ^ (odd & negative & sign_bit<float>())) | (negative & ~whole));
    // Zero, infinite and NaN operands.
    constexpr float infinity = std::numeric_limits<float>::infinity();
    auto const plain = std::bit_cast<ivec<float>>((magnitude > 0.f) & (magnitude < infinity)) &
                       std::bit_cast<ivec<float>>(y - y == 0.f);
    return unless_rare<float>(~plain, x, y, out, [](float a, float b) { return std::pow(a, b); });
}

[[gnu::always_inline]] inline vec<double> pow(vec<double> x, vec<double> y) {
    for (int i = 0; i < lanes<double>; ++i) x[i] = std::pow(x[i], y[i]);
    return x;
}

}  // namespace detail

template <real T>
[[gnu::always_inline]] inline batch<T> pow(xsimd::batch<T> x, xsimd::batch<T> y) {
    return detail::wrap<T>(detail::pow(detail::raw(x), detail::raw(y)));
}
template <real T>
[[gnu::always_inline]] inline T pow(T x, T y) {
    return detail::pow(detail::splat<T>(x), detail::splat<T>(y))[0];
}
template <class A, class B>
    requires detail::mixed<A, B>
[[gnu::always_inline]] inline auto pow(A x, B y) {
    using T = typename detail::batch_among<A, B>::type;
    return pow(detail::to_batch<T>(x), detail::to_batch<T>(y));
}

}  // namespace tapeless::simd
