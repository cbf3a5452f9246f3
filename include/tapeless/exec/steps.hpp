// SPDX-License-Identifier: MIT
#pragma once
// The steps of a kernel: each computes its value from those of its inputs, outside the vector loop and within.

#include <tapeless/exec/access.hpp>

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
    each_register<value<T, W>>([&](int r) TAPELESS_CONFIG_INLINE {
        T const begin = static_cast<T>(first + step * r * simd::lanes<T>);
        if (step == 1) v.reg[r] = simd::add(simd::batch<T>(begin), simd::load(counted_lanes<T>.at));
        else {
            T lane[static_cast<std::size_t>(simd::lanes<T>)];
            for (int i = 0; i < simd::lanes<T>; ++i) lane[i] = static_cast<T>(begin + step * i);
            v.reg[r] = simd::load(lane);
        }
    });
}

/// The steps of kernel K.
template <class Program, int K>
struct kernel_steps {
    using info = kernel_info<Program, K>;
    static constexpr int A = info::A, W = info::W;
    using frame = typename info::frame;
    template <int I>
    using value_of = typename info::template value_of<I>;
    template <int J2>
    using rows = typename info::template rows<J2>;

    static constexpr int most_at_once = 128;  ///< steps in one fold: clang takes no more than 256

    /// How many lanes step i's operation takes at a time: those of the narrowest element type it deals with.
    static constexpr int lanes_taken(int i) {
        int n = lanes_of(info::step_at(i).type);
        for (int j = 0; j < info::operation_at(i).arity; ++j)
            n = lanes_of(info::operation_at(i).in[j]) > n ? lanes_of(info::operation_at(i).in[j]) : n;
        return n;
    }

    /// Step I from its inputs; `get` finds them. An operation takes some lanes at a time: those of the narrowest type it deals with.
    template <int I, class Get>
    TAPELESS_CONFIG_INLINE static void evaluate(value_of<I>& out, Get const& get) {
        constexpr step const& s = info::step_at(I);
        constexpr auto eval = info::operation_at(I).eval;
        constexpr int arity = info::operation_at(I).arity, lanes = lanes_taken(I);
        if constexpr (W == lanes) {
            if constexpr (arity == 1) eval(out.reg, get(index<s.in[0]>{}).reg, nullptr, nullptr, s.number);
            else if constexpr (arity == 2) eval(out.reg, get(index<s.in[0]>{}).reg, get(index<s.in[1]>{}).reg, nullptr, s.number);
            else eval(out.reg, get(index<s.in[0]>{}).reg, get(index<s.in[1]>{}).reg, get(index<s.in[2]>{}).reg, s.number);
        } else {
            repeat<W / lanes>([&](int r) TAPELESS_CONFIG_INLINE {
                int const first = r * lanes;
                if constexpr (arity == 1) eval(out.at(first), get(index<s.in[0]>{}).at(first), nullptr, nullptr, s.number);
                else if constexpr (arity == 2)
                    eval(out.at(first), get(index<s.in[0]>{}).at(first), get(index<s.in[1]>{}).at(first), nullptr, s.number);
                else
                    eval(out.at(first), get(index<s.in[0]>{}).at(first), get(index<s.in[1]>{}).at(first),
                         get(index<s.in[2]>{}).at(first), s.number);
            });
        }
    }

    /// A step outside the vector loop: one number in all lanes.
    template <int I, class Get>
    TAPELESS_CONFIG_INLINE static void evaluate_single(value_of<I>& out, frame const& f, std::int64_t row,
                                                       reduced_number const* result, int stride_of_result, Get const& get) {
        constexpr step const& s = info::step_at(I);
        using T = typename info::template step_value<I>::element;
        if constexpr (s.kind == step_kind::load) splat(out, *element_at<T>(f, s.place, row, 0));
        else if constexpr (s.kind == step_kind::constant) splat(out, static_cast<T>(s.number));
        else if constexpr (s.kind == step_kind::extent) splat(out, static_cast<T>(f.ctx.extents[s.source]));
        else if constexpr (s.kind == step_kind::coordinate) splat(out, static_cast<T>(position_at(f, s.place, row, 0)));
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
            if constexpr (info::is_row(i)) return static_cast<cell<i, value_of<i>, J2>&>(*r).v[j];
            else return static_cast<cell<i, value_of<i>, 1>&>(f).v[0];
        }
    };

    template <int Begin, int... N>
    TAPELESS_CONFIG_INLINE static void evaluate_outer(frame& f, std::integer_sequence<int, N...>) {
        if constexpr (sizeof...(N) > most_at_once) {
            evaluate_outer<Begin>(f, std::make_integer_sequence<int, most_at_once>{});
            evaluate_outer<Begin + most_at_once>(f, std::make_integer_sequence<int, sizeof...(N) - most_at_once>{});
        } else {
            (evaluate_single<Program::order[Begin + N]>(detail::at<Program::order[Begin + N]>(f, 0), f,
                                                        A > 1 ? f.at[A > 1 ? A - 2 : 0] : 0, f.result, 1, lookup<1>{f, nullptr, 0}),
             ...);
        }
    }
    template <int Begin, int J2, int... N>
    TAPELESS_CONFIG_INLINE static void evaluate_rows(frame& f, rows<J2>& r, std::integer_sequence<int, N...>) {
        if constexpr (sizeof...(N) > most_at_once) {
            evaluate_rows<Begin>(f, r, std::make_integer_sequence<int, most_at_once>{});
            evaluate_rows<Begin + most_at_once>(f, r, std::make_integer_sequence<int, sizeof...(N) - most_at_once>{});
        } else if constexpr (sizeof...(N) > 0) {
#pragma GCC unroll 16
            for (int j = 0; j < J2; ++j)
                (evaluate_single<Program::order[Begin + N]>(detail::at<Program::order[Begin + N]>(r, j), f, r.first + j, &r.result[0][j],
                                                            J2, lookup<J2>{f, &r, j}),
                 ...);
        }
    }

    // ---- in the vector loop ----------------------------------------------------------------------------------------

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
            if constexpr (!info::is_inner(i) && info::is_row(i)) return static_cast<cell<i, value_of<i>, J2>&>(r).v[j];
            else if constexpr (!info::is_inner(i)) return static_cast<cell<i, value_of<i>, 1>&>(f).v[0];
            else if constexpr (info::is_column(i)) return static_cast<cell<i, value_of<i>, 1>&>(column).v[0];
            else return static_cast<cell<i, value_of<i>, 1>&>(inner).v[0];
        }
    };

    template <int I, int P, bool Edge, class Get>
    TAPELESS_CONFIG_INLINE static void evaluate_inner(value_of<I>& out, frame const& f, std::int64_t row, int j, std::int64_t c,
                                                      int n, Get const& get) {
        constexpr step const& s = info::step_at(I);
        using T = typename info::template step_value<I>::element;
        if constexpr (s.kind == step_kind::load) {
            load<Edge>(out, element_at<T const>(f, s.place, row, c), inner_stride(f, s.place), n);
        } else if constexpr (s.kind == step_kind::coordinate) {
            count_from(out, static_cast<T>(position_at(f, s.place, row, c)), static_cast<T>(inner_stride(f, s.place)));
        } else if constexpr (s.scratch >= 0 && s.slot < P) {
            load<false>(out, static_cast<T const*>(scratch_row<I, T>(f, j) + c), 1, W);
        } else {
            evaluate<I>(out, get);
            if constexpr (s.scratch >= 0) store<false>(out, scratch_row<I, T>(f, j) + c, 1, W);
        }
    }
    /// Steps Begin, Begin + 1, ... of the plan's order into `cells`.
    template <int Begin, int P, bool Edge, class Cells, class Get, int... N>
    TAPELESS_CONFIG_INLINE static void evaluate_all([[maybe_unused]] Cells& cells, [[maybe_unused]] frame const& f,
                                                    [[maybe_unused]] std::int64_t row, [[maybe_unused]] int j,
                                                    [[maybe_unused]] std::int64_t c, [[maybe_unused]] int n,
                                                    [[maybe_unused]] Get const& get, std::integer_sequence<int, N...>) {
        if constexpr (sizeof...(N) > most_at_once) {
            evaluate_all<Begin, P, Edge>(cells, f, row, j, c, n, get, std::make_integer_sequence<int, most_at_once>{});
            evaluate_all<Begin + most_at_once, P, Edge>(cells, f, row, j, c, n, get,
                                                        std::make_integer_sequence<int, sizeof...(N) - most_at_once>{});
        } else {
            (evaluate_inner<Program::order[Begin + N], P, Edge>(detail::at<Program::order[Begin + N]>(cells, 0), f, row, j, c, n, get),
             ...);
        }
    }
};

}  // namespace tapeless::detail
