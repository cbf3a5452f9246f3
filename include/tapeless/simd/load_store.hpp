// SPDX-License-Identifier: MIT
#pragma once
// Whole, partial and strided loads and stores, and masks kept in memory as bool. No address need be aligned.

#include <tapeless/simd/bit_masks.hpp>

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

// The instructions under names of plain functions: those of compilers have internal linkage, and templates of a module
// do not find them where they are used.
#if defined(__AVX512F__)
[[gnu::always_inline]] inline __m512i load_words(__m512i v, __mmask16 m, void const* p) {
    return _mm512_mask_loadu_epi32(v, m, p);
}
[[gnu::always_inline]] inline __m512i load_words(__m512i v, __mmask8 m, void const* p) {
    return _mm512_mask_loadu_epi64(v, m, p);
}
[[gnu::always_inline]] inline void store_words(void* p, __mmask16 m, __m512i v) { _mm512_mask_storeu_epi32(p, m, v); }
[[gnu::always_inline]] inline void store_words(void* p, __mmask8 m, __m512i v) { _mm512_mask_storeu_epi64(p, m, v); }
#endif
#if defined(__AVX2__)
template <int Bytes>
using word = std::conditional_t<Bytes == 4, int, long long>;
[[gnu::always_inline]] inline __m256i load_words(int const* p, __m256i m) { return _mm256_maskload_epi32(p, m); }
[[gnu::always_inline]] inline __m256i load_words(long long const* p, __m256i m) { return _mm256_maskload_epi64(p, m); }
[[gnu::always_inline]] inline void store_words(int* p, __m256i m, __m256i v) { _mm256_maskstore_epi32(p, m, v); }
[[gnu::always_inline]] inline void store_words(long long* p, __m256i m, __m256i v) { _mm256_maskstore_epi64(p, m, v); }
[[gnu::always_inline]] inline __m256i blended(__m256i no, __m256i yes, __m256i m) {
    return _mm256_blendv_epi8(no, yes, m);
}
/// The first n lanes of a register of 256 bits.
template <class T>
[[gnu::always_inline]] inline __m256i first_words(int n) {
    ivec<T> m;
    each_lane<T>([&](int i) __attribute__((always_inline)) { m[i] = i; });
    return std::bit_cast<__m256i>(m < (ivec<T>{} + n));
}
/// The first bytes of 16 as lanes of 4 or 8 bytes in a register of so many.
template <int Register, int Lane>
[[gnu::always_inline]] inline auto widened(__m128i bytes);
template <>
[[gnu::always_inline]] inline auto widened<32, 4>(__m128i bytes) {
    return _mm256_cvtepi8_epi32(bytes);
}
template <>
[[gnu::always_inline]] inline auto widened<32, 8>(__m128i bytes) {
    return _mm256_cvtepi8_epi64(bytes);
}
#if defined(__AVX512F__)
template <>
[[gnu::always_inline]] inline auto widened<64, 4>(__m128i bytes) {
    return _mm512_maskz_cvtepi8_epi32(0xffff, bytes);
}
template <>
[[gnu::always_inline]] inline auto widened<64, 8>(__m128i bytes) {
    return _mm512_maskz_cvtepi8_epi64(0xff, bytes);
}
#endif
[[gnu::always_inline]] inline __m128i sixteen_bytes(std::uint64_t low, std::uint64_t high) {
    return _mm_set_epi64x(static_cast<long long>(high), static_cast<long long>(low));
}
#endif

// The first n elements from p on, and `fill` in the other lanes. Registers of AVX2 and AVX-512 know masks; the others
// have few lanes.
template <class T>
[[gnu::always_inline]] inline vec<T> load_first(T const* p, int n, T fill) {
    vec<T> v = splat<T>(fill);
#if defined(__AVX512F__)
    if constexpr (sizeof v == 64 && sizeof(T) >= 4)
        return std::bit_cast<vec<T>>(load_words(std::bit_cast<__m512i>(v), first_bits<T>(n), p));
    else
#endif
#if defined(__AVX2__)
    if constexpr (sizeof v == 32 && sizeof(T) >= 4) {
        __m256i const m = first_words<T>(n);
        __m256i const there = load_words(reinterpret_cast<word<sizeof(T)> const*>(p), m);
        if (__builtin_constant_p(fill) && fill == T(0)) return std::bit_cast<vec<T>>(there);  // as those lanes are
        return std::bit_cast<vec<T>>(blended(std::bit_cast<__m256i>(v), there, m));
    } else
#endif
    if constexpr (sizeof v == 4 * sizeof(T)) {  // two of them together: half of the branches
        if (n > 1) {
            using two [[gnu::vector_size(2 * sizeof(T))]] = T;
            two low;
            __builtin_memcpy(&low, p, sizeof low);
            v = __builtin_shufflevector(__builtin_shufflevector(low, low, 0, 1, 0, 1), v, 0, 1, 6, 7);
            if (n > 2) v[2] = p[2];
            if (n > 3) v[3] = p[3];
        } else if (n > 0) v[0] = p[0];
        return v;
    } else {
        each_lane<T>([&](int i) __attribute__((always_inline)) {
            if (i < n) v[i] = p[i];
        });
        return v;
    }
}

// Elements from ... to - 1 from p on in their lanes, and 0 in the others, of which nothing is read.
template <class T>
[[gnu::always_inline]] inline vec<T> load_some(T const* p, int from, int to) {
#if defined(__AVX512F__)
    if constexpr (sizeof(vec<T>) == 64 && sizeof(T) >= 4) {
        using bits = decltype(first_bits<T>(0));
        auto const some = static_cast<bits>(first_bits<T>(to) & ~first_bits<T>(from));
        return std::bit_cast<vec<T>>(load_words(__m512i{}, some, p));
    } else
#endif
#if defined(__AVX2__)
    if constexpr (sizeof(vec<T>) == 32 && sizeof(T) >= 4) {
        __m256i const some = ~first_words<T>(from) & first_words<T>(to);
        return std::bit_cast<vec<T>>(load_words(reinterpret_cast<word<sizeof(T)> const*>(p), some));
    } else
#endif
    {
        vec<T> v{};
        each_lane<T>([&](int i) __attribute__((always_inline)) {
            if (i >= from && i < to) v[i] = p[i];
        });
        return v;
    }
}

template <class T>
[[gnu::always_inline]] inline void store_first(T* p, int n, vec<T> v) {
#if defined(__AVX512F__)
    if constexpr (sizeof v == 64 && sizeof(T) >= 4) store_words(p, first_bits<T>(n), std::bit_cast<__m512i>(v));
    else
#endif
#if defined(__AVX2__)
    if constexpr (sizeof v == 32 && sizeof(T) >= 4)
        store_words(reinterpret_cast<word<sizeof(T)>*>(p), first_words<T>(n), std::bit_cast<__m256i>(v));
    else
#endif
    if constexpr (sizeof v == 4 * sizeof(T)) {
        if (n > 1) {
            using two [[gnu::vector_size(2 * sizeof(T))]] = T;
            two const low = __builtin_shufflevector(v, v, 0, 1);
            __builtin_memcpy(p, &low, sizeof low);
            if (n > 2) p[2] = v[2];
            if (n > 3) p[3] = v[3];
        } else if (n > 0) p[0] = v[0];
    } else
        each_lane<T>([&](int i) __attribute__((always_inline)) {
            if (i < n) p[i] = v[i];
        });
}

}  // namespace detail

template <class T>
[[gnu::always_inline]] inline batch<T> load_partial(T const* p, int n, std::type_identity_t<T> fill = T(0)) {
    return detail::wrap<T>(detail::load_first<T>(p, n, fill));
}

// Lane i is p[i] for from <= i < to, otherwise 0; nothing else is read, so p may be outside an array that has those.
template <class T>
[[gnu::always_inline]] inline batch<T> load_between(T const* p, int from, int to) {
    return detail::wrap<T>(detail::load_some<T>(p, from, to));
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

// Lane i is element(i); lanes from n on are as the first, and nothing else is asked for.
template <class T, class F>
[[gnu::always_inline]] inline batch<T> load_each(F const& element, int n = lanes<T>) {
    if (n >= lanes<T>) {
        auto const all = [&]<int... i>(std::integer_sequence<int, i...>) __attribute__((always_inline)) {
            return detail::vec<T>{element(i)...};
        };
        return detail::wrap<T>(all(std::make_integer_sequence<int, lanes<T>>{}));
    }
    detail::vec<T> v = detail::splat<T>(element(0));
    detail::each_lane<T>([&](int i) __attribute__((always_inline)) {
        if (i < n) v[i] = element(i);
    });
    return detail::wrap<T>(v);
}

// add(i, pair) of lane i of a and of b, side by side in a register of two numbers, in the order of the lanes.
template <any_batch B, class F, class T = value_of<B>>
[[gnu::always_inline]] inline void each_pair(B a, B b, F const& add) {
    constexpr int L = lanes<T>, few = 16 / static_cast<int>(sizeof(T)), half = few / 2;  // of 128 bits
    using pair [[gnu::vector_size(2 * sizeof(T))]] = T;
    auto const x = detail::raw(a), y = detail::raw(b);
    [&]<int... i>(std::integer_sequence<int, i...>) __attribute__((always_inline)) {
        auto const low = __builtin_shufflevector(x, y, (i % 2 * L + i / few * few + i % few / 2)...),
                   high = __builtin_shufflevector(x, y, (i % 2 * L + i / few * few + i % few / 2 + half)...);
        (add(i, i % few < half ? pair(__builtin_shufflevector(low, low, i / few * few + i % half * 2,
                                                              i / few * few + i % half * 2 + 1))
                               : pair(__builtin_shufflevector(high, high, i / few * few + i % half * 2,
                                                              i / few * few + i % half * 2 + 1))),
         ...);
    }
    (std::make_integer_sequence<int, L>{});
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
#if defined(__AVX512F__)
    if constexpr (detail::bit_mask<T>) return mask<T>::of(detail::first_bits<T>(n));
#endif
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
    if constexpr (sizeof m > 16)
        if (n >= lanes<T>) {
            std::uint64_t all[2]{};
            __builtin_memcpy(all, p, static_cast<std::size_t>(lanes<T>));
            auto const wide = detail::widened<sizeof m, sizeof(T)>(detail::sixteen_bytes(all[0], all[1]));
            return detail::wrap_mask<T>(-std::bit_cast<detail::ivec<T>>(wide));
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
    if constexpr (detail::bit_mask<T>) return m.data != 0;
    else return detail::any_lane<T>(detail::raw(m));
}

}  // namespace tapeless::simd
