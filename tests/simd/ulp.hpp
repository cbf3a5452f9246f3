// SPDX-License-Identifier: MIT
#pragma once
// Sweeps of a function of batches against a more precise reference, measured in units in the last place.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <type_traits>
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
using batch_function = void (*)(T const* x, T const* y, T* out);
template <class T>
using wide_function = wide<T> (*)(wide<T> x, wide<T> y);

// A function of batches and its reference behind plain pointers, so that a sweep is compiled once and not for each.
// F and R are lambdas without captures.
template <class T, class F>
constexpr batch_function<T> of_batches(F) {
    return [](T const* x, [[maybe_unused]] T const* y, T* out) {
        if constexpr (std::is_invocable_v<F, simd::batch<T>>) simd::store(out, F{}(simd::load(x)));
        else simd::store(out, F{}(simd::load(x), simd::load(y)));
    };
}
template <class T, class F>
constexpr auto of_numbers(F) {
    return +[](T x, [[maybe_unused]] T y) -> T {
        if constexpr (std::is_invocable_v<F, T>) return F{}(x);
        else return F{}(x, y);
    };
}

template <class T>
struct worst {
    double ulp = 0;
    T x{}, y{}, got{};
};

template <class T>
bool same(T a, T b) {
    return a == b ? std::signbit(a) == std::signbit(b) : a != a && b != b;
}

// f(xs[i], ys[i]) a batch at a time, the first point in the given lane.
template <class T>
std::vector<T> values(std::vector<T> const& xs, std::vector<T> const& ys, batch_function<T> f, std::size_t first_lane) {
    constexpr std::size_t lanes = simd::lanes<T>;
    std::size_t const n = xs.size();
    std::vector<T> x(n + 2 * lanes, T(0.5)), y(x), out(x);
    std::copy(xs.begin(), xs.end(), x.begin() + static_cast<std::ptrdiff_t>(first_lane));
    std::copy(ys.begin(), ys.end(), y.begin() + static_cast<std::ptrdiff_t>(first_lane));
    for (std::size_t i = 0; i < n + lanes; i += lanes) f(x.data() + i, y.data() + i, out.data() + i);
    auto const from = out.begin() + static_cast<std::ptrdiff_t>(first_lane);
    return {from, from + static_cast<std::ptrdiff_t>(n)};
}

template <class T>
worst<T> over(std::vector<T> const& xs, std::vector<T> const& ys, batch_function<T> f, wide_function<T> reference) {
    worst<T> w;
    auto const got = values<T>(xs, ys, f, 0);
    for (std::size_t i = 0; i < xs.size(); ++i) {
        double const d = distance<T>(got[i], reference(xs[i], ys[i]));
        if (d > w.ulp) w = {d, xs[i], ys[i], got[i]};
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
