// SPDX-License-Identifier: MIT
#pragma once
// Equations of einsum: "bij,jk->bik", read while compiling.

#include <cstdint>
#include <string_view>

#include <tapeless/array/extents.hpp>

namespace tapeless::detail::inline ops_part {

/// One letter for each axis, from the left. A template argument, so that an operation's type says what it does.
struct axis_letters {
    char text[max_rank + 1]{};
    constexpr int size() const {
        int n = 0;
        while (text[n]) ++n;
        return n;
    }
    constexpr int find(char c) const {
        for (int i = 0; text[i]; ++i)
            if (text[i] == c) return i;
        return -1;
    }
    constexpr bool has(char c) const { return find(c) >= 0; }
    /// False where there is no room for another axis.
    constexpr bool push(char c) {
        int const n = size();
        if (n < max_rank) text[n] = c;
        return n < max_rank;
    }
    /// Axes of extent 1 stand for no letter: they are blanks.
    static constexpr char blank = ' ';
};

enum class equation_fault : std::uint8_t {
    none,
    character,
    ellipsis,
    unknown,
    repeated,
    letters,
    operands,
    rank,
    extents
};

constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// Two of the operands, numbered from 0, and what is kept of them.
struct equation_step {
    int first = 0, second = 0;
    axis_letters left, right, out;
};

/// An equation of a text of N characters.
template <int N>
struct equation {
    axis_letters in[static_cast<std::size_t>(N)], out;
    int operands = 1;
    equation_fault fault = equation_fault::none;  ///< the first one
    char letter = 0;                              ///< where it is

    constexpr explicit equation(std::string_view text) {
        axis_letters* term = in;
        for (std::size_t i = 0; i < text.size(); ++i) {
            char const c = text[i];
            if (c == ' ') continue;
            if (is_letter(c)) {
                if (term == &out && out.has(c)) fail(equation_fault::repeated, c);
                if (!term->push(c)) fail(equation_fault::letters, c);
            } else if (c == ',' && term != &out) {
                term = in + operands++;
            } else if (c == '-' && text.substr(i).starts_with("->") && term != &out) {
                term = &out;
                ++i;
            } else {
                fail(c == '.' ? equation_fault::ellipsis : equation_fault::character, c);
            }
        }
        if (term != &out) find_output();
        for (char const* c = out.text; *c; ++c)
            if (count(*c) == 0) fail(equation_fault::unknown, *c);
    }

private:
    constexpr void fail(equation_fault f, char c) {
        if (fault != equation_fault::none) return;
        fault = f;
        letter = c;
    }
    constexpr int count(char c) const {
        int n = 0;
        for (int i = 0; i < operands; ++i)
            for (char const* d = in[i].text; *d; ++d) n += *d == c;
        return n;
    }
    /// Without an arrow: the letters that occur once, in alphabetical order, capitals first.
    constexpr void find_output() {
        for (char c = 'A'; c <= 'z'; ++c)
            if (count(c) == 1 && !out.push(c)) fail(equation_fault::letters, c);
    }
};

/// The order in which operands are contracted, two at a time: always the pair that costs least, then the one that
/// leaves least, then the leftmost. After a step its result stands in the place of the first.
template <int N>
struct equation_plan {
    equation_step step[static_cast<std::size_t>(N)];
    bool ok = true;  ///< no two operands have more letters together than arrays have axes

    /// extent[c] is that of letter c; one that is not positive is not known.
    constexpr equation_plan(equation<N> eq, std::int64_t const (&extent)[128]) {
        for (int n = 0; eq.operands > 1 && ok; ++n) {
            double cost = -1, size = 0;
            for (int i = 0; i < eq.operands; ++i)
                for (int j = i + 1; j < eq.operands; ++j) consider(step[n], cost, size, eq, i, j, extent);
            ok = cost >= 0;
            if (eq.operands == 2) step[n].out = eq.out;
            eq.in[step[n].first] = step[n].out;
            --eq.operands;
            for (int i = step[n].second; i < eq.operands; ++i) eq.in[i] = eq.in[i + 1];
        }
    }

private:
    static constexpr double typical_extent = 64;

    static constexpr void consider(equation_step& best, double& least, double& smallest, equation<N> const& eq, int i,
                                   int j, std::int64_t const (&extent)[128]) {
        equation_step s{i, j, eq.in[i], eq.in[j], {}};
        axis_letters seen[2];
        double cost = 1, size = 1;
        int letters = 0;
        for (int side = 0; side < 2; ++side)
            for (char const* c = side ? s.right.text : s.left.text; *c; ++c) {
                if (seen[0].has(*c) || seen[1].has(*c)) continue;
                seen[side].push(*c);
                bool needed = eq.out.has(*c);
                for (int k = 0; k < eq.operands; ++k) needed = needed || (k != i && k != j && eq.in[k].has(*c));
                auto const e = extent[static_cast<unsigned char>(*c)];
                double const length = e > 0 ? static_cast<double>(e) : typical_extent;
                cost *= length;
                if (needed) s.out.push(*c), size *= length;
                letters += needed || (s.left.has(*c) && s.right.has(*c));  // what one has alone is summed before
            }
        if (letters > max_rank || (least >= 0 && (cost > least || (cost == least && size >= smallest)))) return;
        best = s;
        least = cost;
        smallest = size;
    }
};

template <fixed_string Text>
struct equation_of {
    static constexpr int length = static_cast<int>(sizeof Text.text);
    static constexpr equation<length> value{Text.view()};
};

}  // namespace tapeless::detail::ops_part
