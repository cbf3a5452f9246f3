// SPDX-License-Identifier: MIT
#pragma once
// Sweeps of a function of batches against a more precise reference, measured in units in the last place.

#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include <tapeless/simd/simd.hpp>

namespace ulp {

using namespace tapeless;

template <class T>
using wide = std::conditional_t<std::is_same_v<T, float>, double, long double>;

template <class T>
using bits_of = simd::detail::uint_like<T>;

// |got - want| in units of the last place of want; where want is not finite, 0 for the right answer.
template <class T>
double distance(T got, wide<T> want) {
    using limits = std::numeric_limits<T>;
    constexpr double far = 1e30;
    if (want != want) return got != got ? 0 : far;
    if (got != got) return far;
    T const rounded = static_cast<T>(want);
    if (got == rounded) return got == 0 && std::signbit(got) != std::signbit(rounded) ? far : 0;
    if (std::isinf(rounded) && std::isinf(want)) return far;
    int const exponent = std::max(std::ilogb(std::abs(want)), limits::min_exponent - 1);
    wide<T> const unit = std::ldexp(wide<T>(1), exponent - limits::digits + 1);
    wide<T> const value =
        std::isinf(got) ? std::copysign(std::ldexp(wide<T>(1), limits::max_exponent), wide<T>(got)) : wide<T>(got);
    return static_cast<double>(std::abs(value - want) / unit);
}

template <class T>
struct worst {
    double ulp = 0;
    T x{}, y{}, got{};
};

// All the points through the function, a batch at a time; every lane must agree with the same number alone.
template <class T, class F, class R>
worst<T> over(std::vector<T> const& xs, std::vector<T> const& ys, F f, R reference) {
    worst<T> w;
    int const n = static_cast<int>(xs.size());
    for (int i = 0; i < n; i += simd::lanes<T>) {
        int const count = std::min(n - i, simd::lanes<T>);
        std::vector<T> out(simd::lanes<T>);
        simd::store(out.data(), f(simd::load_partial(xs.data() + i, count), simd::load_partial(ys.data() + i, count)));
        for (int k = 0; k < count; ++k) {
            std::size_t const at = static_cast<std::size_t>(i + k);
            T const got = out[static_cast<std::size_t>(k)];
            double const d = distance<T>(got, reference(wide<T>(xs[at]), wide<T>(ys[at])));
            if (d > w.ulp) w = {d, xs[at], ys[at], got};
        }
    }
    return w;
}

template <class T>
std::vector<T> special_values() {
    using l = std::numeric_limits<T>;
    std::vector<T> v;
    for (T x :
         {T(0),    l::denorm_min(),     l::min() / 2, l::min(), l::epsilon(), T(0.5),        T(1) - l::epsilon() / 2,
          T(1),    T(1) + l::epsilon(), T(2),         T(3),     T(4),         T(10),         T(88.72),
          T(88.8), T(709.78),           T(709.8),     T(1e10),  l::max(),     l::infinity(), l::quiet_NaN()}) {
        v.push_back(x);
        v.push_back(-x);
    }
    return v;
}

// Evenly spaced numbers.
template <class T>
void add_range(std::vector<T>& v, T from, T to, int count) {
    for (int i = 0; i <= count; ++i) v.push_back(from + (to - from) * (static_cast<T>(i) / static_cast<T>(count)));
}

// Evenly spaced representations: every exponent alike, subnormal numbers included, of both signs.
template <class T>
void add_all_exponents(std::vector<T>& v, int count) {
    bits_of<T> const step =
        std::bit_cast<bits_of<T>>(std::numeric_limits<T>::infinity()) / static_cast<bits_of<T>>(count);
    for (int i = 0; i < count; ++i) {
        T const x = std::bit_cast<T>(static_cast<bits_of<T>>(i) * step + static_cast<bits_of<T>>(i) % 977);
        v.push_back(x);
        v.push_back(-x);
    }
}

}  // namespace ulp
