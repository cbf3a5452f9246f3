// SPDX-License-Identifier: MIT
#pragma once
// The vector type of the library, an xsimd batch of the target's widest architecture, and the way to its bare register.

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wall"
#pragma GCC diagnostic ignored "-Wextra"
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wpsabi"
#include <xsimd/xsimd.hpp>
#pragma GCC diagnostic pop

namespace tapeless::simd {

template <class T>
using batch = xsimd::batch<T>;

template <class T>
using mask = xsimd::batch_bool<T>;

template <class T>
inline constexpr int lanes = static_cast<int>(batch<T>::size);

template <class X>
inline constexpr bool is_batch = false;
template <class T>
inline constexpr bool is_batch<xsimd::batch<T>> = true;

template <class X>
concept number = std::is_arithmetic_v<X>;

template <class X>
concept real = std::same_as<X, float> || std::same_as<X, double>;

// The functions of this folder are written on GNU vectors instead of xsimd's own functions: operators and comparisons
// are then part of the language, which compiles many times faster than xsimd's overload sets and means the same on
// every architecture and in every version of xsimd. Everything here is inlined always, so two translation units built
// for different instruction sets cannot share a function by accident.
namespace detail {

template <class T, std::size_t bytes>
struct vector_of {
    using type [[gnu::vector_size(bytes)]] = T;
};

template <class T>
using vec = typename vector_of<T, sizeof(batch<T>)>::type;

template <class T>
using int_like = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
template <class T>
using uint_like = std::make_unsigned_t<int_like<T>>;

// Integers of the width of T, as many as batch<T> has lanes; as a mask a lane is 0 or -1.
template <class T>
using ivec = typename vector_of<int_like<T>, sizeof(batch<T>)>::type;
template <class T>
using uvec = typename vector_of<uint_like<T>, sizeof(batch<T>)>::type;

template <class T>
[[gnu::always_inline]] inline vec<T> raw(xsimd::batch<T> b) {
    return std::bit_cast<vec<T>>(b.data);
}

template <class T>
[[gnu::always_inline]] inline batch<T> wrap(vec<T> v) {
    return batch<T>(std::bit_cast<typename batch<T>::register_type>(v));
}

template <class T>
[[gnu::always_inline]] inline vec<T> splat(std::type_identity_t<T> x) {
    return x - vec<T>{};  // not x + 0, which would lose the sign of -0
}

template <class T>
[[gnu::always_inline]] inline ivec<T> ibits(vec<T> v) {
    return std::bit_cast<ivec<T>>(v);
}

template <class T>
[[gnu::always_inline]] inline uvec<T> ubits(vec<T> v) {
    return std::bit_cast<uvec<T>>(v);
}

// f(0), f(1), ... for every lane, without a loop: a lane under a constant index stays in the register.
template <class T, class F>
[[gnu::always_inline]] inline void each_lane(F const& f) {
    auto const call = [&]<int... i>(std::integer_sequence<int, i...>) __attribute__((always_inline)) { (f(i), ...); };
    call(std::make_integer_sequence<int, lanes<T>>{});
}

template <real T>
[[gnu::always_inline]] inline ivec<T> sign_bit() {
    return ivec<T>{} + std::numeric_limits<int_like<T>>::min();
}

// AVX-512 keeps a mask as one bit per lane, all others as a register of lanes.
template <class T>
inline constexpr bool bit_mask = sizeof(mask<T>) != sizeof(batch<T>);

template <class T>
[[gnu::always_inline]] inline ivec<T> raw(xsimd::batch_bool<T> m) {
    if constexpr (!bit_mask<T>) {
        return std::bit_cast<ivec<T>>(m.data);
    } else {
        ivec<T> out{};
#if defined(__AVX512F__)
        if constexpr (sizeof(T) == 4) out = std::bit_cast<ivec<T>>(_mm512_maskz_set1_epi32(m.data, -1));
        else out = std::bit_cast<ivec<T>>(_mm512_maskz_set1_epi64(m.data, -1));
#endif
        return out;
    }
}

template <class T>
[[gnu::always_inline]] inline mask<T> wrap_mask(ivec<T> v) {
    using bits = typename mask<T>::register_type;
    if constexpr (!bit_mask<T>) {
        return mask<T>(std::bit_cast<bits>(v));
    } else {
        bits out{};
#if defined(__AVX512F__)
        auto const r = std::bit_cast<__m512i>(v);
        if constexpr (sizeof(T) == 4) out = _mm512_test_epi32_mask(r, r);
        else out = _mm512_test_epi64_mask(r, r);
#endif
        return mask<T>(out);
    }
}

// The value type of the batch among the arguments of a function that was called with batches and plain numbers.
template <class X, class... Rest>
struct batch_among : batch_among<Rest...> {};
template <class T, class... Rest>
struct batch_among<xsimd::batch<T>, Rest...> {
    using type = T;
};

template <class X>
concept operand = is_batch<X> || number<X>;
template <class... X>
concept mixed = (operand<X> && ...) && (is_batch<X> || ...) && (number<X> || ...);

template <class T, class X>
[[gnu::always_inline]] inline batch<T> to_batch(X const& x) {
    if constexpr (is_batch<X>) return x;
    else return wrap<T>(splat<T>(static_cast<T>(x)));
}

}  // namespace detail
}  // namespace tapeless::simd
