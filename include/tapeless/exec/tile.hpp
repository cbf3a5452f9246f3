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
    template <int J2, int Tag, int Begin, int End>
    using cells = typename info::template cells<J2, Tag, Begin, End>;
    template <int R, int J2, bool Wanted>
    using waiting = typename info::template waiting<R, J2, Wanted>;

    template <int R, bool Edge, class T>
    TAPELESS_CONFIG_INLINE static void add_to_memory(frame const& f, value<T, W> const& v, std::int64_t row, std::int64_t c,
                                                     int n) {
        constexpr int P = info::root_at(R).place;
        T* p = element_at<T>(f, P, row, c);
        if (is_first<R>(f, row)) {
            store<Edge>(v, p, inner_stride(f, P), n);
        } else {
            value<T, W> old;
            load<Edge>(old, static_cast<T const*>(p), inner_stride(f, P), n);
            combine_into<info::root_at(R).combine>(old, v);
            store<Edge>(old, p, inner_stride(f, P), n);
        }
    }

    /// Several short rows added up at a time are read in an order that the processor does not foresee: what a step loads is
    /// asked for ahead, in the order in which it lies in memory.
    static constexpr bool asks_ahead(int i) {
        if (!Program::optimised || J == 1 || k.phases != 1 || info::step_at(i).kind != step_kind::load) return false;
        unsigned const both = info::row_axis | info::inmost;
        if ((info::step_at(i).varies & both) != both || info::place_at(info::step_at(i).place).stride[A - 1] != 1) return false;
        int columns = 0, others = 0;
        for (int r = 0; r < k.roots; ++r) (info::sums_rows(r) ? columns : others) += 1;
        return columns > 0 && others == 0;
    }
    static constexpr numbers<k.steps> asking{[](int i) { return asks_ahead(i); }};
    static constexpr std::int64_t distance = machine::rows_ahead;
    /// Longer rows are streams of their own.
    TAPELESS_CONFIG_INLINE static bool rows_are_short(frame const& f) {
        bool all = true;
        for_each_of<asking>([&](auto i) TAPELESS_CONFIG_INLINE {
            constexpr int size = size_of(info::step_at(i.i).type);
            all = all && stride_at(f, info::step_at(i.i).place, A - 2) * J * size <= 4 * distance;
        });
        return all;
    }
    template <int I, int U2>
    TAPELESS_CONFIG_INLINE static void ask_ahead(frame const& f, std::int64_t row, std::int64_t c) {
        using T = typename info::template step_value<I>::element;
        constexpr int line = machine::cache_line, size = static_cast<int>(sizeof(T));
        T const* const first = element_at<T const>(f, info::step_at(I).place, row, 0);
        char const* const p = reinterpret_cast<char const*>(first) + J * c * size;
        repeat<(J * U2 * W * size + line - 1) / line>([&](int i) TAPELESS_CONFIG_INLINE {
            __builtin_prefetch(p + distance + line * i);
        });
    }

    /// J2 rows by U2 batches from column c0 on; n lanes of them where this is the edge.
    template <int P, int J2, int U2, bool Edge, bool Ahead = false, class Acc>
    TAPELESS_CONFIG_PIECE static void tile(frame& f, rows<J2>& r, Acc& acc, std::int64_t c0, int n) {
        tile_of<P, J2, U2, Edge, Ahead>(f, r, acc, c0, n, std::make_integer_sequence<int, info::template taken<P>.count>{},
                                        std::make_integer_sequence<int, info::template waiting_roots<P>.count>{});
    }
    template <int P, int J2, int U2, bool Edge, bool Ahead, class Acc, int... Taken, int... Waiting>
    TAPELESS_CONFIG_PIECE static void tile_of(frame& f, rows<J2>& r, Acc& acc, std::int64_t c0, int n,
                                              std::integer_sequence<int, Taken...>, std::integer_sequence<int, Waiting...>) {
        if constexpr (Ahead) for_each_of<asking>([&](auto i) TAPELESS_CONFIG_INLINE { ask_ahead<i.i, U2>(f, r.first, c0); });
        constexpr sequence of_column = k.column[P], of_row = k.inner[P];
        using column_cells = cells<1, 0, of_column.begin, of_column.end>;
        using inner_cells = cells<1, 1, of_row.begin, of_row.end>;
        using get = typename steps::template inner_lookup<J2, P, column_cells, inner_cells>;
#pragma GCC unroll 16
        for (int u = 0; u < U2; ++u) {
            std::int64_t const c = c0 + u * W;
            column_cells column;
            inner_cells inner;
            [[maybe_unused]] typename info::template waiting_values<P, J2> parts;
            steps::template evaluate_all<of_column.begin, P, Edge>(column, f, r.first, 0, c, n, get{f, r, 0, column, inner},
                                                                   std::make_integer_sequence<int, of_column.size()>{});
#pragma GCC unroll 16
            for (int j = 0; j < J2; ++j) {
                get const g{f, r, j, column, inner};
                steps::template evaluate_all<of_row.begin, P, Edge>(inner, f, r.first + j, j, c, n, g,
                                                                    std::make_integer_sequence<int, of_row.size()>{});
                (take<info::template taken<P>.at[Taken], J2, Edge>(f, acc, parts, g, j, u, n), ...);
            }
            (leave_waiting<info::template waiting_roots<P>.at[Waiting], J2, Edge>(f, r, parts, c, n), ...);
        }
    }
    /// What root R kept of a tile goes to memory.
    template <int R, int J2, bool Edge, class Parts>
    TAPELESS_CONFIG_INLINE static void leave_waiting(frame const& f, rows<J2> const& r, Parts& parts, std::int64_t c, int n) {
        auto& part = static_cast<waiting<R, J2, true>&>(parts).v;
        repeat<(info::sums_rows(R) ? 1 : J2)>([&](int j) TAPELESS_CONFIG_INLINE {
            if constexpr (info::root_at(R).how == target::store) store_values<R, Edge>(f, part[j], r.first + j, c, n);
            else add_to_memory<R, Edge>(f, part[j], r.first + j, c, n);
        });
    }

    template <int R, bool Edge, class V>
    TAPELESS_CONFIG_INLINE static void store_values(frame const& f, V const& v, std::int64_t row, std::int64_t c, int n) {
        constexpr root const& t = info::root_at(R);
        using S = typename info::template root_value<R>::memory_element;
        S* p = element_at<S>(f, t.place, row, c);
        if constexpr (is_mask(t.type)) {
            store<Edge>(as_bools(v), p, inner_stride(f, t.place), n);
        } else if constexpr (t.adds) {
            V sum;
            load<Edge>(sum, static_cast<S const*>(p), inner_stride(f, t.place), n);
            combine_into<reduction::sum>(sum, v);
            store<Edge>(sum, p, inner_stride(f, t.place), n);
        } else {
            store<Edge>(v, p, inner_stride(f, t.place), n);
        }
    }

    /// What root R does with its value in row j, batch u of the tile.
    template <int R, int J2, bool Edge, class Acc, class Parts, class Get>
    TAPELESS_CONFIG_INLINE static void take([[maybe_unused]] frame& f, [[maybe_unused]] Acc& acc, [[maybe_unused]] Parts& parts,
                                            Get const& get, int j, [[maybe_unused]] int u, [[maybe_unused]] int n) {
        constexpr root const& t = info::root_at(R);
        auto const& v = get(index<t.step>{});
        if constexpr (t.how == target::store) {
            static_cast<waiting<R, J2, true>&>(parts).v[j] = v;
        } else if constexpr (t.how == target::column) {
            auto& part = static_cast<waiting<R, J2, true>&>(parts).v;
            if constexpr (!info::sums_rows(R)) part[j] = v;
            else if (j == 0) part[0] = v;
            else combine_into<t.combine>(part[0], v);
        } else {
            auto& part = [&]() TAPELESS_CONFIG_INLINE -> auto& {
                if constexpr (t.how == target::everything) return info::template accumulator_of<R>(f).chain(j, u);
                else return info::template accumulator_of<R>(acc).chain(j, u);
            }();
            if (Edge && n < W) combine_into<t.combine>(part, only_first<t.combine>(v, n));
            else combine_into<t.combine>(part, v);
        }
    }

    /// How many tiles are added up before a sum is flushed to higher precision.
    static constexpr int block = machine::summed_tiles;

    TAPELESS_CONFIG_INLINE static void flush_everything(frame& f) {
        f.each_accumulator([](auto, auto& a) TAPELESS_CONFIG_INLINE { a.flush(); });
        f.since = 0;
    }
    template <class Acc>
    TAPELESS_CONFIG_INLINE static void flush_all(frame& f, Acc& acc) {
        acc.each_accumulator([](auto, auto& a) TAPELESS_CONFIG_INLINE { a.flush(); });
        flush_everything(f);
    }

    template <int P, int J2>
    TAPELESS_CONFIG_PIECE static void phase(frame& f, rows<J2>& r) {
        constexpr std::int64_t fixed = A > 0 ? k.extent[A > 0 ? A - 1 : 0] : 0;
        std::int64_t const n = f.extent[A > 0 ? A - 1 : 0];
        typename info::template phase_accumulators<P> acc;
        acc.each_accumulator([](auto, auto& a) TAPELESS_CONFIG_INLINE { a.clear(); });
        std::int64_t c = 0;
        // where the compiler does not optimise, whole tiles are no faster than those of the edge
        constexpr bool whole = Program::optimised && J2 == J && (fixed < 0 || fixed >= U * W);
        if constexpr (whole && asking.count > 0) {
            if (rows_are_short(f))
                for (; c + U * W <= n; c += U * W) tile<P, J2, U, false, true>(f, r, acc, c, W);
        }
        if constexpr (whole) {
            if constexpr (fixed >= 0 && fixed <= block * U * W) {
                for (; c + U * W <= n; c += U * W) tile<P, J2, U, false>(f, r, acc, c, W);
            } else {
                while (c + U * W <= n) {
                    std::int64_t const stop = n - c > block * U * W ? c + block * U * W : n;
                    for (; c + U * W <= stop; c += U * W) tile<P, J2, U, false>(f, r, acc, c, W);
                    if (c + U * W <= n) flush_all(f, acc);
                }
            }
        }
        if constexpr (!whole || fixed < 0 || fixed % (U * W) != 0) {
            int tiles = 0;
            for (; c < n; c += W) {
                tile<P, J2, 1, true>(f, r, acc, c, n - c < W ? static_cast<int>(n - c) : W);
                if (!whole && ++tiles == block) {
                    tiles = 0;
                    flush_all(f, acc);
                }
            }
        }
        acc.each_accumulator([&](auto q, auto& a) TAPELESS_CONFIG_INLINE {
            constexpr int R = q.i;
            a.flush();
            repeat<J2>([&](int j) TAPELESS_CONFIG_INLINE { r.result[R][j].set(a.sum[j].result()); });
        });
    }
};

}  // namespace tapeless::detail
