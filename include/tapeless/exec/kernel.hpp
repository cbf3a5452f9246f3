// SPDX-License-Identifier: MIT
#pragma once
// Lowers one kernel of a plan: nested loops, xsimd batches in registers, reductions accumulated in the same pass.

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
        unroll<k.roots>([&](auto q) TAPELESS_CONFIG_INLINE {
            constexpr int R = q.i;
            if constexpr (info::root_at(R).place >= 0) {
                using T = typename info::template root_value<R>::memory_element;
                unroll<J2>([&](auto j) TAPELESS_CONFIG_INLINE {
                    constexpr root const& t = info::root_at(R);
                    std::int64_t row = r.first + j.i;
                    if constexpr (t.how == target::row) {
                        *element_at<t.place, T>(f, row, 0) = r.result[R][j.i].template get<T>();
                    } else if constexpr (t.how == target::partial && t.level == A) {
                        combine_number<R, T>(f, row, r.result[R][j.i].template get<T>());
                    } else if constexpr (t.level < A && (t.level > 0 || A == 1) && t.slot != after_everything) {
                        auto const& v = typename steps::template lookup<J2>{f, &r, j.i}(index<t.step>{});
                        T x;
                        if constexpr (is_mask(t.type)) x = as_bools(v).reg[0];
                        else x = first_lane(v);
                        if constexpr (t.adds) x = static_cast<T>(x + *element_at<t.place, T>(f, row, 0));
                        if constexpr (t.how == target::store) *element_at<t.place, T>(f, row, 0) = x;
                        else combine_number<R, T>(f, row, x);
                    }
                });
            }
        });
    }
    template <int R, class T>
    TAPELESS_CONFIG_INLINE static void combine_number(frame const& f, std::int64_t row, T x) {
        T* p = element_at<info::root_at(R).place, T>(f, row, 0);
        if (is_first<R>(f, row)) *p = x;
        else *p = combine<info::root_at(R).combine>(*p, x);
    }

    template <int J2>
    TAPELESS_CONFIG_INLINE static void row(frame& f, std::int64_t first) {
        rows<J2> r;
        r.first = first;
        if constexpr (A > 1) f.at[A > 1 ? A - 2 : 0] = first;
        steps::template evaluate_rows<k.row[0].begin, k.row[0].end>(f, r);
        unroll<k.phases>([&](auto p) TAPELESS_CONFIG_INLINE {
            loops::template phase<p.i>(f, r);
            steps::template evaluate_rows<k.row[p.i + 1].begin, k.row[p.i + 1].end>(f, r);
        });
        leave_rows(f, r);
        if constexpr (has_everything()) {
            f.since += static_cast<int>(f.extent[A - 1] / (U * W)) + 1;
            if (f.since >= loops::block) loops::flush_everything(f);
        }
    }
    static constexpr bool has_everything() {
        for (int i = 0; i < k.roots; ++i)
            if (info::in_registers(i, -1, target::everything)) return true;
        return false;
    }

    /// Rows `from` to `to` of loop L, the last but one.
    template <int L>
    TAPELESS_CONFIG_INLINE static void rows_between(frame& f, std::int64_t from, std::int64_t to) {
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
    TAPELESS_CONFIG_INLINE static void loop(frame& f) {
        if constexpr (L >= A - 1) {
            row<1>(f, 0);
        } else if constexpr (L == A - 2) {
            if constexpr (k.product >= 0)
                kernel_product<Program, K>::run(f, [&](std::int64_t from, std::int64_t to) TAPELESS_CONFIG_INLINE {
                    if constexpr (k.loops) rows_between<L>(f, from, to);
                });
            else rows_between<L>(f, 0, f.extent[L]);
        } else {
            for (std::int64_t i = 0; i < f.extent[L]; ++i) {
                f.at[L] = i;
                steps::template evaluate_outer<k.outer[L + 1].begin, k.outer[L + 1].end>(f);
                loop<L + 1>(f);
                carry::template take_up_carries<L>(f, i + 1);
            }
        }
    }

    // ---- what is written in parts ----------------------------------------------------------------------------------

    /// Fills the whole array that root R writes a part of.
    template <int R>
    TAPELESS_CONFIG_INLINE static void fill_array(run_context const& ctx) {
        using T = root_type<R>;
        constexpr place const& p = info::place_at(info::root_at(R).place);
        constexpr T filling = static_cast<T>(info::root_at(R).filling);
        constexpr dims const& d = Program::shapes.items[p.shape];
        T* const base = reinterpret_cast<T*>(memory_of(ctx, p));
        if constexpr (p.dense) {
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
        if (k.product < 0 || k.loops || !Program::optimised) return false;
        std::int64_t n = 1;
        for (int l = 0; l < A; ++l) n = k.extent[l] < 0 ? 1000 : n * k.extent[l];
        for (std::int64_t d : Program::products[k.product < 0 ? 0 : k.product].depth) n = d < 0 ? 1000 : d == 0 ? n : n * d;
        return n <= 512;
    }
    TAPELESS_CONFIG_INLINE static void run(run_context const& ctx) {
        if constexpr (is_tiny()) run_here(ctx);
        else run_apart(ctx);
    }
    [[gnu::noinline]] static void run_apart(run_context const& ctx) { run_here(ctx); }

    TAPELESS_CONFIG_INLINE static void run_here(run_context const& ctx) {
        frame f(ctx);
        unroll<A>([&](auto l) TAPELESS_CONFIG_INLINE {
            if constexpr (k.extent[l.i] >= 0) f.extent[l.i] = k.extent[l.i];
            else {
                std::int64_t n = 1;
                for (int a = k.group[l.i]; a < k.group[l.i + 1]; ++a) n *= extent_of(ctx, k.shape.extent[a]);
                f.extent[l.i] = n;
            }
        });
        unroll<k.places>([&](auto p) TAPELESS_CONFIG_INLINE { bind_place<p.i>(f); });
        unroll<k.steps>([&](auto i) TAPELESS_CONFIG_INLINE {
            if constexpr (info::step_at(i.i).scratch >= 0) {
                f.scratch[i.i] = ctx.arena + ctx.offsets[info::step_at(i.i).scratch];
                f.padded = (f.extent[A > 0 ? A - 1 : 0] + W - 1) / W * W;
            }
        });
        unroll<k.roots>([&](auto q) TAPELESS_CONFIG_INLINE {
            if constexpr (info::root_at(q.i).clears) fill_array<q.i>(ctx);
        });
        f.each_accumulator([](auto, auto& a) TAPELESS_CONFIG_INLINE { a.clear(); });
        steps::template evaluate_outer<k.outer[0].begin, k.outer[0].end>(f);
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
        steps::template evaluate_outer<k.last.begin, k.last.end>(f);
        unroll<k.roots>([&](auto q) TAPELESS_CONFIG_INLINE {
            constexpr int R = q.i;
            constexpr root const& t = info::root_at(R);
            if constexpr (t.level == 0 && A != 1 && t.how == target::store && t.place >= 0) {
                using T = typename info::template root_value<R>::memory_element;
                auto const& v = typename steps::template lookup<1>{f, nullptr, 0}(index<t.step>{});
                if constexpr (is_mask(t.type)) *static_cast<T*>(f.base[t.place]) = as_bools(v).reg[0];
                else if constexpr (t.adds) *static_cast<T*>(f.base[t.place]) += first_lane(v);
                else *static_cast<T*>(f.base[t.place]) = first_lane(v);
            }
        });
    }
};

}  // namespace tapeless::detail
