// SPDX-License-Identifier: MIT
#pragma once
// Integers of 8 and 16 bits, and unsigned ones of 32, in registers: as many as a batch of what they are computed in has
// lanes; loaded, stored, and converted to that and back.

#include <tapeless/simd/half.hpp>

namespace tapeless::simd {

using tapeless::detail::computed;
using tapeless::detail::short_integer;

template <short_integer T>
struct packed<T> {
    static constexpr int lanes = simd::lanes<computed<T>>;
    detail::piece<T, lanes> bits;
};

template <short_integer T>
[[gnu::always_inline]] inline packed<T> load(T const* p) {
    packed<T> r;
    __builtin_memcpy(&r.bits, p, sizeof r.bits);
    return r;
}
template <short_integer T>
[[gnu::always_inline]] inline void store(T* p, packed<T> v) {
    __builtin_memcpy(p, &v.bits, sizeof v.bits);
}

/// The number in all lanes.
template <short_integer T>
[[gnu::always_inline]] inline packed<T> splat(T x) {
    packed<T> r{};
    detail::each_lane<computed<T>>([&](int i) __attribute__((always_inline)) { r.bits[i] = x; });
    return r;
}

// Lane i is p[i * stride]; lanes from n on are `fill`.
template <short_integer T>
[[gnu::always_inline]] inline packed<T> load_strided(T const* p, std::ptrdiff_t stride, int n = packed<T>::lanes,
                                                     std::type_identity_t<T> fill = T(0)) {
    packed<T> r = splat(fill);
    detail::each_lane<computed<T>>([&](int i) __attribute__((always_inline)) {
        if (i < n) r.bits[i] = p[i * stride];
    });
    return r;
}
template <short_integer T>
[[gnu::always_inline]] inline packed<T> load_partial(T const* p, int n, std::type_identity_t<T> fill = T(0)) {
    packed<T> r = splat(fill);
    detail::each_lane<computed<T>>([&](int i) __attribute__((always_inline)) {
        if (i < n) r.bits[i] = p[i];
    });
    return r;
}
template <short_integer T>
[[gnu::always_inline]] inline void store_strided(T* p, std::ptrdiff_t stride, packed<T> v, int n = packed<T>::lanes) {
    detail::each_lane<computed<T>>([&](int i) __attribute__((always_inline)) {
        if (i < n) p[i * stride] = v.bits[i];
    });
}
template <short_integer T>
[[gnu::always_inline]] inline void store_partial(T* p, packed<T> v, int n) {
    store_strided(p, 1, v, n);
}
/// As what they are computed in.
template <short_integer T>
[[gnu::always_inline]] inline batch<computed<T>> widen(packed<T> v) {
    using C = computed<T>;
#if defined(__aarch64__)  // g++ 12 takes lane by lane there
    if constexpr (sizeof(batch<C>) == 16 && sizeof(T) == 1) {
        std::uint32_t const all = std::bit_cast<std::uint32_t>(v.bits);
        if constexpr (std::signed_integral<T>)
            return detail::wrap<C>(vmovl_s16(vget_low_s16(vmovl_s8(vcreate_s8(all)))));
        else return detail::wrap<C>(vreinterpretq_s32_u32(vmovl_u16(vget_low_u16(vmovl_u8(vcreate_u8(all))))));
    } else if constexpr (sizeof(batch<C>) == 16 && sizeof(T) == 2) {
        if constexpr (std::signed_integral<T>) return detail::wrap<C>(vmovl_s16(std::bit_cast<int16x4_t>(v.bits)));
        else return detail::wrap<C>(vreinterpretq_s32_u32(vmovl_u16(std::bit_cast<uint16x4_t>(v.bits))));
    } else if constexpr (sizeof(batch<C>) == 16) {
        return detail::wrap<C>(std::bit_cast<detail::vec<C>>(vmovl_u32(std::bit_cast<uint32x2_t>(v.bits))));
    }
#endif
    return detail::wrap<C>(__builtin_convertvector(v.bits, detail::vec<C>));
}
/// The low bits.
template <short_integer T>
[[gnu::always_inline]] inline packed<T> narrow(batch<computed<T>> const& b) {
    return {__builtin_convertvector(detail::raw(b), decltype(packed<T>::bits))};
}

}  // namespace tapeless::simd
