// SPDX-License-Identifier: MIT
#pragma once
// The steps of a kernel: each computes its value from those of its inputs, outside the vector loop and within.

#include <tapeless/exec/frame.hpp>
#include <tapeless/simd/move_lanes.hpp>

namespace tapeless::detail {

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
};
/// All that the code of a step depends on: steps that agree in it are one function, whatever their kernels.
struct step_form {
    step_code code = step_code::eval;
    bool edge = false;
    bool bounded = false;                 ///< some lanes may be beyond the step's bounds
    bool wraps = false;                   ///< and are read at the other end of an axis
    int axes = 0;
    int times = 1;                        ///< the operation takes some lanes at a time
    int out_bytes = 0, in_bytes[3]{};     ///< from one time to the next
};
/// The lanes that are within the step's bounds, from memory; 0 in the others.
template <int A, class T, int W, class Arch>
TAPELESS_CONFIG_INLINE inline void load_within(value<T, W>& out, loop_position_of<Arch> const& x, step const& s,
                                               bool edge) {
    if (!edge) {
        bool const there = columns_within<A>(*x.loops, *x.tables, s.bounds, x.row, x.column, 1).to > 0;
        return splat(out, there ? *element_at<T const, A>(x, s.place, x.row, x.column) : T{});
    }
    std::ptrdiff_t const stride = inner_stride<A>(x, s.place);
    if constexpr (std::same_as<T, float> || std::same_as<T, double>) {
        // a whole register of what is there, its lanes moved to where they belong
        constexpr int L = simd::lanes<T>;
        element_range const all = x.within[x.bound[&s - x.steps] * x.apart + x.j];
        if (stride == 1 && all.to - all.from >= L) {
#pragma GCC unroll 64
            for (int r = 0; r < value<T, W>::registers; ++r) {
                std::int64_t const c = x.column + r * L, last = all.to - L;
                std::int64_t const from = c < all.from ? all.from : c > last ? last : c, by = from - c;
                if (by >= L || by <= -L) {
                    out.reg[r] = simd::batch<T>(T(0));
                } else {
                    auto const v = simd::load(element_at<T const, A>(x, s.place, x.row, from));
                    out.reg[r] = by == 0 ? v : simd::move_lanes<T>(v, static_cast<int>(by));
                }
            }
            return;
        }
    }
    element_range const in = lanes_within(x, s);
    if (in.from >= in.to) return splat(out, T{});
    T const* const first = element_at<T const, A>(x, s.place, x.row, x.column);
    if (in.from == 0) return load<true>(out, first, stride, static_cast<int>(in.to));
    T lane[static_cast<std::size_t>(W)]{};
    for (std::int64_t i = in.from; i < in.to; ++i) lane[i] = first[i * stride];
    load<false>(out, static_cast<T const*>(lane), 1, W);
}
/// How far from where a place would be at a row and a column its element is: rolled axes go on at their other end; or
/// `beyond`, where it is 0. (It writes nothing, and is said to: otherwise loops would look everything up again.)
inline constexpr std::ptrdiff_t beyond = PTRDIFF_MIN;
template <int A, class Arch>
[[gnu::pure, gnu::noinline]] std::ptrdiff_t wrapped_distance(loop_state_of<Arch> const& f, program_tables const& tables,
                                                             place const& at, int bounds, std::int64_t row,
                                                             std::int64_t column) {
    std::ptrdiff_t distance = 0;
    for (; bounds >= 0; bounds = tables.bounds[bounds].rest) {
        walk_bound const& b = tables.bounds[bounds];
        std::int64_t const n = extent_of(*f.ctx, b.length);
        std::int64_t p = number_of(*f.ctx, b.start);
        for (int l = 0; l < A; ++l)
            p += b.step[f.now->group[l + 1] - 1] * (f.from[l] + (l == A - 1 ? column : l == A - 2 ? row : f.at[l]));
        if (p >= 0 && p < n) continue;
        if (b.wraps < 0 || n == 0) return beyond;
        std::int64_t const q = p % n < 0 ? p % n + n : p % n;
        distance += (q - p) * memory_stride(*f.ctx, tables, at, b.wraps);
    }
    return distance;
}
/// A register of which the lanes `in` are at `at`, and those before or behind them at the other end of the only axis
/// that is rolled: two registers, moved; false where that cannot be said.
template <class T, int W, class Arch>
TAPELESS_CONFIG_INLINE inline bool load_from_both_ends(value<T, W>& out, loop_position_of<Arch> const& x,
                                                       step const& s, T const* at, element_range const& in) {
    element_range const all = x.within[x.bound[&s - x.steps] * x.apart + x.j];
    bool const before = in.from > 0;
    walk_bound const& b = x.tables->bounds[s.bounds];
    if (b.rest >= 0 || b.wraps < 0 || all.to - all.from < W) return false;
    if (in.from >= in.to || before == (in.to < x.n)) return false;
    std::int64_t const length = extent_of(*x.loops->ctx, b.length);
    std::ptrdiff_t const far = before ? length : -length;  // elements of this axis are side by side
    // lane `near` is the first of those here that are loaded, lane `other` the first of those from the other end
    std::int64_t const near = before ? in.from : in.to - W, other = before ? in.from - W : in.to;
    using bits = simd::detail::ivec<T>;
    auto const moved = [](T const* p, std::int64_t by) TAPELESS_CONFIG_INLINE {
        return std::bit_cast<bits>(simd::detail::raw(simd::move_lanes<T>(simd::load(p), static_cast<int>(by))));
    };
    bits const both = moved(at + near, near) | moved(at + far + other, other);
    out.reg[0] = simd::detail::wrap<T>(std::bit_cast<simd::detail::vec<T>>(both));
    return true;
}
/// n lanes from memory, some of them from the other end of an axis.
template <int A, class T, int W, class Arch>
TAPELESS_CONFIG_INLINE inline void load_wrapped(value<T, W>& out, loop_position_of<Arch> const& x, step const& s,
                                                int n) {
    auto const distance = [&](int i) TAPELESS_CONFIG_INLINE {
        return wrapped_distance<A>(*x.loops, *x.tables, x.loops->places[s.place], s.bounds, x.row, x.column + i);
    };
    std::ptrdiff_t const stride = inner_stride<A>(x, s.place);
    T const* const at = element_at<T const, A>(x, s.place, x.row, x.column);
    element_range const in = lanes_within(x, s);
    if (in.from == 0 && in.to == n) return load<true>(out, at, stride, n);
    if (in.from >= in.to) {  // another row, maybe
        std::ptrdiff_t const first = distance(0);
        if (first != beyond && (n == 1 || first == distance(n - 1))) return load<true>(out, at + first, stride, n);
    }
    if constexpr (value<T, W>::registers == 1 && (std::same_as<T, float> || std::same_as<T, double>))
        if (stride == 1 && load_from_both_ends(out, x, s, at, in)) return;
    T lane[static_cast<std::size_t>(W)]{};
    for (int i = 0; i < n; ++i)
        if (std::ptrdiff_t const d = in.has(i) ? 0 : distance(i); d != beyond) lane[i] = at[d + i * stride];
    load<false>(out, static_cast<T const*>(lane), 1, W);
}
/// The same of a value.
template <int A, class T, int W, class Arch>
TAPELESS_CONFIG_INLINE inline void keep_within(value<T, W>& out, loop_position_of<Arch> const& x, step const& s,
                                               bool edge) {
    if (!edge) {
        if (columns_within<A>(*x.loops, *x.tables, s.bounds, x.row, x.column, 1).to == 0) splat(out, T{});
        return;
    }
    element_range const in = lanes_within(x, s);
    if (in.from == 0 && in.to == W) return;
    T lane[static_cast<std::size_t>(W)];
    store<false>(out, static_cast<T*>(lane), 1, W);
    for (int i = 0; i < W; ++i)
        if (i < in.from || i >= in.to) lane[i] = T{};
    load<false>(out, static_cast<T const*>(lane), 1, W);
}
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
    } else if constexpr (F.wraps) {
        if constexpr (F.edge) {
            load_wrapped<A>(out, x, s, x.n);
        } else {
            std::ptrdiff_t const d =
                wrapped_distance<A>(*x.loops, *x.tables, x.loops->places[s.place], s.bounds, x.row, x.column);
            splat(out, d == beyond ? T{} : *(element_at<T const, A>(x, s.place, x.row, x.column) + d));
        }
    } else if constexpr (F.bounded) load_within<A>(out, x, s, F.edge);
    else if constexpr (F.code == step_code::load)
        load<F.edge>(out, element_at<T const, A>(x, s.place, x.row, x.column), inner_stride<A>(x, s.place), x.n);
    else if constexpr (F.code == step_code::load_one) splat(out, *element_at<T, A>(x, s.place, x.row, 0));
    else if constexpr (F.code == step_code::count)
        count_from(out, static_cast<T>(position_at<A>(x, s.place, x.row, x.column)),
                   static_cast<T>(inner_stride<A>(x, s.place)));
    else if constexpr (F.code == step_code::count_one) splat(out, static_cast<T>(position_at<A>(x, s.place, x.row, 0)));
    else if constexpr (F.code == step_code::constant) splat(out, static_cast<T>(s.number));
    else if constexpr (F.code == step_code::extent) splat(out, static_cast<T>(x.loops->ctx->extents[s.source]));
    else if constexpr (F.code == step_code::reduced) splat(out, x.result[s.source * x.apart].template get<T>());
    else if constexpr (F.code == step_code::reload) {
        load<F.edge>(out, reinterpret_cast<T const*>(*scratch) + x.j * x.loops->padded + x.column, 1, F.edge ? x.n : W);
    } else {
        if constexpr (F.times == 1) {
            Eval(out.reg, a, b, c, s.number);
        } else {
#pragma GCC unroll 64
            for (int r = 0; r < F.times; ++r)
                Eval(reinterpret_cast<std::byte*>(out.reg) + r * F.out_bytes,
                     static_cast<std::byte const*>(a) + r * F.in_bytes[0],
                     static_cast<std::byte const*>(b) + r * F.in_bytes[1],
                     static_cast<std::byte const*>(c) + r * F.in_bytes[2], s.number);
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

    /// How step i is computed: in phase P, or outside the vector loop (-1).
    static constexpr step_form form_of(int i, int P, bool edge) {
        step const& s = info::step_at(i);
        bool const one = P < 0;
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
                f.times = W / lanes_taken(i);
                if (f.times == 1) break;
                f.out_bytes = bytes_of(s.type, lanes_taken(i));
                for (int j = 0; j < info::operation_at(i).arity; ++j)
                    f.in_bytes[j] = bytes_of(info::step_at(s.in[j]).type, lanes_taken(i));
        }
        f.edge = edge && (f.code == step_code::load || f.code == step_code::inside || s.kept_in >= 0);
        f.bounded = s.bounds >= 0 && (one || edge);
        for (int b = s.bounds; f.bounded && b >= 0; b = Program::bounds[b].rest)
            f.wraps = f.wraps || (s.kind == step_kind::load && Program::bounds[b].wraps >= 0);
        if (s.kind == step_kind::load || s.kind == step_kind::inside || s.kind == step_kind::coordinate) f.axes = A;
        return f;
    }
    static constexpr auto eval_of(int i, int P) {
        step_code const code = form_of(i, P, false).code;
        return code == step_code::eval || code == step_code::eval_keep ? info::operation_at(i).eval : nullptr;
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
    template <int Begin, int P, bool Edge, class X, int... I>
    TAPELESS_CONFIG_INLINE static void evaluate(X const& x, std::integer_sequence<int, I...>) {
        if constexpr (sizeof...(I) > most_at_once) {
            constexpr int middle = Begin + most_at_once, end = Begin + static_cast<int>(sizeof...(I));
            evaluate<Begin, P, Edge>(x, typename info::template range<Begin, middle>{});
            evaluate<middle, P, Edge>(x, typename info::template range<middle, end>{});
        } else {
            // casts in place of functions that find the values: there would be one for every step and every input
            (run_step<form_of(I, P, Edge), eval_of(I, P)>(
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
};

}  // namespace tapeless::detail
