// SPDX-License-Identifier: MIT
#pragma once
// What GNU vectors have no operator for: fused multiply-add, square root, rounding, maxima, tests across the lanes.

#include <tapeless/simd/batch.hpp>

#if defined(__aarch64__)
#include <arm_neon.h>
#elif defined(__AVX__)
#include <immintrin.h>
#elif defined(__SSE4_1__)
#include <smmintrin.h>
#elif defined(__SSSE3__)
#include <tmmintrin.h>
#elif defined(__x86_64__)
#include <emmintrin.h>  // what all know: the whole of immintrin.h would be a fifth of what reading the library takes
#endif

namespace tapeless::simd::detail {

#if defined(__aarch64__) || defined(__FMA__) || defined(__AVX512F__)
inline constexpr bool has_fma = true;
#else
inline constexpr bool has_fma = false;
#endif

// a*b + c; without the instruction the product is rounded as well.
template <class T>
[[gnu::always_inline]] inline vec<T> madd(vec<T> a, vec<T> b, vec<T> c) {
#if defined(__aarch64__)
    if constexpr (sizeof(a) == 16 && std::same_as<T, float>) return vfmaq_f32(c, a, b);
    else if constexpr (sizeof(a) == 16 && std::same_as<T, double>) return vfmaq_f64(c, a, b);
    else return a * b + c;
#elif defined(__FMA__) || defined(__AVX512F__)
    if constexpr (std::same_as<T, float>) {
        if constexpr (sizeof(a) == 16) return _mm_fmadd_ps(a, b, c);
        else if constexpr (sizeof(a) == 32) return _mm256_fmadd_ps(a, b, c);
#if defined(__AVX512F__)
        else return _mm512_fmadd_ps(a, b, c);
#endif
    } else if constexpr (std::same_as<T, double>) {
        if constexpr (sizeof(a) == 16) return _mm_fmadd_pd(a, b, c);
        else if constexpr (sizeof(a) == 32) return _mm256_fmadd_pd(a, b, c);
#if defined(__AVX512F__)
        else return _mm512_fmadd_pd(a, b, c);
#endif
    } else {
        return a * b + c;
    }
#else
    return a * b + c;
#endif
}

// c - a*b
template <class T>
[[gnu::always_inline]] inline vec<T> nmadd(vec<T> a, vec<T> b, vec<T> c) {
#if defined(__aarch64__)
    if constexpr (sizeof(a) == 16 && std::same_as<T, float>) return vfmsq_f32(c, a, b);
    else if constexpr (sizeof(a) == 16 && std::same_as<T, double>) return vfmsq_f64(c, a, b);
    else return c - a * b;
#else
    if constexpr (has_fma && real<T>) return madd<T>(-a, b, c);
    else return c - a * b;
#endif
}

// a[I]*b + c and a[I]*b: NEON multiplies by a lane, so that one load serves as many products as it has lanes.
template <int I, class T>
[[gnu::always_inline]] inline vec<T> madd_lane(vec<T> a, vec<T> b, vec<T> c) {
#if defined(__aarch64__)
    if constexpr (sizeof(a) == 16 && std::same_as<T, float>) return vfmaq_laneq_f32(c, b, a, I);
    else if constexpr (sizeof(a) == 16 && std::same_as<T, double>) return vfmaq_laneq_f64(c, b, a, I);
    else return madd<T>(splat<T>(a[I]), b, c);
#else
    return madd<T>(splat<T>(a[I]), b, c);
#endif
}
template <int I, class T>
[[gnu::always_inline]] inline vec<T> mul_lane(vec<T> a, vec<T> b) {
#if defined(__aarch64__)
    if constexpr (sizeof(a) == 16 && std::same_as<T, float>) return vmulq_laneq_f32(b, a, I);
    else if constexpr (sizeof(a) == 16 && std::same_as<T, double>) return vmulq_laneq_f64(b, a, I);
    else return splat<T>(a[I]) * b;
#else
    return splat<T>(a[I]) * b;
#endif
}

// a*b + c and a*b for a plain number a.
template <class T>
[[gnu::always_inline]] inline vec<T> madd_number(T a, vec<T> b, vec<T> c) {
#if defined(__aarch64__)
    if constexpr (sizeof(b) == 16 && std::same_as<T, float>) return vfmaq_n_f32(c, b, a);
    else if constexpr (sizeof(b) == 16 && std::same_as<T, double>) return vfmaq_n_f64(c, b, a);
    else return madd<T>(splat<T>(a), b, c);
#else
    return madd<T>(splat<T>(a), b, c);
#endif
}

// Keeps v a vector: where paths join, g++ 12 takes one that is stored next for an integer, in two general registers.
template <class T>
[[gnu::always_inline]] inline void keep(vec<T>& v) {
#if defined(__aarch64__)
    asm("" : "+w"(v));
#elif defined(__AVX512F__)
    asm("" : "+v"(v));
#elif defined(__x86_64__)
    asm("" : "+x"(v));
#endif
}

// AVX-512's maskz forms with a full mask are the plain ones, less a false warning of g++ 12.
template <real T>
[[gnu::always_inline]] inline vec<T> root(vec<T> a) {
#if defined(__aarch64__)
    if constexpr (sizeof(a) == 16 && std::same_as<T, float>) return vsqrtq_f32(a);
    else if constexpr (sizeof(a) == 16) return vsqrtq_f64(a);
#elif defined(__x86_64__)
    if constexpr (sizeof(a) == 16 && std::same_as<T, float>) return _mm_sqrt_ps(a);
    else if constexpr (sizeof(a) == 16) return _mm_sqrt_pd(a);
#if defined(__AVX__)
    else if constexpr (sizeof(a) == 32 && std::same_as<T, float>) return _mm256_sqrt_ps(a);
    else if constexpr (sizeof(a) == 32) return _mm256_sqrt_pd(a);
#endif
#if defined(__AVX512F__)
    else if constexpr (sizeof(a) == 64 && std::same_as<T, float>) return _mm512_maskz_sqrt_ps(0xffff, a);
    else if constexpr (sizeof(a) == 64) return _mm512_maskz_sqrt_pd(0xff, a);
#endif
#endif
    else {
        for (int i = 0; i < lanes<T>; ++i) a[i] = static_cast<T>(__builtin_sqrt(static_cast<double>(a[i])));
        return a;
    }
}
/// Of one number: the library's function would have to tell errno of negative ones.
template <real T>
[[gnu::always_inline]] inline T root_of_number(T x) {
#if defined(__aarch64__)
    if constexpr (std::same_as<T, float>) return vget_lane_f32(vsqrt_f32(vdup_n_f32(x)), 0);
    else return vget_lane_f64(vsqrt_f64(vdup_n_f64(x)), 0);
#elif defined(__x86_64__)
    if constexpr (std::same_as<T, float>) return _mm_cvtss_f32(_mm_sqrt_ss(_mm_set_ss(x)));
    else return _mm_cvtsd_f64(_mm_sqrt_sd(_mm_set_sd(x), _mm_set_sd(x)));
#else
    return root<T>(vec<T>{} + x)[0];
#endif
}

enum class direction { even, down, up, zero };

// Rounding by hand, for SSE2: adding 2^23 (or 2^52) leaves no bits for a fraction.
template <real T>
[[gnu::always_inline]] inline vec<T> round_by_hand(vec<T> x, direction d) {
    constexpr T big = sizeof(T) == 4 ? T(0x1p23) : T(0x1p52);
    ivec<T> const sign = ibits<T>(x) & sign_bit<T>();
    vec<T> const a = std::bit_cast<vec<T>>(ibits<T>(x) ^ sign);
    vec<T> r = (a + big) - big;
    if (d == direction::zero) r = r > a ? r - T(1) : r;
    r = a < big ? r : a;
    r = a == a ? r : a;
    r = std::bit_cast<vec<T>>(ibits<T>(r) | sign);
    if (d == direction::down) r = r > x ? r - T(1) : r;
    if (d == direction::up) r = r < x ? r + T(1) : r;
    return std::bit_cast<vec<T>>(ibits<T>(r) | sign);
}

template <direction d, real T>
[[gnu::always_inline]] inline vec<T> rounded(vec<T> x) {
#if defined(__aarch64__)
    if constexpr (sizeof(x) == 16 && std::same_as<T, float>) {
        if constexpr (d == direction::even) return vrndnq_f32(x);
        else if constexpr (d == direction::down) return vrndmq_f32(x);
        else if constexpr (d == direction::up) return vrndpq_f32(x);
        else return vrndq_f32(x);
    } else if constexpr (sizeof(x) == 16) {
        if constexpr (d == direction::even) return vrndnq_f64(x);
        else if constexpr (d == direction::down) return vrndmq_f64(x);
        else if constexpr (d == direction::up) return vrndpq_f64(x);
        else return vrndq_f64(x);
    }
#elif defined(__SSE4_1__)
    constexpr int mode = 8 | static_cast<int>(d);
    if constexpr (sizeof(x) == 16 && std::same_as<T, float>) return _mm_round_ps(x, mode);
    else if constexpr (sizeof(x) == 16) return _mm_round_pd(x, mode);
#if defined(__AVX__)
    else if constexpr (sizeof(x) == 32 && std::same_as<T, float>) return _mm256_round_ps(x, mode);
    else if constexpr (sizeof(x) == 32) return _mm256_round_pd(x, mode);
#endif
#if defined(__AVX512F__)
    else if constexpr (sizeof(x) == 64 && std::same_as<T, float>) return _mm512_maskz_roundscale_ps(0xffff, x, mode);
    else if constexpr (sizeof(x) == 64) return _mm512_maskz_roundscale_pd(0xff, x, mode);
#endif
#else
    if constexpr (false) return x;
#endif
    else
        return round_by_hand<T>(x, d);
}

// a > b ? a : b; where one of them is a NaN, NEON answers it and x86 answers b.
template <class T>
[[gnu::always_inline]] inline vec<T> max_or_second(vec<T> a, vec<T> b) {
#if defined(__aarch64__)
    if constexpr (sizeof(a) == 16 && std::same_as<T, float>) return vmaxq_f32(a, b);
    else if constexpr (sizeof(a) == 16 && std::same_as<T, double>) return vmaxq_f64(a, b);
#elif defined(__x86_64__)
    if constexpr (sizeof(a) == 16 && std::same_as<T, float>) return _mm_max_ps(a, b);
    else if constexpr (sizeof(a) == 16 && std::same_as<T, double>) return _mm_max_pd(a, b);
#if defined(__AVX__)
    else if constexpr (sizeof(a) == 32 && std::same_as<T, float>) return _mm256_max_ps(a, b);
    else if constexpr (sizeof(a) == 32 && std::same_as<T, double>) return _mm256_max_pd(a, b);
#endif
#if defined(__AVX512F__)
    else if constexpr (sizeof(a) == 64 && std::same_as<T, float>) return _mm512_maskz_max_ps(0xffff, a, b);
    else if constexpr (sizeof(a) == 64 && std::same_as<T, double>) return _mm512_maskz_max_pd(0xff, a, b);
#endif
#else
    if constexpr (false) return a;
#endif
    else return a > b ? a : b;
}

template <class T>
[[gnu::always_inline]] inline vec<T> min_or_second(vec<T> a, vec<T> b) {
#if defined(__aarch64__)
    if constexpr (sizeof(a) == 16 && std::same_as<T, float>) return vminq_f32(a, b);
    else if constexpr (sizeof(a) == 16 && std::same_as<T, double>) return vminq_f64(a, b);
#elif defined(__x86_64__)
    if constexpr (sizeof(a) == 16 && std::same_as<T, float>) return _mm_min_ps(a, b);
    else if constexpr (sizeof(a) == 16 && std::same_as<T, double>) return _mm_min_pd(a, b);
#if defined(__AVX__)
    else if constexpr (sizeof(a) == 32 && std::same_as<T, float>) return _mm256_min_ps(a, b);
    else if constexpr (sizeof(a) == 32 && std::same_as<T, double>) return _mm256_min_pd(a, b);
#endif
#if defined(__AVX512F__)
    else if constexpr (sizeof(a) == 64 && std::same_as<T, float>) return _mm512_maskz_min_ps(0xffff, a, b);
    else if constexpr (sizeof(a) == 64 && std::same_as<T, double>) return _mm512_maskz_min_pd(0xff, a, b);
#endif
#else
    if constexpr (false) return a;
#endif
    else return a < b ? a : b;
}

// A NaN in either operand propagates.
template <class T>
[[gnu::always_inline]] inline vec<T> larger(vec<T> a, vec<T> b) {
#if defined(__aarch64__)
    if constexpr (real<T> && sizeof(a) == 16) return max_or_second<T>(a, b);
#endif
    vec<T> const m = max_or_second<T>(a, b);
    if constexpr (real<T>) return a == a ? m : a;
    return m;
}
template <class T>
[[gnu::always_inline]] inline vec<T> smaller(vec<T> a, vec<T> b) {
#if defined(__aarch64__)
    if constexpr (real<T> && sizeof(a) == 16) return min_or_second<T>(a, b);
#endif
    vec<T> const m = min_or_second<T>(a, b);
    if constexpr (real<T>) return a == a ? m : a;
    return m;
}

// The same with a bound that is no NaN: a NaN in x stays.
template <real T>
[[gnu::always_inline]] inline vec<T> at_least(vec<T> x, std::type_identity_t<T> bound) {
    return max_or_second<T>(splat<T>(bound), x);
}

template <real T>
[[gnu::always_inline]] inline vec<T> at_most(vec<T> x, std::type_identity_t<T> bound) {
    return min_or_second<T>(splat<T>(bound), x);
}

template <class T>
[[gnu::always_inline]] inline bool any_lane(ivec<T> m) {
#if defined(__aarch64__)
    if constexpr (sizeof(m) == 16) return vmaxvq_u32(std::bit_cast<uint32x4_t>(m)) != 0;
#elif defined(__x86_64__)
    if constexpr (sizeof(m) == 16) return _mm_movemask_ps(std::bit_cast<__m128>(m)) != 0;
#if defined(__AVX__)
    else if constexpr (sizeof(m) == 32) return _mm256_movemask_ps(std::bit_cast<__m256>(m)) != 0;
#endif
#if defined(__AVX512F__)
    else if constexpr (sizeof(m) == 64)
        return _mm512_test_epi32_mask(std::bit_cast<__m512i>(m), std::bit_cast<__m512i>(m)) != 0;
#endif
#endif
    else {
        int_like<T> all = 0;
        for (int i = 0; i < lanes<T>; ++i) all |= m[i];
        return all != 0;
    }
}

// Joins each lane with the one `distance` away, the halves first: a tree, whose root every lane then holds.
template <class T, int distance = lanes<T> / 2, class F>
[[gnu::always_inline]] inline T across(vec<T> v, F f) {
    auto const swap = [&]<int... i>(std::integer_sequence<int, i...>) __attribute__((always_inline)) {
        return __builtin_shufflevector(v, v, (i ^ distance)...);
    };
    vec<T> const other = swap(std::make_integer_sequence<int, lanes<T>>{});
    if constexpr (distance == 1) return f(v, other)[0];
    else return across<T, distance / 2>(f(v, other), f);
}

template <any_batch B, class T = value_of<B>>
[[gnu::always_inline]] inline T first(B b) {
    return raw(b)[0];
}

}  // namespace tapeless::simd::detail
