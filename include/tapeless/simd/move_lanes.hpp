// SPDX-License-Identifier: MIT
#pragma once
// Lanes moved within a register, by a number that only the run knows.

#include <bit>
#include <cstdint>
#include <type_traits>
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
    if (asked != by) return;
#if defined(__SSE2__) && defined(__GNUC__) && !defined(__clang__)
    // Without this g++ takes the register for a number of 128 bits and may move half of it by way of an MMX register:
    // what the program computes next with `long double` would be NaN.
    asm("" : "+x"(v));
#endif
    to = moved_lanes<by>(v, std::make_index_sequence<static_cast<std::size_t>(lanes<T>)>{});
}

}  // namespace detail

/// How lanes move by `by`, which is at most the number of lanes, forwards or back: the bytes before what says of each
/// from where it comes, or `by` itself. To be computed once where many registers are moved alike.
template <class T>
    requires(sizeof(T) == 4 || sizeof(T) == 8)
[[gnu::always_inline]] inline std::ptrdiff_t movement(int by) {
    [[maybe_unused]] constexpr int bytes = static_cast<int>(sizeof(detail::vec<T>)), size = static_cast<int>(sizeof(T));
#if defined(__aarch64__) || defined(__SSSE3__)
    if constexpr (bytes == 16) return bytes - by * size;
#endif
#if defined(__AVX2__)
    if constexpr (bytes == 32) return bytes - by * size;
#endif
#if defined(__AVX512F__)
    if constexpr (bytes == 64) return bytes - by * size;
#endif
    return by;
}
namespace detail {
/// The numbers that a movement is about.
template <class I, class V>
[[gnu::always_inline]] inline V moving_numbers(std::ptrdiff_t how) {
    V from;
    constexpr int n = static_cast<int>(sizeof(V) / sizeof(I));
    __builtin_memcpy(&from, reinterpret_cast<char const*>(slide<I, n>.at) + how, sizeof from);
    return from;
}
}  // namespace detail

/// Lane i - by in lane i, where there is one; 0 in the others. `how` is the movement by so many lanes.
template <class T>
    requires(sizeof(T) == 4 || sizeof(T) == 8)
[[gnu::always_inline]] inline batch<T> move_lanes_so(batch<T> b, std::ptrdiff_t how) {
    using vec = detail::vec<T>;
    vec const v = detail::raw(b);
#if defined(__aarch64__)
    if constexpr (sizeof(vec) == 16) {
        auto const from = detail::moving_numbers<std::uint8_t, uint8x16_t>(how);
        return detail::wrap<T>(std::bit_cast<vec>(vqtbl1q_u8(std::bit_cast<uint8x16_t>(v), from)));
    } else
#elif defined(__SSSE3__)
    if constexpr (sizeof(vec) == 16) {
        auto const from = detail::moving_numbers<std::uint8_t, __m128i>(how);
        return detail::wrap<T>(std::bit_cast<vec>(_mm_shuffle_epi8(std::bit_cast<__m128i>(v), from)));
    } else
#if defined(__AVX2__)
        if constexpr (sizeof(vec) == 32) {
        auto const from = detail::moving_numbers<std::int32_t, __m256i>(how);
        __m256i const moved = _mm256_permutevar8x32_epi32(std::bit_cast<__m256i>(v), from);
        return detail::wrap<T>(std::bit_cast<vec>(_mm256_andnot_si256(_mm256_srai_epi32(from, 31), moved)));
    } else
#endif
#if defined(__AVX512F__)
        if constexpr (sizeof(vec) == 64) {
        auto const from = detail::moving_numbers<std::int32_t, __m512i>(how);
        __mmask16 const there = _mm512_cmpge_epi32_mask(from, _mm512_setzero_si512());
        return detail::wrap<T>(
            std::bit_cast<vec>(_mm512_maskz_permutexvar_epi32(there, from, std::bit_cast<__m512i>(v))));
    } else
#endif
#endif
        if constexpr (lanes<T> <= 4) {
        int const by = static_cast<int>(how);
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
        __builtin_memcpy(&to, lane + lanes<T> - how, sizeof to);
        return detail::wrap<T>(to);
    }
}

template <class T>
[[gnu::always_inline]] inline batch<T> move_lanes(batch<T> b, int by) {
    return move_lanes_so<T>(b, movement<T>(by));
}

namespace detail {
/// As many zeros as there are lanes, then ones, then zeros.
template <class I, int n>
struct sliding_mask {
    I at[static_cast<std::size_t>(3 * n)];
    constexpr sliding_mask() : at{} {
        for (int i = n; i < 2 * n; ++i) at[i] = static_cast<I>(-1);
    }
};
template <class I, int n>
inline constexpr sliding_mask<I, n> slide_mask{};
}  // namespace detail

/// Lanes `from` to `to` - 1, both at most the number of lanes; 0 in the others.
template <class T>
    requires(sizeof(T) == 4 || sizeof(T) == 8)
[[gnu::always_inline]] inline batch<T> keep_lanes(batch<T> b, int from, int to) {
    using bits = detail::ivec<T>;
    using I = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
    constexpr int n = lanes<T>;
    bits not_before, not_behind;
    __builtin_memcpy(&not_before, detail::slide_mask<I, n>.at + (n - from), sizeof(bits));
    __builtin_memcpy(&not_behind, detail::slide_mask<I, n>.at + (2 * n - to), sizeof(bits));
    bits const kept = std::bit_cast<bits>(detail::raw(b)) & not_before & not_behind;
    return detail::wrap<T>(std::bit_cast<detail::vec<T>>(kept));
}

}  // namespace tapeless::simd
