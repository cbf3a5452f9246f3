// SPDX-License-Identifier: MIT
#pragma once
// The reference vectors in tests/data: inputs, cotangents and expected results of every operation. data/README.md
// describes the files. A test asks for the cases of an operation and compares:
//
//     for (auto const& c : reference::cases("unary", "tanh")) {
//         auto const x = c.in("x").as<double>();
//         ...
//         CHECK(reference::check_close(c.out(), y, c, "out") == "");
//         CHECK(reference::check_close(c.grad("x"), dx, c, "grad x") == "");
//     }

#include "support/reference_file.hpp"

#include <cmath>
#include <cstdio>
#include <functional>
#include <type_traits>

namespace reference {

/// The cases of a family ("unary", "unary_f32", ...), read once.
inline std::vector<test_case> const& family(std::string_view name) {
    static std::map<std::string, std::vector<test_case>, std::less<>> families;
    auto found = families.find(name);
    if (found == families.end()) {
        std::string const file{name};
        found = families.emplace(file, read(TAPELESS_TEST_DATA "/" + file + ".txt")).first;
    }
    return found->second;
}

/// The cases of one operation; there is at least one, so that a misspelt name cannot pass for a test.
inline std::vector<test_case> cases(std::string const& family_name, std::string_view op) {
    std::vector<test_case> result;
    for (auto const& c : family(family_name))
        if (c.op == op) result.push_back(c);
    if (result.empty()) throw std::runtime_error("no case of " + std::string(op) + " in " + family_name);
    return result;
}

/// |x - e| <= atol + rtol |e|, or both NaN, or the same infinity.
inline bool close(double expected, double actual, double rtol, double atol) {
    if (std::isnan(expected) || std::isnan(actual)) return std::isnan(expected) && std::isnan(actual);
    if (std::isinf(expected) || std::isinf(actual)) return expected == actual;
    return std::abs(actual - expected) <= atol + rtol * std::abs(expected);
}

namespace detail {

inline std::string text(double v) {
    char buffer[40];
    std::snprintf(buffer, sizeof buffer, "%.17g", v);
    return buffer;
}

/// Sums may be off by the tolerance of all their terms together.
template <class T>
std::string check_summary(summary const& s, T const* actual, std::size_t count, double rtol, double atol,
                          std::string const& name) {
    auto differs = [&](std::string const& of, double is, double expected) {
        return name + of + " is " + text(is) + ", expected " + text(expected);
    };
    for (auto const& [i, e] : s.samples)
        if (!close(e, static_cast<double>(actual[i]), rtol, atol))
            return differs("[" + std::to_string(i) + "]", static_cast<double>(actual[i]), e);
    double sum = 0, abs = 0, dot = 0;
    for (std::size_t i = 0; i < count; ++i) {
        auto const x = static_cast<double>(actual[i]);
        sum += x;
        abs += std::abs(x);
        dot += x * fill_value(i, "f64", s.salt, 1);
    }
    double const room = atol + rtol * s.abs;
    if (!close(s.sum, sum, 0, room)) return differs(": its sum", sum, s.sum);
    if (!close(s.abs, abs, 0, room)) return differs(": the sum of its absolute values", abs, s.abs);
    if (!close(s.dot, dot, 0, room)) return differs(": its weighted sum", dot, s.dot);
    return {};
}

}  // namespace detail

/// "" when every element is close; otherwise a sentence naming the first that is not, and how many there are.
template <class T>
std::string check_close(tensor const& expected, T const* actual, std::size_t count, double rtol, double atol,
                        std::string_view what) {
    std::string const name{what};
    std::size_t const wanted = expected.in_short ? detail::elements_of(expected) : expected.size();
    if (count != wanted) return name + ": " + std::to_string(count) + " elements, expected " + std::to_string(wanted);
    if (expected.in_short) return detail::check_summary(*expected.in_short, actual, count, rtol, atol, name);
    if (expected.dtype == "i64" || expected.dtype == "b8") rtol = atol = 0;

    std::size_t bad = 0, first = 0;
    for (std::size_t i = 0; i < count; ++i)
        if (!close(expected.values[i], static_cast<double>(actual[i]), rtol, atol) && bad++ == 0) first = i;
    if (bad == 0) return {};

    std::string index;
    for (std::size_t axis = expected.rank(), rest = first; axis-- > 0; rest /= expected.extent(axis))
        index = std::to_string(rest % expected.extent(axis)) + (index.empty() ? "" : ", ") + index;
    return name + "(" + index + ") is " + detail::text(static_cast<double>(actual[first])) + ", expected " +
           detail::text(expected.values[first]) + "; " + std::to_string(bad) + " of " + std::to_string(count) +
           " elements differ";
}

/// The same for anything contiguous (a vector, an array, a tensor) or a single number, with the tolerances of the case;
/// the sentence begins with the case's id.
template <class Actual>
std::string check_close(tensor const& expected, Actual const& actual, test_case const& c, std::string_view what) {
    std::string const name = c.id + " " + std::string(what);
    if constexpr (std::is_arithmetic_v<Actual>) return check_close(expected, &actual, 1, c.rtol, c.atol, name);
    else return check_close(expected, std::data(actual), std::size(actual), c.rtol, c.atol, name);
}

}  // namespace reference
