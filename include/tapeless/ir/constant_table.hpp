// SPDX-License-Identifier: MIT
#pragma once
// Arrays whose elements the compiler knows: the constants of a program, one after the other.

#include <bit>
#include <cstdint>

#include <tapeless/array/dtype.hpp>
#include <tapeless/base/list.hpp>

namespace tapeless::detail::inline ir_part {

/// An array of constants: `count` of all numbers from `first` on; its bytes begin at `at` in the program's memory.
struct constant_array_info {
    int first = 0, count = 0, at = 0;
    dtype type = dtype::f32;
};

/// The constants of a graph and of all its bodies: a node names the place of its bytes, which never changes.
struct constant_table {
    list<constant_array_info> arrays;
    list<double> numbers;

    constexpr bool empty() const { return arrays.empty(); }
    constexpr int bytes() const { return empty() ? 0 : end_of(arrays.items[arrays.size() - 1]); }
    /// Where the bytes of this array begin: equal arrays are there once.
    constexpr int add(double const* from, int count, dtype type) {
        for (constant_array_info const& known : arrays)
            if (known.count == count && known.type == type && is_same(numbers.items + known.first, from, count))
                return known.at;
        constant_array_info a{numbers.size(), count, (bytes() + 63) / 64 * 64, type};
        for (int i = 0; i < count; ++i) numbers.push(from[i]);
        arrays.push(a);
        return a.at;
    }
    /// The numbers of the array that begins there.
    constexpr double const* numbers_at(int at) const {
        int i = 0;
        while (arrays.items[i].at != at) ++i;
        return numbers.items + arrays.items[i].first;
    }

private:
    static constexpr int end_of(constant_array_info const& a) { return a.at + a.count * size_of(a.type); }
    static constexpr bool is_same(double const* a, double const* b, int count) {
        for (int i = 0; i < count; ++i)
            if (std::bit_cast<std::uint64_t>(a[i]) != std::bit_cast<std::uint64_t>(b[i])) return false;
        return true;
    }
};

}  // namespace tapeless::detail::ir_part
