// SPDX-License-Identifier: MIT
#pragma once
// Packing the operands of a product: strips whose elements lie in the order in which a register tile reads them.

#include <cstddef>
#include <cstdint>
#include <utility>

#include <tapeless/base/inline.hpp>
#include <tapeless/kernels/machine.hpp>
#include <tapeless/simd/value.hpp>

namespace tapeless::detail::inline kernels_part {

namespace pack_detail {

/// Lanes whose index has the bit `Distance` change places with those that have it not, between rows that far apart.
template <class T, int Distance = simd::lanes<T> / 2>
TAPELESS_CONFIG_INLINE inline void transpose(simd::detail::vec<T> (&r)[simd::lanes<T>]) {
    constexpr int L = simd::lanes<T>;
    unroll<L>([&](auto i) TAPELESS_CONFIG_INLINE {
        if constexpr ((i.i & Distance) == 0) {
            auto const x = r[i.i], y = r[i.i + Distance];
            auto const swap = [&]<int... l>(std::integer_sequence<int, l...>) TAPELESS_CONFIG_INLINE {
                r[i.i] = __builtin_shufflevector(x, y, ((l & Distance) != 0 ? L + l - Distance : l)...);
                r[i.i + Distance] = __builtin_shufflevector(x, y, ((l & Distance) != 0 ? L + l : l + Distance)...);
            };
            swap(std::make_integer_sequence<int, L>{});
        }
    });
    if constexpr (Distance > 1) transpose<T, Distance / 2>(r);
}

/// As many k as a register has lanes of Width rows, which are contiguous in k, the other way round; rows from m on
/// are 0.
template <int Width, class T>
TAPELESS_CONFIG_INLINE inline void pack_square(T* to, std::ptrdiff_t to_k, T const* a, std::ptrdiff_t a_row, int m) {
    constexpr int L = simd::lanes<T>;
    simd::detail::vec<T> r[L];
    repeat<L>([&](int l) TAPELESS_CONFIG_INLINE {
        r[l] = l < Width && l < m ? simd::detail::raw(simd::load(a + l * a_row)) : simd::detail::vec<T>{};
    });
    transpose<T>(r);
    repeat<L>([&](int l) TAPELESS_CONFIG_INLINE {
        if constexpr (Width == L) simd::store(to + l * to_k, simd::detail::wrap<T>(r[l]));
        else simd::store_partial(to + l * to_k, simd::detail::wrap<T>(r[l]), Width);
    });
}

/// One strip: to[k * J + j] = a(j, k), rows contiguous in k; rows from m on are 0.
template <int J, class T>
TAPELESS_CONFIG_INLINE inline void pack_rows(T* to, T const* a, std::ptrdiff_t a_row, int m, std::int64_t k) {
    constexpr int L = simd::lanes<T>;
    std::int64_t i = 0;
    for (; i + L <= k; i += L) {
        unroll<(J + L - 1) / L>([&](auto g) TAPELESS_CONFIG_INLINE {
            constexpr int first = g.i * L, width = J - first < L ? J - first : L;
            pack_square<width>(to + i * J + first, J, a + first * a_row + i, a_row, m - first);
        });
    }
    for (; i < k; ++i)
        for (int j = 0; j < J; ++j) to[i * J + j] = j < m ? a[j * a_row + i] : T(0);
}

/// J contiguous elements.
template <int J, class T>
TAPELESS_CONFIG_INLINE inline void copy(T* to, T const* from) {
    constexpr int L = simd::lanes<T>;
    unroll<J / L>([&](auto v) TAPELESS_CONFIG_INLINE { simd::store(to + v.i * L, simd::load(from + v.i * L)); });
    if constexpr (J % L != 0 && J > L) simd::store(to + J - L, simd::load(from + J - L));
    else if constexpr (J % L != 0) __builtin_memcpy(to, from, J * sizeof(T));
}

/// m < J contiguous elements, and zeros.
template <int J, class T>
TAPELESS_CONFIG_INLINE inline void copy_some(T* to, T const* from, int m) {
    constexpr int L = simd::lanes<T>;
    unroll<(J + L - 1) / L>([&](auto v) TAPELESS_CONFIG_INLINE {
        constexpr int at = v.i * L, width = J - at < L ? J - at : L;
        simd::batch<T> const x = m >= at + L ? simd::load(from + at)
                                 : m > at    ? simd::load_partial(from + at, m - at)
                                             : simd::batch<T>(T(0));
        if constexpr (width == L) simd::store(to + at, x);
        else simd::store_partial(to + at, x, width);
    });
}

}  // namespace pack_detail

/// Packs m rows by k of the left operand into strips of J rows: strip s, element (j, k) at to[(s * K + k) * J + j];
/// missing rows are 0. Build keeps the functions of two instruction sets apart.
template <int J, class T, class Build = simd::batch<T>>
[[gnu::noinline]] void pack_left(T* to, T const* a, std::ptrdiff_t a_row, std::ptrdiff_t a_k, std::int64_t m,
                                 std::int64_t k) {
    if (a_row == 1) {
        // Some k of all strips before the next: every row of the operand is read on, page by page.
        constexpr std::int64_t some = machine::packed_at_once;
        for (std::int64_t from = 0; from < k; from += some) {
            std::int64_t const end = from + some < k ? from + some : k;
            std::int64_t s = 0;
            for (; s + J <= m; s += J)
                for (std::int64_t i = from; i < end; ++i) pack_detail::copy<J>(to + s * k + i * J, a + s + i * a_k);
            if (s < m)
                for (std::int64_t i = from; i < end; ++i)
                    pack_detail::copy_some<J>(to + s * k + i * J, a + s + i * a_k, static_cast<int>(m - s));
        }
    } else if (a_k == 1) {
        for (std::int64_t s = 0; s < m; s += J)
            pack_detail::pack_rows<J>(to + s * k, a + s * a_row, a_row, m - s < J ? static_cast<int>(m - s) : J, k);
    } else {
        for (std::int64_t s = 0; s < m; s += J)
            for (std::int64_t i = 0; i < k; ++i)
                for (int j = 0; j < J; ++j) to[s * k + i * J + j] = s + j < m ? a[(s + j) * a_row + i * a_k] : T(0);
    }
}

/// Packs k by n of the right operand into panels of N = batches * lanes columns: panel p, element (k, c) at
/// to[(p * K + k) * N + c]; missing columns are 0. One function for all widths.
template <class T, class Build = simd::batch<T>>
[[gnu::noinline]] void pack_right(T* to, T const* b, std::ptrdiff_t b_k, std::ptrdiff_t b_n, std::int64_t k,
                                  std::int64_t n, int batches) {
    constexpr int L = simd::lanes<T>;
    std::int64_t const N = batches * L;
    std::int64_t const whole = b_n == 1 ? n / N * N : 0;  // columns of panels that are copied row by row
    for (std::int64_t from = 0; from < k && whole > 0; from += machine::packed_at_once) {
        std::int64_t const end = from + machine::packed_at_once < k ? from + machine::packed_at_once : k;
        for (std::int64_t s = 0; s < whole; s += N)
            for (std::int64_t i = from; i < end; ++i) {
                constexpr int most = machine::register_tile<T>::batches;
                T* const row = to + s * k + i * N;
                if (batches == most) pack_detail::copy<most * L>(row, b + s + i * b_k);
                else
                    for (std::int64_t c = 0; c < N; c += L) simd::store(row + c, simd::load(b + s + c + i * b_k));
            }
    }
    for (std::int64_t s = whole; s < n; s += N) {
        std::int64_t i = 0;
        T* const panel = to + s * k;
        T const* const from = b + s * b_n;
        int const m = static_cast<int>(n - s < N ? n - s : N);
        if (b_n == 1)
            for (; i < k; ++i)
                for (int c = 0; c < N; c += L) {
                    T const* const at = from + c + i * b_k;
                    simd::store(panel + i * N + c, m - c >= L  ? simd::load(at)
                                                   : m - c > 0 ? simd::load_partial(at, m - c)
                                                               : simd::batch<T>(T(0)));
                }
        for (; b_k == 1 && i + L <= k; i += L)
            for (int c = 0; c < N; c += L)
                pack_detail::pack_square<L>(panel + i * N + c, N, from + c * b_n + i, b_n, m - c);
        for (; i < k; ++i) {
            for (int c = 0; c < m; ++c) panel[i * N + c] = from[c * b_n + i * b_k];
            for (int c = m; c < N; ++c) panel[i * N + c] = T(0);
        }
    }
}

}  // namespace tapeless::detail::kernels_part
