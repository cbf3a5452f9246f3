// SPDX-License-Identifier: MIT
#pragma once
// Masks of one bit a lane, which AVX-512 has: one instruction compares, and one selects. Compilers do not find them for
// comparisons of vectors whose results are made bits.

#include <tapeless/simd/instructions.hpp>

namespace tapeless::simd::detail {

#if defined(__AVX512F__)
// Plain functions, since templates of a module do not find those of compilers.
using floats_of_512 = vector_of<float, 64>::type;
using doubles_of_512 = vector_of<double, 64>::type;
using words_of_512 = vector_of<std::int32_t, 64>::type;
using long_words_of_512 = vector_of<std::int64_t, 64>::type;

[[gnu::always_inline]] inline __mmask16 equal_bits(floats_of_512 a, floats_of_512 b) {
    return _mm512_cmp_ps_mask(a, b, _CMP_EQ_OQ);
}
[[gnu::always_inline]] inline __mmask8 equal_bits(doubles_of_512 a, doubles_of_512 b) {
    return _mm512_cmp_pd_mask(a, b, _CMP_EQ_OQ);
}
[[gnu::always_inline]] inline __mmask16 equal_bits(words_of_512 a, words_of_512 b) {
    return _mm512_cmpeq_epi32_mask(std::bit_cast<__m512i>(a), std::bit_cast<__m512i>(b));
}
[[gnu::always_inline]] inline __mmask8 equal_bits(long_words_of_512 a, long_words_of_512 b) {
    return _mm512_cmpeq_epi64_mask(std::bit_cast<__m512i>(a), std::bit_cast<__m512i>(b));
}
[[gnu::always_inline]] inline __mmask16 less_bits(floats_of_512 a, floats_of_512 b) {
    return _mm512_cmp_ps_mask(a, b, _CMP_LT_OS);
}
[[gnu::always_inline]] inline __mmask8 less_bits(doubles_of_512 a, doubles_of_512 b) {
    return _mm512_cmp_pd_mask(a, b, _CMP_LT_OS);
}
[[gnu::always_inline]] inline __mmask16 less_bits(words_of_512 a, words_of_512 b) {
    return _mm512_cmplt_epi32_mask(std::bit_cast<__m512i>(a), std::bit_cast<__m512i>(b));
}
[[gnu::always_inline]] inline __mmask8 less_bits(long_words_of_512 a, long_words_of_512 b) {
    return _mm512_cmplt_epi64_mask(std::bit_cast<__m512i>(a), std::bit_cast<__m512i>(b));
}
[[gnu::always_inline]] inline __mmask16 less_equal_bits(floats_of_512 a, floats_of_512 b) {
    return _mm512_cmp_ps_mask(a, b, _CMP_LE_OS);
}
[[gnu::always_inline]] inline __mmask8 less_equal_bits(doubles_of_512 a, doubles_of_512 b) {
    return _mm512_cmp_pd_mask(a, b, _CMP_LE_OS);
}
[[gnu::always_inline]] inline __mmask16 less_equal_bits(words_of_512 a, words_of_512 b) {
    return _mm512_cmple_epi32_mask(std::bit_cast<__m512i>(a), std::bit_cast<__m512i>(b));
}
[[gnu::always_inline]] inline __mmask8 less_equal_bits(long_words_of_512 a, long_words_of_512 b) {
    return _mm512_cmple_epi64_mask(std::bit_cast<__m512i>(a), std::bit_cast<__m512i>(b));
}
[[gnu::always_inline]] inline floats_of_512 blended(__mmask16 m, floats_of_512 yes, floats_of_512 no) {
    return _mm512_mask_blend_ps(m, no, yes);
}
[[gnu::always_inline]] inline doubles_of_512 blended(__mmask8 m, doubles_of_512 yes, doubles_of_512 no) {
    return _mm512_mask_blend_pd(m, no, yes);
}
/// The first n lanes of a register of 512 bits.
template <class T>
[[gnu::always_inline]] inline std::conditional_t<sizeof(T) == 4, __mmask16, __mmask8> first_bits(int n) {
    unsigned const bits = n <= 0 ? 0u : n >= lanes<T> ? ~0u : (1u << n) - 1;
    return static_cast<std::conditional_t<sizeof(T) == 4, __mmask16, __mmask8>>(bits);
}
template <class T>
[[gnu::always_inline]] inline mask<T> of_bits(int bits) {
    return mask<T>::of(static_cast<typename mask<T>::register_type>(bits));
}
#endif

}  // namespace tapeless::simd::detail
