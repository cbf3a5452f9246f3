// SPDX-License-Identifier: MIT
#pragma once
// Lengths made from other lengths: of slices, of arrays joined, of axes merged and cut. Known when compiled, or when
// called.

#include <cstdint>

namespace tapeless {

/// As a bound of slice: as far as the axis goes, in the direction of the step.
inline constexpr int to_end = 0x7fffffff;

namespace detail::inline ir_part {

/// start, start + step, ... before stop, along an axis of n elements: NumPy's rules. Negative bounds count from the
/// end, and bounds beyond an end mean that end.
struct slice_bounds {
    std::int64_t start = 0, stop = 0, step = 1, length = 0;

    constexpr slice_bounds(std::int64_t n, std::int64_t from, std::int64_t to, std::int64_t by) : step(by) {
        start = from == to_end ? (by > 0 ? n : n - 1) : clamped(n, from);
        stop = to == to_end ? (by > 0 ? n : -1) : clamped(n, to);
        std::int64_t const distance = by > 0 ? stop - start : start - stop, stride = by > 0 ? by : -by;
        length = distance > 0 ? (distance + stride - 1) / stride : 0;
        if (start < 0) start = 0;  // nothing is taken
    }

private:
    constexpr std::int64_t clamped(std::int64_t n, std::int64_t i) const {
        if (i < 0) i += n;
        std::int64_t const low = step > 0 ? 0 : -1, high = step > 0 ? n : n - 1;
        return i < low ? low : i > high ? high : i;
    }
};

struct length_rules {  // see reductions in node.hpp
    enum length_rule : std::uint8_t {
        given,         ///< of an argument's axis
        sum,           ///< a + b
        difference,    ///< a - b, or 0 where that is negative
        minimum,       ///< the smaller of a and b
        product,       ///< a b
        quotient,      ///< a / b
        modulo,        ///< start modulo a
        slice_length,  ///< how many elements start, stop, step take of a
        slice_start,   ///< and the first of them
    };
};
using length_rule = length_rules::length_rule;

struct length_formula {
    length_rule rule = length_rule::given;
    std::int64_t a = 0, b = 0;  ///< extents, as in dims
    std::int64_t start = 0, stop = 0, step = 1;

    constexpr bool operator==(length_formula const& o) const {
        return rule != length_rule::given && rule == o.rule && a == o.a && b == o.b && start == o.start &&
               stop == o.stop && step == o.step;
    }
    /// With the lengths themselves in place of a and b.
    constexpr std::int64_t apply(std::int64_t x, std::int64_t y) const {
        switch (rule) {
            case length_rule::sum: return x + y;
            case length_rule::difference: return x > y ? x - y : 0;
            case length_rule::minimum: return x < y ? x : y;
            case length_rule::product: return x * y;
            case length_rule::quotient: return y == 0 ? 0 : x / y;
            case length_rule::modulo: return x == 0 ? 0 : (start % x + x) % x;
            case length_rule::slice_length: return slice_bounds(x, start, stop, step).length;
            case length_rule::slice_start: return slice_bounds(x, start, stop, step).start;
            default: return x;
        }
    }
};

}  // namespace detail::ir_part
}  // namespace tapeless
