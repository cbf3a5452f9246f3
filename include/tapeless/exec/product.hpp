// SPDX-License-Identifier: MIT
#pragma once
// The contraction a kernel begins with: some rows at a time are computed from packed or untouched operands.

#include <tapeless/exec/frame.hpp>
#include <tapeless/kernels/cblas.hpp>
#include <tapeless/kernels/few_rows.hpp>
#include <tapeless/kernels/gemm.hpp>
#include <tapeless/schedule/cut.hpp>
#include <tapeless/schedule/machine.hpp>
#include <tapeless/schedule/product.hpp>

namespace tapeless::detail::inline exec_part {

/// The length of axis l of those a product sums over.
TAPELESS_CONFIG_INLINE inline std::int64_t depth_of(run_context const& ctx, product const& known, product const& now,
                                                    int l) {
    if (known.depth[l] >= 0) return known.depth[l];
    std::int64_t n = 1;
    for (int a = now.group[l]; a < now.group[l + 1]; ++a) n *= extent_of(ctx, now.depth_shape.extent[a]);
    return n;
}
/// The stride of an operand along loop axis l, or an axis summed over.
template <class Arch = simd::arch>
TAPELESS_CONFIG_INLINE inline std::ptrdiff_t operand_stride(run_context const& ctx, program_tables const& tables,
                                                            place const& known, place const& now, int l) {
    return known.stride[l] >= 0 ? known.stride[l] : stride_in(ctx, tables, now, l);
}
/// Columns with those that fill the last batch.
template <class T, class Build = simd::batch<T>>
constexpr std::int64_t padded_columns(std::int64_t n) {
    constexpr std::int64_t L = simd::lanes<T>;
    return (n + L - 1) / L * L;
}
/// Rows computed at a time: those of a small right operand are still in the cache when the kernel's loops follow.
template <class T, class Build = simd::batch<T>>
constexpr std::int64_t rows_at_a_time(product const& p, bool loops, std::int64_t columns, std::int64_t depth) {
    std::int64_t const block = (product_blocks<T>::block + p.rows - 1) / p.rows * p.rows;
    std::int64_t const bytes = depth * padded_columns<T>(columns) * static_cast<std::int64_t>(sizeof(T));
    std::int64_t const some = machine::strips_beside_right * p.rows;
    return bytes <= machine::right_beside_rows && loops && block > some ? some : block;
}
/// Whether the operands of a product of a kernel with A loops are packed: those of which columns of the left one, or
/// rows of the right one, are so many elements apart. (Of a small product only what the plan knows counts.)
template <class T, int A, class Build = simd::batch<T>>
constexpr bool packs_left_of(product const& p, std::int64_t rows, std::int64_t columns, std::int64_t depth,
                             std::int64_t apart) {
    return p.form == left_form::columns && packs_columns<T>(rows, depth, columns, p.left.stride[A - 2] == 1,
                                                            p.small ? p.left.stride[A + p.depth_axes - 1] : apart);
}
template <class T, int A, class Build = simd::batch<T>>
constexpr bool packs_right_of(product const& p, std::int64_t rows, std::int64_t columns, std::int64_t depth,
                              std::int64_t apart) {
    bool const lies = p.right.stride[A - 1] == 1;
    return p.packed_right >= 0 && (packs_right<T>(rows, depth, columns, lies, p.small ? columns : apart) ||
                                   (!p.small && columns % simd::lanes<T> != 0));
}
/// The operands at the position of the A - 2 outer loops. `now` is what the kernel that runs has in place of `p`.
template <class T, int A, class Arch>
TAPELESS_CONFIG_INLINE inline product_operands<T> bind_product(loop_state_of<Arch> const& f,
                                                               program_tables const& tables, product const& p,
                                                               product const& now) {
    run_context const& ctx = *f.ctx;
    int const deepest = p.depth_axes - 1;
    product_operands<T> x;
    x.columns = f.extent[A - 1];
    x.depth = depth_of(ctx, p, now, deepest);
    for (int l = 0; l < deepest; ++l)
        if (depth_of(ctx, p, now, l) == 0) x.depth = 0;
    x.left = static_cast<T const*>(base_of(ctx, tables, now.left));
    x.right = static_cast<T const*>(base_of(ctx, tables, now.right));
#pragma GCC unroll 16
    for (int l = 0; l < A - 2; ++l) {
        // of an array that is there strip by strip, the first loop begins with the strip
        std::int64_t const left = (p.left.strip && l == 0 ? 0 : f.from[l]) + f.at[l];
        std::int64_t const right = (p.right.strip && l == 0 ? 0 : f.from[l]) + f.at[l];
        x.left += left * operand_stride(ctx, tables, p.left, now.left, l);
        x.right += right * operand_stride(ctx, tables, p.right, now.right, l);
    }
    x.left_row = operand_stride(ctx, tables, p.left, now.left, A - 2);
    x.left += f.from[A - 2] * x.left_row;
    x.left_k = operand_stride(ctx, tables, p.left, now.left, A + deepest);
    x.right_k = operand_stride(ctx, tables, p.right, now.right, A + deepest);
    x.right_column = operand_stride(ctx, tables, p.right, now.right, A - 1);
    if (p.packed_left >= 0) x.packed_left = reinterpret_cast<T*>(ctx.arena + ctx.offsets[now.packed_left]);
    x.packs_left = packs_left_of<T, A>(p, f.all_rows, x.columns, x.depth, x.left_k);
    return x;
}
/// Columns `from` to `end` - 1 of the right operand, in blocks of depth. They begin with a panel, and end with one.
template <int U, class T, class Build = simd::batch<T>>
TAPELESS_CONFIG_INLINE inline void pack_depth(T* to, product_operands<T> const& x, std::ptrdiff_t r, std::int64_t from,
                                              std::int64_t end) {
    constexpr std::int64_t deep = product_blocks<T>::depth;
    for (std::int64_t k0 = 0; k0 < x.depth; k0 += deep) {
        std::int64_t const kc = x.depth - k0 < deep ? x.depth - k0 : deep;
        pack_panels(to + k0 * padded_columns<T>(x.columns) + from * kc,
                    x.right + r + k0 * x.right_k + from * x.right_column, x.right_k, x.right_column, kc, end - from, U);
    }
}
/// Whether the right operand was packed for the product before, or in an earlier step of the loop.
TAPELESS_CONFIG_INLINE inline bool is_packed(run_context const& ctx, product const& now) {
    return now.packed_before || (now.stays_packed && ctx.later_step);
}
template <class T>
TAPELESS_CONFIG_INLINE inline T* packed_right(run_context const& ctx, product const& now) {
    return reinterpret_cast<T*>(ctx.arena + ctx.offsets[now.packed_right]);
}
/// Rows i ... i + m - 1 of a product, by the CBLAS if `elsewhere`.
template <class Constants, bool Tiny, class T, class Build = simd::batch<T>>
TAPELESS_CONFIG_INLINE inline void multiply_some(product_operands<T> const& x, std::int64_t i, std::int64_t m,
                                                 product_target<T> const& t, [[maybe_unused]] bool elsewhere) {
#ifdef TAPELESS_USE_CBLAS
    if (elsewhere)
        call_cblas(x.left + i * x.left_row, x.left_row, x.left_k, x.right, x.right_k, x.right_column, t.to, t.row, m,
                   x.columns, x.depth, t.add);
    else
#endif
    if constexpr (Tiny) multiply_rows(Constants{}, std::make_integer_sequence<int, Constants::batches>{}, x, i, m, t);
    else multiply_rows_apart<Constants>(x, i, m, t);
}

/// The product of kernel K.
template <class Program, int K>
struct kernel_product {
    using info = kernel_info<Program, K>;
    using frame = typename info::frame;
    static constexpr auto const& k = info::k;
    static constexpr int A = info::A;
    static constexpr product const& p = Program::products[k.product];
    using T = typename type_of_dtype<Program::products[k.product].type>::type;
    static constexpr int J = p.rows, U = p.batches, D = p.depth_axes;

    /// A product of a few numbers is no call.
    static constexpr bool is_tiny() {
        std::int64_t n = p.depth[0];
        for (int l = 0; l < A; ++l) n = k.extent[l] < 0 ? machine::tiny_product + 1 : n * k.extent[l];
        return p.small && n <= machine::tiny_product;
    }
    static constexpr product_code find_code() {
        product_code c;
        if (!p.small) return c;  // one function for all products of unknown size
        std::int64_t const rows = k.extent[A - 2], some = rows_at_a_time<T>(p, k.loops, k.extent[A - 1], p.depth[0]);
        place const& to = info::place_at(p.to);
        c.in_place = p.packed_right < 0;
        c.columns = k.extent[A - 1];
        c.depth = p.depth[0];
        if (!uses_cblas && (rows <= some || rows % some == 0)) c.some = rows < some ? rows : some;
        c.left_row = p.left.stride[A - 2];
        c.left_k = p.left.stride[A];
        c.right_k = p.right.stride[A];
        c.to_row = to.stride[A - 2];
        c.packs_left = packs_left_of<T, A>(p, rows, c.columns, c.depth, c.left_k);
        c.packs_right = packs_right_of<T, A>(p, rows, c.columns, c.depth, c.right_k);
        c.padded = to.where == memory::panel;
        c.add = 0;
        return c;
    }
    static constexpr product_code known = find_code();
    using constants =
        std::conditional_t<!p.small, product_constants<p.form, J, U, false>,
                           product_constants<p.form, J, U, known.in_place, known.some, known.columns, known.depth,
                                             known.left_row, known.left_k, known.right_k, known.to_row,
                                             known.packs_left, known.packs_right, known.padded, known.add>>;

    static constexpr bool right_stays = right_is_common(k, p);
    static constexpr bool tiny = is_tiny();

    /// Calls fn(number, left offset, right offset) for each position on the outer of the axes summed over.
    template <int L = 0, class F>
    TAPELESS_CONFIG_INLINE static void each_slice(frame const& f, F const& fn, std::int64_t number = 0,
                                                  std::ptrdiff_t l = 0, std::ptrdiff_t r = 0) {
        if constexpr (L + 1 >= D) {
            fn(number, l, r);
        } else {
            product const& now = Program::products.items[f.now->product];
            std::int64_t const n = depth_of(*f.ctx, p, now, L);
            for (std::int64_t i = 0; i < n; ++i)
                each_slice<L + 1>(f, fn, number * n + i,
                                  l + i * operand_stride(*f.ctx, Program::tables, p.left, now.left, A + L),
                                  r + i * operand_stride(*f.ctx, Program::tables, p.right, now.right, A + L));
        }
    }

    static bool packs_right_now(frame const& f, product_operands<T> const& x) {
        return packs_right_of<T, A>(p, f.all_rows, x.columns, x.depth, x.right_k);
    }
    /// Whether there may be so few rows that nothing is packed, which only the run knows. Whole tiles of an operand
    /// that is not packed anyway are as well computed.
    static constexpr bool may_be_few = !p.small && D == 1 && J > 1 && k.extent[A - 2] <= machine::few_rows_of_narrow;
    static bool is_few([[maybe_unused]] frame const& f, [[maybe_unused]] product_operands<T> const& x) {
        if constexpr (!may_be_few) return false;
        else return is_few_rows(x, f.all_rows, p.packed_left >= 0) && (f.all_rows % J != 0 || packs_right_now(f, x));
    }
    TAPELESS_CONFIG_INLINE static void multiply_few(product_operands<T> const& x, std::int64_t i, std::int64_t m,
                                                    product_target<T> const& t) {
        constexpr std::ptrdiff_t known_stride = p.right.stride[A - 1];
        if constexpr (may_be_few && known_stride <= 1)
            if (known_stride == 1 || x.right_column == 1) return multiply_few_rows<true>(x, i, m, t);
        if constexpr (may_be_few && known_stride != 1) multiply_few_rows<false>(x, i, m, t);
    }
    TAPELESS_CONFIG_INLINE static void pack(frame const& f, product_operands<T> const& x, T* packed, std::int64_t from,
                                            std::int64_t end) {
        if constexpr (D == 1) pack_depth<U>(packed, x, 0, from, end);
        else
            each_slice(f, [&](std::int64_t number, std::ptrdiff_t, std::ptrdiff_t r) TAPELESS_CONFIG_INLINE {
                pack_depth<U>(packed + number * x.depth * padded_columns<T>(x.columns), x, r, from, end);
            });
    }
    /// Packs columns of a right operand that all pieces have in common.
    TAPELESS_CONFIG_PIECE static void pack_common(frame& f, std::int64_t from, std::int64_t end) {
        if constexpr (right_stays && p.packed_right >= 0) {
            product const& now = Program::products.items[f.now->product];
            product_operands<T> const x = bind_product<T, A>(f, Program::tables, p, now);
            if (!is_few(f, x) && packs_right_now(f, x) && !is_packed(*f.ctx, now))
                pack(f, x, packed_right<T>(*f.ctx, now), from, end);
        }
    }

    /// Computes the product at the outer loops' position; whenever some rows are there, the kernel's loops follow.
    template <class Kernel>
    TAPELESS_CONFIG_PIECE static void run(frame& f) {
        constexpr place const& to = info::place_at(p.to);
        product const& now = Program::products.items[f.now->product];
        std::int64_t const rows = f.extent[A - 2];
        product_operands<T> x = bind_product<T, A>(f, Program::tables, p, now);
        std::int64_t const size = x.depth * padded_columns<T>(x.columns);
        bool const few = is_few(f, x);
        bool const packs = !few && packs_right_now(f, x);
        T* const packed = p.packed_right < 0 ? nullptr : packed_right<T>(*f.ctx, now);
        bool const elsewhere = uses_cblas && rows * x.columns * x.depth >= machine::worth_calling &&
                               is_blas_matrix(x.left_row, x.left_k, rows, x.depth) &&
                               is_blas_matrix(x.right_k, x.right_column, x.depth, x.columns);
        if (packs && !elsewhere) {
            bool again = !is_packed(*f.ctx, now);
            if constexpr (right_stays) {
                if constexpr (can_be_cut<Program, K>()) again = again && f.part->stage == run_stage::whole;
#pragma GCC unroll 16
                for (int l = 0; l < A - 2; ++l) again = again && f.at[l] == 0;
            }
            if (again) pack(f, x, packed, 0, x.columns);
        }
        if constexpr (to.where == memory::panel && to.stride[A - 2] < 0)
            f.found[p.to].stride[A - 2] = padded_columns<T>(x.columns);
        product_target<T> t;
        t.row = stride_at(to, f.found[p.to], A - 2);
        t.padded = to.where == memory::panel;
        std::int64_t const step = elsewhere && !t.padded ? rows : rows_at_a_time<T>(p, k.loops, x.columns, x.depth);
        x.packed_right = packs ? packed : nullptr;
        if constexpr (k.panel > 0 && can_be_cut<Program, K>()) {
            x.before = f.part->before;
            x.after = f.part->after;
        }
        for (std::int64_t i = 0; i < rows; i += step) {
            std::int64_t const m = rows - i < step ? rows - i : step;
            f.first_row = i;
            t.to = element_at<T, A>(f, to, f.found[p.to], i, 0);
            t.add = false;
            if constexpr (D == 1) {
                if (few && !elsewhere) multiply_few(x, i, m, t);
                else multiply_some<constants, tiny>(x, i, m, t, elsewhere);
            } else {
                auto multiply = [&](std::int64_t number, std::ptrdiff_t l, std::ptrdiff_t r) TAPELESS_CONFIG_INLINE {
                    product_operands<T> y = x;
                    y.left += l;
                    y.right += r;
                    if (packs) y.packed_right += number * size;
                    multiply_some<constants, tiny>(y, i, m, t, elsewhere);
                    t.add = true;
                };
                bool empty = false;
                for (int l = 0; l + 1 < D; ++l) empty = empty || depth_of(*f.ctx, p, now, l) == 0;
                if (empty) multiply(0, 0, 0);
                else each_slice(f, multiply);
            }
            if constexpr (k.loops) Kernel::template loop<A - 2>(f, i, i + m);
        }
    }
};

}  // namespace tapeless::detail::exec_part
