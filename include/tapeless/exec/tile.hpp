// SPDX-License-Identifier: MIT
#pragma once
// The vector loop of a kernel: tiles of rows by batches in registers, and what becomes of their values.

#include <tapeless/exec/ask_ahead.hpp>
#include <tapeless/exec/bounds.hpp>

namespace tapeless::detail::inline exec_part {

/// The vector loop of kernel K.
template <class Program, int K>
struct kernel_tile {
    using steps = kernel_steps<Program, K>;
    using info = kernel_info<Program, K>;
    using ahead = kernel_ahead<Program, K>;
    using bounds = kernel_bounds<Program, K>;
    static constexpr auto const& k = info::k;
    static constexpr int A = info::A, W = info::W, E = info::E, J = info::J, U = info::U;
    using frame = typename info::frame;
    template <int J2>
    using rows = typename info::template rows<J2>;
    template <int P>
    using sums = typename info::template accumulators<info::template summed<P>>;
    using totals = typename info::template accumulators<info::everything>;

    static constexpr auto const& bounded = info::bounded;

    /// The values of a tile in phase P: those that are the same for all rows, and the others.
    template <int P, int Lanes = W>
    struct tile_cells : info::template cells<1, 0, k.column[P].begin, k.column[P].end, Lanes>,
                        info::template cells<1, 1, k.inner[P].begin, k.inner[P].end, Lanes> {};
    template <int P, int J2, int Lanes = W>
    using scope = typename info::template scope<J2, tile_cells<P, Lanes>, Lanes>;

    template <int P, int J2, int Lanes>
    using waiting_values = typename info::template waiting_values<P, J2, Lanes>;

    /// Where root R's values of phase P go, to its accumulator or to wait, and where they come from.
    template <int R, int P, int J2, int Lanes>
    struct destination {
        static constexpr root const& t = Program::roots[k.first_root + R];
        static constexpr int where = t.how == target::everything                          ? 0
                                     : t.how == target::row || t.how == target::partial ? 1
                                                                                         : 2;
        static constexpr int number = where == 0   ? info::everything.place_of(R)
                                      : where == 1 ? info::template summed<P>.place_of(R)
                                                   : info::template waiting_roots<P>.place_of(R);
        using held = typename std::conditional_t<where == 2, typename info::template waiting_value<R, J2, Lanes>,
                                                 typename info::template accumulator_of_root<R>>::type;
        using type = numbered<number, held>;
        using holder =
            std::conditional_t<where == 0, totals,
                               std::conditional_t<where == 1, sums<P>, waiting_values<P, J2, Lanes>>>;
        static constexpr int from = info::where.at[t.step];
        using cell = typename scope<P, J2, Lanes>::template cell_of<t.step>;
        using cells = typename scope<P, J2, Lanes>::template holder<t.step>;
    };
    template <auto const& Roots, int P, int J2, int Lanes, class = each_of<Roots>>
    struct destinations_of;
    template <auto const& Roots, int P, int J2, int Lanes, int... N>
    struct destinations_of<Roots, P, J2, Lanes, std::integer_sequence<int, N...>> {
        using type = type_list<destination<Roots.at[N], P, J2, Lanes>...>;
    };
    template <auto const& Roots, int P, int J2, int Lanes = W>
    using destinations = typename destinations_of<Roots, P, J2, Lanes>::type;

    /// Whether a tile of phase P adds nothing to anything: its mask holds nowhere, and no sum begins with it.
    template <int P, int J2, int U2, tile_edge Edge, class... V>
    TAPELESS_CONFIG_INLINE static bool is_skipped(frame& f, rows<J2>& r, std::int64_t c0, int n, type_list<V...>) {
        constexpr sequence guard = k.guard[P];
        using mask = typename info::template value_of<Program::order[guard.end - 1]>;
        using cell_of_mask = typename scope<P, J2>::template cell_of<Program::order[guard.end - 1]>;
        bool first = false;
#pragma GCC unroll 16
        for (int j = 0; j < J2; ++j)
            ((first = first || is_first<A>(f, V::t.reduced, V::t.carry >= 0 ? carry_axis(V::t) : -1, r.first + j)),
             ...);
        if (first) return false;
        mask any;
#pragma GCC unroll 16
        for (int i = 0; i < U2 * J2; ++i) {
            tile_cells<P> cells;
            scope<P, J2> x{{&f, info::places, f.found, &Program::tables, &r.result, J2, r.first + i % J2,
                            c0 + i / J2 * W, i % J2, n},
                           {&f, &r, &cells},
                           f.scratch};
            steps::template evaluate<guard.begin, P, Edge>(x,
                                                           typename info::template range<guard.begin, guard.end>{});
            mask const& one = static_cast<cell_of_mask&>(cells).v[0];
#pragma GCC unroll 64
            for (int q = 0; q < mask::registers; ++q)
                any.reg[q] = i == 0 ? one.reg[q] : simd::either(any.reg[q], one.reg[q]);
        }
        bool some = false;
#pragma GCC unroll 64
        for (int q = 0; q < mask::registers; ++q) some = some || simd::any(any.reg[q]);
        return !some;
    }

    /// Whether a row is after the first of those that are added up.
    TAPELESS_CONFIG_INLINE static bool is_later(frame const& f, std::int64_t row) {
        constexpr int carried = info::root_at(0).carry >= 0 ? carry_axis(info::root_at(0)) : -1;
        return !is_first<A>(f, info::roots[0].reduced, carried, row);
    }

    /// J2 rows by U2 batches from column c0 on, of so many lanes; n of them where this is the edge. D: what takes
    /// values, V: what waits.
    template <int P, int J2, int U2, tile_edge Edge, bool Ahead = false, bool Later = false, int Lanes = W, class Taken,
              class Waiting>
    TAPELESS_CONFIG_PIECE static void tile(frame& f, rows<J2>& r, sums<P>& acc, std::int64_t c0, int n, Taken taken,
                                           Waiting waiting) {
        tile_here<P, J2, U2, Edge, Ahead, Later, Lanes>(f, r, acc, c0, n, taken, waiting);
    }
    template <int P, int J2, int U2, tile_edge Edge, bool Ahead, bool Later, int Lanes, class... D, class... V>
    TAPELESS_CONFIG_INLINE static void tile_here(frame& f, rows<J2>& r, sums<P>& acc, std::int64_t c0, int n,
                                                 type_list<D...>, type_list<V...>) {
        if constexpr (Ahead) ahead::template ask<U2>(f, r.first, c0, each_of<ahead::asking>{});
        if constexpr (k.guard[P].size() > 0)
            if (is_skipped<P, J2, U2, Edge>(f, r, c0, n, type_list<V...>{})) [[likely]] return;
        constexpr sequence of_column = k.column[P], of_row = k.inner[P];
#pragma GCC unroll 16
        for (int u = 0; u < U2; ++u) {
            tile_cells<P, Lanes> cells;
            waiting_values<P, J2, Lanes> parts;
            [[maybe_unused]] void* const to[3] = {&f.all, &acc, &parts};
            scope<P, J2, Lanes> x{{&f, info::places, f.found, &Program::tables, &r.result, J2, r.first, c0 + u * Lanes,
                                   0, n, info::steps, info::bound.at, r.within},
                                  {&f, &r, &cells},
                                  f.scratch};
            if constexpr (Edge == tile_edge::row_end) x.ends = c0 == 0 ? r.ends : r.ends + info::end_count;
            if constexpr (of_column.size() > 0)
                steps::template evaluate<of_column.begin, P, Edge>(
                    x, typename info::template range<of_column.begin, of_column.end>{});
#pragma GCC unroll 16
            for (int j = 0; j < J2; ++j) {
                x.row = r.first + j;
                x.j = j;
                if constexpr (of_row.size() > 0)
                    steps::template evaluate<of_row.begin, P, Edge>(
                        x, typename info::template range<of_row.begin, of_row.end>{});
                (static_cast<typename D::type&>(*static_cast<typename D::holder*>(to[D::where]))
                     .it.template take<!is_whole(Edge)>(
                         steps::template counted<P>(
                             x, static_cast<typename D::cell&>(*static_cast<typename D::cells*>(x.cells[D::from]))
                                    .v[D::from == 1 ? j : 0]),
                         j, u, n),
                 ...);
            }
            x.row = r.first;
            if constexpr (J2 == 1 && is_whole(Edge) && (bytes_of_index(info::places, V::t.place) + ... + 0) > 0)
                leave_pairs<Later>(x, parts, type_list<V...>{});
            else (static_cast<typename V::type&>(parts).it.template leave<!is_whole(Edge), A, Later>(x, V::t), ...);
        }
    }
    /// The same where some are added up at an index: neighbours together.
    template <bool Later, class X, class Parts>
    TAPELESS_CONFIG_INLINE static void leave_pairs(X const&, Parts&, type_list<>) {}
    template <bool Later, class X, class Parts, class V, class... Rest>
    TAPELESS_CONFIG_INLINE static void leave_pairs(X const& x, Parts& parts, type_list<V, Rest...>) {
        static_cast<typename V::type&>(parts).it.template leave<false, A, Later>(x, V::t);
        leave_pairs<Later>(x, parts, type_list<Rest...>{});
    }
    template <bool Later, class X, class Parts, class V, class Next, class... Rest>
    TAPELESS_CONFIG_INLINE static void leave_pairs(X const& x, Parts& parts, type_list<V, Next, Rest...>) {
        if constexpr (are_side_by_side(info::places, V::t.place, Next::t.place, A)) {
            using index = index_of_bytes<bytes_of_index(info::places, V::t.place)>;
            using number = typename type_of_dtype<V::t.type>::type;
            add_picked_pairs(static_cast<typename V::type&>(parts).it.v[0],
                             static_cast<typename Next::type&>(parts).it.v[0],
                             picked_lanes<number, index>::template at<A>(x, V::t.place, x.row, x.column));
            leave_pairs<Later>(x, parts, type_list<Rest...>{});
        } else {
            static_cast<typename V::type&>(parts).it.template leave<false, A, Later>(x, V::t);
            leave_pairs<Later>(x, parts, type_list<Next, Rest...>{});
        }
    }

    /// From column c on, the first that belongs to a tile of phase P that has to be computed, or is not looked at here.
    template <int P, int J2, class Waiting>
    TAPELESS_CONFIG_INLINE static std::int64_t next_tile(frame& f, rows<J2>& r, std::int64_t c, std::int64_t to,
                                                         Waiting waiting) {
        constexpr int batches = machine::guarded_batches > U * J2 ? machine::guarded_batches / (U * J2) * U : U;
        if constexpr (k.guard[P].size() > 0)
            while (c + batches * W <= to && is_skipped<P, J2, batches, tile_edge::none>(f, r, c, W, waiting))
                c += batches * W;
        return c;
    }

    /// Tiles of phase P from column c to `to` that are not all within bounds, by a function: few rows need it.
    template <int P, int J2>
    TAPELESS_CONFIG_INLINE static void edge_tiles(frame& f, rows<J2>& r, sums<P>& acc, std::int64_t& c,
                                                  std::int64_t to) {
        if (c >= to) return;
        sums<P> copy = acc;  // what nobody has the address of stays in registers
        c = edge_tiles_apart<P>(f, r, copy, c, to);
        acc = copy;
    }
    template <int P, int J2>
    [[gnu::noinline]] TAPELESS_CONFIG_FLAT static std::int64_t edge_tiles_apart(frame& f, rows<J2>& r, sums<P>& acc,
                                                                                std::int64_t c, std::int64_t to) {
        constexpr destinations<info::template taken<P>, P, J2> taken{};
        constexpr destinations<info::template waiting_roots<P>, P, J2> waiting{};
        for (int tiles = 0; c < to; c += W) {
            auto const n = static_cast<int>(f.extent[A - 1] - c < W ? f.extent[A - 1] - c : W);
            tile<P, J2, 1, tile_edge::some>(f, r, acc, c, n, taken, waiting);
            if constexpr (sums<P>::count + totals::count > 0)
                if (++tiles == block) {
                    tiles = 0;
                    flush_both(acc, f.all, f.since);
                }
        }
        return c;
    }

    /// A short row whose bounds are known when compiled, tile by tile.
    template <int P, int J2, int... N>
    TAPELESS_CONFIG_INLINE static void written_out_tiles(frame& f, rows<J2>& r, sums<P>& acc,
                                                         std::integer_sequence<int, N...>) {
        constexpr auto n = static_cast<int>(k.extent[A - 1]);
        (tile_here<P, J2, 1, bounds::edge_of(N * W), false, false, W>(
             f, r, acc, N * W, n - N * W < W ? n - N * W : W, destinations<info::template taken<P>, P, J2>{},
             destinations<info::template waiting_roots<P>, P, J2>{}),
         ...);
    }

    /// The first column of some rows of a triangle. Sums by columns that these rows begin are 0 before it.
    template <int P, int J2, class... V>
    TAPELESS_CONFIG_INLINE static std::int64_t first_column(frame& f, rows<J2>& r, type_list<V...>) {
        std::int64_t const row = f.from[A - 2] + r.first - f.from[A - 1], n = f.extent[A - 1];
        std::int64_t const start = (row < 0 ? 0 : row < n ? row : n) / (U * W) * (U * W);
        if constexpr (sizeof...(V) > 0) {
            bool first = false;
            ((first = first || is_first<A>(f, V::t.reduced, V::t.carry >= 0 ? carry_axis(V::t) : -1, r.first)), ...);
            for (std::int64_t c = 0; first && c < start; c += W) {
                waiting_values<P, J2, W> parts;
                scope<P, J2> x{{&f, info::places, f.found, &Program::tables, &r.result, J2, r.first, c, 0, W},
                               {&f, &r},
                               f.scratch};
                (static_cast<typename V::type&>(parts).it.clear(), ...);
                (static_cast<typename V::type&>(parts).it.template leave<false, A, false>(x, V::t), ...);
            }
        }
        return start;
    }

    template <int J2>
    using row_scope = typename info::template scope<J2, no_cells>;

    /// Kernels of so few steps have whole tiles for the rows that are left over, too.
    static constexpr int steps_of_products = 4;
    /// How many tiles are added up before a sum is flushed to higher precision.
    static constexpr int block = machine::summed_tiles;

    /// Phase P of some rows; without its loop only what comes before it.
    template <int P, int J2>
    TAPELESS_CONFIG_PIECE static void phase(frame& f, rows<J2>& r, bool with_loop = true) {
        constexpr std::int64_t fixed = k.extent[A - 1];
        constexpr bool any = sums<P>::count + totals::count > 0;
        constexpr destinations<info::template taken<P>, P, J2> taken{};
        constexpr destinations<info::template waiting_roots<P>, P, J2> waiting{};
        std::int64_t const n = f.extent[A - 1];
        if constexpr (k.row[P].size() > 0) {
#pragma GCC unroll 16
            for (int j = 0; j < J2; ++j)
                steps::template evaluate<k.row[P].begin, -1, tile_edge::none>(
                    row_scope<J2>{
                        outer_position(f, info::places, f.found, Program::tables, &r.result, J2, r.first + j, j),
                        {&f, &r},
                        f.scratch},
                    typename info::template range<k.row[P].begin, k.row[P].end>{});
        }
        if (!with_loop) return;
        sums<P> acc;
        if constexpr (sums<P>::count > 0) acc.start();
        if constexpr (bounds::is_written_out) {
            written_out_tiles<P>(f, r, acc, std::make_integer_sequence<int, static_cast<int>((fixed + W - 1) / W)>{});
            if constexpr (sums<P>::count > 0) acc.leave_block(r.result, info::template summed<P>.at, J2);
            return;
        }
        std::int64_t c = 0;
        if constexpr (k.triangle) c = first_column<P>(f, r, waiting);
        // where the compiler does not optimise, whole tiles are no faster than those of the edge
        constexpr bool whole =
            Program::optimised && (J2 == J || k.steps <= steps_of_products) && (fixed < 0 || fixed >= U * W);
        [[maybe_unused]] element_range inner{0, n};
        [[maybe_unused]] bool at_ends = false;  // what there is at both ends of the row is known
        if constexpr (whole && bounded.count > 0) {
            inner = r.free;
            if constexpr (info::end_count > 0) {
                at_ends = r.ends != nullptr && inner.from < inner.to && inner.from <= W && inner.to >= (n - 1) / W * W;
                if (at_ends && inner.from > 0) {
                    tile<P, J2, 1, tile_edge::row_end>(f, r, acc, 0, W, taken, waiting);
                    c = inner.from;
                }
            }
            edge_tiles<P>(f, r, acc, c, inner.from);
        }
        if constexpr (whole && ahead::only_adds) {
            if (is_later(f, r.first)) {
                if constexpr (ahead::asking.count > 0 && J2 == J)
                    if (ahead::are_large(f))
                        for (; c + U * W <= inner.to; c += U * W)
                            tile<P, J2, U, tile_edge::none, true, true>(f, r, acc, c, W, taken, waiting);
                for (; c + U * W <= inner.to; c += U * W)
                    tile<P, J2, U, tile_edge::none, false, true>(f, r, acc, c, W, taken, waiting);
            }
        }
        constexpr tile_edge inside = k.triangle ? tile_edge::off_diagonal : tile_edge::none;
        if constexpr (whole && k.triangle)
            for (std::int64_t const last = f.from[A - 2] + r.first + J2 - 1 - f.from[A - 1];
                 c <= last && c + U * W <= n; c += U * W)
                tile<P, J2, U, tile_edge::none>(f, r, acc, c, W, taken, waiting);
        if constexpr (whole) {
            if constexpr (fixed >= 0 && fixed <= block * U * W) {
                for (c = next_tile<P>(f, r, c, inner.to, waiting); c + U * W <= inner.to;
                     c = next_tile<P>(f, r, c + U * W, inner.to, waiting))
                    tile<P, J2, U, inside>(f, r, acc, c, W, taken, waiting);
            } else {
                while (c + U * W <= inner.to) {
                    std::int64_t const stop = inner.to - c > block * U * W ? c + block * U * W : inner.to;
                    for (c = next_tile<P>(f, r, c, stop, waiting); c + U * W <= stop;
                         c = next_tile<P>(f, r, c + U * W, stop, waiting))
                        tile<P, J2, U, inside>(f, r, acc, c, W, taken, waiting);
                    if constexpr (any)
                        if (c + U * W <= inner.to) flush_both(acc, f.all, f.since);
                }
            }
        }
        if constexpr (whole && bounded.count > 0 && U > 1)
            for (; c + W <= inner.to; c += W) tile<P, J2, 1, tile_edge::none>(f, r, acc, c, W, taken, waiting);
        if constexpr (whole && bounded.count > 0) {
            if constexpr (info::end_count > 0)
                if (at_ends && c < n) {
                    tile<P, J2, 1, tile_edge::row_end>(f, r, acc, c, static_cast<int>(n - c), taken, waiting);
                    c = n;
                }
            edge_tiles<P>(f, r, acc, c, n);
        } else if constexpr (!whole || fixed < 0 || fixed % (U * W) != 0) {
            if constexpr (whole && E == W) {
                if constexpr (U > 1)
                    for (; c + W <= n; c += W) tile<P, J2, 1, tile_edge::none>(f, r, acc, c, W, taken, waiting);
                if constexpr (fixed < 0 || fixed % W != 0)
                    if (c < n) {
                        auto const left = static_cast<int>(n - c);
                        if (left < 1 || left >= W) __builtin_unreachable();  // a whole batch is not written out here
                        tile<P, J2, 1, tile_edge::some>(f, r, acc, c, left, taken, waiting);
                    }
            } else {
                constexpr destinations<info::template taken<P>, P, J2, E> taken_at_end{};
                constexpr destinations<info::template waiting_roots<P>, P, J2, E> waiting_at_end{};
                for (int tiles = 0; c < n; c += E) {
                    tile<P, J2, 1, tile_edge::some, false, false, E>(
                        f, r, acc, c, n - c < E ? static_cast<int>(n - c) : E, taken_at_end, waiting_at_end);
                    if constexpr (any && !whole)
                        if (++tiles == block) {
                            tiles = 0;
                            flush_both(acc, f.all, f.since);
                        }
                }
            }
        }
        if constexpr (sums<P>::count > 0) {
            constexpr std::int64_t one_block = whole && bounded.count == 0 ? block * U * W : (block - 1) * E;
            if (n <= one_block) {
                acc.leave_block(r.result, info::template summed<P>.at, J2);
            } else {
                acc.flush();
                acc.leave(r.result, info::template summed<P>.at, J2);
            }
        }
    }
};

}  // namespace tapeless::detail::exec_part
