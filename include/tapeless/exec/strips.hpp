// SPDX-License-Identifier: MIT
#pragma once
// Kernels that run strip by strip: of each strip, all of them, one after the other.

#include <cstring>

#include <tapeless/exec/pieces.hpp>

namespace tapeless::detail::inline exec_part {

/// All that running a group of kernels in strips takes.
struct kernels_in_strips {
    using function = void (*)(run_context const&, int, run_part const&);
    run_context const* ctx;
    kernel const* kernels;  ///< of the plan
    int first, count;
    function const* run;  ///< of each of the group
    buffer const* buffers;
    int buffer_count;
    product const* products;
    // found out
    std::int64_t length = 0, strip = 0, strips = 0;
    std::byte* sums = nullptr;  ///< of the first kernel and its first strip
    std::byte* own = nullptr;   ///< what the second worker has for itself, and those after it
    std::int64_t own_bytes = 0;

    bool is_own(buffer const& b) const { return (b.strip || b.apart) && b.first >= first && b.first < first + count; }
    std::int64_t bytes_of_offsets() const { return (buffer_count * 8 + 63) / 64 * 64; }
    /// The numbers that a strip leaves of kernel n of the group.
    std::int64_t sums_of(int n) const {
        return (kernels[first + n].summed & 1) ? bytes_of_numbers(kernels[first + n].roots) : 0;
    }
};

[[gnu::noinline]] inline void run_strip(void const* data, int worker, std::int64_t number) {
    kernels_in_strips const& s = *static_cast<kernels_in_strips const*>(data);
    run_context own = *s.ctx;
    if (worker > 0) {
        std::byte* const memory = s.own + (worker - 1) * s.own_bytes;
        auto* const offsets = reinterpret_cast<std::int64_t*>(memory);
        std::int64_t at = static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(memory) -
                                                    reinterpret_cast<std::intptr_t>(s.ctx->arena)) +
                          s.bytes_of_offsets();  // offsets count from the arena, wherever the memory is
        for (int i = 0; i < s.buffer_count; ++i) {
            offsets[i] = s.ctx->offsets[i];
            if (!s.is_own(s.buffers[i])) continue;
            offsets[i] = at;
            at += bytes_of_buffer(s.buffers[i], s.ctx->extents);
        }
        own.offsets = offsets;
    }
    run_part part;
    part.stage = run_stage::piece;
    part.axis = 0;
    part.number = number;
    part.count = s.strips;
    std::int64_t const from = number * s.strip, to = from + s.strip < s.length ? from + s.strip : s.length;
    for (int i = 0; i < s.buffer_count; ++i)
        if (s.buffers[i].cleared && s.is_own(s.buffers[i]))
            std::memset(own.arena + own.offsets[i], 0,
                        static_cast<std::size_t>(bytes_of_buffer(s.buffers[i], s.ctx->extents)));
    std::byte* sums = s.sums;
    for (int n = 0; n < s.count; ++n) {
        part.sums_bytes = s.sums_of(n);
        part.sums = sums + number * part.sums_bytes;
        sums += s.strips * part.sums_bytes;
        part.from = from * s.kernels[s.first + n].of_item;
        part.to = to * s.kernels[s.first + n].of_item;
        s.run[n](own, s.first + n, part);
    }
    for (int i = 0; i < s.buffer_count; ++i) {
        buffer const& b = s.buffers[i];
        if (b.copied_to < 0 || b.first != s.first || to == from) continue;
        std::int64_t const bytes = b.shape.from_right(0) * b.element_size;
        std::memcpy(static_cast<std::byte*>(s.ctx->outputs[b.copied_to]) + from * bytes, own.arena + own.offsets[i],
                    static_cast<std::size_t>((to - from) * bytes));
    }
}

[[gnu::noinline]] inline void run_in_strips(kernels_in_strips& s) {
    run_context const& ctx = *s.ctx;
    kernel const& first = s.kernels[s.first];
    std::int64_t extent[max_rank]{}, cost = 0, sums = 0;
    if (first.strip_items != 0) s.length = extent_of(ctx, first.strip_items);
    for (int n = 0; n < s.count; ++n) {
        kernel const& k = s.kernels[s.first + n];
        find_extents(ctx, k, extent);
        std::int64_t all = k.axes > 0 ? 1 : s.length;
        for (int l = 0; l < k.axes; ++l) all *= extent[l];
        cost += cost_of_loops(k, all, k.product >= 0 ? whole_depth(ctx, s.products + k.product) : 0);
        sums += s.sums_of(n);
    }
    if (first.strip_items == 0) s.length = extent[0];
    int const threads = cost < 2 * machine::summed_piece_cost ? 1 : ctx.threads->threads();
    s.strip = first.strip;
    if (first.strip_items != 0 && sums == 0 && threads > 1) {  // each has some: nothing depends on where they are cut
        std::int64_t const pieces = threads * machine::pieces_a_thread, share = (s.length + pieces - 1) / pieces;
        if (share < s.strip) s.strip = share > 0 ? share : 1;
    }
    s.strips = s.length <= s.strip ? 1 : (s.length + s.strip - 1) / s.strip;
    sums *= s.strips;
    int const workers = s.strips < threads ? static_cast<int>(s.strips) : threads;
    if (workers > 1) {
        s.own_bytes = s.bytes_of_offsets();
        for (int i = 0; i < s.buffer_count; ++i)
            if (s.is_own(s.buffers[i])) s.own_bytes += bytes_of_buffer(s.buffers[i], ctx.extents);
    }
    if (sums > 0 || workers > 1) {
        s.sums = ctx.threads->memory.reserve(static_cast<std::size_t>(sums + s.own_bytes * (workers - 1)));
        s.own = s.sums + sums;
    }
    run_part before;
    before.stage = run_stage::before;
    for (int n = 0; n < s.count; ++n)
        if (s.kernels[s.first + n].clears) s.run[n](ctx, s.first + n, before);
    ctx.threads->each_piece(workers, s.strips, &run_strip, &s);
    std::byte* at = s.sums;
    for (int n = 0; n < s.count; ++n) {
        run_part part;
        part.stage = run_stage::after;
        part.axis = 0;
        part.to = s.length;
        part.count = s.strips;
        part.sums = at;
        part.sums_bytes = s.sums_of(n);
        at += s.strips * part.sums_bytes;
        if (part.sums_bytes > 0) s.run[n](ctx, s.first + n, part);
    }
}

}  // namespace tapeless::detail::exec_part
