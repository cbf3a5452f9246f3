// SPDX-License-Identifier: MIT
#pragma once
// What a call returns that was refused.

#include <cstddef>
#include <initializer_list>
#include <type_traits>

namespace tapeless {

/// By which functions of arrays are found for what was refused.
struct among_arrays {};

}  // namespace tapeless

namespace tapeless::detail::inline base_part {

template <class T>
inline constexpr bool is_initializer_list = false;
template <class T>
inline constexpr bool is_initializer_list<std::initializer_list<T>> = true;  // to which vectors would be assigned, too

/// The reason has been reported; whatever is done with this is not reported as well. As a number it is a double, so
/// that of several functions of numbers one is best: 0.1 * g[k], std::sqrt(v), v < best.
struct refused : among_arrays {
    operator double() const;
    template <class T>
        requires(std::is_class_v<T> && !is_initializer_list<T>)
    operator T() const;
    refused operator()(auto const&...) const;
    refused operator[](auto const&) const;
    double const* begin() const;
    double const* end() const;
    double const* data() const;
    std::size_t size() const;
    int extent(int) const;
    friend refused operator-(refused);
    friend refused operator+(refused, auto const&);
    friend refused operator-(refused, auto const&);
    friend refused operator*(refused, auto const&);
    friend refused operator/(refused, auto const&);
    template <class Stream>
    friend Stream& operator<<(Stream&, refused);
};

}  // namespace tapeless::detail::base_part
