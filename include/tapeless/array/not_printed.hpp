// SPDX-License-Identifier: MIT
#pragma once
// Printing arrays without the header that does: refused, with its name. What prints them is the better match.

#include <iosfwd>

#include <tapeless/array/tensor.hpp>
#include <tapeless/array/view.hpp>

namespace tapeless {
namespace detail::inline array_part {

/// An array that is printed, by its name what to do. It is converted to this: any function that takes it as it is
/// comes first. Deleted: what asks whether arrays can be printed, as frameworks for tests do, is told that they cannot.
/// (Not the operator, for which clang lists all others.)
struct arrays_are_printed_by_including_tapeless_io_text_hpp {
    template <class T, auto... E>
        requires(sizeof...(E) > 0)
    arrays_are_printed_by_including_tapeless_io_text_hpp(tensor<T, E...> const&) = delete;
    template <class T, auto... E>
        requires(sizeof...(E) > 0)
    arrays_are_printed_by_including_tapeless_io_text_hpp(view<T, E...> const&) = delete;
};
/// (Told by what it has: to ask whether text can be put into it would ask the operators of symbols, too.)
template <class Stream>
concept takes_text = requires {
    typename Stream::char_type;
    typename Stream::traits_type;
};
/// What is printed into: converted too, so that operators for any class of streams come first. Whatever follows is not
/// an error of its own.
struct printed_into {
    template <takes_text Stream>
    printed_into(Stream&);
    template <class A>
    friend printed_into operator<<(printed_into to, A const&) {
        return to;
    }
    friend printed_into operator<<(printed_into to, std::ostream& (*)(std::ostream&)) { return to; }  // std::endl
};
}  // namespace detail::array_part

detail::printed_into operator<<(detail::printed_into, detail::arrays_are_printed_by_including_tapeless_io_text_hpp);

}  // namespace tapeless
