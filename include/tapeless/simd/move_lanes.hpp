// SPDX-License-Identifier: MIT
#pragma once
// Lanes moved within a register, by a number that only the run knows.

#include <bit>
#include <cstdint>
#include <utility>

#include <tapeless/simd/instructions.hpp>

namespace tapeless::simd {

namespace detail {

/// The numbers 0 to n - 1 between as many that are no lane's; where to begin says by how much lanes move.
template <class I, int n>
struct sliding_numbers {
    I at[static_cast<std::size_t>(3 * n)];
    constexpr sliding_numbers() : at{} {
        for (int i = 0; i < 3 * n; ++i) at[i] = static_cast<I>(i < n || i >= 2 * n ? -1 : i - n);
    }
};
template <class I, int n>
inline constexpr sliding_numbers<I, n> slide{};

template <int by, class V, std::size_t... I>
[[gnu::always_inline]] inline V moved_lanes(V v, std::index_sequence<I...>) {
    constexpr int n = static_cast<int>(sizeof...(I));
    auto const from = [](int i) consteval { return i >= by && i - by < n ? n + i - by : 0; };
    return __builtin_shufflevector(V{}, v, from(static_cast<int>(I))...);
}
template <int by, class T>
[[gnu::always_inline]] inline void move_if(vec<T>& to, vec<T> v, int asked) {
    if (asked == by) to = moved_lanes<by>(v, std::make_index_sequence<static_cast<std::size_t>(lanes<T>)>{});
}

}  // namespace detail

/// Lane i - by in lane i, where there is one; 0 in the others. `by` is at most the number of lanes, forwards or back.
template <class T>
    requires(sizeof(T) == 4 || sizeof(T) == 8)
[[gnu::always_inline]] inline batch<T> move_lanes(batch<T> b, int by) {
    using vec = detail::vec<T>;
    vec const v = detail::raw(b);
    [[maybe_unused]] constexpr int size = static_cast<int>(sizeof(T)), words = size / 4;
#if defined(__aarch64__)
    if constexpr (sizeof(vec) == 16) {
        uint8x16_t from;
        __builtin_memcpy(&from, detail::slide<std::uint8_t, 16>.at + 16 - by * size, sizeof from);
        return detail::wrap<T>(std::bit_cast<vec>(vqtbl1q_u8(std::bit_cast<uint8x16_t>(v), from)));
    } else
#elif defined(__SSSE3__)
    if constexpr (sizeof(vec) == 16) {
        __m128i from;
        __builtin_memcpy(&from, detail::slide<std::uint8_t, 16>.at + 16 - by * size, sizeof from);
        return detail::wrap<T>(std::bit_cast<vec>(_mm_shuffle_epi8(std::bit_cast<__m128i>(v), from)));
    } else
#if defined(__AVX2__)
        if constexpr (sizeof(vec) == 32) {
        __m256i from;
        __builtin_memcpy(&from, detail::slide<std::int32_t, 8>.at + 8 - by * words, sizeof from);
        __m256i const moved = _mm256_permutevar8x32_epi32(std::bit_cast<__m256i>(v), from);
        return detail::wrap<T>(std::bit_cast<vec>(_mm256_andnot_si256(_mm256_srai_epi32(from, 31), moved)));
    } else
#endif
#if defined(__AVX512F__)
        if constexpr (sizeof(vec) == 64) {
        __m512i from;
        __builtin_memcpy(&from, detail::slide<std::int32_t, 16>.at + 16 - by * words, sizeof from);
        __mmask16 const there = _mm512_cmpge_epi32_mask(from, _mm512_setzero_si512());
        return detail::wrap<T>(
            std::bit_cast<vec>(_mm512_maskz_permutexvar_epi32(there, from, std::bit_cast<__m512i>(v))));
    } else
#endif
#endif
        if constexpr (lanes<T> <= 4) {
        vec to{};
        if (by == 0) to = v;
        detail::move_if<1, T>(to, v, by), detail::move_if<-1, T>(to, v, by);
        if constexpr (lanes < T >> 2) {
            detail::move_if<2, T>(to, v, by), detail::move_if<-2, T>(to, v, by);
            detail::move_if<3, T>(to, v, by), detail::move_if<-3, T>(to, v, by);
        }
        return detail::wrap<T>(to);
    } else {
        T lane[static_cast<std::size_t>(3 * lanes<T>)]{};
        __builtin_memcpy(lane + lanes<T>, &v, sizeof v);
        vec to;
        __builtin_memcpy(&to, lane + lanes<T> - by, sizeof to);
        return detail::wrap<T>(to);
    }
}

}  // namespace tapeless::simd
