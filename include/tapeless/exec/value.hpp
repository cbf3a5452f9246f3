// SPDX-License-Identifier: MIT
#pragma once
// A value in registers: W lanes of one element type, as many batches as that takes; loading and storing it.

#include <cstddef>
#include <utility>

#include <tapeless/simd/registers.hpp>

namespace tapeless::detail {

template <std::size_t N>
struct index {
    static constexpr int i = static_cast<int>(N);
};
/// f(index<0>{}), ..., f(index<N-1>{}): constants as indices keep arrays in registers.
template <int N, class F>
[[gnu::always_inline]] inline void unroll(F&& f) {
    [&]<std::size_t... I>(std::index_sequence<I...>) __attribute__((always_inline)) { (f(index<I>{}), ...); }
    (std::make_index_sequence<static_cast<std::size_t>(N)>{});
}

template <class T, int W>
struct value {
    static constexpr int lanes = lanes_of<T>();
    static constexpr int registers = W / lanes;
    typename register_type<T>::type reg[static_cast<std::size_t>(registers)];

    /// The registers from lane `first` on, for an operation that takes that many lanes at a time.
    [[gnu::always_inline]] void* at(int first) { return reg + first / lanes; }
    [[gnu::always_inline]] void const* at(int first) const { return reg + first / lanes; }
};

/// f(r) for each register r of a value; most values are one.
template <class V, class F>
[[gnu::always_inline]] inline void each_register(F&& f) {
    if constexpr (V::registers == 1) f(index<0>{});
    else unroll<V::registers>(f);
}

/// bool as it stands in memory.
template <int W>
struct value<bool, W> {
    static constexpr int lanes = 1, registers = W;
    bool reg[static_cast<std::size_t>(W)];
    [[gnu::always_inline]] void* at(int first) { return reg + first; }
    [[gnu::always_inline]] void const* at(int first) const { return reg + first; }
};

/// How many of `n` lanes fall on register r.
template <int Lanes>
[[gnu::always_inline]] inline int share(int n, int r) {
    int m = n - r * Lanes;
    return m < 0 ? 0 : m > Lanes ? Lanes : m;
}

template <class T, int W>
[[gnu::always_inline]] inline void splat(value<T, W>& v, T x) {
    if constexpr (std::same_as<T, bool>) {
        for (bool& r : v.reg) r = x;
    } else {
        each_register<value<T, W>>([&](auto r) __attribute__((always_inline)) { v.reg[r.i] = simd::batch<T>(x); });
    }
}

/// n lanes (all W unless Edge) from p on, `stride` elements apart.
template <bool Edge, class T, int W>
[[gnu::always_inline]] inline void load(value<T, W>& v, T const* p, std::ptrdiff_t stride, int n) {
    if constexpr (std::same_as<T, bool>) {
        for (int i = 0; i < W; ++i) v.reg[i] = (!Edge || i < n) && p[i * stride];
    } else {
        constexpr int L = value<T, W>::lanes;
        each_register<value<T, W>>([&](auto r) __attribute__((always_inline)) {
            int const m = Edge ? share<L>(n, r.i) : L;
            if (stride == 1) v.reg[r.i] = !Edge || m == L ? simd::load(p + r.i * L) : simd::load_partial(p + r.i * L, m);
            else v.reg[r.i] = simd::load_strided(p + r.i * L * stride, stride, m);
        });
    }
}

template <bool Edge, class T, int W>
[[gnu::always_inline]] inline void store(value<T, W> const& v, T* p, std::ptrdiff_t stride, int n) {
    if constexpr (std::same_as<T, bool>) {
        for (int i = 0; i < W; ++i)
            if (!Edge || i < n) p[i * stride] = v.reg[i];
    } else {
        constexpr int L = value<T, W>::lanes;
        each_register<value<T, W>>([&](auto r) __attribute__((always_inline)) {
            int const m = Edge ? share<L>(n, r.i) : L;
            if (stride == 1) {
                if (!Edge || m == L) simd::store(p + r.i * L, v.reg[r.i]);
                else simd::store_partial(p + r.i * L, v.reg[r.i], m);
            } else {
                simd::store_strided(p + r.i * L * stride, stride, v.reg[r.i], m);
            }
        });
    }
}

/// A mask as bool.
template <class M, int W>
    requires(std::same_as<M, mask32_t> || std::same_as<M, mask64_t>)
[[gnu::always_inline]] inline value<bool, W> as_bools(value<M, W> const& v) {
    value<bool, W> b;
    constexpr int L = value<M, W>::lanes;
    for (int r = 0; r < value<M, W>::registers; ++r) simd::store_mask(b.reg + r * L, v.reg[r], L);
    return b;
}

template <class T, int W>
[[gnu::always_inline]] inline T first_lane(value<T, W> const& v) {
    if constexpr (std::same_as<T, bool>) return v.reg[0];
    else {
        T lane[static_cast<std::size_t>(value<T, W>::lanes)];
        simd::store(lane, v.reg[0]);
        return lane[0];
    }
}

}  // namespace tapeless::detail
