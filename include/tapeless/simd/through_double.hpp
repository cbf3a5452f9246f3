// SPDX-License-Identifier: MIT
#pragma once
// Functions that cost so much that one kernel for float and double is enough, and a call more does not count.

#include <tapeless/simd/convert.hpp>
#include <tapeless/simd/logarithm.hpp>

namespace tapeless::simd::detail {

// One function a kernel and instruction set, which the batches name.
template <class Kernel, class... B>
[[gnu::noinline]] batch<double> call_kernel(batch<double> x, B... y) {
    return wrap<double>(Kernel::template of<double>(raw(x), raw(y)...));
}

/// Kernel::of<double>(vec<double>...) as a function of numbers and of batches. Floats are computed as double and
/// rounded once.
template <class Kernel>
struct through_double {
    template <class B, class... C>
    [[gnu::always_inline]] B operator()(B x, C... y) const {
        if constexpr (real<B>) {
            return first((*this)(batch<B>(x), batch<B>(y)...));
        } else if constexpr (std::same_as<value_of<B>, double>) {
            return call_kernel<Kernel>(wrap<double>(raw(x)), wrap<double>(raw(y))...);
        } else {
            auto const low = [](auto v) { return wrap<double>(to_doubles(raw(v)).low); };
            auto const high = [](auto v) { return wrap<double>(to_doubles(raw(v)).high); };
            auto const a = call_kernel<Kernel>(low(x), low(y)...), b = call_kernel<Kernel>(high(x), high(y)...);
            return wrap<float>(to_floats({raw(a), raw(b)}));
        }
    }
};

/// Where a comparison holds, as a mask for unless_rare.
template <class T, class Compared>
[[gnu::always_inline]] inline ivec<T> lanes_where(Compared c) {
    return std::bit_cast<ivec<T>>(c);
}

// c[0] + c[1] x + c[2] x^2 + ... of numbers
template <class T>
constexpr T polynomial_of_number(T const* c, int count, T x) {
    T y = c[count - 1];
    for (int i = count - 2; i >= 0; --i) y = y * x + c[i];
    return y;
}

}  // namespace tapeless::simd::detail
