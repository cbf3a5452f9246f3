// SPDX-License-Identifier: MIT
#pragma once
// The reference cases of where, by the shapes of mask and branches.

#include "ops/binary_patterns.hpp"

namespace reference {

template <class C, class A, class B, class Out>
struct where_pattern {};

inline constexpr auto weighted_where = [](auto cond, auto a, auto b, auto cot) { return sum(where(cond, a, b) * cot); };

template <class T, class C, class A, class B, class Out>
bool run_where_as(where_pattern<C, A, B, Out>, test_case const& c) {
    if (!C::matches(c.in("cond").shape) || !A::matches(c.in("a").shape) || !B::matches(c.in("b").shape)) return false;
    auto const [da, db, out] =
        ad::grad<1, 2, 3>(weighted_where)(C::template make<bool>(c.in("cond")), A::template make<T>(c.in("a")),
                                          B::template make<T>(c.in("b")), Out::template make<T>(c.cot()));
    CHECK(check_close(c.out(), out, c, "out") == "");
    CHECK(check_close(c.grad("a"), da, c, "grad a") == "");
    if (c.has("in", "b")) CHECK(check_close(c.grad("b"), db, c, "grad b") == "");
    return true;
}
template <class T, class... Pattern>
void run_where() {
    std::size_t n = 0;
    for (test_case const& c : cases(file_of<T>("select"), "where")) {
        bool const found = (run_where_as<T>(Pattern{}, c) || ...);
        if (!found) FAIL_CHECK(c.id << ": no pattern for its shapes (" << c.note << ")");
        n += found;
    }
    CHECK(n == count_in_file(file_of<T>("select"), "where"));
}

}  // namespace reference
