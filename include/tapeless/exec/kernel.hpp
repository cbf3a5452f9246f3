// SPDX-License-Identifier: MIT
#pragma once
// Lowers one kernel of a plan: nested loops, batches in registers, reductions accumulated in the same pass.

#include <tapeless/exec/carry.hpp>
#include <tapeless/exec/pieces.hpp>
#include <tapeless/exec/product.hpp>
#include <tapeless/exec/tile.hpp>

namespace tapeless::detail::inline exec_part {

/// Kernel K of a program, run as a whole or in pieces.
template <class Program, int K>
struct loop_executor {
    using steps = kernel_steps<Program, K>;
    using loops = kernel_tile<Program, K>;
    using bounds = kernel_bounds<Program, K>;
    using carry = kernel_carry<Program, K>;
    using sums = kernel_sums<Program, K>;
    using info = kernel_info<Program, K>;
    static constexpr auto const& k = info::k;
    static constexpr int A = info::A, W = info::W, J = info::J, U = info::U;
    static constexpr bool splits = can_be_cut<Program, K>();
    using frame = typename info::frame;
    template <int J2>
    using rows = typename info::template rows<J2>;
    template <int J2>
    using scope = typename info::template scope<J2, no_cells>;
    template <int R>
    using root_type = typename info::template root_type<R>;

    // ---- rows ------------------------------------------------------------------------------------------------------

    /// What is left behind once a row: reductions of it, and values that vary along outer axes only.
    static constexpr bool leaves_value(root const& t) {
        return t.level < A && (t.level > 0 || A == 1) && t.slot != after_everything;
    }
    static constexpr bool leaves_number(root const& t) {
        return t.how == target::row || (t.how == target::partial && t.level == A);
    }
    static constexpr numbers<k.roots> left_numbers{
        [](int i) { return info::root_at(i).place >= 0 && leaves_number(info::root_at(i)); }};
    static constexpr numbers<k.roots> left_values{[](int i) {
        return info::root_at(i).place >= 0 && !leaves_number(info::root_at(i)) && leaves_value(info::root_at(i));
    }};
    static constexpr number_form form_of_number(int r) {
        root const& t = info::root_at(r);
        bool const combines = t.how != target::row && t.how != target::store;
        return {combines ? t.combine : combination::none, combines && t.carry >= 0 ? carry_axis(t) : -1,
                t.adds && !leaves_number(t), A, bytes_of_index(info::places, t.place)};
    }
    template <class X, int... N, int... M>
    TAPELESS_CONFIG_INLINE static void leave_row(X const& x, [[maybe_unused]] int rows,
                                                 std::integer_sequence<int, N...>, std::integer_sequence<int, M...>) {
        (leave_numbers<form_of_number(left_numbers.at[N]),
                       typename info::template root_value<left_numbers.at[N]>::memory_element>(
             x, info::roots[left_numbers.at[N]], *x.result, left_numbers.at[N] * rows, rows),
         ...);
        (leave_singles<form_of_number(left_values.at[M]),
                       typename info::template root_value<left_values.at[M]>::memory_element>(
             x, info::roots[left_values.at[M]],
             static_cast<typename X::template cell_of<step_of<left_values.at[M]>>&>(
                 *static_cast<typename X::template holder<step_of<left_values.at[M]>>*>(
                     x.cells[info::where.at[step_of<left_values.at[M]>]]))
                 .v,
             info::where.at[step_of<left_values.at[M]>], rows),
         ...);
    }
    template <int R>
    static constexpr int step_of = info::root_at(R).step;

    template <int J2, int... P>
    TAPELESS_CONFIG_PIECE static void row(frame& f, std::int64_t first, std::integer_sequence<int, P...>) {
        rows<J2> r;
        if constexpr (splits && A == 1)  // the compiler cannot know which phases are left out below
            if (f.part->stage != run_stage::whole) r = rows<J2>{};
        r.first = first;
        if constexpr (A > 1) f.at[A > 1 ? A - 2 : 0] = first;
        [[maybe_unused]] typename info::moved_places moved;
        moved.any = false;
        if constexpr (info::bounded.count > 0) bounds::find_columns(f, r, moved);
        if constexpr (splits && A == 1) {
            bool const piece = f.part->stage == run_stage::piece, whole = f.part->stage == run_stage::whole;
            int const known = whole ? 0 : piece ? f.part->phase : k.phases;  // phases that are done
            if (known > 0) sums::combine_numbers_before(r.result, *f.part, known);
            ((piece && P > known ? void() : loops::template phase<P>(f, r, whole || (piece && P == known))), ...);
            if (piece) return sums::keep_numbers(r.result, *f.part);
        } else (loops::template phase<P>(f, r), ...);
        if constexpr (info::read_bounds.count > 0) bounds::move_back(f, moved);
        if constexpr (k.row[k.phases].size() > 0) {
#pragma GCC unroll 16
            for (int j = 0; j < J2; ++j)
                steps::template evaluate<k.row[k.phases].begin, -1, tile_edge::none>(
                    scope<J2>{outer_position(f, info::places, f.found, Program::tables, &r.result, J2, first + j, j),
                              {&f, &r},
                              f.scratch},
                    typename info::template range<k.row[k.phases].begin, k.row[k.phases].end>{});
        }
        if constexpr (left_numbers.count + left_values.count > 0)
            leave_row(scope<J2>{outer_position(f, info::places, f.found, Program::tables, &r.result, J2, first, 0),
                                {&f, &r},
                                f.scratch},
                      J2, each_of<left_numbers>{}, each_of<left_values>{});
        if constexpr (info::everything.count > 0) {
            f.since += static_cast<int>(f.extent[A - 1] / (U * W)) + 1;
            if (f.since >= loops::block) {
                f.all.flush();
                f.since = 0;
            }
        }
    }
    using phases = std::make_integer_sequence<int, k.phases>;

    /// Whether rows may be computed twice: all that is left behind are numbers of each row, which are written over
    /// nothing that is read (see goes_in_step). Then the last rows are as many at once as all others.
    static constexpr bool find_repeats_rows() {
        if (J == 1 || k.product >= 0 || k.carries || k.roots == 0) return false;
        for (int r = 0; r < k.roots; ++r)
            if (info::root_at(r).how != target::row) return false;
        return true;
    }
    static constexpr bool repeats_rows = find_repeats_rows();
    /// Of a row alone, whole tiles cost little more than its share of several rows.
    static constexpr int least_left = k.steps <= loops::steps_of_products ? 2 : 1;

    /// Positions `from` to `to` of loop L; the last but one goes row by row.
    template <int L>
    TAPELESS_CONFIG_PIECE static void loop(frame& f, std::int64_t from, std::int64_t to) {
        std::int64_t i = from;
        if constexpr (L == A - 2) {
            if constexpr (info::bounded.count > 0) bounds::find_parts(f);
            for (; i + J <= to || (repeats_rows && i + least_left <= to && i - from >= J); i += J) {
                if constexpr (repeats_rows) i = i + J <= to ? i : to - J;
                row<J>(f, i, phases{});
                if constexpr (k.carries) carry::template take_up_carries<L>(f, i + J);
            }
            if constexpr (J > machine::summed_rows && J == machine::rows_of_products && Program::optimised &&
                          info::sums_rows(0) && (k.extent[L] < 0 || k.extent[L] % J >= J / 2))
                if (i + J / 2 <= to) {
                    row<J / 2>(f, i, phases{});
                    i += J / 2;
                    if constexpr (k.carries) carry::template take_up_carries<L>(f, i);
                }
            if constexpr (J > 1 && (k.extent[L] < 0 || k.extent[L] % J != 0 || k.product >= 0))
                for (; i < to; ++i) {
                    row<1>(f, i, phases{});
                    if constexpr (k.carries) carry::template take_up_carries<L>(f, i + 1);
                }
        } else {
            for (; i < to; ++i) {
                f.at[L] = i;
                if constexpr (k.outer[L + 1].size() > 0)
                    steps::template evaluate<k.outer[L + 1].begin, -1, tile_edge::none>(
                        scope<1>{outer_position(f, info::places, f.found, Program::tables, &f.result, 1,
                                                f.at[A - 2], 0),
                                 {&f},
                                 f.scratch},
                        typename info::template range<k.outer[L + 1].begin, k.outer[L + 1].end>{});
                if constexpr (L + 1 == A - 2 && k.product >= 0)
                    kernel_product<Program, K>::template run<loop_executor>(f);
                else loop<L + 1>(f, 0, f.extent[L + 1]);
                if constexpr (k.carries) carry::template take_up_carries<L>(f, i + 1);
            }
        }
    }

    // ---- the whole -------------------------------------------------------------------------------------------------

    /// A product of a few numbers is no call.
    static constexpr bool is_tiny() {
        if constexpr (k.product < 0 || k.loops || !Program::optimised) return false;
        else return kernel_product<Program, K>::is_tiny();
    }
    /// Nor is a body that is computed number by number: its caller's loop keeps pointers in registers.
    static constexpr bool is_step() { return Program::number > 0 && Program::reads_first(); }
    [[gnu::noinline]] TAPELESS_CONFIG_FLAT static void run_apart(run_context const& ctx, int which) {
        run_here(ctx, which, whole_kernel);
    }
    TAPELESS_CONFIG_FLAT TAPELESS_CONFIG_INLINE static void run_at_once(run_context const& ctx, int which) {
        run_here(ctx, which, whole_kernel);
    }
    static void run_plainly(run_context const& ctx, int which) { run_here(ctx, which, whole_kernel); }
    [[gnu::noinline]] TAPELESS_CONFIG_FLAT static void run_part_of(run_context const& ctx, int which,
                                                                   run_part const& part) {
        run_here(ctx, which, part);
    }
    static void run_by_several(run_context const& ctx, int which) {
        kernel const& now = Program::kernels.items[shared ? which : K];
        if (!is_worth_cutting(ctx, k, now, Program::products.items)) return run_part_of(ctx, which, whole_kernel);
        kernel_in_pieces cut{&ctx,
                             &Program::tables,
                             &now,
                             which,
                             Program::products.items,
                             Program::roots.items,
                             Program::places.items,
                             Program::buffers.items,
                             Program::plan_size.buffers,
                             &run_part_of,
                             &run_on_own<Program::plan_size.buffers>};
        run_in_pieces(cut);
    }
    /// Which of them runs it; where the compiler does not optimise, neither has a purpose.
    using function = void (*)(run_context const&, int);
    static constexpr function find_run() {
        if constexpr (splits) return &run_by_several;
        else if constexpr (!Program::optimised) return &run_plainly;
        else if constexpr (is_tiny() || is_step() || Program::is_few) return &run_at_once;
        else return &run_apart;
    }
    static constexpr function run = find_run();

    static constexpr numbers<k.steps> scratched{[](int i) { return info::step_at(i).scratch >= 0; }};
    static constexpr numbers<k.roots> cleared{[](int r) { return info::root_at(r).clears; }};
    /// What is stored once, after everything.
    static constexpr numbers<k.roots> left_at_last{[](int r) {
        return info::root_at(r).level == 0 && A != 1 && info::root_at(r).how == target::store &&
               info::root_at(r).place >= 0;
    }};
    static constexpr bool shared = Program::is_shared(K);

    TAPELESS_CONFIG_INLINE static void begin(frame& f) {
#if defined(__clang__) && defined(__OPTIMIZE__)  // which would not write out so long a loop
        if constexpr (A == 0 && k.places <= 128) {
            find_lengths(f, k);
            return write_out<k.places>([&](int p) TAPELESS_CONFIG_INLINE {
                find_place(f, k, info::places, f.found, Program::tables, p);
            });
        } else if constexpr (k.places > 16) {  // and here it would write out more than all that computes
            find_lengths(f, k);
#pragma clang loop unroll(disable)
            for (int p = 0; p < k.places; ++p) find_place(f, k, info::places, f.found, Program::tables, p);
            return;
        }
#endif
        begin_loops(f, k, info::places, f.found, Program::tables);
    }

    TAPELESS_CONFIG_PIECE static void run_here(run_context const& ctx, [[maybe_unused]] int which,
                                               [[maybe_unused]] run_part const& part) {
        has_effects();
        frame f;
        f.ctx = &ctx;
        f.now = Program::kernels.items + (shared ? which : K);
        f.places = Program::places.items + f.now->first_place;
        if constexpr (splits) f.part = &part;
        begin(f);
        if constexpr (splits) {
            if (part.stage == run_stage::piece) {
                narrow_loops(f, k, info::places, f.found, part);
                if constexpr (k.summed_arrays != 0) sums::redirect(f, part);
            }
        }
        if constexpr (scratched.count > 0) {
            f.padded = (f.extent[A - 1] + W - 1) / W * W;
#pragma GCC unroll 64
            for (int i = 0; i < scratched.count; ++i)
                f.scratch[scratched.at[i]] =
                    info::steps[scratched.at[i]].kept_in >= 0
                        ? static_cast<std::byte*>(f.found[info::roots[info::steps[scratched.at[i]].kept_in].place].base)
                        : ctx.arena + ctx.offsets[Program::steps.items[f.now->first_step + scratched.at[i]].scratch] +
                    (splits && A == 1 ? f.from[0] * size_of(info::steps[scratched.at[i]].type) : 0);
        }
        if constexpr (cleared.count > 0) {
            if (!splits || part.stage == run_stage::whole || (part.stage == run_stage::before && part.number == 0))
                fill_arrays(f, each_of<cleared>{});
        }
        if constexpr (splits) {
            if (part.stage == run_stage::before) {
                if constexpr (k.product >= 0) kernel_product<Program, K>::pack_common(f, part.from, part.to);
                return;
            }
        }
        if constexpr (info::everything.count > 0) f.all.start();
        if constexpr (k.outer[0].size() > 0)
            steps::template evaluate<k.outer[0].begin, -1, tile_edge::none>(
                scope<1>{outer_position(f, info::places, f.found, Program::tables, &f.result, 1,
                                        A > 1 ? f.at[A > 1 ? A - 2 : 0] : 0, 0),
                         {&f},
                         f.scratch},
                typename info::template range<k.outer[0].begin, k.outer[0].end>{});
        if constexpr (A > 0) {
            if constexpr (carry::needs_identity()) carry::fill_identities(f);
            if constexpr (A == 1 && info::bounded.count > 0) bounds::find_parts(f);
            if constexpr (A == 1) row<1>(f, 0, phases{});
            else if (!splits || part.stage != run_stage::after) {
                if constexpr (A == 2 && k.product >= 0) kernel_product<Program, K>::template run<loop_executor>(f);
                else loop<0>(f, 0, f.extent[0]);
            }
        }
        if constexpr (info::everything.count > 0) {
            f.all.flush();
            f.all.leave(f.result, info::everything.at, 1);
        }
        if constexpr (splits && A > 1) {
            if (part.stage == run_stage::piece) return sums::keep_numbers(f.result, part);
            if (part.stage == run_stage::after) {
                sums::combine_numbers_before(f.result, part, k.phases);
                if constexpr (k.summed_arrays != 0) sums::combine(f, part);
            }
        }
        if constexpr (info::everything.count > 0)
            f.all.store(f.found, info::roots, info::everything.at, f.result);
        if constexpr (splits && A == 1)
            if (part.stage == run_stage::piece) return;
        if constexpr (k.last.size() > 0)
            steps::template evaluate<k.last.begin, -1, tile_edge::none>(
                scope<1>{outer_position(f, info::places, f.found, Program::tables, &f.result, 1,
                                        A > 1 ? f.at[A > 1 ? A - 2 : 0] : 0, 0),
                         {&f},
                         f.scratch},
                typename info::template range<k.last.begin, k.last.end>{});
        if constexpr (left_at_last.count > 0)
            leave_last(scope<1>{{}, {&f}, nullptr}, f.found, each_of<left_at_last>{});
    }
    template <int... N>
    TAPELESS_CONFIG_INLINE static void fill_arrays(frame const& f, std::integer_sequence<int, N...>) {
        (fill_array<root_type<cleared.at[N]>>(
             *f.ctx, Program::tables, f.places[info::roots[cleared.at[N]].place],
             static_cast<root_type<cleared.at[N]>>(info::roots[cleared.at[N]].filling)),
         ...);
    }
    template <class X, int... N>
    TAPELESS_CONFIG_INLINE static void leave_last(X const& x, found_place const* found,
                                                  std::integer_sequence<int, N...>) {
        (leave_one<info::root_at(left_at_last.at[N]).adds,
                   typename info::template root_value<left_at_last.at[N]>::memory_element>(
             found[info::roots[left_at_last.at[N]].place].base,
             static_cast<typename X::template cell_of<step_of<left_at_last.at[N]>>&>(
                 *static_cast<typename X::template holder<step_of<left_at_last.at[N]>>*>(x.cells[0]))
                 .v[0]),
         ...);
    }
};

}  // namespace tapeless::detail::exec_part
