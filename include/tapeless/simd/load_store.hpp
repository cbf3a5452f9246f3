// SPDX-License-Identifier: MIT
#pragma once
// Whole, partial and strided loads and stores, and masks kept in memory as bool. No address need be aligned.

#include <tapeless/simd/instructions.hpp>

namespace tapeless::simd {

template <class T>
[[gnu::always_inline]] inline batch<T> load(T const* p) {
    detail::vec<T> v;
    __builtin_memcpy(&v, p, sizeof v);
    return detail::wrap<T>(v);
}

template <any_batch B, class T = value_of<B>>
[[gnu::always_inline]] inline void store(T* p, B b) {
    detail::vec<T> const v = detail::raw(b);
    __builtin_memcpy(p, &v, sizeof v);
}

namespace detail {

#if defined(__AVX512F__)
/// The first n lanes of a register of 512 bits.
template <class T>
[[gnu::always_inline]] inline std::conditional_t<sizeof(T) == 4, __mmask16, __mmask8> first_bits(int n) {
    unsigned const bits = n <= 0 ? 0u : n >= lanes<T> ? ~0u : (1u << n) - 1;
    return static_cast<std::conditional_t<sizeof(T) == 4, __mmask16, __mmask8>>(bits);
}
#endif
#if defined(__AVX2__)
/// The first n lanes of a register of 256 bits.
template <class T>
[[gnu::always_inline]] inline __m256i first_words(int n) {
    ivec<T> m;
    each_lane<T>([&](int i) __attribute__((always_inline)) { m[i] = i; });
    return std::bit_cast<__m256i>(m < (ivec<T>{} + n));
}
#endif

// The first n elements from p on, and `fill` in the other lanes. Registers of AVX2 and AVX-512 know masks; the others
// have few lanes.
template <class T>
[[gnu::always_inline]] inline vec<T> load_first(T const* p, int n, T fill) {
    vec<T> v = splat<T>(fill);
#if defined(__AVX512F__)
    if constexpr (sizeof v == 64 && sizeof(T) == 4)
        return std::bit_cast<vec<T>>(_mm512_mask_loadu_epi32(std::bit_cast<__m512i>(v), first_bits<T>(n), p));
    else if constexpr (sizeof v == 64 && sizeof(T) == 8)
        return std::bit_cast<vec<T>>(_mm512_mask_loadu_epi64(std::bit_cast<__m512i>(v), first_bits<T>(n), p));
    else
#endif
#if defined(__AVX2__)
    if constexpr (sizeof v == 32 && sizeof(T) >= 4) {
        __m256i const m = first_words<T>(n);
        __m256i there;
        if constexpr (sizeof(T) == 4) there = _mm256_maskload_epi32(reinterpret_cast<int const*>(p), m);
        else there = _mm256_maskload_epi64(reinterpret_cast<long long const*>(p), m);
        if (__builtin_constant_p(fill) && fill == T(0)) return std::bit_cast<vec<T>>(there);  // as those lanes are
        return std::bit_cast<vec<T>>(_mm256_blendv_epi8(std::bit_cast<__m256i>(v), there, m));
    } else
#endif
    {
        each_lane<T>([&](int i) __attribute__((always_inline)) {
            if (i < n) v[i] = p[i];
        });
        return v;
    }
}

template <class T>
[[gnu::always_inline]] inline void store_first(T* p, int n, vec<T> v) {
#if defined(__AVX512F__)
    if constexpr (sizeof v == 64 && sizeof(T) == 4)
        _mm512_mask_storeu_epi32(p, first_bits<T>(n), std::bit_cast<__m512i>(v));
    else if constexpr (sizeof v == 64 && sizeof(T) == 8)
        _mm512_mask_storeu_epi64(p, first_bits<T>(n), std::bit_cast<__m512i>(v));
    else
#endif
#if defined(__AVX2__)
    if constexpr (sizeof v == 32 && sizeof(T) == 4)
        _mm256_maskstore_epi32(reinterpret_cast<int*>(p), first_words<T>(n), std::bit_cast<__m256i>(v));
    else if constexpr (sizeof v == 32 && sizeof(T) == 8)
        _mm256_maskstore_epi64(reinterpret_cast<long long*>(p), first_words<T>(n), std::bit_cast<__m256i>(v));
    else
#endif
        each_lane<T>([&](int i) __attribute__((always_inline)) {
            if (i < n) p[i] = v[i];
        });
}

}  // namespace detail

template <class T>
[[gnu::always_inline]] inline batch<T> load_partial(T const* p, int n, std::type_identity_t<T> fill = T(0)) {
    return detail::wrap<T>(detail::load_first<T>(p, n, fill));
}

template <any_batch B, class T = value_of<B>>
[[gnu::always_inline]] inline void store_partial(T* p, B b, int n) {
    detail::store_first<T>(p, n, detail::raw(b));
}

// Lane i is p[i * stride]; lanes from n on are `fill`.
template <class T>
[[gnu::always_inline]] inline batch<T> load_strided(T const* p, std::ptrdiff_t stride, int n = lanes<T>,
                                                    std::type_identity_t<T> fill = T(0)) {
    detail::vec<T> v = detail::splat<T>(fill);
    if (sizeof v > 16 && n >= lanes<T>) {  // all at once: lane by lane, wide registers go through memory
        auto const all = [&]<int... i>(std::integer_sequence<int, i...>) __attribute__((always_inline)) {
            return detail::vec<T>{p[i * stride]...};
        };
        return detail::wrap<T>(all(std::make_integer_sequence<int, lanes<T>>{}));
    }
    detail::each_lane<T>([&](int i) __attribute__((always_inline)) {
        if (i < n) v[i] = p[i * stride];
    });
    return detail::wrap<T>(v);
}

template <any_batch B, class T = value_of<B>>
[[gnu::always_inline]] inline void store_strided(T* p, std::ptrdiff_t stride, B b, int n = lanes<T>) {
    detail::vec<T> const v = detail::raw(b);
    detail::each_lane<T>([&](int i) __attribute__((always_inline)) {
        if (i < n) p[i * stride] = v[i];
    });
}

template <class T>
[[gnu::always_inline]] inline mask<T> first_lanes(int n) {
    detail::ivec<T> m;
    detail::each_lane<T>([&](int i) __attribute__((always_inline)) { m[i] = i; });
    return detail::wrap_mask<T>(std::bit_cast<detail::ivec<T>>(m < (detail::ivec<T>{} + n)));
}

// Lanes from n on are false.
template <class T>
[[gnu::always_inline]] inline mask<T> load_mask(bool const* p, int n = lanes<T>) {
    detail::ivec<T> m{};
#if defined(__AVX2__)
    // bytes of 0 and 1 widened: lane by lane would be four instructions for each
    if (sizeof m > 16 && n >= lanes<T>) {
        std::uint64_t word[2]{};
        __builtin_memcpy(word, p, static_cast<std::size_t>(lanes<T>));
        __m128i const all = _mm_set_epi64x(static_cast<long long>(word[1]), static_cast<long long>(word[0]));
        if constexpr (sizeof m == 32 && sizeof(T) == 4) m = std::bit_cast<detail::ivec<T>>(_mm256_cvtepi8_epi32(all));
        else if constexpr (sizeof m == 32) m = std::bit_cast<detail::ivec<T>>(_mm256_cvtepi8_epi64(all));
#if defined(__AVX512F__)
        else if constexpr (sizeof(T) == 4) m = std::bit_cast<detail::ivec<T>>(_mm512_maskz_cvtepi8_epi32(0xffff, all));
        else m = std::bit_cast<detail::ivec<T>>(_mm512_maskz_cvtepi8_epi64(0xff, all));
#endif
        return detail::wrap_mask<T>(-m);
    }
#endif
    detail::each_lane<T>([&](int i) __attribute__((always_inline)) {
        if (i < n) m[i] = p[i] ? -1 : 0;
    });
    return detail::wrap_mask<T>(m);
}

template <any_mask M, class T = value_of<M>>
[[gnu::always_inline]] inline void store_mask(bool* p, M b, int n = lanes<T>) {
    detail::ivec<T> const m = detail::raw(b);
    if constexpr (sizeof m == 64)
        if (n >= lanes<T>) {
            using bytes [[gnu::vector_size(lanes<T>)]] = signed char;
            bytes const all = -__builtin_convertvector(m, bytes);
            return void(__builtin_memcpy(p, &all, sizeof all));
        }
    detail::each_lane<T>([&](int i) __attribute__((always_inline)) {
        if (i < n) p[i] = m[i] != 0;
    });
}

template <any_mask M, class T = value_of<M>>
[[gnu::always_inline]] inline bool any(M m) {
    return detail::any_lane<T>(detail::raw(m));
}

}  // namespace tapeless::simd
