// SPDX-License-Identifier: MIT
#pragma once
// The contraction a kernel begins with: some rows at a time are computed from packed or untouched operands.

#include <tapeless/exec/access.hpp>
#include <tapeless/kernels/cblas.hpp>
#include <tapeless/kernels/gemm.hpp>
#include <tapeless/schedule/machine.hpp>

namespace tapeless::detail {

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
    /// Columns with those that fill the last batch.
    static constexpr std::int64_t padded_columns(std::int64_t n) {
        constexpr std::int64_t L = simd::lanes<T>;
        return (n + L - 1) / L * L;
    }
    static constexpr std::int64_t block = (product_blocks<T>::block + J - 1) / J * J;

    /// A product of a few numbers is no call.
    static constexpr bool is_tiny() {
        std::int64_t n = p.depth[0];
        for (int l = 0; l < A; ++l) n = k.extent[l] < 0 ? machine::tiny_product + 1 : n * k.extent[l];
        return p.small && n <= machine::tiny_product;
    }

    /// Rows computed at a time: those of a small right operand are still in the cache when the kernel's loops follow.
    static constexpr std::int64_t rows_at_a_time(std::int64_t columns, std::int64_t depth) {
        constexpr std::int64_t some = machine::strips_beside_right * J;
        std::int64_t const bytes = depth * padded_columns(columns) * static_cast<std::int64_t>(sizeof(T));
        return bytes <= machine::right_beside_rows && k.loops && block > some ? some : block;
    }
    static constexpr bool right_lies = p.right.stride[A - 1] == 1;
    static constexpr bool packs_left_of(std::int64_t rows, std::int64_t columns, std::int64_t depth) {
        return p.form == left_form::columns && packs_left<T>(rows, depth, columns, false, p.left.stride[A - 2] == 1);
    }
    static constexpr bool packs_right_of(std::int64_t rows, std::int64_t columns, std::int64_t depth) {
        return packs_right<T>(rows, depth, columns, right_lies) || (!p.small && columns % simd::lanes<T> != 0);
    }
    static constexpr product_code find_code() {
        product_code c;
        if (!p.small) return c;  // one function for all products of unknown size
        std::int64_t const rows = k.extent[A - 2], some = rows_at_a_time(k.extent[A - 1], p.depth[0]);
        place const& to = info::place_at(p.to);
        c.in_place = p.packed_right < 0;
        c.columns = k.extent[A - 1];
        c.depth = p.depth[0];
        if (!uses_cblas && (rows <= some || rows % some == 0)) c.some = rows < some ? rows : some;
        c.left_row = p.left.stride[A - 2];
        c.left_k = p.left.stride[A];
        c.right_k = p.right.stride[A];
        c.to_row = to.stride[A - 2];
        c.packs_left = packs_left_of(rows, c.columns, c.depth);
        c.packs_right = packs_right_of(rows, c.columns, c.depth);
        c.padded = to.where == memory::panel;
        c.add = 0;
        return c;
    }
    static constexpr product_code known = find_code();
    using constants = std::conditional_t<
        !p.small, product_constants<p.form, J, U, false>,
        product_constants<p.form, J, U, known.in_place, known.some, known.columns, known.depth, known.left_row, known.left_k,
                          known.right_k, known.to_row, known.packs_left, known.packs_right, known.padded, known.add>>;

    /// The right operand is the same for all iterations of the outer loops.
    static constexpr bool right_stays() {
        for (int l = 0; l + 2 < A; ++l)
            if (p.right.stride[l] != 0) return false;
        return true;
    }

    TAPELESS_CONFIG_INLINE static std::int64_t depth_of(frame const& f, int l) {
        if (p.depth[l] >= 0) return p.depth[l];
        std::int64_t n = 1;
        product const& now = f.product_now();
        for (int a = now.group[l]; a < now.group[l + 1]; ++a) n *= extent_of(f.ctx, now.depth_shape.extent[a]);
        return n;
    }
    /// The strides of the operands along loop axis l, or an axis summed over.
    TAPELESS_CONFIG_INLINE static std::ptrdiff_t left_stride(frame const& f, int l) {
        return p.left.stride[l] >= 0 ? p.left.stride[l] : stride_in<Program>(f.ctx, f.product_now().left, l);
    }
    TAPELESS_CONFIG_INLINE static std::ptrdiff_t right_stride(frame const& f, int l) {
        return p.right.stride[l] >= 0 ? p.right.stride[l] : stride_in<Program>(f.ctx, f.product_now().right, l);
    }
    TAPELESS_CONFIG_INLINE static T const* operand(frame const& f, place const& q) {
        return static_cast<T const*>(base_of<Program>(f.ctx, q));
    }
    /// Calls fn(number, left offset, right offset) for each position on the outer of the axes summed over.
    template <int L = 0, class F>
    TAPELESS_CONFIG_INLINE static void each_slice(frame const& f, F const& fn, std::int64_t number = 0, std::ptrdiff_t l = 0, std::ptrdiff_t r = 0) {
        if constexpr (L + 1 >= D) fn(number, l, r);
        else
            for (std::int64_t i = 0; i < depth_of(f, L); ++i)
                each_slice<L + 1>(f, fn, number * depth_of(f, L) + i, l + i * left_stride(f, A + L),
                                  r + i * right_stride(f, A + L));
    }

    /// Computes the product at the outer loops' position, and calls then(from, to) whenever some rows are there.
    template <class Then>
    TAPELESS_CONFIG_PIECE static void run(frame& f, Then const& then) {
        constexpr place const& to = info::place_at(p.to);
        std::int64_t const rows = f.extent[A - 2];
        product_operands<T> x;
        x.columns = f.extent[A - 1];
        x.depth = depth_of(f, D - 1);
        [[maybe_unused]] bool empty = false;
        for (int l = 0; l + 1 < D; ++l) empty = empty || depth_of(f, l) == 0;
        if (empty) x.depth = 0;
        x.left = operand(f, f.product_now().left);
        x.right = operand(f, f.product_now().right);
        repeat<(A > 2 ? A - 2 : 0)>([&](int l) TAPELESS_CONFIG_INLINE {
            x.left += f.at[l] * left_stride(f, l);
            x.right += f.at[l] * right_stride(f, l);
        });
        x.left_row = left_stride(f, A - 2);
        x.left_k = left_stride(f, A + D - 1);
        x.right_k = right_stride(f, A + D - 1);
        x.right_column = right_stride(f, A - 1);
        if constexpr (p.packed_left >= 0) x.packed_left = reinterpret_cast<T*>(f.ctx.arena + f.ctx.offsets[f.product_now().packed_left]);
        x.packs_left = packs_left_of(rows, x.columns, x.depth);
        std::int64_t const size = x.depth * padded_columns(x.columns);
        bool const packs = packs_right_of(rows, x.columns, x.depth);
        T* packed = nullptr;
        if constexpr (p.packed_right >= 0) packed = reinterpret_cast<T*>(f.ctx.arena + f.ctx.offsets[f.product_now().packed_right]);
        bool const elsewhere = uses_cblas && rows * x.columns * x.depth >= machine::worth_calling &&
                               is_blas_matrix(x.left_row, x.left_k, rows, x.depth) &&
                               is_blas_matrix(x.right_k, x.right_column, x.depth, x.columns);
        if (packs && !elsewhere) {
            bool again = !right_stays();
            if (right_stays()) {
                again = true;
                repeat<(A > 2 ? A - 2 : 0)>([&](int l) TAPELESS_CONFIG_INLINE { again = again && f.at[l] == 0; });
            }
            if (again)
                each_slice(f, [&](std::int64_t number, std::ptrdiff_t, std::ptrdiff_t r) TAPELESS_CONFIG_INLINE {
                    pack_depth(packed + number * size, x, r);
                });
        }
        if constexpr (to.where == memory::panel && to.stride[A - 2] < 0) f.stride[p.to][A - 2] = padded_columns(x.columns);
        product_target<T> t;
        t.row = stride_at(f, p.to, A - 2);
        t.padded = to.where == memory::panel;
        std::int64_t const step = elsewhere && !t.padded ? rows : rows_at_a_time(x.columns, x.depth);
        for (std::int64_t i = 0; i < rows; i += step) {
            std::int64_t const m = rows - i < step ? rows - i : step;
            f.first_row = i;
            t.to = element_at<T>(f, p.to, i, 0);
            t.add = false;
            auto multiply = [&](std::int64_t number, std::ptrdiff_t l, std::ptrdiff_t r) TAPELESS_CONFIG_INLINE {
                product_operands<T> y = x;
                y.left += l;
                y.right += r;
                y.packed_right = packs ? packed + number * size : nullptr;
#ifdef TAPELESS_USE_CBLAS
                if (elsewhere)
                    call_cblas(y.left + i * y.left_row, y.left_row, y.left_k, y.right, y.right_k, y.right_column, t.to, t.row, m,
                               y.columns, y.depth, t.add);
                else
#endif
                if constexpr (is_tiny()) multiply_rows(constants{}, std::make_integer_sequence<int, U>{}, y, i, m, t);
                else multiply_rows_apart<constants>(y, i, m, t);
                t.add = true;
            };
            if constexpr (D > 1)
                if (empty) multiply(0, 0, 0);
            if (!empty) each_slice(f, multiply);
            then(i, i + m);
        }
    }
    /// All of the right operand, in blocks of depth.
    TAPELESS_CONFIG_INLINE static void pack_depth(T* to, product_operands<T> const& x, std::ptrdiff_t r) {
        constexpr std::int64_t deep = product_blocks<T>::depth;
        for (std::int64_t k0 = 0; k0 < x.depth; k0 += deep) {
            std::int64_t const kc = x.depth - k0 < deep ? x.depth - k0 : deep;
            pack_panels<U>(to + k0 * padded_columns(x.columns), x.right + r + k0 * x.right_k, x.right_k, x.right_column, kc, x.columns);
        }
    }
};

}  // namespace tapeless::detail
