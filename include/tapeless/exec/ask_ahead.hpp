// SPDX-License-Identifier: MIT
#pragma once
// What kernels that add up rows ask memory for ahead of time.

#include <tapeless/exec/frame.hpp>
#include <tapeless/schedule/machine.hpp>

namespace tapeless::detail::inline exec_part {

template <class Program, int K>
struct kernel_ahead {
    using info = kernel_info<Program, K>;
    static constexpr auto const& k = info::k;
    static constexpr int A = info::A, W = info::W, J = info::J;
    using frame = typename info::frame;

    /// All that the kernel does is to add up rows. Those after the first need not ask whether they are.
    static constexpr bool only_adds =
        k.roots == 1 && k.phases == 1 && J > 1 && Program::optimised && info::sums_rows(0);
    /// Several rows added up at a time are read in an order that the processor does not foresee: what a step loads is
    /// asked for ahead. Small arrays are not: what lies beyond them may be nobody's; nor are more than a few long rows,
    /// which it does foresee.
    static constexpr bool asks_ahead(int i) {
        if (!Program::optimised || J == 1 || k.phases != 1 || info::step_at(i).kind != step_kind::load) return false;
        unsigned const both = info::row_axis | info::inmost;
        place const& p = info::place_at(info::step_at(i).place);
        if ((info::step_at(i).varies & both) != both || p.stride[A - 1] != 1) return false;
        bool const known = k.extent[A - 2] >= 0 && p.stride[A - 2] >= 0;
        if (known && k.extent[A - 2] * p.stride[A - 2] * size_of(p.type) <= machine::asked_for) return false;
        return only_adds;
    }
    static constexpr numbers<k.steps> asking{[](int i) { return asks_ahead(i); }};
    static constexpr bool asks_long = J <= machine::summed_rows;
    TAPELESS_CONFIG_INLINE static bool is_short(std::int64_t bytes) { return bytes * J <= 4 * machine::rows_ahead; }
    TAPELESS_CONFIG_INLINE static bool are_large(frame const& f) {
        bool all = true;
#pragma GCC unroll 16
        for (int i = 0; i < asking.count; ++i) {
            step const& s = info::steps[asking.at[i]];
            std::int64_t const row = stride_at(info::places[s.place], f.found[s.place], A - 2) * size_of(s.type);
            all = all && row * f.extent[A - 2] > machine::asked_for && (asks_long || is_short(row));
        }
        return all;
    }
    template <int U2, int... N>
    TAPELESS_CONFIG_INLINE static void ask(frame const& f, std::int64_t row, std::int64_t c,
                                           std::integer_sequence<int, N...>) {
        (ask_of<asking.at[N], U2>(f, row, c), ...);
    }
    /// Short rows in the order in which they lie in memory; of long ones each by itself, one line of it at a time: so
    /// many tiles share a line, and each of them asks for as many rows.
    template <int I, int U2>
    TAPELESS_CONFIG_INLINE static void ask_of(frame const& f, std::int64_t row, std::int64_t c) {
        using T = typename info::template step_value<I>::element;
        constexpr int line = machine::cache_line, size = static_cast<int>(sizeof(T)), P = info::step_at(I).place;
        constexpr int tile = U2 * W * size, lines = (J * tile + line - 1) / line;
        constexpr int share = line / tile > 1 ? line / tile : 1, of_row = tile / line > 1 ? tile / line : 1;
        T const* const first = element_at<T const, A>(f, info::places[P], f.found[P], row, 0);
        std::ptrdiff_t const stride = stride_at(info::places[P], f.found[P], A - 2) * size;
        bool const in_order = !asks_long || is_short(stride);
        std::int64_t const turn = c / (U2 * W) % share * lines / of_row;
        std::ptrdiff_t const next = !asks_long && J * stride > machine::rows_ahead ? J * stride : machine::rows_ahead;
        std::ptrdiff_t const from =
            in_order ? J * c * size + next : turn * stride + c * size + machine::row_ahead;
        char const* const p = reinterpret_cast<char const*>(first) + from;
        std::ptrdiff_t const by = in_order ? of_row * line : stride;
#pragma GCC unroll 64
        for (int i = 0; i < lines; ++i) __builtin_prefetch(p + i / of_row * by + i % of_row * line);
    }
};

}  // namespace tapeless::detail::exec_part
