// SPDX-License-Identifier: MIT
#pragma once
// The oracle's arrays: row-major numbers in long double, each with a bound of what rounding may have done to it.

#include <tapeless/array/dtype.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

namespace oracle {

using tapeless::dtype;

/// What the oracle does not know, or a graph that contradicts itself.
struct error : std::logic_error {
    using std::logic_error::logic_error;
};

/// From the first axis on.
using lengths = std::vector<std::int64_t>;

inline std::int64_t count(lengths const& shape) {
    std::int64_t n = 1;
    for (std::int64_t e : shape) n *= e;
    return n;
}
inline std::string text_of(lengths const& shape) {
    std::string s;
    for (std::int64_t e : shape) s += (s.empty() ? "" : ", ") + std::to_string(e);
    return "(" + s + ")";
}

/// Half the distance from 1 to the next number of that type.
inline double roundoff(dtype type) {
    switch (type) {
        case dtype::f32: return 0x1p-24;
        case dtype::f64: return 0x1p-53;
        case dtype::f16: return 0x1p-11;
        case dtype::bf16: return 0x1p-8;
        default: return 0;
    }
}
inline bool is_real(dtype type) { return roundoff(type) > 0; }

/// Numbers are not rounded to the element type: `error` bounds how far a computation in that type may be from them. It
/// begins with 0 at arguments, and every operation adds what it does to the errors of its operands (by its slope) and
/// what rounding its own result may add; a sum adds a few roundings of the sum of absolute values. So a tolerance
/// follows from the program alone: it is wide where terms cancel, and nowhere else. A mask is uncertain (error 1) where
/// what is compared is closer than its errors; what is chosen by it is then as uncertain as the choices differ.
struct array {
    dtype type = dtype::f64;
    lengths shape;
    std::vector<long double> real;    ///< of floating-point types
    std::vector<std::int64_t> whole;  ///< of integers and masks
    std::vector<double> error;        ///< empty: all are exact

    array() = default;
    array(dtype t, lengths s) : type(t), shape(std::move(s)) {
        auto const n = static_cast<std::size_t>(count(shape));
        if (is_real(type)) real.resize(n);
        else whole.resize(n);
    }
    std::size_t size() const { return is_real(type) ? real.size() : whole.size(); }
    long double number(std::size_t i) const { return is_real(type) ? real[i] : static_cast<long double>(whole[i]); }
    double error_of(std::size_t i) const { return error.empty() ? 0 : error[i]; }
    void set_error(std::size_t i, double e) {
        if (error.empty()) {
            if (e == 0) return;
            error.resize(size());
        }
        error[i] = e;
    }
};

/// For each position of a result, in row-major order, where the element of an operand is.
using places = std::vector<std::size_t>;

/// Axis a of the result walks stride[a] elements of the operand.
inline places walk(lengths const& shape, lengths const& stride, std::int64_t start = 0) {
    places p{static_cast<std::size_t>(start)};
    for (std::size_t a = 0; a < shape.size(); ++a) {
        places longer;
        longer.reserve(p.size() * static_cast<std::size_t>(shape[a]));
        for (std::size_t base : p)
            for (std::int64_t i = 0; i < shape[a]; ++i)
                longer.push_back(base + static_cast<std::size_t>(i * stride[a]));
        p = std::move(longer);
    }
    return p;
}

inline lengths strides_of(lengths const& shape) {
    lengths s(shape.size(), 1);
    for (std::size_t a = shape.size(); a-- > 1;) s[a - 1] = s[a] * shape[a];
    return s;
}
/// How an operand is walked where it is stretched to a shape: aligned on the right, lengths of 1 repeated.
inline lengths stretched_strides(lengths const& from, lengths const& to) {
    lengths const own = strides_of(from);
    lengths s(to.size(), 0);
    if (from.size() > to.size()) {
        for (std::size_t a = 0; a + to.size() < from.size(); ++a)
            if (from[a] != 1) throw error(text_of(from) + " does not stretch to " + text_of(to));
    }
    for (std::size_t k = 0; k < to.size() && k < from.size(); ++k) {
        std::size_t const f = from.size() - 1 - k, t = to.size() - 1 - k;
        if (from[f] == 1) continue;
        if (from[f] != to[t]) throw error(text_of(from) + " does not stretch to " + text_of(to));
        s[t] = own[f];
    }
    return s;
}
inline places stretched(lengths const& from, lengths const& to) { return walk(to, stretched_strides(from, to)); }

/// The elements at these places, under that shape.
inline array pick(array const& x, lengths const& shape, places const& at) {
    array y(x.type, shape);
    for (std::size_t i = 0; i < at.size(); ++i) {
        if (is_real(x.type)) y.real[i] = x.real.at(at[i]);
        else y.whole[i] = x.whole.at(at[i]);
        y.set_error(i, x.error_of(at[i]));
    }
    return y;
}
/// The same elements under a shape of the same size.
inline array reshaped(array x, lengths shape) {
    if (count(shape) != static_cast<std::int64_t>(x.size()))
        throw error(text_of(x.shape) + " has not as many elements as " + text_of(shape));
    x.shape = std::move(shape);
    return x;
}

/// Element k along the first axis, and the other way round.
inline array item(array const& x, std::int64_t k) {
    lengths const shape(x.shape.begin() + 1, x.shape.end());
    array y(x.type, shape);
    auto const n = y.size(), first = static_cast<std::size_t>(k) * n;
    for (std::size_t i = 0; i < n; ++i) {
        if (is_real(x.type)) y.real[i] = x.real.at(first + i);
        else y.whole[i] = x.whole.at(first + i);
        y.set_error(i, x.error_of(first + i));
    }
    return y;
}
inline void set_item(array& to, std::int64_t k, array const& x) {
    auto const n = x.size(), first = static_cast<std::size_t>(k) * n;
    for (std::size_t i = 0; i < n; ++i) {
        if (is_real(x.type)) to.real.at(first + i) = x.real[i];
        else to.whole.at(first + i) = x.whole[i];
        to.set_error(first + i, x.error_of(i));
    }
}

/// The nearest number of that type.
inline long double rounded(long double x, dtype type) {
    switch (type) {
        case dtype::f32: return static_cast<float>(x);
        case dtype::f64: return static_cast<double>(x);
        case dtype::f16: return static_cast<float>(tapeless::half(static_cast<double>(x)));
        case dtype::bf16: return static_cast<float>(tapeless::bfloat16(static_cast<double>(x)));
        case dtype::i32: return static_cast<long double>(static_cast<std::int32_t>(static_cast<std::int64_t>(x)));
        case dtype::i64: return static_cast<long double>(static_cast<std::int64_t>(x));
        default: return x != 0;
    }
}
inline std::int64_t wrapped(std::int64_t x, dtype type) {
    return type == dtype::i32 ? static_cast<std::int32_t>(x) : x;
}

}  // namespace oracle
