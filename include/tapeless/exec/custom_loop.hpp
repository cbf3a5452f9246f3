// SPDX-License-Identifier: MIT
#pragma once
// Runs operations with loops of their own on the arrays that the plan says, and looks at indices before they are used.

#include <limits>
#include <string>

#include <tapeless/array/errors.hpp>
#include <tapeless/exec/kernel.hpp>
#include <tapeless/kernels/loop_nest.hpp>

namespace tapeless::detail::inline exec_part {

/// The operand as an array: its lengths and strides in this run. A number is kept in `room`.
template <class Arch = simd::arch>
TAPELESS_CONFIG_INLINE inline void bind_operand(run_context const& ctx, program_tables const& tables,
                                                loop_operand const& o, double& room, strided& s) {
    s.rank = o.shape.rank;
#pragma GCC unroll 16
    for (int k = 0; k < s.rank; ++k) {
        s.extent[k] = extent_of(ctx, o.shape.from_right(k));
        s.stride[k] = o.constant ? 0 : stride_in(ctx, tables, o.at, k);
    }
    if (!o.constant) {
        s.data = base_of(ctx, tables, o.at);
        return;
    }
    auto keep = [&]<class T>(T number) { __builtin_memcpy(&room, &number, sizeof number); };
    static_assert(sizeof(double) == sizeof(std::int64_t));
    if (o.at.type == dtype::f32) keep(static_cast<float>(o.number));
    else if (o.at.type == dtype::f64) keep(o.number);
    else if (o.at.type == dtype::i32) keep(static_cast<std::int32_t>(o.number));
    else keep(static_cast<std::int64_t>(o.number));
    s.data = &room;
}
template <class Arch = simd::arch>
strided bind_operand(run_context const& ctx, program_tables const& tables, loop_operand const& o, double& room) {
    strided s;
    bind_operand<Arch>(ctx, tables, o, room, s);
    return s;
}

// ---- indices -------------------------------------------------------------------------------------------------------

/// Whether n integers, `stride` apart, are all at least 0 and less than the limit, or one that is exempt.
template <class I, class Build = simd::batch<computed<I>>>
bool row_in_range(I const* p, std::ptrdiff_t stride, std::int64_t n, std::int64_t limit, computed<I> exempt) {
    using C = computed<I>;
    constexpr std::int64_t largest = std::numeric_limits<C>::max();
    C const last = static_cast<C>(limit - 1 < largest ? limit - 1 : largest);
    bool ok = true;
    std::int64_t i = 0;
    if (stride == 1) {
        constexpr int L = simd::lanes<C>;
        simd::batch<C> const low(C(0)), high(last), spared(exempt);
        auto load = [](I const* at) TAPELESS_CONFIG_INLINE {
            if constexpr (short_integer<I>) return simd::widen(simd::load(at));
            else return simd::load(at);
        };
        if (exempt == 0) {  // signs say it: of each number, or else of how far it is below the limit
            simd::batch<C> signs = low;
            auto const look = [&](I const* at) TAPELESS_CONFIG_INLINE {
                simd::batch<C> const v = load(at);
                signs = signs | (v | (high - v));
            };
            for (; i + 2 * L <= n; i += 2 * L) look(p + i), look(p + i + L);
            for (; i + L <= n; i += L) look(p + i);
            ok = !simd::any(simd::less(signs, low));
        }
        auto fits = [&](I const* at) TAPELESS_CONFIG_INLINE {
            simd::batch<C> const v = load(at);
            return simd::either(simd::both(simd::less_equal(low, v), simd::less_equal(v, high)),
                                simd::equal(v, spared));
        };
        auto all = simd::equal(low, low);
        for (; i + 4 * L <= n; i += 4 * L) {
            auto const a = simd::both(fits(p + i), fits(p + i + L)),
                       b = simd::both(fits(p + i + 2 * L), fits(p + i + 3 * L));
            all = simd::both(all, simd::both(a, b));
        }
        for (; i + L <= n; i += L) all = simd::both(all, fits(p + i));
        ok = ok && !simd::any(simd::none_of(all));
    }
    for (; i < n; ++i) {
        C const v = p[i * stride];
        ok = ok && ((v >= 0 && v <= last) || v == exempt);
    }
    return ok;
}

/// Element i of an array, in row-major order: where it is, and as "(2, 5)".
inline std::ptrdiff_t offset_of_element(strided const& a, std::int64_t i) {
    std::ptrdiff_t offset = 0;
    for (int k = 0; k < a.rank; i /= a.extent[k++]) offset += i % a.extent[k] * a.stride[k];
    return offset;
}
/// "gather: the index 7 at (2, 5) of argument 1 is out of range: 0 ... 3 are valid", of element i.
[[noreturn, gnu::noinline, gnu::cold]] inline void throw_index_error(index_rule const& rule, int argument,
                                                                     strided const& index, std::int64_t i,
                                                                     std::int64_t value, std::int64_t limit) {
    sentence s;
    s << rule.op << ": the " << rule.what << " " << value;
    std::int64_t below[max_rank + 1] = {1};  // elements of the axes to the right
    for (int k = 0; k < index.rank; ++k) below[k + 1] = below[k] * index.extent[k];
    for (int k = index.rank; k-- > 0;)
        s << (k == index.rank - 1 ? " at (" : ", ") << i / below[k] % index.extent[k] << (k == 0 ? ")" : "");
    if (argument >= 0) s << " of argument " << argument;
    else s << " of the computed indices";
    s << " is out of range: ";
    if (limit > 0) s << "0 ... " << limit - 1 << " are valid";
    else s << "there is nothing to index";
    if (rule.exempt.given) s << ", and " << rule.exempt.value;
    if (rule.refused.given) s << ", but not " << rule.refused.value << ", which is " << rule.reason;
    detail::raise(index_error(s.text()));
}

/// Throws where an element neither points into `limit` elements nor is exempt.
template <class I, class Build = simd::batch<computed<I>>>
void check_index_array(strided const& index, std::int64_t limit, index_rule const& rule, int argument) {
    loop_nest<1> nest;
    for (int k = 0; k < index.rank; ++k) nest.add(index.extent[k], index.stride[k]);
    bool ok = limit > 0;  // so that 0, which is in range, stands for no exemption
    using C = computed<I>;
    auto const exempt = rule.exempt.is(static_cast<C>(rule.exempt.value)) ? static_cast<C>(rule.exempt.value) : C(0);
    nest.each(1, [&](std::ptrdiff_t const* at) {
        ok = ok && row_in_range(index.as<I const>() + at[0], nest.inner_stride(0), nest.inner(), limit, exempt);
    });
    if (ok) return;
    for (std::int64_t i = 0, n = index.size(); i < n; ++i) {
        std::int64_t const v = index.as<I const>()[offset_of_element(index, i)];
        if ((v < 0 || v >= limit) && !rule.exempt.is(v))
            throw_index_error(rule, argument, index, i, v, limit);
    }
}
/// The same for the first elements of each row: as many as `lengths` says, which are no more than there are.
template <class I, class L, class Build = simd::batch<computed<I>>>
void check_index_rows(strided const& index, strided const& lengths, std::int64_t limit, index_rule const& rule,
                      int argument) {
    for (std::int64_t r = 0, rows = lengths.size(), row = index.extent[0]; r < rows; ++r) {
        auto const length = static_cast<std::int64_t>(lengths.as<L const>()[offset_of_element(lengths, r)]);
        I const* const first = length > 0 ? index.as<I const>() + offset_of_element(index, r * row) : nullptr;
        for (std::int64_t i = 0; i < length; ++i) {
            std::int64_t const v = first[i * index.stride[0]];
            if (v < 0 || v >= limit || rule.refused.is(v))
                throw_index_error(rule, argument, index, r * row + i, v, limit);
        }
    }
}

/// The checks of a plan that come before a kernel.
template <class Program, int Before>
struct checks_before_kernel {
    static constexpr numbers<Program::plan_size.index_checks> which{
        [](int i) { return Program::index_checks[i].before == Before; }};
    using type = each_of<which>;
};
template <class Program, int Before>
using checks_before = typename checks_before_kernel<Program, Before>::type;

template <class Program, int C>
TAPELESS_CONFIG_INLINE inline void check_index(run_context const& ctx) {
    constexpr planned_check const& c = Program::index_checks[C];
    double room = 0;
    strided const index = bind_operand(ctx, Program::tables, c.index, room);
    std::int64_t limit = 1;
    for (int k = 0; k < c.limit.rank; ++k) limit *= extent_of(ctx, c.limit.extent[k]);
    using I = typename type_of_dtype<c.index.at.type>::type;
    constexpr int argument = c.index.at.where == memory::argument ? Program::source::argument_of(c.index.at.index) : -1;
    if constexpr (c.by_row) {
        using L = typename type_of_dtype<c.lengths.at.type>::type;
        double room_of_lengths = 0;
        check_index_rows<I, L>(index, bind_operand(ctx, Program::tables, c.lengths, room_of_lengths), limit, c.rule,
                               argument);
    } else {
        check_index_array<I>(index, limit, c.rule, argument);
    }
}
template <class Program, int Before, int... N>
TAPELESS_CONFIG_INLINE inline void check_indices([[maybe_unused]] run_context const& ctx,
                                                 std::integer_sequence<int, N...>) {
    (check_index<Program, checks_before_kernel<Program, Before>::which.at[N]>(ctx), ...);
}

// ---- kernels -------------------------------------------------------------------------------------------------------

/// Kernel K of a program, which is an operation with a loop of its own.
template <class Program, int K>
struct custom_loop_executor {
    static constexpr planned_loop call = Program::plan.custom_loops[Program::plan.kernels[K].custom];
    static constexpr operation::chosen_loop loop = Program::loops[Program::plan.kernels[K].custom];
    static constexpr int operands = call.operands, arrays = operands + call.parts;
    using room_in = strided[static_cast<std::size_t>(operands > 0 ? operands : 1)];
    using room_out = strided[static_cast<std::size_t>(max_parts)];  // operations look at parts that nobody wants, too
    [[gnu::noinline]] static void run(run_context const& ctx, int) {
        has_effects();
        check_indices<Program, K>(ctx, checks_before<Program, K>{});
        if constexpr (loop.small && call.item_axes == 0 && call.cut.least == 0) {
            run_small(ctx, std::make_index_sequence<static_cast<std::size_t>(operands)>{});
        } else {
            run_any(ctx);
        }
    }

    /// Some items, which run together with those of other kernels: of arrays that are made for these, there are no
    /// others.
    [[gnu::noinline]] static void run_part_of(run_context const& ctx, int, run_part const& part) {
        has_effects();
        double room[static_cast<std::size_t>(operands + 1)], unused = 0;
        room_in in;
        room_out out;
        auto const take = [&](loop_operand const& o, int axis, double& number, strided& a) {
            bind_operand(ctx, Program::tables, o, number, a);
            std::int64_t const before = o.at.strip ? 0 : part.from;
            narrow(a, axis, before, before + part.to - part.from, size_of(o.at.type));
        };
#pragma GCC unroll 16
        for (int j = 0; j < operands; ++j) take(call.in[j], call.cut.axis[j], room[j], in[j]);
#pragma GCC unroll 16
        for (int j = 0; j < call.parts; ++j)
            if (call.wanted[j]) take(call.out[j], 0, unused, out[j]);
        run_some(in, out, call.scratch >= 0 ? ctx.arena + ctx.offsets[call.scratch >= 0 ? call.scratch : 0] : nullptr);
    }

private:
    template <std::size_t... J>
    TAPELESS_CONFIG_INLINE static void run_small(run_context const& ctx, std::index_sequence<J...>) {
        double room[static_cast<std::size_t>(operands)], unused = 0;
        strided in[]{strided((void(J), strided::bare{}))...};
        (bind_operand(ctx, Program::tables, call.in[J], room[J], in[J]), ...);
        if constexpr (call.parts == 1) {
            strided out{strided::bare{}};
            bind_operand(ctx, Program::tables, call.out[0], unused, out);
            loop.run(in, &out, call.attr, nullptr);
        } else {
            strided out[]{strided(strided::bare{}), strided(strided::bare{})};
            static_assert(call.parts == 2);
            for (int j = 0; j < 2; ++j) bind_operand(ctx, Program::tables, call.out[j], unused, out[j]);
            loop.run(in, out, call.attr, nullptr);
        }
    }
    static void run_any(run_context const& ctx) {
        double room[static_cast<std::size_t>(operands + 1)], unused = 0;
        room_in in;
        room_out out;
#pragma GCC unroll 16
        for (int j = 0; j < operands; ++j) bind_operand(ctx, Program::tables, call.in[j], room[j], in[j]);
#pragma GCC unroll 16
        for (int j = 0; j < call.parts; ++j)
            if (call.wanted[j]) bind_operand(ctx, Program::tables, call.out[j], unused, out[j]);
        void* scratch = nullptr;
        if constexpr (call.scratch >= 0) scratch = ctx.arena + ctx.offsets[call.scratch];
        if constexpr (call.cut.least > 0)
            if (ctx.threads->threads() > 1 && run_in_pieces(ctx, in, out, scratch)) return;
        run_some(in, out, scratch);
    }

    static void run_some(strided* in, strided* out, [[maybe_unused]] void* scratch) {
        if constexpr (call.item_axes > 0) each_item(in, out, [&] { loop.run(in, out, call.attr, scratch); });
        else loop.run(in, out, call.attr, scratch);
    }

    /// The arrays of all pieces, and where workers have their scratch.
    struct shared_loop {
        strided const *in, *out;
        std::byte *scratch, *own;
        std::int64_t own_bytes, length, size;
    };
    /// Elements `from` to `to` - 1 along an axis, counted from the first on, of an array that has it.
    static void narrow(strided& a, int axis, std::int64_t from, std::int64_t to, int element) {
        if (!a.data || axis < 0 || axis >= a.rank) return;
        int const k = a.rank - 1 - axis;
        a.data = a.as<std::byte>() + from * a.stride[k] * element;
        a.extent[k] = to - from;
    }
    static void run_piece(void const* data, int worker, std::int64_t n) {
        shared_loop const& s = *static_cast<shared_loop const*>(data);
        std::int64_t const from = n * s.size, to = from + s.size < s.length ? from + s.size : s.length;
        room_in in;
        room_out out;
        for (int j = 0; j < operands; ++j) {
            in[j] = s.in[j];
            narrow(in[j], call.cut.axis[j], from, to, size_of(call.in[j].at.type));
        }
        for (int j = 0; j < call.parts; ++j) {
            out[j] = s.out[j];
            narrow(out[j], 0, from, to, size_of(call.out[j].at.type));
        }
        run_some(in, out, worker == 0 ? s.scratch : s.own + (worker - 1) * s.own_bytes);
    }
    /// Whether threads did all of it.
    static bool run_in_pieces(run_context const& ctx, strided const* in, strided const* out, void* scratch) {
        int first = 0;
        while (!call.wanted[first]) ++first;
        if (out[first].rank == 0) return false;
        std::int64_t elements = 0, threads = ctx.threads->threads();
        for (int j = 0; j < arrays; ++j) elements += (j < operands ? in[j] : out[j - operands]).size();
        shared_loop s{in, out, static_cast<std::byte*>(scratch), nullptr, 0, out[first].extent[out[first].rank - 1], 0};
        std::int64_t const grains = (s.length + call.cut.grain - 1) / call.cut.grain;
        if (grains < 2 || elements < call.cut.least) return false;
        std::int64_t const most = threads * machine::pieces_a_thread, pieces = grains < most ? grains : most;
        s.size = (grains + pieces - 1) / pieces * call.cut.grain;
        std::int64_t const count = (s.length + s.size - 1) / s.size, workers = count < threads ? count : threads;
        if constexpr (call.scratch >= 0) {
            s.own_bytes = bytes_of_buffer(Program::buffers.items[call.scratch], ctx.extents);
            s.own = ctx.threads->memory.reserve(static_cast<std::size_t>(s.own_bytes * workers));
        }
        ctx.threads->each_piece(static_cast<int>(workers), count, &run_piece, &s);
        return true;
    }

    /// f() for every item along the leading axes: the arrays are those of the item. Numbers have no such axes.
    template <class F>
    static void each_item(strided* in, strided* out, F&& f) {
        loop_nest<arrays> nest;
        std::ptrdiff_t stride[static_cast<std::size_t>(call.item_axes)][static_cast<std::size_t>(arrays)]{};
        std::int64_t length[static_cast<std::size_t>(call.item_axes)]{};
        char* first[static_cast<std::size_t>(arrays)]{};
        auto array = [&](int j) -> strided& { return j < operands ? in[j] : out[j - operands]; };
        for (int j = 0; j < arrays; ++j) {
            strided& a = array(j);
            first[j] = a.as<char>();
            if (!a.data || a.rank < call.item_axes) continue;
            a.rank -= call.item_axes;
            std::ptrdiff_t const size = size_of(j < operands ? call.in[j].at.type : call.out[j - operands].at.type);
            for (int i = 0; i < call.item_axes; ++i) {
                length[i] = a.extent[a.rank + i];
                stride[i][j] = a.stride[a.rank + i] * size;
                a.extent[a.rank + i] = 1;
                a.stride[a.rank + i] = 0;
            }
        }
        for (int i = 0; i < call.item_axes; ++i)
            [&]<std::size_t... J>(std::index_sequence<J...>) { nest.add(length[i], stride[i][J]...); }
        (std::make_index_sequence<static_cast<std::size_t>(arrays)>{});
        nest.each(0, [&](std::ptrdiff_t const* at) {
            for (int j = 0; j < arrays; ++j)
                if (first[j]) array(j).data = first[j] + at[j];
            f();
        });
    }
};

}  // namespace tapeless::detail::exec_part
