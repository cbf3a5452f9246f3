// SPDX-License-Identifier: MIT
#pragma once
// The accumulators of a kernel: they depend on types and tiles only, so that kernels have them in common.

#include <tapeless/exec/access.hpp>

namespace tapeless::detail::inline exec_part {

/// Several registers for each of some rows, and what blocks of them added up to. Rows that make one number in all, of
/// Batches each at a time, take turns; otherwise Batches is 0, and the batches of a row take turns.
template <combination C, class T, int W, int Rows, int Chains, int Batches>
struct accumulator {
    using value_type = value<T, W>;
    value_type part[static_cast<std::size_t>(Rows)][static_cast<std::size_t>(Chains)];
    total<C, T> sum[static_cast<std::size_t>(Rows)];

    /// Row j, batch u of a tile, whose lanes may be fewer; n of them where this is the edge.
    template <bool Edge, int Lanes>
    TAPELESS_CONFIG_INLINE void take(value<T, Lanes> const& v, int j, int u, [[maybe_unused]] int n) {
        value_type& to = part[Batches > 0 ? 0 : j][(j * Batches + u) % Chains];
        if (Edge && n < Lanes) combine_into<C>(to, only_first<C>(v, n));
        else combine_into<C>(to, v);
    }
    TAPELESS_CONFIG_INLINE void start() {
#pragma GCC unroll 16
        for (int j = 0; j < Rows; ++j) sum[j].clear();
        clear();
    }
    TAPELESS_CONFIG_INLINE void clear() {
#pragma GCC unroll 64
        for (int c = 0; c < Rows * Chains; ++c) splat(part[c / Chains][c % Chains], identity<C, T>());
    }
    TAPELESS_CONFIG_INLINE simd::batch<T> since_flush(int j) const {
        constexpr int registers = value_type::registers;
        simd::batch<T> b = part[j][0].reg[0];
#pragma GCC unroll 64
        for (int c = 1; c < Chains * registers; ++c) b = combine<C>(b, part[j][c / registers].reg[c % registers]);
        return b;
    }
    TAPELESS_CONFIG_INLINE void flush() {
#pragma GCC unroll 16
        for (int j = 0; j < Rows; ++j) sum[j].add(since_flush(j));
        clear();
    }
    /// The numbers of the first rows, of which there was but one block, to those from number `first` on.
    TAPELESS_CONFIG_INLINE void leave_block(reduced_numbers& to, int first, int rows) const {
#pragma GCC unroll 16
        for (int j = 0; j < rows; ++j) to[first + j].set(lanes_together<C>(since_flush(j)));
    }
    /// The numbers of the first rows.
    TAPELESS_CONFIG_INLINE void leave(reduced_numbers& to, int first, int rows) const {
#pragma GCC unroll 16
        for (int j = 0; j < rows; ++j) to[first + j].set(sum[j].number());
    }
    TAPELESS_CONFIG_INLINE static void store(found_place const* found, int place, reduced_number const& n) {
        if (place >= 0) *static_cast<T*>(found[place].base) = n.template get<T>();
    }
};

/// X, number N of several.
template <int N, class X>
struct numbered {
    X it;
};
/// What a kernel accumulates at a time.
template <class Numbers, class... Accumulator>
struct accumulator_set;
template <int... N, class... Accumulator>
struct accumulator_set<std::integer_sequence<int, N...>, Accumulator...> : numbered<N, Accumulator>... {
    static constexpr int count = static_cast<int>(sizeof...(N));
    TAPELESS_CONFIG_INLINE void start() { (static_cast<numbered<N, Accumulator>&>(*this).it.start(), ...); }
    TAPELESS_CONFIG_INLINE void flush() { (static_cast<numbered<N, Accumulator>&>(*this).it.flush(), ...); }
    /// One number in all, to memory where its root `of` has a place.
    TAPELESS_CONFIG_INLINE static void store(found_place const* found, root const* roots, int const* of,
                                             reduced_number const* result) {
        (Accumulator::store(found, roots[of[N]].place, result[of[N]]), ...);
    }
    /// The numbers of some rows, to where those of the roots `of` are.
    TAPELESS_CONFIG_INLINE void leave(reduced_numbers& to, int const* of, int rows) const {
        (static_cast<numbered<N, Accumulator> const&>(*this).it.leave(to, of[N] * rows, rows), ...);
    }
    TAPELESS_CONFIG_INLINE void leave_block(reduced_numbers& to, int const* of, int rows) const {
        (static_cast<numbered<N, Accumulator> const&>(*this).it.leave_block(to, of[N] * rows, rows), ...);
    }
};
/// After a block of tiles.
template <class Sums, class Totals>
TAPELESS_CONFIG_INLINE inline void flush_both(Sums& sums, Totals& totals, int& since) {
    if constexpr (Sums::count > 0) sums.flush();
    if constexpr (Totals::count > 0) totals.flush();
    since = 0;
}

}  // namespace tapeless::detail::exec_part
