// SPDX-License-Identifier: MIT
#pragma once
// The contraction a kernel begins with: some rows at a time are computed from packed or untouched operands.

#include <tapeless/exec/access.hpp>
#include <tapeless/exec/cblas.hpp>
#include <tapeless/exec/multiply.hpp>
#include <tapeless/exec/pack.hpp>

namespace tapeless::detail {

/// Two matrices and the room to pack them.
template <class T>
struct product_operands {
    T const* left = nullptr;
    T const* right = nullptr;
    std::ptrdiff_t left_row = 0, left_k = 0, right_k = 0, right_column = 0;
    std::int64_t columns = 0, depth = 0;
    T* packed_left = nullptr;
    T* packed_right = nullptr;  ///< none: the right operand is read in place
    bool packs_left = true;
};
/// Where a product goes.
template <class T>
struct product_target {
    T* to = nullptr;
    std::ptrdiff_t row = 0;
    bool padded = false;  ///< whole tiles may be written
    bool add = false;
};

/// The right operand in panels of U batches, and narrower ones at the end; each begins at its column times k.
template <int U, class T, class Build = simd::batch<T>>
void pack_panels(T* to, T const* b, std::ptrdiff_t b_k, std::ptrdiff_t b_n, std::int64_t k, std::int64_t n) {
    constexpr int L = simd::lanes<T>;
    std::int64_t whole = n / (U * L) * U;  // batches in panels of U
    std::int64_t const all = (n + L - 1) / L;
    if (whole > 0 && all - whole > 0 && panel_batches(all - whole + U, U) != U) whole -= U;
    pack_right<U * L, T, Build>(to, b, b_k, b_n, k, whole * L);
    for (std::int64_t done = whole; done < all;) {
        int const batches = panel_batches(all - done, U);
        std::int64_t const c = done * L, m = n - c < batches * L ? n - c : batches * L;
        unroll<U>([&](auto u) TAPELESS_CONFIG_INLINE {
            if (batches == u.i + 1) pack_right<(u.i + 1) * L, T, Build>(to + c * k, b + c * b_n, b_k, b_n, k, m);
        });
        done += batches;
    }
}

/// Rows by columns of a tile that are wanted, to memory.
template <class T, int J, int U>
TAPELESS_CONFIG_INLINE inline void write_tile(simd::batch<T> const (&acc)[J][U], product_target<T> const& t, T* to, std::int64_t rows,
                                              std::int64_t columns, bool add) {
    constexpr int L = simd::lanes<T>;
    unroll<J>([&](auto j) TAPELESS_CONFIG_INLINE {
        if (j.i < rows || t.padded)
            unroll<U>([&](auto u) TAPELESS_CONFIG_INLINE {
                T* const p = to + j.i * t.row + u.i * L;
                int const n = static_cast<int>(columns) - u.i * L;
                if (t.padded || n >= L) {
                    simd::store(p, add ? simd::add(acc[j.i][u.i], simd::load(static_cast<T const*>(p))) : acc[j.i][u.i]);
                } else if (n > 0) {
                    simd::store_partial(
                        p, add ? simd::add(acc[j.i][u.i], simd::load_partial(static_cast<T const*>(p), n)) : acc[j.i][u.i], n);
                }
            });
    });
}

/// Rows first ... first + m - 1 of the product. At most as many as there is room to pack. Columns: how many there are where
/// all sizes are known, otherwise -1; then a right operand whose columns are no whole number of batches is packed.
template <left_form F, int J, int U, std::int64_t Columns, bool InPlace, class T>
TAPELESS_CONFIG_INLINE inline void multiply_rows(product_operands<T> const& p, std::int64_t first, std::int64_t m,
                                                 product_target<T> const& t) {
    constexpr int L = simd::lanes<T>;
    constexpr bool fixed = Columns >= 0;
    static constexpr panel_widths widths(Columns, L, U, InPlace);
    constexpr std::int64_t deep = product_blocks<T>::depth;
    std::int64_t const padded = (p.columns + L - 1) / L * L;
    for (std::int64_t k0 = 0;;) {
        std::int64_t const kc = p.depth - k0 < deep ? p.depth - k0 : deep;
        bool const add = t.add || k0 > 0;
        T const* const left = p.left + first * p.left_row + k0 * p.left_k;
        std::int64_t const whole = p.packs_left ? 0 : m / J * J;  // rows that are read in place
        if constexpr (F == left_form::columns) {
            if (whole < m) pack_left<J>(p.packed_left, left + whole * p.left_row, p.left_row, p.left_k, m - whole, kc);
        } else if (whole < m) {
            for (std::int64_t j = 0; j < J; ++j)
                for (std::int64_t k = 0; k < kc; ++k) p.packed_left[j * kc + k] = whole + j < m ? left[(whole + j) * p.left_row + k] : T(0);
        }
        for (std::int64_t c = 0; c < p.columns;) {
            int const batches = panel_batches((p.columns - c + L - 1) / L, U);
            T const* const b = p.packed_right ? p.packed_right + k0 * padded + c * kc : p.right + k0 * p.right_k + c;
            std::ptrdiff_t const b_k = p.packed_right ? batches * L : p.right_k;
            std::int64_t const n = p.columns - c < batches * L ? p.columns - c : batches * L;
            for (std::int64_t s = 0; s < m; s += J) {
                bool const packed = s >= whole;
                T const* a;
                std::ptrdiff_t a_row = p.left_row, a_k = p.left_k;
                if (!packed) a = left + s * p.left_row;
                else if constexpr (F == left_form::columns) a = p.packed_left + (s - whole) * kc, a_k = J;
                else a = p.packed_left, a_row = kc;
                T* const to = t.to + s * t.row + c;
                std::int64_t const rows = m - s;
                if (kc >= 64 || (add && kc >= 32))  // the tile's place in memory arrives while it is computed
                    for (int j = 0; j < J && j < rows; ++j) {
                        __builtin_prefetch(to + j * t.row, 1);
                        __builtin_prefetch(to + j * t.row + n - 1, 1);
                    }
                unroll<U>([&](auto u) TAPELESS_CONFIG_INLINE {
                    constexpr int U2 = U - u.i;
                    if (batches != U2) return;
                    simd::batch<T> acc[static_cast<std::size_t>(J)][static_cast<std::size_t>(U2)];
                    if constexpr (widths.whole[U2])
                        if (!widths.partial[U2] || n == U2 * L) {
                            multiply_tile<F, fixed>(acc, a, a_row, a_k, b, b_k, kc);
                            write_tile(acc, t, to, rows, n, add);
                        }
                    if constexpr (widths.partial[U2])
                        if (n < U2 * L) {
                            multiply_tile_edge<F, fixed>(acc, a, a_row, a_k, b, b_k, kc, static_cast<int>(n));
                            write_tile(acc, t, to, rows, n, add);
                        }
                });
            }
            c += batches * L;
        }
        k0 += deep;
        if (k0 >= p.depth) break;
    }
}
/// The same, one function for all products of unknown size.
template <left_form F, int J, int U, class T, class Build = simd::batch<T>>
[[gnu::noinline]] void multiply_any_rows(product_operands<T> const& p, std::int64_t first, std::int64_t m, product_target<T> const& t) {
    multiply_rows<F, J, U, -1, false>(p, first, m, t);
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
    /// Columns with those that fill the last batch.
    static constexpr std::int64_t padded_columns(std::int64_t n) {
        constexpr std::int64_t L = simd::lanes<T>;
        return (n + L - 1) / L * L;
    }
    static constexpr std::int64_t block = (product_blocks<T>::block + J - 1) / J * J;

    /// The right operand is the same for all iterations of the outer loops.
    static constexpr bool right_stays() {
        for (int l = 0; l + 2 < A; ++l)
            if (p.right.stride[l] != 0) return false;
        return true;
    }

    TAPELESS_CONFIG_INLINE static std::int64_t depth_of(frame const& f, int l) {
        if (p.depth[l] >= 0) return p.depth[l];
        std::int64_t n = 1;
        for (int a = p.group[l]; a < p.group[l + 1]; ++a) n *= extent_of(f.ctx, p.depth_shape.extent[a]);
        return n;
    }
    TAPELESS_CONFIG_INLINE static std::ptrdiff_t offset(frame const& f, place const& q) {
        std::ptrdiff_t o = 0;
        unroll<(A > 2 ? A - 2 : 0)>([&](auto l) TAPELESS_CONFIG_INLINE { o += f.at[l.i] * stride_in<Program>(f.ctx, q, l.i); });
        return o;
    }
    /// Calls fn(number, left offset, right offset) for each position on the outer of the axes summed over.
    template <int L = 0, class F>
    TAPELESS_CONFIG_INLINE static void each_slice(frame const& f, F const& fn, std::int64_t number = 0, std::ptrdiff_t l = 0, std::ptrdiff_t r = 0) {
        if constexpr (L + 1 >= D) fn(number, l, r);
        else
            for (std::int64_t i = 0; i < depth_of(f, L); ++i)
                each_slice<L + 1>(f, fn, number * depth_of(f, L) + i, l + i * stride_in<Program>(f.ctx, p.left, A + L),
                                  r + i * stride_in<Program>(f.ctx, p.right, A + L));
    }

    /// Computes the product at the outer loops' position, and calls then(from, to) whenever some rows are there.
    template <class Then>
    TAPELESS_CONFIG_INLINE static void run(frame& f, Then const& then) {
        constexpr place const& to = info::place_at(p.to);
        std::int64_t const rows = f.extent[A - 2];
        product_operands<T> x;
        x.columns = f.extent[A - 1];
        x.depth = depth_of(f, D - 1);
        bool empty = false;
        for (int l = 0; l + 1 < D; ++l) empty = empty || depth_of(f, l) == 0;
        if (empty) x.depth = 0;
        x.left = static_cast<T const*>(base_of<Program>(f.ctx, p.left)) + offset(f, p.left);
        x.right = static_cast<T const*>(base_of<Program>(f.ctx, p.right)) + offset(f, p.right);
        x.left_row = stride_in<Program>(f.ctx, p.left, A - 2);
        x.left_k = stride_in<Program>(f.ctx, p.left, A + D - 1);
        x.right_k = stride_in<Program>(f.ctx, p.right, A + D - 1);
        x.right_column = stride_in<Program>(f.ctx, p.right, A - 1);
        constexpr bool right_lies = p.right.stride[A - 1] == 1;
        if constexpr (p.packed_left >= 0) x.packed_left = reinterpret_cast<T*>(f.ctx.arena + f.ctx.offsets[p.packed_left]);
        x.packs_left = p.form == left_form::columns && packs_left<T>(rows, x.depth, x.columns, false, p.left.stride[A - 2] == 1);
        std::int64_t const size = x.depth * padded_columns(x.columns);
        bool const packs = packs_right<T>(rows, x.depth, x.columns, right_lies) || (!p.small && x.columns % simd::lanes<T> != 0);
        T* packed = nullptr;
        if constexpr (p.packed_right >= 0) packed = reinterpret_cast<T*>(f.ctx.arena + f.ctx.offsets[p.packed_right]);
        bool const elsewhere = uses_cblas && rows * x.columns * x.depth >= worth_calling &&
                               is_blas_matrix(x.left_row, x.left_k, rows, x.depth) &&
                               is_blas_matrix(x.right_k, x.right_column, x.depth, x.columns);
        if (packs && !elsewhere) {
            bool again = !right_stays();
            if (right_stays()) {
                again = true;
                unroll<(A > 2 ? A - 2 : 0)>([&](auto l) TAPELESS_CONFIG_INLINE { again = again && f.at[l.i] == 0; });
            }
            if (again)
                each_slice(f, [&](std::int64_t number, std::ptrdiff_t, std::ptrdiff_t r) TAPELESS_CONFIG_INLINE {
                    pack_depth(packed + number * size, x, r);
                });
        }
        if constexpr (to.where == memory::panel && to.stride[A - 2] < 0) f.stride[p.to][A - 2] = padded_columns(x.columns);
        product_target<T> t;
        t.row = stride_of<p.to, A - 2>(f);
        t.padded = to.where == memory::panel;
        std::int64_t const at_once = size * static_cast<std::int64_t>(sizeof(T)) <= 24576 && k.loops && block > 4 * J ? 4 * J : block;
        std::int64_t const step = elsewhere && !t.padded ? rows : at_once;
        for (std::int64_t i = 0; i < rows; i += step) {
            std::int64_t const m = rows - i < step ? rows - i : step;
            f.first_row = i;
            t.to = element_at<p.to, T>(f, i, 0);
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
                if constexpr (p.small) multiply_rows<p.form, J, U, k.extent[A - 1], (p.packed_right < 0)>(y, i, m, t);
                else multiply_any_rows<p.form, J, U>(y, i, m, t);
                t.add = true;
            };
            if (empty) multiply(0, 0, 0);
            else each_slice(f, multiply);
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
