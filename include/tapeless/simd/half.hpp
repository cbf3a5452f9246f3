// SPDX-License-Identifier: MIT
#pragma once
// half and bfloat16 in registers: as many as a batch of float has lanes; loaded, stored, and converted to float and
// back.

#include <tapeless/array/half.hpp>
#include <tapeless/simd/convert.hpp>
#include <tapeless/simd/load_store.hpp>

namespace tapeless::simd {

using tapeless::detail::short_float;

namespace detail {
using lanes16 = piece<std::uint16_t, lanes<float>>;
using lanes32 = uvec<float>;
}  // namespace detail

/// Lanes of fewer bits than those that are computed with; here of 16 that hold numbers of type T.
template <class T>
struct packed;
template <short_float T>
struct packed<T> {
    detail::lanes16 bits;
};

template <short_float T>
[[gnu::always_inline]] inline packed<T> load(T const* p) {
    packed<T> r;
    __builtin_memcpy(&r.bits, p, sizeof r.bits);
    return r;
}
template <short_float T>
[[gnu::always_inline]] inline void store(T* p, packed<T> v) {
    __builtin_memcpy(p, &v.bits, sizeof v.bits);
}

// Lane i is p[i * stride]; lanes from n on are `fill`.
template <short_float T>
[[gnu::always_inline]] inline packed<T> load_strided(T const* p, std::ptrdiff_t stride, int n = lanes<float>,
                                                     std::type_identity_t<T> fill = T(0)) {
    packed<T> r{detail::lanes16{} + fill.bits};
    detail::each_lane<float>([&](int i) __attribute__((always_inline)) {
        if (i < n) r.bits[i] = p[i * stride].bits;
    });
    return r;
}
template <short_float T>
[[gnu::always_inline]] inline packed<T> load_partial(T const* p, int n, std::type_identity_t<T> fill = T(0)) {
    packed<T> r{detail::lanes16{} + fill.bits};
    detail::each_lane<float>([&](int i) __attribute__((always_inline)) {
        if (i < n) r.bits[i] = p[i].bits;
    });
    return r;
}
template <short_float T>
[[gnu::always_inline]] inline void store_strided(T* p, std::ptrdiff_t stride, packed<T> v, int n = lanes<float>) {
    detail::each_lane<float>([&](int i) __attribute__((always_inline)) {
        if (i < n) p[i * stride].bits = v.bits[i];
    });
}
template <short_float T>
[[gnu::always_inline]] inline void store_partial(T* p, packed<T> v, int n) {
    store_strided(p, 1, v, n);
}
/// The number in all lanes.
template <short_float T>
[[gnu::always_inline]] inline packed<T> splat(T x) {
    return {detail::lanes16{} + x.bits};
}

namespace detail {

template <class V>
[[gnu::always_inline]] inline V choose(lanes32 mask, V a, V b) {
    return std::bit_cast<V>((std::bit_cast<lanes32>(a) & mask) | (std::bit_cast<lanes32>(b) & ~mask));
}
/// A comparison of numbers below 2^31, as the unsigned mask it is.
[[gnu::always_inline]] inline lanes32 above(lanes32 a, std::uint32_t b) {
    return std::bit_cast<lanes32>(std::bit_cast<ivec<float>>(a) > static_cast<std::int32_t>(b));
}

/// Each lane in the upper half of 32 bits. (g++ 12 makes single numbers of __builtin_convertvector here.)
template <class V>
[[gnu::always_inline]] inline lanes32 upper(V v) {
#if defined(__aarch64__)
    if constexpr (sizeof(v) == 8) return vshll_n_u16(v, 16);
#elif defined(__AVX2__)
    if constexpr (sizeof(v) == 16)
        return std::bit_cast<lanes32>(_mm256_cvtepu16_epi32(std::bit_cast<__m128i>(v))) << 16;
#endif
    constexpr int n = lanes<float>;
    auto const pairs = [&]<int... i>(std::integer_sequence<int, i...>) __attribute__((always_inline)) {
        return __builtin_shufflevector(V{}, v, (i % 2 ? n + i / 2 : i / 2)...);
    };
    return std::bit_cast<lanes32>(pairs(std::make_integer_sequence<int, 2 * n>{}));
}

/// With integer operations and a multiplication: exact.
template <short_float T>
[[gnu::always_inline]] inline batch<float> widen_by_hand(packed<T> v) {
    lanes32 const h = upper(v.bits);
    if constexpr (std::same_as<T, bfloat16>) return wrap<float>(std::bit_cast<vec<float>>(h));
    else {
        lanes32 const sign = h & 0x80000000u, rest = (h ^ sign) >> 16, wide = rest << 13;
        lanes32 const normal = wide + ((127u - 15u) << 23);
        lanes32 const special = (wide + ((255u - 31u) << 23)) | (above(rest, 0x7c00u) & 0x00400000u);
        // the smallest is 2^-24; converting the integer is exact
        vec<float> const small = __builtin_convertvector(std::bit_cast<ivec<float>>(rest), vec<float>) * 0x1p-24f;
        lanes32 const finite = choose(above(rest, 0x3ffu), normal, ubits<float>(small));
        return wrap<float>(std::bit_cast<vec<float>>(sign | choose(above(rest, 0x7bffu), special, finite)));
    }
}

/// Rounds to the nearest, the even one of two, with integer operations and one addition of floats.
template <short_float T>
[[gnu::always_inline]] inline packed<T> narrow_by_hand(batch<float> b) {
    lanes32 const f = ubits<float>(raw(b));
    lanes32 r;
    if constexpr (std::same_as<T, bfloat16>) {
        lanes32 const nan = std::bit_cast<lanes32>(raw(b) != raw(b)), upper_half = f >> 16;
        r = choose(nan, upper_half | T::format::quiet, (f + (0x7fffu + (upper_half & 1u))) >> 16);
    } else {
        lanes32 const a = f & 0x7fffffffu;
        r = ((a + (0xfffu + ((a >> 13) & 1u))) >> 13) - ((127u - 15u) << 10);
        // next to 0.5 a float has steps of 2^-24, as have the subnormal numbers of half
        vec<float> const small = std::bit_cast<vec<float>>(a) + 0.5f;
        r = choose(above(a, 0x387fffffu), r, ubits<float>(small) - 0x3f000000u);
        r = choose(above(a, 0x477fefffu), lanes32{} + T::format::infinity, r);  // from 65520 on
        r = choose(above(a, 0x7f800000u), (T::format::infinity | T::format::quiet) | (a >> 13 & 0x3ffu), r) |
            (f >> 16 & 0x8000u);
    }
    return {__builtin_convertvector(r, lanes16)};
}

/// n doubles as floats rounded to odd: what was lost stays visible to the rounding that follows.
template <int n>
[[gnu::always_inline]] inline piece<float, n> to_odd(piece<double, n> d) {
    using bits = piece<std::int32_t, n>;
    auto const f = __builtin_convertvector(d, piece<float, n>);
    auto const back = __builtin_convertvector(f, piece<double, n>);
    using wide = piece<std::int64_t, n>;
    auto const magnitude = [](piece<double, n> x) __attribute__((always_inline)) {
        return std::bit_cast<wide>(x) & std::int64_t{0x7fffffffffffffff};
    };
    auto const too_small = __builtin_convertvector(std::bit_cast<wide>(magnitude(back) < magnitude(d)), bits);
    auto const too_large = __builtin_convertvector(std::bit_cast<wide>(magnitude(back) > magnitude(d)), bits);
    auto const number = __builtin_convertvector(std::bit_cast<wide>(d == d), bits);
    bits const i = std::bit_cast<bits>(f), even = ((i & 1) - 1) & number;
    return std::bit_cast<piece<float, n>>(i + ((too_large - too_small) & even));
}

}  // namespace detail

/// As floats: exact.
template <short_float T>
[[gnu::always_inline]] inline batch<float> widen(packed<T> v) {
    if constexpr (std::same_as<T, half>) {
#if defined(__aarch64__)
        if constexpr (sizeof(v) == 8) return detail::wrap<float>(vcvt_f32_f16(std::bit_cast<float16x4_t>(v.bits)));
#elif defined(__F16C__)
        if constexpr (sizeof(v) == 16) return detail::wrap<float>(_mm256_cvtph_ps(std::bit_cast<__m128i>(v.bits)));
#endif
#if defined(__AVX512F__)
        if constexpr (sizeof(v) == 32)
            return detail::wrap<float>(_mm512_maskz_cvtph_ps(0xffff, std::bit_cast<__m256i>(v.bits)));
#endif
    }
    return detail::widen_by_hand(v);
}

/// Rounded to the nearest, the even one of two.
template <short_float T, class B>
    requires std::same_as<B, batch<float>>
[[gnu::always_inline]] inline packed<T> narrow(B b) {
    if constexpr (std::same_as<T, half>) {
#if defined(__aarch64__)
        if constexpr (sizeof(b) == 16) return {std::bit_cast<detail::lanes16>(vcvt_f16_f32(detail::raw(b)))};
#elif defined(__F16C__)
        if constexpr (sizeof(b) == 32)
            return {std::bit_cast<decltype(packed<T>::bits)>(_mm256_cvtps_ph(detail::raw(b), 0))};
#endif
#if defined(__AVX512F__)
        if constexpr (sizeof(b) == 64)
            return {std::bit_cast<decltype(packed<T>::bits)>(_mm512_maskz_cvtps_ph(0xffff, detail::raw(b), 0))};
#endif
    }
#if defined(__aarch64__)
    if constexpr (std::same_as<T, bfloat16> && sizeof(b) == 16) {
        // as by hand, with additions that keep the upper half of each lane
        uint32x4_t const f = detail::ubits<float>(detail::raw(b)), number = vceqq_f32(detail::raw(b), detail::raw(b));
        uint16x4_t const rounded = vaddhn_u32(f, (f >> 16 & 1u) + 0x7fffu), nan = vshrn_n_u32(f, 16) | T::format::quiet;
        return {vbsl_u16(vmovn_u32(number), rounded, nan)};
    }
#endif
    return detail::narrow_by_hand<T>(b);
}

/// The doubles of as many batches as make a batch of float, rounded once.
template <short_float T>
[[gnu::always_inline]] inline packed<T> narrow(batch<double> const* d) {
    constexpr int n = lanes<double>;
    detail::vec<float> whole{};
    for (int k = 0; k < lanes<float> / n; ++k) {
        auto const part = detail::to_odd<n>(detail::raw(d[k]));
        __builtin_memcpy(reinterpret_cast<char*>(&whole) + static_cast<std::size_t>(k) * sizeof part, &part,
                         sizeof part);
    }
    return narrow<T>(detail::wrap<float>(whole));
}

}  // namespace tapeless::simd
