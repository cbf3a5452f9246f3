// SPDX-License-Identifier: MIT
#pragma once
// What a kernel of a plan is made of: its constants, and the types that hold its values, sums and loops while it runs.

#include <tapeless/exec/accumulate.hpp>
#include <tapeless/schedule/plan.hpp>

namespace tapeless::detail {

/// What a plan runs on: the arrays handed in, where results go, and the workspace.
struct run_context {
    void const* const* arguments = nullptr;
    void* const* outputs = nullptr;
    std::byte* arena = nullptr;
    std::int64_t const* offsets = nullptr;  ///< of the buffers in the arena, in bytes
    std::int64_t const* extents = nullptr;  ///< the run-time extents
    /// Strides of arguments, then outputs, whose layout is not known to be dense; axes count from the right.
    std::ptrdiff_t const (*strides)[max_rank] = nullptr;
};

/// The number a reduction came to: exact for int64 too.
struct reduced_number {
    double real = 0;
    std::int64_t whole = 0;
    template <class T>
    TAPELESS_CONFIG_INLINE void set(T x) {
        if constexpr (std::floating_point<T>) real = static_cast<double>(x);
        else whole = static_cast<std::int64_t>(x);
    }
    template <class T>
    TAPELESS_CONFIG_INLINE T get() const {
        if constexpr (std::floating_point<T>) return static_cast<T>(real);
        else return static_cast<T>(whole);
    }
};

/// One value, or one for each of J rows, of step I.
template <int I, class V, int J>
struct cell {
    V v[static_cast<std::size_t>(J)];
};
template <int I, class V, int J>
TAPELESS_CONFIG_INLINE inline V& at(cell<I, V, J>& c, int j) {
    return c.v[j];
}

/// Kernel K of a program: its constants, and the types of what it keeps.
template <class Program, int K>
struct kernel_info {
    using program = Program;
    static constexpr auto const& k = Program::kernels[K];
    static constexpr int A = k.axes, W = k.lanes, J = k.rows_at_once, U = k.unroll;
    static constexpr unsigned inmost = A ? 1u << (A - 1) : 0, row_axis = A > 1 ? 1u << (A - 2) : 0;

    static constexpr step const& step_at(int i) { return Program::steps[k.first_step + i]; }
    /// The operation of step i: for constant expressions only.
    static constexpr operation const& operation_at(int i) { return *Program::plan.steps[k.first_step + i].op; }
    static constexpr root const& root_at(int i) { return Program::roots[k.first_root + i]; }
    static constexpr place const& place_at(int i) { return Program::places[k.first_place + i]; }
    // computed in a struct: g++ 12 does not survive these calls inside an alias
    template <int I>
    struct step_value {
        static constexpr dtype type = Program::steps[k.first_step + I].type;
        using element = typename type_of_dtype<type>::type;
        using value_type = value<element, W>;
    };
    template <int I>
    using value_of = typename step_value<I>::value_type;
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
        return !is_inner(i) && (step_at(i).slot > 0 ? step_at(i).slot != after_everything : A > 1 && step_at(i).level == A - 1);
    }

    // ---- storage ---------------------------------------------------------------------------------------------------

    template <int J2, int Tag, int Begin, class Indices>
    struct cells_of;
    template <int J2, int Tag, int Begin, std::size_t... I>
    struct cells_of<J2, Tag, Begin, std::index_sequence<I...>>
        : cell<Program::order[Begin + static_cast<int>(I)], value_of<Program::order[Begin + static_cast<int>(I)]>, J2>... {};
    template <int J2, int Tag, int Begin, int End>
    using cells = cells_of<J2, Tag, Begin, std::make_index_sequence<static_cast<std::size_t>(End - Begin)>>;

    template <int Level, class = void>
    struct outer_cells : cells<1, Level, k.outer[Level].begin, k.outer[Level].end>, outer_cells<Level + 1> {};
    template <int Level>
    struct outer_cells<Level, std::enable_if_t<(Level >= (A > 0 ? A : 1))>> : cells<1, Level, k.last.begin, k.last.end> {};

    template <int J2, int P, class = void>
    struct row_cells : cells<J2, P, k.row[P].begin, k.row[P].end>, row_cells<J2, P + 1> {};
    template <int J2, int P>
    struct row_cells<J2, P, std::enable_if_t<(P > k.phases)>> {};

    /// The accumulator of root R: several registers a row, and what blocks of them added up to.
    template <int R>
    struct accumulator {
        using T = root_type<R>;
        static constexpr reduction C = root_at(R).combine;
        // one number in all: four chains of additions are enough for any tile; one a row: as many as keep four going
        static constexpr bool single = root_at(R).how == target::everything;
        static constexpr int rows_kept = single ? 1 : J;
        static constexpr int chains = single ? (J * U < 4 ? J * U : 4) : (J >= 4 ? 1 : U);
        value<T, W> part[static_cast<std::size_t>(rows_kept)][static_cast<std::size_t>(chains)];
        total<C, T> sum[static_cast<std::size_t>(rows_kept)];

        /// Where row j, batch u of a tile goes.
        TAPELESS_CONFIG_INLINE value<T, W>& chain(int row, int batch) {
            if constexpr (single) return part[0][(row * U + batch) % chains];
            else return part[row][batch % chains];
        }
        TAPELESS_CONFIG_INLINE void clear() {
            repeat<rows_kept * chains>([&](int c) TAPELESS_CONFIG_INLINE { splat(part[c / chains][c % chains], identity<C, T>()); });
        }
        TAPELESS_CONFIG_INLINE void flush() {
            constexpr int registers = value<T, W>::registers;
            repeat<rows_kept>([&](int j) TAPELESS_CONFIG_INLINE {
                simd::batch<T> b = part[j][0].reg[0];
                repeat<chains * registers, 1>([&](int c) TAPELESS_CONFIG_INLINE {
                    b = combine<C>(b, part[j][c / registers].reg[c % registers]);
                });
                sum[j].add(b);
            });
            clear();
        }
    };
    template <int R, bool Wanted>
    struct accumulator_cell {};
    template <int R>
    struct accumulator_cell<R, true> {
        accumulator<R> acc;
    };
    template <int R, class Cells>
    TAPELESS_CONFIG_INLINE static accumulator<R>& accumulator_of(Cells& c) {
        return static_cast<accumulator_cell<R, true>&>(c).acc;
    }
    static constexpr bool in_registers(int r, int phase, target how) {
        return root_at(r).how == how && root_at(r).level == A && (phase < 0 || root_at(r).slot == phase);
    }
    template <int Phase, target How, class = std::make_index_sequence<static_cast<std::size_t>(k.roots)>>
    struct accumulators;
    template <int Phase, target How, std::size_t... R>
    struct accumulators<Phase, How, std::index_sequence<R...>>
        : accumulator_cell<static_cast<int>(R), in_registers(static_cast<int>(R), Phase, How)>... {
        static constexpr numbers<k.roots> here{[](int r) { return in_registers(r, Phase, How); }};
        /// Calls fn with the index of each root accumulated here, and its accumulator.
        template <class F>
        TAPELESS_CONFIG_INLINE void each_accumulator(F const& fn) {
            [&]<int... N>(std::integer_sequence<int, N...>) TAPELESS_CONFIG_INLINE {
                (fn(index<static_cast<std::size_t>(here.at[N])>{}, accumulator_of<here.at[N]>(*this)), ...);
            }(std::make_integer_sequence<int, here.count>{});
        }
    };
    /// What phase P adds up within its rows.
    template <int P>
    struct phase_accumulators : accumulators<P, target::row>, accumulators<P, target::partial> {
        template <class F>
        TAPELESS_CONFIG_INLINE void each_accumulator(F const& fn) {
            accumulators<P, target::row>::each_accumulator(fn);
            accumulators<P, target::partial>::each_accumulator(fn);
        }
    };

    /// What one run of the kernel knows.
    struct frame : outer_cells<0>, accumulators<-1, target::everything> {
        using info = kernel_info;
        run_context const& ctx;
        std::int64_t extent[static_cast<std::size_t>(A > 0 ? A : 1)];
        std::int64_t at[static_cast<std::size_t>(A > 0 ? A : 1)]{};     ///< where the loops are
        std::int64_t begin[static_cast<std::size_t>(A > 0 ? A : 1)]{};  ///< where the block of sums that are carried along this axis began
        void* base[static_cast<std::size_t>(k.places > 0 ? k.places : 1)];
        std::ptrdiff_t stride[static_cast<std::size_t>(k.places > 0 ? k.places : 1)][static_cast<std::size_t>(A > 0 ? A : 1)];
        std::byte* scratch[static_cast<std::size_t>(k.steps > 0 ? k.steps : 1)];
        std::int64_t padded = 0;  ///< length of a scratch row
        std::int64_t first_row = 0;  ///< of the product's rows that are at hand
        int since = 0;            ///< tiles since the sums were flushed
        reduced_number result[static_cast<std::size_t>(k.roots > 0 ? k.roots : 1)]{};
        int which;  ///< the kernel that runs: this one, or another that is the same code
        explicit frame(run_context const& c, int w) : ctx(c), which(w) {}

        // What kernels that are the same code do not have in common is asked for here.
        TAPELESS_CONFIG_INLINE kernel const& now() const { return Program::kernels.items[Program::is_shared(K) ? which : K]; }
        TAPELESS_CONFIG_INLINE place const& place_now(int p) const { return Program::places.items[now().first_place + p]; }
        TAPELESS_CONFIG_INLINE product const& product_now() const { return Program::products.items[now().product]; }
        /// Buffers: of a step's scratch rows, and of a root's carried sums.
        TAPELESS_CONFIG_INLINE std::byte* scratch_now(int i) const {
            return ctx.arena + ctx.offsets[Program::steps.items[now().first_step + i].scratch];
        }
        TAPELESS_CONFIG_INLINE std::byte* carry_now(int r) const {
            return ctx.arena + ctx.offsets[Program::roots.items[now().first_root + r].carry];
        }
    };

    /// What one block of rows knows.
    template <int J2>
    struct rows : row_cells<J2, 0> {
        std::int64_t first = 0;  ///< the first row
        reduced_number result[static_cast<std::size_t>(k.roots > 0 ? k.roots : 1)][static_cast<std::size_t>(J2)];
    };

    /// What goes to memory waits until all rows of a tile are computed: the loads of the next row need not wait for it.
    static constexpr bool waits(int r, int phase) {
        return root_at(r).level == A && root_at(r).slot == phase &&
               (root_at(r).how == target::column || (root_at(r).how == target::store && root_at(r).place >= 0));
    }
    /// The roots that take a value of phase P, and those of them that wait.
    template <int P>
    static constexpr numbers<k.roots> taken{[](int r) {
        return root_at(r).level == A && root_at(r).slot == P && (root_at(r).combine != reduction::none || root_at(r).place >= 0);
    }};
    template <int P>
    static constexpr numbers<k.roots> waiting_roots{[](int r) { return waits(r, P); }};
    static constexpr bool sums_rows(int r) { return root_at(r).how == target::column && (root_at(r).reduced & row_axis) != 0; }
    template <int R, int J2, bool Wanted>
    struct waiting {};
    template <int R, int J2>
    struct waiting<R, J2, true> {
        value<root_type<R>, W> v[static_cast<std::size_t>(sums_rows(R) ? 1 : J2)];
    };
    template <int P, int J2, class = std::make_index_sequence<static_cast<std::size_t>(k.roots)>>
    struct waiting_values;
    template <int P, int J2, std::size_t... R>
    struct waiting_values<P, J2, std::index_sequence<R...>>
        : waiting<static_cast<int>(R), J2, waits(static_cast<int>(R), P)>... {};
};

}  // namespace tapeless::detail
