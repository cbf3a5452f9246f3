// SPDX-License-Identifier: MIT
#pragma once
// A value in registers: W lanes of one element type, as many batches as that takes; loading and storing it.

#include <cstddef>
#include <utility>

#include <tapeless/base/inline.hpp>
#include <tapeless/simd/registers.hpp>

namespace tapeless::detail::inline simd_part {

template <std::size_t N>
struct index {
    static constexpr int i = static_cast<int>(N);
};
/// f(index<0>{}), ..., f(index<N-1>{}): constants as indices keep arrays in registers. Written out eight at a time:
/// every level of calls is paid for when it is inlined.
template <int N, int From = 0, class F>
TAPELESS_CONFIG_INLINE inline void unroll(F&& f) {
    if constexpr (N > From) f(index<From>{});
    if constexpr (N > From + 1) f(index<From + 1>{});
    if constexpr (N > From + 2) f(index<From + 2>{});
    if constexpr (N > From + 3) f(index<From + 3>{});
    if constexpr (N > From + 4) f(index<From + 4>{});
    if constexpr (N > From + 5) f(index<From + 5>{});
    if constexpr (N > From + 6) f(index<From + 6>{});
    if constexpr (N > From + 7) f(index<From + 7>{});
    if constexpr (N > From + 8) unroll<N, From + 8>(f);
}

/// f(0), ..., f(N - 1), written out: constants once f is inlined, and one function however many there are.
template <int N, int From = 0, class F>
TAPELESS_CONFIG_INLINE inline void repeat(F const& f) {
#pragma GCC unroll 64
    for (int i = From; i < N; ++i) f(i);
}

/// The same without a loop, so that they are constants from the first on: what keeps matrices in registers.
template <int N, class F>
TAPELESS_CONFIG_INLINE inline void write_out(F const& f) {
    [&]<int... I>(std::integer_sequence<int, I...>) TAPELESS_CONFIG_INLINE { (f(I), ...); }
    (std::make_integer_sequence<int, N>{});
}

/// Some numbers, known when compiled: which roots of a kernel a loop is about, say.
template <int Most>
struct numbers {
    int at[static_cast<std::size_t>(Most > 0 ? Most : 1)]{};
    int count = 0;
    constexpr numbers() = default;
    template <class Test>
    constexpr explicit numbers(Test const& test) {
        for (int i = 0; i < Most; ++i)
            if (test(i)) at[count++] = i;
    }
    /// Which of them n is.
    constexpr int place_of(int n) const {
        int i = 0;
        while (at[i] != n) ++i;
        return i;
    }
};
/// 0, 1, ... for each of them, to expand in a fold.
template <auto const& Numbers>
using each_of = std::make_integer_sequence<int, Numbers.count>;

template <class... T>
struct type_list {};

template <class T, int W>
struct value {
    static constexpr int lanes = lanes_of<T>();
    static constexpr int registers = W / lanes;
    typename register_type<T>::type reg[static_cast<std::size_t>(registers)];

    /// The registers from lane `first` on, for an operation that takes that many lanes at a time.
    TAPELESS_CONFIG_INLINE void* at(int first) { return reg + first / lanes; }
    TAPELESS_CONFIG_INLINE void const* at(int first) const { return reg + first / lanes; }
};

/// bool as it stands in memory.
template <int W>
struct value<bool, W> {
    static constexpr int lanes = 1, registers = W;
    bool reg[static_cast<std::size_t>(W)];
    TAPELESS_CONFIG_INLINE void* at(int first) { return reg + first; }
    TAPELESS_CONFIG_INLINE void const* at(int first) const { return reg + first; }
};

/// How many of `n` lanes fall on register r.
template <int Lanes>
TAPELESS_CONFIG_INLINE inline int share(int n, int r) {
    int m = n - r * Lanes;
    return m < 0 ? 0 : m > Lanes ? Lanes : m;
}

template <class T, int W>
TAPELESS_CONFIG_INLINE inline void splat(value<T, W>& v, T x) {
    if constexpr (std::same_as<T, bool>) {
        for (bool& r : v.reg) r = x;
    } else if constexpr (storage_only<T>) {
        v.reg[0] = simd::splat(x);
    } else {
        v.reg[0] = simd::batch<T>(x);
    }
    if constexpr (value<T, W>::registers > 1 && !std::same_as<T, bool>) {
#pragma GCC unroll 64
        for (int r = 1; r < value<T, W>::registers; ++r) v.reg[r] = v.reg[0];
    }
}

/// Register r of n lanes (all W unless Edge) from p on, `stride` elements apart. Lanes beyond an edge are as the first:
/// of 0 functions such as log would go the long way that is for rare numbers. Or they are Zeros, which masks of wide
/// registers leave anyway.
template <bool Edge, bool Zeros, class T, class B>
TAPELESS_CONFIG_INLINE inline void load_register(B& reg, int r, T const* p, std::ptrdiff_t stride, int n) {
    constexpr int L = lanes_of<T>();
    int const m = Edge ? share<L>(n, r) : L;
    if (stride == 1 && (!Edge || m == L)) reg = simd::load(p + r * L);
    else if (stride == 1) reg = simd::load_partial(p + r * L, m, Zeros && sizeof(B) > 16 ? T(0) : *p);
    else if constexpr (Edge) reg = simd::load_strided(p + r * L * stride, stride, m, *p);
    else reg = simd::load_strided(p + r * L * stride, stride);
}
template <bool Edge, class T, class B>
TAPELESS_CONFIG_INLINE inline void store_register(B const& reg, int r, T* p, std::ptrdiff_t stride, int n) {
    constexpr int L = lanes_of<T>();
    int const m = Edge ? share<L>(n, r) : L;
    if (stride != 1) simd::store_strided(p + r * L * stride, stride, reg, m);
    else if (!Edge || m == L) simd::store(p + r * L, reg);
    else simd::store_partial(p + r * L, reg, m);
}

template <bool Edge, bool Zeros = false, class T, int W>
TAPELESS_CONFIG_INLINE inline void load(value<T, W>& v, T const* p, std::ptrdiff_t stride, int n) {
    if constexpr (std::same_as<T, bool>) {
        for (int i = 0; i < W; ++i) v.reg[i] = (!Edge || i < n) && p[i * stride];
    } else if constexpr (value<T, W>::registers == 1) {
        load_register<Edge, Zeros>(v.reg[0], 0, p, stride, n);
    } else {
#pragma GCC unroll 64
        for (int r = 0; r < value<T, W>::registers; ++r) load_register<Edge, Zeros>(v.reg[r], r, p, stride, n);
    }
}

template <bool Edge, class T, int W>
TAPELESS_CONFIG_INLINE inline void store(value<T, W> const& v, T* p, std::ptrdiff_t stride, int n) {
    if constexpr (std::same_as<T, bool>) {
        for (int i = 0; i < W; ++i)
            if (!Edge || i < n) p[i * stride] = v.reg[i];
    } else if constexpr (value<T, W>::registers == 1) {
        store_register<Edge>(v.reg[0], 0, p, stride, n);
    } else {
#pragma GCC unroll 64
        for (int r = 0; r < value<T, W>::registers; ++r) store_register<Edge>(v.reg[r], r, p, stride, n);
    }
}

/// A mask that is the same in all lanes.
template <class M, int W>
TAPELESS_CONFIG_INLINE inline void fill_mask(value<M, W>& v, bool x) {
    if constexpr (std::same_as<M, bool>) {
        for (bool& r : v.reg) r = x;
    } else {
        using register_type = std::remove_cvref_t<decltype(v.reg[0].data)>;
        register_type const none{};
#pragma GCC unroll 64
        for (int r = 0; r < value<M, W>::registers; ++r) v.reg[r].data = static_cast<register_type>(x ? ~none : none);
    }
}

/// A mask as bool.
template <class M, int W>
    requires(std::same_as<M, mask32_t> || std::same_as<M, mask64_t>)
TAPELESS_CONFIG_INLINE inline value<bool, W> as_bools(value<M, W> const& v) {
    value<bool, W> b;
    constexpr int L = value<M, W>::lanes;
    for (int r = 0; r < value<M, W>::registers; ++r) simd::store_mask(b.reg + r * L, v.reg[r], L);
    return b;
}

template <class T, int W>
TAPELESS_CONFIG_INLINE inline T first_lane(value<T, W> const& v) {
    if constexpr (std::same_as<T, bool>) return v.reg[0];
    else {
        T lane[static_cast<std::size_t>(value<T, W>::lanes)];
        simd::store(lane, v.reg[0]);
        return lane[0];
    }
}

}  // namespace tapeless::detail::simd_part
