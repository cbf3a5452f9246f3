// SPDX-License-Identifier: MIT
#pragma once
// Lowers one kernel of a plan: nested loops, batches in registers, reductions accumulated in the same pass.

#include <tapeless/exec/carry.hpp>
#include <tapeless/exec/product.hpp>
#include <tapeless/exec/tile.hpp>

namespace tapeless::detail {

/// Kernel K of a program, run as a whole.
template <class Program, int K>
struct executor {
    using steps = kernel_steps<Program, K>;
    using loops = kernel_tile<Program, K>;
    using carry = kernel_carry<Program, K>;
    using info = kernel_info<Program, K>;
    static constexpr auto const& k = info::k;
    static constexpr int A = info::A, W = info::W, J = info::J, U = info::U;
    using frame = typename info::frame;
    template <int J2>
    using rows = typename info::template rows<J2>;
    template <int R>
    using root_type = typename info::template root_type<R>;

    // ---- rows ------------------------------------------------------------------------------------------------------

    /// What is left behind once a row: its own reductions, and values that vary along outer axes only.
    template <int J2>
    TAPELESS_CONFIG_INLINE static void leave_rows(frame& f, rows<J2>& r) {
        for_each_of<left_by_rows>([&](auto q) TAPELESS_CONFIG_INLINE {
            repeat<J2>([&](int j) TAPELESS_CONFIG_INLINE { leave_row<q.i, J2>(f, r, j); });
        });
    }
    static constexpr bool leaves_value(root const& t) {
        return t.level < A && (t.level > 0 || A == 1) && t.slot != after_everything;
    }
    static constexpr numbers<k.roots> left_by_rows{[](int i) {
        root const& t = info::root_at(i);
        return t.place >= 0 && (t.how == target::row || (t.how == target::partial && t.level == A) || leaves_value(t));
    }};
    template <int R, int J2>
    TAPELESS_CONFIG_INLINE static void leave_row(frame& f, rows<J2>& r, int j) {
        constexpr root const& t = info::root_at(R);
        using T = typename info::template root_value<R>::memory_element;
        std::int64_t const row = r.first + j;
        if constexpr (t.how == target::row) {
            *element_at<T>(f, t.place, row, 0) = r.result[R][j].template get<T>();
        } else if constexpr (t.how == target::partial && t.level == A) {
            combine_number<R, T>(f, row, r.result[R][j].template get<T>());
        } else {
            auto const& v = typename steps::template lookup<J2>{f, &r, j}(index<t.step>{});
            T x;
            if constexpr (is_mask(t.type)) x = as_bools(v).reg[0];
            else x = first_lane(v);
            if constexpr (t.adds) x = static_cast<T>(x + *element_at<T>(f, t.place, row, 0));
            if constexpr (t.how == target::store) *element_at<T>(f, t.place, row, 0) = x;
            else combine_number<R, T>(f, row, x);
        }
    }
    template <int R, class T>
    TAPELESS_CONFIG_INLINE static void combine_number(frame const& f, std::int64_t row, T x) {
        T* p = element_at<T>(f, info::root_at(R).place, row, 0);
        if (is_first<R>(f, row)) *p = x;
        else *p = combine<info::root_at(R).combine>(*p, x);
    }

    template <int J2>
    TAPELESS_CONFIG_PIECE static void row(frame& f, std::int64_t first) {
        rows<J2> r;
        r.first = first;
        if constexpr (A > 1) f.at[A > 1 ? A - 2 : 0] = first;
        evaluate_rows<0>(f, r);
        [&]<int... P>(std::integer_sequence<int, P...>) TAPELESS_CONFIG_PIECE {
            ((loops::template phase<P>(f, r), evaluate_rows<P + 1>(f, r)), ...);
        }(std::make_integer_sequence<int, k.phases>{});
        leave_rows(f, r);
        if constexpr (has_everything()) {
            f.since += static_cast<int>(f.extent[A - 1] / (U * W)) + 1;
            if (f.since >= loops::block) loops::flush_everything(f);
        }
    }
    /// What is computed once a row, before phase P.
    template <int P, int J2>
    TAPELESS_CONFIG_INLINE static void evaluate_rows(frame& f, rows<J2>& r) {
        steps::template evaluate_rows<k.row[P].begin>(f, r, std::make_integer_sequence<int, k.row[P].size()>{});
    }
    static constexpr bool has_everything() {
        for (int i = 0; i < k.roots; ++i)
            if (info::in_registers(i, -1, target::everything)) return true;
        return false;
    }

    /// Rows `from` to `to` of loop L, the last but one.
    template <int L>
    TAPELESS_CONFIG_PIECE static void rows_between(frame& f, std::int64_t from, std::int64_t to) {
        std::int64_t i = from;
        for (; i + J <= to; i += J) {
            row<J>(f, i);
            carry::template take_up_carries<L>(f, i + J);
        }
        if constexpr (J > 1 && (k.extent[L] < 0 || k.extent[L] % J != 0 || k.product >= 0))
            for (; i < to; ++i) {
                row<1>(f, i);
                carry::template take_up_carries<L>(f, i + 1);
            }
    }

    template <int L>
    TAPELESS_CONFIG_PIECE static void loop(frame& f) {
        if constexpr (L >= A - 1) {
            row<1>(f, 0);
        } else if constexpr (L == A - 2) {
            if constexpr (k.product >= 0)
                kernel_product<Program, K>::run(f, [&](std::int64_t from, std::int64_t to) TAPELESS_CONFIG_PIECE {
                    if constexpr (k.loops) rows_between<L>(f, from, to);
                });
            else rows_between<L>(f, 0, f.extent[L]);
        } else {
            for (std::int64_t i = 0; i < f.extent[L]; ++i) {
                f.at[L] = i;
                steps::template evaluate_outer<k.outer[L + 1].begin>(f, std::make_integer_sequence<int, k.outer[L + 1].size()>{});
                loop<L + 1>(f);
                carry::template take_up_carries<L>(f, i + 1);
            }
        }
    }

    // ---- what is written in parts ----------------------------------------------------------------------------------

    /// Fills the whole array that root R writes a part of.
    template <int R>
    TAPELESS_CONFIG_INLINE static void fill_array(frame const& f) {
        run_context const& ctx = f.ctx;
        using T = root_type<R>;
        place const& p = f.place_now(info::root_at(R).place);
        constexpr T filling = static_cast<T>(info::root_at(R).filling);
        dims const& d = Program::shapes.items[p.shape];
        T* const base = reinterpret_cast<T*>(memory_of(ctx, p));
        if (p.dense) {
            std::int64_t size = 1;
            for (int a = 0; a < d.rank; ++a) size *= extent_of(ctx, d.extent[a]);
            fill_row(base, size, 1, filling);
        } else {
            std::int64_t extent[max_rank];
            std::ptrdiff_t stride[max_rank];
            for (int a = 0; a < max_rank; ++a) {
                extent[a] = a < d.rank ? extent_of(ctx, d.from_right(a)) : 1;
                stride[a] = a < d.rank ? memory_stride<Program>(ctx, p, a) : 0;
            }
            fill_rows<T>(base, max_rank - 1, extent, stride, filling);
        }
    }
    template <class T>
    static void fill_rows(T* x, int axis, std::int64_t const* extent, std::ptrdiff_t const* stride, T filling) {
        if (axis == 0) return fill_row(x, extent[0], stride[0], filling);
        for (std::int64_t i = 0; i < extent[axis]; ++i) fill_rows<T>(x + i * stride[axis], axis - 1, extent, stride, filling);
    }
    template <class T>
    static void fill_row(T* x, std::int64_t n, std::ptrdiff_t stride, T filling) {
        std::int64_t left = n;
        for (; stride == 1 && left >= simd::lanes<T>; left -= simd::lanes<T>, x += simd::lanes<T>)
            simd::store(x, simd::batch<T>(filling));
        for (; left > 0; --left, x += stride) *x = filling;
    }

    // ---- the whole -------------------------------------------------------------------------------------------------

    /// A product of a few numbers is no call.
    static constexpr bool is_tiny() {
        if constexpr (k.product < 0 || k.loops || !Program::optimised) return false;
        else return kernel_product<Program, K>::is_tiny();
    }
    TAPELESS_CONFIG_INLINE static void run(run_context const& ctx, int which) {
        if constexpr (is_tiny()) run_at_once(ctx, which);
        else run_apart(ctx, which);
    }
    TAPELESS_CONFIG_FLAT TAPELESS_CONFIG_INLINE static void run_at_once(run_context const& ctx, int which) { run_here(ctx, which); }
    [[gnu::noinline]] TAPELESS_CONFIG_FLAT static void run_apart(run_context const& ctx, int which) { run_here(ctx, which); }

    static constexpr numbers<k.steps> scratched{[](int i) { return info::step_at(i).scratch >= 0; }};
    static constexpr numbers<k.roots> cleared{[](int r) { return info::root_at(r).clears; }};
    /// What is stored once, after everything.
    static constexpr numbers<k.roots> left_at_last{[](int r) {
        return info::root_at(r).level == 0 && A != 1 && info::root_at(r).how == target::store && info::root_at(r).place >= 0;
    }};
    TAPELESS_CONFIG_PIECE static void run_here(run_context const& ctx, [[maybe_unused]] int which) {
        frame f(ctx, which);
        repeat<A>([&](int l) TAPELESS_CONFIG_INLINE {
            std::int64_t n = k.extent[l];
            if (n < 0) {
                n = 1;
                for (int a = f.now().group[l]; a < f.now().group[l + 1]; ++a) n *= extent_of(ctx, f.now().shape.extent[a]);
            }
            f.extent[l] = n;
        });
        bind_places(f);
        for_each_of<scratched>([&](auto i) TAPELESS_CONFIG_INLINE {
            f.scratch[i.i] = f.scratch_now(i.i);
            f.padded = (f.extent[A > 0 ? A - 1 : 0] + W - 1) / W * W;
        });
        for_each_of<cleared>([&](auto q) TAPELESS_CONFIG_INLINE { fill_array<q.i>(f); });
        f.each_accumulator([](auto, auto& a) TAPELESS_CONFIG_INLINE { a.clear(); });
        steps::template evaluate_outer<k.outer[0].begin>(f, std::make_integer_sequence<int, k.outer[0].size()>{});
        if constexpr (A > 0) {
            if constexpr (carry::needs_identity()) carry::fill_identities(f);
            loop<0>(f);
        }
        f.each_accumulator([&](auto q, auto& a) TAPELESS_CONFIG_INLINE {
            constexpr int R = q.i;
            a.flush();
            f.result[R].set(a.sum[0].result());
            if constexpr (info::root_at(R).place >= 0)
                *static_cast<root_type<R>*>(f.base[info::root_at(R).place]) = f.result[R].template get<root_type<R>>();
        });
        steps::template evaluate_outer<k.last.begin>(f, std::make_integer_sequence<int, k.last.size()>{});
        for_each_of<left_at_last>([&](auto q) TAPELESS_CONFIG_INLINE {
            constexpr root const& t = info::root_at(q.i);
            using T = typename info::template root_value<q.i>::memory_element;
            auto const& v = typename steps::template lookup<1>{f, nullptr, 0}(index<t.step>{});
            if constexpr (is_mask(t.type)) *static_cast<T*>(f.base[t.place]) = as_bools(v).reg[0];
            else if constexpr (t.adds) *static_cast<T*>(f.base[t.place]) += first_lane(v);
            else *static_cast<T*>(f.base[t.place]) = first_lane(v);
        });
    }
};

}  // namespace tapeless::detail
