// SPDX-License-Identifier: MIT
#pragma once
// The reference cases of indexed operations: arrays and indices of run-time extents, one traced function for each
// rank and axis.

#include "ops/reference_cases.hpp"

namespace reference {

/// A tensor of that rank, all of its extents known at run time; rank 0: a number.
template <class T, int Rank>
auto array_of_rank(tensor const& t) {
    return [&]<std::size_t... K>(std::index_sequence<K...>) {
        if constexpr (Rank == 0) return static_cast<T>(t.item());
        else {
            auto a = ad::tensor<T, ((void)K, ad::dyn)...>(t.extent(K)...);
            for (std::size_t i = 0; i < t.size(); ++i) a.data()[i] = static_cast<T>(t.values[i]);
            return a;
        }
    }(std::make_index_sequence<static_cast<std::size_t>(Rank)>{});
}

/// What one traced function serves: the name of the array, its rank, that of the index and of the result, and the
/// axis (as the file writes it; `none` where it has none).
inline constexpr int none = 99;
template <class Op, int X, int Index, int Out, int Axis>
struct indexed_pattern {
    static constexpr auto weighted = [](auto x, auto index, auto cot) { return sum(Op{}(x, index) * cot); };

    static bool matches(test_case const& c, std::string const& name) {
        auto const axis = c.has_parameter("axis") ? c.integers("axis").at(0) : none;
        return c.in(name).rank() == X && c.in("index").rank() == Index && axis == Axis;
    }
    template <class T, class I>
    static void run(test_case const& c, std::string const& name) {
        auto const [dx, out] = ad::grad<0, 2>(weighted)(
            array_of_rank<T, X>(c.in(name)), array_of_rank<I, Index>(c.in("index")), array_of_rank<T, Out>(c.cot()));
        CHECK(check_close(c.out(), out, c, "out") == "");
        CHECK(check_close(c.grad(name), dx, c, "grad " + name) == "");
    }
};

/// Every case that `accept` takes, each by the first pattern that matches.
template <class T, class I, class... Pattern, class Accept>
std::size_t run_indexed_if(std::string const& family_name, std::string const& op, std::string const& name,
                           Accept accept) {
    std::size_t n = 0;
    for (test_case const& c : cases(file_of<T>(family_name), op)) {
        if (!accept(c)) continue;
        bool const found = ((Pattern::matches(c, name) && (Pattern::template run<T, I>(c, name), true)) || ...);
        if (!found) FAIL_CHECK(c.id << ": no pattern for it (" << c.note << ")");
        n += found;
    }
    return n;
}
template <class T, class I, class... Pattern>
void run_indexed(std::string const& family_name, std::string const& op) {
    auto const n = run_indexed_if<T, I, Pattern...>(family_name, op, "x", [](test_case const&) { return true; });
    CHECK(n == count_in_file(file_of<T>(family_name), op));
}

}  // namespace reference
