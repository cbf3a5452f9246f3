// SPDX-License-Identifier: MIT
// Cases by name, and how results are compared with them.

#include "support/reference.hpp"

#include <cmath>
#include <cstdio>
#include <functional>
#include <map>
#include <stdexcept>

namespace reference {

std::vector<test_case> const& family(std::string_view name) {
    static std::map<std::string, std::vector<test_case>, std::less<>> families;
    auto found = families.find(name);
    if (found == families.end()) {
        std::string const file{name};
        found = families.emplace(file, read(TAPELESS_TEST_DATA "/" + file + ".txt")).first;
    }
    return found->second;
}

std::vector<test_case> cases(std::string const& family_name, std::string_view op) {
    std::vector<test_case> result;
    for (auto const& c : family(family_name))
        if (c.op == op) result.push_back(c);
    if (result.empty()) throw std::runtime_error("no case of " + std::string(op) + " in " + family_name);
    return result;
}

bool close(double expected, double actual, double rtol, double atol) {
    if (std::isnan(expected) || std::isnan(actual)) return std::isnan(expected) && std::isnan(actual);
    if (std::isinf(expected) || std::isinf(actual)) return expected == actual;
    return std::abs(actual - expected) <= atol + rtol * std::abs(expected);
}

namespace {

std::string text(double v) {
    char buffer[40];
    std::snprintf(buffer, sizeof buffer, "%.17g", v);
    return buffer;
}

/// Sums may be off by the tolerance of all their terms together.
std::string check_summary(summary const& s, double const* actual, std::size_t count, double rtol, double atol,
                          std::string const& name) {
    auto differs = [&](std::string const& of, double is, double expected) {
        return name + of + " is " + text(is) + ", expected " + text(expected);
    };
    for (auto const& [i, e] : s.samples)
        if (!close(e, actual[i], rtol, atol))
            return differs("[" + std::to_string(i) + "]", actual[i], e);
    double sum = 0, abs = 0, dot = 0;
    for (std::size_t i = 0; i < count; ++i) {
        auto const x = actual[i];
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

}  // namespace

std::string check_close(tensor const& expected, double const* actual, std::size_t count, double rtol, double atol,
                        std::string_view what) {
    std::string const name{what};
    std::size_t const wanted = expected.in_short ? elements_of(expected) : expected.size();
    if (count != wanted) return name + ": " + std::to_string(count) + " elements, expected " + std::to_string(wanted);
    if (expected.in_short) return check_summary(*expected.in_short, actual, count, rtol, atol, name);
    if (expected.dtype == "i64" || expected.dtype == "b8") rtol = atol = 0;

    std::size_t bad = 0, first = 0;
    for (std::size_t i = 0; i < count; ++i)
        if (!close(expected.values[i], actual[i], rtol, atol) && bad++ == 0) first = i;
    if (bad == 0) return {};

    std::string index;
    for (std::size_t axis = expected.rank(), rest = first; axis-- > 0; rest /= expected.extent(axis))
        index = std::to_string(rest % expected.extent(axis)) + (index.empty() ? "" : ", ") + index;
    return name + "(" + index + ") is " + text(actual[first]) + ", expected " +
           text(expected.values[first]) + "; " + std::to_string(bad) + " of " + std::to_string(count) +
           " elements differ";
}

std::string check_close(tensor const& expected, float const* actual, std::size_t count, double rtol, double atol,
                        std::string_view what) {
    std::vector<double> const numbers(actual, actual + count);
    return check_close(expected, numbers.data(), count, rtol, atol, what);
}

std::string name_of(test_case const& c, std::string_view what) { return c.id + " " + std::string(what); }

}  // namespace reference
