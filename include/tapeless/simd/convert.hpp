// SPDX-License-Identifier: MIT
#pragma once
// Conversion of batches and masks between value types, also of different width.

#include <tapeless/simd/instructions.hpp>

namespace tapeless::simd {

namespace detail {

// As many lanes as the wider type has in one register.
template <class A, class B>
inline constexpr int common_lanes = lanes<A> < lanes<B> ? lanes<A> : lanes<B>;

template <class T, int n>
using piece = typename vector_of<T, sizeof(T) * static_cast<std::size_t>(n)>::type;

// Floats as two halves in double precision, and back; g++ 12 converts lane by lane on NEON.
struct double_halves {
    vec<double> low, high;
};
[[gnu::always_inline]] inline double_halves to_doubles(vec<float> v) {
#if defined(__aarch64__)
    if constexpr (sizeof(v) == 16) return {vcvt_f64_f32(vget_low_f32(v)), vcvt_high_f64_f32(v)};
#endif
    using half = typename vector_of<float, sizeof(v) / 2>::type;
    struct halves {
        half low, high;
    };
    auto const parts = std::bit_cast<halves>(v);
    return {__builtin_convertvector(parts.low, vec<double>), __builtin_convertvector(parts.high, vec<double>)};
}
[[gnu::always_inline]] inline vec<float> to_floats(double_halves d) {
#if defined(__aarch64__)
    if constexpr (sizeof(d.low) == 16) return vcvt_high_f32_f64(vcvt_f32_f64(d.low), d.high);
#endif
    using half = typename vector_of<float, sizeof(d.low) / 2>::type;
    struct halves {
        half low, high;
    };
    halves const parts = {__builtin_convertvector(d.low, half), __builtin_convertvector(d.high, half)};
    return std::bit_cast<vec<float>>(parts);
}

#if defined(__aarch64__)
// Rounded once. (g++ 12 takes lane after lane.)
[[gnu::always_inline]] inline vec<float> to_floats(vec<std::int64_t> low, vec<std::int64_t> high) {
    constexpr std::int64_t whole = std::int64_t{1} << 53;  // as double they are exact up to there
    uint64x2_t const most = vdupq_n_u64(std::uint64_t{whole} << 1);
    uint64x2_t const above = vcgtq_u64(vreinterpretq_u64_s64(low + whole), most) |
                             vcgtq_u64(vreinterpretq_u64_s64(high + whole), most);
    if (vmaxvq_u32(vreinterpretq_u32_u64(above)) == 0) [[likely]]
        return to_floats(double_halves{vcvtq_f64_s64(low), vcvtq_f64_s64(high)});
    return vec<float>{static_cast<float>(low[0]), static_cast<float>(low[1]), static_cast<float>(high[0]),
                      static_cast<float>(high[1])};
}
#endif

}  // namespace detail

// Converts max(lanes<To>, lanes<From>) values, so one side is a single batch and the other one or more.
template <class To, class From>
[[gnu::always_inline]] inline void convert(batch<From> const* in, batch<To>* out) {
#if defined(__aarch64__)
    if constexpr (std::same_as<From, std::int64_t> && std::same_as<To, float> && sizeof(batch<To>) == 16) {
        *out = detail::wrap<To>(detail::to_floats(detail::raw(in[0]), detail::raw(in[1])));
        return;
    }
#endif
    constexpr int n = detail::common_lanes<To, From>;
    constexpr int from_pieces = lanes<From> / n;
    constexpr int to_pieces = lanes<To> / n;
    for (int o = 0; o < from_pieces; ++o) {
        detail::vec<To> whole{};
        for (int k = 0; k < to_pieces; ++k) {
            detail::vec<From> const source = detail::raw(in[k]);
            detail::piece<From, n> part;
            __builtin_memcpy(&part, reinterpret_cast<char const*>(&source) + static_cast<std::size_t>(o) * sizeof part,
                             sizeof part);
            auto const converted = __builtin_convertvector(part, detail::piece<To, n>);
            __builtin_memcpy(reinterpret_cast<char*>(&whole) + static_cast<std::size_t>(k) * sizeof converted,
                             &converted, sizeof converted);
        }
        out[o] = detail::wrap<To>(whole);
    }
}

// The first `lanes_total` lanes of the masks at `in`, as masks of To; lanes of the last mask beyond them are false.
template <class To, class From>
[[gnu::always_inline]] inline void convert_mask(mask<From> const* in, mask<To>* out, int lanes_total) {
    // AVX-512; and clang 16 takes wrong lanes there by index
    if constexpr (detail::bit_mask<From> && detail::bit_mask<To>) {
        std::uint64_t bits = 0;
        for (int i = 0; i * lanes<From> < lanes_total; ++i)
            bits |= static_cast<std::uint64_t>(in[i].data) << static_cast<unsigned>(i * lanes<From>);
        if (lanes_total < 64) bits &= (std::uint64_t{1} << static_cast<unsigned>(lanes_total)) - 1;
        for (int o = 0; o * lanes<To> < lanes_total; ++o) {
            std::uint64_t const part =
                bits >> static_cast<unsigned>(o * lanes<To>) & ((std::uint64_t{1} << lanes<To>)-1);
            out[o] = mask<To>::of(static_cast<typename mask<To>::register_type>(part));
        }
    } else if (constexpr int n = detail::common_lanes<To, From>; lanes_total % n == 0) {
        constexpr int of_from = lanes<From> / n, of_to = lanes<To> / n;
#pragma GCC unroll 16
        for (int o = 0; o * lanes<To> < lanes_total; ++o) {
            detail::ivec<To> whole{};
            for (int k = 0; k < of_to; ++k) {
                int const at = o * of_to + k;
                if (at * n >= lanes_total) break;
                detail::ivec<From> const source = detail::raw(in[at / of_from]);
                detail::piece<detail::int_like<From>, n> part;
                __builtin_memcpy(&part,
                                 reinterpret_cast<char const*>(&source) +
                                     static_cast<std::size_t>(at % of_from) * sizeof part,
                                 sizeof part);
                auto const converted = __builtin_convertvector(part, detail::piece<detail::int_like<To>, n>);
                __builtin_memcpy(reinterpret_cast<char*>(&whole) + static_cast<std::size_t>(k) * sizeof converted,
                                 &converted, sizeof converted);
            }
            out[o] = detail::wrap_mask<To>(whole);
        }
    } else {
        for (int o = 0; o * lanes<To> < lanes_total; ++o) {
            detail::ivec<To> whole{};
            for (int i = 0; i < lanes<To>; ++i) {
                int const lane = o * lanes<To> + i;
                if (lane < lanes_total)
                    whole[i] =
                        static_cast<detail::int_like<To>>(detail::raw(in[lane / lanes<From>])[lane % lanes<From>]);
            }
            out[o] = detail::wrap_mask<To>(whole);
        }
    }
}

}  // namespace tapeless::simd
