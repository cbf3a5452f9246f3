// SPDX-License-Identifier: MIT
#pragma once
// The steps of a kernel: each computes its value from those of its inputs, outside the vector loop and within.

#include <tapeless/exec/frame.hpp>
#include <tapeless/schedule/machine.hpp>

namespace tapeless::detail::inline exec_part {

template <class T>
struct lane_numbers {
    T at[static_cast<std::size_t>(simd::lanes<T>)]{};
    constexpr lane_numbers() {
        for (int i = 0; i < simd::lanes<T>; ++i) at[i] = static_cast<T>(i);
    }
};
template <class T>
inline constexpr lane_numbers<T> counted_lanes{};
/// first, first + step, first + 2 step, ... in the lanes.
template <class T, int W>
TAPELESS_CONFIG_INLINE inline void count_from(value<T, W>& v, T first, T step) {
#pragma GCC unroll 64
    for (int r = 0; r < value<T, W>::registers; ++r) {
        T const begin = static_cast<T>(first + step * r * simd::lanes<T>);
        if (step == 1) v.reg[r] = simd::add(simd::batch<T>(begin), simd::load(counted_lanes<T>.at));
        else {
            T lane[static_cast<std::size_t>(simd::lanes<T>)];
            for (int i = 0; i < simd::lanes<T>; ++i) lane[i] = static_cast<T>(begin + step * i);
            v.reg[r] = simd::load(lane);
        }
    }
}

/// What there is to know of a tile: all of its lanes are there, and within bounds; or some may not be; or it stands at
/// the end of a row of which is known what its registers are made of; or all are right of a triangle's diagonal.
enum class tile_edge : std::uint8_t { none, some, row_end, off_diagonal };
constexpr bool is_whole(tile_edge e) { return e == tile_edge::none || e == tile_edge::off_diagonal; }

/// How a step gets its value.
enum class step_code : std::uint8_t {
    load,        ///< from memory, lane by lane
    load_one,    ///< one number for all lanes
    count,       ///< where the loops are, lane by lane
    count_one,
    constant,
    extent,
    inside,      ///< the input, or 0 beyond its bounds
    reduced,
    reload,      ///< what an earlier phase kept in a scratch row
    eval,
    eval_keep,   ///< and kept there
    nowhere,     ///< a mask that holds in no lane
    everywhere,
};
/// All that the code of a step depends on: steps that agree in it are one function, whatever their kernels.
struct step_form {
    step_code code = step_code::eval;
    bool edge = false;
    bool zeros = false;                   ///< lanes beyond it may be 0
    bool bounded = false;                 ///< some lanes may be beyond the step's bounds
    bool wraps = false;                   ///< and are read at the other end of an axis
    bool at_end = false;                  ///< what they are made of is known
    int index_bytes = 0;                  ///< unless 0, an index of so many bytes an element picks what is loaded
    int axes = 0;
    int times = 1;                        ///< the operation takes some lanes at a time
    int skips = 0;                        ///< so many, unless 0: those beyond an edge are not computed
    int out_bytes = 0, in_bytes[3]{};     ///< from one time to the next
};
/// Computes `out` from the values of the step's inputs; `scratch` is the row that it is kept in.
template <step_form F, decltype(operation::eval) Eval, class T, int W, class Arch>
TAPELESS_CONFIG_INLINE inline void run_step(value<T, W>& out, [[maybe_unused]] loop_position_of<Arch> const& x,
                                            [[maybe_unused]] step const& s, [[maybe_unused]] std::byte* const* scratch,
                                            [[maybe_unused]] void const* a, [[maybe_unused]] void const* b,
                                            [[maybe_unused]] void const* c) {
    constexpr int A = F.axes;
    if constexpr (F.code == step_code::inside) {
        out = *static_cast<value<T, W> const*>(a);
        if constexpr (F.bounded) keep_within<A>(out, x, s, F.edge);
    } else if constexpr (F.at_end) {
        load_end<F.wraps, A>(out, x, s);
    } else if constexpr (F.wraps) {
        if constexpr (F.edge) {
            load_wrapped<A>(out, x, s, x.n);
        } else {
            std::ptrdiff_t const d =
                wrapped_distance<A>(*x.loops, *x.tables, x.loops->places[s.place], s.bounds, x.row, x.column);
            splat(out, d == beyond ? T{} : *(element_at<T const, A>(x, s.place, x.row, x.column) + d));
        }
    } else if constexpr (F.bounded) load_within<A>(out, x, s, F.edge);
    else if constexpr (F.index_bytes > 0) {
        using lanes = picked_lanes<T const, index_of_bytes<F.index_bytes>>;
        if constexpr (F.code == step_code::load)
            load_picked<F.edge>(out, lanes::template at<A>(x, s.place, x.row, x.column), x.n);
        else splat(out, *lanes::template at<A>(x, s.place, x.row, 0)(0));
    } else if constexpr (F.code == step_code::load)
        load<F.edge, F.zeros>(out, element_at<T const, A>(x, s.place, x.row, x.column), inner_stride<A>(x, s.place),
                              x.n);
    else if constexpr (F.code == step_code::load_one) splat(out, *element_at<T, A>(x, s.place, x.row, 0));
    else if constexpr (F.code == step_code::count)
        count_from(out, static_cast<T>(position_at<A>(x, s.place, x.row, x.column)),
                   static_cast<T>(inner_stride<A>(x, s.place)));
    else if constexpr (F.code == step_code::count_one) splat(out, static_cast<T>(position_at<A>(x, s.place, x.row, 0)));
    else if constexpr (F.code == step_code::constant) splat(out, static_cast<T>(s.number));
    else if constexpr (F.code == step_code::extent) splat(out, static_cast<T>(x.loops->ctx->extents[s.source]));
    else if constexpr (F.code == step_code::nowhere || F.code == step_code::everywhere)
        fill_mask(out, F.code == step_code::everywhere);
    else if constexpr (F.code == step_code::reduced)
        splat(out, (*x.result)[s.source * x.apart + x.j].template get<T>());
    else if constexpr (F.code == step_code::reload) {
        load<F.edge>(out, reinterpret_cast<T const*>(*scratch) + x.j * x.loops->padded + x.column, 1, F.edge ? x.n : W);
    } else {
        if constexpr (F.times == 1) {
            Eval(out.reg, a, b, c, s.number);
        } else {
#pragma GCC unroll 64
            for (int r = 0; r < F.times; ++r) {
                std::byte* const to = reinterpret_cast<std::byte*>(out.reg) + r * F.out_bytes;
                if (F.skips > 0 && r > 0 && r * F.skips >= x.n)
                    __builtin_memcpy(to, out.reg, static_cast<std::size_t>(F.out_bytes));
                else
                    Eval(to, static_cast<std::byte const*>(a) + r * F.in_bytes[0],
                         static_cast<std::byte const*>(b) + r * F.in_bytes[1],
                         static_cast<std::byte const*>(c) + r * F.in_bytes[2], s.number);
            }
        }
        if constexpr (F.code == step_code::eval_keep)
            store<F.edge>(out, reinterpret_cast<T*>(*scratch) + x.j * x.loops->padded + x.column, 1, F.edge ? x.n : W);
    }
}

/// The steps of kernel K.
template <class Program, int K>
struct kernel_steps {
    using info = kernel_info<Program, K>;
    static constexpr int A = info::A, W = info::W;

    static constexpr int most_at_once = 128;  ///< steps in one fold: clang takes no more than 256

    /// How many lanes step i's operation takes at a time: those of the narrowest element type it deals with.
    static constexpr int lanes_taken(int i) {
        int n = lanes_of(info::step_at(i).type);
        for (int j = 0; j < info::operation_at(i).arity; ++j)
            n = lanes_of(info::operation_at(i).in[j]) > n ? lanes_of(info::operation_at(i).in[j]) : n;
        return n;
    }
    /// The bytes of so many lanes in registers.
    static constexpr int bytes_of(dtype t, int lanes) { return lanes / lanes_of(t) * register_size(t); }

    /// Whether nothing is computed that takes longer of 0, or has no value there.
    static constexpr bool takes_zeros() {
        for (int i = 0; i < info::k.steps; ++i) {
            bool const computed = info::step_at(i).kind == step_kind::eval && info::is_inner(i);
            if (computed && info::operation_at(i).cost > 1) return false;
        }
        return true;
    }
    static constexpr bool zeros = takes_zeros();

    /// How step i is computed: in phase P, of a tile of so many lanes, or outside the vector loop (-1).
    static constexpr step_form form_of(int i, int P, tile_edge at, int lanes = W) {
        step const& s = info::step_at(i);
        bool const one = P < 0, edge = !is_whole(at);
        step_form f;
        switch (s.kind) {
            case step_kind::load: f.code = one ? step_code::load_one : step_code::load; break;
            case step_kind::inside: f.code = step_code::inside; break;
            case step_kind::coordinate: f.code = one ? step_code::count_one : step_code::count; break;
            case step_kind::constant: f.code = step_code::constant; break;
            case step_kind::extent: f.code = step_code::extent; break;
            case step_kind::reduced: f.code = step_code::reduced; break;
            default:
                if (!one && s.scratch >= 0) f.code = s.slot < P ? step_code::reload : step_code::eval_keep;
                if (f.code == step_code::reload) break;
                if (at == tile_edge::off_diagonal && s.beyond >= 0) {
                    f.code = s.beyond != 0 ? step_code::everywhere : step_code::nowhere;
                    break;
                }
                f.times = lanes / lanes_taken(i);
                if (f.times == 1) break;
                if (edge && info::operation_at(i).cost >= machine::light) f.skips = lanes_taken(i);
                f.out_bytes = bytes_of(s.type, lanes_taken(i));
                for (int j = 0; j < info::operation_at(i).arity; ++j)
                    f.in_bytes[j] = bytes_of(info::step_at(s.in[j]).type, lanes_taken(i));
        }
        if (s.kind == step_kind::load) f.index_bytes = bytes_of_index(info::places, s.place);
        f.edge = edge && (f.code == step_code::load || f.code == step_code::inside || s.kept_in >= 0);
        f.zeros = zeros && f.edge && f.code == step_code::load;
        f.bounded = s.bounds >= 0 && (one || edge);
        if (f.bounded && s.kind == step_kind::load && at == tile_edge::row_end)  // of a row that is within the others
            f.at_end = f.bounded = info::is_bounded_along_columns(i);
        for (int b = s.bounds; f.bounded && b >= 0; b = Program::bounds[b].rest)
            f.wraps = f.wraps || (s.kind == step_kind::load && Program::bounds[b].wraps >= 0);
        if (s.kind == step_kind::load || s.kind == step_kind::inside || s.kind == step_kind::coordinate) f.axes = A;
        return f;
    }
    static constexpr auto eval_of(int i, int P) {
        step_code const code = form_of(i, P, tile_edge::none).code;
        if (code != step_code::eval && code != step_code::eval_keep) return decltype(operation::eval){};
        return P < 0 && A == 0 ? info::operation_at(i).eval_one : info::operation_at(i).eval;
    }
    /// The inputs of each step in phase P; the step itself where there are none.
    template <int P>
    struct input_table {
        int at[static_cast<std::size_t>(info::k.steps > 0 ? info::k.steps : 1)][step_inputs]{};
        constexpr input_table() {
            for (int i = 0; i < info::k.steps; ++i) {
                step const& s = info::step_at(i);
                bool const computed = s.kind == step_kind::eval && !(P >= 0 && s.scratch >= 0 && s.slot < P);
                for (int j = 0; j < step_inputs; ++j)
                    at[i][j] = j == 0 && s.kind == step_kind::inside         ? s.in[0]
                               : computed && j < info::operation_at(i).arity ? s.in[j]
                                                                             : i;
            }
        }
    };
    template <int P>
    static constexpr input_table<P> inputs{};

    /// Steps I of the plan's order, where they are from Begin on: in phase P, or outside the vector loop (-1).
    template <int Begin, int P, tile_edge Edge, class X, int... I>
    TAPELESS_CONFIG_INLINE static void evaluate(X const& x, std::integer_sequence<int, I...>) {
        if constexpr (sizeof...(I) > most_at_once) {
            constexpr int middle = Begin + most_at_once, end = Begin + static_cast<int>(sizeof...(I));
            evaluate<Begin, P, Edge>(x, typename info::template range<Begin, middle>{});
            evaluate<middle, P, Edge>(x, typename info::template range<middle, end>{});
        } else {
            // casts in place of functions that find the values: there would be one for every step and every input
            (run_step<form_of(I, P, Edge, X::lanes), eval_of(I, P)>(
                 static_cast<typename X::template cell_of<I>&>(
                     *static_cast<typename X::template holder<I>*>(x.cells[info::where.at[I]]))
                     .v[info::where.at[I] == 1 ? x.j : 0],
                 x, info::steps[I], x.scratch + I,
                 static_cast<typename X::template cell_of<inputs<P>.at[I][0]>&>(
                     *static_cast<typename X::template holder<inputs<P>.at[I][0]>*>(
                         x.cells[info::where.at[inputs<P>.at[I][0]]]))
                         .v +
                     (info::where.at[inputs<P>.at[I][0]] == 1 ? x.j : 0),
                 static_cast<typename X::template cell_of<inputs<P>.at[I][1]>&>(
                     *static_cast<typename X::template holder<inputs<P>.at[I][1]>*>(
                         x.cells[info::where.at[inputs<P>.at[I][1]]]))
                         .v +
                     (info::where.at[inputs<P>.at[I][1]] == 1 ? x.j : 0),
                 static_cast<typename X::template cell_of<inputs<P>.at[I][2]>&>(
                     *static_cast<typename X::template holder<inputs<P>.at[I][2]>*>(
                         x.cells[info::where.at[inputs<P>.at[I][2]]]))
                         .v +
                     (info::where.at[inputs<P>.at[I][2]] == 1 ? x.j : 0)),
             ...);
        }
    }

    /// What a step's value adds to sums: nothing where the phase's mask does not hold, whatever it is there.
    template <int P, class X, class V>
    TAPELESS_CONFIG_INLINE static decltype(auto) counted(X const& x, V const& v) {
        if constexpr (info::k.guard[P].size() == 0) {
            return static_cast<V const&>(v);
        } else {
            constexpr int I = Program::order[info::k.guard[P].end - 1];
            auto const& mask = static_cast<typename X::template cell_of<I>&>(
                                   *static_cast<typename X::template holder<I>*>(x.cells[2])).v[0];
            V r;
#pragma GCC unroll 64
            for (int q = 0; q < V::registers; ++q)
                r.reg[q] = simd::select(mask.reg[q], v.reg[q], std::remove_cvref_t<decltype(v.reg[q])>(0));
            return r;
        }
    }
};

}  // namespace tapeless::detail::exec_part
