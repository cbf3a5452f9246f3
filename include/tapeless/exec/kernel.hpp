// SPDX-License-Identifier: MIT
#pragma once
// Lowers one kernel of a plan: nested loops, xsimd batches in registers, reductions accumulated in the same pass.

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

template <class Program, int K>
struct executor {
    static constexpr auto const& plan = Program::plan;
    static constexpr auto const& k = plan.kernels[K];
    static constexpr int A = k.axes, W = k.lanes, J = k.rows_at_once, U = k.unroll;
    static constexpr unsigned inmost = A ? 1u << (A - 1) : 0, row_axis = A > 1 ? 1u << (A - 2) : 0;

    static constexpr step const& step_at(int i) { return plan.steps[k.first_step + i]; }
    static constexpr root const& root_at(int i) { return plan.roots[k.first_root + i]; }
    static constexpr place const& place_at(int i) { return plan.places[k.first_place + i]; }
    // computed in a struct: g++ 12 does not survive these calls inside an alias
    template <int I>
    struct step_value {
        static constexpr dtype type = plan.steps[k.first_step + I].type;
        using element = typename type_of_dtype<type>::type;
        using value_type = value<element, W>;
    };
    template <int I>
    using value_of = typename step_value<I>::value_type;
    template <int R>
    struct root_value {
        static constexpr dtype type = plan.roots[k.first_root + R].type;
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
        : cell<plan.order[Begin + static_cast<int>(I)], value_of<plan.order[Begin + static_cast<int>(I)]>, J2>... {};
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
        template <int Row, int Batch>
        TAPELESS_CONFIG_INLINE value<T, W>& chain() {
            if constexpr (single) return part[0][(Row * U + Batch) % chains];
            else return part[Row][Batch % chains];
        }
        TAPELESS_CONFIG_INLINE void clear() {
            unroll<rows_kept * chains>([&](auto c) TAPELESS_CONFIG_INLINE {
                splat(part[c.i / chains][c.i % chains], identity<C, T>());
            });
        }
        TAPELESS_CONFIG_INLINE void flush() {
            unroll<rows_kept>([&](auto j) TAPELESS_CONFIG_INLINE {
                simd::batch<T> b = part[j.i][0].reg[0];
                unroll<chains>([&](auto u) TAPELESS_CONFIG_INLINE {
                    each_register<value<T, W>>([&](auto r) TAPELESS_CONFIG_INLINE {
                        if constexpr (u.i + r.i > 0) b = combine<C>(b, part[j.i][u.i].reg[r.i]);
                    });
                });
                sum[j.i].add(b);
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
    static constexpr bool in_registers(int r, int phase, target how) {
        return root_at(r).how == how && root_at(r).level == A && (phase < 0 || root_at(r).slot == phase);
    }
    template <int Phase, target How, class = std::make_index_sequence<static_cast<std::size_t>(k.roots)>>
    struct accumulators;
    template <int Phase, target How, std::size_t... R>
    struct accumulators<Phase, How, std::index_sequence<R...>>
        : accumulator_cell<static_cast<int>(R), in_registers(static_cast<int>(R), Phase, How)>... {};
    template <int R, class Cells>
    TAPELESS_CONFIG_INLINE static accumulator<R>& accumulator_of(Cells& c) {
        return static_cast<accumulator_cell<R, true>&>(c).acc;
    }

    struct frame : outer_cells<0>, accumulators<-1, target::everything> {
        run_context const& ctx;
        std::int64_t extent[static_cast<std::size_t>(A > 0 ? A : 1)];
        std::int64_t at[static_cast<std::size_t>(A > 0 ? A : 1)]{};     ///< where the loops are
        std::int64_t begin[static_cast<std::size_t>(A > 0 ? A : 1)]{};  ///< where the block of a carried sum began
        void* base[static_cast<std::size_t>(k.places > 0 ? k.places : 1)];
        std::ptrdiff_t stride[static_cast<std::size_t>(k.places > 0 ? k.places : 1)][static_cast<std::size_t>(A > 0 ? A : 1)];
        std::byte* scratch[static_cast<std::size_t>(k.steps > 0 ? k.steps : 1)];
        std::int64_t padded = 0;  ///< length of a scratch row
        int since = 0;            ///< tiles since the sums were flushed
        reduced_number result[static_cast<std::size_t>(k.roots > 0 ? k.roots : 1)]{};
        explicit frame(run_context const& c) : ctx(c) {}
    };

    /// What one block of rows knows.
    template <int J2>
    struct rows : row_cells<J2, 0> {
        std::int64_t first = 0;  ///< the first row
        reduced_number result[static_cast<std::size_t>(k.roots > 0 ? k.roots : 1)][static_cast<std::size_t>(J2)];
    };

    // ---- memory ----------------------------------------------------------------------------------------------------

    TAPELESS_CONFIG_INLINE static std::int64_t extent_of(run_context const& ctx, std::int64_t e) { return e >= 0 ? e : ctx.extents[~e]; }

    template <int P>
    TAPELESS_CONFIG_INLINE static void bind(frame& f) {
        constexpr place const& p = place_at(P);
        if constexpr (p.where == memory::argument) f.base[P] = const_cast<void*>(f.ctx.arguments[p.index]);
        else if constexpr (p.where == memory::output) f.base[P] = f.ctx.outputs[p.index];
        else f.base[P] = f.ctx.arena + f.ctx.offsets[p.index];
        unroll<A>([&](auto l) TAPELESS_CONFIG_INLINE {
            constexpr int L = l.i, axis = p.map.axis(L);
            if constexpr (axis != walk_map::none && p.stride[L] < 0) {
                if constexpr (p.dense) {
                    constexpr dims const& d = Program::graph.shapes[Program::graph.nodes[p.node].shape];
                    std::ptrdiff_t s = 1;
                    for (int j = 0; j < axis; ++j) s *= extent_of(f.ctx, d.from_right(j));
                    f.stride[P][L] = s;
                } else {
                    f.stride[P][L] = f.ctx.strides[p.where == memory::argument ? p.index : Program::leaves + p.index]
                                                  [Program::axis_in_memory(p.where == memory::output, p.index, axis)];
                }
            }
        });
    }
    template <int P, int L>
    TAPELESS_CONFIG_INLINE static std::ptrdiff_t stride(frame const& f) {
        if constexpr (place_at(P).stride[L] >= 0) return place_at(P).stride[L];
        else return f.stride[P][L];
    }
    /// The element at the outer loops' position, in row `row`, column `column`.
    template <int P, class T>
    TAPELESS_CONFIG_INLINE static T* element(frame const& f, std::int64_t row, std::int64_t column) {
        std::ptrdiff_t o = 0;
        if constexpr (A > 2)
            unroll<(A > 2 ? A - 2 : 0)>([&](auto l) TAPELESS_CONFIG_INLINE { o += f.at[l.i] * stride<P, l.i>(f); });
        if constexpr (A > 1) o += row * stride<P, (A > 1 ? A - 2 : 0)>(f);
        if constexpr (A > 0) o += column * stride<P, (A > 0 ? A - 1 : 0)>(f);
        return static_cast<T*>(f.base[P]) + o;
    }
    template <int P>
    TAPELESS_CONFIG_INLINE static std::ptrdiff_t inner_stride(frame const& f) {
        if constexpr (A > 0) return stride<P, (A > 0 ? A - 1 : 0)>(f);
        else return 0;
    }
    template <int I, class T>
    TAPELESS_CONFIG_INLINE static T* scratch_row(frame const& f, int j) {
        return reinterpret_cast<T*>(f.scratch[I]) + j * f.padded;
    }

    // ---- steps -----------------------------------------------------------------------------------------------------

    /// How many lanes step i's operation takes at a time: those of the narrowest element type it deals with.
    static constexpr int lanes_taken(int i) {
        int n = lanes_of(step_at(i).type);
        for (int j = 0; j < step_at(i).op->arity; ++j)
            n = lanes_of(step_at(i).op->in[j]) > n ? lanes_of(step_at(i).op->in[j]) : n;
        return n;
    }

    /// Step I from its inputs; `get` finds them.
    template <int I, class Get>
    TAPELESS_CONFIG_INLINE static void evaluate(value_of<I>& out, Get const& get) {
        constexpr int lanes = lanes_taken(I);
        if constexpr (W == lanes) evaluate_from<I, 0>(out, get);
        else unroll<W / lanes>([&](auto r) TAPELESS_CONFIG_INLINE { evaluate_from<I, r.i * lanes>(out, get); });
    }
    /// The lanes from First on, as many as the operation takes at a time.
    template <int I, int First, class Get>
    TAPELESS_CONFIG_INLINE static void evaluate_from(value_of<I>& out, Get const& get) {
        constexpr step const& s = step_at(I);
        constexpr auto eval = s.op->eval;
        if constexpr (s.op->arity == 1) eval(out.at(First), get(index<s.in[0]>{}).at(First), nullptr, nullptr, s.number);
        else if constexpr (s.op->arity == 2)
            eval(out.at(First), get(index<s.in[0]>{}).at(First), get(index<s.in[1]>{}).at(First), nullptr, s.number);
        else
            eval(out.at(First), get(index<s.in[0]>{}).at(First), get(index<s.in[1]>{}).at(First),
                 get(index<s.in[2]>{}).at(First), s.number);
    }

    /// A step outside the vector loop: one number in all lanes.
    template <int I, class Get>
    TAPELESS_CONFIG_INLINE static void evaluate_single(value_of<I>& out, frame const& f, std::int64_t row, reduced_number const* result,
                                                       int stride_of_result, Get const& get) {
        constexpr step const& s = step_at(I);
        using T = typename step_value<I>::element;
        if constexpr (s.kind == step_kind::load) splat(out, *element<s.place, T>(f, row, 0));
        else if constexpr (s.kind == step_kind::constant) splat(out, static_cast<T>(s.number));
        else if constexpr (s.kind == step_kind::extent) splat(out, static_cast<T>(f.ctx.extents[s.source]));
        else if constexpr (s.kind == step_kind::reduced) splat(out, result[s.source * stride_of_result].template get<T>());
        else evaluate<I>(out, get);
    }

    template <int J2>
    struct lookup {  // what is known outside the vector loop
        frame& f;
        rows<J2>* r;
        int j;
        template <std::size_t I>
        TAPELESS_CONFIG_INLINE auto const& operator()(index<I>) const {
            constexpr int i = static_cast<int>(I);
            if constexpr (is_row(i)) return detail::at<i>(*r, j);
            else return detail::at<i>(f, 0);
        }
    };

    template <int Begin, int End>
    TAPELESS_CONFIG_INLINE static void evaluate_outer(frame& f) {
        [&]<int... N>(std::integer_sequence<int, N...>) TAPELESS_CONFIG_INLINE {
            (evaluate_single<plan.order[Begin + N]>(detail::at<plan.order[Begin + N]>(f, 0), f, A > 1 ? f.at[A > 1 ? A - 2 : 0] : 0,
                                                    f.result, 1, lookup<1>{f, nullptr, 0}),
             ...);
        }(std::make_integer_sequence<int, End - Begin>{});
    }
    template <int Begin, int End, int J2>
    TAPELESS_CONFIG_INLINE static void evaluate_rows(frame& f, rows<J2>& r) {
        unroll<J2>([&](auto j) TAPELESS_CONFIG_INLINE {
            [&]<int... N>(std::integer_sequence<int, N...>) TAPELESS_CONFIG_INLINE {
                (evaluate_single<plan.order[Begin + N]>(detail::at<plan.order[Begin + N]>(r, j.i), f, r.first + j.i, &r.result[0][j.i],
                                                        J2, lookup<J2>{f, &r, j.i}),
                 ...);
            }(std::make_integer_sequence<int, End - Begin>{});
        });
    }

    // ---- the vector loop -------------------------------------------------------------------------------------------

    template <int J2, int P, class Column, class Inner>
    struct inner_lookup {
        frame& f;
        rows<J2>& r;
        int j;
        Column& column;
        Inner& inner;
        template <std::size_t I>
        TAPELESS_CONFIG_INLINE auto const& operator()(index<I>) const {
            constexpr int i = static_cast<int>(I);
            if constexpr (!is_inner(i)) return lookup<J2>{f, &r, j}(index<I>{});
            else if constexpr (is_column(i)) return detail::at<i>(column, 0);
            else return detail::at<i>(inner, 0);
        }
    };

    template <int I, int P, bool Edge, class Get>
    TAPELESS_CONFIG_INLINE static void evaluate_inner(value_of<I>& out, frame const& f, std::int64_t row, int j, std::int64_t c,
                                                      int n, Get const& get) {
        constexpr step const& s = step_at(I);
        using T = typename step_value<I>::element;
        if constexpr (s.kind == step_kind::load) {
            load<Edge>(out, element<s.place, T const>(f, row, c), inner_stride<s.place>(f), n);
        } else if constexpr (s.scratch >= 0 && s.slot < P) {
            load<false>(out, static_cast<T const*>(scratch_row<I, T>(f, j) + c), 1, W);
        } else {
            if constexpr (lanes_taken(I) == W) evaluate_from<I, 0>(out, get);
            else evaluate<I>(out, get);
            if constexpr (s.scratch >= 0) store<false>(out, scratch_row<I, T>(f, j) + c, 1, W);
        }
    }

    /// Whether this is the first contribution to what column root R adds up.
    template <int R>
    TAPELESS_CONFIG_INLINE static bool is_first(frame const& f, std::int64_t row) {
        bool first = true;
        unroll<(A > 1 ? A - 1 : 0)>([&](auto l) TAPELESS_CONFIG_INLINE {
            if constexpr (root_at(R).reduced >> l.i & 1) first = first && (l.i == A - 2 ? row : f.at[l.i]) == f.begin[l.i];
        });
        return first;
    }

    template <int R, bool Edge, class T>
    TAPELESS_CONFIG_INLINE static void add_to_memory(frame const& f, value<T, W> const& v, std::int64_t row, std::int64_t c, int n) {
        constexpr int P = root_at(R).place;
        T* p = element<P, T>(f, row, c);
        if (is_first<R>(f, row)) {
            store<Edge>(v, p, inner_stride<P>(f), n);
        } else {
            value<T, W> old;
            load<Edge>(old, static_cast<T const*>(p), inner_stride<P>(f), n);
            combine_into<root_at(R).combine>(old, v);
            store<Edge>(old, p, inner_stride<P>(f), n);
        }
    }

    /// What goes to memory waits until all rows of a tile are computed: the loads of the next row need not wait for it.
    static constexpr bool waits(int r, int phase) {
        return root_at(r).level == A && root_at(r).slot == phase &&
               (root_at(r).how == target::column || (root_at(r).how == target::store && root_at(r).place >= 0));
    }
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
    struct waiting_values<P, J2, std::index_sequence<R...>> : waiting<static_cast<int>(R), J2, waits(static_cast<int>(R), P)>... {};

    /// J2 rows by U2 batches from column c on; n lanes of them where this is the edge.
    template <int P, int J2, int U2, bool Edge, class Acc>
    TAPELESS_CONFIG_INLINE static void tile(frame& f, rows<J2>& r, Acc& acc, std::int64_t c0, int n) {
        unroll<U2>([&](auto u) TAPELESS_CONFIG_INLINE {
            std::int64_t const c = c0 + u.i * W;
            cells<1, 0, k.column[P].begin, k.column[P].end> column;
            waiting_values<P, J2> parts;
            using inner_cells = cells<1, 1, k.inner[P].begin, k.inner[P].end>;
            inner_cells inner;
            using get = inner_lookup<J2, P, cells<1, 0, k.column[P].begin, k.column[P].end>, inner_cells>;
            [&]<int... N>(std::integer_sequence<int, N...>) TAPELESS_CONFIG_INLINE {
                (evaluate_inner<plan.order[k.column[P].begin + N], P, Edge>(detail::at<plan.order[k.column[P].begin + N]>(column, 0), f,
                                                                            r.first, 0, c, n, get{f, r, 0, column, inner}),
                 ...);
            }(std::make_integer_sequence<int, k.column[P].size()>{});
            unroll<J2>([&](auto j) TAPELESS_CONFIG_INLINE {
                get g{f, r, j.i, column, inner};
                [&]<int... N>(std::integer_sequence<int, N...>) TAPELESS_CONFIG_INLINE {
                    (evaluate_inner<plan.order[k.inner[P].begin + N], P, Edge>(detail::at<plan.order[k.inner[P].begin + N]>(inner, 0), f,
                                                                               r.first + j.i, j.i, c, n, g),
                     ...);
                }(std::make_integer_sequence<int, k.inner[P].size()>{});
                unroll<k.roots>([&](auto q) TAPELESS_CONFIG_INLINE {
                    constexpr int R = q.i;
                    if constexpr (root_at(R).level == A && root_at(R).slot == P && (root_at(R).combine != reduction::none || root_at(R).place >= 0))
                        take<R, J2, Edge>(f, acc, parts, g(index<root_at(R).step>{}), index<j.i>{}, index<u.i>{}, n);
                });
            });
            unroll<k.roots>([&](auto q) TAPELESS_CONFIG_INLINE {
                constexpr int R = q.i;
                if constexpr (waits(R, P)) {
                    auto& part = static_cast<waiting<R, J2, true>&>(parts).v;
                    unroll<(sums_rows(R) ? 1 : J2)>([&](auto j) TAPELESS_CONFIG_INLINE {
                        if constexpr (root_at(R).how == target::store) store_values<R, Edge>(f, part[j.i], r.first + j.i, c, n);
                        else add_to_memory<R, Edge>(f, part[j.i], r.first + j.i, c, n);
                    });
                }
            });
        });
    }

    template <int R, bool Edge, class V>
    TAPELESS_CONFIG_INLINE static void store_values(frame const& f, V const& v, std::int64_t row, std::int64_t c, int n) {
        constexpr root const& t = root_at(R);
        using S = typename root_value<R>::memory_element;
        S* p = element<t.place, S>(f, row, c);
        if constexpr (is_mask(t.type)) store<Edge>(as_bools(v), p, inner_stride<t.place>(f), n);
        else store<Edge>(v, p, inner_stride<t.place>(f), n);
    }

    /// What root R does with a value.
    template <int R, int J2, bool Edge, class Acc, class Parts, class V, std::size_t Row, std::size_t Unrolled>
    TAPELESS_CONFIG_INLINE static void take([[maybe_unused]] frame& f, [[maybe_unused]] Acc& acc, [[maybe_unused]] Parts& parts,
                                            V const& v, index<Row>, index<Unrolled>, [[maybe_unused]] int n) {
        constexpr root const& t = root_at(R);
        [[maybe_unused]] constexpr int j = static_cast<int>(Row), u = static_cast<int>(Unrolled);
        if constexpr (t.how == target::store) {
            static_cast<waiting<R, J2, true>&>(parts).v[j] = v;
        } else if constexpr (t.how == target::column) {
            auto& part = static_cast<waiting<R, J2, true>&>(parts).v;
            if constexpr (!sums_rows(R)) part[j] = v;
            else if constexpr (j == 0) part[0] = v;
            else combine_into<t.combine>(part[0], v);
        } else {
            auto& part = [&]() TAPELESS_CONFIG_INLINE -> auto& {
                if constexpr (t.how == target::everything) return accumulator_of<R>(f).template chain<j, u>();
                else return accumulator_of<R>(acc).template chain<j, u>();
            }();
            if (Edge && n < W) combine_into<t.combine>(part, only_first<t.combine>(v, n));
            else combine_into<t.combine>(part, v);
        }
    }

    /// How many tiles are added up before a sum is flushed to higher precision.
    static constexpr int block = 64;

    template <int P, int J2>
    struct phase_accumulators : accumulators<P, target::row>, accumulators<P, target::partial> {};

    template <int P, target How, class F>
    TAPELESS_CONFIG_INLINE static void each_accumulator(F&& fn) {
        unroll<k.roots>([&](auto q) TAPELESS_CONFIG_INLINE {
            if constexpr (in_registers(q.i, P, How)) fn(q);
        });
    }
    template <int P, int J2, class Acc>
    TAPELESS_CONFIG_INLINE static void flush_rows(Acc& acc) {
        each_accumulator<P, target::row>([&](auto q) TAPELESS_CONFIG_INLINE {
            accumulator_of<q.i>(static_cast<accumulators<P, target::row>&>(acc)).flush();
        });
        each_accumulator<P, target::partial>([&](auto q) TAPELESS_CONFIG_INLINE {
            accumulator_of<q.i>(static_cast<accumulators<P, target::partial>&>(acc)).flush();
        });
    }
    TAPELESS_CONFIG_INLINE static void flush_everything(frame& f) {
        each_accumulator<-1, target::everything>([&](auto q) TAPELESS_CONFIG_INLINE { accumulator_of<q.i>(f).flush(); });
        f.since = 0;
    }

    template <int P, int J2>
    TAPELESS_CONFIG_INLINE static void phase(frame& f, rows<J2>& r) {
        constexpr std::int64_t fixed = A > 0 ? k.extent[A > 0 ? A - 1 : 0] : 0;
        std::int64_t const n = f.extent[A > 0 ? A - 1 : 0];
        phase_accumulators<P, J2> acc;
        each_accumulator<P, target::row>([&](auto q) TAPELESS_CONFIG_INLINE {
            accumulator_of<q.i>(static_cast<accumulators<P, target::row>&>(acc)).clear();
        });
        each_accumulator<P, target::partial>([&](auto q) TAPELESS_CONFIG_INLINE {
            accumulator_of<q.i>(static_cast<accumulators<P, target::partial>&>(acc)).clear();
        });
        std::int64_t c = 0;
        if constexpr (J2 == J && (fixed < 0 || fixed >= U * W)) {
            if constexpr (fixed >= 0 && fixed <= block * U * W) {
                for (; c + U * W <= n; c += U * W) tile<P, J2, U, false>(f, r, acc, c, W);
            } else {
                while (c + U * W <= n) {
                    std::int64_t const stop = n - c > block * U * W ? c + block * U * W : n;
                    for (; c + U * W <= stop; c += U * W) tile<P, J2, U, false>(f, r, acc, c, W);
                    if (c + U * W <= n) {
                        flush_rows<P, J2>(acc);
                        flush_everything(f);
                    }
                }
            }
        }
        constexpr std::int64_t step_width = J2 == J ? U * W : W;
        if constexpr (fixed < 0 || fixed % step_width != 0 || J2 != J) {
            int tiles = 0;
            for (; c < n; c += W) {
                tile<P, J2, 1, true>(f, r, acc, c, n - c < W ? static_cast<int>(n - c) : W);
                if (J2 != J && ++tiles == block) {
                    tiles = 0;
                    flush_rows<P, J2>(acc);
                    flush_everything(f);
                }
            }
        }
        auto finish = [&](auto q, auto& a) TAPELESS_CONFIG_INLINE {
            constexpr int R = q.i;
            a.flush();
            unroll<J2>([&](auto j) TAPELESS_CONFIG_INLINE {
                r.result[R][j.i].set(a.sum[j.i].result());
            });
        };
        each_accumulator<P, target::row>([&](auto q) TAPELESS_CONFIG_INLINE {
            finish(q, accumulator_of<q.i>(static_cast<accumulators<P, target::row>&>(acc)));
        });
        each_accumulator<P, target::partial>([&](auto q) TAPELESS_CONFIG_INLINE {
            finish(q, accumulator_of<q.i>(static_cast<accumulators<P, target::partial>&>(acc)));
        });
    }

    // ---- rows ------------------------------------------------------------------------------------------------------

    /// What is left behind once a row: its own reductions, and values that vary along outer axes only.
    template <int J2>
    TAPELESS_CONFIG_INLINE static void leave_rows(frame& f, rows<J2>& r) {
        unroll<k.roots>([&](auto q) TAPELESS_CONFIG_INLINE {
            constexpr int R = q.i;
            constexpr root const& t = root_at(R);
            if constexpr (t.place >= 0) {
                using T = typename root_value<R>::memory_element;
                unroll<J2>([&](auto j) TAPELESS_CONFIG_INLINE {
                    std::int64_t row = r.first + j.i;
                    if constexpr (t.how == target::row) {
                        *element<t.place, T>(f, row, 0) = r.result[R][j.i].template get<T>();
                    } else if constexpr (t.how == target::partial && t.level == A) {
                        combine_number<R, T>(f, row, r.result[R][j.i].template get<T>());
                    } else if constexpr (t.level < A && (t.level > 0 || A == 1) && t.slot != after_everything) {
                        auto const& v = lookup<J2>{f, &r, j.i}(index<t.step>{});
                        T x;
                        if constexpr (is_mask(t.type)) x = as_bools(v).reg[0];
                        else x = first_lane(v);
                        if constexpr (t.how == target::store) *element<t.place, T>(f, row, 0) = x;
                        else combine_number<R, T>(f, row, x);
                    }
                });
            }
        });
    }
    template <int R, class T>
    TAPELESS_CONFIG_INLINE static void combine_number(frame const& f, std::int64_t row, T x) {
        T* p = element<root_at(R).place, T>(f, row, 0);
        if (is_first<R>(f, row)) *p = x;
        else if constexpr (root_at(R).combine == reduction::sum) *p = static_cast<T>(*p + x);
        else if constexpr (root_at(R).combine == reduction::max) *p = simd::maximum(*p, x);
        else *p = simd::minimum(*p, x);
    }

    template <int J2>
    TAPELESS_CONFIG_INLINE static void row(frame& f, std::int64_t first) {
        rows<J2> r;
        r.first = first;
        if constexpr (A > 1) f.at[A > 1 ? A - 2 : 0] = first;
        evaluate_rows<k.row[0].begin, k.row[0].end>(f, r);
        unroll<k.phases>([&](auto p) TAPELESS_CONFIG_INLINE {
            phase<p.i>(f, r);
            evaluate_rows<k.row[p.i + 1].begin, k.row[p.i + 1].end>(f, r);
        });
        leave_rows(f, r);
        if constexpr (has_everything()) {
            f.since += static_cast<int>(f.extent[A - 1] / (U * W)) + 1;
            if (f.since >= block) flush_everything(f);
        }
    }
    static constexpr bool has_everything() {
        for (int i = 0; i < k.roots; ++i)
            if (in_registers(i, -1, target::everything)) return true;
        return false;
    }

    template <int L>
    TAPELESS_CONFIG_INLINE static void loop(frame& f) {
        if constexpr (L >= A - 1) {
            row<1>(f, 0);
        } else if constexpr (L == A - 2) {
            std::int64_t const n = f.extent[L];
            std::int64_t i = 0;
            for (; i + J <= n; i += J) {
                row<J>(f, i);
                take_up_carries<L>(f, i + J);
            }
            if constexpr (J > 1 && (k.extent[L] < 0 || k.extent[L] % J != 0))
                for (; i < n; ++i) {
                    row<1>(f, i);
                    take_up_carries<L>(f, i + 1);
                }
        } else {
            for (std::int64_t i = 0; i < f.extent[L]; ++i) {
                f.at[L] = i;
                evaluate_outer<k.outer[L + 1].begin, k.outer[L + 1].end>(f);
                loop<L + 1>(f);
                take_up_carries<L>(f, i + 1);
            }
        }
    }

    // ---- long column sums ------------------------------------------------------------------------------------------

    static constexpr int carry_axis(int r) {
        int a = 0;
        while (!(root_at(r).reduced >> a & 1)) ++a;
        return a;
    }
    /// After a block of rows the sum so far goes to a buffer of doubles, and the next block starts afresh.
    template <int L>
    TAPELESS_CONFIG_INLINE static void take_up_carries(frame& f, std::int64_t done) {
        if constexpr (k.carries) {
            bool const finished = done == f.extent[L];
            if (done - f.begin[L] < carry_block && !finished) return;
            bool const first = f.begin[L] == 0;
            unroll<k.roots>([&](auto q) TAPELESS_CONFIG_INLINE {
                constexpr int R = q.i;
                if constexpr (root_at(R).carry >= 0)
                    if constexpr (carry_axis(R) == L)
                        if (!(first && finished)) take_up<R, L>(f, first, finished);
            });
            f.begin[L] = finished ? 0 : done;
        }
    }
    static constexpr std::int64_t carry_block = 256;

    template <int R, int L>
    TAPELESS_CONFIG_INLINE static void take_up(frame const& f, bool first, bool finished) {
        // copies: the frame stays in registers if nothing outside sees its address
        using T = root_type<R>;
        constexpr int P = root_at(R).place;
        T* base = static_cast<T*>(f.base[P]);
        std::int64_t extent[static_cast<std::size_t>(A)];
        std::ptrdiff_t strides[static_cast<std::size_t>(A)];
        unroll<A>([&](auto l) TAPELESS_CONFIG_INLINE {
            bool const inside = l.i > L && (root_at(R).varies >> l.i & 1);
            extent[l.i] = inside ? f.extent[l.i] : 1;
            strides[l.i] = stride<P, l.i>(f);
            if (l.i < L) base += f.at[l.i] * stride<P, l.i>(f);
        });
        take_up_elements<T>(base, reinterpret_cast<double*>(f.ctx.arena + f.ctx.offsets[root_at(R).carry]), extent, strides, first,
                            finished);
    }
    template <class T, int L = 0>
    [[gnu::noinline]] static double* take_up_elements(T* x, double* carry, std::int64_t const* extent, std::ptrdiff_t const* strides,
                                                      bool first, bool finished) {
        for (std::int64_t i = 0; i < extent[L]; ++i, x += strides[L]) {
            if constexpr (L + 1 < A) {
                carry = take_up_elements<T, L + 1>(x, carry, extent, strides, first, finished);
            } else {
                double s = first ? static_cast<double>(*x) : *carry + static_cast<double>(*x);
                *carry++ = s;
                if (finished) *x = static_cast<T>(s);
            }
        }
        return carry;
    }

    // ---- the whole -------------------------------------------------------------------------------------------------

    [[gnu::noinline]] static void run(run_context const& ctx) {
        frame f(ctx);
        unroll<A>([&](auto l) TAPELESS_CONFIG_INLINE {
            if constexpr (k.extent[l.i] >= 0) f.extent[l.i] = k.extent[l.i];
            else {
                std::int64_t n = 1;
                for (int a = k.group[l.i]; a < k.group[l.i + 1]; ++a) n *= extent_of(ctx, k.shape.extent[a]);
                f.extent[l.i] = n;
            }
        });
        unroll<k.places>([&](auto p) TAPELESS_CONFIG_INLINE { bind<p.i>(f); });
        unroll<k.steps>([&](auto i) TAPELESS_CONFIG_INLINE {
            if constexpr (step_at(i.i).scratch >= 0) {
                f.scratch[i.i] = ctx.arena + ctx.offsets[step_at(i.i).scratch];
                f.padded = (f.extent[A > 0 ? A - 1 : 0] + W - 1) / W * W;
            }
        });
        each_accumulator<-1, target::everything>([&](auto q) TAPELESS_CONFIG_INLINE { accumulator_of<q.i>(f).clear(); });
        evaluate_outer<k.outer[0].begin, k.outer[0].end>(f);
        if constexpr (A > 0) {
            if constexpr (needs_identity()) fill_identities(f);
            loop<0>(f);
        }
        each_accumulator<-1, target::everything>([&](auto q) TAPELESS_CONFIG_INLINE {
            constexpr int R = q.i;
            auto& a = accumulator_of<R>(f);
            a.flush();
            f.result[R].set(a.sum[0].result());
            if constexpr (root_at(R).place >= 0)
                *static_cast<root_type<R>*>(f.base[root_at(R).place]) = f.result[R].template get<root_type<R>>();
        });
        evaluate_outer<k.last.begin, k.last.end>(f);
        unroll<k.roots>([&](auto q) TAPELESS_CONFIG_INLINE {
            constexpr int R = q.i;
            constexpr root const& t = root_at(R);
            if constexpr (t.level == 0 && A != 1 && t.how == target::store && t.place >= 0) {
                using T = typename root_value<R>::memory_element;
                auto const& v = lookup<1>{f, nullptr, 0}(index<t.step>{});
                if constexpr (is_mask(t.type)) *static_cast<T*>(f.base[t.place]) = as_bools(v).reg[0];
                else *static_cast<T*>(f.base[t.place]) = first_lane(v);
            }
        });
    }

    /// Reductions in memory of no rows at all leave the identity, which no row would have written.
    static constexpr bool needs_identity() {
        for (int i = 0; i < k.roots; ++i)
            if (root_at(i).how == target::column || root_at(i).how == target::partial) {
                for (int l = 0; l < A; ++l)
                    if ((root_at(i).reduced >> l & 1) && k.extent[l] <= 0) return true;
            }
        return false;
    }
    TAPELESS_CONFIG_INLINE static void fill_identities(frame& f) {
        unroll<k.roots>([&](auto q) TAPELESS_CONFIG_INLINE {
            constexpr int R = q.i;
            constexpr root const& t = root_at(R);
            if constexpr (t.how == target::column || t.how == target::partial) {
                bool none = false;
                for (int l = 0; l < A; ++l) none = none || ((t.reduced >> l & 1) && f.extent[l] == 0);
                std::int64_t position[static_cast<std::size_t>(A)]{};
                if (none) fill_identity<R, 0>(f, position);
            }
        });
    }
    template <int R, int L>
    TAPELESS_CONFIG_INLINE static void fill_identity(frame& f, std::int64_t* position) {
        if constexpr (L < A) {
            std::int64_t const n = root_at(R).varies >> L & 1 ? f.extent[L] : 1;
            for (position[L] = 0; position[L] < n; ++position[L]) fill_identity<R, L + 1>(f, position);
            position[L] = 0;
        } else {
            std::ptrdiff_t o = 0;
            unroll<A>([&](auto l) TAPELESS_CONFIG_INLINE { o += position[l.i] * stride<root_at(R).place, l.i>(f); });
            static_cast<root_type<R>*>(f.base[root_at(R).place])[o] = identity<root_at(R).combine, root_type<R>>();
        }
    }
};

}  // namespace tapeless::detail
