// SPDX-License-Identifier: MIT
#pragma once
// The register tile of a matrix product: J rows by U batches of sums over k that stay in registers.

#include <cstddef>
#include <cstdint>

#include <tapeless/base/inline.hpp>
#include <tapeless/kernels/blocks.hpp>
#include <tapeless/simd/value.hpp>

namespace tapeless::detail::inline kernels_part {

/// Long sums of floats lose digits: sums of `chain` products are added to sums of `group`, and these to one another. At
/// k = 1024 the largest error is 3 to 4.5 times that of the rounded exact sum.
inline constexpr std::int64_t chain = 32, group = 8 * chain;

/// How the loop along k is written: as a loop; with its first step, which adds to nothing, before it; or without a
/// loop where k is a known number and short.
enum class k_loop { plain, first_apart, fixed };

namespace tile_detail {

template <class T>
using vec = simd::detail::vec<T>;

template <class T>
TAPELESS_CONFIG_INLINE inline vec<T> load_vec(T const* p) {
    vec<T> v;
    __builtin_memcpy(&v, p, sizeof v);
    return v;
}

/// A right operand of which whole batches are readable.
template <class T, int U>
struct whole_rows {
    TAPELESS_CONFIG_INLINE void operator()(vec<T> (&b)[U], T const* p) const {
        repeat<U>([&](int u) TAPELESS_CONFIG_INLINE { b[u] = load_vec<T>(p + u * simd::lanes<T>); });
    }
};
/// A right operand of which `last` lanes of the last batch are readable.
template <class T, int U>
struct partial_rows {
    int last;
    TAPELESS_CONFIG_INLINE void operator()(vec<T> (&b)[U], T const* p) const {
        constexpr int L = simd::lanes<T>;
        repeat<U - 1>([&](int u) TAPELESS_CONFIG_INLINE { b[u] = load_vec<T>(p + u * L); });
        b[U - 1] = simd::detail::raw(simd::load_partial(p + (U - 1) * L, last));
    }
};

/// g(j, u) for each sum of a tile.
template <int J, int U, class G>
TAPELESS_CONFIG_INLINE inline void each_sum(G const& g) {
    detail::repeat<J * U>([&](int i) TAPELESS_CONFIG_INLINE { g(i / U, i % U); });
}

/// Whether registers hold a vector of every row of the left operand besides the sums.
template <int J, int U>
inline constexpr bool rows_in_registers = J * U + J + U <= machine::vector_registers;

template <bool First, class T>
TAPELESS_CONFIG_INLINE inline void add_number(vec<T>& c, T a, vec<T> const& b) {
    if constexpr (First) c = simd::detail::splat<T>(a) * b;
    else c = simd::detail::madd_number<T>(a, b, c);
}
template <bool First, int I, class T>
TAPELESS_CONFIG_INLINE inline void add_lane(vec<T>& c, vec<T> const& a, vec<T> const& b) {
    if constexpr (First) c = simd::detail::mul_lane<I, T>(a, b);
    else c = simd::detail::madd_lane<I, T>(a, b, c);
}

/// c(j, u) += a(j) * b(u) for one k, or = for the first; the elements of a are a_row apart.
template <bool First, class T, int J, int U>
TAPELESS_CONFIG_INLINE inline void step_numbers(vec<T> (&c)[J][U], T const* a, std::ptrdiff_t a_row,
                                                vec<T> const (&b)[U]) {
    repeat<J>([&](int j) TAPELESS_CONFIG_INLINE {
        T const x = a[j * a_row];
        repeat<U>([&](int u) TAPELESS_CONFIG_INLINE { add_number<First, T>(c[j][u], x, b[u]); });
    });
}

/// The same for contiguous elements of a; the last vector of them overlaps the one before rather than end beyond them.
template <bool First, class T, int J, int U>
TAPELESS_CONFIG_INLINE inline void step_column(vec<T> (&c)[J][U], T const* a, vec<T> const (&b)[U]) {
    constexpr int L = simd::lanes<T>;
    if constexpr (!machine::by_lane || J < L) {
        step_numbers<First, T>(c, a, 1, b);
    } else {
        unroll<(J + L - 1) / L>([&](auto v) TAPELESS_CONFIG_INLINE {
            constexpr int from = v.i * L + L <= J ? v.i * L : J - L;
            vec<T> const x = load_vec<T>(a + from);
            // The left operand comes from the second cache: one line ahead of time for every line read.
            if constexpr (v.i == 0) __builtin_prefetch(reinterpret_cast<char const*>(a) + machine::left_ahead);
            unroll<L>([&](auto l) TAPELESS_CONFIG_INLINE {
                if constexpr (from + l.i >= v.i * L)
                    repeat<U>([&](int u)
                                  TAPELESS_CONFIG_INLINE { add_lane<First, l.i, T>(c[from + l.i][u], x, b[u]); });
            });
        });
    }
}

/// `lanes` steps at once, each row of a by a vector of k.
template <bool First, class T, int J, int U, class B>
TAPELESS_CONFIG_INLINE inline void step_rows(vec<T> (&c)[J][U], T const* a, std::ptrdiff_t a_row, T const* b,
                                             std::ptrdiff_t b_k, B const& load_b) {
    constexpr int L = simd::lanes<T>;
    vec<T> x[J];
    repeat<J>([&](int j) TAPELESS_CONFIG_INLINE { x[j] = load_vec<T>(a + j * a_row); });
    unroll<L>([&](auto l) TAPELESS_CONFIG_INLINE {
        vec<T> y[U];
        load_b(y, b + l.i * b_k);
        each_sum<J, U>([&](int j, int u)
                           TAPELESS_CONFIG_INLINE { add_lane<First && l.i == 0, l.i, T>(c[j][u], x[j], y[u]); });
    });
}

/// fn(false) n times; without a loop where n is a known number and at most `Most`, which is at most 16.
template <k_loop K, int Most, class F>
TAPELESS_CONFIG_INLINE inline void times(std::int64_t n, F const& fn) {
    if constexpr (K == k_loop::fixed) {
        if (__builtin_constant_p(n) && n <= Most) {
#pragma GCC unroll 16
            for (; n > 0; --n) fn(std::false_type{});
            return;
        }
    }
    for (; n > 0; --n) fn(std::false_type{});
}

/// c = the sum of k >= 1 products.
template <left_form F, k_loop K, class T, int J, int U, class B>
TAPELESS_CONFIG_INLINE inline void multiply_chain(vec<T> (&c)[J][U], T const* a, std::ptrdiff_t a_row,
                                                  std::ptrdiff_t a_k, T const* b, std::ptrdiff_t b_k, std::int64_t k,
                                                  B const& load_b) {
    constexpr int L = simd::lanes<T>;
    auto const step = [&]<bool First>(std::bool_constant<First>) TAPELESS_CONFIG_INLINE {
        vec<T> y[U];
        load_b(y, b);
        if constexpr (F == left_form::columns) step_column<First, T>(c, a, y);
        else step_numbers<First, T>(c, a, a_row, y);
        a += F == left_form::columns ? a_k : 1;
        b += b_k;
    };
    if constexpr (K == k_loop::plain) each_sum<J, U>([&](int j, int u) TAPELESS_CONFIG_INLINE { c[j][u] = vec<T>{}; });
    if constexpr (F == left_form::rows && machine::by_lane && rows_in_registers<J, U>) {
        auto const steps = [&]<bool First>(std::bool_constant<First>) TAPELESS_CONFIG_INLINE {
            step_rows<First, T>(c, a, a_row, b, b_k, load_b);
            a += L;
            b += L * b_k;
        };
        if constexpr (K != k_loop::plain) {
            if (k < L) {
                step(std::true_type{});
                --k;
            } else {
                steps(std::true_type{});
                k -= L;
            }
        }
        if (K == k_loop::plain || k >= L) {
            times<K, machine::unrolled_vectors>(k / L, steps);
            k %= L;
        }
    } else if constexpr (K != k_loop::plain) {
        step(std::true_type{});
        --k;
    }
    times<K, machine::unrolled_steps>(k, step);
}

/// A tile in memory, where the compiler is to leave it.
template <class T, int J, int U>
struct stored_tile {
    vec<T> at[J][U];
    TAPELESS_CONFIG_INLINE void stay() { asm volatile("" : "+m"(at)); }
};

/// c = the sum of k > 0 products, of `most` at a time: part(n) leaves that of the next n in c. What is there is in
/// memory meanwhile, the last sums are not.
template <class T, int J, int U, class Part>
TAPELESS_CONFIG_INLINE inline void multiply_parts(vec<T> (&c)[J][U], std::int64_t k, std::int64_t most,
                                                  Part const& part) {
    stored_tile<T, J, U> sum;
    for (bool first = true;; first = false) {
        std::int64_t const n = k < most ? k : most;
        part(n);
        if (!first) each_sum<J, U>([&](int j, int u) TAPELESS_CONFIG_INLINE { c[j][u] += sum.at[j][u]; });
        k -= n;
        if (k == 0) return;
        each_sum<J, U>([&](int j, int u) TAPELESS_CONFIG_INLINE { sum.at[j][u] = c[j][u]; });
        sum.stay();
    }
}
/// The same where registers hold both.
template <class T, int J, int U, class Part>
TAPELESS_CONFIG_INLINE inline void multiply_parts_in_registers(vec<T> (&c)[J][U], std::int64_t k, std::int64_t most,
                                                               Part const& part) {
    vec<T> sum[J][U];
    each_sum<J, U>([&](int j, int u) TAPELESS_CONFIG_INLINE { sum[j][u] = vec<T>{}; });
    for (; k > 0; k -= most) {
        part(k < most ? k : most);
        each_sum<J, U>([&](int j, int u) TAPELESS_CONFIG_INLINE { sum[j][u] += c[j][u]; });
    }
    each_sum<J, U>([&](int j, int u) TAPELESS_CONFIG_INLINE { c[j][u] = sum[j][u]; });
}

/// c = the sum of k > 0 products, group by group, and these chain by chain.
template <left_form F, k_loop K, class T, int J, int U, class B>
TAPELESS_CONFIG_INLINE inline void multiply_groups(vec<T> (&c)[J][U], T const* a, std::ptrdiff_t a_row,
                                                   std::ptrdiff_t a_k, T const* b, std::ptrdiff_t b_k, std::int64_t k,
                                                   B const& load_b) {
    auto const next = [&](std::int64_t n) TAPELESS_CONFIG_INLINE {
        multiply_chain<F, K, T>(c, a, a_row, a_k, b, b_k, n, load_b);
        a += n * (F == left_form::columns ? a_k : 1);
        b += n * b_k;
    };
    multiply_parts<T>(c, k, group, [&](std::int64_t n) TAPELESS_CONFIG_INLINE {
        if constexpr (2 * J * U + U + 1 <= machine::vector_registers) multiply_parts_in_registers<T>(c, n, chain, next);
        else multiply_parts<T>(c, n, chain, next);
    });
}

template <left_form F, k_loop K, class T, int J, int U, class B>
TAPELESS_CONFIG_INLINE inline void multiply(simd::batch<T> (&acc)[J][U], T const* a, std::ptrdiff_t a_row,
                                            std::ptrdiff_t a_k, T const* b, std::ptrdiff_t b_k, std::int64_t k,
                                            B const& load_b) {
    vec<T> c[J][U];
    if (k <= 0) each_sum<J, U>([&](int j, int u) TAPELESS_CONFIG_INLINE { c[j][u] = vec<T>{}; });
    else if (sizeof(T) > 4 || (K == k_loop::fixed && k <= chain))
        multiply_chain<F, K, T>(c, a, a_row, a_k, b, b_k, k, load_b);
    else if constexpr (sizeof(T) == 4) multiply_groups<F, K, T>(c, a, a_row, a_k, b, b_k, k, load_b);
    each_sum<J, U>([&](int j, int u) TAPELESS_CONFIG_INLINE {
        simd::detail::keep<T>(c[j][u]);
        acc[j][u] = simd::detail::wrap<T>(c[j][u]);
    });
}

}  // namespace tile_detail

/// acc[j][u] = sum over k of a(j, k) * b(k, lanes of batch u); b(k, .) are U * lanes elements from b + k * b_k on.
template <left_form F, k_loop K = k_loop::first_apart, class T, int J, int U>
TAPELESS_CONFIG_INLINE inline void multiply_tile(simd::batch<T> (&acc)[J][U], T const* a, std::ptrdiff_t a_row,
                                                 std::ptrdiff_t a_k, T const* b, std::ptrdiff_t b_k, std::int64_t k) {
    tile_detail::multiply<F, K, T>(acc, a, a_row, a_k, b, b_k, k, tile_detail::whole_rows<T, U>{});
}

/// The same where b(k, .) are n elements, (U-1) * lanes < n <= U * lanes, and the lanes beyond are 0.
template <left_form F, k_loop K = k_loop::first_apart, class T, int J, int U>
TAPELESS_CONFIG_INLINE inline void multiply_tile_edge(simd::batch<T> (&acc)[J][U], T const* a, std::ptrdiff_t a_row,
                                                      std::ptrdiff_t a_k, T const* b, std::ptrdiff_t b_k,
                                                      std::int64_t k, int n) {
    tile_detail::multiply<F, K, T>(acc, a, a_row, a_k, b, b_k, k,
                                       tile_detail::partial_rows<T, U>{n - (U - 1) * simd::lanes<T>});
}

}  // namespace tapeless::detail::kernels_part
