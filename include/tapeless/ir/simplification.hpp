// SPDX-License-Identifier: MIT
#pragma once
// Simplifications as rows of tables: what is written, what is computed in its place, and whether that is the same
// number.

#include <tapeless/ir/builder.hpp>

namespace tapeless::detail::inline ir_part {

/// Whether what is computed instead is the same number, signs of zeros apart, or may be rounded otherwise, overflow
/// elsewhere, or leave a NaN out. README.md lists all rows that reassociate.
enum class exactness : std::uint8_t { exact, reassociates };

/// A row, for people: `pattern` is computed as `result`. In both x and y are arrays, s and t numbers, c and d literals.
struct simplification {
    char const* name = "";
    char const* pattern = "";
    char const* result = "";
    exactness is = exactness::exact;
};

/// What a row answers: this node is not what it looks for, or no row shall change it.
inline constexpr int not_this = -1, as_it_stands = -2;

/// Rows in the order in which they are tried. A Row has a `simplification row`, and a function of<T>(b, n,
/// operands...) that gives the node with the value of n, which is about to be made and has elements of type T.
template <class... Row>
struct simplifications {
    static constexpr int size = static_cast<int>(sizeof...(Row));
    static constexpr simplification rows[] = {Row::row...};

    /// What the first row that applies makes of node n, or -1.
    template <class T, class... Operands>
    static constexpr int first(builder& b, node const& n, Operands const&... operands) {
        int r = not_this;
        (void)(((r = Row::template of<T>(b, n, operands...)) != not_this && note(b, r, Row::row)) || ...);
        return r < 0 ? -1 : r;
    }

private:
    static constexpr bool note(builder& b, int r, simplification const& row) {
        if (b.notes_simplifications && r >= 0) b.simplified.push(row.name);
        return true;
    }
};

}  // namespace tapeless::detail::ir_part
