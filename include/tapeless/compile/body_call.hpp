// SPDX-License-Identifier: MIT
#pragma once
// Calls of bodies: a body is a program of its own, which runs on arrays of the program that calls it.

#include <cstring>
#include <limits>
#include <string>

#include <tapeless/array/errors.hpp>
#include <tapeless/compile/callee.hpp>
#include <tapeless/compile/held_numbers.hpp>
#include <tapeless/exec/custom_loop.hpp>

namespace tapeless::detail::inline compile_part {

[[noreturn, gnu::noinline, gnu::cold]] inline void throw_still_going(char const* name, std::int64_t steps) {
    sentence s;
    s << name << ": it still goes on after " << steps << " steps, which are all it may take";
    detail::raise(convergence_error(s.text(), name, steps, std::numeric_limits<double>::quiet_NaN()));
}

/// Kernel K of a program, which is the call of a body.
template <class Program, int K>
struct call_executor {
    static constexpr int C = Program::kernels[K].call;
    static constexpr planned_call call = Program::calls[C];
    template <class T, int N>
    using room = T[static_cast<std::size_t>(N > 0 ? N : 1)];

    static constexpr call_result rule(int r) { return Program::call_results[call.first_result + r].rule; }
    static loop_operand const& operand(int j) { return Program::call_operands.items[call.first_operand + j]; }
    static loop_operand const& target(int r) { return Program::call_results.items[call.first_result + r].to; }
    static std::byte* memory(run_context const& ctx, loop_operand const& o) {
        return static_cast<std::byte*>(base_of(ctx, Program::tables, o.at));
    }
    /// The bytes of an array without its first `skip` axes.
    static std::int64_t bytes_of(run_context const& ctx, loop_operand const& o, int skip) {
        std::int64_t n = size_of(o.at.type);
        for (int a = skip; a < o.shape.rank; ++a) n *= extent_of(ctx, o.shape.extent[a]);
        return n;
    }

    static void copy(void* to, void const* from, std::int64_t bytes) {
        if (bytes > 0) std::memcpy(to, from, static_cast<std::size_t>(bytes));  // an empty array may be nowhere
    }

    static void clear(void* to, std::int64_t bytes) {
        if (bytes > 0) std::memset(to, 0, static_cast<std::size_t>(bytes));
    }
    static std::int32_t number_at(void const* from) {
        std::int32_t n = 0;
        std::memcpy(&n, from, sizeof n);
        return n;
    }
    static void write_number(void* to, std::int64_t n) {
        auto const small = static_cast<std::int32_t>(n);
        std::memcpy(to, &small, sizeof small);
    }
    /// Whether there is a step number s. A loop that ends by itself does so before it has more steps than it may.
    static bool goes_on(std::int64_t s, std::int64_t steps, [[maybe_unused]] void* const* in) {
        if constexpr (call.form != call_form::until) return s < steps;
        else {
            if (number_at(in[0]) == 0) return false;
            if (s == steps) throw_still_going(call.name, steps);
            return true;
        }
    }

    [[gnu::noinline]] static void run(run_context const& ctx, int) {
        std::byte* const arena = ctx.arena + ctx.offsets[call.workspace];
        if constexpr (is_stepwise_call(call.form)) {
            run_steps(ctx, arena);
        } else {
            room<void const*, call.operands> in;
            room<void*, call.results> out;
#pragma GCC unroll 16
            for (int j = 0; j < call.operands; ++j) in[j] = memory(ctx, operand(j));
#pragma GCC unroll 16
            for (int r = 0; r < call.results; ++r) out[r] = memory(ctx, target(r));
            if constexpr (call.form == call_form::once) {
                run_body<0>(ctx, arena, in, out);
            } else {
                if (number_at(in[0]) != 0) run_body<0>(ctx, arena, in + 1, out);
                else run_body<1>(ctx, arena, in + 1, out);
            }
        }
    }
    template <int B>
    static void run_body(run_context const& ctx, std::byte* arena, void const* const* in, void* const* out) {
        callee_extents<Program, C, B> const extents(ctx.extents);
        callee<Program, C, B>::run_within(ctx, arena, call_workspace<Program, C>::template layout_of<B>(ctx.extents),
                                          in, out, extents.value);
    }

    /// Of each carry, whether there is a record of it.
    struct carry_forms {
        bool recorded[static_cast<std::size_t>(call.carries > 0 ? call.carries : 1)]{};
        constexpr carry_forms() {
            for (int r = 0; r < call.results; ++r)
                if (rule(r).form == result_form::record) recorded[rule(r).which] = true;
        }
    };
    static constexpr carry_forms own{};

    // What is done between steps, in functions of its own: for a loop that never runs, g++ writes out the one around.

    /// Sequences and stacks, a step on.
    template <int From, int To>
    TAPELESS_CONFIG_INLINE static void advance(void** p, std::int64_t const* bytes) {
#pragma GCC unroll 32
        for (int j = From; j < To; ++j) p[j] = static_cast<std::byte*>(p[j]) + bytes[j];
    }
    TAPELESS_CONFIG_INLINE static void advance_records(void** out, std::int64_t const* bytes) {
#pragma GCC unroll 32
        for (int k = 0; k < call.carries; ++k)
            if (own.recorded[k]) out[k] = static_cast<std::byte*>(out[k]) + bytes[k];
    }
    /// In the last step carries go to the result.
    TAPELESS_CONFIG_INLINE static void redirect(void** out, std::byte* const* last) {
#pragma GCC unroll 32
        for (int k = 0; k < call.carries; ++k)
            if (!own.recorded[k] && last[k]) out[k] = last[k];
    }
    /// What went out comes in; without a record it then goes to where what came in was, or to the other place.
    template <bool Recorded>
    TAPELESS_CONFIG_INLINE static void hand_on(void** in, void** out, std::byte* const* other) {
#pragma GCC unroll 32
        for (int k = 0; k < call.carries; ++k)
            if (own.recorded[k] == Recorded) {
                void* const before = in[k];
                in[k] = out[k];
                if (!Recorded) out[k] = other ? other[k] : before;
            }
    }
    // A step that is computed number by number, and carries numbers only: they stay in registers.

    static constexpr int steering = steering_operands(call.form), inputs = call.operands - steering;
    static constexpr bool is_number(int j) {
        dims const& d = Program::call_operands[call.first_operand + steering + j].shape;
        return d.is_static() && d.static_size() == 1;
    }
    static constexpr numbers<inputs> shared{
        [](int j) { return j >= call.carries + call.sequences && is_number(j); }};
    static constexpr bool holds() {
        for (int k = 0; k < call.carries; ++k)
            if (!is_number(k)) return false;
        return callee<Program, C, 0>::reads_first();
    }
    /// Returns how many steps there were. Of carries, `out` is the first slot of their records that steps write to.
    template <class Layout>
    [[gnu::noinline]] TAPELESS_CONFIG_FLAT static std::int64_t run_numbers(
        run_context const& ctx, std::byte* arena, Layout const& layout, std::int64_t const* extents,
        std::ptrdiff_t const (*strides)[max_rank], std::int64_t steps, void* const* from, void* const* to,
        std::int64_t const* bytes, std::int64_t const* moves, std::byte* const* last) {
        using P = callee<Program, C, 0>;
        constexpr int carries = call.carries, outputs = P::graph_size.outputs;
        room<void*, inputs> in;
        room<void*, outputs> out, slot;
#pragma GCC unroll 32
        for (int j = 0; j < inputs; ++j) in[j] = from[j];
#pragma GCC unroll 32
        for (int o = 0; o < outputs; ++o) out[o] = slot[o] = to[o];
        held_numbers<Program, call.first_operand + steering, shared, std::make_integer_sequence<int, carries>> held(in);
        std::int64_t s = 0;
        held.stand_for(in, out);
        for (; goes_on(s, steps, in); ++s) {
            P::run_within(ctx, arena, layout, in, out, extents, strides, s > 0);
            held.template record<own>(slot, moves);
            advance<carries, carries + call.sequences>(in, bytes);
            advance<carries, outputs>(out, moves);
        }
        held.leave(last);
        return s;
    }
    /// Carries go from one place to the next: along a record, or to and fro between two places, and at last to the
    /// result. Where a step reads everything before it writes anything, one place does.
    static void run_steps(run_context const& ctx, std::byte* arena) {
        using P = callee<Program, C, 0>;
        constexpr int carries = call.carries, outputs = P::graph_size.outputs;
        constexpr bool stays = P::reads_first();
        callee_extents<Program, C, 0> const extents(ctx.extents);
        auto const& layout = call_workspace<Program, C>::template layout_of<0>(ctx.extents);
        std::int64_t const most = extent_of(ctx, call.steps);
        std::int64_t steps = most;
        if constexpr (call.form == call_form::counted) {
            std::int64_t const n = number_at(memory(ctx, operand(0)));
            steps = n > 0 ? n : 0;
        }
        room<std::byte*, inputs> first;
        room<std::int64_t, inputs> bytes;  // of an element of a sequence, or of a carry
#pragma GCC unroll 16
        for (int j = 0; j < inputs; ++j) {
            first[j] = memory(ctx, operand(steering + j));
            bytes[j] = j < carries + call.sequences ? bytes_of(ctx, operand(steering + j), j < carries ? 0 : 1) : 0;
        }
        // sequences whose strides only run time knows
        [[maybe_unused]] std::ptrdiff_t strides[static_cast<std::size_t>(P::has_strided ? inputs : 1)][max_rank];
        if constexpr (P::has_strided)
            for (int j = carries; j < carries + call.sequences; ++j)
                if (loop_operand const& o = operand(steering + j); !o.at.dense) {
                    for (int k = 0; k < o.shape.rank; ++k) strides[j][k] = stride_in(ctx, Program::tables, o.at, k);
                    bytes[j] = strides[j][o.shape.rank - 1] * size_of(o.at.type);
                }
        room<std::byte*, carries> record, last;
        [[maybe_unused]] std::byte* count = nullptr;
        room<std::byte*, outputs> stack;
        room<std::int64_t, outputs> moves;  // bytes from step to step, of records and stacks
        for (int k = 0; k < carries; ++k) record[k] = last[k] = nullptr;
#pragma GCC unroll 16
        for (int r = 0; r < call.results; ++r) {
            call_result const rule = Program::call_results.items[call.first_result + r].rule;
            std::byte* const to = memory(ctx, target(r));
            if (rule.form == result_form::last) last[rule.which] = to;
            else if (rule.form == result_form::record) record[rule.which] = to;
            else if (rule.form == result_form::count) count = to;
            else {
                stack[carries + rule.which] = to;
                moves[carries + rule.which] = bytes_of(ctx, target(r), 1);
            }
        }
        room<std::byte*, carries> other;
        room<void*, inputs> in;
        room<void*, outputs> out;
        constexpr int sign = call.backwards ? -1 : 1;
        std::int64_t const begin = call.backwards && steps > 0 ? steps - 1 : 0;  // the element of the first step
#pragma GCC unroll 32
        for (int j = 0; j < inputs; ++j) {
            in[j] = first[j];
            if (j < carries) continue;
            in[j] = first[j] + begin * bytes[j];
            bytes[j] *= sign;
        }
#pragma GCC unroll 32
        for (int k = 0; k < carries; ++k) {
            if (own.recorded[k]) {  // slot 0 is before the first step; of a record that runs backwards, behind it
                std::byte* const slot = record[k] + (call.backwards ? steps * bytes[k] : 0);
                copy(slot, first[k], bytes[k]);
                moves[k] = sign * bytes[k];
                in[k] = slot;
                out[k] = steps > 0 ? slot + moves[k] : slot;
            } else {
                std::byte* const spare = ctx.arena + ctx.offsets[call.first_spare + k];
                out[k] = spare;
                other[k] = stays ? spare : spare + (bytes[k] + 63) / 64 * 64;
            }
        }
#pragma GCC unroll 32
        for (int o = carries; o < outputs; ++o) {
            out[o] = stack[o] + begin * moves[o];
            moves[o] *= sign;
        }
        std::int64_t s = 0;
        if constexpr (holds()) {
            s = run_numbers(ctx, arena, layout, extents.value, P::has_strided ? strides : nullptr, steps, in, out,
                            bytes, moves, last);
        } else {
            for (bool more = goes_on(s, steps, in); more;) {
                if (call.form != call_form::until && s + 1 == steps) redirect(out, last);
                P::run_within(ctx, arena, layout, in, out, extents.value, P::has_strided ? strides : nullptr, s > 0);
                ++s;
                hand_on<true>(in, out, nullptr);
                if (s == 1) hand_on<false>(in, out, other);
                else if (!stays) hand_on<false>(in, out, nullptr);
                more = goes_on(s, steps, in);
                if (!more) break;
                advance_records(out, moves);
                advance<carries, carries + call.sequences>(in, bytes);
                advance<carries, outputs>(out, moves);
            }
        }
        if (!holds() && stays && s > 1) hand_on<false>(in, out, nullptr);
        if constexpr (call.form == call_form::until)
            if (count) write_number(count, s);
        if constexpr (call.form == call_form::counted)  // see call_header
            for (int o = carries; o < outputs && steps < most; ++o)
                clear(stack[o] + steps * sign * moves[o], sign * moves[o]);
#pragma GCC unroll 16
        for (int k = 0; k < carries; ++k)
            if (!holds() && last[k] && last[k] != in[k]) copy(last[k], in[k], bytes[k]);
    }
};

/// What runs kernel K of a program.
template <class Program, int K, bool Own = (Program::plan.kernels[K].custom >= 0),
          bool Call = (Program::plan.kernels[K].call >= 0)>
struct kernel_executor {
    using type = loop_executor<Program, K>;
};
template <class Program, int K>
struct kernel_executor<Program, K, true, false> {
    using type = custom_loop_executor<Program, K>;
};
template <class Program, int K>
struct kernel_executor<Program, K, false, true> {
    using type = call_executor<Program, K>;
};

}  // namespace tapeless::detail::compile_part
