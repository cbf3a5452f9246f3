// SPDX-License-Identifier: MIT
#pragma once
// The bodies of a call as programs: their run-time extents, and the memory that they need.

#include <tapeless/compile/graph_set.hpp>

namespace tapeless::detail::inline compile_part {

template <class Source, class Build>
struct program;

/// Body B of call C of a program.
template <class Program, int C, int B>
struct callee_of {
    static constexpr int number = Program::calls[C].body[B];
    using type = program<body_source<typename graph_of_source<typename Program::source>::root, number>,
                         typename Program::build_type>;
};
template <class Program, int C, int B>
using callee = typename callee_of<Program, C, B>::type;

/// The run-time extents of body B of a call.
template <class Program, int C, int B>
struct callee_extents {
    static constexpr int count = callee<Program, C, B>::graph_size.extents;
    std::int64_t value[static_cast<std::size_t>(count > 0 ? count : 1)]{};

    static constexpr int first() {
        int at = Program::calls[C].first_extent;
        if constexpr (B == 1) at += callee_extents<Program, C, 0>::count;
        return at;
    }
    constexpr explicit callee_extents(std::int64_t const* extents) {
        if constexpr (count > 0)
            for (int i = 0; i < count; ++i) {
                std::int64_t const e = Program::call_extents[first() + i];
                value[i] = e >= 0 ? e : extents[~e];
            }
    }
};

/// The memory that the bodies of call C need, of which one runs at a time.
template <class Program, int C>
struct call_workspace {
    static constexpr bool two = Program::calls[C].body[1] >= 0;
    static constexpr bool is_static() {
        if constexpr (two) return callee<Program, C, 0>::is_static() && callee<Program, C, 1>::is_static();
        else return callee<Program, C, 0>::is_static();
    }
    template <int B>
    static constexpr decltype(auto) layout_of(std::int64_t const* extents) {
        using P = callee<Program, C, B>;
        if constexpr (P::is_static()) return (P::fixed_layout);
        else return P::make_layout(callee_extents<Program, C, B>(extents).value);
    }
    static constexpr std::int64_t bytes(std::int64_t const* extents) {
        std::int64_t n = runs_first(extents) ? layout_of<0>(extents).bytes : 0;
        if constexpr (two)
            if (std::int64_t const other = layout_of<1>(extents).bytes; other > n) n = other;
        return (n + 63) / 64 * 64;
    }
    /// Whether the first body may be run: of two, it is left out where it would be too large.
    static constexpr bool runs_first(std::int64_t const* extents) {
        constexpr std::int64_t steps = Program::calls[C].steps;
        if constexpr (two && steps < 0 && !is_static()) return extents[~steps] != 0;
        else return !two || steps != 0;
    }
};

}  // namespace tapeless::detail::compile_part
