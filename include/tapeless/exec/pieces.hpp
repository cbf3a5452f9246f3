// SPDX-License-Identifier: MIT
#pragma once
// Kernels in pieces: who runs them, what each has for itself, and how their sums become one.

#include <tapeless/exec/crew.hpp>
#include <tapeless/exec/frame.hpp>
#include <tapeless/exec/product.hpp>
#include <tapeless/schedule/cut.hpp>

namespace tapeless::detail::inline exec_part {

// ---- sums ----------------------------------------------------------------------------------------------------------

/// Whether a root is an array that is summed up along the loop that is cut: every piece has its own.
TAPELESS_CONFIG_INLINE constexpr bool is_in_pieces(root const& r, int axis) {
    return (r.how == target::column || r.how == target::partial) && (r.reduced >> axis & 1);
}
[[gnu::noinline]] inline std::int64_t bytes_of_sums(run_context const& ctx, program_tables const& tables,
                                                    place const& p) {
    dims const& d = tables.shapes[p.shape];
    std::int64_t n = size_of(p.type);
    for (int a = 0; a < d.rank; ++a) n *= extent_of(ctx, d.extent[a]);
    return (n + 64 + 63) / 64 * 64;
}
inline constexpr std::int64_t bytes_of_numbers(int roots) {
    return (roots * static_cast<std::int64_t>(sizeof(reduced_number)) + 63) / 64 * 64;
}

/// The numbers of all pieces as one, in their order.
[[gnu::noinline]] inline reduced_number combine_numbers(run_part const& part, std::byte const* first, int root,
                                                        combination how, bool real) {
    if (part.combined) return part.combined[root];
    double sum = 0, lost = 0;
    std::int64_t whole = 0;
    for (std::int64_t n = 0; n < part.count; ++n) {
        reduced_number const& x = reinterpret_cast<reduced_number const*>(first + n * part.sums_bytes)[root];
        if (!real) {
            whole = n == 0 ? x.whole : combine_two(how, whole, x.whole);
        } else if (n == 0) sum = x.real;
        else if (how == combination::sum) {
            double const s = sum + x.real, t = s - sum;
            lost += (sum - (s - t)) + (x.real - t);  // exactly what rounding lost
            sum = s;
        } else sum = combine_two(how, sum, x.real);
    }
    return {lost == lost ? sum + lost : sum, whole};
}

/// Axes of an array as few that walk the same elements: those of length 1 are left out, and those that lie one within
/// the other without a gap are one.
[[gnu::noinline]] inline int join_axes(std::int64_t* extent, std::ptrdiff_t* stride, int axes) {
    int n = 0;
    for (int l = 0; l < axes; ++l) {
        std::int64_t const e = extent[l];
        std::ptrdiff_t const s = stride[l];
        if (e == 1 && l + (n == 0) < axes) continue;  // the last is kept where there is no other
        bool const within = n > 0 && stride[n - 1] == e * s;
        if (!within) ++n;
        extent[n - 1] = within ? extent[n - 1] * e : e;
        stride[n - 1] = s;
    }
    return n;
}

/// The same of arrays: some elements at a time, floats in double.
template <combination C, class T, class Build = simd::batch<T>>
[[gnu::noinline]] void combine_arrays(T* to, std::byte const* from, run_part const& part, std::int64_t const* extent,
                                      std::ptrdiff_t const* stride, int axes) {
    if (axes > 1) {
        for (std::int64_t i = 0; i < *extent; ++i)
            combine_arrays<C>(to + i * *stride, from + i * *stride * static_cast<std::ptrdiff_t>(sizeof(T)), part,
                              extent + 1, stride + 1, axes - 1);
        return;
    }
    using wide = std::conditional_t<C == combination::sum && std::floating_point<T>, double, T>;
    constexpr std::int64_t some = 64;
    for (std::int64_t first = 0; first < *extent; first += some) {
        std::int64_t const m = *extent - first < some ? *extent - first : some;
        wide sum[static_cast<std::size_t>(some)];
        for (std::int64_t n = 0; n < part.count; ++n) {
            T const* const x = reinterpret_cast<T const*>(from + n * part.sums_bytes) + first * *stride;
            if (n == 0)
                for (std::int64_t i = 0; i < m; ++i) sum[i] = static_cast<wide>(x[i * *stride]);
            else if (C == combination::sum && m == some && *stride == 1)  // of a length that is known, many at once
                for (std::int64_t i = 0; i < some; ++i) sum[i] = static_cast<wide>(sum[i] + static_cast<wide>(x[i]));
            else
                for (std::int64_t i = 0; i < m; ++i)
                    sum[i] = combine_two(C, sum[i], static_cast<wide>(x[i * *stride]));
        }
        for (std::int64_t i = 0; i < m; ++i) to[(first + i) * *stride] = static_cast<T>(sum[i]);
    }
}

/// The sums of kernel K in its pieces.
template <class Program, int K>
struct kernel_sums {
    using info = kernel_info<Program, K>;
    static constexpr auto const& k = info::k;
    static constexpr int A = info::A;
    using frame = typename info::frame;
    static constexpr numbers<k.roots> in_memory{
        [](int r) { return info::root_at(r).how == target::column || info::root_at(r).how == target::partial; }};

    /// What became one number, in this kernel with one loop or with several.
    static constexpr numbers<k.roots> in_all{[](int r) {
        return info::root_at(r).level == A &&
               info::root_at(r).how == (A == 1 ? target::row : target::everything);
    }};
    TAPELESS_CONFIG_INLINE static void keep_numbers(reduced_number const* result, run_part const& part) {
#pragma GCC unroll 16
        for (int i = 0; i < in_all.count; ++i)
            if (A > 1 || info::roots[in_all.at[i]].slot == part.phase)
                reinterpret_cast<reduced_number*>(part.sums)[in_all.at[i]] = result[in_all.at[i]];
    }
    /// Those of all pieces that were found in the first phases.
    TAPELESS_CONFIG_INLINE static void combine_numbers_before(reduced_number* result, run_part const& part,
                                                              int phases) {
        std::byte const* const first =
            part.stage == run_stage::piece ? part.sums - part.number * part.sums_bytes : part.sums;
#pragma GCC unroll 16
        for (int i = 0; i < in_all.count; ++i)
            if (root const& r = info::roots[in_all.at[i]]; r.slot < phases)  // the frame's address stays inside
                result[in_all.at[i]] = combine_numbers(part, first, in_all.at[i], r.combine, is_floating(r.type));
    }

    /// fn(index of the root, where the first piece has its array)
    template <class F, int... N>
    TAPELESS_CONFIG_INLINE static void each_array(frame const& f, run_part const& part, F const& fn,
                                                  std::integer_sequence<int, N...>) {
        std::byte* at = part.sums + bytes_of_numbers(k.roots);
        auto one = [&](auto r) TAPELESS_CONFIG_INLINE {
            if (!is_in_pieces(info::roots[r.i], part.axis)) return;
            fn(r, at);
            at += bytes_of_sums(*f.ctx, Program::tables, f.places[info::roots[r.i].place]);
        };
        (one(index<in_memory.at[N]>{}), ...);
    }
    /// The kernel sums up into the piece's own arrays, which are laid out as those of the results.
    TAPELESS_CONFIG_INLINE static void redirect(frame& f, run_part const& part) {
        each_array(
            f, part,
            [&](auto r, std::byte* at) TAPELESS_CONFIG_INLINE {
                constexpr int P = info::root_at(r.i).place;
                f.found[P].base =
                    at + (static_cast<std::byte*>(f.found[P].base) - memory_of(*f.ctx, f.places[P]));
            },
            each_of<in_memory>{});
    }
    TAPELESS_CONFIG_INLINE static void combine(frame const& f, run_part const& part) {
        each_array(
            f, part,
            [&](auto r, std::byte* at) TAPELESS_CONFIG_INLINE {
                constexpr root const& t = Program::roots[k.first_root + r.i];
                using T = typename info::template root_type<r.i>;
                std::int64_t extent[static_cast<std::size_t>(A)];
                std::ptrdiff_t stride[static_cast<std::size_t>(A)];
                for (int l = 0; l < A; ++l) {
                    extent[l] = t.varies >> l & 1 ? f.extent[l] : 1;
                    stride[l] = stride_at(info::places[t.place], f.found[t.place], l);
                }
                int const axes = join_axes(extent, stride, A);
                T* const to = static_cast<T*>(f.found[t.place].base);
                combine_arrays<t.combine>(
                    to, at + (reinterpret_cast<std::byte*>(to) - memory_of(*f.ctx, f.places[t.place])), part, extent,
                    stride, axes);
            },
            each_of<in_memory>{});
    }
};

// ---- pieces --------------------------------------------------------------------------------------------------------

/// All that running a kernel in pieces takes.
struct kernel_in_pieces {
    run_context const* ctx;
    program_tables const* tables;
    kernel const* now;
    int number;  ///< of the kernel
    product const* products;
    root const* roots;
    place const* places;
    buffer const* buffers;
    int buffer_count;
    void (*run)(run_context const&, int, run_part const&);
    void (*run_on_own)(kernel_in_pieces const&, int worker, run_part const&);  ///< with buffers of the worker's own
    // found out
    pieces cut{};
    run_part part{};
    std::byte* own = nullptr;     ///< what the second worker has for itself, and those after it
    std::int64_t own_bytes = 0;
    std::int64_t packed = 0;      ///< pieces of a right operand
    std::int64_t columns = 0, panel = 0;
};

/// The buffers of which each worker has its own: those of the first are in the workspace.
inline std::int64_t place_own_buffers(kernel_in_pieces const& k, std::int64_t first, std::int64_t* offset) {
    std::int64_t at = first;
    for (int i = 0; i < k.buffer_count; ++i) {
        if (!k.buffers[i].apart || k.buffers[i].first != k.number) continue;
        if (offset) offset[i] = at;
        at += bytes_of_buffer(k.buffers[i], k.ctx->extents);
    }
    return at - first;
}
inline void run_on(kernel_in_pieces const& k, int worker, run_part const& part, std::int64_t* offsets) {
    for (int i = 0; i < k.buffer_count; ++i) offsets[i] = k.ctx->offsets[i];
    // offsets count from the arena, wherever the memory is
    place_own_buffers(k,
                      static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(k.own) -
                                                reinterpret_cast<std::intptr_t>(k.ctx->arena)) +
                          (worker - 1) * k.own_bytes,
                      offsets);
    run_context own = *k.ctx;
    own.offsets = offsets;
    k.run(own, k.number, part);
}
template <int Buffers>
void run_on_own(kernel_in_pieces const& k, int worker, run_part const& part) {
    std::int64_t offsets[static_cast<std::size_t>(Buffers > 0 ? Buffers : 1)];
    run_on(k, worker, part, offsets);
}
/// Piece n of a kernel, or of what comes before its pieces.
inline void run_piece(void const* data, int worker, std::int64_t n) {
    kernel_in_pieces const& k = *static_cast<kernel_in_pieces const*>(data);
    run_part part = k.part;
    part.number = n;
    if (part.stage == run_stage::before) {
        part.from = n * k.panel;
        part.to = n + 1 < k.packed ? part.from + k.panel : k.columns;
    } else {
        std::int64_t const rows = k.part.count / k.cut.across / k.cut.outside, other = n / rows;
        part.from = n % rows * k.cut.size;
        if (n % rows + 1 < rows) part.to = part.from + k.cut.size;
        if (k.cut.across > 1) {
            part.before = other * k.cut.columns;
            if (other + 1 < k.cut.across) part.after = k.columns - part.before - k.cut.columns;
        } else if (k.cut.outside > 1) part.outside = other;
        part.sums += n * part.sums_bytes;
    }
    if (worker == 0) k.run(*k.ctx, k.number, part);
    else k.run_on_own(k, worker, part);
}

/// The lengths of a kernel's loops.
inline void find_extents(run_context const& ctx, kernel const& k, std::int64_t* extent) {
    for (int l = 0; l < k.axes; ++l) {
        extent[l] = k.extent[l];
        if (extent[l] >= 0) continue;
        extent[l] = 1;
        for (int a = k.group[l]; a < k.group[l + 1]; ++a) extent[l] *= extent_of(ctx, k.shape.extent[a]);
    }
}
inline std::int64_t whole_depth(run_context const& ctx, product const* p) {
    std::int64_t n = 1;
    for (int a = 0; p && a < p->depth_shape.rank; ++a) n *= extent_of(ctx, p->depth_shape.extent[a]);
    return p ? n : 0;
}

/// Whether a kernel is so large that it might be cut: that is asked first, and soon found out.
TAPELESS_CONFIG_INLINE inline bool is_worth_cutting(run_context const& ctx, kernel const& known, kernel const& now,
                                                    product const* products) {
    std::int64_t all = 1;
    for (int l = 0; l < known.axes; ++l) {
        if (known.extent[l] >= 0) all *= known.extent[l];
        else
            for (int a = now.group[l]; a < now.group[l + 1]; ++a) all *= extent_of(ctx, now.shape.extent[a]);
    }
    std::int64_t const depth = known.product >= 0 ? whole_depth(ctx, products + now.product) : 0;
    return cost_of_loops(known, all, depth) >= 2 * least_cost(known);
}

/// The numbers that a phase of a kernel with one loop has found, as one: the next phases need them in every piece.
inline void combine_phase(kernel_in_pieces const& k, reduced_number* all) {
    for (int i = 0; i < k.now->roots; ++i)
        if (root const& r = k.roots[k.now->first_root + i];
            r.level == 1 && r.how == target::row && r.slot == k.part.phase)
            all[i] = combine_numbers(k.part, k.part.sums, i, r.combine, is_floating(r.type));
}

/// Runs a kernel in pieces, if it is worth it.
[[gnu::noinline]] inline void run_in_pieces(kernel_in_pieces& k) {
    run_context const& ctx = *k.ctx;
    std::int64_t extent[max_rank];
    find_extents(ctx, *k.now, extent);
    product const* const p = k.now->product >= 0 ? k.products + k.now->product : nullptr;
    int const threads = ctx.threads->threads();
    k.cut = cut_loops(*k.now, extent, whole_depth(ctx, p), threads);
    if (k.cut.axis < 0) return k.run(ctx, k.number, whole_kernel);
    if (p && k.cut.axis <= k.now->axes - 2 && !(k.now->summed >> k.cut.axis & 1))
        k.cut = cut_product(*k.now, k.cut, extent, whole_depth(ctx, p), threads);
    int const workers = k.cut.count < threads ? static_cast<int>(k.cut.count) : threads;
    k.part.axis = k.cut.axis;
    k.part.to = extent[k.cut.axis];
    k.part.count = k.cut.count;
    bool fills = false;
    k.part.sums_bytes = bytes_of_numbers(k.now->roots);
    for (int i = 0; i < k.now->roots; ++i) {
        root const& r = k.roots[k.now->first_root + i];
        fills = fills || r.clears;
        if (is_in_pieces(r, k.cut.axis))
            k.part.sums_bytes += bytes_of_sums(ctx, *k.tables, k.places[k.now->first_place + r.place]);
    }
    k.own_bytes = place_own_buffers(k, 0, nullptr);
    std::int64_t const numbers = k.part.sums_bytes * k.cut.count, sums = numbers + bytes_of_numbers(k.now->roots);
    k.part.sums = ctx.threads->memory.reserve(static_cast<std::size_t>(sums + k.own_bytes * (workers - 1)));
    k.own = k.part.sums + sums;
    if (p) k.columns = extent[k.now->axes - 1];
    if (p && p->packed_right >= 0 && !k.buffers[p->packed_right].apart) {
        std::int64_t const wide = p->batches * lanes_of(p->type), panels = k.columns / wide;
        std::int64_t const some = (panels + workers - 1) / workers;  // all that one packs
        k.panel = (some > 0 ? some : 1) * wide;
        k.packed = k.columns / k.panel + (k.columns % k.panel >= wide ? 1 : 0);  // no panel but the last is narrow
        if (k.packed < 1) k.packed = 1;
    } else if (fills) k.packed = 1;
    k.part.stage = run_stage::before;
    ctx.threads->each_piece(workers, k.packed, &run_piece, &k);
    k.part.stage = run_stage::piece;
    auto* const all = reinterpret_cast<reduced_number*>(k.part.sums + numbers);
    for (int phases = k.now->axes == 1 ? k.now->phases : 1; k.part.phase < phases; ++k.part.phase) {
        ctx.threads->each_piece(workers, k.cut.count, &run_piece, &k);
        if (k.now->axes > 1) continue;
        k.part.combined = nullptr;
        combine_phase(k, all);
        k.part.combined = all;
    }
    k.part.stage = run_stage::after;
    k.run(ctx, k.number, k.part);
}

}  // namespace tapeless::detail::exec_part
