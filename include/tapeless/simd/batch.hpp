// SPDX-License-Identifier: MIT
#pragma once
// The vector type of the library: a register of the target's widest architecture, as xsimd knows it, and the mask
// beside it. Of xsimd only the architectures and their registers are read here, which is a small part of it.

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
#include <xsimd/config/xsimd_arch.hpp>
#include <xsimd/types/xsimd_all_registers.hpp>
#pragma GCC diagnostic pop

// xsimd's own types, complete where a program includes <xsimd/xsimd.hpp>, before or after this.
namespace xsimd {
template <class T, class A>
class batch;
template <class T, class A>
class batch_bool;
}  // namespace xsimd

namespace tapeless::simd {

using arch = xsimd::default_arch;

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
inline constexpr std::size_t register_bytes = sizeof(xsimd::types::simd_register<T, arch>);

template <class T>
using vec = typename vector_of<T, register_bytes<T>>::type;

template <class T>
using int_like = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
template <class T>
using uint_like = std::make_unsigned_t<int_like<T>>;

// Integers of the width of T, as many as batch<T> has lanes; as a mask a lane is 0 or -1.
template <class T>
using ivec = typename vector_of<int_like<T>, register_bytes<T>>::type;
template <class T>
using uvec = typename vector_of<uint_like<T>, register_bytes<T>>::type;

// AVX-512 keeps a mask as one bit per lane, all others as a register of lanes.
template <class T>
using mask_register = xsimd::types::get_bool_simd_register_t<T, arch>;
template <class T>
inline constexpr bool bit_mask = sizeof(mask_register<T>) != register_bytes<T>;

template <class T>
struct mask_data {
    using type = ivec<T>;
};
template <class T>
    requires bit_mask<T>
struct mask_data<T> {
    using type = typename mask_register<T>::register_type;
};

}  // namespace detail

/// Numbers of type T, as many as a register holds. A number becomes a batch of equal ones; a batch of xsimd is the same
/// register. The architecture is part of the type, so that it is part of the names of functions as well.
template <class T, class A = arch>
struct batch {
    using value_type = T;
    static constexpr std::size_t size = detail::register_bytes<T> / sizeof(T);

    detail::vec<T> data;

    batch() = default;
    [[gnu::always_inline]] batch(T x) : data(x - detail::vec<T>{}) {}  // not x + 0, which would lose the sign of -0
    template <class X>
        requires std::same_as<X, xsimd::batch<T, A>>
    [[gnu::always_inline]] batch(X const& x) : data(std::bit_cast<detail::vec<T>>(x)) {}

    [[gnu::always_inline]] static batch of(detail::vec<T> v) {
        batch b;
        b.data = v;
        return b;
    }
    [[gnu::always_inline]] operator xsimd::batch<T, A>() const { return std::bit_cast<xsimd::batch<T, A>>(data); }
    [[gnu::always_inline]] T get(std::size_t i) const { return data[i]; }
};

/// A truth value for each lane of a batch<T>.
template <class T, class A = arch>
struct mask {
    using value_type = bool;
    using register_type = typename detail::mask_data<T>::type;

    register_type data;

    mask() = default;
    template <class X>
        requires std::same_as<X, xsimd::batch_bool<T, A>>
    [[gnu::always_inline]] mask(X const& x) : data(std::bit_cast<register_type>(x)) {}

    [[gnu::always_inline]] static mask of(register_type v) {
        mask m;
        m.data = v;
        return m;
    }
    [[gnu::always_inline]] operator xsimd::batch_bool<T, A>() const {
        return std::bit_cast<xsimd::batch_bool<T, A>>(data);
    }
};

template <class T>
inline constexpr int lanes = static_cast<int>(detail::register_bytes<T> / sizeof(T));

namespace detail {

// What belongs to a batch or a mask, be it the library's or xsimd's.
template <class X>
struct parts;
template <class T>
struct parts<batch<T>> {
    using value_type = T;
    using batch_type = batch<T>;
    using mask_type = mask<T>;
};
template <class T>
struct parts<mask<T>> : parts<batch<T>> {};
template <class T>
struct parts<xsimd::batch<T, arch>> {
    using value_type = T;
    using batch_type = xsimd::batch<T, arch>;
    using mask_type = xsimd::batch_bool<T, arch>;
};
template <class T>
struct parts<xsimd::batch_bool<T, arch>> : parts<xsimd::batch<T, arch>> {};

}  // namespace detail

template <class X>
inline constexpr bool is_batch = false;
template <class T>
inline constexpr bool is_batch<batch<T>> = true;
template <class T>
inline constexpr bool is_batch<xsimd::batch<T, arch>> = true;

template <class X>
inline constexpr bool is_mask = false;
template <class T>
inline constexpr bool is_mask<mask<T>> = true;
template <class T>
inline constexpr bool is_mask<xsimd::batch_bool<T, arch>> = true;

/// The type of the numbers in a batch, or of those that a mask belongs to.
template <class X>
using value_of = typename detail::parts<X>::value_type;
template <class X>
using mask_of = typename detail::parts<X>::mask_type;
template <class X>
using batch_of = typename detail::parts<X>::batch_type;

// The functions take the library's batches and those of xsimd alike, and give back what they took.
template <class X>
concept any_batch = is_batch<X>;
template <class X>
concept real_batch = is_batch<X> && real<value_of<X>>;
template <class X>
concept any_mask = is_mask<X>;

namespace detail {

template <any_batch B>
[[gnu::always_inline]] inline vec<value_of<B>> raw(B b) {
    if constexpr (std::same_as<B, batch<value_of<B>>>) return b.data;
    else return std::bit_cast<vec<value_of<B>>>(b.data);
}

template <class T>
[[gnu::always_inline]] inline batch<T> wrap(vec<T> v) {
    return batch<T>::of(v);
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

template <any_mask M, class T = value_of<M>>
[[gnu::always_inline]] inline ivec<T> raw(M m) {
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
    if constexpr (!bit_mask<T>) {
        return mask<T>::of(v);
    } else {
        typename mask<T>::register_type out{};
#if defined(__AVX512F__)
        auto const r = std::bit_cast<__m512i>(v);
        if constexpr (sizeof(T) == 4) out = _mm512_test_epi32_mask(r, r);
        else out = _mm512_test_epi64_mask(r, r);
#endif
        return mask<T>::of(out);
    }
}

// The batch among the arguments of a function that was called with batches and plain numbers.
template <class X, class... Rest>
struct first_batch : first_batch<Rest...> {};
template <any_batch X, class... Rest>
struct first_batch<X, Rest...> {
    using type = X;
};
template <class... X>
using batch_among = typename first_batch<X...>::type;

template <class X>
concept operand = is_batch<X> || number<X>;
template <class X, class... Rest>
concept mixed = (operand<X> && ... && operand<Rest>)&&(is_batch<X> || ... ||
                                                       is_batch<Rest>)&&!(std::same_as<X, Rest> && ...);

template <any_batch B, class X>
[[gnu::always_inline]] inline B to_batch(X const& x) {
    if constexpr (is_batch<X>) return x;
    else return batch<value_of<B>>(static_cast<value_of<B>>(x));
}

}  // namespace detail
}  // namespace tapeless::simd
