// SPDX-License-Identifier: MIT
#pragma once
// What run time has to check: lengths, and indices.

#include <cstdint>

namespace tapeless::detail::inline ir_part {

enum class relation : std::uint8_t { equal, at_most, at_least, multiple };

/// What run time has to check: that a run-time extent equals another one, or a number where `other` is -1, or is not
/// zero where `other` is -2; or that it is at most, or at least, or a multiple of that.
struct extent_check {
    int extent = 0, other = -1;
    std::int64_t value = 0;
    relation is = relation::equal;
    char const* op = nullptr;  ///< who needs it, where that is known
    constexpr bool operator==(extent_check const& o) const {
        return extent == o.extent && other == o.other && value == o.value && is == o.is;
    }
};

/// An index, or none: every number may be one.
struct maybe_index {
    bool given = false;
    std::int64_t value = 0;
    constexpr maybe_index() = default;
    constexpr maybe_index(std::int64_t index) : given(true), value(index) {}
    constexpr bool is(std::int64_t index) const { return given && value == index; }
    constexpr bool operator==(maybe_index const&) const = default;
};
/// Who looks at indices, what they are called where one is wrong, which one is right though it is out of range, and
/// which one is wrong though it is not, and why.
struct index_rule {
    char const* op = "";
    char const* what = "index";
    maybe_index exempt, refused;
    char const* reason = "";
    constexpr index_rule() = default;
    constexpr index_rule(char const* operation, char const* name = "index", maybe_index exempted = {})
        : op(operation), what(name), exempt(exempted) {}
    constexpr index_rule refusing(std::int64_t index, char const* why) const {
        index_rule r = *this;
        r.refused = index;
        r.reason = why;
        return r;
    }
};
/// What run time has to check: that the elements of an integer value are at least 0 and less than the size of a
/// shape. Where there are lengths, only so many elements of each row are looked at: the others may be anything.
struct index_check {
    int index = -1;   ///< the node
    int shape = 0;    ///< the number of the shape whose size is the limit
    index_rule rule;
    int lengths = -1;  ///< the node that holds a number for each row, checked before
};

}  // namespace tapeless::detail::ir_part
