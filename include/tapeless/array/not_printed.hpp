// SPDX-License-Identifier: MIT
#pragma once
// Printing arrays without the header that does: refused, with its name. What prints them is the better match.

#include <tapeless/array/tensor.hpp>
#include <tapeless/array/view.hpp>
#include <tapeless/base/refuse.hpp>

namespace tapeless {

/// Refuses std::cout << x of an array.
template <class Array>
struct arrays_are_printed_by_io_text {
    static_assert(never<Array>,
                  "arrays are printed by another header: #include <tapeless/io/text.hpp>, which has operator<< and "
                  "ad::to_string(x)");
};

namespace detail {

template <class Stream>
concept takes_text = requires(Stream& to) { to << "text"; };

/// An array that is printed. It is converted to this: any function that takes it as it is comes first.
struct array_printed {
    template <class T, auto... E>
        requires(sizeof...(E) > 0)
    constexpr array_printed(tensor<T, E...> const&) {
        refuse(because<arrays_are_printed_by_io_text<tensor<T, E...>>>{});
    }
    template <class T, auto... E>
        requires(sizeof...(E) > 0)
    constexpr array_printed(view<T, E...> const&) {
        refuse(because<arrays_are_printed_by_io_text<view<T, E...>>>{});
    }
};

}  // namespace detail

template <detail::takes_text Stream>
Stream& operator<<(Stream& to, detail::array_printed) {
    return to;
}

}  // namespace tapeless
