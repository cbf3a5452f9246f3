// SPDX-License-Identifier: MIT
#pragma once
// What a kernel of a plan is made of: its constants, and the types that hold its values, sums and loops while it runs.

#include <tapeless/exec/leave.hpp>
#include <tapeless/exec/row_ends.hpp>

namespace tapeless::detail::inline exec_part {

/// One value, or one for each of J rows, of step I.
template <int I, class V, int J>
struct cell {
    V v[static_cast<std::size_t>(J)];
};
struct no_cells {};

/// Kernel K of a program: its constants, and the types of what it keeps.
template <class Program, int K>
struct kernel_info {
    static constexpr auto const& k = Program::kernels[K];
    static constexpr int A = k.axes, W = k.lanes, J = k.rows_at_once, U = k.unroll;
    /// The lanes of a tile at the end of a row whose length only run time knows: what is left is done batch by batch.
    static constexpr int E = A > 0 && k.extent[A > 0 ? A - 1 : 0] < 0 ? W / k.side_by_side : W;
    static constexpr unsigned inmost = A ? 1u << (A - 1) : 0, row_axis = A > 1 ? 1u << (A - 2) : 0;

    static constexpr step const& step_at(int i) { return Program::steps[k.first_step + i]; }
    static constexpr step_operation const& operation_at(int i) { return Program::step_operations[k.first_step + i]; }
    static constexpr root const& root_at(int i) { return Program::roots[k.first_root + i]; }
    static constexpr place const& place_at(int i) { return Program::places[k.first_place + i]; }
    // the same for run time: at -O0 there would be a function of each kernel
    static constexpr step const* steps = Program::steps.items + k.first_step;
    static constexpr root const* roots = Program::roots.items + k.first_root;
    static constexpr place const* places = Program::places.items + k.first_place;
    // computed in a struct: g++ 12 does not survive these calls inside an alias
    template <int I>
    struct step_value {
        static constexpr dtype type = Program::steps[k.first_step + I].type;
        using element = typename type_of_dtype<type>::type;
    };
    template <int I, int Lanes = W>
    using value_of = value<typename step_value<I>::element, Lanes>;
    template <int R>
    struct root_value {
        static constexpr dtype type = Program::roots[k.first_root + R].type;
        using element = typename type_of_dtype<type>::type;
        static constexpr dtype in_memory = is_mask(type) ? dtype::b8 : type;
        using memory_element = typename type_of_dtype<in_memory>::type;
    };
    template <int R>
    using root_type = typename root_value<R>::element;

    static constexpr bool is_inner(int i) { return (step_at(i).varies & inmost) != 0; }
    static constexpr bool is_column(int i) { return row_axis && !(step_at(i).varies & row_axis); }
    static constexpr bool is_row(int i) {
        return !is_inner(i) &&
               (step_at(i).slot > 0 ? step_at(i).slot != after_everything : A > 1 && step_at(i).level == A - 1);
    }

    // ---- bounds ----------------------------------------------------------------------------------------------------

    /// The steps inside the vector loop that are not computed everywhere, each of their bounds once.
    static constexpr numbers<k.steps> bounded{[](int i) {
        if (step_at(i).bounds < 0 || !is_inner(i)) return false;
        for (int j = 0; j < i; ++j)
            if (step_at(j).bounds == step_at(i).bounds && is_inner(j)) return false;
        return true;
    }};
    struct bound_numbers {
        int at[static_cast<std::size_t>(bounded.count > 0 ? k.steps : 1)]{};
        constexpr bound_numbers() {
            for (int i = 0; bounded.count > 0 && i < k.steps; ++i)
                for (int j = 0; j < bounded.count; ++j)
                    if (step_at(bounded.at[j]).bounds == step_at(i).bounds) at[i] = j;
        }
    };
    /// Which of these bounds each step has.
    static constexpr bound_numbers bound{};
    static constexpr bool wraps(int i) {
        for (int b = step_at(i).bounds; b >= 0; b = Program::bounds[b].rest)
            if (Program::bounds[b].wraps >= 0) return true;
        return false;
    }
    /// Whether the bounds of step i differ from column to column.
    static constexpr bool is_bounded_along_columns(int i) {
        if constexpr (A > 0)
            for (int b = step_at(i).bounds; b >= 0; b = Program::bounds[b].rest)
                if (Program::bounds[b].step[k.group[A] - 1] != 0) return true;
        return false;
    }
    /// Whether step i only reads, and is alone in what it reads: in a row beyond its bounds it can read elsewhere.
    static constexpr bool reads_alone(int i) {
        step const& s = step_at(i);
        if (s.kind != step_kind::load || place_at(s.place).where == memory::panel) return false;
        for (int j = 0; j < k.steps; ++j)
            if (j != i && step_at(j).kind == step_kind::load && step_at(j).place == s.place) return false;
        for (int r = 0; r < k.roots; ++r)
            if (root_at(r).place == s.place) return false;
        return true;
    }
    /// The bounds all of whose steps are such.
    static constexpr numbers<bounded.count> read_bounds{[](int b) {
        if (A < 2 || J > 1) return false;
        for (int i = 0; i < k.steps; ++i)
            if (step_at(i).bounds >= 0 && bound.at[i] == b && !(is_inner(i) && reads_alone(i))) return false;
        return true;
    }};

    /// How many registers the values of all steps that load within bounds have, where they have equally many.
    static constexpr int registers_at_ends() {
        int lanes = 0;
        for (int n = 0; n < k.steps; ++n) {
            step const& s = step_at(n);
            if (s.bounds < 0 || !is_inner(n) || s.kind != step_kind::load) continue;
            if (s.type != dtype::f32 && s.type != dtype::f64) return 0;
            if (lanes != 0 && lanes_of(s.type) != lanes) return 0;
            lanes = lanes_of(s.type);
        }
        return A < 2 || lanes == 0 || !Program::optimised ? 0 : W / lanes;
    }
    using element_at_ends = std::conditional_t<W == registers_at_ends() * simd::lanes<float>, float, double>;
    static constexpr int R = registers_at_ends(), end_count = bounded.count * R;

    // ---- storage ---------------------------------------------------------------------------------------------------

    struct homes {
        int at[static_cast<std::size_t>(k.steps > 0 ? k.steps : 1)]{};
        constexpr homes() {
            for (int i = 0; i < k.steps; ++i) at[i] = is_inner(i) ? 2 : is_row(i) ? 1 : 0;
        }
    };
    /// Where the value of each step is kept.
    static constexpr homes where{};

    /// Steps Begin to End - 1 of the plan's order.
    template <int Begin, class Indices>
    struct range_of;
    template <int Begin, int... N>
    struct range_of<Begin, std::integer_sequence<int, N...>> {
        using type = std::integer_sequence<int, Program::order[Begin + N]...>;
    };
    template <int Begin, int End>
    using range = typename range_of<Begin, std::make_integer_sequence<int, End - Begin>>::type;

    template <int J2, int Tag, int Lanes, class Steps>
    struct cells_of;
    template <int J2, int Tag, int Lanes, int... I>
    struct cells_of<J2, Tag, Lanes, std::integer_sequence<int, I...>> : cell<I, value_of<I, Lanes>, J2>... {};
    template <int J2, int Tag, int Begin, int End, int Lanes = W>
    using cells = cells_of<J2, Tag, Lanes, range<Begin, End>>;

    template <int Level, class = void>
    struct outer_cells : cells<1, Level, k.outer[Level].begin, k.outer[Level].end>, outer_cells<Level + 1> {};
    template <int Level>
    struct outer_cells<Level, std::enable_if_t<(Level >= (A > 0 ? A : 1))>>
        : cells<1, Level, k.last.begin, k.last.end> {};

    template <int J2, int P, class = void>
    struct row_cells : cells<J2, P, k.row[P].begin, k.row[P].end>, row_cells<J2, P + 1> {};
    template <int J2, int P>
    struct row_cells<J2, P, std::enable_if_t<(P > k.phases)>> {};

    /// The accumulator of root R.
    template <int R>
    struct accumulator_of_root {
        // one number in all: four chains of additions are enough for any tile; one a row: as many as keep eight going
        static constexpr bool single = Program::roots[k.first_root + R].how == target::everything;
        static constexpr int chains = single ? (J * U < 4 ? J * U : 4) : (J >= 8 ? 1 : J >= 4 && U > 2 ? 2 : U);
        using type = accumulator<Program::roots[k.first_root + R].combine, root_type<R>, W, single ? 1 : J, chains,
                                 single ? U : 0>;
    };
    /// The roots that phase P adds up within its rows, and those that are one number in all.
    template <int P>
    static constexpr numbers<k.roots> summed{[](int r) {
        return (root_at(r).how == target::row || root_at(r).how == target::partial) && root_at(r).level == A &&
               root_at(r).slot == P;
    }};
    static constexpr numbers<k.roots> everything{
        [](int r) { return root_at(r).how == target::everything && root_at(r).level == A; }};
    template <auto const& Roots, class = each_of<Roots>>
    struct accumulators_of;
    template <auto const& Roots, int... N>
    struct accumulators_of<Roots, std::integer_sequence<int, N...>> {
        using type =
            accumulator_set<std::integer_sequence<int, N...>, typename accumulator_of_root<Roots.at[N]>::type...>;
    };
    template <auto const& Roots>
    using accumulators = typename accumulators_of<Roots>::type;

    /// What one run of the kernel knows.
    struct frame : loop_state, outer_cells<0> {
        accumulators<everything> all;
        found_place found[static_cast<std::size_t>(k.places > 0 ? k.places : 1)];
        std::byte* scratch[static_cast<std::size_t>(k.steps > 0 ? k.steps : 1)];
        reduced_number result[static_cast<std::size_t>(k.roots > 0 ? k.roots : 1)];
        bounded_part within[static_cast<std::size_t>(bounded.count > 0 ? bounded.count : 1)];
        /// Most rows are alike: the columns of each bound, those within all of them, and the rows of which that holds.
        element_range columns[static_cast<std::size_t>((bounded.count > 0 ? bounded.count : 1) * J)];
        element_range free, alike;
        /// Of a row's first tile, of its last.
        moved_registers ends[static_cast<std::size_t>(end_count > 0 ? 2 * end_count : 1)];
        bool knows_ends;
    };
    /// What one block of rows knows.
    template <int J2>
    struct rows : row_cells<J2, 0> {
        static constexpr int count = J2;
        std::int64_t first;  ///< the first row
        reduced_number result[static_cast<std::size_t>((k.roots > 0 ? k.roots : 1) * J2)];
        element_range const* within;  ///< of each bound: the columns of each row
        element_range free;           ///< those within all of them
        moved_registers const* ends;
        element_range columns[static_cast<std::size_t>((bounded.count > 0 ? bounded.count : 1) * J2)];
    };

    /// Where arrays really are, while rows of them are read elsewhere. (Not part of the others: g++ would think that
    /// what is stored in arrays may be these.)
    struct moved_places {
        bool any;
        void* base[static_cast<std::size_t>(read_bounds.count > 0 ? k.places : 1)];
    };

    /// A position and the values that are known there: in the frame, in its rows, and in the tile.
    template <int J2, class Tile, int Lanes = W>
    struct scope : loop_position {
        static constexpr int lanes = Lanes;  ///< those of the tile
        void* cells[3];
        std::byte* const* scratch;
        template <int I>
        using holder =
            std::conditional_t<where.at[I] == 0, frame, std::conditional_t<where.at[I] == 1, rows<J2>, Tile>>;
        template <int I>
        using cell_of = cell<I, value_of<I, where.at[I] == 2 ? Lanes : W>, where.at[I] == 1 ? J2 : 1>;
    };
    /// What goes to memory waits until all rows of a tile are computed: the loads of the next row need not wait for it.
    static constexpr bool waits(int r, int phase) {
        return root_at(r).level == A && root_at(r).slot == phase &&
               (root_at(r).how == target::column || (root_at(r).how == target::store && root_at(r).place >= 0));
    }
    /// The roots that take a value of phase P, and those of them that wait.
    template <int P>
    static constexpr numbers<k.roots> taken{[](int r) {
        return root_at(r).level == A && root_at(r).slot == P &&
               (root_at(r).combine != combination::none || root_at(r).place >= 0);
    }};
    template <int P>
    static constexpr numbers<k.roots> waiting_roots{[](int r) { return waits(r, P); }};
    static constexpr bool sums_rows(int r) {
        return root_at(r).how == target::column && (root_at(r).reduced & row_axis) != 0;
    }
    template <int R, int J2, int Lanes>
    struct waiting_value {
        static constexpr root const& t = Program::roots[k.first_root + R];
        static constexpr bool column = t.how == target::column;
        using type = waiting<waiting_form{column ? t.combine : combination::none,
                                          column&& t.carry >= 0 ? carry_axis(t) : -1, sums_rows(R), t.adds && !column,
                                          bytes_of_index(places, t.place)},
                             root_type<R>, typename root_value<R>::memory_element, Lanes,
                             sums_rows(R) ? (J2 < 8 ? 1 : 2) : J2>;
    };
    template <int P, int J2, int Lanes, class = each_of<waiting_roots<P>>>
    struct waiting_values;
    template <int P, int J2, int Lanes, int... N>
    struct waiting_values<P, J2, Lanes, std::integer_sequence<int, N...>>
        : numbered<N, typename waiting_value<waiting_roots<P>.at[N], J2, Lanes>::type>... {};
};

}  // namespace tapeless::detail::exec_part
