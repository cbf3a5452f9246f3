// SPDX-License-Identifier: MIT
#pragma once
// The run-time extents of a graph: lengths of axes, and lengths made from them; which are the same, and what run time
// checks.

#include <cstdint>
#include <string_view>

#include <tapeless/base/list.hpp>
#include <tapeless/ir/checks.hpp>
#include <tapeless/ir/length.hpp>

namespace tapeless::detail::inline ir_part {

/// A run-time extent: the argument's axis it is the length of, or the formula that makes it from others, and what it
/// was found to be equal to.
struct run_time_extent {
    int leaf = 0, axis = 0;
    int parent = -1;          ///< of a union-find forest
    std::int64_t value = -1;  ///< the number it was found to be
    std::string_view name{};
    length_formula formula{};
    int outer = -1;           ///< in a body: the extent of the graph that calls it which this is
};

/// The run-time extents of a graph. An extent >= 0 is a number; a negative one, ~e, is run-time extent e.
struct extent_table {
    list<run_time_extent> extents;
    list<extent_check> checks;
    char const* doing = nullptr;  ///< the operation that is being emitted, if any is:
    bool is_doing = false;        ///< of addresses, g++ compares none under -fsanitize=undefined

    constexpr int root(int e) const {
        while (extents.items[e].parent >= 0) e = extents.items[e].parent;
        return e;
    }
    constexpr std::int64_t resolve(std::int64_t e) const {
        if (e >= 0) return e;
        int r = root(static_cast<int>(~e));
        return extents.items[r].value >= 0 ? extents.items[r].value : ~static_cast<std::int64_t>(r);
    }
    /// Two extents that must be the same number: run time will check it, from here on they are one.
    constexpr std::int64_t same(std::int64_t a, std::int64_t b, char const* op = nullptr) {
        std::int64_t x = resolve(a), y = resolve(b);
        if (x == y) return x;
        if (is_doing) op = doing;
        if (a >= 0 && b >= 0) return a;  // two numbers: refused where the expression was written
        if (a < 0 && b < 0) checks.push({static_cast<int>(~a), static_cast<int>(~b), 0, relation::equal, op});
        else if (a < 0) checks.push({static_cast<int>(~a), -1, b, relation::equal, op});
        else checks.push({static_cast<int>(~b), -1, a, relation::equal, op});
        unite(x, y);
        unite_derived();
        return resolve(x);
    }
    /// Two extents that are resolved, and not the same yet, are one.
    constexpr void unite(std::int64_t x, std::int64_t y) {
        if (y >= 0) extents.items[static_cast<int>(~x)].value = y;
        else if (x >= 0) extents.items[static_cast<int>(~y)].value = x;
        else extents.items[static_cast<int>(~y)].parent = static_cast<int>(~x);
    }
    /// Lengths that are made in the same way from what has become the same are the same too.
    constexpr void unite_derived() {
        for (bool changed = true; changed;) {
            changed = false;
            for (int i = 0; i < extents.size(); ++i) {
                if (extents.items[i].formula.rule == length_rule::given) continue;
                length_formula const f = resolved(extents.items[i].formula);
                std::int64_t const x = resolve(~static_cast<std::int64_t>(i));
                std::int64_t const y =
                    f.a >= 0 && f.b >= 0 ? f.apply(f.a, f.b) : resolve(~static_cast<std::int64_t>(with_formula(f)));
                if (x == y || (x >= 0 && y >= 0)) continue;  // two numbers: what run time checks will not hold
                unite(y, x);
                changed = true;
            }
        }
    }

    /// A length made from others: a number where those are, else a run-time extent (the same one for the same formula).
    constexpr std::int64_t derived(length_formula f) {
        f = resolved(f);
        if (f.a >= 0 && f.b >= 0) return f.apply(f.a, f.b);
        if (f.rule == length_rule::sum && (f.a == 0 || f.b == 0)) return f.a == 0 ? f.b : f.a;
        if (f.rule == length_rule::difference && f.b == 0) return f.a;
        if (f.rule == length_rule::difference && f.b < 0) {  // n - min(n, k) is n - k, or 0
            length_formula const& less = extents.items[static_cast<int>(~f.b)].formula;
            if (less.rule == length_rule::minimum && less.a == f.a) return difference(f.a, less.b);
            if (less.rule == length_rule::minimum && less.b == f.a) return difference(f.a, less.a);
        }
        if (f.rule == length_rule::sum && f.a < 0 && f.b < 0) {  // min(n, k) + (n - k, or 0) is n
            length_formula const less = resolved(extents.items[static_cast<int>(~f.a)].formula),
                                 rest = resolved(extents.items[static_cast<int>(~f.b)].formula);
            if (less.rule == length_rule::minimum && rest.rule == length_rule::difference &&
                ((less.a == rest.a && less.b == rest.b) || (less.a == rest.b && less.b == rest.a)))
                return rest.a;
        }
        if (f.rule == length_rule::product && (f.a == 1 || f.b == 1)) return f.a == 1 ? f.b : f.a;
        if (f.rule == length_rule::quotient && f.b == 1) return f.a;
        if (int const known = with_formula(f); known >= 0) return resolve(~static_cast<std::int64_t>(known));
        return ~static_cast<std::int64_t>(extents.push({-1, 0, -1, -1, {}, f}));
    }
    constexpr length_formula resolved(length_formula f) const {
        f.a = resolve(f.a);
        f.b = resolve(f.b);
        return f;
    }
    /// The first run-time extent that is made by this formula, whose lengths are resolved, or -1.
    constexpr int with_formula(length_formula const& f) const {
        for (int i = 0; i < extents.size(); ++i)
            if (extents.items[i].formula.rule == f.rule && resolved(extents.items[i].formula) == f) return i;
        return -1;
    }
    constexpr std::int64_t sum(std::int64_t a, std::int64_t b) {
        return derived({.rule = length_rule::sum, .a = a, .b = b});
    }
    constexpr std::int64_t difference(std::int64_t a, std::int64_t b) {
        return derived({.rule = length_rule::difference, .a = a, .b = b});
    }
    constexpr std::int64_t product(std::int64_t a, std::int64_t b) {
        return derived({.rule = length_rule::product, .a = a, .b = b});
    }
    /// Run time will check what the constants do not say already.
    constexpr void check(std::int64_t extent, relation is, std::int64_t value) {
        if (extent < 0) check(extent_check{static_cast<int>(~extent), -1, value, is, doing});
    }
    /// Run time will check that one extent is at most another.
    constexpr void at_most(std::int64_t a, std::int64_t b) {
        std::int64_t const x = resolve(a), y = resolve(b);
        if (x == y || (a >= 0 && b >= 0)) return;  // two numbers: refused where the expression was written
        if (a < 0 && b < 0)
            check(extent_check{static_cast<int>(~a), static_cast<int>(~b), 0, relation::at_most, doing});
        else if (a < 0) check(a, relation::at_most, b);
        else check(b, relation::at_least, a);
    }
    constexpr void check(extent_check const& c) {
        for (extent_check const& known : checks)
            if (known == c) return;
        checks.push(c);
    }
};

}  // namespace tapeless::detail::ir_part
