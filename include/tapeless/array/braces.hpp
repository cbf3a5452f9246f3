// SPDX-License-Identifier: MIT
#pragma once
// Elements in nested braces: the lengths they spell, and their copy.

#include <tapeless/array/layout.hpp>

#include <cstddef>
#include <cstdint>
#include <initializer_list>

namespace tapeless::detail::inline array_part {

/// std::initializer_list, once per axis.
template <class T, int Rank>
struct braces {
    using type = std::initializer_list<typename braces<T, Rank - 1>::type>;
};
template <class T>
struct braces<T, 0> {
    using type = T;
};

/// "tensor: row 1 has 3 elements, axis 1 has 2"; `row` is the position among all rows of that depth.
[[noreturn, gnu::noinline, gnu::cold]] inline void throw_row_differs(std::int64_t const* lengths, std::size_t axis,
                                                                     std::int64_t row, std::size_t given) {
    sentence s;
    s << "tensor: " << (axis == 0 ? "the list" : axis == 1 ? "row " : "row (");
    for (std::size_t k = 0; k < axis; ++k) {
        std::int64_t below = 1;  // rows of the axes between
        for (std::size_t j = k + 1; j < axis; ++j) below *= lengths[j];
        s << (k > 0 ? ", " : "") << row / below % lengths[k];
    }
    throw_shape(s << (axis > 1 ? ")" : "") << " has " << given << " elements, axis " << axis << " has "
                  << lengths[axis]);
}

template <class List>
constexpr void lengths_of_braces(List const& list, std::int64_t* lengths) {
    if (*lengths < 0) *lengths = static_cast<std::int64_t>(list.size());
    if constexpr (requires { list.begin()->begin(); }) {
        constexpr typename List::value_type none{};
        lengths_of_braces(list.size() == 0 ? none : *list.begin(), lengths + 1);
    }
}
template <class List>
constexpr void check_braces(List const& list, std::int64_t const* lengths, std::size_t axis, std::int64_t row) {
    if (static_cast<std::int64_t>(list.size()) != lengths[axis]) throw_row_differs(lengths, axis, row, list.size());
    if constexpr (requires { list.begin()->begin(); }) {
        row *= lengths[axis];
        for (auto const& inner : list) check_braces(inner, lengths, axis + 1, row++);
    }
}
template <class List, class T>
constexpr T* copy_braces(List const& list, T* to) {
    for (auto const& element : list) {
        if constexpr (requires { element.begin(); }) to = copy_braces(element, to);
        else *to++ = element;
    }
    return to;
}
/// The lengths that nested braces spell; rows must be equally long and agree with the extents known already.
template <class Shape, class List>
constexpr lengths_of<Shape> lengths_of_braces(List const& list) {
    auto lengths = Shape::extents;
    lengths_of_braces(list, lengths.data());
    check_braces(list, lengths.data(), 0, 0);
    return lengths;
}

}  // namespace tapeless::detail::array_part
