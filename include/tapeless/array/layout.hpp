// SPDX-License-Identifier: MIT
#pragma once
// Row-major layout: what tensor and view share about lengths, strides, indices and their error sentences.

#include <tapeless/array/errors.hpp>
#include <tapeless/array/extents.hpp>
#include <tapeless/base/refuse.hpp>
#include <tapeless/base/sentence.hpp>

#include <array>
#include <cassert>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <type_traits>
#include <utility>

namespace tapeless {

template <class T, auto... E>
class tensor;
template <class T, auto... E>
class view;

/// Refuses x[i] of an array that needs more than one index.
template <class Array>
struct several_indices_stand_in_parentheses {
    static_assert(never<Array>, "x[i] is an element of an array of one axis: of others they are x(i, j)");
};

namespace detail::inline array_part {
template <class Array>
using one_index_refused = unless<Array::rank == 1, several_indices_stand_in_parentheses<Array>>;

template <class>
inline constexpr bool is_tensor = false;
template <class T, auto... E>
inline constexpr bool is_tensor<tensor<T, E...>> = true;

template <class>
inline constexpr bool is_view = false;
template <class T, auto... E>
inline constexpr bool is_view<view<T, E...>> = true;

/// One length per axis.
template <class Shape>
using lengths_of = std::array<std::int64_t, static_cast<std::size_t>(Shape::rank)>;

/// How many extents only run time knows: the number of lengths a constructor takes.
template <class Shape>
inline constexpr std::size_t run_time_axes = [] {
    std::size_t n = 0;
    for (auto e : Shape::extents) n += e < 0;
    return n;
}();

/// Whether an array of shape From may become one of shape To: no axis where both know their length and differ.
template <class To, class From>
inline constexpr bool extents_may_agree = [] {
    if constexpr (To::rank != From::rank) {
        return false;
    } else {
        for (std::size_t k = 0; k < To::extents.size(); ++k)
            if (To::extents[k] >= 0 && From::extents[k] >= 0 && To::extents[k] != From::extents[k]) return false;
        return true;
    }
}();

[[noreturn, gnu::noinline, gnu::cold]] inline void throw_shape(sentence const& s) {
    detail::raise(shape_error(s.text()));
}
[[noreturn, gnu::noinline, gnu::cold]] inline void throw_negative_length(char const* who, std::size_t axis,
                                                                         std::int64_t length) {
    throw_shape(sentence{} << who << ": axis " << axis << " was given the length " << length
                           << ", a length is 0 or more");
}
[[noreturn, gnu::noinline, gnu::cold]] inline void throw_length_differs(char const* who, std::size_t axis,
                                                                        std::int64_t wanted, std::int64_t given) {
    throw_shape(sentence{} << who << ": axis " << axis << " has " << wanted << " elements, the source has " << given);
}
[[noreturn, gnu::noinline, gnu::cold]] inline void throw_number_of_lengths(char const* who, std::size_t given,
                                                                           std::size_t rank) {
    throw_shape(sentence{} << who << ": " << given << " lengths are given, the rank is " << rank);
}
[[noreturn, gnu::noinline, gnu::cold]] inline void throw_too_large(char const* who) {
    throw_shape(sentence{} << who << ": the product of the lengths is more than memory can hold");
}
[[noreturn, gnu::noinline, gnu::cold]] inline void throw_no_axis(char const* who, std::int64_t axis, int rank) {
    detail::raise(
        index_error((sentence{} << who << ": there is no axis " << axis << ", the rank is " << rank).text()));
}
[[noreturn, gnu::noinline, gnu::cold]] inline void throw_index(char const* who, std::size_t axis, std::int64_t index,
                                                               std::int64_t length) {
    detail::raise(index_error(
        (sentence{} << who << ": index " << index << " on axis " << axis << ", which has " << length << " elements")
            .text()));
}

/// The lengths of a shape whose run-time extents are given in order; what is given beyond them is not looked at.
template <class Shape>
constexpr lengths_of<Shape> lengths_from(char const* who, std::array<std::int64_t, max_rank + 1> const& given) {
    auto lengths = Shape::extents;
    std::size_t next = 0;
    for (std::size_t k = 0; k < lengths.size(); ++k) {
        if (lengths[k] >= 0) continue;
        lengths[k] = given[next++];
        if (lengths[k] < 0) throw_negative_length(who, k, lengths[k]);
    }
    return lengths;
}

/// The lengths given, which must agree with the extents that the shape knows already.
template <class Shape>
constexpr lengths_of<Shape> lengths_checked(char const* who, lengths_of<Shape> const& given) {
    for (std::size_t k = 0; k < given.size(); ++k) {
        if (given[k] < 0) throw_negative_length(who, k, given[k]);
        if (Shape::extents[k] >= 0 && Shape::extents[k] != given[k])
            throw_length_differs(who, k, Shape::extents[k], given[k]);
    }
    return given;
}

/// The lengths in braces, one for each axis.
template <std::size_t R, class I>
constexpr std::array<std::int64_t, R> lengths_in_braces(char const* who, std::initializer_list<I> given) {
    if (given.size() != R) throw_number_of_lengths(who, given.size(), R);
    std::array<std::int64_t, R> lengths{};
    std::size_t k = 0;
    for (I length : given) lengths[k++] = static_cast<std::int64_t>(length);
    return lengths;
}

template <std::size_t R>
constexpr std::size_t element_count(std::array<std::int64_t, R> const& lengths) {
    std::size_t n = 1;  // unsigned: beside a length of 0 the others may be so long that this wraps around
    for (auto length : lengths) n *= static_cast<std::size_t>(length);
    return n;
}

/// element_count, refusing arrays whose size in bytes no pointer difference could express.
template <std::size_t R>
constexpr std::size_t checked_count(char const* who, std::array<std::int64_t, R> const& lengths, std::size_t bytes) {
    for (auto length : lengths)
        if (length == 0) return 0;
    auto left = (PTRDIFF_MAX - 64) / static_cast<std::int64_t>(bytes);
    std::int64_t n = 1;
    for (auto length : lengths) {
        if (length > left) throw_too_large(who);
        left /= length;
        n *= length;
    }
    return static_cast<std::size_t>(n);
}

template <std::size_t R>
constexpr std::array<std::ptrdiff_t, R> row_major_strides(std::array<std::int64_t, R> const& lengths) {
    std::array<std::ptrdiff_t, R> strides{};
    std::size_t step = 1;  // unsigned: beside a length of 0 the others may be so long that this wraps around
    for (std::size_t k = R; k-- > 0;) {
        strides[k] = static_cast<std::ptrdiff_t>(step);
        step *= static_cast<std::size_t>(lengths[k]);
    }
    return strides;
}

/// The lengths of an array; takes no room when the shape knows them all.
template <class Shape>
struct lengths {
    static constexpr bool is_static = Shape::is_static;

    constexpr lengths() = default;
    constexpr explicit lengths(lengths_of<Shape> const& all) : values{all} {}

    constexpr lengths_of<Shape> const& all() const { return values; }
    /// The length of axis K: a constant wherever the shape knows it.
    template <std::size_t K>
    constexpr std::int64_t get() const {
        if constexpr (Shape::extents[K] >= 0) return Shape::extents[K];
        else return values[K];
    }

private:
    static constexpr lengths_of<Shape> none() {
        auto v = Shape::extents;
        for (auto& e : v) e = e < 0 ? 0 : e;
        return v;
    }
    lengths_of<Shape> values = none();
};

template <class Shape>
    requires(Shape::is_static)
struct lengths<Shape> {
    static constexpr bool is_static = true;

    constexpr lengths() = default;
    constexpr explicit lengths(lengths_of<Shape> const&) {}

    static constexpr lengths_of<Shape> const& all() { return Shape::extents; }
    template <std::size_t K>
    static constexpr std::int64_t get() {
        return Shape::extents[K];
    }
};

template <std::size_t R, std::integral I>
constexpr std::size_t extent_at(char const* who, std::array<std::int64_t, R> const& lengths, I k) {
    auto const axis = static_cast<std::int64_t>(k);
    if (axis < 0 || axis >= static_cast<std::int64_t>(R)) throw_no_axis(who, axis, static_cast<int>(R));
    return static_cast<std::size_t>(lengths[static_cast<std::size_t>(axis)]);
}

template <std::size_t R, std::integral... I>
constexpr void check_indices(char const* who, std::array<std::int64_t, R> const& lengths, I... i) {
    static_assert(sizeof...(I) == R);
    std::int64_t const index[] = {static_cast<std::int64_t>(i)..., 0};
    for (std::size_t k = 0; k < R; ++k)
        if (index[k] < 0 || index[k] >= lengths[k]) throw_index(who, k, index[k], lengths[k]);
}

constexpr std::int64_t asserted_index(std::int64_t i, [[maybe_unused]] std::int64_t length) {
    assert(0 <= i && i < length && "index out of range");
    return i;
}

/// Where the element i... of a dense row-major array lies: ((i0 * e1 + i1) * e2 + i2) ...
template <class Shape, std::integral... I>
constexpr std::ptrdiff_t row_major_offset([[maybe_unused]] lengths<Shape> const& of, I... i) {
    return [&]<std::size_t... K>(std::index_sequence<K...>) {
        std::ptrdiff_t at = 0;
        ((at = at * of.template get<K>() + asserted_index(static_cast<std::int64_t>(i), of.template get<K>())), ...);
        return at;
    }(std::index_sequence_for<I...>{});
}

/// Where the element i... of a strided array lies.
template <class Shape, std::size_t R, std::integral... I>
constexpr std::ptrdiff_t strided_offset([[maybe_unused]] lengths<Shape> const& of,
                                        [[maybe_unused]] std::array<std::ptrdiff_t, R> const& strides, I... i) {
    return [&]<std::size_t... K>(std::index_sequence<K...>) {
        std::ptrdiff_t at = 0;
        ((at += asserted_index(static_cast<std::int64_t>(i), of.template get<K>()) * strides[K]), ...);
        return at;
    }(std::index_sequence_for<I...>{});
}

}  // namespace detail::array_part
}  // namespace tapeless
