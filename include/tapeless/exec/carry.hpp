// SPDX-License-Identifier: MIT
#pragma once
// What reductions in memory need besides their loops: long column sums carried in doubles, identities where no row writes.

#include <tapeless/exec/access.hpp>

namespace tapeless::detail {

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
    static constexpr numbers<k.roots> carried{[](int r) { return info::root_at(r).carry >= 0 && carry_axis<info>(r) == L; }};
    /// After a block of rows the sum so far goes to a buffer of doubles, and the next block starts afresh.
    template <int L>
    TAPELESS_CONFIG_INLINE static void take_up_carries(frame& f, std::int64_t done) {
        if constexpr (k.carries) {
            bool const finished = done == f.extent[L];
            if (done - f.begin[L] < carry_block && !finished) return;
            bool const first = f.begin[L] == 0;
            for_each_of<carried<L>>([&](auto q) TAPELESS_CONFIG_INLINE {
                if (!(first && finished)) take_up<q.i, L>(f, first, finished);
            });
            f.begin[L] = finished ? 0 : done;
        }
    }
    static constexpr std::int64_t carry_block = 64 * info::J;  // 64 additions one after the other

    template <int R, int L>
    TAPELESS_CONFIG_INLINE static void take_up(frame const& f, bool first, bool finished) {
        // copies: the frame stays in registers if nothing outside sees its address
        using T = root_type<R>;
        constexpr int P = info::root_at(R).place;
        T* base = static_cast<T*>(f.base[P]);
        std::int64_t extent[static_cast<std::size_t>(A)];
        std::ptrdiff_t strides[static_cast<std::size_t>(A)];
        repeat<A>([&](int l) TAPELESS_CONFIG_INLINE {
            bool const inside = l > L && (info::root_at(R).varies >> l & 1);
            extent[l] = inside ? f.extent[l] : 1;
            strides[l] = stride_at(f, P, l);
            if (l < L) base += f.at[l] * stride_at(f, P, l);
        });
        double* const sums = reinterpret_cast<double*>(f.carry_now(R));
        take_up_elements<T>(base, sums, extent, strides, first, finished);
    }
    template <class T, int L = 0>
    [[gnu::noinline]] static double* take_up_elements(T* x, double* carry, std::int64_t const* extent,
                                                      std::ptrdiff_t const* strides, bool first, bool finished) {
        for (std::int64_t i = 0; i < extent[L]; ++i, x += strides[L]) {
            if constexpr (L + 1 < A) {
                carry = take_up_elements<T, L + 1>(x, carry, extent, strides, first, finished);
            } else {
                double s = first ? static_cast<double>(*x) : *carry + static_cast<double>(*x);
                *carry++ = s;
                if (finished) *x = static_cast<T>(s);
            }
        }
        return carry;
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
    TAPELESS_CONFIG_INLINE static void fill_identities(frame& f) {
        for_each_of<in_memory>([&](auto q) TAPELESS_CONFIG_INLINE {
            constexpr root const& t = info::root_at(q.i);
            bool none = false;
            for (int l = 0; l < A; ++l) none = none || ((t.reduced >> l & 1) && f.extent[l] == 0);
            std::int64_t position[static_cast<std::size_t>(A)]{};
            if (none) fill_identity<q.i, 0>(f, position);
        });
    }
    static constexpr numbers<k.roots> in_memory{[](int r) {
        return info::root_at(r).how == target::column || info::root_at(r).how == target::partial;
    }};
    template <int R, int L>
    TAPELESS_CONFIG_INLINE static void fill_identity(frame& f, std::int64_t* position) {
        if constexpr (L < A) {
            std::int64_t const n = info::root_at(R).varies >> L & 1 ? f.extent[L] : 1;
            for (position[L] = 0; position[L] < n; ++position[L]) fill_identity<R, L + 1>(f, position);
            position[L] = 0;
        } else {
            std::ptrdiff_t o = 0;
            repeat<A>([&](int l) TAPELESS_CONFIG_INLINE { o += position[l] * stride_at(f, info::root_at(R).place, l); });
            static_cast<root_type<R>*>(f.base[info::root_at(R).place])[o] = identity<info::root_at(R).combine, root_type<R>>();
        }
    }
};

}  // namespace tapeless::detail
