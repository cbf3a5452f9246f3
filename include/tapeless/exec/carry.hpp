// SPDX-License-Identifier: MIT
#pragma once
// What reductions in memory need besides their loops: long column sums carried in doubles, identities where no row
// writes.

#include <tapeless/exec/frame.hpp>
#include <tapeless/schedule/machine.hpp>

namespace tapeless::detail::inline exec_part {

template <class T, class Build = simd::batch<T>>
void fill_row(T* x, std::int64_t n, std::ptrdiff_t stride, T filling) {
    std::int64_t left = n;
    for (; stride == 1 && left >= simd::lanes<T>; left -= simd::lanes<T>, x += simd::lanes<T>)
        simd::store(x, simd::batch<T>(filling));
    for (; left > 0; --left, x += stride) *x = filling;
}
template <class T, class Build = simd::batch<T>>
void fill_rows(T* x, int axis, std::int64_t const* extent, std::ptrdiff_t const* stride, T filling) {
    if (axis == 0) return fill_row(x, extent[0], stride[0], filling);
    for (std::int64_t i = 0; i < extent[axis]; ++i) fill_rows(x + i * stride[axis], axis - 1, extent, stride, filling);
}
/// Fills an array of which only a part is written.
template <class T, class Build = simd::batch<T>>
TAPELESS_CONFIG_INLINE inline void fill_array(run_context const& ctx, program_tables const& tables, place const& p,
                                              T filling) {
    dims const& d = tables.shapes[p.shape];
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
            stride[a] = a < d.rank ? memory_stride(ctx, tables, p, a) : 0;
        }
        fill_rows(base, max_rank - 1, extent, stride, filling);
    }
}

/// Takes up the elements of an array block by block: in doubles, one after the other from `carry` on.
template <class T, class Build = simd::batch<T>>
[[gnu::noinline]] double* take_up_elements(T* x, double* carry, std::int64_t const* extent,
                                           std::ptrdiff_t const* strides, int axes, bool first, bool finished) {
    std::int64_t i = 0;
    constexpr int some = 16;  // of a number that is known, many at once
    for (; axes == 1 && *strides == 1 && i + some <= *extent; i += some, x += some, carry += some) {
        double s[some];
        for (int j = 0; j < some; ++j) s[j] = static_cast<double>(x[j]);
        if (!first)
            for (int j = 0; j < some; ++j) s[j] = carry[j] + s[j];
        for (int j = 0; j < some; ++j) carry[j] = s[j];
        if (finished)
            for (int j = 0; j < some; ++j) x[j] = static_cast<T>(s[j]);
    }
    for (; i < *extent; ++i, x += *strides) {
        if (axes > 1) {
            carry = take_up_elements(x, carry, extent + 1, strides + 1, axes - 1, first, finished);
        } else {
            double s = first ? static_cast<double>(*x) : *carry + static_cast<double>(*x);
            *carry++ = s;
            if (finished) *x = static_cast<T>(s);
        }
    }
    return carry;
}

/// The reductions in memory of kernel K.
template <class Program, int K>
struct kernel_carry {
    using info = kernel_info<Program, K>;
    static constexpr auto const& k = info::k;
    static constexpr int A = info::A;
    using frame = typename info::frame;
    template <int R>
    using root_type = typename info::template root_type<R>;

    // ---- long column sums ------------------------------------------------------------------------------------------

    /// The roots that are taken up along loop axis L.
    template <int L>
    static constexpr numbers<k.roots> carried{
        [](int r) { return info::root_at(r).carry >= 0 && carry_axis(info::root_at(r)) == L; }};
    /// After a block of rows the sum so far goes to a buffer of doubles, and the next block starts afresh.
    template <int L>
    TAPELESS_CONFIG_INLINE static void take_up_carries(frame& f, std::int64_t done) {
        bool const finished = done == f.extent[L];
        if (done - f.begin[L] < carry_block && !finished) return;
        bool const first = f.begin[L] == 0;
        if constexpr (carried<L>.count > 0)
            if (!(first && finished)) take_up<L>(f, first, finished, each_of<carried<L>>{});
        f.begin[L] = finished ? 0 : done;
    }
    /// 64 additions one after the other, and no more rows than these.
    static constexpr std::int64_t carry_block = 64 * (info::J < machine::summed_rows ? info::J : machine::summed_rows);

    template <int L, int... N>
    TAPELESS_CONFIG_INLINE static void take_up(frame const& f, bool first, bool finished,
                                               std::integer_sequence<int, N...>) {
        (take_up_root<carried<L>.at[N], L>(f, first, finished), ...);
    }
    template <int R, int L>
    TAPELESS_CONFIG_INLINE static void take_up_root(frame const& f, bool first, bool finished) {
        // copies: the frame stays in registers if nothing outside sees its address
        using T = root_type<R>;
        constexpr int P = info::root_at(R).place;
        T* base = static_cast<T*>(f.found[P].base);
        std::int64_t extent[static_cast<std::size_t>(A)];
        std::ptrdiff_t strides[static_cast<std::size_t>(A)];
#pragma GCC unroll 16
        for (int l = 0; l < A; ++l) {
            bool const inside = l > L && (info::roots[R].varies >> l & 1);
            extent[l] = inside ? f.extent[l] : 1;
            strides[l] = stride_at(info::places[P], f.found[P], l);
            if (l < L) base += f.at[l] * strides[l];
        }
        double* const sums =
            reinterpret_cast<double*>(f.ctx->arena + f.ctx->offsets[Program::roots.items[f.now->first_root + R].carry]);
        take_up_elements(base, sums, extent, strides, A, first, finished);
    }

    // ---- empty reductions ------------------------------------------------------------------------------------------

    /// Reductions in memory of no rows at all leave the identity, which no row would have written.
    static constexpr bool needs_identity() {
        for (int i = 0; i < k.roots; ++i)
            if (info::root_at(i).how == target::column || info::root_at(i).how == target::partial) {
                for (int l = 0; l < A; ++l)
                    if ((info::root_at(i).reduced >> l & 1) && k.extent[l] <= 0) return true;
            }
        return false;
    }
    static constexpr numbers<k.roots> in_memory{[](int r) {
        return info::root_at(r).how == target::column || info::root_at(r).how == target::partial;
    }};
    TAPELESS_CONFIG_INLINE static void fill_identities(frame const& f) { fill_identities(f, each_of<in_memory>{}); }
    template <int... N>
    TAPELESS_CONFIG_INLINE static void fill_identities(frame const& f, std::integer_sequence<int, N...>) {
        (fill_identity<in_memory.at[N]>(f), ...);
    }
    template <int R>
    TAPELESS_CONFIG_INLINE static void fill_identity(frame const& f) {
        using T = root_type<R>;
        constexpr root const& t = info::root_at(R);
        bool none = false;
        for (int l = 0; l < A; ++l) none = none || ((t.reduced >> l & 1) && f.extent[l] == 0);
        if (!none) return;
        std::int64_t extent[static_cast<std::size_t>(A)];
        std::ptrdiff_t stride[static_cast<std::size_t>(A)];
#pragma GCC unroll 16
        for (int l = 0; l < A; ++l) {
            extent[l] = t.varies >> l & 1 ? f.extent[l] : 1;
            stride[l] = stride_at(info::places[t.place], f.found[t.place], l);
        }
        fill_rows(static_cast<T*>(f.found[t.place].base), A - 1, extent, stride, identity<t.combine, T>());
    }
};

}  // namespace tapeless::detail::exec_part
