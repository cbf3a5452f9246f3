// SPDX-License-Identifier: MIT
#pragma once
// The vector loop of a kernel: tiles of rows by batches in registers, and what becomes of their values.

#include <tapeless/exec/steps.hpp>
#include <tapeless/schedule/machine.hpp>

namespace tapeless::detail {

/// The vector loop of kernel K.
template <class Program, int K>
struct kernel_tile {
    using steps = kernel_steps<Program, K>;
    using info = kernel_info<Program, K>;
    static constexpr auto const& k = info::k;
    static constexpr int A = info::A, W = info::W, J = info::J, U = info::U;
    using frame = typename info::frame;
    template <int J2>
    using rows = typename info::template rows<J2>;
    template <int P>
    using sums = typename info::template accumulators<info::template summed<P>>;
    using totals = typename info::template accumulators<info::everything>;

    /// Several short rows added up at a time are read in an order that the processor does not foresee: what a step
    /// loads is asked for ahead, in the order in which it lies in memory.
    static constexpr bool asks_ahead(int i) {
        if (!Program::optimised || J == 1 || k.phases != 1 || info::step_at(i).kind != step_kind::load) return false;
        unsigned const both = info::row_axis | info::inmost;
        if ((info::step_at(i).varies & both) != both || info::place_at(info::step_at(i).place).stride[A - 1] != 1)
            return false;
        int columns = 0, others = 0;
        for (int r = 0; r < k.roots; ++r) (info::sums_rows(r) ? columns : others) += 1;
        return columns > 0 && others == 0;
    }
    static constexpr numbers<k.steps> asking{[](int i) { return asks_ahead(i); }};
    static constexpr std::int64_t distance = machine::rows_ahead;
    /// Longer rows are streams of their own.
    TAPELESS_CONFIG_INLINE static bool rows_are_short(frame const& f) {
        bool all = true;
#pragma GCC unroll 16
        for (int i = 0; i < asking.count; ++i) {
            step const& s = info::steps[asking.at[i]];
            all =
                all && stride_at(info::places[s.place], f.found[s.place], A - 2) * J * size_of(s.type) <= 4 * distance;
        }
        return all;
    }
    template <int U2, int... N>
    TAPELESS_CONFIG_INLINE static void ask_ahead(frame const& f, std::int64_t row, std::int64_t c,
                                                 std::integer_sequence<int, N...>) {
        (ask_ahead_of<asking.at[N], U2>(f, row, c), ...);
    }
    template <int I, int U2>
    TAPELESS_CONFIG_INLINE static void ask_ahead_of(frame const& f, std::int64_t row, std::int64_t c) {
        using T = typename info::template step_value<I>::element;
        constexpr int line = machine::cache_line, size = static_cast<int>(sizeof(T)), P = info::step_at(I).place;
        T const* const first = element_at<T const, A>(f, info::places[P], f.found[P], row, 0);
        char const* const p = reinterpret_cast<char const*>(first) + J * c * size;
#pragma GCC unroll 64
        for (int i = 0; i < (J * U2 * W * size + line - 1) / line; ++i) __builtin_prefetch(p + distance + line * i);
    }

    static constexpr auto const& bounded = info::bounded;
    /// What is within the bounds of each step, before the first row; and in some rows.
    static void find_parts(frame& f) {
        for (int i = 0; i < bounded.count; ++i)
            f.part[i] = part_within<A>(f, Program::tables, info::steps[bounded.at[i]].bounds);
    }
    template <int J2>
    static void find_columns(frame const& f, rows<J2>& r) {
        for (int i = 0; i < bounded.count; ++i)
            for (int j = 0; j < J2; ++j) {
                bounded_part const& p = f.part[i];
                element_range& to = r.within[i * J2 + j];
                if (p.slanted)
                    to = columns_within<A>(f, Program::tables, info::steps[bounded.at[i]].bounds, r.first + j, 0,
                                           f.extent[A - 1]);
                else to = A == 1 || p.rows.has(r.first + j) ? p.columns : element_range{};
            }
    }
    /// The columns of some rows that are within all bounds: whole tiles of them need not ask.
    template <int J2>
    static element_range free_columns(frame const& f, rows<J2> const& r) {
        element_range all{0, f.extent[A - 1]};
        for (int i = 0; i < bounded.count * J2; ++i) all.intersect(r.within[i]);
        all.from = (all.from + W - 1) / W * W;
        return all.from < all.to ? all : element_range{};
    }

    /// The values of a tile in phase P: those that are the same for all rows, and the others.
    template <int P>
    struct tile_cells : info::template cells<1, 0, k.column[P].begin, k.column[P].end>,
                        info::template cells<1, 1, k.inner[P].begin, k.inner[P].end> {};
    template <int P, int J2>
    using scope = typename info::template scope<J2, tile_cells<P>>;

    /// Where root R's values of phase P go, to its accumulator or to wait, and where they come from.
    template <int R, int P, int J2>
    struct destination {
        static constexpr root const& t = Program::roots[k.first_root + R];
        static constexpr int where = t.how == target::everything                          ? 0
                                     : t.how == target::row || t.how == target::partial ? 1
                                                                                         : 2;
        static constexpr int number = where == 0   ? info::everything.place_of(R)
                                      : where == 1 ? info::template summed<P>.place_of(R)
                                                   : info::template waiting_roots<P>.place_of(R);
        using held = typename std::conditional_t<where == 2, typename info::template waiting_value<R, J2>,
                                                 typename info::template accumulator_of_root<R>>::type;
        using type = numbered<number, held>;
        using holder =
            std::conditional_t<where == 0, totals,
                               std::conditional_t<where == 1, sums<P>, typename info::template waiting_values<P, J2>>>;
        static constexpr int from = info::where.at[t.step];
        using cell = typename scope<P, J2>::template cell_of<t.step>;
        using cells = typename scope<P, J2>::template holder<t.step>;
    };
    template <auto const& Roots, int P, int J2, class = each_of<Roots>>
    struct destinations_of;
    template <auto const& Roots, int P, int J2, int... N>
    struct destinations_of<Roots, P, J2, std::integer_sequence<int, N...>> {
        using type = type_list<destination<Roots.at[N], P, J2>...>;
    };
    template <auto const& Roots, int P, int J2>
    using destinations = typename destinations_of<Roots, P, J2>::type;

    /// J2 rows by U2 batches from column c0 on; n lanes of them where this is the edge. D: what takes values, V: what
    /// waits.
    template <int P, int J2, int U2, bool Edge, bool Ahead = false, class... D, class... V>
    TAPELESS_CONFIG_PIECE static void tile(frame& f, rows<J2>& r, sums<P>& acc, std::int64_t c0, int n, type_list<D...>,
                                           type_list<V...>) {
        if constexpr (Ahead) ask_ahead<U2>(f, r.first, c0, each_of<asking>{});
        constexpr sequence of_column = k.column[P], of_row = k.inner[P];
#pragma GCC unroll 16
        for (int u = 0; u < U2; ++u) {
            tile_cells<P> cells;
            typename info::template waiting_values<P, J2> parts;
            [[maybe_unused]] void* const to[3] = {&f.all, &acc, &parts};
            scope<P, J2> x{{&f, info::places, f.found, &Program::tables, r.result, J2, r.first, c0 + u * W, 0, n,
                            info::steps, info::bound.at, r.within},
                           {&f, &r, &cells},
                           f.scratch};
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
                     .it.template take<Edge>(
                         static_cast<typename D::cell&>(*static_cast<typename D::cells*>(x.cells[D::from]))
                             .v[D::from == 1 ? j : 0],
                         j, u, n),
                 ...);
            }
            x.row = r.first;
            (static_cast<typename V::type&>(parts).it.template leave<Edge, A>(x, V::t), ...);
        }
    }

    template <int J2>
    using row_scope = typename info::template scope<J2, no_cells>;

    /// How many tiles are added up before a sum is flushed to higher precision.
    static constexpr int block = machine::summed_tiles;

    template <int P, int J2>
    TAPELESS_CONFIG_PIECE static void phase(frame& f, rows<J2>& r) {
        constexpr std::int64_t fixed = k.extent[A - 1];
        constexpr bool any = sums<P>::count + totals::count > 0;
        constexpr destinations<info::template taken<P>, P, J2> taken{};
        constexpr destinations<info::template waiting_roots<P>, P, J2> waiting{};
        std::int64_t const n = f.extent[A - 1];
        if constexpr (k.row[P].size() > 0) {
#pragma GCC unroll 16
            for (int j = 0; j < J2; ++j)
                steps::template evaluate<k.row[P].begin, -1, false>(
                    row_scope<J2>{
                        outer_position(f, info::places, f.found, Program::tables, r.result + j, J2, r.first + j, j),
                        {&f, &r},
                        f.scratch},
                    typename info::template range<k.row[P].begin, k.row[P].end>{});
        }
        sums<P> acc;
        if constexpr (sums<P>::count > 0) acc.start();
        std::int64_t c = 0;
        // where the compiler does not optimise, whole tiles are no faster than those of the edge
        constexpr bool whole = Program::optimised && J2 == J && (fixed < 0 || fixed >= U * W);
        [[maybe_unused]] element_range inner{0, n};
        if constexpr (whole && bounded.count > 0) {
            inner = free_columns(f, r);
            for (; c < inner.from; c += W) tile<P, J2, 1, true>(f, r, acc, c, W, taken, waiting);
        }
        if constexpr (whole && asking.count > 0) {
            if (rows_are_short(f))
                for (; c + U * W <= inner.to; c += U * W) tile<P, J2, U, false, true>(f, r, acc, c, W, taken, waiting);
        }
        if constexpr (whole) {
            if constexpr (fixed >= 0 && fixed <= block * U * W) {
                for (; c + U * W <= inner.to; c += U * W) tile<P, J2, U, false>(f, r, acc, c, W, taken, waiting);
            } else {
                while (c + U * W <= inner.to) {
                    std::int64_t const stop = inner.to - c > block * U * W ? c + block * U * W : inner.to;
                    for (; c + U * W <= stop; c += U * W) tile<P, J2, U, false>(f, r, acc, c, W, taken, waiting);
                    if constexpr (any)
                        if (c + U * W <= inner.to) flush_both(acc, f.all, f.since);
                }
            }
        }
        if constexpr (!whole || bounded.count > 0 || fixed < 0 || fixed % (U * W) != 0) {
            [[maybe_unused]] int tiles = 0;
            for (; c < n; c += W) {
                tile<P, J2, 1, true>(f, r, acc, c, n - c < W ? static_cast<int>(n - c) : W, taken, waiting);
                if constexpr (any && (!whole || bounded.count > 0))
                    if (++tiles == block) {
                        tiles = 0;
                        flush_both(acc, f.all, f.since);
                    }
            }
        }
        if constexpr (sums<P>::count > 0) {
            acc.flush();
            acc.leave(r.result, info::template summed<P>.at, J2);
        }
    }
};

}  // namespace tapeless::detail
