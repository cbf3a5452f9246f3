// SPDX-License-Identifier: MIT
#pragma once
// How much is written out term by term of what is reduced along short axes, and which elements a term is of.

#include <cstdint>

#include <tapeless/ir/dims.hpp>

namespace tapeless::detail::inline graph_part {

struct short_limits {
    static constexpr std::int64_t most_terms = 8, most_elements = 32, many_items = 32;
    static constexpr std::int64_t most_terms_of_windows = 32;  ///< these are slices, read in place
    static constexpr std::int64_t most_terms_of_pairs = 16;    ///< their elements are read by many
    /// that are added to a graph: beyond, compiling would take too long
    static constexpr std::int64_t most_nodes = 256;
    static constexpr std::int64_t most_nodes_of_pairs = 96;  ///< beyond, one loop would not take them all
    /// where an extreme of each row is all that counts: what the others give is never computed
    static constexpr std::int64_t most_nodes_of_extremes = 192;
    static constexpr std::int64_t most_nodes_of_units = 768;  ///< most of which are nothing but 0 or 1
    /// Rows that fill no more than so many quarters of their registers are better computed many at a time: those of so
    /// few elements whatever is done to them, others where something takes so many instructions (bench_few_numbers,
    /// "rows").
    static constexpr int filled_quarters = 3, shortest = 3, costly = 10;

    /// Along each axis (from the right) the element that is taken, or -1 for all.
    struct selection {
        int at[max_rank];
        constexpr selection() {
            for (int& a : at) a = -1;
        }
        constexpr bool operator==(selection const&) const = default;
    };
};

}  // namespace tapeless::detail::graph_part
