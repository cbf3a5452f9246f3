// SPDX-License-Identifier: MIT
#pragma once
// How loops walk an array: which axis each loop goes along, and where views are in between, from which element on and
// by what steps.

#include <tapeless/array/errors.hpp>
#include <tapeless/ir/builder.hpp>
#include <tapeless/ops/layout.hpp>

namespace tapeless::detail::inline schedule_part {

/// Which axis of a value (counted from the right) each loop axis walks; 15 where the value does not vary. Where that is
/// not from the first element on and one by one, `affine` says how: a number in the table of walks.
struct walk_map {
    static constexpr int none = 15;
    std::uint64_t bits = ~std::uint64_t{0};
    int affine = -1;
    constexpr int axis(int loop) const { return static_cast<int>(bits >> (4 * loop) & 15); }
    constexpr void set(int loop, int axis) {
        bits = (bits & ~(std::uint64_t{15} << (4 * loop))) | (static_cast<std::uint64_t>(axis) << (4 * loop));
    }
    constexpr bool operator==(walk_map const&) const = default;
};

/// Where a walk begins along an axis: a number and some run-time extents, each times a factor.
struct walk_start {
    static constexpr int most = 8;
    std::int64_t number = 0;
    int terms = 0;
    int extent[most]{};
    std::int64_t factor[most]{};

    constexpr void add(std::int64_t length, std::int64_t times) {  // a length as in dims
        if (length >= 0) {
            number += length * times;
            return;
        }
        int const e = static_cast<int>(~length);
        int i = 0;
        while (i < terms && extent[i] != e) ++i;
        if (i == most)
            detail::raise(
                "slices with more than 8 bounds that only run time knows stand in one another: store one of them");
        extent[i] = e;
        factor[i] = i < terms ? factor[i] + times : times;
        terms = i < terms ? terms : i + 1;
    }
    constexpr void add(walk_start const& s, std::int64_t times) {
        number += s.number * times;
        for (int i = 0; i < s.terms; ++i) add(~static_cast<std::int64_t>(s.extent[i]), s.factor[i] * times);
    }
    constexpr bool is_zero() const { return number == 0 && terms == 0; }
    constexpr bool operator==(walk_start const& o) const {
        if (number != o.number || terms != o.terms) return false;
        for (int i = 0; i < terms; ++i)
            if (extent[i] != o.extent[i] || factor[i] != o.factor[i]) return false;
        return true;
    }
};

/// What a walk has to be within, or what it reads is 0: the position `start` plus `step` of each loop along some axis,
/// which is so long; and the bound `rest`. Or else it goes on at the other end of that axis.
struct walk_bound {
    walk_start start;
    std::int64_t step[max_rank]{};
    std::int64_t length = 0;  ///< as in dims
    int rest = -1;
    int wraps = -1;  ///< the axis in memory, from the right, that goes on at its other end; -1: zeros
    constexpr bool operator==(walk_bound const& o) const {
        if (length != o.length || rest != o.rest || wraps != o.wraps || !(start == o.start)) return false;
        for (int l = 0; l < max_rank; ++l)
            if (step[l] != o.step[l]) return false;
        return true;
    }
};

/// The axis of an array whose positions are the elements of an array of indices: where they are, and how the loops walk
/// those.
struct picked_walk {
    int index = -1;  ///< node
    int axis = 0;    ///< of the array, from the right
    walk_map map;
    constexpr bool operator==(picked_walk const&) const = default;
};

struct affine_walk {
    std::int64_t step[2 * max_rank];   ///< of each loop, along its axis
    walk_start start[max_rank]{};      ///< of each axis
    int shape = -1;                    ///< whose axes those are, where the memory is read under another shape
    int bounds = -1;                   ///< within which something is read
    int picked = -1;                   ///< the axis that goes by an index
    constexpr affine_walk() {
        for (std::int64_t& s : step) s = 1;
    }
    constexpr bool operator==(affine_walk const& o) const {
        if (shape != o.shape || bounds != o.bounds || picked != o.picked) return false;
        for (int l = 0; l < 2 * max_rank; ++l)
            if (step[l] != o.step[l]) return false;
        for (int a = 0; a < max_rank; ++a)
            if (start[a].number != o.start[a].number || start[a].terms != o.start[a].terms) return false;
        for (int a = 0; a < max_rank; ++a)
            if (start[a].terms > 0 && !(start[a] == o.start[a])) return false;
        return true;
    }
    constexpr bool is_plain() const {
        if (shape >= 0 || bounds >= 0 || picked >= 0) return false;
        for (std::int64_t s : step)
            if (s != 1) return false;
        for (walk_start const& s : start)
            if (!s.is_zero()) return false;
        return true;
    }
};

/// Which axis of the shape before a reshape each axis after it cuts, and how many elements of it one step is.
struct axis_split {
    bool ok = true;  ///< every axis after it is a part of one before it
    int axis[max_rank]{};
    std::int64_t factor[max_rank]{};

    constexpr axis_split(builder const& b, dims const& from, dims const& to) {
        int j = 0;
        auto skip = [&] {
            while (j < to.rank && to.from_right(j) == 1) axis[j++] = -1;
        };
        for (int k = 0; k < from.rank && ok; ++k) {
            std::int64_t const e = from.from_right(k);
            if (e == 1) continue;
            skip();
            std::int64_t f = 1;
            for (bool done = false; !done && ok;) {
                skip();
                if (j == to.rank || e == 0) {
                    ok = false;
                    break;
                }
                std::int64_t const t = to.from_right(j);
                axis[j] = k;
                factor[j++] = f;
                if (t == e && f == 1) done = true;
                else if (t < 0) {
                    length_formula const& q = b.extents.items[static_cast<int>(~t)].formula;
                    done = ok = q.rule == length_rule::quotient && b.resolve(q.a) == e && q.b == f;
                } else {
                    f *= t;
                    done = f == e;
                    ok = e < 0 || f <= e;
                }
            }
        }
        skip();
        ok = ok && j == to.rank;
    }
};

}  // namespace tapeless::detail::schedule_part
