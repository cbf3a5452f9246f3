// SPDX-License-Identifier: MIT
#pragma once
// What an operation needs to know besides its operands.

#include <cstdint>

namespace tapeless::detail::inline ir_part {

/// What an operation needs besides its inputs. Axes are a bit mask counted from the right; an offset is an extent as
/// in dims.
struct attribute {
    std::int64_t axes = 0;
    double number = 0;
    int shape = -1;
    std::int64_t offset = 0;
    constexpr bool operator==(attribute const&) const = default;

    // What `axes`, `number` and `offset` are, by the operation they belong to.

    constexpr int axis() const { return static_cast<int>(axes); }  ///< of a slice, windows or padding: one, by number
    constexpr std::int64_t first() const { return offset; }        ///< of a slice: where it begins, as in dims
    constexpr int result() const { return static_cast<int>(offset); }  ///< of a call's results: which one
    constexpr std::int64_t room() const { return offset; }  ///< of a custom loop: so many elements to work in

    constexpr double value() const { return number; }  ///< of a constant
    constexpr double exponent() const { return number; }  ///< of a power with a number, and of a norm
    constexpr double correction() const { return number; }  ///< of a variance: subtracted from the number of elements
    constexpr double filling() const { return number; }  ///< of a pad: what is put around x
    constexpr double smoothing() const { return number; }  ///< of labels
    constexpr std::int64_t step() const { return static_cast<std::int64_t>(number); }  ///< of a slice
    constexpr std::int64_t stride() const {
        return static_cast<std::int64_t>(number);
    }                                                           ///< from one window to the next
    constexpr std::int64_t dilation() const { return offset; }  ///< from one element of a window to the next
    constexpr std::int64_t before() const { return offset; }  ///< of a padded axis: so many zeros before the operand
    constexpr std::int64_t shift() const { return static_cast<std::int64_t>(number); }  ///< of a rolled axis, else 0
    constexpr std::int64_t stop() const { return static_cast<std::int64_t>(number); }  ///< of a slice between numbers
    constexpr std::int64_t blank_class() const { return static_cast<std::int64_t>(number); }  ///< of ctc
    constexpr bool leaves_out() const { return number != 0; }  ///< of indices: one is skipped
    constexpr std::int64_t left_out() const { return static_cast<std::int64_t>(number) - 1; }  ///< that one
    constexpr bool adds() const { return number == 1; }  ///< of a put: to what is there
    constexpr bool runs_backwards() const { return number == 1; }  ///< of a running sum
    constexpr bool rectifies() const { return axes & 1; }  ///< of a loop with a write-back: below 0 there is 0
    static constexpr int finishes_all = 2;
    /// Of one whose results are pooled: the write-back is of all of them, rather than of the largest.
    constexpr bool is_of_all() const { return axes & finishes_all; }
    constexpr bool exempts() const { return number != 0; }  ///< of checked indices: one may be out of range
    /// Of an expand or a parameter: which one of those that are alike, and are to stay nodes of their own. 0: it need
    /// not.
    constexpr bool is_labelled() const { return number != 0; }
    static constexpr attribute labelled(int label, int shape = -1) {
        attribute at;
        at.number = label;
        at.shape = shape;
        return at;
    }
};

}  // namespace tapeless::detail::ir_part
