// SPDX-License-Identifier: MIT
#pragma once
// What symbols have of arrays: elements by index, and extents as numbers.

#include <concepts>

#include <tapeless/array/extents.hpp>
#include <tapeless/base/refuse.hpp>

namespace tapeless {

/// Refuses more indices than an array has axes.
template <class Shape, int Indices>
struct too_many_indices {
    static_assert(never<Shape>, "x(i, j, ...): more indices than x has axes");
};

namespace detail::inline ir_part {

/// Called where an axis is asked for that there is not, or whose length only run time knows: not a constant expression,
/// so the compiler names it.
inline void there_is_no_such_axis() {}
inline void extent_is_known_at_run_time_only() {}

}  // namespace detail::ir_part

namespace detail::inline ops_part {
/// x(i, ...): an element along the first axes; defined in ops/element.hpp.
template <class E, class... I>
constexpr auto select_element(E const& x, I const&... i);
}  // namespace detail::ops_part

namespace detail::inline ir_part {

/// Base of expressions whose shape their type knows.
template <class Derived>
struct with_elements {
    /// An element along the first axis, which is dropped: i is a number or an integer expression. A symbol, so it can
    /// be assigned to.
    template <class I>
    constexpr auto operator[](I const& i) const {
        return select_element(self(), i);
    }
    /// The same along as many axes as there are indices.
    template <class... I>
        requires(sizeof...(I) > 0)
    constexpr auto operator()(I const&... i) const {
        return select_element(self(), i...);
    }
    /// The length of axis k, where it is known when compiled.
    static constexpr int extent(int k) {
        using S = typename Derived::shape_type;
        if (k < 0 || k >= S::rank) there_is_no_such_axis();
        if (S::extents[static_cast<std::size_t>(k)] < 0) extent_is_known_at_run_time_only();
        return static_cast<int>(S::extents[static_cast<std::size_t>(k)]);
    }
    /// The number of elements, where it is known when compiled.
    static constexpr int size() {
        int n = 1;
        for (int k = 0; k < Derived::shape_type::rank; ++k) n *= extent(k);
        return n;
    }

private:
    friend Derived;
    constexpr with_elements() = default;
    constexpr Derived const& self() const { return static_cast<Derived const&>(*this); }
};

}  // namespace detail::ir_part
}  // namespace tapeless
