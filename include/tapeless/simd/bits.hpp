// SPDX-License-Identifier: MIT
#pragma once
// Bits of 32-bit integers: what pseudo-random numbers are made of. Everything wraps around, as unsigned numbers do.

#include <tapeless/simd/batch.hpp>

namespace tapeless::simd {

// A function of key and position whose bits each depend on all bits of both: the position spread over the word by the
// golden ratio, then the two rounds "lowbias32" of shift, xor and multiplication.
template <any_batch B, std::same_as<std::int32_t> T = value_of<B>>
[[gnu::always_inline]] inline B scramble(B key, B position) {
    detail::uvec<T> x =
        detail::ubits<T>(detail::raw(key)) ^ (detail::ubits<T>(detail::raw(position)) * 0x9e3779b9u + 0x7f4a7c15u);
    x = (x ^ (x >> 16)) * 0x7feb352du;
    x = (x ^ (x >> 15)) * 0x846ca68bu;
    return detail::wrap<T>(std::bit_cast<detail::vec<T>>(x ^ (x >> 16)));
}
// The upper 24 bits as a whole number.
template <any_batch B, std::same_as<std::int32_t> T = value_of<B>>
[[gnu::always_inline]] inline B upper_24_bits(B a) {
    return detail::wrap<T>(std::bit_cast<detail::vec<T>>(detail::ubits<T>(detail::raw(a)) >> 8));
}

}  // namespace tapeless::simd
