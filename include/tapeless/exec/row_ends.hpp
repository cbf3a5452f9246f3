// SPDX-License-Identifier: MIT
#pragma once
// Which elements of rows are within bounds, and what is loaded at the ends of those that are not in all columns: zeros,
// or what is at the other end.

#include <tapeless/exec/access.hpp>
#include <tapeless/kernels/zeros.hpp>
#include <tapeless/simd/move_lanes.hpp>

namespace tapeless::detail::inline exec_part {

/// The i of 0 ... n - 1 with 0 <= p + by i < length.
constexpr element_range positions_within(std::int64_t p, std::int64_t by, std::int64_t length, std::int64_t n) {
    element_range r{0, n};
    if (by == 0) r.to = p >= 0 && p < length ? n : 0;
    else if (by == 1) r.intersect({-p, length - p});
    else if (by > 0) r.intersect({p < 0 ? (by - 1 - p) / by : 0, p < length ? (length - p + by - 1) / by : 0});
    else r.intersect({p < length ? 0 : (p - length - by) / -by, p < 0 ? 0 : p / -by + 1});
    return r;
}
/// Which columns are within bounds, wherever the loops outside the rows are: `columns`, in the rows `rows`.
struct bounded_part {
    element_range rows{}, columns{};
    bool slanted = false;  ///< rather, they change from row to row
};
template <int A, class Arch>
constexpr bounded_part part_within(loop_state_of<Arch> const& f, program_tables const& tables, int bounds) {
    bounded_part r{{0, A > 1 ? f.extent[A > 1 ? A - 2 : 0] : 1}, {0, f.extent[A - 1]}};
    for (; bounds >= 0; bounds = tables.bounds[bounds].rest) {
        walk_bound const& b = tables.bounds[bounds];
        std::int64_t const length = extent_of(*f.ctx, b.length);
        std::int64_t p = number_of(*f.ctx, b.start), by[2] = {0, 0};  // by row, by column
        for (int l = 0; l < A; ++l) {
            std::int64_t const step = b.step[f.now->group[l + 1] - 1];
            p += step * (f.from[l] + (l < A - 2 ? f.at[l] : 0));
            if (l < A - 2) continue;
            by[l - (A - 2)] = step;
        }
        if (by[0] != 0 && by[1] != 0) r.slanted = true;
        else if (by[0] != 0) r.rows.intersect(positions_within(p, by[0], length, r.rows.to));
        else r.columns.intersect(positions_within(p, by[1], length, r.columns.to));
    }
    return r;
}
/// Which of n columns from `column` on are within bounds.
template <int A, class Arch>
element_range columns_within(loop_state_of<Arch> const& f, program_tables const& tables, int bounds, std::int64_t row,
                             std::int64_t column, std::int64_t n) {
    element_range r{0, n};
    for (; bounds >= 0; bounds = tables.bounds[bounds].rest) {
        walk_bound const& b = tables.bounds[bounds];
        std::int64_t p = number_of(*f.ctx, b.start), by = 0;
        for (int l = 0; l < A; ++l) {
            by = b.step[f.now->group[l + 1] - 1];
            p += by * (f.from[l] + (l == A - 1 ? column : l == A - 2 ? row : f.at[l]));
        }
        r.intersect(positions_within(p, by, extent_of(*f.ctx, b.length), n));
    }
    return r;
}
/// The lanes at this position that are within the bounds of a step.
template <class Arch>
TAPELESS_CONFIG_INLINE inline element_range lanes_within(loop_position_of<Arch> const& x, step const& s) {
    element_range const r = x.within[x.bound[&s - x.steps] * x.apart + x.j];
    std::int64_t const from = r.from - x.column, to = r.to - x.column;
    return {from > 0 ? from : 0, to < x.n ? to : x.n};
}

/// A register at the end of a row, some of whose lanes are within bounds: what lies `from` bytes behind the first
/// column, moved as `how` says; likewise what comes from the other end of the row.
struct moved_registers {
    std::ptrdiff_t from, other_from;
    std::ptrdiff_t how, other_how;
};

/// The columns of a row that are within bounds, and those that are read from its other end, `far` elements on.
struct row_end {
    element_range here{}, there{};  ///< the columns of which there are elements; the same of those from the other end
    std::int64_t far = 0;
    bool known = false;
    template <class T>
    moved_registers at(std::int64_t column) const {
        constexpr int L = simd::lanes<T>, size = static_cast<int>(sizeof(T));
        auto const nearest = [](std::int64_t c, element_range const& r) {
            return c < r.from ? r.from : c > r.to - L ? r.to - L : c;
        };
        auto const by = [](std::int64_t n) {
            return simd::movement<T>(static_cast<int>(n > L ? L : n < -L ? -L : n));
        };
        std::int64_t const from = nearest(column, here);
        if (far == 0) return {from * size, from * size, by(from - column), by(L)};
        std::int64_t const column_there = column + far, other = nearest(column_there, there);
        return {from * size, other * size, by(from - column), by(other - column_there)};
    }
};
/// The same of a step's bounds, in a row that is within those along other axes. Known where registers of it can be
/// made of whole ones in memory.
template <int A, class Arch>
row_end end_within(loop_state_of<Arch> const& f, program_tables const& tables, place const& at, int bounds, int lanes,
                   bounded_part const& part) {
    row_end r{part.columns};
    if (part.slanted || r.here.to - r.here.from < lanes) return r;
    int along = 0;
    for (; bounds >= 0; bounds = tables.bounds[bounds].rest) {
        walk_bound const& b = tables.bounds[bounds];
        std::int64_t const by = b.step[f.now->group[A] - 1];
        if (by == 0) continue;
        if (++along > 1 && (r.far != 0 || b.wraps >= 0)) return r;
        if (b.wraps < 0) continue;
        std::int64_t const length = extent_of(*f.ctx, b.length);
        std::int64_t p = number_of(*f.ctx, b.start);
        for (int l = 0; l < A; ++l)
            p += b.step[f.now->group[l + 1] - 1] * (f.from[l] + (l < A - 2 ? f.at[l] : 0));
        // column c is element p + c: between the ends of the axis those of columns -p to length - p - 1
        if (by != 1 || memory_stride(*f.ctx, tables, at, b.wraps) != 1) return r;
        r.there = {-p, length - p};
        r.far = p < 0 ? length : -length;
        bool const once = p > -length && p < length && f.extent[A - 1] <= length;
        if (!once) return r;
    }
    r.known = true;
    return r;
}
/// Registers at the end of a row of which is known what they are made of.
template <bool Wraps, int A, class T, int W, class Arch>
TAPELESS_CONFIG_INLINE inline void load_end(value<T, W>& out, loop_position_of<Arch> const& x, step const& s) {
    auto const* const row = reinterpret_cast<std::byte const*>(element_at<T const, A>(x, s.place, x.row, 0));
    auto const moved = [&](std::ptrdiff_t from, std::ptrdiff_t how) TAPELESS_CONFIG_INLINE {
        return simd::move_lanes_so<T>(simd::load(reinterpret_cast<T const*>(row + from)), how);
    };
    constexpr int R = value<T, W>::registers;
#pragma GCC unroll 64
    for (int r = 0; r < R; ++r) {
        moved_registers const& m = x.ends[x.bound[&s - x.steps] * R + r];
        out.reg[r] = moved(m.from, m.how);
        if constexpr (Wraps) {
            using bits = simd::detail::ivec<T>;
            bits const here = std::bit_cast<bits>(simd::detail::raw(out.reg[r])),
                       there = std::bit_cast<bits>(simd::detail::raw(moved(m.other_from, m.other_how)));
            out.reg[r] = simd::detail::wrap<T>(std::bit_cast<simd::detail::vec<T>>(here | there));
        }
    }
}

/// The lanes that are within the step's bounds, from memory; 0 in the others.
template <int A, class T, int W, class Arch>
TAPELESS_CONFIG_INLINE inline void load_within(value<T, W>& out, loop_position_of<Arch> const& x, step const& s,
                                               bool edge) {
    if (!edge) {
        bool const there = columns_within<A>(*x.loops, *x.tables, s.bounds, x.row, x.column, 1).to > 0;
        return splat(out, there ? *element_at<T const, A>(x, s.place, x.row, x.column) : T{});
    }
    std::ptrdiff_t const stride = inner_stride<A>(x, s.place);
    if constexpr (std::same_as<T, float> || std::same_as<T, double>) {
        // a whole register of what is there, its lanes moved to where they belong
        constexpr int L = simd::lanes<T>;
        element_range const all = x.within[x.bound[&s - x.steps] * x.apart + x.j];
        if (stride == 1 && all.to - all.from >= L) {
#pragma GCC unroll 64
            for (int r = 0; r < value<T, W>::registers; ++r) {
                std::int64_t const c = x.column + r * L, last = all.to - L;
                std::int64_t const from = c < all.from ? all.from : c > last ? last : c, by = from - c;
                if (by >= L || by <= -L) {
                    out.reg[r] = simd::batch<T>(T(0));
                } else {
                    auto const v = simd::load(element_at<T const, A>(x, s.place, x.row, from));
                    out.reg[r] = by == 0 ? v : simd::move_lanes<T>(v, static_cast<int>(by));
                }
            }
            return;
        }
    }
    element_range const in = lanes_within(x, s);
    if (in.from >= in.to) return splat(out, T{});
    T const* const first = element_at<T const, A>(x, s.place, x.row, x.column);
    if (in.from == 0 && in.to == x.n) return load<true>(out, first, stride, x.n);  // lanes behind it are anything
    if constexpr (std::same_as<T, float> || std::same_as<T, double>) {
        constexpr int L = simd::lanes<T>;
        if (stride == 1) {
#pragma GCC unroll 64
            for (int r = 0; r < value<T, W>::registers; ++r)
                out.reg[r] = simd::load_between(first + r * L, static_cast<int>(in.from) - r * L,
                                                static_cast<int>(in.to) - r * L);
            return;
        }
    }
    T lane[static_cast<std::size_t>(W)]{};
    for (std::int64_t i = in.from; i < in.to; ++i) lane[i] = first[i * stride];
    load<false>(out, static_cast<T const*>(lane), 1, W);
}
/// How far from where a place would be at a row and a column its element is: rolled axes go on at their other end; or
/// `beyond`, where it is 0. (It writes nothing, and is said to: otherwise loops would look everything up again.)
inline constexpr std::ptrdiff_t beyond = PTRDIFF_MIN;
template <int A, class Arch>
[[gnu::pure, gnu::noinline]] std::ptrdiff_t wrapped_distance(loop_state_of<Arch> const& f, program_tables const& tables,
                                                             place const& at, int bounds, std::int64_t row,
                                                             std::int64_t column) {
    std::ptrdiff_t distance = 0;
    for (; bounds >= 0; bounds = tables.bounds[bounds].rest) {
        walk_bound const& b = tables.bounds[bounds];
        std::int64_t const n = extent_of(*f.ctx, b.length);
        std::int64_t p = number_of(*f.ctx, b.start);
        for (int l = 0; l < A; ++l)
            p += b.step[f.now->group[l + 1] - 1] * (f.from[l] + (l == A - 1 ? column : l == A - 2 ? row : f.at[l]));
        if (p >= 0 && p < n) continue;
        if (b.wraps < 0 || n == 0) return beyond;
        std::int64_t const q = p % n < 0 ? p % n + n : p % n;
        distance += (q - p) * memory_stride(*f.ctx, tables, at, b.wraps);
    }
    return distance;
}
/// A register of which the lanes `in` are at `at`, and those before or behind them at the other end of the only axis
/// that is rolled: two registers, moved; false where that cannot be said.
template <class T, int W, class Arch>
TAPELESS_CONFIG_INLINE inline bool load_from_both_ends(value<T, W>& out, loop_position_of<Arch> const& x,
                                                       step const& s, T const* at, element_range const& in) {
    element_range const all = x.within[x.bound[&s - x.steps] * x.apart + x.j];
    bool const before = in.from > 0;
    walk_bound const& b = x.tables->bounds[s.bounds];
    if (b.rest >= 0 || b.wraps < 0 || all.to - all.from < W) return false;
    if (in.from >= in.to || before == (in.to < x.n)) return false;
    std::int64_t const length = extent_of(*x.loops->ctx, b.length);
    std::ptrdiff_t const far = before ? length : -length;  // elements of this axis are side by side
    // lane `near` is the first of those here that are loaded, lane `other` the first of those from the other end
    std::int64_t const near = before ? in.from : in.to - W, other = before ? in.from - W : in.to;
    using bits = simd::detail::ivec<T>;
    auto const moved = [](T const* p, std::int64_t by) TAPELESS_CONFIG_INLINE {
        return std::bit_cast<bits>(simd::detail::raw(simd::move_lanes<T>(simd::load(p), static_cast<int>(by))));
    };
    bits const both = moved(at + near, near) | moved(at + far + other, other);
    out.reg[0] = simd::detail::wrap<T>(std::bit_cast<simd::detail::vec<T>>(both));
    return true;
}
/// n lanes from memory, some of them from the other end of an axis.
template <int A, class T, int W, class Arch>
TAPELESS_CONFIG_INLINE inline void load_wrapped(value<T, W>& out, loop_position_of<Arch> const& x, step const& s,
                                                int n) {
    auto const distance = [&](int i) TAPELESS_CONFIG_INLINE {
        return wrapped_distance<A>(*x.loops, *x.tables, x.loops->places[s.place], s.bounds, x.row, x.column + i);
    };
    std::ptrdiff_t const stride = inner_stride<A>(x, s.place);
    T const* const at = element_at<T const, A>(x, s.place, x.row, x.column);
    element_range const in = lanes_within(x, s);
    if (in.from == 0 && in.to == n) return load<true>(out, at, stride, n);
    if (in.from >= in.to) {  // another row, maybe
        std::ptrdiff_t const first = distance(0);
        if (first != beyond && (n == 1 || first == distance(n - 1))) return load<true>(out, at + first, stride, n);
    }
    if constexpr (value<T, W>::registers == 1 && (std::same_as<T, float> || std::same_as<T, double>))
        if (stride == 1 && load_from_both_ends(out, x, s, at, in)) return;
    T lane[static_cast<std::size_t>(W)]{};
    for (int i = 0; i < n; ++i)
        if (std::ptrdiff_t const d = in.has(i) ? 0 : distance(i); d != beyond) lane[i] = at[d + i * stride];
    load<false>(out, static_cast<T const*>(lane), 1, W);
}
/// The same of a value.
template <int A, class T, int W, class Arch>
TAPELESS_CONFIG_INLINE inline void keep_within(value<T, W>& out, loop_position_of<Arch> const& x, step const& s,
                                               bool edge) {
    if (!edge) {
        if (columns_within<A>(*x.loops, *x.tables, s.bounds, x.row, x.column, 1).to == 0) splat(out, T{});
        return;
    }
    element_range const in = lanes_within(x, s);
    if (in.from == 0 && in.to == W) return;
    if constexpr (std::same_as<T, float> || std::same_as<T, double>) {
        constexpr int L = simd::lanes<T>;
        auto const lane_of = [](std::int64_t i, int r) TAPELESS_CONFIG_INLINE {
            std::int64_t const l = i - r * L;
            return static_cast<int>(l < 0 ? 0 : l < L ? l : L);
        };
#pragma GCC unroll 64
        for (int r = 0; r < value<T, W>::registers; ++r)
            out.reg[r] = simd::keep_lanes<T>(out.reg[r], lane_of(in.from, r), lane_of(in.to, r));
        return;
    }
    T lane[static_cast<std::size_t>(W)];
    store<false>(out, static_cast<T*>(lane), 1, W);
    for (int i = 0; i < W; ++i)
        if (i < in.from || i >= in.to) lane[i] = T{};
    load<false>(out, static_cast<T const*>(lane), 1, W);
}
}  // namespace tapeless::detail::exec_part
