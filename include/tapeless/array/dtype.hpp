// SPDX-License-Identifier: MIT
#pragma once
// Element types as values: what a node of the graph holds, and the C++ type it stands for.

#include <concepts>
#include <cstdint>
#include <type_traits>

#include <tapeless/array/half.hpp>
#include <tapeless/base/refuse.hpp>

namespace tapeless {

/// mask32 and mask64 are the results of comparisons in registers: one flag a lane of that many bits. b8 is bool in
/// memory.
enum class dtype : std::uint8_t { f32, f64, i32, i64, b8, mask32, mask64, f16, bf16, i8, u8, i16, u16, u32 };

/// The element types an array may have.
template <class T>
concept element = std::same_as<T, float> || std::same_as<T, double> || std::same_as<T, bool> ||
    detail::storage_only<T> ||(std::signed_integral<T> && (sizeof(T) == 4 || sizeof(T) == 8));

/// What a literal in an expression may be: 2 * x, x + 0.5.
template <class T>
concept number = std::is_arithmetic_v<T> || detail::storage_only<T>;

namespace detail::inline array_part {
// as wide as the lanes they stand for
struct mask32_t {
    std::int32_t lane;
};
struct mask64_t {
    std::int64_t lane;
};

template <class T>
constexpr dtype dtype_of() {
    if constexpr (std::same_as<T, float>) return dtype::f32;
    else if constexpr (std::same_as<T, double>) return dtype::f64;
    else if constexpr (std::same_as<T, bool>) return dtype::b8;
    else if constexpr (std::same_as<T, mask32_t>) return dtype::mask32;
    else if constexpr (std::same_as<T, mask64_t>) return dtype::mask64;
    else if constexpr (std::same_as<T, half>) return dtype::f16;
    else if constexpr (std::same_as<T, bfloat16>) return dtype::bf16;
    else if constexpr (sizeof(T) == 1) return std::signed_integral<T> ? dtype::i8 : dtype::u8;
    else if constexpr (sizeof(T) == 2) return std::signed_integral<T> ? dtype::i16 : dtype::u16;
    else if constexpr (sizeof(T) == 4) return std::signed_integral<T> ? dtype::i32 : dtype::u32;
    else return dtype::i64;
}

template <dtype D>
struct type_of_dtype;
template <> struct type_of_dtype<dtype::f32> { using type = float; };
template <> struct type_of_dtype<dtype::f64> { using type = double; };
template <> struct type_of_dtype<dtype::i32> { using type = std::int32_t; };
template <> struct type_of_dtype<dtype::i64> { using type = std::int64_t; };
template <> struct type_of_dtype<dtype::b8> { using type = bool; };
template <> struct type_of_dtype<dtype::mask32> { using type = mask32_t; };
template <> struct type_of_dtype<dtype::mask64> { using type = mask64_t; };
template <> struct type_of_dtype<dtype::f16> { using type = half; };
template <> struct type_of_dtype<dtype::bf16> { using type = bfloat16; };
template <> struct type_of_dtype<dtype::i8> { using type = std::int8_t; };
template <> struct type_of_dtype<dtype::u8> { using type = std::uint8_t; };
template <> struct type_of_dtype<dtype::i16> { using type = std::int16_t; };
template <> struct type_of_dtype<dtype::u16> { using type = std::uint16_t; };
template <> struct type_of_dtype<dtype::u32> { using type = std::uint32_t; };
template <dtype D>
using type_of = typename type_of_dtype<D>::type;

template <class T>
inline constexpr bool is_flag = std::same_as<T, bool> || std::same_as<T, mask32_t> || std::same_as<T, mask64_t>;

constexpr bool is_mask(dtype d) { return d == dtype::mask32 || d == dtype::mask64; }
constexpr bool is_floating(dtype d) { return d == dtype::f32 || d == dtype::f64; }
constexpr bool is_short_float(dtype d) { return d == dtype::f16 || d == dtype::bf16; }
/// Stored only: what is computed from it is float, or a longer integer.
constexpr bool is_storage_only(dtype d) { return d >= dtype::f16; }
/// The type that values of this one are computed in, and that their cotangents have.
constexpr dtype computed_dtype(dtype d) {
    return !is_storage_only(d) ? d : is_short_float(d) ? dtype::f32 : d == dtype::u32 ? dtype::i64 : dtype::i32;
}
/// Bytes of an element in memory; a mask is stored as bool.
constexpr int size_of(dtype d) {
    switch (d) {
        case dtype::f64:
        case dtype::i64: return 8;
        case dtype::f32:
        case dtype::i32:
        case dtype::u32: return 4;
        case dtype::f16:
        case dtype::bf16:
        case dtype::i16:
        case dtype::u16: return 2;
        default: return 1;
    }
}
constexpr char const* name_of(dtype d) {
    switch (d) {
        case dtype::f32: return "float";
        case dtype::f64: return "double";
        case dtype::i32: return "int32";
        case dtype::i64: return "int64";
        case dtype::f16: return "half";
        case dtype::bf16: return "bfloat16";
        case dtype::i8: return "int8";
        case dtype::u8: return "uint8";
        case dtype::i16: return "int16";
        case dtype::u16: return "uint16";
        case dtype::u32: return "uint32";
        default: return "bool";
    }
}
}  // namespace detail::array_part
}  // namespace tapeless
