// SPDX-License-Identifier: MIT
#pragma once
// Which columns of its rows a kernel's bounded steps have: most rows are alike, and those beyond bounds read zeros.

#include <tapeless/exec/steps.hpp>
#include <tapeless/schedule/cut.hpp>

namespace tapeless::detail::inline exec_part {

/// The bounds of kernel K.
template <class Program, int K>
struct kernel_bounds {
    using info = kernel_info<Program, K>;
    static constexpr auto const& k = info::k;
    static constexpr int A = info::A, W = info::W, J = info::J;
    using frame = typename info::frame;
    template <int J2>
    using rows = typename info::template rows<J2>;
    static constexpr auto const& bounded = info::bounded;
    using moved_places = typename info::moved_places;

    /// Of one row whose length and bounds are known when compiled: which columns are within each of the bounds, and
    /// within all of them.
    static constexpr bool is_known() {
        if (A != 1 || bounded.count == 0 || !Program::optimised) return false;
        if (k.extent[0] < 0 || can_be_cut<Program, K>()) return false;
        for (int i = 0; i < bounded.count; ++i)
            for (int b = info::step_at(bounded.at[i]).bounds; b >= 0; b = Program::bounds[b].rest)
                if (Program::bounds[b].length < 0 || Program::bounds[b].start.terms > 0) return false;
        return true;
    }
    struct known_columns {
        element_range at[static_cast<std::size_t>(bounded.count > 0 ? bounded.count : 1)]{}, free{};
        constexpr known_columns() {
            if constexpr (is_known()) {
                run_context const none;
                loop_state f{};
                f.ctx = &none;
                f.now = &k;
                f.extent[0] = k.extent[0];
                free = {0, k.extent[0]};
                for (int i = 0; i < bounded.count; ++i) {
                    at[i] = part_within<1>(f, Program::tables, info::step_at(bounded.at[i]).bounds).columns;
                    free.intersect(at[i]);
                }
            }
        }
    };
    static constexpr known_columns known{};
    /// Where such a row is short, each of its tiles knows what it asks for.
    static constexpr bool is_written_out =
        is_known() && !k.triangle && k.extent[A > 0 ? A - 1 : 0] <= machine::written_out_tiles * W;
    static constexpr tile_edge edge_of(std::int64_t c) {
        return c >= known.free.from && c + W <= known.free.to ? tile_edge::none : tile_edge::some;
    }

    /// The columns of a kernel's only row that are within bounds B: as constants, since it begins as often as it runs.
    template <int B>
    TAPELESS_CONFIG_INLINE static void narrow(frame const& f, element_range& columns) {
        if constexpr (B >= 0) {
            constexpr walk_bound const& b = Program::bounds[B];
            constexpr std::int64_t by = b.step[k.group[1] - 1];
            std::int64_t p = b.start.number + by * f.from[0];
#pragma GCC unroll 8
            for (int i = 0; i < b.start.terms; ++i) p += f.ctx->extents[b.start.extent[i]] * b.start.factor[i];
            columns.intersect(positions_within(p, by, extent_of(*f.ctx, b.length), f.extent[0]));
            narrow<b.rest>(f, columns);
        }
    }
    template <int... N>
    TAPELESS_CONFIG_INLINE static void find_only_row(frame& f, std::integer_sequence<int, N...>) {
        element_range free{0, f.extent[0]};
        ((f.columns[N] = {0, f.extent[0]}, narrow<info::step_at(bounded.at[N]).bounds>(f, f.columns[N]),
          free.intersect(f.columns[N])),
         ...);
        free.from = (free.from + W - 1) / W * W;
        f.free = free.from < free.to ? free : element_range{};
        f.alike = {0, 1};
    }
    /// What is within the bounds of each step, before the first row; and in some rows.
    static void find_parts(frame& f) {
        if constexpr (is_known()) return;
        if constexpr (A == 1 && J == 1 && Program::optimised) return find_only_row(f, each_of<bounded>{});
        f.alike = {0, A > 1 ? f.extent[A > 1 ? A - 2 : 0] : 1};
        for (int i = 0; i < bounded.count; ++i) {
            f.within[i] = part_within<A>(f, Program::tables, info::steps[bounded.at[i]].bounds);
            f.alike.intersect(f.within[i].slanted ? element_range{} : f.within[i].rows);
            for (int j = 0; j < J; ++j) f.columns[i * J + j] = f.within[i].columns;
        }
        f.free = free_columns<J>(f, f.columns);
        if constexpr (info::end_count > 0) f.knows_ends = find_ends(f);
    }
    /// What the registers at the ends of most rows are made of; false where that cannot be said of all of them.
    static bool find_ends(frame& f) {
        constexpr int L = W / info::R;
        using T = typename info::element_at_ends;
        std::int64_t const last = (f.extent[A - 1] - 1) / W * W;
        for (int i = 0; i < k.steps; ++i) {
            step const& s = info::steps[i];
            if (s.bounds < 0 || s.kind != step_kind::load || info::where.at[i] != 2) continue;
            if (stride_at(info::places[s.place], f.found[s.place], A - 1) != 1) return false;
            int const number = info::bound.at[i];
            row_end const e = end_within<A>(f, Program::tables, f.places[s.place], s.bounds, L, f.within[number]);
            if (!e.known) return false;
            for (int r = 0; r < info::R; ++r) {
                f.ends[number * info::R + r] = e.template at<T>(r * L);
                f.ends[info::end_count + number * info::R + r] = e.template at<T>(last + r * L);
            }
        }
        return true;
    }
    template <int J2>
    TAPELESS_CONFIG_INLINE static void find_columns(frame& f, rows<J2>& r, moved_places& moved) {
        if constexpr (is_known()) {
            r.within = known.at;
            r.free = known.free;
            return;
        }
        if (J2 == J && r.first >= f.alike.from && r.first + J2 <= f.alike.to) [[likely]] {
            r.within = f.columns;
            r.free = f.free;
            if constexpr (info::end_count > 0) r.ends = f.knows_ends ? f.ends : nullptr;
        } else find_other_columns(f, r, moved);
    }
    template <int J2>
    static void find_other_columns(frame& f, rows<J2>& r, [[maybe_unused]] moved_places& moved) {
        for (int i = 0; i < bounded.count; ++i)
            for (int j = 0; j < J2; ++j) {
                bounded_part const& p = f.within[i];
                element_range& to = r.columns[i * J2 + j];
                if (p.slanted)
                    to = columns_within<A>(f, Program::tables, info::steps[bounded.at[i]].bounds, r.first + j, 0,
                                           f.extent[A - 1]);
                else to = A == 1 || p.rows.has(r.first + j) ? p.columns : element_range{};
            }
        if constexpr (info::read_bounds.count > 0) read_elsewhere(f, r, moved);
        r.within = r.columns;
        // what is loaded is within bounds in the same columns as in most rows, or nowhere: then no columns are free,
        // and nobody asks for the ends
        r.free = free_columns<J2>(f, r.columns);
        if constexpr (info::end_count > 0) r.ends = f.knows_ends ? f.ends : nullptr;
    }
    /// In a row beyond bounds, what they bound is read from a row of zeros as in any other row, or at the other end of
    /// the axis.
    template <int J2>
    static void read_elsewhere(frame& f, rows<J2>& r, moved_places& moved) {
#pragma GCC unroll 64
        for (int n = 0; n < info::read_bounds.count; ++n) {
            int const i = info::read_bounds.at[n];
            bounded_part const& p = f.within[i];
            if (p.slanted || p.rows.has(r.first)) continue;
            bool fits = true;
#pragma GCC unroll 64
            for (int s = 0; s < k.steps; ++s)
                if (is_step_of(s, i)) fits = fits && has_other_row(f, s, p);
            if (!fits) continue;
            if (!moved.any)
#pragma GCC unroll 64
                for (int q = 0; q < k.places; ++q)
                    if (info::places[q].where != memory::position) moved.base[q] = f.found[q].base;
            moved.any = true;
            r.columns[i] = p.columns;
#pragma GCC unroll 64
            for (int s = 0; s < k.steps; ++s)
                if (is_step_of(s, i)) {
                    int const at = info::steps[s].place, size = size_of(info::places[at].type);
                    std::ptrdiff_t const far = wrapped.at[s] ? distance_to(f, s, r.first) : beyond,
                                         here = distance_at<A>(f, info::places[at], f.found[at], r.first, 0);
                    // in numbers, as in base_of: rows before this one are nowhere near the zeros
                    auto const first = far == beyond ? reinterpret_cast<std::uintptr_t>(row_of_zeros.at)
                                                     : reinterpret_cast<std::uintptr_t>(f.found[at].base);
                    std::ptrdiff_t const by = far == beyond ? -here : far;
                    f.found[at].base = reinterpret_cast<void*>(first + static_cast<std::uintptr_t>(by * size));
                }
        }
    }
    struct wrapping_steps {
        bool at[static_cast<std::size_t>(k.steps > 0 ? k.steps : 1)]{};
        constexpr wrapping_steps() {
            for (int i = 0; i < k.steps; ++i) at[i] = info::wraps(i);
        }
    };
    static constexpr wrapping_steps wrapped{};
    TAPELESS_CONFIG_INLINE static bool is_step_of(int s, int bound) {
        return info::steps[s].bounds >= 0 && info::bound.at[s] == bound;
    }
    TAPELESS_CONFIG_INLINE static std::ptrdiff_t distance_to(frame const& f, int s, std::int64_t row) {
        return wrapped_distance<A>(f, Program::tables, f.places[info::steps[s].place], info::steps[s].bounds, row, 0);
    }
    /// Whether there are enough zeros for step s, or all columns are at the other end alike.
    TAPELESS_CONFIG_INLINE static bool has_other_row(frame const& f, int s, bounded_part const& p) {
        int const at = info::steps[s].place;
        std::ptrdiff_t const stride = stride_at(info::places[at], f.found[at], A - 1);
        std::int64_t const n = f.extent[A - 1];
        return (!wrapped.at[s] || (p.columns.from == 0 && p.columns.to == n)) && stride >= 0 && n > 0 &&
               n * stride * size_of(info::places[at].type) <= static_cast<std::int64_t>(sizeof row_of_zeros.at);
    }
    TAPELESS_CONFIG_INLINE static void move_back(frame& f, moved_places const& moved) {
        if (!moved.any) [[likely]]
            return;
#pragma GCC unroll 64
        for (int q = 0; q < k.places; ++q)
            if (info::places[q].where != memory::position) f.found[q].base = moved.base[q];
    }
    /// The columns of some rows that are within all bounds: whole tiles of them need not ask.
    template <int J2>
    static element_range free_columns(frame const& f, element_range const* columns) {
        element_range all{0, f.extent[A - 1]};
        for (int i = 0; i < bounded.count * J2; ++i) all.intersect(columns[i]);
        all.from = (all.from + W - 1) / W * W;
        return all.from < all.to ? all : element_range{};
    }
};

}  // namespace tapeless::detail::exec_part
