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
std::string text_of(lengths const& shape);

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

}  // namespace oracle

extern template class std::vector<oracle::array>;

namespace oracle {

/// For each position of a result, in row-major order, where the element of an operand is.
using places = std::vector<std::size_t>;

/// Axis a of the result walks stride[a] elements of the operand.
places walk(lengths const& shape, lengths const& stride, std::int64_t start = 0);

lengths strides_of(lengths const& shape);
/// How an operand is walked where it is stretched to a shape: aligned on the right, lengths of 1 repeated.
lengths stretched_strides(lengths const& from, lengths const& to);
places stretched(lengths const& from, lengths const& to);

/// The elements at these places, under that shape.
array pick(array const& x, lengths const& shape, places const& at);
/// The same elements under a shape of the same size.
array reshaped(array x, lengths shape);

/// Element k along the first axis, and the other way round.
array item(array const& x, std::int64_t k);
void set_item(array& to, std::int64_t k, array const& x);

/// The nearest number of that type.
long double rounded(long double x, dtype type);
std::int64_t wrapped(std::int64_t x, dtype type);

}  // namespace oracle
