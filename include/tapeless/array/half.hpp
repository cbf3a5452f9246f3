// SPDX-License-Identifier: MIT
#pragma once
// half and bfloat16: floating-point numbers of 16 bits, for storage. They convert to float and are computed there.

#include <bit>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace tapeless {
namespace detail::inline array_part {

/// A floating-point format of 16 bits: sign, exponent, mantissa.
template <int Mantissa>
struct format16 {
    static constexpr int mantissa = Mantissa, exponent = 15 - Mantissa, bias = (1 << (exponent - 1)) - 1;
    static constexpr std::uint16_t infinity = static_cast<std::uint16_t>(((1 << exponent) - 1) << mantissa);
    static constexpr std::uint16_t quiet = 1 << (mantissa - 1);

    /// The nearest number of the format, the even one of two; a NaN keeps the upper bits of its payload and is quiet.
    static constexpr std::uint16_t round(double value) {
        auto const bits = std::bit_cast<std::uint64_t>(value);
        auto const sign = static_cast<std::uint16_t>(bits >> 48 & 0x8000);
        int const power = static_cast<int>(bits >> 52 & 0x7ff) - 1023;  // of the leading bit
        std::uint64_t fraction = bits & 0xfffffffffffffu;
        if (power == 1024 && fraction != 0)
            return static_cast<std::uint16_t>(sign | infinity | quiet | fraction >> (52 - mantissa));
        if (power < -bias - mantissa) return sign;  // less than half of the smallest, or a double without leading bit
        fraction |= std::uint64_t{1} << 52;
        int const least = power < 1 - bias ? 1 - bias : power;         // subnormal numbers share one exponent
        int const drop = 52 - mantissa + (least - power);              // bits that the format has no room for
        std::uint64_t kept = fraction >> drop, rest = fraction << (64 - drop);
        kept += rest > (std::uint64_t{1} << 63) || (rest == (std::uint64_t{1} << 63) && (kept & 1));
        // the leading bit, where there is one, adds one to the exponent; so does rounding up to the next power
        kept += static_cast<std::uint64_t>(least + bias - 1) << mantissa;
        return static_cast<std::uint16_t>(sign | (power > bias ? infinity : kept));
    }
    /// Every number of the format is a float.
    static constexpr float widen(std::uint16_t bits) {
        std::uint32_t const sign = static_cast<std::uint32_t>(bits & 0x8000) << 16, rest = bits & 0x7fff;
        std::uint32_t const wide = rest << (23 - mantissa);
        constexpr std::uint32_t offset = static_cast<std::uint32_t>(127 - bias) << 23;
        if (bias != 127 && rest > infinity) return std::bit_cast<float>(sign | 0x7fc00000u | wide);
        if (bias != 127 && rest == infinity) return std::bit_cast<float>(sign | 0x7f800000u);
        if (bias == 127 || rest >> mantissa) return std::bit_cast<float>(sign | (wide + offset));
        float const value = static_cast<float>(rest) * 0x1p-24f;  // subnormal, so of half
        return sign ? -value : value;
    }
};

/// What half and bfloat16 have in common. Numbers convert to them rounded once, and they convert to float.
template <class Self, int Mantissa>
struct number16 {
    using format = format16<Mantissa>;
    std::uint16_t bits;

    constexpr number16() = default;
    template <class T>
        requires std::is_arithmetic_v<T>
    constexpr number16(T value) : bits(format::round(static_cast<double>(value))) {}
    template <class T>
        requires(!std::same_as<T, Self> && requires { typename T::format; })
    constexpr explicit number16(T value) : number16(static_cast<float>(value)) {}

    constexpr operator float() const { return format::widen(bits); }

    static constexpr Self from_bits(std::uint16_t b) {
        Self s;
        s.bits = b;
        return s;
    }
    friend constexpr Self& operator+=(Self& a, float b) { return a = Self(float(a) + b); }
    friend constexpr Self& operator-=(Self& a, float b) { return a = Self(float(a) - b); }
    friend constexpr Self& operator*=(Self& a, float b) { return a = Self(float(a) * b); }
    friend constexpr Self& operator/=(Self& a, float b) { return a = Self(float(a) / b); }
};
}  // namespace detail::array_part

/// IEEE binary16: 5 bits of exponent, 10 of mantissa; the largest number is 65504. An element type of arrays: in a
/// traced function its values are floats.
struct half : detail::number16<half, 10> {
    using number16::number16;
};

/// The upper half of a float: 8 bits of exponent, 7 of mantissa. An element type of arrays, like half.
struct bfloat16 : detail::number16<bfloat16, 7> {
    using number16::number16;
};

namespace detail::inline array_part {
/// Floating-point numbers of 16 bits.
template <class T>
concept short_float = std::same_as<T, half> || std::same_as<T, bfloat16>;
template <class T>
concept character = std::same_as<T, char> || std::same_as<T, wchar_t> || std::same_as<T, char8_t> ||
    std::same_as<T, char16_t> || std::same_as<T, char32_t>;
/// Integers of 8 and 16 bits, and unsigned ones of 32.
template <class T>
concept short_integer = std::integral<T> && !std::same_as<T, bool> && !character<T> &&
    (sizeof(T) <= 2 || (sizeof(T) == 4 && std::unsigned_integral<T>));
/// Types that are stored but not computed with.
template <class T>
concept storage_only = short_float<T> || short_integer<T>;

/// The type that values of element type T are computed in.
template <class T>
struct computed_type {
    using type = T;
};
template <short_float T>
struct computed_type<T> {
    using type = float;
};
template <short_integer T>
struct computed_type<T> {
    using type = std::conditional_t<sizeof(T) == 4, std::int64_t, std::int32_t>;
};
template <class T>
using computed = typename computed_type<T>::type;

template <class T>
struct limits16 {
    using format = typename T::format;
    static constexpr bool is_specialized = true, is_signed = true, is_integer = false, is_exact = false,
                          is_bounded = true, is_modulo = false, is_iec559 = true, has_infinity = true,
                          has_quiet_NaN = true, has_signaling_NaN = true, has_denorm_loss = false, traps = false,
                          tinyness_before = false;
    static constexpr std::float_denorm_style has_denorm = std::denorm_present;
    static constexpr std::float_round_style round_style = std::round_to_nearest;
    static constexpr int radix = 2, digits = format::mantissa + 1;
    static constexpr int digits10 = (digits - 1) * 30103 / 100000, max_digits10 = 2 + digits * 30103 / 100000;
    static constexpr int max_exponent = format::bias + 1, min_exponent = 2 - format::bias;
    static constexpr int max_exponent10 = max_exponent * 30103 / 100000,
                         min_exponent10 = (min_exponent - 1) * 30103 / 100000;

    static constexpr T min() noexcept { return T::from_bits(1 << format::mantissa); }
    static constexpr T max() noexcept { return T::from_bits(format::infinity - 1); }
    static constexpr T lowest() noexcept { return T::from_bits(0x8000 | (format::infinity - 1)); }
    static constexpr T denorm_min() noexcept { return T::from_bits(1); }
    static constexpr T infinity() noexcept { return T::from_bits(format::infinity); }
    static constexpr T quiet_NaN() noexcept { return T::from_bits(format::infinity | format::quiet); }
    static constexpr T signaling_NaN() noexcept { return T::from_bits(format::infinity | 1); }
    /// 2 to the power 1 - digits
    static constexpr T epsilon() noexcept {
        return T::from_bits(static_cast<std::uint16_t>((format::bias - format::mantissa) << format::mantissa));
    }
    static constexpr T round_error() noexcept { return T(0.5f); }
};
}  // namespace detail::array_part
}  // namespace tapeless

template <>
struct std::numeric_limits<tapeless::half> : tapeless::detail::limits16<tapeless::half> {};
template <>
struct std::numeric_limits<tapeless::bfloat16> : tapeless::detail::limits16<tapeless::bfloat16> {};
