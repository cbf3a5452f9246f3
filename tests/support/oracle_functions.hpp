// SPDX-License-Identifier: MIT
#pragma once
// What the oracle knows of elementwise operations: each by its name, as a formula in long double.

#include "support/oracle_array.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <utility>

namespace oracle {

/// The same formula twice: for the value, and in double for what errors of the operands do to it.
struct function {
    long double (*value)(long double const* x, double number);
    double (*fast)(double const* x, double number);
    double ulps;  ///< a bound of what rounding adds, in units of the result's own
    bool jumps;   ///< piecewise constant
};
template <class F>
function formula(F, double ulps = 4) {
    return {[](long double const* x, double number) -> long double { return F{}(x, number); },
            [](double const* x, double number) -> double { return F{}(x, number); }, ulps, false};
}
template <class F>
function jumping(F f) {
    function r = formula(f, 0);
    r.jumps = true;
    return r;
}

/// An elementwise operation is known by its name and the number of its operands.
using operation_key = std::pair<std::string, int>;

/// A test adds an operation of its own here: oracle::functions()[{"cube", 1}] = oracle::formula(...).
std::map<operation_key, function>& functions();

using whole_function = std::int64_t (*)(std::int64_t const* x);

/// The same of integers: quotients are towards 0, and 0 where the divisor is.
std::map<operation_key, whole_function>& whole_functions();

/// NaN comes through.
template <class R>
R larger(R a, R b) {
    return std::isnan(a) || a > b ? a : b;
}
template <class R>
R smaller(R a, R b) {
    return std::isnan(a) || a < b ? a : b;
}
template <class R>
R log_of_sum(R a, R b) {  // log(e^a + e^b)
    if (a == b) return a + std::log(R(2));
    return std::max(a, b) + std::log1p(std::exp(-std::abs(a - b)));
}

// ---- one element ---------------------------------------------------------------------------------------------------

inline constexpr double unknown = std::numeric_limits<double>::infinity();

/// What errors e of the operands do to f(x), which is y: by the slope on either side.
double spread(function const& f, int operands, long double const* x, double const* e, double number, long double y);

}  // namespace oracle
