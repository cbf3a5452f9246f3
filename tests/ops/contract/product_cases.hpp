// SPDX-License-Identifier: MIT
#pragma once
// Runs the reference cases of the products in the very shapes of the file, each by a pattern of run-time extents and
// ones.

#include "ops/binary_patterns.hpp"

namespace reference {

using batches = shape_pattern<run, run, run, run>;

/// Every case that `accept` takes; one that no pattern matches fails. Returns how many.
template <class T, class... Pattern, class Op, class Accept>
std::size_t run_products(Op f, std::string_view op, Accept accept) {
    std::size_t n = 0;
    for (test_case const& c : cases(file_of<T>("matmul"), op)) {
        if (!accept(c)) continue;
        bool const found = (run_binary_as<T, Pattern>(f, c, c.in("a").shape, c.in("b").shape, c.out().shape) || ...);
        if (!found) FAIL_CHECK(c.id << ": no pattern for its shapes");
        n += found;
    }
    return n;
}
template <class T, class... Pattern, class Op>
void run_products(Op f, std::string_view op) {
    auto const n = run_products<T, Pattern...>(f, op, [](test_case const&) { return true; });
    CHECK(n == count_in_file(file_of<T>("matmul"), op));
}

inline constexpr auto has_no_batch = [](test_case const& c) { return c.in("a").rank() < 3 && c.in("b").rank() < 3; };
inline constexpr auto has_a_batch = [](test_case const& c) { return !has_no_batch(c); };

}  // namespace reference
