// SPDX-License-Identifier: MIT
#pragma once
// log(5.0) in a traced function: the functions of <cmath>, applied to numbers, as constants. g++ evaluates them by
// itself. clang does not, and a call without arrays looks no further than the global namespace: there stands an
// overload, which computes the constant where one is needed, and is the library's function elsewhere.

#include <cmath>
#include <type_traits>

#if defined(__clang__)
#include <tapeless/base/constant_special_functions.hpp>

namespace tapeless::detail::inline base_part {
/// The last parameter of an overload that clang prefers to the library's: it prefers the one with conditions. A
/// condition on a parameter leaves the overload out where an address is taken, so that `std::transform(a, b, c, log)`
/// means what it did.
enum class overload {};
}  // namespace tapeless::detail::base_part

// The first condition is libc++'s own way to prefer a function; the longer list wins.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wgcc-compat"

// Exponentials and logarithms

constexpr double exp(double x, tapeless::detail::overload o = {}) noexcept
    __attribute__((enable_if(true, ""), enable_if(o == decltype(o){}, ""))) {
    return std::is_constant_evaluated() ? tapeless::detail::constant::exp(x) : __builtin_exp(x);
}
constexpr double exp2(double x, tapeless::detail::overload o = {}) noexcept
    __attribute__((enable_if(true, ""), enable_if(o == decltype(o){}, ""))) {
    return std::is_constant_evaluated() ? tapeless::detail::constant::exp2(x) : __builtin_exp2(x);
}
constexpr double expm1(double x, tapeless::detail::overload o = {}) noexcept
    __attribute__((enable_if(true, ""), enable_if(o == decltype(o){}, ""))) {
    return std::is_constant_evaluated() ? tapeless::detail::constant::expm1(x) : __builtin_expm1(x);
}
constexpr double log(double x, tapeless::detail::overload o = {}) noexcept
    __attribute__((enable_if(true, ""), enable_if(o == decltype(o){}, ""))) {
    return std::is_constant_evaluated() ? tapeless::detail::constant::log(x) : __builtin_log(x);
}
constexpr double log2(double x, tapeless::detail::overload o = {}) noexcept
    __attribute__((enable_if(true, ""), enable_if(o == decltype(o){}, ""))) {
    return std::is_constant_evaluated() ? tapeless::detail::constant::log2(x) : __builtin_log2(x);
}
constexpr double log10(double x, tapeless::detail::overload o = {}) noexcept
    __attribute__((enable_if(true, ""), enable_if(o == decltype(o){}, ""))) {
    return std::is_constant_evaluated() ? tapeless::detail::constant::log10(x) : __builtin_log10(x);
}
constexpr double log1p(double x, tapeless::detail::overload o = {}) noexcept
    __attribute__((enable_if(true, ""), enable_if(o == decltype(o){}, ""))) {
    return std::is_constant_evaluated() ? tapeless::detail::constant::log1p(x) : __builtin_log1p(x);
}

// Powers and roots

constexpr double sqrt(double x, tapeless::detail::overload o = {}) noexcept
    __attribute__((enable_if(true, ""), enable_if(o == decltype(o){}, ""))) {
    return std::is_constant_evaluated() ? tapeless::detail::constant::sqrt(x) : __builtin_sqrt(x);
}
constexpr double cbrt(double x, tapeless::detail::overload o = {}) noexcept
    __attribute__((enable_if(true, ""), enable_if(o == decltype(o){}, ""))) {
    return std::is_constant_evaluated() ? tapeless::detail::constant::cbrt(x) : __builtin_cbrt(x);
}
constexpr double pow(double x, double y, tapeless::detail::overload o = {}) noexcept
    __attribute__((enable_if(true, ""), enable_if(o == decltype(o){}, ""))) {
    return std::is_constant_evaluated() ? tapeless::detail::constant::pow(x, y) : __builtin_pow(x, y);
}
constexpr double hypot(double x, double y, tapeless::detail::overload o = {}) noexcept
    __attribute__((enable_if(true, ""), enable_if(o == decltype(o){}, ""))) {
    return std::is_constant_evaluated() ? tapeless::detail::constant::hypot(x, y) : __builtin_hypot(x, y);
}

// Angles

constexpr double sin(double x, tapeless::detail::overload o = {}) noexcept
    __attribute__((enable_if(true, ""), enable_if(o == decltype(o){}, ""))) {
    return std::is_constant_evaluated() ? tapeless::detail::constant::sin(x) : __builtin_sin(x);
}
constexpr double cos(double x, tapeless::detail::overload o = {}) noexcept
    __attribute__((enable_if(true, ""), enable_if(o == decltype(o){}, ""))) {
    return std::is_constant_evaluated() ? tapeless::detail::constant::cos(x) : __builtin_cos(x);
}
constexpr double tan(double x, tapeless::detail::overload o = {}) noexcept
    __attribute__((enable_if(true, ""), enable_if(o == decltype(o){}, ""))) {
    return std::is_constant_evaluated() ? tapeless::detail::constant::tan(x) : __builtin_tan(x);
}
constexpr double asin(double x, tapeless::detail::overload o = {}) noexcept
    __attribute__((enable_if(true, ""), enable_if(o == decltype(o){}, ""))) {
    return std::is_constant_evaluated() ? tapeless::detail::constant::asin(x) : __builtin_asin(x);
}
constexpr double acos(double x, tapeless::detail::overload o = {}) noexcept
    __attribute__((enable_if(true, ""), enable_if(o == decltype(o){}, ""))) {
    return std::is_constant_evaluated() ? tapeless::detail::constant::acos(x) : __builtin_acos(x);
}
constexpr double atan(double x, tapeless::detail::overload o = {}) noexcept
    __attribute__((enable_if(true, ""), enable_if(o == decltype(o){}, ""))) {
    return std::is_constant_evaluated() ? tapeless::detail::constant::atan(x) : __builtin_atan(x);
}
constexpr double atan2(double y, double x, tapeless::detail::overload o = {}) noexcept
    __attribute__((enable_if(true, ""), enable_if(o == decltype(o){}, ""))) {
    return std::is_constant_evaluated() ? tapeless::detail::constant::atan2(y, x) : __builtin_atan2(y, x);
}

// Hyperbolic functions

constexpr double sinh(double x, tapeless::detail::overload o = {}) noexcept
    __attribute__((enable_if(true, ""), enable_if(o == decltype(o){}, ""))) {
    return std::is_constant_evaluated() ? tapeless::detail::constant::sinh(x) : __builtin_sinh(x);
}
constexpr double cosh(double x, tapeless::detail::overload o = {}) noexcept
    __attribute__((enable_if(true, ""), enable_if(o == decltype(o){}, ""))) {
    return std::is_constant_evaluated() ? tapeless::detail::constant::cosh(x) : __builtin_cosh(x);
}
constexpr double tanh(double x, tapeless::detail::overload o = {}) noexcept
    __attribute__((enable_if(true, ""), enable_if(o == decltype(o){}, ""))) {
    return std::is_constant_evaluated() ? tapeless::detail::constant::tanh(x) : __builtin_tanh(x);
}
constexpr double asinh(double x, tapeless::detail::overload o = {}) noexcept
    __attribute__((enable_if(true, ""), enable_if(o == decltype(o){}, ""))) {
    return std::is_constant_evaluated() ? tapeless::detail::constant::asinh(x) : __builtin_asinh(x);
}
constexpr double acosh(double x, tapeless::detail::overload o = {}) noexcept
    __attribute__((enable_if(true, ""), enable_if(o == decltype(o){}, ""))) {
    return std::is_constant_evaluated() ? tapeless::detail::constant::acosh(x) : __builtin_acosh(x);
}
constexpr double atanh(double x, tapeless::detail::overload o = {}) noexcept
    __attribute__((enable_if(true, ""), enable_if(o == decltype(o){}, ""))) {
    return std::is_constant_evaluated() ? tapeless::detail::constant::atanh(x) : __builtin_atanh(x);
}

// Error and gamma functions

constexpr double erf(double x, tapeless::detail::overload o = {}) noexcept
    __attribute__((enable_if(true, ""), enable_if(o == decltype(o){}, ""))) {
    return std::is_constant_evaluated() ? tapeless::detail::constant::erf(x) : __builtin_erf(x);
}
constexpr double erfc(double x, tapeless::detail::overload o = {}) noexcept
    __attribute__((enable_if(true, ""), enable_if(o == decltype(o){}, ""))) {
    return std::is_constant_evaluated() ? tapeless::detail::constant::erfc(x) : __builtin_erfc(x);
}
constexpr double lgamma(double x, tapeless::detail::overload o = {}) noexcept
    __attribute__((enable_if(true, ""), enable_if(o == decltype(o){}, ""))) {
    return std::is_constant_evaluated() ? tapeless::detail::constant::lgamma(x) : __builtin_lgamma(x);
}
constexpr double tgamma(double x, tapeless::detail::overload o = {}) noexcept
    __attribute__((enable_if(true, ""), enable_if(o == decltype(o){}, ""))) {
    return std::is_constant_evaluated() ? tapeless::detail::constant::tgamma(x) : __builtin_tgamma(x);
}

// Rounding, remainders and signs

constexpr double floor(double x, tapeless::detail::overload o = {}) noexcept
    __attribute__((enable_if(true, ""), enable_if(o == decltype(o){}, ""))) {
    return std::is_constant_evaluated() ? tapeless::detail::constant::floor(x) : __builtin_floor(x);
}
constexpr double ceil(double x, tapeless::detail::overload o = {}) noexcept
    __attribute__((enable_if(true, ""), enable_if(o == decltype(o){}, ""))) {
    return std::is_constant_evaluated() ? tapeless::detail::constant::ceil(x) : __builtin_ceil(x);
}
constexpr double round(double x, tapeless::detail::overload o = {}) noexcept
    __attribute__((enable_if(true, ""), enable_if(o == decltype(o){}, ""))) {
    return std::is_constant_evaluated() ? tapeless::detail::constant::round(x) : __builtin_round(x);
}
constexpr double trunc(double x, tapeless::detail::overload o = {}) noexcept
    __attribute__((enable_if(true, ""), enable_if(o == decltype(o){}, ""))) {
    return std::is_constant_evaluated() ? tapeless::detail::constant::trunc(x) : __builtin_trunc(x);
}
constexpr double fmod(double x, double y, tapeless::detail::overload o = {}) noexcept
    __attribute__((enable_if(true, ""), enable_if(o == decltype(o){}, ""))) {
    return std::is_constant_evaluated() ? tapeless::detail::constant::fmod(x, y) : __builtin_fmod(x, y);
}
constexpr double fabs(double x, tapeless::detail::overload o = {}) noexcept
    __attribute__((enable_if(true, ""), enable_if(o == decltype(o){}, ""))) {
    return std::is_constant_evaluated() ? tapeless::detail::constant::magnitude(x) : __builtin_fabs(x);
}

#pragma clang diagnostic pop
#endif
