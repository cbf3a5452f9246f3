// SPDX-License-Identifier: MIT
#pragma once
// Why something does not go into a kernel that is there already, and who takes note of it.

#include <cstdint>

#include <tapeless/base/list.hpp>

namespace tapeless::detail::inline schedule_part {

/// In the order in which it is found out: of two refusals, the later one came closer.
enum class refusal : std::uint8_t {
    none,
    product,         // what opens a kernel by itself
    custom_loop,
    overlap,
    of_custom_loop,  // kernels that nothing joins
    full,
    other_loops,     // the loops
    other_walk,      // what it needs of the kernel
    incomplete,
    other_rows,
    unrelated,
    late,            // what the kernel would become
    too_long,
    rows_of_axes,
    too_many_phases,
};

constexpr char const* text_of(refusal r) {
    switch (r) {
        case refusal::none: return "";
        case refusal::product: return "a product begins a kernel";
        case refusal::custom_loop: return "it is a loop of its own";
        case refusal::overlap: return "it writes over what that kernel writes";
        case refusal::of_custom_loop: return "that is a loop of its own";
        case refusal::full: return "there are as many steps as fit";
        case refusal::other_loops: return "its loops have other extents";
        case refusal::other_walk: return "it needs what is made there along other axes";
        case refusal::incomplete: return "the columns it needs are complete after the last row only";
        case refusal::other_rows: return "it needs rows of other axes than those there";
        case refusal::unrelated: return "it has fewer loops, and uses no row of that kernel";
        case refusal::late: return "the number it needs is complete after the last row only";
        case refusal::too_long: return "the two have more steps than fit";
        case refusal::rows_of_axes: return "the axes of its rows are not walked as one";
        case refusal::too_many_phases: return "a row would have too many phases";
    }
    return "";
}

/// Plans are made without notes.
struct no_notes {
    static constexpr void refused(int, refusal) {}
    static constexpr void opened() {}
    static constexpr void joined() {}
};

/// A kernel that could not take what another one was opened for.
struct refused_by {
    int kernel = -1;
    refusal why = refusal::none;
};
/// Of each kernel, which one came closest to taking what it was opened for.
struct refusal_notes {
    list<refused_by> of_kernel;
    refused_by closest;

    constexpr void refused(int kernel, refusal why) {
        if (closest.kernel < 0 || why >= closest.why) closest = {kernel, why};
    }
    constexpr void opened() {
        of_kernel.push(closest);
        closest = {};
    }
    constexpr void joined() { closest = {}; }
};

}  // namespace tapeless::detail::schedule_part
