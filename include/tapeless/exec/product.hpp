// SPDX-License-Identifier: MIT
#pragma once
// The contraction a kernel begins with: some rows at a time are computed from packed or untouched operands.

#include <tapeless/exec/cblas.hpp>
#include <tapeless/exec/frame.hpp>
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
[[gnu::noinline]] void pack_panels(T* to, T const* b, std::ptrdiff_t b_k, std::ptrdiff_t b_n, std::int64_t k, std::int64_t n) {
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
    repeat<J>([&](int j) TAPELESS_CONFIG_INLINE {
        if (j < rows || t.padded)
            repeat<U>([&](int u) TAPELESS_CONFIG_INLINE {
                T* const p = to + j * t.row + u * L;
                int const n = static_cast<int>(columns) - u * L;
                if (t.padded || n >= L) {
                    simd::store(p, add ? simd::add(acc[j][u], simd::load(static_cast<T const*>(p))) : acc[j][u]);
                } else if (n > 0) {
                    simd::store_partial(p, add ? simd::add(acc[j][u], simd::load_partial(static_cast<T const*>(p), n)) : acc[j][u], n);
                }
            });
    });
}

/// What is known of a product when it is compiled; -1: only the run knows. Products that agree in it are one function.
struct product_code {
    bool in_place = false;  ///< a right operand whose columns are no whole number of batches is read where it is, not packed
    std::int64_t some = -1, columns = -1, depth = -1;  ///< some: rows computed at a time
    std::int64_t left_row = -1, left_k = -1, right_k = -1, to_row = -1;
    std::int64_t packs_left = -1, packs_right = -1, padded = -1, add = -1;
};
/// The same as a type, with the form of the left operand, and rows and batches of the register tile.
template <left_form F, int J, int U, bool InPlace, std::int64_t... N>
struct product_constants {
    static constexpr int batches = U;
};
constexpr std::int64_t known_or(std::int64_t known, std::int64_t found) { return known >= 0 ? known : found; }

/// A tile of J rows by U batches, if so many are wanted: Whole ones, or with a last one of which not all columns are there.
template <left_form F, int J, int U, bool Fixed, bool Whole, bool Partial, class T>
TAPELESS_CONFIG_INLINE inline void multiply_batches([[maybe_unused]] int batches, [[maybe_unused]] T const* a,
                                                    [[maybe_unused]] std::ptrdiff_t a_row, [[maybe_unused]] std::ptrdiff_t a_k,
                                                    [[maybe_unused]] T const* b, [[maybe_unused]] std::ptrdiff_t b_k,
                                                    [[maybe_unused]] std::int64_t k, [[maybe_unused]] product_target<T> const& t,
                                                    [[maybe_unused]] T* to, [[maybe_unused]] std::int64_t rows,
                                                    [[maybe_unused]] std::int64_t n, [[maybe_unused]] bool add) {
    constexpr int L = simd::lanes<T>;
    if constexpr (Whole || Partial) {
        if (batches != U) return;
        simd::batch<T> acc[static_cast<std::size_t>(J)][static_cast<std::size_t>(U)];
        if constexpr (Whole)
            if (!Partial || n == U * L) {
                multiply_tile<F, Fixed>(acc, a, a_row, a_k, b, b_k, k);
                write_tile(acc, t, to, rows, n, add);
            }
        if constexpr (Partial)
            if (n < U * L) {
                multiply_tile_edge<F, Fixed>(acc, a, a_row, a_k, b, b_k, k, static_cast<int>(n));
                write_tile(acc, t, to, rows, n, add);
            }
    }
}

/// Rows first ... first + some - 1 of the product. At most as many as there is room to pack.
template <class T, left_form F, int J, int U, bool InPlace, std::int64_t... N, int... V>
TAPELESS_CONFIG_INLINE inline void multiply_rows(product_constants<F, J, U, InPlace, N...>, std::integer_sequence<int, V...>,
                                                 product_operands<T> const& p, std::int64_t first, std::int64_t some,
                                                 product_target<T> const& target) {
    constexpr product_code C{InPlace, N...};
    constexpr int L = simd::lanes<T>;
    constexpr bool fixed = C.columns >= 0;
    static constexpr panel_widths widths(C.columns, L, U, C.in_place);
    constexpr std::int64_t deep = product_blocks<T>::depth;
    std::int64_t const m = known_or(C.some, some), columns = known_or(C.columns, p.columns), depth = known_or(C.depth, p.depth);
    std::ptrdiff_t const left_row = known_or(C.left_row, p.left_row), left_k = known_or(C.left_k, p.left_k);
    std::ptrdiff_t const right_k = known_or(C.right_k, p.right_k);
    bool const packs_left = known_or(C.packs_left, p.packs_left) != 0;
    bool const packs_right = known_or(C.packs_right, p.packed_right != nullptr) != 0;
    product_target<T> const t{target.to, static_cast<std::ptrdiff_t>(known_or(C.to_row, target.row)),
                              known_or(C.padded, target.padded) != 0, known_or(C.add, target.add) != 0};
    std::int64_t const padded = (columns + L - 1) / L * L;
    for (std::int64_t k0 = 0;;) {
        std::int64_t const kc = depth - k0 < deep ? depth - k0 : deep;
        bool const add = t.add || k0 > 0;
        T const* const left = p.left + first * left_row + k0 * left_k;
        std::int64_t const whole = packs_left ? 0 : m / J * J;  // rows that are read in place
        if constexpr (F == left_form::columns) {
            if (whole < m) pack_left<J>(p.packed_left, left + whole * left_row, left_row, left_k, m - whole, kc);
        } else if (whole < m) {
            for (std::int64_t j = 0; j < J; ++j)
                for (std::int64_t k = 0; k < kc; ++k) p.packed_left[j * kc + k] = whole + j < m ? left[(whole + j) * left_row + k] : T(0);
        }
        for (std::int64_t c = 0; c < columns;) {
            int const batches = panel_batches((columns - c + L - 1) / L, U);
            T const* const b = packs_right ? p.packed_right + k0 * padded + c * kc : p.right + k0 * right_k + c;
            std::ptrdiff_t const b_k = packs_right ? batches * L : right_k;
            std::int64_t const n = columns - c < batches * L ? columns - c : batches * L;
            for (std::int64_t s = 0; s < m; s += J) {
                bool const packed = s >= whole;
                T const* a;
                std::ptrdiff_t a_row = left_row, a_k = left_k;
                if (!packed) a = left + s * left_row;
                else if constexpr (F == left_form::columns) a = p.packed_left + (s - whole) * kc, a_k = J;
                else a = p.packed_left, a_row = kc;
                T* const to = t.to + s * t.row + c;
                std::int64_t const rows = m - s;
                if (kc >= 64 || (add && kc >= 32))  // the tile's place in memory arrives while it is computed
                    for (int j = 0; j < J && j < rows; ++j) {
                        __builtin_prefetch(to + j * t.row, 1);
                        __builtin_prefetch(to + j * t.row + n - 1, 1);
                    }
                (multiply_batches<F, J, U - V, fixed, widths.whole[U - V], widths.partial[U - V]>(batches, a, a_row, a_k, b, b_k, kc, t, to,
                                                                                                 rows, n, add),
                 ...);
            }
            c += batches * L;
        }
        k0 += deep;
        if (k0 >= depth) break;
    }
}
/// The same, one function for all products of which the same is known.
template <class Constants, class T, class Build = simd::batch<T>>
[[gnu::noinline]] void multiply_rows_apart(product_operands<T> const& p, std::int64_t first, std::int64_t some,
                                           product_target<T> const& t) {
    multiply_rows(Constants{}, std::make_integer_sequence<int, Constants::batches>{}, p, first, some, t);
}
/// Of a product of which nothing is known but how it is cut.
template <left_form F, int J, int U, class T>
inline void multiply_any_rows(product_operands<T> const& p, std::int64_t first, std::int64_t some, product_target<T> const& t) {
    multiply_rows_apart<product_constants<F, J, U, false>>(p, first, some, t);
}

/// The length of axis l of those a product sums over.
TAPELESS_CONFIG_INLINE inline std::int64_t depth_of(run_context const& ctx, product const& known, product const& now, int l) {
    if (known.depth[l] >= 0) return known.depth[l];
    std::int64_t n = 1;
    for (int a = now.group[l]; a < now.group[l + 1]; ++a) n *= extent_of(ctx, now.depth_shape.extent[a]);
    return n;
}
/// The stride of an operand along loop axis l, or an axis summed over.
template <class Arch = simd::arch>
TAPELESS_CONFIG_INLINE inline std::ptrdiff_t operand_stride(run_context const& ctx, program_tables const& tables, place const& known,
                                                            place const& now, int l) {
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
    return bytes <= 24576 && loops && block > 4 * p.rows ? 4 * p.rows : block;
}
/// Whether the operands of a product of a kernel with A loops are packed.
template <class T, int A, class Build = simd::batch<T>>
constexpr bool packs_left_of(product const& p, std::int64_t rows, std::int64_t columns, std::int64_t depth) {
    return p.form == left_form::columns && packs_left<T>(rows, depth, columns, false, p.left.stride[A - 2] == 1);
}
template <class T, int A, class Build = simd::batch<T>>
constexpr bool packs_right_of(product const& p, std::int64_t rows, std::int64_t columns, std::int64_t depth) {
    return packs_right<T>(rows, depth, columns, p.right.stride[A - 1] == 1) || (!p.small && columns % simd::lanes<T> != 0);
}
/// The operands at the position of the A - 2 outer loops. `now` is what the kernel that runs has in place of `p`.
template <class T, int A, class Arch>
TAPELESS_CONFIG_INLINE inline product_operands<T> bind_product(loop_state_of<Arch> const& f, program_tables const& tables, product const& p,
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
        x.left += f.at[l] * operand_stride(ctx, tables, p.left, now.left, l);
        x.right += f.at[l] * operand_stride(ctx, tables, p.right, now.right, l);
    }
    x.left_row = operand_stride(ctx, tables, p.left, now.left, A - 2);
    x.left_k = operand_stride(ctx, tables, p.left, now.left, A + deepest);
    x.right_k = operand_stride(ctx, tables, p.right, now.right, A + deepest);
    x.right_column = operand_stride(ctx, tables, p.right, now.right, A - 1);
    if (p.packed_left >= 0) x.packed_left = reinterpret_cast<T*>(ctx.arena + ctx.offsets[now.packed_left]);
    x.packs_left = packs_left_of<T, A>(p, f.extent[A - 2], x.columns, x.depth);
    return x;
}
/// All of the right operand, in blocks of depth.
template <int U, class T, class Build = simd::batch<T>>
TAPELESS_CONFIG_INLINE inline void pack_depth(T* to, product_operands<T> const& x, std::ptrdiff_t r) {
    constexpr std::int64_t deep = product_blocks<T>::depth;
    for (std::int64_t k0 = 0; k0 < x.depth; k0 += deep) {
        std::int64_t const kc = x.depth - k0 < deep ? x.depth - k0 : deep;
        pack_panels<U>(to + k0 * padded_columns<T>(x.columns), x.right + r + k0 * x.right_k, x.right_k, x.right_column, kc, x.columns);
    }
}
/// Rows i ... i + m - 1 of a product, by the CBLAS if `elsewhere`.
template <class Constants, bool Tiny, class T, class Build = simd::batch<T>>
TAPELESS_CONFIG_INLINE inline void multiply_some(product_operands<T> const& x, std::int64_t i, std::int64_t m, product_target<T> const& t,
                                                 [[maybe_unused]] bool elsewhere) {
#ifdef TAPELESS_USE_CBLAS
    if (elsewhere)
        call_cblas(x.left + i * x.left_row, x.left_row, x.left_k, x.right, x.right_k, x.right_column, t.to, t.row, m, x.columns, x.depth,
                   t.add);
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
        for (int l = 0; l < A; ++l) n = k.extent[l] < 0 ? 1000 : n * k.extent[l];
        return p.small && n <= 512;
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
        c.packs_left = packs_left_of<T, A>(p, rows, c.columns, c.depth);
        c.packs_right = packs_right_of<T, A>(p, rows, c.columns, c.depth);
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
    static constexpr bool find_stays() {
        for (int l = 0; l + 2 < A; ++l)
            if (p.right.stride[l] != 0) return false;
        return true;
    }
    static constexpr bool right_stays = find_stays();
    static constexpr bool tiny = is_tiny();

    /// Calls fn(number, left offset, right offset) for each position on the outer of the axes summed over.
    template <int L = 0, class F>
    TAPELESS_CONFIG_INLINE static void each_slice(frame const& f, F const& fn, std::int64_t number = 0, std::ptrdiff_t l = 0, std::ptrdiff_t r = 0) {
        if constexpr (L + 1 >= D) {
            fn(number, l, r);
        } else {
            product const& now = Program::products.items[f.now->product];
            std::int64_t const n = depth_of(*f.ctx, p, now, L);
            for (std::int64_t i = 0; i < n; ++i)
                each_slice<L + 1>(f, fn, number * n + i, l + i * operand_stride(*f.ctx, Program::tables, p.left, now.left, A + L),
                                  r + i * operand_stride(*f.ctx, Program::tables, p.right, now.right, A + L));
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
        bool const packs = packs_right_of<T, A>(p, rows, x.columns, x.depth);
        T* packed = nullptr;
        if constexpr (p.packed_right >= 0) packed = reinterpret_cast<T*>(f.ctx->arena + f.ctx->offsets[now.packed_right]);
        bool const elsewhere = uses_cblas && rows * x.columns * x.depth >= worth_calling &&
                               is_blas_matrix(x.left_row, x.left_k, rows, x.depth) &&
                               is_blas_matrix(x.right_k, x.right_column, x.depth, x.columns);
        if (packs && !elsewhere) {
            bool again = true;
            if constexpr (right_stays) {
#pragma GCC unroll 16
                for (int l = 0; l < A - 2; ++l) again = again && f.at[l] == 0;
            }
            if (again) {
                if constexpr (D == 1) pack_depth<U>(packed, x, 0);
                else
                    each_slice(f, [&](std::int64_t number, std::ptrdiff_t, std::ptrdiff_t r) TAPELESS_CONFIG_INLINE {
                        pack_depth<U>(packed + number * size, x, r);
                    });
            }
        }
        if constexpr (to.where == memory::panel && to.stride[A - 2] < 0) f.found[p.to].stride[A - 2] = padded_columns<T>(x.columns);
        product_target<T> t;
        t.row = stride_at(to, f.found[p.to], A - 2);
        t.padded = to.where == memory::panel;
        std::int64_t const step = elsewhere && !t.padded ? rows : rows_at_a_time<T>(p, k.loops, x.columns, x.depth);
        x.packed_right = packs ? packed : nullptr;
        for (std::int64_t i = 0; i < rows; i += step) {
            std::int64_t const m = rows - i < step ? rows - i : step;
            f.first_row = i;
            t.to = element_at<T, A>(f, to, f.found[p.to], i, 0);
            t.add = false;
            if constexpr (D == 1) {
                multiply_some<constants, tiny>(x, i, m, t, elsewhere);
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

}  // namespace tapeless::detail
