// SPDX-License-Identifier: MIT
#pragma once
// Whole, partial and strided loads and stores, and masks kept in memory as bool. No address need be aligned.

#include <tapeless/simd/instructions.hpp>

namespace tapeless::simd {

template <class T>
[[gnu::always_inline]] inline batch<T> load(T const* p) {
    detail::vec<T> v;
    __builtin_memcpy(&v, p, sizeof v);
    return detail::wrap<T>(v);
}

template <any_batch B, class T = value_of<B>>
[[gnu::always_inline]] inline void store(T* p, B b) {
    detail::vec<T> const v = detail::raw(b);
    __builtin_memcpy(p, &v, sizeof v);
}

template <class T>
[[gnu::always_inline]] inline batch<T> load_partial(T const* p, int n, std::type_identity_t<T> fill = T(0)) {
    detail::vec<T> v = detail::splat<T>(fill);
    detail::each_lane<T>([&](int i) __attribute__((always_inline)) {
        if (i < n) v[i] = p[i];
    });
    return detail::wrap<T>(v);
}

template <any_batch B, class T = value_of<B>>
[[gnu::always_inline]] inline void store_partial(T* p, B b, int n) {
    detail::vec<T> const v = detail::raw(b);
    detail::each_lane<T>([&](int i) __attribute__((always_inline)) {
        if (i < n) p[i] = v[i];
    });
}

// Lane i is p[i * stride]; lanes from n on are `fill`.
template <class T>
[[gnu::always_inline]] inline batch<T> load_strided(T const* p, std::ptrdiff_t stride, int n = lanes<T>,
                                                    std::type_identity_t<T> fill = T(0)) {
    detail::vec<T> v = detail::splat<T>(fill);
    detail::each_lane<T>([&](int i) __attribute__((always_inline)) {
        if (i < n) v[i] = p[i * stride];
    });
    return detail::wrap<T>(v);
}

template <any_batch B, class T = value_of<B>>
[[gnu::always_inline]] inline void store_strided(T* p, std::ptrdiff_t stride, B b, int n = lanes<T>) {
    detail::vec<T> const v = detail::raw(b);
    detail::each_lane<T>([&](int i) __attribute__((always_inline)) {
        if (i < n) p[i * stride] = v[i];
    });
}

template <class T>
[[gnu::always_inline]] inline mask<T> first_lanes(int n) {
    detail::ivec<T> m;
    detail::each_lane<T>([&](int i) __attribute__((always_inline)) { m[i] = i; });
    return detail::wrap_mask<T>(std::bit_cast<detail::ivec<T>>(m < (detail::ivec<T>{} + n)));
}

// Lanes from n on are false.
template <class T>
[[gnu::always_inline]] inline mask<T> load_mask(bool const* p, int n = lanes<T>) {
    detail::ivec<T> m{};
    detail::each_lane<T>([&](int i) __attribute__((always_inline)) {
        if (i < n) m[i] = p[i] ? -1 : 0;
    });
    return detail::wrap_mask<T>(m);
}

template <any_mask M, class T = value_of<M>>
[[gnu::always_inline]] inline void store_mask(bool* p, M b, int n = lanes<T>) {
    detail::ivec<T> const m = detail::raw(b);
    detail::each_lane<T>([&](int i) __attribute__((always_inline)) {
        if (i < n) p[i] = m[i] != 0;
    });
}

template <any_mask M, class T = value_of<M>>
[[gnu::always_inline]] inline bool any(M m) {
    return detail::any_lane<T>(detail::raw(m));
}

}  // namespace tapeless::simd
