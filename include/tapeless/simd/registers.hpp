// SPDX-License-Identifier: MIT
#pragma once
// What a value of each element type is in registers: a batch, or a mask as wide as the numbers it belongs to.

#include <bit>

#include <tapeless/array/dtype.hpp>
#include <tapeless/simd/half.hpp>
#include <tapeless/simd/short_integers.hpp>
#include <tapeless/simd/simd.hpp>

namespace tapeless::detail::inline simd_part {

template <class T>
struct register_type {
    using type = simd::batch<T>;
};
template <>
struct register_type<mask32_t> {
    using type = simd::mask<float>;
};
template <>
struct register_type<mask64_t> {
    using type = simd::mask<double>;
};

template <storage_only T>
struct register_type<T> {
    using type = simd::packed<T>;
};

/// What an operation gets for a register. Where the program has included <xsimd/xsimd.hpp> by the first use of Op,
/// that is a batch of xsimd, whose functions can then be called with it; the library's functions take either.
template <class Op, class Register, class = void>
struct handed {
    using type = Register const&;
};
template <class Op, class T>
struct handed<Op, simd::batch<T>, std::void_t<decltype(sizeof(xsimd::batch<T, simd::arch>))>> {
    using type = xsimd::batch<T, simd::arch>;
};
template <class Op, class T>
struct handed<Op, simd::mask<T>, std::void_t<decltype(sizeof(xsimd::batch_bool<T, simd::arch>))>> {
    using type = xsimd::batch_bool<T, simd::arch>;
};

/// Lanes of one register; bool in memory goes with any number of lanes.
template <class T>
constexpr int lanes_of() {
    if constexpr (std::same_as<T, bool>) return 1;
    else if constexpr (std::same_as<T, mask32_t>) return simd::lanes<float>;
    else if constexpr (std::same_as<T, mask64_t>) return simd::lanes<double>;
    else return simd::lanes<computed<T>>;
}

constexpr int lanes_of(dtype d) {
    dtype const c = computed_dtype(d);
    return c == dtype::b8                           ? 1
           : c == dtype::f32 || c == dtype::mask32 ? simd::lanes<float>
           : c == dtype::i32                       ? simd::lanes<std::int32_t>
           : c == dtype::i64                       ? simd::lanes<std::int64_t>
                                                   : simd::lanes<double>;
}

/// The bytes of one register.
constexpr int register_size(dtype d) {
    switch (d) {
        case dtype::b8: return 1;
        case dtype::mask32: return static_cast<int>(sizeof(register_type<mask32_t>::type));
        case dtype::mask64: return static_cast<int>(sizeof(register_type<mask64_t>::type));
        default: return is_storage_only(d) ? lanes_of(d) * size_of(d)
                                           : static_cast<int>(sizeof(simd::batch<float>));  // all batches are as wide
    }
}

/// What an operation gave, as the library's register. A comparison of integers gives a mask of integers: take it as
/// the mask of the floating type of that width.
template <class R, class V>
auto as_register(V const& v) {
    using M = typename register_type<R>::type;
    if constexpr (std::same_as<V, M>) return v;
    else return std::bit_cast<M>(v);
}

/// A mask in the shape that selects among batches, or masks, like b.
template <class M, simd::any_batch B>
auto mask_of(M const& m, B const&) {
    if constexpr (std::same_as<M, simd::mask_of<B>>) return m;
    else return std::bit_cast<simd::mask_of<B>>(m);
}
template <class M>
auto mask_of(M const& m, M const&) {
    return m;
}

}  // namespace tapeless::detail::simd_part
